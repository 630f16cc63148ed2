// core_fourier.c - Fourier transforms of real images, and of rows of complex
// numbers, whose parts are tensors of their own; complex numbers of their parts
// and the other way round.
#include "kern/num/fourier.h"

#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"

static bool is_power_of_two(int64_t n) {
  return n > 0 && n <= 1 << 24 && (n & (n - 1)) == 0;
}

static tenon_status rfft2_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  if (x->dtype != TENON_F32) return tenon_infer_fail(c, "x is not f32");
  if (x->rank < 2) return tenon_infer_fail(c, "x has no images");
  for (int i = 0; i < 2; ++i) {
    const tenon_dim n = c->api->size(c, "size", i);
    if (!n.symbol && !is_power_of_two(n.value))
      return tenon_infer_fail(c, "size %lld is no power of two from 1 to 2^24",
                              (long long)n.value);
    dims[x->rank - 2 + i] = n;
  }
  for (int d = 0; d < x->rank - 2; ++d)
    dims[d] = x->dims[d];
  tenon_dim *columns = &dims[x->rank - 1];
  *columns = c->api->dim(c, TENON_DIM_DIV, *columns, tenon_core_dim(2));
  *columns = c->api->dim(c, TENON_DIM_ADD, *columns, tenon_core_dim(1));
  return tenon_core_out(c, 0, TENON_C64, dims, x->rank);
}

static int64_t fourier_images(const tenon_call *c) {
  int64_t n = 1;
  for (int d = 0; d < c->in[0].rank - 2; ++d)
    n *= c->in[0].dims[d];
  return n;
}

static size_t rfft2_scratch(const tenon_call *c, int64_t items) {
  const tenon_rfft2_attrs *a = c->attrs;
  (void)items;
  return (size_t)tenon_rfft2_scratch((ptrdiff_t)a->size.data[0],
                                     (ptrdiff_t)a->size.data[1]) *
         sizeof(double);
}

// --- Rows --------------------------------------------------------------------

static tenon_status fourier_check(tenon_infer *c, const char *what,
                                  tenon_dim n) {
  if (!n.symbol && (n.value < 1 || n.value > TENON_FOURIER_MOST))
    return tenon_infer_fail(c, "%s %lld, expected 1 to 2^24", what,
                            (long long)n.value);
  return TENON_OK;
}

static tenon_dim fourier_half(tenon_infer *c, tenon_dim n) {
  const tenon_dim half = c->api->dim(c, TENON_DIM_DIV, n, tenon_core_dim(2));
  return c->api->dim(c, TENON_DIM_ADD, half, tenon_core_dim(1));
}

static tenon_status fourier_infer(tenon_infer *c) {
  const tenon_fourier_attrs *a = tenon_infer_attrs(c);
  tenon_shapes s = {0};
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->rank > 0) {
    const tenon_dim n = x->dims[x->rank - 1];
    TENON_TRY(fourier_check(c, "columns:", n));
    tenon_shapes_set(&s, "k", a->half ? fourier_half(c, n) : n);
  }
  return tenon_core_shapes_with(
      c, &s, "re f32[...,n], im? f32[...,n] -> f32[...,k], f32[...,k]");
}

static tenon_status fourier_real_infer(tenon_infer *c) {
  const tenon_dim n = c->api->size(c, "size", 0);
  tenon_shapes s = {0};
  TENON_TRY(fourier_check(c, "size", n));
  tenon_shapes_set(&s, "n", n);
  tenon_shapes_set(&s, "k", fourier_half(c, n));
  return tenon_core_shapes_with(c, &s,
                                "re f32[...,k], im f32[...,k] -> f32[...,n]");
}

static size_t fourier_scratch(const tenon_call *c, int64_t items) {
  const ptrdiff_t n = (ptrdiff_t)c->in[0].dims[c->in[0].rank - 1];
  (void)items;
  return (size_t)tenon_fourier_scratch(n) * sizeof(double);
}

static size_t fourier_real_scratch(const tenon_call *c, int64_t items) {
  const tenon_fourier_real_attrs *a = c->attrs;
  (void)items;
  return (size_t)tenon_fourier_scratch((ptrdiff_t)a->size) * sizeof(double);
}

CORE_KERNEL_RANGE(fourier_f32_ref, tenon_core_last_rows,
                  "f32, f32? -> f32, f32", .scratch = fourier_scratch);
CORE_OPERATOR(fourier, fourier_infer, (CORE_K(fourier_f32_ref)),
              "(Tensor re, Tensor? im=None, *, bool inverse=False, bool "
              "half=False, float scale=1.0) -> (Tensor, Tensor)",
              "Fourier transform of rows [..., n] of complex numbers, by their "
              "parts, times `scale`.\n"
              "With `half` the first n / 2 + 1 columns are the result, which "
              "say all where there is no `im`.",
              CORE_MEMBERS(tenon_fourier_attrs, scale, inverse, half));

CORE_KERNEL_RANGE(fourier_real_f32_ref, tenon_core_last_rows, "f32, f32 -> f32",
                  .scratch = fourier_real_scratch);
CORE_OPERATOR(fourier_real, fourier_real_infer, (CORE_K(fourier_real_f32_ref)),
              "(Tensor re, Tensor im, *, SymInt size, float scale=1.0) -> "
              "Tensor",
              "Inverse Fourier transform to real rows [..., size], times "
              "`scale`, of the first size / 2 + 1 columns of complex ones.",
              CORE_MEMBERS(tenon_fourier_real_attrs, scale, size));

// --- Parts -------------------------------------------------------------------

CORE_SHAPES(complex_infer, "re f32[...], im f32[...] -> c64[...]")

CORE_KERNEL_RANGE(complex_c64_ref, tenon_core_items, "f32, f32 -> c64");
CORE_OPERATOR(complex, complex_infer, (CORE_K(complex_c64_ref)),
              "(Tensor re, Tensor im) -> Tensor",
              "Complex numbers of their real and imaginary parts.");

CORE_SHAPES(part_infer, "x c64[...] -> f32[...]")

CORE_KERNEL_FAILING_RANGE(rfft2_f32_ref, fourier_images, "f32 -> c64",
                          .scratch = rfft2_scratch);
CORE_OPERATOR(rfft2, rfft2_infer, (CORE_K(rfft2_f32_ref)),
              "(Tensor x, *, SymInt[2] size) -> Tensor",
              "Fourier transform of real images [..., h, w], to c64.\n"
              "Images are cut or filled with zeros to `size`, powers of two; "
              "of its columns the first size[1] / 2 + 1 are the result.",
              CORE_MEMBERS(tenon_rfft2_attrs, size));

#define PART(name, text)                                                   \
  CORE_KERNEL_RANGE(name##_c64_ref, tenon_core_items, "c64 -> f32");       \
  CORE_LIST(name, CORE_K(name##_c64_ref));                                 \
  CORE_OP(name) = {                                                        \
      CORE_OP_HEADER,     .schema = "core::" #name "(Tensor x) -> Tensor", \
      .doc = text,        .infer = part_infer,                             \
      CORE_KERNELS(name),                                                  \
  }

PART(real, "Real parts of complex numbers.");
PART(imag, "Imaginary parts of complex numbers.");
PART(complex_abs, "Magnitudes of complex numbers.");
