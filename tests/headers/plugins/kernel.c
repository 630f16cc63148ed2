// A second kernel of acme::gain, for the target of target.c.
#include "tenon/tensor.h"

typedef struct stranger_gain_attrs {
  double gain;
} stranger_gain_attrs;

TENON_KERNEL_RANGE(stranger_gain_f32) {
  const stranger_gain_attrs *a = (const stranger_gain_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  for (int64_t i = begin; i < end; ++i)
    y[i] = (float)a->gain * x[i];
  return TENON_OK;
}

#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static int64_t items(const tenon_call *c) {
  return (int64_t)tenon_count(&c->out[0]);
}

static const tenon_kernel_desc kernel = {
    .struct_size = sizeof kernel,
    .flags = TENON_KERNEL_NOFAIL,
    .priority = 10,
    .in_place = TENON_IN_PLACE(0, 0),
    .op = "acme::gain",
    .symbol = "stranger_gain_f32",
    .types = "f32 -> f32",
    .needs = "stranger_mac",
    .run_range = stranger_gain_f32,
    .items = items,
};
static const tenon_kernel_desc *const kernels[] = {&kernel, NULL};

static const tenon_plugin plugin = {TENON_PLUGIN_HEADER,
                                    .name = "stranger_kernel",
                                    .version = "1.0.0", .kernels = kernels};
TENON_PLUGIN_EXPORT(stranger_kernel, plugin);
#endif
