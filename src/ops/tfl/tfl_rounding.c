// How: TFLite Micro's FULLY_CONNECTED of 8 bits rounds its sums twice, as every
// convolution does, where LiteRT's reference rounds them once. So it becomes a
// convolution, whose rows are images of one pixel. Of 16 bits it takes 15 bits
// of the factor, as for weights of 16 bits, where LiteRT computes in double; so
// weights become such, but beside a bias of 32 bits, where it rounds twice,
// which no kernel here does. Its UNIDIRECTIONAL_SEQUENCE_LSTM of integers is
// another one altogether.
#include "ops/tfl/recurrent/tfl_layers.h"

const tenon_pass_desc tenon_tfl_tflm = {
    .struct_size = sizeof(tenon_pass_desc),
    .flags = TENON_PASS_OPTIONAL | TENON_PASS_ASKED,
    .name = "tflm",
    .doc = "rounds as TFLite Micro does, where LiteRT rounds otherwise",
    .after = "functional",
};

static bool rounding_is_served(const tenon_type *x, const tenon_type *w,
                               const tenon_type *y,
                               const tenon_tfl_dense_attrs *a) {
  return x && w && x->dtype == TENON_S8 && x->quant &&
         x->quant->channels == 1 && y->dtype == TENON_S8 && y->quant &&
         (w->dtype == TENON_S8 || w->dtype == TENON_S4) && w->quant &&
         !w->quant->block && w->rank == 2 && a->weights_format == 0;
}

// 16 bits beside weights of 8, with sums of 64 bits.
static bool rounding_is_wide(const tenon_type *x, const tenon_type *w,
                             const tenon_type *bias,
                             const tenon_tfl_dense_attrs *a) {
  enum { INT32 = 2 };  // of TensorType
  return x && w && x->dtype == TENON_S16 && w->dtype == TENON_S8 && w->quant &&
         !w->quant->block && a->weights_format == 0 &&
         (bias ? bias->dtype == TENON_S64 : a->quantized_bias_type != INT32);
}

// The same operator with weights of 16 bits.
static tenon_status rounding_widen(tenon_rewriter *rw, const tenon_node *node,
                                   const tenon_tfl_dense_attrs *a,
                                   tenon_value **in) {
  enum { INT64 = 4 };
  const tenon_quant *quant = tenon_rw_type(rw, in[1])->quant;
  in[1] = tenon_tfl_cast(rw, tenon_tfl_stored(rw, in[1], NULL), TENON_S16);
  in[1] = tenon_tfl_stored(rw, in[1], quant);
  return tenon_tfl_become(
      rw, node, "tfl::FULLY_CONNECTED", in, 3,
      TENON_ARGS(tenon_arg_int("fused_activation_function",
                               a->fused_activation_function),
                 tenon_arg_bool("keep_num_dims", a->keep_num_dims),
                 tenon_arg_int("quantized_bias_type", INT64)));
}

static tenon_status rounding_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_dense_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_value *in[3];
  for (int i = 0; i < 3; ++i)
    in[i] = tenon_tfl_in(rw, node, i);
  const tenon_type *x = tenon_rw_type(rw, in[0]);
  const tenon_type *w = tenon_rw_type(rw, in[1]);
  if (rounding_is_wide(x, w, in[2] ? tenon_rw_type(rw, in[2]) : NULL, a))
    return rounding_widen(rw, node, a, in);
  if (!rounding_is_served(x, w, y, a)) return TENON_OK;
  tenon_dim n = w->dims[0], k = w->dims[1], rows = tenon_tfl_fixed(1);
  for (int i = 0; i + 1 < y->rank; ++i)
    rows = rw->api->dim(rw, TENON_DIM_MUL, rows, y->dims[i]);
  tenon_tfl_args args = {0};
  TENON_TRY(tenon_tfl_clamp(rw, a->fused_activation_function, &args));
  if (w->dtype == TENON_S4) {
    tenon_type wide = *w;
    wide.dtype = TENON_S8;
    in[1] = tenon_tfl_make(rw, "core::quantize", &in[1], 1, NULL, &wide);
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
  tenon_value *z = tenon_tfl_make(rw, "core::conv", in, 3, args.list, &pixels);
  tenon_tfl_shape whole = tenon_tfl_shape_of(y);
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, z, &whole, y));
}

static const tenon_lowering_desc dense = {
    .struct_size = sizeof(tenon_lowering_desc),
    .name = "tfl::FULLY_CONNECTED as TFLite Micro",
    .op = "tfl::FULLY_CONNECTED",
    .pass = "tflm",
    .to =
        "core::quantize core::reshape core::conv core::reinterpret core::cast "
        "tfl::FULLY_CONNECTED",
    .lower = rounding_lower,
};

static tenon_status lower_lstm(tenon_rewriter *rw, const tenon_node *node) {
  return tenon_tfl_is_tflm_lstm(rw, node) ? tenon_tfl_as_tflm_lstm(rw, node)
                                          : TENON_OK;
}

static const tenon_lowering_desc lstm = {
    .struct_size = sizeof(tenon_lowering_desc),
    .name = "tfl::UNIDIRECTIONAL_SEQUENCE_LSTM as TFLite Micro",
    .op = "tfl::UNIDIRECTIONAL_SEQUENCE_LSTM",
    .pass = "tflm",
    .to = "core::lstm_tflm",
    .lower = lower_lstm,
};

const tenon_lowering_desc *const tenon_tfl_roundings[] = {&dense, &lstm, NULL};
