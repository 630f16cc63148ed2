// Losses of classes: a number for each row, then as it is, its mean or its sum.
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

enum { NONE = 0, MEAN = 1, SUM = 2 };

static tenon_value *all(tenon_rewriter *rw, const char *op, tenon_value *x) {
  return tenon_nn_reduce(rw, op, x, (1u << tenon_nn_rank(rw, x)) - 1, false);
}

static tenon_status give_reduced(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_value *loss) {
  switch (tenon_aten_int(rw, n, "reduction")) {
    case NONE:
      break;
    case MEAN:
      loss = all(rw, "core::mean", loss);
      break;
    case SUM:
      loss = all(rw, "core::sum", loss);
      break;
    default:
      return tenon_rw_fail(rw, "no such reduction");
  }
  return tenon_nn_give(rw, n, loss);
}

// --- Of classes --------------------------------------------------------------

typedef struct classes {
  tenon_value *x;       // logarithms of probabilities; classes in dimension 1
  tenon_value *index;   // of classes, 0 where ignored
  tenon_value *weight;  // of each, 0 where ignored
  tenon_value *w;       // of classes, or null
} classes;

// Vectors of classes get a batch.
static tenon_value *in_batch(tenon_rewriter *rw, tenon_value *x) {
  const tenon_dim dims[] = {tenon_aten_fixed(1), tenon_nn_dim(rw, x, 0)};
  return tenon_nn_rank(rw, x) == 1 ? tenon_aten_reshape(rw, x, dims, 2) : x;
}

// A value for each class, beside dimension 1 of x.
static tenon_value *of_classes(tenon_rewriter *rw, const classes *c) {
  return tenon_nn_beside(rw, c->w, tenon_nn_rank(rw, c->x), 1);
}

static void read_classes(tenon_rewriter *rw, const tenon_node *n,
                         tenon_value *target, classes *c) {
  const tenon_type *t = tenon_rw_type(rw, c->x);
  tenon_dim dims[TENON_MAX_RANK];
  if (!t) return;
  for (int d = 0; d < t->rank; ++d)
    dims[d] = d == 1 ? tenon_aten_fixed(1) : t->dims[d];
  target = tenon_aten_reshape(rw, tenon_aten_cast(rw, target, TENON_S64), dims,
                              t->rank);
  tenon_value *counts =
      tenon_rw_op2(rw, "core::ne", target,
                   tenon_aten_number(rw, TENON_S64,
                                     tenon_aten_scalar(rw, n, "ignore_index")));
  c->index = tenon_nn_mul(rw, target, tenon_aten_cast(rw, counts, TENON_S64));
  c->weight = tenon_aten_cast(rw, counts, t->dtype);
  if (!c->w) return;
  tenon_value *in[] = {of_classes(rw, c), c->index};
  tenon_aten_args expand = {0}, axis = {0};
  for (int d = 0; d < t->rank; ++d)
    dims[d] = t->dims[d];
  tenon_aten_add(&expand, tenon_arg_dims("shape", dims, t->rank));
  tenon_aten_add(&axis, tenon_arg_int("axis", 1));
  in[0] = tenon_rw_op(rw, "core::expand", in, 1, expand.list);
  c->weight = tenon_nn_mul(rw, c->weight,
                           tenon_rw_op(rw, "core::gather", in, 2, axis.list));
}

// Less the logarithm of the class that is meant, weighted.
static tenon_value *picked(tenon_rewriter *rw, const classes *c) {
  tenon_value *in[] = {c->x, c->index};
  tenon_value *y = tenon_rw_op(rw, "core::gather", in, 2,
                               TENON_ARGS(tenon_arg_int("axis", 1)));
  return tenon_nn_mul(rw, tenon_rw_op1(rw, "core::neg", y), c->weight);
}

// Means are over weights.
static tenon_value *nn_loss_reduced(tenon_rewriter *rw, const tenon_node *n,
                                    tenon_value *loss, tenon_value *weight) {
  int64_t how = tenon_aten_int(rw, n, "reduction");
  if (how == NONE) return loss;
  loss = all(rw, "core::sum", loss);
  return how == SUM ? loss
                    : tenon_nn_div(rw, loss, all(rw, "core::sum", weight));
}

static tenon_status read_loss(tenon_rewriter *rw, const tenon_node *n,
                              classes *c) {
  tenon_value *w = tenon_aten_in(rw, n, 2);
  int64_t how = tenon_aten_int(rw, n, "reduction");
  memset(c, 0, sizeof *c);
  c->x = in_batch(rw, tenon_nn_wide(rw, tenon_aten_in(rw, n, 0)));
  c->w = w ? tenon_nn_wide(rw, w) : NULL;
  TENON_TRY(tenon_nn_need_float(rw, c->x));
  if (how < NONE || how > SUM || tenon_nn_rank(rw, c->x) < 2)
    return tenon_rw_fail(rw, "reduction %lld", (long long)how);
  return TENON_OK;
}

// One result, or the sum of weights as well.
tenon_status tenon_aten_nll_loss_lower(tenon_rewriter *rw,
                                       const tenon_node *n) {
  classes c;
  TENON_TRY(read_loss(rw, n, &c));
  read_classes(rw, n, tenon_aten_in(rw, n, 1), &c);
  tenon_value *loss = nn_loss_reduced(rw, n, picked(rw, &c), c.weight);
  if (!tenon_aten_user(rw)) return tenon_nn_give(rw, n, loss);
  bool is_none = tenon_aten_int(rw, n, "reduction") == NONE;
  tenon_value *total = all(rw, "core::sum", c.weight);
  tenon_value *out[] = {
      tenon_nn_as_result(rw, n, 0, loss),
      tenon_nn_as_result(rw, n, 1,
                         is_none ? tenon_nn_times(rw, total, 0) : total)};
  return rw->api->replace(rw, n, out, 2);
}

// A part `smooth` of what is meant is spread over all classes.
static tenon_value *nn_loss_spread(tenon_rewriter *rw, const tenon_node *n,
                                   const classes *c, tenon_value *loss,
                                   double smooth, tenon_dim count) {
  tenon_value *x = c->w ? tenon_nn_mul(rw, c->x, of_classes(rw, c)) : c->x;
  tenon_value *even = tenon_rw_op1(
      rw, "core::neg", tenon_nn_reduce(rw, "core::sum", x, 2, true));
  tenon_value *counts = tenon_aten_cast(
      rw,
      tenon_rw_op2(rw, "core::ne", c->weight,
                   tenon_aten_real(rw, tenon_nn_type(rw, c->x), 0)),
      tenon_nn_type(rw, c->x));
  even = nn_loss_reduced(rw, n, tenon_nn_mul(rw, even, counts), c->weight);
  return tenon_nn_add(rw, tenon_nn_times(rw, loss, 1 - smooth),
                      tenon_nn_times(rw, even, smooth / (double)count.value));
}

// Against probabilities.
static tenon_status against(tenon_rewriter *rw, const tenon_node *n,
                            const classes *c, tenon_value *target,
                            double smooth, tenon_dim count) {
  target = in_batch(rw, tenon_nn_wide(rw, target));
  if (smooth > 0)
    target = tenon_nn_plus(rw, tenon_nn_times(rw, target, 1 - smooth),
                           smooth / (double)count.value);
  tenon_value *y = tenon_nn_mul(rw, c->x, target);
  if (c->w) y = tenon_nn_mul(rw, y, of_classes(rw, c));
  y = tenon_rw_op1(rw, "core::neg",
                   tenon_nn_reduce(rw, "core::sum", y, 2, false));
  return give_reduced(rw, n, y);
}

tenon_status tenon_aten_cross_entropy_lower(tenon_rewriter *rw,
                                            const tenon_node *n) {
  tenon_value *target = tenon_aten_in(rw, n, 1);
  double smooth = tenon_aten_float(rw, n, "label_smoothing");
  classes c;
  TENON_TRY(read_loss(rw, n, &c));
  tenon_dim count = tenon_nn_dim(rw, c.x, 1);
  if (smooth > 0 && count.symbol)
    return tenon_rw_fail(rw, "label_smoothing over an open number of classes");
  c.x = tenon_nn_softmax(rw, c.x, 1, true);
  if (tenon_aten_is_float(tenon_nn_type(rw, target)))
    return against(rw, n, &c, target, smooth, count);
  read_classes(rw, n, target, &c);
  tenon_value *loss = nn_loss_reduced(rw, n, picked(rw, &c), c.weight);
  if (smooth > 0) loss = nn_loss_spread(rw, n, &c, loss, smooth, count);
  return tenon_nn_give(rw, n, loss);
}
