// core_fuse_attention.c - a rewrite of pass `fuse`: products of matrices with a
// softmax between them, with what stands around it, become core::attention,
// which has the bits of all of them.
//
// From the last product up: weights, which are a softmax along the last
// dimension, zero where no key counts or not; a mask that is added, or chooses
// between score and negative infinity; a factor of the scores; their product,
// whose second operand is turned around; a factor of the first one.
#include <math.h>
#include <string.h>

#include "kern/loop/reduce.h"
#include "kern/op/move.h"
#include "kern/op/softmax.h"
#include "kern/product/attention.h"
#include "ops/core/rewrite/core_rewrite.h"

typedef struct found {
  tenon_value *q, *k, *v, *mask;
  double scale, after;
  tenon_opt_float fill;
  bool is_safe, is_inverted;  // the mask leaves keys out
} found;

// The node of this operator that makes x, which has so many uses (0: any); else
// null.
static const tenon_node *made_by(tenon_rewriter *rw, tenon_value *x,
                                 const char *op, int uses) {
  const tenon_node *p = x ? rw->api->producer(rw, x) : NULL;
  if (!p || (uses && rw->api->uses(rw, x) != uses) ||
      strcmp(rw->api->op(rw, p), op) != 0)
    return NULL;
  return p;
}

static bool attention_is_plain(tenon_rewriter *rw, tenon_value *x,
                               tenon_dtype dtype) {
  const tenon_type *t = x ? tenon_rw_type(rw, x) : NULL;
  return t && t->dtype == dtype && !t->quant;
}

// A constant of one float.
static bool attention_number_of(tenon_rewriter *rw, tenon_value *x,
                                double *out) {
  const tenon_tensor *c = x ? rw->api->constant(rw, x) : NULL;
  if (!c || !attention_is_plain(rw, x, TENON_F32) || tenon_count(c) != 1)
    return false;
  *out = (double)*(const float *)c->data;
  return true;
}

static bool attention_is_number(tenon_rewriter *rw, tenon_value *x,
                                double want) {
  double value;
  return attention_number_of(rw, x, &value) && value == want;
}

// Zero in every element, which may be copies of one.
static bool attention_is_zero(tenon_rewriter *rw, tenon_value *x) {
  const tenon_node *p = made_by(rw, x, "core::expand", 0);
  const tenon_tensor *c =
      rw->api->constant(rw, p ? tenon_rw_operand(rw, p, 0) : x);
  if (!c || c->dtype != TENON_F32) return false;
  for (size_t i = 0; i < tenon_count(c); ++i) {
    uint32_t bits;
    memcpy(&bits, (const float *)c->data + i, sizeof bits);
    if (bits) return false;
  }
  return true;
}

static bool same_dim(tenon_dim a, tenon_dim b) {
  return a.symbol == b.symbol && a.value == b.value;
}

// x without a reshape that folds what stands before its matrices, or unfolds.
static tenon_value *unfolded(tenon_rewriter *rw, tenon_value *x, int uses) {
  const tenon_node *p = made_by(rw, x, "core::reshape", uses);
  tenon_value *from = p ? tenon_rw_operand(rw, p, 0) : NULL;
  const tenon_type *a = tenon_rw_type(rw, x);
  const tenon_type *b = from ? tenon_rw_type(rw, from) : NULL;
  if (!b || a->rank < 2 || b->rank < 2) return x;
  for (int d = 1; d <= 2; ++d)
    if (!same_dim(a->dims[a->rank - d], b->dims[b->rank - d])) return x;
  return from;
}

static bool same_shape(tenon_rewriter *rw, tenon_value *a, tenon_value *b) {
  return tenon_core_same_type(tenon_rw_type(rw, a), tenon_rw_type(rw, b));
}

static bool has_limits(tenon_rewriter *rw, const tenon_node *n) {
  tenon_core_args args;
  tenon_core_range range;
  return !tenon_core_take_args(rw, n, &args) ||
         !tenon_core_get_limits(&args, &range) || range.lo.has || range.hi.has;
}

// x of x times a number, or by a power of two, that nobody else reads; the
// factor is 1 where it is neither.
static tenon_value *without_factor(tenon_rewriter *rw, tenon_value *x,
                                   double *factor) {
  static const char *const ops[] = {"core::mul", "core::div"};
  *factor = 1;
  for (int i = 0; i < 2; ++i) {
    const tenon_node *p = made_by(rw, x, ops[i], 1);
    double by;
    int exponent;
    if (!p || has_limits(rw, p) ||
        !attention_number_of(rw, tenon_rw_operand(rw, p, 1), &by) ||
        !(fabs(by) > 0) || !(fabs(by) < INFINITY) ||
        !same_shape(rw, tenon_rw_operand(rw, p, 0), x))
      continue;
    if (i == 1 && fabs(frexp(by, &exponent)) != 0.5) continue;
    if (i == 1 && (exponent < -100 || exponent > 100)) continue;
    *factor = i == 1 ? 1 / by : by;
    return tenon_rw_operand(rw, p, 0);
  }
  return x;
}

// --- Heads that share keys ---------------------------------------------------

static bool all_fixed(const tenon_type *t) {
  return tenon_core_type_count(t) >= 0;
}

// x under another shape; reshapes that it comes from are passed over.
static tenon_value *attention_reshaped(tenon_rewriter *rw, tenon_value *x,
                                       const tenon_dim *dims, int rank) {
  const tenon_arg args[] = {tenon_arg_dims("shape", dims, (size_t)rank),
                            TENON_END_ARGS};
  for (const tenon_node *p = made_by(rw, x, "core::reshape", 0); p;
       p = made_by(rw, x, "core::reshape", 0))
    x = tenon_rw_operand(rw, p, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  bool is_same = t->rank == rank;
  for (int d = 0; is_same && d < rank; ++d)
    is_same = same_dim(t->dims[d], dims[d]);
  return is_same ? x : tenon_rw_op(rw, "core::reshape", &x, 1, args);
}

// Keys or values [..., h, n, d], of which each of a group of heads has a copy:
// what is copied, and how often (`times`); null: there are no copies.
static tenon_value *original(tenon_rewriter *rw, tenon_value *x,
                             int64_t *times) {
  const tenon_type *whole = tenon_rw_type(rw, x);
  const tenon_node *p = made_by(rw, x, "core::reshape", 0);
  tenon_value *copies = p ? tenon_rw_operand(rw, p, 0) : x;
  p = made_by(rw, copies, "core::expand", 0);
  if (!p || whole->rank < 3 || !all_fixed(whole)) return NULL;
  tenon_value *from = tenon_rw_operand(rw, p, 0);
  const tenon_type *a = tenon_rw_type(rw, from);
  const tenon_type *b = tenon_rw_type(rw, copies);
  if (a->rank != b->rank || !all_fixed(a) || !all_fixed(b)) return NULL;
  const int64_t matrix =
      whole->dims[whole->rank - 1].value * whole->dims[whole->rank - 2].value;
  int64_t below = 1, copied = 1;
  for (int d = a->rank - 1; d >= 0; below *= b->dims[d--].value) {
    if (a->dims[d].value == b->dims[d].value) continue;
    if (copied != 1 || a->dims[d].value != 1 || below != matrix) return NULL;
    copied = b->dims[d].value;
  }
  if (copied < 2 || whole->dims[whole->rank - 3].value % copied) return NULL;
  *times = copied;
  return from;
}

// x [..., h, l, d] as [..., h / times, times, l, d], or with 1 copy of it.
static tenon_value *in_groups(tenon_rewriter *rw, tenon_value *x,
                              const tenon_type *t, int64_t times,
                              int64_t copies) {
  tenon_dim dims[TENON_MAX_RANK + 1];
  const int rank = t->rank;
  for (int d = 0; d < rank; ++d)
    dims[d < rank - 2 ? d : d + 1] = t->dims[d];
  if (dims[rank - 3].value != 1) dims[rank - 3].value /= times;
  dims[rank - 2] = t->dims[rank - 3];
  if (dims[rank - 2].value != 1) dims[rank - 2].value = copies;
  return attention_reshaped(rw, x, dims, rank + 1);
}

// Makes queries of heads that share keys and values a dimension of their own.
static tenon_status attention_share(tenon_rewriter *rw, const tenon_node *n,
                                    found *f, bool *is_shared) {
  int64_t times = 1, other = 1;
  const tenon_type *q = tenon_rw_type(rw, f->q), *y = rw->api->result(rw, n, 0);
  const tenon_type *k_type = tenon_rw_type(rw, f->k);
  const tenon_type *v_type = tenon_rw_type(rw, f->v);
  const tenon_type *m = f->mask ? tenon_rw_type(rw, f->mask) : NULL;
  tenon_value *k = original(rw, f->k, &times);
  tenon_value *v = original(rw, f->v, &other);
  *is_shared = false;
  if (!k || !v || times != other || q->rank >= TENON_MAX_RANK ||
      q->rank != k_type->rank || q->rank != v_type->rank || !all_fixed(q) ||
      !all_fixed(y) ||
      q->dims[q->rank - 3].value != k_type->dims[q->rank - 3].value ||
      (m && !all_fixed(m)))
    return TENON_OK;
  f->q = in_groups(rw, f->q, q, times, times);
  f->k = in_groups(rw, k, k_type, times, 1);
  f->v = in_groups(rw, v, v_type, times, 1);
  if (m && m->rank >= 3) f->mask = in_groups(rw, f->mask, m, times, times);
  *is_shared = true;
  return TENON_OK;
}

// --- Its parts ---------------------------------------------------------------

// Whether these dimensions are the last alone.
static bool is_last(tenon_ints dims, int rank) {
  return dims.count == 1 && (dims.data[0] == -1 || dims.data[0] == rank - 1);
}

// The scores, by the truths of those rows in which none is more than negative
// infinity: the largest is that, or not one is anything else.
static tenon_value *scores_of_void(tenon_rewriter *rw, tenon_value *is_void) {
  const tenon_node *p = made_by(rw, is_void, "core::eq", 1);
  const bool is_most = p != NULL;
  if (!is_most) {
    p = made_by(rw, is_void, "core::bitwise_not", 1);
    p = p ? made_by(rw, tenon_rw_operand(rw, p, 0), "core::any", 1) : NULL;
  } else if (attention_is_number(rw, tenon_rw_operand(rw, p, 1), -INFINITY)) {
    p = made_by(rw, tenon_rw_operand(rw, p, 0), "core::amax", 1);
  } else {
    return NULL;
  }
  if (!p) return NULL;
  tenon_value *x = tenon_rw_operand(rw, p, 0);
  const tenon_reduce_attrs *r = tenon_rw_attrs(rw, p);
  if (!r->keepdim || !is_last(r->dims, tenon_rw_type(rw, x)->rank)) return NULL;
  if (is_most) return x;
  p = made_by(rw, x, "core::bitwise_not", 1);
  p = p ? made_by(rw, tenon_rw_operand(rw, p, 0), "core::eq", 1) : NULL;
  return p && attention_is_number(rw, tenon_rw_operand(rw, p, 1), -INFINITY)
             ? tenon_rw_operand(rw, p, 0)
             : NULL;
}

// The scores of which `w` are the weights; null: it is another thing.
static tenon_value *attention_scores_of(tenon_rewriter *rw, tenon_value *w,
                                        found *f) {
  const tenon_node *p = made_by(rw, w, "core::where", 1);
  tenon_value *safe = NULL;
  if (p) {
    safe = scores_of_void(rw, tenon_rw_operand(rw, p, 0));
    if (!safe || !attention_is_zero(rw, tenon_rw_operand(rw, p, 1)) ||
        !same_shape(rw, tenon_rw_operand(rw, p, 2), w))
      return NULL;
    w = tenon_rw_operand(rw, p, 2);
  }
  p = made_by(rw, w, "core::softmax", 1);
  if (!p) return NULL;
  const int rank = tenon_rw_type(rw, w)->rank;
  const tenon_softmax_attrs *a = tenon_rw_attrs(rw, p);
  tenon_value *s = tenon_rw_operand(rw, p, 0);
  if (a->beta != 1 || (a->axis != -1 && a->axis != rank - 1) ||
      (safe && safe != s) || rw->api->uses(rw, s) != (safe ? 2 : 1))
    return NULL;
  f->is_safe = safe != NULL;
  return s;
}

// Whether a mask with as many dimensions as this goes with scores like s.
static bool attention_is_mask(tenon_rewriter *rw, tenon_value *mask,
                              tenon_value *s) {
  const int rank = tenon_rw_type(rw, mask)->rank;
  return rank >= 2 && rank <= tenon_rw_type(rw, s)->rank;
}

// The product without what is done with it, of which `uses` is the number of
// readers.
static tenon_value *without_mask(tenon_rewriter *rw, tenon_value *s, int uses,
                                 found *f) {
  const tenon_node *p = made_by(rw, s, "core::where", uses);
  double fill;
  for (int i = 1; p && i <= 2; ++i) {
    tenon_value *mask = tenon_rw_operand(rw, p, 0);
    tenon_value *x = tenon_rw_operand(rw, p, i);
    if (!attention_number_of(rw, tenon_rw_operand(rw, p, 3 - i), &fill) ||
        !attention_is_plain(rw, mask, TENON_BOOL) ||
        !attention_is_mask(rw, mask, s) || !same_shape(rw, x, s))
      continue;
    f->mask = mask;
    f->is_inverted = i == 2;
    f->fill.has = fill != -INFINITY;
    f->fill.value = fill;
    return x;
  }
  if (p) return NULL;
  p = made_by(rw, s, "core::add", uses);
  if (!p) return s;
  tenon_value *x = tenon_rw_operand(rw, p, 0);
  tenon_value *mask = tenon_rw_operand(rw, p, 1);
  if (has_limits(rw, p) || !attention_is_plain(rw, mask, TENON_F32) ||
      !attention_is_mask(rw, mask, s) || !same_shape(rw, x, s))
    return NULL;
  f->mask = mask;
  return x;
}

// The operand of a permutation, in its order but for the last two dimensions.
static tenon_value *turned_back(tenon_rewriter *rw, const tenon_node *p) {
  const tenon_permute_attrs *a = tenon_rw_attrs(rw, p);
  const int rank = (int)a->dims.count;
  int64_t dims[TENON_MAX_RANK];
  tenon_value *x = tenon_rw_operand(rw, p, 0);
  const tenon_arg args[] = {tenon_arg_ints("dims", dims, (size_t)rank),
                            TENON_END_ARGS};
  if (tenon_core_exchanges_last(a, rank)) return x;
  for (int d = 0; d < rank; ++d)
    dims[d] = a->dims.data[d < rank - 2 ? d : 2 * rank - 3 - d];
  return tenon_rw_op(rw, "core::permute", &x, 1, args);
}

// x with its last two dimensions exchanged; null: it has none.
static tenon_value *attention_turned(tenon_rewriter *rw, tenon_value *x) {
  const int rank = tenon_rw_type(rw, x)->rank;
  int64_t dims[TENON_MAX_RANK];
  const tenon_arg args[] = {tenon_arg_ints("dims", dims, (size_t)rank),
                            TENON_END_ARGS};
  if (rank < 2) return NULL;
  for (int d = 0; d < rank; ++d)
    dims[d] = d < rank - 2 ? d : 2 * rank - 3 - d;
  return tenon_rw_op(rw, "core::permute", &x, 1, args);
}

static bool attention_product_of(tenon_rewriter *rw, tenon_value *s, int uses,
                                 found *f) {
  const tenon_node *p = made_by(rw, s, "core::matmul_transposed", uses);
  if (p) {
    f->q = tenon_rw_operand(rw, p, 0);
    f->k = tenon_rw_operand(rw, p, 1);
    return attention_is_plain(rw, f->q, TENON_F32);
  }
  p = made_by(rw, s, "core::matmul", uses);
  if (!p || !attention_is_plain(rw, tenon_rw_operand(rw, p, 0), TENON_F32))
    return false;
  f->q = tenon_rw_operand(rw, p, 0);
  tenon_value *folded = tenon_rw_operand(rw, p, 1);
  tenon_value *turned = unfolded(rw, folded, 1);
  p = made_by(rw, turned, "core::permute", 1);
  // Keys that come turned around are turned back, which costs a copy of them.
  f->k = p ? turned_back(rw, p) : attention_turned(rw, turned);
  if (!f->k) return false;
  if (turned == folded) return true;
  const tenon_type *t = tenon_rw_type(rw, folded);
  tenon_dim dims[TENON_MAX_RANK];
  memcpy(dims, t->dims, sizeof *dims * t->rank);
  dims[t->rank - 2] = t->dims[t->rank - 1];
  dims[t->rank - 1] = t->dims[t->rank - 2];
  f->k = attention_reshaped(rw, f->k, dims, t->rank);
  return true;
}

static bool is_batch(tenon_rewriter *rw, tenon_value *x, tenon_dim batch) {
  const tenon_type *t = tenon_rw_type(rw, x);
  return t->rank == 3 && same_dim(t->dims[0], batch);
}

// A matrix for each of a batch, as one for each of what stands before those of
// `like`.
static tenon_value *attention_spread(tenon_rewriter *rw, tenon_value *x,
                                     const tenon_type *like) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim dims[TENON_MAX_RANK];
  memcpy(dims, like->dims, sizeof *dims * like->rank);
  dims[like->rank - 2] = t->dims[1];
  dims[like->rank - 1] = t->dims[2];
  return attention_reshaped(rw, x, dims, like->rank);
}

CORE_LOWER(fuse_attention) {
  found f = {.scale = 1, .after = 1};
  f.v = tenon_rw_operand(rw, n, 1);
  tenon_value *w = tenon_rw_operand(rw, n, 0);
  if (!attention_is_plain(rw, w, TENON_F32)) return TENON_OK;
  w = unfolded(rw, w, 1);
  const tenon_type *whole = tenon_rw_type(rw, w);
  tenon_value *s = attention_scores_of(rw, w, &f);
  if (!s) return TENON_OK;
  // What a softmax reads is read once more to see whether any key counts.
  int uses = f.is_safe ? 2 : 1;
  tenon_value *x = without_mask(rw, s, uses, &f);
  if (!x) return TENON_OK;
  if (x != s) uses = 1;
  if (uses == 1) x = without_factor(rw, x, &f.after);
  tenon_value *product = unfolded(rw, x, uses);
  if (product != x) uses = 1;
  if (!attention_product_of(rw, product, uses, &f)) return TENON_OK;
  f.q = without_factor(rw, f.q, &f.scale);
  const tenon_type *y = rw->api->result(rw, n, 0);
  bool is_other = false;
  if (product != x) {
    const tenon_dim batch = tenon_rw_type(rw, product)->dims[0];
    if (!is_batch(rw, product, batch) || !is_batch(rw, f.q, batch) ||
        !is_batch(rw, f.k, batch) || !is_batch(rw, f.v, batch))
      return TENON_OK;
    f.q = attention_spread(rw, f.q, whole);
    f.k = attention_spread(rw, f.k, whole);
    f.v = attention_spread(rw, f.v, whole);
    is_other = true;
  } else if (w != tenon_rw_operand(rw, n, 0)) {
    return TENON_OK;
  } else {
    TENON_TRY(attention_share(rw, n, &f, &is_other));
  }
  if (f.is_inverted) f.mask = tenon_rw_op1(rw, "core::bitwise_not", f.mask);
  tenon_value *in[] = {f.q, f.k, f.v, f.mask};
  tenon_arg args[] = {tenon_arg_float("scale", f.scale),
                      tenon_arg_float("after", f.after),
                      tenon_arg_bool("safe", f.is_safe),
                      tenon_arg_float("fill", f.fill.value), TENON_END_ARGS};
  if (!f.fill.has) args[3] = args[4];
  if (!is_other)
    return tenon_core_rewrite_as(rw, n, "core::attention", in, 4, args);
  return tenon_rw_replace(
      rw, n,
      attention_reshaped(rw, tenon_rw_op(rw, "core::attention", in, 4, args),
                         y->dims, y->rank));
}
