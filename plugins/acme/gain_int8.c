// gain_int8.c - a faster kernel for an operator that another plugin describes.
//
// acme::gain on int8 has 256 possible operands and a result that depends on
// nothing else known later, so all of them are computed when a model is
// compiled and a run looks them up. Loaded beside gain.c, whose kernel it beats
// by priority; `tenon plan --why` shows both.
#include "tenon/tensor.h"

TENON_KERNEL_RANGE(acme_gain_s8_table) {
  const int8_t *table = (const int8_t *)c->packed;
  const int8_t *x = (const int8_t *)c->in[0].data;
  int8_t *y = (int8_t *)c->out[0].data;
  for (int64_t i = begin; i < end; ++i)
    y[i] = table[x[i] + 128];
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include <math.h>

#include "tenon/ext/plugin.h"

// As gain.c has it: kernels of one operator share its attribute struct.
typedef struct gain_attrs {
  double gain, offset;
  bool relu;
} gain_attrs;

static size_t table_size(const tenon_call *c) {
  return c->in[0].quant && c->out[0].quant ? 256 : 0;
}

static tenon_status table_pack(const tenon_call *c, void *packed) {
  const gain_attrs *a = (const gain_attrs *)c->attrs;
  const tenon_quant *p = c->in[0].quant, *q = c->out[0].quant;
  int32_t from = p->zero ? p->zero[0] : 0, zero = q->zero ? q->zero[0] : 0;
  double scale = (double)(float)a->gain * (double)p->scale[0];
  int8_t *table = (int8_t *)packed;
  for (int x = -128; x < 128; ++x) {
    double v = scale * (double)(x - from) + (double)(float)a->offset;
    if (a->relu && v < 0) v = 0;
    v /= (double)q->scale[0];
    v = trunc(v + (v < 0 ? -0.5 : 0.5)) + (double)zero;
    table[x + 128] = (int8_t)(v < -128 ? -128 : v > 127 ? 127 : v);
  }
  return TENON_OK;
}

static int64_t table_items(const tenon_call *c) {
  return (int64_t)tenon_count(&c->in[0]);
}

static const tenon_kernel_desc gain_table = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_NOFAIL,
    .priority = 10,
    .in_place = TENON_IN_PLACE(0, 0),
    .op = "acme::gain",
    .symbol = "acme_gain_s8_table",
    .types = "s8q -> s8q",
    .pack_size = table_size,
    .pack = table_pack,
    .run_range = acme_gain_s8_table,
    .items = table_items,
};

static const tenon_plugin acme_gain_int8 = {
    TENON_PLUGIN_HEADER,
    .name = "acme_gain_int8",
    .version = "1.0.0",
    .kernels = (const tenon_kernel_desc *const[]){&gain_table, NULL},
};
TENON_PLUGIN_EXPORT(acme_gain_int8, acme_gain_int8);

#endif  // TENON_EMITTED
