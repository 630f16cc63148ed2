// signal_fft.c - SignalRfft and SignalIrfft of TensorFlow Lite Micro's audio
// front end: Fourier transforms of real numbers, on 16 or 32 bits or floats.
//
// Facts: signal/micro/kernels/rfft.cc and irfft.cc of tflite-micro, which call
// KISS FFT. The numbers are its numbers, since the order is its order: a
// complex transform of half the length, by fours and at the end a two, then the
// two halves are taken apart. Integers are divided before every step, rounding
// each time, so the result is smaller by the length. Roots of unity are made at
// compile time. Lengths are powers of two.
#include "tenon/tensor.h"

typedef struct signal_fft_attrs {
  int64_t fft_length, T;
} signal_fft_attrs;

// Shifts downwards, negative numbers too.
static int64_t signal_fft_round(int64_t v, int bits) {
  v += INT64_C(1) << (bits - 1);
  return v < 0 ? ~(~v >> bits) : v >> bits;
}

// Where an element of the input goes: its digits, by fours from the front,
// turned.
static int32_t signal_fft_source(int32_t at, int32_t n) {
  int32_t source = 0, stride = 1;
  while (n > 1) {
    int32_t p = n % 4 == 0 ? 4 : 2;
    n /= p;
    source += at / n * stride;
    at %= n;
    stride *= p;
  }
  return source;
}

// Arithmetic of each type: sums wrap, products round.
static int16_t signal_fft_sum_s16(int32_t a, int32_t b) {
  return (int16_t)(uint16_t)((uint32_t)a + (uint32_t)b);
}
static int32_t signal_fft_sum_s32(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a + (uint32_t)b);
}
static float signal_fft_sum_f32(float a, float b) {
  return a + b;
}
static int16_t signal_fft_opposite_s16(int16_t a) {
  return (int16_t)(uint16_t)(0u - (uint32_t)(int32_t)a);
}
static int32_t signal_fft_opposite_s32(int32_t a) {
  return (int32_t)(0u - (uint32_t)a);
}
static float signal_fft_opposite_f32(float a) {
  return -a;
}
static int16_t signal_fft_products_s16(int16_t a, int16_t b, int16_t d,
                                       int16_t e) {
  return (int16_t)(uint16_t)signal_fft_round((int64_t)a * b + (int64_t)d * e,
                                             15);
}
static int32_t signal_fft_products_s32(int32_t a, int32_t b, int32_t d,
                                       int32_t e) {
  return (int32_t)(uint32_t)signal_fft_round((int64_t)a * b + (int64_t)d * e,
                                             31);
}
static float signal_fft_products_f32(float a, float b, float d, float e) {
  return a * b + d * e;
}
static int16_t signal_fft_divide_s16(int16_t a, int32_t by) {
  return (int16_t)signal_fft_round((int64_t)a * (INT16_MAX / by), 15);
}
static int32_t signal_fft_divide_s32(int32_t a, int32_t by) {
  return (int32_t)signal_fft_round((int64_t)a * (INT32_MAX / by), 31);
}
static float signal_fft_divide_f32(float a, int32_t by) {
  (void)by;
  return a;
}
static int16_t signal_fft_half_s16(int16_t a, int16_t b) {
  int32_t v = (int32_t)a + b;
  return (int16_t)(v < 0 ? ~(~v >> 1) : v >> 1);
}
static int32_t signal_fft_half_s32(int32_t a, int32_t b) {
  int32_t v = signal_fft_sum_s32(a, b);
  return v < 0 ? ~(~v >> 1) : v >> 1;
}
static float signal_fft_half_f32(float a, float b) {
  return (a + b) * 0.5f;
}

// The transforms, once for each type `T` with arithmetic of suffix `S`. `w` are
// the roots for n complex numbers, then those that take the halves apart.
#define SIGNAL_FFT(S, T)                                                       \
  static void signal_fft_scale_##S(T *x, int32_t by) {                         \
    x[0] = signal_fft_divide_##S(x[0], by);                                    \
    x[1] = signal_fft_divide_##S(x[1], by);                                    \
  }                                                                            \
  static void signal_fft_multiply_##S(T *y, const T *x, const T *w) {          \
    T re = signal_fft_products_##S(x[0], w[0], signal_fft_opposite_##S(x[1]),  \
                                   w[1]);                                      \
    y[1] = signal_fft_products_##S(x[0], w[1], x[1], w[0]);                    \
    y[0] = re;                                                                 \
  }                                                                            \
  static void signal_fft_two_##S(T *x, const T *w, int32_t m,                  \
                                 int32_t stride) {                             \
    for (int32_t k = 0; k < m; ++k) {                                          \
      T *a = x + 2 * k, *b = x + 2 * (k + m), t[2];                            \
      signal_fft_scale_##S(a, 2);                                              \
      signal_fft_scale_##S(b, 2);                                              \
      signal_fft_multiply_##S(t, b, w + 2 * k * stride);                       \
      for (int i = 0; i < 2; ++i) {                                            \
        b[i] = signal_fft_sum_##S(a[i], signal_fft_opposite_##S(t[i]));        \
        a[i] = signal_fft_sum_##S(a[i], t[i]);                                 \
      }                                                                        \
    }                                                                          \
  }                                                                            \
  static void signal_fft_four_##S(T *x, const T *w, int32_t m, int32_t stride, \
                                  bool is_inverse) {                           \
    for (int32_t k = 0; k < m; ++k) {                                          \
      T *part[4], t[4][2], even[2], sum[2], left[2];                           \
      for (int p = 0; p < 4; ++p) {                                            \
        part[p] = x + 2 * (k + p * m);                                         \
        signal_fft_scale_##S(part[p], 4);                                      \
        if (p) signal_fft_multiply_##S(t[p], part[p], w + 2 * k * p * stride); \
      }                                                                        \
      for (int i = 0; i < 2; ++i) {                                            \
        even[i] =                                                              \
            signal_fft_sum_##S(part[0][i], signal_fft_opposite_##S(t[2][i]));  \
        part[0][i] = signal_fft_sum_##S(part[0][i], t[2][i]);                  \
        sum[i] = signal_fft_sum_##S(t[1][i], t[3][i]);                         \
        left[i] =                                                              \
            signal_fft_sum_##S(t[1][i], signal_fft_opposite_##S(t[3][i]));     \
        part[2][i] =                                                           \
            signal_fft_sum_##S(part[0][i], signal_fft_opposite_##S(sum[i]));   \
        part[0][i] = signal_fft_sum_##S(part[0][i], sum[i]);                   \
      }                                                                        \
      T *plus = part[is_inverse ? 3 : 1], *minus = part[is_inverse ? 1 : 3];   \
      plus[0] = signal_fft_sum_##S(even[0], left[1]);                          \
      plus[1] = signal_fft_sum_##S(even[1], signal_fft_opposite_##S(left[0])); \
      minus[0] =                                                               \
          signal_fft_sum_##S(even[0], signal_fft_opposite_##S(left[1]));       \
      minus[1] = signal_fft_sum_##S(even[1], left[0]);                         \
    }                                                                          \
  }                                                                            \
  static void signal_fft_steps_##S(T *x, const T *w, int32_t n,                \
                                   bool is_inverse) {                          \
    int32_t m = 1, p = 2;                                                      \
    for (int32_t k = n; k > 1; k /= 4)                                         \
      p = k == 2 ? 2 : 4;                                                      \
    for (; m < n; m *= p, p = 4) {                                             \
      int32_t stride = n / (m * p);                                            \
      for (int32_t k = 0; k < stride; ++k) {                                   \
        T *block = x + 2 * k * m * p;                                          \
        if (p == 2) signal_fft_two_##S(block, w, m, stride);                   \
        if (p == 4) signal_fft_four_##S(block, w, m, stride, is_inverse);      \
      }                                                                        \
    }                                                                          \
  }                                                                            \
  static void signal_rfft_frame_##S(const T *x, int32_t size, const T *w,      \
                                    int32_t n, T *work, T *y) {                \
    for (int32_t k = 0; k < n; ++k) {                                          \
      int32_t from = 2 * signal_fft_source(k, n);                              \
      work[2 * k] = from < size ? x[from] : 0;                                 \
      work[2 * k + 1] = from + 1 < size ? x[from + 1] : 0;                     \
    }                                                                          \
    signal_fft_steps_##S(work, w, n, false);                                   \
    signal_fft_scale_##S(work, 2);                                             \
    y[0] = signal_fft_sum_##S(work[0], work[1]);                               \
    y[2 * n] = signal_fft_sum_##S(work[0], signal_fft_opposite_##S(work[1]));  \
    y[1] = y[2 * n + 1] = 0;                                                   \
    for (int32_t k = 1; k <= n / 2; ++k) {                                     \
      T a[2] = {work[2 * k], work[2 * k + 1]}, sum[2], left[2], t[2];          \
      T b[2] = {work[2 * (n - k)],                                             \
                signal_fft_opposite_##S(work[2 * (n - k) + 1])};               \
      signal_fft_scale_##S(a, 2);                                              \
      signal_fft_scale_##S(b, 2);                                              \
      for (int i = 0; i < 2; ++i) {                                            \
        sum[i] = signal_fft_sum_##S(a[i], b[i]);                               \
        left[i] = signal_fft_sum_##S(a[i], signal_fft_opposite_##S(b[i]));     \
      }                                                                        \
      signal_fft_multiply_##S(t, left, w + 2 * (n + k - 1));                   \
      y[2 * k] = signal_fft_half_##S(sum[0], t[0]);                            \
      y[2 * k + 1] = signal_fft_half_##S(sum[1], t[1]);                        \
      y[2 * (n - k)] =                                                         \
          signal_fft_half_##S(sum[0], signal_fft_opposite_##S(t[0]));          \
      y[2 * (n - k) + 1] =                                                     \
          signal_fft_half_##S(t[1], signal_fft_opposite_##S(sum[1]));          \
    }                                                                          \
  }                                                                            \
  static void signal_irfft_frame_##S(const T *x, const T *w, int32_t n,        \
                                     T *work, T *y) {                          \
    work[0] = signal_fft_sum_##S(x[0], x[2 * n]);                              \
    work[1] = signal_fft_sum_##S(x[0], signal_fft_opposite_##S(x[2 * n]));     \
    signal_fft_scale_##S(work, 2);                                             \
    for (int32_t k = 1; k <= n / 2; ++k) {                                     \
      T a[2] = {x[2 * k], x[2 * k + 1]}, sum[2], left[2], t[2];                \
      T b[2] = {x[2 * (n - k)], signal_fft_opposite_##S(x[2 * (n - k) + 1])};  \
      signal_fft_scale_##S(a, 2);                                              \
      signal_fft_scale_##S(b, 2);                                              \
      for (int i = 0; i < 2; ++i) {                                            \
        sum[i] = signal_fft_sum_##S(a[i], b[i]);                               \
        left[i] = signal_fft_sum_##S(a[i], signal_fft_opposite_##S(b[i]));     \
      }                                                                        \
      signal_fft_multiply_##S(t, left, w + 2 * (n + k - 1));                   \
      for (int i = 0; i < 2; ++i) {                                            \
        work[2 * k + i] = signal_fft_sum_##S(sum[i], t[i]);                    \
        work[2 * (n - k) + i] =                                                \
            signal_fft_sum_##S(sum[i], signal_fft_opposite_##S(t[i]));         \
      }                                                                        \
      work[2 * (n - k) + 1] = signal_fft_opposite_##S(work[2 * (n - k) + 1]);  \
    }                                                                          \
    for (int32_t k = 0; k < n; ++k) {                                          \
      int32_t from = signal_fft_source(k, n);                                  \
      y[2 * k] = work[2 * from];                                               \
      y[2 * k + 1] = work[2 * from + 1];                                       \
    }                                                                          \
    signal_fft_steps_##S(y, w, n, true);                                       \
  }                                                                            \
  TENON_KERNEL(signal_rfft_##S) {                                              \
    int32_t n = (int32_t)((const signal_fft_attrs *)c->attrs)->fft_length / 2; \
    int32_t size = c->in[0].dims[c->in[0].rank - 1], step = 2 * n + 2;         \
    const T *x = (const T *)c->in[0].data;                                     \
    T *y = (T *)c->out[0].data, *end = y + tenon_count(&c->out[0]);            \
    for (; y < end; y += step, x += size)                                      \
      signal_rfft_frame_##S(x, size, (const T *)c->packed, n, (T *)c->scratch, \
                            y);                                                \
    return TENON_OK;                                                           \
  }

SIGNAL_FFT(s16, int16_t)
SIGNAL_FFT(s32, int32_t)
SIGNAL_FFT(f32, float)
#undef SIGNAL_FFT

#define SIGNAL_IRFFT(S, T, DIVIDE)                                             \
  TENON_KERNEL(signal_irfft_##S) {                                             \
    int32_t n = (int32_t)((const signal_fft_attrs *)c->attrs)->fft_length / 2; \
    const T *x = (const T *)c->in[0].data;                                     \
    T *y = (T *)c->out[0].data, *end = y + tenon_count(&c->out[0]);            \
    for (; y < end; y += 2 * n, x += 2 * n + 2) {                              \
      signal_irfft_frame_##S(x, (const T *)c->packed, n, (T *)c->scratch, y);  \
      for (int32_t i = 0; DIVIDE && i < 2 * n; ++i)                            \
        y[i] /= (T)(2 * n);                                                    \
    }                                                                          \
    return TENON_OK;                                                           \
  }

SIGNAL_IRFFT(s16, int16_t, false)
SIGNAL_IRFFT(s32, int32_t, false)
SIGNAL_IRFFT(f32, float, true)
#undef SIGNAL_IRFFT

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include <math.h>

#include "tenon/ext/plugin.h"

static const tenon_field fft_fields[] =
    TENON_FIELDS(signal_fft_attrs, fft_length, T);

static int64_t length_of(const tenon_call *c) {
  return ((const signal_fft_attrs *)c->attrs)->fft_length;
}

static size_t element_of(const tenon_call *c) {
  return c->in[0].dtype == TENON_S16 ? 2 : 4;
}

// Half the length of complex numbers.
static size_t fft_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)length_of(c) * element_of(c);
}

// As many roots, and half as many.
static size_t fft_pack_size(const tenon_call *c) {
  size_t n = (size_t)length_of(c) / 2;
  return 2 * (n + n / 2) * element_of(c);
}

static void put_root(void *to, size_t at, tenon_dtype dtype, double v) {
  if (dtype == TENON_S16) ((int16_t *)to)[at] = (int16_t)floor(0.5 + 32767 * v);
  if (dtype == TENON_S32)
    ((int32_t *)to)[at] = (int32_t)floor(0.5 + 2147483647.0 * v);
  if (dtype == TENON_F32) ((float *)to)[at] = (float)v;
}

static tenon_status pack(const tenon_call *c, void *packed, double direction) {
  const double pi =
      3.141592653589793238462643383279502884197169399375105820974944;
  size_t n = (size_t)length_of(c) / 2;
  for (size_t i = 0; i < n + n / 2; ++i) {
    double phase = i < n ? -2 * pi * (double)i / (double)n
                         : -3.14159265358979323846264338327 *
                               ((double)(i - n + 1) / (double)n + .5);
    put_root(packed, 2 * i, c->in[0].dtype, cos(direction * phase));
    put_root(packed, 2 * i + 1, c->in[0].dtype, sin(direction * phase));
  }
  return TENON_OK;
}

static tenon_status pack_forward(const tenon_call *c, void *packed) {
  return pack(c, packed, 1);
}
static tenon_status pack_inverse(const tenon_call *c, void *packed) {
  return pack(c, packed, -1);
}

static tenon_status fft_check(tenon_infer *c) {
  const signal_fft_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  // By the number that the file format has.
  int64_t type = x->dtype == TENON_F32   ? 0
                 : x->dtype == TENON_S32 ? 2
                 : x->dtype == TENON_S16 ? 7
                                         : -1;
  if (type < 0) return tenon_infer_fail(c, "expected s16, s32 or f32");
  if (a->T >= 0 && a->T != type)
    return tenon_infer_fail(c, "T is %lld, but the operand's type is %lld",
                            (long long)a->T, (long long)type);
  if (a->fft_length < 4 || a->fft_length > 1 << 20 ||
      (a->fft_length & (a->fft_length - 1)) != 0)
    return tenon_infer_fail(
        c, "fft_length is %lld, expected a power of two from 4 to 2^20",
        (long long)a->fft_length);
  if (x->rank < 1 || x->dims[x->rank - 1].symbol)
    return tenon_infer_fail(c, "expected frames of a fixed size");
  return TENON_OK;
}

static tenon_status fft_result(tenon_infer *c, int64_t size) {
  tenon_type y = *tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  for (int i = 0; i < y.rank; ++i)
    dims[i] = y.dims[i];
  dims[y.rank - 1] = (tenon_dim){size, 0};
  y.dims = dims;
  return tenon_infer_out(c, 0, &y);
}

static tenon_status rfft_infer(tenon_infer *c) {
  TENON_TRY(fft_check(c));
  const tenon_type *x = tenon_infer_in(c, 0);
  int64_t n = ((const signal_fft_attrs *)tenon_infer_attrs(c))->fft_length;
  if (x->dims[x->rank - 1].value > n)
    return tenon_infer_fail(c, "frames of %lld, longer than fft_length %lld",
                            (long long)x->dims[x->rank - 1].value,
                            (long long)n);
  return fft_result(c, n + 2);
}

static tenon_status irfft_infer(tenon_infer *c) {
  TENON_TRY(fft_check(c));
  const tenon_type *x = tenon_infer_in(c, 0);
  int64_t n = ((const signal_fft_attrs *)tenon_infer_attrs(c))->fft_length;
  if (x->dims[x->rank - 1].value != n + 2)
    return tenon_infer_fail(c, "spectra of %lld numbers, expected %lld",
                            (long long)x->dims[x->rank - 1].value,
                            (long long)n + 2);
  return fft_result(c, n);
}

#define FFT_KERNEL(NAME, S, PACK)               \
  static const tenon_kernel_desc NAME##_##S = { \
      .struct_size = sizeof(tenon_kernel_desc), \
      .flags = TENON_KERNEL_NOFAIL,             \
      .symbol = "signal_" #NAME "_" #S,         \
      .types = #S " -> " #S,                    \
      .run = signal_##NAME##_##S,               \
      .scratch = fft_scratch,                   \
      .pack_size = fft_pack_size,               \
      .pack = PACK,                             \
  }
FFT_KERNEL(rfft, s16, pack_forward);
FFT_KERNEL(rfft, s32, pack_forward);
FFT_KERNEL(rfft, f32, pack_forward);
FFT_KERNEL(irfft, s16, pack_inverse);
FFT_KERNEL(irfft, s32, pack_inverse);
FFT_KERNEL(irfft, f32, pack_inverse);

static const tenon_op_desc rfft = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::rfft(Tensor input, *, int fft_length, int T=-1) -> Tensor",
    .doc = "Spectra of frames, as pairs; zeros behind a short frame.",
    TENON_OP_ATTRS(signal_fft_attrs, fft_fields),
    .infer = rfft_infer,
    .kernels = (const tenon_kernel_desc *const[]){&rfft_s16, &rfft_s32,
                                                  &rfft_f32, NULL},
    .tflite_name = "SignalRfft",
};
static const tenon_op_desc irfft = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::irfft(Tensor input, *, int fft_length, int T=-1) -> Tensor",
    .doc = "Frames of spectra; of floats divided by the length.",
    TENON_OP_ATTRS(signal_fft_attrs, fft_fields),
    .infer = irfft_infer,
    .kernels = (const tenon_kernel_desc *const[]){&irfft_s16, &irfft_s32,
                                                  &irfft_f32, NULL},
    .tflite_name = "SignalIrfft",
};
TENON_PLUGIN_OPS(signal_fft, "1.0.0", &rfft, &irfft);
#endif
