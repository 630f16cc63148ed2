// Products of matrices with fewer multiplications: the fast kernels against the
// reference, bit for bit, and the reference against the direct sum where both
// are exact, and against sums in doubles.
#include <float.h>
#include <math.h>
#include <string.h>

#include "kern/product/conv.h"
#include "kern/product/strassen.h"
#include "op_check.h"

typedef struct size_row {
  int m, k, n;
} size_row;

// Rows so long that sums of them are made in parts.
#define LONG_ROW 5248

// One row, odd ones, two blocks and more; channels that are no whole groups or
// pairs.
static const size_row sizes[] = {
    {1, 32, 32},        {2, 32, 64},   {3, 64, 96},    {25, 32, 32},
    {49, 96, 160},      {129, 64, 64}, {197, 32, 128}, {50, 1632, 64},
    {5, 64, 17},        {27, 64, 75},  {30, 32, 127},  {64, 64, 113},
    {33, LONG_ROW, 160}};

// Which of bias, scale and shift there are.
static const int tails[] = {0, 1, 2, 3, 7};

static void strassen_operands(op_case *c, const size_row *s, int kind, int how,
                              bool is_tap) {
  op_case_in(c, TENON_F32, kind, 2, s->m, s->k);
  if (is_tap)
    op_case_in(c, TENON_F32, kind, 4, s->n, 1, 1, s->k);
  else
    op_case_in(c, TENON_F32, kind, 2, s->n, s->k);
  for (int i = 0; i < 3; ++i) {
    if (how >> i & 1)
      op_case_in(c, TENON_F32, CASE_USUAL, 1, s->n);
    else
      op_case_none(c);
  }
  op_case_out(c, TENON_F32, 2, s->m, s->n);
}

static int check_strassen(const size_row *s, int kind, int how, bool limits) {
  const tenon_strassen_attrs attrs = {{-0.75, limits}, {1.5, limits}};
  char name[160];
  op_case c;
  op_case_begin(&c, tenon_op_core_fully_connected_strassen.kernels[0], &attrs);
  strassen_operands(&c, s, kind, tails[how], limits);
  snprintf(name, sizeof name, "%d x %d to %d; %d, %d, %d", s->m, s->k, s->n,
           kind, how, limits);
  const int checked =
      test_op_check(&c, "core::fully_connected_strassen", "f32", name);
  op_case_end(&c);
  return checked;
}

static void pairs_equal_the_reference(void **state) {
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, sizes)
  for (int kind = 0; kind < CASE_DATA_KINDS; ++kind)
    checked += check_strassen(&sizes[i], kind, (int)((i + (size_t)kind) % 5),
                              (i + (size_t)kind) % 2);
  for (int how = 0; how < 5; ++how)
    checked += check_strassen(&sizes[4], CASE_USUAL, how, true);
  for (int i = 0; i < 12; ++i) {
    const size_row s = {(int)(1 + case_random() % 70),
                        (int)(32 * (1 + case_random() % 5)),
                        (int)(1 + case_random() % 160)};
    checked += check_strassen(&s, CASE_USUAL, i % 5, i % 2);
  }
  if (!checked) skip();
}

// Rows of other sizes than those beside them: at the limits of what is paired
// too, zeros, and such with a value that is none.
static void spread_rows(tenon_tensor *x, int m, int k) {
  static const float sizes_of[] = {1.0f, 1.0f, 1.0f, 16.0f, 1000.0f, 0.0f};
  static const float odd[] = {NAN, INFINITY, -INFINITY, 0x1p126f, 0x1.8p126f};
  for (int i = 0; i < m; ++i) {
    float *row = (float *)x->data + i * k;
    const unsigned size = case_random() % 10;
    for (int j = 0; size < COUNT(sizes_of) && j < k; ++j)
      row[j] *= sizes_of[size];
    if (case_random() % 10 == 0)
      row[case_random() % (unsigned)k] = odd[case_random() % COUNT(odd)];
  }
}

// As spread_rows; few of the rows, or most, or one after another of a block.
static void uneven_rows_equal_the_reference(void **state) {
  static const tenon_strassen_attrs attrs;
  int checked = 0;
  (void)state;
  case_random_state = 4;
  for (int i = 0; i < 40; ++i) {
    const size_row any = {(int)(1 + case_random() % 150),
                          (int)(32 * (1 + case_random() % 5)),
                          (int)(1 + case_random() % 200)};
    const size_row s = i % 8 == 7 ? sizes[COUNT(sizes) - 1] : any;
    char name[160];
    op_case c;
    op_case_begin(&c, tenon_op_core_fully_connected_strassen.kernels[0],
                  &attrs);
    strassen_operands(&c, &s, CASE_USUAL, tails[i % 5], false);
    // Some rows, from anywhere on, or all.
    tenon_tensor part = c.in[0];
    const int from = i % 3 ? (int)(case_random() % (unsigned)s.m) : 0;
    const int some = i % 3 == 1 && s.m - from > 3 ? 3 : s.m - from;
    part.data = (float *)part.data + from * s.k;
    spread_rows(&part, some, s.k);
    snprintf(name, sizeof name, "%d x %d to %d; %d rows from %d", s.m, s.k, s.n,
             some, from);
    checked += test_op_check(&c, "core::fully_connected_strassen", "f32", name);
    op_case_end(&c);
  }
  if (!checked) skip();
}

static void run_product(const tenon_kernel_desc *kernel, const void *attrs,
                        const tenon_tensor *in, tenon_tensor *out) {
  tenon_tensor operands[3] = {in[0], in[1], {0}};
  float scratch[TENON_STRASSEN_SUMS * LONG_ROW];
  tenon_call c;
  memset(&c, 0, sizeof c);
  c.in = operands;
  c.n_in = 3;
  c.out = out;
  c.n_out = 1;
  c.attrs = attrs;
  c.scratch = scratch;
  if (kernel->scratch) assert_true(kernel->scratch(&c, 1) <= sizeof scratch);
  assert_int_equal(kernel->run_range(&c, 0, kernel->items(&c)), TENON_OK);
}

// Small integers, of which no sum is rounded.
static void fill_small(tenon_tensor *t) {
  float *x = t->data;
  for (size_t i = 0; i < tenon_count(t); ++i)
    x[i] = (float)((int)(case_random() % 17) - 8);
}

static void exact_products_equal_direct_ones(void **state) {
  static const tenon_fully_connected_attrs direct;
  static const tenon_strassen_attrs own;
  (void)state;
  case_random_state = 2;
  EACH_ROW(i, sizes) {
    const size_row *s = &sizes[i];
    op_case c;
    op_case_begin(&c, tenon_op_core_fully_connected.kernels[0], &direct);
    tenon_tensor in[2] = {*op_case_in(&c, TENON_F32, 0, 2, s->m, s->k),
                          *op_case_in(&c, TENON_F32, 0, 2, s->n, s->k)};
    tenon_tensor y = *op_case_in(&c, TENON_F32, 0, 2, s->m, s->n);
    tenon_tensor z = *op_case_in(&c, TENON_F32, 0, 2, s->m, s->n);
    fill_small(&in[0]);
    fill_small(&in[1]);
    run_product(tenon_op_core_fully_connected.kernels[0], &direct, in, &y);
    run_product(tenon_op_core_fully_connected_strassen.kernels[0], &own, in,
                &z);
    for (size_t k = 0; k < tenon_count(&y); ++k)
      assert_true(((const float *)y.data)[k] == ((const float *)z.data)[k]);
    op_case_end(&c);
  }
}

// Rows that differ too much, or that have a value that is not finite, and the
// last of an odd number, are direct sums bit for bit; others are not, and what
// is rounded is in proportion to the larger one of a pair.
static void uneven_pairs_are_direct_sums(void **state) {
  static const tenon_fully_connected_attrs direct;
  static const tenon_strassen_attrs own;
  static const struct {
    float first, second;  // largest magnitudes
    float odd;            // or this in one of the rows, where not 0
    bool is_direct;
  } rows[] = {
      {1, 1, 0, false},      {1, 16, 0, false},       {16, 1, 0, false},
      {1, 16.001f, 0, true}, {16.001f, 1, 0, true},   {1, 1000, 0, true},
      {0.001f, 1, 0, true},  {0, 1, 0, true},         {1, 0, 0, true},
      {1, 1, NAN, true},     {1, 1, INFINITY, true},  {1, 1, -INFINITY, true},
      {1, 1, 0, false},      {1, 1, 0x1.8p127f, true}};
  const size_row s = {2 * (int)COUNT(rows) + 1, 128, 64};
  (void)state;
  case_random_state = 3;
  op_case c;
  op_case_begin(&c, tenon_op_core_fully_connected_strassen.kernels[0], &own);
  tenon_tensor in[2] = {*op_case_in(&c, TENON_F32, CASE_USUAL, 2, s.m, s.k),
                        *op_case_in(&c, TENON_F32, CASE_USUAL, 2, s.n, s.k)};
  tenon_tensor y = *op_case_in(&c, TENON_F32, 0, 2, s.m, s.n);
  tenon_tensor z = *op_case_in(&c, TENON_F32, 0, 2, s.m, s.n);
  float *x = in[0].data;
  const float *w = in[1].data;
  double widest = 0;
  for (int k = 0; k < s.n * s.k; ++k)
    widest = fmax(widest, fabs((double)w[k]));
  for (int i = 0; i < s.m - 1; ++i) {
    const float size = i % 2 ? rows[i / 2].second : rows[i / 2].first;
    float most = 0;
    int at = 0;
    for (int k = 0; k < s.k; ++k)
      if (fabsf(x[i * s.k + k]) > most) most = fabsf(x[i * s.k + (at = k)]);
    for (int k = 0; k < s.k; ++k)
      x[i * s.k + k] *= size / most * 0.999f;
    x[i * s.k + at] = size;
    if (rows[i / 2].odd != 0 && i / 2 % 2 == i % 2)
      x[i * s.k + 7 * i % s.k] = rows[i / 2].odd;
  }
  run_product(tenon_op_core_fully_connected_strassen.kernels[0], &own, in, &y);
  run_product(tenon_op_core_fully_connected.kernels[0], &direct, in, &z);
  for (int i = 0; i < s.m; ++i) {
    const size_t row =
        COUNT(rows) * 2 == (size_t)i ? COUNT(rows) : (size_t)i / 2;
    const float *own_row = (const float *)y.data + i * s.n;
    const float *row_of = (const float *)z.data + i * s.n;
    const bool is_direct = row == COUNT(rows) || rows[row].is_direct;
    const bool is_same =
        memcmp(own_row, row_of, (size_t)s.n * sizeof *own_row) == 0;
    CHECK(is_same == is_direct, "row %d", i);
    if (is_direct) {
      for (int j = 0; j < s.n && i < s.m - 1; ++j)
        if (rows[row].odd == 0 || row % 2 != (size_t)i % 2)
          CHECK(isfinite(own_row[j]), "row %d, channel %d", i, j);
      continue;
    }
    const double most = fmax(rows[row].first, rows[row].second);
    for (int j = 0; j < s.n; ++j) {
      double sum = 0;
      for (int k = 0; k < s.k; ++k)
        sum += (double)x[i * s.k + k] * w[j * s.k + k];
      // Four chains of k / 2 products of sums of two, and five roundings.
      const double bound =
          (s.k / 2 + 5) * 4.0 * 4.0 * s.k / 2 * most * widest * FLT_EPSILON / 2;
      CHECK(fabs(sum - own_row[j]) <= bound, "row %d, channel %d", i, j);
    }
  }
  op_case_end(&c);
}

TEST_GROUP(strassen, cmocka_unit_test(pairs_equal_the_reference),
           cmocka_unit_test(uneven_rows_equal_the_reference),
           cmocka_unit_test(exact_products_equal_direct_ones),
           cmocka_unit_test(uneven_pairs_are_direct_sums))
