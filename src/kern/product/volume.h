// kern/product/volume.h - attributes of core::conv3d and
// core::conv_transpose3d, and their loops, in floats of either width.
//
// Volumes are channels-last, [n, d, h, w, c]; w is [oc, kd, kh, kw, ic /
// groups]. Every output is one chain of fused multiply-adds over kd, kh, kw,
// ic, begun at zero, the bias added last. Items are rows: n, d and h of the
// result.
#ifndef TENON_KERN_VOLUME_H
#define TENON_KERN_VOLUME_H

#include "kern/loop/window.h"

typedef struct tenon_conv3d_attrs {
  tenon_ints stride;    // 3: d, h, w
  tenon_ints pad;       // 6: before, then behind
  tenon_ints dilation;  // 3
  int64_t groups;
} tenon_conv3d_attrs;

// Of core::conv_transpose3d; begins as the others, which its loops read.
typedef struct tenon_conv_transpose3d_attrs {
  tenon_ints stride, pad, dilation;
  int64_t groups;
  bool single_scale;  // as of core::conv
} tenon_conv_transpose3d_attrs;

// Of core::depthwise_conv3d; begins as the others.
typedef struct tenon_depthwise_conv3d_attrs {
  tenon_ints stride, pad, dilation;
  tenon_opt_float lo, hi;  // clamp in real numbers
} tenon_depthwise_conv3d_attrs;

// Taps begin <= k < end of output `out` along dimension i, 0 for d.
TENON_INLINE tenon_taps tenon_volume_taps(const tenon_call *c, int32_t i,
                                          ptrdiff_t out) {
  const tenon_conv3d_attrs *a = (const tenon_conv3d_attrs *)c->attrs;
  return tenon_window_taps(out, (ptrdiff_t)a->stride.data[i],
                           (ptrdiff_t)a->pad.data[i],
                           (ptrdiff_t)a->dilation.data[i], c->in[1].dims[1 + i],
                           c->in[0].dims[1 + i]);
}

// Which element of the input tap k of output `out` reads in a transposed
// convolution; -1: none.
TENON_INLINE ptrdiff_t tenon_volume_source(const tenon_call *c, int32_t i,
                                           ptrdiff_t out, ptrdiff_t k) {
  const tenon_conv3d_attrs *a = (const tenon_conv3d_attrs *)c->attrs;
  ptrdiff_t at =
      out + (ptrdiff_t)a->pad.data[i] - k * (ptrdiff_t)a->dilation.data[i];
  ptrdiff_t stride = (ptrdiff_t)a->stride.data[i];
  if (at < 0 || at % stride || at / stride >= c->in[0].dims[1 + i]) return -1;
  return at / stride;
}

// Where an output lies, and what it reads.
typedef struct tenon_volume {
  ptrdiff_t depth;         // input channels of a group
  ptrdiff_t group;         // output channels of a group
  ptrdiff_t out_w, out_c;  // of the result
  ptrdiff_t n, z, y;       // of the row
  ptrdiff_t kd, kh, kw;    // taps
  ptrdiff_t d, h, w, c;    // of the input
} tenon_volume;

TENON_INLINE tenon_volume tenon_volume_of(const tenon_call *c, ptrdiff_t row) {
  const tenon_conv3d_attrs *a = (const tenon_conv3d_attrs *)c->attrs;
  const int32_t *x = c->in[0].dims, *w = c->in[1].dims, *y = c->out[0].dims;
  tenon_volume v;
  v.depth = w[4];
  v.group = w[0] / (ptrdiff_t)a->groups;
  v.out_w = y[3];
  v.out_c = y[4];
  v.y = row % y[2];
  v.z = row / y[2] % y[1];
  v.n = row / y[2] / y[1];
  v.kd = w[1];
  v.kh = w[2];
  v.kw = w[3];
  v.d = x[1];
  v.h = x[2];
  v.w = x[3];
  v.c = x[4];
  return v;
}

// Where the channels of an input element begin.
TENON_INLINE ptrdiff_t tenon_volume_at(const tenon_volume *v, ptrdiff_t z,
                                       ptrdiff_t y, ptrdiff_t x) {
  return (((v->n * v->d + z) * v->h + y) * v->w + x) * v->c;
}

// Both walk the taps in order and add `depth` products for each; `read` is
// where the channels of the tap begin, as a number of elements.
#define TENON_VOLUME_PRODUCTS(T, FMA, read, tap)                             \
  {                                                                          \
    const T *p = (const T *)c->in[0].data + (read) + oc / v.group * v.depth; \
    const T *q = (const T *)c->in[1].data +                                  \
                 (oc * v.kd * v.kh * v.kw + (tap)) * v.depth;                \
    for (ptrdiff_t i = 0; i < v.depth; ++i)                                  \
      acc = FMA(p[i], q[i], acc);                                            \
  }

#define TENON_VOLUME_WRAP(a, b, sum) ((a) * (b) + (sum))

#define TENON_CONV3D_KERNEL(name, T, FMA)                                \
  static T name##_one(const tenon_call *c, tenon_volume v, ptrdiff_t ox, \
                      ptrdiff_t oc) {                                    \
    const tenon_conv3d_attrs *a = (const tenon_conv3d_attrs *)c->attrs;  \
    const tenon_taps tz = tenon_volume_taps(c, 0, v.z);                  \
    const tenon_taps ty = tenon_volume_taps(c, 1, v.y);                  \
    const tenon_taps tx = tenon_volume_taps(c, 2, ox);                   \
    const int64_t *dil = a->dilation.data;                               \
    T acc = 0;                                                           \
    for (ptrdiff_t kz = tz.begin; kz < tz.end; ++kz)                     \
      for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky)                   \
        for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx)                 \
          TENON_VOLUME_PRODUCTS(                                         \
              T, FMA,                                                    \
              tenon_volume_at(&v, tz.at + kz * (ptrdiff_t)dil[0],        \
                              ty.at + ky * (ptrdiff_t)dil[1],            \
                              tx.at + kx * (ptrdiff_t)dil[2]),           \
              (kz * v.kh + ky) * v.kw + kx)                              \
    return acc;                                                          \
  }                                                                      \
  TENON_VOLUME_ROWS(name, T)

#define TENON_CONV_TRANSPOSE3D_KERNEL(name, T, FMA)                      \
  static T name##_one(const tenon_call *c, tenon_volume v, ptrdiff_t ox, \
                      ptrdiff_t oc) {                                    \
    T acc = 0;                                                           \
    for (ptrdiff_t kz = 0; kz < v.kd; ++kz) {                            \
      const ptrdiff_t z = tenon_volume_source(c, 0, v.z, kz);            \
      for (ptrdiff_t ky = 0; z >= 0 && ky < v.kh; ++ky) {                \
        const ptrdiff_t y = tenon_volume_source(c, 1, v.y, ky);          \
        for (ptrdiff_t kx = 0; y >= 0 && kx < v.kw; ++kx) {              \
          const ptrdiff_t x = tenon_volume_source(c, 2, ox, kx);         \
          if (x >= 0)                                                    \
            TENON_VOLUME_PRODUCTS(T, FMA, tenon_volume_at(&v, z, y, x),  \
                                  (kz * v.kh + ky) * v.kw + kx)          \
        }                                                                \
      }                                                                  \
    }                                                                    \
    return acc;                                                          \
  }                                                                      \
  TENON_VOLUME_ROWS(name, T)

// The same of quantised elements T with 8-bit weights, summed up in Acc with a
// bias of type Bias; `stored` makes an element of `acc`, by the packed `r`.
#define TENON_CONV_TRANSPOSE3D_STORED(name, T, Acc, Bias, stored)              \
  static Acc name##_tap(const tenon_call *c, const tenon_volume *v,            \
                        const tenon_requant *r, ptrdiff_t read, ptrdiff_t tap, \
                        ptrdiff_t oc) {                                        \
    const T *p = (const T *)c->in[0].data + read + oc / v->group * v->depth;   \
    const int8_t *q = (const int8_t *)c->in[1].data +                          \
                      (oc * v->kd * v->kh * v->kw + tap) * v->depth;           \
    Acc acc = 0;                                                               \
    for (ptrdiff_t i = 0; i < v->depth; ++i)                                   \
      acc += (Acc)((p[i] - r->x_zero) * (q[i] - r->w_zero));                   \
    return acc;                                                                \
  }                                                                            \
  static Acc name##_one(const tenon_call *c, tenon_volume v,                   \
                        const tenon_requant *r, ptrdiff_t ox, ptrdiff_t oc) {  \
    Acc acc = 0;                                                               \
    for (ptrdiff_t kz = 0; kz < v.kd; ++kz) {                                  \
      const ptrdiff_t z = tenon_volume_source(c, 0, v.z, kz);                  \
      for (ptrdiff_t ky = 0; z >= 0 && ky < v.kh; ++ky) {                      \
        const ptrdiff_t y = tenon_volume_source(c, 1, v.y, ky);                \
        for (ptrdiff_t kx = 0; y >= 0 && kx < v.kw; ++kx) {                    \
          const ptrdiff_t x = tenon_volume_source(c, 2, ox, kx);               \
          if (x >= 0)                                                          \
            acc += name##_tap(c, &v, r, tenon_volume_at(&v, z, y, x),          \
                              (kz * v.kh + ky) * v.kw + kx, oc);               \
        }                                                                      \
      }                                                                        \
    }                                                                          \
    return acc;                                                                \
  }                                                                            \
  TENON_KERNEL_RANGE(name) {                                                   \
    const tenon_requant *r = (const tenon_requant *)c->packed;                 \
    const Bias *bias = (const Bias *)c->in[2].data;                            \
    for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {      \
      const tenon_volume v = tenon_volume_of(c, row);                          \
      T *y = (T *)c->out[0].data + row * v.out_w * v.out_c;                    \
      for (ptrdiff_t ox = 0; ox < v.out_w; ++ox) {                             \
        for (ptrdiff_t oc = 0; oc < v.out_c; ++oc) {                           \
          Acc acc = name##_one(c, v, r, ox, oc);                               \
          if (bias) acc += (Acc)bias[oc];                                      \
          *y++ = stored;                                                       \
        }                                                                      \
      }                                                                        \
    }                                                                          \
    return TENON_OK;                                                           \
  }

#define TENON_VOLUME_ROWS(name, T)                                        \
  TENON_KERNEL_RANGE(name) {                                              \
    const T *bias = (const T *)c->in[2].data;                             \
    for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) { \
      const tenon_volume v = tenon_volume_of(c, row);                     \
      T *y = (T *)c->out[0].data + row * v.out_w * v.out_c;               \
      for (ptrdiff_t ox = 0; ox < v.out_w; ++ox) {                        \
        for (ptrdiff_t oc = 0; oc < v.out_c; ++oc) {                      \
          T acc = name##_one(c, v, ox, oc);                               \
          if (bias) acc += bias[oc];                                      \
          *y++ = acc;                                                     \
        }                                                                 \
      }                                                                   \
    }                                                                     \
    return TENON_OK;                                                      \
  }

#endif  // TENON_KERN_VOLUME_H
