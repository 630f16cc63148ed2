// quant_dynamic.c - products of rows whose scale a run finds out.
//
// What dequantises is core arithmetic by now, (q - zero) * scale with views and
// casts around, whichever set of operators wrote it. A scale of a row, or of
// all rows, is a factor of the whole sum; so the integers are multiplied, whose
// sums are exact, and their sums are scaled. Floats round each product instead.
#include "ops/quant/quant_dynamic.h"

#include <math.h>

#include "kern/op/clamp.h"
#include "ops/aten/index/index_op.h"
#include "ops/quant/fold/quant_links.h"
#include "ops/quant/quant_constant.h"
#include "ops/quant/quant_op.h"

typedef tenon_quant_rows rows;

static bool dynamic_is_one(tenon_dim d) {
  return tenon_aten_is(d, 1);
}

static tenon_dtype dynamic_type_of(tenon_rewriter *rw, tenon_value *v) {
  return tenon_aten_known(rw, v)->dtype;
}

// A view that leaves rows what they are.
static bool keeps_rows(tenon_rewriter *rw, const tenon_node *n,
                       tenon_value *v) {
  if (!tenon_quant_is_op(rw, n, "core::reshape")) return false;
  const tenon_type *to = tenon_aten_known(rw, v),
                   *from = tenon_aten_known(rw, rw->api->operand(rw, n, 0));
  return to->rank > 0 && from->rank > 0 &&
         tenon_aten_same(to->dims[to->rank - 1], from->dims[from->rank - 1]);
}

// To a type that holds integers of 9 bits, and numbers in f32 and wider.
static bool dynamic_keeps_numbers(tenon_rewriter *rw, const tenon_node *n,
                                  tenon_value *v) {
  const tenon_dtype t = dynamic_type_of(rw, v);
  return tenon_quant_is_op(rw, n, "core::cast") &&
         (t == TENON_F32 || t == TENON_F64 || t == TENON_S16 ||
          t == TENON_S32 || t == TENON_S64);
}

// Above what changes neither rows nor numbers.
static tenon_value *bare(tenon_rewriter *rw, tenon_value *v) {
  for (;;) {
    const tenon_node *p = rw->api->producer(rw, v);
    if (dynamic_type_of(rw, v) == TENON_S8 ||
        dynamic_type_of(rw, v) == TENON_U8)
      return v;
    if (!keeps_rows(rw, p, v) && !dynamic_keeps_numbers(rw, p, v)) return v;
    v = rw->api->operand(rw, p, 0);
  }
}

// One number for all of x, or for each of its rows.
static bool is_of_rows(tenon_rewriter *rw, tenon_value *x, tenon_value *v) {
  const tenon_type *tx = tenon_aten_known(rw, x), *t = tenon_aten_known(rw, v);
  bool is_single = true, fits = tx->rank > 0 && t->rank == tx->rank;
  for (int i = 0; i < t->rank; ++i)
    is_single = is_single && dynamic_is_one(t->dims[i]);
  for (int i = 0; fits && i < t->rank; ++i)
    fits = i == t->rank - 1 ? dynamic_is_one(t->dims[i])
                            : tenon_aten_same(t->dims[i], tx->dims[i]);
  return is_single || fits;
}

// --- Zero points -------------------------------------------------------------

// Whatever the data, numbers are whole and from least to most: constants, or
// made so by the last operators.
static bool is_limited(tenon_rewriter *rw, tenon_value *v, double least,
                       double most) {
  bool is_whole = false, is_above = false, is_below = false;
  while (v) {
    const tenon_node *p = rw->api->producer(rw, v);
    const tenon_tensor *t = tenon_quant_constant(rw, v);
    if (t) return tenon_quant_is_within(t, least, most);
    is_whole = is_whole || tenon_aten_is_integer(dynamic_type_of(rw, v)) ||
               tenon_quant_is_op(rw, p, "core::round");
    if (tenon_quant_is_op(rw, p, "core::clamp")) {
      const tenon_clamp_attrs *a =
          (const tenon_clamp_attrs *)rw->api->attrs(rw, p);
      is_above = is_above || (a->lo.has && a->lo.value >= least);
      is_below = is_below || (a->hi.has && a->hi.value <= most);
    } else if (tenon_quant_is_op(rw, p, "core::maximum") ||
               tenon_quant_is_op(rw, p, "core::minimum")) {
      const tenon_tensor *by =
          tenon_quant_constant(rw, rw->api->operand(rw, p, 1));
      const bool fits = by && tenon_quant_is_within(by, least, most);
      is_above =
          is_above || (fits && tenon_quant_is_op(rw, p, "core::maximum"));
      is_below =
          is_below || (fits && tenon_quant_is_op(rw, p, "core::minimum"));
    } else if (!tenon_quant_is_op(rw, p, "core::round") &&
               !tenon_quant_is_op(rw, p, "core::cast") &&
               !tenon_quant_is_op(rw, p, "core::reshape") &&
               !tenon_quant_is_op(rw, p, "core::expand")) {
      return false;
    }
    if (is_above && is_below) return is_whole;
    v = rw->api->operand(rw, p, 0);
  }
  return false;
}

// --- Rows --------------------------------------------------------------------

// Integers with one scale that is known.
static bool find_fixed(tenon_rewriter *rw, const tenon_node *dequantize,
                       rows *r) {
  tenon_value *q = rw->api->operand(rw, dequantize, 0);
  const tenon_quant *quant = tenon_aten_known(rw, q)->quant;
  const tenon_node *p = rw->api->producer(rw, q);
  if (!quant || quant->channels != 1 || quant->block ||
      !tenon_quant_is_op(rw, p, "core::reinterpret"))
    return false;
  r->q = rw->api->operand(rw, p, 0);
  const tenon_dtype t = dynamic_type_of(rw, r->q);
  r->scale = tenon_aten_real(rw, TENON_F32, (double)quant->scale[0]);
  r->zero = quant->zero && quant->zero[0]
                ? tenon_aten_real(rw, TENON_S32, quant->zero[0])
                : NULL;
  return (t == TENON_S8 || t == TENON_U8) && !rw->api->constant(rw, r->q);
}

bool tenon_quant_find_rows(tenon_rewriter *rw, tenon_value *x, rows *r) {
  tenon_value *v = bare(rw, x);
  const tenon_node *p = rw->api->producer(rw, v);
  if (tenon_quant_is_op(rw, p, "core::dequantize")) return find_fixed(rw, p, r);
  if (!tenon_quant_is_op(rw, p, "core::mul")) return false;
  r->scale = rw->api->operand(rw, p, 1);
  const tenon_dtype t = dynamic_type_of(rw, r->scale);
  if ((t != TENON_F32 && t != TENON_F64) || !is_of_rows(rw, v, r->scale))
    return false;
  v = bare(rw, rw->api->operand(rw, p, 0));
  p = rw->api->producer(rw, v);
  if (tenon_quant_is_op(rw, p, "core::sub")) {
    r->zero = rw->api->operand(rw, p, 1);
    if (!is_of_rows(rw, v, r->zero)) return false;
    v = bare(rw, rw->api->operand(rw, p, 0));
  }
  const bool is_signed = dynamic_type_of(rw, v) == TENON_S8;
  r->q = v;
  return (is_signed || dynamic_type_of(rw, v) == TENON_U8) &&
         !rw->api->constant(rw, v) &&
         (!r->zero ||
          is_limited(rw, r->zero, is_signed ? -128 : 0, is_signed ? 127 : 255));
}

// Numbers of rows as `x` has these: its dimensions, the last one 1.
static tenon_value *dynamic_beside(tenon_rewriter *rw, tenon_value *x,
                                   tenon_value *v) {
  const tenon_type *tx = tenon_aten_known(rw, x), *t = tenon_aten_known(rw, v);
  tenon_dim dims[TENON_MAX_RANK];
  bool is_single = true;
  for (int i = 0; i < t->rank; ++i)
    is_single = is_single && dynamic_is_one(t->dims[i]);
  for (int i = 0; i < tx->rank; ++i)
    dims[i] =
        is_single || i == tx->rank - 1 ? tenon_aten_fixed(1) : tx->dims[i];
  return tenon_aten_reshape(rw, v, dims, tx->rank);
}

tenon_value *tenon_quant_less_128(tenon_rewriter *rw, tenon_value *v,
                                  tenon_dtype t) {
  return tenon_rw_op2(rw, "core::sub", tenon_aten_cast(rw, v, t),
                      tenon_aten_real(rw, t, 128));
}

// A zero point as well; a known one stays known.
static tenon_value *zero_less_128(tenon_rewriter *rw, tenon_value *x,
                                  tenon_value *zero) {
  const tenon_tensor *t = zero ? tenon_quant_constant(rw, zero) : NULL;
  double value = 0;
  if (zero && !(t && tenon_count(t) == 1 && tenon_quant_element(t, 0, &value)))
    return tenon_quant_less_128(rw, zero, TENON_S32);
  return dynamic_beside(rw, x, tenon_aten_real(rw, TENON_S32, value - 128));
}

// --- Weights -----------------------------------------------------------------

tenon_value *tenon_quant_plain_weights(tenon_rewriter *rw,
                                       const tenon_quant_scaled *w) {
  const tenon_tensor *q = rw->api->constant(rw, w->q);
  const tenon_tensor *z = w->zero ? tenon_quant_constant(rw, w->zero) : NULL;
  if (!w->zero && q && q->dtype == TENON_S8) return w->q;
  if (!q || !q->data || (w->zero && !z) ||
      (z && !tenon_quant_is_within(z, -255, 255)))
    return NULL;
  const int64_t block = w->blocks ? w->k / w->blocks : w->k;
  bool is_zero = true;
  for (size_t i = 0; i < tenon_count(q); ++i) {
    double zero = 0, value = 0;
    if (z) tenon_quant_element(z, i / (size_t)block, &zero);
    tenon_quant_element(q, i, &value);
    if (value - zero < -128 || value - zero > 127) return NULL;
    is_zero = is_zero && zero == 0;
  }
  if (is_zero) return tenon_aten_cast(rw, w->q, TENON_S8);
  const tenon_dim split[] = {tenon_aten_fixed(w->n),
                             tenon_aten_fixed(w->blocks),
                             tenon_aten_fixed(block)};
  const tenon_dim one[] = {split[0], split[1], tenon_aten_fixed(1)};
  const tenon_dim whole[] = {split[0], tenon_aten_fixed(w->k)};
  tenon_value *v = tenon_rw_op2(
      rw, "core::sub",
      tenon_aten_cast(rw, tenon_aten_reshape(rw, w->q, split, 3), TENON_S16),
      tenon_aten_cast(rw, tenon_aten_reshape(rw, w->zero, one, 3), TENON_S16));
  return tenon_aten_reshape(rw, tenon_aten_cast(rw, v, TENON_S8), whole, 2);
}

// Rows, weights, scale and zero of each row, scale of the weights, bias.
static tenon_value *dynamic_multiply(tenon_rewriter *rw,
                                     tenon_value *const in[6]) {
  return tenon_rw_op(rw, "core::dynamic_linear", in, 6, NULL);
}

tenon_value *tenon_quant_dynamic_linear(tenon_rewriter *rw, tenon_value *x,
                                        const tenon_quant_scaled *w,
                                        tenon_value *bias) {
  rows r = {0};
  if (w->k > TENON_QUANT_MOST_PRODUCTS || !tenon_quant_find_rows(rw, x, &r))
    return NULL;
  tenon_value *matrix = tenon_quant_plain_weights(rw, w);
  if (!matrix) return NULL;
  const tenon_type *t = tenon_aten_known(rw, x);
  const bool is_signed = dynamic_type_of(rw, r.q) == TENON_S8;
  tenon_value *scale =
      dynamic_beside(rw, x, tenon_aten_cast(rw, r.scale, TENON_F32));
  tenon_value *zero =
      r.zero ? dynamic_beside(rw, x, tenon_aten_cast(rw, r.zero, TENON_S32))
             : NULL;
  if (!is_signed) {
    r.q =
        tenon_aten_cast(rw, tenon_quant_less_128(rw, r.q, TENON_S16), TENON_S8);
    zero = zero_less_128(rw, x, zero);
  }
  tenon_value *in[] = {tenon_aten_reshape(rw, r.q, t->dims, t->rank),
                       matrix,
                       scale,
                       zero,
                       w->scale,
                       bias};
  return dynamic_multiply(rw, in);
}
