// Losses of pairs and triples of rows, and of classes with a margin.
#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"

static tenon_status margin_give_reduced(tenon_rewriter *rw, const tenon_node *n,
                                        tenon_value *loss) {
  int64_t how = tenon_aten_int(rw, n, "reduction");
  uint32_t all = (1u << tenon_nn_rank(rw, loss)) - 1;
  if (how < 0 || how > 2) return tenon_rw_fail(rw, "no such reduction");
  if (how > 0 && all)
    loss = tenon_aten_reduce(rw, how == 1 ? "core::mean" : "core::sum", loss,
                             all, false);
  return tenon_nn_give(rw, n, loss);
}

// PyTorch's loss of one row has no dimensions. What its export states may have
// one, and what follows in the file goes by that.
static tenon_status give_of_row(tenon_rewriter *rw, const tenon_node *n,
                                tenon_value *loss, bool is_row) {
  const tenon_type *t = tenon_aten_stated(rw, n, 0);
  if (is_row && t && t->rank == 1)
    return tenon_rw_fail(rw,
                         "the file states one dimension for the loss of a row, "
                         "which has none in PyTorch");
  return margin_give_reduced(rw, n,
                             is_row ? tenon_aten_squeeze(rw, loss, 0) : loss);
}

// Integers become f32, 16-bit floats too.
static tenon_value *real_in(tenon_rewriter *rw, const tenon_node *n, int i) {
  tenon_value *x = tenon_nn_in(rw, n, i);
  tenon_dtype t = tenon_nn_type(rw, x);
  return t && !tenon_aten_is_float(t) ? tenon_aten_cast(rw, x, TENON_F32) : x;
}

TENON_ATEN_LOWER(cosine_embedding) {
  tenon_value *x = real_in(rw, n, 0), *y = real_in(rw, n, 1);
  tenon_value *target = tenon_aten_in(rw, n, 2);
  if (tenon_nn_type(rw, target) == TENON_BOOL)
    target = tenon_aten_cast(rw, target, TENON_S64);
  const int axis = tenon_nn_rank(rw, target);
  const uint32_t bits = 1u << axis;
  if (tenon_nn_rank(rw, x) != axis + 1 || !tenon_nn_type(rw, y))
    return tenon_rw_fail(rw, "dimensions that do not fit");
  if (tenon_nn_type(rw, x) != tenon_nn_type(rw, y))
    return tenon_rw_fail(rw, "two element types");
  return margin_give_reduced(
      rw, n,
      tenon_aten_formula(
          rw,
          "x y target #margin @bits: dot = sum(x * y, bits);"
          "c = dot / sqrt((sum(x * x, bits) + 1e-12) * (sum(y * y, bits) + "
          "1e-12));"
          "(target == 1 ? 1 - c : 0) + (target == -1 ? maximum(c + -margin, 0) "
          ": 0)",
          x, y, target, tenon_aten_float(rw, n, "margin"), (int)bits));
}

static tenon_value *margin_distance(tenon_rewriter *rw, const tenon_node *n,
                                    tenon_value *x, tenon_value *y) {
  tenon_value *in[2] = {x, y};
  return tenon_rw_op(
      rw, "aten::pairwise_distance", in, 2,
      TENON_ARGS(tenon_arg_float("p", tenon_aten_float(rw, n, "p")),
                 tenon_arg_float("eps", tenon_aten_float(rw, n, "eps"))));
}

TENON_ATEN_LOWER(triplet) {
  tenon_value *x[3];
  for (int i = 0; i < 3; ++i) {
    x[i] = tenon_aten_in(rw, n, i);
    if (!tenon_aten_is_integer(tenon_nn_type(rw, x[i])))
      x[i] = real_in(rw, n, i);
  }
  tenon_value *near = margin_distance(rw, n, x[0], x[1]);
  tenon_value *far = margin_distance(rw, n, x[0], x[2]);
  if (tenon_aten_bool(rw, n, "swap"))
    far = tenon_rw_op2(rw, "core::minimum", far,
                       margin_distance(rw, n, x[1], x[2]));
  return margin_give_reduced(
      rw, n,
      tenon_aten_formula(rw,
                         "near far #margin: maximum(near - far + margin, 0)",
                         near, far, tenon_aten_float(rw, n, "margin")));
}

// --- Of classes --------------------------------------------------------------

// One row of classes becomes a batch of one, and one class a row of one.
static tenon_value *batch_of(tenon_rewriter *rw, tenon_value *x, int rank) {
  // Counted once: what could not be made does not grow.
  for (int i = tenon_nn_rank(rw, x); i < rank; ++i)
    x = tenon_aten_unsqueeze(rw, x, 0);
  return x;
}

TENON_ATEN_LOWER(multi_margin) {
  tenon_value *x = real_in(rw, n, 0), *w = tenon_aten_in(rw, n, 2);
  tenon_value *target = tenon_aten_in(rw, n, 1);
  const double power = tenon_aten_float(rw, n, "p");
  const bool is_row = tenon_nn_rank(rw, target) == 0;
  x = batch_of(rw, x, 2);
  target = batch_of(rw, target, 1);
  tenon_dim classes = tenon_nn_dim(rw, x, 1);
  if ((power != 1 && power != 2) || classes.symbol || !tenon_nn_type(rw, x))
    return tenon_rw_fail(rw, "p is neither 1 nor 2, or classes are open");
  target = tenon_aten_unsqueeze(rw, target, 1);
  if (w) {
    tenon_value *index = tenon_aten_squeeze(rw, target, 1);
    w = tenon_aten_index(rw, tenon_nn_wide(rw, w), &index, 1, 0,
                         TENON_ATEN_FROM_START);
    w = tenon_aten_unsqueeze(rw, w, 1);
  }
  tenon_value *y = tenon_aten_formula(
      rw,
      "x target class w #margin @power #share:"
      "y = maximum(x - gather(x, target, 1) + margin, 0);"
      "y = if(power == 2, y * y, y); y = if(has(w), y * w, y);"
      "sum(class != target ? y : 0, 2) * share",
      x, target, tenon_aten_ramp(rw, TENON_S64, classes), w,
      tenon_aten_float(rw, n, "margin"), (int)power,
      1.0 / (double)classes.value);
  return give_of_row(rw, n, y, is_row);
}

// Of each row, what stands before the first -1 is meant.
TENON_ATEN_LOWER(multilabel_margin) {
  tenon_value *x = real_in(rw, n, 0), *target = tenon_aten_in(rw, n, 1);
  const bool is_row = tenon_nn_rank(rw, x) < 2;
  x = batch_of(rw, x, 2);
  target = batch_of(rw, target, 2);
  tenon_dim classes = tenon_nn_dim(rw, x, 1);
  if (classes.symbol || tenon_nn_rank(rw, x) != 2)
    return tenon_rw_fail(rw, "the number of classes is open");
  // Only -1 is no class, behind it as well.
  tenon_value *index = tenon_aten_formula(rw, "t: t != -1 ? t : 0", target);
  tenon_value *counts = tenon_aten_unsqueeze(
      rw, tenon_aten_formula(rw, "t: cumprod(s64(t >= 0), 1) != 0", target), 2);
  tenon_value *meant =
      tenon_aten_unsqueeze(rw, tenon_aten_gather(rw, x, index, 1), 2);
  // [batch, meant, class]
  tenon_value *y = tenon_aten_formula(
      rw,
      "x at class counts meant #share:"
      "y = any(at == class & counts, 2, 1) ? 0 : maximum(x - meant + 1, 0);"
      "sum(counts ? y : 0, 6) * share",
      tenon_aten_unsqueeze(rw, x, 1), tenon_aten_unsqueeze(rw, index, 2),
      tenon_aten_ramp(rw, TENON_S64, classes), counts, meant,
      1.0 / (double)classes.value);
  return give_of_row(rw, n, y, is_row);
}

// --- Distances of all pairs of rows ------------------------------------------

TENON_ATEN_LOWER(pdist) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *rows[2];
  tenon_dim size = tenon_nn_dim(rw, x, 0);
  tenon_aten_args args = {0}, p = {0};
  TENON_TRY(tenon_nn_need_float(rw, x));
  if (size.symbol || tenon_nn_rank(rw, x) != 2)
    return tenon_rw_fail(rw, "the number of rows is open");
  tenon_aten_add(&args, tenon_arg_int("rows", size.value));
  tenon_aten_add(&args, tenon_arg_int("columns", size.value));
  tenon_aten_add(&args, tenon_arg_int("offset", 1));
  tenon_aten_add(&args, tenon_arg_bool("upper", true));
  tenon_value *index =
      tenon_rw_op(rw, "core::triangle_indices", NULL, 0, args.list);
  for (int i = 0; i < 2; ++i) {
    tenon_value *at = tenon_aten_select(rw, index, 0, tenon_aten_fixed(i));
    rows[i] = tenon_aten_index(rw, x, &at, 1, 0, TENON_ATEN_FROM_START);
  }
  tenon_aten_add(&p, tenon_arg_float("p", tenon_aten_float(rw, n, "p")));
  tenon_aten_add(&p, tenon_arg_float("eps", 0));
  return tenon_rw_replace(
      rw, n, tenon_rw_op(rw, "aten::pairwise_distance", rows, 2, p.list));
}
