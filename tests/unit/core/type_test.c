#include "core/type.h"

#include "fixture.h"

static const tenon_dim three[] = {{2, 0}, {3, 0}, {4, 0}};
static const tenon_dim with_symbol[] = {{0, 1}, {4, 0}};
static const tenon_dim with_zero[] = {{INT64_MAX, 0}, {INT64_MAX, 0}, {0, 0}};
static const tenon_dim too_many[] = {{INT64_MAX, 0}, {3, 0}};
static const float scales[] = {0.5f, 0.25f, 0.00390625f};
static const int32_t zeros[] = {0, -128, 3};
static const int32_t no_zeros[] = {0, 0, 0};
static const tenon_quant per_tensor = {scales + 2, zeros + 1, 1, 0, 0};
static const tenon_quant per_channel = {scales, zeros, 3, 1, 0};
static const tenon_quant blocks = {scales, NULL, 2, 0, 32};

static void counts_elements_and_bytes(void **state) {
  static const struct {
    tenon_type type;
    bool is_static, is_counted, is_sized;
    uint64_t count;
    size_t size;
  } rows[] = {
      {{three, NULL, TENON_F32, 3, 0}, true, true, true, 24, 96},
      {{three, NULL, TENON_S4, 3, 0}, true, true, true, 24, 12},
      {{NULL, NULL, TENON_S64, 0, 0}, true, true, true, 1, 8},
      {{with_zero, NULL, TENON_F32, 3, 0}, true, true, true, 0, 0},
      {{too_many, NULL, TENON_S8, 2, 0}, true, false, false, 0, 0},
      {{too_many, NULL, TENON_C128, 1, 0}, true, true, false, INT64_MAX, 0},
      {{with_symbol, NULL, TENON_F32, 2, 0}, false, false, false, 0, 0},
      {{three, NULL, TENON_STR, 3, 0}, true, true, true, 24, 384},
  };
  (void)state;
  EACH_ROW(i, rows) {
    uint64_t count = 77;
    size_t size = 77;
    const tenon_type *t = &rows[i].type;
    CHECK(tenon_type_is_static(t) == rows[i].is_static, "row %zu", i);
    CHECK(tenon_type_count(t, &count) == rows[i].is_counted, "row %zu", i);
    CHECK(count == (rows[i].is_counted ? rows[i].count : 77), "row %zu", i);
    CHECK(tenon_type_size(t, &size) == rows[i].is_sized, "row %zu", i);
    CHECK(size == (rows[i].is_sized ? rows[i].size : 77), "row %zu", i);
  }
}

static void prints(void **state) {
  static const struct {
    tenon_type type;
    const char *text;
  } rows[] = {
      {{three, NULL, TENON_F32, 3, 0}, "f32[2,3,4]"},
      {{NULL, NULL, TENON_BOOL, 0, 0}, "bool[]"},
      {{with_symbol, NULL, TENON_F32, 2, 0}, "f32[?n,4]"},
      {{three, &per_tensor, TENON_S8, 2, 0}, "s8[2,3]{0.00390625:-128}"},
      {{three, &per_channel, TENON_S8, 2, 0},
       "s8[2,3]{[0.5,0.25,0.00390625]:[0,-128,3]@1}"},
      {{three, &blocks, TENON_S4, 2, 0}, "s4[2,3]{[0.5,0.25]:[0,0]@0/32}"},
      {{NULL, NULL, 0, 0, 0}, "none[]"},
  };
  fixture f;
  (void)state;
  fixture_init(&f, tenon_heap());
  assert_int_equal(tenon_symbols_leaf(&f.symbols, "n", 1, 8).symbol, 1);
  EACH_ROW(i, rows) {
    tenon_buf_clear(&f.buf);
    tenon_type_print(&rows[i].type, &f.symbols, &f.buf);
    CHECK_TEXT(f.buf.data, rows[i].text, i);
  }
  tenon_buf_clear(&f.buf);
  tenon_type_print(&rows[2].type, NULL, &f.buf);
  assert_string_equal(f.buf.data, "f32[?1,4]");
  fixture_deinit(&f);
}

static void compares(void **state) {
  static const tenon_quant same_tensor = {scales + 2, zeros + 1, 1, 0, 0};
  static const tenon_quant zero_given = {scales, no_zeros, 2, 0, 32};
  static const tenon_quant other_zero = {scales + 2, zeros, 1, 0, 0};
  static const tenon_quant other_scale = {scales + 1, zeros + 1, 1, 0, 0};
  static const tenon_quant other_axis = {scales, zeros, 3, 0, 0};
  static const tenon_quant other_block = {scales, NULL, 2, 0, 16};
  static const struct {
    const tenon_quant *a, *b;
    bool is_equal;
  } rows[] = {
      {NULL, NULL, true},
      {NULL, &per_tensor, false},
      {&per_tensor, NULL, false},
      {&per_tensor, &same_tensor, true},
      {&per_tensor, &other_zero, false},
      {&per_tensor, &other_scale, false},
      {&per_channel, &other_axis, false},
      {&per_channel, &per_tensor, false},
      {&blocks, &zero_given, true},
      {&blocks, &other_block, false},
  };
  (void)state;
  EACH_ROW(i, rows) {
    tenon_type a = {three, rows[i].a, TENON_S8, 3, 0};
    tenon_type b = {three, rows[i].b, TENON_S8, 3, 0};
    CHECK(tenon_quant_equals(rows[i].a, rows[i].b) == rows[i].is_equal,
          "row %zu", i);
    CHECK(tenon_type_equals(&a, &b) == rows[i].is_equal, "row %zu", i);
    CHECK(tenon_type_same_shape(&a, &b), "row %zu", i);
  }
  tenon_type a = {three, NULL, TENON_S8, 3, 0}, b = a, c = a, d = a, e = a;
  b.rank = 2;
  c.dtype = TENON_U8;
  d.dims = with_zero;
  e.dims = with_symbol;
  e.rank = 2;
  assert_true(tenon_type_equals(&a, &a));
  assert_false(tenon_type_equals(&a, &b) || tenon_type_equals(&a, &c) ||
               tenon_type_equals(&a, &d) || tenon_type_equals(&b, &e));
  assert_true(tenon_type_same_shape(&a, &c));
  assert_true(tenon_type_same_shape(&e, &e));
}

static void names_quantisation_for_kernels(void **state) {
  (void)state;
  assert_string_equal(tenon_quant_suffix(NULL), "");
  assert_string_equal(tenon_quant_suffix(&per_tensor), "q");
  assert_string_equal(tenon_quant_suffix(&per_channel), "qc");
  assert_string_equal(tenon_quant_suffix(&blocks), "qb");
}

static void broadcasts(void **state) {
  static const struct {
    tenon_dim a[9], b[9];
    int rank_a, rank_b;
    bool fits;
    tenon_dim out[8];
    int rank;
  } rows[] = {
      {{{2, 0}, {3, 0}}, {{3, 0}}, 2, 1, true, {{2, 0}, {3, 0}}, 2},
      {{{3, 0}}, {{2, 0}, {1, 0}}, 1, 2, true, {{2, 0}, {3, 0}}, 2},
      {{{0, 0}}, {{7, 0}}, 0, 1, true, {{7, 0}}, 1},
      {{{0, 0}}, {{0, 0}}, 0, 0, true, {{0, 0}}, 0},
      {{{2, 0}}, {{3, 0}}, 1, 1, false, {{0, 0}}, 0},
      {{{0, 0}}, {{1, 0}}, 1, 1, true, {{0, 0}}, 1},
      {{{0, 0}}, {{2, 0}}, 1, 1, false, {{0, 0}}, 0},
      {{{0, 5}}, {{1, 0}}, 1, 1, true, {{0, 5}}, 1},
      {{{1, 0}}, {{0, 5}}, 1, 1, true, {{0, 5}}, 1},
      {{{0, 5}}, {{0, 5}}, 1, 1, true, {{0, 5}}, 1},
      {{{0, 5}}, {{0, 6}}, 1, 1, false, {{0, 0}}, 0},
      {{{0, 5}}, {{4, 0}}, 1, 1, false, {{0, 0}}, 0},
      {{{1, 0}}, {{1, 0}}, 9, 1, false, {{0, 0}}, 0},
  };
  (void)state;
  EACH_ROW(i, rows) {
    tenon_dim out[8];
    int rank = -1;
    CHECK(tenon_type_broadcast(rows[i].a, rows[i].rank_a, rows[i].b,
                               rows[i].rank_b, out, &rank) == rows[i].fits,
          "row %zu", i);
    if (!rows[i].fits) continue;
    CHECK(rank == rows[i].rank, "row %zu", i);
    for (int j = 0; j < rank; ++j)
      CHECK(tenon_dim_equals(out[j], rows[i].out[j]), "row %zu", i);
  }
}

static bool copy(const tenon_allocator *allocator, void *self) {
  tenon_type type = {three, &per_channel, TENON_S8, 3, 0};
  tenon_type plain = {NULL, &blocks, TENON_S4, 0, 0};
  tenon_arena arena;
  (void)self;
  tenon_arena_init(&arena, *allocator);
  tenon_type a = tenon_type_copy(&arena, &type);
  tenon_type b = tenon_type_copy(&arena, &plain);
  bool is_fine = !arena.failed;
  if (is_fine) {
    CHECK(tenon_type_equals(&a, &type) && tenon_type_equals(&b, &plain), "-");
    CHECK(a.dims != type.dims && a.quant != type.quant &&
              a.quant->scale != scales && a.quant->zero != zeros &&
              !b.quant->zero,
          "-");
  }
  tenon_arena_deinit(&arena);
  return is_fine;
}

static void copies(void **state) {
  (void)state;
  test_sweep(copy, NULL);
}

TEST_GROUP(type, cmocka_unit_test(counts_elements_and_bytes),
           cmocka_unit_test(prints), cmocka_unit_test(compares),
           cmocka_unit_test(names_quantisation_for_kernels),
           cmocka_unit_test(broadcasts), cmocka_unit_test(copies))
