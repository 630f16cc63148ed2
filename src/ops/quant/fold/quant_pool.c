// quant_pool.c - pools, means, sums and extremes on integers.
//
// The largest of numbers is the largest of their integers, whatever the scale,
// so these are computed first and rounded once. Kernels of average pools keep
// the scale and round to it: they do where its step is not above the result's.
// Elsewhere means are the kernel's for whole images, or convolutions with ones,
// which round once, to the result's scale.
#include <string.h>

#include "kern/loop/reduce.h"
#include "kern/op/planes.h"
#include "kern/op/pooling.h"
#include "ops/aten/index/index_op.h"
#include "ops/quant/fold/quant_folding.h"
#include "ops/quant/fold/quant_links.h"

typedef tenon_quant_folding fold;

static tenon_value *quant_pool_operand(const fold *f, int i) {
  return tenon_quant_bytes(f->rw, f->rw->api->operand(f->rw, f->node, i));
}

static const tenon_quant *quant_pool_scale_of(const fold *f, tenon_value *q) {
  return f->rw->api->type(f->rw, q)->quant;
}

// The same shape as `like`, of s8.
static tenon_value *quant_pool_make(const fold *f, const char *op,
                                    tenon_value *q, const tenon_arg *args,
                                    const tenon_type *like,
                                    const tenon_quant *quant) {
  const tenon_type y = tenon_quant_stored_as(like, TENON_S8, quant);
  return tenon_quant_make(f->rw, op, &q, 1, args, &y);
}

static tenon_value *quant_pool_reshaped(const fold *f, tenon_value *q,
                                        const tenon_dim *dims, int rank) {
  const tenon_type like = {.dims = dims, .rank = (uint8_t)rank};
  return q ? quant_pool_make(
                 f, "core::reshape", q,
                 TENON_ARGS(tenon_arg_dims("shape", dims, (size_t)rank)), &like,
                 quant_pool_scale_of(f, q))
           : NULL;
}

// --- Windows -----------------------------------------------------------------

// Of images with channels last.
typedef struct windows {
  const int64_t *window, *stride;  // 2
  int64_t pad[4];                  // top, left, bottom, right
  int64_t divisor;
  const tenon_type *y;  // in shape
} windows;

// Sums of windows over a number, whatever lies outside counted as zero: a
// convolution of each channel with ones.
static tenon_value *mean_of_windows(const fold *f, tenon_value *q,
                                    const windows *w) {
  tenon_rewriter *rw = f->rw;
  const float scale = 1.0f / (float)w->divisor;
  const tenon_quant quant = {&scale, NULL, 1, 0, 0};
  const tenon_dim dims[] = {tenon_aten_fixed(1), tenon_aten_fixed(w->window[0]),
                            tenon_aten_fixed(w->window[1]),
                            rw->api->type(rw, q)->dims[3]};
  const tenon_type ones = {
      .dims = dims, .quant = &quant, .dtype = TENON_S8, .rank = 4};
  const tenon_arg args[] = {tenon_arg_ints("stride", w->stride, 2),
                            tenon_arg_ints("pad", w->pad, 4), TENON_END_ARGS};
  if (dims[3].symbol) return NULL;
  tenon_value *weights =
      tenon_aten_expand(rw, tenon_aten_real(rw, TENON_S8, 1), dims, 4);
  tenon_value *in[] = {
      q, tenon_quant_make(rw, "core::reinterpret", &weights, 1, NULL, &ones),
      NULL};
  const tenon_type y = tenon_quant_stored_as(w->y, TENON_S8, f->quant);
  return tenon_quant_make(rw, "core::depthwise_conv", in, 3, args, &y);
}

static tenon_value *quant_pool_mean_of(const fold *f, tenon_value *q,
                                       const int64_t *dims, size_t n,
                                       bool keepdim, const tenon_type *like) {
  return quant_pool_make(f, "core::mean", q,
                         TENON_ARGS(tenon_arg_ints("dims", dims, n),
                                    tenon_arg_bool("keepdim", keepdim)),
                         like, f->quant);
}

static bool quant_pool_is_whole(const tenon_type *x, const windows *w) {
  for (int i = 0; i < 2; ++i)
    if (x->dims[1 + i].symbol || x->dims[1 + i].value != w->window[i] ||
        w->pad[i] || w->pad[2 + i] || !tenon_aten_is(w->y->dims[1 + i], 1))
      return false;
  return true;
}

// Elements outside are counted, or there are none.
static tenon_value *averages(const fold *f, tenon_value *q, const windows *w) {
  static const int64_t inside[] = {1, 2};
  const tenon_type *x = f->rw->api->type(f->rw, q);
  return quant_pool_is_whole(x, w) && w->divisor == w->window[0] * w->window[1]
             ? quant_pool_mean_of(f, q, inside, 2, true, w->y)
             : mean_of_windows(f, q, w);
}

// Brings what has the scale of x to the result's.
static tenon_value *to_result(const fold *f, tenon_value *kept) {
  kept = tenon_quant_rescaled(f->rw, kept, f->quant);
  return tenon_quant_limit(f, kept);
}

static bool has_pad(const windows *w) {
  return w->pad[0] || w->pad[1] || w->pad[2] || w->pad[3];
}

static tenon_value *pooled(const fold *f, tenon_value *q, bool is_mean,
                           const windows *w, const tenon_arg *args) {
  const tenon_quant *own = quant_pool_scale_of(f, q);
  if (is_mean && own->scale[0] != f->quant->scale[0]) {
    if (!has_pad(w)) return tenon_quant_limit(f, averages(f, q, w));
    if (own->scale[0] > f->quant->scale[0]) return NULL;
  }
  return to_result(
      f, quant_pool_make(f, is_mean ? "core::avg_pool" : "core::max_pool", q,
                         args, w->y, own));
}

tenon_value *tenon_quant_fold_pool(const fold *f) {
  tenon_rewriter *rw = f->rw;
  const bool is_mean = tenon_quant_is_op(rw, f->node, "core::avg_pool");
  const tenon_pool_attrs *a =
      (const tenon_pool_attrs *)rw->api->attrs(rw, f->node);
  windows w = {.window = a->window.data,
               .stride = a->stride.data,
               .divisor = a->window.data[0] * a->window.data[1],
               .y = rw->api->type(rw, f->y)};
  memcpy(w.pad, a->pad.data, sizeof w.pad);
  if (a->lo.has || a->hi.has) return NULL;
  tenon_value *q = quant_pool_operand(f, 0);
  return q ? pooled(f, q, is_mean, &w, rw->api->args(rw, f->node)) : NULL;
}

// --- Planes ------------------------------------------------------------------

// Arguments of a pool over planes, where there is one layer: the last two of
// [planes, 1, h, w], as images of one channel.
static bool take_planes(const fold *f, const tenon_type *x, bool is_mean,
                        windows *w, bool *counts) {
  const void *attrs = f->rw->api->attrs(f->rw, f->node);
  const tenon_avg_pool3d_attrs *mean = (const tenon_avg_pool3d_attrs *)attrs;
  const tenon_max_pool3d_attrs *most = (const tenon_max_pool3d_attrs *)attrs;
  const int64_t *window = is_mean ? mean->window.data : most->window.data;
  const int64_t *stride = is_mean ? mean->stride.data : most->stride.data;
  const int64_t *pad = is_mean ? mean->pad.data : most->pad.data;
  *counts = is_mean && mean->count_pad;
  if (window[0] != 1 || pad[0] || pad[3] || stride[0] != 1 ||
      !tenon_aten_is(x->dims[1], 1))
    return false;
  if (!is_mean)
    for (int i = 1; i < 3; ++i)
      if (most->dilation.data[i] != 1) return false;
  *w = (windows){.window = window + 1, .stride = stride + 1};
  w->divisor = window[1] * window[2];
  for (int i = 0; i < 2; ++i) {
    w->pad[i] = pad[1 + i];
    w->pad[2 + i] = pad[4 + i];
    // What ceil_mode reads beyond the padding counts nowhere.
    if (*counts && pad[1 + i] != pad[4 + i]) return false;
  }
  if (is_mean && mean->divisor.has) {
    if (mean->divisor.value < 1 || (!*counts && has_pad(w))) return false;
    w->divisor = mean->divisor.value;
  }
  return true;
}

tenon_value *tenon_quant_fold_planes(const fold *f) {
  tenon_rewriter *rw = f->rw;
  const bool is_mean = tenon_quant_is_op(rw, f->node, "core::avg_pool3d");
  const tenon_type *x = rw->api->type(rw, rw->api->operand(rw, f->node, 0));
  const tenon_type *y = rw->api->type(rw, f->y);
  windows w;
  bool counts = false;
  if (!x || x->rank != 4 || !take_planes(f, x, is_mean, &w, &counts))
    return NULL;
  const tenon_dim one = tenon_aten_fixed(1);
  const tenon_dim from[] = {x->dims[0], x->dims[2], x->dims[3], one};
  const tenon_dim to[] = {y->dims[0], y->dims[2], y->dims[3], one};
  const tenon_type like = {.dims = to, .rank = 4};
  const tenon_arg args[] = {tenon_arg_ints("window", w.window, 2),
                            tenon_arg_ints("stride", w.stride, 2),
                            tenon_arg_ints("pad", w.pad, 4), TENON_END_ARGS};
  w.y = &like;
  tenon_value *q = quant_pool_operand(f, 0);
  q = q ? quant_pool_reshaped(f, q, from, 4) : NULL;
  if (!q) return NULL;
  const bool is_usual = w.divisor == w.window[0] * w.window[1];
  q = is_mean && ((counts && has_pad(&w)) || !is_usual)
          ? tenon_quant_limit(f, averages(f, q, &w))
          : pooled(f, q, is_mean, &w, args);
  return quant_pool_reshaped(f, q, y->dims, y->rank);
}

// --- Whole dimensions --------------------------------------------------------

// How many elements become one; 0: too many for 32 bits, or unknown.
static int64_t quant_pool_count_of(const fold *f) {
  enum { MOST = INT32_MAX / 255 };
  const tenon_type *x =
      f->rw->api->type(f->rw, f->rw->api->operand(f->rw, f->node, 0));
  const tenon_reduce_attrs *a =
      (const tenon_reduce_attrs *)f->rw->api->attrs(f->rw, f->node);
  int64_t count = 1;
  for (size_t i = 0; x && i < a->dims.count; ++i) {
    const int64_t d = a->dims.data[i];
    const tenon_dim dim = x->dims[d < 0 ? d + x->rank : d];
    if (dim.symbol || dim.value < 1 || dim.value > MOST / count) return 0;
    count *= dim.value;
  }
  return x ? count : 0;
}

// The last two of four dimensions, in either order.
static bool is_of_images(const tenon_type *x, tenon_ints dims) {
  unsigned seen = 0;
  for (size_t i = 0; i < dims.count; ++i)
    seen |= 1u << (dims.data[i] & 3);  // -1 and -2 are 3 and 2
  return x->rank == 4 && dims.count == 2 && seen == 12u;
}

// Means and sums, rounded once, to the result's scale. Of images, with channels
// last, as the convolutions before them have it.
tenon_value *tenon_quant_fold_mean(const fold *f) {
  static const int64_t last[] = {0, 2, 3, 1}, inside[] = {1, 2};
  tenon_rewriter *rw = f->rw;
  const tenon_reduce_attrs *a =
      (const tenon_reduce_attrs *)rw->api->attrs(rw, f->node);
  const tenon_arg args[] = {tenon_arg_ints("dims", inside, 2), TENON_END_ARGS};
  if (quant_pool_count_of(f) == 0) return NULL;
  tenon_value *q = quant_pool_operand(f, 0);
  if (!q) return NULL;
  const tenon_type *x = rw->api->type(rw, q);
  const tenon_type y = tenon_quant_result_type(f);
  if (!is_of_images(x, a->dims))
    return tenon_quant_limit(
        f, tenon_quant_make(rw, rw->api->op(rw, f->node), &q, 1,
                            rw->api->args(rw, f->node), &y));
  const tenon_dim to[] = {x->dims[0], x->dims[2], x->dims[3], x->dims[1]};
  tenon_type like = {.dims = to, .rank = 4};
  q = quant_pool_make(f, "core::permute", q,
                      TENON_ARGS(tenon_arg_ints("dims", last, 4)), &like,
                      x->quant);
  like = (tenon_type){.dims = y.dims, .rank = 2};
  q = q ? quant_pool_make(f, rw->api->op(rw, f->node), q, args, &like, f->quant)
        : NULL;
  return tenon_quant_limit(f, quant_pool_reshaped(f, q, y.dims, y.rank));
}

// --- Extremes ----------------------------------------------------------------

static tenon_value *quant_pool_plain(const fold *f, tenon_value *q) {
  return q ? quant_pool_make(f, "core::reinterpret", q, NULL,
                             f->rw->api->type(f->rw, q), NULL)
           : NULL;
}

// Of two tensors, or over dimensions: on integers of the result's scale, which
// keep the order.
tenon_value *tenon_quant_fold_extreme(const fold *f) {
  tenon_rewriter *rw = f->rw;
  const bool is_pair = rw->api->operand(rw, f->node, 1) != NULL;
  tenon_value *in[2] = {NULL, NULL};
  for (int i = 0; i < 1 + is_pair; ++i) {
    in[i] = quant_pool_operand(f, i);
    if (!in[i]) return NULL;
    in[i] = quant_pool_plain(f, tenon_quant_rescaled(rw, in[i], f->quant));
  }
  const tenon_type y = tenon_quant_result_type(f);
  const tenon_type bytes = tenon_quant_stored_as(&y, TENON_S8, NULL);
  tenon_value *q =
      tenon_quant_make(rw, rw->api->op(rw, f->node), in, 1 + is_pair,
                       rw->api->args(rw, f->node), &bytes);
  return tenon_quant_limit(
      f, q ? quant_pool_make(f, "core::reinterpret", q, NULL, &y, f->quant)
           : NULL);
}
