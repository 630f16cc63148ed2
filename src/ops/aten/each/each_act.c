// Activations that no formula says.
#include "ops/aten/each/each_op.h"
#include "ops/aten/nn/aten_nn.h"

// A weight for all, or one for each entry of dimension 1.
TENON_ATEN_LOWER(prelu) {
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

// One half times the logistic function of the other.
TENON_ATEN_LOWER(glu) {
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
  const tenon_dim half = tenon_aten_fixed(size.value / 2);
  tenon_value *a = tenon_nn_cut(rw, x, axis, 0, half);
  tenon_value *b = tenon_nn_cut(rw, x, axis, half.value, half);
  return tenon_each_end(&e,
                        tenon_aten_formula(rw, "a b: a * logistic(b)", a, b));
}
