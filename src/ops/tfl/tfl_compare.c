// Comparisons, logic, choices, and what else is one core operator on numbers
// without a scale. LiteRT compares quantised numbers after a rounding that may
// make different ones equal; that is refused.
#include "ops/tfl/tfl_op.h"

tenon_status tenon_tfl_compare_infer(tenon_infer *c) {
  const tenon_type *a, *b;
  tenon_tfl_shape y;
  TENON_TRY(tenon_tfl_operand(c, 0, "a", -1, &a));
  TENON_TRY(tenon_tfl_operand(c, 1, "b", -1, &b));
  TENON_TRY(tenon_tfl_check_alike(c, a, "a", b, "b"));
  TENON_TRY(tenon_tfl_broadcast(c, a, b, &y));
  const tenon_type truth = {.dtype = TENON_BOOL};
  return tenon_tfl_result(c, 0, &y, TENON_BOOL, &truth);
}

// The condition has the shape of the choices, or is a single one.
tenon_status tenon_tfl_select_infer(tenon_infer *c) {
  const tenon_type *p, *a, *b;
  tenon_tfl_shape ab, y;
  TENON_TRY(tenon_tfl_operand(c, 0, "condition", -1, &p));
  TENON_TRY(tenon_tfl_operand(c, 1, "a", -1, &a));
  TENON_TRY(tenon_tfl_operand(c, 2, "b", -1, &b));
  TENON_TRY(tenon_tfl_check_alike(c, a, "a", b, "b"));
  if (p->dtype != TENON_BOOL)
    return tenon_infer_fail(c, "the condition is no boolean");
  TENON_TRY(tenon_tfl_broadcast(c, a, b, &ab));
  const tenon_type both = {
      .dims = ab.dims, .dtype = a->dtype, .rank = (uint8_t)ab.rank};
  TENON_TRY(tenon_tfl_broadcast(c, p, &both, &y));
  return tenon_tfl_number(c, &y, a);
}

static tenon_status refuse_scale(tenon_rewriter *rw, const tenon_node *node,
                                 int i) {
  const tenon_type *x = tenon_rw_type(rw, tenon_tfl_in(rw, node, i));
  return x->quant ? tenon_rw_fail(rw,
                                  "%s operands with a scale are not "
                                  "supported",
                                  tenon_tfl_dtype_name(x->dtype))
                  : TENON_OK;
}

tenon_status tenon_tfl_plain_one_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  TENON_TRY(refuse_scale(rw, node, 0));
  return tenon_tfl_one_lower(rw, node);
}

// Two of one type and shape, as operators of STABLEHLO are.
tenon_status tenon_tfl_pair_infer(tenon_infer *c) {
  const tenon_type *a, *b;
  TENON_TRY(tenon_tfl_operand(c, 0, "a", -1, &a));
  TENON_TRY(tenon_tfl_operand(c, 1, "b", a->rank, &b));
  TENON_TRY(tenon_tfl_check_alike(c, a, "a", b, "b"));
  for (int i = 0; i < a->rank; ++i)
    if (!c->api->require(c, TENON_RELATION_EQ, a->dims[i], b->dims[i]))
      return tenon_infer_fail(c, "dimension %d is %lld of 'a', %lld of 'b'", i,
                              (long long)a->dims[i].value,
                              (long long)b->dims[i].value);
  tenon_tfl_shape y = tenon_tfl_shape_of(a);
  return tenon_tfl_result(c, 0, &y, a->dtype, a);
}

tenon_status tenon_tfl_plain_two_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  TENON_TRY(refuse_scale(rw, node, 0));
  return tenon_tfl_two_lower(rw, node);
}

tenon_status tenon_tfl_plain_reduce_lower(tenon_rewriter *rw,
                                          const tenon_node *node) {
  TENON_TRY(refuse_scale(rw, node, 0));
  return tenon_tfl_reduce_lower(rw, node);
}

// LiteRT rounds the quotient of floats down; core::floor_div is exact.
tenon_status tenon_tfl_floor_div_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  tenon_value *in[] = {tenon_tfl_in(rw, node, 0), tenon_tfl_in(rw, node, 1)};
  TENON_TRY(refuse_scale(rw, node, 0));
  if (!tenon_tfl_is_float(tenon_rw_type(rw, in[0])))
    return tenon_tfl_two_lower(rw, node);
  return tenon_rw_replace(
      rw, node,
      tenon_rw_op1(rw, "core::floor",
                   tenon_rw_op2(rw, "core::div", in[0], in[1])));
}

// Of integers LiteRT refuses negative exponents, core::pow does not.
tenon_status tenon_tfl_pow_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_type *x = tenon_rw_type(rw, tenon_tfl_in(rw, node, 0));
  if (!tenon_tfl_is_float(x))
    return tenon_rw_fail(rw, "%s operands are not supported",
                         tenon_tfl_dtype_name(x->dtype));
  return tenon_tfl_two_lower(rw, node);
}

static bool same_shape(const tenon_type *a, const tenon_type *b) {
  bool same = a->rank == b->rank;
  for (int i = 0; same && i < a->rank; ++i)
    same = tenon_tfl_same(a->dims[i], b->dims[i]);
  return same;
}

static tenon_status choose(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *in[] = {tenon_tfl_in(rw, node, 0), tenon_tfl_in(rw, node, 1),
                       tenon_tfl_in(rw, node, 2)};
  TENON_TRY(refuse_scale(rw, node, 1));
  return tenon_tfl_become(rw, node, "core::where", in, 3, NULL);
}

// The first version does not broadcast; a condition with an element per row is
// spread over the row.
tenon_status tenon_tfl_select_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  const tenon_type *p = tenon_rw_type(rw, tenon_tfl_in(rw, node, 0));
  const tenon_type *a = tenon_rw_type(rw, tenon_tfl_in(rw, node, 1));
  if (p->rank != 0 && !same_shape(p, a))
    return tenon_rw_fail(rw,
                         "a condition of another shape than the choices "
                         "is not supported");
  return choose(rw, node);
}

tenon_status tenon_tfl_select_v2_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  return choose(rw, node);
}
