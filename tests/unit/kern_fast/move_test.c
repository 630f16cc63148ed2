// Fast permutations, elements of two operands as a condition says, rows that
// are added where indices say, borders, repeated dimensions, and maxima of
// windows against the reference, bit for bit.
#include "kern/op/move.h"
#include "kern/loop/select.h"
#include "kern/op/pooling.h"

#include "op_check.h"

static int check_permute(tenon_dtype dtype, const int size[4],
                         const int order[4]) {
  int64_t dims[4];
  const tenon_permute_attrs attrs = {{dims, 4}};
  op_case c;
  for (int d = 0; d < 4; ++d)
    dims[d] = d & 1 ? order[d] - 4 : order[d];
  op_case_begin(&c, tenon_op_core_permute.kernels[0], &attrs);
  op_case_in(&c, dtype, CASE_EXTREME, 4, size[0], size[1], size[2], size[3]);
  op_case_out(&c, dtype, 4, size[order[0]], size[order[1]], size[order[2]],
              size[order[3]]);
  char name[99];
  snprintf(name, sizeof name, "%d %d %d %d by %d %d %d %d", size[0], size[1],
           size[2], size[3], order[0], order[1], order[2], order[3]);
  const int checked = test_op_check(&c, "core::permute", "T", name);
  op_case_end(&c);
  return checked;
}

static bool is_order(const int order[4]) {
  int seen = 0;
  for (int d = 0; d < 4; ++d)
    seen |= 1 << order[d];
  return seen == 15;
}

// Every order of four dimensions: transpositions, and lines that are copied.
static void permutations_equal_the_reference(void **state) {
  static const int sizes[][4] = {
      {1, 3, 9, 11}, {2, 3, 9, 31},  {2, 16, 5, 7},   {3, 1, 70, 4},
      {1, 1, 1, 1},  {2, 4, 8, 16},  {1, 65, 2, 130}, {1, 17, 1, 300},
      {3, 5, 40, 2}, {2, 21, 3, 70}, {3, 33, 2, 35},  {2, 8, 37, 3},
      {1, 6, 4, 50}, {2, 15, 2, 20}};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, sizes) {
    for (int code = 0; code < 256; ++code) {
      const int order[4] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
      if (!is_order(order)) continue;
      checked += check_permute(TENON_F32, sizes[i], order);
      checked += check_permute(TENON_S16, sizes[i], order);
      checked += check_permute(TENON_S8, sizes[i], order);
    }
  }
  if (!checked) skip();
}

static int check_pool(bool is_mean, int kind, int channels) {
  int64_t window[2], stride[2], pad[4];
  const int h = case_between(3, 12), w = case_between(3, 40);
  const tenon_opt_float lo = {-0.5, case_random() & 1};
  const tenon_opt_float hi = {0.5, case_random() & 1};
  const tenon_max_pool_attrs attrs = {
      {window, 2}, {stride, 2}, {pad, 4}, lo, hi, case_random() & 1};
  op_case c;
  for (int i = 0; i < 2; ++i) {
    window[i] = case_between(1, 3);
    stride[i] = case_between(1, 3);
    pad[i] = case_between(0, (int)window[i] - 1);
    pad[i + 2] = case_between(0, (int)window[i] - 1);
  }
  const tenon_op_desc *op =
      is_mean ? &tenon_op_core_avg_pool : &tenon_op_core_max_pool;
  op_case_begin(&c, op->kernels[0], &attrs);
  tenon_tensor *x = op_case_in(&c, TENON_F32, kind, 4, 2, h, w, channels);
  if (kind == CASE_EXTREME)
    for (size_t i = 0; i < tenon_count(x); i += 17)
      ((float *)x->data)[i] = NAN;
  op_case_out(&c, TENON_F32, 4, 2,
              (h + (int)(pad[0] + pad[2] - window[0])) / (int)stride[0] + 1,
              (w + (int)(pad[1] + pad[3] - window[1])) / (int)stride[1] + 1,
              channels);
  const int checked = test_op_check(
      &c, is_mean ? "core::avg_pool" : "core::max_pool", "f32", "pool");
  op_case_end(&c);
  return checked;
}

static void pools_equal_the_reference(void **state) {
  static const int channels[] = {1, 3, 4, 8, 15, 16, 17, 33};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, channels)
  for (int k = 0; k < 60; ++k)
    checked += check_pool(k & 1, k / 2 % CASE_DATA_KINDS, channels[i]);
  if (!checked) skip();
}

// Each of the three is repeated along any of the dimensions, and so may be what
// goes on along a line; `dtype` has four bytes.
static int check_where(tenon_dtype dtype, int line) {
  const int size[4] = {case_between(1, 3), case_between(1, 4),
                       case_between(1, 5), line};
  int of[3][4];
  op_case c;
  for (int d = 0; d < 4; ++d) {
    for (int k = 0; k < 3; ++k)
      of[k][d] = case_random() & 1 ? size[d] : 1;
    // One has each size, or the result would be smaller.
    of[case_between(0, 2)][d] = size[d];
  }
  op_case_begin(&c, tenon_op_core_where.kernels[0], NULL);
  const tenon_tensor *condition = op_case_in(
      &c, TENON_BOOL, CASE_USUAL, 4, of[0][0], of[0][1], of[0][2], of[0][3]);
  for (size_t i = 0; i < tenon_count(condition); ++i)
    ((uint8_t *)condition->data)[i] = case_random() & 1;
  for (int k = 1; k < 3; ++k)
    op_case_in(&c, dtype, CASE_EXTREME, 4, of[k][0], of[k][1], of[k][2],
               of[k][3]);
  op_case_out(&c, dtype, 4, size[0], size[1], size[2], size[3]);
  char name[99];
  snprintf(name, sizeof name, "where, %d %d %d %d", size[0], size[1], size[2],
           size[3]);
  const int checked = test_op_check(&c, "core::where", "bool, T", name);
  op_case_end(&c);
  return checked;
}

static void elements_are_picked_as_the_reference_does(void **state) {
  static const int lines[] = {1, 2, 7, 8, 9, 15, 16, 17, 33, 70};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, lines)
  for (int k = 0; k < 40; ++k)
    checked += check_where(k & 1 ? TENON_S32 : TENON_F32, lines[i]);
  if (!checked) skip();
}

// Rows and single elements, some of them several times, with dimensions in
// front and one or two indices, which may count from the end.
static int check_index_put(int block, bool is_wide) {
  const int front = case_between(1, 3), rows = case_between(1, 9);
  const int n = case_between(0, 1), count = case_between(0, 20);
  const tenon_index_put_attrs attrs = {1, TENON_SCATTER_ADD, true, true};
  op_case c;
  op_case_begin(&c, tenon_op_core_index_put.kernels[0], &attrs);
  op_case_in(&c, TENON_F32, CASE_USUAL, 4, front, rows, n ? 3 : 1, block);
  if (n)
    op_case_in(&c, TENON_F32, CASE_USUAL, 3, front, count, block);
  else
    op_case_in(&c, TENON_F32, CASE_USUAL, 4, front, count, 1, block);
  for (int k = 0; k <= n; ++k) {
    const int size = k ? 3 : rows;
    tenon_tensor *at =
        op_case_in(&c, is_wide ? TENON_S64 : TENON_S32, CASE_USUAL, 1, count);
    for (int i = 0; i < count; ++i) {
      const int value = case_between(-size, size - 1);
      if (is_wide)
        ((int64_t *)at->data)[i] = value;
      else
        ((int32_t *)at->data)[i] = value;
    }
  }
  op_case_out(&c, TENON_F32, 4, front, rows, n ? 3 : 1, block);
  const int checked =
      test_op_check(&c, "core::index_put", "f32", "rows that are added");
  op_case_end(&c);
  return checked;
}

static void sums_of_rows_equal_the_reference(void **state) {
  static const int blocks[] = {1, 2, 7, 15, 16, 17, 33, 64, 70};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, blocks)
  for (int k = 0; k < 40; ++k)
    checked += check_index_put(blocks[i], k & 1);
  if (!checked) skip();
}

// Borders of any dimensions, or none, around rows of few elements and of many.
static int check_pad(tenon_dtype dtype, int row) {
  int64_t before[4], after[4];
  int from[4], to[4];
  const tenon_pad_attrs attrs = {
      {before, 4}, {after, 4}, case_random() & 1 ? 1.5 : 0};
  op_case c;
  for (int d = 0; d < 4; ++d) {
    const int most = case_between(0, 2);
    from[d] = d == 3 ? row : case_between(1, 7);
    before[d] = case_between(0, most);
    after[d] = case_between(0, most);
    to[d] = from[d] + (int)(before[d] + after[d]);
  }
  op_case_begin(&c, tenon_op_core_pad.kernels[0], &attrs);
  op_case_in(&c, dtype, CASE_EXTREME, 4, from[0], from[1], from[2], from[3]);
  op_case_out(&c, dtype, 4, to[0], to[1], to[2], to[3]);
  char name[99];
  snprintf(name, sizeof name, "pad, %d %d %d %d to %d %d %d %d", from[0],
           from[1], from[2], from[3], to[0], to[1], to[2], to[3]);
  const int checked = test_op_check(&c, "core::pad", "T", name);
  op_case_end(&c);
  return checked;
}

static void borders_equal_the_reference(void **state) {
  static const tenon_dtype types[] = {TENON_F32, TENON_F16, TENON_S8,
                                      TENON_S64, TENON_F64, TENON_BOOL};
  static const int rows[] = {1, 2, 3, 4, 7, 8, 9, 40};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, rows)
  EACH_ROW(k, types)
  for (int turn = 0; turn < 20; ++turn)
    checked += check_pad(types[k], rows[i]);
  if (!checked) skip();
}

// Dimensions of one that are repeated, and new ones in front.
static int check_expand(tenon_dtype dtype) {
  int from[4], to[4];
  const int first = case_between(0, 2);
  op_case c;
  for (int d = 0; d < 4; ++d) {
    to[d] = case_between(1, 9);
    from[d] = d < first || case_random() & 1 ? 1 : to[d];
  }
  op_case_begin(&c, tenon_op_core_expand.kernels[0], NULL);
  if (first == 2)
    op_case_in(&c, dtype, CASE_EXTREME, 2, from[2], from[3]);
  else
    op_case_in(&c, dtype, CASE_EXTREME, 4, from[0], from[1], from[2], from[3]);
  op_case_out(&c, dtype, 4, to[0], to[1], to[2], to[3]);
  char name[99];
  snprintf(name, sizeof name, "expand, %d %d %d %d to %d %d %d %d", from[0],
           from[1], from[2], from[3], to[0], to[1], to[2], to[3]);
  const int checked = test_op_check(&c, "core::expand", "T", name);
  op_case_end(&c);
  return checked;
}

static void repeated_dimensions_equal_the_reference(void **state) {
  static const tenon_dtype types[] = {TENON_F32, TENON_F16, TENON_S8,
                                      TENON_S64};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(k, types)
  for (int turn = 0; turn < 100; ++turn)
    checked += check_expand(types[k]);
  if (!checked) skip();
}

// Tensors of one element, side by side, with and without ones behind.
static int check_weave(tenon_dtype dtype, int n, int rows, int behind) {
  const tenon_concat_attrs attrs = {behind ? 1 : -1};
  op_case c;
  op_case_begin(&c, tenon_op_core_concat.kernels[0], &attrs);
  for (int i = 0; i < n; ++i)
    if (behind)
      op_case_in(&c, dtype, CASE_EXTREME, 3, rows, 1, 1);
    else
      op_case_in(&c, dtype, CASE_EXTREME, 2, rows, 1);
  if (behind)
    op_case_out(&c, dtype, 3, rows, n, 1);
  else
    op_case_out(&c, dtype, 2, rows, n);
  char name[99];
  snprintf(name, sizeof name, "concat, %d of %d rows", n, rows);
  const int checked = test_op_check(&c, "core::concat", "T", name);
  op_case_end(&c);
  return checked;
}

static void woven_elements_equal_the_reference(void **state) {
  static const tenon_dtype types[] = {TENON_F32, TENON_S32, TENON_F16};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(k, types)
  for (int turn = 0; turn < 40; ++turn)
    checked += check_weave(types[k], case_between(1, 3), case_between(1, 600),
                           turn & 1);
  if (!checked) skip();
}

TEST_GROUP(move, cmocka_unit_test(permutations_equal_the_reference),
           cmocka_unit_test(pools_equal_the_reference),
           cmocka_unit_test(elements_are_picked_as_the_reference_does),
           cmocka_unit_test(sums_of_rows_equal_the_reference),
           cmocka_unit_test(borders_equal_the_reference),
           cmocka_unit_test(repeated_dimensions_equal_the_reference),
           cmocka_unit_test(woven_elements_equal_the_reference))
