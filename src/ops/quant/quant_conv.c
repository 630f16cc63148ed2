// quant_conv.c - convolutions of images whose scale a run finds out, on
// integers.
//
// How: the windows of an image are rows of a product (quant_dynamic.c), and the
// weights of an output are one row of its matrix, as they lie. Where the scale
// is known, integer kernels for convolutions do better (quant_fold.c), if the
// result is quantised again.
#include "ops/aten/aten_nn.h"
#include "ops/aten/index_op.h"
#include "ops/quant/quant_dynamic.h"

// Images and weights of f32, in one group and of sizes that are known.
static bool take(tenon_rewriter *rw, const tenon_node *n, tenon_value *x,
                 tenon_value *w, tenon_value *bias, tenon_quant_scaled *s,
                 tenon_quant_window *window) {
  const tenon_type *tx = tenon_aten_known(rw, x), *tw = tenon_aten_known(rw, w);
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  if (!x || !w || !y || tx->rank != 4 || tw->rank != 4 || y->rank != 4 ||
      tx->dtype != TENON_F32 || tw->dtype != TENON_F32 ||
      y->dtype != TENON_F32 || tenon_aten_int(rw, n, "groups") != 1 ||
      tenon_aten_bool(rw, n, "transposed"))
    return false;
  if (bias &&
      (tenon_nn_rank(rw, bias) != 1 || tenon_nn_type(rw, bias) != TENON_F32))
    return false;
  for (int i = 0; i < 4; ++i)
    if (tw->dims[i].symbol || tw->dims[i].value < 1 ||
        (i > 1 && tx->dims[i].symbol))
      return false;
  s->n = tw->dims[0].value;
  s->k = tw->dims[1].value * tw->dims[2].value * tw->dims[3].value;
  s->dtype = TENON_F32;
  for (int i = 0; i < 2; ++i)
    window->size[i] = tw->dims[2 + i].value;
  return tenon_aten_same(tx->dims[1], tw->dims[1]) &&
         tenon_nn_ints(rw, n, "stride", 2, 1, window->stride) == TENON_OK &&
         tenon_nn_ints(rw, n, "padding", 2, 0, window->pad) == TENON_OK &&
         tenon_nn_ints(rw, n, "dilation", 2, 1, window->dilation) == TENON_OK;
}

static tenon_status conv(tenon_rewriter *rw, const tenon_node *n) {
  static const int64_t turn[] = {0, 2, 1};
  tenon_value *x = tenon_aten_in(rw, n, 0), *w = tenon_aten_in(rw, n, 1),
              *bias = tenon_aten_in(rw, n, 2);
  tenon_quant_scaled s = {0};
  tenon_quant_window window;
  if (!take(rw, n, x, w, bias, &s, &window) ||
      !tenon_quant_find_channels(rw, w, &s))
    return TENON_OK;
  tenon_value *y = tenon_quant_dynamic_conv(rw, x, &s, bias, &window);
  if (!y) return TENON_OK;
  const tenon_type *to = tenon_aten_result(rw, n, 0);
  y = tenon_aten_permute(rw, y, turn, 3);
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, y, to->dims, 4));
}

#define CONV(ident, its_op)                                    \
  const tenon_lowering_desc ident = {                          \
      .struct_size = sizeof(tenon_lowering_desc),              \
      .flags = TENON_LOWERING_INEXACT,                         \
      .priority = 20,                                          \
      .name = "quant " its_op " to integers",                  \
      .op = "aten::" its_op,                                   \
      .to = TENON_QUANT_DYNAMIC_BUILDS                         \
      " core::im2col core::permute core::concat core::expand", \
      .lower = conv}
CONV(tenon_quant_dynamic_conv2d, "conv2d");
CONV(tenon_quant_dynamic_convolution, "convolution");
