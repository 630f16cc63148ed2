// A plugin in C++20, with everything that differs there: fields through
// decltype, no compound literals, names with C linkage.
#include "tenon/ext/plugin.h"

namespace {

struct gain_attrs {
  double gain;
  bool relu;
  tenon_ints dims;
  tenon_opt_int most;
};

const tenon_field fields[] = {TENON_FIELD(gain_attrs, gain),
                              TENON_FIELD(gain_attrs, relu),
                              TENON_FIELD(gain_attrs, dims),
                              TENON_FIELD(gain_attrs, most), TENON_END_FIELDS};

tenon_status infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

tenon_status lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_rw_operand(rw, node, 0);
  return tenon_rw_replace(rw, node, tenon_rw_op1(rw, "core::relu", x));
}

}  // namespace

TENON_KERNEL(cxx_gain_f32) {
  const auto *a = static_cast<const gain_attrs *>(c->attrs);
  const auto *x = static_cast<const float *>(c->in[0].data);
  auto *y = static_cast<float *>(c->out[0].data);
  for (size_t i = 0; i < tenon_count(&c->in[0]); ++i)
    y[i] = static_cast<float>(a->gain) * x[i];
  return TENON_OK;
}

namespace {

const tenon_kernel_desc kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "cxx_gain_f32",
    .types = "f32 -> f32",
    .run = cxx_gain_f32,
};
const tenon_kernel_desc *const kernels[] = {&kernel, nullptr};

const tenon_op_desc op = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_PURE,
    .schema =
        "cxx::gain(Tensor x, *, float gain=1.0, bool relu=False, "
        "int[] dims=[], int? most=None) -> Tensor",
    .doc = "Multiplies.",
    .attrs_size = sizeof(gain_attrs),
    .fields = fields,
    .infer = infer,
    .kernels = kernels,
    .lower = lower,
};
const tenon_op_desc *const ops[] = {&op, nullptr};

const tenon_plugin cxx = {
    TENON_PLUGIN_HEADER,
    .name = "cxx",
    .version = "1.0.0",
    .ops = ops,
};

}  // namespace

TENON_PLUGIN_EXPORT(cxx, cxx);
