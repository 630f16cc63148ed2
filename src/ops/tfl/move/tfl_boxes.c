// NON_MAX_SUPPRESSION_V4 and V5, as core::non_max_suppression.
#include "ops/tfl/tfl_op.h"

// Operands, in the order of the format.
enum { NMS_BOXES, NMS_SCORES, NMS_MOST, NMS_OVERLAP, NMS_THRESHOLD, NMS_SIGMA };

static tenon_status suppression(tenon_infer *c, bool has_scores) {
  static const char *const names[] = {"boxes",   "scores",    "most",
                                      "overlap", "threshold", "sigma"};
  const tenon_type *boxes, *t;
  const tenon_type whole = {.dtype = TENON_S32}, real = {.dtype = TENON_F32};
  const int n = NMS_SIGMA + has_scores;
  tenon_dim most;
  TENON_TRY(tenon_tfl_operand(c, NMS_BOXES, "boxes", 2, &boxes));
  for (int i = 0; i < n; ++i) {
    TENON_TRY(tenon_tfl_operand(c, i, names[i],
                                i == NMS_BOXES ? 2 : i == NMS_SCORES, &t));
    if (i == NMS_MOST ? t->dtype != TENON_S32 : !tenon_tfl_is_float(t))
      return tenon_infer_fail(c, "'%s' is %s, expected %s", names[i],
                              tenon_tfl_dtype_name(t->dtype),
                              i == NMS_MOST ? "s32" : "f32");
    if (i == NMS_SCORES && tenon_tfl_differ(t->dims[0], boxes->dims[0]))
      return tenon_infer_fail(c, "%lld scores of %lld boxes",
                              (long long)t->dims[0].value,
                              (long long)boxes->dims[0].value);
  }
  if (!tenon_tfl_is(boxes->dims[1], 4))
    return tenon_infer_fail(c, "'boxes' are no rows of 4 numbers");
  if (!c->api->element(c, NMS_MOST, 0, &most))
    most = c->api->decided(c, tenon_tfl_fixed(TENON_UNKNOWN));
  if (!most.symbol && (most.value < 0 || most.value > INT32_MAX))
    return tenon_infer_fail(c, "at most %lld boxes", (long long)most.value);
  const tenon_tfl_shape list = {{most}, 1}, number = {.rank = 0};
  TENON_TRY(tenon_tfl_result(c, 0, &list, TENON_S32, &whole));
  if (has_scores) TENON_TRY(tenon_tfl_result(c, 1, &list, TENON_F32, &real));
  return tenon_tfl_result(c, 1 + has_scores, &number, TENON_S32, &whole);
}

tenon_status tenon_tfl_nms_infer(tenon_infer *c) {
  return suppression(c, false);
}

tenon_status tenon_tfl_soft_nms_infer(tenon_infer *c) {
  return suppression(c, true);
}

static tenon_status boxes_lower(tenon_rewriter *rw, const tenon_node *node,
                                bool has_scores) {
  tenon_value *out[3] = {NULL}, *in[5];
  const tenon_dim most =
      tenon_tfl_number_in(rw, tenon_tfl_in(rw, node, NMS_MOST), 0);
  in[0] = tenon_tfl_in(rw, node, NMS_BOXES);
  in[1] = tenon_tfl_in(rw, node, NMS_SCORES);
  in[2] = tenon_tfl_in(rw, node, NMS_OVERLAP);
  in[3] = tenon_tfl_in(rw, node, NMS_THRESHOLD);
  in[4] = has_scores ? tenon_tfl_in(rw, node, NMS_SIGMA)
                     : tenon_rw_scalar(rw, TENON_F32, 0);
  tenon_rw_build(rw, "core::non_max_suppression", in, 5,
                 TENON_ARGS(tenon_arg_dims("size", &most, 1)), out, 3, NULL);
  if (!has_scores) out[1] = out[2];
  return rw->api->replace(rw, node, out, 2 + has_scores);
}

tenon_status tenon_tfl_nms_lower(tenon_rewriter *rw, const tenon_node *node) {
  return boxes_lower(rw, node, false);
}

tenon_status tenon_tfl_soft_nms_lower(tenon_rewriter *rw,
                                      const tenon_node *node) {
  return boxes_lower(rw, node, true);
}
