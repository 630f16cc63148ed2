// How: numbers that have no type are computed here until they meet a value.
#include <math.h>

#include "ops/aten/aten_formula.h"

tenon_term tenon_formula_number(tenon_formula *f, double value, bool is_whole) {
  tenon_term t = {.number = value, .is_number = true, .is_whole = is_whole};
  if (tenon_formula_is_typed(f) && !f->decides && !tenon_formula_is_idle(f))
    t.value = tenon_each_number(f->e, value);
  return t;
}

tenon_term tenon_formula_truth(bool value) {
  tenon_term t = {.number = value, .is_number = true, .is_truth = true};
  return t;
}

// What numbers without a type are where they meet only each other.
static bool fold_numbers(const char *op, const tenon_term *in, uint32_t n,
                         tenon_term *out) {
  static const char *const ops[] = {"add", "sub", "mul", "div", "eq", "ne",
                                    "le",  "ge",  "lt",  "gt",  "neg"};
  const double a = in[0].number, b = n > 1 ? in[1].number : 0;
  const double results[] = {a + b,  a - b,  a * b,  a / b,     a == b,
                            a != b, a <= b, a >= b, a<b, a> b, -a};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; ++i) {
    if (strcmp(op, ops[i]) != 0) continue;
    *out = (tenon_term){.number = results[i], .is_number = true};
    out->is_whole = in[0].is_whole && (n < 2 || in[1].is_whole) && i != 3;
    return true;
  }
  return false;
}

tenon_dtype tenon_formula_type(const tenon_formula *f, const tenon_term *t) {
  const tenon_type *type = t->value ? tenon_rw_type(f->rw, t->value) : NULL;
  return type ? type->dtype : 0;
}

// The type that bare numbers get among these operands. A condition says none.
static tenon_dtype met_type(const tenon_formula *f, const char *op,
                            const tenon_term *in, uint32_t n) {
  tenon_dtype t = 0;
  for (uint32_t i = strcmp(op, "where") == 0; i < n && !t; ++i)
    t = tenon_formula_type(f, &in[i]);
  return t;
}

// A number in a type; integers wrap to it.
tenon_value *tenon_formula_value(const tenon_formula *f, const tenon_term *t,
                                 tenon_dtype type) {
  if (t->is_size) return tenon_aten_size_as(f->rw, t->size, type);
  const tenon_scalar s = {TENON_KIND_INT, {.i = tenon_formula_int(t)}};
  return t->is_whole ? tenon_aten_number(f->rw, type, tenon_aten_fit(type, s))
                     : tenon_aten_real(f->rw, type, t->number);
}

static bool give_values(tenon_formula *f, const char *op, const tenon_term *in,
                        uint32_t n, tenon_value **values) {
  const tenon_dtype t = met_type(f, op, in, n);
  for (uint32_t i = 0; i < n; ++i) {
    values[i] = in[i].value;
    if (!tenon_formula_waits(&in[i])) continue;
    if (!t) return false;  // it meets what failed
    values[i] = tenon_formula_value(f, &in[i], t);
  }
  return true;
}

// --- Operations --------------------------------------------------------------

tenon_term tenon_formula_node(tenon_formula *f, const char *op,
                              const tenon_term *in, uint32_t n,
                              const tenon_arg *args) {
  char name[40] = "core::";
  tenon_value *values[TENON_FORMULA_OPERANDS] = {NULL};
  tenon_term t = {0};
  if (n > 0 && tenon_formula_is_bare(&in[0]) &&
      (n < 2 || tenon_formula_is_bare(&in[1])) && n < 3 &&
      fold_numbers(op, in, n, &t))
    return t;
  if (f->skips == 0) ++f->operations;
  if (tenon_formula_is_idle(f)) return t;
  if (n == 1 && strcmp(op, "square") == 0 &&
      tenon_formula_type(f, in) == TENON_BOOL)
    return in[0];
  if (strncmp(op, "aten::", 6) == 0) *name = 0;
  strncat(name, op, sizeof name - strlen(name) - 1);
  if (!give_values(f, op, in, n, values)) {
    t.value = in[strcmp(op, "where") == 0].value;
  } else if (f->n_out) {
    tenon_rw_build(f->rw, name, values, n, args, f->out, (uint32_t)f->n_out,
                   NULL);
    t.value = f->out[0];
  } else {
    t.value = tenon_rw_op(f->rw, name, values, n, args);
  }
  return t;
}

// Operand i of the node.
tenon_term tenon_formula_operand(tenon_formula *f, int i) {
  tenon_term t = {0};
  if (f->skips > 0) {
    (void)tenon_aten_in(f->rw, f->e->n, i);  // it is looked at
    return t;
  }
  f->has_exact |= f->e->is_exact && tenon_each_has_one(f->e, i);
  if (f->counts) return t;
  t.value = tenon_each_in(f->e, i);
  if (!f->is_logic || !t.value) return t;
  const tenon_type *type = tenon_rw_type(f->rw, t.value);
  if (!type || type->dtype == TENON_BOOL) return t;
  t.value = tenon_rw_op2(f->rw, "core::ne", t.value,
                         tenon_aten_real(f->rw, type->dtype, 0));
  return t;
}

tenon_term tenon_formula_argument(tenon_formula *f, const char *name,
                                  size_t n) {
  char text[32];
  tenon_term t = {0};
  if (n >= sizeof text || !f->e) return tenon_formula_wrong(f);
  memcpy(text, name, n);
  text[n] = 0;
  t.text = tenon_aten_str(f->rw, f->e->n, text);
  if (t.text) {
    t.n = strlen(t.text);
    return t;
  }
  const bool is_plain = f->decides || !tenon_formula_is_typed(f);
  // A float or truth value that a run finds out is none that is known here.
  const tenon_scalar s = is_plain && f->skips == 0
                             ? tenon_aten_scalar(f->rw, f->e->n, text)
                             : tenon_aten_kind_of(f->rw, f->e->n, text);
  if (s.kind == 0 && f->skips == 0) return tenon_formula_wrong(f);
  t.is_number = true;
  t.is_whole = s.kind == TENON_KIND_INT;
  t.is_truth = s.kind == TENON_KIND_BOOL;
  t.size = tenon_aten_dim(f->rw, f->e->n, text, 0);
  t.number = s.kind == TENON_KIND_FLOAT ? s.as.f : (double)s.as.i;
  if (t.is_whole && s.as.i == TENON_UNKNOWN) t.number = NAN;  // equals nothing
  if (is_plain || f->skips > 0) return t;
  f->has_exact |= f->e->is_exact;
  if (!f->counts) t.value = tenon_each_scalar(f->e, text);
  return t;
}
