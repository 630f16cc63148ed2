// core_fast_arm_floats.c - convolutions, fully-connected layers, sums,
// differences and products of floats on Cortex-M with an FPU. Those of weights
// read and write in the order of the reference kernels, or read earlier, so
// their results lie over operands as far as those do.
#include <string.h>

#include "kern/product/conv.h"
#include "kern/product/winograd.h"
#include "ops/core/core_rule.h"
#include "ops/core/fast/core_fast_arm.h"
#include "ops/core/fast/core_fast_like.h"

#define TYPES_F32 "f32, f32, f32? -> f32"

extern CORE_KERNEL(conv_f32_ref);
extern CORE_KERNEL(conv_winograd_f32_ref);
extern CORE_KERNEL(depthwise_conv_f32_ref);
extern CORE_KERNEL(fully_connected_f32_ref);

// --- Convolutions ------------------------------------------------------------

static bool arm_float_conv_match(const tenon_call *c) {
  return tenon_core_arm_are_known(c) && c->in[1].data &&
         ((const tenon_conv_attrs *)c->attrs)->groups == 1;
}
LIKE_FUNCTION(conv_f32, int64_t, items)
LIKE_FUNCTION(conv_f32, size_t, overlap)
static size_t conv_size(const tenon_call *c) {
  return tenon_count(&c->in[1]) * sizeof(float);
}
static tenon_status conv_pack(const tenon_call *c, void *packed) {
  const int32_t out_c = c->in[1].dims[0];
  const int32_t size = (int32_t)tenon_count(&c->in[1]) / out_c;
  const float *w = (const float *)c->in[1].data;
  float *to = (float *)packed;
  for (int32_t i = 0, n; i < out_c; i += n, w += n * size) {
    n = out_c - i >= 8 ? 8 : out_c - i >= 4 ? 4 : 1;
    for (int32_t k = 0; k < size; ++k)
      for (int32_t j = 0; j < n; ++j)
        memcpy(to++, &w[j * size + k], sizeof *w);
  }
  return TENON_OK;
}

CORE_KERNEL(conv_f32_fpu) = {CORE_ARM(conv_f32, fpu, conv_f32_items),
                             .op = "core::conv",
                             .types = TYPES_F32,
                             .match = arm_float_conv_match,
                             .packs = 1u << 1,
                             .pack_version = 1,
                             .pack_size = conv_size,
                             .pack = conv_pack,
                             .overlap = conv_f32_overlap};

// A channel's weights and sums, zeros, and the inputs of a few rows of tiles.
LIKE_FUNCTION(conv_winograd_f32, int64_t, items)
LIKE_FUNCTION(conv_winograd_f32, size_t, overlap)
static bool arm_winograd_match(const tenon_call *c) {
  return tenon_core_arm_are_known(c) && c->in[1].data && c->in[0].dims[3] > 1;
}
static size_t winograd_scratch(const tenon_call *c, int64_t items) {
  const tenon_winograd g = tenon_winograd_of(c);
  (void)items;
  return (size_t)(g.c + 8 * g.sums +
                  (1 + tenon_winograd_few_tiles(&g)) * g.sums * g.c) *
         sizeof(float);
}
static tenon_status winograd_pack(const tenon_call *c, void *packed) {
  const ptrdiff_t out_c = c->in[1].dims[0], depth = c->in[1].dims[3];
  const float *w = (const float *)c->in[1].data;
  float *to = (float *)packed;
  for (ptrdiff_t oc = 0; oc < out_c; ++oc, w += 9 * depth)
    for (ptrdiff_t i = 0; i < depth; ++i)
      for (ptrdiff_t k = 0; k < 9; ++k)
        memcpy(to++, &w[k * depth + i], sizeof *w);
  return TENON_OK;
}
CORE_KERNEL(conv_winograd_f32_fpu) = {
    CORE_ARM(conv_winograd_f32, fpu, conv_winograd_f32_items),
    .op = "core::conv_winograd",
    .types = "f32, f32, f32?, f32?, f32? -> f32",
    .match = arm_winograd_match,
    .packs = 1u << 1,
    .pack_version = 1,
    .pack_size = conv_size,
    .pack = winograd_pack,
    .scratch = winograd_scratch,
    .overlap = conv_winograd_f32_overlap};

LIKE_FUNCTION(depthwise_conv_f32, int64_t, items)
LIKE_FUNCTION(depthwise_conv_f32, size_t, overlap)

CORE_KERNEL(depthwise_conv_f32_fpu) = {
    CORE_ARM(depthwise_conv_f32, fpu, depthwise_conv_f32_items),
    .op = "core::depthwise_conv", .types = TYPES_F32,
    .match = tenon_core_arm_are_known, .overlap = depthwise_conv_f32_overlap};

// --- Fully-connected layers --------------------------------------------------

LIKE_FUNCTION(fully_connected_f32, size_t, overlap)

CORE_KERNEL(fully_connected_f32_fpu) = {
    CORE_ARM(fully_connected_f32, fpu, tenon_core_products),
    .op = "core::fully_connected", .types = TYPES_F32,
    .match = tenon_core_arm_are_known, .overlap = fully_connected_f32_overlap};

// --- Elements ----------------------------------------------------------------

#define ARITH(its_op)                                                        \
  CORE_KERNEL(its_op##_f32_fpu) = {                                          \
      CORE_ARM(its_op##_f32, fpu, tenon_core_items), .op = "core::" #its_op, \
      .types = "f32, f32 -> f32",                                            \
      .in_place = TENON_IN_PLACE(0, 0) | TENON_IN_PLACE(0, 1)}
ARITH(add);
ARITH(sub);
ARITH(mul);
