// mul3.c - 3 * input: the smallest operator with a kernel.
//
// A program that calls my_ops::mul3.out is served by this one, too: its result
// is what `out` holds afterwards.
#include "tenon/tensor.h"

TENON_KERNEL(my_ops_mul3_f32) {
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i)
    y[i] = 3.0f * x[i];
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

static const tenon_op_desc mul3 = {
    TENON_OP(TENON_OP_PURE | TENON_OP_ELEMENTWISE),
    .schema = "my_ops::mul3(Tensor input) -> Tensor",
    .doc = "3 * input.",
    .infer = infer,
    TENON_OP_KERNEL(my_ops_mul3_f32, .flags = TENON_KERNEL_NOFAIL,
                    .in_place = TENON_IN_PLACE(0, 0), .types = "f32 -> f32"),
};

TENON_PLUGIN_OPS(torch_mul3, "1.0.0", &mul3);

#endif  // TENON_EMITTED
