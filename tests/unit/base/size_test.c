#include "base/size.h"

#include "harness/harness.h"

static void sizes_add_multiply_and_align(void **state) {
  enum { ADD, MUL, ALIGN };
  static const struct {
    int what;
    size_t a, b;
    bool fits;
    size_t out;
  } rows[] = {
      {ADD, 1, 2, true, 3},
      {ADD, SIZE_MAX, 0, true, SIZE_MAX},
      {ADD, SIZE_MAX, 1, false, 0},
      {ADD, SIZE_MAX, SIZE_MAX, false, 0},
      {MUL, 6, 7, true, 42},
      {MUL, SIZE_MAX, 0, true, 0},
      {MUL, 0, SIZE_MAX, true, 0},
      {MUL, SIZE_MAX, 1, true, SIZE_MAX},
      {MUL, SIZE_MAX / 2 + 1, 2, false, 0},
      {ALIGN, 0, 16, true, 0},
      {ALIGN, 1, 16, true, 16},
      {ALIGN, 16, 16, true, 16},
      {ALIGN, 17, 1, true, 17},
      {ALIGN, SIZE_MAX - 15, 16, true, SIZE_MAX - 15},
      {ALIGN, SIZE_MAX - 14, 16, false, 0},
  };
  (void)state;
  EACH_ROW(i, rows) {
    size_t out = 12345;
    bool fits = rows[i].what == ADD ? tenon_size_add(rows[i].a, rows[i].b, &out)
                : rows[i].what == MUL
                    ? tenon_size_mul(rows[i].a, rows[i].b, &out)
                    : tenon_size_align(rows[i].a, rows[i].b, &out);
    CHECK(fits == rows[i].fits, "row %zu", i);
    CHECK(out == (fits ? rows[i].out : 12345), "row %zu", i);
  }
}

static void integers_add_and_multiply(void **state) {
  static const struct {
    bool is_product;
    int64_t a, b;
    bool fits;
    int64_t out;
  } rows[] = {
      {false, INT64_MAX, 1, false, 0},
      {false, INT64_MIN, -1, false, 0},
      {false, INT64_MIN, INT64_MAX, true, -1},
      {false, INT64_MAX, 0, true, INT64_MAX},
      {false, INT64_MIN, 0, true, INT64_MIN},
      {true, 6, -7, true, -42},
      {true, -6, -7, true, 42},
      {true, 0, INT64_MIN, true, 0},
      {true, INT64_MIN, 1, true, INT64_MIN},
      {true, INT64_MIN, -1, false, 0},
      {true, -1, INT64_MIN, false, 0},
      {true, INT64_MAX, -1, true, -INT64_MAX},
      {true, INT64_MAX, 2, false, 0},
      {true, 2, INT64_MIN / 2, true, INT64_MIN},
      {true, -2, INT64_MIN / 2, false, 0},
      {true, INT64_MIN / 2, 3, false, 0},
      {true, INT64_C(1) << 32, INT64_C(1) << 31, false, 0},
      {true, INT64_C(1) << 31, INT64_C(1) << 31, true, INT64_C(1) << 62},
  };
  (void)state;
  EACH_ROW(i, rows) {
    int64_t out = 12345;
    bool fits = rows[i].is_product ? tenon_int_mul(rows[i].a, rows[i].b, &out)
                                   : tenon_int_add(rows[i].a, rows[i].b, &out);
    CHECK(fits == rows[i].fits, "row %zu", i);
    CHECK(out == (fits ? rows[i].out : 12345), "row %zu", i);
  }
}

TEST_GROUP(size, cmocka_unit_test(sizes_add_multiply_and_align),
           cmocka_unit_test(integers_add_and_multiply))
