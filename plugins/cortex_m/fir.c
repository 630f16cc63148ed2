// fir.c - a filter over 16-bit samples, an operator of one's own in plain C:
// y[i] is the sum of x[i + k] * taps[k], shifted right with halves rounded up,
// at its ends where it does not fit. Sums have 32 bits and wrap.
//
// fir_dsp.c and fir_mve.c have kernels of it for microcontrollers.
#include "tenon/tensor.h"

typedef struct fir_attrs {
  int64_t shift;
} fir_attrs;

TENON_KERNEL_RANGE(acme_fir_ref) {
  const fir_attrs *a = (const fir_attrs *)c->attrs;
  const int16_t *taps = (const int16_t *)c->in[1].data;
  const int32_t n = c->in[1].dims[0], least = INT16_MIN, most = INT16_MAX;
  const int32_t length = c->in[0].dims[1], width = c->out[0].dims[1];
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int16_t *x = (const int16_t *)c->in[0].data + row * length;
    int16_t *y = (int16_t *)c->out[0].data + row * width;
    for (int32_t i = 0; i < width; ++i) {
      uint32_t sum = 0;
      for (int32_t k = 0; k < n; ++k)
        sum += (uint32_t)(x[i + k] * taps[k]);
      int32_t v = (((int32_t)sum >> (a->shift - 1)) + 1) >> 1;
      y[i] = (int16_t)(v < least ? least : v > most ? most : v);
    }
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status fir_infer(tenon_infer *c) {
  const fir_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *taps = tenon_infer_in(c, 1);
  if (x->rank != 2 || taps->rank != 1 || x->dims[1].symbol ||
      taps->dims[0].symbol)
    return tenon_infer_fail(c, "x is rows of samples, taps a row");
  if (taps->dims[0].value < 1 || taps->dims[0].value > x->dims[1].value)
    return tenon_infer_fail(c, "expected from 1 to as many taps as samples");
  if (a->shift < 1 || a->shift > 31)
    return tenon_infer_fail(c, "shift is %d, expected 1 to 31", (int)a->shift);
  tenon_dim dims[2] = {x->dims[0], x->dims[1]};
  dims[1].value -= taps->dims[0].value - 1;
  tenon_type y = *x;
  y.dims = dims;
  return tenon_infer_out(c, 0, &y);
}

static int64_t fir_rows(const tenon_call *c) {
  return c->out[0].dims[0];
}

static int64_t fir_macs(const tenon_call *c) {
  return (int64_t)tenon_count(&c->out[0]) * c->in[1].dims[0];
}

static const tenon_kernel_desc fir_ref = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_NOFAIL,
    .symbol = "acme_fir_ref",
    .types = "s16, s16 -> s16",
    .run_range = acme_fir_ref,
    .items = fir_rows,
};

static const tenon_op_desc fir = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::fir(Tensor x, Tensor taps, *, int shift=15) -> Tensor",
    .doc = "Filters rows of 16-bit samples.",
    TENON_OP_MEMBERS(fir_attrs, shift),
    .attrs_type = "fir_attrs",
    .infer = fir_infer,
    .kernels = (const tenon_kernel_desc *const[]){&fir_ref, NULL},
    .macs = fir_macs,
};

TENON_PLUGIN_OPS(acme_fir, "1.0.0", &fir);

#endif  // TENON_EMITTED
