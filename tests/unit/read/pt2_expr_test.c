// Tests of read/pt2/symbol/pt2_expr.c: both forms, and what is no size.
#include "read/pt2/symbol/pt2_expr.h"

#include "harness/harness.h"

typedef struct table {
  tenon_arena arena;
  tenon_symbols symbols;
} table;

static bool find(void *self, const char *name, bool is_size, tenon_dim *out) {
  table *t = (table *)self;
  (void)is_size;
  if (name[0] != 's') return false;
  *out = tenon_symbols_leaf(&t->symbols, name, 2, 100);
  return true;
}

// A number, or open where that is 0.
typedef struct sized {
  tenon_arena arena;
  tenon_symbols symbols;
  int64_t size;
} sized;

static bool find_sized(void *self, const char *name, bool is_size,
                       tenon_dim *out) {
  sized *t = (sized *)self;
  (void)is_size;
  *out = t->size ? tenon_dim_fixed(t->size)
                 : tenon_symbols_leaf(&t->symbols, name, 2, 100);
  return strcmp(name, "s0") == 0;
}

static tenon_pt2_expr_result parse(const char *text, char *out, size_t size,
                                   char *error) {
  table t;
  tenon_dim dim = {0, 0};
  tenon_buf buf;
  tenon_arena_init(&t.arena, tenon_heap());
  tenon_symbols_init(&t.symbols, &t.arena, tenon_heap());
  tenon_buf_init(&buf, tenon_heap());
  tenon_pt2_expr with = {&t.symbols, find, &t, error, 128, false};
  error[0] = 0;
  tenon_pt2_expr_result result = tenon_pt2_expr_parse(&with, text, &dim);
  if (result == TENON_PT2_EXPR_OK) {
    tenon_symbols_print(&t.symbols, dim, &buf);
    snprintf(out, size, "%s", buf.data);
  }
  tenon_buf_deinit(&buf);
  tenon_symbols_deinit(&t.symbols);
  tenon_arena_deinit(&t.arena);
  return result;
}

static void reads_sizes(void **state) {
  (void)state;
  static const struct {
    const char *text, *size;
  } rows[] = {
      {"7", "7"},
      {"s0", "?s0"},
      {"2*s0 + 1", "?s0*2+1"},
      {"1 + s0 + s0", "?s0*2+1"},
      {"s0//2", "?s0/2"},
      {"(s0 - 1)//2", "(?s0+1)/2-1"},
      {"s0**2", "?s0*?s0"},
      {"-s0 + 3*s0", "?s0*2"},
      {"Mod(s0, 4)", "?s0%4"},
      {"s0 % 4", "?s0%4"},
      {"Max(1, s0)", "?s0"},
      {"Min(s0, s1)", "min(?s0,?s1)"},
      {"Symbol('s0', positive=True, integer=True)", "?s0"},
      {"Mul(Integer(2), Symbol('s0', positive=True, integer=True))", "?s0*2"},
      {"Add(Mul(Integer(-1), Symbol('s0', integer=True)), Integer(5))",
       "?s0*-1+5"},
      {"FloorDiv(Add(Symbol('s0'), Integer(-1)), Integer(2))", "(?s0+1)/2-1"},
      {"Pow(Symbol('s0'), Integer(2))", "?s0*?s0"},
      {"FloorToInt(IntTrueDiv(Symbol('s0'), Integer(2)))", "?s0/2"},
      {"Mul(Rational(1, 2), Integer(8))", "4"},
      {"Mul(Rational(1, 2), Mul(Integer(4), Symbol('s0')))", "?s0*2"},
      {"ModularIndexing(Integer(17), Integer(2), Integer(5))", "3"},
      {"CeilDiv(Integer(7), Integer(2))", "4"},
      {"CeilToInt(IntTrueDiv(Integer(-7), Integer(2)))", "-3"},
      {"LShift(Integer(3), Integer(2))", "12"},
      {"Pow(Integer(4), Integer(-1))*8", "2"},
      {"TruncToInt(Mul(Float('1.5', precision=53), ToFloat(Symbol('s0', "
       "positive=True, integer=True))))",
       "?s0*3/2"},
      {"math.trunc(0.5*torch.sym_float(s0))", "?s0/2"},
      {"math.trunc(2.5e-01*torch.sym_float(s0))", "?s0/4"},
      {"math.trunc(2.0*torch.sym_float(s0))", "?s0*2"},
      {"TruncToInt(Mul(Float('-1.5', precision=53), Integer(3)))", "-4"},
      // One quotient is rounded once, which no floor of sizes shows.
      {"TruncToInt(IntTrueDiv(s0, 3))", "?s0/3"},
      // 0.3 is less than three tenths, and yet this is 3.
      {"TruncToInt(Mul(Float('0.3', precision=53), Integer(10)))", "3"},
      {"FloorToInt(Mul(Float('0.3', precision=53), s0))",
       "floor(fmul(0.3,float(?s0)))"},
      {"math.trunc(0.5 + 0.7*torch.sym_float(s0))",
       "floor(fadd(0.5,fmul(0.7,float(?s0))))"},
      {"RoundToInt(FloatTrueDiv(ToFloat(s0), Float('1.3', precision=53)))",
       "round(fdiv(float(?s0),1.3))"},
      {"RoundToInt(IntTrueDiv(Integer(5), Integer(2)))", "2"},
      {"RoundToInt(IntTrueDiv(Integer(7), Integer(2)))", "4"},
      {"RoundToInt(Float('-2.5', precision=53))", "-2"},
      {"FloorToInt(Mul(IntTrueDiv(s0, 3), 3))",
       "floor(fmul(fdiv(float(?s0),3.0),3.0))"},
      {"FloorToInt(TruncToFloat(IntTrueDiv(7, 2)))", "3"},
      {"Abs(Add(s0, Integer(-200)))", "?s0*-1+200"},
      {"Mod(Add(Integer(-3)), 7)", "4"},
      {"FloorDiv(Integer(-3), 7)", "-1"},
      {"Where(LessThan(Integer(3), Integer(3)), 5, 6)", "5"},
      {"Where(StrictLessThan(Integer(3), Integer(3)), 5, 6)", "6"},
      {"Where(GreaterThan(Integer(4), Integer(3)), 5, 6)", "5"},
      {"Where(StrictGreaterThan(s0, 100), 5, 6)", "6"},
      {"Where(Not(Equality(Integer(4), Integer(3))), 5, 6)", "5"},
      {"Where(And(true, Unequality(s0, 1), false), 5, 6)", "6"},
      {"Where(Or(Eq(s0, 1), Ne(s0, 1)), 5, 6)", "5"},
      {"Piecewise(ExprCondPair(Integer(1), Equality(Integer(2), Integer(2))), "
       "ExprCondPair(Integer(0), true))",
       "1"},
      {"Piecewise((4, Eq(s0, 1)), (7, True))", "7"},
  };
  char out[128], error[128];
  EACH_ROW(i, rows) {
    tenon_pt2_expr_result r = parse(rows[i].text, out, sizeof out, error);
    CHECK(r == TENON_PT2_EXPR_OK, "%s: %s", rows[i].text, error);
    CHECK(strcmp(out, rows[i].size) == 0, "%s: %s, expected %s", rows[i].text,
          out, rows[i].size);
  }
}

// Of an expression whose only leaf is that size.
static int64_t worth(const tenon_symbols *s, tenon_dim d, int64_t size) {
  int64_t out = TENON_UNKNOWN;
  if (tenon_dim_is_fixed(d)) return d.value;
  const tenon_symbol *e = tenon_symbols_look(s, d.symbol);
  if (e->op == 0) return size;
  bool done = tenon_dim_compute((tenon_dim_op)e->op, worth(s, e->a, size),
                                worth(s, e->b, size), &out);
  return done ? out : TENON_UNKNOWN;
}

// Each condition, for every size that s0 can have, as Python holds it.
static void reads_conditions(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *holds;  // for 2, 3, 4, ...
  } rows[] = {
      {"s0 == 3 or s0 % 4 == 1", "0101000100"},
      {"s0 == 2 and s0 < 9 or s0 == 5", "1001000000"},
      {"s0 == 5 or s0 > 9 and s0 != 11", "0001000010"},
      {"not (s0 == 4) and s0 < 7", "1101100000"},
      {"not s0 == 4", "1101111111"},
      {"not not s0 == 4", "0010000000"},
      {"(3 if s0 > 4 else s0) == 3", "0101111111"},
      {"3 <= s0 < 6 != 5", "0111000000"},
      {"(s0 & 3) == 2", "1000100010"},
      {"s0 & 3 == 2", "1000100010"},
      {"(6 & s0) == 6", "0000110000"},
      {"(s0 & -2) == 4", "0011000000"},
      {"(s0 | 5) == 7", "1100110000"},
      {"s0 ^ 3 > 4", "0011101111"},
      {"(s0 | 1 ^ 3 & 2) == 3", "1100000000"},
      {"round(s0 / 3, 1) > 1.5", "0001111111"},
      {"round(s0 / 3, 1) == 1.3", "0010000000"},
      {"round(s0 / 8, 1) == 0.2", "1000000000"},
      {"round(s0 / 8, 1) == 0.4", "0100000000"},
      {"round(s0 / 8, 2) == 0.38", "0100000000"},
      {"round(s0 / 4, 0) == 2.0", "0000111110"},
      {"round(s0 / 4) == 2", "0000111110"},
      {"round(s0, -1) == 10", "0000111111"},
      {"round(0.5*torch.sym_float(s0), -1) == 10.0", "0000000001"},
      {"0.1*torch.sym_float(s0) > 0.3", "0111111111"},
      {"0.1*torch.sym_float(s0) == 0.3", "0000000000"},
      {"s0 / 10 == 0.3", "0100000000"},
      {"s0 / 49 * 49 == s0", "0101110111"},
      {"1 / (47 + s0) * (47 + s0) == 1", "0111111111"},
      {"s0 / 7 < 1.0", "1111100000"},
      {"s0 / 3 >= 8 / s0", "0001111111"},
      {"math.floor(s0 / 4) == 1 or math.ceil(s0 / 5) == 2", "0011111110"},
      {"abs((-5) + s0) > 2", "1000001111"},
      {"torch.sym_max(4, s0) == torch.sym_min(6, s0)", "0011100000"},
      {"BitwiseFn_bitwise_xor(s0, 1) == 2", "0100000000"},
      {"RoundDecimal(IntTrueDiv(s0, 4), 1) == 0.8", "0100000000"},
  };
  char error[128];
  EACH_ROW(i, rows) {
    const size_t n = strlen(rows[i].holds);
    for (size_t size = 0; size < n; ++size) {
      sized t;
      tenon_dim dim = {0, 0};
      tenon_arena_init(&t.arena, tenon_heap());
      tenon_symbols_init(&t.symbols, &t.arena, tenon_heap());
      t.size = (int64_t)size + 2;
      tenon_pt2_expr with = {&t.symbols, find_sized,   &t,
                             error,      sizeof error, true};
      error[0] = 0;
      tenon_pt2_expr_result r = tenon_pt2_expr_truth(&with, rows[i].text, &dim);
      CHECK(r == TENON_PT2_EXPR_OK, "%s: %s", rows[i].text, error);
      CHECK(
          tenon_dim_is_fixed(dim) && dim.value == (rows[i].holds[size] == '1'),
          "%s for %zu", rows[i].text, size + 2);
      t.size = 0;
      r = tenon_pt2_expr_truth(&with, rows[i].text, &dim);
      CHECK(r == TENON_PT2_EXPR_OK, "%s: %s", rows[i].text, error);
      CHECK(worth(&t.symbols, dim, (int64_t)size + 2) ==
                (rows[i].holds[size] == '1'),
            "%s for an open size that is %zu", rows[i].text, size + 2);
      tenon_symbols_deinit(&t.symbols);
      tenon_arena_deinit(&t.arena);
    }
  }
}

static void refuses_others(void **state) {
  (void)state;
  static const struct {
    const char *text;
    tenon_pt2_expr_result result;
    const char *error;
  } rows[] = {
      {"", TENON_PT2_EXPR_BAD, "expected a size"},
      {"s0 +", TENON_PT2_EXPR_BAD, "expected a size"},
      {"(s0", TENON_PT2_EXPR_BAD, "expected ')'"},
      {"s0)", TENON_PT2_EXPR_BAD, "expected its end"},
      {"u0", TENON_PT2_EXPR_BAD, "'u0' is the size of no input"},
      {"__import__('os').system('ls')", TENON_PT2_EXPR_BAD, "not known"},
      {"Frobnicate(s0)", TENON_PT2_EXPR_BAD, "'Frobnicate'"},
      {"s0//0", TENON_PT2_EXPR_BAD, "divides by zero"},
      {"Mod(s0, 0)", TENON_PT2_EXPR_BAD, "divides by zero"},
      {"Pow(Integer(0), Integer(-1))", TENON_PT2_EXPR_BAD, "divides by zero"},
      {"9223372036854775807 + 1", TENON_PT2_EXPR_BAD, "64 bits"},
      {"99999999999999999999", TENON_PT2_EXPR_BAD, "64 bits"},
      {"Add()", TENON_PT2_EXPR_BAD, "expected a size"},
      {"Pow(s0)", TENON_PT2_EXPR_BAD, "too few"},
      {"Pow(s0, 2, 3)", TENON_PT2_EXPR_BAD, "too many"},
      {"Symbol(s0)", TENON_PT2_EXPR_BAD, "without a name"},
      {"Symbol('s0', nice=1)", TENON_PT2_EXPR_BAD, "an assumption"},
      {"2.5", TENON_PT2_EXPR_UNSUPPORTED, "no integer"},
      {"Rational(1, 2)", TENON_PT2_EXPR_UNSUPPORTED, "no integer"},
      {"Float('1e30', precision=53)", TENON_PT2_EXPR_UNSUPPORTED, "no integer"},
      {"TruncToInt(Float('1e30', precision=53))", TENON_PT2_EXPR_BAD,
       "64 bits"},
      {"TruncToInt(Mul(Float('0.3', precision=53), s0, s1))",
       TENON_PT2_EXPR_UNSUPPORTED, "in an order that the file does not tell"},
      {"TruncToInt(FloatPow(ToFloat(s0), Float('0.5', precision=53)))",
       TENON_PT2_EXPR_UNSUPPORTED, "'FloatPow'"},
      {"TruncToInt(Pow(IntTrueDiv(s0, 3), 2))", TENON_PT2_EXPR_UNSUPPORTED,
       "a power of a float"},
      {"TruncToInt(OpaqueUnaryFn_sqrt(s0))", TENON_PT2_EXPR_UNSUPPORTED,
       "'OpaqueUnaryFn_sqrt'"},
      {"BitwiseFn_bitwise_and(s0, s1)", TENON_PT2_EXPR_UNSUPPORTED,
       "takes bits"},
      {"Max(IntTrueDiv(s0, 3), 2)", TENON_PT2_EXPR_UNSUPPORTED,
       "compares fractions"},
      {"Where(s0, 1, 2)", TENON_PT2_EXPR_UNSUPPORTED, "for a truth value"},
      {"Where(true, 1, false)", TENON_PT2_EXPR_UNSUPPORTED, "no sizes"},
      {"Add(true, 1)", TENON_PT2_EXPR_UNSUPPORTED, "with a truth value"},
      {"Piecewise((4, Eq(s0, 9)))", TENON_PT2_EXPR_UNSUPPORTED,
       "leave something out"},
      {"Float('1.5', precision=24)", TENON_PT2_EXPR_UNSUPPORTED, "no double"},
      {"Float('x', precision=53)", TENON_PT2_EXPR_BAD, "no number"},
      {"Float('nan')", TENON_PT2_EXPR_UNSUPPORTED, "has nan"},
      {"Float('1.5", TENON_PT2_EXPR_BAD, "no number"},
      {"Piecewise(s0, 2)", TENON_PT2_EXPR_BAD, "expected '('"},
      {"true", TENON_PT2_EXPR_UNSUPPORTED, "truth"},
      {"StrictLessThan(s0, s1)", TENON_PT2_EXPR_UNSUPPORTED, "truth"},
      {"Pow(s0, s1)", TENON_PT2_EXPR_UNSUPPORTED, "a power"},
  };
  char out[128], error[128];
  EACH_ROW(i, rows) {
    tenon_pt2_expr_result r = parse(rows[i].text, out, sizeof out, error);
    CHECK(r == rows[i].result, "%s: %d, %s", rows[i].text, (int)r, error);
    CHECK(strstr(error, rows[i].error), "%s: %s", rows[i].text, error);
  }
}

static void limits_nesting(void **state) {
  (void)state;
  static char text[TENON_PT2_EXPR_SIZE + 2];
  char out[128], error[128];
  memset(text, '(', 300);
  assert_int_equal(parse(text, out, sizeof out, error), TENON_PT2_EXPR_BAD);
  assert_non_null(strstr(error, "nests deeper"));
  memset(text, '1', sizeof text - 1);
  assert_int_equal(parse(text, out, sizeof out, error), TENON_PT2_EXPR_BAD);
  assert_non_null(strstr(error, "longer than"));
}

TEST_GROUP(pt2_expr, cmocka_unit_test(reads_sizes),
           cmocka_unit_test(reads_conditions), cmocka_unit_test(refuses_others),
           cmocka_unit_test(limits_nesting))
