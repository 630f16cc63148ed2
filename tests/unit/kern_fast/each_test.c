// Functions of single elements on vectors against the reference, bit for bit:
// floats of every exponent and sign with many fractions, all of 16 bits, and
// lengths that fill no vector.
#include <math.h>
#include <stdlib.h>

#include "harness/harness.h"
#include "kern/num/half.h"
#include "kern/op/activation.h"
#include "kern/op/cast.h"
#include "ops/core/fast/core_fast.h"
#include "wide.h"

#ifdef TENON_CORE_HAS_FAST
enum { ELEMENTS = 1 << 18 };

extern tenon_run_range_fn tenon_k_cast_ref;

#define TENON_EACH_ROW(op, form, header, calls)                             \
  extern tenon_run_range_fn tenon_k_##op##_f32_ref, tenon_k_##op##_f16_ref, \
      tenon_k_##op##_bf16_ref;
#include "kern/isa/each.def"
#undef TENON_EACH_ROW

typedef struct row {
  const char *op;
  tenon_dtype type;
  int operands;
  tenon_run_range_fn *reference;
} row;

enum { EACH = 1, GROUP = 1, PAIR = 2 };
static const row rows[] = {
#define TENON_EACH_ROW(op, form, header, calls)                \
  {"core::" #op, TENON_F32, form, tenon_k_##op##_f32_ref},     \
      {"core::" #op, TENON_F16, form, tenon_k_##op##_f16_ref}, \
      {"core::" #op, TENON_BF16, form, tenon_k_##op##_bf16_ref},
#include "kern/isa/each.def"
#undef TENON_EACH_ROW
};

static float value(const void *data, tenon_dtype type, int i) {
  uint16_t half;
  float x;
  if (type == TENON_F32) {
    memcpy(&x, (const float *)data + i, sizeof x);
    return x;
  }
  memcpy(&half, (const uint16_t *)data + i, sizeof half);
  return type == TENON_F16 ? tenon_f32_of_f16(half) : tenon_f32_of_bf16(half);
}

// Every place of a number of 16 bits; below them whatever.
static void fill(void *data, tenon_dtype type, uint32_t turn) {
  for (uint32_t i = 0; i < ELEMENTS; ++i) {
    const uint32_t at = (i + turn) & (ELEMENTS - 1);
    const uint32_t bits = at << 14 | ((uint32_t)rand() & 0x3fffu);
    const uint16_t half = (uint16_t)at;
    if (type == TENON_F32)
      memcpy((float *)data + i, &bits, sizeof bits);
    else
      memcpy((uint16_t *)data + i, &half, sizeof half);
  }
}

// What has no NaN has bits, also those of zeros.
static void compare(const char *symbol, const row *r, const void *x,
                    const void *y, const void *got, const void *want) {
  for (int i = 0; i < ELEMENTS; ++i) {
    const float a = value(got, r->type, i), b = value(want, r->type, i);
    CHECK(memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)),
          "%s of %a and %a: %a, the reference has %a", symbol,
          (double)value(x, r->type, i), (double)value(y, r->type, i), (double)a,
          (double)b);
  }
}

static int check(const row *r) {
  const tenon_gelu_attrs attrs = {.approximate = false};
  int32_t dims[] = {ELEMENTS};
  const size_t size = ELEMENTS * sizeof(float);
  void *x = malloc(size), *y = malloc(size), *want = malloc(size);
  void *got = malloc(size);
  int checked = 0;
  fill(x, r->type, 0);
  fill(y, r->type, 12345);
  tenon_tensor in[2] = {{x, dims, NULL, NULL, r->type, 1, 0},
                        {y, dims, NULL, NULL, r->type, 1, 0}};
  tenon_tensor out = in[0];
  tenon_call c = {
      .in = in, .out = &out, .attrs = &attrs, .n_in = 2, .n_out = 1};
  c.n_in = (uint16_t)r->operands;
  const char *type = r->type == TENON_F32   ? "f32"
                     : r->type == TENON_F16 ? "f16"
                                            : "bf16";
  out.data = want;
  assert_int_equal(r->reference(&c, 0, ELEMENTS), TENON_OK);
  out.data = got;
  for (const tenon_kernel_desc *const *k = tenon_core_fast_kernels; *k; ++k) {
    if (strcmp((*k)->op, r->op) != 0 || !test_can_run(*k) ||
        strncmp((*k)->types, type, strlen(type)) != 0)
      continue;
    memset(got, 0x55, size);
    assert_int_equal((*k)->run_range(&c, 0, 37), TENON_OK);
    assert_int_equal((*k)->run_range(&c, 37, ELEMENTS), TENON_OK);
    compare((*k)->symbol, r, x, y, got, want);
    ++checked;
  }
  free(x);
  free(y);
  free(want);
  free(got);
  return checked;
}
#endif

// Casts have the bits of NaN, too.
static void casts_equal_the_reference(void **state) {
  (void)state;
#ifdef TENON_CORE_HAS_FAST
  static const struct {
    const char *types;
    tenon_dtype from, to;
  } pairs[] = {{"f32 -> bf16", TENON_F32, TENON_BF16},
               {"f32 -> f16", TENON_F32, TENON_F16},
               {"bf16 -> f32", TENON_BF16, TENON_F32},
               {"f16 -> f32", TENON_F16, TENON_F32}};
  const tenon_cast_attrs attrs = {.wrap = false};
  int32_t dims[] = {ELEMENTS};
  const size_t size = ELEMENTS * sizeof(float);
  void *x = malloc(size), *want = malloc(size), *got = malloc(size);
  EACH_ROW(i, pairs) {
    const size_t used = pairs[i].to == TENON_F32 ? size : size / 2;
    int checked = 0;
    fill(x, pairs[i].from, 0);
    tenon_tensor in = {x, dims, NULL, NULL, pairs[i].from, 1, 0};
    tenon_tensor out = {want, dims, NULL, NULL, pairs[i].to, 1, 0};
    tenon_call c = {
        .in = &in, .out = &out, .attrs = &attrs, .n_in = 1, .n_out = 1};
    assert_int_equal(tenon_k_cast_ref(&c, 0, ELEMENTS), TENON_OK);
    out.data = got;
    for (const tenon_kernel_desc *const *k = tenon_core_fast_kernels; *k; ++k) {
      if (strcmp((*k)->op, "core::cast") != 0 || !test_can_run(*k) ||
          strcmp((*k)->types, pairs[i].types) != 0)
        continue;
      memset(got, 0x55, size);
      assert_int_equal((*k)->run_range(&c, 0, 37), TENON_OK);
      assert_int_equal((*k)->run_range(&c, 37, ELEMENTS), TENON_OK);
      CHECK(memcmp(got, want, used) == 0, "%s", (*k)->symbol);
      ++checked;
    }
    assert_true(checked > 0);
  }
  free(x);
  free(want);
  free(got);
#else
  skip();  // this machine has none of these kernels
#endif
}

static void functions_equal_the_reference(void **state) {
  (void)state;
#ifdef TENON_CORE_HAS_FAST
  EACH_ROW(i, rows)
  assert_true(check(&rows[i]) > 0);
#else
  skip();  // this machine has none of these kernels
#endif
}

TEST_GROUP(each, cmocka_unit_test(functions_equal_the_reference),
           cmocka_unit_test(casts_equal_the_reference))
