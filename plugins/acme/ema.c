// ema.c - an operator with state: an exponential moving average, whose second
// operand is written. In a .tflite it is a variable tensor.
//
// `Tensor(a!)` says all there is to say: the planner gives the value before and
// the value after one address, and nobody writes an out variant.
#include "tenon/tensor.h"

typedef struct ema_attrs {
  double alpha;
} ema_attrs;

// out[1] holds the state before; it is to hold the state after.
TENON_KERNEL(acme_ema_f32) {
  float alpha = (float)((const ema_attrs *)c->attrs)->alpha;
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data, *state = (float *)c->out[1].data;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i) {
    state[i] = alpha * x[i] + (1.0f - alpha) * state[i];
    y[i] = state[i];
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status ema_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *state = tenon_infer_in(c, 1);
  if (x->dtype != TENON_F32 || state->dtype != TENON_F32)
    return tenon_infer_fail(c, "x and state must be f32");
  if (x->rank != state->rank)
    return tenon_infer_fail(c, "x has rank %d, state %d", x->rank, state->rank);
  for (int i = 0; i < x->rank; ++i) {
    if (x->dims[i].value != state->dims[i].value ||
        x->dims[i].symbol != state->dims[i].symbol)
      return tenon_infer_fail(c, "x and state differ in dimension %d", i);
  }
  TENON_TRY(tenon_infer_out(c, 0, x));
  return tenon_infer_out(c, 1, state);
}

static const tenon_op_desc ema = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::ema(Tensor x, Tensor(a!) state, *, float alpha) -> Tensor",
    .doc = "Moves a state towards x by a share, and returns it.",
    TENON_OP_MEMBERS(ema_attrs, alpha),
    .infer = ema_infer,
    TENON_OP_KERNEL(acme_ema_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32, f32 -> f32, f32"),
    .tflite_name = "AcmeEma",
};

TENON_PLUGIN_OPS(acme_ema, "1.0.0", &ema);

#endif  // TENON_EMITTED
