// tests/unit/pass/stranger.h - operators of a plugin that say what they are: on
// one element, costly, on two, and none of it.
#ifndef TENON_TESTS_PASS_STRANGER_H
#define TENON_TESTS_PASS_STRANGER_H

#include "harness/model.h"
#include "tenon/ext/plugin.h"

TENON_INLINE tenon_status stranger_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

// Operands of one shape.
TENON_INLINE tenon_status stranger_run(const tenon_call *c) {
  const float *a = (const float *)c->in[0].data;
  const float *b = (const float *)c->in[c->n_in - 1].data;
  float *y = (float *)c->out[0].data;
  const size_t n = tenon_count(&c->out[0]);
  for (size_t i = 0; i < n; ++i)
    y[i] = a[i] * a[i] - b[i];
  return TENON_OK;
}

#define STRANGER_KERNEL(name, its_types)             \
  static const tenon_kernel_desc stranger_##name = { \
      .struct_size = sizeof(tenon_kernel_desc),      \
      .symbol = "acme_" #name,                       \
      .types = its_types,                            \
      .run = stranger_run,                           \
  }
STRANGER_KERNEL(one, "f32 -> f32");
STRANGER_KERNEL(two, "f32, f32 -> f32");

#define STRANGER(name, its_flags, arguments, kernel)        \
  static const tenon_op_desc stranger_op_##name = {         \
      .struct_size = sizeof(tenon_op_desc),                 \
      .flags = TENON_OP_PURE | (its_flags),                 \
      .schema = "acme::" #name "(" arguments ") -> Tensor", \
      .doc = "Of the tests.",                               \
      .infer = stranger_infer,                              \
      .kernels = (const tenon_kernel_desc *const[]){&stranger_##kernel, NULL}}
STRANGER(bend, TENON_OP_ELEMENTWISE, "Tensor x", one);
STRANGER(costly, TENON_OP_ELEMENTWISE | TENON_OP_COSTLY, "Tensor x", one);
STRANGER(mix, TENON_OP_ELEMENTWISE, "Tensor a, Tensor b", two);
STRANGER(silent, 0, "Tensor x", one);

static const tenon_plugin stranger = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&stranger_op_bend,
                                          &stranger_op_costly, &stranger_op_mix,
                                          &stranger_op_silent, NULL},
};

#endif  // TENON_TESTS_PASS_STRANGER_H
