// The worst error of each function of one float in kern/isa/each.def, over all
// floats, in units in the last place of the result: of the widest kernel that
// this machine has, or of the reference kernel, which has the same bits
// (tests/unit/kern_fast). The C library's functions of doubles are the measure.
//
//   bench_functions [--stride N] [--reference] [NAME...]
//
// Prints rows of docs/functions.md. A stride looks at every Nth float.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/turns.h"
#include "kern/op/activation.h"
#include "ops/core/fast/core_fast.h"

// glibc has these for vectors, too.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define WIDE(name) \
  extern __attribute__((simd("notinbranch"))) double name(double);
WIDE(exp)
WIDE(exp2)
WIDE(expm1)
WIDE(log)
WIDE(log1p)
WIDE(log2)
WIDE(log10)
WIDE(tanh)
WIDE(erf)
WIDE(erfc)
WIDE(sin)
WIDE(cos)
#endif

enum { CHUNK = 4096 };

typedef void want_fn(const float *x, double *want);

// `expr` of v, or -0 below `least`.
#define WANT(name, least, expr)                           \
  static void want_##name(const float *x, double *want) { \
    for (int i = 0; i < CHUNK; ++i) {                     \
      const double v = (double)x[i];                      \
      want[i] = expr;                                     \
    }                                                     \
    for (int i = 0; i < CHUNK; ++i)                       \
      want[i] = (double)x[i] < (least) ? -0.0 : want[i];  \
  }
WANT(exp, -1e3, exp(v))
WANT(exp2, -1e4, exp2(v))
WANT(expm1, -INFINITY, expm1(v))
WANT(log, -INFINITY, log(v))
WANT(log1p, -INFINITY, log1p(v))
WANT(log2, -INFINITY, log2(v))
WANT(log10, -INFINITY, log10(v))
WANT(tanh, -INFINITY, tanh(v))
WANT(logistic, -1e3, 1 / (1 + exp(-v)))
WANT(silu, -INFINITY, v / (1 + exp(-v)))
WANT(softplus, -1e3, v > 40 ? v : log1p(exp(v)))
WANT(erf, -INFINITY, erf(v))
WANT(sin, -INFINITY, sin(v))
WANT(cos, -INFINITY, cos(v))
WANT(gelu, -35, 0.5 * v * erfc(-v * 0.70710678118654752440))

static const struct {
  const char *name;
  want_fn *want;
} wants[] = {
    {"exp", want_exp},     {"exp2", want_exp2},   {"expm1", want_expm1},
    {"log", want_log},     {"log1p", want_log1p}, {"log2", want_log2},
    {"log10", want_log10}, {"tanh", want_tanh},   {"logistic", want_logistic},
    {"silu", want_silu},   {"erf", want_erf},     {"sin", want_sin},
    {"cos", want_cos},     {"gelu", want_gelu},   {"softplus", want_softplus}};

// Infinite where one is a special number and the other is not.
static double ulps(float got, double want) {
  int exponent;
  if (isnan(want)) return isnan(got) ? 0 : INFINITY;
  if (isinf((float)want)) return got == (float)want ? 0 : INFINITY;
  if (!isfinite(got)) return INFINITY;
  (void)frexp(want, &exponent);
  if (exponent < -125) exponent = -125;
  return fabs((double)got - want) / ldexp(1.0, exponent - 24);
}

// The error in units of 2^-24 of the result's power of two, without branches;
// NaN where anything is special.
static void rough(const float *got, const double *want, double *error) {
  for (int i = 0; i < CHUNK; ++i) {
    const union {
      double value;
      uint64_t bits;
    } w = {want[i]};
    union {
      uint64_t bits;
      double value;
    } scale;
    uint64_t exponent = w.bits >> 52 & 0x7ff;
    exponent = exponent < 1023 - 126 ? 1023 - 126 : exponent;
    scale.bits = (2 * 1023 + 23 - exponent) << 52;
    error[i] = fabs((double)got[i] - want[i]) * scale.value;
  }
}

static tenon_run_range_fn *kernel_of(const char *name, bool is_reference,
                                     const char **symbol) {
#define TENON_EACH_ROW(op, form, header, calls)     \
  extern tenon_run_range_fn tenon_k_##op##_f32_ref; \
  if (strcmp(name, #op) == 0) {                     \
    found = tenon_k_##op##_f32_ref;                 \
    *symbol = "tenon_k_" #op "_f32_ref";            \
  }
  tenon_run_range_fn *found = NULL;
#include "kern/isa/each.def"
#undef TENON_EACH_ROW
#ifdef TENON_CORE_HAS_FAST
  char op[64];
  snprintf(op, sizeof op, "core::%s", name);
  int most = 0;
  for (const tenon_kernel_desc *const *k = tenon_core_fast_kernels;
       *k && !is_reference; ++k) {
    if (strcmp((*k)->op, op) == 0 && strcmp((*k)->types, "f32 -> f32") == 0 &&
        (*k)->priority > most && bench_can_run(*k)) {
      most = (*k)->priority;
      found = (*k)->run_range;
      *symbol = (*k)->symbol;
    }
  }
#else
  (void)is_reference;
#endif
  return found;
}

static void measure(size_t row, uint64_t stride, bool is_reference) {
  static float x[CHUNK], got[CHUNK];
  static double want[CHUNK], error[CHUNK];
  const tenon_gelu_attrs attrs = {.approximate = false};
  int32_t dims[] = {CHUNK};
  tenon_tensor in = {x, dims, NULL, NULL, TENON_F32, 1, 0}, out = in;
  tenon_call c = {
      .in = &in, .out = &out, .attrs = &attrs, .n_in = 1, .n_out = 1};
  const char *symbol = "";
  tenon_run_range_fn *run = kernel_of(wants[row].name, is_reference, &symbol);
  double worst = -1;
  float at = 0;
  fprintf(stderr, "%s\n", symbol);
  out.data = got;
  for (uint64_t i = 0; i < UINT64_C(1) << 32; i += CHUNK * stride) {
    bool has_worse = false;
    for (uint64_t k = 0; k < CHUNK; ++k) {
      const uint32_t bits = (uint32_t)(i + k * stride);
      memcpy(&x[k], &bits, sizeof bits);
    }
    if (run(&c, 0, CHUNK) != TENON_OK) exit(1);
    wants[row].want(x, want);
    rough(got, want, error);
    for (int k = 0; k < CHUNK; ++k)
      has_worse |= !(error[k] <= worst);
    for (int k = 0; k < CHUNK && has_worse; ++k) {
      if (error[k] <= worst) continue;
      const double e = ulps(got[k], want[k]);
      if (e <= worst) continue;
      worst = e;
      at = x[k];
    }
  }
  printf("| `%s` | %.3f | %.9g (`%a`) |\n", wants[row].name, worst, (double)at,
         (double)at);
  fflush(stdout);
}

int main(int argc, char **argv) {
  uint64_t stride = 1;
  bool is_reference = false;
  int first = 1;
  for (; first < argc && argv[first][0] == '-'; ++first) {
    if (strcmp(argv[first], "--reference") == 0)
      is_reference = true;
    else if (strcmp(argv[first], "--stride") == 0 && first + 1 < argc)
      stride = strtoull(argv[++first], NULL, 10);
    else
      stride = 0;
  }
  if (stride == 0) {
    fputs("bench_functions [--stride N] [--reference] [NAME...]\n", stderr);
    return 2;
  }
  for (size_t i = 0; i < sizeof wants / sizeof *wants; ++i) {
    bool is_asked = first == argc;
    for (int k = first; k < argc; ++k)
      is_asked |= strcmp(argv[k], wants[i].name) == 0;
    if (is_asked) measure(i, stride, is_reference);
  }
  return 0;
}
