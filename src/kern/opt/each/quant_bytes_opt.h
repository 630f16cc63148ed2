// kern/opt/each/quant_bytes_opt.h - floats to bytes with one scale, and back, a
// register at a time.
//
// kern/loop/quantize.h divides. A product with the reciprocal is next to the
// quotient: the reciprocal, the one fused operation that also adds the zero
// point, and the quotient itself are each off by at most 2^-24 of something
// below 512, together less than TENON_NEAR_HALF. So the nearest integer is the
// same unless a result lies next to a half; four registers where one does, of
// 64 floats about one in a hundred times, are divided.
#ifndef TENON_KERN_OPT_QUANT_BYTES_OPT_H
#define TENON_KERN_OPT_QUANT_BYTES_OPT_H

#include "kern/loop/each.h"
#include "kern/num/fixed.h"
#include "kern/opt/near.h"

// Bytes without a sign are bytes with one whose highest bit is flipped: `up` is
// what lies between the two, 0 or 128.
typedef struct tenon_quant_bytes {
  float scale, inverse;
  int32_t zero;  // of bytes with a sign
  bool is_near;  // whether products are next to quotients
} tenon_quant_bytes;

TENON_FLAT tenon_quant_bytes tenon_quant_bytes_of(const tenon_quant *quant,
                                                  const int up) {
  tenon_quant_bytes q;
  q.scale = quant->scale[0];
  q.inverse = 1.0f / q.scale;
  q.zero = (quant->zero ? quant->zero[0] : 0) - up;
  // The reciprocal has all its bits.
  q.is_near = q.inverse > 1.2e-38f && q.inverse < 3e38f && q.zero >= -128 &&
              q.zero <= 127;
  return q;
}

#if defined(TENON_HAS_NEAR) && defined(TENON_HAS_NARROW4)
// What is no number becomes `lo`.
TENON_FLAT tenon_vf tenon_quant_limit(tenon_vf x, float lo, float hi) {
  const tenon_vf low = tenon_vf_splat(lo), high = tenon_vf_splat(hi);
#ifdef TENON_HAS_ENDS
  return tenon_vf_at_most(tenon_vf_at_least(low, x), high);
#else
  x = tenon_vf_pick(x > low, x, low);
  return tenon_vf_pick(x < high, x, high);
#endif
}

// As tenon_round_s32.
TENON_FLAT tenon_vi tenon_quant_divide(const tenon_quant_bytes *q, tenon_vf x) {
  x = tenon_quant_limit(x / tenon_vf_splat(q->scale), (float)(-128 - q->zero),
                        (float)(127 - q->zero));
  const tenon_vi half = (tenon_vi)tenon_vf_splat(0.49999997f);
  x += (tenon_vf)(half | ((tenon_vi)x & INT32_MIN));
  return __builtin_convertvector(x, tenon_vi) + q->zero;
}

TENON_FLAT tenon_vi tenon_quant_store_of(tenon_vi y, const int up) {
  return up ? y ^ (tenon_vi)tenon_vs_splat(-128) : y;
}

// As many as fill registers.
TENON_FLAT ptrdiff_t tenon_quantize_bytes_some(const tenon_quant_bytes *q,
                                               const float *from, char *to,
                                               ptrdiff_t i, ptrdiff_t end,
                                               const int up) {
  const tenon_vf inverse = tenon_vf_splat(q->inverse);
  const tenon_vf zero = tenon_vf_splat((float)q->zero);
  for (; i + TENON_VB <= end; i += TENON_VB) {
    tenon_vf most = {0};
    tenon_vi y[4];
    TENON_UNROLL
    for (int k = 0; k < 4; ++k) {
      const tenon_vf x = tenon_quant_limit(
          tenon_vf_fma(tenon_vf_load(from + i + k * TENON_VL), inverse, zero),
          -128, 127);
      y[k] = tenon_vi_nearest(x);
      most = tenon_vf_further(most, x, y[k]);
    }
    if (!q->is_near || tenon_vf_any_above(most, 0.5f - TENON_NEAR_HALF)) {
      TENON_UNROLL
      for (int k = 0; k < 4; ++k)
        y[k] = tenon_quant_divide(q, tenon_vf_load(from + i + k * TENON_VL));
    }
    tenon_vi_store(to + i, tenon_quant_store_of(
                               tenon_vi_narrow4(y[0], y[1], y[2], y[3]), up));
  }
  return i;
}
#endif

TENON_FLAT tenon_status tenon_quantize_bytes_run(const tenon_call *c,
                                                 int64_t begin, int64_t end,
                                                 const int up) {
  const tenon_quant_bytes q = tenon_quant_bytes_of(c->out[0].quant, up);
  const float *from = (const float *)c->in[0].data;
  char *to = (char *)c->out[0].data;
#if defined(TENON_HAS_NEAR) && defined(TENON_HAS_NARROW4)
  const ptrdiff_t i = tenon_quantize_bytes_some(&q, from, to, (ptrdiff_t)begin,
                                                (ptrdiff_t)end, up);
  if (i < (ptrdiff_t)end) {
    const size_t n = (size_t)((ptrdiff_t)end - i);
    float lanes[TENON_VB] = {0};
    char results[TENON_VB];
    memcpy(lanes, from + i, n * sizeof *from);
    tenon_quantize_bytes_some(&q, lanes, results, 0, TENON_VB, up);
    memcpy(to + i, results, n);
  }
#else
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const int32_t y =
        tenon_round_s32(from[i] / q.scale, -128 - q.zero, 127 - q.zero) +
        q.zero + up;
    const uint8_t byte = (uint8_t)y;
    memcpy(to + i, &byte, 1);
  }
#endif
  return TENON_OK;
}

TENON_FLAT tenon_vf tenon_dequantize_bytes_of(const int8_t *from, float scale,
                                              int32_t zero, const int up) {
  tenon_vi x = tenon_vi_widen(from);
  if (up) x &= 255;
  return __builtin_convertvector(x - zero, tenon_vf) * scale;
}

TENON_FLAT tenon_status tenon_dequantize_bytes_run(const tenon_call *c,
                                                   int64_t begin, int64_t end,
                                                   const int up) {
  const tenon_quant *quant = c->in[0].quant;
  const float scale = quant->scale[0];
  const int32_t zero = quant->zero ? quant->zero[0] : 0;
  const int8_t *from = (const int8_t *)c->in[0].data;
  float *to = (float *)c->out[0].data;
  ptrdiff_t i = (ptrdiff_t)begin;
  for (; i + TENON_VL <= (ptrdiff_t)end; i += TENON_VL)
    tenon_vf_store(to + i,
                   tenon_dequantize_bytes_of(from + i, scale, zero, up));
  if (i < (ptrdiff_t)end) {
    const size_t n = (size_t)((ptrdiff_t)end - i);
    int8_t bytes[TENON_VL] = {0};
    float results[TENON_VL];
    memcpy(bytes, from + i, n);
    tenon_vf_store(results, tenon_dequantize_bytes_of(bytes, scale, zero, up));
    memcpy(to + i, results, n * sizeof *to);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_QUANT_BYTES_OPT_H
