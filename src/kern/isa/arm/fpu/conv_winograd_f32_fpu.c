// conv_winograd_f32_fpu.c - convolutions of 3 by 3 taps in floats, tile by
// tile, eight tiles at a time, or four. Bit for bit what
// conv_winograd_f32_ref.c computes.
//
// The inputs of a few rows of tiles are combined into scratch; then the weights
// of one output channel after the other are, and are multiplied with them: by
// lanes of eight tiles, so that an instruction loads as many inputs. Packed:
// nine weights of each input channel side by side.
#include <math.h>
#include <string.h>

#include "kern/isa/arm/fpu/winograd_fpu.h"
#include "kern/product/conv.h"

// What a kernel does for tiles of one size.
typedef struct conv_winograd_f32_fpu_steps {
  void (*weights)(const float *w, float *u, int32_t n, const float *by);
  void (*inputs)(const float *const *from, int32_t bytes, float *v,
                 int32_t lanes, const float *by);
  void (*products[2])(const float *v, const float *u, int32_t n, float *sums);
  void (*outputs)(const float *sums, float *y, const float *by);
} conv_winograd_f32_fpu_steps;

typedef struct conv_winograd_f32_fpu_work {
  tenon_winograd g;
  conv_winograd_f32_fpu_steps steps;
  tenon_conv_tail tail;
  tenon_limits_f32 limits;
  bool is_plain, is_limited;
  const float *zeros;  // of a pixel
  float *u, *sums, *v;
} conv_winograd_f32_fpu_work;

// What inputs and sums count for, and weights, seven numbers for tiles of 4, of
// 2 those behind them.
static const float conv_winograd_f32_fpu_spread[6] = {
    TENON_WINOGRAD_A1, TENON_WINOGRAD_B1,   TENON_WINOGRAD_A2,
    TENON_WINOGRAD_B2, TENON_WINOGRAD_SUM2, TENON_WINOGRAD_PRODUCT2};
static const float conv_winograd_f32_fpu_gather[6] = {
    TENON_WINOGRAD_A1, TENON_WINOGRAD_B1, TENON_WINOGRAD_A2,
    TENON_WINOGRAD_B2, TENON_WINOGRAD_A3, TENON_WINOGRAD_B3};
static const float conv_winograd_f32_fpu_by[14] = {
    TENON_WINOGRAD_ZERO0, TENON_WINOGRAD_NEAR0,
    TENON_WINOGRAD_NEAR1, TENON_WINOGRAD_NEAR2,
    TENON_WINOGRAD_FAR0,  TENON_WINOGRAD_FAR1,
    TENON_WINOGRAD_FAR2,  0.5f};

// Of the eight tiles that begin at `t`, or as many as are left, lanes: eight or
// four.
static int32_t conv_winograd_f32_fpu_lanes(int32_t t, int32_t tiles) {
  return tiles - t > 4 ? 8 : 4;
}

// The inputs of `tiles` from row `oy` of the outputs on.
static void conv_winograd_f32_fpu_inputs(const conv_winograd_f32_fpu_work *s,
                                         const float *image, int32_t oy,
                                         int32_t tiles) {
  const int32_t c = (int32_t)s->g.c, in = (int32_t)s->g.in;
  const int32_t h = (int32_t)s->g.h, w = (int32_t)s->g.w;
  const int32_t left = -(int32_t)s->g.left;
  const int32_t right = left + (int32_t)(s->g.right * s->g.tile);
  int32_t y0 = oy - (int32_t)s->g.top, x0 = left;
  for (int32_t t = 0; t < tiles; ++t) {
    const float *from[TENON_WINOGRAD_SUMS], **next = from;
    const int32_t first = t & ~7;
    const int32_t lanes = conv_winograd_f32_fpu_lanes(first, tiles);
    for (int32_t y = y0; y < y0 + in; ++y)
      for (int32_t x = x0; x < x0 + in; ++x) {
        const bool is_in = y >= 0 && y < h && x >= 0 && x < w;
        *next++ = is_in ? image + (y * w + x) * c : s->zeros;
      }
    s->steps.inputs(from, c * (int32_t)sizeof(float),
                    s->v + first * (int32_t)s->g.sums * c + (t & 7),
                    lanes * (int32_t)sizeof(float),
                    conv_winograd_f32_fpu_spread);
    x0 += (int32_t)s->g.tile;
    if (x0 >= right) {
      x0 = left;
      y0 += (int32_t)s->g.tile;
    }
  }
}

// Stores `height` by `width` outputs of channel `oc`, which are `tile` apart.
static void conv_winograd_f32_fpu_store(const conv_winograd_f32_fpu_work *s,
                                        const float *made, float *y, int32_t oc,
                                        int32_t height, int32_t width) {
  const int32_t tile = (int32_t)s->g.tile, step = (int32_t)s->g.out_c;
  const int32_t line = ((int32_t)s->g.out_w - width) * step;
  const tenon_limits_f32 m = s->limits;
  const float bias = s->tail.bias ? s->tail.bias[oc] : -0.0f;
  for (y += oc; height > 0; --height, made += tile - width, y += line)
    for (const float *const end = made + width; made != end; y += step) {
      float sum = *made++ + bias;
      if (!s->is_plain) {
        if (s->tail.scale) sum *= s->tail.scale[oc];
        if (s->tail.shift) sum += s->tail.shift[oc];
      }
      *y = s->is_limited ? tenon_limit_f32(sum, m) : sum;
    }
}

// Output channel `oc` of `tiles` whose inputs are there.
static void conv_winograd_f32_fpu_channel(const conv_winograd_f32_fpu_work *s,
                                          float *y, int32_t oy, int32_t oc,
                                          int32_t tiles) {
  const int32_t c = (int32_t)s->g.c, tile = (int32_t)s->g.tile;
  const int32_t out_w = (int32_t)s->g.out_w, out_h = (int32_t)s->g.out_h;
  float made[16];
  int32_t ox = 0;
  for (int32_t t = 0; t < tiles; ++t) {
    if ((t & 7) == 0)
      s->steps.products[conv_winograd_f32_fpu_lanes(t, tiles) == 4](
          s->v + t * (int32_t)s->g.sums * c, s->u, c, s->sums);
    s->steps.outputs(s->sums + (t & 7), made, conv_winograd_f32_fpu_gather);
    conv_winograd_f32_fpu_store(s, made,
                                y + (oy * out_w + ox) * (int32_t)s->g.out_c, oc,
                                out_h - oy < tile ? out_h - oy : tile,
                                out_w - ox < tile ? out_w - ox : tile);
    ox += tile;
    if (ox >= out_w) {
      ox = 0;
      oy += tile;
    }
  }
}

TENON_KERNEL_RANGE(tenon_k_conv_winograd_f32_fpu) {
  static const conv_winograd_f32_fpu_steps steps[2] = {
      {tenon_winograd_fpu_weights_2,
       tenon_winograd_fpu_inputs_2,
       {tenon_winograd_fpu_eight_2, tenon_winograd_fpu_four_2},
       tenon_winograd_fpu_outputs_2},
      {tenon_winograd_fpu_weights_4,
       tenon_winograd_fpu_inputs_4,
       {tenon_winograd_fpu_eight_4, tenon_winograd_fpu_four_4},
       tenon_winograd_fpu_outputs_4}};
  const tenon_conv_winograd_attrs *a =
      (const tenon_conv_winograd_attrs *)c->attrs;
  conv_winograd_f32_fpu_work s;
  s.g = tenon_winograd_of(c);
  s.steps = steps[s.g.tile == 4];
  s.tail = tenon_conv_tail_of(c);
  s.limits = tenon_limits_f32_of(a->lo, a->hi);
  s.is_plain = !s.tail.scale && !s.tail.shift;
  s.is_limited = a->lo.has || a->hi.has;
  const int32_t depth = (int32_t)s.g.c, down = (int32_t)s.g.down;
  const int32_t tile = (int32_t)s.g.tile;
  float *zeros = (float *)c->scratch;
  memset(zeros, 0, (size_t)depth * sizeof *zeros);
  s.zeros = zeros;
  s.u = zeros + depth;
  s.sums = s.u + s.g.sums * depth;
  s.v = s.sums + 8 * s.g.sums;
  int32_t rows;
  for (int32_t item = (int32_t)begin; item < (int32_t)end; item += rows) {
    const int32_t image = item / down, row = item % down;
    const float *x =
        (const float *)c->in[0].data + image * s.g.h * s.g.w * s.g.c;
    float *y =
        (float *)c->out[0].data + image * s.g.out_h * s.g.out_w * s.g.out_c;
    const float *w = (const float *)c->packed;
    rows = (int32_t)tenon_winograd_few_rows(&s.g);
    if (rows > down - row) rows = down - row;
    if (rows > (int32_t)end - item) rows = (int32_t)end - item;
    const int32_t tiles = rows * (int32_t)s.g.right;
    conv_winograd_f32_fpu_inputs(&s, x, row * tile, tiles);
    for (int32_t oc = 0; oc < s.g.out_c; ++oc, w += 9 * depth) {
      s.steps.weights(w, s.u, depth,
                      conv_winograd_f32_fpu_by + (tile == 2 ? 7 : 0));
      conv_winograd_f32_fpu_channel(&s, y, row * tile, oc, tiles);
    }
  }
  return TENON_OK;
}
