// LSTM in integers: as LiteRT's first kernel of them (UNIDIRECTIONAL_SEQUENCE
// and LSTM), as its second one, which LSTM alone has and 12 intermediate
// tensors tell, and as TFLite Micro.
#include <math.h>

#include "ops/tfl/recurrent/tfl_layers.h"

static tenon_status check_scale(tenon_rewriter *rw, int i, double scale) {
  if (isnormal(scale) && scale > 0) return TENON_OK;
  return tenon_rw_fail(rw, "intermediate tensor %d has the scale %g", i, scale);
}

static tenon_arg tfl_lstm_floats_of(const char *name, const double *data,
                                    size_t n) {
  tenon_arg a = {name, TENON_KIND_FLOATS, {0}};
  a.as.floats = (tenon_floats){data, n};
  return a;
}

// A node with three results: what comes out, of type y, and the states.
static void tfl_lstm_build(tenon_rewriter *rw, const char *op, tenon_value **in,
                           int n, const tenon_arg *args, const tenon_type *y,
                           tenon_value *h, tenon_value *cell,
                           tenon_value **out) {
  const tenon_type *types[] = {y, tenon_rw_type(rw, h),
                               tenon_rw_type(rw, cell)};
  tenon_rw_build(rw, op, in, (uint32_t)n, args, out, 3, types);
}

// ---------------------------------------------------------------------------
// LiteRT's first kernel
// ---------------------------------------------------------------------------

// Scales of gates are 2^-12 without layer norms.
static tenon_status scales_of(tenon_rewriter *rw, const tenon_node *node,
                              const tenon_tfl_integers *l, double *scales) {
  const bool has_norm = tenon_tfl_in(rw, node, LSTM_NORM + 1) != NULL;
  if (l->scales.count != 5 || l->zeros.count != 5)
    return tenon_rw_fail(rw,
                         "integers with %zu intermediate scales, expected 5, "
                         "are not supported",
                         l->scales.count);
  for (int i = 0; i < 5; ++i) {
    scales[i] = has_norm || i == 4 ? l->scales.data[i] : 0x1p-12;
    TENON_TRY(check_scale(rw, i, scales[i]));
  }
  return TENON_OK;
}

tenon_status tenon_tfl_integers_build(tenon_rewriter *rw,
                                      const tenon_node *node,
                                      const tenon_tfl_integers *l,
                                      tenon_value **out) {
  tenon_value *in[LSTM_ALL];
  double scales[5];
  TENON_TRY(scales_of(rw, node, l, scales));
  for (int i = 0; i < LSTM_ALL; ++i)
    in[i] = tenon_tfl_in(rw, node, i);
  in[LSTM_X] = l->x;
  const tenon_type *h = tenon_rw_type(rw, in[LSTM_H]);
  const tenon_type *cell = tenon_rw_type(rw, in[LSTM_CELL]);
  // LiteRT reads as many weights and numbers of the cell as the output has,
  // so that of several batches one reads what belongs to another.
  bool is_alone =
      !l->time_major || tenon_tfl_is(tenon_rw_type(rw, l->x)->dims[1], 1);
  if (tenon_tfl_in(rw, node, LSTM_PEEPHOLE + 1) &&
      !tenon_tfl_same(h->dims[1], cell->dims[1]) &&
      (!is_alone || h->dims[1].value > cell->dims[1].value))
    return tenon_rw_fail(rw,
                         "peepholes of integers with a projection, of which "
                         "LiteRT mistakes the sizes, are not supported");
  tfl_lstm_build(rw, "core::lstm_integer", in, LSTM_ALL,
                 TENON_ARGS(tenon_arg_float("cell_clip", l->cell_clip),
                            tenon_arg_float("proj_clip", l->proj_clip),
                            tfl_lstm_floats_of("scales", scales, 5),
                            tenon_arg_int("hidden_zero", l->zeros.data[4]),
                            tenon_arg_bool("time_major", l->time_major)),
                 l->y, in[LSTM_H], in[LSTM_CELL], out);
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// LiteRT's second kernel
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_narrow_build(tenon_rewriter *rw, const tenon_node *node,
                                    const tenon_tfl_integers *l,
                                    tenon_value **out) {
  static const int first[] = {LSTM_W, LSTM_R, LSTM_BIAS, LSTM_NORM};
  tenon_value *in[17] = {l->x};
  int n = 1;
  for (int i = 0; i < 4; ++i)
    for (int k = 1; k < 4; ++k)
      in[n++] = tenon_tfl_in(rw, node, first[i] + k);
  for (int i = LSTM_PROJECTION; i <= LSTM_CELL; ++i)
    in[n++] = tenon_tfl_in(rw, node, i);
  // LiteRT reads them all the same.
  for (int i = 0; i < n; ++i)
    if (!in[i])
      return tenon_rw_fail(rw,
                           "integers with 12 intermediate tensors without "
                           "layer norms, projection and its bias are not "
                           "supported");
  // Those of the gate i and of peepholes are not looked at.
  for (int i = 3; i < 12; ++i)
    TENON_TRY(check_scale(rw, i, l->scales.data[i]));
  tenon_arg zeros = tenon_arg_ints("zeros", l->zeros.data, l->zeros.count);
  tfl_lstm_build(
      rw, "core::lstm_narrow", in, n,
      TENON_ARGS(tenon_arg_float("cell_clip", l->cell_clip),
                 tenon_arg_float("proj_clip", l->proj_clip),
                 tfl_lstm_floats_of("scales", l->scales.data, l->scales.count),
                 zeros),
      l->y, tenon_tfl_in(rw, node, LSTM_H), tenon_tfl_in(rw, node, LSTM_CELL),
      out);
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// TFLite Micro
// ---------------------------------------------------------------------------

bool tenon_tfl_is_tflm_lstm(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_lstm_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *x = tenon_tfl_type(rw, node, LSTM_X);
  if (a->fused_activation_function != TFL_ACT_TANH || !x->quant ||
      (x->dtype != TENON_S8 && x->dtype != TENON_S16))
    return false;
  for (int i = 0; i < LSTM_ALL; ++i) {
    const tenon_value *v = tenon_tfl_in(rw, node, i);
    const tenon_type *t = v ? tenon_rw_type(rw, v) : NULL;
    const bool is_weight = i >= LSTM_W && i < LSTM_PEEPHOLE;
    const bool is_bias = i >= LSTM_BIAS && i < LSTM_PROJECTION;
    const bool is_state = i == LSTM_X || i == LSTM_H || i == LSTM_CELL;
    if (!t != !(is_weight || is_bias || is_state)) return false;
    if (is_weight &&
        (t->dtype != TENON_S8 || !t->quant || t->quant->channels != 1))
      return false;
    if (i == LSTM_CELL && (t->dtype != TENON_S16 || !t->quant)) return false;
    if (i == LSTM_H && (t->dtype != x->dtype || !t->quant)) return false;
  }
  return true;
}

tenon_status tenon_tfl_as_tflm_lstm(tenon_rewriter *rw,
                                    const tenon_node *node) {
  const tenon_tfl_lstm_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *in[15] = {tenon_tfl_in(rw, node, LSTM_X)}, *out[3] = {NULL};
  int n = 1;
  for (int i = LSTM_W; i < LSTM_PROJECTION; ++i)
    if (i < LSTM_PEEPHOLE || i >= LSTM_BIAS)
      in[n++] = tenon_tfl_in(rw, node, i);
  in[n++] = tenon_tfl_in(rw, node, LSTM_H);
  in[n++] = tenon_tfl_in(rw, node, LSTM_CELL);
  tfl_lstm_build(rw, "core::lstm_tflm", in, n,
                 TENON_ARGS(tenon_arg_float("cell_clip", a->cell_clip),
                            tenon_arg_bool("time_major", a->time_major)),
                 rw->api->result(rw, node, 0), in[13], in[14], out);
  return rw->api->replace(rw, node, out, 3);
}
