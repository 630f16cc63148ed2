// core_winograd.c - core::conv_winograd, and where pass `winograd` puts it in
// the place of core::conv.
#include "kern/product/winograd.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "kern/opt/conv/winograd_blocks.h"
#include "kern/product/conv.h"
#include "ops/core/core_extent.h"
#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"
#include "ops/core/fast/core_fast_host.h"
#include "ops/core/fast/core_fast_pack.h"
#include "ops/core/rewrite/core_rewrite.h"

// --- Shape rules -------------------------------------------------------------

static tenon_status winograd_conv_infer(tenon_infer *c) {
  const tenon_conv_winograd_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  tenon_dim dims[4];
  TENON_TRY(tenon_core_shapes(c, "x[_,_,_,k], w[_,3,3,k]!"));
  TENON_TRY(tenon_core_check_ints(c, "pad", a->pad, 4, 0));
  if (a->tile != 2 && a->tile != 4)
    return tenon_infer_fail(c, "tile is %" PRId64 ", expected 2 or 4", a->tile);
  dims[0] = x->dims[0];
  for (int i = 0; i < 2; ++i)
    TENON_TRY(tenon_core_slide(c, x->dims[1 + i], 3, 1, 1,
                               a->pad.data[i] + a->pad.data[i + 2],
                               &dims[1 + i]));
  dims[3] = w->dims[0];
  TENON_TRY(tenon_core_check_tail(c, dims[3]));
  return tenon_core_result(c, dims, 4, x, false);
}

// --- Kernels -----------------------------------------------------------------

static int64_t tile_rows(const tenon_call *c) {
  const tenon_winograd g = tenon_winograd_of(c);
  return tenon_count(&c->out[0]) ? c->in[0].dims[0] * (int64_t)g.down : 0;
}
// A channel's weights, and the inputs of a row of tiles.
static size_t tile_scratch(const tenon_call *c, int64_t items) {
  const tenon_winograd g = tenon_winograd_of(c);
  (void)items;
  return (size_t)((1 + g.right) * g.sums * g.c) * sizeof(float);
}
static int64_t winograd_conv_macs(const tenon_call *c) {
  const tenon_winograd g = tenon_winograd_of(c);
  return tile_rows(c) * g.right * g.sums * g.c * g.out_c;
}
// A row of tiles is written when what it needs has been read.
static size_t tile_overlap(const tenon_call *c) {
  const tenon_winograd g = tenon_winograd_of(c);
  ptrdiff_t most = 0, lowest = PTRDIFF_MAX;
  for (ptrdiff_t item = (ptrdiff_t)tile_rows(c); item-- > 0;) {
    const ptrdiff_t image = item / g.down, oy = item % g.down * g.tile;
    const ptrdiff_t end = oy + g.tile < g.out_h ? oy + g.tile : g.out_h;
    const ptrdiff_t first = oy > g.top ? oy - g.top : 0;
    const ptrdiff_t written = (image * g.out_h + end) * g.out_w * g.out_c;
    if (lowest != PTRDIFF_MAX && written - lowest > most)
      most = written - lowest;
    if (first < g.h) lowest = (image * g.h + first) * g.w * g.c;
  }
  return (size_t)most * sizeof(float);
}
CORE_KERNEL_RANGE(conv_winograd_f32_ref, tile_rows, CORE_FAST_F32_TYPES,
                  .scratch = tile_scratch, .overlap = tile_overlap);

static bool fast_match(const tenon_call *c) {
  return tenon_core_can_pack_known(c) && c->in[0].dims[3] >= TENON_LANES;
}
static int64_t conv_winograd_f32_items(const tenon_call *c) {
  const tenon_winograd g = tenon_winograd_of(c);
  const tenon_blocks b = tenon_winograd_blocks(&g, c->in[0].dims[0]);
  return tenon_blocks_items(&b);
}
static int64_t conv_winograd_f32_extent(const tenon_call *c, int64_t *items) {
  const tenon_winograd g = tenon_winograd_of(c);
  const tenon_blocks b = tenon_winograd_blocks(&g, c->in[0].dims[0]);
  return tenon_core_blocks_extent(&b, g.out_w * g.out_c, items);
}
static size_t fast_scratch(const tenon_call *c, int64_t items) {
  const tenon_winograd g = tenon_winograd_of(c);
  (void)items;
  return tenon_winograd_scratch(&g);
}

#define FAST(isa)                                               \
  CORE_FAST_F32(conv_winograd_f32_##isa, "core::conv_winograd", \
                conv_winograd_f32, 2, fast_match, isa, 0, fast_scratch)
FAST_WIDTHS(FAST);

// --- Descriptors -------------------------------------------------------------

CORE_OPERATOR(
    conv_winograd, winograd_conv_infer, (CORE_K(conv_winograd_f32_ref)),
    "(Tensor x, Tensor w, Tensor? bias=None, Tensor? scale=None, Tensor? "
    "shift=None, *, int[4] pad=0, int tile=2, float? lo=None, float? hi=None) "
    "-> Tensor",
    "Convolves images with 3 by 3 taps by fewer products.\n"
    "x is [n, h, w, c], w is [oc, 3, 3, c]; the result is that of core::conv "
    "of stride 1, but for rounding: tiles of 2 by 2 outputs take 16 products "
    "of a channel instead of 36, those of 4 by 4 take 36 instead of 144. A "
    "value that is not finite reaches all "
    "outputs of the tiles that read it.",
    CORE_MEMBERS(tenon_conv_winograd_attrs, pad, tile, lo, hi),
    .macs = winograd_conv_macs);

// --- Pass `winograd` ---------------------------------------------------------

// Where it is faster, by measurement: of channels on both sides and outputs of
// an image so many at least.
enum {
  LEAST_CHANNELS = 16,
  LEAST_OUTPUTS = 36,
  LEAST_OUTPUTS_FEW = 64,
  LEAST_TILES = 12,
  OFTEN_TILES = 36,
  FEW_FLOATS = 1 << 17
};

typedef struct winograd_tiles {
  int64_t large,
      small;  // so many of 4 by 4 outputs cover an image, or of 2 by 2
} winograd_tiles;

// Whether a small program has room for the scratch of tiles of 4.
static bool winograd_has_room(tenon_rewriter *rw, const tenon_type *x,
                              const tenon_type *y) {
  const tenon_winograd g = {.c = (ptrdiff_t)x->dims[3].value,
                            .out_c = (ptrdiff_t)y->dims[3].value,
                            .tile = 4,
                            .sums = TENON_WINOGRAD_SUMS,
                            .down = (ptrdiff_t)(y->dims[1].value + 3) / 4,
                            .right = (ptrdiff_t)(y->dims[2].value + 3) / 4};
  return tenon_winograd_scratch(&g) <= rw->api->room(rw);
}

static winograd_tiles winograd_tiles_of(const tenon_type *y) {
  const int64_t height = y->dims[1].value, width = y->dims[2].value;
  return (winograd_tiles){((height + 3) / 4) * ((width + 3) / 4),
                          ((height + 1) / 2) * ((width + 1) / 2)};
}

// Outputs of a tile along each axis, or 0: as core::conv.
//
// In a large program, 4 where that takes fewer products. There are four times
// as many weights as taps then: few, or used often. A small program may run on
// a microcontroller, which combines weights in every run, so that tiles of 2
// gain little there, and those of 4 where they cover not much more than the
// image. Memory counts more than time there: what kernels need besides has to
// be free while the layer runs.
static int64_t winograd_tile_of(tenon_rewriter *rw, const tenon_type *x,
                                const tenon_type *w, const tenon_type *y) {
  const int64_t count = tenon_core_type_count(x);
  if (count < 0 || tenon_core_type_count(y) < 0 || w->dims[1].value != 3 ||
      w->dims[2].value != 3 || w->dims[3].value < LEAST_CHANNELS ||
      w->dims[0].value < LEAST_CHANNELS)
    return 0;
  const int64_t outputs = y->dims[1].value * y->dims[2].value;
  const int64_t weights = tenon_core_type_count(w);
  const winograd_tiles n = winograd_tiles_of(y);
  if (!tenon_core_is_large(rw, count + weights))
    return outputs >= LEAST_OUTPUTS_FEW && n.large * 16 * 3 <= outputs * 4 &&
                   winograd_has_room(rw, x, y)
               ? 4
               : 0;
  if (outputs < LEAST_OUTPUTS) return 0;
  const bool is_often =
      y->dims[0].value * n.large >= OFTEN_TILES || weights <= FEW_FLOATS;
  return is_often && n.large >= LEAST_TILES && n.large * 36 < n.small * 14 ? 4
                                                                           : 2;
}

static bool are_finite(const float *most, int64_t n) {
  for (int64_t i = 0; most && i < n; ++i)
    if (!isfinite(most[i])) return false;
  return most != NULL;
}

CORE_LOWER(winograd_conv) {
  const tenon_conv_attrs *a = tenon_rw_attrs(rw, n);
  tenon_value *in[5];
  tenon_core_args args;
  tenon_core_range range;
  for (int i = 0; i < 5; ++i)
    in[i] = tenon_rw_operand(rw, n, i);
  const tenon_type *x = tenon_rw_type(rw, in[0]);
  const tenon_type *w = tenon_rw_type(rw, in[1]);
  if (!tenon_core_is_plain_f32(x) || !tenon_core_is_plain_f32(w) ||
      a->groups != 1 || !tenon_core_all_are(a->stride, 1) ||
      !tenon_core_all_are(a->dilation, 1) ||
      !are_finite(rw->api->largest(rw, in[1]), w->dims[0].value) ||
      !tenon_core_take_args(rw, n, &args) ||
      !tenon_core_get_limits(&args, &range))
    return TENON_OK;
  const int64_t outputs = winograd_tile_of(rw, x, w, rw->api->result(rw, n, 0));
  if (!outputs) return TENON_OK;
  const tenon_arg *pad = tenon_core_find_arg(&args, "pad");
  const tenon_arg tile = tenon_arg_int("tile", outputs);
  tenon_core_args own = {{*pad, tile, *tenon_core_find_arg(&args, "lo"),
                          *tenon_core_find_arg(&args, "hi"), TENON_END_ARGS}};
  return tenon_core_rewrite_as(rw, n, "core::conv_winograd", in, 5, own.list);
}

// Stripes need sums that do not depend on where tiles begin, and memory more
// than time: what is here because tiles are of use in small programs, too, goes
// back.
CORE_LOWER(direct_conv) {
  tenon_value *in[5];
  tenon_core_args args;
  for (int i = 0; i < 5; ++i)
    in[i] = tenon_rw_operand(rw, n, i);
  const int64_t count = tenon_core_type_count(tenon_rw_type(rw, in[0])) +
                        tenon_core_type_count(tenon_rw_type(rw, in[1]));
  if (tenon_core_is_large(rw, count) || !tenon_core_take_args(rw, n, &args))
    return TENON_OK;
  tenon_core_args own = {{*tenon_core_find_arg(&args, "pad"),
                          *tenon_core_find_arg(&args, "lo"),
                          *tenon_core_find_arg(&args, "hi"), TENON_END_ARGS}};
  return tenon_core_rewrite_as(rw, n, "core::conv", in, 5, own.list);
}
