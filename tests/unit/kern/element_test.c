// Operators on one element or two at a time: values, limits, broadcasting.
#include "kern_fixture.h"

typedef struct row {
  const char *symbol, *attrs;
  float x, y, want;  // y unused by unary operators
} row;

static void floats(void **state) {
  static const row rows[] = {
      {"add_f32", "", 1, 2, 3},
      {"add_f32", "lo=0", -5, 2, 0},
      {"add_f32", "lo=0 hi=6", 5, 2, 6},
      {"add_f32", "lo=0 hi=6", NAN, 2, NAN},
      {"sub_f32", "", 1, 2, -1},
      {"mul_f32", "hi=5", 3, 2, 5},
      {"div_f32", "", 1, 0, INFINITY},
      {"div_f32", "hi=9", 1, 0, 9},
      {"minimum_f32", "", 1, -2, -2},
      {"minimum_f32", "", NAN, 2, NAN},
      {"minimum_f32", "", 2, NAN, NAN},
      {"maximum_f32", "", 1, -2, 1},
      {"maximum_f32", "", NAN, 2, NAN},
      {"maximum_f32", "", 2, NAN, NAN},
      {"neg_f32", "", 2, 0, -2},
      {"abs_f32", "", -2, 0, 2},
      {"square_f32", "", -3, 0, 9},
      {"sqrt_f32", "", 2, 0, 0x1.6a09e6p+0f},
      {"sqrt_f32", "", -1, 0, NAN},
      {"rsqrt_f32", "", 4, 0, 0.5f},
      {"exp_f32", "", 1, 0, 0x1.5bf0aap+1f},
      {"log_f32", "", 10, 0, 0x1.26bb1cp+1f},
      {"tanh_f32", "", 0.5f, 0, 0x1.d9353ep-2f},
      {"logistic_f32", "", 1, 0, 0x1.764d5p-1f},
      {"clamp_f32", "lo=-1 hi=1", 3, 0, 1},
      {"clamp_f32", "lo=-1", -3, 0, -1},
      {"clamp_f32", "", -3, 0, -3},
      {"clamp_f32", "lo=0", NAN, 0, NAN},
  };
  (void)state;
  EACH_ROW(i, rows) {
    char symbol[64];
    float got = 77;
    snprintf(symbol, sizeof symbol, "tenon_k_%s_ref", rows[i].symbol);
    tenon_tensor in[] = {TENSOR(TENON_F32, &rows[i].x, 1),
                         TENSOR(TENON_F32, &rows[i].y, 1)};
    tenon_tensor out = TENSOR(TENON_F32, &got, 1);
    assert_int_equal(run_kernel(symbol, rows[i].attrs, in, 2, &out), TENON_OK);
    CHECK(got == rows[i].want || (isnan(got) && isnan(rows[i].want)),
          "row %zu, %s: %a, expected %a", i, symbol, got, rows[i].want);
  }
}

static void integers(void **state) {
  static const struct {
    const char *op, *attrs;
    int64_t x, y, want;  // as s32 and as s64, by adding the type's name
    const char *types;
  } rows[] = {
      {"add", "", 1, 2, 3, "s32 s64"},
      {"add", "", INT32_MAX, 1, INT32_MIN, "s32"},
      {"add", "", INT64_MAX, 1, INT64_MIN, "s64"},
      {"add", "lo=0", -5, 2, 0, "s32 s64"},
      {"add", "lo=0 hi=6", 5, 2, 6, "s32 s64"},
      {"add", "hi=1e30", 5, 2, 7, "s32 s64"},
      {"sub", "", INT32_MIN, 1, INT32_MAX, "s32"},
      {"mul", "", 65536, 65536, 0, "s32"},
      {"mul", "", 65536, 65536, INT64_C(1) << 32, "s64"},
      {"mul", "", INT64_MIN, -1, INT64_MIN, "s64"},
      {"div", "", 7, -2, -3, "s32 s64"},
      {"div", "", -7, 2, -3, "s32 s64"},
      {"div", "", INT32_MIN, -1, INT32_MIN, "s32"},
      {"div", "", INT64_MIN, -1, INT64_MIN, "s64"},
      {"minimum", "", -7, 2, -7, "s32 s64"},
      {"maximum", "", -7, 2, 2, "s32 s64"},
      {"neg", "", 5, 0, -5, "s32 s64"},
      {"neg", "", INT32_MIN, 0, INT32_MIN, "s32"},
      {"abs", "", -5, 0, 5, "s32 s64"},
      {"abs", "", INT64_MIN, 0, INT64_MIN, "s64"},
      {"clamp", "lo=-2.9 hi=2.9", 5, 0, 2, "s32 s64"},
      {"clamp", "lo=-2.9", -5, 0, -2, "s32 s64"},
  };
  (void)state;
  EACH_ROW(i, rows)
  for (int wide = 0; wide < 2; ++wide) {
    char symbol[64];
    int32_t x = (int32_t)rows[i].x, y = (int32_t)rows[i].y, z = 0;
    int64_t got = 0;
    tenon_dtype t = wide ? TENON_S64 : TENON_S32;
    if (!strstr(rows[i].types, wide ? "s64" : "s32")) continue;
    snprintf(symbol, sizeof symbol, "tenon_k_%s_%s_ref", rows[i].op,
             wide ? "s64" : "s32");
    tenon_tensor in[] = {
        TENSOR(t, wide ? (const void *)&rows[i].x : (const void *)&x, 1),
        TENSOR(t, wide ? (const void *)&rows[i].y : (const void *)&y, 1)};
    tenon_tensor out = TENSOR(t, wide ? (void *)&got : (void *)&z, 1);
    assert_int_equal(run_kernel(symbol, rows[i].attrs, in, 2, &out), TENON_OK);
    CHECK((wide ? got : z) == rows[i].want, "row %zu, %s", i, symbol);
  }
}

static void division_by_zero_is_a_fault(void **state) {
  static const int32_t a[] = {1, 2, 3}, b[] = {1, 0, 1};
  int32_t y[3];
  tenon_tensor in[] = {TENSOR(TENON_S32, a, 3), TENSOR(TENON_S32, b, 3)};
  tenon_tensor out = TENSOR(TENON_S32, y, 3);
  (void)state;
  assert_int_equal(run_kernel("tenon_k_div_s32_ref", "", in, 2, &out),
                   TENON_BAD_INPUT);
  assert_string_equal(last_fault.text, "division by zero at element {0}");
  assert_int_equal(last_fault.value[0], 1);
}

typedef struct shapes {
  int a_rank, b_rank, y_rank;
  int32_t a[5], b[5], y[5];
} shapes;

static int offset_of(int i, const int32_t *y, int y_rank, const int32_t *t,
                     int rank) {
  int at = 0, below = 1;
  for (int d = y_rank - 1; d >= 0; i /= y[d], --d) {
    int own = d - (y_rank - rank);
    if (own < 0) continue;
    if (t[own] != 1) at += i % y[d] * below;
    below *= t[own];
  }
  return at;
}

static void broadcasts(void **state) {
  static const shapes rows[] = {
      {2, 2, 2, {3, 4}, {3, 4}, {3, 4}},
      {0, 0, 0, {0}, {0}, {0}},
      {3, 0, 3, {2, 3, 4}, {0}, {2, 3, 4}},
      {0, 3, 3, {0}, {2, 3, 4}, {2, 3, 4}},
      {3, 1, 3, {2, 3, 4}, {4}, {2, 3, 4}},
      {3, 2, 3, {2, 3, 4}, {3, 1}, {2, 3, 4}},
      {4, 4, 4, {2, 1, 3, 1}, {1, 5, 1, 4}, {2, 5, 3, 4}},
      {5, 3, 5, {2, 3, 1, 2, 2}, {4, 1, 2}, {2, 3, 4, 2, 2}},
      {3, 3, 3, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      {2, 2, 2, {0, 4}, {1, 4}, {0, 4}},
  };
  static float a[200], b[200], y[200];
  (void)state;
  for (int i = 0; i < 200; ++i) {
    a[i] = random_float();
    b[i] = random_float();
  }
  EACH_ROW(r, rows) {
    const shapes *s = &rows[r];
    int count = 1;
    for (int d = 0; d < s->y_rank; ++d)
      count *= s->y[d];
    tenon_tensor in[] = {
        tensor_of(TENON_F32, a, NULL, s->a, (size_t)s->a_rank),
        tensor_of(TENON_F32, b, NULL, s->b, (size_t)s->b_rank)};
    tenon_tensor out = tensor_of(TENON_F32, y, NULL, s->y, (size_t)s->y_rank);
    assert_int_equal(run_kernel("tenon_k_sub_f32_ref", "", in, 2, &out),
                     TENON_OK);
    for (int i = 0; i < count; ++i) {
      float want = a[offset_of(i, s->y, s->y_rank, s->a, s->a_rank)] -
                   b[offset_of(i, s->y, s->y_rank, s->b, s->b_rank)];
      CHECK(y[i] == want, "row %zu, element %d", r, i);
    }
  }
}

static void quantises(void **state) {
  static const float x[] = {0, 0.25f, -0.25f, 0.75f, 100, -100, NAN, INFINITY};
  static const int8_t want[] = {3, 4, 2, 5, 127, -128, -128, 127};
  const float scale = 0.5f;
  const int32_t zero = 3;
  tenon_quant q = {&scale, &zero, 1, 0, 0};
  int8_t y[8];
  tenon_tensor in = TENSOR(TENON_F32, x, 8);
  tenon_tensor out = QUANT_TENSOR(TENON_S8, y, &q, 8);
  (void)state;
  assert_int_equal(run_kernel("tenon_k_quantize_f32s8_ref", "", &in, 1, &out),
                   TENON_OK);
  assert_memory_equal(y, want, sizeof want);
}

static void dequantises_channels(void **state) {
  static const int8_t x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  static const float scale[] = {1, 10, 100};
  static const int32_t zero[] = {0, 1, 2};
  // [2, 3, 2]: channels in the middle.
  static const float want[] = {1, 2, 20, 30, 300, 400, 7, 8, 80, 90, 900, 1000};
  float y[12];
  tenon_quant q = {scale, zero, 3, 1, 0};
  tenon_tensor in = QUANT_TENSOR(TENON_S8, x, &q, 2, 3, 2);
  tenon_tensor out = TENSOR(TENON_F32, y, 2, 3, 2);
  (void)state;
  assert_int_equal(run_kernel("tenon_k_dequantize_s8f32_ref", "", &in, 1, &out),
                   TENON_OK);
  assert_memory_equal(y, want, sizeof want);
}

static void casts(void **state) {
  static const struct {
    tenon_dtype from, to;
    union {
      float f32;
      int32_t s32;
      int64_t s64;
      uint8_t u8;
      double f64;
      uint16_t f16;
      uint64_t u64;
    } x, want;
  } rows[] = {
      {TENON_F32, TENON_S32, {.f32 = -2.9f}, {.s32 = -2}},
      {TENON_F32, TENON_S32, {.f32 = 3e9f}, {.s32 = INT32_MAX}},
      {TENON_F32, TENON_S32, {.f32 = -3e9f}, {.s32 = INT32_MIN}},
      {TENON_F32, TENON_S32, {.f32 = NAN}, {.s32 = 0}},
      {TENON_F32, TENON_S64, {.f32 = 1e19f}, {.s64 = INT64_MAX}},
      {TENON_F32, TENON_S64, {.f32 = -1e19f}, {.s64 = INT64_MIN}},
      {TENON_F32, TENON_U64, {.f32 = 1e20f}, {.u64 = UINT64_MAX}},
      {TENON_F32, TENON_U8, {.f32 = 300}, {.u8 = 255}},
      {TENON_F32, TENON_U8, {.f32 = -3}, {.u8 = 0}},
      {TENON_F32, TENON_BOOL, {.f32 = 0.1f}, {.u8 = 1}},
      {TENON_F32, TENON_BOOL, {.f32 = NAN}, {.u8 = 1}},
      {TENON_S32, TENON_U8, {.s32 = 257}, {.u8 = 1}},
      {TENON_S32, TENON_U8, {.s32 = -1}, {.u8 = 255}},
      {TENON_S32, TENON_BOOL, {.s32 = 256}, {.u8 = 1}},
      {TENON_S32, TENON_S64, {.s32 = -5}, {.s64 = -5}},
      {TENON_S64, TENON_S32, {.s64 = INT64_C(0x100000007)}, {.s32 = 7}},
      // To f32 in one rounding: by way of f64 it would be a tie.
      {TENON_S64,
       TENON_F32,
       {.s64 = INT64_C(0x4000004000000001)},
       {.f32 = 0x1.000002p+62f}},
      {TENON_U64, TENON_F64, {.u64 = UINT64_MAX}, {.f64 = 0x1p64}},
      {TENON_BOOL, TENON_F32, {.u8 = 1}, {.f32 = 1}},
      {TENON_F64, TENON_F32, {.f64 = 1.1}, {.f32 = 1.1f}},
      {TENON_F16, TENON_F32, {.f16 = 0x3e00}, {.f32 = 1.5f}},
      {TENON_F32, TENON_BF16, {.f32 = 1.5f}, {.f16 = 0x3fc0}},
  };
  (void)state;
  EACH_ROW(i, rows) {
    char attrs[16];
    uint64_t got = 0;
    snprintf(attrs, sizeof attrs, "dtype=%d", rows[i].to);
    tenon_tensor in = TENSOR(rows[i].from, &rows[i].x, 1);
    tenon_tensor out = TENSOR(rows[i].to, &got, 1);
    assert_int_equal(run_kernel("tenon_k_cast_ref", attrs, &in, 1, &out),
                     TENON_OK);
    CHECK(memcmp(&got, &rows[i].want, sizeof got) == 0, "row %zu", i);
  }
}

TEST_GROUP(element, cmocka_unit_test(floats), cmocka_unit_test(integers),
           cmocka_unit_test(division_by_zero_is_a_fault),
           cmocka_unit_test(broadcasts), cmocka_unit_test(quantises),
           cmocka_unit_test(dequantises_channels), cmocka_unit_test(casts))
