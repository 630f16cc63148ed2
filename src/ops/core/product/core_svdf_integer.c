// core_svdf_integer.c - core::svdf_integer.
#include "kern/product/svdf_integer.h"

#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"
#include "ops/core/element/core_factor.h"

static tenon_status svdf_integer_infer(tenon_infer *c) {
  const tenon_svdf_integer_attrs *a = tenon_infer_attrs(c);
  tenon_shapes s = {.n_names = 0};
  tenon_shapes_set(&s, "rank", tenon_core_dim(a->rank < 1 ? 1 : a->rank));
  TENON_TRY(
      tenon_core_shapes_with(c, &s,
                             "x[b,k], w[f,k], w_time[f,t], "
                             "bias?[f/rank], state[b,f*t] -> x[b,f/rank], "
                             "state"));
  const tenon_dim filters = tenon_shapes_get(&s, "f");
  const tenon_dim steps = tenon_shapes_get(&s, "t");
  if (filters.symbol || steps.symbol || steps.value < 1 || a->rank < 1 ||
      filters.value % a->rank)
    return tenon_infer_fail(c, "%lld filters of rank %lld",
                            (long long)filters.value, (long long)a->rank);
  return TENON_OK;
}

CORE_OWN_PACKS(svdf_integer_size, tenon_svdf_integer)

// LiteRT multiplies and divides these scales in float.
static tenon_status svdf_integer_pack(const tenon_call *c, void *packed) {
  tenon_svdf_integer *s = (tenon_svdf_integer *)packed;
  float in = c->in[0].quant->scale[0] * c->in[1].quant->scale[0];
  float out = c->in[4].quant->scale[0] * c->in[2].quant->scale[0];
  in = in / c->in[4].quant->scale[0];
  out = out / c->out[0].quant->scale[0];
  tenon_core_factor((double)in, &s->in_mult, &s->in_shift);
  tenon_core_factor((double)out, &s->out_mult, &s->out_shift);
  s->x_zero = tenon_core_zero(&c->in[0]);
  s->state_zero = c->in[4].dtype == TENON_S8 ? tenon_core_zero(&c->in[4]) : 0;
  s->y_zero = tenon_core_zero(&c->out[0]);
  return TENON_OK;
}

static int64_t svdf_integer_items(const tenon_call *c) {
  return c->in[0].dims[0];
}

static int64_t svdf_integer_macs(const tenon_call *c) {
  int64_t step = (int64_t)c->in[1].dims[0] *
                 (c->in[1].dims[1] + (int64_t)c->in[2].dims[1]);
  return step * c->in[0].dims[0];
}

#define SVDF_INTEGER(name, state)                            \
  CORE_KERNEL_RANGE(name, svdf_integer_items,                \
                    "s8q, s8q, " state ", s32|s32q?, " state \
                    " -> s8q, " state,                       \
                    .pack_size = svdf_integer_size, .pack = svdf_integer_pack)
SVDF_INTEGER(svdf_integer_ref, "s16q");
SVDF_INTEGER(svdf_integer_s8_ref, "s8q");

CORE_OPERATOR(
    svdf_integer, svdf_integer_infer,
    (CORE_K(svdf_integer_ref), CORE_K(svdf_integer_s8_ref)),
    "(Tensor x, Tensor w, Tensor w_time, Tensor? bias, Tensor state, *, int "
    "rank=1) -> (Tensor y, Tensor next)",
    "Filters over features and time, in integers.\n"
    "x is [b, k], w [filters, k], w_time [filters, steps], the state [b, "
    "filters * steps], of which the last step is new; `rank` filters make a "
    "result. With a state of 16 bits it is LiteRT's, of 8 TFLite Micro's.",
    CORE_MEMBERS(tenon_svdf_integer_attrs, rank), .macs = svdf_integer_macs);
