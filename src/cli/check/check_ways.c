// How: every way is the same row compiled differently: other kernels are forced
// by name, lowering is forced by an option of its pass, memory is shared or not
// by what else the module reads. Passes that would rewrite the node away are
// left out, but for the way that takes the default pipeline.
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

const char *check_way_name(check_way way) {
  static const char *const names[] = {"reference", "kernel",       "lowered",
                                      "default",   "in place",     "threads",
                                      "text",      "element-wise", "emitted",
                                      "sanitized", "races"};
  return names[way];
}

// --- comparing --------------------------------------------------------------

bool check_equal(const checker *k, const check_result *want,
                 const check_result *got, size_t n, bool is_exact, char *detail,
                 size_t size) {
  for (size_t i = 0; i < n; ++i) {
    const tenon_tensor *a = &want->out[i].view, *b = &got->out[i].view;
    verify_tolerance t = verify_tolerance_of(a->dtype);
    verify_difference d;
    verify_tolerance_flags(k->c, &t);
    t.is_exact = is_exact;
    if (!cli_same_shape(a, b)) {
      snprintf(detail, size, "result %zu has another shape or type", i);
      return false;
    }
    verify_compare(a, b, &t, &d);
    if (d.outside == 0) continue;
    snprintf(detail, size,
             "result %zu differs in %zu of %zu elements; at element %zu "
             "expected %.9g, found %.9g",
             i, d.outside, d.count, d.worst, d.want, d.got);
    return false;
  }
  return true;
}

// --- one way ----------------------------------------------------------------

typedef struct trial {
  checker *k;
  const check_subject *s;
  const check_row *row;
  char forced[512];
  char *detail;
  size_t size;
} trial;

static check_outcome check_ways_skip(const trial *t, const char *reason) {
  snprintf(t->detail, t->size, "%s", reason);
  return CHECK_SKIP;
}

// A way that fails to compile or run where the reference does not.
static check_outcome broke(const trial *t) {
  snprintf(t->detail, t->size, "%s", t->k->c->sink->muted);
  return CHECK_FAIL;
}

static check_mode check_ways_mode_of(const trial *t, const tenon_buf *text) {
  check_mode m = {.text = text->data,
                  .size = text->size,
                  .pipeline = CHECK_PIPELINE,
                  .op = t->row->op ? t->row->op->op.name : NULL};
  if (t->s->kernel && !t->row->given) {
    m.forced = t->forced;
    m.kernel = t->s->kernel->name;
  }
  return m;
}

// Compares two modes of two forms; only the row's own results.
static check_outcome check_ways_compare(const trial *t, const check_mode *first,
                                        const check_mode *second,
                                        bool is_exact) {
  check_result want, got;
  if (check_run_text(t->k, t->row, first, &want)) return broke(t);
  if (check_run_text(t->k, t->row, second, &got)) {
    check_result_free(&want);
    return broke(t);
  }
  size_t behind = want.n_behind ? want.n_behind : got.n_behind;
  bool same =
      check_equal(t->k, &want, &got, want.n_out, is_exact, t->detail, t->size);
  check_result_free(&want);
  check_result_free(&got);
  if (behind == 0) return same ? CHECK_PASS : CHECK_FAIL;
  snprintf(t->detail, t->size,
           "it wrote %zu bytes behind the end of the memory", behind);
  return CHECK_FAIL;
}

static check_mode reference_mode(const trial *t, const tenon_buf *text) {
  check_mode m = check_ways_mode_of(t, text);
  m.flags = TENON_COMPILE_REFERENCE;
  m.forced = NULL;
  return m;
}

static check_outcome run_reference(const trial *t, const tenon_buf *text) {
  check_mode m = reference_mode(t, text);
  check_outcome outcome = check_ways_compare(t, &m, &m, true);
  size_t n = strlen(t->detail);
  if (outcome == CHECK_FAIL && strstr(t->detail, " differs in "))
    snprintf(t->detail + n, t->size - n,
             "; the memory of results has other bytes in each run: are all of "
             "them written, and no operand read behind its end?");
  return outcome;
}

static check_outcome check_ways_run_kernel(const trial *t,
                                           const tenon_buf *text) {
  check_mode reference = reference_mode(t, text),
             m = check_ways_mode_of(t, text);
  check_result r;
  if (!m.forced) return check_ways_skip(t, "there is no kernel");
  if (check_run_text(t->k, t->row, &reference, &r)) return broke(t);
  bool is_reference = r.took_kernel;
  check_result_free(&r);
  if (is_reference) return check_ways_skip(t, "it is the reference");
  return check_ways_compare(t, &reference, &m, false);
}

// Whether pass `lower` has something for it.
static bool has_lowering(const ops_view *op) {
  for (size_t i = 0; i < op->n_lowerings; ++i) {
    const char *pass =
        ((const tenon_lowering_desc *)op->lowerings[i].desc)->pass;
    if (!pass || strcmp(pass, "lower") == 0) return true;
  }
  return false;
}

static check_outcome run_lowered(const trial *t, const tenon_buf *text) {
  char pipeline[600];
  check_mode reference = reference_mode(t, text), m = reference;
  check_result r;
  if (t->row->given) return check_ways_skip(t, "a given module");
  if (!has_lowering(t->row->op))
    return check_ways_skip(t, "there is no lowering");
  if (!t->s->kernel) return check_ways_skip(t, "it is the reference");
  snprintf(pipeline, sizeof pipeline, "functional,lower[all=%s],inline", m.op);
  m.pipeline = pipeline;
  if (check_run_text(t->k, t->row, &m, &r)) return broke(t);
  bool is_there = r.seen > 0;
  check_result_free(&r);
  if (is_there) return check_ways_skip(t, "the lowering declines these types");
  return check_ways_compare(t, &reference, &m, false);
}

static check_outcome run_default(const trial *t, const tenon_buf *text) {
  check_mode reference = reference_mode(t, text), m = reference;
  m.flags = 0;
  m.pipeline = NULL;
  return check_ways_compare(t, &reference, &m, false);
}

// The copies that are results as well are what they were copied from: the
// kernel has not written over them.
static check_outcome compare_kept(const trial *t, const check_mode *mode) {
  check_result r;
  check_outcome outcome = CHECK_PASS;
  size_t at = t->row->n_out;
  if (check_run_text(t->k, t->row, mode, &r)) return broke(t);
  for (size_t i = 0; outcome == CHECK_PASS && i < t->row->n_in; ++i) {
    size_t size = 0;
    if (!check_row_is_input(t->row, i)) continue;
    unsigned char *bytes = check_row_bytes(t->row, i, &size);
    bool same = bytes && at < r.n_out && r.out[at].size == size &&
                (size == 0 || memcmp(r.out[at].memory, bytes, size) == 0);
    free(bytes);
    ++at;
    if (same) continue;
    snprintf(t->detail, t->size, "operand %zu was written over while in use",
             i);
    outcome = CHECK_FAIL;
  }
  check_result_free(&r);
  return outcome;
}

// With its result over the operand that it still reads.
static check_outcome run_over(const trial *t, const check_mode *m) {
  const tenon_kernel_desc *d =
      t->s->kernel ? (const tenon_kernel_desc *)t->s->kernel->desc : NULL;
  check_mode apart = *m;
  if (!d || !d->overlap) return CHECK_PASS;
  apart.flags |= TENON_COMPILE_NO_OVERLAP;
  return check_ways_compare(t, &apart, m, true);
}

static check_outcome run_in_place(const trial *t, const tenon_buf *text) {
  tenon_buf dying = {0}, kept = {0};
  check_mode m = check_ways_mode_of(t, text), other = m;
  if (!m.forced) return check_ways_skip(t, "there is no kernel");
  if (t->row->n_out == 0)
    return check_ways_skip(t, "there is no result to write over an operand");
  check_outcome over = run_over(t, &m);
  if (over != CHECK_PASS) return over;
  bool ok = check_row_text(t->row, CHECK_DYING, &dying) &&
            check_row_text(t->row, CHECK_KEPT, &kept);
  check_outcome outcome = ok ? CHECK_PASS : check_ways_skip(t, "out of memory");
  if (ok && !strstr(dying.data, "core::copy")) {
    outcome = check_ways_skip(t, "there is no operand to write over");
  } else if (ok) {
    other.text = dying.data;
    other.size = dying.size;
    outcome = check_ways_compare(t, &m, &other, true);
    other.text = kept.data;
    other.size = kept.size;
    if (outcome == CHECK_PASS)
      outcome = check_ways_compare(t, &m, &other, true);
    if (outcome == CHECK_PASS) outcome = compare_kept(t, &other);
  }
  tenon_buf_deinit(&dying);
  tenon_buf_deinit(&kept);
  return outcome;
}

static check_outcome run_threads(const trial *t, const tenon_buf *text) {
  check_mode one = check_ways_mode_of(t, text), three = one;
  const tenon_kernel_desc *d =
      t->s->kernel ? (const tenon_kernel_desc *)t->s->kernel->desc : NULL;
  if (d && !d->run_range)
    return check_ways_skip(t, "it is not divided: no run_range");
  three.threads = 3;
  return check_ways_compare(t, &one, &three, true);
}

// --- the text form ----------------------------------------------------------

static bool check_ways_print_text(checker *k, const char *text, size_t size,
                                  tenon_buf *out) {
  tenon_module *m = NULL;
  bool ok =
      check_read(k, text, size, &m) &&
      tenon_module_print(m, TENON_FORMAT_TEXT, cli_collect, out) == TENON_OK;
  tenon_module_destroy(m);
  return ok;
}

static check_outcome run_text(const trial *t, const tenon_buf *text) {
  tenon_buf once = {0}, twice = {0};
  check_outcome outcome = CHECK_PASS;
  check_mode m = check_ways_mode_of(t, text), other = m;
  if (!check_ways_print_text(t->k, text->data, text->size, &once) ||
      !check_ways_print_text(t->k, once.data, once.size, &twice)) {
    outcome = broke(t);
  } else if (once.size != twice.size ||
             memcmp(once.data, twice.data, once.size) != 0) {
    snprintf(t->detail, t->size, "printed, read and printed, the text differs");
    outcome = CHECK_FAIL;
  } else {
    other.text = once.data;
    other.size = once.size;
    outcome = check_ways_compare(t, &m, &other, true);
  }
  tenon_buf_deinit(&once);
  tenon_buf_deinit(&twice);
  return outcome;
}

// --- element by element -----------------------------------------------------

// All operands that are not numbers have one shape, of more than a dimension,
// which the result has as well.
static bool can_turn(const check_row *row) {
  const check_value *first = NULL;
  if (row->given || row->types[0] || row->n_out != 1) return false;
  for (size_t i = 0; i < row->n_in; ++i) {
    const check_value *v = &row->in[i];
    bool is_same = !first || v->rank == first->rank;
    if (v->is_absent || v->type.quant) return false;
    if (v->rank == 0) continue;
    for (int d = 0; first && is_same && d < v->rank; ++d)
      is_same = v->dims[d] == first->dims[d];
    if (!is_same || v->rank < 2) return false;
    if (!first) first = v;
  }
  return first != NULL;
}

static check_outcome run_elementwise(const trial *t, const tenon_buf *text) {
  tenon_buf turned = {0};
  if (t->row->given || !(t->row->op->desc->flags & TENON_OP_ELEMENTWISE))
    return check_ways_skip(t, "it does not claim to be");
  if (!can_turn(t->row))
    return check_ways_skip(
        t,
        "operands of several shapes, of less than two dimensions, "
        "or with scales");
  check_mode reference = reference_mode(t, text), m = reference;
  check_outcome outcome = CHECK_SKIP;
  if (check_row_text(t->row, CHECK_TURNED, &turned)) {
    m.text = turned.data;
    m.size = turned.size;
    outcome = check_ways_compare(t, &reference, &m, true);
    size_t n = strlen(t->detail);
    if (outcome == CHECK_FAIL)
      snprintf(t->detail + n, t->size - n,
               "; TENON_OP_ELEMENTWISE says that an element depends on those "
               "at its place alone, wherever that is");
  } else {
    outcome = check_ways_skip(t, "out of memory");
  }
  tenon_buf_deinit(&turned);
  return outcome;
}

check_outcome check_way_run(checker *k, const check_subject *s,
                            const check_row *row, check_way way, char *detail,
                            size_t size) {
  static check_outcome (*const ways[])(const trial *, const tenon_buf *) = {
      run_reference, check_ways_run_kernel, run_lowered, run_default,
      run_in_place,  run_threads,           run_text,    run_elementwise};
  tenon_buf text = {0};
  trial t = {k, s, row, "", detail, size};
  detail[0] = 0;
  if (s->kernel && !row->given)
    snprintf(t.forced, sizeof t.forced, "%s=%s", row->op->op.name,
             s->kernel->name);
  check_outcome outcome = check_row_text(row, CHECK_PLAIN, &text)
                              ? ways[way](&t, &text)
                              : check_ways_skip(&t, "out of memory");
  tenon_buf_deinit(&text);
  return outcome;
}
