// How: products with what goes in are made of all times at once; the rest is a
// loop over them, or a single step. What LiteRT skips where an operand is all
// zeros would add zeros.
#include "ops/tfl/recurrent/tfl_layers.h"

#include <string.h>

void tenon_tfl_layer_read(tenon_rewriter *rw, const tenon_node *node,
                          int weights, int states, int norm,
                          tenon_tfl_layer *l) {
  static const int peephole[] = {0, 1, -1, 2};
  const int at = weights - LSTM_W;
  for (int k = 0; k < 4; ++k) {
    l->w[k] = tenon_tfl_in(rw, node, at + LSTM_W + k);
    l->r[k] = tenon_tfl_in(rw, node, at + LSTM_R + k);
    l->bias[k] = tenon_tfl_in(rw, node, at + LSTM_BIAS + k);
    if (norm >= 0) l->norm[k] = tenon_tfl_in(rw, node, norm + k);
    if (peephole[k] >= 0)
      l->peephole[k] = tenon_tfl_in(rw, node, at + LSTM_PEEPHOLE + peephole[k]);
  }
  l->projection = tenon_tfl_in(rw, node, at + LSTM_PROJECTION);
  l->projection_bias = tenon_tfl_in(rw, node, at + LSTM_PROJECTION_BIAS);
  l->h = tenon_tfl_in(rw, node, states);
  l->cell = tenon_tfl_in(rw, node, states + 1);
}

tenon_status tenon_tfl_check_numbers(tenon_rewriter *rw, const tenon_node *node,
                                     int n) {
  for (int i = 0; i < n; ++i) {
    const tenon_value *v = tenon_tfl_in(rw, node, i);
    const tenon_type *t = v ? tenon_rw_type(rw, v) : NULL;
    if (!t || tenon_tfl_is_float(t)) continue;
    if (t->dtype != TENON_S8 || !t->quant || t->quant->channels != 1)
      return tenon_rw_fail(
          rw, "operand %d is %s, expected f32, or s8 with one scale", i,
          tenon_dtype_name(t->dtype));
  }
  return TENON_OK;
}

tenon_value *tenon_tfl_numbers(tenon_rewriter *rw, tenon_value *v) {
  return v && tenon_rw_type(rw, v)->quant
             ? tenon_rw_op1(rw, "core::dequantize", v)
             : v;
}

static tenon_value *layers_product(tenon_rewriter *rw, const tenon_tfl_layer *l,
                                   tenon_value *x, tenon_value *w,
                                   tenon_value *bias) {
  tenon_value *in[] = {x, w, bias};
  tenon_tfl_args args = {0};
  if (tenon_rw_type(rw, w)->rank == 1) {
    x = tenon_rw_op2(rw, "core::mul", x, tenon_tfl_numbers(rw, w));
    return bias ? tenon_rw_op2(rw, "core::add", x, bias) : x;
  }
  if (tenon_rw_type(rw, w)->quant)
    tenon_tfl_arg(&args, tenon_arg_bool("asymmetric", l->asymmetric));
  return tenon_rw_op(rw, "core::fully_connected", in, 3, args.list);
}

static tenon_value *layers_limited(tenon_rewriter *rw, tenon_value *x,
                                   double most) {
  if (!(most > 0)) return x;
  return tenon_rw_op(
      rw, "core::clamp", &x, 1,
      TENON_ARGS(tenon_arg_float("lo", -most), tenon_arg_float("hi", most)));
}

static tenon_value *activated(tenon_rewriter *rw, tenon_value *x,
                              int64_t function) {
  tenon_tfl_args limits = {0};
  if (function == TFL_ACT_TANH) return tenon_rw_op1(rw, "core::tanh", x);
  (void)tenon_tfl_clamp(rw, function, &limits);
  return limits.n ? tenon_rw_op(rw, "core::clamp", &x, 1, limits.list) : x;
}

// By mean and deviation of each row, with LiteRT's guard.
static tenon_value *normalised(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, x);
  return tenon_aten_formula(rw,
                            "x @last #guard: d = x - mean(x, last, 1); "
                            "d * rsqrt(mean(d * d, last, 1) + guard)",
                            x, t ? 1 << (t->rank - 1) : 0, (double)1e-8f);
}

// Gate k of a step: `from_x` is what goes in makes of it.
static tenon_value *gate(tenon_rewriter *rw, const tenon_tfl_layer *l, int k,
                         tenon_value *from_x, tenon_value *h,
                         tenon_value *cell) {
  tenon_value *x = tenon_rw_op2(rw, "core::add", from_x,
                                layers_product(rw, l, h, l->r[k], NULL));
  if (l->peephole[k])
    x = tenon_aten_formula(rw, "x by cell: x + by * cell", x,
                           tenon_tfl_numbers(rw, l->peephole[k]), cell);
  if (!l->norm[k]) return x;
  x = tenon_rw_op2(rw, "core::mul", normalised(rw, x), l->norm[k]);
  return l->bias[k] ? tenon_rw_op2(rw, "core::add", x, l->bias[k]) : x;
}

static tenon_value *open_of(tenon_rewriter *rw, tenon_value *x) {
  return tenon_rw_op1(rw, "core::logistic", x);
}

static void layers_step(tenon_rewriter *rw, const tenon_tfl_layer *l,
                        tenon_value *const *x, tenon_value **h,
                        tenon_value **cell) {
  if (!l->cell) {
    *h = activated(rw, gate(rw, l, 0, x[0], *h, NULL), l->activation);
    return;
  }
  tenon_value *forget = open_of(rw, gate(rw, l, 1, x[1], *h, *cell));
  tenon_value *in = l->w[0] ? open_of(rw, gate(rw, l, 0, x[0], *h, *cell))
                            : tenon_aten_formula(rw, "f: 1 - f", forget);
  tenon_value *fresh =
      activated(rw, gate(rw, l, 2, x[2], *h, *cell), l->activation);
  *cell = tenon_aten_formula(rw, "f c g i: f * c + g * i", forget, *cell, fresh,
                             in);
  *cell = layers_limited(rw, *cell, l->cell_clip);
  tenon_value *open = open_of(rw, gate(rw, l, 3, x[3], *h, *cell));
  *h = tenon_rw_op2(rw, "core::mul", open, activated(rw, *cell, l->activation));
  if (l->projection)
    *h = layers_limited(
        rw, layers_product(rw, l, *h, l->projection, l->projection_bias),
        l->proj_clip);
}

// --- Over time ---------------------------------------------------------------

// Place `at` of the first dimension, which goes.
static tenon_value *layers_take(tenon_rewriter *rw, tenon_value *x,
                                tenon_value *at) {
  const tenon_type *t = tenon_rw_type(rw, x);
  const int64_t axis = 0;
  const tenon_dim one = tenon_tfl_fixed(1);
  tenon_tfl_shape y = {.rank = t->rank - 1};
  tenon_value *in[] = {x, at};
  memcpy(y.dims, t->dims + 1, (size_t)y.rank * sizeof *y.dims);
  x = tenon_rw_op(rw, "core::dynamic_slice", in, 2,
                  TENON_ARGS(tenon_arg_ints("axes", &axis, 1),
                             tenon_arg_dims("size", &one, 1)));
  return tenon_tfl_reshape(rw, x, &y, NULL);
}

static tenon_value *layers_put(tenon_rewriter *rw, tenon_value *y,
                               tenon_value *part, tenon_value *at) {
  const int64_t axis = 0;
  tenon_tfl_shape row = tenon_tfl_shape_of(tenon_rw_type(rw, y));
  row.dims[0] = tenon_tfl_fixed(1);
  tenon_value *in[] = {y, tenon_tfl_reshape(rw, part, &row, NULL), at};
  return tenon_rw_op(rw, "core::dynamic_update", in, 3,
                     TENON_ARGS(tenon_arg_ints("axes", &axis, 1)));
}

static tenon_value *layers_empty(tenon_rewriter *rw, const tenon_type *t) {
  return tenon_tfl_make(rw, "core::empty", NULL, 0,
                        TENON_ARGS(tenon_arg_dims("size", t->dims, t->rank),
                                   tenon_arg_dtype("dtype", t->dtype)),
                        t);
}

// How many times are left, s64[].
enum { LEFT, Y, H, CELL, CARRIED };

static tenon_status layers_body(tenon_rewriter *rw, const tenon_tfl_layer *l,
                                tenon_value *const *x,
                                const tenon_type *const *types, int n,
                                tenon_region **out) {
  const tenon_tfl_shape line = {{tenon_tfl_fixed(1)}, 1};
  tenon_value *v[CARRIED] = {NULL}, *now[4] = {NULL};
  *out = rw->api->begin(rw, types, n, v);
  tenon_value *one = tenon_rw_scalar(rw, TENON_S64, 1);
  tenon_value *left = tenon_rw_op2(rw, "core::sub", v[LEFT], one), *at = left;
  if (!l->reverse) {
    const tenon_dim length = tenon_rw_type(rw, l->x)->dims[0];
    at = tenon_rw_op2(rw, "core::sub", tenon_tfl_size(rw, length, TENON_S64),
                      v[LEFT]);
  }
  at = tenon_tfl_reshape(rw, at, &line, NULL);
  for (int k = 0; k < 4; ++k)
    if (x[k]) now[k] = layers_take(rw, x[k], at);
  layers_step(rw, l, now, &v[H], &v[CELL]);
  v[Y] = layers_put(rw, v[Y], v[H], at);
  v[LEFT] = left;
  return rw->api->end(rw, *out, v, n);
}

static tenon_status layers_condition(tenon_rewriter *rw,
                                     const tenon_type *const *types, int n,
                                     tenon_region **out) {
  tenon_value *v[CARRIED];
  *out = rw->api->begin(rw, types, n, v);
  tenon_value *zero = tenon_rw_scalar(rw, TENON_S64, 0);
  tenon_value *go = tenon_rw_op2(rw, "core::gt", v[LEFT], zero);
  return rw->api->end(rw, *out, &go, 1);
}

// Every gate has its matrices; one of input may be left out as a whole.
static tenon_status layers_check(tenon_rewriter *rw, const tenon_tfl_layer *l) {
  for (int k = 0; k < (l->cell ? 4 : 1); ++k)
    if (l->w[k] ? !l->r[k] : k > 0 || !l->cell)
      return tenon_rw_fail(rw, "weights of gate %d are missing", k);
  return TENON_OK;
}

tenon_status tenon_tfl_layer_build(tenon_rewriter *rw, const tenon_tfl_layer *l,
                                   tenon_value **y, tenon_value **h,
                                   tenon_value **cell) {
  static const tenon_type number = {.dtype = TENON_S64};
  const tenon_type *t = tenon_rw_type(rw, l->x);
  const tenon_type *state = tenon_rw_type(rw, l->h);
  tenon_tfl_shape all = {{t->dims[0], t->dims[1], state->dims[1]}, 3};
  const tenon_type result = {.dims = all.dims, .dtype = TENON_F32, .rank = 3};
  tenon_value *x[4] = {NULL}, *v[CARRIED] = {NULL, NULL, l->h, l->cell};
  tenon_tfl_args unused = {0};
  TENON_TRY(layers_check(rw, l));
  if (l->activation != TFL_ACT_TANH)
    TENON_TRY(tenon_tfl_clamp(rw, l->activation, &unused));
  for (int k = 0; k < 4; ++k) {
    if (!l->w[k]) continue;
    x[k] = layers_product(rw, l, l->x, l->w[k], l->norm[k] ? NULL : l->bias[k]);
    if (l->aux && l->aux_w[k])
      x[k] = tenon_rw_op2(rw, "core::add", x[k],
                          layers_product(rw, l, l->aux, l->aux_w[k], NULL));
  }
  if (tenon_tfl_is(t->dims[0], 1)) {
    tenon_tfl_shape row = {{t->dims[1]}, 2};
    for (int k = 0; k < 4; ++k) {
      if (!x[k]) continue;
      row.dims[1] = tenon_rw_type(rw, x[k])->dims[2];
      x[k] = tenon_tfl_reshape(rw, x[k], &row, NULL);
    }
    layers_step(rw, l, x, &v[H], &v[CELL]);
    *y = tenon_tfl_reshape(rw, v[H], &all, NULL);
    *h = v[H];
    *cell = v[CELL];
    return TENON_OK;
  }
  const tenon_type *types[CARRIED] = {
      &number, &result, state, l->cell ? tenon_rw_type(rw, l->cell) : NULL};
  const int n = l->cell ? CARRIED : CARRIED - 1;
  const uint16_t group[] = {0, (uint16_t)n};
  tenon_region *regions[2];
  tenon_value *out[CARRIED] = {NULL};
  TENON_TRY(layers_condition(rw, types, n, &regions[0]));
  TENON_TRY(layers_body(rw, l, x, types, n, &regions[1]));
  v[LEFT] = tenon_tfl_size(rw, t->dims[0], TENON_S64);
  v[Y] = layers_empty(rw, &result);
  tenon_build b = {.struct_size = sizeof(tenon_build), .n_regions = 2};
  b.op = "core::while";
  b.n_in = b.n_out = (uint32_t)n;
  b.in = v;
  b.in_group = group;
  b.out = out;
  b.regions = regions;
  b.types = types;
  (void)rw->api->build(rw, &b);
  *y = out[Y];
  *h = out[H];
  *cell = l->cell ? out[CELL] : NULL;
  return TENON_OK;
}
