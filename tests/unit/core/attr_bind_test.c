#include "core/attr.h"
#include "fixture.h"

typedef struct every {
  bool flag;
  int64_t n;
  double gain;
  const char *mode;
  tenon_dtype dtype;
  tenon_ints sizes;
  tenon_floats floats;
  tenon_bools bools;
  tenon_scalar scalar;
  tenon_scalars scalars;
  tenon_strs strs;
  tenon_opt_bool maybe_flag;
  tenon_opt_int maybe_n;
  tenon_opt_float maybe_gain;
} every;

// In another order than the schema's, and one member under another name.
static const tenon_field every_fields[] = {TENON_FIELD(every, maybe_gain),
                                           TENON_FIELD(every, maybe_n),
                                           TENON_FIELD(every, maybe_flag),
                                           TENON_FIELD(every, scalars),
                                           TENON_FIELD(every, scalar),
                                           TENON_FIELD(every, bools),
                                           TENON_FIELD(every, floats),
                                           TENON_FIELD_AS(every, sizes, "size"),
                                           TENON_FIELD(every, dtype),
                                           TENON_FIELD(every, mode),
                                           TENON_FIELD(every, gain),
                                           TENON_FIELD(every, n),
                                           TENON_FIELD(every, flag),
                                           TENON_FIELD(every, strs),
                                           TENON_END_FIELDS};

static const char every_arguments[] =
    "Tensor x, bool flag=True, SymInt n=3, float gain=0.5, str? mode='up', "
    "ScalarType? dtype=int8, SymInt[]? size=[1, 2], float[]? floats=[0.5], "
    "bool[]? bools=[True], Scalar? scalar=2.5, Scalar[]? scalars=[1, True], "
    "bool? maybe_flag=True, SymInt? maybe_n=7, float? maybe_gain=1.5, "
    "str[]? strs=['a', '']";

static const tenon_arg *complete(fixture *f, const tenon_schema *s,
                                 const tenon_arg *given) {
  const tenon_arg *out = NULL;
  CHECK(
      tenon_attr_complete(&f->arena, s, given, &out, f->error, sizeof f->error),
      "%s", f->error);
  return out;
}

static void agrees_with_the_compiler(void **state) {
  fixture f;
  (void)state;
  fixture_init(&f, tenon_heap());
  tenon_schema *s = fixture_attrs(&f, every_arguments);
  CHECK(tenon_attr_check_fields(s, every_fields, sizeof(every), f.error,
                                sizeof f.error),
        "%s", f.error);
  s = fixture_attrs(&f, "Tensor x");
  assert_true(tenon_attr_check_fields(s, NULL, 0, f.error, sizeof f.error));
  fixture_deinit(&f);
}

static void fills_every_member(void **state) {
  fixture f;
  (void)state;
  fixture_init(&f, tenon_heap());
  tenon_schema *s = fixture_attrs(&f, every_arguments);
  const tenon_arg *args = complete(&f, s, NULL), *back = NULL;
  const every *e = tenon_attr_bind(&f.arena, every_fields, sizeof(every), args);
  assert_true(e->flag && e->n == 3 && e->gain == 0.5);
  assert_string_equal(e->mode, "up");
  assert_int_equal(e->dtype, TENON_S8);
  assert_true(e->sizes.count == 2 && e->sizes.data[1] == 2);
  assert_true(e->floats.count == 1 && e->floats.data[0] == 0.5);
  assert_true(e->bools.count == 1 && e->bools.data[0]);
  assert_true(e->scalar.kind == TENON_KIND_FLOAT && e->scalar.as.f == 2.5);
  assert_true(e->scalars.count == 2 &&
              e->scalars.data[1].kind == TENON_KIND_BOOL);
  assert_int_equal(e->strs.count, 2);
  assert_string_equal(e->strs.data[0], "a");
  assert_string_equal(e->strs.data[1], "");
  assert_true(e->maybe_flag.has && e->maybe_flag.value);
  assert_true(e->maybe_n.has && e->maybe_n.value == 7);
  assert_true(e->maybe_gain.has && e->maybe_gain.value == 1.5);
  assert_true(tenon_attr_unbind(&f.arena, s, every_fields, e, &back));
  assert_true(tenon_args_equal(args, back));
  fixture_deinit(&f);
}

static void leaves_absent_members_zero(void **state) {
  static const char *const names[] = {
      "mode",   "dtype",   "size",       "floats",  "bools",
      "scalar", "scalars", "maybe_flag", "maybe_n", "maybe_gain"};
  tenon_arg given[COUNT(names) + 1] = {TENON_END_ARGS};
  fixture f;
  (void)state;
  fixture_init(&f, tenon_heap());
  EACH_ROW(i, names)
  given[i].name = names[i];
  tenon_schema *s = fixture_attrs(&f, every_arguments);
  const tenon_arg *args = complete(&f, s, given), *back = NULL;
  const every *e = tenon_attr_bind(&f.arena, every_fields, sizeof(every), args);
  assert_true(!e->mode && e->dtype == 0 && !e->sizes.data && !e->floats.data &&
              !e->bools.data && e->scalar.kind == 0 && !e->scalars.data &&
              !e->maybe_flag.has && !e->maybe_n.has && !e->maybe_gain.has);
  assert_true(tenon_attr_unbind(&f.arena, s, every_fields, e, &back));
  assert_true(tenon_args_equal(args, back));
  fixture_deinit(&f);
}

static void hides_sizes_that_are_unknown(void **state) {
  static const tenon_dim sizes[] = {{0, 1}, {6, 0}};
  const tenon_arg given[] = {
      tenon_arg_dims("n", sizes, 1), tenon_arg_dims("size", sizes, 2),
      tenon_arg_dims("scalar", sizes, 1), tenon_arg_dims("maybe_n", sizes, 1),
      TENON_END_ARGS};
  fixture f;
  (void)state;
  fixture_init(&f, tenon_heap());
  tenon_schema *s = fixture_attrs(&f, every_arguments);
  const tenon_arg *args = complete(&f, s, given);
  const every *e = tenon_attr_bind(&f.arena, every_fields, sizeof(every), args);
  assert_true(e->n == TENON_UNKNOWN);
  assert_true(e->sizes.data[0] == TENON_UNKNOWN && e->sizes.data[1] == 6);
  assert_true(e->scalar.kind == TENON_KIND_INT &&
              e->scalar.as.i == TENON_UNKNOWN);
  assert_true(e->maybe_n.has && e->maybe_n.value == TENON_UNKNOWN);
  // Without fields the array itself, with numbers only.
  const tenon_arg *plain = tenon_attr_bind(&f.arena, NULL, 0, args);
  for (const tenon_arg *a = plain; a->name; ++a)
    CHECK(a->kind != TENON_KIND_DIMS, "%s", a->name);
  assert_string_equal(plain[5].name, "size");
  assert_int_equal(plain[5].kind, TENON_KIND_INTS);
  assert_true(plain[5].as.ints.data[0] == TENON_UNKNOWN);
  args = complete(&f, s, NULL);
  assert_ptr_equal(tenon_attr_bind(&f.arena, NULL, 0, args), args);
  assert_null(
      ((const tenon_arg *)tenon_attr_bind(&f.arena, NULL, 0, NULL))->name);
  fixture_deinit(&f);
}

static void reads_structs_that_are_half_filled(void **state) {
  typedef struct few {
    tenon_ints a;
    tenon_floats b;
    tenon_ints c;
  } few;
  static const tenon_field fields[] = {TENON_FIELD(few, a), TENON_FIELD(few, b),
                                       TENON_FIELD(few, c), TENON_END_FIELDS};
  const few empty = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
  const tenon_arg *out = NULL;
  fixture f;
  (void)state;
  fixture_init(&f, tenon_heap());
  tenon_schema *s = fixture_attrs(&f, "int[] a, float[] b, int[]? c");
  assert_true(tenon_attr_unbind(&f.arena, s, fields, &empty, &out));
  tenon_args_print(out, NULL, NULL, &f.buf);
  assert_string_equal(f.buf.data, "[a=[], b=[], c=none]");
  assert_false(tenon_attr_unbind(&f.arena, s, fields + 1, &empty, &out));
  fixture_deinit(&f);
}

typedef struct pair {
  int64_t n;
  bool flag;
} pair;

static void refuses_fields(void **state) {
  static const tenon_field good[] = {TENON_FIELD(pair, n),
                                     TENON_FIELD(pair, flag), TENON_END_FIELDS};
  static const tenon_field one[] = {TENON_FIELD(pair, n), TENON_END_FIELDS};
  static const tenon_field twice[] = {
      TENON_FIELD(pair, n), TENON_FIELD_AS(pair, n, "n"),
      TENON_FIELD(pair, flag), TENON_END_FIELDS};
  static const tenon_field shifted[] = {{"n", "n", 0, TENON_KIND_INT},
                                        {"flag", "flag", 12, TENON_KIND_BOOL},
                                        TENON_END_FIELDS};
  static const tenon_field over[] = {{"n", "n", 0, TENON_KIND_INT},
                                     {"flag", "flag", 4, TENON_KIND_BOOL},
                                     TENON_END_FIELDS};
  static const tenon_field unknown[] = {{"n", "n", 0, 99}, TENON_END_FIELDS};
  char too_large[100];
  const struct {
    const char *arguments;
    const tenon_field *fields;
    size_t size;
    const char *error;
  } rows[] = {
      {"int n, bool flag", good, sizeof(pair), NULL},
      {"bool flag, Tensor x, int n", good, sizeof(pair), NULL},
      {"float n, bool flag", good, sizeof(pair),
       "schema argument 'float n' has no field of that kind: it is int"},
      {"int? n, bool flag", good, sizeof(pair),
       "schema argument 'int? n' has no field of that kind: it is int"},
      {"int n, bool flag", one, sizeof(pair),
       "schema argument 'bool flag' has no field of that kind"},
      {"int n, bool flag", twice, sizeof(pair),
       "schema argument 'n' has two fields"},
      {"int n", good, sizeof(pair),
       "field 'flag' is no attribute of the "
       "schema"},
      {"int n, Tensor flag", good, sizeof(pair),
       "field 'flag' is no attribute of the schema"},
      {"str[] n", one, sizeof(pair),
       "schema argument 'str[] n' has no field of that kind: it is int"},
      {"int n", unknown, sizeof(pair),
       "schema argument 'int n' has no field of that kind: it is a value of "
       "unknown kind"},
      {"int n, bool flag", good, sizeof(pair) + 8, too_large},
      {"int n, bool flag", shifted, sizeof(pair),
       "offset of the field 'flag' is 12, this machine lays it out as 8"},
      {"int n, bool flag", over, sizeof(pair), "two fields overlap"},
      {"int n", NULL, 8, "attributes of 8 bytes without fields"},
  };
  (void)state;
  (void)snprintf(too_large, sizeof too_large,
                 "size of the attributes is %zu, this machine lays it out as "
                 "%zu",
                 sizeof(pair) + 8, sizeof(pair));
  EACH_ROW(i, rows) {
    fixture f;
    fixture_init(&f, tenon_heap());
    tenon_schema *s = fixture_attrs(&f, rows[i].arguments);
    bool is_fine = tenon_attr_check_fields(s, rows[i].fields, rows[i].size,
                                           f.error, sizeof f.error);
    CHECK(is_fine == !rows[i].error, "row %zu: %s", i, f.error);
    if (rows[i].error) CHECK_TEXT(f.error, rows[i].error, i);
    fixture_deinit(&f);
  }
}

static void knows_kinds(void **state) {
  size_t align = 0;
  (void)state;
  assert_int_equal(tenon_kind_size(TENON_KIND_OPT_INT, &align),
                   sizeof(tenon_opt_int));
  assert_int_equal(align, _Alignof(tenon_opt_int));
  assert_int_equal(tenon_kind_size(TENON_KIND_DIMS, &align), 0);
  assert_int_equal(tenon_kind_size(0, &align), 0);
  assert_int_equal(tenon_kind_size(99, &align), 0);
  for (uint32_t kind = 1; kind <= TENON_KIND_STRS; ++kind)
    CHECK(tenon_kind_name(kind) != NULL, "kind %u", (unsigned)kind);
  assert_string_equal(tenon_kind_name(TENON_KIND_FLOATS), "float[]");
  assert_string_equal(tenon_kind_name(0), "none");
}

static bool there_and_back(const tenon_allocator *allocator, void *self) {
  static const tenon_dim sizes[] = {{0, 1}, {6, 0}};
  const tenon_arg *args = NULL, *back = NULL;
  const tenon_arg unknown[] = {tenon_arg_dims("size", sizes, 2),
                               TENON_END_ARGS};
  fixture f;
  (void)self;
  fixture_init(&f, *allocator);
  char text[500];
  (void)snprintf(text, sizeof text, "a::b(%s) -> ()", every_arguments);
  tenon_schema *s = fixture_parse(&f, text);
  bool is_fine = s && tenon_attr_complete(&f.arena, s, unknown, &args, f.error,
                                          sizeof f.error);
  const void *e = NULL, *plain = NULL;
  if (is_fine) {
    e = tenon_attr_bind(&f.arena, every_fields, sizeof(every), args);
    plain = tenon_attr_bind(&f.arena, NULL, 0, args);
  }
  is_fine =
      e && plain && tenon_attr_unbind(&f.arena, s, every_fields, e, &back);
  CHECK(is_fine != f.arena.failed, "%s", f.error);
  fixture_deinit(&f);
  return is_fine;
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  test_sweep(there_and_back, NULL);
}

TEST_GROUP(attr_bind, cmocka_unit_test(agrees_with_the_compiler),
           cmocka_unit_test(fills_every_member),
           cmocka_unit_test(leaves_absent_members_zero),
           cmocka_unit_test(hides_sizes_that_are_unknown),
           cmocka_unit_test(reads_structs_that_are_half_filled),
           cmocka_unit_test(refuses_fields), cmocka_unit_test(knows_kinds),
           cmocka_unit_test(survives_lack_of_memory))
