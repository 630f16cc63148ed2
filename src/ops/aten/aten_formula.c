// How: the formula is read from left to right, once, and nodes are built on the
// way; precedence is that of C.
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ops/aten/each/each_op.h"
#include "ops/aten/linalg/linalg_op.h"

enum { NAMES = 16, OPERANDS = 3, ATTRIBUTES = 4, RESULTS = 4 };

// A null value that is no number is a failed one. Numbers that have no value
// yet get one in the type of what they meet.
typedef struct term {
  tenon_value *value;
  double number;
  tenon_dim size;
  const char *text;  // of n characters
  size_t n;
  bool is_number, is_size, is_whole, is_truth;
} term;

typedef struct formula {
  tenon_rewriter *rw;
  tenon_each *e;  // null: numbers have the type of what they meet
  const char *p;
  struct {
    const char *name;
    size_t size;
    term term;
    tenon_value **out;  // what it is given goes here, too
  } names[NAMES];
  int n_names;
  int operations;  // counted; nothing is built while `counts`
  bool counts, is_logic;
  int skips;           // more than 0: what is read is not wanted
  bool decides;        // a condition of `if`, of numbers alone
  const char *wrong;   // before what reading failed first; or null
  bool has_exact;      // counted: a number that a 16-bit type does not hold
  const char *refuse;  // what `refuse` says, of n_refuse characters
  size_t n_refuse;
  int n_out;  // results of the next operation that are wanted; 0: one
  tenon_value *out[RESULTS];
} formula;

static term expression(formula *f);

static term formula_wrong(formula *f) {
  term t = {0};
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

static bool formula_is_idle(const formula *f) {
  return f->counts || f->skips > 0 || f->wrong;
}

// Whether numbers have the type in which a node computes.
static bool formula_is_typed(const formula *f) {
  return f->e && f->e->mode != TENON_EACH_PLAIN;
}

// --- Numbers -----------------------------------------------------------------

static term formula_number(formula *f, double value, bool is_whole) {
  term t = {.number = value, .is_number = true, .is_whole = is_whole};
  if (formula_is_typed(f) && !f->decides && !formula_is_idle(f))
    t.value = tenon_each_number(f->e, value);
  return t;
}

static term formula_truth(bool value) {
  term t = {.number = value, .is_number = true, .is_truth = true};
  return t;
}

static bool formula_is_bare(const term *t) {
  return t->is_number && !t->value;
}

// What numbers without a type are where they meet only each other.
static bool fold_numbers(const char *op, const term *in, uint32_t n,
                         term *out) {
  static const char *const ops[] = {"add", "sub", "mul", "div", "eq", "ne",
                                    "le",  "ge",  "lt",  "gt",  "neg"};
  const double a = in[0].number, b = n > 1 ? in[1].number : 0;
  const double results[] = {a + b,  a - b,  a * b,  a / b,     a == b,
                            a != b, a <= b, a >= b, a<b, a> b, -a};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; ++i) {
    if (strcmp(op, ops[i]) != 0) continue;
    *out = (term){.number = results[i], .is_number = true};
    out->is_whole = in[0].is_whole && (n < 2 || in[1].is_whole) && i != 3;
    return true;
  }
  return false;
}

static tenon_dtype type_of(const formula *f, const term *t) {
  const tenon_type *type = t->value ? tenon_rw_type(f->rw, t->value) : NULL;
  return type ? type->dtype : 0;
}

// The type that bare numbers get among these operands. A condition says none.
static tenon_dtype met_type(const formula *f, const char *op, const term *in,
                            uint32_t n) {
  tenon_dtype t = 0;
  for (uint32_t i = strcmp(op, "where") == 0; i < n && !t; ++i)
    t = type_of(f, &in[i]);
  return t;
}

// A number in a type; integers wrap to it.
static tenon_value *number_in(const formula *f, const term *t,
                              tenon_dtype type) {
  const tenon_scalar s = {TENON_KIND_INT, {.i = (int64_t)t->number}};
  if (t->is_size) return tenon_aten_size_as(f->rw, t->size, type);
  return t->is_whole ? tenon_aten_number(f->rw, type, tenon_aten_fit(type, s))
                     : tenon_aten_real(f->rw, type, t->number);
}

static bool formula_waits(const term *t) {
  return t->is_size || formula_is_bare(t);
}

static bool give_values(formula *f, const char *op, const term *in, uint32_t n,
                        tenon_value **values) {
  const tenon_dtype t = met_type(f, op, in, n);
  for (uint32_t i = 0; i < n; ++i) {
    values[i] = in[i].value;
    if (!formula_waits(&in[i])) continue;
    if (!t) return false;  // it meets what failed
    values[i] = number_in(f, &in[i], t);
  }
  return true;
}

// --- Operations --------------------------------------------------------------

static term formula_node(formula *f, const char *op, const term *in, uint32_t n,
                         const tenon_arg *args) {
  char name[40] = "core::";
  tenon_value *values[OPERANDS] = {NULL};
  term t = {0};
  if (n > 0 && formula_is_bare(&in[0]) && (n < 2 || formula_is_bare(&in[1])) &&
      n < 3 && fold_numbers(op, in, n, &t))
    return t;
  if (f->skips == 0) ++f->operations;
  if (formula_is_idle(f)) return t;
  if (n == 1 && strcmp(op, "square") == 0 && type_of(f, in) == TENON_BOOL)
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

static term pair(formula *f, const char *op, term a, term b) {
  const term in[2] = {a, b};
  return formula_node(f, op, in, 2, NULL);
}

// Operand i of the node.
static term formula_operand(formula *f, int i) {
  term t = {0};
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

static term formula_argument(formula *f, const char *name, size_t n) {
  char text[32];
  term t = {0};
  if (n >= sizeof text || !f->e) return formula_wrong(f);
  memcpy(text, name, n);
  text[n] = 0;
  t.text = tenon_aten_str(f->rw, f->e->n, text);
  if (t.text) {
    t.n = strlen(t.text);
    return t;
  }
  tenon_scalar s = tenon_aten_kind_of(f->rw, f->e->n, text);
  if (s.kind == 0 && f->skips == 0) return formula_wrong(f);
  t.is_number = true;
  t.is_whole = s.kind == TENON_KIND_INT;
  t.is_truth = s.kind == TENON_KIND_BOOL;
  t.size = tenon_aten_dim(f->rw, f->e->n, text, 0);
  t.number = s.kind == TENON_KIND_FLOAT ? s.as.f : (double)s.as.i;
  if (t.is_whole && s.as.i == TENON_UNKNOWN) t.number = NAN;  // equals nothing
  if (f->decides || f->skips > 0 || !formula_is_typed(f)) return t;
  f->has_exact |= f->e->is_exact;
  if (!f->counts) t.value = tenon_each_scalar(f->e, text);
  return t;
}

// --- Calls -------------------------------------------------------------------

static size_t word_at(const char *p) {
  size_t n = 0;
  while (isalnum((unsigned char)p[n]) || p[n] == '_' ||
         (p[n] == ':' && (p[n + 1] == ':' || (n && p[n - 1] == ':'))) ||
         (p[n] == '.' && isalpha((unsigned char)p[n + 1])))
    ++n;
  return n;
}

static bool is_word(const char *p, size_t n, const char *word) {
  return strlen(word) == n && memcmp(p, word, n) == 0;
}

static term formula_closed(formula *f, term t) {
  return formula_take(f, ")") ? t : formula_wrong(f);
}

static term exact(formula *f) {
  f->e->is_exact = true;
  term t = expression(f);
  f->e->is_exact = false;
  return formula_closed(f, t);
}

// In f32 what is of 16 bits.
static term widened(formula *f) {
  const tenon_dtype given = f->e->compute, t = f->e->type;
  f->e->compute = t == TENON_F16 || t == TENON_BF16 ? TENON_F32 : given;
  term y = expression(f);
  if (y.value) y.value = tenon_aten_cast(f->rw, y.value, f->e->compute);
  f->e->compute = given;
  return formula_closed(f, y);
}

// if(condition, a, b): the condition is of arguments, and known here.
static term formula_choose(formula *f) {
  const bool decided = f->decides;
  f->decides = true;
  const term c = expression(f);
  f->decides = decided;
  if (!formula_take(f, ",")) return formula_wrong(f);
  const bool holds = c.number != 0;
  f->skips += !holds;
  const term a = expression(f);
  f->skips -= !holds;
  if (!formula_take(f, ",")) return formula_wrong(f);
  f->skips += holds;
  const term b = expression(f);
  f->skips -= holds;
  return formula_closed(f, holds ? a : b);
}

static int operand_named(const char *name, size_t n) {
  static const char letters[] = "xyzw";
  const char *letter = n == 1 ? strchr(letters, *name) : NULL;
  return letter ? (int)(letter - letters) : -1;
}

// Whether a value or an argument is there.
static term formula_has(formula *f) {
  f->p += strspn(f->p, " ");
  const char *name = f->p;
  const size_t n = word_at(name);
  char text[32] = "";
  f->p += n;
  for (int i = 0; i < f->n_names; ++i)
    if (f->names[i].size == n && memcmp(f->names[i].name, name, n) == 0)
      return formula_closed(f, formula_truth(f->names[i].term.value != NULL));
  const int operand = operand_named(name, n);
  if (!f->e || n >= sizeof text) return formula_wrong(f);
  memcpy(text, name, n);
  return formula_closed(
      f, formula_truth(operand >= 0
                           ? tenon_aten_in(f->rw, f->e->n, operand) != NULL
                           : tenon_aten_has(f->rw, f->e->n, text)));
}

// Whether operand 1 is one number that is not rounded.
static term has_one(formula *f) {
  f->p += word_at(f->p);
  return formula_closed(f, formula_truth(tenon_each_has_one(f->e, 1)));
}

static term refused(formula *f) {
  const term t = expression(f);
  if (!formula_is_idle(f) && !f->refuse) {
    f->refuse = t.text;
    f->n_refuse = t.n;
  }
  return formula_closed(f, t);
}

static tenon_dtype dtype_named(const char *name, size_t n) {
  static const struct {
    const char *name;
    tenon_dtype t;
  } rows[] = {{"f32", TENON_F32}, {"f64", TENON_F64},   {"s32", TENON_S32},
              {"s64", TENON_S64}, {"bool", TENON_BOOL}, {"s8", TENON_S8},
              {"s16", TENON_S16}, {"u8", TENON_U8}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (is_word(name, n, rows[i].name)) return rows[i].t;
  return 0;
}

static term formula_cast(formula *f, term x, tenon_dtype t) {
  if (formula_is_idle(f) || !t) return x;
  if (formula_waits(&x)) return (term){.value = number_in(f, &x, t)};
  if (!x.value) return x;
  return (term){.value = tenon_aten_cast(f->rw, x.value, t)};
}

// An argument behind the values: axis=1.
static bool formula_attribute(formula *f, tenon_arg *args, char (*names)[16],
                              tenon_dim *size_of, int *n) {
  const char *p = f->p + strspn(f->p, " ");
  const size_t size = word_at(p);
  if (size == 0 || size >= sizeof *names || p[size] != '=' ||
      p[size + 1] == '=')
    return false;
  char *name = names[*n];
  memcpy(name, p, size);
  name[size] = 0;
  f->p = p + size + 1;
  const size_t type = word_at(f->p);
  if (dtype_named(f->p, type)) {
    args[(*n)++] = tenon_arg_dtype(name, dtype_named(f->p, type));
    f->p += type;
    return true;
  }
  const bool decided = f->decides;
  f->decides = true;
  const term t = expression(f);
  f->decides = decided;
  *size_of = t.size;
  args[(*n)++] = t.size.symbol ? tenon_arg_dims(name, size_of, 1)
                 : t.is_truth  ? tenon_arg_bool(name, t.number != 0)
                 : t.is_whole  ? tenon_arg_int(name, (int64_t)t.number)
                               : tenon_arg_float(name, t.number);
  return true;
}

// op(x, bits, keep): the dimensions of which bits are set; none: all.
static term formula_reduce(formula *f, const char *op, const term *in,
                           uint32_t n) {
  int64_t dims[TENON_MAX_RANK];
  size_t count = 0;
  const tenon_type *t = in[0].value ? tenon_rw_type(f->rw, in[0].value) : NULL;
  const uint32_t bits = n > 1 ? (uint32_t)in[1].number
                        : t   ? (1u << t->rank) - 1
                              : 0;
  for (int d = 0; d < TENON_MAX_RANK; ++d)
    if (bits >> d & 1) dims[count++] = d;
  return formula_node(
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
static tenon_dtype summed_type(formula *f, const term *x) {
  const tenon_dtype t = tenon_aten_dtype(f->rw, f->e->n, "dtype"),
                    own = type_of(f, x);
  return t                                                 ? t
         : tenon_aten_is_integer(own) || own == TENON_BOOL ? TENON_S64
                                                           : own;
}

// floats(x, 'the mean of'): x, refused with these words where it has others.
static term formula_floats(formula *f, const term *in) {
  const tenon_dtype t = type_of(f, &in[0]);
  if (!formula_is_idle(f) && !tenon_aten_is_float(t))
    (void)tenon_rw_fail(f->rw, "%.*s %s", (int)in[1].n, in[1].text,
                        tenon_aten_dtype_name(t));
  return in[0];
}

static term call(formula *f, const char *name, size_t n) {
  term in[OPERANDS + 1] = {{0}};
  tenon_arg args[ATTRIBUTES + 1] = {{NULL, 0, {0}}};
  tenon_dim sizes[ATTRIBUTES];
  char names[ATTRIBUTES][16], op[36];
  const int wanted = f->n_out;
  uint32_t count = 0;
  int n_args = 0;
  if (f->e && is_word(name, n, "exact")) return exact(f);
  if (f->e && is_word(name, n, "wide")) return widened(f);
  if (is_word(name, n, "if")) return formula_choose(f);
  if (is_word(name, n, "has")) return formula_has(f);
  if (f->e && is_word(name, n, "has_one")) return has_one(f);
  if (is_word(name, n, "refuse")) return refused(f);
  if (n > 32) return formula_wrong(f);
  memcpy(op, name, n);
  op[n] = 0;
  f->n_out = 0;
  do {
    if (n_args < ATTRIBUTES &&
        formula_attribute(f, args, names, &sizes[n_args], &n_args))
      continue;
    if (count == OPERANDS) return formula_wrong(f);
    in[count++] = expression(f);
  } while (formula_take(f, ","));
  if (!formula_take(f, ")")) return formula_wrong(f);
  f->n_out = wanted;
  const tenon_dtype t = dtype_named(name, n);
  if (t) return formula_cast(f, in[0], t);
  if (f->e && is_word(name, n, "typed"))
    return formula_cast(f, in[0], tenon_aten_dtype(f->rw, f->e->n, "dtype"));
  if (f->e && is_word(name, n, "summed"))
    return formula_cast(f, in[0], summed_type(f, &in[0]));
  if (is_word(name, n, "is_real"))
    return formula_truth(tenon_aten_is_float(type_of(f, &in[0])));
  if (is_word(name, n, "floats")) return formula_floats(f, in);
  if (is_word(name, n, "matrix")) {
    if (!formula_is_idle(f)) (void)tenon_linalg_check(f->rw, in[0].value, 0);
    return in[0];
  }
  if (is_word(name, n, "flat")) {
    if (!formula_is_idle(f)) in[0].value = tenon_aten_flat(f->rw, in[0].value);
    return in[0];
  }
  if (strcmp(op, "like") == 0)
    return formula_cast(f, in[0], formula_is_idle(f) ? 0 : type_of(f, &in[1]));
  if (strcmp(op, "narrow") == 0) return formula_cast(f, in[0], f->e->compute);
  if (formula_is_among(op, "sum mean prod amax amin any all argmax argmin"))
    return formula_reduce(f, op, in, count);
  if (formula_is_among(op, "gather cumsum cumprod") && n_args == 0)
    args[0] = tenon_arg_int("axis", (int64_t)in[--count].number);
  return formula_node(f, op, in, count, args);
}

// --- Expressions -------------------------------------------------------------

// What the arguments `dim` and `keepdim` of a node say about its operand 0.
static bool formula_dimensions(formula *f, const char *name, size_t n,
                               term *out) {
  static const char *const names[] = {"dims", "axis", "keepdim", "rank"};
  tenon_rewriter *rw = f->rw;
  uint32_t bits = 0;
  int which = 0, axis = 0;
  while (which < 4 && !is_word(name, n, names[which]))
    ++which;
  if (!f->e || which == 4) return false;
  tenon_value *x = tenon_aten_in(rw, f->e->n, 0);
  if (which == 0) (void)tenon_aten_axes_of(rw, f->e->n, x, &bits);
  if (which == 1) (void)tenon_aten_axis_of(rw, f->e->n, "dim", x, &axis);
  *out = (term){.is_number = true, .is_whole = true};
  out->number = which == 0   ? (double)bits
                : which == 1 ? axis
                : which == 2 ? tenon_aten_bool(rw, f->e->n, "keepdim")
                             : tenon_aten_known(rw, x)->rank;
  return true;
}

static term formula_name(formula *f) {
  static const struct {
    const char *name;
    double value;
  } constants[] = {{"inf", INFINITY}, {"nan", NAN}, {"pi", 3.141592653589793}};
  const char *begin = f->p;
  const size_t n = word_at(begin);
  f->p += n;
  if (formula_take(f, "(")) return call(f, begin, n);
  for (int i = 0; i < f->n_names; ++i)
    if (f->names[i].size == n && memcmp(f->names[i].name, begin, n) == 0)
      return f->names[i].term;
  const int operand = f->e ? operand_named(begin, n) : -1;
  if (operand >= 0) return formula_operand(f, operand);
  for (size_t i = 0; i < sizeof constants / sizeof *constants; ++i)
    if (is_word(begin, n, constants[i].name))
      return formula_number(f, constants[i].value, false);
  term dimensions;
  if (formula_dimensions(f, begin, n, &dimensions)) return dimensions;
  if (is_word(begin, n, "true") || is_word(begin, n, "false"))
    return formula_truth(*begin == 't');
  if (f->e && is_word(begin, n, "is_float"))
    return formula_truth(tenon_aten_is_float(f->e->type));
  if (f->e && is_word(begin, n, "is_f64"))
    return formula_truth(f->e->type == TENON_F64);
  return formula_argument(f, begin, n);
}

static term quoted(formula *f) {
  const char *end = strchr(f->p, '\'');
  if (!end) return formula_wrong(f);
  const term t = {.text = f->p, .n = (size_t)(end - f->p)};
  f->p = end + 1;
  return t;
}

static term primary(formula *f) {
  f->p += strspn(f->p, " ");
  if (isdigit((unsigned char)*f->p)) {
    char *end;
    const double value = strtod(f->p, &end);
    const bool is_whole = strspn(f->p, "0123456789") == (size_t)(end - f->p);
    f->p = end;
    return formula_number(f, value, is_whole);
  }
  if (formula_take(f, "(")) return formula_closed(f, expression(f));
  if (formula_take(f, "'")) return quoted(f);
  if (formula_take(f, "-")) {
    const term t = primary(f);
    return formula_node(f, "neg", &t, 1, NULL);
  }
  if (formula_take(f, "!")) {
    const term t = primary(f);
    return formula_is_bare(&t) ? formula_truth(t.number == 0)
                               : formula_node(f, "bitwise_not", &t, 1, NULL);
  }
  return isalpha((unsigned char)*f->p) ? formula_name(f) : formula_wrong(f);
}

static bool is_bool(const formula *f, const term *a) {
  return f->e ? f->e->compute == TENON_BOOL : type_of(f, a) == TENON_BOOL;
}

static bool formula_is_one(const term *t) {
  return t->is_number && t->number == 1;
}

static term formula_product(formula *f) {
  term a = primary(f);
  for (;;) {
    if (formula_take(f, "*")) {
      const term b = primary(f);
      if (formula_is_one(&a))
        a = b;
      else if (!formula_is_one(&b))
        a = pair(f, is_bool(f, &a) ? "bitwise_and" : "mul", a, b);
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
      a = pair(f, is_bool(f, &a) ? "bitwise_or" : "add", a, formula_product(f));
    else if (formula_take(f, "-"))
      a = pair(f, "sub", a, formula_product(f));
    else
      return a;
  }
}

static term compared(formula *f, const char *op, term a, term b) {
  if (!a.text || !b.text) return pair(f, op, a, b);
  const bool same = a.n == b.n && memcmp(a.text, b.text, a.n) == 0;
  return formula_truth(same == (op[0] == 'e'));
}

static term comparison(formula *f) {
  static const struct {
    const char *sign, *op;
  } rows[] = {{"==", "eq"}, {"!=", "ne"}, {"<=", "le"},
              {">=", "ge"}, {"<", "lt"},  {">", "gt"}};
  term a = sum(f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (formula_take(f, rows[i].sign)) {
      const term b = sum(f);
      return compared(f, rows[i].op, a, b);
    }
  }
  return a;
}

static term both(formula *f) {
  term a = comparison(f);
  for (;;) {
    if (formula_take(f, "&"))
      a = pair(f, "bitwise_and", a, comparison(f));
    else if (formula_take(f, "|"))
      a = pair(f, "bitwise_or", a, comparison(f));
    else
      return a;
  }
}

static term expression(formula *f) {
  term in[OPERANDS];
  in[0] = both(f);
  if (!formula_take(f, "?")) return in[0];
  in[1] = expression(f);
  if (!formula_take(f, ":")) return formula_wrong(f);
  in[2] = expression(f);
  return formula_node(f, "where", in, OPERANDS, NULL);
}

// names "=": how many names there are, or 0.
static int take_names(formula *f, const char **begin, size_t *size) {
  const char *p = f->p + strspn(f->p, " ");
  for (int n = 1; n <= RESULTS; ++n) {
    begin[n - 1] = p;
    size[n - 1] = word_at(p);
    p += size[n - 1];
    if (size[n - 1] == 0 || *p != ' ') return 0;
    if (p[1] == '=' && p[2] == ' ') {
      f->p = p + 3;
      return n;
    }
    ++p;
  }
  return 0;
}

static int place_of(const formula *f, const char *name, size_t size) {
  int i = 0;
  while (i < f->n_names && (f->names[i].size != size ||
                            memcmp(f->names[i].name, name, size) != 0))
    ++i;
  return i;
}

static bool formula_call_it(formula *f, const char *name, size_t size, term t) {
  const int i = place_of(f, name, size);
  if (i == NAMES) return false;
  f->names[i].name = name;
  f->names[i].size = size;
  f->names[i].term = t;
  if (f->names[i].out) *f->names[i].out = t.value;
  if (i == f->n_names) ++f->n_names;
  return true;
}

static term formula_whole(formula *f) {
  const char *begin[RESULTS];
  size_t size[RESULTS];
  int n = 0;
  while ((n = take_names(f, begin, size)) > 0) {
    f->n_out = n > 1 ? n : 0;
    const term t = expression(f);
    f->n_out = 0;
    if (!formula_take(f, ";")) return formula_wrong(f);
    for (int i = 0; i < n; ++i)
      if (!formula_call_it(f, begin[i], size[i],
                           n > 1 ? (term){.value = f->out[i]} : t))
        return formula_wrong(f);
  }
  const term t = expression(f);
  f->p += strspn(f->p, " ");
  return *f->p ? formula_wrong(f) : t;
}

// --- Whole formulas ----------------------------------------------------------

tenon_value *tenon_aten_formula(tenon_rewriter *rw, const char *text, ...) {
  formula f = {.rw = rw, .p = text};
  va_list list;
  va_start(list, text);
  while (!formula_take(&f, ":") && f.n_names < NAMES) {
    const char mark = *f.p;
    f.p += mark == '#' || mark == '@' || mark == '$' || mark == '&';
    const size_t n = word_at(f.p);
    term t = {0};
    if (n == 0) break;
    f.names[f.n_names].name = f.p;
    f.names[f.n_names].size = n;
    if (mark == '&') {
      f.names[f.n_names].out = va_arg(list, tenon_value **);
    } else if (mark == '$') {
      t.size = va_arg(list, tenon_dim);
      t.is_size = true;
    } else if (mark == '#' || mark == '@') {
      t.is_number = true;
      t.is_whole = mark == '@';
      t.number = mark == '@' ? (double)va_arg(list, int) : va_arg(list, double);
    } else {
      t.value = va_arg(list, tenon_value *);
    }
    f.names[f.n_names++].term = t;
    f.p += n;
  }
  va_end(list);
  const term t = formula_whole(&f);
  if (f.wrong)
    (void)tenon_rw_fail(rw, "the formula '%s' is wrong before '%s'", text,
                        f.wrong);
  return t.value;
}

static tenon_value *formula_of(formula *f, const char *text) {
  const term t = formula_whole(f);
  if (f->wrong)
    (void)tenon_rw_fail(f->rw, "the formula '%s' is wrong before '%s'",
                        text + strspn(text, " "), f->wrong);
  else if (f->refuse)
    (void)tenon_rw_fail(f->rw, "%.*s", (int)f->n_refuse, f->refuse);
  return t.value;
}

tenon_value *tenon_each_formula(tenon_each *e, const char *text) {
  formula f = {.rw = e->rw, .e = e, .p = text};
  return formula_of(&f, text);
}

// "- stable: ...": a formula of operands as they are, behind the arguments that
// have no effect; the node's further results are what it calls y1, y2, y3.
static tenon_status plain_lower(tenon_rewriter *rw, const tenon_node *n,
                                const char *text) {
  static const char *const more[] = {"y1", "y2", "y3"};
  const char *begin = strchr(text, ':');
  tenon_each e = {.rw = rw, .n = n, .mode = TENON_EACH_PLAIN};
  formula f = {.rw = rw, .e = &e, .p = begin + 1};
  char names[64] = "";
  int count = 1;
  strncat(names, text + strspn(text, "- "), (size_t)(begin - text));
  names[strcspn(names, ":")] = 0;
  tenon_aten_without_effect(rw, n, names);
  tenon_value *out[RESULTS] = {formula_of(&f, begin + 1)};
  for (; count < RESULTS; ++count) {
    const int i = place_of(&f, more[count - 1], 2);
    if (i == f.n_names) break;
    out[count] = f.names[i].term.value;
  }
  return rw->api->replace(rw, n, out, count);
}

tenon_status tenon_each_lower(tenon_rewriter *rw, const tenon_node *n,
                              const char *text) {
  tenon_each e;
  if (text[0] == TENON_EACH_PLAIN) return plain_lower(rw, n, text);
  TENON_TRY(tenon_each_begin(&e, rw, n, text[0]));
  formula count = {.rw = rw, .e = &e, .p = text + 2, .counts = true};
  (void)formula_whole(&count);
  if ((text[1] == '=' || (count.operations <= 1 && !count.has_exact)) &&
      !tenon_aten_is_quarter(e.type))
    e.compute = e.type;
  formula f = {.rw = rw, .e = &e, .p = text + 2, .is_logic = text[0] == 'l'};
  return tenon_each_end(&e, formula_of(&f, text + 2));
}

// The user of a row is the formula.
TENON_ATEN_LOWER(formula) {
  return tenon_each_lower(rw, n, tenon_aten_user(rw));
}
