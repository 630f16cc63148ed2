// Padding SAME and VALID as TensorFlow defines them, with dilation.
//
//   reach = (size - 1) * dilation + 1
//   SAME:  out = ceil(in / stride), total = max((out - 1) * stride + reach -
//   in, 0) VALID: out = ceil((in - reach + 1) / stride), total = 0
//
// Half of the total goes before, the larger half behind. With one step and with
// a reach of one the total does not depend on `in`, so open sizes pass there.
#include "ops/tfl/tfl_op.h"

static bool tfl_window_is_small(int64_t v) {
  return v >= 1 && v <= INT32_MAX;
}

static int64_t tfl_window_reach_of(const tenon_tfl_window *w) {
  return (w->size - 1) * w->dilation + 1;
}

static tenon_dim ceil_div(tenon_infer *c, tenon_dim a, int64_t b) {
  if (b == 1) return a;
  if (!a.symbol) return tenon_tfl_fixed((a.value + b - 1) / b);
  a = c->api->dim(c, TENON_DIM_ADD, a, tenon_tfl_fixed(b - 1));
  return c->api->dim(c, TENON_DIM_DIV, a, tenon_tfl_fixed(b));
}

tenon_status tenon_tfl_window_check(tenon_infer *c, const char *direction,
                                    const tenon_tfl_window *w) {
  if (!tfl_window_is_small(w->size))
    return tenon_infer_fail(c, "%s of the window is %lld", direction,
                            (long long)w->size);
  if (!tfl_window_is_small(w->stride))
    return tenon_infer_fail(c,
                            "the stride along the %s, 'stride_%c', is %lld, "
                            "expected 1 or more",
                            direction, direction[0], (long long)w->stride);
  if (!tfl_window_is_small(w->dilation))
    return tenon_infer_fail(
        c,
        "the dilation along the %s, 'dilation_%c_factor', is %lld, expected "
        "1 or more",
        direction, direction[0], (long long)w->dilation);
  if (w->padding != TFL_SAME && w->padding != TFL_VALID)
    return tenon_infer_fail(c,
                            "'padding' is %lld, expected 0 (SAME) or 1 (VALID)",
                            (long long)w->padding);
  return TENON_OK;
}

tenon_status tenon_tfl_window_out(tenon_infer *c, const char *direction,
                                  const tenon_tfl_window *w, tenon_dim *out) {
  TENON_TRY(tenon_tfl_window_check(c, direction, w));
  if (tenon_tfl_is(w->in, 0))
    return tenon_infer_fail(c, "the %s of 'x' is 0", direction);
  int64_t reach = tfl_window_reach_of(w);
  if (reach > INT32_MAX)
    return tenon_infer_fail(c, "the window reaches over %lld along the %s",
                            (long long)reach, direction);
  if (w->padding == TFL_SAME) {
    *out = ceil_div(c, w->in, w->stride);
    return TENON_OK;
  }
  if (!w->in.symbol && w->in.value < reach)
    return tenon_infer_fail(
        c, "the window reaches over %lld along the %s, 'x' has %lld",
        (long long)reach, direction, (long long)w->in.value);
  tenon_dim places = w->in;
  if (reach != 1)
    places = places.symbol ? c->api->dim(c, TENON_DIM_SUB, places,
                                         tenon_tfl_fixed(reach - 1))
                           : tenon_tfl_fixed(places.value - reach + 1);
  *out = ceil_div(c, places, w->stride);
  return TENON_OK;
}

bool tenon_tfl_window_pad(const tenon_tfl_window *w, int64_t *before,
                          int64_t *after) {
  int64_t reach = tfl_window_reach_of(w), total = 0;
  if (w->padding == TFL_SAME) {
    if (w->stride == 1) {
      total = reach - 1;
    } else if (reach == 1) {
      total = 0;
    } else if (w->in.symbol) {
      return false;
    } else {
      int64_t out = (w->in.value + w->stride - 1) / w->stride;
      total = (out - 1) * w->stride + reach - w->in.value;
    }
  }
  if (total < 0) total = 0;
  *before = total / 2;
  *after = total - total / 2;
  return true;
}
