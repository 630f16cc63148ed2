// fir_dsp.c - acme::fir on cores with the DSP extension: SMLAD adds two
// products of 16 bits to a sum, which wraps as that of the reference.
//
// The kernel is only ever compiled for such a core: here it is described, as
// one that can be emitted and not run, and `needs` says for which targets.
#include <string.h>

#include "tenon/tensor.h"

typedef struct fir_dsp_attrs {
  int64_t shift;
} fir_dsp_attrs;

#if defined(__ARM_FEATURE_DSP)
static inline int32_t fir_dsp_smlad(uint32_t a, uint32_t b, int32_t sum) {
  int32_t y;
  __asm__("smlad %0, %1, %2, %3" : "=r"(y) : "r"(a), "r"(b), "r"(sum));
  return y;
}

// A pair of samples; these cores read words from any address.
static inline uint32_t fir_dsp_pair(const int16_t *p) {
  uint32_t pair;
  memcpy(&pair, p, sizeof pair);
  return pair;
}

static inline int16_t fir_dsp_stored(int32_t sum, int32_t shift) {
  int32_t y, v = ((sum >> (shift - 1)) + 1) >> 1;
  __asm__("ssat %0, #16, %1" : "=r"(y) : "r"(v));
  return (int16_t)y;
}

// Two results at a time: they share the taps.
TENON_KERNEL_RANGE(acme_fir_dsp) {
  const int32_t shift = (int32_t)((const fir_dsp_attrs *)c->attrs)->shift;
  const int16_t *taps = (const int16_t *)c->in[1].data;
  const int32_t n = c->in[1].dims[0];
  const int32_t length = c->in[0].dims[1], width = c->out[0].dims[1];
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int16_t *x = (const int16_t *)c->in[0].data + row * length;
    int16_t *y = (int16_t *)c->out[0].data + row * width;
    for (int32_t i = 0; i < width; i += 2, x += 2) {
      const int32_t second = i + 1 < width;
      int32_t a = 0, b = 0, k = 0;
      for (; k + 2 <= n; k += 2) {
        const uint32_t pair = fir_dsp_pair(taps + k);
        a = fir_dsp_smlad(fir_dsp_pair(x + k), pair, a);
        b = fir_dsp_smlad(fir_dsp_pair(x + k + second), pair, b);
      }
      if (k < n) {
        a = (int32_t)((uint32_t)a + (uint32_t)(x[k] * taps[k]));
        b = (int32_t)((uint32_t)b + (uint32_t)(x[k + second] * taps[k]));
      }
      y[i] = fir_dsp_stored(a, shift);
      if (second) y[i + 1] = fir_dsp_stored(b, shift);
    }
  }
  return TENON_OK;
}
#endif

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static int64_t fir_rows(const tenon_call *c) {
  return c->out[0].dims[0];
}

static const tenon_kernel_desc fir_dsp = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_NOFAIL,
    .priority = 10,
    .op = "acme::fir",
    .symbol = "acme_fir_dsp",
    .types = "s16, s16 -> s16",
    .needs = "dsp",
    .items = fir_rows,
};

static const tenon_plugin acme_fir_dsp = {
    TENON_PLUGIN_HEADER,
    .name = "acme_fir_dsp",
    .version = "1.0.0",
    .kernels = (const tenon_kernel_desc *const[]){&fir_dsp, NULL},
};
TENON_PLUGIN_EXPORT(acme_fir_dsp, acme_fir_dsp);

#endif  // TENON_EMITTED
