// Fast pools and means of quantised integers of 8 and 16 bits against the
// reference, bit for bit: channels that fill no register, windows over edges,
// sums in every order of dimensions, and factors on both sides of 1.
#include "kern/loop/reduce.h"
#include "kern/op/pooling.h"

#include "op_check.h"

// Of one size or the other.
static tenon_dtype stored;
static const char *stored_name(void) {
  return stored == TENON_S8 ? "s8q" : "s16q";
}

static const tenon_kernel_desc *reference_of(const tenon_op_desc *op) {
  const char *name = stored_name();
  for (const tenon_kernel_desc *const *k = op->kernels; *k; ++k)
    if (strncmp((*k)->types, name, strlen(name)) == 0) return *k;
  return NULL;
}

typedef struct quants {
  tenon_quant quant[2];
  float scale[2];
  int32_t zero[2];
} quants;

static void draw_quants(quants *q, bool is_same) {
  for (int i = 0; i < 2; ++i) {
    q->scale[i] = ldexpf(1.0f + (float)case_between(0, 999) * 0.001f,
                         case_between(-7, -3));
    q->zero[i] = stored == TENON_S8 ? case_between(-128, 127) : 0;
    if (i > 0 && is_same) {
      q->scale[i] = q->scale[0];
      q->zero[i] = q->zero[0];
    }
    q->quant[i] = (tenon_quant){&q->scale[i], &q->zero[i], 1, 0, 0};
  }
}

static int check_pool(const tenon_op_desc *op, const char *name, int channels) {
  int64_t window[2], stride[2], pad[4];
  const int h = case_between(3, 12), w = case_between(3, 40);
  quants q;
  op_case c;
  draw_quants(&q, true);
  const tenon_opt_float lo = {-2.0 * (double)q.scale[0], case_random() & 1};
  const tenon_opt_float hi = {9.0 * (double)q.scale[0], case_random() & 1};
  const tenon_max_pool_attrs attrs = {{window, 2}, {stride, 2}, {pad, 4},
                                      lo,          hi,          false};
  for (int i = 0; i < 2; ++i) {
    window[i] = case_between(1, 3);
    stride[i] = case_between(1, 3);
    pad[i] = case_between(0, (int)window[i]);  // some windows are empty
    pad[i + 2] = case_between(0, (int)window[i]);
  }
  op_case_begin(&c, reference_of(op), &attrs);
  op_case_in(&c, stored, CASE_USUAL, 4, 2, h, w, channels)->quant = &q.quant[0];
  op_case_out(&c, stored, 4, 2,
              (h + (int)(pad[0] + pad[2] - window[0])) / (int)stride[0] + 1,
              (w + (int)(pad[1] + pad[3] - window[1])) / (int)stride[1] + 1,
              channels);
  c.out[0].quant = &q.quant[1];
  const int checked = test_op_check(&c, name, stored_name(), name);
  op_case_end(&c);
  return checked;
}

static void pools_equal(tenon_dtype type) {
  static const int channels[] = {1, 3, 8, 16, 31, 32, 64, 65, 130, 200};
  int checked = 0;
  stored = type;
  case_random_state = 1;
  EACH_ROW(i, channels) {
    for (int k = 0; k < 20; ++k) {
      checked +=
          check_pool(&tenon_op_core_avg_pool, "core::avg_pool", channels[i]);
      checked +=
          check_pool(&tenon_op_core_max_pool, "core::max_pool", channels[i]);
    }
  }
  if (!checked) skip();
}

static int check_reduced(const tenon_op_desc *op, const char *name,
                         const int size[4], unsigned dims) {
  int64_t list[4];
  const bool is_same = case_between(0, 3) == 0;
  tenon_reduce_attrs attrs = {{list, 0}, true};
  int left[4];
  quants q;
  op_case c;
  char what[99];
  draw_quants(&q, is_same);
  for (int d = 0; d < 4; ++d) {
    left[d] = dims >> d & 1 ? 1 : size[d];
    if (dims >> d & 1) list[attrs.dims.count++] = d - 4;
  }
  op_case_begin(&c, reference_of(op), &attrs);
  op_case_in(&c, stored, CASE_USUAL, 4, size[0], size[1], size[2], size[3])
      ->quant = &q.quant[0];
  op_case_out(&c, stored, 4, left[0], left[1], left[2], left[3]);
  c.out[0].quant = &q.quant[1];
  snprintf(what, sizeof what, "%d %d %d %d over %u", size[0], size[1], size[2],
           size[3], dims);
  const int checked = test_op_check(&c, name, stored_name(), what);
  op_case_end(&c);
  return checked;
}

static int check_extreme(bool is_least, const int size[4], unsigned dims) {
  int64_t list[4];
  tenon_reduce_attrs attrs = {{list, 0}, true};
  int left[4];
  op_case c;
  char what[99];
  for (int d = 0; d < 4; ++d) {
    left[d] = dims >> d & 1 ? 1 : size[d];
    if (dims >> d & 1) list[attrs.dims.count++] = d;
  }
  op_case_begin(
      &c, (is_least ? &tenon_op_core_amin : &tenon_op_core_amax)->kernels[0],
      &attrs);
  op_case_in(&c, TENON_S8, CASE_USUAL, 4, size[0], size[1], size[2], size[3]);
  op_case_out(&c, TENON_S8, 4, left[0], left[1], left[2], left[3]);
  snprintf(what, sizeof what, "%d %d %d %d over %u", size[0], size[1], size[2],
           size[3], dims);
  const int checked =
      test_op_check(&c, is_least ? "core::amin" : "core::amax", "T", what);
  op_case_end(&c);
  return checked;
}

static const int sizes[][4] = {
    {1, 7, 7, 130},  {2, 3, 5, 64},  {1, 1, 1, 1},    {4, 5, 1, 1},
    {1, 1, 300, 1},  {2, 1, 3, 70},  {3, 40, 40, 1},  {2, 2, 2, 257},
    {3, 17, 4, 32},  {5, 3, 19, 21}, {2, 2, 40, 15},  {1, 3, 2, 9001},
    {2, 33, 65, 17}, {1, 20, 20, 3}, {1, 260, 1, 48}, {6, 1, 1, 6500}};

static void means_equal(tenon_dtype type) {
  int checked = 0;
  stored = type;
  case_random_state = 1;
  EACH_ROW(i, sizes) {
    for (unsigned dims = 1; dims < 16; ++dims)
      for (int k = 0; k < 4; ++k)
        checked +=
            check_reduced(&tenon_op_core_mean, "core::mean", sizes[i], dims);
  }
  if (!checked) skip();
}

static void sums_of_bytes_equal(void **state) {
  int checked = 0;
  (void)state;
  stored = TENON_S8;
  case_random_state = 1;
  EACH_ROW(i, sizes) {
    for (unsigned dims = 1; dims < 16; ++dims)
      for (int k = 0; k < 4; ++k)
        checked +=
            check_reduced(&tenon_op_core_sum, "core::sum", sizes[i], dims);
  }
  if (!checked) skip();
}

static void extremes_of_bytes_equal(void **state) {
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, sizes) {
    for (unsigned dims = 1; dims < 16; ++dims)
      for (int k = 0; k < 2; ++k)
        checked += check_extreme(k, sizes[i], dims);
  }
  if (!checked) skip();
}

// Some rows and columns have the least number alone, of which two products have
// more than 32 bits.
static int check_matmul(int m, int k, int n) {
  quants q;
  op_case c;
  float scale = 0.0f;
  int32_t zero = 0;
  const tenon_quant result = {&scale, &zero, 1, 0, 0};
  char what[99];
  draw_quants(&q, false);
  scale =
      q.scale[0] * q.scale[1] * (float)k * ldexpf(1000.0f, case_between(-3, 4));
  op_case_begin(&c, reference_of(&tenon_op_core_matmul), NULL);
  op_case_in(&c, TENON_S16, CASE_USUAL, 3, 2, m, k)->quant = &q.quant[0];
  op_case_in(&c, TENON_S16, CASE_USUAL, 3, case_between(1, 2), k, n)->quant =
      &q.quant[1];
  op_case_out(&c, TENON_S16, 3, 2, m, n);
  c.out[0].quant = &result;
  int16_t *a = (int16_t *)c.in[0].data, *b = (int16_t *)c.in[1].data;
  const int row = case_between(0, m - 1), column = case_between(0, n - 1);
  for (int i = 0; i < k; ++i)
    a[row * k + i] = b[i * n + column] = INT16_MIN;
  snprintf(what, sizeof what, "%d %d %d", m, k, n);
  const int checked = test_op_check(&c, "core::matmul", "s16q", what);
  op_case_end(&c);
  return checked;
}

static void products_of_words_equal_the_reference(void **state) {
  int checked = 0;
  (void)state;
  stored = TENON_S16;
  case_random_state = 1;
  for (int i = 0; i < 100; ++i)
    checked += check_matmul(case_between(1, 9), case_between(1, 60),
                            case_between(1, 70));
  checked += check_matmul(5, 3000, 33);
  if (!checked) skip();
}

#define OF_TYPE(what, name, type)                    \
  static void name##_equal_the_reference(void **s) { \
    (void)s;                                         \
    what(type);                                      \
  }
OF_TYPE(pools_equal, pools_of_bytes, TENON_S8)
OF_TYPE(pools_equal, pools_of_words, TENON_S16)
OF_TYPE(means_equal, means_of_bytes, TENON_S8)
OF_TYPE(means_equal, means_of_words, TENON_S16)

TEST_GROUP(bytes, cmocka_unit_test(pools_of_bytes_equal_the_reference),
           cmocka_unit_test(pools_of_words_equal_the_reference),
           cmocka_unit_test(means_of_bytes_equal_the_reference),
           cmocka_unit_test(means_of_words_equal_the_reference),
           cmocka_unit_test(products_of_words_equal_the_reference),
           cmocka_unit_test(sums_of_bytes_equal),
           cmocka_unit_test(extremes_of_bytes_equal))
