#include "reg/kernel_types.h"

#include "core/schema/schema.h"
#include "harness/harness.h"

static const struct {
  const char *types, *order, *schema;
  const char *error;  // null: fits
} rows[] = {
    {"f32 -> f32", NULL, "a::b(Tensor x) -> Tensor", NULL},
    {" f32 , f32|s8q ->f32 ", NULL, "a::b(Tensor x, Tensor y) -> Tensor", NULL},
    {"-> f32", NULL, "a::b(int n) -> Tensor", NULL},
    {"() -> f32", NULL, "a::b() -> Tensor", NULL},
    {"f32 ->", NULL, "a::b(Tensor x) -> ()", NULL},
    {"f32..., f32? -> f32", NULL, "a::b(Tensor[] x, Tensor? y=None) -> Tensor",
     NULL},
    {"f32, f32 -> f32, f32", NULL, "a::b(Tensor x, Tensor(a!) s) -> Tensor",
     NULL},
    {"f32, f32 -> f32", NULL, "a::b(Tensor x, Tensor(a!) s) -> Tensor(a!)",
     NULL},
    {"f32 -> f32...", NULL, "a::b(Tensor x) -> Tensor[]", NULL},
    {"T, T, U, b4 -> T", NULL,
     "a::b(Tensor x, Tensor y, Tensor z, Tensor w) -> Tensor", NULL},
    {"f32 -> f32", "* -> 0231", "a::b(Tensor x) -> Tensor", NULL},
    {"f32 -> f32", "0123|0231 -> *", "a::b(Tensor x) -> Tensor", NULL},
    {"f32, f32 -> f32", NULL, "a::b(Tensor x, Tensor? y=None) -> Tensor", NULL},
    {"f32 -> f32", NULL,
     "a::b(Tensor x, Tensor? y=None, Tensor? z=None) -> Tensor", NULL},

    {"f32", NULL, NULL, "'->' is missing in 'f32'"},
    {"f32 -> f32 -> f32", NULL, NULL, "'->' twice"},
    {"f33 -> f32", NULL, NULL, "'f33' is no element type"},
    {"float32 -> f32", NULL, NULL, "'float32' is no element type"},
    {"f32, -> f32", NULL, NULL, "nothing behind the last ','"},
    {"f32,, f32 -> f32", NULL, NULL, "an entry without a type"},
    {"f32| -> f32", NULL, NULL, "nothing behind '|'"},
    {"T|f32 -> f32", NULL, NULL, "'T' is no element type"},
    {"b3 -> f32", NULL, NULL, "'b3' is no element type"},
    {"s8qd -> f32", NULL, NULL, "'s8qd' is no element type"},
    {"f32 -> f32", "0132", NULL, "'->' is missing"},
    {"f32 -> f32", "0,1 -> 0", NULL, "the order names 2 operands, the types 1"},
    {"f32 -> f32", "* -> *, *", NULL, "the order names 2 results, the types 1"},
    {"f32 -> f32", "0133 -> *", NULL, "'0133' in the order is neither"},
    {"f32 -> f32", "012a -> *", NULL, "'012a' in the order is neither"},
    {"f32 -> f32", " -> *", NULL, "the order names 0 operands"},
    {"f32 -> f32", NULL, "a::b(Tensor x, Tensor y) -> Tensor",
     "have 1 operands, the schema 2"},
    {"f32 -> f32", NULL, "a::b(Tensor x, Tensor? y, Tensor z) -> Tensor",
     "have 1 operands, the schema 3"},
    {"f32 -> f32", "* -> *", "a::b(Tensor x, Tensor? y=None) -> Tensor",
     "have 1 operands, the schema 2"},
    {"f32 -> f32", NULL, "a::b(Tensor(a!) x) -> Tensor",
     "have 1 results, the schema 2 (written arguments included)"},
    {"f32 -> f32", NULL, "a::b(Tensor[] x) -> Tensor",
     "operand 0 is 'Tensor[]' in the schema, without '...' in the types"},
    {"f32... -> f32", NULL, "a::b(Tensor x) -> Tensor",
     "operand 0 is 'Tensor' in the schema, with '...' in the types"},
    {"f32? -> f32", NULL, "a::b(Tensor x) -> Tensor",
     "operand 0 is 'Tensor' in the schema, never absent"},
    {"f32 -> f32", NULL, "a::b(Tensor x) -> Tensor[]",
     "result 0 is 'Tensor[]'"},
};

static void fits_what_it_says(void **state) {
  (void)state;
  EACH_ROW(i, rows) {
    tenon_arena arena;
    tenon_arena_init(&arena, tenon_heap());
    tenon_kernel_desc desc = {.types = rows[i].types, .order = rows[i].order};
    tenon_kernel kernel = {.desc = &desc};
    tenon_schema *schema = NULL;
    char error[384] = "";
    size_t at = 0;
    bool ok = tenon_kernel_types_parse(&arena, &kernel, error, sizeof error);
    if (ok && rows[i].schema) {
      bool parsed = tenon_schema_parse(&arena, rows[i].schema, &schema, error,
                                       sizeof error, &at);
      CHECK(parsed, "row %zu: %s", i, error);
      ok = tenon_kernel_types_fit(&kernel, schema, error, sizeof error);
    }
    CHECK(ok == !rows[i].error, "row %zu: %s: %s", i, rows[i].types, error);
    if (rows[i].error)
      CHECK(strstr(error, rows[i].error), "row %zu: found '%s'", i, error);
    tenon_arena_deinit(&arena);
  }
}

static void sets_a_bit_per_type(void **state) {
  (void)state;
  tenon_arena arena;
  tenon_arena_init(&arena, tenon_heap());
  tenon_kernel_desc desc = {.types = "f32|s8q|s8qc?, T, b2 -> s4qb..."};
  tenon_kernel kernel = {.desc = &desc};
  char error[384];
  assert_true(tenon_kernel_types_parse(&arena, &kernel, error, sizeof error));
  assert_int_equal(kernel.n_in, 3);
  assert_true(kernel.in[0].dtypes[0] == UINT64_C(1) << TENON_F32);
  assert_true(kernel.in[0].dtypes[1] == UINT64_C(1) << TENON_S8);
  assert_true(kernel.in[0].dtypes[2] == UINT64_C(1) << TENON_S8);
  assert_true(kernel.in[0].dtypes[3] == 0);
  assert_true(kernel.in[0].is_optional);
  assert_int_equal(kernel.in[1].variable, 'T');
  assert_int_equal(kernel.in[2].bytes, 2);
  assert_true(kernel.out[0].is_list);
  assert_true(kernel.out[0].dtypes[3] == UINT64_C(1) << TENON_S4);
  tenon_arena_deinit(&arena);
}

static void refuses_too_many_entries(void **state) {
  (void)state;
  char types[400] = "";
  for (int i = 0; i < 70; ++i)
    strcat(types, "f32,");
  strcat(types, "f32 -> f32");
  tenon_arena arena;
  tenon_arena_init(&arena, tenon_heap());
  tenon_kernel_desc desc = {.types = types};
  tenon_kernel kernel = {.desc = &desc};
  char error[384];
  assert_false(tenon_kernel_types_parse(&arena, &kernel, error, sizeof error));
  CHECK(strstr(error, "71 entries, at most 64"), "%s", error);
  tenon_arena_deinit(&arena);
}

TEST_GROUP(kernel_types, cmocka_unit_test(fits_what_it_says),
           cmocka_unit_test(sets_a_bit_per_type),
           cmocka_unit_test(refuses_too_many_entries))
