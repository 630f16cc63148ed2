// How: operands and Python numbers are fed to the promotion; the type of the
// result is the file's, if it says one.
#include <math.h>
#include <string.h>

#include "ops/aten/each/each_op.h"

// How many tensor operands the node has; absent ones are null.
static int count_operands(tenon_rewriter *rw, const tenon_node *n) {
  int count = 0;
  for (int arg = 0; arg < 16; ++arg) {
    int first = 0, size = rw->api->group(rw, n, arg, &first);
    if (size > 0) count = first + size;
  }
  return count;
}

// Python numbers that take part in the promotion.
static const char *const numbers[] = {"self", "other", "exponent", "min",
                                      "max"};

static bool is_promoting(const char *name) {
  bool found = false;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    found |= strcmp(numbers[i], name) == 0;
  return found;
}

static tenon_dtype each_type_promote(tenon_rewriter *rw, const tenon_node *n,
                                     char mode) {
  tenon_aten_promotion p = {0, 0, 0};
  int count = count_operands(rw, n);
  for (int i = 0; i < count; ++i)
    tenon_aten_promote_value(rw, &p, tenon_aten_in(rw, n, i));
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    tenon_aten_promote_scalar(&p, tenon_aten_kind_of(rw, n, numbers[i]));
  tenon_dtype t =
      mode == 'f' ? tenon_aten_promoted_float(&p) : tenon_aten_promoted(&p);
  if (mode == 'c' && t == TENON_BOOL) t = TENON_U8;
  return mode == 'd' ? TENON_F64 : t;
}

tenon_status tenon_each_begin(tenon_each *e, tenon_rewriter *rw,
                              const tenon_node *n, char mode) {
  const tenon_type *result = tenon_aten_result(rw, n, 0);
  e->rw = rw;
  e->n = n;
  e->is_exact = false;
  e->mode = mode;
  e->type = mode == 'l' ? TENON_BOOL : each_type_promote(rw, n, mode);
  if (e->type == 0)
    return tenon_rw_fail(rw, "PyTorch has no common type for the operands");
  e->compute =
      e->type == TENON_F16 || e->type == TENON_BF16 ? TENON_F32 : e->type;
  bool is_truth = mode == 'b' || mode == 'c' || mode == 'l';
  // Numbers of 8 bits are compared as the f32 that they are.
  if (is_truth && tenon_aten_is_quarter(e->type) &&
      tenon_aten_kind_of(rw, n, "other").kind == 0)
    e->compute = TENON_F32;
  e->result = result ? result->dtype : is_truth ? TENON_BOOL : e->type;
  if (is_truth && mode == 'l') e->compute = 0;
  return TENON_OK;
}

// Whether 16-bit floats are computed in f32: operands are rounded first.
static bool is_widened(const tenon_each *e) {
  return e->compute == TENON_F32 &&
         (e->type == TENON_F16 || e->type == TENON_BF16);
}

bool tenon_each_has_one(const tenon_each *e, int i) {
  const tenon_type *t = tenon_rw_type(e->rw, tenon_aten_in(e->rw, e->n, i));
  bool has = t && is_widened(e);
  for (int k = 0; has && k < t->rank; ++k)
    has = tenon_aten_is(t->dims[k], 1);
  return has;
}

tenon_value *tenon_each_in(tenon_each *e, int i) {
  tenon_value *x = tenon_aten_in(e->rw, e->n, i);
  if (is_widened(e) && !(e->is_exact && tenon_each_has_one(e, i)))
    x = tenon_aten_cast(e->rw, x, e->type);
  return e->compute ? tenon_aten_cast(e->rw, x, e->compute) : x;
}

// Sizes may be symbols, whose number a step finds out.
tenon_value *tenon_each_scalar(tenon_each *e, const char *name) {
  const tenon_dim size = tenon_aten_dim(e->rw, e->n, name, 0);
  tenon_dtype t = e->compute ? e->compute : TENON_BOOL;
  if (size.symbol) {
    (void)tenon_aten_kind_of(e->rw, e->n, name);  // it is looked at
    return tenon_rw_op(e->rw, "core::number", NULL, 0,
                       TENON_ARGS(tenon_arg_dims("value", &size, 1),
                                  tenon_arg_dtype("dtype", t)));
  }
  tenon_scalar s = tenon_aten_fit(t, tenon_aten_scalar(e->rw, e->n, name));
  if (!is_widened(e) || e->is_exact || !is_promoting(name))
    return tenon_aten_number(e->rw, t, s);
  return tenon_aten_cast(e->rw, tenon_aten_number(e->rw, e->type, s), t);
}

tenon_value *tenon_each_number(tenon_each *e, double value) {
  return tenon_aten_real(e->rw, e->compute ? e->compute : TENON_BOOL, value);
}

bool tenon_each_is_float(const tenon_each *e) {
  return tenon_aten_is_float(e->compute);
}

tenon_status tenon_each_end(tenon_each *e, tenon_value *y) {
  if (!y) return tenon_rw_fail(e->rw, "an operand is missing");
  return tenon_rw_replace(e->rw, e->n, tenon_aten_cast(e->rw, y, e->result));
}
