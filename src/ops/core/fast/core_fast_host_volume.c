// core_fast_host_volume.c - descriptors of the kernels in kern/isa/x86/ and
// kern/isa/aarch64/ that convolve volumes, or transpose convolutions, of images
// too. An item is a row of the result.
#include "ops/core/fast/core_fast_host.h"

#include "kern/opt/conv/volume_lines.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/fast/core_fast_pack.h"

static int64_t volume_rows(const tenon_call *c) {
  const int32_t *d = c->out[0].dims;
  return (int64_t)d[0] * d[1] * d[2];
}
static int64_t volume_extent(const tenon_call *c, int64_t *items) {
  const int32_t *d = c->out[0].dims;
  *items = 1;
  return (int64_t)d[3] * d[4];
}

// --- Floats ------------------------------------------------------------------

// Volumes, but in groups that fill little of a panel.
static bool volume_match(const tenon_call *c) {
  const tenon_conv3d_attrs *a = c->attrs;
  return tenon_core_can_pack(c) && a->groups > 0 &&
         (a->groups == 1 || c->in[1].dims[0] / a->groups >= 4);
}
#define FAST_VOLUME(how, isa)                       \
  CORE_KERNEL(how##_f32_##isa) = {                  \
      CORE_FAST(how##_f32_##isa, volume_rows),      \
      .op = "core::" #how,                          \
      .types = "f32, f32, f32? -> f32",             \
      .match = volume_match,                        \
      CORE_FAST_ON(isa),                            \
      .packs = 0x6,                                 \
      .pack_version = 1,                            \
      .pack_name = "tenon_volume_f32",              \
      .pack_size = tenon_core_volume_f32_pack_size, \
      .pack = tenon_core_volume_f32_pack,           \
      .pack_check = tenon_core_f32s8_pack_check,    \
      .extent = volume_extent}
#define FAST_VOLUME_ISA(isa) \
  FAST_VOLUME(conv3d, isa);  \
  FAST_VOLUME(conv_transpose3d, isa)
FAST_WIDTHS(FAST_VOLUME_ISA);

// --- Bytes -------------------------------------------------------------------

static ptrdiff_t volume_divisor(ptrdiff_t a, ptrdiff_t b) {
  while (b != 0) {
    const ptrdiff_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Images, or planes that do not meet, one group, and a tap for every output.
static bool transposed_match(const tenon_call *c) {
  const tenon_conv_transpose3d_attrs *a = c->attrs;
  const int64_t *stride = a->stride.data, *pad = a->pad.data;
  const int32_t *w = c->in[1].dims;
  if (!tenon_core_can_pack_known(c) || a->groups != 1 || w[1] != 1 ||
      stride[0] != 1 || pad[0] != 0 || pad[3] != 0 ||
      !tenon_core_match_weights(&c->in[1], 0, false))
    return false;
  for (int i = 1; i < 3; ++i)
    if (w[1 + i] < stride[i] || volume_divisor((ptrdiff_t)a->dilation.data[i],
                                               (ptrdiff_t)stride[i]) != 1)
      return false;
  return true;
}

static size_t transposed_scratch(const tenon_call *c, ptrdiff_t value,
                                 ptrdiff_t group) {
  const tenon_transposed t = tenon_transposed_of(c, group);
  return (size_t)(t.rows * tenon_transposed_row(c, &t, value, group));
}

// Dot products of pairs take inputs of 16 bits, others of 8.
#define GROUP_OF(dot) tenon_core_dot_group(dot)
#define VALUE_OF(dot) ((dot) == TENON_DOT_PAIRS ? 2 : 1)
#define FOR_TRANSPOSED(how, dot)                                   \
  static size_t transposed_##how##_scratch(const tenon_call *c,    \
                                           int64_t items) {        \
    (void)items;                                                   \
    return transposed_scratch(c, VALUE_OF(dot), GROUP_OF(dot));    \
  }                                                                \
  static size_t transposed_##how##_size(const tenon_call *c) {     \
    return tenon_core_transposed_s8_pack_size(c, dot);             \
  }                                                                \
  static tenon_status transposed_##how##_pack(const tenon_call *c, \
                                              void *packed) {      \
    return tenon_core_transposed_s8_pack(c, packed, dot);          \
  }
FOR_TRANSPOSED(pairs, TENON_DOT_PAIRS)
FOR_TRANSPOSED(quads, TENON_DOT_QUADS)
FOR_TRANSPOSED(byte_pairs, TENON_DOT_BYTE_PAIRS)
FOR_TRANSPOSED(byte_quads, TENON_DOT_BYTE_QUADS)
FOR_TRANSPOSED(byte_eights, TENON_DOT_BYTE_EIGHTS)

#define FAST_TRANSPOSED(isa, by)                         \
  CORE_KERNEL(conv_transpose3d_s8_##isa) = {             \
      CORE_FAST(conv_transpose3d_s8_##isa, volume_rows), \
      .op = "core::conv_transpose3d",                    \
      .types = "s8q, s8q|s8qc, s32|s32q|s32qc? -> s8q",  \
      .match = transposed_match,                         \
      CORE_FAST_ON(isa),                                 \
      .packs = 1u << 1 | 1u << 2,                        \
      .pack_version = 1,                                 \
      .pack_name = "tenon_conv_transpose3d_s8_" #by,     \
      .pack_size = transposed_##by##_size,               \
      .pack = transposed_##by##_pack,                    \
      .scratch = transposed_##by##_scratch,              \
      .extent = volume_extent}
FAST_TRANSPOSED(sse2, pairs);
FAST_TRANSPOSED(avx2, pairs);
FAST_TRANSPOSED(avx512, pairs);
FAST_TRANSPOSED(avx512vnni, quads);
FAST_TRANSPOSED(neon, byte_pairs);
FAST_TRANSPOSED(dotprod, byte_quads);
FAST_TRANSPOSED(i8mm, byte_eights);
