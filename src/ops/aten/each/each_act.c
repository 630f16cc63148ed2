// Activations that no formula says.
#include <string.h>

#include "ops/aten/each/each_op.h"

tenon_status tenon_aten_gelu_lower(tenon_rewriter *rw, const tenon_node *n) {
  const char *how = tenon_aten_str(rw, n, "approximate");
  if (!how || strcmp(how, "none") == 0)
    return tenon_each_lower(rw, n, "n: gelu(x)");
  if (strcmp(how, "tanh") != 0)
    return tenon_rw_fail(rw, "approximate='%s' is not known", how);
  return tenon_each_lower(rw, n,
                          "n: 0.5 * x * (1 + tanh(0.7978845608028654 * (x + "
                          "0.044715 * x * x * x)))");
}

// A weight for all, or one for each entry of dimension 1.
tenon_status tenon_aten_prelu_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_each e;
  tenon_dim dims[TENON_MAX_RANK];
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  tenon_value *x = tenon_each_in(&e, 0), *w = tenon_each_in(&e, 1);
  const tenon_type *t = tenon_rw_type(rw, x), *tw = tenon_rw_type(rw, w);
  if (!t || !tw) return tenon_rw_replace(rw, n, x);
  if (tw->rank == 1) {
    for (int i = 0; i < t->rank; ++i)
      dims[i] = tenon_aten_fixed(1);
    if (t->rank > 1) dims[1] = tw->dims[0];
    if (t->rank == 1 && !tenon_aten_is(tw->dims[0], 1)) dims[0] = tw->dims[0];
    w = tenon_aten_reshape(rw, w, dims, t->rank);
  }
  return tenon_each_end(&e, tenon_rw_op2(rw, "core::prelu", x, w));
}

// The part of x along a dimension that begins at `begin`.
static tenon_value *each_act_part(tenon_rewriter *rw, tenon_value *x, int axis,
                                  int64_t begin, int64_t size) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim begins[TENON_MAX_RANK], sizes[TENON_MAX_RANK];
  int64_t steps[TENON_MAX_RANK];
  if (!t) return x;
  for (int i = 0; i < t->rank; ++i) {
    begins[i] = tenon_aten_fixed(i == axis ? begin : 0);
    sizes[i] = i == axis ? tenon_aten_fixed(size) : t->dims[i];
    steps[i] = 1;
  }
  return tenon_rw_op(rw, "core::slice", &x, 1,
                     TENON_ARGS(tenon_arg_dims("begin", begins, t->rank),
                                tenon_arg_dims("size", sizes, t->rank),
                                tenon_arg_ints("step", steps, t->rank)));
}

// One half times the logistic function of the other.
tenon_status tenon_aten_glu_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_each e;
  int axis = 0;
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  tenon_value *x = tenon_each_in(&e, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t || t->rank == 0) return tenon_rw_fail(rw, "x has no dimensions");
  TENON_TRY(tenon_aten_axis(rw, tenon_aten_int(rw, n, "dim"), t->rank, &axis));
  tenon_dim size = t->dims[axis];
  if (size.symbol || size.value % 2)
    return tenon_rw_fail(rw, "dimension %d has no known halves", axis);
  tenon_value *a = each_act_part(rw, x, axis, 0, size.value / 2);
  tenon_value *b = each_act_part(rw, x, axis, size.value / 2, size.value / 2);
  b = tenon_rw_op1(rw, "core::logistic", b);
  return tenon_each_end(&e, tenon_rw_op2(rw, "core::mul", a, b));
}

tenon_status tenon_aten_rrelu_lower(tenon_rewriter *rw, const tenon_node *n) {
  if (tenon_aten_bool(rw, n, "training"))
    return tenon_rw_fail(rw,
                         "it draws random numbers in training (training=True)");
  return tenon_each_lower(rw, n, "n: x >= 0 ? x : x * ((lower + upper) / 2)");
}
