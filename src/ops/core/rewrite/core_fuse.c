// core_fuse.c - rewrites of pass `fuse`: limits, borders, biases and factors
// become part of the node beside them. Whether a kernel of the target takes the
// result is the pass's business.
//
// What makes them exact: kernels of floats add a bias to the whole sum,
// multiply that by a scale, add a shift and limit, each rounded
// (kern/README.md), those of quantised values limit what they store, and taps
// outside the image add nothing.
#include <string.h>

#include "kern/op/clamp.h"
#include "kern/op/move.h"
#include "kern/product/conv.h"
#include "ops/core/core_rule.h"
#include "ops/core/rewrite/core_rewrite.h"

#define MAX_OPERANDS 5

// --- Hosts -------------------------------------------------------------------

// The node that makes x, or what x is a reshape of that leaves the last
// dimension as it is: lines, volumes and rows that are images. Nobody else
// reads either. `y`: its result.
static const tenon_node *fuse_host(tenon_rewriter *rw, tenon_value *x,
                                   tenon_value **y) {
  const tenon_node *p = rw->api->producer(rw, x);
  *y = x;
  if (!p || rw->api->uses(rw, x) != 1) return NULL;
  if (strcmp(rw->api->op(rw, p), "core::reshape") != 0) return p;
  *y = tenon_rw_operand(rw, p, 0);
  const tenon_type *to = tenon_rw_type(rw, x), *from = tenon_rw_type(rw, *y);
  if (to->rank < 1 || from->rank < 1 || !tenon_core_is_plain_f32(from) ||
      rw->api->uses(rw, *y) != 1)
    return NULL;
  const tenon_dim a = to->dims[to->rank - 1], b = from->dims[from->rank - 1];
  return !a.symbol && !b.symbol && a.value == b.value
             ? rw->api->producer(rw, *y)
             : NULL;
}

// Replaces `n` by a host whose result has the type of `y`, reshaped as the
// result of `n` where `x`, its operand, is.
static tenon_status fuse_into(tenon_rewriter *rw, const tenon_node *n,
                              const char *op, tenon_value *const *in,
                              uint32_t n_in, const tenon_arg *args,
                              const tenon_value *x, tenon_value *y) {
  if (x == y) return tenon_core_rewrite_as(rw, n, op, in, n_in, args);
  const tenon_type *want = rw->api->result(rw, n, 0);
  tenon_value *made =
      tenon_rw_op_as(rw, op, in, n_in, NULL, args, tenon_rw_type(rw, y));
  return tenon_rw_replace(
      rw, n,
      tenon_rw_op(
          rw, "core::reshape", &made, 1,
          TENON_ARGS(tenon_arg_dims("shape", want->dims, (size_t)want->rank))));
}

// --- Limits ------------------------------------------------------------------

// Puts limits behind those of the node that makes operand 0.
static tenon_status fuse_limit(tenon_rewriter *rw, const tenon_node *n,
                               tenon_core_range then) {
  static const char *const hosts[] = {"core::conv",
                                      "core::depthwise_conv",
                                      "core::depthwise_conv3d",
                                      "core::fully_connected",
                                      "core::add",
                                      "core::sub",
                                      "core::mul",
                                      "core::div",
                                      "core::avg_pool",
                                      "core::max_pool",
                                      NULL};
  tenon_value *x = tenon_rw_operand(rw, n, 0), *own, *in[MAX_OPERANDS];
  const tenon_node *p = fuse_host(rw, x, &own);
  const tenon_type *y = rw->api->result(rw, n, 0);
  tenon_core_args args;
  tenon_core_range first, both;
  if (!p || !tenon_core_is_one_of(rw->api->op(rw, p), hosts)) return TENON_OK;
  if (!tenon_core_has_exact_limits(y) ||
      !tenon_core_same_type(tenon_rw_type(rw, x), y) ||
      !tenon_core_take_args(rw, p, &args) ||
      !tenon_core_get_limits(&args, &first) ||
      !tenon_core_limit_both(first, then, &both))
    return TENON_OK;
  uint32_t n_in = 0;
  int at = 0;
  for (int i = 0; i < MAX_OPERANDS; ++i)
    if (rw->api->group(rw, p, i, &at) == 1) ++n_in;
  for (uint32_t i = 0; i < n_in; ++i)
    in[i] = tenon_rw_operand(rw, p, (int)i);
  tenon_core_set_limits(&args, both);
  return fuse_into(rw, n, rw->api->op(rw, p), in, n_in, args.list, x, own);
}

CORE_LOWER(fuse_clamp) {
  const tenon_clamp_attrs *a = tenon_rw_attrs(rw, n);
  const tenon_core_range range = {a->lo, a->hi};
  return fuse_limit(rw, n, range);
}

CORE_LOWER(fuse_relu) {
  const tenon_core_range range = {{0, true}, {0, false}};
  return fuse_limit(rw, n, range);
}

CORE_LOWER(fuse_relu6) {
  const tenon_core_range range = {{0, true}, {6, true}};
  return fuse_limit(rw, n, range);
}

// --- Borders -----------------------------------------------------------------

// Finite, and no negative zero unless `any_zero`.
static bool is_tame(const tenon_tensor *t, bool any_zero) {
  if (!t || t->dtype != TENON_F32) return false;
  size_t n = tenon_count(t);
  for (size_t i = 0; i < n; ++i) {
    uint32_t bits;
    memcpy(&bits, (const char *)t->data + i * sizeof bits, sizeof bits);
    if ((bits & 0x7f800000u) == 0x7f800000u) return false;
    if (bits == 0x80000000u && !any_zero) return false;
  }
  return true;
}

// A tap on a zero adds a zero to the sum: nothing but the sign of a sum that is
// zero can change, and a bias that is no negative zero hides that. Integers
// have no such worries.
static bool hides_zeros(tenon_rewriter *rw, const tenon_node *n,
                        const tenon_type *x) {
  tenon_value *w = tenon_rw_operand(rw, n, 1);
  tenon_value *bias = tenon_rw_operand(rw, n, 2);
  const tenon_type *w_type = tenon_rw_type(rw, w);
  if (x->quant) return x->dtype == TENON_S8 && x->quant->channels == 1;
  return tenon_core_is_plain_f32(x) && tenon_core_is_plain_f32(w_type) &&
         bias && is_tame(rw->api->constant(rw, w), true) &&
         is_tame(rw->api->constant(rw, bias), false);
}

// Height and width alone, with real zeros.
static bool is_zero_border(const tenon_pad_attrs *a) {
  if (a->value != 0 || a->before.count != 4) return false;
  return !a->before.data[0] && !a->before.data[3] && !a->after.data[0] &&
         !a->after.data[3];
}

CORE_LOWER(fuse_pad) {
  tenon_value *padded = tenon_rw_operand(rw, n, 0), *in[MAX_OPERANDS];
  const tenon_node *p = rw->api->producer(rw, padded);
  tenon_core_args args;
  if (!p || strcmp(rw->api->op(rw, p), "core::pad") != 0) return TENON_OK;
  const tenon_pad_attrs *a = tenon_rw_attrs(rw, p);
  in[0] = tenon_rw_operand(rw, p, 0);
  for (int i = 1; i < MAX_OPERANDS; ++i)
    in[i] = tenon_rw_operand(rw, n, i);
  const tenon_type *x = tenon_rw_type(rw, in[0]);
  if (!is_zero_border(a) || !hides_zeros(rw, n, x) ||
      !tenon_core_same_scales(x->quant, tenon_rw_type(rw, padded)->quant) ||
      !tenon_core_take_args(rw, n, &args))
    return TENON_OK;
  tenon_arg *pad = tenon_core_find_arg(&args, "pad");
  if (!pad || pad->kind != TENON_KIND_INTS || pad->as.ints.count != 4)
    return TENON_OK;
  int64_t sums[4];
  for (int i = 0; i < 4; ++i) {
    const int64_t *more = i < 2 ? a->before.data : a->after.data;
    sums[i] = pad->as.ints.data[i] + more[1 + i % 2];
  }
  *pad = tenon_arg_ints("pad", sums, 4);
  return tenon_core_rewrite_as(rw, n, rw->api->op(rw, n), in, MAX_OPERANDS,
                               args.list);
}

// --- Biases and factors
// ------------------------------------------------------------------

tenon_value *tenon_core_as_vector(tenon_rewriter *rw, tenon_value *v,
                                  const tenon_type *y) {
  const tenon_tensor *c = rw->api->constant(rw, v);
  const tenon_type *t = v ? tenon_rw_type(rw, v) : NULL;
  if (!c || !tenon_core_is_plain_f32(t) || t->rank < 1 || t->rank > y->rank ||
      !is_tame(c, true))
    return NULL;
  const tenon_dim channels = y->dims[y->rank - 1];
  if (channels.symbol || t->dims[t->rank - 1].value != channels.value ||
      tenon_core_type_count(t) != channels.value)
    return NULL;
  if (t->rank == 1) return v;
  tenon_type vector = *t;
  vector.dims = &channels;
  vector.rank = 1;
  return rw->api->literal(rw, &vector, c->data);
}

// A sum or a product by a vector becomes the operand that comes next: bias,
// scale, shift, none of which can go in front of one that is there.
static tenon_status tail(tenon_rewriter *rw, const tenon_node *n,
                         bool is_product) {
  static const char *const hosts[] = {"core::conv", "core::depthwise_conv",
                                      "core::depthwise_conv3d",
                                      "core::fully_connected", NULL};
  enum { BIAS = 2, SCALE, SHIFT };
  const tenon_type *y = rw->api->result(rw, n, 0);
  tenon_core_args args, own;
  tenon_core_range after;
  for (int i = 0; i < 2; ++i) {
    tenon_value *x = tenon_rw_operand(rw, n, i), *made, *in[MAX_OPERANDS];
    const tenon_node *p = fuse_host(rw, x, &made);
    if (!p || !tenon_core_is_one_of(rw->api->op(rw, p), hosts)) continue;
    int last = 0;
    for (int k = 0; k < MAX_OPERANDS; ++k) {
      in[k] = tenon_rw_operand(rw, p, k);
      if (in[k]) last = k;
    }
    const int at = is_product ? SCALE : last < BIAS ? BIAS : SHIFT;
    if (last >= at || (at == SHIFT && last != SCALE) ||
        !tenon_core_is_plain_f32(y) ||
        !tenon_core_is_plain_f32(tenon_rw_type(rw, in[0])) ||
        !tenon_core_is_plain_f32(tenon_rw_type(rw, in[1])) ||
        !tenon_core_same_type(tenon_rw_type(rw, x), y) ||
        !tenon_core_take_unlimited(rw, p, &args) ||
        !tenon_core_take_args(rw, n, &own) ||
        !tenon_core_get_limits(&own, &after))
      continue;
    in[at] = tenon_core_as_vector(rw, tenon_rw_operand(rw, n, 1 - i), y);
    if (!in[at]) continue;
    tenon_core_set_limits(&args, after);
    return fuse_into(rw, n, rw->api->op(rw, p), in, MAX_OPERANDS, args.list, x,
                     made);
  }
  return TENON_OK;
}

CORE_LOWER(fuse_bias) {
  return tail(rw, n, false);
}
CORE_LOWER(fuse_scale) {
  return tail(rw, n, true);
}

// --- Operands that need not be turned around ---------------------------------

bool tenon_core_exchanges_last(const tenon_permute_attrs *a, int rank) {
  if (rank < 2 || a->dims.count != (size_t)rank) return false;
  for (int d = 0; d < rank; ++d) {
    int64_t want = d < rank - 2 ? d : 2 * rank - 3 - d;
    if ((a->dims.data[d] + rank) % rank != want) return false;
  }
  return true;
}

// Neither kernel looks at more than one chain per element, over k in its order.
CORE_LOWER(fuse_matmul_permute) {
  tenon_value *turned = tenon_rw_operand(rw, n, 1), *in[2];
  const tenon_type *type = tenon_rw_type(rw, turned);
  const tenon_node *p = rw->api->producer(rw, turned);
  static const tenon_arg none[] = {{.name = NULL}};
  if (!p || strcmp(rw->api->op(rw, p), "core::permute") != 0 ||
      rw->api->uses(rw, turned) != 1 || !tenon_core_is_plain_f32(type) ||
      !tenon_core_exchanges_last(tenon_rw_attrs(rw, p), type->rank))
    return TENON_OK;
  in[0] = tenon_rw_operand(rw, n, 0);
  in[1] = tenon_rw_operand(rw, p, 0);
  return tenon_core_rewrite_as(rw, n, "core::matmul_transposed", in, 2, none);
}
