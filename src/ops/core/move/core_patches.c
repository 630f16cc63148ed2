// core_patches.c - core::im2col, core::col2im and core::embedding_bag.
#include "kern/op/patches.h"

#include <inttypes.h>

#include "kern/op/bags.h"
#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"

// --- im2col ------------------------------------------------------------------

static tenon_status patches_check_window(tenon_infer *c, tenon_ints window,
                                         tenon_ints dilation, tenon_ints pad,
                                         tenon_ints stride) {
  TENON_TRY(tenon_core_check_ints(c, "window", window, 2, 1));
  TENON_TRY(tenon_core_check_ints(c, "dilation", dilation, 2, 1));
  TENON_TRY(tenon_core_check_ints(c, "pad", pad, 2, 0));
  return tenon_core_check_ints(c, "stride", stride, 2, 1);
}

static tenon_status im2col_infer(tenon_infer *c) {
  const tenon_im2col_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim windows[2];
  TENON_TRY(patches_check_window(c, a->window, a->dilation, a->pad, a->stride));
  if (x->rank != 4)
    return tenon_infer_fail(c, "x has rank %d, expected 4", x->rank);
  for (int i = 0; i < 2; ++i)
    TENON_TRY(tenon_core_slide(c, x->dims[2 + i], a->window.data[i],
                               a->dilation.data[i], a->stride.data[i],
                               2 * a->pad.data[i], &windows[i]));
  const int64_t taps = a->window.data[0] * a->window.data[1];
  const tenon_dim dims[] = {
      x->dims[0],
      c->api->dim(c, TENON_DIM_MUL, x->dims[1], tenon_core_dim(taps)),
      c->api->dim(c, TENON_DIM_MUL, windows[0], windows[1])};
  return tenon_core_result(c, dims, 3, x, true);
}

static int64_t patches_channel_items(const tenon_call *c) {
  if (tenon_count(&c->out[0]) == 0) return 0;
  return (int64_t)c->in[0].dims[0] * c->in[0].dims[1];
}

CORE_KERNEL_RANGE(im2col_ref, patches_channel_items, "T -> T",
                  .match = tenon_core_whole_bytes);

CORE_OPERATOR(
    im2col, im2col_infer, (CORE_K(im2col_ref)),
    "(Tensor x, *, int[2] window, int[2] dilation=1, int[2] pad=0, int[2] "
    "stride=1) -> Tensor",
    "Windows of images [n, c, h, w] as columns [n, c * kh * kw, windows].\n"
    "Outside of the image is zero.",
    CORE_MEMBERS(tenon_im2col_attrs, window, dilation, pad, stride));

// --- col2im ------------------------------------------------------------------

static tenon_status col2im_infer(tenon_infer *c) {
  const tenon_col2im_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  int64_t windows = 1;
  TENON_TRY(patches_check_window(c, a->window, a->dilation, a->pad, a->stride));
  TENON_TRY(tenon_core_check_ints(c, "size", a->size, 2, 1));
  if (x->rank != 3)
    return tenon_infer_fail(c, "x has rank %d, expected 3", x->rank);
  const int64_t taps = a->window.data[0] * a->window.data[1];
  for (int i = 0; i < 2; ++i) {
    tenon_dim n;
    TENON_TRY(tenon_core_slide(c, tenon_core_dim(a->size.data[i]),
                               a->window.data[i], a->dilation.data[i],
                               a->stride.data[i], 2 * a->pad.data[i], &n));
    windows *= n.value;
  }
  tenon_dim planes =
      c->api->dim(c, TENON_DIM_DIV, x->dims[1], tenon_core_dim(taps));
  tenon_dim whole = c->api->dim(c, TENON_DIM_MUL, planes, tenon_core_dim(taps));
  if (!tenon_core_equal(c, x->dims[2], tenon_core_dim(windows)) ||
      !tenon_core_equal(c, x->dims[1], whole))
    return tenon_infer_fail(c,
                            "columns %" PRId64 " by %" PRId64
                            ", expected a multiple of %" PRId64 " by %" PRId64,
                            x->dims[1].value, x->dims[2].value, taps, windows);
  const tenon_dim dims[] = {x->dims[0], planes, tenon_core_dim(a->size.data[0]),
                            tenon_core_dim(a->size.data[1])};
  return tenon_core_result(c, dims, 4, x, false);
}

#define COL2IM_KERNEL(t) \
  CORE_KERNEL_RANGE(col2im_##t##_ref, tenon_core_lines, #t " -> " #t)
COL2IM_KERNEL(f32);
COL2IM_KERNEL(f64);

CORE_OPERATOR(
    col2im, col2im_infer, (CORE_K(col2im_f32_ref), CORE_K(col2im_f64_ref)),
    "(Tensor x, *, int[2] size, int[2] window, int[2] dilation=1, int[2] "
    "pad=0, int[2] stride=1) -> Tensor",
    "Columns [n, c * kh * kw, windows] added up to images [n, c, h, w].\n"
    "What falls outside of the image is dropped.",
    CORE_MEMBERS(tenon_col2im_attrs, size, window, dilation, pad, stride));

// --- embedding_bag -----------------------------------------------------------

static tenon_status bag_infer(tenon_infer *c) {
  const tenon_embedding_bag_attrs *a = tenon_infer_attrs(c);
  const bool has_factor = tenon_infer_in(c, 3) != NULL;
  if (a->mode < 0 || a->mode > 2 || (has_factor && a->mode != 0))
    return tenon_infer_fail(c, "mode %" PRId64 "%s", a->mode,
                            has_factor ? " with factors" : "");
  return tenon_core_shapes(c,
                           "w[_,d], index[n], offset[b], factor?[n] -> w[b,d]");
}

#define BAG_KERNEL(t)                               \
  CORE_KERNEL(embedding_bag_##t##_ref) = {          \
      .struct_size = sizeof(tenon_kernel_desc),     \
      .symbol = "tenon_k_embedding_bag_" #t "_ref", \
      .types = #t ", s64, s64, " #t "? -> " #t,     \
      .run_range = tenon_k_embedding_bag_##t##_ref, \
      .items = tenon_core_images,                   \
      .source = &tenon_source_embedding_bag_##t##_ref_c}
BAG_KERNEL(f32);
BAG_KERNEL(f64);

CORE_OPERATOR(
    embedding_bag, bag_infer,
    (CORE_K(embedding_bag_f32_ref), CORE_K(embedding_bag_f64_ref)),
    "(Tensor w, Tensor index, Tensor offset, Tensor? factor=None, *, int "
    "mode=0, int padding=-1) -> Tensor",
    "Rows of a table for each bag of indices: 0 their sum, 1 their mean, 2 "
    "their largest.\n"
    "Bag i begins at offset[i]; an index that is `padding` counts nothing.",
    CORE_MEMBERS(tenon_embedding_bag_attrs, mode, padding));
