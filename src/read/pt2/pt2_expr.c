// How: one recursive descent for both forms, since srepr is a language of
// calls. A value is a fraction of two sizes; arithmetic is that of fractions,
// and only what is asked for as an integer is divided. Keywords of Symbol are
// skipped but for what says that it is positive. A float is taken where it is a
// fraction of a small power of two: then doubles, which torch computes with,
// are as exact as fractions.
#include "read/pt2/pt2_expr.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/label.h"

#define MOST_ARGUMENTS 64
#define MOST_POWER 64
// Of numerators and denominators of floats: times sizes they are exact doubles.
#define MOST_BINARY (INT64_C(1) << 20)

typedef struct fraction {
  tenon_dim up, down;
} fraction;

typedef struct parser {
  const tenon_pt2_expr *with;
  tenon_text text;
  size_t at;
  int depth;
  tenon_pt2_expr_result result;
} parser;

static bool parse_sum(parser *p, fraction *out);

static bool fail(parser *p, tenon_pt2_expr_result result, const char *fmt, ...)
    TENON_PRINTF(3, 4);
static bool fail(parser *p, tenon_pt2_expr_result result, const char *fmt,
                 ...) {
  va_list args;
  va_start(args, fmt);
  if (p->result == TENON_PT2_EXPR_OK && p->with->error_size > 0)
    (void)vsnprintf(p->with->error, p->with->error_size, fmt, args);
  va_end(args);
  if (p->result == TENON_PT2_EXPR_OK) p->result = result;
  return false;
}

// ---------------------------------------------------------------------------
// Fractions
// ---------------------------------------------------------------------------

static bool is_number(tenon_dim d, int64_t value) {
  return tenon_dim_is_fixed(d) && d.value == value;
}

static bool apply(parser *p, tenon_dim_op op, tenon_dim a, tenon_dim b,
                  tenon_dim *out) {
  if ((op == TENON_DIM_DIV || op == TENON_DIM_MOD) && is_number(b, 0))
    return fail(p, TENON_PT2_EXPR_BAD, "divides by zero");
  *out = tenon_symbols_apply(p->with->symbols, op, a, b);
  if (!is_number(*out, TENON_UNKNOWN)) return true;
  if (p->with->symbols->arena->failed)
    return fail(p, TENON_PT2_EXPR_MEMORY, "out of memory");
  return fail(p, TENON_PT2_EXPR_BAD, "goes beyond 64 bits");
}

static fraction whole(tenon_dim d) {
  return (fraction){d, tenon_dim_fixed(1)};
}

// Where `up` divides by `down` without a rest, as in Mul(Rational(1, 2), 4).
static void reduce(fraction *f) {
  int64_t down = f->down.value;
  if (!tenon_dim_is_fixed(f->down) || !tenon_dim_is_fixed(f->up) || down == 0 ||
      down == -1 || f->up.value % down != 0)
    return;
  f->up.value /= down;
  f->down.value = 1;
}

static bool add(parser *p, fraction a, fraction b, bool minus, fraction *out) {
  tenon_dim x, y;
  if (tenon_dim_equals(a.down, b.down)) {
    x = a.up;
    y = b.up;
    out->down = a.down;
  } else if (!apply(p, TENON_DIM_MUL, a.up, b.down, &x) ||
             !apply(p, TENON_DIM_MUL, b.up, a.down, &y) ||
             !apply(p, TENON_DIM_MUL, a.down, b.down, &out->down)) {
    return false;
  }
  if (!apply(p, minus ? TENON_DIM_SUB : TENON_DIM_ADD, x, y, &out->up))
    return false;
  reduce(out);
  return true;
}

static bool multiply(parser *p, fraction a, fraction b, fraction *out) {
  if (!apply(p, TENON_DIM_MUL, a.up, b.up, &out->up) ||
      !apply(p, TENON_DIM_MUL, a.down, b.down, &out->down))
    return false;
  reduce(out);
  return true;
}

static bool invert(parser *p, fraction *f) {
  tenon_dim up = f->up;
  if (is_number(up, 0)) return fail(p, TENON_PT2_EXPR_BAD, "divides by zero");
  f->up = f->down;
  f->down = up;
  return true;
}

static bool floor_of(parser *p, fraction a, tenon_dim *out) {
  if (!is_number(a.down, 1)) return apply(p, TENON_DIM_DIV, a.up, a.down, out);
  *out = a.up;
  return true;
}

// Rounded up: -floor(-x).
static bool ceil_of(parser *p, fraction a, tenon_dim *out) {
  tenon_dim zero = tenon_dim_fixed(0), x;
  fraction minus = a;
  return apply(p, TENON_DIM_SUB, zero, a.up, &minus.up) &&
         floor_of(p, minus, &x) && apply(p, TENON_DIM_SUB, zero, x, out);
}

// Towards zero: one of both is zero.
static bool trunc_of(parser *p, fraction a, tenon_dim *out) {
  tenon_dim zero = tenon_dim_fixed(0), low, high;
  int64_t down = a.down.value;
  if (!tenon_dim_is_fixed(a.down) || down <= 0 || (down & (down - 1)) != 0)
    return fail(p, TENON_PT2_EXPR_UNSUPPORTED,
                "rounds what is no fraction of a power of two");
  return floor_of(p, a, &low) && ceil_of(p, a, &high) &&
         apply(p, TENON_DIM_MAX, low, zero, &low) &&
         apply(p, TENON_DIM_MIN, high, zero, &high) &&
         apply(p, TENON_DIM_ADD, low, high, out);
}

static bool power(parser *p, fraction base, fraction exponent, fraction *out) {
  int64_t n = exponent.up.value;
  if (!tenon_dim_is_fixed(exponent.up) || !is_number(exponent.down, 1) ||
      n > MOST_POWER || n < -MOST_POWER)
    return fail(p, TENON_PT2_EXPR_UNSUPPORTED, "a power that is no number");
  *out = whole(tenon_dim_fixed(1));
  for (int64_t i = 0; i < (n < 0 ? -n : n); ++i) {
    if (!multiply(p, *out, base, out)) return false;
  }
  return n >= 0 || invert(p, out);
}

// ---------------------------------------------------------------------------
// Words
// ---------------------------------------------------------------------------

static char peek(parser *p) {
  while (p->at < p->text.size &&
         (p->text.data[p->at] == ' ' || p->text.data[p->at] == '\t'))
    ++p->at;
  return p->at < p->text.size ? p->text.data[p->at] : 0;
}

static bool accept(parser *p, const char *token) {
  size_t size = strlen(token);
  (void)peek(p);
  if (size > p->text.size - p->at ||
      memcmp(p->text.data + p->at, token, size) != 0)
    return false;
  p->at += size;
  return true;
}

static bool expect(parser *p, const char *token) {
  if (accept(p, token)) return true;
  return fail(p, TENON_PT2_EXPR_BAD, "expected '%s' at byte %zu", token, p->at);
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static tenon_text read_word(parser *p) {
  size_t from = p->at;
  while (p->at < p->text.size &&
         (is_letter(p->text.data[p->at]) || is_digit(p->text.data[p->at])))
    ++p->at;
  return (tenon_text){p->text.data + from, p->at - from};
}

static bool read_float(parser *p, tenon_text word, fraction *out) {
  double value = 0;
  int64_t down = 1;
  if (!tenon_text_double(word, &value))
    return fail(p, TENON_PT2_EXPR_BAD, "has a float that is no number");
  while (down < MOST_BINARY && value > -MOST_BINARY && value < MOST_BINARY &&
         value != (double)(int64_t)value) {
    value *= 2;
    down *= 2;
  }
  if (!(value > -MOST_BINARY && value < MOST_BINARY) ||
      value != (double)(int64_t)value)
    return fail(p, TENON_PT2_EXPR_UNSUPPORTED,
                "has %.*s, which is no fraction of a small power of two",
                (int)(word.size < 40 ? word.size : 40), word.data);
  *out = whole(tenon_dim_fixed((int64_t)value));
  out->down = tenon_dim_fixed(down);
  return true;
}

// '1.5', precision=53) behind the parenthesis.
static bool read_float_call(parser *p, fraction *out) {
  char quote = peek(p);
  const char *end = NULL;
  if (quote == '\'' || quote == '"')
    end = memchr(p->text.data + p->at + 1, quote, p->text.size - p->at - 1);
  if (!end) return fail(p, TENON_PT2_EXPR_BAD, "has a float that is no number");
  const char *from = p->text.data + p->at + 1;
  tenon_text word = {from, (size_t)(end - from)};
  p->at = (size_t)(end - p->text.data) + 1;
  if (accept(p, ",")) {
    int64_t bits = 0;
    if (!expect(p, "precision") || !expect(p, "=")) return false;
    (void)peek(p);
    if (!tenon_text_int(read_word(p), &bits) || bits != 53)
      return fail(p, TENON_PT2_EXPR_UNSUPPORTED,
                  "has a float that is no double");
  }
  return expect(p, ")") && read_float(p, word, out);
}

// "1.5" or "1.5e-05" of which the first digits have been read.
static bool read_point(parser *p, size_t from, fraction *out) {
  ++p->at;
  tenon_text after = read_word(p);
  char last = after.size ? after.data[after.size - 1] : 0;
  bool has_sign = p->at < p->text.size && last == 'e' &&
                  (p->text.data[p->at] == '-' || p->text.data[p->at] == '+');
  if (has_sign) {
    ++p->at;
    (void)read_word(p);
  }
  return read_float(p, (tenon_text){p->text.data + from, p->at - from}, out);
}

static bool read_number(parser *p, fraction *out) {
  size_t from = p->at;
  tenon_text word = read_word(p);
  int64_t value = 0;
  if (p->at < p->text.size && p->text.data[p->at] == '.')
    return read_point(p, from, out);
  if (!tenon_text_int(word, &value) || value == TENON_UNKNOWN)
    return fail(p, TENON_PT2_EXPR_BAD, "has a number beyond 64 bits");
  *out = whole(tenon_dim_fixed(value));
  return true;
}

static bool use_symbol(parser *p, tenon_text word, bool is_size,
                       fraction *out) {
  char name[TENON_LABEL];
  tenon_dim d = {0, 0};
  if (word.size >= sizeof name || word.size == 0 || !is_letter(word.data[0]))
    return fail(p, TENON_PT2_EXPR_BAD, "has a symbol without a name");
  memcpy(name, word.data, word.size);
  name[word.size] = 0;
  if (!p->with->symbol(p->with->self, name, is_size, &d))
    return fail(p, TENON_PT2_EXPR_BAD,
                "'%s' is the size of no input, and no operator finds it out",
                name);
  if (is_number(d, TENON_UNKNOWN))
    return fail(p, TENON_PT2_EXPR_MEMORY, "out of memory");
  if (!tenon_dim_is_integer(d))
    return fail(p, TENON_PT2_EXPR_UNSUPPORTED, "'%s' is no integer", name);
  *out = whole(d);
  return true;
}

// 'name'[, key=True]... up to the parenthesis.
static bool read_symbol(parser *p, fraction *out) {
  char quote = peek(p);
  bool is_size = false;
  if (quote != '\'' && quote != '"')
    return fail(p, TENON_PT2_EXPR_BAD, "has a symbol without a name");
  ++p->at;
  tenon_text name = read_word(p);
  if (p->at >= p->text.size || p->text.data[p->at++] != quote)
    return fail(p, TENON_PT2_EXPR_BAD, "has a symbol without a name");
  while (accept(p, ",")) {
    (void)peek(p);
    tenon_text key = read_word(p);
    bool has_value = accept(p, "=");
    bool is_true = has_value && accept(p, "True");
    if (!is_true && !(has_value && accept(p, "False")))
      return fail(p, TENON_PT2_EXPR_BAD, "expected an assumption at byte %zu",
                  p->at);
    is_size |= is_true && (tenon_text_is(key, "positive") ||
                           tenon_text_is(key, "nonnegative"));
  }
  return expect(p, ")") && use_symbol(p, name, is_size, out);
}

// ---------------------------------------------------------------------------
// Calls
// ---------------------------------------------------------------------------

typedef enum function {
  ADD,
  MUL,
  POWER,
  MAX,
  MIN,
  INTEGER,
  RATIONAL,
  FLOOR_DIV,
  TRUE_DIV,
  MOD,
  MODULAR,
  CEIL_DIV,
  FLOOR,
  CEIL,
  TRUNC,
  SHIFT_LEFT,
  SHIFT_RIGHT,
  SAME
} function;

static const struct function_row {
  const char *name;
  function does;
  uint8_t least, most;
} functions[] = {
    {"Add", ADD, 1, MOST_ARGUMENTS},
    {"Mul", MUL, 1, MOST_ARGUMENTS},
    {"Max", MAX, 1, MOST_ARGUMENTS},
    {"Min", MIN, 1, MOST_ARGUMENTS},
    {"max", MAX, 1, MOST_ARGUMENTS},
    {"min", MIN, 1, MOST_ARGUMENTS},
    {"Pow", POWER, 2, 2},
    {"PowByNatural", POWER, 2, 2},
    {"Integer", INTEGER, 1, 1},
    {"Rational", RATIONAL, 2, 2},
    {"FloorDiv", FLOOR_DIV, 2, 2},
    {"CleanDiv", FLOOR_DIV, 2, 2},
    {"IntTrueDiv", TRUE_DIV, 2, 2},
    {"FloatTrueDiv", TRUE_DIV, 2, 2},
    {"ToFloat", SAME, 1, 1},
    {"Mod", MOD, 2, 2},
    {"PythonMod", MOD, 2, 2},
    {"ModularIndexing", MODULAR, 3, 3},
    {"CeilDiv", CEIL_DIV, 2, 2},
    {"FloorToInt", FLOOR, 1, 1},
    {"floor", FLOOR, 1, 1},
    {"CeilToInt", CEIL, 1, 1},
    {"ceiling", CEIL, 1, 1},
    {"TruncToInt", TRUNC, 1, 1},
    {"math.trunc", TRUNC, 1, 1},
    {"torch.sym_float", SAME, 1, 1},
    {"LShift", SHIFT_LEFT, 2, 2},
    {"RShift", SHIFT_RIGHT, 2, 2},
    {"Identity", SAME, 1, 1},
};

// Of sympy and torch, but no sizes.
static const char *const known[] = {"Piecewise",
                                    "ExprCondPair",
                                    "Equality",
                                    "Unequality",
                                    "StrictLessThan",
                                    "LessThan",
                                    "GreaterThan",
                                    "StrictGreaterThan",
                                    "And",
                                    "Or",
                                    "Not",
                                    "Where",
                                    "FloatPow",
                                    "TruncToFloat",
                                    "RoundToInt",
                                    "RoundDecimal",
                                    "IsNonOverlappingAndDenseIndicator"};

static bool fold(parser *p, function f, const fraction *a, size_t n,
                 fraction *out) {
  *out = a[0];
  for (size_t i = 1; i < n; ++i) {
    bool done = true;
    if (f == ADD) {
      done = add(p, *out, a[i], false, out);
    } else if (f == MUL) {
      done = multiply(p, *out, a[i], out);
    } else {
      if (!is_number(out->down, 1) || !is_number(a[i].down, 1))
        return fail(p, TENON_PT2_EXPR_UNSUPPORTED, "compares fractions");
      done = apply(p, f == MAX ? TENON_DIM_MAX : TENON_DIM_MIN, out->up,
                   a[i].up, &out->up);
    }
    if (!done) return false;
  }
  return true;
}

static bool divide(parser *p, fraction a, fraction b, fraction *out) {
  return invert(p, &b) && multiply(p, a, b, out);
}

static bool modulo(parser *p, fraction a, fraction b, fraction *out) {
  if (!is_number(a.down, 1) || !is_number(b.down, 1))
    return fail(p, TENON_PT2_EXPR_UNSUPPORTED, "the rest of a fraction");
  *out = whole(a.up);
  return apply(p, TENON_DIM_MOD, a.up, b.up, &out->up);
}

static bool shift(parser *p, const fraction *a, bool left, fraction *out) {
  fraction by;
  if (!power(p, whole(tenon_dim_fixed(2)), a[1], &by)) return false;
  if (left) return multiply(p, a[0], by, out);
  *out = whole(tenon_dim_fixed(0));
  return divide(p, a[0], by, &by) && floor_of(p, by, &out->up);
}

static bool call(parser *p, function f, const fraction *a, size_t n,
                 fraction *out) {
  fraction t;
  *out = whole(tenon_dim_fixed(0));
  switch (f) {
    case POWER:
      return power(p, a[0], a[1], out);
    case RATIONAL:
    case TRUE_DIV:
      return divide(p, a[0], a[1], out);
    case FLOOR_DIV:
      return divide(p, a[0], a[1], &t) && floor_of(p, t, &out->up);
    case CEIL_DIV:
      return divide(p, a[0], a[1], &t) && ceil_of(p, t, &out->up);
    case MOD:
      return modulo(p, a[0], a[1], out);
    case MODULAR:
      return divide(p, a[0], a[1], &t) && floor_of(p, t, &out->up) &&
             modulo(p, *out, a[2], out);
    case FLOOR:
      return floor_of(p, a[0], &out->up);
    case CEIL:
      return ceil_of(p, a[0], &out->up);
    case TRUNC:
      return trunc_of(p, a[0], &out->up);
    case SHIFT_LEFT:
    case SHIFT_RIGHT:
      return shift(p, a, f == SHIFT_LEFT, out);
    default:
      return fold(p, f, a, n, out);
  }
}

static bool unknown_function(parser *p, tenon_text name) {
  char label[TENON_LABEL];
  tenon_label_make(label, name);
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    if (tenon_text_is(name, known[i]))
      return fail(p, TENON_PT2_EXPR_UNSUPPORTED, "has '%s', which is no size",
                  label);
  }
  return fail(p, TENON_PT2_EXPR_BAD, "calls '%s', which is not known", label);
}

static bool read_call(parser *p, tenon_text name, fraction *out) {
  fraction list[MOST_ARGUMENTS];
  size_t n = 0;
  if (tenon_text_is(name, "Symbol")) return read_symbol(p, out);
  if (tenon_text_is(name, "Float")) return read_float_call(p, out);
  const struct function_row *row = NULL;
  for (size_t i = 0; !row && i < sizeof functions / sizeof *functions; ++i) {
    if (tenon_text_is(name, functions[i].name)) row = &functions[i];
  }
  if (!row) return unknown_function(p, name);
  do {
    if (n == row->most)
      return fail(p, TENON_PT2_EXPR_BAD, "'%s' has too many arguments",
                  row->name);
    if (!parse_sum(p, &list[n++])) return false;
  } while (accept(p, ","));
  if (n < row->least)
    return fail(p, TENON_PT2_EXPR_BAD, "'%s' has too few arguments", row->name);
  return expect(p, ")") && call(p, row->does, list, n, out);
}

// ---------------------------------------------------------------------------
// Infix
// ---------------------------------------------------------------------------

static bool parse_atom(parser *p, fraction *out) {
  char c = peek(p);
  if (is_digit(c)) return read_number(p, out);
  if (accept(p, "(")) return parse_sum(p, out) && expect(p, ")");
  if (!is_letter(c))
    return fail(p, TENON_PT2_EXPR_BAD, "expected a size at byte %zu", p->at);
  size_t from = p->at;
  tenon_text word = read_word(p);
  // "math.trunc" is one word.
  while (p->at < p->text.size && p->text.data[p->at] == '.') {
    ++p->at;
    (void)read_word(p);
  }
  word.size = p->at - from;
  if (accept(p, "(")) return read_call(p, word, out);
  if (tenon_text_is(word, "true") || tenon_text_is(word, "false"))
    return fail(p, TENON_PT2_EXPR_UNSUPPORTED, "is a truth value");
  return use_symbol(p, word, true, out);
}

// Binds tighter than a sign in front of it, and its exponent may have a sign.
static bool parse_power(parser *p, fraction *out) {
  fraction exponent;
  bool minus = false;
  if (!parse_atom(p, out)) return false;
  if (!accept(p, "**")) return true;
  minus = accept(p, "-");
  if (!parse_atom(p, &exponent)) return false;
  if (minus &&
      !apply(p, TENON_DIM_SUB, tenon_dim_fixed(0), exponent.up, &exponent.up))
    return false;
  return power(p, *out, exponent, out);
}

static bool parse_sign(parser *p, fraction *out) {
  bool minus = false;
  for (;; minus = !minus) {
    while (accept(p, "+")) {
    }
    if (!accept(p, "-")) break;
  }
  if (!parse_power(p, out)) return false;
  return !minus ||
         apply(p, TENON_DIM_SUB, tenon_dim_fixed(0), out->up, &out->up);
}

static bool parse_product(parser *p, fraction *out) {
  fraction b;
  if (!parse_sign(p, out)) return false;
  for (;;) {
    if (accept(p, "//")) {
      if (!parse_sign(p, &b) || !divide(p, *out, b, &b)) return false;
      *out = whole(b.up);
      if (!floor_of(p, b, &out->up)) return false;
    } else if (accept(p, "/")) {
      if (!parse_sign(p, &b) || !divide(p, *out, b, out)) return false;
    } else if (accept(p, "%")) {
      if (!parse_sign(p, &b) || !modulo(p, *out, b, out)) return false;
    } else if (accept(p, "*")) {
      if (!parse_sign(p, &b) || !multiply(p, *out, b, out)) return false;
    } else {
      return true;
    }
  }
}

static bool parse_sum(parser *p, fraction *out) {
  if (++p->depth > TENON_PT2_EXPR_DEPTH)
    return fail(p, TENON_PT2_EXPR_BAD, "nests deeper than %d",
                TENON_PT2_EXPR_DEPTH);
  if (!parse_product(p, out)) return false;
  for (;;) {
    fraction b;
    bool minus = accept(p, "-");
    if (!minus && !accept(p, "+")) break;
    if (!parse_product(p, &b) || !add(p, *out, b, minus, out)) return false;
  }
  --p->depth;
  return true;
}

static bool parse_all(parser *p, fraction *out) {
  if (p->text.size > TENON_PT2_EXPR_SIZE)
    return fail(p, TENON_PT2_EXPR_BAD, "is longer than %d bytes",
                TENON_PT2_EXPR_SIZE);
  if (!parse_sum(p, out)) return false;
  return peek(p) == 0 ||
         fail(p, TENON_PT2_EXPR_BAD, "expected its end at byte %zu", p->at);
}

tenon_pt2_expr_result tenon_pt2_expr_fraction(const tenon_pt2_expr *with,
                                              const char *text, tenon_dim *up,
                                              tenon_dim *down) {
  parser p = {with, tenon_text_of(text), 0, 0, TENON_PT2_EXPR_OK};
  fraction f;
  if (!parse_all(&p, &f)) return p.result;
  *up = f.up;
  *down = f.down;
  return TENON_PT2_EXPR_OK;
}

tenon_pt2_expr_result tenon_pt2_expr_parse(const tenon_pt2_expr *with,
                                           const char *text, tenon_dim *out) {
  parser p = {with, tenon_text_of(text), 0, 0, TENON_PT2_EXPR_OK};
  fraction f;
  if (!parse_all(&p, &f)) return p.result;
  if (tenon_dim_is_fixed(f.up) && tenon_dim_is_fixed(f.down) &&
      !is_number(f.down, 1)) {
    (void)fail(&p, TENON_PT2_EXPR_UNSUPPORTED, "is no integer");
    return p.result;
  }
  (void)floor_of(&p, f, out);
  return p.result;
}
