// core_fuse_casts.c - pass `fuse`: a product of floats, or a norm of rows, of
// 16-bit floats that were cast for it alone and whose result is cast back,
// becomes one of 16-bit floats.
//
// Its kernels compute in floats and round once, as the two casts have it. What
// stands beside x (weights, biases) stays floats.
#include <string.h>

#include "ops/core/core_rule.h"
#include "ops/core/rewrite/core_rewrite.h"

// What x is cast from, if that has this type of element; else null.
static tenon_value *fuse_casts_source(tenon_rewriter *rw, tenon_value *x,
                                      tenon_dtype dtype) {
  const tenon_node *p = x ? rw->api->producer(rw, x) : NULL;
  if (!p || strcmp(rw->api->op(rw, p), "core::cast") != 0) return NULL;
  tenon_value *from = tenon_rw_operand(rw, p, 0);
  return tenon_rw_type(rw, from)->dtype == dtype ? from : NULL;
}

CORE_LOWER(fuse_cast) {
  enum { OPERANDS = 5, SCALE = 3 };
  tenon_value *between = tenon_rw_operand(rw, n, 0), *in[OPERANDS] = {NULL};
  const tenon_type *y = rw->api->result(rw, n, 0);
  const tenon_node *p = rw->api->producer(rw, between);
  tenon_core_args args;
  if (!p || (y->dtype != TENON_F16 && y->dtype != TENON_BF16) ||
      !tenon_core_is_plain_f32(tenon_rw_type(rw, between)) ||
      rw->api->uses(rw, between) != 1)
    return TENON_OK;
  const char *op = rw->api->op(rw, p);
  const bool is_product = strcmp(op, "core::fully_connected") == 0;
  if (!is_product && strcmp(op, "core::layer_norm") != 0) return TENON_OK;
  const uint32_t n_in = is_product ? OPERANDS : 3;
  for (uint32_t i = 1; i < n_in; ++i) {
    in[i] = tenon_rw_operand(rw, p, (int)i);
    if (in[i] &&
        (i >= SCALE || !tenon_core_is_plain_f32(tenon_rw_type(rw, in[i]))))
      return TENON_OK;
  }
  in[0] = fuse_casts_source(rw, tenon_rw_operand(rw, p, 0), y->dtype);
  if (!in[0] || !tenon_core_take_args(rw, p, &args)) return TENON_OK;
  return tenon_core_rewrite_as(rw, n, op, in, n_in, args.list);
}
