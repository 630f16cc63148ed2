// Pools, softmax, sums and means: what looks at many elements at a time.
#include "kern_fixture.h"

static void pools_skip_padding(void **state) {
  static const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  static const struct {
    const char *symbol, *attrs;
    int32_t size;
    float want[9];
  } rows[] = {
      {"tenon_k_avg_pool_f32_ref",
       "window=2,2 stride=1,1 pad=0,0,0,0",
       2,
       {3, 4, 6, 7}},
      {"tenon_k_avg_pool_f32_ref",
       "window=2,2 stride=2,2 pad=1,1,0,0",
       2,
       {1, 2.5f, 5.5f, 7}},
      {"tenon_k_avg_pool_f32_ref",
       "window=3,3 stride=1,1 pad=1,1,1,1 lo=4 hi=6",
       3,
       {4, 4, 4, 4.5f, 5, 5.5f, 6, 6, 6}},
      {"tenon_k_max_pool_f32_ref",
       "window=2,2 stride=2,2 pad=0,0,1,1",
       2,
       {5, 6, 8, 9}},
      {"tenon_k_max_pool_f32_ref",
       "window=3,3 stride=2,2 pad=1,1,1,1 hi=6",
       2,
       {5, 6, 6, 6}},
  };
  (void)state;
  EACH_ROW(i, rows) {
    float y[9];
    int32_t n = rows[i].size;
    tenon_tensor in = TENSOR(TENON_F32, x, 1, 3, 3, 1);
    tenon_tensor out = TENSOR(TENON_F32, y, 1, n, n, 1);
    assert_int_equal(run_kernel(rows[i].symbol, rows[i].attrs, &in, 1, &out),
                     TENON_OK);
    for (int k = 0; k < n * n; ++k)
      CHECK(y[k] == rows[i].want[k], "row %zu, element %d: %g", i, k, y[k]);
  }
}

// The rounded scale leads beyond the last row, which is what is behind it then.
static void grows_within_the_image(void **state) {
  enum { FROM = 3, TO = 2000 };
  const float one = 1;
  tenon_quant q = {&one, NULL, 1, 0, 0};
  int8_t x[FROM + 1] = {1, 2, 3, 99}, y[TO];
  (void)state;
  tenon_tensor in = QUANT_TENSOR(TENON_S8, x, &q, 1, FROM, 1, 1);
  tenon_tensor out = QUANT_TENSOR(TENON_S8, y, &q, 1, TO, 1, 1);
  assert_int_equal(
      run_kernel("tenon_k_resize_bilinear_s8_ref",
                 "size=2000,1 align_corners=0 half_pixel_centers=0", &in, 1,
                 &out),
      TENON_OK);
  for (int i = 0; i < TO; ++i)
    CHECK(y[i] >= 1 && y[i] <= 3, "row %d: %d", i, y[i]);
}

static void means_round_away_from_zero(void **state) {
  static const struct {
    int8_t x[4], want;
  } rows[] = {{{1, 2, 1, 2}, 2},           {{-1, -2, -1, -2}, -2},
              {{1, 1, 1, 2}, 1},           {{-1, -1, -1, -2}, -1},
              {{127, 127, 127, 127}, 127}, {{-128, -128, -128, -128}, -128}};
  const float one = 1, other = 1.1f;
  tenon_quant q = {&one, NULL, 1, 0, 0}, p = {&other, NULL, 1, 0, 0};
  int8_t y = 0;
  (void)state;
  EACH_ROW(i, rows) {
    tenon_tensor in = QUANT_TENSOR(TENON_S8, rows[i].x, &q, 1, 2, 2, 1);
    tenon_tensor out = QUANT_TENSOR(TENON_S8, &y, &q, 1, 1, 1, 1);
    const char *attrs = "window=2,2 stride=1,1 pad=0,0,0,0";
    assert_int_equal(run_kernel("tenon_k_avg_pool_s8_ref", attrs, &in, 1, &out),
                     TENON_OK);
    CHECK(y == rows[i].want, "row %zu: %d", i, y);
    out.quant = &p;
    assert_int_equal(run_kernel("tenon_k_avg_pool_s8_ref", attrs, &in, 1, &out),
                     -1);
  }
}

static void softmax_sums_to_one(void **state) {
  static const struct {
    const char *attrs;
    int axis;
    double beta;
  } rows[] = {{"axis=-1 beta=1", 2, 1},
              {"axis=0 beta=1", 0, 1},
              {"axis=1 beta=0.5", 1, 0.5}};
  enum { A = 2, B = 3, C = 4 };
  static const int size[] = {A, B, C}, step[] = {B * C, C, 1};
  float x[A * B * C], y[A * B * C];
  (void)state;
  for (int i = 0; i < A * B * C; ++i)
    x[i] = 20 * random_float();
  EACH_ROW(r, rows) {
    tenon_tensor in = TENSOR(TENON_F32, x, A, B, C);
    tenon_tensor out = TENSOR(TENON_F32, y, A, B, C);
    assert_int_equal(
        run_kernel("tenon_k_softmax_f32_ref", rows[r].attrs, &in, 1, &out),
        TENON_OK);
    for (int i = 0; i < A * B * C; ++i) {
      int s = step[rows[r].axis], n = size[rows[r].axis];
      int first = i - i / s % n * s;
      double sum = 0;
      for (int k = 0; k < n; ++k)
        sum += exp(((double)x[first + k * s] - x[i]) * rows[r].beta);
      CHECK(near(y[i], 1 / sum, 1e-6), "row %zu, element %d", r, i);
    }
  }
}

static void softmax_has_ends(void **state) {
  static const float x[] = {-INFINITY, 0, 1000, 1000};
  float y[4];
  tenon_tensor in = TENSOR(TENON_F32, x, 4), out = TENSOR(TENON_F32, y, 4);
  (void)state;
  assert_int_equal(
      run_kernel("tenon_k_softmax_f32_ref", "axis=0 beta=1", &in, 1, &out),
      TENON_OK);
  assert_true(y[0] == 0 && y[1] == 0 && y[2] == 0.5f && y[3] == 0.5f);
}

// As many equal values as an 8-bit result can tell from none, and far more.
static void softmax_of_many(void **state) {
  static int8_t x[3000], y[3000];
  static const struct {
    int n, want;
  } rows[] = {{1, 127},    {2, 0},      {4, -64},
              {256, -127}, {600, -128}, {3000, -128}};
  const float scale = 0.1f, result = 1.0f / 256;
  const int32_t zero = -128;
  tenon_quant q = {&scale, NULL, 1, 0, 0}, r = {&result, &zero, 1, 0, 0};
  (void)state;
  EACH_ROW(i, rows) {
    tenon_tensor in = QUANT_TENSOR(TENON_S8, x, &q, rows[i].n);
    tenon_tensor out = QUANT_TENSOR(TENON_S8, y, &r, rows[i].n);
    assert_int_equal(
        run_kernel("tenon_k_softmax_s8_ref", "axis=0 beta=1", &in, 1, &out),
        TENON_OK);
    CHECK(y[rows[i].n - 1] == rows[i].want, "row %zu: %d", i, y[0]);
  }
}

static void reduces(void **state) {
  static const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  static const struct {
    const char *symbol, *attrs;
    int32_t y[3];
    float want[12];
  } rows[] = {
      {"sum", "dims=2", {2, 3}, {3, 7, 11, 15, 19, 23}},
      {"sum", "dims=0", {3, 2}, {8, 10, 12, 14, 16, 18}},
      {"sum", "dims=0,2 keepdim=1", {1, 3, 1}, {18, 26, 34}},
      {"sum", "dims=-2", {2, 2}, {9, 12, 27, 30}},
      {"sum", "dims=2,0,1", {0}, {78}},
      {"mean", "dims=1,2", {2}, {3.5f, 9.5f}},
      {"mean", "dims=0,1,2", {0}, {6.5f}},
      {"mean", "dims=", {2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
  };
  (void)state;
  EACH_ROW(i, rows) {
    char symbol[64];
    float y[12];
    int rank = 0, count = 1;
    while (rank < 3 && rows[i].y[rank])
      count *= rows[i].y[rank++];
    snprintf(symbol, sizeof symbol, "tenon_k_%s_f32_ref", rows[i].symbol);
    tenon_tensor in = TENSOR(TENON_F32, x, 2, 3, 2);
    tenon_tensor out = tensor_of(TENON_F32, y, NULL, rows[i].y, (size_t)rank);
    assert_int_equal(run_kernel(symbol, rows[i].attrs, &in, 1, &out), TENON_OK);
    for (int k = 0; k < count; ++k)
      CHECK(y[k] == rows[i].want[k], "row %zu, element %d: %g", i, k, y[k]);
  }
}

TEST_GROUP(window, cmocka_unit_test(pools_skip_padding),
           cmocka_unit_test(grows_within_the_image),
           cmocka_unit_test(means_round_away_from_zero),
           cmocka_unit_test(softmax_sums_to_one),
           cmocka_unit_test(softmax_has_ends),
           cmocka_unit_test(softmax_of_many), cmocka_unit_test(reduces))
