// Convolutions of 3 by 3 taps by fewer products: the fast kernels against the
// reference, bit for bit, and the reference against the direct sum: the same
// where both are exact, else within what the documents promise.
#include <math.h>
#include <string.h>

#include "kern/product/conv.h"
#include "kern/product/winograd.h"
#include "op_check.h"

typedef struct size_row {
  int n, h, w, c, oc;
  int64_t pad[4];
} size_row;

static const size_row sizes[] = {
    {1, 2, 2, 16, 16, {1, 1, 1, 1}},  {1, 3, 3, 16, 32, {0, 0, 0, 0}},
    {2, 5, 7, 16, 16, {1, 1, 1, 1}},  {1, 9, 4, 32, 80, {1, 0, 0, 1}},
    {1, 1, 1, 16, 16, {3, 2, 2, 3}},  {1, 24, 3, 16, 16, {1, 1, 1, 1}},
    {1, 7, 75, 16, 48, {1, 1, 1, 1}}, {3, 14, 14, 48, 144, {1, 1, 1, 1}},
    {1, 6, 6, 17, 19, {1, 1, 1, 1}},  {2, 9, 5, 24, 40, {1, 1, 1, 1}},
    {1, 8, 3, 18, 65, {1, 1, 1, 1}},  {1, 14, 14, 39, 72, {0, 1, 1, 0}},
    {1, 5, 5, 16, 1, {1, 1, 1, 1}},   {1, 5, 5, 31, 7, {1, 1, 1, 1}}};

static void add_operands(op_case *c, const size_row *s, int kind, int how) {
  op_case_in(c, TENON_F32, kind, 4, s->n, s->h, s->w, s->c);
  op_case_in(c, TENON_F32, kind, 4, s->oc, 3, 3, s->c);
  for (int i = 0; i < 3; ++i) {
    if (how >> i & 1)
      op_case_in(c, TENON_F32, CASE_USUAL, 1, s->oc);
    else
      op_case_none(c);
  }
  op_case_out(c, TENON_F32, 4, s->n, s->h + (int)(s->pad[0] + s->pad[2]) - 2,
              s->w + (int)(s->pad[1] + s->pad[3]) - 2, s->oc);
}

static int check(const size_row *s, int kind, int how, bool limits,
                 int64_t tile) {
  // Which of bias, scale and shift there are.
  static const int tails[] = {0, 1, 2, 3, 7};
  const tenon_conv_winograd_attrs attrs = {
      {s->pad, 4}, tile, {-0.75, limits}, {1.5, limits}};
  char name[160];
  op_case c;
  op_case_begin(&c, tenon_op_core_conv_winograd.kernels[0], &attrs);
  add_operands(&c, s, kind, tails[how]);
  snprintf(name, sizeof name, "%d x %d x %d x %d to %d; %d, %d, %d, %d", s->n,
           s->h, s->w, s->c, s->oc, kind, how, limits, (int)tile);
  const int checked = test_op_check(&c, "core::conv_winograd", "f32", name);
  op_case_end(&c);
  return checked;
}

static void tiles_equal_the_reference(void **state) {
  int checked = 0;
  (void)state;
  case_random_state = 1;
  for (int64_t tile = 2; tile <= 4; tile += 2) {
    EACH_ROW(i, sizes)
    for (int kind = 0; kind < CASE_DATA_KINDS; ++kind)
      checked += check(&sizes[i], kind, (int)((i + (size_t)kind) % 5),
                       (i + (size_t)kind) % 2, tile);
    for (int how = 0; how < 5; ++how)
      checked += check(&sizes[3], CASE_USUAL, how, true, tile);
  }
  if (!checked) skip();
}

// Small integers, and multiples of four as weights: no sum is rounded.
static void fill_exact(tenon_tensor *t, int unit) {
  float *x = t->data;
  for (size_t i = 0; i < tenon_count(t); ++i)
    x[i] = (float)(unit * ((int)(case_random() % 17) - 8));
}

static void run(const tenon_kernel_desc *kernel, const void *attrs,
                const tenon_tensor *in, tenon_tensor *out) {
  tenon_tensor operands[3] = {in[0], in[1], {0}};
  float scratch[TENON_WINOGRAD_SUMS * 16 * 200];
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

// Numbers around zero, of 16 bits.
static void fill_any(tenon_tensor *t) {
  float *x = t->data;
  for (size_t i = 0; i < tenon_count(t); ++i)
    x[i] = (float)((int)(case_random() % 65536) - 32768) / 16384.0f;
}

// The largest difference from the direct sum, by the largest result.
static double difference(const size_row *s, int64_t tile, bool is_exact) {
  static const int64_t ones[2] = {1, 1};
  const tenon_conv_winograd_attrs own = {
      {s->pad, 4}, tile, {0, false}, {0, false}};
  const tenon_conv_attrs direct = {.stride = {ones, 2},
                                   .pad = {s->pad, 4},
                                   .dilation = {ones, 2},
                                   .groups = 1};
  double most = 0, largest = 0;
  op_case c;
  op_case_begin(&c, tenon_op_core_conv.kernels[0], &direct);
  tenon_tensor in[2] = {
      *op_case_in(&c, TENON_F32, 0, 4, s->n, s->h, s->w, s->c),
      *op_case_in(&c, TENON_F32, 0, 4, s->oc, 3, 3, s->c)};
  const int out_h = s->h + (int)(s->pad[0] + s->pad[2]) - 2;
  const int out_w = s->w + (int)(s->pad[1] + s->pad[3]) - 2;
  tenon_tensor y = *op_case_in(&c, TENON_F32, 0, 4, s->n, out_h, out_w, s->oc);
  tenon_tensor z = *op_case_in(&c, TENON_F32, 0, 4, s->n, out_h, out_w, s->oc);
  if (is_exact) {
    fill_exact(&in[0], 1);
    fill_exact(&in[1], 4);
  } else {
    fill_any(&in[0]);
    fill_any(&in[1]);
  }
  run(tenon_op_core_conv.kernels[0], &direct, in, &y);
  run(tenon_op_core_conv_winograd.kernels[0], &own, in, &z);
  for (size_t k = 0; k < tenon_count(&y); ++k) {
    const double a = (double)((const float *)y.data)[k];
    most = fmax(most, fabs(a - (double)((const float *)z.data)[k]));
    largest = fmax(largest, fabs(a));
  }
  op_case_end(&c);
  assert_true(largest > 0);
  return most / largest;
}

static void exact_sums_equal_the_direct_ones(void **state) {
  (void)state;
  case_random_state = 2;
  EACH_ROW(i, sizes)
  assert_true(difference(&sizes[i], 2, true) == 0);
}

static void other_sums_are_near_the_direct_ones(void **state) {
  (void)state;
  case_random_state = 3;
  EACH_ROW(i, sizes) {
    assert_true(difference(&sizes[i], 2, false) < 1e-6);
    assert_true(difference(&sizes[i], 4, false) < 4e-6);
  }
}

TEST_GROUP(winograd, cmocka_unit_test(tiles_equal_the_reference),
           cmocka_unit_test(exact_sums_equal_the_direct_ones),
           cmocka_unit_test(other_sums_are_near_the_direct_ones))
