// Functions of single elements on vectors against the reference, bit for bit:
// every exponent and sign with many fractions, and lengths that fill no vector.
#include <math.h>
#include <stdlib.h>

#include "harness/harness.h"
#include "ops/core/core_fast.h"
#include "wide.h"

enum { COUNT = 1 << 18 };

#ifdef TENON_CORE_HAS_FAST
extern tenon_run_range_fn tenon_k_exp_f32_ref, tenon_k_tanh_f32_ref,
    tenon_k_logistic_f32_ref, tenon_k_erf_f32_ref, tenon_k_log_f32_ref;

static void check(tenon_run_range_fn *reference, const char *op) {
  int32_t dims[] = {COUNT};
  float *x = malloc(COUNT * sizeof *x), *want = malloc(COUNT * sizeof *want);
  float *got = malloc(COUNT * sizeof *got);
  for (uint32_t i = 0; i < COUNT; ++i) {
    const uint32_t bits = i << 14 | ((uint32_t)rand() & 0x3fffu);
    memcpy(&x[i], &bits, sizeof bits);
  }
  tenon_tensor in = {x, dims, NULL, NULL, TENON_F32, 1, 0}, out = in;
  tenon_call c = {.in = &in, .out = &out, .n_in = 1, .n_out = 1};
  out.data = want;
  assert_int_equal(reference(&c, 0, COUNT), TENON_OK);
  out.data = got;
  for (const tenon_kernel_desc *const *k = tenon_core_fast_kernels; *k; ++k) {
    if (strcmp((*k)->op, op) != 0 || !test_can_run(*k)) continue;
    memset(got, 0x55, COUNT * sizeof *got);
    assert_int_equal((*k)->run_range(&c, 0, 37), TENON_OK);
    assert_int_equal((*k)->run_range(&c, 37, COUNT), TENON_OK);
    for (int i = 0; i < COUNT; ++i)
      CHECK(memcmp(&got[i], &want[i], sizeof(float)) == 0 ||
                (isnan(got[i]) && isnan(want[i])),
            "%s of %a: %a, the reference has %a", (*k)->symbol, (double)x[i],
            (double)got[i], (double)want[i]);
  }
  free(x);
  free(want);
  free(got);
}
#endif

static void functions_equal_the_reference(void **state) {
  (void)state;
#ifdef TENON_CORE_HAS_FAST
  check(tenon_k_exp_f32_ref, "core::exp");
  check(tenon_k_tanh_f32_ref, "core::tanh");
  check(tenon_k_logistic_f32_ref, "core::logistic");
  check(tenon_k_erf_f32_ref, "core::erf");
  check(tenon_k_log_f32_ref, "core::log");
#else
  skip();  // this machine has none of these kernels
#endif
}

TEST_GROUP(each, cmocka_unit_test(functions_equal_the_reference))
