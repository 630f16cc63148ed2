// kern/opt/product/hybrid_f32_opt.h - kern/product/hybrid.h in registers, by
// way of products of floats.
//
// Values become integers that are kept as floats, and so are the weights. Their
// sums stay below 2^24 (the descriptors see to that), where floats are exact,
// so the kernels of floats give what sums of integers give, in any order. What
// is left is to bring sums to their scale.
#ifndef TENON_KERN_OPT_HYBRID_F32_OPT_H
#define TENON_KERN_OPT_HYBRID_F32_OPT_H

#include "kern/opt/product/hybrid_scale.h"
#include "kern/opt/tiles/blocks.h"

// What stands behind the packed weights.
typedef struct tenon_hybrid_f32 {
  const float *scale, *bias;
  float lo, hi;
} tenon_hybrid_f32;

// `depth`: weights of a channel, of which there are n.
TENON_INLINE tenon_hybrid_f32 tenon_hybrid_f32_of(const void *packed,
                                                  ptrdiff_t depth,
                                                  ptrdiff_t n) {
  const ptrdiff_t np = tenon_round_up(n, TENON_LANES);
  const float *sums = (const float *)((const tenon_packed_f32 *)packed + 1);
  const void *behind = sums + np * (1 + depth);
  const tenon_packed_f32 *head = (const tenon_packed_f32 *)behind;
  tenon_hybrid_f32 p;
  p.scale = (const float *)(head + 1);
  p.bias = p.scale + np;
  p.lo = head->lo;
  p.hi = head->hi;
  return p;
}

// Integers less their zero point. Returns their scale.
static float tenon_hybrid_f32_quantize(const float *x, ptrdiff_t n,
                                       bool asymmetric, float *q) {
  const tenon_hybrid_v h = tenon_hybrid_v_of(x, n, asymmetric);
  ptrdiff_t i = 0;
  for (; i + TENON_VL <= n; i += TENON_VL)
    tenon_vf_store(
        q + i, __builtin_convertvector(
                   tenon_hybrid_v_round(&h, tenon_vf_load(x + i)), tenon_vf));
  if (i < n)
    tenon_vf_store_part(
        q + i,
        __builtin_convertvector(
            tenon_hybrid_v_round(&h, tenon_vf_load_part(x + i, n - i)),
            tenon_vf),
        n - i);
  return h.h.scale;
}

// Sums of channels `begin` to `end`, in rows of n, become results.
static void tenon_hybrid_f32_finish(const tenon_hybrid_f32 *p, float scale,
                                    float *y, ptrdiff_t rows, ptrdiff_t n,
                                    ptrdiff_t begin, ptrdiff_t end) {
  const tenon_vf by = tenon_vf_splat(scale);
  const tenon_vf lo = tenon_vf_splat(p->lo), hi = tenon_vf_splat(p->hi);
  if (end > n) end = n;
  for (ptrdiff_t i = begin; i < end; i += TENON_VL) {
    const tenon_vf factor = by * tenon_vf_load(p->scale + i);
    const tenon_vf bias = tenon_vf_load(p->bias + i);
    const ptrdiff_t count = end - i;
    float *to = y + i;
    for (ptrdiff_t r = 0; r < rows; ++r, to += n)
      tenon_vf_store_part(
          to,
          tenon_vf_clamp(tenon_vf_load_part(to, count) * factor + bias, lo, hi),
          count);
  }
}

// The call of the kernel of floats for one image, whose values are in scratch.
typedef struct tenon_hybrid_image {
  tenon_call call;
  tenon_tensor in[3], out[1];
  int32_t x_dims[4], y_dims[4];
  ptrdiff_t x_size, y_size;
} tenon_hybrid_image;

TENON_INLINE void tenon_hybrid_image_init(tenon_hybrid_image *s,
                                          const tenon_call *c) {
  s->call = *c;
  for (int i = 0; i < 3; ++i)
    s->in[i] = c->in[i];
  s->out[0] = c->out[0];
  for (int i = 0; i < 4; ++i) {
    s->x_dims[i] = i ? c->in[0].dims[i] : 1;
    s->y_dims[i] = i ? c->out[0].dims[i] : 1;
  }
  s->in[0].dims = s->x_dims;
  s->out[0].dims = s->y_dims;
  s->in[0].data = c->scratch;
  s->call.in = s->in;
  s->call.out = s->out;
  s->x_size = (ptrdiff_t)tenon_count(&s->in[0]);
  s->y_size = (ptrdiff_t)tenon_count(&s->out[0]);
}

// Prepares image i. Returns its scale.
TENON_INLINE float tenon_hybrid_image_begin(tenon_hybrid_image *s,
                                            const tenon_call *c, ptrdiff_t i,
                                            bool asymmetric) {
  s->out[0].data = (float *)c->out[0].data + i * s->y_size;
  return tenon_hybrid_f32_quantize((const float *)c->in[0].data + i * s->x_size,
                                   s->x_size, asymmetric, (float *)c->scratch);
}

#endif  // TENON_KERN_OPT_HYBRID_F32_OPT_H
