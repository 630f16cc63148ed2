// Operators that put a border around a tensor.
#include <math.h>
#include <string.h>

#include "ops/aten/index/index_op.h"

typedef struct border {
  tenon_dim before[TENON_MAX_RANK], after[TENON_MAX_RANK];
} border;

// Of dimension d, so much is cut at one end that nothing is left: what is put
// at the other end repeats the element there.
static bool repeat_last(tenon_rewriter *rw, tenon_value **x, border *b, int d) {
  const tenon_dim size = tenon_aten_size(rw, *x, d), zero = tenon_aten_fixed(0);
  tenon_dim dims[TENON_MAX_RANK];
  const int rank = tenon_aten_dims_of(rw, *x, dims);
  if (size.symbol || b->before[d].symbol || b->after[d].symbol) return false;
  const int64_t all = size.value, before = b->before[d].value;
  const int64_t after = b->after[d].value;
  if ((all + before > 0 && all + after > 0) || all + before + after <= 0 ||
      all < 1)
    return false;
  *x = tenon_aten_cut(rw, *x, d, tenon_aten_fixed(before < 0 ? all - 1 : 0),
                      tenon_aten_fixed(1), 1);
  dims[d] = tenon_aten_fixed(all + before + after);
  *x = tenon_aten_expand(rw, *x, dims, rank);
  b->before[d] = b->after[d] = zero;
  return true;
}

// The list has before and after of the last dimension first. What is negative
// is cut off here.
static tenon_status border_of(tenon_rewriter *rw, const tenon_node *n, char how,
                              tenon_value **x, border *b) {
  const char *name = tenon_aten_has(rw, n, "pad") ? "pad" : "padding";
  int count = (int)tenon_aten_ints(rw, n, name).count;
  int rank = tenon_aten_known(rw, *x)->rank;
  tenon_dim zero = tenon_aten_fixed(0);
  if (count % 2 || count > 2 * rank)
    return tenon_rw_fail(rw, "%d numbers for %d dimensions", count, rank);
  for (int d = 0; d < rank; ++d) {
    int at = 2 * (rank - 1 - d);
    bool has = at < count;
    b->before[d] = has ? tenon_aten_dim(rw, n, name, at) : zero;
    b->after[d] = has ? tenon_aten_dim(rw, n, name, at + 1) : zero;
    int64_t cut_before = !b->before[d].symbol && b->before[d].value < 0
                             ? -b->before[d].value
                             : 0;
    int64_t cut_after =
        !b->after[d].symbol && b->after[d].value < 0 ? -b->after[d].value : 0;
    if (!cut_before && !cut_after) continue;
    if (how == 'p' && repeat_last(rw, x, b, d)) continue;
    tenon_dim size = tenon_aten_minus(rw, tenon_aten_size(rw, *x, d),
                                      tenon_aten_fixed(cut_before + cut_after));
    *x = tenon_aten_cut(rw, *x, d, tenon_aten_fixed(cut_before), size, 1);
    if (cut_before) b->before[d] = zero;
    if (cut_after) b->after[d] = zero;
  }
  return TENON_OK;
}

// A border of one value by joining, where sizes are symbols.
static tenon_value *join_filled(tenon_rewriter *rw, tenon_value *x,
                                const border *b, tenon_value *fill, int rank) {
  for (int d = 0; d < rank; ++d) {
    tenon_dim dims[TENON_MAX_RANK];
    tenon_value *parts[3];
    int count = 0;
    (void)tenon_aten_dims_of(rw, x, dims);
    dims[d] = b->before[d];
    if (!tenon_aten_is(dims[d], 0))
      parts[count++] = tenon_aten_expand(rw, fill, dims, rank);
    parts[count++] = x;
    dims[d] = b->after[d];
    if (!tenon_aten_is(dims[d], 0))
      parts[count++] = tenon_aten_expand(rw, fill, dims, rank);
    x = tenon_rw_concat(rw, parts, count, d);
  }
  return x;
}

// As the type holds it: core::pad takes a number that is exact there.
static bool index_pad_is_exact(tenon_dtype t, double v) {
  if (tenon_aten_is_float(t)) return true;
  return v == floor(v) && fabs(v) < 2147483648.0;
}

static tenon_value *index_pad_fill(tenon_rewriter *rw, tenon_value *x,
                                   const border *b, tenon_scalar s) {
  int64_t before[TENON_MAX_RANK], after[TENON_MAX_RANK];
  const tenon_type *t = tenon_rw_type(rw, x);
  s = tenon_aten_fit(t->dtype, s);
  double v = s.kind == TENON_KIND_FLOAT ? s.as.f
             : s.kind                   ? (double)s.as.i
                                        : 0.0;
  bool is_plain = index_pad_is_exact(t->dtype, v), is_empty = true;
  for (int d = 0; d < t->rank; ++d) {
    is_plain = is_plain && !b->before[d].symbol && !b->after[d].symbol;
    is_empty = is_empty && tenon_aten_is(b->before[d], 0) &&
               tenon_aten_is(b->after[d], 0);
    before[d] = b->before[d].value;
    after[d] = b->after[d].value;
  }
  if (is_empty) return x;
  if (!s.kind) s.kind = TENON_KIND_INT;
  if (!is_plain)
    return join_filled(rw, x, b, tenon_aten_number(rw, t->dtype, s), t->rank);
  return tenon_rw_op(rw, "core::pad", &x, 1,
                     TENON_ARGS(tenon_arg_ints("before", before, t->rank),
                                tenon_arg_ints("after", after, t->rank),
                                tenon_arg_float("value", v)));
}

// What stands at one end of dimension d: 'f' mirrored without the edge, 'p' the
// edge, 'c' from the other end.
static tenon_value *index_pad_end_of(tenon_rewriter *rw, tenon_value *x, int d,
                                     char how, tenon_dim size, bool is_before) {
  tenon_dim n = tenon_aten_size(rw, x, d), zero = tenon_aten_fixed(0);
  tenon_dim dims[TENON_MAX_RANK], last, at;
  int rank = tenon_aten_dims_of(rw, x, dims);
  last = tenon_aten_minus(rw, n, tenon_aten_fixed(1));
  if (how == 'f') {
    at = is_before ? size : tenon_aten_minus(rw, last, tenon_aten_fixed(1));
    return tenon_aten_cut(rw, x, d, at, size, -1);
  }
  if (how == 'c') {
    at = is_before ? tenon_aten_minus(rw, n, size) : zero;
    return tenon_aten_cut(rw, x, d, at, size, 1);
  }
  dims[d] = size;
  x = tenon_aten_cut(rw, x, d, is_before ? zero : last, tenon_aten_fixed(1), 1);
  return tenon_aten_expand(rw, x, dims, rank);
}

static tenon_value *mirror(tenon_rewriter *rw, tenon_value *x, const border *b,
                           char how) {
  int rank = tenon_aten_known(rw, x)->rank;
  for (int d = 0; d < rank; ++d) {
    tenon_value *parts[3];
    int count = 0;
    if (!tenon_aten_is(b->before[d], 0))
      parts[count++] = index_pad_end_of(rw, x, d, how, b->before[d], true);
    parts[count++] = x;
    if (!tenon_aten_is(b->after[d], 0))
      parts[count++] = index_pad_end_of(rw, x, d, how, b->after[d], false);
    x = tenon_rw_concat(rw, parts, count, d);
  }
  return x;
}

// The row gives the letter, or the mode is an argument.
static tenon_status index_pad_how_of(tenon_rewriter *rw, const tenon_node *n,
                                     char *how) {
  static const char *const names[] = {"constant", "reflect", "replicate",
                                      "circular"};
  const char *given = tenon_aten_user(rw);
  const tenon_arg *mode = tenon_aten_arg(rw, n, "mode");
  *how = given ? *given : 0;
  if (mode->kind == TENON_KIND_INT && mode->as.i >= 0 && mode->as.i < 4)
    *how = "kfpc"[mode->as.i];
  for (int i = 0; mode->kind == TENON_KIND_STR && i < 4; ++i)
    if (strcmp(names[i], mode->as.s) == 0) *how = "kfpc"[i];
  return *how ? TENON_OK : tenon_rw_fail(rw, "an unknown mode");
}

TENON_ATEN_LOWER(pad) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  border b;
  char how;
  TENON_TRY(index_pad_how_of(rw, n, &how));
  TENON_TRY(border_of(rw, n, how, &x, &b));
  if (!tenon_rw_type(rw, x)) return tenon_rw_replace(rw, n, x);
  x = how == 'k' ? index_pad_fill(rw, x, &b, tenon_aten_scalar(rw, n, "value"))
                 : mirror(rw, x, &b, how);
  return tenon_rw_replace(rw, n, x);
}

// Tensors of different lengths side by side, as long as the longest.
TENON_ATEN_LOWER(pad_sequence) {
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  const bool is_first = tenon_aten_bool(rw, n, "batch_first");
  const char *side = tenon_aten_str(rw, n, "padding_side");
  const bool is_left = side && strcmp(side, "left") == 0;
  const tenon_scalar value = tenon_aten_scalar(rw, n, "padding_value");
  int first = 0, count = rw->api->group(rw, n, 0, &first);
  tenon_value *all = NULL;
  if (!y || y->rank < 2)
    return tenon_rw_fail(rw, "the file does not say its result");
  for (int i = 0; i < count; ++i) {
    tenon_value *x = tenon_aten_in(rw, n, first + i);
    border b = {0};
    b.before[0] = b.after[0] = tenon_aten_fixed(0);
    *(is_left ? b.before : b.after) = tenon_aten_minus(
        rw, y->dims[is_first ? 1 : 0], tenon_aten_size(rw, x, 0));
    if (tenon_rw_type(rw, x)) x = index_pad_fill(rw, x, &b, value);
    x = tenon_aten_unsqueeze(rw, x, is_first ? 0 : 1);
    tenon_value *both[] = {all, x};
    all = all ? tenon_rw_concat(rw, both, 2, is_first ? 0 : 1) : x;
  }
  return tenon_rw_replace(rw, n, all);
}
