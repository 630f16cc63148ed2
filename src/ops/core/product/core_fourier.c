// core_fourier.c - Fourier transforms of real images, and the parts of complex
// numbers, which exist for these alone.
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
