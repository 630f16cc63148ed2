// Tests of read/pt2/pt2_expr.c: both forms, and what is no size.
#include "read/pt2/pt2_expr.h"

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

static tenon_pt2_expr_result parse(const char *text, char *out, size_t size,
                                   char *error) {
  table t;
  tenon_dim dim = {0, 0};
  tenon_buf buf;
  tenon_arena_init(&t.arena, tenon_heap());
  tenon_symbols_init(&t.symbols, &t.arena, tenon_heap());
  tenon_buf_init(&buf, tenon_heap());
  tenon_pt2_expr with = {&t.symbols, find, &t, error, 128};
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
      {"BitwiseFn_bitwise_and(s0, 6)", TENON_PT2_EXPR_UNSUPPORTED, "no size"},
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
           cmocka_unit_test(refuses_others), cmocka_unit_test(limits_nesting))
