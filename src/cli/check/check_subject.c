// How: rows are drawn until enough are accepted: the shape rule takes them, the
// reference computes them, and the kernel in question is the one that is taken.
// Results that are quantised must be declared, so their shapes are learnt from
// the same row in floats first.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

#define MOST_TRIES 20000
#define MOST_RUNS 400  // tries that got as far as being compiled
#define MOST_CRASHES 3
#define MOST_TURN 12  // tries of a combination of types before the next

// --- learning types ---------------------------------------------------------

static json_t *find_node(json_t *document, const char *op) {
  json_t *graph = json_array_get(json_object_get(document, "functions"), 0);
  json_t *nodes = json_object_get(graph, "nodes"), *node = NULL;
  size_t i = 0;
  json_array_foreach(nodes, i, node) {
    const char *name = json_string_value(json_object_get(node, "op"));
    if (name && strcmp(name, op) == 0) return node;
  }
  return NULL;
}

// "s8[2,3]{0.5:0}" from the shape that floats have and the kernel's type.
static bool declare(check_row *row, checker *k, const char *shape,
                    const check_type *type, size_t i, size_t *at) {
  const char *brackets = strchr(shape, '[');
  size_t room = sizeof row->types - *at;
  double scale = row->n_in ? row->in[0].scale : 0.5;
  if (!brackets) return false;
  size_t n = strcspn(brackets, "]") + 1, name = strcspn(shape, "[");
  // What the rule made f32 of may be so only because the operands were.
  bool use_own = type->quant || (name == 3 && strncmp(shape, "f32", 3) == 0);
  int used = snprintf(row->types + *at, room, "%s%.*s%.*s", i ? ", " : "",
                      use_own ? (int)strlen(type->name) : (int)name,
                      use_own ? type->name : shape, (int)n, brackets);
  if (used < 0 || (size_t)used >= room) return false;
  *at += (size_t)used;
  room -= (size_t)used;
  if (!type->quant) return true;
  if (type->quant == 'c') return false;
  // The scale of the operand, twice that, or the one that is usual for what
  // lies between 0 and 1.
  int way = check_below(&k->random, 4);
  bool is_s8 = strcmp(type->name, "s8") == 0;
  bool is_s16 = strcmp(type->name, "s16") == 0;
  int zero = !is_s8                 ? 0
             : way < 2 && row->n_in ? row->in[0].zero
                                    : check_below(&k->random, 21) - 10;
  if (way == 3 && is_s8)
    used = snprintf(row->types + *at, room, "{0.00390625:-128}");
  else if (way == 3 && is_s16)
    used = snprintf(row->types + *at, room, "{3.0517578125e-05:0}");
  else
    used = snprintf(row->types + *at, room, "{%g:%d}",
                    way < 2 ? scale : scale * 2, zero);
  *at += (size_t)used;
  return (size_t)used < room;
}

// The type of a result as text, lists of results flattened; null: none.
static const char *result_type(const json_t *node, size_t flat) {
  const json_t *groups = json_object_get(node, "results");
  for (size_t g = 0; g < json_array_size(groups); ++g) {
    const json_t *item = json_array_get(groups, g);
    size_t n = json_is_array(item) ? json_array_size(item) : 1;
    if (flat < n) {
      if (json_is_array(item)) item = json_array_get(item, flat);
      return json_string_value(
          json_object_get(json_object_get(item, "type"), "text"));
    }
    flat -= n;
  }
  return NULL;
}

static bool learn(checker *k, check_row *row, json_t *document) {
  json_t *node = find_node(document, row->op->op.name);
  size_t at = 0, flat = 0;
  row->types[0] = 0;
  if (!node || result_type(node, row->n_out)) return false;
  for (size_t g = 0; g < row->n_out_groups; ++g)
    for (int j = 0; j < row->out_group[g]; ++j, ++flat) {
      const char *type = result_type(node, flat);
      if (!type || !declare(row, k, type, &row->out_types[g], flat, &at))
        return false;
    }
  return true;
}

// Shapes of the operands, in case floats are refused.
static bool guess(checker *k, check_row *row) {
  size_t at = 0, flat = 0;
  row->types[0] = 0;
  if (row->n_in == 0) return false;
  const check_value *v = &row->in[check_below(&k->random, (int)row->n_in)];
  char shape[128];
  size_t used = (size_t)snprintf(shape, sizeof shape, "x[");
  for (int i = 0; i < v->rank; ++i)
    used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%d",
                             i ? "," : "", v->dims[i]);
  snprintf(shape + used, sizeof shape - used, "]");
  for (size_t g = 0; g < row->n_out_groups; ++g)
    for (int j = 0; j < row->out_group[g]; ++j, ++flat)
      if (!row->out_types[g].quant ||
          !declare(row, k, shape, &row->out_types[g], flat, &at))
        return false;
  return true;
}

static bool learn_types(checker *k, check_row *row) {
  cli_bytes text = {0}, printed = {0};
  tenon_module *m = NULL;
  json_t *document = NULL;
  bool needs = false;
  for (size_t g = 0; g < row->n_out_groups; ++g)
    needs = needs || row->out_types[g].quant;
  row->types[0] = 0;
  if (!needs) return true;
  bool ok = check_row_text(row, CHECK_FLOATING, &text) &&
            check_read(k, text.data, text.size, &m) &&
            tenon_module_print(m, TENON_FORMAT_JSON, cli_bytes_write,
                               &printed) == TENON_OK;
  if (ok) document = json_loadb(printed.data, printed.size, 0, NULL);
  ok = document && learn(k, row, document);
  if (!ok) ok = guess(k, row);
  json_decref(document);
  tenon_module_destroy(m);
  cli_bytes_free(&text);
  cli_bytes_free(&printed);
  return ok;
}

// --- accepting --------------------------------------------------------------

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

bool check_row_is_read(checker *k, check_row *row) {
  cli_bytes text = {0};
  tenon_module *m = NULL;
  bool ok = learn_types(k, row) && check_row_text(row, CHECK_PLAIN, &text) &&
            check_read(k, text.data, text.size, &m);
  tenon_module_destroy(m);
  cli_bytes_free(&text);
  return ok;
}

// The same on the target, whose kernels need not run here.
static bool is_planned(checker *k, const check_mode *m) {
  tenon_program *p = NULL;
  check_mode there = *m;
  there.target = k->c->emulated;
  bool ok = check_compile(k, &there, &p) == 0;
  if (ok && !check_has_kernel(p, m->kernel)) {
    snprintf(k->c->sink->muted, sizeof k->c->sink->muted,
             "the kernel is not taken");
    ok = false;
  }
  tenon_program_destroy(p);
  return ok;
}

// The reference computes it, and the kernel is taken for it.
bool check_row_computed(checker *k, const check_subject *s,
                        const check_row *row) {
  cli_bytes text = {0};
  char forced[512];
  check_result r;
  bool ok = check_row_text(row, CHECK_PLAIN, &text);
  check_mode m = {.text = text.data,
                  .size = text.size,
                  .flags = TENON_COMPILE_REFERENCE,
                  .pipeline = "functional,lower,inline",
                  .op = s->op->op.name};
  ok = ok && check_run_text(k, row, &m, &r) == 0;
  if (ok) check_result_free(&r);
  if (ok && s->kernel) {
    snprintf(forced, sizeof forced, "%s=%s", m.op, s->kernel->name);
    m.flags = 0;
    m.forced = forced;
    m.kernel = s->kernel->name;
    if (k->features) {
      ok = is_planned(k, &m);
      cli_bytes_free(&text);
      return ok;
    }
    ok = check_run_text(k, row, &m, &r) == 0;
    if (ok && !r.took_kernel)
      snprintf(k->c->sink->muted, sizeof k->c->sink->muted,
               "the kernel is not taken");
    ok = ok && r.took_kernel;
    check_result_free(&r);
  }
  cli_bytes_free(&text);
  return ok;
}

bool check_row_accept(checker *k, const check_subject *s, check_row *row,
                      check_way way) {
  char detail[CHECK_DETAIL];
  return check_row_is_read(k, row) &&
         check_survives(k, s, row, way, detail, sizeof detail) &&
         check_row_computed(k, s, row);
}

static size_t draw_rows(checker *k, check_subject *s, check_row *rows,
                        size_t runs) {
  size_t n = 0, compiled = 0;
  char detail[CHECK_DETAIL];
  k->n_words = 0;
  k->turn = k->tries = 0;
  k->has_hung = false;
  learn_words(k, s->op->desc->doc);
  for (size_t i = 0; i < MOST_TRIES && n < runs; ++i) {
    if (compiled - n > MOST_RUNS) break;
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
    if (check_row_is_read(k, &rows[n])) {
      ++compiled;
      if (!check_survives(k, s, &rows[n], CHECK_WAYS, detail, sizeof detail)) {
        check_types_seen(s, &rows[n], 1);
        check_crashed(k, s, &rows[n], detail, sizeof detail);
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

int check_subject_run(checker *k, check_subject *s) {
  if (is_emitted_only(k, s)) return 0;
  size_t runs = check_subject_rows(k, s);
  check_row *rows = (check_row *)calloc(runs + 1, sizeof *rows);
  if (!rows) return CLI_NO_MEMORY;
  size_t n = draw_rows(k, s, rows, runs);
  s->rows = n + s->crashed;
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
static int read_given(checker *k, const char *path, cli_bytes *out) {
  cli_bytes file = {0};
  tenon_read_options o = {.struct_size = sizeof o, .name = path};
  tenon_module *m = NULL;
  if (!cli_read_file(k->c, path, &file)) return TENON_IO;
  if (!memchr(file.data, 0, file.size)) {
    *out = file;
    return 0;
  }
  int code = cli_exit(tenon_module_read(k->cx, file.data, file.size, &o, &m));
  if (code == 0)
    code = cli_exit(
        tenon_module_print(m, TENON_FORMAT_TEXT, cli_bytes_write, out));
  tenon_module_destroy(m);
  cli_bytes_free(&file);
  return code;
}

// A module that somebody wrote: what it computes must not depend on the way.
int check_given(checker *k, check_subject *s, const char *path) {
  check_row row;
  cli_bytes b = {0};
  char detail[CHECK_DETAIL];
  memset(&row, 0, sizeof row);
  k->c->sink->is_muted = false;
  int code = read_given(k, path, &b);
  k->c->sink->is_muted = true;
  if (code) {
    cli_bytes_free(&b);
    return code;
  }
  row.given = b.data;
  row.seed = check_next(&k->random);
  s->rows = 1;
  if (!check_survives(k, s, &row, CHECK_WAYS, detail, sizeof detail)) {
    check_crashed(k, s, &row, detail, sizeof detail);
    check_row_free(&row);
    return 0;
  }
  run_row(k, s, &row);
  check_emitted(k, s, &row, 1);
  check_row_free(&row);
  return 0;
}

void check_subject_free(check_subject *s) {
  for (int way = 0; way < CHECK_WAYS; ++way) {
    free(s->tallies[way].failure);
    free(s->tallies[way].again);
  }
}
