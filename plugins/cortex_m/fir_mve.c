// fir_mve.c - acme::fir on cores with MVE (Helium), in intrinsics: eight
// products at a time, and what is left under a predicate.
//
// On a core that has both, this kernel and that of fir_dsp.c fit; it has the
// larger priority.
#include "tenon/tensor.h"

typedef struct fir_mve_attrs {
  int64_t shift;
} fir_mve_attrs;

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>

TENON_KERNEL_RANGE(acme_fir_mve) {
  const int32_t shift = (int32_t)((const fir_mve_attrs *)c->attrs)->shift;
  const int16_t *taps = (const int16_t *)c->in[1].data;
  const int32_t n = c->in[1].dims[0], least = INT16_MIN, most = INT16_MAX;
  const int32_t length = c->in[0].dims[1], width = c->out[0].dims[1];
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int16_t *x = (const int16_t *)c->in[0].data + row * length;
    int16_t *y = (int16_t *)c->out[0].data + row * width;
    for (int32_t i = 0; i < width; ++i, ++x) {
      int32_t sum = 0;
      for (int32_t k = 0; k < n; k += 8) {
        const mve_pred16_t some = vctp16q((uint32_t)(n - k));
        sum = vmladavaq_p_s16(sum, vldrhq_z_s16(x + k, some),
                              vldrhq_z_s16(taps + k, some), some);
      }
      const int32_t v = ((sum >> (shift - 1)) + 1) >> 1;
      y[i] = (int16_t)(v < least ? least : v > most ? most : v);
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

static const tenon_kernel_desc fir_mve = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_NOFAIL,
    .priority = 20,
    .op = "acme::fir",
    .symbol = "acme_fir_mve",
    .types = "s16, s16 -> s16",
    .needs = "mve",
    .items = fir_rows,
};

static const tenon_plugin acme_fir_mve = {
    TENON_PLUGIN_HEADER,
    .name = "acme_fir_mve",
    .version = "1.0.0",
    .kernels = (const tenon_kernel_desc *const[]){&fir_mve, NULL},
};
TENON_PLUGIN_EXPORT(acme_fir_mve, acme_fir_mve);

#endif  // TENON_EMITTED
