// Functions of 16-bit integers by tables, and softmax of them, against the
// reference, bit for bit: every integer, factors on both sides of 1, rows that
// fill no register, and rows of equal and of extreme numbers.
#include "kern/op/activation.h"
#include "kern/op/softmax.h"

#include "op_check.h"

typedef struct scales {
  float scale[2];
  int32_t zero[1];
  tenon_quant quant[2];
} scales;

static void scales_of(scales *s, int least, int most, bool is_unit) {
  s->zero[0] = 0;
  for (int i = 0; i < 2; ++i) {
    s->scale[i] = i && is_unit
                      ? 1.0f / 32768
                      : ldexpf(1.0f + (float)case_between(0, 1023) / 1024.0f,
                               case_between(least, most));
    s->quant[i] = (tenon_quant){&s->scale[i], s->zero, 1, 0, 0};
  }
  // A power of two is a shift in some.
  if (case_random() & 1) s->scale[0] = ldexpf(1.0f, case_between(least, most));
}

static int check_words(const tenon_op_desc *op, const char *name,
                       const void *attrs, bool is_unit) {
  scales s;
  op_case c;
  scales_of(&s, -16, -3, is_unit);
  op_case_begin(&c, op_case_reference(op, "s16q"), attrs);
  tenon_tensor *x = op_case_in(&c, TENON_S16, CASE_USUAL, 1, 1 << 16);
  x->quant = &s.quant[0];
  for (int i = 0; i < 1 << 16; ++i)
    ((int16_t *)x->data)[i] = (int16_t)(i - 32768);
  op_case_out(&c, TENON_S16, 1, 1 << 16);
  c.out[0].quant = &s.quant[1];
  const int checked = test_op_check(&c, name, "s16q", name);
  op_case_end(&c);
  return checked;
}

static void functions_equal_the_reference(void **state) {
  int checked = 0;
  (void)state;
  case_random_state = 1;
  for (int k = 0; k < 12; ++k) {
    const tenon_gelu_attrs gelu = {k & 1};
    checked +=
        check_words(&tenon_op_core_logistic, "core::logistic", NULL, true);
    checked += check_words(&tenon_op_core_tanh, "core::tanh", NULL, true);
    checked += check_words(&tenon_op_core_exp, "core::exp", NULL, false);
    checked += check_words(&tenon_op_core_log, "core::log", NULL, false);
    checked += check_words(&tenon_op_core_gelu, "core::gelu", &gelu, false);
  }
  if (!checked) skip();
}

// Every byte, and counts that fill no register.
static int check_bytes(const tenon_op_desc *op, const char *name,
                       const void *attrs) {
  scales s;
  op_case c;
  const int n = case_between(0, 1) ? case_between(1, 700) : 4096;
  scales_of(&s, -9, -3, false);
  if (op == &tenon_op_core_logistic || op == &tenon_op_core_tanh)
    s.scale[1] = op == &tenon_op_core_tanh ? 1.0f / 128 : 1.0f / 256;
  op_case_begin(&c, op_case_reference(op, "s8q"), attrs);
  tenon_tensor *x = op_case_in(&c, TENON_S8, CASE_USUAL, 1, n);
  x->quant = &s.quant[0];
  for (int i = 0; i < n; ++i)
    ((int8_t *)x->data)[i] = (int8_t)(i * 37);
  op_case_out(&c, TENON_S8, 1, n);
  c.out[0].quant = &s.quant[1];
  const int checked = test_op_check(&c, name, "s8q", name);
  op_case_end(&c);
  return checked;
}

static void tables_equal_the_reference(void **state) {
  int checked = 0;
  (void)state;
  case_random_state = 1;
  for (int k = 0; k < 40; ++k) {
    const tenon_gelu_attrs gelu = {k & 1};
    const tenon_leaky_relu_attrs leaky = {0.1};
    checked += check_bytes(&tenon_op_core_logistic, "core::logistic", NULL);
    checked += check_bytes(&tenon_op_core_tanh, "core::tanh", NULL);
    checked += check_bytes(&tenon_op_core_exp, "core::exp", NULL);
    checked += check_bytes(&tenon_op_core_elu, "core::elu", NULL);
    checked += check_bytes(&tenon_op_core_hard_swish, "core::hard_swish", NULL);
    checked +=
        check_bytes(&tenon_op_core_leaky_relu, "core::leaky_relu", &leaky);
    checked += check_bytes(&tenon_op_core_gelu, "core::gelu", &gelu);
  }
  if (!checked) skip();
}

// Floats next to every half and integer, and what is no number among them.
static void fill_floats(float *x, int n, float scale, int32_t zero) {
  static const float ends[] = {INFINITY, -INFINITY, NAN,   3e38f, -3e38f,
                               1e10f,    -1e10f,    -0.0f, 1e-45f};
  for (int i = 0; i < n; ++i) {
    const int place = case_between(-300, 300) - 2 * zero;
    if (i % 7 == 0 && case_random() % 4 == 0)
      x[i] = ends[case_random() % 9];
    else if (i % 3)
      x[i] = case_float(CASE_USUAL) * scale * 100;
    else
      x[i] = (float)place * 0.5f * scale;
    if (i % 3 == 0 && i % 2)
      x[i] = nextafterf(x[i], case_random() & 1 ? INFINITY : -INFINITY);
  }
}

static int check_quantize(const char *type, tenon_dtype dtype, bool is_back) {
  static const float odd[] = {1e-40f, 3e-39f, 2e38f, 0x1p-126f, 0x1p127f};
  scales s;
  op_case c;
  char types[16];
  const int n = case_between(0, 1) ? case_between(1, 700) : 4096;
  scales_of(&s, -30, 20, false);
  if (case_random() % 8 == 0) s.scale[0] = odd[case_random() % 5];
  s.zero[0] = case_between(-128, 127) + (dtype == TENON_U8 ? 128 : 0);
  const tenon_op_desc *op =
      is_back ? &tenon_op_core_dequantize : &tenon_op_core_quantize;
  snprintf(types, sizeof types, is_back ? "%sq" : "f32 -> %sq", type);
  op_case_begin(&c, op_case_reference(op, types), NULL);
  tenon_tensor *x =
      op_case_in(&c, is_back ? dtype : TENON_F32, CASE_USUAL, 1, n);
  op_case_out(&c, is_back ? TENON_F32 : dtype, 1, n);
  if (is_back) {
    x->quant = &s.quant[0];
    for (int i = 0; i < n; ++i)
      ((uint8_t *)x->data)[i] = (uint8_t)(i * 37);
  } else {
    c.out[0].quant = &s.quant[0];
    fill_floats((float *)x->data, n, s.scale[0], s.zero[0]);
  }
  const int checked = test_op_check(
      &c, is_back ? "core::dequantize" : "core::quantize", types, types);
  op_case_end(&c);
  return checked;
}

static void bytes_of_floats_equal_the_reference(void **state) {
  int checked = 0;
  (void)state;
  case_random_state = 1;
  for (int k = 0; k < 800; ++k)
    checked +=
        check_quantize(k & 1 ? "s8" : "u8", k & 1 ? TENON_S8 : TENON_U8, k & 2);
  if (!checked) skip();
}

// What rows have: any number, few that differ, one alone, the ends.
enum { ROW_ANY, ROW_NEAR, ROW_EQUAL, ROW_ENDS, ROW_KINDS };

static int16_t row_number(int kind) {
  const int16_t x = (int16_t)case_random();
  switch (kind) {
    case ROW_NEAR:
      return (int16_t)(x % 300);
    case ROW_EQUAL:
      return -12345;
    case ROW_ENDS:
      return x < 0 ? INT16_MIN : INT16_MAX;
    default:
      return x;
  }
}

static int check_softmax(int rows, int columns, int kind) {
  // Also where a factor is 0 or shifts too far for registers.
  const int places[] = {case_between(-24, -4), case_between(-50, 4)};
  const tenon_softmax_attrs attrs = {case_random() & 1 ? -1 : 1,
                                     case_random() & 1 ? 1.0 : 0.625};
  char name[99];
  scales s;
  op_case c;
  scales_of(&s, places[kind == ROW_NEAR], places[kind == ROW_NEAR], true);
  op_case_begin(&c, op_case_reference(&tenon_op_core_softmax, "s16q"), &attrs);
  tenon_tensor *x = op_case_in(&c, TENON_S16, CASE_USUAL, 2, rows, columns);
  x->quant = &s.quant[0];
  for (int i = 0; i < rows * columns; ++i)
    ((int16_t *)x->data)[i] = row_number(kind);
  op_case_out(&c, TENON_S16, 2, rows, columns);
  c.out[0].quant = &s.quant[1];
  snprintf(name, sizeof name, "%d %d of kind %d", rows, columns, kind);
  const int checked = test_op_check(&c, "core::softmax", "s16q", name);
  op_case_end(&c);
  return checked;
}

static void softmax_equals_the_reference(void **state) {
  static const int columns[] = {1,  2,  7,  8,  9,   15,  16,
                                17, 31, 33, 64, 100, 257, 4099};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, columns)
  for (int k = 0; k < 10; ++k)
    for (int kind = 0; kind < ROW_KINDS; ++kind)
      checked += check_softmax(case_between(1, 5), columns[i], kind);
  checked += check_softmax(1, 1 << 16, ROW_EQUAL);
  checked += check_softmax(1, 1 << 16, ROW_ANY);
  if (!checked) skip();
}

TEST_GROUP(lookup, cmocka_unit_test(tables_equal_the_reference),
           cmocka_unit_test(bytes_of_floats_equal_the_reference),
           cmocka_unit_test(functions_equal_the_reference),
           cmocka_unit_test(softmax_equals_the_reference))
