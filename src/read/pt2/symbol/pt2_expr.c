// How: one recursive descent for both forms, since srepr is a language of
// calls. What a value is, and arithmetic on it, is in pt2_fraction.c; only what
// is asked for as an integer is divided. Keywords of Symbol are skipped but for
// what says that it is positive.
#include "read/pt2/symbol/pt2_expr.h"
#include "base/chars.h"

#include "base/label.h"
#include "read/pt2/symbol/pt2_fraction.h"

#define MOST_ARGUMENTS 64
#define MOST_PIECES 8

typedef struct parser {
  tenon_fractions in;
  tenon_text text;
  size_t at;
  int depth;
} parser;

static bool parse_any(parser *p, tenon_fraction *out);

#define fail(p, ...) tenon_fraction_fail(&(p)->in, __VA_ARGS__)

// ---------------------------------------------------------------------------
// Words
// ---------------------------------------------------------------------------

static char peek(parser *p) {
  while (p->at < p->text.size &&
         (p->text.data[p->at] == ' ' || p->text.data[p->at] == '\t'))
    ++p->at;
  return p->at < p->text.size ? p->text.data[p->at] : 0;
}

static bool pt2_expr_accept(parser *p, const char *token) {
  size_t size = strlen(token);
  (void)peek(p);
  if (size > p->text.size - p->at ||
      memcmp(p->text.data + p->at, token, size) != 0)
    return false;
  p->at += size;
  return true;
}

static bool expect(parser *p, const char *token) {
  if (pt2_expr_accept(p, token)) return true;
  return fail(p, TENON_PT2_EXPR_BAD, "expected '%s' at byte %zu", token, p->at);
}

static tenon_text read_word(parser *p) {
  size_t from = p->at;
  while (p->at < p->text.size && (tenon_char_is_in_name(p->text.data[p->at])))
    ++p->at;
  return (tenon_text){p->text.data + from, p->at - from};
}

static bool read_float(parser *p, tenon_text word, tenon_fraction *out) {
  double value = 0;
  if (!tenon_text_double(word, &value))
    return fail(p, TENON_PT2_EXPR_BAD, "has a float that is no number");
  return tenon_fraction_literal(&p->in, value, out);
}

// '1.5', precision=53) behind the parenthesis.
static bool read_float_call(parser *p, tenon_fraction *out) {
  char quote = peek(p);
  const char *end = NULL;
  if (quote == '\'' || quote == '"')
    end = memchr(p->text.data + p->at + 1, quote, p->text.size - p->at - 1);
  if (!end) return fail(p, TENON_PT2_EXPR_BAD, "has a float that is no number");
  const char *from = p->text.data + p->at + 1;
  tenon_text word = {from, (size_t)(end - from)};
  p->at = (size_t)(end - p->text.data) + 1;
  if (pt2_expr_accept(p, ",")) {
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
static bool read_point(parser *p, size_t from, tenon_fraction *out) {
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

static bool pt2_expr_read_number(parser *p, tenon_fraction *out) {
  size_t from = p->at;
  tenon_text word = read_word(p);
  int64_t value = 0;
  if (p->at < p->text.size && p->text.data[p->at] == '.')
    return read_point(p, from, out);
  if (!tenon_text_int(word, &value) || value == TENON_UNKNOWN)
    return fail(p, TENON_PT2_EXPR_BAD, "has a number beyond 64 bits");
  *out = tenon_fraction_whole(tenon_dim_fixed(value));
  return true;
}

static bool use_symbol(parser *p, tenon_text word, bool is_size,
                       tenon_fraction *out) {
  char name[TENON_LABEL];
  tenon_dim d = {0, 0};
  if (word.size >= sizeof name || word.size == 0 ||
      !tenon_char_begins_name(word.data[0]))
    return fail(p, TENON_PT2_EXPR_BAD, "has a symbol without a name");
  memcpy(name, word.data, word.size);
  name[word.size] = 0;
  if (!p->in.with->symbol(p->in.with->self, name, is_size, &d))
    return fail(p, TENON_PT2_EXPR_BAD,
                "'%s' is the size of no input, and no operator finds it out",
                name);
  if (tenon_dim_is(d, TENON_UNKNOWN))
    return fail(p, TENON_PT2_EXPR_MEMORY, "out of memory");
  bool is_float = d.symbol != 0 && d.value == TENON_KIND_FLOAT;
  if (!is_float && !tenon_dim_is_integer(d))
    return fail(p, TENON_PT2_EXPR_UNSUPPORTED, "'%s' is no integer", name);
  *out = tenon_fraction_whole(d);
  out->is_real = out->is_float = is_float;
  return true;
}

// 'name'[, key=True]... up to the parenthesis.
static bool read_symbol(parser *p, tenon_fraction *out) {
  char quote = peek(p);
  bool is_size = false;
  if (quote != '\'' && quote != '"')
    return fail(p, TENON_PT2_EXPR_BAD, "has a symbol without a name");
  ++p->at;
  tenon_text name = read_word(p);
  if (p->at >= p->text.size || p->text.data[p->at++] != quote)
    return fail(p, TENON_PT2_EXPR_BAD, "has a symbol without a name");
  while (pt2_expr_accept(p, ",")) {
    (void)peek(p);
    tenon_text key = read_word(p);
    bool has_value = pt2_expr_accept(p, "=");
    bool is_true = has_value && pt2_expr_accept(p, "True");
    if (!is_true && !(has_value && pt2_expr_accept(p, "False")))
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
  MAX,
  MIN,
  AND,
  OR,
  NOT,
  WHERE,
  RELATION,
  POWER,
  RATIONAL,
  FLOOR_DIV,
  TRUE_DIV,
  MOD,
  MODULAR,
  CEIL_DIV,
  FLOOR,
  CEIL,
  TRUNC,
  ROUND,
  DECIMALS,
  BITS,
  ABS,
  TO_FLOAT,
  TRUNC_TO_FLOAT,
  SHIFT_LEFT,
  SHIFT_RIGHT,
  SAME
} function;

static const struct function_row {
  const char *name;
  function does;
  uint8_t least, most;
  uint32_t relation;  // tenon_relation; of bits the operator
  bool is_turned;
} functions[] = {
    {"Add", ADD, 1, MOST_ARGUMENTS, 0, false},
    {"Mul", MUL, 1, MOST_ARGUMENTS, 0, false},
    {"Max", MAX, 1, MOST_ARGUMENTS, 0, false},
    {"Min", MIN, 1, MOST_ARGUMENTS, 0, false},
    {"max", MAX, 1, MOST_ARGUMENTS, 0, false},
    {"min", MIN, 1, MOST_ARGUMENTS, 0, false},
    {"torch.sym_max", MAX, 2, 2, 0, false},
    {"torch.sym_min", MIN, 2, 2, 0, false},
    {"Pow", POWER, 2, 2, 0, false},
    {"PowByNatural", POWER, 2, 2, 0, false},
    {"Integer", SAME, 1, 1, 0, false},
    {"Rational", RATIONAL, 2, 2, 0, false},
    {"FloorDiv", FLOOR_DIV, 2, 2, 0, false},
    {"CleanDiv", FLOOR_DIV, 2, 2, 0, false},
    {"IntTrueDiv", TRUE_DIV, 2, 2, 0, false},
    {"FloatTrueDiv", TRUE_DIV, 2, 2, 0, false},
    {"ToFloat", TO_FLOAT, 1, 1, 0, false},
    {"torch.sym_float", TO_FLOAT, 1, 1, 0, false},
    {"Mod", MOD, 2, 2, 0, false},
    {"PythonMod", MOD, 2, 2, 0, false},
    {"ModularIndexing", MODULAR, 3, 3, 0, false},
    {"CeilDiv", CEIL_DIV, 2, 2, 0, false},
    {"FloorToInt", FLOOR, 1, 1, 0, false},
    {"math.floor", FLOOR, 1, 1, 0, false},
    {"floor", FLOOR, 1, 1, 0, false},
    {"CeilToInt", CEIL, 1, 1, 0, false},
    {"math.ceil", CEIL, 1, 1, 0, false},
    {"ceiling", CEIL, 1, 1, 0, false},
    {"TruncToInt", TRUNC, 1, 1, 0, false},
    {"math.trunc", TRUNC, 1, 1, 0, false},
    {"TruncToFloat", TRUNC_TO_FLOAT, 1, 1, 0, false},
    {"RoundToInt", ROUND, 1, 1, 0, false},
    {"round", ROUND, 1, 2, 0, false},
    {"RoundDecimal", DECIMALS, 2, 2, 0, false},
    {"BitwiseFn_bitwise_and", BITS, 2, 2, '&', false},
    {"BitwiseFn_bitwise_or", BITS, 2, 2, '|', false},
    {"BitwiseFn_bitwise_xor", BITS, 2, 2, '^', false},
    {"Abs", ABS, 1, 1, 0, false},
    {"abs", ABS, 1, 1, 0, false},
    {"LShift", SHIFT_LEFT, 2, 2, 0, false},
    {"RShift", SHIFT_RIGHT, 2, 2, 0, false},
    {"Identity", SAME, 1, 1, 0, false},
    {"Where", WHERE, 3, 3, 0, false},
    {"And", AND, 1, MOST_ARGUMENTS, 0, false},
    {"Or", OR, 1, MOST_ARGUMENTS, 0, false},
    {"Not", NOT, 1, 1, 0, false},
    {"Equality", RELATION, 2, 2, TENON_RELATION_EQ, false},
    {"Eq", RELATION, 2, 2, TENON_RELATION_EQ, false},
    {"Unequality", RELATION, 2, 2, TENON_RELATION_NE, false},
    {"Ne", RELATION, 2, 2, TENON_RELATION_NE, false},
    {"StrictLessThan", RELATION, 2, 2, TENON_RELATION_LT, false},
    {"LessThan", RELATION, 2, 2, TENON_RELATION_LE, false},
    {"StrictGreaterThan", RELATION, 2, 2, TENON_RELATION_LT, true},
    {"GreaterThan", RELATION, 2, 2, TENON_RELATION_LE, true},
};

// Of sympy and torch, but no sizes: what is left of a power is rounded as
// Python's libraries do.
static const char *const known[] = {"FloatPow", "ExprCondPair",
                                    "IsNonOverlappingAndDenseIndicator"};

static bool fold_one(parser *p, function f, tenon_fraction a, tenon_fraction b,
                     tenon_fraction *out) {
  switch (f) {
    case ADD:
      return tenon_fraction_add(&p->in, a, b, false, out);
    case MUL:
      return tenon_fraction_multiply(&p->in, a, b, out);
    case AND:
    case OR:
      return tenon_fraction_join(&p->in, f == OR, a, b, out);
    default:
      return tenon_fraction_extreme(&p->in, f == MAX, a, b, out);
  }
}

static bool pt2_expr_fold(parser *p, function f, const tenon_fraction *a,
                          size_t n, tenon_fraction *out) {
  *out = a[0];
  for (size_t i = 1; i < n; ++i) {
    if (!fold_one(p, f, *out, a[i], out)) return false;
    // sympy sorts what it adds up, whatever the order was in Python.
    if (out->is_float && n > 2)
      return fail(p, TENON_PT2_EXPR_UNSUPPORTED,
                  "rounds in an order that the file does not tell");
  }
  return true;
}

static bool shift(parser *p, const tenon_fraction *a, bool left,
                  tenon_fraction *out) {
  tenon_fraction by, two = tenon_fraction_whole(tenon_dim_fixed(2));
  if (!tenon_fraction_power(&p->in, two, a[1], &by)) return false;
  if (left) return tenon_fraction_multiply(&p->in, a[0], by, out);
  return tenon_fraction_divide(&p->in, a[0], by, &by) &&
         tenon_fraction_floor(&p->in, by, &out->up);
}

// What gives an integer.
static bool call_whole(parser *p, function f, const tenon_fraction *a,
                       tenon_fraction *out) {
  tenon_fraction t = a[0];
  *out = tenon_fraction_whole(tenon_dim_fixed(0));
  out->is_real = f == TRUNC_TO_FLOAT;
  bool divides = f == FLOOR_DIV || f == CEIL_DIV || f == MODULAR;
  if (divides && !tenon_fraction_divide(&p->in, a[0], a[1], &t)) return false;
  switch (f) {
    case FLOOR:
    case FLOOR_DIV:
      return tenon_fraction_floor(&p->in, t, &out->up);
    case CEIL:
    case CEIL_DIV:
      return tenon_fraction_ceil(&p->in, t, &out->up);
    case TRUNC:
    case TRUNC_TO_FLOAT:
      return tenon_fraction_trunc(&p->in, t, &out->up);
    case ROUND:
      return tenon_fraction_round(&p->in, t, &out->up);
    case MODULAR:
      return tenon_fraction_floor(&p->in, t, &out->up) &&
             tenon_fraction_modulo(&p->in, *out, a[2], out);
    case ABS:
      return tenon_fraction_negate(&p->in, &t) &&
             tenon_fraction_extreme(&p->in, true, a[0], t, out);
    default:
      return shift(p, a, f == SHIFT_LEFT, out);
  }
}

static bool pt2_expr_call(parser *p, const struct function_row *row,
                          const tenon_fraction *a, size_t n,
                          tenon_fraction *out) {
  switch (row->does) {
    case ADD:
    case MUL:
    case MAX:
    case MIN:
    case AND:
    case OR:
      return pt2_expr_fold(p, row->does, a, n, out);
    case SAME:
      *out = a[0];
      return true;
    case TO_FLOAT:
      *out = a[0];
      out->is_real = true;
      return true;
    case NOT:
      return tenon_fraction_not(&p->in, a[0], out);
    case WHERE:
      return tenon_fraction_select(&p->in, a[0], a[1], a[2], out);
    case RELATION:
      return tenon_fraction_compare(&p->in, row->relation, a[row->is_turned],
                                    a[!row->is_turned], out);
    case DECIMALS:
      return tenon_fraction_decimals(&p->in, a[0], a[1], out);
    case BITS:
      return tenon_fraction_bits(&p->in, (char)row->relation, a[0], a[1], out);
    case POWER:
      return tenon_fraction_power(&p->in, a[0], a[1], out);
    case TRUE_DIV:
      if (!tenon_fraction_divide(&p->in, a[0], a[1], out)) return false;
      out->is_real = true;
      return true;
    case RATIONAL:
      return tenon_fraction_divide(&p->in, a[0], a[1], out);
    case MOD:
      return tenon_fraction_modulo(&p->in, a[0], a[1], out);
    default:
      if (n == 2 && row->does == ROUND)
        return tenon_fraction_decimals(&p->in, a[0], a[1], out);
      return call_whole(p, row->does, a, out);
  }
}

// ExprCondPair(value, condition), ... behind the parenthesis; in the other form
// a pair is (value, condition). The last condition is true.
static bool read_piecewise(parser *p, tenon_fraction *out) {
  tenon_fraction values[MOST_PIECES], truths[MOST_PIECES];
  size_t n = 0;
  do {
    if (n == MOST_PIECES)
      return fail(p, TENON_PT2_EXPR_UNSUPPORTED, "has more than %d pieces",
                  MOST_PIECES);
    (void)pt2_expr_accept(p, "ExprCondPair");
    if (!expect(p, "(") || !parse_any(p, &values[n]) || !expect(p, ",") ||
        !parse_any(p, &truths[n]) || !expect(p, ")"))
      return false;
    ++n;
  } while (pt2_expr_accept(p, ","));
  if (!expect(p, ")")) return false;
  if (!truths[--n].is_truth || !tenon_dim_is(truths[n].up, 1))
    return fail(p, TENON_PT2_EXPR_UNSUPPORTED,
                "has pieces that leave something out");
  *out = values[n];
  while (n-- > 0)
    if (!tenon_fraction_select(&p->in, truths[n], values[n], *out, out))
      return false;
  return true;
}

// "OpaqueUnaryFn_sqrt" and the like.
static bool pt2_expr_is_known(tenon_text name) {
  static const char opaque[] = "OpaqueUnaryFn_";
  size_t size = sizeof opaque - 1;
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (tenon_text_is(name, known[i])) return true;
  return name.size > size && memcmp(name.data, opaque, size) == 0;
}

static bool unknown_function(parser *p, tenon_text name) {
  char label[TENON_LABEL];
  tenon_label_make(label, name);
  if (pt2_expr_is_known(name))
    return fail(p, TENON_PT2_EXPR_UNSUPPORTED, "has '%s', which is no size",
                label);
  return fail(p, TENON_PT2_EXPR_BAD, "calls '%s', which is not known", label);
}

static bool read_call(parser *p, tenon_text name, tenon_fraction *out) {
  tenon_fraction list[MOST_ARGUMENTS];
  size_t n = 0;
  if (tenon_text_is(name, "Symbol")) return read_symbol(p, out);
  if (tenon_text_is(name, "Float")) return read_float_call(p, out);
  if (tenon_text_is(name, "Piecewise")) return read_piecewise(p, out);
  const struct function_row *row = NULL;
  for (size_t i = 0; !row && i < sizeof functions / sizeof *functions; ++i) {
    if (tenon_text_is(name, functions[i].name)) row = &functions[i];
  }
  if (!row) return unknown_function(p, name);
  do {
    if (n == row->most)
      return fail(p, TENON_PT2_EXPR_BAD, "'%s' has too many arguments",
                  row->name);
    if (!parse_any(p, &list[n++])) return false;
  } while (pt2_expr_accept(p, ","));
  if (n < row->least)
    return fail(p, TENON_PT2_EXPR_BAD, "'%s' has too few arguments", row->name);
  return expect(p, ")") && pt2_expr_call(p, row, list, n, out);
}

// ---------------------------------------------------------------------------
// Infix
// ---------------------------------------------------------------------------

static bool pt2_expr_parse_atom(parser *p, tenon_fraction *out) {
  char c = peek(p);
  if (tenon_char_is_digit(c)) return pt2_expr_read_number(p, out);
  if (pt2_expr_accept(p, "(")) return parse_any(p, out) && expect(p, ")");
  if (!tenon_char_begins_name(c))
    return fail(p, TENON_PT2_EXPR_BAD, "expected a size at byte %zu", p->at);
  size_t from = p->at;
  tenon_text word = read_word(p);
  // "math.trunc" is one word.
  while (p->at < p->text.size && p->text.data[p->at] == '.') {
    ++p->at;
    (void)read_word(p);
  }
  word.size = p->at - from;
  if (pt2_expr_accept(p, "(")) return read_call(p, word, out);
  bool is_true = tenon_text_is(word, "true") || tenon_text_is(word, "True");
  if (is_true || tenon_text_is(word, "false") || tenon_text_is(word, "False")) {
    *out = tenon_fraction_whole(tenon_dim_fixed(is_true));
    out->is_truth = true;
    return true;
  }
  return use_symbol(p, word, true, out);
}

// Binds tighter than a sign in front of it, and its exponent may have a sign.
static bool parse_power(parser *p, tenon_fraction *out) {
  tenon_fraction exponent;
  bool minus = false;
  if (!pt2_expr_parse_atom(p, out)) return false;
  if (!pt2_expr_accept(p, "**")) return true;
  minus = pt2_expr_accept(p, "-");
  if (!pt2_expr_parse_atom(p, &exponent)) return false;
  if (minus && !tenon_fraction_negate(&p->in, &exponent)) return false;
  return tenon_fraction_power(&p->in, *out, exponent, out);
}

static bool pt2_expr_parse_sign(parser *p, tenon_fraction *out) {
  bool minus = false;
  for (;; minus = !minus) {
    while (pt2_expr_accept(p, "+")) {
    }
    if (!pt2_expr_accept(p, "-")) break;
  }
  if (!parse_power(p, out)) return false;
  return !minus || tenon_fraction_negate(&p->in, out);
}

static bool pt2_expr_parse_product(parser *p, tenon_fraction *out) {
  tenon_fraction b;
  if (!pt2_expr_parse_sign(p, out)) return false;
  for (;;) {
    if (pt2_expr_accept(p, "//")) {
      if (!pt2_expr_parse_sign(p, &b) ||
          !tenon_fraction_divide(&p->in, *out, b, &b))
        return false;
      *out = tenon_fraction_whole(b.up);
      if (!tenon_fraction_floor(&p->in, b, &out->up)) return false;
    } else if (pt2_expr_accept(p, "/")) {
      if (!pt2_expr_parse_sign(p, &b) ||
          !tenon_fraction_divide(&p->in, *out, b, out))
        return false;
      out->is_real |= p->in.with->is_python;
    } else if (pt2_expr_accept(p, "%")) {
      if (!pt2_expr_parse_sign(p, &b) ||
          !tenon_fraction_modulo(&p->in, *out, b, out))
        return false;
    } else if (pt2_expr_accept(p, "*")) {
      if (!pt2_expr_parse_sign(p, &b) ||
          !tenon_fraction_multiply(&p->in, *out, b, out))
        return false;
    } else {
      return true;
    }
  }
}

static bool pt2_expr_parse_sum(parser *p, tenon_fraction *out) {
  if (!pt2_expr_parse_product(p, out)) return false;
  for (;;) {
    tenon_fraction b;
    bool minus = pt2_expr_accept(p, "-");
    if (!minus && !pt2_expr_accept(p, "+")) return true;
    if (!pt2_expr_parse_product(p, &b) ||
        !tenon_fraction_add(&p->in, *out, b, minus, out))
      return false;
  }
}

// ---------------------------------------------------------------------------
// Conditions
// ---------------------------------------------------------------------------

// The operator of bits binds tighter the later it stands here.
static bool parse_bits(parser *p, const char *ops, tenon_fraction *out) {
  const char op[] = {ops[0], 0};
  tenon_fraction b;
  if (!op[0]) return pt2_expr_parse_sum(p, out);
  if (!parse_bits(p, ops + 1, out)) return false;
  while (pt2_expr_accept(p, op))
    if (!parse_bits(p, ops + 1, &b) ||
        !tenon_fraction_bits(&p->in, op[0], *out, b, out))
      return false;
  return true;
}

const tenon_relation_token tenon_pt2_relations[TENON_PT2_RELATIONS] = {
    {"==", TENON_RELATION_EQ, false}, {"!=", TENON_RELATION_NE, false},
    {"<=", TENON_RELATION_LE, false}, {">=", TENON_RELATION_LE, true},
    {"<", TENON_RELATION_LT, false},  {">", TENON_RELATION_LT, true}};

static size_t accept_relation(parser *p) {
  size_t i = 0;
  while (i < TENON_PT2_RELATIONS &&
         !pt2_expr_accept(p, tenon_pt2_relations[i].token))
    ++i;
  return i;
}

// "a < b < c" is a < b and b < c.
static bool pt2_expr_parse_chain(parser *p, tenon_fraction *out) {
  tenon_fraction side[2], truth;
  if (!parse_bits(p, "|^&", &side[0])) return false;
  *out = side[0];
  for (int n = 0;; ++n) {
    const size_t i = accept_relation(p);
    if (i == TENON_PT2_RELATIONS) return true;
    const bool turn = tenon_pt2_relations[i].is_turned;
    if (!parse_bits(p, "|^&", &side[1]) ||
        !tenon_fraction_compare(&p->in, tenon_pt2_relations[i].relation,
                                side[turn], side[!turn], &truth))
      return false;
    if (n == 0)
      *out = truth;
    else if (!fold_one(p, AND, *out, truth, out))
      return false;
    side[0] = side[1];
  }
}

static bool accept_word(parser *p, const char *word) {
  const size_t from = p->at;
  (void)peek(p);
  if (tenon_text_is(read_word(p), word)) return true;
  p->at = from;
  return false;
}

static bool pt2_expr_parse_not(parser *p, tenon_fraction *out) {
  bool is_not = false, has_not = false;
  while (accept_word(p, "not")) {
    is_not = !is_not;
    has_not = true;
  }
  if (!pt2_expr_parse_chain(p, out)) return false;
  // Twice is the same, of a truth value.
  if (has_not && !is_not && !tenon_fraction_not(&p->in, *out, out))
    return false;
  return !has_not || tenon_fraction_not(&p->in, *out, out);
}

static bool pt2_expr_parse_and(parser *p, tenon_fraction *out) {
  tenon_fraction b;
  if (!pt2_expr_parse_not(p, out)) return false;
  while (accept_word(p, "and"))
    if (!pt2_expr_parse_not(p, &b) || !fold_one(p, AND, *out, b, out))
      return false;
  return true;
}

static bool pt2_expr_parse_or(parser *p, tenon_fraction *out) {
  tenon_fraction b;
  if (!pt2_expr_parse_and(p, out)) return false;
  while (accept_word(p, "or"))
    if (!pt2_expr_parse_and(p, &b) || !fold_one(p, OR, *out, b, out))
      return false;
  return true;
}

static bool parse_any(parser *p, tenon_fraction *out) {
  tenon_fraction truth, other;
  if (++p->depth > TENON_PT2_EXPR_DEPTH)
    return fail(p, TENON_PT2_EXPR_BAD, "nests deeper than %d",
                TENON_PT2_EXPR_DEPTH);
  if (!pt2_expr_parse_or(p, out)) return false;
  if (accept_word(p, "if") &&
      (!pt2_expr_parse_or(p, &truth) || !expect(p, "else") ||
       !parse_any(p, &other) ||
       !tenon_fraction_select(&p->in, truth, *out, other, out)))
    return false;
  --p->depth;
  return true;
}

static bool parse_whole(parser *p, tenon_fraction *out) {
  if (p->text.size > TENON_PT2_EXPR_SIZE)
    return fail(p, TENON_PT2_EXPR_BAD, "is longer than %d bytes",
                TENON_PT2_EXPR_SIZE);
  if (!parse_any(p, out)) return false;
  return peek(p) == 0 ||
         fail(p, TENON_PT2_EXPR_BAD, "expected its end at byte %zu", p->at);
}

static bool parse_all(parser *p, tenon_fraction *out) {
  if (!parse_whole(p, out)) return false;
  if (out->is_truth)
    return fail(p, TENON_PT2_EXPR_UNSUPPORTED, "is a truth value");
  return !out->is_float || fail(p, TENON_PT2_EXPR_UNSUPPORTED, "is no integer");
}

tenon_pt2_expr_result tenon_pt2_expr_truth(const tenon_pt2_expr *with,
                                           const char *text, tenon_dim *out) {
  parser p = {{with, TENON_PT2_EXPR_OK}, tenon_text_of(text), 0, 0};
  tenon_fraction f;
  if (!parse_whole(&p, &f)) return p.in.result;
  if (!f.is_truth)
    (void)fail(&p, TENON_PT2_EXPR_UNSUPPORTED, "is no truth value");
  *out = f.up;
  return p.in.result;
}

tenon_pt2_expr_result tenon_pt2_expr_fraction(const tenon_pt2_expr *with,
                                              const char *text, tenon_dim *up,
                                              tenon_dim *down) {
  parser p = {{with, TENON_PT2_EXPR_OK}, tenon_text_of(text), 0, 0};
  tenon_fraction f;
  if (!parse_all(&p, &f)) return p.in.result;
  *up = f.up;
  *down = f.down;
  return TENON_PT2_EXPR_OK;
}

tenon_pt2_expr_result tenon_pt2_expr_parse(const tenon_pt2_expr *with,
                                           const char *text, tenon_dim *out) {
  parser p = {{with, TENON_PT2_EXPR_OK}, tenon_text_of(text), 0, 0};
  tenon_fraction f;
  if (!parse_all(&p, &f)) return p.in.result;
  if (tenon_dim_is_fixed(f.up) && tenon_dim_is_fixed(f.down) &&
      !tenon_dim_is(f.down, 1))
    (void)fail(&p, TENON_PT2_EXPR_UNSUPPORTED, "is no integer");
  else
    (void)tenon_fraction_floor(&p.in, f, out);
  return p.in.result;
}
