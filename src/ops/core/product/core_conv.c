// core_conv.c - core::conv, core::depthwise_conv and core::fully_connected.
//
// Each has three reference kernels: floats, quantised integers, and floats with
// quantised weights ("hybrid"). The first two need no more than their operands
// and, for integers, the factors packed here.
#include "kern/product/conv.h"

#include <inttypes.h>

#include "kern/loop/element.h"
#include "kern/loop/window.h"
#include "ops/core/core_rule.h"
#include "ops/core/element/core_factor.h"

// tenon_conv_window reads those of either operator.
#define SAME_PLACE(member)                                         \
  _Static_assert(offsetof(tenon_conv_attrs, member) ==             \
                     offsetof(tenon_depthwise_conv_attrs, member), \
                 "attributes of windows begin alike")
SAME_PLACE(stride);
SAME_PLACE(pad);
SAME_PLACE(dilation);

// --- Shape rules -------------------------------------------------------------

static tenon_status conv_check_operands(tenon_infer *c, int w_rank) {
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  if (w->rank != w_rank)
    return tenon_infer_fail(c, "w has rank %d, expected %d", w->rank, w_rank);
  for (int d = 0; d < w_rank; ++d) {
    if (w->dims[d].symbol)
      return tenon_infer_fail(c, "dimension %d of w must be known", d);
  }
  if (w_rank == 4 && x->rank != 4)
    return tenon_infer_fail(c, "x has rank %d, expected 4", x->rank);
  return TENON_OK;
}

static tenon_status check_vector(tenon_infer *c, int operand, const char *name,
                                 tenon_dim channels) {
  const tenon_type *v = tenon_infer_in(c, operand);
  if (v && (v->rank != 1 || !tenon_core_equal(c, v->dims[0], channels)))
    return tenon_infer_fail(
        c, "%s must have one entry for each of %" PRId64 " channels", name,
        channels.value);
  return TENON_OK;
}

// What is done to sums: `scale` and `shift` to those of floats alone.
tenon_status tenon_core_check_tail(tenon_infer *c, tenon_dim channels) {
  const tenon_type *scale = tenon_infer_in(c, 3), *shift = tenon_infer_in(c, 4);
  TENON_TRY(check_vector(c, 2, "bias", channels));
  TENON_TRY(check_vector(c, 3, "scale", channels));
  TENON_TRY(check_vector(c, 4, "shift", channels));
  if (shift && !scale)
    return tenon_infer_fail(c, "'shift' without 'scale', expected 'bias'");
  if (scale && (!tenon_core_is_plain_f32(scale) ||
                (shift && !tenon_core_is_plain_f32(shift)) ||
                !tenon_core_is_plain_f32(tenon_infer_in(c, 0)) ||
                !tenon_core_is_plain_f32(tenon_infer_in(c, 1))))
    return tenon_infer_fail(
        c, "'scale' and 'shift' are for floats of 32 bits alone");
  return TENON_OK;
}

// Height and width of the result; dims[0] and dims[3] are the caller's.
static tenon_status infer_window(tenon_infer *c, tenon_ints stride,
                                 tenon_ints pad, tenon_ints dilation,
                                 tenon_dim *dims) {
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  TENON_TRY(tenon_core_check_ints(c, "stride", stride, 2, 1));
  TENON_TRY(tenon_core_check_ints(c, "pad", pad, 4, 0));
  TENON_TRY(tenon_core_check_ints(c, "dilation", dilation, 2, 1));
  dims[0] = x->dims[0];
  for (int i = 0; i < 2; ++i)
    TENON_TRY(tenon_core_slide(c, x->dims[1 + i], w->dims[1 + i].value,
                               dilation.data[i], stride.data[i],
                               pad.data[i] + pad.data[i + 2], &dims[1 + i]));
  return TENON_OK;
}

static tenon_status conv_infer(tenon_infer *c) {
  const tenon_conv_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  tenon_dim dims[4];
  TENON_TRY(conv_check_operands(c, 4));
  TENON_TRY(infer_window(c, a->stride, a->pad, a->dilation, dims));
  if (a->groups < 1 || w->dims[0].value % a->groups)
    return tenon_infer_fail(c,
                            "%" PRId64 " output channels in %" PRId64 " groups",
                            w->dims[0].value, a->groups);
  tenon_dim depth =
      c->api->dim(c, TENON_DIM_MUL, w->dims[3], tenon_core_dim(a->groups));
  if (!tenon_core_equal(c, x->dims[3], depth))
    return tenon_infer_fail(c, "x has %" PRId64 " channels, w is for %" PRId64,
                            x->dims[3].value, depth.value);
  dims[3] = w->dims[0];
  TENON_TRY(tenon_core_check_tail(c, dims[3]));
  return tenon_core_result(c, dims, 4, x, false);
}

static tenon_status depthwise_infer(tenon_infer *c) {
  const tenon_depthwise_conv_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  tenon_dim dims[4];
  TENON_TRY(conv_check_operands(c, 4));
  TENON_TRY(infer_window(c, a->stride, a->pad, a->dilation, dims));
  if (!tenon_core_equal(c, w->dims[0], tenon_core_dim(1)))
    return tenon_infer_fail(c, "w begins with %" PRId64 ", expected 1",
                            w->dims[0].value);
  dims[3] = w->dims[3];
  if (x->dims[3].symbol)
    return tenon_infer_fail(c, "the number of x's channels must be known");
  if (x->dims[3].value == 0 || dims[3].value % x->dims[3].value != 0)
    return tenon_infer_fail(
        c, "%" PRId64 " output channels for %" PRId64 " input channels",
        dims[3].value, x->dims[3].value);
  TENON_TRY(tenon_core_check_tail(c, dims[3]));
  return tenon_core_result(c, dims, 4, x, false);
}

static tenon_status fully_connected_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  tenon_dim dims[TENON_MAX_RANK];
  TENON_TRY(conv_check_operands(c, 2));
  if (x->rank < 1)
    return tenon_infer_fail(c, "x has rank 0, expected at least 1");
  if (!tenon_core_equal(c, x->dims[x->rank - 1], w->dims[1]))
    return tenon_infer_fail(c, "x has rows of %" PRId64 ", w of %" PRId64,
                            x->dims[x->rank - 1].value, w->dims[1].value);
  for (int d = 0; d < x->rank - 1; ++d)
    dims[d] = x->dims[d];
  dims[x->rank - 1] = w->dims[0];
  TENON_TRY(tenon_core_check_tail(c, w->dims[0]));
  return tenon_core_result(c, dims, x->rank, x, false);
}

// --- Kernels -----------------------------------------------------------------

static int64_t row_extent(const tenon_call *c, int64_t *items) {
  *items = 1;
  return tenon_core_items(c) / tenon_core_lines(c);
}

// Rows of the result, over all images, are made one after the other, and their
// pixels too; a pixel reads nothing in front of its first tap.
static size_t window_overlap(const tenon_call *c, const tenon_window *g) {
  const ptrdiff_t unit = tenon_element_size(&c->in[0]);
  ptrdiff_t most = 0, lowest = PTRDIFF_MAX;
  for (ptrdiff_t row = (ptrdiff_t)tenon_core_lines(c); row-- > 0;) {
    tenon_taps ty = tenon_window_rows(g, row % g->out_h);
    ptrdiff_t image = row / g->out_h * g->h;
    for (ptrdiff_t ox = g->out_w; ox-- > 0;) {
      tenon_taps tx = tenon_window_columns(g, ox);
      ptrdiff_t line = image + ty.at + ty.begin * g->dil_y;
      ptrdiff_t first = (line * g->w + tx.at + tx.begin * g->dil_x) * g->c;
      if (ty.begin < ty.end && tx.begin < tx.end && first < lowest)
        lowest = first;
      ptrdiff_t written = (row * g->out_w + ox + 1) * g->out_c;
      if (lowest != PTRDIFF_MAX && written - lowest > most)
        most = written - lowest;
    }
  }
  return (size_t)(most * unit);
}
static size_t conv_overlap(const tenon_call *c) {
  const tenon_conv_attrs *a = c->attrs;
  const tenon_window g =
      tenon_window_of(&c->in[0], &c->out[0], c->in[1].dims[1], c->in[1].dims[2],
                      a->stride.data, a->pad.data, a->dilation.data);
  return window_overlap(c, &g);
}
static size_t depthwise_overlap(const tenon_call *c) {
  const tenon_depthwise_conv_attrs *a = c->attrs;
  const tenon_window g =
      tenon_window_of(&c->in[0], &c->out[0], c->in[1].dims[1], c->in[1].dims[2],
                      a->stride.data, a->pad.data, a->dilation.data);
  return window_overlap(c, &g);
}

// Rows of the result are made one after the other, each of one row of x, which
// is read again for every element: the last alone may lie over that row. All of
// it may where the row is copied first.
static size_t product_overlap(const tenon_call *c, bool copies) {
  const ptrdiff_t n = c->in[1].dims[0], depth = c->in[1].dims[1];
  const ptrdiff_t rows = n ? (ptrdiff_t)tenon_count(&c->out[0]) / n : 0;
  const ptrdiff_t drift = rows > 1 && n > depth ? (rows - 1) * (n - depth) : 0;
  const ptrdiff_t own = n > 0 && !copies ? n - 1 : 0;
  return (size_t)((drift + own) * tenon_element_size(&c->in[0]));
}
static size_t fully_connected_overlap(const tenon_call *c) {
  return product_overlap(c, false);
}
static size_t fully_connected_copy_overlap(const tenon_call *c) {
  return product_overlap(c, true);
}

static bool conv_match(const tenon_call *c) {
  return tenon_core_match_weights(&c->in[1], 0, c->in[0].quant != NULL);
}
static bool depthwise_match(const tenon_call *c) {
  return tenon_core_match_weights(&c->in[1], 3, c->in[0].quant != NULL);
}

#define PACK_FACTORS(name, T, how)                                          \
  static tenon_status name(const tenon_call *c, void *packed) {             \
    const T *a = (const T *)c->attrs;                                       \
    tenon_core_pack_requant(&c->in[0], &c->in[1], &c->out[0], a->lo, a->hi, \
                            how, packed);                                   \
    return TENON_OK;                                                        \
  }
#define TWICE (a->single_scale ? TENON_CORE_TWICE_SINGLE : TENON_CORE_TWICE)
PACK_FACTORS(conv_pack, tenon_conv_attrs, TWICE)
PACK_FACTORS(depthwise_pack, tenon_depthwise_conv_attrs, TWICE)
PACK_FACTORS(fully_connected_pack, tenon_fully_connected_attrs, TENON_CORE_ONCE)
PACK_FACTORS(fully_connected_wide_pack, tenon_fully_connected_attrs,
             TENON_CORE_AS_DOUBLE)
PACK_FACTORS(fully_connected_words_pack, tenon_fully_connected_attrs,
             c->in[1].quant->channels == 1 ? TENON_CORE_TWICE_SINGLE
                                           : TENON_CORE_TWICE)

// One image as integers.
static size_t image_scratch(const tenon_call *c, int64_t items) {
  const int32_t *dims = c->in[0].dims;
  (void)items;
  return (size_t)dims[1] * (size_t)dims[2] * (size_t)dims[3];
}
// One row as integers.
static size_t conv_row_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)c->in[1].dims[1];
}
// Sums of one pixel.
static size_t pixel_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)c->out[0].dims[3] * sizeof(int32_t);
}
static size_t pixel_and_image_scratch(const tenon_call *c, int64_t items) {
  return pixel_scratch(c, items) + image_scratch(c, items);
}

static int64_t conv_macs(const tenon_call *c) {
  const int32_t *w = c->in[1].dims;
  return tenon_core_items(c) * w[1] * w[2] * w[3];
}
static int64_t depthwise_macs(const tenon_call *c) {
  const int32_t *w = c->in[1].dims;
  return tenon_core_items(c) * w[1] * w[2];
}

#define TYPES_F32 "f32, f32, f32?, f32?, f32? -> f32"
#define TYPES_S8 "s8q, s8q|s8qc, s32|s32q|s32qc? -> s8q"
#define TYPES_S16 "s16q, s8q|s8qc, s64|s64q|s64qc? -> s16q"
#define TYPES_F32S8 "f32, s8q|s8qc, f32? -> f32"

// Zero points of 16-bit numbers and their weights are 0.
static bool conv_s16_match(const tenon_call *c) {
  return tenon_core_match_weights(&c->in[1], 0, false);
}
static bool depthwise_s16_match(const tenon_call *c) {
  return tenon_core_match_weights(&c->in[1], 3, false);
}

CORE_KERNEL_RANGE(conv_s16q_ref, tenon_core_lines, TYPES_S16,
                  .extent = row_extent, .match = conv_s16_match,
                  .pack_size = tenon_core_factors_size, .pack = conv_pack,
                  .overlap = conv_overlap);
CORE_KERNEL_RANGE(depthwise_conv_s16q_ref, tenon_core_lines, TYPES_S16,
                  .extent = row_extent, .match = depthwise_s16_match,
                  .pack_size = tenon_core_factors_size, .pack = depthwise_pack,
                  .overlap = depthwise_overlap);
CORE_KERNEL_RANGE(fully_connected_s16q_ref, tenon_core_items, TYPES_S16,
                  .match = conv_s16_match, .pack_size = tenon_core_factors_size,
                  .pack = fully_connected_wide_pack,
                  .overlap = fully_connected_overlap);

CORE_KERNEL_RANGE(fully_connected_s16s16q_ref, tenon_core_items,
                  "s16q, s16q|s16qc, s64|s64q|s64qc? -> s16q",
                  .match = conv_s16_match, .pack_size = tenon_core_factors_size,
                  .pack = fully_connected_words_pack,
                  .overlap = fully_connected_overlap);

CORE_KERNEL_RANGE(conv_f32_ref, tenon_core_lines, TYPES_F32,
                  .extent = row_extent, .overlap = conv_overlap);
CORE_KERNEL_RANGE(conv_s8_ref, tenon_core_lines, TYPES_S8, .extent = row_extent,
                  .match = conv_match, .pack_size = tenon_core_factors_size,
                  .pack = conv_pack, .overlap = conv_overlap);
CORE_KERNEL_RANGE(conv_f32s8_ref, tenon_core_lines, TYPES_F32S8,
                  .extent = row_extent, .match = conv_match,
                  .scratch = image_scratch);

CORE_KERNEL_RANGE(depthwise_conv_f32_ref, tenon_core_lines, TYPES_F32,
                  .extent = row_extent, .overlap = depthwise_overlap);
CORE_KERNEL_RANGE(depthwise_conv_s8_ref, tenon_core_lines, TYPES_S8,
                  .extent = row_extent, .match = depthwise_match,
                  .scratch = pixel_scratch,
                  .pack_size = tenon_core_factors_size, .pack = depthwise_pack,
                  .overlap = depthwise_overlap);
CORE_KERNEL_RANGE(depthwise_conv_f32s8_ref, tenon_core_lines, TYPES_F32S8,
                  .extent = row_extent, .match = depthwise_match,
                  .scratch = pixel_and_image_scratch);

CORE_KERNEL_RANGE(fully_connected_f32_ref, tenon_core_items, TYPES_F32,
                  .overlap = fully_connected_overlap);
CORE_KERNEL_RANGE(fully_connected_s8_ref, tenon_core_items, TYPES_S8,
                  .match = conv_match, .pack_size = tenon_core_factors_size,
                  .pack = fully_connected_pack,
                  .overlap = fully_connected_overlap);
CORE_KERNEL_RANGE(fully_connected_f32s8_ref, tenon_core_items, TYPES_F32S8,
                  .match = conv_match, .scratch = conv_row_scratch,
                  .overlap = fully_connected_copy_overlap);

// A row of floats.
static size_t float_row_scratch(const tenon_call *c, int64_t items) {
  return conv_row_scratch(c, items) * sizeof(float);
}
#define FULLY_CONNECTED_HALF(name, its_types, places)                          \
  CORE_KERNEL(name) = {CORE_RANGE(name, tenon_core_items), .types = its_types, \
                       .scratch = float_row_scratch,                           \
                       .overlap = fully_connected_copy_overlap};
TENON_KERNELS_fully_connected(FULLY_CONNECTED_HALF)
#undef FULLY_CONNECTED_HALF

    // --- Descriptors
    // -------------------------------------------------------------

    CORE_OPERATOR(
        conv, conv_infer,
        (CORE_K(conv_f32_ref), CORE_K(conv_s8_ref), CORE_K(conv_f32s8_ref),
         CORE_K(conv_s16q_ref)),
        "(Tensor x, Tensor w, Tensor? bias=None, Tensor? scale=None, Tensor? "
        "shift=None, *, int[2] stride=1, int[4] pad=0, int[2] dilation=1, int "
        "groups=1, bool asymmetric=False, bool single_scale=False, float? "
        "lo=None, "
        "float? hi=None) -> Tensor",
        "Convolves images with channels last.\n"
        "x is [n, h, w, c], w is [oc, kh, kw, c / groups]; pad is top, left, "
        "bottom, right. A sum is (sum + bias) * scale + shift, each step "
        "rounded; "
        "scale and shift, for f32 alone, have an entry per channel like the "
        "bias. "
        "Where w is quantised and x is not, every image is quantised to 8 bits "
        "during the run, with a zero point of its own or none, as `asymmetric` "
        "says. Where both are, a sum becomes a stored result by s_x * s_w / "
        "s_y; "
        "with `single_scale` the product is rounded to float first, as LiteRT "
        "does "
        "for u8.",
        CORE_MEMBERS(tenon_conv_attrs, stride, pad, dilation, groups,
                     asymmetric, single_scale, lo, hi),
        .macs = conv_macs);

CORE_OPERATOR(
    depthwise_conv, depthwise_infer,
    (CORE_K(depthwise_conv_f32_ref), CORE_K(depthwise_conv_s8_ref),
     CORE_K(depthwise_conv_f32s8_ref), CORE_K(depthwise_conv_s16q_ref)),
    "(Tensor x, Tensor w, Tensor? bias=None, Tensor? scale=None, Tensor? "
    "shift=None, *, int[2] stride=1, int[4] pad=0, int[2] dilation=1, bool "
    "asymmetric=False, bool single_scale=False, float? lo=None, float? "
    "hi=None) -> Tensor",
    "Convolves every channel on its own.\n"
    "x is [n, h, w, c], w is [1, kh, kw, oc] with oc a multiple of c: output "
    "channel i reads input channel i / (oc / c). Bias, scale, shift and "
    "`single_scale` are as in core::conv. Where w is quantised and x is not, "
    "every image is quantised during the run, as `asymmetric` says.",
    CORE_MEMBERS(tenon_depthwise_conv_attrs, stride, pad, dilation, asymmetric,
                 single_scale, lo, hi),
    .macs = depthwise_macs);

CORE_OPERATOR(
    fully_connected, fully_connected_infer,
    (CORE_K(fully_connected_f32_ref), CORE_K(fully_connected_s8_ref),
     CORE_K(fully_connected_f32s8_ref), CORE_K(fully_connected_s16q_ref),
     CORE_K(fully_connected_s16s16q_ref), CORE_EACH(fully_connected) NULL),
    "(Tensor x, Tensor w, Tensor? bias=None, Tensor? scale=None, Tensor? "
    "shift=None, *, bool asymmetric=False, float? lo=None, float? hi=None) -> "
    "Tensor",
    "Multiplies rows by a transposed matrix: x [..., k], w [n, k].\n"
    "Bias, scale and shift are as in core::conv. Where w is quantised and x is "
    "not, every row is quantised during the run, as `asymmetric` says. Of rows "
    "of "
    "16-bit floats, w and bias are f32; sums are, too, and are rounded once.",
    CORE_MEMBERS(tenon_fully_connected_attrs, asymmetric, lo, hi),
    .macs = tenon_core_product_macs);
