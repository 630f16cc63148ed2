// Fast products of integers against the reference, bit for bit: any shapes, in
// 32 bits, and as floats with scales and zero points by row or one for all, and
// scales by block.
#include "op_check.h"

static int any_size(void) {
  static const int sizes[] = {1, 2, 3, 4, 15, 16, 17, 33, 64, 100};
  return sizes[case_between(0, 9)];
}

static int check_sums(void) {
  const int m = case_between(1, 30), k = any_size(), n = any_size();
  op_case c;
  op_case_begin(&c, tenon_op_core_integer_linear.kernels[0], NULL);
  op_case_in(&c, TENON_S8, CASE_EXTREME, 2, m, k);
  op_case_in(&c, TENON_S8, CASE_EXTREME, 2, n, k);
  op_case_out(&c, TENON_S32, 2, m, n);
  const int checked = test_op_check(&c, "core::integer_linear", "s8", "sums");
  op_case_end(&c);
  return checked;
}

static int check_floats(uint32_t options) {
  const int m = case_between(1, 30), n = any_size();
  const int blocks = case_between(1, 4), block = any_size();
  op_case c;
  op_case_begin(&c, tenon_op_core_dynamic_linear.kernels[0], NULL);
  op_case_in(&c, TENON_S8, CASE_USUAL, 2, m, blocks * block);
  op_case_in(&c, TENON_S8, CASE_USUAL, 2, n, blocks * block);
  op_case_in(&c, TENON_F32, CASE_USUAL, 2, options & 1 ? m : 1, 1);
  if (options & 2)
    op_case_in(&c, TENON_S32, CASE_USUAL, 2, options & 4 ? m : 1, 1);
  else
    op_case_none(&c);
  if (options & 8)
    op_case_in(&c, TENON_F32, CASE_USUAL, 2, n, blocks);
  else
    op_case_none(&c);
  if (options & 16)
    op_case_in(&c, TENON_F32, CASE_USUAL, 1, n);
  else
    op_case_none(&c);
  op_case_out(&c, TENON_F32, 2, m, n);
  const int checked = test_op_check(&c, "core::dynamic_linear", "s8", "floats");
  op_case_end(&c);
  return checked;
}

static void equal_the_reference(void **state) {
  int checked = 0;
  (void)state;
  for (int i = 0; i < 200; ++i)
    checked += check_sums() + check_floats(case_random());
  if (!checked) skip();
}

// By hand: -128 * -128 and the like, two blocks, both zero points.
static void equal_sums_by_hand(void **state) {
  (void)state;
  static const int8_t x[] = {-128, 127, 3, -4, 1, 1, 1, 1};
  static const int8_t w[] = {-128, -128, 5, 6};
  static const float x_scale[] = {0.5f, 0.25f}, scale[] = {2.0f, 1.0f};
  static const int32_t x_zero[] = {0, -7};
  op_case c;
  op_case_begin(&c, tenon_op_core_dynamic_linear.kernels[0], NULL);
  memcpy(op_case_in(&c, TENON_S8, CASE_USUAL, 2, 2, 4)->data, x, sizeof x);
  memcpy(op_case_in(&c, TENON_S8, CASE_USUAL, 2, 1, 4)->data, w, sizeof w);
  memcpy(op_case_in(&c, TENON_F32, CASE_USUAL, 2, 2, 1)->data, x_scale,
         sizeof x_scale);
  memcpy(op_case_in(&c, TENON_S32, CASE_USUAL, 2, 2, 1)->data, x_zero,
         sizeof x_zero);
  memcpy(op_case_in(&c, TENON_F32, CASE_USUAL, 2, 1, 2)->data, scale,
         sizeof scale);
  op_case_none(&c);
  float *y = (float *)op_case_out(&c, TENON_F32, 2, 2, 1)->data;
  assert_int_equal(c.reference->run_range(&c.call, 0, 2), TENON_OK);
  assert_float_equal(y[0], 0.5 * (2 * 128 + 15 - 24), 0);
  assert_float_equal(y[1], 0.25 * (2 * -2048 + 88), 0);
  op_case_end(&c);
}

TEST_GROUP(integer, cmocka_unit_test(equal_the_reference),
           cmocka_unit_test(equal_sums_by_hand))
