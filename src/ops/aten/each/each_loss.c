// Losses: a formula for each element, then their mean or sum.
#include "ops/aten/each/each_op.h"

// reduction: 0 none, 1 mean, 2 sum.
static tenon_status each_loss_reduce(tenon_each *e, tenon_value *y) {
  const tenon_type *t = tenon_rw_type(e->rw, y);
  const int64_t how = tenon_aten_int(e->rw, e->n, "reduction");
  if (!y) return tenon_rw_fail(e->rw, "an operand is missing");
  if (how == 0 || !t || t->rank == 0) return tenon_each_end(e, y);
  if (how != 1 && how != 2)
    return tenon_rw_fail(e->rw, "reduction %lld is not known", (long long)how);
  return tenon_each_end(
      e, tenon_aten_formula(e->rw, how == 1 ? "x: mean(x)" : "x: sum(x)", y));
}

// The user is a formula with its mode, as of each_lower; "n= ...": PyTorch
// rounds after each operation.
TENON_ATEN_LOWER(loss) {
  tenon_each e;
  const char *formula = tenon_aten_user(rw);
  TENON_TRY(tenon_each_begin(&e, rw, n, formula[0]));
  if (formula[1] == '=') e.compute = e.type;
  if (!tenon_each_is_float(&e) && tenon_aten_is_float(e.result))
    e.compute = e.result;
  return each_loss_reduce(&e, tenon_each_formula(&e, formula + 2));
}

// The difference of integers is one, which wraps; the margin makes a number.
TENON_ATEN_LOWER(margin_ranking) {
  tenon_each e;
  TENON_TRY(tenon_each_begin(&e, rw, n, 'n'));
  tenon_value *y = tenon_each_formula(&e, "-z * (x - y)");
  if (!y) return tenon_rw_fail(rw, "an operand is missing");
  if (!tenon_each_is_float(&e))
    y = tenon_aten_cast(rw, y,
                        tenon_aten_is_float(e.result) ? e.result : TENON_F32);
  return each_loss_reduce(
      &e, tenon_aten_formula(rw, "y #margin: maximum(y + margin, 0)", y,
                             tenon_aten_float(rw, n, "margin")));
}
