// Products of rows of 16-bit floats against the reference, bit for bit: parts
// of panels and groups, blocks of many rows, single ones; and what factors
// between casts make of an image.
#include "kern/op/round_affine.h"
#include "kern/product/conv.h"

#include "op_check.h"

static int check(tenon_dtype dtype, const char *type, int m, int k, int n,
                 int kind) {
  tenon_fully_connected_attrs attrs = {0};
  char what[99], types[32];
  op_case c;
  attrs.lo = (tenon_opt_float){-0.5, case_between(0, 3) == 0};
  attrs.hi = (tenon_opt_float){0.75, case_between(0, 3) == 0};
  op_case_begin(&c, op_case_reference(&tenon_op_core_fully_connected, type),
                &attrs);
  op_case_in(&c, dtype, kind, 2, m, k);
  op_case_in(&c, TENON_F32, kind, 2, n, k);
  if (case_between(0, 1))
    op_case_in(&c, TENON_F32, kind, 1, n);
  else
    op_case_none(&c);
  op_case_out(&c, dtype, 2, m, n);
  snprintf(what, sizeof what, "%s, %d rows of %d to %d, kind %d", type, m, k, n,
           kind);
  snprintf(types, sizeof types, "%s,", type);
  const int checked = test_op_check(&c, "core::fully_connected", types, what);
  op_case_end(&c);
  return checked;
}

static void products_equal_the_reference(void **state) {
  int checked = 0;
  (void)state;
  case_random_state = 1;
  for (int i = 0; i < 60; ++i)
    for (int kind = 0; kind < CASE_DATA_KINDS; ++kind)
      for (int is_bf16 = 0; is_bf16 < 2; ++is_bf16) {
        const bool is_tall = i % 10 == 9;
        const int m = i % 4 ? case_between(1, is_tall ? 400 : 40) : 1;
        checked +=
            check(is_bf16 ? TENON_BF16 : TENON_F16, is_bf16 ? "bf16" : "f16", m,
                  case_between(1, i % 3 ? 90 : 700),
                  case_between(1, i % 5 ? 150 : 300), kind);
      }
  if (!checked) skip();
}

// Channels that fill registers and that do not; ranges begin anywhere.
static void factors_equal_the_reference(void **state) {
  static const struct {
    const char *types;
    tenon_dtype through, dtype;
  } rows[] = {{"f32, f32, f32 -> f16", TENON_F16, TENON_F16},
              {"f32, f32, f32 -> bf16", TENON_BF16, TENON_BF16},
              {"f32, f32, f32 -> f32", TENON_F16, TENON_F32},
              {"f32, f32, f32 -> f32", TENON_BF16, TENON_F32}};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, rows) {
    for (int n = 1; n < 70; n += n < 34 ? 1 : 7) {
      const int kind = n % CASE_DATA_KINDS, pixels = case_between(1, 9);
      const tenon_round_affine_attrs attrs = {rows[i].through,
                                              rows[i].dtype,
                                              {-0.5, case_between(0, 1) == 0},
                                              {0.7, case_between(0, 1) == 0},
                                              case_between(0, 1) == 0};
      op_case c;
      char what[99];
      op_case_begin(&c,
                    op_case_reference(&tenon_op_core_round_affine,
                                      rows[i].dtype == TENON_F32
                                          ? "f32, f32, f32 -> f32"
                                          : "f32, f32, f32 -> f16|bf16"),
                    &attrs);
      op_case_in(&c, TENON_F32, kind, 2, pixels, n);
      op_case_in(&c, TENON_F32, 0, 1, n);
      op_case_in(&c, TENON_F32, 0, 1, n);
      op_case_out(&c, rows[i].dtype, 2, pixels, n);
      snprintf(what, sizeof what, "%s, %d of %d, kind %d", rows[i].types,
               pixels, n, kind);
      checked += test_op_check(&c, "core::round_affine", rows[i].types, what);
      op_case_end(&c);
    }
  }
  if (!checked) skip();
}

TEST_GROUP(half, cmocka_unit_test(products_equal_the_reference),
           cmocka_unit_test(factors_equal_the_reference))
