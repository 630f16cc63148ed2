// NON_MAX_SUPPRESSION_V4 and V5, as core::non_max_suppression.
#include "ops/tfl/tfl_op.h"

// Operands, in the order of the format.
enum { NMS_BOXES, NMS_SCORES, NMS_MOST, NMS_OVERLAP, NMS_THRESHOLD, NMS_SIGMA };

// V5 has a sigma, and gives scores.
tenon_status tenon_tfl_nms_infer(tenon_infer *c) {
  const bool has_scores = tenon_infer_in(c, NMS_SIGMA) != NULL;
  tenon_shapes s = {.n_names = 0};
  tenon_dim most;
  if (!c->api->element(c, NMS_MOST, 0, &most))
    most = c->api->decided(c, tenon_tfl_fixed(TENON_UNKNOWN));
  if (!most.symbol && (most.value < 0 || most.value > INT32_MAX))
    return tenon_infer_fail(c, "at most %lld boxes", (long long)most.value);
  tenon_shapes_set(&s, "most", most);
#define BOXES                                                            \
  "boxes f32[n,4], scores f32[n], most s32[], overlap f32[], threshold " \
  "f32[]"
  return tenon_tfl_shapes(c, &s,
                          has_scores ? BOXES
                              ", sigma f32[] -> s32[most], f32[most], s32[]"
                                     : BOXES " -> s32[most], s32[]");
#undef BOXES
}

tenon_status tenon_tfl_nms_lower(tenon_rewriter *rw, const tenon_node *node) {
  const bool has_scores = tenon_tfl_in(rw, node, NMS_SIGMA) != NULL;
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
