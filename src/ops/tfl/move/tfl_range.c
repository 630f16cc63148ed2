// RANGE, and ZEROS_LIKE.
//
// How: as many numbers as lie before the limit; data decide how many where the
// three are not known. Floats are sums of steps, one after the other, as
// LiteRT's; integers are products.
#include <math.h>
#include <string.h>

#include "ops/tfl/tfl_op.h"

// LiteRT's count of integers, all known.
static int64_t count_ints(int64_t start, int64_t limit, int64_t step) {
  int64_t way = step > 0 ? limit - start : start - limit;
  int64_t size = step > 0 ? step : -step;
  return (way + size - 1) / size;
}

static bool all_floats(const tenon_infer *c, float *v) {
  for (int i = 0; i < 3; ++i) {
    const tenon_tensor *t = c->api->constant(c, i);
    if (!t) return false;
    memcpy(&v[i], t->data, sizeof v[i]);
  }
  return true;
}

static tenon_status count_floats(tenon_infer *c, tenon_dim *n) {
  float v[3];
  if (!all_floats(c, v)) {
    *n = c->api->decided(c, tenon_tfl_fixed(TENON_UNKNOWN));
    return TENON_OK;
  }
  float count = ceilf(fabsf((v[1] - v[0]) / v[2]));
  if (v[2] == 0 || (v[2] > 0 ? !(v[0] <= v[1]) : !(v[0] >= v[1])) ||
      !(count < 2147483648.0f))
    return tenon_infer_fail(c, "from %g to %g by steps of %g", (double)v[0],
                            (double)v[1], (double)v[2]);
  *n = tenon_tfl_fixed((int64_t)count);
  return TENON_OK;
}

// Of steps that are known the number follows from the limits.
static tenon_status tfl_range_count_of(tenon_infer *c, tenon_dim *v,
                                       tenon_dim *n) {
  bool is_known = true, is_fixed = true;
  for (int i = 0; i < 3; ++i) {
    is_known &= c->api->element(c, i, 0, &v[i]);
    is_fixed &= is_known && !v[i].symbol;
  }
  if (!is_known || v[2].symbol) {
    *n = c->api->decided(c, tenon_tfl_fixed(TENON_UNKNOWN));
    return TENON_OK;
  }
  const int64_t step = v[2].value;
  if (step == 0 || (is_fixed && (step > 0 ? v[0].value > v[1].value
                                          : v[0].value < v[1].value)))
    return tenon_infer_fail(c, "from %lld to %lld by steps of %lld",
                            (long long)v[0].value, (long long)v[1].value,
                            (long long)step);
  if (is_fixed) {
    *n = tenon_tfl_fixed(count_ints(v[0].value, v[1].value, step));
    return TENON_OK;
  }
  if (!c->api->require(c, TENON_RELATION_LE, step > 0 ? v[0] : v[1],
                       step > 0 ? v[1] : v[0]))
    return tenon_infer_fail(c, "the limit is behind the start");
  tenon_dim way = c->api->dim(c, TENON_DIM_SUB, step > 0 ? v[1] : v[0],
                              step > 0 ? v[0] : v[1]);
  const int64_t size = step > 0 ? step : -step;
  if (size > 1) {
    way = c->api->dim(c, TENON_DIM_ADD, way, tenon_tfl_fixed(size - 1));
    way = c->api->dim(c, TENON_DIM_DIV, way, tenon_tfl_fixed(size));
  }
  *n = way;
  return TENON_OK;
}

tenon_status tenon_tfl_range_infer(tenon_infer *c) {
  static const char *const names[] = {"start", "limit", "step"};
  const tenon_type *t, *first = NULL;
  tenon_dim v[3], list[TFL_MAX_NUMBERS];
  for (int i = 0; i < 3; ++i) {
    TENON_TRY(tenon_tfl_operand(c, i, names[i], -1, &t));
    if (i == 0) first = t;
    for (int k = 0; k < t->rank; ++k)
      if (!tenon_tfl_is(t->dims[k], 1))
        return tenon_infer_fail(c, "'%s' is not one number", names[i]);
    TENON_TRY(tenon_tfl_check_alike(c, first, names[0], t, names[i]));
  }
  bool is_float = first->dtype == TENON_F32;
  if ((!is_float && first->dtype != TENON_S32 && first->dtype != TENON_S64) ||
      first->quant)
    return tenon_infer_fail(c, "'start' is %s", tenon_dtype_name(first->dtype));
  tenon_tfl_shape y = {.rank = 1};
  TENON_TRY(is_float ? count_floats(c, &y.dims[0])
                     : tfl_range_count_of(c, v, &y.dims[0]));
  const tenon_type like = {.dtype = first->dtype};
  TENON_TRY(tenon_tfl_result(c, 0, &y, first->dtype, &like));
  if (is_float || y.dims[0].symbol || y.dims[0].value > TFL_MAX_NUMBERS)
    return TENON_OK;
  for (int64_t i = 0; i < y.dims[0].value; ++i)
    list[i] = tenon_tfl_fixed(v[0].value + i * v[2].value);
  if (!v[0].symbol) tenon_tfl_hold(c, 0, list, (int)y.dims[0].value);
  return TENON_OK;
}

// How many there are, s64[]: what LiteRT divides, rounded up. Below zero where
// the limit lies on the other side, which is no size.
static tenon_value *tfl_range_count(tenon_rewriter *rw, tenon_value *const *in,
                                    bool is_float) {
  return tenon_tfl_cast(
      rw,
      tenon_aten_formula(
          rw,
          "start limit step @is_float: way = limit - start; "
          "if(is_float, ceil(way / step), 0 - floor_div(0 - way, step))",
          in[0], in[1], in[2], (int)is_float),
      TENON_S64);
}

tenon_status tenon_tfl_range_lower(tenon_rewriter *rw, const tenon_node *node) {
  static const tenon_tfl_shape none = {.rank = 0};
  const tenon_type *y = rw->api->result(rw, node, 0);
  const bool is_float = y->dtype == TENON_F32;
  tenon_tfl_shape line = tenon_tfl_shape_of(y), one = {{tenon_tfl_fixed(1)}, 1};
  tenon_value *in[3];
  tenon_dim v[3];
  bool is_known = !y->dims[0].symbol;
  for (int i = 0; i < 3; ++i)
    in[i] = tenon_tfl_reshape(rw, tenon_tfl_in(rw, node, i), &none, NULL);
  if (!is_known && !is_float) {
    is_known = true;
    for (int i = 0; i < 3; ++i)
      is_known &= rw->api->element(rw, tenon_tfl_in(rw, node, i), 0, &v[i]);
    is_known &= !v[2].symbol;
  }
  if (!is_known)
    line.dims[0] = rw->api->number(rw, tfl_range_count(rw, in, is_float));
  if (!is_float) {
    tenon_value *at = tenon_tfl_line(rw, line.dims[0], 1, 0, y->dtype);
    return tenon_rw_replace(
        rw, node,
        tenon_aten_formula(rw, "at step start: at * step + start", at, in[2],
                           in[0]));
  }
  // Sums of the start and one step more than is wanted.
  tenon_value *parts[] = {tenon_tfl_reshape(rw, in[0], &one, NULL),
                          tenon_tfl_expand(rw, in[2], &line)};
  tenon_value *sums = tenon_tfl_join(rw, parts, 2, 0, NULL);
  sums = tenon_rw_op(rw, "core::cumsum", &sums, 1,
                     TENON_ARGS(tenon_arg_int("axis", 0)));
  return tenon_rw_replace(rw, node,
                          tenon_tfl_slice(rw, sums, NULL, line.dims, NULL, y));
}

tenon_status tenon_tfl_zeros_like_lower(tenon_rewriter *rw,
                                        const tenon_node *node) {
  const tenon_type *x = tenon_tfl_type(rw, node, 0);
  tenon_tfl_shape shape = tenon_tfl_shape_of(x);
  TENON_TRY(tenon_tfl_refuse_scale(rw, x));
  return tenon_rw_replace(
      rw, node, tenon_tfl_expand(rw, tenon_rw_scalar(rw, x->dtype, 0), &shape));
}
