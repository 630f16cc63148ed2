// Losses of classes: a number for each row, then as it is, its mean or its sum.
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

enum { NONE = 0, MEAN = 1, SUM = 2 };

static tenon_status give_reduced(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_value *loss) {
  const int64_t how = tenon_aten_int(rw, n, "reduction");
  if (how < NONE || how > SUM) return tenon_rw_fail(rw, "no such reduction");
  return tenon_nn_give(
      rw, n,
      tenon_aten_formula(
          rw, "x @how: if(how == 0, x, if(how == 1, mean(x), sum(x)))", loss,
          (int)how));
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

// A value for each class, beside dimension 1 of x; or null.
static tenon_value *of_classes(tenon_rewriter *rw, const classes *c) {
  return c->w ? tenon_nn_beside(rw, c->w, tenon_nn_rank(rw, c->x), 1) : NULL;
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
      tenon_aten_formula(rw, "t #ignored: t != ignored", target,
                         (double)tenon_aten_int(rw, n, "ignore_index"));
  c->index =
      tenon_aten_formula(rw, "t counts: t * s64(counts)", target, counts);
  c->weight = tenon_aten_cast(rw, counts, t->dtype);
  if (!c->w) return;
  c->weight = tenon_aten_formula(
      rw, "w i weight: weight * gather(w, i, 1)",
      tenon_aten_expand(rw, of_classes(rw, c), t->dims, t->rank), c->index,
      c->weight);
}

// Less the logarithm of the class that is meant, weighted.
static tenon_value *picked(tenon_rewriter *rw, const classes *c) {
  return tenon_aten_formula(rw, "x i w: -gather(x, i, 1) * w", c->x, c->index,
                            c->weight);
}

// Means are over weights.
static tenon_value *nn_loss_reduced(tenon_rewriter *rw, const tenon_node *n,
                                    tenon_value *loss, tenon_value *weight) {
  int64_t how = tenon_aten_int(rw, n, "reduction");
  if (how == NONE) return loss;
  return tenon_aten_formula(
      rw, how == SUM ? "loss w: sum(loss)" : "loss w: sum(loss) / sum(w)", loss,
      weight);
}

static tenon_status read_loss(tenon_rewriter *rw, const tenon_node *n,
                              classes *c) {
  tenon_value *w = tenon_aten_in(rw, n, 2);
  int64_t how = tenon_aten_int(rw, n, "reduction");
  memset(c, 0, sizeof *c);
  c->x = in_batch(rw, tenon_nn_in(rw, n, 0));
  c->w = w ? tenon_nn_wide(rw, w) : NULL;
  TENON_TRY(tenon_nn_need_float(rw, c->x));
  if (how < NONE || how > SUM || tenon_nn_rank(rw, c->x) < 2)
    return tenon_rw_fail(rw, "reduction %lld", (long long)how);
  return TENON_OK;
}

// One result, or the sum of weights as well.
TENON_ATEN_LOWER(nll_loss) {
  classes c;
  TENON_TRY(read_loss(rw, n, &c));
  read_classes(rw, n, tenon_aten_in(rw, n, 1), &c);
  tenon_value *loss = nn_loss_reduced(rw, n, picked(rw, &c), c.weight);
  if (!tenon_aten_user(rw)) return tenon_nn_give(rw, n, loss);
  bool is_none = tenon_aten_int(rw, n, "reduction") == NONE;
  tenon_value *total = tenon_aten_formula(rw, "w: sum(w)", c.weight);
  tenon_value *out[] = {loss, is_none ? tenon_nn_times(rw, total, 0) : total};
  return tenon_nn_give_all(rw, n, out, 2);
}

// A part `smooth` of what is meant is spread over all classes.
static tenon_value *nn_loss_spread(tenon_rewriter *rw, const tenon_node *n,
                                   const classes *c, tenon_value *loss,
                                   double smooth, tenon_dim count) {
  tenon_value *even = tenon_aten_formula(
      rw, "x w weight: -sum(if(has(w), x * w, x), 2, 1) * like(weight != 0, x)",
      c->x, of_classes(rw, c), c->weight);
  even = nn_loss_reduced(rw, n, even, c->weight);
  return tenon_aten_formula(
      rw, "loss even #keep #part: loss * keep + even * part", loss, even,
      1 - smooth, smooth / (double)count.value);
}

// Against probabilities.
static tenon_status against(tenon_rewriter *rw, const tenon_node *n,
                            const classes *c, tenon_value *target,
                            double smooth, tenon_dim count) {
  target = in_batch(rw, tenon_nn_wide(rw, target));
  return give_reduced(
      rw, n,
      tenon_aten_formula(
          rw,
          "x t w #smooth #part: t = if(smooth > 0, t * (1 - smooth) + part, t);"
          "-sum(if(has(w), x * t * w, x * t), 2)",
          c->x, target, of_classes(rw, c), smooth,
          smooth / (double)count.value));
}

TENON_ATEN_LOWER(cross_entropy) {
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
