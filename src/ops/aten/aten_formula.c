// How: the formula is read from left to right, once, and nodes are built on the
// way; precedence is that of C.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "ops/aten/aten_formula.h"

// --- Expressions -------------------------------------------------------------

// What the arguments `dim` and `keepdim` of a node say about its operand 0.
static bool formula_dimensions(tenon_formula *f, const char *name, size_t n,
                               tenon_term *out) {
  static const char *const names[] = {"dims", "axis", "keepdim", "rank"};
  tenon_rewriter *rw = f->rw;
  uint32_t bits = 0;
  int which = 0, axis = 0;
  while (which < 4 && !tenon_formula_is_word(name, n, names[which]))
    ++which;
  if (!f->e || which == 4) return false;
  tenon_value *x = tenon_aten_in(rw, f->e->n, 0);
  if (which == 0) (void)tenon_aten_axes_of(rw, f->e->n, x, &bits);
  if (which == 1) (void)tenon_aten_axis_of(rw, f->e->n, "dim", x, &axis);
  *out = (tenon_term){.is_number = true, .is_whole = true};
  out->number = which == 0   ? (double)bits
                : which == 1 ? axis
                : which == 2 ? tenon_aten_bool(rw, f->e->n, "keepdim")
                             : tenon_aten_known(rw, x)->rank;
  return true;
}

static tenon_term formula_name(tenon_formula *f) {
  static const struct {
    const char *name;
    double value;
  } constants[] = {{"inf", INFINITY}, {"nan", NAN}, {"pi", 3.141592653589793}};
  const char *begin = f->p;
  const size_t n = tenon_formula_word(begin);
  f->p += n;
  if (tenon_formula_take(f, "(")) return tenon_formula_call(f, begin, n);
  for (int i = 0; i < f->n_names; ++i)
    if (f->names[i].size == n && memcmp(f->names[i].name, begin, n) == 0)
      return f->names[i].term;
  const int operand = f->e ? tenon_formula_letter(begin, n) : -1;
  if (operand >= 0) return tenon_formula_operand(f, operand);
  for (size_t i = 0; i < sizeof constants / sizeof *constants; ++i)
    if (tenon_formula_is_word(begin, n, constants[i].name))
      return tenon_formula_number(f, constants[i].value, false);
  tenon_term dimensions;
  if (formula_dimensions(f, begin, n, &dimensions)) return dimensions;
  if (tenon_formula_is_word(begin, n, "true") ||
      tenon_formula_is_word(begin, n, "false"))
    return tenon_formula_truth(*begin == 't');
  if (f->e && tenon_formula_is_word(begin, n, "is_float"))
    return tenon_formula_truth(tenon_aten_is_float(f->e->type));
  if (f->e && tenon_formula_is_word(begin, n, "is_f64"))
    return tenon_formula_truth(f->e->type == TENON_F64);
  return tenon_formula_argument(f, begin, n);
}

static tenon_term quoted(tenon_formula *f) {
  const char *end = strchr(f->p, '\'');
  if (!end) return tenon_formula_wrong(f);
  const tenon_term t = {.text = f->p, .n = (size_t)(end - f->p)};
  f->p = end + 1;
  return t;
}

static tenon_term primary(tenon_formula *f) {
  f->p += strspn(f->p, " ");
  if (isdigit((unsigned char)*f->p)) {
    char *end;
    const double value = strtod(f->p, &end);
    const bool is_whole = strspn(f->p, "0123456789") == (size_t)(end - f->p);
    f->p = end;
    return tenon_formula_number(f, value, is_whole);
  }
  if (tenon_formula_take(f, "("))
    return tenon_formula_closed(f, f->expression(f));
  if (tenon_formula_take(f, "'")) return quoted(f);
  if (tenon_formula_take(f, "-")) {
    const tenon_term t = primary(f);
    return tenon_formula_node(f, "neg", &t, 1, NULL);
  }
  if (tenon_formula_take(f, "!")) {
    const tenon_term t = primary(f);
    return tenon_formula_is_bare(&t)
               ? tenon_formula_truth(t.number == 0)
               : tenon_formula_node(f, "bitwise_not", &t, 1, NULL);
  }
  return isalpha((unsigned char)*f->p) ? formula_name(f)
                                       : tenon_formula_wrong(f);
}

static tenon_term pair(tenon_formula *f, const char *op, tenon_term a,
                       tenon_term b) {
  const tenon_term in[2] = {a, b};
  return tenon_formula_node(f, op, in, 2, NULL);
}

static bool is_bool(const tenon_formula *f, const tenon_term *a) {
  return f->e ? f->e->compute == TENON_BOOL
              : tenon_formula_type(f, a) == TENON_BOOL;
}

static bool formula_is_one(const tenon_term *t) {
  return t->is_number && t->number == 1;
}

static tenon_term formula_product(tenon_formula *f) {
  tenon_term a = primary(f);
  for (;;) {
    if (tenon_formula_take(f, "*")) {
      const tenon_term b = primary(f);
      if (formula_is_one(&a))
        a = b;
      else if (!formula_is_one(&b))
        a = pair(f, is_bool(f, &a) ? "bitwise_and" : "mul", a, b);
    } else if (tenon_formula_take(f, "/")) {
      a = pair(f, "div", a, primary(f));
    } else {
      return a;
    }
  }
}

static tenon_term sum(tenon_formula *f) {
  tenon_term a = formula_product(f);
  for (;;) {
    if (tenon_formula_take(f, "+"))
      a = pair(f, is_bool(f, &a) ? "bitwise_or" : "add", a, formula_product(f));
    else if (tenon_formula_take(f, "-"))
      a = pair(f, "sub", a, formula_product(f));
    else
      return a;
  }
}

static tenon_term compared(tenon_formula *f, const char *op, tenon_term a,
                           tenon_term b) {
  if (!a.text || !b.text) return pair(f, op, a, b);
  const bool same = a.n == b.n && memcmp(a.text, b.text, a.n) == 0;
  return tenon_formula_truth(same == (op[0] == 'e'));
}

static tenon_term comparison(tenon_formula *f) {
  static const struct {
    const char *sign, *op;
  } rows[] = {{"==", "eq"}, {"!=", "ne"}, {"<=", "le"},
              {">=", "ge"}, {"<", "lt"},  {">", "gt"}};
  tenon_term a = sum(f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (tenon_formula_take(f, rows[i].sign)) {
      const tenon_term b = sum(f);
      return compared(f, rows[i].op, a, b);
    }
  }
  return a;
}

static tenon_term both(tenon_formula *f) {
  tenon_term a = comparison(f);
  for (;;) {
    if (tenon_formula_take(f, "&"))
      a = pair(f, "bitwise_and", a, comparison(f));
    else if (tenon_formula_take(f, "|"))
      a = pair(f, "bitwise_or", a, comparison(f));
    else
      return a;
  }
}

static tenon_term formula_expression(tenon_formula *f) {
  tenon_term in[TENON_FORMULA_OPERANDS];
  in[0] = both(f);
  if (!tenon_formula_take(f, "?")) return in[0];
  in[1] = f->expression(f);
  if (!tenon_formula_take(f, ":")) return tenon_formula_wrong(f);
  in[2] = f->expression(f);
  return tenon_formula_node(f, "where", in, TENON_FORMULA_OPERANDS, NULL);
}

// names "=": how many names there are, or 0.
static int take_names(tenon_formula *f, const char **begin, size_t *size) {
  const char *p = f->p + strspn(f->p, " ");
  for (int n = 1; n <= TENON_FORMULA_RESULTS; ++n) {
    begin[n - 1] = p;
    size[n - 1] = tenon_formula_word(p);
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

static int place_of(const tenon_formula *f, const char *name, size_t size) {
  int i = 0;
  while (i < f->n_names && (f->names[i].size != size ||
                            memcmp(f->names[i].name, name, size) != 0))
    ++i;
  return i;
}

static bool formula_call_it(tenon_formula *f, const char *name, size_t size,
                            tenon_term t) {
  const int i = place_of(f, name, size);
  if (i == TENON_FORMULA_NAMES) return false;
  f->names[i].name = name;
  f->names[i].size = size;
  f->names[i].term = t;
  if (f->names[i].out) *f->names[i].out = t.value;
  if (i == f->n_names) ++f->n_names;
  return true;
}

static tenon_term formula_whole(tenon_formula *f) {
  const char *begin[TENON_FORMULA_RESULTS];
  size_t size[TENON_FORMULA_RESULTS];
  int n = 0;
  while ((n = take_names(f, begin, size)) > 0) {
    f->n_out = n > 1 ? n : 0;
    const tenon_term t = f->expression(f);
    f->n_out = 0;
    if (!tenon_formula_take(f, ";")) return tenon_formula_wrong(f);
    for (int i = 0; i < n; ++i)
      if (!formula_call_it(f, begin[i], size[i],
                           n > 1 ? (tenon_term){.value = f->out[i]} : t))
        return tenon_formula_wrong(f);
  }
  const tenon_term t = f->expression(f);
  f->p += strspn(f->p, " ");
  return *f->p ? tenon_formula_wrong(f) : t;
}

// --- Whole formulas ----------------------------------------------------------

static tenon_formula formula_at(tenon_rewriter *rw, tenon_each *e,
                                const char *text) {
  return (tenon_formula){
      .rw = rw, .expression = formula_expression, .e = e, .p = text};
}

tenon_value *tenon_aten_formula(tenon_rewriter *rw, const char *text, ...) {
  tenon_formula f = formula_at(rw, NULL, text);
  va_list list;
  va_start(list, text);
  while (!tenon_formula_take(&f, ":") && f.n_names < TENON_FORMULA_NAMES) {
    const char mark = *f.p;
    f.p += mark == '#' || mark == '@' || mark == '$' || mark == '&';
    const size_t n = tenon_formula_word(f.p);
    tenon_term t = {0};
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
  const tenon_term t = formula_whole(&f);
  if (f.wrong)
    (void)tenon_rw_fail(rw, "the formula '%s' is wrong before '%s'", text,
                        f.wrong);
  return t.value;
}

static tenon_value *formula_of(tenon_formula *f, const char *text) {
  const tenon_term t = formula_whole(f);
  if (f->wrong)
    (void)tenon_rw_fail(f->rw, "the formula '%s' is wrong before '%s'",
                        text + strspn(text, " "), f->wrong);
  else if (f->refuse)
    (void)tenon_rw_fail(f->rw, "%.*s", (int)f->n_refuse, f->refuse);
  return t.value;
}

tenon_value *tenon_each_formula(tenon_each *e, const char *text) {
  tenon_formula f = formula_at(e->rw, e, text);
  return formula_of(&f, text);
}

// "- stable: ...": a formula of operands as they are, behind the arguments that
// have no effect; the node's further results are what it calls y1, y2, y3.
static tenon_status plain_lower(tenon_rewriter *rw, const tenon_node *n,
                                const char *text) {
  static const char *const more[] = {"y1", "y2", "y3"};
  const char *begin = strchr(text, ':');
  tenon_each e = {.rw = rw, .n = n, .mode = TENON_EACH_PLAIN};
  tenon_formula f = formula_at(rw, &e, begin + 1);
  char names[64] = "";
  int count = 1;
  strncat(names, text + strspn(text, "- "), (size_t)(begin - text));
  names[strcspn(names, ":")] = 0;
  tenon_aten_without_effect(rw, n, names);
  tenon_value *out[TENON_FORMULA_RESULTS] = {formula_of(&f, begin + 1)};
  for (; count < TENON_FORMULA_RESULTS; ++count) {
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
  tenon_formula count = formula_at(rw, &e, text + 2);
  count.counts = true;
  (void)formula_whole(&count);
  if ((text[1] == '=' || (count.operations <= 1 && !count.has_exact)) &&
      !tenon_aten_is_quarter(e.type))
    e.compute = e.type;
  tenon_formula f = formula_at(rw, &e, text + 2);
  f.is_logic = text[0] == 'l';
  return tenon_each_end(&e, formula_of(&f, text + 2));
}

// The user of a row is the formula.
TENON_ATEN_LOWER(formula) {
  return tenon_each_lower(rw, n, tenon_aten_user(rw));
}
