// core_fast_host.c - the list of the kernels in kern/isa/x86/ and
// kern/isa/aarch64/, and descriptors of those that are products;
// core_fast_host_rows.c has the others.
//
// What an instruction set changes is the symbol, the features and how many
// products its integer dot product adds; the weights are packed once for all
// that agree in this. Compiled for the baseline like everything here: these
// functions run where the kernels may not.
#include "ops/core/fast/core_fast_host.h"

#include "kern/opt/conv/conv_s8_share.h"
#include "kern/opt/conv/stem.h"
#include "kern/opt/tiles/items.h"
#include "kern/product/conv.h"
#include "ops/core/core_extent.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/fast/core_fast_like.h"
#include "ops/core/fast/core_fast_pack.h"
#include "ops/core/product/core_integer_linear.h"

// --- Which calls -------------------------------------------------------------

static bool x86_is_whole(const tenon_call *c) {
  return ((const tenon_conv_attrs *)c->attrs)->groups == 1;
}
static bool conv_s8_match(const tenon_call *c) {
  return x86_is_whole(c) && tenon_core_can_pack_known(c) &&
         tenon_core_match_weights(&c->in[1], 0, false);
}
// In groups, unless so much is multiplied by 0 that SSE2 would take as long as
// the reference.
#define MOST_SHARED 16
static bool conv_s8_groups_match(const tenon_call *c) {
  if (!tenon_core_can_pack_known(c) ||
      !tenon_core_match_weights(&c->in[1], 0, false))
    return false;
  const tenon_share s = tenon_share_of(c);
  return x86_is_whole(c) ||
         (s.channels > 0 && s.own > 0 && s.depth / s.own <= MOST_SHARED &&
          s.own * ((const tenon_conv_attrs *)c->attrs)->groups ==
              c->in[0].dims[3]);
}
static bool has_byte_zero(const tenon_tensor *w) {
  const int32_t zero = tenon_core_zero(w);
  return zero >= -128 && zero <= 127;
}
static bool conv_s8_zero_match(const tenon_call *c) {
  return x86_is_whole(c) && tenon_core_can_pack_known(c) &&
         tenon_core_match_weights(&c->in[1], 0, true) &&
         c->in[1].quant->channels == 1 && tenon_core_zero(&c->in[1]) != 0 &&
         has_byte_zero(&c->in[1]);
}
static bool depthwise_s8_match(const tenon_call *c) {
  return tenon_core_can_pack_known(c) &&
         tenon_core_match_weights(&c->in[1], 3, false);
}
// Weights less a zero point have 9 bits: where they are packed in 16.
static bool depthwise_s8_any_match(const tenon_call *c) {
  return tenon_core_can_pack_known(c) &&
         tenon_core_match_weights(&c->in[1], 3, true) &&
         has_byte_zero(&c->in[1]);
}
static bool fully_connected_s8_match(const tenon_call *c) {
  return tenon_core_can_pack_known(c) &&
         tenon_core_match_weights(&c->in[1], 0, false);
}

static tenon_window x86_conv_window(const tenon_call *c) {
  const tenon_conv_attrs *a = c->attrs;
  const int32_t *w = c->in[1].dims;
  return tenon_window_of(&c->in[0], &c->out[0], w[1], w[2], a->stride.data,
                         a->pad.data, a->dilation.data);
}

// Planes are read by the ways of first layers; elsewhere an image of any
// strides, but one whose pixels are a column or are multiplied as they lie.
static bool conv_f32_match(const tenon_call *c) {
  if (!tenon_core_can_pack(c)) return false;
  if (!c->in[0].strides) return true;
  const tenon_window g = x86_conv_window(c);
  return x86_is_whole(c) && tenon_core_can_pack_known(c) &&
         !tenon_is_product(&g) && g.h > 1;
}
static bool conv_f32_stem_match(const tenon_call *c) {
  if (!conv_f32_match(c)) return false;
  if (!c->in[0].strides) return true;
  const tenon_window g = x86_conv_window(c);
  return c->in[0].strides[2] == 1 && tenon_stem_f32_width(&g, c->in[1].dims[3]);
}

// --- Items and scratch -------------------------------------------------------

static tenon_window depthwise_window(const tenon_call *c) {
  const tenon_depthwise_conv_attrs *a = c->attrs;
  const int32_t *w = c->in[1].dims;
  return tenon_window_of(&c->in[0], &c->out[0], w[1], w[2], a->stride.data,
                         a->pad.data, a->dilation.data);
}

// `value`: bytes of an input as the kernel multiplies it.
static int64_t x86_conv_items(const tenon_call *c, ptrdiff_t value) {
  const tenon_window g = x86_conv_window(c);
  const tenon_blocks b = tenon_blocks_of_conv(&g, c->in[0].dims[0], value);
  return tenon_blocks_items(&b);
}

static size_t conv_scratch(const tenon_call *c, ptrdiff_t value,
                           ptrdiff_t group) {
  const tenon_window g = x86_conv_window(c);
  const tenon_blocks b = tenon_blocks_of_conv(&g, c->in[0].dims[0], value);
  if (tenon_is_product(&g))
    return (size_t)((b.most * g.c + tenon_past_s8(group)) * value);
  return (size_t)(tenon_rows_read(&g, b.most) *
                  tenon_row_size_s8(&g, value, group));
}

// Besides, a number for each pixel, and a register that is read past the end.
static size_t conv_zero_scratch(const tenon_call *c, ptrdiff_t value,
                                ptrdiff_t group) {
  const tenon_window g = x86_conv_window(c);
  const tenon_blocks b = tenon_blocks_of_conv(&g, c->in[0].dims[0], value);
  const ptrdiff_t pixels = b.most * (tenon_is_product(&g) ? 1 : g.out_w);
  return conv_scratch(c, value, group) + 64 +
         (size_t)tenon_round_up(pixels, TENON_LANES) * sizeof(int32_t);
}

static size_t fully_connected_scratch(const tenon_call *c, ptrdiff_t value,
                                      ptrdiff_t group) {
  const tenon_matrix p = tenon_matrix_of(c);
  const tenon_blocks b = tenon_blocks_of_product(p.m, p.k, p.n, value);
  return (size_t)((b.height * p.k + tenon_past_s8(group)) * value);
}

static int64_t x86_depthwise_items(const tenon_call *c, ptrdiff_t group) {
  const tenon_window g = depthwise_window(c);
  const tenon_blocks b = tenon_blocks_of_depthwise(&g, c->in[0].dims[0], group);
  return tenon_blocks_items(&b);
}

static size_t depthwise_scratch(const tenon_call *c, ptrdiff_t group) {
  const tenon_window g = depthwise_window(c);
  const tenon_blocks b = tenon_blocks_of_depthwise(&g, c->in[0].dims[0], group);
  return (size_t)(tenon_rows_read(&g, b.height) *
                  tenon_depthwise_row(&g, group));
}

static int64_t conv_f32_items(const tenon_call *c) {
  return tenon_conv_f32_items(c);
}
static int64_t fully_connected_f32_items(const tenon_call *c) {
  return tenon_fully_connected_items(c, sizeof(float));
}

static int64_t depthwise_f32_items(const tenon_call *c) {
  return tenon_depthwise_f32_items(c);
}

// --- Which elements an item stores -------------------------------------------

// A product's lines are pixels, other windows' are rows.
static int64_t window_extent(const tenon_window *g, const tenon_blocks *b,
                             int64_t *items) {
  const ptrdiff_t pixels = tenon_is_product(g) ? 1 : g->out_w;
  return tenon_core_blocks_extent(b, pixels * g->out_c, items);
}

static int64_t conv_extent(const tenon_call *c, ptrdiff_t value,
                           int64_t *items) {
  const tenon_window g = x86_conv_window(c);
  const tenon_blocks b = tenon_blocks_of_conv(&g, c->in[0].dims[0], value);
  return window_extent(&g, &b, items);
}

static int64_t conv_f32_extent(const tenon_call *c, int64_t *items) {
  const ptrdiff_t groups =
      (ptrdiff_t)((const tenon_conv_attrs *)c->attrs)->groups;
  const tenon_window g = tenon_window_upright(x86_conv_window(c));
  tenon_blocks b =
      tenon_blocks_of_groups(&g, c->in[0].dims[0], sizeof(float), groups);
  if (groups == 1)
    tenon_blocks_turn(&b, g.kh * g.kw * g.c,
                      tenon_is_product(&g) ? 1 : g.out_w);
  return groups == 1 ? window_extent(&g, &b, items)
                     : tenon_core_blocks_extent(&b, g.out_w * g.out_c, items);
}

static int64_t fully_connected_f32_extent(const tenon_call *c, int64_t *items) {
  const tenon_matrix p = tenon_matrix_of(c);
  tenon_blocks b = tenon_blocks_of_product(p.m, p.k, p.n, sizeof(float));
  tenon_blocks_turn(&b, p.k, 1);
  return tenon_core_blocks_extent(&b, p.n, items);
}

static int64_t fully_connected_extent(const tenon_call *c, ptrdiff_t value,
                                      int64_t *items) {
  const tenon_matrix p = tenon_matrix_of(c);
  const tenon_blocks b = tenon_blocks_of_product(p.m, p.k, p.n, value);
  return tenon_core_blocks_extent(&b, p.n, items);
}

// Two rows of windows of 3 by 3 are faster at once than one after the other,
// and four are where they are long.
static int64_t depthwise_f32_extent(const tenon_call *c, int64_t *items) {
  const int32_t *d = c->out[0].dims, *w = c->in[1].dims;
  const bool is_cut =
      tenon_depthwise_f32_is_cut(c) && d[2] > TENON_DEPTHWISE_PART;
  *items = d[1] <= 1 || w[1] != 3 || w[2] != 3 ? 1 : d[2] < 28 ? 2 : 4;
  return *items * (is_cut ? TENON_DEPTHWISE_PART : d[2]) * d[3];
}

static int64_t depthwise3d_f32_items(const tenon_call *c) {
  const int32_t *d = c->out[0].dims;
  return (int64_t)d[0] * d[1] * d[2];
}
static int64_t depthwise3d_f32_extent(const tenon_call *c, int64_t *items) {
  const int32_t *d = c->out[0].dims;
  *items = 1;
  return (int64_t)d[3] * d[4];
}

static int64_t depthwise_extent(const tenon_call *c, ptrdiff_t group,
                                int64_t *items) {
  const tenon_window g = depthwise_window(c);
  const tenon_blocks b = tenon_blocks_of_depthwise(&g, c->in[0].dims[0], group);
  return tenon_core_blocks_extent(&b, g.out_w * g.out_c, items);
}

// Dot products of pairs take inputs of 16 bits, others of 8.
#define GROUP_OF(dot) tenon_core_dot_group(dot)
#define VALUE_OF(dot) ((dot) == TENON_DOT_PAIRS ? 2 : 1)
#define FOR_PRODUCTS(how, dot)                                               \
  static int64_t conv_##how##_items(const tenon_call *c) {                   \
    return x86_conv_items(c, VALUE_OF(dot));                                 \
  }                                                                          \
  static int64_t conv_##how##_extent(const tenon_call *c, int64_t *items) {  \
    return conv_extent(c, VALUE_OF(dot), items);                             \
  }                                                                          \
  static int64_t fully_connected_##how##_extent(const tenon_call *c,         \
                                                int64_t *items) {            \
    return fully_connected_extent(c, VALUE_OF(dot), items);                  \
  }                                                                          \
  static size_t conv_##how##_scratch(const tenon_call *c, int64_t items) {   \
    (void)items;                                                             \
    return conv_scratch(c, VALUE_OF(dot), GROUP_OF(dot));                    \
  }                                                                          \
  static size_t conv_##how##_zero_scratch(const tenon_call *c,               \
                                          int64_t items) {                   \
    (void)items;                                                             \
    return conv_zero_scratch(c, VALUE_OF(dot), GROUP_OF(dot));               \
  }                                                                          \
  static size_t conv_##how##_pack_size(const tenon_call *c) {                \
    return tenon_core_conv_s8_pack_size(c, dot);                             \
  }                                                                          \
  static tenon_status conv_##how##_pack(const tenon_call *c, void *packed) { \
    return tenon_core_conv_s8_pack(c, packed, dot);                          \
  }                                                                          \
  static int64_t fully_connected_##how##_items(const tenon_call *c) {        \
    return tenon_fully_connected_items(c, VALUE_OF(dot));                    \
  }                                                                          \
  static size_t fully_connected_##how##_scratch(const tenon_call *c,         \
                                                int64_t items) {             \
    (void)items;                                                             \
    return fully_connected_scratch(c, VALUE_OF(dot), GROUP_OF(dot));         \
  }                                                                          \
  static size_t fully_connected_##how##_pack_size(const tenon_call *c) {     \
    return tenon_core_fully_connected_s8_pack_size(c, dot);                  \
  }                                                                          \
  static tenon_status fully_connected_##how##_pack(const tenon_call *c,      \
                                                   void *packed) {           \
    return tenon_core_fully_connected_s8_pack(c, packed, dot);               \
  }
#define FOR_DEPTHWISE(how, dot)                                    \
  static int64_t depthwise_##how##_extent(const tenon_call *c,     \
                                          int64_t *items) {        \
    return depthwise_extent(c, GROUP_OF(dot), items);              \
  }                                                                \
  static int64_t depthwise_##how##_items(const tenon_call *c) {    \
    return x86_depthwise_items(c, GROUP_OF(dot));                  \
  }                                                                \
  static size_t depthwise_##how##_scratch(const tenon_call *c,     \
                                          int64_t items) {         \
    (void)items;                                                   \
    return depthwise_scratch(c, GROUP_OF(dot));                    \
  }                                                                \
  static size_t depthwise_##how##_pack_size(const tenon_call *c) { \
    return tenon_core_depthwise_s8_pack_size(c, dot);              \
  }                                                                \
  static tenon_status depthwise_##how##_pack(const tenon_call *c,  \
                                             void *packed) {       \
    return tenon_core_depthwise_s8_pack(c, packed, dot);           \
  }
FOR_PRODUCTS(s8_pairs, TENON_DOT_PAIRS)
FOR_DEPTHWISE(s8_pairs, TENON_DOT_PAIRS)
FOR_PRODUCTS(s8_quads, TENON_DOT_QUADS)
FOR_DEPTHWISE(s8_quads, TENON_DOT_QUADS)
FOR_PRODUCTS(s8_byte_pairs, TENON_DOT_BYTE_PAIRS)
FOR_PRODUCTS(s8_byte_quads, TENON_DOT_BYTE_QUADS)
FOR_DEPTHWISE(s8_byte_quads, TENON_DOT_BYTE_QUADS)
FOR_PRODUCTS(s8_byte_eights, TENON_DOT_BYTE_EIGHTS)

// --- Descriptors -------------------------------------------------------------

#define TYPES_S8 "s8q, s8q|s8qc, s32|s32q|s32qc? -> s8q"

#define FAST_S8_IN(name, its_op, how, version, its_match, its_scratch, isa) \
  CORE_KERNEL(name) = {CORE_FAST(name, how##_items),                        \
                       .op = its_op,                                        \
                       .types = TYPES_S8,                                   \
                       .match = its_match,                                  \
                       CORE_FAST_ON(isa),                                   \
                       .packs = 1u << 1 | 1u << 2,                          \
                       .pack_version = version,                             \
                       .pack_name = "tenon_" #how,                          \
                       .pack_size = how##_pack_size,                        \
                       .pack = how##_pack,                                  \
                       .scratch = its_scratch,                              \
                       .extent = how##_extent}
#define FAST_S8(name, its_op, how, version, match, isa) \
  FAST_S8_IN(name, its_op, how, version, match, how##_scratch, isa)

#define CONV_F32(isa, match, more)                                     \
  CORE_FAST_F32_AS("*, -, -, -, - -> -", conv_f32_##isa, "core::conv", \
                   conv_f32, 3, match, isa, more, NULL)
CONV_F32(sse2, conv_f32_match, TENON_KERNEL_DENSE_FIRST);
CONV_F32(avx2, conv_f32_match, TENON_KERNEL_DENSE_FIRST);
CONV_F32(avx512, conv_f32_stem_match, 0);
CONV_F32(neon, conv_f32_match, TENON_KERNEL_DENSE_FIRST);

#define FAST_F32_ISA(isa)                                               \
  CORE_FAST_F32(depthwise_conv_f32_##isa, "core::depthwise_conv",       \
                depthwise_f32, 2, tenon_core_can_pack, isa, 0, NULL);   \
  CORE_FAST_F32(depthwise_conv3d_f32_##isa, "core::depthwise_conv3d",   \
                depthwise3d_f32, 1, tenon_core_can_pack, isa, 0, NULL); \
  CORE_FAST_F32(fully_connected_f32_##isa, "core::fully_connected",     \
                fully_connected_f32, 2, tenon_core_can_pack, isa,       \
                TENON_KERNEL_PACKS_STRIDED, NULL)

// One row, whose weights stay in the second-level cache, is bound by how they
// come from there: before the kernel for any rows. Larger ones are not packed a
// second time where another call has them for more rows.
static bool fully_connected_row_match(const tenon_call *c) {
  return tenon_core_can_pack_known(c) && tenon_matrix_of(c).m == 1 &&
         tenon_count(&c->in[1]) <= TENON_FEW;
}
#define fully_connected_row_f32_items fully_connected_f32_items
#define fully_connected_row_f32_extent fully_connected_f32_extent
CORE_FAST_F32(fully_connected_row_f32_avx512, "core::fully_connected",
              fully_connected_row_f32, 1, fully_connected_row_match, avx512_row,
              TENON_KERNEL_PACKS_STRIDED, NULL);

// Weights, or what else the former pack, are computed in a run: behind them.
static bool made_match(const tenon_call *c) {
  return tenon_core_has_channels(&c->in[0]) && tenon_core_is_known(&c->in[1]) &&
         tenon_core_has_channels(&c->out[0]);
}
static int64_t conv_made_items(const tenon_call *c) {
  return tenon_conv_made_items(c);
}
static size_t conv_made_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return tenon_conv_made_scratch(c);
}
static size_t depthwise_made_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return tenon_depthwise_made_scratch(c);
}
#define FAST_MADE(name, its_op, its_items, its_scratch, isa)              \
  CORE_KERNEL(name) = {CORE_FAST(name, its_items),   .op = its_op,        \
                       .types = CORE_FAST_F32_TYPES, .match = made_match, \
                       CORE_FAST_BEHIND(isa),        .scratch = its_scratch}
#define FAST_MADE_ISA(isa)                                         \
  FAST_MADE(conv_made_f32_##isa, "core::conv", conv_made_items,    \
            conv_made_scratch, isa);                               \
  FAST_MADE(depthwise_conv_made_f32_##isa, "core::depthwise_conv", \
            depthwise_f32_items, depthwise_made_scratch, isa)
FAST_WIDTHS(FAST_MADE_ISA);

// Rows of 16-bit floats, whose blocks go one after the other.
static int64_t half_extent(const tenon_call *c, int64_t *items) {
  return fully_connected_extent(c, sizeof(float), items);
}
static size_t half_scratch(const tenon_call *c, int64_t items) {
  const tenon_matrix p = tenon_matrix_of(c);
  const tenon_blocks b = tenon_blocks_of_product(p.m, p.k, p.n, sizeof(float));
  (void)items;
  return tenon_half_scratch(&b, p.k);
}
#define FAST_HALF(name, its_types, isa)                                       \
  CORE_KERNEL(name) = {CORE_FAST_WITH(name, fully_connected_f32_items,        \
                                      TENON_KERNEL_PACKS_STRIDED),            \
                       .op = "core::fully_connected",                         \
                       .types = its_types,                                    \
                       .match = tenon_core_can_pack_known,                    \
                       CORE_FAST_ON(isa),                                     \
                       .packs = 0x6,                                          \
                       .pack_version = 1,                                     \
                       .pack_name = "tenon_fully_connected_half",             \
                       .pack_size = tenon_core_fully_connected_f32_pack_size, \
                       .pack = tenon_core_fully_connected_f32_pack,           \
                       .pack_check = tenon_core_conv_f32_pack_check,          \
                       .scratch = half_scratch,                               \
                       .extent = half_extent}
#define FAST_HALF_ISA(isa)                                            \
  FAST_HALF(fully_connected_f16_##isa, "f16, f32, f32? -> f16", isa); \
  FAST_HALF(fully_connected_bf16_##isa, "bf16, f32, f32? -> bf16", isa)
FAST_WIDTHS(FAST_HALF_ISA);

// `taps`: what of a depthwise convolution the dot product takes.
#define FAST_S8_ISA(isa, by, taps, version, match)                    \
  FAST_S8(conv_s8_##isa, "core::conv", conv_s8_##by, version,         \
          conv_s8_groups_match, isa);                                 \
  FAST_S8_IN(conv_s8_zero_##isa, "core::conv", conv_s8_##by, version, \
             conv_s8_zero_match, conv_s8_##by##_zero_scratch, isa);   \
  FAST_S8(depthwise_conv_s8_##isa, "core::depthwise_conv",            \
          depthwise_s8_##taps, version, match, isa);                  \
  FAST_S8(fully_connected_s8_##isa, "core::fully_connected",          \
          fully_connected_s8_##by, 1, fully_connected_s8_match, isa)

FAST_WIDTHS(FAST_F32_ISA);
FAST_S8_ISA(sse2, pairs, pairs, 1, depthwise_s8_any_match);
FAST_S8_ISA(avx2, pairs, pairs, 1, depthwise_s8_any_match);
FAST_S8_ISA(avx512, pairs, pairs, 1, depthwise_s8_any_match);
FAST_S8_ISA(avx512vnni, quads, quads, 2, depthwise_s8_match);
FAST_S8_ISA(neon, byte_pairs, pairs, 1, depthwise_s8_any_match);
FAST_S8_ISA(dotprod, byte_quads, byte_quads, 1, depthwise_s8_match);
FAST_S8_ISA(i8mm, byte_eights, byte_quads, 1, depthwise_s8_match);

// One row, read where it is: as fully_connected_row_f32.
static bool fully_connected_row_s8_match(const tenon_call *c) {
  const tenon_matrix p = tenon_matrix_of(c);
  return fully_connected_s8_match(c) && p.m == 1 && p.k % 4 == 0 &&
         p.n * p.k <= TENON_FEW * (ptrdiff_t)sizeof(float);
}
CORE_KERNEL(fully_connected_row_s8_avx512vnni) = {
    CORE_FAST(fully_connected_row_s8_avx512vnni,
              fully_connected_s8_quads_items),
    .op = "core::fully_connected",
    .types = TYPES_S8,
    .match = fully_connected_row_s8_match,
    .priority = CORE_FAST_RANK_avx512vnni + 5,
    .needs = CORE_FAST_NEEDS_avx512vnni,
    .packs = 1u << 1 | 1u << 2,
    .pack_version = 1,
    .pack_name = "tenon_fully_connected_row_s8",
    .pack_size = fully_connected_s8_quads_pack_size,
    .pack = tenon_core_fully_connected_row_s8_pack,
    .extent = fully_connected_s8_quads_extent};

// --- 16-bit numbers with weights of 8 bits -----------------------------------

static bool conv_words_match(const tenon_call *c) {
  return conv_s8_match(c) && tenon_core_conv_s16_fits(c);
}
static bool depthwise_words_match(const tenon_call *c) {
  return depthwise_s8_match(c) && c->in[0].dims[3] == c->out[0].dims[3] &&
         tenon_core_depthwise_s16_fits(c);
}
static bool fully_connected_words_match(const tenon_call *c) {
  return fully_connected_s8_match(c) && tenon_core_fully_connected_s16_fits(c);
}

// An item is a row.
static int64_t depthwise_s16_items(const tenon_call *c) {
  return tenon_core_lines(c);
}
static int64_t depthwise_s16_extent(const tenon_call *c, int64_t *items) {
  const int32_t *d = c->out[0].dims;
  *items = 1;
  return (int64_t)d[2] * d[3];
}

// `like`: whose items these have.
#define FAST_S16(name, its_op, how, like, scratches, isa)                  \
  CORE_KERNEL(name) = {CORE_FAST(name, like##_items),                      \
                       .op = its_op,                                       \
                       .types = "s16q, s8q|s8qc, s64|s64q|s64qc? -> s16q", \
                       .match = how##_words_match,                         \
                       CORE_FAST_ON(isa),                                  \
                       .packs = 1u << 1 | 1u << 2,                         \
                       .pack_version = 1,                                  \
                       .pack_name = "tenon_" #how "_s16",                  \
                       .pack_size = tenon_core_##how##_s16_pack_size,      \
                       .pack = tenon_core_##how##_s16_pack,                \
                       .scratch = scratches,                               \
                       .extent = like##_extent}
#define FAST_S16_ISA(isa)                                                \
  FAST_S16(conv_s16q_##isa, "core::conv", conv, conv_s8_pairs,           \
           conv_s8_pairs_scratch, isa);                                  \
  FAST_S16(depthwise_conv_s16q_##isa, "core::depthwise_conv", depthwise, \
           depthwise_s16, NULL, isa);                                    \
  FAST_S16(fully_connected_s16q_##isa, "core::fully_connected",          \
           fully_connected, fully_connected_s8_pairs,                    \
           fully_connected_s8_pairs_scratch, isa)
FAST_WIDTHS(FAST_S16_ISA);

// --- Floats with quantised weights -------------------------------------------

static bool conv_f32s8_match(const tenon_call *c) {
  return conv_s8_match(c) && tenon_core_conv_f32s8_is_exact(c);
}
static bool depthwise_f32s8_match(const tenon_call *c) {
  return depthwise_s8_match(c) && tenon_core_depthwise_f32s8_is_exact(c);
}
static bool fully_connected_f32s8_match(const tenon_call *c) {
  return fully_connected_s8_match(c) &&
         tenon_core_fully_connected_f32s8_is_exact(c);
}

// An image at a time.
static int64_t conv_f32s8_items(const tenon_call *c) {
  const tenon_window g = tenon_window_upright(x86_conv_window(c));
  const tenon_blocks b = tenon_blocks_of_conv(&g, 1, sizeof(float));
  return c->in[0].dims[0] * tenon_blocks_items(&b);
}

static size_t conv_f32s8_scratch(const tenon_call *c, int64_t items) {
  const int32_t *d = c->in[0].dims;
  (void)items;
  return (size_t)d[1] * (size_t)d[2] * (size_t)d[3] * sizeof(float);
}
static size_t depthwise_f32s8_scratch(const tenon_call *c, int64_t items) {
  return conv_f32s8_scratch(c, items);
}
static size_t fully_connected_f32s8_scratch(const tenon_call *c,
                                            int64_t items) {
  const tenon_matrix p = tenon_matrix_of(c);
  const tenon_blocks b = tenon_blocks_of_product(p.m, p.k, p.n, sizeof(float));
  (void)items;
  return (size_t)(b.height * (p.k + 1)) * sizeof(float);
}
static int64_t depthwise_f32s8_items(const tenon_call *c) {
  return tenon_core_lines(c);
}
static int64_t fully_connected_f32s8_items(const tenon_call *c) {
  return fully_connected_f32_items(c);
}

#define FAST_F32S8(name, its_op, how, isa)                              \
  CORE_KERNEL(name) = {CORE_FAST(name, how##_f32s8_items),              \
                       .op = its_op,                                    \
                       .types = "f32, s8q|s8qc, f32? -> f32",           \
                       .match = how##_f32s8_match,                      \
                       CORE_FAST_ON(isa),                               \
                       .packs = 1u << 1 | 1u << 2,                      \
                       .pack_version = 1,                               \
                       .pack_name = "tenon_" #how "_f32s8",             \
                       .pack_size = tenon_core_##how##_f32s8_pack_size, \
                       .pack = tenon_core_##how##_f32s8_pack,           \
                       .pack_check = tenon_core_f32s8_pack_check,       \
                       .scratch = how##_f32s8_scratch}
#define FAST_F32S8_ISA(isa)                                                 \
  FAST_F32S8(conv_f32s8_##isa, "core::conv", conv, isa);                    \
  FAST_F32S8(depthwise_conv_f32s8_##isa, "core::depthwise_conv", depthwise, \
             isa);                                                          \
  FAST_F32S8(fully_connected_f32s8_##isa, "core::fully_connected",          \
             fully_connected, isa)
// The plain fused multiply-add of SSE2 is slower than sums of integers.
FAST_WIDE(FAST_F32S8_ISA);

// By dot products of bytes. An image of integers stands before its rows.
static bool conv_f32s8_dot_match(const tenon_call *c) {
  return conv_s8_match(c) && tenon_core_conv_f32s8_dot_fits(c);
}
static int64_t conv_f32s8_dot_items(const tenon_call *c) {
  const tenon_window g = x86_conv_window(c);
  const tenon_blocks b = tenon_blocks_of_conv(&g, 1, 1);
  return c->in[0].dims[0] * tenon_blocks_items(&b);
}
static size_t conv_f32s8_dot_scratch(const tenon_call *c, int64_t items) {
  const ptrdiff_t group = GROUP_OF(TENON_DOT_QUADS);
  const tenon_window g = x86_conv_window(c);
  const tenon_blocks b = tenon_blocks_of_conv(&g, 1, 1);
  const ptrdiff_t first = tenon_round_up(g.out_c, TENON_LANES) * 4;
  (void)items;
  return (size_t)(first + tenon_conv_dot_image(&g, group) +
                  (tenon_is_product(&g) ? 0
                                        : tenon_rows_read(&g, b.most) *
                                              tenon_row_size_s8(&g, 1, group)));
}
CORE_KERNEL(conv_f32s8_dot_avx512vnni) = {
    CORE_FAST(conv_f32s8_dot_avx512vnni, conv_f32s8_dot_items),
    .op = "core::conv",
    .types = "f32, s8q|s8qc, f32? -> f32",
    .match = conv_f32s8_dot_match,
    CORE_FAST_ON(avx512vnni),
    .packs = 1u << 1 | 1u << 2,
    .pack_version = 1,
    .pack_name = "tenon_conv_f32s8_quads",
    .pack_size = tenon_core_conv_f32s8_dot_pack_size,
    .pack = tenon_core_conv_f32s8_dot_pack,
    .pack_check = tenon_core_f32s8_pack_check,
    .scratch = conv_f32s8_dot_scratch};

// --- Integers scaled by the run ----------------------------------------------

// Sizes of x may be open.
static bool integer_linear_match(const tenon_call *c) {
  return tenon_core_is_known(&c->in[1]) && c->in[1].data;
}
static bool dynamic_linear_match(const tenon_call *c) {
  return integer_linear_match(c) && tenon_core_is_constant(&c->in[4]) &&
         tenon_core_is_constant(&c->in[5]);
}

static ptrdiff_t dynamic_blocks(const tenon_call *c) {
  return c->in[4].dtype ? c->in[4].dims[1] : 1;
}

// Of blocks as high as there may be, where rows are not known.
static size_t integer_linear_scratch(const tenon_call *c, ptrdiff_t value,
                                     ptrdiff_t group) {
  const ptrdiff_t k = c->in[1].dims[1];
  ptrdiff_t rows = 1;
  for (int i = 0; i < c->in[0].rank - 1; ++i) {
    const int32_t d = c->in[0].dims[i];
    rows = d < 0 || rows > TENON_BLOCK_PIXELS ? TENON_BLOCK_PIXELS : rows * d;
  }
  if (rows > TENON_BLOCK_PIXELS) rows = TENON_BLOCK_PIXELS;
  return (size_t)((rows * k + tenon_past_s8(group)) * value);
}

// Where anything stands follows from the shapes.
static bool integers_pack_check(const tenon_call *c, const void *packed) {
  (void)c;
  (void)packed;
  return true;
}

#define FOR_INTEGERS(by, dot)                                                 \
  static int64_t integer_linear_##by##_items(const tenon_call *c) {           \
    return tenon_integer_linear_items(c, VALUE_OF(dot));                      \
  }                                                                           \
  static size_t integer_linear_##by##_scratch(const tenon_call *c,            \
                                              int64_t items) {                \
    (void)items;                                                              \
    return integer_linear_scratch(c, VALUE_OF(dot), GROUP_OF(dot));           \
  }                                                                           \
  static size_t integer_linear_##by##_pack_size(const tenon_call *c) {        \
    return tenon_core_integer_linear_pack_size(c, 1, dot);                    \
  }                                                                           \
  static tenon_status integer_linear_##by##_pack(const tenon_call *c,         \
                                                 void *packed) {              \
    return tenon_core_integer_linear_pack(c, packed, 1, NULL, NULL, dot);     \
  }                                                                           \
  static size_t dynamic_linear_##by##_pack_size(const tenon_call *c) {        \
    return tenon_core_integer_linear_pack_size(c, dynamic_blocks(c), dot);    \
  }                                                                           \
  static tenon_status dynamic_linear_##by##_pack(const tenon_call *c,         \
                                                 void *packed) {              \
    return tenon_core_integer_linear_pack(c, packed, dynamic_blocks(c),       \
                                          (const float *)c->in[4].data,       \
                                          (const float *)c->in[5].data, dot); \
  }
FOR_INTEGERS(pairs, TENON_DOT_PAIRS)
FOR_INTEGERS(quads, TENON_DOT_QUADS)
FOR_INTEGERS(byte_pairs, TENON_DOT_BYTE_PAIRS)
FOR_INTEGERS(byte_quads, TENON_DOT_BYTE_QUADS)
FOR_INTEGERS(byte_eights, TENON_DOT_BYTE_EIGHTS)

#define FAST_INTEGERS(what, its_types, its_packs, isa, by)     \
  CORE_KERNEL(what##_s8_##isa) = {                             \
      CORE_FAST(what##_s8_##isa, integer_linear_##by##_items), \
      .op = "core::" #what,                                    \
      .types = its_types,                                      \
      .match = what##_match,                                   \
      CORE_FAST_ON(isa),                                       \
      .packs = its_packs,                                      \
      .pack_version = 1,                                       \
      .pack_name = "tenon_" #what "_" #by,                     \
      .pack_size = what##_##by##_pack_size,                    \
      .pack = what##_##by##_pack,                              \
      .pack_check = integers_pack_check,                       \
      .scratch = integer_linear_##by##_scratch}
#define FAST_INTEGERS_ISA(isa, by)                                             \
  FAST_INTEGERS(integer_linear, TENON_INTEGER_LINEAR_TYPES, 1u << 1, isa, by); \
  FAST_INTEGERS(dynamic_linear, TENON_DYNAMIC_LINEAR_TYPES,                    \
                1u << 1 | 1u << 4 | 1u << 5, isa, by)
FAST_INTEGERS_ISA(sse2, pairs);
FAST_INTEGERS_ISA(avx2, pairs);
FAST_INTEGERS_ISA(avx512, pairs);
FAST_INTEGERS_ISA(avx512vnni, quads);
FAST_INTEGERS_ISA(neon, byte_pairs);
FAST_INTEGERS_ISA(dotprod, byte_quads);
FAST_INTEGERS_ISA(i8mm, byte_eights);

// --- Products of matrices ----------------------------------------------------

// An item is a row.
static int64_t matmul_extent(const tenon_call *c, int64_t *items) {
  *items = 1;
  return c->out[0].dims[c->out[0].rank - 1];
}

#define FAST_MATMUL(isa)                                 \
  CORE_KERNEL(matmul_f32_##isa) = {                      \
      CORE_FAST(matmul_f32_##isa, tenon_core_last_rows), \
      .op = "core::matmul",                              \
      .types = "f32, f32 -> f32",                        \
      CORE_FAST_ON(isa),                                 \
      .grain = 4,                                        \
      .extent = matmul_extent}
#define FAST_MATMUL_TRANSPOSED(isa)                                 \
  CORE_KERNEL(matmul_transposed_f32_##isa) = {                      \
      CORE_FAST(matmul_transposed_f32_##isa, tenon_core_last_rows), \
      .op = "core::matmul_transposed",                              \
      .types = "f32, f32 -> f32",                                   \
      CORE_FAST_ON(isa),                                            \
      .grain = 4,                                                   \
      .extent = matmul_extent}
FAST_WIDE(FAST_MATMUL_TRANSPOSED);
FAST_WIDE(FAST_MATMUL);

// Zero points are 0, and sums of halves of products fit.
LIKE_REFERENCE(matmul_s16q)
static bool matmul_s16q_fits(const tenon_call *c) {
  const tenon_tensor *a = &c->in[0];
  return matmul_s16q_match(c) && tenon_core_zero(a) == 0 &&
         tenon_core_zero(&c->in[1]) == 0 && a->dims[a->rank - 1] <= 1 << 17;
}
#define FAST_MATMUL_S16(isa)                           \
  CORE_KERNEL(matmul_s16q_##isa) = {                   \
      CORE_FAST(matmul_s16q_##isa, matmul_s16q_items), \
      .op = "core::matmul",                            \
      .types = "s16q, s16q -> s16q",                   \
      CORE_FAST_ON(isa),                               \
      .grain = 4,                                      \
      .extent = matmul_extent,                         \
      .match = matmul_s16q_fits,                       \
      .pack_size = matmul_s16q_size,                   \
      .pack = matmul_s16q_pack}
FAST_WIDTHS(FAST_MATMUL_S16);

const tenon_kernel_desc *const tenon_core_fast_kernels[] = {
#define TENON_KERNEL_ROW(name, form) CORE_K(name),
#include "kern/isa/aarch64/aarch64.def"  // made
#include "kern/isa/x86/x86.def"          // made
#include "ops/core/core_rule.h"
#undef TENON_KERNEL_ROW
    NULL};
