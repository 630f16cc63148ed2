#include "core/attr.h"

#include <math.h>

#include "fixture.h"

static const int64_t ints[] = {1, 2, 3, 4};
static const double floats[] = {0.5, 2};
static const bool bools[] = {true, false};
static const tenon_scalar mixed[] = {{TENON_KIND_INT, {3}},
                                     {TENON_KIND_BOOL, {1}}};
static const tenon_dim fixed[] = {{5, 0}, {6, 0}};
static const tenon_dim sizes[] = {{0, 1}, {6, 0}};
static const char *const texts[] = {"up", "", "a\"b"};
static const char *const lacking[] = {"up", NULL};
#define END TENON_END_ARGS

static tenon_arg list_of(uint32_t kind, const void *data, size_t count) {
  tenon_arg a = {"x", kind, {0}};
  switch (kind) {
    case TENON_KIND_FLOATS:
      a.as.floats.data = data;
      a.as.floats.count = count;
      break;
    case TENON_KIND_BOOLS:
      a.as.bools.data = data;
      a.as.bools.count = count;
      break;
    case TENON_KIND_SCALARS:
      a.as.scalars.data = data;
      a.as.scalars.count = count;
      break;
    case TENON_KIND_STRS:
      a.as.strs.data = data;
      a.as.strs.count = count;
      break;
    case TENON_KIND_DIMS:
      a.as.dims.data = data;
      a.as.dims.count = count;
      break;
    default:
      a.as.ints.data = data;
      a.as.ints.count = count;
  }
  return a;
}

static tenon_arg scalar_of(uint32_t kind, int64_t i, double f) {
  tenon_arg a = {"x", TENON_KIND_SCALAR, {0}};
  a.as.scalar.kind = kind;
  if (kind == TENON_KIND_FLOAT) {
    a.as.scalar.as.f = f;
  } else {
    a.as.scalar.as.i = i;
  }
  return a;
}

static tenon_arg dtype_of(int64_t number) {
  tenon_arg a = {"x", TENON_KIND_DTYPE, {0}};
  a.as.i = number;
  return a;
}

static void converts_as_torch_does(void **state) {
  const tenon_arg i = tenon_arg_int("x", 3), f = tenon_arg_float("x", 1.5),
                  b = tenon_arg_bool("x", true), s = tenon_arg_str("x", "up"),
                  none = {"x", 0, {0}};
  const struct {
    const char *type;
    tenon_arg given;
    uint32_t kind;     // 0: also for none
    const char *want;  // as printed, or the error
  } rows[] = {
      {"int x", i, TENON_KIND_INT, "[x=3]"},
      {"int x", f, 0, "attribute 'x': expected int, found float"},
      {"int x", b, 0, "attribute 'x': expected int, found bool"},
      {"int x", s, 0, "attribute 'x': expected int, found str"},
      {"int x", none, 0, "attribute 'x': expected int, found none"},
      {"int x", scalar_of(TENON_KIND_INT, 7, 0), TENON_KIND_INT, "[x=7]"},
      {"int x", scalar_of(TENON_KIND_FLOAT, 0, 7), 0,
       "attribute 'x': expected int, found float"},
      {"int x", list_of(TENON_KIND_INTS, ints, 1), 0,
       "attribute 'x': expected int, found int[]"},
      {"int x", list_of(TENON_KIND_DIMS, fixed, 1), TENON_KIND_INT, "[x=5]"},
      {"int x", list_of(TENON_KIND_DIMS, sizes, 1), 0,
       "attribute 'x': expected int, found a size that is not a number yet"},
      {"int x",
       {"x", 99, {0}},
       0,
       "attribute 'x': expected int, found a value of unknown kind"},
      {"SymInt x", list_of(TENON_KIND_DIMS, sizes, 1), TENON_KIND_DIMS,
       "[x=[?n]]"},
      {"SymInt x", list_of(TENON_KIND_DIMS, sizes, 2), 0,
       "attribute 'x': expected SymInt, found SymInt[]"},
      {"int? x", i, TENON_KIND_INT, "[x=3]"},
      {"int? x", none, 0, "[x=none]"},
      {"float x", f, TENON_KIND_FLOAT, "[x=1.5]"},
      {"float x", i, TENON_KIND_FLOAT, "[x=3.0]"},
      {"float x", b, 0, "attribute 'x': expected float, found bool"},
      {"float? x", none, 0, "[x=none]"},
      {"bool x", b, TENON_KIND_BOOL, "[x=true]"},
      {"bool x", i, 0, "attribute 'x': expected bool, found int"},
      {"bool? x", b, TENON_KIND_BOOL, "[x=true]"},
      {"str x", s, TENON_KIND_STR, "[x=\"up\"]"},
      {"str x", tenon_arg_str("x", NULL), 0,
       "attribute 'x': expected str, found none"},
      {"str? x", tenon_arg_str("x", NULL), 0, "[x=none]"},
      {"str x", i, 0, "attribute 'x': expected str, found int"},
      {"Device? x", s, TENON_KIND_STR, "[x=\"up\"]"},
      {"Generator x", none, 0, "[x=none]"},
      {"Scalar x", i, TENON_KIND_SCALAR, "[x=3]"},
      {"Scalar x", f, TENON_KIND_SCALAR, "[x=1.5]"},
      {"Scalar x", b, TENON_KIND_SCALAR, "[x=true]"},
      {"Scalar x", scalar_of(TENON_KIND_FLOAT, 0, 2), TENON_KIND_SCALAR,
       "[x=2.0]"},
      {"Scalar x", list_of(TENON_KIND_DIMS, sizes, 1), TENON_KIND_DIMS,
       "[x=[?n]]"},
      {"Scalar x", scalar_of(0, 0, 0), 0,
       "attribute 'x': expected Scalar, found none"},
      {"Scalar? x", scalar_of(0, 0, 0), 0, "[x=none]"},
      // A complex number is a text.
      {"Scalar x", tenon_arg_str("x", "0.5-2j"), TENON_KIND_STR,
       "[x=\"0.5-2j\"]"},
      {"Scalar? x", tenon_arg_str("x", "-1e-3+nanj"), TENON_KIND_STR,
       "[x=\"-1e-3+nanj\"]"},
      {"Scalar x", s, 0, "attribute 'x': expected Scalar, found the text 'up'"},
      {"Scalar x", tenon_arg_str("x", "2j"), 0,
       "attribute 'x': expected Scalar, found the text '2j'"},
      {"Scalar x", tenon_arg_str("x", "1+2"), 0,
       "attribute 'x': expected Scalar, found the text '1+2'"},
      {"float x", tenon_arg_str("x", "0.5-2j"), 0,
       "attribute 'x': expected float, found str"},
      {"ScalarType x", dtype_of(TENON_S8), TENON_KIND_DTYPE, "[x=s8]"},
      {"ScalarType x", tenon_arg_str("x", "float32"), TENON_KIND_DTYPE,
       "[x=f32]"},
      {"ScalarType x", tenon_arg_str("x", "f33"), 0,
       "attribute 'x': there is no element type 'f33'"},
      {"ScalarType x", dtype_of(77), 0,
       "attribute 'x': there is no element type 77"},
      {"ScalarType x", dtype_of(-1), 0,
       "attribute 'x': there is no element type -1"},
      {"ScalarType x", i, 0, "attribute 'x': expected ScalarType, found int"},
      {"ScalarType? x", dtype_of(0), 0, "[x=none]"},
      {"int[] x", list_of(TENON_KIND_INTS, ints, 3), TENON_KIND_INTS,
       "[x=[1, 2, 3]]"},
      {"int[] x", list_of(TENON_KIND_INTS, ints, 0), TENON_KIND_INTS, "[x=[]]"},
      {"int[] x", list_of(TENON_KIND_INTS, NULL, 0), TENON_KIND_INTS, "[x=[]]"},
      {"int[]? x", list_of(TENON_KIND_INTS, NULL, 0), 0, "[x=none]"},
      {"int[]? x", list_of(TENON_KIND_INTS, ints, 0), TENON_KIND_INTS,
       "[x=[]]"},
      {"int[] x", list_of(TENON_KIND_FLOATS, floats, 0), TENON_KIND_INTS,
       "[x=[]]"},
      {"int[] x", list_of(TENON_KIND_FLOATS, floats, 1), 0,
       "attribute 'x': expected int[], found a list with a float"},
      {"int[] x", i, 0, "attribute 'x': expected int[], found int"},
      {"int[] x", s, 0, "attribute 'x': expected int[], found str"},
      {"int[] x", none, 0, "attribute 'x': expected int[], found none"},
      {"int[3] x", i, TENON_KIND_INTS, "[x=[3, 3, 3]]"},
      {"int[3] x", list_of(TENON_KIND_INTS, ints, 1), TENON_KIND_INTS,
       "[x=[1, 1, 1]]"},
      {"int[3] x", list_of(TENON_KIND_INTS, ints, 3), TENON_KIND_INTS,
       "[x=[1, 2, 3]]"},
      {"int[3] x", list_of(TENON_KIND_INTS, ints, 2), 0,
       "attribute 'x': expected int[3], found a list of 2"},
      {"int[3] x", list_of(TENON_KIND_INTS, ints, 0), 0,
       "attribute 'x': expected int[3], found an empty list"},
      {"int[1] x", list_of(TENON_KIND_INTS, ints, 4), TENON_KIND_INTS,
       "[x=[1, 2, 3, 4]]"},
      {"int[1] x", list_of(TENON_KIND_INTS, ints, 0), TENON_KIND_INTS,
       "[x=[]]"},
      {"int[2] x=[]", list_of(TENON_KIND_INTS, ints, 0), TENON_KIND_INTS, ""},
      {"SymInt[] x", list_of(TENON_KIND_DIMS, fixed, 2), TENON_KIND_INTS,
       "[x=[5, 6]]"},
      {"SymInt[] x", list_of(TENON_KIND_DIMS, sizes, 2), TENON_KIND_DIMS,
       "[x=[?n, 6]]"},
      {"SymInt[3] x", list_of(TENON_KIND_DIMS, sizes, 1), TENON_KIND_DIMS,
       "[x=[?n, ?n, ?n]]"},
      {"int[] x", list_of(TENON_KIND_DIMS, sizes, 2), 0,
       "attribute 'x': expected int[], found sizes that are not numbers yet"},
      {"float[] x", list_of(TENON_KIND_DIMS, sizes, 2), 0,
       "attribute 'x': expected float[], found sizes that are not numbers "
       "yet"},
      {"float[] x", list_of(TENON_KIND_INTS, ints, 2), TENON_KIND_FLOATS,
       "[x=[1.0, 2.0]]"},
      {"float[] x", list_of(TENON_KIND_FLOATS, floats, 2), TENON_KIND_FLOATS,
       "[x=[0.5, 2.0]]"},
      {"float[2] x", f, TENON_KIND_FLOATS, "[x=[1.5, 1.5]]"},
      {"float[] x", list_of(TENON_KIND_BOOLS, bools, 2), 0,
       "attribute 'x': expected float[], found bool[]"},
      {"bool[2] x", b, TENON_KIND_BOOLS, "[x=[true, true]]"},
      {"bool[] x", list_of(TENON_KIND_BOOLS, bools, 2), TENON_KIND_BOOLS,
       "[x=[true, false]]"},
      {"Scalar[] x", list_of(TENON_KIND_SCALARS, mixed, 2), TENON_KIND_SCALARS,
       "[x=[3, true]]"},
      {"Scalar[] x", list_of(TENON_KIND_FLOATS, floats, 2), TENON_KIND_SCALARS,
       "[x=[0.5, 2.0]]"},
      {"int[] x", list_of(TENON_KIND_SCALARS, mixed, 1), TENON_KIND_INTS,
       "[x=[3]]"},
      {"str[] x", list_of(TENON_KIND_STRS, texts, 3), TENON_KIND_STRS,
       "[x=[\"up\", \"\", \"a\\\"b\"]]"},
      {"str[] x", list_of(TENON_KIND_STRS, texts, 0), TENON_KIND_STRS,
       "[x=[]]"},
      {"str[] x=['up']", list_of(TENON_KIND_STRS, texts, 1), TENON_KIND_STRS,
       ""},
      {"str[] x", list_of(TENON_KIND_INTS, ints, 0), TENON_KIND_STRS, "[x=[]]"},
      {"str[] x", list_of(TENON_KIND_INTS, ints, 1), 0,
       "attribute 'x': expected str[], found int[]"},
      {"str[] x", s, 0, "attribute 'x': expected str[], found str"},
      {"str[2] x", s, TENON_KIND_STRS, "[x=[\"up\", \"up\"]]"},
      {"str[2] x", list_of(TENON_KIND_STRS, texts, 1), TENON_KIND_STRS,
       "[x=[\"up\", \"up\"]]"},
      {"str[2] x", list_of(TENON_KIND_STRS, texts, 3), 0,
       "attribute 'x': expected str[2], found a list of 3"},
      {"str[2] x", list_of(TENON_KIND_STRS, texts, 0), 0,
       "attribute 'x': expected str[2], found an empty list"},
      {"str[] x", list_of(TENON_KIND_STRS, lacking, 2), 0,
       "attribute 'x': expected str[], found a list with none"},
      {"str x", list_of(TENON_KIND_STRS, texts, 1), 0,
       "attribute 'x': expected str, found str[]"},
      {"int[] x", list_of(TENON_KIND_STRS, texts, 1), 0,
       "attribute 'x': expected int[], found str[]"},
      {"str[][] x", list_of(TENON_KIND_INTS, ints, 1), 0,
       "attribute 'x': no value can be given for the type 'str[][]'"},
      {"str[] x", none, 0, "attribute 'x': expected str[], found none"},
      {"str[]? x", none, 0, "[x=none]"},
  };
  (void)state;
  EACH_ROW(n, rows) {
    fixture t;
    fixture_init(&t, tenon_heap());
    (void)tenon_symbols_leaf(&t.symbols, "n", 1, 9);
    const tenon_schema *schema = fixture_attrs(&t, rows[n].type);
    const tenon_arg given[] = {rows[n].given, END}, *out = NULL;
    bool is_fine = tenon_attr_complete(&t.arena, schema, given, &out, t.error,
                                       sizeof t.error);
    if (is_fine) {
      CHECK(out[0].kind == rows[n].kind, "row %zu", n);
      CHECK(out[0].name == schema->args[0].name && !out[1].name, "row %zu", n);
      tenon_buf_text(&t.buf, "");
      tenon_args_print(out, schema, &t.symbols, &t.buf);
    }
    CHECK_TEXT(is_fine ? t.buf.data : t.error, rows[n].want, n);
    fixture_deinit(&t);
  }
}

static void fills_in_defaults(void **state) {
  static const char arguments[] =
      "Tensor x, int n, float gain=1, int[2] stride=2, *, str mode='up', "
      "int? k=None, ScalarType t=long, Tensor? y=None, Scalar[] s=[1, 2.5]";
  fixture f;
  const tenon_arg *out = NULL, *again = NULL;
  (void)state;
  fixture_init(&f, tenon_heap());
  tenon_schema *s = fixture_attrs(&f, arguments);
  const tenon_arg given[] = {tenon_arg_str("mode", "down"),
                             tenon_arg_int("n", 3), END};
  assert_true(
      tenon_attr_complete(&f.arena, s, given, &out, f.error, sizeof f.error));
  tenon_args_print(out, NULL, NULL, &f.buf);
  assert_string_equal(f.buf.data,
                      "[n=3, gain=1.0, stride=[2, 2], mode=\"down\", k=none, "
                      "t=s64, s=[1, 2.5]]");
  assert_true(out[3].as.s != given[0].as.s);
  tenon_buf_clear(&f.buf);
  tenon_args_print(out, s, NULL, &f.buf);
  assert_string_equal(f.buf.data, "[n=3, mode=\"down\"]");
  // What is complete stays as it is.
  assert_true(
      tenon_attr_complete(&f.arena, s, out, &again, f.error, sizeof f.error));
  assert_true(tenon_args_equal(out, again));
  fixture_deinit(&f);
}

static void refuses_names(void **state) {
  const tenon_arg far[] = {tenon_arg_int("zzz", 1), END};
  const tenon_arg near_one[] = {tenon_arg_int("gian", 1), END};
  const tenon_arg operand[] = {tenon_arg_int("x", 1), END};
  const tenon_arg twice[] = {tenon_arg_int("gain", 1), tenon_arg_int("gain", 1),
                             END};
  const tenon_arg nothing[] = {END};
  const struct {
    const tenon_arg *given;
    const char *error;
  } rows[] = {
      {far, "acme::op has no attribute 'zzz'"},
      {near_one, "acme::op has no attribute 'gian', did you mean 'gain'?"},
      {operand, "'x' of acme::op is an operand, not an attribute"},
      {twice, "attribute 'gain' is given twice"},
      {nothing, "acme::op needs the attribute 'gain' (float)"},
      {NULL, "acme::op needs the attribute 'gain' (float)"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    fixture f;
    const tenon_arg *out = NULL;
    fixture_init(&f, tenon_heap());
    tenon_schema *s = fixture_attrs(&f, "Tensor x, float gain, int n=1");
    CHECK(!tenon_attr_complete(&f.arena, s, rows[i].given, &out, f.error,
                               sizeof f.error),
          "row %zu", i);
    CHECK_TEXT(f.error, rows[i].error, i);
    assert_false(
        tenon_attr_complete(&f.arena, s, rows[i].given, &out, NULL, 0));
    fixture_deinit(&f);
  }
}

static bool complete(const tenon_allocator *allocator, void *self) {
  fixture f;
  const tenon_arg *out = NULL;
  const tenon_arg given[] = {tenon_arg_int("a", 3),
                             tenon_arg_ints("b", ints, 4),
                             {"c", TENON_KIND_BOOLS, {0}},
                             tenon_arg_ints("d", ints, 2),
                             tenon_arg_str("e", "text"),
                             tenon_arg_dims("f", sizes, 2),
                             END};
  (void)self;
  fixture_init(&f, *allocator);
  tenon_schema *s = fixture_parse(
      &f,
      "a::b(int[2] a, float[] b, bool[] c, Scalar[] d, str e, SymInt[] f, "
      "float[2] g=3, str h='x') -> ()");
  bool is_fine = s && tenon_attr_complete(&f.arena, s, given, &out, f.error,
                                          sizeof f.error);
  CHECK(is_fine != f.arena.failed, "%s", f.error);
  if (!is_fine) assert_string_equal(f.error, "out of memory");
  fixture_deinit(&f);
  return is_fine;
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  test_sweep(complete, NULL);
}

static void reads_complex_numbers_as_printed(void **state) {
  static const double rows[][2] = {{1, 2},      {-0.5, -0.0},   {1e300, -1e-9},
                                   {0.1, 1e22}, {INFINITY, -1}, {-1e-5, 3}};
  (void)state;
  EACH_ROW(i, rows) {
    double real = 0, imaginary = 0;
    tenon_buf text;
    tenon_buf_init(&text, tenon_heap());
    tenon_complex_print(rows[i][0], rows[i][1], &text);
    CHECK(tenon_complex_parse(text.data, &real, &imaginary), "%s", text.data);
    CHECK(memcmp(&real, &rows[i][0], sizeof real) == 0 &&
              memcmp(&imaginary, &rows[i][1], sizeof real) == 0,
          "%s", text.data);
    tenon_buf_deinit(&text);
  }
}

TEST_GROUP(attr, cmocka_unit_test(reads_complex_numbers_as_printed),
           cmocka_unit_test(converts_as_torch_does),
           cmocka_unit_test(fills_in_defaults), cmocka_unit_test(refuses_names),
           cmocka_unit_test(survives_lack_of_memory))
