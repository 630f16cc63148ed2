// core_planes.c - pools over planes: core::avg_pool3d, core::max_pool3d and
// their adaptive forms.
#include "kern/op/planes.h"

#include <inttypes.h>

#include "ops/core/core_rule.h"

static tenon_status check_planes(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->rank != 4)
    return tenon_infer_fail(c, "x has rank %d, expected 4", x->rank);
  for (int i = 1; i < 4; ++i) {
    if (!tenon_core_some(c, x->dims[i]))
      return tenon_infer_fail(c, "dimension %d of x has no elements", i);
  }
  return TENON_OK;
}

static tenon_status slide(tenon_infer *c, tenon_ints window, tenon_ints stride,
                          tenon_ints pad, tenon_ints dilation, tenon_dim *out) {
  const tenon_type *x = tenon_infer_in(c, 0);
  TENON_TRY(check_planes(c));
  TENON_TRY(tenon_core_check_ints(c, "window", window, 3, 1));
  TENON_TRY(tenon_core_check_ints(c, "stride", stride, 3, 1));
  TENON_TRY(tenon_core_check_ints(c, "pad", pad, 6, 0));
  out[0] = x->dims[0];
  for (int i = 0; i < 3; ++i)
    TENON_TRY(tenon_core_slide(
        c, x->dims[1 + i], window.data[i], dilation.data ? dilation.data[i] : 1,
        stride.data[i], pad.data[i] + pad.data[i + 3], &out[1 + i]));
  return TENON_OK;
}

// Values, and where they lie.
static tenon_status give_two(tenon_infer *c, const tenon_dim *dims) {
  const tenon_type *x = tenon_infer_in(c, 0);
  const tenon_type at = {.dims = dims, .dtype = TENON_S64, .rank = 4};
  TENON_TRY(tenon_core_result(c, dims, 4, x, false));
  return tenon_infer_out(c, 1, &at);
}

static tenon_status max_infer(tenon_infer *c) {
  const tenon_max_pool3d_attrs *a = tenon_infer_attrs(c);
  tenon_dim dims[4];
  TENON_TRY(tenon_core_check_ints(c, "dilation", a->dilation, 3, 1));
  TENON_TRY(slide(c, a->window, a->stride, a->pad, a->dilation, dims));
  return give_two(c, dims);
}

static tenon_status avg_infer(tenon_infer *c) {
  const tenon_avg_pool3d_attrs *a = tenon_infer_attrs(c);
  const tenon_ints none = {NULL, 0};
  tenon_dim dims[4];
  TENON_TRY(slide(c, a->window, a->stride, a->pad, none, dims));
  if (a->divisor.has && a->divisor.value == 0)
    return tenon_infer_fail(c, "'divisor' is 0");
  return tenon_core_result(c, dims, 4, tenon_infer_in(c, 0), false);
}

static tenon_status adaptive_dims(tenon_infer *c, tenon_dim *dims) {
  const tenon_adaptive_pool3d_attrs *a = tenon_infer_attrs(c);
  TENON_TRY(check_planes(c));
  TENON_TRY(tenon_core_check_ints(c, "size", a->size, 3, 0));
  dims[0] = tenon_infer_in(c, 0)->dims[0];
  for (int i = 0; i < 3; ++i)
    dims[1 + i] = tenon_core_dim(a->size.data[i]);
  return TENON_OK;
}
static tenon_status adaptive_avg_infer(tenon_infer *c) {
  tenon_dim dims[4];
  TENON_TRY(adaptive_dims(c, dims));
  return tenon_core_result(c, dims, 4, tenon_infer_in(c, 0), false);
}
static tenon_status adaptive_max_infer(tenon_infer *c) {
  tenon_dim dims[4];
  TENON_TRY(adaptive_dims(c, dims));
  return give_two(c, dims);
}

static int64_t plane_items(const tenon_call *c) {
  return tenon_count(&c->out[0]) ? c->out[0].dims[0] : 0;
}

#define KERNEL(name, t, results) \
  CORE_KERNEL_RANGE(name##_##t##_ref, plane_items, #t " -> " #t results)
KERNEL(avg_pool3d, f32, "");
KERNEL(avg_pool3d, f64, "");
KERNEL(avg_pool3d, s64, "");
KERNEL(max_pool3d, f32, ", s64");
KERNEL(max_pool3d, f64, ", s64");
KERNEL(max_pool3d, s64, ", s64");
KERNEL(adaptive_avg_pool3d, f32, "");
KERNEL(adaptive_avg_pool3d, f64, "");
KERNEL(adaptive_max_pool3d, f32, ", s64");
KERNEL(adaptive_max_pool3d, f64, ", s64");

static const tenon_field adaptive_fields[] =
    TENON_FIELDS(tenon_adaptive_pool3d_attrs, size);

CORE_OPERATOR(
    avg_pool3d, avg_infer,
    (CORE_K(avg_pool3d_f32_ref), CORE_K(avg_pool3d_f64_ref),
     CORE_K(avg_pool3d_s64_ref)),
    "(Tensor x, *, int[3] window, int[3] stride=1, int[6] pad=0, bool "
    "count_pad=False, int? divisor=None) -> Tensor",
    "Means of windows over planes, [planes, d, h, w].\n"
    "With count_pad, padding counts, behind as much as there is before.",
    CORE_MEMBERS(tenon_avg_pool3d_attrs, window, stride, pad, count_pad,
                 divisor));

CORE_OPERATOR(max_pool3d, max_infer,
              (CORE_K(max_pool3d_f32_ref), CORE_K(max_pool3d_f64_ref),
               CORE_K(max_pool3d_s64_ref)),
              "(Tensor x, *, int[3] window, int[3] stride=1, int[6] pad=0, "
              "int[3] dilation=1) -> (Tensor y, Tensor at)",
              "Maxima of windows over planes, [planes, d, h, w].\n"
              "The second result says where each lies in its plane.",
              CORE_MEMBERS(tenon_max_pool3d_attrs, window, stride, pad,
                           dilation));

CORE_OPERATOR(
    adaptive_avg_pool3d, adaptive_avg_infer,
    (CORE_K(adaptive_avg_pool3d_f32_ref), CORE_K(adaptive_avg_pool3d_f64_ref)),
    "(Tensor x, *, int[3] size) -> Tensor",
    "Means of as many windows as asked for, over planes.\n"
    "Window i is from floor(i * in / out) to ceil((i + 1) * in / out).",
    CORE_ATTRS(tenon_adaptive_pool3d_attrs, adaptive_fields));

CORE_OPERATOR(adaptive_max_pool3d, adaptive_max_infer,
              (CORE_K(adaptive_max_pool3d_f32_ref),
               CORE_K(adaptive_max_pool3d_f64_ref)),
              "(Tensor x, *, int[3] size) -> (Tensor y, Tensor at)",
              "Maxima of as many windows as asked for, over planes.\n"
              "Windows are those of core::adaptive_avg_pool3d; the second "
              "result says where each maximum lies in its plane.",
              CORE_ATTRS(tenon_adaptive_pool3d_attrs, adaptive_fields));
