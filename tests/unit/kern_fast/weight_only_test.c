// Fast products of floats with scaled integers against the reference, bit for
// bit: few and many rows, outputs of several groups of panels, blocks of any
// size, in 4 and 8 bits, with zero points and without.
#include "kern/product/weight_only.h"

#include "op_check.h"

// What the call has besides x and w; `adds` needs both of the first two.
enum { SCALED = 1, SHIFTED = 2, BIASED = 4, NARROW = 8, ADDS = 16 };

static int check_product(int kind, int m, int n, int blocks, int block,
                         uint32_t options) {
  const tenon_weight_only_attrs attrs = {
      .adds =
          (options & (ADDS | SCALED | SHIFTED)) == (ADDS | SCALED | SHIFTED)};
  const int k = blocks * block;
  op_case c;
  op_case_begin(&c, tenon_op_core_weight_only_linear.kernels[0], &attrs);
  op_case_in(&c, TENON_F32, kind, 2, m, k);
  int8_t *w = (int8_t *)op_case_in(&c, TENON_S8, CASE_EXTREME, 2, n, k)->data;
  for (int i = 0; i < n * k && options & NARROW; ++i)
    w[i] = (int8_t)((w[i] & 15) - 8);
  for (uint32_t which = SCALED; which <= SHIFTED; which += which)
    if (options & which)
      op_case_in(&c, TENON_F32, CASE_USUAL, 2, n, blocks);
    else
      op_case_none(&c);
  if (options & BIASED)
    op_case_in(&c, TENON_F32, CASE_USUAL, 1, n);
  else
    op_case_none(&c);
  op_case_out(&c, TENON_F32, 2, m, n);
  const int checked =
      test_op_check(&c, "core::weight_only_linear", "f32, s8", "product");
  op_case_end(&c);
  return checked;
}

static void equal_the_reference(void **state) {
  static const int sizes[] = {1, 2, 3, 7, 8, 15, 16, 24, 32, 33, 64};
  static const int outputs[] = {1, 15, 16, 17, 33, 64, 100, 128, 150, 200, 290};
  int checked = 0;
  (void)state;
  for (int i = 0; i < 300; ++i)
    checked += check_product(i % CASE_DATA_KINDS, case_between(1, 45),
                             outputs[case_between(0, 10)], case_between(1, 4),
                             sizes[case_between(0, 10)], case_random());
  // Each number of rows, of which several tiles share those at the end.
  for (int m = 1; m <= 40; ++m)
    checked += check_product(CASE_USUAL, m, 48, 3, 5, SCALED | BIASED | NARROW);
  if (!checked) skip();
}

// Two blocks, by hand: a sum of integers that a float holds, and one rounding
// with the scale, where products with rounded weights have others.
static void scales_sums(void **state) {
  static const tenon_weight_only_attrs attrs = {.adds = false};
  static const float x[] = {3, 5, 7, 9}, scale[] = {0.1f, 0.3f};
  static const int8_t w[] = {-8, 7, 100, -3};
  op_case c;
  (void)state;
  op_case_begin(&c, tenon_op_core_weight_only_linear.kernels[0], &attrs);
  memcpy(op_case_in(&c, TENON_F32, CASE_USUAL, 2, 1, 4)->data, x, sizeof x);
  memcpy(op_case_in(&c, TENON_S8, CASE_USUAL, 2, 1, 4)->data, w, sizeof w);
  memcpy(op_case_in(&c, TENON_F32, CASE_USUAL, 2, 1, 2)->data, scale,
         sizeof scale);
  op_case_none(&c);
  op_case_none(&c);
  float *y = (float *)op_case_out(&c, TENON_F32, 2, 1, 1)->data;
  assert_int_equal(c.reference->run_range(&c.call, 0, 1), TENON_OK);
  assert_true(y[0] == (float)(673 * (double)scale[1] +
                              (double)(float)(11 * (double)scale[0])));
  op_case_end(&c);
}

TEST_GROUP(weight_only, cmocka_unit_test(equal_the_reference),
           cmocka_unit_test(scales_sums))
