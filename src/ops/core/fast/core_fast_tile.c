// core_fast_tile.c - descriptors of the kernels in kern/tile/. Weights are read
// as they lie in the model; only factors and biases are packed.
#include "ops/core/fast/core_fast_tile.h"

#include "kern/loop/window.h"
#include "kern/product/conv.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/fast/core_fast_like.h"

#define TYPES_S8 "s8q, s8q|s8qc, s32|s32q|s32qc? -> s8q"

// Better than the reference, and less than what an instruction set brings.
#define PRIORITY 5

static bool has_weights(const tenon_call *c) {
  return tenon_core_is_known(&c->in[1]) && c->in[1].data &&
         (!c->in[2].dtype || c->in[2].data) &&
         tenon_core_match_weights(&c->in[1], 0, false);
}

static size_t tile_size(const tenon_call *c) {
  return tenon_core_requant_size(&c->in[1]) +
         (size_t)c->in[1].dims[0] * sizeof(int32_t);
}

// Biases with what the input's zero point adds, modulo 2^32 like the sums.
static void tiles_fold(const tenon_call *c, void *packed) {
  const tenon_tensor *w = &c->in[1];
  const ptrdiff_t n = w->dims[0], taps = (ptrdiff_t)tenon_count(w) / n;
  const int32_t *bias = c->in[2].dtype ? (const int32_t *)c->in[2].data : NULL;
  int32_t *folded = (int32_t *)((tenon_requant *)packed + 1) +
                    2 * (ptrdiff_t)w->quant->channels;
  const int32_t zero = tenon_core_zero(&c->in[0]);
  for (ptrdiff_t i = 0; i < n; ++i) {
    int64_t sum = 0;
    for (ptrdiff_t k = 0; k < taps; ++k)
      sum += ((const int8_t *)w->data)[i * taps + k];
    folded[i] =
        (int32_t)((bias ? (uint32_t)bias[i] : 0) - (uint32_t)(zero * sum));
  }
}

// --- Convolutions ------------------------------------------------------------

static bool tiles_conv_match(const tenon_call *c) {
  return ((const tenon_conv_attrs *)c->attrs)->groups == 1 && has_weights(c);
}

static tenon_status tiles_conv_pack(const tenon_call *c, void *packed) {
  const tenon_conv_attrs *a = c->attrs;
  tenon_core_pack_requant(
      &c->in[0], &c->in[1], &c->out[0], a->lo, a->hi,
      a->single_scale ? TENON_CORE_TWICE_SINGLE : TENON_CORE_TWICE, packed);
  tiles_fold(c, packed);
  return TENON_OK;
}

// Results before the i-th pixel's are written when what it needs has still to
// be read; where results are not held back, two pixels' before it has been.
static size_t tiles_conv_overlap(const tenon_call *c) {
  const tenon_conv_attrs *a = c->attrs;
  const tenon_window g =
      tenon_window_of(&c->in[0], &c->out[0], c->in[1].dims[1], c->in[1].dims[2],
                      a->stride.data, a->pad.data, a->dilation.data);
  const ptrdiff_t rows = (ptrdiff_t)tenon_core_lines(c);
  const ptrdiff_t pixels = rows * g.out_w;
  const ptrdiff_t ahead = g.out_c <= TENON_CONV_TILE_HELD ? 0 : 2;
  ptrdiff_t most = 0, lowest = PTRDIFF_MAX;
  for (ptrdiff_t row = rows; row-- > 0;) {
    const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    const ptrdiff_t line = row / g.out_h * g.h + ty.at + ty.begin * g.dil_y;
    for (ptrdiff_t ox = g.out_w; ox-- > 0;) {
      const tenon_taps tx = tenon_window_columns(&g, ox);
      const ptrdiff_t first = (line * g.w + tx.at + tx.begin * g.dil_x) * g.c;
      if (ty.begin < ty.end && tx.begin < tx.end && first < lowest)
        lowest = first;
      const ptrdiff_t i = row * g.out_w + ox;
      const ptrdiff_t end = i + ahead < pixels ? i + ahead : pixels;
      if (lowest != PTRDIFF_MAX && end * g.out_c - lowest > most)
        most = end * g.out_c - lowest;
    }
  }
  return (size_t)most;
}

CORE_KERNEL_RANGE(conv_s8_tile, tenon_core_lines, TYPES_S8, .op = "core::conv",
                  .match = tiles_conv_match, .priority = PRIORITY,
                  .pack_version = 1, .pack_size = tile_size,
                  .pack = tiles_conv_pack, .overlap = tiles_conv_overlap);

// --- Fully-connected layers --------------------------------------------------

static tenon_status matrix_pack(const tenon_call *c, void *packed) {
  const tenon_fully_connected_attrs *a = c->attrs;
  tenon_core_pack_requant(&c->in[0], &c->in[1], &c->out[0], a->lo, a->hi,
                          TENON_CORE_ONCE, packed);
  tiles_fold(c, packed);
  return TENON_OK;
}
// A row is read again for each four of its results, or each one behind these,
// and no more once the last of them are written.
static size_t tiles_matrix_overlap(const tenon_call *c) {
  const int64_t n = c->in[1].dims[0], depth = c->in[1].dims[1];
  const int64_t rows = tenon_core_products(c), last = n % 4 ? 1 : 4;
  const int64_t drift = rows > 1 && n > depth ? (rows - 1) * (n - depth) : 0;
  return (size_t)(drift + n - last);
}

// Whether integers scale as doubles do, all channels.
static bool matrix_match(const tenon_call *c) {
  if (!has_weights(c)) return false;
  for (int32_t i = 0; i < c->in[1].quant->channels; ++i) {
    int32_t mult, shift;
    tenon_core_factor_once(
        tenon_core_product_factor(&c->in[0], &c->in[1], i, &c->out[0], false),
        &mult, &shift);
    if (shift > 31) return false;
  }
  return true;
}

#define MATRIX(name, matches, first)                                        \
  CORE_KERNEL_RANGE(name, tenon_core_products, TYPES_S8,                    \
                    .op = "core::fully_connected", .match = matches,        \
                    .priority = first, .packs = 1u << 2, .pack_version = 1, \
                    .pack_size = tile_size, .pack = matrix_pack,            \
                    .overlap = tiles_matrix_overlap)
MATRIX(fully_connected_s8_tile, matrix_match, PRIORITY);
MATRIX(fully_connected_any_s8_tile, has_weights, PRIORITY - 1);

// --- Those that read what the reference kernels pack
// --------------------------

LIKE_REFERENCE(conv_transpose3d_s8)
// Unlike the reference only without a zero point of the weights.
static bool tiles_conv_transpose3d_symmetric(const tenon_call *c) {
  return conv_transpose3d_s8_match(c) &&
         tenon_core_match_weights(&c->in[1], 0, false);
}
CORE_KERNEL_RANGE(conv_transpose3d_s8_tile, conv_transpose3d_s8_items, TYPES_S8,
                  .op = "core::conv_transpose3d", .priority = PRIORITY,
                  .match = tiles_conv_transpose3d_symmetric,
                  .pack_size = conv_transpose3d_s8_size,
                  .pack = conv_transpose3d_s8_pack);
LIKE_REFERENCE(matmul_s8)
CORE_KERNEL_RANGE(matmul_s8_tile, matmul_s8_items, "s8q, s8q -> s8q",
                  .op = "core::matmul", .priority = PRIORITY,
                  LIKE_REFERENCE_MEMBERS(matmul_s8));

const tenon_kernel_desc *const tenon_core_tile_kernels[] = {
#define TENON_KERNEL_ROW(name, form) CORE_K(name),
#include "kern/tile/tile.def"
#include "ops/core/core_rule.h"
#undef TENON_KERNEL_ROW
    NULL};
