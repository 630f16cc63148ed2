#include "core/schema/schema.h"

#include "fixture.h"
#include "schema_samples.h"

// Parses, prints, and holds that the printed text is its own printed text.
static void check_round_trip(const char *text, size_t row) {
  fixture f, again;
  fixture_init(&f, tenon_heap());
  fixture_init(&again, tenon_heap());
  tenon_schema *s = fixture_parse(&f, text);
  CHECK(s != NULL, "row %zu, byte %zu of '%s': %s", row, f.at, text, f.error);
  tenon_schema_print(s, &f.buf);
  tenon_schema *t = fixture_parse(&again, f.buf.data);
  CHECK(t != NULL, "row %zu, byte %zu of '%s': %s", row, again.at, f.buf.data,
        again.error);
  tenon_schema_print(t, &again.buf);
  CHECK_TEXT(again.buf.data, f.buf.data, row);
  CHECK(s->n_tensors + s->n_attrs == s->n_args, "row %zu", row);
  fixture_deinit(&again);
  fixture_deinit(&f);
}

static void reads_what_torch_registers(void **state) {
  (void)state;
  EACH_ROW(i, samples)
  check_round_trip(samples[i], i);
}

static void reads_the_whole_list(void **state) {
  char line[8192];
  size_t row = 0;
  FILE *list = fopen(TEST_SCHEMAS, "r");
  (void)state;
  if (!list) skip();
  while (fgets(line, sizeof line, list)) {
    line[strcspn(line, "\n")] = 0;
    const char *tab = strrchr(line, '\t');
    const char *text = tab ? tab + 1 : line;
    ++row;
    if (line[0] == '#' || text[0] == 0 || strstr(text, "...")) continue;
    check_round_trip(text, row);
  }
  (void)fclose(list);
}

static void prints_canonically(void **state) {
  static const struct {
    const char *text, *want;
  } rows[] = {
      {" a :: b () -> () ", NULL},
      {"a::b()->()", "a::b() -> ()"},
      {"a::b.default(Tensor x)->(Tensor)", "a::b(Tensor x) -> Tensor"},
      {"a::b.out( Tensor  x,*,\n Tensor(a!)out )->Tensor( a ! )",
       "a::b.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"},
      {"a::b(*,int x=3)->()", "a::b(*, int x=3) -> ()"},
      {"a::b(float x=1, float y=-2.5e3)->()",
       "a::b(float x=1.0, float y=-2500.0) -> ()"},
      {"a::b(float x=inf, float y=-inf)->()",
       "a::b(float x=inf, float y=-inf) -> ()"},
      {"a::b(int[2] x=1, int[] y=[ ], bool[3] z=[True,False,True])->()",
       "a::b(int[2] x=[1, 1], int[] y=[], bool[3] z=[True, False, True]) -> "
       "()"},
      {"a::b(float[2] x=[1, 2], Scalar[] y=[1, 2.0, True])->()",
       "a::b(float[2] x=[1.0, 2.0], Scalar[] y=[1, 2.0, True]) -> ()"},
      {"a::b(Scalar x=1, Scalar y=1.0, Scalar? z=None)->()",
       "a::b(Scalar x=1, Scalar y=1.0, Scalar? z=None) -> ()"},
      {"a::b(str x='it''s')->()", NULL},
      {"a::b(str x='it\\'s', str y=\"\\x41\\102\\n\")->()",
       "a::b(str x=\"it's\", str y=\"AB\\n\") -> ()"},
      {"a::b(MemoryFormat x=contiguous_format, MemoryFormat? y=2, Layout z=0)"
       "->()",
       "a::b(MemoryFormat x=contiguous_format, MemoryFormat? y=channels_last, "
       "Layout z=strided) -> ()"},
      {"a::b(ScalarType x=long, ScalarType y=6, ScalarType z=s8)->()",
       "a::b(ScalarType x=int64, ScalarType y=float32, ScalarType z=int8) -> "
       "()"},
      {"a::b(Device d=\"cpu\", Device e=\"cuda:0\", Any a=\"None\")->()",
       "a::b(Device d=cpu, Device e=\"cuda:0\", Any a=\"None\") -> ()"},
      {"a::b(int reduction=Mean)->()", "a::b(int reduction=1) -> ()"},
      {"a::b(Dict(str,t[]) x, (int,Tensor)[] y)->((int,t)[])",
       "a::b(Dict(str, t[]) x, (int, Tensor)[] y) -> ((int, t)[])"},
      {"a::b(Tensor(a|b->c | *) x)->Tensor[]", NULL},
      {"a::b(Tensor(a | b->c | d) x)->Tensor[] ys",
       "a::b(Tensor(a|b -> c|d) x) -> Tensor[] ys"},
      {"a::b(Tensor(!) x)->(Tensor a,Tensor b)",
       "a::b(Tensor(!) x) -> (Tensor a, Tensor b)"},
      {"a::b(str[] x=[], str[]? y=None)->()",
       "a::b(str[] x=[], str[]? y=None) -> ()"},
      {"a::b(str[] x=['a', \"b\\\"\", ''], str[2] y='c')->()",
       "a::b(str[] x=[\"a\", \"b\\\"\", \"\"], str[2] y=[\"c\", \"c\"]) -> "
       "()"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    fixture f;
    fixture_init(&f, tenon_heap());
    tenon_schema *s = fixture_parse(&f, rows[i].text);
    CHECK((s != NULL) == (rows[i].want != NULL), "row %zu: %s", i, f.error);
    if (s) {
      tenon_schema_print(s, &f.buf);
      CHECK_TEXT(f.buf.data, rows[i].want, i);
      check_round_trip(rows[i].text, i);
    }
    fixture_deinit(&f);
  }
}

static void says_what_is_wrong(void **state) {
  static const struct {
    const char *text;
    size_t at;
    const char *error;
  } rows[] = {
      {"", 0, "expected an operator 'set::name', found the end"},
      {"1a::b() -> ()", 0, "expected an operator 'set::name', found '1a'"},
      {"a:b() -> ()", 1, "expected '::' behind the set, found ':'"},
      {"a::() -> ()", 3, "expected a name behind '::', found '('"},
      {"a::b.() -> ()", 5, "expected an overload behind '.', found '('"},
      {"a::b.*() -> ()", 5, "expected an overload behind '.', found '*'"},
      {"a::b[] -> ()", 4, "expected '(', found '['"},
      {"a::b(Tensor) -> ()", 11, "expected a name for the argument, found ')'"},
      {"a::b(Tensor x", 13, "expected ',' or ')', found the end"},
      {"a::b(Tensor x Tensor y) -> ()", 14,
       "expected ',' or ')', found 'Tensor'"},
      {"a::b(Tensor x,) -> ()", 14, "expected a type, found ')'"},
      {"a::b(*) -> ()", 6, "expected ',', found ')'"},
      {"a::b(*, *, int x) -> ()", 8, "expected a type, found '*'"},
      {"a::b(*, int x, *, int y) -> ()", 15, "expected an argument, found '*'"},
      {"a::b(Tensor x, int x) -> ()", 19, "a second argument 'x'"},
      {"a::b(Tensor x, ...) -> ()", 15,
       "expected an argument, found '...': varargs have no names to be told "
       "by"},
      {"a::b() -> ...", 10,
       "expected an argument, found '...': varargs have no names to be told "
       "by"},
      {"a::b()", 6, "expected '->', found the end"},
      {"a::b() -> ", 10, "expected a type, found the end"},
      {"a::b() -> Tensor, Tensor", 16,
       "expected the end of the schema, found ','"},
      {"a::b() -> (Tensor", 17, "expected ',' or ')', found the end"},
      {"a::b() -> () x", 13, "expected the end of the schema, found 'x'"},
      {"a::b(int[0] x) -> ()", 9,
       "expected a length from 1 to 1024, found '0'"},
      {"a::b(int[x] x) -> ()", 9,
       "expected a length from 1 to 1024, found 'x'"},
      {"a::b(int[99999999999] x) -> ()", 9,
       "expected a length from 1 to 1024, found '99999999999'"},
      {"a::b(int[2 x) -> ()", 11, "expected ']', found 'x'"},
      {"a::b(Tensor(a x) -> ()", 14,
       "expected ')' behind the alias set, found 'x'"},
      {"a::b(Tensor(a)(b) x) -> ()", 14, "a second alias set"},
      {"a::b(Tensor() x) -> ()", 12,
       "expected the name of an alias set, found ')'"},
      {"a::b(c. ) -> ()", 8, "expected a name behind '.', found ')'"},
      {"a::b(c.(x) -> ()", 7, "expected a name behind '.', found '('"},
      {"a::b(int x=) -> ()", 11, "expected a default, found ')'"},
      {"a::b(int x=y) -> ()", 11, "expected a number, found 'y'"},
      {"a::b(int x=1.5) -> ()", 11, "attribute 'x': expected int, found float"},
      {"a::b(int x=True) -> ()", 11, "attribute 'x': expected int, found bool"},
      {"a::b(bool x=1) -> ()", 12, "attribute 'x': expected bool, found int"},
      {"a::b(bool x=yes) -> ()", 12, "expected True or False, found 'yes'"},
      {"a::b(int x=None) -> ()", 11, "None is no default for 'int'"},
      {"a::b(int x=99999999999999999999) -> ()", 11,
       "attribute 'x': expected int, found float"},
      {"a::b(int[2] x=[1, 2, 3]) -> ()", 14,
       "attribute 'x': expected int[2], found a list of 3"},
      {"a::b(int[] x=1) -> ()", 13, "attribute 'x': expected int[], found int"},
      {"a::b(int[] x=[1,) -> ()", 16, "expected a number, found ')'"},
      {"a::b(int[] x=[1) -> ()", 15, "expected ',' or ']', found ')'"},
      {"a::b(int[] x=[1.5]) -> ()", 13,
       "attribute 'x': expected int[], found a list with a float"},
      {"a::b(str[] x=[1]) -> ()", 14, "expected a string, found '1'"},
      {"a::b(str[] x=['a' 'b']) -> ()", 18, "expected ',' or ']', found '''"},
      {"a::b(str[] x='a') -> ()", 13,
       "attribute 'x': expected str[], found str"},
      {"a::b(str x=y) -> ()", 11, "expected a string, found 'y'"},
      {"a::b(str x='y) -> ()", 11, "expected a closing ' for this string"},
      {"a::b(str x='\\q') -> ()", 12, "expected an escape, found '\\q'"},
      {"a::b(str x='\\0') -> ()", 12, "expected an escape, found '\\0'"},
      {"a::b(str x='\\x1') -> ()", 12, "expected an escape, found '\\x'"},
      {"a::b(ScalarType x=f33) -> ()", 18,
       "expected an element type, found 'f33'"},
      {"a::b(Tensor x=1) -> ()", 14,
       "expected None, the only default of a tensor, found '1'"},
      {"a::b(Dict(int x) -> ()", 14, "expected ',' or ')', found 'x'"},
      {"a::b(\xc3\xa9 x) -> ()", 5, "expected a type, found byte 0xc3"},
      {"a::b((((((((((((((((((int)))))))))))))))))) x) -> ()", 22,
       "types nested more than 16 deep"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    fixture f;
    fixture_init(&f, tenon_heap());
    CHECK(!fixture_parse(&f, rows[i].text), "row %zu", i);
    CHECK_TEXT(f.error, rows[i].error, i);
    CHECK(f.at == rows[i].at, "row %zu: byte %zu", i, f.at);
    fixture_deinit(&f);
  }
}

static void needs_no_room_for_errors(void **state) {
  fixture f;
  tenon_schema *s = NULL;
  char small[8];
  (void)state;
  fixture_init(&f, tenon_heap());
  assert_false(tenon_schema_parse(&f.arena, "a::b", &s, NULL, 0, NULL));
  assert_false(tenon_schema_parse(&f.arena, "a::b", &s, small, 8, NULL));
  assert_string_equal(small, "expecte");
  fixture_deinit(&f);
}

static void fills_arguments(void **state) {
  static const struct {
    const char *type;
    uint8_t base;
    bool is_list, is_optional, has_optional_elements, is_symbolic, is_written;
    int32_t length;
    uint32_t kind;
    const char *alias;
  } rows[] = {
      {"Tensor", TENON_BASE_TENSOR, 0, 0, 0, 0, 0, 0, 0, NULL},
      {"Tensor?", TENON_BASE_TENSOR, 0, 1, 0, 0, 0, 0, 0, NULL},
      {"Tensor[]", TENON_BASE_TENSOR, 1, 0, 0, 0, 0, 0, 0, NULL},
      {"Tensor?[]", TENON_BASE_TENSOR, 1, 0, 1, 0, 0, 0, 0, NULL},
      {"Tensor?[]?", TENON_BASE_TENSOR, 1, 1, 1, 0, 0, 0, 0, NULL},
      {"Tensor(a!)[]", TENON_BASE_TENSOR, 1, 0, 0, 0, 1, 0, 0, "a"},
      {"Tensor(a|b)?", TENON_BASE_TENSOR, 0, 1, 0, 0, 0, 0, 0, "a|b"},
      {"Tensor(a -> *)", TENON_BASE_TENSOR, 0, 0, 0, 0, 0, 0, 0, "a"},
      {"Tensor(*)", TENON_BASE_TENSOR, 0, 0, 0, 0, 0, 0, 0, "*"},
      {"int", TENON_BASE_INT, 0, 0, 0, 0, 0, 0, TENON_KIND_INT, NULL},
      {"int?", TENON_BASE_INT, 0, 1, 0, 0, 0, 0, TENON_KIND_OPT_INT, NULL},
      {"SymInt", TENON_BASE_INT, 0, 0, 0, 1, 0, 0, TENON_KIND_INT, NULL},
      {"SymInt[2]", TENON_BASE_INT, 1, 0, 0, 1, 0, 2, TENON_KIND_INTS, NULL},
      {"int[1]?", TENON_BASE_INT, 1, 1, 0, 0, 0, 1, TENON_KIND_INTS, NULL},
      {"int?[]", TENON_BASE_INT, 1, 0, 1, 0, 0, 0, 0, NULL},
      {"int[][]", TENON_BASE_NAME, 1, 0, 0, 0, 0, 0, 0, NULL},
      {"float", TENON_BASE_FLOAT, 0, 0, 0, 0, 0, 0, TENON_KIND_FLOAT, NULL},
      {"float?", TENON_BASE_FLOAT, 0, 1, 0, 0, 0, 0, TENON_KIND_OPT_FLOAT,
       NULL},
      {"float[]?", TENON_BASE_FLOAT, 1, 1, 0, 0, 0, 0, TENON_KIND_FLOATS, NULL},
      {"bool", TENON_BASE_BOOL, 0, 0, 0, 0, 0, 0, TENON_KIND_BOOL, NULL},
      {"bool?", TENON_BASE_BOOL, 0, 1, 0, 0, 0, 0, TENON_KIND_OPT_BOOL, NULL},
      {"bool[3]", TENON_BASE_BOOL, 1, 0, 0, 0, 0, 3, TENON_KIND_BOOLS, NULL},
      {"SymBool", TENON_BASE_BOOL, 0, 0, 0, 1, 0, 0, TENON_KIND_BOOL, NULL},
      {"str", TENON_BASE_STR, 0, 0, 0, 0, 0, 0, TENON_KIND_STR, NULL},
      {"str?", TENON_BASE_STR, 0, 1, 0, 0, 0, 0, TENON_KIND_STR, NULL},
      {"str[]", TENON_BASE_STR, 1, 0, 0, 0, 0, 0, TENON_KIND_STRS, NULL},
      {"str[]?", TENON_BASE_STR, 1, 1, 0, 0, 0, 0, TENON_KIND_STRS, NULL},
      {"str?[]", TENON_BASE_STR, 1, 0, 1, 0, 0, 0, 0, NULL},
      {"Scalar", TENON_BASE_SCALAR, 0, 0, 0, 0, 0, 0, TENON_KIND_SCALAR, NULL},
      {"Scalar?", TENON_BASE_SCALAR, 0, 1, 0, 0, 0, 0, TENON_KIND_SCALAR, NULL},
      {"Scalar[]", TENON_BASE_SCALAR, 1, 0, 0, 0, 0, 0, TENON_KIND_SCALARS,
       NULL},
      {"ScalarType?", TENON_BASE_DTYPE, 0, 1, 0, 0, 0, 0, TENON_KIND_DTYPE,
       NULL},
      {"MemoryFormat", TENON_BASE_NAME, 0, 0, 0, 0, 0, 0, TENON_KIND_STR, NULL},
      {"Generator?", TENON_BASE_NAME, 0, 1, 0, 0, 0, 0, TENON_KIND_STR, NULL},
      {"t(a -> *)", TENON_BASE_NAME, 0, 0, 0, 0, 0, 0, TENON_KIND_STR, "a"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    char text[80];
    fixture f;
    fixture_init(&f, tenon_heap());
    (void)snprintf(text, sizeof text, "%s x", rows[i].type);
    const tenon_argument *a = &fixture_attrs(&f, text)->args[0];
    CHECK_TEXT(a->name, "x", i);
    CHECK_TEXT(a->type_text, rows[i].type, i);
    CHECK(a->base == rows[i].base && a->kind == rows[i].kind, "row %zu", i);
    CHECK(a->is_list == rows[i].is_list && a->length == rows[i].length,
          "row %zu", i);
    CHECK(a->is_optional == rows[i].is_optional &&
              a->has_optional_elements == rows[i].has_optional_elements,
          "row %zu", i);
    CHECK(a->is_symbolic == rows[i].is_symbolic &&
              a->is_written == rows[i].is_written,
          "row %zu", i);
    if (rows[i].alias) CHECK_TEXT(a->alias, rows[i].alias, i);
    if (!rows[i].alias) CHECK(!a->alias, "row %zu", i);
    CHECK(!a->has_default && !a->is_keyword_only, "row %zu", i);
    fixture_deinit(&f);
  }
}

static void finds_arguments(void **state) {
  fixture f;
  (void)state;
  fixture_init(&f, tenon_heap());
  tenon_schema *s = fixture_parse(
      &f, "a::b(Tensor x, int n, Tensor? y=None, *, float g=2) -> Tensor");
  assert_non_null(s);
  assert_int_equal(s->n_args, 4);
  assert_int_equal(s->n_tensors, 2);
  assert_int_equal(s->n_attrs, 2);
  assert_string_equal(tenon_schema_tensor(s, 1)->name, "y");
  assert_string_equal(tenon_schema_attr(s, 0)->name, "n");
  assert_string_equal(tenon_schema_attr(s, 1)->name, "g");
  assert_null(tenon_schema_tensor(s, 2));
  assert_null(tenon_schema_attr(s, -1));
  assert_null(tenon_schema_find(s, "z"));
  const tenon_argument *g = tenon_schema_find(s, "g");
  assert_true(g->is_keyword_only && g->has_default);
  assert_string_equal(g->value.name, "g");
  assert_int_equal(g->value.kind, TENON_KIND_FLOAT);
  assert_true(g->value.as.f == 2.0);
  assert_false(tenon_schema_find(s, "y")->is_keyword_only);
  assert_string_equal(s->returns[0].name, "");
  fixture_deinit(&f);
}

static void tells_what_is_written(void **state) {
  static const struct {
    const char *text;
    int n_written, written[2];
    int return_of[3];  // of results 0 to 2
  } rows[] = {
      {"a::b(Tensor x) -> Tensor", 0, {0}, {-1, -1, -1}},
      {"a::b(Tensor(a!) x) -> Tensor(a!)", 0, {0}, {0, -1, -1}},
      {"a::b(Tensor(a!) x) -> ()", 1, {0}, {-1, -1, -1}},
      {"a::b(int n, Tensor x, *, Tensor(a!) y, Tensor(b!) z) -> "
       "(Tensor(b!), Tensor(a!))",
       0,
       {0},
       {2, 1, -1}},
      {"a::b(Tensor(a!) x, Tensor(b!) y) -> (Tensor, Tensor(b!), int)",
       1,
       {0},
       {-1, 1, -1}},
      {"a::b(Tensor(a!)[] xs, Tensor(b!)[] ys) -> ()", 2, {0, 1}, {-1, -1, -1}},
      // A view of what is written is not the thing itself.
      {"a::b(Tensor(a!) x) -> Tensor(a)", 1, {0}, {-1, -1, -1}},
      {"a::b(Tensor(a) x) -> Tensor(a)", 0, {0}, {-1, -1, -1}},
      {"a::b(Tensor(!) x) -> Tensor(!)", 1, {0}, {-1, -1, -1}},
      {"a::b(Tensor(a|c!) x) -> Tensor(b|c!)", 0, {0}, {0, -1, -1}},
      {"a::b(t(a!) x) -> t(a!)", 0, {0}, {-1, -1, -1}},
  };
  (void)state;
  EACH_ROW(i, rows) {
    fixture f;
    fixture_init(&f, tenon_heap());
    tenon_schema *s = fixture_parse(&f, rows[i].text);
    CHECK(s != NULL, "row %zu: %s", i, f.error);
    CHECK(s->n_written == rows[i].n_written, "row %zu", i);
    for (int j = 0; j < s->n_written; ++j)
      CHECK(s->written[j] == rows[i].written[j], "row %zu", i);
    for (int j = 0; j < 3; ++j)
      CHECK(tenon_schema_return_of(s, j) == rows[i].return_of[j],
            "row %zu, result %d", i, j);
    CHECK(tenon_schema_return_of(s, -1) == -1, "row %zu", i);
    fixture_deinit(&f);
  }
}

static void parses_names(void **state) {
  static const struct {
    const char *text, *name, *set, *base, *overload;
  } rows[] = {
      {"a::b", "a::b", "a", "b", ""},
      {"a::b.c", "a::b.c", "a", "b", "c"},
      {"a::b.default", "a::b", "a", "b", ""},
      {"aten::__and__.Tensor", "aten::__and__.Tensor", "aten", "__and__",
       "Tensor"},
      {"a::b.*", "a::b.*", "a", "b", "*"},
      {"a::*", "a::*", "a", "*", ""},
      {"a", NULL, NULL, NULL, NULL},
      {"a:b", NULL, NULL, NULL, NULL},
      {"::b", NULL, NULL, NULL, NULL},
      {"a::", NULL, NULL, NULL, NULL},
      {"a::b.", NULL, NULL, NULL, NULL},
      {"a::b.c.d", NULL, NULL, NULL, NULL},
      {"a::b::c", NULL, NULL, NULL, NULL},
      {"*::b", NULL, NULL, NULL, NULL},
      {"a::*.c", NULL, NULL, NULL, NULL},
      {"a::2", NULL, NULL, NULL, NULL},
      {"a ::b", NULL, NULL, NULL, NULL},
      {"a::b ", NULL, NULL, NULL, NULL},
      {"", NULL, NULL, NULL, NULL},
  };
  (void)state;
  EACH_ROW(i, rows) {
    fixture f;
    const char *name = NULL, *set = NULL, *base = NULL, *overload = NULL;
    fixture_init(&f, tenon_heap());
    CHECK(tenon_name_parse(&f.arena, rows[i].text, &name, &set, &base,
                           &overload) == (rows[i].name != NULL),
          "row %zu", i);
    if (rows[i].name) {
      CHECK_TEXT(name, rows[i].name, i);
      CHECK_TEXT(set, rows[i].set, i);
      CHECK_TEXT(base, rows[i].base, i);
      CHECK_TEXT(overload, rows[i].overload, i);
    }
    fixture_deinit(&f);
  }
}

static void takes_many_arguments(void **state) {
  fixture f;
  (void)state;
  fixture_init(&f, tenon_heap());
  tenon_buf_text(&f.buf, "a::b(int x0");
  for (int i = 1; i < 4096; ++i)
    tenon_buf_format(&f.buf, ", int x%d", i);
  tenon_buf_text(&f.buf, ") -> ()");
  tenon_schema *s = fixture_parse(&f, f.buf.data);
  assert_non_null(s);
  assert_int_equal(s->n_attrs, 4096);
  f.buf.size -= strlen(") -> ()");
  tenon_buf_text(&f.buf, ", int x) -> ()");
  assert_null(fixture_parse(&f, f.buf.data));
  assert_string_equal(f.error, "more than 4096 of these");
  fixture_deinit(&f);
}

static void tells_types_that_nobody_has(void **state) {
  static const struct {
    const char *text;
    size_t at;
    const char *error;  // null: all are there
  } rows[] = {
      {"a::b(Tensr x) -> Tensor", 5,
       "'Tensr' is no type of a schema; did you mean 'Tensor'?"},
      {"a::b(Tensor Tensr, Tensr[]? x) -> Tensor", 19,
       "'Tensr' is no type of a schema; did you mean 'Tensor'?"},
      {"a::b(Tensor x, *, flaot y=1) -> Tensor", 18,
       "'flaot' is no type of a schema; did you mean 'float'?"},
      {"a::b(Tensor x) -> Tensr", 18,
       "'Tensr' is no type of a schema; did you mean 'Tensor'?"},
      {"a::b(Colour x) -> Tensor", 5, "'Colour' is no type of a schema"},
      {"a::b(Tensor?[] x, int[][] y, MemoryFormat? m, complex c, t z) -> ()", 0,
       NULL},
      {"a::b(Dict(str, t) x, (int, t) y, __torch__.torch.A z) -> ()", 0, NULL}};
  fixture f;
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    char error[128] = "";
    size_t at = 0;
    fixture_init(&f, tenon_heap());
    tenon_schema *s = fixture_parse(&f, rows[i].text);
    CHECK(s, "%s: %s", rows[i].text, f.error);
    bool is_fine =
        tenon_schema_check_types(s, rows[i].text, error, sizeof error, &at);
    CHECK(is_fine == !rows[i].error, "%s: %s", rows[i].text, error);
    if (rows[i].error) assert_string_equal(error, rows[i].error);
    CHECK(at == rows[i].at, "%s: at %zu", rows[i].text, at);
    fixture_deinit(&f);
  }
}

static bool parse_and_print(const tenon_allocator *allocator, void *self) {
  static const char text[] =
      "acme::gain.out(Tensor(a!) x, Dict(str, t)[] d, *, float gain=1.0, "
      "int[2] size=3, str? mode='up', ScalarType t=long, Scalar[] s=[1, 2.0], "
      "MemoryFormat? m=None, Tensor(b|c!) out) -> (Tensor(b!) y, (int, t) z)";
  fixture f;
  (void)self;
  fixture_init(&f, *allocator);
  tenon_schema *s = fixture_parse(&f, text);
  CHECK((s != NULL) != f.arena.failed, "%s", f.error);
  if (!s) assert_string_equal(f.error, "out of memory");
  if (s) tenon_schema_print(s, &f.buf);
  bool is_fine = s && !f.buf.failed;
  fixture_deinit(&f);
  return is_fine;
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  test_sweep(parse_and_print, NULL);
}

TEST_GROUP(schema, cmocka_unit_test(reads_what_torch_registers),
           cmocka_unit_test(reads_the_whole_list),
           cmocka_unit_test(prints_canonically),
           cmocka_unit_test(says_what_is_wrong),
           cmocka_unit_test(needs_no_room_for_errors),
           cmocka_unit_test(fills_arguments), cmocka_unit_test(finds_arguments),
           cmocka_unit_test(tells_what_is_written),
           cmocka_unit_test(parses_names),
           cmocka_unit_test(takes_many_arguments),
           cmocka_unit_test(tells_types_that_nobody_has),
           cmocka_unit_test(survives_lack_of_memory))
