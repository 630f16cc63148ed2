// Operators that PyTorch composes of others of this family.
#include <string.h>

#include "ops/aten/index/index_op.h"

// Pairs, by the indices of a triangle; or each element by itself.
TENON_ATEN_LOWER(combinations) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *two[2], *index;
  tenon_dim size = tenon_aten_size(rw, x, 0);
  int64_t r = tenon_aten_int(rw, n, "r");
  bool replaces = tenon_aten_bool(rw, n, "with_replacement");
  if (tenon_aten_known(rw, x)->rank != 1)
    return tenon_rw_fail(rw, "needs one dimension");
  if (r == 1) return tenon_rw_replace(rw, n, tenon_aten_unsqueeze(rw, x, 1));
  if (r != 2 || size.symbol)
    return tenon_rw_fail(rw, "combinations of %lld", (long long)r);
  index = tenon_rw_op(rw, "core::triangle_indices", NULL, 0,
                      TENON_ARGS(tenon_arg_int("rows", size.value),
                                 tenon_arg_int("columns", size.value),
                                 tenon_arg_int("offset", replaces ? 0 : 1),
                                 tenon_arg_bool("upper", true)));
  for (int i = 0; i < 2; ++i) {
    two[i] = tenon_aten_select(rw, index, 0, tenon_aten_fixed(i));
    two[i] = tenon_aten_index(rw, x, &two[i], 1, 0, TENON_ATEN_FROM_START);
    two[i] = tenon_aten_unsqueeze(rw, two[i], 1);
  }
  return tenon_rw_replace(rw, n, tenon_rw_concat(rw, two, 2, 1));
}

// Rows of zeros before and behind each matrix.
TENON_ATEN_LOWER(block_diag) {
  tenon_value *xs[TENON_ATEN_TENSORS];
  tenon_dim before = tenon_aten_fixed(0), width = before, dims[2];
  int count;
  TENON_TRY(tenon_aten_tensors(rw, n, xs, &count));
  const tenon_dtype t = tenon_aten_known(rw, xs[0])->dtype;
  for (int i = 0; i < count; ++i) {
    if (tenon_aten_known(rw, xs[i])->rank > 2)
      return tenon_rw_fail(rw, "more than two dimensions");
    for (int rank = tenon_aten_known(rw, xs[i])->rank; rank < 2; ++rank)
      xs[i] = tenon_aten_unsqueeze(rw, xs[i], 0);
    width = tenon_aten_plus(rw, width, tenon_aten_size(rw, xs[i], 1));
  }
  for (int i = 0; i < count; ++i) {
    tenon_value *zero = tenon_aten_real(rw, t, 0.0), *parts[3];
    tenon_dim own = tenon_aten_size(rw, xs[i], 1);
    dims[0] = tenon_aten_size(rw, xs[i], 0);
    dims[1] = before;
    parts[0] = tenon_aten_expand(rw, zero, dims, 2);
    parts[1] = xs[i];
    before = tenon_aten_plus(rw, before, own);
    dims[1] = tenon_aten_minus(rw, width, before);
    parts[2] = tenon_aten_expand(rw, zero, dims, 2);
    xs[i] = tenon_rw_concat(rw, parts, 3, 1);
  }
  return tenon_rw_replace(rw, n, tenon_rw_concat(rw, xs, count, 0));
}

// Every element against every other. `assume_unique` only says what is so.
TENON_ATEN_LOWER(isin) {
  tenon_scalar x_number = tenon_aten_scalar(rw, n, "element");
  tenon_scalar y_number = tenon_aten_scalar(rw, n, "test_element");
  tenon_value *x, *y, *both;
  tenon_aten_promotion p = {0};
  if (x_number.kind) {
    y = tenon_aten_in(rw, n, 0);
    tenon_aten_promote_value(rw, &p, y);
    tenon_aten_promote_scalar(&p, x_number);
    x = tenon_aten_number(rw, tenon_aten_promoted(&p), x_number);
  } else {
    x = tenon_aten_in(rw, n, 0);
    tenon_aten_promote_value(rw, &p, x);
    if (y_number.kind) {
      tenon_aten_promote_scalar(&p, y_number);
      y = tenon_aten_number(rw, tenon_aten_promoted(&p), y_number);
    } else {
      y = tenon_aten_in(rw, n, 1);
      tenon_aten_promote_value(rw, &p, y);
    }
  }
  tenon_dtype t = tenon_aten_promoted(&p);
  if (!t) return tenon_rw_fail(rw, "the element types do not go together");
  int rank = tenon_aten_known(rw, x)->rank;
  x = tenon_aten_unsqueeze(rw, tenon_aten_cast(rw, x, t), rank);
  y = tenon_aten_flat(rw, tenon_aten_cast(rw, y, t));
  both = tenon_rw_op2(rw, "core::eq", x, y);
  both = tenon_aten_reduce(rw, "core::any", both, 1u << rank, false);
  if (tenon_aten_bool(rw, n, "invert"))
    both = tenon_rw_op2(rw, "core::eq", both,
                        tenon_aten_real(rw, TENON_BOOL, 0.0));
  return tenon_rw_replace(rw, n, both);
}

// Into the flat tensor.
TENON_ATEN_LOWER(put) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *y;
  tenon_value *index = tenon_aten_flat(rw, tenon_aten_in(rw, n, 1));
  tenon_value *source = tenon_aten_flat(rw, tenon_aten_in(rw, n, 2));
  tenon_dim dims[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, x, dims);
  int mode = tenon_aten_bool(rw, n, "accumulate") ? TENON_SCATTER_ADD
                                                  : TENON_SCATTER_SET;
  y = tenon_aten_put(rw, tenon_aten_flat(rw, x), source, &index, 1, 0, mode,
                     true, TENON_ATEN_FROM_END);
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, y, dims, rank));
}

// --- quantiles ---------------------------------------------------------------

static tenon_value *interpolate(tenon_rewriter *rw, tenon_value *sorted,
                                tenon_value *at, const char *how,
                                tenon_dtype t) {
  int axis = tenon_aten_known(rw, sorted)->rank - 1;
  tenon_value *floor = tenon_rw_op1(rw, "core::floor", at);
  tenon_value *ceil = tenon_rw_op1(rw, "core::ceil", at), *low, *high;
  if (strcmp(how, "nearest") == 0) floor = tenon_rw_op1(rw, "core::round", at);
  if (strcmp(how, "higher") == 0) floor = ceil;
  low = tenon_aten_cast(rw, floor, TENON_S64);
  low = tenon_aten_gather(rw, sorted, low, axis);
  if (strcmp(how, "linear") != 0 && strcmp(how, "midpoint") != 0) return low;
  high = tenon_aten_cast(rw, ceil, TENON_S64);
  high = tenon_aten_gather(rw, sorted, high, axis);
  // What lies between two elements, as lerp has it: from the nearer one.
  return tenon_aten_formula(rw,
                            "low high w: gap = high - low;"
                            "w < 0.5 ? low + gap * w : high - gap * (1 - w)",
                            low, high,
                            how[0] == 'm'
                                ? tenon_aten_real(rw, t, 0.5)
                                : tenon_rw_op2(rw, "core::sub", at, floor));
}

// The quantiles' dimension stands first, the other one is gone or 1.
static tenon_status replace_quantiles(tenon_rewriter *rw, const tenon_node *n,
                                      tenon_value *y, int axis, int rank,
                                      bool is_flat, bool has_q) {
  bool keeps = tenon_aten_bool(rw, n, "keepdim");
  y = tenon_aten_move(rw, y, tenon_aten_known(rw, y)->rank - 1, 0);
  if (keeps && is_flat) {
    for (int d = 0; d < rank; ++d)
      y = tenon_aten_unsqueeze(rw, y, 1);
  } else if (keeps && rank > 0) {
    y = tenon_aten_unsqueeze(rw, y, axis + 1);
  }
  return tenon_rw_replace(rw, n, has_q ? y : tenon_aten_squeeze(rw, y, 0));
}

// "nan": NaN do not count.
TENON_ATEN_LOWER(quantile) {
  bool ignores_nan = tenon_aten_user(rw) != NULL, is_flat, has_q = false;
  tenon_value *x = tenon_aten_in(rw, n, 0), *q, *out[2], *at;
  const tenon_type *t = tenon_rw_type(rw, x);
  const char *how = tenon_aten_str(rw, n, "interpolation");
  int axis = 0, rank = t->rank;
  tenon_dtype dtype = t->dtype;
  if (dtype != TENON_F32 && dtype != TENON_F64)
    return tenon_rw_fail(rw, "quantiles of %s", tenon_dtype_name(dtype));
  is_flat = !tenon_aten_has(rw, n, "dim");
  if (!is_flat) TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (is_flat || rank == 0) x = tenon_aten_flat(rw, x);
  int end = tenon_aten_known(rw, x)->rank - 1;
  x = tenon_aten_move(rw, x, axis, end);
  tenon_dim size = tenon_aten_size(rw, x, end);
  // A run refuses a line that turns out to be empty.
  if (tenon_aten_is(size, 0))
    return tenon_rw_fail(rw, "quantiles of 0 elements");
  q = tenon_aten_in(rw, n, 1);
  has_q = q && tenon_aten_known(rw, q)->rank > 0;
  q = q ? q : tenon_aten_real(rw, dtype, tenon_aten_float(rw, n, "q"));
  q = tenon_aten_flat(rw, q);
  // Places among the elements that count; where one is NaN, the last, which is.
  at = tenon_aten_formula(
      rw,
      "x q $size @d @ignores: last = like(size, q) - 1;"
      "if(ignores, maximum(last - sum(like(isnan(x), q), d, 1), 0) * q,"
      "   any(isnan(x), d, 1) ? last : last * q)",
      x, q, size, (int)(1u << end), (int)ignores_nan);
  tenon_aten_sort(rw, x, end, false, out);
  return replace_quantiles(
      rw, n, interpolate(rw, out[0], at, how ? how : "linear", dtype), axis,
      rank, is_flat, has_q);
}
