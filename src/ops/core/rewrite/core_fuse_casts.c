// core_fuse_casts.c - pass `fuse`: a product of floats, or a norm of rows, of
// 16-bit floats that were cast for it alone and whose result is cast back,
// becomes one of 16-bit floats.
//
// Its kernels compute in floats and round once, as the two casts have it. What
// stands beside x (weights, biases) stays floats.
//
// And what a normalisation leaves behind a convolution of 16-bit floats, a cast
// there and back, a factor, a term and a cast, is one pass over the image.
#include <string.h>

#include "kern/op/clamp.h"
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

// --- Factors between casts ---------------------------------------------------

// The operator that makes x for one reader alone, if it is this one.
static const tenon_node *fuse_casts_maker(tenon_rewriter *rw, tenon_value *x,
                                          const char *op) {
  const tenon_node *p = x ? rw->api->producer(rw, x) : NULL;
  return p && strcmp(rw->api->op(rw, p), op) == 0 && rw->api->uses(rw, x) == 1
             ? p
             : NULL;
}

// x of a sum or product x * vector without limits; null: it is none.
static tenon_value *fuse_casts_factor(tenon_rewriter *rw, tenon_value *y,
                                      const char *op, tenon_value **vector) {
  const tenon_node *p = fuse_casts_maker(rw, y, op);
  tenon_core_args args;
  tenon_core_range limits;
  if (!p || !tenon_core_is_plain_f32(tenon_rw_type(rw, y)) ||
      !tenon_core_take_args(rw, p, &args) ||
      !tenon_core_get_limits(&args, &limits) || limits.lo.has || limits.hi.has)
    return NULL;
  tenon_value *x = tenon_rw_operand(rw, p, 0);
  *vector = tenon_core_as_vector(rw, tenon_rw_operand(rw, p, 1),
                                 tenon_rw_type(rw, y));
  return *vector && tenon_core_is_plain_f32(tenon_rw_type(rw, x)) ? x : NULL;
}

CORE_LOWER(fuse_affine) {
  const tenon_type *y = rw->api->result(rw, n, 0);
  tenon_value *in[3], *x = tenon_rw_operand(rw, n, 0);
  if (y->dtype != TENON_F16 && y->dtype != TENON_BF16) return TENON_OK;
  x = fuse_casts_factor(rw, x, "core::add", &in[2]);
  if (x) x = fuse_casts_factor(rw, x, "core::mul", &in[1]);
  const tenon_node *wide = fuse_casts_maker(rw, x, "core::cast");
  x = wide ? tenon_rw_operand(rw, wide, 0) : NULL;
  const tenon_node *narrow = fuse_casts_maker(rw, x, "core::cast");
  if (!narrow || tenon_rw_type(rw, x)->dtype != y->dtype) return TENON_OK;
  in[0] = tenon_rw_operand(rw, narrow, 0);
  const tenon_type *from = tenon_rw_type(rw, in[0]);
  if (!tenon_core_is_plain_f32(from) || from->rank != y->rank) return TENON_OK;
  tenon_arg args[] = {{"through", TENON_KIND_DTYPE, {0}},
                      {"dtype", TENON_KIND_DTYPE, {0}},
                      TENON_END_ARGS};
  args[0].as.i = args[1].as.i = y->dtype;
  return tenon_core_rewrite_as(rw, n, "core::round_affine", in, 3, args);
}

// Takes what makes the operand of `n`, its only reader, with its arguments, of
// which silu is the last step.
static bool fuse_affine_take(tenon_rewriter *rw, const tenon_node *n,
                             tenon_value **in, tenon_core_args *args) {
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  const tenon_node *p = fuse_casts_maker(rw, x, "core::round_affine");
  if (!p) return false;
  for (int i = 0; i < 3; ++i)
    in[i] = tenon_rw_operand(rw, p, i);
  return tenon_core_take_args(rw, p, args);
}

static bool fuse_affine_has_silu(tenon_core_args *args) {
  const tenon_arg *silu = tenon_core_find_arg(args, "silu");
  return !silu || silu->as.i;
}

CORE_LOWER(fuse_affine_silu) {
  tenon_value *in[3];
  tenon_core_args args;
  if (!fuse_affine_take(rw, n, in, &args) || fuse_affine_has_silu(&args))
    return TENON_OK;
  // Not of floats that a 16-bit type holds, which silu would not round.
  const tenon_dtype y = rw->api->result(rw, n, 0)->dtype;
  if (y != TENON_F16 && y != TENON_BF16) return TENON_OK;
  tenon_core_find_arg(&args, "silu")->as.i = 1;
  return tenon_core_rewrite_as(rw, n, "core::round_affine", in, 3, args.list);
}

CORE_LOWER(fuse_affine_wide) {
  tenon_value *in[3];
  tenon_core_args args;
  if (rw->api->result(rw, n, 0)->dtype != TENON_F32 ||
      !fuse_affine_take(rw, n, in, &args))
    return TENON_OK;
  tenon_arg *dtype = tenon_core_find_arg(&args, "dtype");
  if (!dtype) return TENON_OK;
  dtype->as.i = TENON_F32;
  return tenon_core_rewrite_as(rw, n, "core::round_affine", in, 3, args.list);
}

// Numbers of the type, so that those between a limit and what it is rounded to
// do not matter.
CORE_LOWER(fuse_affine_clamp) {
  const tenon_clamp_attrs *a = tenon_rw_attrs(rw, n);
  const tenon_core_range then = {a->lo, a->hi};
  tenon_value *in[3];
  tenon_core_args args;
  tenon_core_range first, both;
  if (!fuse_affine_take(rw, n, in, &args) || fuse_affine_has_silu(&args) ||
      !tenon_core_get_limits(&args, &first) ||
      !tenon_core_limit_both(first, then, &both))
    return TENON_OK;
  tenon_core_set_limits(&args, both);
  return tenon_core_rewrite_as(rw, n, "core::round_affine", in, 3, args.list);
}
