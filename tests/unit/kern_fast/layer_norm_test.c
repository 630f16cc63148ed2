// Fast norms of rows against the reference, bit for bit: rows shorter than
// lanes of a sum, parts of registers, rows long enough for levels.
#include "kern/op/layer_norm.h"

#include "op_check.h"

static const struct {
  tenon_dtype dtype;
  const char *name;
} types[] = {{TENON_F32, "f32"}, {TENON_F16, "f16"}, {TENON_BF16, "bf16"}};

static int check(size_t type, int rows, int n, bool has_w, bool has_b,
                 bool is_rms, int kind) {
  const tenon_layer_norm_attrs attrs = {kind ? 1e-5 : 0.0, is_rms};
  char what[99];
  op_case c;
  op_case_begin(&c,
                op_case_reference(&tenon_op_core_layer_norm, types[type].name),
                &attrs);
  op_case_in(&c, types[type].dtype, kind, 2, rows, n);
  for (int i = 0; i < 2; ++i) {
    if (i ? has_b : has_w)
      op_case_in(&c, TENON_F32, CASE_USUAL, 1, n);
    else
      op_case_none(&c);
  }
  op_case_out(&c, types[type].dtype, 2, rows, n);
  snprintf(what, sizeof what, "%s, %d rows of %d: %d %d, rms %d, kind %d",
           types[type].name, rows, n, has_w, has_b, is_rms, kind);
  const int checked =
      test_op_check(&c, "core::layer_norm", types[type].name, what);
  op_case_end(&c);
  return checked;
}

static void norms_equal_the_reference(void **state) {
  static const int lengths[] = {1,  2,  7,  8,   15,  16,  17,  24,  31,
                                32, 33, 40, 100, 192, 511, 512, 777, 4099};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(type, types) {
    EACH_ROW(i, lengths)
    for (unsigned how = 0; how < 8; ++how)
      for (int kind = 0; kind < CASE_DATA_KINDS; ++kind)
        checked += check(type, 1 + (int)(i * 7 + how * 5) % 37, lengths[i],
                         how & 1, how >> 1 & 1, how >> 2 & 1, kind);
    checked += check(type, 0, 8, true, true, false, CASE_USUAL);
  }
  if (!checked) skip();
}

TEST_GROUP(layer_norm, cmocka_unit_test(norms_equal_the_reference))
