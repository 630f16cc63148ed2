// core_sample.c - core::resample and core::grid_sample: elements between
// elements.
#include <inttypes.h>

#include "kern/op/grid.h"
#include "kern/op/resample.h"
#include "kern/op/resize.h"
#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"
#include "ops/core/fast/core_fast_host.h"

// --- resample ----------------------------------------------------------------

static tenon_status resample_infer(tenon_infer *c) {
  const tenon_resample_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *index = tenon_infer_in(c, 1);
  tenon_dim dims[TENON_MAX_RANK];
  int axis;
  TENON_TRY(tenon_core_check_axis(c, a->axis, x->rank, &axis));
  TENON_TRY(tenon_core_shapes(c, "x, index[n,taps], weight[n,taps]"));
  if (!tenon_core_some(c, index->dims[1]))
    return tenon_infer_fail(c, "an element of nothing");
  for (int d = 0; d < x->rank; ++d)
    dims[d] = x->dims[d];
  dims[axis] = index->dims[0];
  return tenon_core_result(c, dims, x->rank, x, false);
}

static int64_t resample_items(const tenon_call *c) {
  const tenon_resample_attrs *a = c->attrs;
  const tenon_tensor *y = &c->out[0];
  int axis = (int)(a->axis < 0 ? a->axis + y->rank : a->axis);
  int64_t n = 1;
  if (tenon_count(y) == 0) return 0;
  for (int d = 0; d <= axis; ++d)
    n *= y->dims[d];
  return n;
}

// What an index says may be wrong, so these can fail.
#define KERNEL(name, t, its_types, its_items)   \
  CORE_KERNEL(name##_##t##_ref) = {             \
      .struct_size = sizeof(tenon_kernel_desc), \
      .symbol = "tenon_k_" #name "_" #t "_ref", \
      .types = its_types,                       \
      .run_range = tenon_k_##name##_##t##_ref,  \
      .items = its_items,                       \
      .source = &tenon_source_##name##_##t##_ref_c}
KERNEL(resample, f32, "f32, s32, f32 -> f32", resample_items);
KERNEL(resample, f64, "f64, s32, f64 -> f64", resample_items);

#define FAST(isa)                                                            \
  CORE_KERNEL(resample_f32_##isa) = {                                        \
      CORE_FAST(resample_f32_##isa, resample_items), .op = "core::resample", \
      .types = "f32, s32, f32 -> f32", CORE_FAST_ON(isa)}
FAST_WIDE(FAST);

CORE_OPERATOR(resample, resample_infer,
              (CORE_K(resample_f32_ref), CORE_K(resample_f64_ref)),
              "(Tensor x, Tensor index, Tensor weight, *, int axis) -> Tensor",
              "Weighted sums of a few elements along an axis.\n"
              "index and weight are [n, taps]; element i of the result is the "
              "sum of weight[i, k] times element index[i, k] of x.",
              CORE_MEMBERS(tenon_resample_attrs, axis));

// --- resize_bilinear ---------------------------------------------------------

static tenon_status core_sample_resize_infer(tenon_infer *c) {
  const tenon_resize_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->rank != 4)
    return tenon_infer_fail(c, "x has rank %d, expected 4", x->rank);
  if (a->align_corners && a->half_pixel_centers)
    return tenon_infer_fail(
        c, "both align_corners and half_pixel_centers are set");
  tenon_dim dims[] = {x->dims[0], c->api->size(c, "size", 0),
                      c->api->size(c, "size", 1), x->dims[3]};
  const tenon_dim most = tenon_core_dim(1 << 20);
  for (int i = 1; i < 3; ++i) {
    // Places are within 32 bits.
    if (!tenon_core_some(c, x->dims[i]) || !tenon_core_some(c, dims[i]) ||
        !tenon_core_at_most(c, x->dims[i], most) ||
        !tenon_core_at_most(c, dims[i], most))
      return tenon_infer_fail(c, "%" PRId64 " elements become %" PRId64,
                              x->dims[i].value, dims[i].value);
  }
  return tenon_core_result(c, dims, 4, x, true);
}

static int64_t resize_rows(const tenon_call *c) {
  const int32_t *y = c->out[0].dims;
  return tenon_count(&c->out[0]) ? (int64_t)y[0] * y[1] : 0;
}

#define RESIZE_KERNEL(t, its_types) \
  CORE_KERNEL_RANGE(resize_bilinear_##t##_ref, resize_rows, its_types)
RESIZE_KERNEL(s8, "s8q -> s8q");
RESIZE_KERNEL(s16q, "s16q -> s16q");
RESIZE_KERNEL(u8, "u8q -> u8q");
CORE_LIST(resize_bilinear, CORE_K(resize_bilinear_s8_ref),
          CORE_K(resize_bilinear_s16q_ref), CORE_K(resize_bilinear_u8_ref));

CORE_OP(resize_bilinear) = {
    CORE_OP_HEADER,
    .schema =
        "core::resize_bilinear(Tensor x, *, SymInt[2] size, bool "
        "align_corners=False, bool half_pixel_centers=False) -> Tensor",
    .doc =
        "Quantised images [n, h, w, c] of another size, in integers; of "
        "unsigned "
        "bytes in floats.\n"
        "Floats are core::resample along each axis.",
    CORE_MEMBERS(tenon_resize_attrs, size, align_corners, half_pixel_centers),
    .infer = core_sample_resize_infer,
    CORE_KERNELS(resize_bilinear),
};

// --- grid_sample -------------------------------------------------------------

static tenon_status grid_infer(tenon_infer *c) {
  const tenon_grid_sample_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  TENON_TRY(
      tenon_core_shapes(c, "x[n,k,_,_,_], grid[n,d,h,w,_] -> x[n,k,d,h,w]"));
  const tenon_dim axes = tenon_infer_in(c, 1)->dims[4];
  if (a->mode < 0 || a->mode > 2 || a->padding < 0 || a->padding > 2)
    return tenon_infer_fail(c, "mode %" PRId64 " with padding %" PRId64,
                            a->mode, a->padding);
  if (!tenon_core_equal(c, axes, tenon_core_dim(3)) &&
      !(tenon_core_equal(c, axes, tenon_core_dim(2)) &&
        tenon_core_equal(c, x->dims[2], tenon_core_dim(1))))
    return tenon_infer_fail(c,
                            "points of %" PRId64
                            " numbers, expected 3, or 2 "
                            "where x has one plane",
                            axes.value);
  for (int i = 1; i < 5; ++i) {
    if (!tenon_core_some(c, x->dims[i]))
      return tenon_infer_fail(c, "dimension %d of x has no elements", i);
  }
  return TENON_OK;
}

static int64_t point_items(const tenon_call *c) {
  const int32_t *y = c->out[0].dims;
  return (int64_t)y[0] * y[2] * y[3] * y[4];
}

#define GRID_KERNEL(t) \
  CORE_KERNEL_RANGE(grid_sample_##t##_ref, point_items, #t ", " #t " -> " #t)
GRID_KERNEL(f32);
GRID_KERNEL(f64);

#define FAST_GRID(isa)                                       \
  CORE_KERNEL(grid_sample_f32_##isa) = {                     \
      CORE_FAST(grid_sample_f32_##isa, point_items),         \
      .op = "core::grid_sample", .types = "f32, f32 -> f32", \
      CORE_FAST_ON(isa)}
FAST_WIDE(FAST_GRID);

CORE_OPERATOR(
    grid_sample, grid_infer,
    (CORE_K(grid_sample_f32_ref), CORE_K(grid_sample_f64_ref)),
    "(Tensor x, Tensor grid, *, int mode=0, int padding=0, bool "
    "align_corners=False) -> Tensor",
    "Elements of volumes [n, c, d, h, w] at the points of a grid [n, "
    "d', h', w', 3], between -1 and 1,\nor of planes (d is 1) at points of "
    "two numbers.\n"
    "mode: 0 linear, 1 nearest, 2 cubic in h and w; padding: 0 "
    "zeros, 1 the border, 2 reflected.",
    CORE_MEMBERS(tenon_grid_sample_attrs, mode, padding, align_corners));
