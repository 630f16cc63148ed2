// How: what only formulas know comes first; all else is an operator of this
// name.
#include "ops/aten/aten_formula.h"

static tenon_term exact(tenon_formula *f) {
  f->e->is_exact = true;
  tenon_term t = f->expression(f);
  f->e->is_exact = false;
  return tenon_formula_closed(f, t);
}

// In f32 what is of 16 bits.
static tenon_term widened(tenon_formula *f) {
  const tenon_dtype given = f->e->compute, t = f->e->type;
  f->e->compute = t == TENON_F16 || t == TENON_BF16 ? TENON_F32 : given;
  tenon_term y = f->expression(f);
  if (y.value) y.value = tenon_aten_cast(f->rw, y.value, f->e->compute);
  f->e->compute = given;
  return tenon_formula_closed(f, y);
}

// if(condition, a, b): the condition is of arguments, and known here.
static tenon_term formula_choose(tenon_formula *f) {
  const bool decided = f->decides;
  f->decides = true;
  const tenon_term c = f->expression(f);
  f->decides = decided;
  if (!tenon_formula_take(f, ",")) return tenon_formula_wrong(f);
  const bool holds = c.number != 0;
  f->skips += !holds;
  const tenon_term a = f->expression(f);
  f->skips -= !holds;
  if (!tenon_formula_take(f, ",")) return tenon_formula_wrong(f);
  f->skips += holds;
  const tenon_term b = f->expression(f);
  f->skips -= holds;
  return tenon_formula_closed(f, holds ? a : b);
}

// Whether a value or an argument is there.
static tenon_term formula_has(tenon_formula *f) {
  f->p += strspn(f->p, " ");
  const char *name = f->p;
  const size_t n = tenon_formula_word(name);
  char text[32] = "";
  f->p += n;
  for (int i = 0; i < f->n_names; ++i)
    if (f->names[i].size == n && memcmp(f->names[i].name, name, n) == 0)
      return tenon_formula_closed(
          f, tenon_formula_truth(f->names[i].term.value != NULL));
  const int operand = tenon_formula_letter(name, n);
  if (!f->e || n >= sizeof text) return tenon_formula_wrong(f);
  memcpy(text, name, n);
  return tenon_formula_closed(
      f, tenon_formula_truth(
             operand >= 0 ? tenon_aten_in(f->rw, f->e->n, operand) != NULL
                          : tenon_aten_has(f->rw, f->e->n, text)));
}

// Whether operand 1 is one number that is not rounded.
static tenon_term has_one(tenon_formula *f) {
  f->p += tenon_formula_word(f->p);
  return tenon_formula_closed(f,
                              tenon_formula_truth(tenon_each_has_one(f->e, 1)));
}

static tenon_term refused(tenon_formula *f) {
  const tenon_term t = f->expression(f);
  if (!tenon_formula_is_idle(f) && !f->refuse) {
    f->refuse = t.text;
    f->n_refuse = t.n;
  }
  return tenon_formula_closed(f, t);
}

static tenon_term formula_cast(tenon_formula *f, tenon_term x, tenon_dtype t) {
  if (tenon_formula_is_idle(f) || !t) return x;
  if (tenon_formula_waits(&x))
    return (tenon_term){.value = tenon_formula_value(f, &x, t)};
  if (!x.value) return x;
  return (tenon_term){.value = tenon_aten_cast(f->rw, x.value, t)};
}

// An argument behind the values: axis=1.
static bool formula_attribute(tenon_formula *f, tenon_arg *args,
                              char (*names)[16], tenon_dim *size_of, int *n) {
  const char *p = f->p + strspn(f->p, " ");
  const size_t size = tenon_formula_word(p);
  if (size == 0 || size >= sizeof *names || p[size] != '=' ||
      p[size + 1] == '=')
    return false;
  char *name = names[*n];
  memcpy(name, p, size);
  name[size] = 0;
  f->p = p + size + 1;
  const size_t type = tenon_formula_word(f->p);
  const tenon_dtype dtype = tenon_dtype_find((tenon_text){f->p, type});
  if (dtype) {
    args[(*n)++] = tenon_arg_dtype(name, dtype);
    f->p += type;
    return true;
  }
  const bool decided = f->decides;
  f->decides = true;
  const tenon_term t = f->expression(f);
  f->decides = decided;
  *size_of = t.size;
  args[(*n)++] = t.size.symbol ? tenon_arg_dims(name, size_of, 1)
                 : t.is_truth  ? tenon_arg_bool(name, t.number != 0)
                 : t.is_whole  ? tenon_arg_int(name, tenon_formula_int(&t))
                               : tenon_arg_float(name, t.number);
  return true;
}

// op(x, bits, keep): the dimensions of which bits are set; none: all.
static tenon_term formula_reduce(tenon_formula *f, const char *op,
                                 const tenon_term *in, uint32_t n) {
  int64_t dims[TENON_MAX_RANK];
  size_t count = 0;
  const tenon_type *t = in[0].value ? tenon_rw_type(f->rw, in[0].value) : NULL;
  const uint32_t bits = n > 1 ? (uint32_t)in[1].number
                        : t   ? (1u << t->rank) - 1
                              : 0;
  for (int d = 0; d < TENON_MAX_RANK; ++d)
    if (bits >> d & 1) dims[count++] = d;
  return tenon_formula_node(
      f, op, in, 1,
      TENON_ARGS(tenon_arg_ints("dims", dims, count),
                 tenon_arg_bool("keepdim", n > 2 && in[2].number != 0)));
}

static bool formula_is_among(const char *name, const char *names) {
  const size_t n = strlen(name);
  for (const char *p = strstr(names, name); p; p = strstr(p + 1, name))
    if ((p == names || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0)) return true;
  return false;
}

// What sums of x are made in: the argument `dtype`, or s64 of what is no float.
static tenon_dtype summed_type(tenon_formula *f, const tenon_term *x) {
  const tenon_dtype t = tenon_aten_dtype(f->rw, f->e->n, "dtype"),
                    own = tenon_formula_type(f, x);
  return t                                                 ? t
         : tenon_aten_is_integer(own) || own == TENON_BOOL ? TENON_S64
                                                           : own;
}

// floats(x, 'the mean of'): x, refused with these words where it has others.
static tenon_term formula_floats(tenon_formula *f, const tenon_term *in) {
  const tenon_dtype t = tenon_formula_type(f, &in[0]);
  if (!tenon_formula_is_idle(f) && !tenon_aten_is_float(t))
    (void)tenon_rw_fail(f->rw, "%.*s %s", (int)in[1].n, in[1].text,
                        tenon_dtype_name(t));
  return in[0];
}

tenon_term tenon_formula_call(tenon_formula *f, const char *name, size_t n) {
  tenon_term in[TENON_FORMULA_OPERANDS + 1] = {{0}};
  tenon_arg args[TENON_FORMULA_ATTRIBUTES + 1] = {{NULL, 0, {0}}};
  tenon_dim sizes[TENON_FORMULA_ATTRIBUTES];
  char names[TENON_FORMULA_ATTRIBUTES][16], op[36];
  const int wanted = f->n_out;
  uint32_t count = 0;
  int n_args = 0;
  if (f->e && tenon_formula_is_word(name, n, "exact")) return exact(f);
  if (f->e && tenon_formula_is_word(name, n, "wide")) return widened(f);
  if (tenon_formula_is_word(name, n, "if")) return formula_choose(f);
  if (tenon_formula_is_word(name, n, "has")) return formula_has(f);
  if (f->e && tenon_formula_is_word(name, n, "has_one")) return has_one(f);
  if (tenon_formula_is_word(name, n, "refuse")) return refused(f);
  if (n > 32) return tenon_formula_wrong(f);
  memcpy(op, name, n);
  op[n] = 0;
  f->n_out = 0;
  do {
    if (n_args < TENON_FORMULA_ATTRIBUTES &&
        formula_attribute(f, args, names, &sizes[n_args], &n_args))
      continue;
    if (count == TENON_FORMULA_OPERANDS) return tenon_formula_wrong(f);
    in[count++] = f->expression(f);
  } while (tenon_formula_take(f, ","));
  if (!tenon_formula_take(f, ")")) return tenon_formula_wrong(f);
  f->n_out = wanted;
  const tenon_dtype t = tenon_dtype_find((tenon_text){name, n});
  if (t) return formula_cast(f, in[0], t);
  if (f->e && tenon_formula_is_word(name, n, "typed"))
    return formula_cast(f, in[0], tenon_aten_dtype(f->rw, f->e->n, "dtype"));
  if (f->e && tenon_formula_is_word(name, n, "summed"))
    return formula_cast(f, in[0], summed_type(f, &in[0]));
  if (tenon_formula_is_word(name, n, "is_real"))
    return tenon_formula_truth(
        tenon_aten_is_float(tenon_formula_type(f, &in[0])));
  if (tenon_formula_is_word(name, n, "floats")) return formula_floats(f, in);
  if (tenon_formula_is_word(name, n, "matrix")) {
    if (!tenon_formula_is_idle(f))
      (void)tenon_aten_check_matrix(f->rw, in[0].value, 0);
    return in[0];
  }
  if (tenon_formula_is_word(name, n, "flat")) {
    if (!tenon_formula_is_idle(f))
      in[0].value = tenon_aten_flat(f->rw, in[0].value);
    return in[0];
  }
  if (strcmp(op, "like") == 0)
    return formula_cast(
        f, in[0], tenon_formula_is_idle(f) ? 0 : tenon_formula_type(f, &in[1]));
  if (strcmp(op, "narrow") == 0) return formula_cast(f, in[0], f->e->compute);
  if (formula_is_among(op, "sum mean prod amax amin any all argmax argmin"))
    return formula_reduce(f, op, in, count);
  if (formula_is_among(op, "gather cumsum cumprod") && n_args == 0)
    args[0] = tenon_arg_int("axis", tenon_formula_int(&in[--count]));
  return tenon_formula_node(f, op, in, count, args);
}
