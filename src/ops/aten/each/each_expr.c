// How: the formula is read from left to right, once, and nodes are built on the
// way; precedence is that of C.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/aten/each/each_op.h"

enum { NAMES = 6 };

typedef struct formula {
  tenon_each *e;
  const char *p;
  struct {
    const char *name;
    size_t size;
    tenon_value *value;
  } names[NAMES];
  int n_names;
  int operations;  // counted; nothing is built while `counts`
  bool counts, is_logic;
  const char *wrong;  // before what reading failed first; or null
  bool has_exact;     // counted: a number that a 16-bit type does not hold
} formula;

// A null value is a failed one; `is_one` is the Python number 1.
typedef struct term {
  tenon_value *value;
  bool is_one;
} term;

static term formula_wrong(formula *f) {
  term t = {NULL, false};
  if (!f->wrong) f->wrong = f->p;
  return t;
}

static bool formula_take(formula *f, const char *word) {
  size_t n = strlen(word);
  f->p += strspn(f->p, " ");
  if (strncmp(f->p, word, n) != 0) return false;
  f->p += n;
  return true;
}

static term formula_build(formula *f, const char *op, const term *in,
                          uint32_t n) {
  char name[40] = "core::";
  tenon_value *values[3];
  term t = {NULL, false};
  ++f->operations;
  if (f->counts || f->wrong) return t;
  if (f->e->compute == TENON_BOOL && strcmp(op, "square") == 0) return in[0];
  strncat(name, op, sizeof name - 8);
  for (uint32_t i = 0; i < n; ++i)
    values[i] = in[i].value;
  t.value = tenon_rw_op(f->e->rw, name, values, n, NULL);
  return t;
}

static term pair(formula *f, const char *op, term a, term b) {
  const term in[2] = {a, b};
  return formula_build(f, op, in, 2);
}

static term expression(formula *f);

static term formula_operand(formula *f, int i) {
  term t = {NULL, false};
  f->has_exact |= f->e->is_exact && tenon_each_has_one(f->e, i);
  if (f->counts) return t;
  t.value = tenon_each_in(f->e, i);
  if (!f->is_logic || !t.value) return t;
  const tenon_type *type = tenon_rw_type(f->e->rw, t.value);
  if (!type || type->dtype == TENON_BOOL) return t;
  t.value = tenon_rw_op2(f->e->rw, "core::ne", t.value,
                         tenon_aten_real(f->e->rw, type->dtype, 0));
  return t;
}

static term formula_constant(formula *f, double value) {
  term t = {NULL, false};
  if (!f->counts) t.value = tenon_each_number(f->e, value);
  return t;
}

static term formula_argument(formula *f, const char *name, size_t n) {
  char text[32];
  term t = {NULL, false};
  if (n >= sizeof text) return formula_wrong(f);
  memcpy(text, name, n);
  text[n] = 0;
  tenon_scalar s = tenon_aten_kind_of(f->e->rw, f->e->n, text);
  if (s.kind == 0) return formula_wrong(f);
  t.is_one = s.kind == TENON_KIND_FLOAT ? s.as.f == 1 : s.as.i == 1;
  f->has_exact |= f->e->is_exact;
  if (!f->counts) t.value = tenon_each_scalar(f->e, text);
  return t;
}

static term exact(formula *f) {
  f->e->is_exact = true;
  term t = expression(f);
  f->e->is_exact = false;
  return formula_take(f, ")") ? t : formula_wrong(f);
}

static term formula_name(formula *f) {
  static const char letters[] = "xyzw";
  const char *begin = f->p;
  size_t n = 0;
  while (isalnum((unsigned char)begin[n]) || begin[n] == '_')
    ++n;
  f->p += n;
  if (n == 5 && memcmp(begin, "exact", 5) == 0 && formula_take(f, "("))
    return exact(f);
  if (formula_take(f, "(")) {
    term in[3];
    uint32_t count = 0;
    char op[32];
    if (n >= sizeof op) return formula_wrong(f);
    memcpy(op, begin, n);
    op[n] = 0;
    do {
      if (count == 3) return formula_wrong(f);
      in[count++] = expression(f);
    } while (formula_take(f, ","));
    return formula_take(f, ")") ? formula_build(f, op, in, count)
                                : formula_wrong(f);
  }
  for (int i = 0; i < f->n_names; ++i) {
    term t = {f->names[i].value, false};
    if (f->names[i].size == n && memcmp(f->names[i].name, begin, n) == 0)
      return t;
  }
  const char *letter = n == 1 ? strchr(letters, *begin) : NULL;
  if (letter) return formula_operand(f, (int)(letter - letters));
  if (n == 3 && memcmp(begin, "inf", 3) == 0)
    return formula_constant(f, (double)INFINITY);
  if (n == 3 && memcmp(begin, "nan", 3) == 0)
    return formula_constant(f, (double)NAN);
  if (n == 2 && memcmp(begin, "pi", 2) == 0)
    return formula_constant(f, 3.141592653589793);
  return formula_argument(f, begin, n);
}

static term primary(formula *f) {
  f->p += strspn(f->p, " ");
  if (isdigit((unsigned char)*f->p)) {
    char *end;
    double value = strtod(f->p, &end);
    f->p = end;
    return formula_constant(f, value);
  }
  if (formula_take(f, "(")) {
    term t = expression(f);
    return formula_take(f, ")") ? t : formula_wrong(f);
  }
  if (formula_take(f, "-")) {
    term t = primary(f);
    return formula_build(f, "neg", &t, 1);
  }
  return isalpha((unsigned char)*f->p) ? formula_name(f) : formula_wrong(f);
}

static bool is_bool(const formula *f) {
  return f->e->compute == TENON_BOOL;
}

static term formula_product(formula *f) {
  term a = primary(f);
  for (;;) {
    if (formula_take(f, "*")) {
      term b = primary(f);
      if (a.is_one)
        a = b;
      else if (!b.is_one)
        a = pair(f, is_bool(f) ? "bitwise_and" : "mul", a, b);
    } else if (formula_take(f, "/")) {
      a = pair(f, "div", a, primary(f));
    } else {
      return a;
    }
  }
}

static term sum(formula *f) {
  term a = formula_product(f);
  for (;;) {
    if (formula_take(f, "+"))
      a = pair(f, is_bool(f) ? "bitwise_or" : "add", a, formula_product(f));
    else if (formula_take(f, "-"))
      a = pair(f, "sub", a, formula_product(f));
    else
      return a;
  }
}

static term comparison(formula *f) {
  static const struct {
    const char *sign, *op;
  } rows[] = {{"==", "eq"}, {"!=", "ne"}, {"<=", "le"},
              {">=", "ge"}, {"<", "lt"},  {">", "gt"}};
  term a = sum(f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (formula_take(f, rows[i].sign)) return pair(f, rows[i].op, a, sum(f));
  }
  return a;
}

static term expression(formula *f) {
  term in[3];
  in[0] = comparison(f);
  if (!formula_take(f, "?")) return in[0];
  in[1] = expression(f);
  if (!formula_take(f, ":")) return formula_wrong(f);
  in[2] = expression(f);
  return formula_build(f, "where", in, 3);
}

// name "=" expression ";"
static bool take_name(formula *f, const char **begin, size_t *size) {
  const char *p = f->p + strspn(f->p, " ");
  size_t n = 0;
  while (isalnum((unsigned char)p[n]) || p[n] == '_')
    ++n;
  if (n == 0 || p[n] != ' ' || p[n + 1] != '=' || p[n + 2] != ' ') return false;
  *begin = p;
  *size = n;
  f->p = p + n + 3;
  return true;
}

static term formula_whole(formula *f) {
  const char *begin;
  size_t size;
  while (take_name(f, &begin, &size)) {
    term t = expression(f);
    if (f->n_names == NAMES || !formula_take(f, ";")) return formula_wrong(f);
    f->names[f->n_names].name = begin;
    f->names[f->n_names].size = size;
    f->names[f->n_names++].value = t.value;
  }
  term t = expression(f);
  f->p += strspn(f->p, " ");
  return *f->p ? formula_wrong(f) : t;
}

tenon_value *tenon_each_formula(tenon_each *e, const char *text) {
  formula f = {.e = e, .p = text};
  term t = formula_whole(&f);
  return f.wrong ? NULL : t.value;
}

tenon_status tenon_each_lower(tenon_rewriter *rw, const tenon_node *n,
                              const char *text) {
  tenon_each e;
  TENON_TRY(tenon_each_begin(&e, rw, n, text[0]));
  formula count = {.e = &e, .p = text + 2, .counts = true};
  (void)formula_whole(&count);
  if ((text[1] == '=' || (count.operations <= 1 && !count.has_exact)) &&
      !tenon_aten_is_quarter(e.type))
    e.compute = e.type;
  formula f = {.e = &e, .p = text + 2, .is_logic = text[0] == 'l'};
  term t = formula_whole(&f);
  if (f.wrong)
    return tenon_rw_fail(rw, "the formula '%s' is wrong before '%s'",
                         text + 2 + strspn(text + 2, " "), f.wrong);
  return tenon_each_end(&e, t.value);
}

// The user of a row is the formula.
tenon_status tenon_aten_formula_lower(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_each_lower(rw, n, tenon_aten_user(rw));
}
