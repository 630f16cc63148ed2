// core_weight_only.c - core::weight_only_linear: floats times integers that are
// scaled by blocks of a row, whose sums are multiplied by the scales.
#include <inttypes.h>
#include <string.h>

#include "kern/opt/tiles/packed.h"
#include "kern/product/weight_only.h"
#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"
#include "ops/core/fast/core_fast_host.h"
#include "ops/core/product/core_integer_linear.h"

// Scales and zero points: one for each block of each row of w.
static tenon_status weight_only_infer(tenon_infer *c) {
  tenon_shapes s = {.n_names = 0};
  TENON_TRY(tenon_core_shapes_with(
      c, &s,
      "x[...,k], w[n,k]!, scale?[n,blocks]!, zero?[n,blocks]!, bias?[n] -> "
      "x[...,n]"));
  if (((const tenon_weight_only_attrs *)tenon_infer_attrs(c))->adds &&
      (!tenon_infer_in(c, 2) || !tenon_infer_in(c, 3)))
    return tenon_infer_fail(c, "adds needs scale and zero");
  return tenon_core_check_blocks(c, &s, "blocks");
}

#define TYPES "f32, s8, f32?, f32?, f32? -> f32"

CORE_KERNEL_RANGE(weight_only_linear_f32_ref, tenon_core_items, TYPES);

CORE_KERNEL_RANGE(weight_only_linear_f32s4_ref, tenon_core_items, TYPES,
                  TENON_CORE_NARROW("core::weight_only_linear"));

CORE_OPERATOR(weight_only_linear, weight_only_infer,
              (CORE_K(weight_only_linear_f32_ref),
               CORE_K(weight_only_linear_f32s4_ref)),
              "(Tensor x, Tensor w, Tensor? scale=None, Tensor? zero=None, "
              "Tensor? bias=None, *, bool adds=False) -> Tensor",
              "Multiplies rows of floats by a transposed matrix of integers.\n"
              "w [n, k] stands for (w - zero) * scale, with scales and zero "
              "points [n, blocks] for as many equal blocks of each row: the "
              "sum of x * (w - zero) over a block, one chain of fused "
              "multiply-adds, is multiplied by its scale and added to that of "
              "the row in one rounding. With adds, w stands for fma(w, scale, "
              "zero), and a row is one chain.",
              CORE_MEMBERS(tenon_weight_only_attrs, adds),
              .macs = tenon_core_product_macs);

// --- Packed ------------------------------------------------------------------

static bool weight_only_match(const tenon_call *c) {
  for (int i = 2; i < 5; ++i)
    if (!tenon_core_is_constant(&c->in[i])) return false;
  return c->in[1].data && tenon_core_is_known(&c->in[1]);
}

static int64_t weight_only_items(const tenon_call *c) {
  const ptrdiff_t width = TENON_WEIGHT_ONLY_GROUP * TENON_LANES;
  if (tenon_count(&c->out[0]) == 0) return 0;
  return tenon_round_up(c->in[1].dims[0], width) / width;
}

// The floats of some panels, where there may be rows enough for them.
static size_t weight_only_scratch(const tenon_call *c, int64_t items) {
  const tenon_tensor *x = &c->in[0];
  int64_t rows = 1;
  (void)items;
  for (int i = 0; i < x->rank - 1; ++i)
    rows = x->dims[i] < 0 ? INT32_MAX : rows * x->dims[i];
  return rows > TENON_WEIGHT_ONLY_FEW
             ? (size_t)c->in[1].dims[1] * TENON_LANES *
                   TENON_WEIGHT_ONLY_PANELS * sizeof(float)
             : 0;
}

// Whether there is a zero point that changes anything.
static bool has_zeros(const tenon_call *c) {
  const float *zero = (const float *)c->in[3].data;
  if (!zero) return false;
  if (((const tenon_weight_only_attrs *)c->attrs)->adds) return true;
  const ptrdiff_t n = (ptrdiff_t)tenon_count(&c->in[3]);
  for (ptrdiff_t i = 0; i < n; ++i)
    if (zero[i] != 0.0f) return true;
  return false;
}

static size_t weight_only_pack_size(const tenon_call *c) {
  const ptrdiff_t panels =
      tenon_round_up(c->in[1].dims[0], TENON_LANES) / TENON_LANES;
  const ptrdiff_t floats =
      tenon_weight_only_floats(c->in[1].dims[1], tenon_weight_only_block(c),
                               tenon_core_is_narrow(c), has_zeros(c));
  return sizeof(tenon_packed_weight_only) +
         (size_t)(panels * floats) * sizeof(float);
}

// Outputs `first` to `end` of a matrix, of which there may be fewer.
typedef struct weight_group {
  const tenon_call *c;
  ptrdiff_t first, end;
} weight_group;

// A value per output; those that fill up a panel, and absent ones, are `none`.
static float *pack_values(const weight_group *g, int operand, ptrdiff_t step,
                          ptrdiff_t at, float none, float *to) {
  const float *from = (const float *)g->c->in[operand].data;
  for (ptrdiff_t j = g->first; j < g->end; ++j)
    *to++ = from && j < g->c->in[1].dims[0] ? from[j * step + at] : none;
  return to;
}

// The integers of one block from column k on.
static float *pack_integers(const weight_group *g, ptrdiff_t k, bool is_narrow,
                            float *to) {
  const tenon_tensor *w = &g->c->in[1];
  const int8_t *from = (const int8_t *)w->data;
  const ptrdiff_t block = tenon_weight_only_block(g->c);
  const ptrdiff_t each = tenon_weight_only_fields(is_narrow);
  const int bits = is_narrow ? 4 : 8;
  for (ptrdiff_t i = 0; i < block; i += each)
    for (ptrdiff_t j = g->first; j < g->end; ++j) {
      uint32_t word = 0;
      for (ptrdiff_t f = 0; f < each && i + f < block; ++f) {
        const int q = j < w->dims[0] ? from[j * w->dims[1] + k + i + f] : 0;
        word |= (uint32_t)(q + (1 << (bits - 1))) << (bits * (int)f);
      }
      memcpy(to++, &word, sizeof word);
    }
  return to;
}

static tenon_status weight_only_pack(const tenon_call *c, void *packed) {
  const ptrdiff_t n = c->in[1].dims[0], depth = c->in[1].dims[1];
  const ptrdiff_t block = tenon_weight_only_block(c), blocks = depth / block;
  const ptrdiff_t width = TENON_WEIGHT_ONLY_GROUP * TENON_LANES;
  tenon_packed_weight_only *head = (tenon_packed_weight_only *)packed;
  memset(head, 0, sizeof *head);
  head->is_narrow = tenon_core_is_narrow(c);
  head->has_zeros = has_zeros(c);
  float *to = (float *)(head + 1);
  for (ptrdiff_t first = 0; first < n; first += width) {
    const ptrdiff_t count = n - first < width ? n - first : width;
    const weight_group g = {c, first,
                            first + tenon_round_up(count, TENON_LANES)};
    to = pack_values(&g, 4, 1, 0, -0.0f, to);
    for (ptrdiff_t b = 0; b < blocks; ++b) {
      to = pack_values(&g, 2, blocks, b, 1.0f, to);
      if (head->has_zeros) to = pack_values(&g, 3, blocks, b, 0.0f, to);
      to = pack_integers(&g, b * block, head->is_narrow, to);
    }
  }
  return TENON_OK;
}

static bool weight_only_pack_check(const tenon_call *c, const void *packed) {
  const tenon_packed_weight_only *head =
      (const tenon_packed_weight_only *)packed;
  return (head->is_narrow != 0) == tenon_core_is_narrow(c) &&
         (head->has_zeros != 0) == has_zeros(c);
}

#define FAST_WEIGHT_ONLY(isa)                                     \
  CORE_KERNEL(weight_only_linear_f32_##isa) = {                   \
      CORE_FAST(weight_only_linear_f32_##isa, weight_only_items), \
      .op = "core::weight_only_linear",                           \
      .types = TYPES,                                             \
      .match = weight_only_match,                                 \
      CORE_FAST_ON(isa),                                          \
      .packs = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4,             \
      .pack_version = 3,                                          \
      .pack_name = "tenon_weight_only_linear",                    \
      .pack_size = weight_only_pack_size,                         \
      .pack = weight_only_pack,                                   \
      .pack_check = weight_only_pack_check,                       \
      .scratch = weight_only_scratch}
FAST_WIDE(FAST_WEIGHT_ONLY);
