// Comparisons, logic, choices, and what else is one core operator on numbers
// without a scale. LiteRT compares quantised numbers after a rounding that may
// make different ones equal.
#include <string.h>

#include "ops/tfl/tfl_op.h"

tenon_status tenon_tfl_compare_infer(tenon_infer *c) {
  const tenon_type *a;
  tenon_tfl_shape y;
  TENON_TRY(tenon_tfl_two(c, &a, &y));
  const tenon_type truth = {.dtype = TENON_BOOL};
  return tenon_tfl_result(c, 0, &y, TENON_BOOL, &truth);
}

// With 8 bits more than are stored, of which the scale shifts some out. The
// order of 16-bit numbers is that of what is stored, whatever the scales.
tenon_status tenon_tfl_compare_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  const char *op = (const char *)rw->api->user(rw);
  tenon_value *in[2];
  const tenon_type *a = tenon_tfl_type(rw, node, 0);
  bool is_equality = strcmp(op, "core::eq") == 0 || strcmp(op, "core::ne") == 0;
  if (!a->quant) return tenon_tfl_two_lower(rw, node);
  if (a->dtype == TENON_S16 && !is_equality) {
    for (int i = 0; i < 2; ++i)
      in[i] = tenon_tfl_stored(rw, tenon_tfl_in(rw, node, i), NULL);
    return tenon_tfl_become(rw, node, op, in, 2, NULL);
  }
  for (int i = 0; i < 2; ++i) {
    tenon_value *x = tenon_tfl_in(rw, node, i);
    const tenon_quant *q = tenon_rw_type(rw, x)->quant;
    // It would shift to the right by less than nothing.
    if (q->scale[0] >= 1)
      return tenon_rw_fail(rw,
                           "a scale of %g is not supported: LiteRT's "
                           "comparisons are not defined from 1 on",
                           (double)q->scale[0]);
    const double scale = (double)q->scale[0];
    x = tenon_tfl_by(rw, "core::mul", tenon_tfl_above_zero(rw, x), 256);
    in[i] = tenon_tfl_rescale(rw, x, scale);
  }
  return tenon_tfl_become(rw, node, op, in, 2, NULL);
}

// `by_rows`: a condition of one dimension has an element for each row.
static tenon_status select_infer(tenon_infer *c, bool by_rows) {
  const tenon_type *p, *a, *b;
  tenon_tfl_shape ab, y;
  TENON_TRY(tenon_tfl_operand(c, 0, "condition", -1, &p));
  TENON_TRY(tenon_tfl_operand(c, 1, "a", -1, &a));
  TENON_TRY(tenon_tfl_operand(c, 2, "b", -1, &b));
  TENON_TRY(tenon_tfl_check_alike(c, a, "a", b, "b"));
  if (p->dtype != TENON_BOOL)
    return tenon_infer_fail(c, "the condition is no boolean");
  TENON_TRY(tenon_tfl_broadcast(c, a, b, &ab));
  if (by_rows && p->rank == 1 && ab.rank > 1) {
    if (tenon_tfl_differ(p->dims[0], ab.dims[0]))
      return tenon_infer_fail(c, "%lld conditions for %lld rows",
                              (long long)p->dims[0].value,
                              (long long)ab.dims[0].value);
    return tenon_tfl_result(c, 0, &ab, a->dtype, a);
  }
  const tenon_type both = {
      .dims = ab.dims, .dtype = a->dtype, .rank = (uint8_t)ab.rank};
  TENON_TRY(tenon_tfl_broadcast(c, p, &both, &y));
  return tenon_tfl_result(c, 0, &y, a->dtype, a);
}

tenon_status tenon_tfl_select_infer(tenon_infer *c) {
  return select_infer(c, true);
}

tenon_status tenon_tfl_select_v2_infer(tenon_infer *c) {
  return select_infer(c, false);
}

tenon_status tenon_tfl_plain_one_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  TENON_TRY(tenon_tfl_refuse_scale(rw, tenon_tfl_type(rw, node, 0)));
  return tenon_tfl_one_lower(rw, node);
}

// Two of one type and shape, as operators of STABLEHLO are.
tenon_status tenon_tfl_pair_infer(tenon_infer *c) {
  const tenon_type *a = tenon_infer_in(c, 0), *b;
  TENON_TRY(tenon_tfl_operand(c, 1, "b", a->rank, &b));
  TENON_TRY(tenon_tfl_check_alike(c, a, "a", b, "b"));
  for (int i = 0; i < a->rank; ++i)
    if (!c->api->require(c, TENON_RELATION_EQ, a->dims[i], b->dims[i]))
      return tenon_infer_fail(c, "dimension %d is %lld of 'a', %lld of 'b'", i,
                              (long long)a->dims[i].value,
                              (long long)b->dims[i].value);
  return tenon_tfl_like(c, a);
}

tenon_status tenon_tfl_plain_two_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  const char *op = (const char *)rw->api->user(rw);
  tenon_value *in[] = {tenon_tfl_in(rw, node, 0), tenon_tfl_in(rw, node, 1)};
  TENON_TRY(tenon_tfl_refuse_scale(rw, tenon_tfl_type(rw, node, 0)));
  // A sum of truths is one, a product both.
  if (tenon_rw_type(rw, in[0])->dtype == TENON_BOOL &&
      strcmp(op, "core::add") == 0)
    return tenon_tfl_become(rw, node, "core::bitwise_or", in, 2, NULL);
  if (tenon_rw_type(rw, in[0])->dtype == TENON_BOOL &&
      strcmp(op, "core::mul") == 0)
    return tenon_tfl_become(rw, node, "core::bitwise_and", in, 2, NULL);
  return tenon_tfl_two_lower(rw, node);
}

tenon_status tenon_tfl_plain_reduce_lower(tenon_rewriter *rw,
                                          const tenon_node *node) {
  TENON_TRY(tenon_tfl_refuse_scale(rw, tenon_tfl_type(rw, node, 0)));
  return tenon_tfl_reduce_lower(rw, node);
}

// LiteRT rounds the quotient of floats down; core::floor_div is exact.
tenon_status tenon_tfl_floor_div_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  tenon_value *in[] = {tenon_tfl_in(rw, node, 0), tenon_tfl_in(rw, node, 1)};
  if (!tenon_tfl_is_float(tenon_rw_type(rw, in[0])))
    return tenon_tfl_two_lower(rw, node);
  return tenon_rw_replace(
      rw, node, tenon_aten_formula(rw, "x y: floor(x / y)", in[0], in[1]));
}

// LiteRT's are of 64-bit floats: what does not fit becomes the least integer.
static tenon_status integer_pow(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *in[] = {tenon_tfl_in(rw, node, 0), tenon_tfl_in(rw, node, 1)};
  TENON_TRY(tenon_tfl_require(rw, tenon_tfl_by(rw, "core::ge", in[1], 0),
                              "an integer to a power below zero"));
  return tenon_rw_replace(
      rw, node,
      tenon_aten_formula(
          rw,
          "x y #least: abs(pow(f64(x), f64(y))) < 0x1p31 ? pow(x, y) : least",
          in[0], in[1], (double)INT32_MIN));
}

tenon_status tenon_tfl_pow_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_type *x = tenon_tfl_type(rw, node, 0);
  if (x->dtype == TENON_S32 && !x->quant) return integer_pow(rw, node);
  if (!tenon_tfl_is_float(x)) return tenon_tfl_refuse(rw, x);
  return tenon_tfl_two_lower(rw, node);
}

static bool tfl_compare_same_shape(const tenon_type *a, const tenon_type *b) {
  bool same = a->rank == b->rank;
  for (int i = 0; same && i < a->rank; ++i)
    same = tenon_tfl_same(a->dims[i], b->dims[i]);
  return same;
}

// The first version does not broadcast; a condition with an element per row is
// spread over the row.
tenon_status tenon_tfl_select_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  tenon_value *in[] = {tenon_tfl_in(rw, node, 0), tenon_tfl_in(rw, node, 1),
                       tenon_tfl_in(rw, node, 2)};
  const tenon_type *p = tenon_rw_type(rw, in[0]);
  const tenon_type *a = tenon_rw_type(rw, in[1]);
  if (p->rank == 1 && a->rank > 1) {
    const tenon_tfl_shape rows = tenon_tfl_along(a->rank, 0, p->dims[0]);
    in[0] = tenon_tfl_reshape(rw, in[0], &rows, NULL);
  } else if (p->rank != 0 && !tfl_compare_same_shape(p, a)) {
    return tenon_rw_fail(rw,
                         "a condition of another shape than the choices "
                         "is not supported");
  }
  return tenon_tfl_become(rw, node, "core::where", in, 3, NULL);
}

tenon_status tenon_tfl_select_v2_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  return tenon_tfl_become_of(rw, node, "core::where", 3, NULL);
}
