// LSH_PROJECTION: of whatever is stored.
#include "ops/tfl/tfl_op.h"

enum { LSH_SPARSE = 1, LSH_DENSE = 2 };

tenon_status tenon_tfl_lsh_infer(tenon_infer *c) {
  const tenon_tfl_lsh_attrs *a = tenon_infer_attrs(c);
  static const tenon_type whole = {.dtype = TENON_S32};
  const tenon_type *hash, *x = tenon_infer_in(c, 1),
                          *weight = tenon_infer_in(c, 2);
  TENON_TRY(tenon_tfl_operand(c, 0, "hash", 2, &hash));
  if (a->type != LSH_SPARSE && a->type != LSH_DENSE)
    return tenon_infer_fail(c, "type is %lld", (long long)a->type);
  if (!tenon_tfl_is_float(hash) || (weight && !tenon_tfl_is_float(weight)))
    return tenon_infer_fail(c, "'hash' or 'weight' is not f32");
  if (x->rank < 1 || tenon_tfl_is(x->dims[0], 0))
    return tenon_infer_fail(c, "'x' has no row");
  if (weight &&
      (weight->rank != 1 || tenon_tfl_differ(weight->dims[0], x->dims[0])))
    return tenon_infer_fail(c, "'weight' has no number for each row of 'x'");
  const tenon_dim rows = hash->dims[0], bits = hash->dims[1];
  if (!bits.symbol && bits.value > 32)
    return tenon_infer_fail(c, "%lld bits, at most 32 are possible",
                            (long long)bits.value);
  tenon_tfl_shape y = {{rows}, 1};
  if (a->type == LSH_DENSE)
    y.dims[0] = c->api->dim(c, TENON_DIM_MUL, rows, bits);
  return tenon_tfl_result(c, 0, &y, TENON_S32, &whole);
}

tenon_status tenon_tfl_lsh_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_lsh_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *in[] = {tenon_tfl_in(rw, node, 0),
                       tenon_tfl_stored(rw, tenon_tfl_in(rw, node, 1), NULL),
                       tenon_tfl_in(rw, node, 2)};
  const tenon_dim *hash = tenon_rw_type(rw, in[0])->dims;
  if (a->type == LSH_SPARSE && !hash[0].symbol && !hash[1].symbol &&
      hash[0].value << hash[1].value > INT64_C(1) << 32)
    return tenon_rw_fail(rw,
                         "%lld times %lld bits, more than 32 can tell apart, "
                         "are not supported",
                         (long long)hash[0].value, (long long)hash[1].value);
  return tenon_tfl_become(
      rw, node, "core::lsh_projection", in, 3,
      TENON_ARGS(tenon_arg_bool("sparse", a->type == LSH_SPARSE)));
}
