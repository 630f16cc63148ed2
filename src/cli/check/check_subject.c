// How: rows are drawn until enough are accepted: the shape rule takes them, the
// reference computes them, and the kernel in question is the one that is taken.
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

#define MOST_TRIES 20000
#define MOST_RUNS 800  // tries that got as far as being compiled
#define MOST_CRASHES 3
#define MOST_MENDS 96    // of a row, by what its refusals say
#define MOST_SHOWN 2000  // tries where a module stands for the rows
#define MOST_TURN 12     // tries of a combination of types before the next
// Questions to the shape rule that no row comes of.
#define MOST_READS 25000
// Tries of a kernel that were compiled and gave no row: then every other one
// has constants wherever it may.
#define FIRST_RUNS 40

// --- drawing rows ----------------------------------------------------------

// Words in quotes are candidates for attributes that are texts.
static void learn_words(checker *k, const char *text) {
  const char *p = text;
  while (p && k->n_words < 16) {
    p = strchr(p, '\'');
    if (!p) return;
    size_t n = strcspn(++p, "'");
    if (p[n] != '\'') return;
    bool is_new = n > 0 && n < sizeof k->words[0] && !memchr(p, '"', n) &&
                  !memchr(p, '\\', n);
    for (size_t i = 0; is_new && i < k->n_words; ++i)
      is_new = strlen(k->words[i]) != n || memcmp(k->words[i], p, n) != 0;
    if (is_new)
      snprintf(k->words[k->n_words++], sizeof k->words[0], "%.*s", (int)n, p);
    p += n + 1;
  }
}

// Tells of a row that ends the process, the smallest first.
static void tell_crash(checker *k, check_subject *s, const check_row *row,
                       char *detail, size_t size) {
  int at = 0;
  check_row smallest = *row;
  while (at < CHECK_EMITTED - 1 && k->is_left_out[at])
    ++at;
  check_tally *t = &s->tallies[at];
  if (t->failed++) return;
  check_shrink(k, s, &smallest, CHECK_WAYS, detail, size);
  check_failure_keep(k, s, &smallest,
                     s->kernel ? CHECK_KERNEL : CHECK_REFERENCE, detail, t);
}

// Asks the shape rule, and again for as long as it says what an operand should
// have been.
static bool subject_is_read(checker *k, check_row *row) {
  for (int i = 0; i <= MOST_MENDS; ++i) {
    k->c->sink->muted[0] = 0;
    ++k->n_reads;
    if (check_row_is_read(k, row)) return true;
    if (!check_row_mend(k, row, k->c->sink->muted)) return false;
  }
  return false;
}

// A module of text IR that the documentation shows, for what no row can draw:
// other operators, functions, strings. Null: none.
static const char *example_of(const check_subject *s) {
  const char *doc = s->op ? s->op->desc->doc : NULL;
  const char *at = doc ? strstr(doc, "\nmodule {") : NULL;
  return at ? at + 1 : NULL;
}

static size_t draw_rows(checker *k, check_subject *s, check_row *rows,
                        size_t runs) {
  size_t n = 0, compiled = 0;
  char detail[CHECK_DETAIL];
  k->n_words = k->n_reads = 0;
  const size_t most = example_of(s) ? MOST_SHOWN : MOST_TRIES;
  k->turn = k->tries = 0;
  k->has_hung = k->wants_constants = false;
  learn_words(k, s->op->desc->doc);
  for (size_t i = 0; i < most && n < runs; ++i) {
    if (compiled - n > MOST_RUNS || (n == 0 && k->n_reads > MOST_READS)) break;
    if (s->kernel && n == 0 && compiled == FIRST_RUNS)
      k->wants_constants = true;
    cli_progress_of(k->c, "drawing rows of", s->op->op.name, k->done + n,
                    k->all);
    k->c->sink->muted[0] = 0;
    if (k->tries++ == MOST_TURN) {
      k->tries = 1;
      ++k->turn;
    }
    if (!check_row_draw(k, s, &rows[n])) {
      ++s->discarded;
      continue;
    }
    check_types_seen(s, &rows[n], 0);
    if (subject_is_read(k, &rows[n])) {
      ++compiled;
      if (!check_survives(k, s, &rows[n], CHECK_WAYS, detail, sizeof detail)) {
        check_types_seen(s, &rows[n], 1);
        tell_crash(k, s, &rows[n], detail, sizeof detail);
        if (++s->crashed == MOST_CRASHES) break;
        k->tries = 0;
        ++k->turn;
        continue;
      }
      if (check_row_computed(k, s, &rows[n])) {
        check_types_seen(s, &rows[n++], 1);
        k->tries = 0;
        ++k->turn;
        continue;
      }
    }
    ++s->discarded;
    learn_words(k, k->c->sink->muted);
    if (k->c->sink->muted[0])
      snprintf(s->why, sizeof s->why, "%s", k->c->sink->muted);
  }
  return n;
}

// --- the subject ------------------------------------------------------------

static void run_row(checker *k, check_subject *s, const check_row *row) {
  for (int way = 0; way < CHECK_EMITTED; ++way) {
    if (k->is_left_out[way]) continue;
    char detail[CHECK_DETAIL];
    check_tally *t = &s->tallies[way];
    check_outcome o =
        check_way_run(k, s, row, (check_way)way, detail, sizeof detail);
    if (o == CHECK_PASS) {
      ++t->passed;
    } else if (o == CHECK_SKIP) {
      ++t->skipped;
      snprintf(t->reason, sizeof t->reason, "%s", detail);
    } else if (t->failed++ == 0) {
      check_row smallest = *row;
      check_shrink(k, s, &smallest, (check_way)way, detail, sizeof detail);
      check_failure_keep(k, s, &smallest, (check_way)way, detail, t);
    }
  }
}

// There is nothing to compare what it would compute with.
static bool is_emitted_only(const checker *k, check_subject *s) {
  const tenon_kernel_desc *d =
      s->kernel ? (const tenon_kernel_desc *)s->kernel->desc : NULL;
  if (!d || d->run || d->run_range || k->features) return false;
  snprintf(s->why, sizeof s->why,
           "the kernel has no function to run here, it can only be emitted; "
           "--target runs it on an emulated core");
  return true;
}

size_t check_subject_rows(const checker *k, check_subject *s) {
  return is_emitted_only(k, s) ? 0 : k->runs ? k->runs : check_types_rows(s);
}

// A whole module, which is the row's from here on.
static void run_module(checker *k, check_subject *s, char *text) {
  char detail[CHECK_DETAIL];
  check_row row;
  memset(&row, 0, sizeof row);
  row.given = text;
  row.seed = check_next(&k->random);
  ++s->rows;
  if (check_survives(k, s, &row, CHECK_WAYS, detail, sizeof detail)) {
    run_row(k, s, &row);
    check_emitted(k, s, &row, 1);
  } else {
    tell_crash(k, s, &row, detail, sizeof detail);
  }
  check_row_free(&row);
}

// Once for all kernels.
static int run_example(checker *k, check_subject *s) {
  const char *at = example_of(s);
  const tenon_op_desc *d = at ? s->op->desc : NULL;
  if (!at || (s->kernel && (!d->kernels || s->kernel->desc != d->kernels[0])))
    return 0;
  char *text = strdup(at);
  if (!text) return CLI_NO_MEMORY;
  run_module(k, s, text);
  return 0;
}

int check_subject_run(checker *k, check_subject *s) {
  if (is_emitted_only(k, s)) return 0;
  size_t runs = check_subject_rows(k, s);
  check_row *rows = (check_row *)calloc(runs + 1, sizeof *rows);
  if (!rows) return CLI_NO_MEMORY;
  size_t n = draw_rows(k, s, rows, runs);
  s->rows = n + s->crashed;
  if (run_example(k, s) != 0) {
    free(rows);
    return CLI_NO_MEMORY;
  }
  const char *name = s->op ? s->op->op.name : "";
  for (size_t i = 0; i < n; ++i) {
    cli_progress_of(k->c, "checking", name, k->done + i, k->all);
    run_row(k, s, &rows[i]);
  }
  k->done += runs;
  if (k->c->together) {
    if (check_together(k, s, rows, n)) return 0;
    free(rows);
    return CLI_NO_MEMORY;
  }
  cli_progress_of(k->c, "checking emitted C of", name, k->done, k->all);
  check_emitted(k, s, rows, n);
  free(rows);
  return 0;
}

// A row is text: a .tflite or .pt2 becomes what `tenon print` makes of it.
static int read_given(checker *k, const char *path, tenon_buf *out) {
  tenon_buf file = {0};
  tenon_read_options o = {.struct_size = sizeof o, .name = path};
  tenon_module *m = NULL;
  if (!cli_read_file(k->c, path, &file)) return TENON_IO;
  if (!memchr(file.data, 0, file.size)) {
    *out = file;
    return 0;
  }
  int code = cli_exit(tenon_module_read(k->cx, file.data, file.size, &o, &m));
  if (code == 0)
    code = cli_exit(tenon_module_print(m, TENON_FORMAT_TEXT, cli_collect, out));
  tenon_module_destroy(m);
  tenon_buf_deinit(&file);
  return code;
}

// A module that somebody wrote: what it computes must not depend on the way.
int check_given(checker *k, check_subject *s, const char *path) {
  tenon_buf b = {0};
  k->c->sink->is_muted = false;
  int code = read_given(k, path, &b);
  k->c->sink->is_muted = true;
  if (code) {
    tenon_buf_deinit(&b);
    return code;
  }
  run_module(k, s, b.data);
  return 0;
}

void check_subject_free(check_subject *s) {
  for (int way = 0; way < CHECK_WAYS; ++way) {
    free(s->tallies[way].failure);
    free(s->tallies[way].again);
  }
}
