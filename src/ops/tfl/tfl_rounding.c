// How: TFLite Micro's FULLY_CONNECTED of 8 bits rounds its sums twice, as every
// convolution does, where LiteRT's reference rounds them once. So it becomes a
// convolution, whose rows are images of one pixel. With one scale for all
// weights both multiply the scales of operands as floats before anything else;
// that product is then the scale of the weights, and that of the rows is 1.
#include "ops/tfl/tfl_op.h"

const tenon_pass_desc tenon_tfl_tflm = {
    .struct_size = sizeof(tenon_pass_desc),
    .flags = TENON_PASS_OPTIONAL | TENON_PASS_ASKED,
    .name = "tflm",
    .doc = "rounds as TFLite Micro does, where LiteRT rounds otherwise",
    .after = "read",
};

static bool is_served(const tenon_type *x, const tenon_type *w,
                      const tenon_type *y, const tenon_tfl_dense_attrs *a) {
  return x && w && x->dtype == TENON_S8 && x->quant &&
         x->quant->channels == 1 && y->dtype == TENON_S8 && y->quant &&
         (w->dtype == TENON_S8 || w->dtype == TENON_S4) && w->quant &&
         !w->quant->block && w->rank == 2 && a->weights_format == 0;
}

static tenon_status lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_dense_attrs *a =
      (const tenon_tfl_dense_attrs *)tenon_rw_attrs(rw, node);
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_value *in[3];
  for (int i = 0; i < 3; ++i)
    in[i] = tenon_tfl_in(rw, node, i);
  const tenon_type *x = tenon_rw_type(rw, in[0]);
  const tenon_type *w = tenon_rw_type(rw, in[1]);
  if (!is_served(x, w, y, a)) return TENON_OK;
  tenon_dim n = w->dims[0], k = w->dims[1], rows = tenon_tfl_fixed(1);
  for (int i = 0; i + 1 < y->rank; ++i)
    rows = rw->api->dim(rw, TENON_DIM_MUL, rows, y->dims[i]);
  tenon_tfl_args args = {0};
  TENON_TRY(tenon_tfl_clamp(rw, a->fused_activation_function, &args));
  tenon_quant one = *x->quant, product = *w->quant;
  const float ones[] = {1.0f},
              products[] = {x->quant->scale[0] * w->quant->scale[0]};
  if (w->dtype == TENON_S4) {
    tenon_type wide = *w;
    wide.dtype = TENON_S8;
    in[1] = tenon_tfl_make(rw, "core::quantize", &in[1], 1, NULL, &wide);
  }
  if (product.channels == 1) {
    one.scale = ones;
    product.scale = products;
    in[0] = tenon_tfl_stored(rw, in[0], &one);
    in[1] = tenon_tfl_stored(rw, in[1], &product);
  }
  tenon_tfl_shape shape = {{rows, tenon_tfl_fixed(1), tenon_tfl_fixed(1), k},
                           4};
  in[0] = tenon_tfl_reshape(rw, in[0], &shape, NULL);
  shape.dims[0] = n;
  in[1] = tenon_tfl_reshape(rw, in[1], &shape, NULL);
  shape.rank = 1;
  if (in[2]) in[2] = tenon_tfl_reshape(rw, in[2], &shape, NULL);
  const tenon_type pixels = {
      (const tenon_dim[]){rows, tenon_tfl_fixed(1), tenon_tfl_fixed(1), n},
      y->quant, y->dtype, 4, 0};
  tenon_value *z = tenon_tfl_make(rw, "core::conv", in, 3, &args, &pixels);
  tenon_tfl_shape whole = tenon_tfl_shape_of(y);
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, z, &whole, y));
}

static const tenon_lowering_desc dense = {
    .struct_size = sizeof(tenon_lowering_desc),
    .name = "tfl::FULLY_CONNECTED as TFLite Micro",
    .op = "tfl::FULLY_CONNECTED",
    .pass = "tflm",
    .to = "core::quantize core::reinterpret core::reshape core::conv",
    .lower = lower,
};

const tenon_lowering_desc *const tenon_tfl_roundings[] = {&dense, NULL};
