// core_branches.c - rewrites of pass `branches`: convolutions of one image
// whose results are added become one convolution.
//
// Networks are trained with a branch of 1 x 1 taps, or with the image itself,
// beside one of 3 x 3 (Ding et al., RepVGG, 2021). A convolution is linear in
// its weights, so these are added in its place: once, as pass `fold` follows.
// Sums are rounded in another order. A factor behind a convolution that stands
// alone becomes part of its weights as well.
#include <string.h>

#include "kern/loop/select.h"
#include "ops/core/core_rule.h"
#include "ops/core/rewrite/core_rewrite.h"

enum { X, W, BIAS, SCALE, SHIFT, OPERANDS };
enum { MOST_PLACES = 2048 };  // taps of the smaller branch, or channels

// One of the two summands.
typedef struct branch {
  const tenon_node *node;  // null: the image itself, scaled and shifted
  tenon_value *in[OPERANDS];
  tenon_core_args args;
  int64_t taps[2];
} branch;

static const int64_t *branch_ints(branch *b, const char *name) {
  return tenon_core_find_arg(&b->args, name)->as.ints.data;
}

static bool is_depthwise(tenon_rewriter *rw, const branch *b) {
  return strcmp(rw->api->op(rw, b->node), "core::depthwise_conv") == 0;
}

// A constant, or made of such by an earlier rewrite.
static bool is_made_of_constants(tenon_rewriter *rw, const tenon_value *v) {
  static const char *const makers[] = {"core::add",       "core::mul",
                                       "core::reshape",   "core::expand",
                                       "core::index_put", NULL};
  const tenon_node *p = rw->api->producer(rw, v);
  if (rw->api->constant(rw, v)) return true;
  if (!p || !tenon_core_is_one_of(rw->api->op(rw, p), makers)) return false;
  for (int i = 0; tenon_rw_operand(rw, p, i); ++i)
    if (!is_made_of_constants(rw, tenon_rw_operand(rw, p, i))) return false;
  return true;
}

// A convolution of plain floats by constants, which nobody else reads and whose
// results are not limited.
static bool take_branch(tenon_rewriter *rw, const tenon_value *v, branch *b) {
  static const char *const ops[] = {"core::conv", "core::depthwise_conv", NULL};
  b->node = rw->api->producer(rw, v);
  if (!b->node || rw->api->uses(rw, v) != 1 ||
      !tenon_core_is_one_of(rw->api->op(rw, b->node), ops) ||
      !tenon_core_take_unlimited(rw, b->node, &b->args))
    return false;
  for (int i = 0; i < OPERANDS; ++i) {
    b->in[i] = tenon_rw_operand(rw, b->node, i);
    if (b->in[i] && !tenon_core_is_plain_f32(tenon_rw_type(rw, b->in[i])))
      return false;
    if (i > X && b->in[i] && !is_made_of_constants(rw, b->in[i])) return false;
  }
  const tenon_dim *w = tenon_rw_type(rw, b->in[W])->dims;
  b->taps[0] = w[1].value;
  b->taps[1] = w[2].value;
  return true;
}

// --- Weights -----------------------------------------------------------------

static tenon_value *branch_shaped(tenon_rewriter *rw, const char *op,
                                  tenon_value *v, const tenon_dim *dims,
                                  size_t rank) {
  return tenon_rw_op(rw, op, &v, 1,
                     TENON_ARGS(tenon_arg_dims("shape", dims, rank)));
}

// Times the scale of their channel.
static tenon_value *scaled_weights(tenon_rewriter *rw, const branch *b) {
  tenon_value *scale = b->in[SCALE];
  const tenon_dim one = tenon_core_dim(1);
  if (!scale) return b->in[W];
  const tenon_dim dims[] = {tenon_rw_type(rw, scale)->dims[0], one, one, one};
  if (!is_depthwise(rw, b))
    scale = branch_shaped(rw, "core::reshape", scale, dims, 4);
  return tenon_rw_op2(rw, "core::mul", b->in[W], scale);
}

static tenon_value *branch_sum(tenon_rewriter *rw, tenon_value *a,
                               tenon_value *b) {
  return a && b ? tenon_rw_op2(rw, "core::add", a, b) : a ? a : b;
}

// What is added to the sums that scaled weights give; null: nothing.
static tenon_value *branch_offset(tenon_rewriter *rw, const branch *b) {
  tenon_value *bias = b->in[BIAS];
  if (bias && b->in[SCALE])
    bias = tenon_rw_op2(rw, "core::mul", bias, b->in[SCALE]);
  return branch_sum(rw, bias, b->in[SHIFT]);
}

// n numbers: base + i / part % most.
static tenon_value *places(tenon_rewriter *rw, int64_t n, int64_t base,
                           int64_t part, int64_t most) {
  int64_t at[MOST_PLACES];
  const tenon_dim count = tenon_core_dim(n);
  const tenon_type list = {.dtype = TENON_S64, .rank = 1, .dims = &count};
  for (int64_t i = 0; i < n; ++i)
    at[i] = base + i / part % most;
  return rw->api->literal(rw, &list, at);
}

static tenon_value *put(tenon_rewriter *rw, tenon_value *const *in, uint32_t n,
                        int64_t axis) {
  const uint16_t group[] = {0, 1, 2, (uint16_t)n};
  return tenon_rw_op_of_lists(
      rw, "core::index_put", in, n, group,
      TENON_ARGS(tenon_arg_int("axis", axis),
                 tenon_arg_int("mode", TENON_SCATTER_ADD)));
}

// Weights of both, those of `b` from tap `at` of `a` on. The image itself is a
// weight of 1, or its scale, from each channel to itself.
static tenon_value *sum_of_weights(tenon_rewriter *rw, const branch *a,
                                   const branch *b, const int64_t *at) {
  const tenon_dim *w = tenon_rw_type(rw, a->in[W])->dims;
  const int64_t n = b->taps[0] * b->taps[1], c = w[3].value;
  const tenon_dim dims[] = {w[0], tenon_core_dim(n), w[3]};
  const bool is_dense = !b->node && !is_depthwise(rw, a);
  tenon_value *v = b->node ? scaled_weights(rw, b) : b->in[SCALE];
  v = v ? branch_shaped(rw, "core::reshape", v, dims + 2 * is_dense,
                        is_dense ? 1 : 3)
        : branch_shaped(rw, "core::expand", tenon_rw_scalar(rw, TENON_F32, 1),
                        dims + 2 * is_dense, is_dense ? 1 : 3);
  if (is_dense) {
    tenon_value *channels = places(rw, c, 0, 1, c);
    tenon_value *in[] = {scaled_weights(rw, a),
                         v,
                         channels,
                         places(rw, c, at[0], 1, 1),
                         places(rw, c, at[1], 1, 1),
                         channels};
    return put(rw, in, 6, 0);
  }
  tenon_value *in[] = {scaled_weights(rw, a), v,
                       places(rw, n, at[0], b->taps[1], n),
                       places(rw, n, at[1], 1, b->taps[1])};
  return put(rw, in, 4, 1);
}

// --- What may be added -------------------------------------------------------

// Whether the taps of `b` read what some taps of `a` read, from *at on.
static bool finds_place(branch *a, branch *b, int64_t *at) {
  for (int i = 0; i < 2; ++i) {
    const int64_t step = branch_ints(a, "dilation")[i];
    int64_t from = branch_ints(a, "pad")[i];
    if (b->node) from -= branch_ints(b, "pad")[i];
    if (branch_ints(a, "stride")[i] !=
            (b->node ? branch_ints(b, "stride")[i] : 1) ||
        (b->taps[i] > 1 && branch_ints(b, "dilation")[i] != step) || from < 0 ||
        from % step != 0 || from / step + b->taps[i] > a->taps[i])
      return false;
    at[i] = from / step;
  }
  return b->taps[0] * b->taps[1] <= MOST_PLACES;
}

static int64_t groups_of(branch *b) {
  const tenon_arg *groups = tenon_core_find_arg(&b->args, "groups");
  return groups ? groups->as.i : 0;
}

// Takes off a factor, or a summand, for each channel; null: there is none.
static tenon_value *take_vector(tenon_rewriter *rw, const char *op,
                                tenon_value **v) {
  const tenon_node *p = rw->api->producer(rw, *v);
  tenon_core_args args;
  if (!p || strcmp(rw->api->op(rw, p), op) != 0 || rw->api->uses(rw, *v) != 1 ||
      !tenon_core_take_unlimited(rw, p, &args))
    return NULL;
  for (int i = 0; i < 2; ++i) {
    tenon_value *c = tenon_core_as_vector(rw, tenon_rw_operand(rw, p, i),
                                          tenon_rw_type(rw, *v));
    if (!c) continue;
    *v = tenon_rw_operand(rw, p, 1 - i);
    return c;
  }
  return NULL;
}

// The image that `a` reads.
static bool take_image(tenon_rewriter *rw, branch *a, tenon_value *v,
                       branch *b) {
  const tenon_dim channels = tenon_rw_type(rw, a->in[X])->dims[3];
  *b = (branch){.taps = {1, 1}};
  if (groups_of(a) > 1 || channels.symbol || channels.value > MOST_PLACES)
    return false;
  b->in[SHIFT] = take_vector(rw, "core::add", &v);
  b->in[SCALE] = take_vector(rw, "core::mul", &v);
  return v == a->in[X];
}

// The other summand: a convolution like `a`, or what it reads.
static bool take_other(tenon_rewriter *rw, branch *a, tenon_value *v,
                       branch *b) {
  if (take_image(rw, a, v, b)) return true;
  return take_branch(rw, v, b) && b->in[X] == a->in[X] &&
         strcmp(rw->api->op(rw, a->node), rw->api->op(rw, b->node)) == 0 &&
         groups_of(a) == groups_of(b);
}

static bool is_scalar(tenon_rewriter *rw, const tenon_value *v) {
  const tenon_type *t = tenon_rw_type(rw, v);
  return t->rank == 0 && tenon_core_is_plain_f32(t) && rw->api->constant(rw, v);
}

CORE_LOWER(add_branches) {
  const tenon_type *y = rw->api->result(rw, n, 0);
  tenon_core_args own;
  tenon_core_range range;
  if (!tenon_core_is_plain_f32(y) || !tenon_core_take_args(rw, n, &own) ||
      !tenon_core_get_limits(&own, &range))
    return TENON_OK;
  for (int i = 0; i < 2; ++i) {
    tenon_value *v = tenon_rw_operand(rw, n, i);
    tenon_value *other = tenon_rw_operand(rw, n, 1 - i);
    tenon_value *w = NULL, *offset = NULL;
    branch a, b;
    int64_t at[2];
    if (!take_branch(rw, v, &a) ||
        !tenon_core_same_type(tenon_rw_type(rw, v), y))
      continue;
    if (is_scalar(rw, other)) {
      if (!a.in[SHIFT] && (!a.in[BIAS] || a.in[SCALE])) continue;
      w = scaled_weights(rw, &a);
      offset = other;
    } else if (tenon_core_same_type(tenon_rw_type(rw, other), y) &&
               take_other(rw, &a, other, &b) && finds_place(&a, &b, at)) {
      w = sum_of_weights(rw, &a, &b, at);
      offset = branch_offset(rw, &b);
    } else {
      continue;
    }
    tenon_value *in[] = {a.in[X], w,
                         branch_sum(rw, branch_offset(rw, &a), offset)};
    tenon_core_set_limits(&a.args, range);
    return tenon_core_rewrite_as(rw, n, rw->api->op(rw, a.node), in,
                                 in[BIAS] ? 3 : 2, a.args.list);
  }
  return TENON_OK;
}

// --- Factors -----------------------------------------------------------------

// Whether products with these neither vanish nor exceed what floats hold, as
// far as weights are like those of networks.
static bool are_moderate(const tenon_tensor *t) {
  if (!t) return false;
  const float *v = t->data;
  for (int64_t i = 0; i < (int64_t)tenon_count(t); ++i) {
    const float size = v[i] < 0 ? -v[i] : v[i];
    if (!(size == 0 || (size > 1e-6f && size < 1e6f))) return false;
  }
  return true;
}

// Those of a batch norm, which only become known here, where nothing is added
// to the results. Weights that others read stay as they are.
CORE_LOWER(scale_weights) {
  branch b = {.node = n};
  for (int i = 0; i < OPERANDS; ++i) {
    b.in[i] = tenon_rw_operand(rw, n, i);
    if (b.in[i] && !tenon_core_is_plain_f32(tenon_rw_type(rw, b.in[i])))
      return TENON_OK;
    if (i > X && b.in[i] && !rw->api->constant(rw, b.in[i])) return TENON_OK;
  }
  if (!b.in[SCALE] || rw->api->uses(rw, b.in[W]) != 1 ||
      !are_moderate(rw->api->constant(rw, b.in[SCALE])) ||
      !tenon_core_take_args(rw, n, &b.args))
    return TENON_OK;
  tenon_value *in[] = {b.in[X], scaled_weights(rw, &b), branch_offset(rw, &b)};
  return tenon_core_rewrite_as(rw, n, rw->api->op(rw, n), in, in[BIAS] ? 3 : 2,
                               b.args.list);
}
