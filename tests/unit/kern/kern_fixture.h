// Runs a kernel of the core operators on arrays, as a session would.
//
//   tenon_tensor in[] = {TENSOR(TENON_F32, x, 2, 3)};
//   tenon_tensor out = TENSOR(TENON_F32, y, 2, 3);
//   assert_int_equal(run_kernel("tenon_k_exp_f32_ref", "", in, 1, &out), 0);
//
// Attributes are text, "stride=1,1 lo=0"; those that are not named are zero.
//
// Every run is done three times: whole, in ranges of few items with scratch
// that holds rubbish, and in place where the descriptor allows it; the results
// must be the same bytes. What `pack` leaves unset is found by packing twice
// over different rubbish.
#ifndef TENON_TESTS_KERN_FIXTURE_H
#define TENON_TESTS_KERN_FIXTURE_H

#include <stdlib.h>

#include "harness/harness.h"
#include "ops/core/core.h"

#define DIMS(...) \
  (const int32_t[]){__VA_ARGS__}, COUNT(((const int32_t[]){__VA_ARGS__}))
#define TENSOR(dtype, data, ...) tensor_of(dtype, data, NULL, DIMS(__VA_ARGS__))
#define QUANT_TENSOR(dtype, data, quant, ...) \
  tensor_of(dtype, data, quant, DIMS(__VA_ARGS__))

TENON_INLINE tenon_tensor tensor_of(tenon_dtype dtype, const void *data,
                                    const tenon_quant *quant,
                                    const int32_t *dims, size_t rank) {
  tenon_tensor t = {.data = (void *)(uintptr_t)data,
                    .dims = dims,
                    .quant = quant,
                    .dtype = dtype,
                    .rank = (uint8_t)rank};
  return t;
}

// The kernel of this symbol and, if `op` is not null, its operator; ends the
// test if there is none.
const tenon_kernel_desc *find_kernel(const char *symbol,
                                     const tenon_op_desc **op);

// Attributes of an operator, from text. They live until the next call.
const void *attrs_of(const tenon_op_desc *op, const char *text);

// Runs it on operands (absent: dtype 0) into out->data. Returns the kernel's
// status, or -1 when it does not match. `last_fault` is what it said.
int run_kernel(const char *symbol, const char *attrs, const tenon_tensor *in,
               int n_in, tenon_tensor *out);
extern tenon_fault last_fault;

// A number from a fixed sequence, and one in [lo, hi].
uint32_t next_random(void);
int32_t random_between(int32_t lo, int32_t hi);
float random_float(void);  // in [-2, 2], with all bits of the fraction

#endif  // TENON_TESTS_KERN_FIXTURE_H
