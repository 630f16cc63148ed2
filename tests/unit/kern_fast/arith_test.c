// Fast quantised sums, differences and products against the reference, bit for
// bit: all pairs of bytes, factors on both sides of 1, and broadcasting. The
// same of floats of 32 and 16 bits, with quotients and extremes, and limits.
#include "kern/op/arith.h"

#include "op_check.h"

typedef struct arith_case {
  op_case c;
  tenon_arith_attrs attrs;
  tenon_quant quant[3];
  float scale[3];
  int32_t zero[3];
} arith_case;

static void quantise(arith_case *a, int i, const tenon_quant **quant) {
  a->scale[i] =
      ldexpf(1.0f + (float)case_between(0, 999) * 0.001f,
             case_between(0, 3) ? case_between(-7, -4) : case_between(-30, 10));
  a->zero[i] = a->c.in[0].dtype == TENON_S8 ? case_between(-128, 127) : 0;
  a->quant[i] = (tenon_quant){&a->scale[i], &a->zero[i], 1, 0, 0};
  *quant = &a->quant[i];
}

static int run(arith_case *a, const char *name) {
  quantise(a, 0, &a->c.in[0].quant);
  quantise(a, 1, &a->c.in[1].quant);
  quantise(a, 2, &a->c.out[0].quant);
  a->attrs.lo =
      (tenon_opt_float){-20.0 * (double)a->scale[2], case_between(0, 1) != 0};
  a->attrs.hi =
      (tenon_opt_float){30.0 * (double)a->scale[2], case_between(0, 1) != 0};
  const int checked = test_op_check(
      &a->c, name, a->c.in[0].dtype == TENON_S8 ? "s8q" : "s16q", name);
  op_case_end(&a->c);
  return checked;
}

static int check_pairs(const tenon_op_desc *op, const char *name) {
  arith_case a;
  memset(&a, 0, sizeof a);
  op_case_begin(&a.c, op_case_reference(op, "s8q"), &a.attrs);
  int8_t *x = op_case_in(&a.c, TENON_S8, CASE_USUAL, 1, 65536)->data;
  int8_t *y = op_case_in(&a.c, TENON_S8, CASE_USUAL, 1, 65536)->data;
  op_case_out(&a.c, TENON_S8, 1, 65536);
  for (int i = 0; i < 65536; ++i) {
    x[i] = (int8_t)(i >> 8);
    y[i] = (int8_t)(i & 0xff);
  }
  return run(&a, name);
}

// Either operand may have 1 in a dimension; lines may be short and many.
static void draw_shapes(int size[3], int left[2][3]) {
  const int many = case_between(0, 1) ? case_between(1, 2) : 2;
  for (int d = 0; d < 3; ++d) {
    size[d] = case_between(0, 9) ? case_between(1, d == many ? 150 : 5) : 0;
    for (int i = 0; i < 2; ++i)
      left[i][d] = case_between(0, 2) ? size[d] : 1;
    if (left[0][d] == 1 && left[1][d] == 1) size[d] = 1;
  }
}

static int check_broadcast(const tenon_op_desc *op, const char *name) {
  arith_case a;
  int size[3], left[2][3];
  memset(&a, 0, sizeof a);
  draw_shapes(size, left);
  op_case_begin(&a.c, op_case_reference(op, "s8q"), &a.attrs);
  for (int i = 0; i < 2; ++i)
    op_case_in(&a.c, TENON_S8, CASE_USUAL, 3, left[i][0], left[i][1],
               left[i][2]);
  op_case_out(&a.c, TENON_S8, 3, size[0], size[1], size[2]);
  return run(&a, name);
}

// Words of which the ends of the range are as frequent as the others.
static int check_words(const tenon_op_desc *op, const char *name) {
  arith_case a;
  int size[3], left[2][3];
  memset(&a, 0, sizeof a);
  draw_shapes(size, left);
  op_case_begin(&a.c, op_case_reference(op, "s16q"), &a.attrs);
  for (int i = 0; i < 2; ++i) {
    const tenon_tensor *x = op_case_in(&a.c, TENON_S16, CASE_USUAL, 3,
                                       left[i][0], left[i][1], left[i][2]);
    for (size_t k = 0; k < tenon_count(x); ++k)
      ((int16_t *)x->data)[k] =
          (int16_t)(case_random() & 1   ? case_between(-32768, 32767)
                    : case_random() & 1 ? -32768
                                        : 32767);
  }
  op_case_out(&a.c, TENON_S16, 3, size[0], size[1], size[2]);
  return run(&a, name);
}

static void equals_the_reference(void **state) {
  static const struct {
    const tenon_op_desc *op;
    const char *name;
  } rows[] = {{&tenon_op_core_add, "core::add"},
              {&tenon_op_core_sub, "core::sub"},
              {&tenon_op_core_mul, "core::mul"}};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, rows) {
    for (int k = 0; k < 40; ++k)
      checked += check_pairs(rows[i].op, rows[i].name);
    for (int k = 0; k < 200; ++k)
      checked += check_broadcast(rows[i].op, rows[i].name);
    for (int k = 0; k < 400; ++k)
      checked += check_words(rows[i].op, rows[i].name);
  }
  if (!checked) skip();
}

static int check_floats(const tenon_op_desc *op, const char *name,
                        tenon_dtype dtype, const char *types) {
  arith_case a;
  int size[3], left[2][3];
  memset(&a, 0, sizeof a);
  draw_shapes(size, left);
  op_case_begin(&a.c, op_case_reference(op, types), &a.attrs);
  for (int i = 0; i < 2; ++i)
    op_case_in(&a.c, dtype, case_between(0, CASE_DATA_KINDS - 1), 3, left[i][0],
               left[i][1], left[i][2]);
  op_case_out(&a.c, dtype, 3, size[0], size[1], size[2]);
  a.attrs.lo = (tenon_opt_float){-0.5, case_between(0, 1) != 0};
  a.attrs.hi = (tenon_opt_float){0.75, case_between(0, 1) != 0};
  const int checked = test_op_check(&a.c, name, types, name);
  op_case_end(&a.c);
  return checked;
}

static void equals_the_reference_on_floats(void **state) {
  static const struct {
    const tenon_op_desc *op;
    const char *name;
  } rows[] = {{&tenon_op_core_add, "core::add"},
              {&tenon_op_core_sub, "core::sub"},
              {&tenon_op_core_mul, "core::mul"},
              {&tenon_op_core_div, "core::div"},
              {&tenon_op_core_minimum, "core::minimum"},
              {&tenon_op_core_maximum, "core::maximum"},
              {&tenon_op_core_prelu, "core::prelu"}};
  int checked = 0;
  (void)state;
  case_random_state = 2;
  EACH_ROW(i, rows) {
    for (int k = 0; k < 200; ++k)
      checked += check_floats(rows[i].op, rows[i].name, TENON_F32, "f32");
    for (int k = 0; k < 200; ++k) {
      const bool is_bf16 = k & 1;
      checked += check_floats(rows[i].op, rows[i].name,
                              is_bf16 ? TENON_BF16 : TENON_F16,
                              is_bf16 ? "bf16" : "f16");
    }
  }
  if (!checked) skip();
}

// Every number of 16 bits, and a row that is no whole register.
static void limits_equal_the_reference(void **state) {
  static const tenon_clamp_attrs limits[] = {
      {{0, true}, {0, false}},    {{0, false}, {-0.0, true}},
      {{-1.5, true}, {6, true}},  {{3, true}, {-2, true}},
      {{0.1, true}, {1e9, true}}, {{0, false}, {0, false}}};
  int checked = 0;
  (void)state;
  EACH_ROW(i, limits) {
    for (int k = 0; k < 2; ++k) {
      const tenon_dtype dtype = k ? TENON_BF16 : TENON_F16;
      const char *types = k ? "bf16" : "f16";
      op_case c;
      op_case_begin(&c, op_case_reference(&tenon_op_core_clamp, types),
                    &limits[i]);
      uint16_t *x = op_case_in(&c, dtype, CASE_USUAL, 1, 65536 + 5)->data;
      op_case_out(&c, dtype, 1, 65536 + 5);
      for (int n = 0; n < 65536 + 5; ++n)
        x[n] = (uint16_t)n;
      checked += test_op_check(&c, "core::clamp", types, "core::clamp");
      op_case_end(&c);
    }
  }
  if (!checked) skip();
}

TEST_GROUP(arith, cmocka_unit_test(equals_the_reference),
           cmocka_unit_test(equals_the_reference_on_floats),
           cmocka_unit_test(limits_equal_the_reference))
