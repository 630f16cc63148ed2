// Bodies of kern/opt/ for registers wider than this machine may have, with
// plain C in place of instructions, so that the arithmetic of 512 bits and of
// both kinds of dot product is tested anywhere.
#ifndef TENON_TESTS_WIDE_H
#define TENON_TESTS_WIDE_H

#include "tenon/ext/kernel.h"

// The descriptors of the AVX-512 kernels with those bodies; ends with null.
const tenon_kernel_desc *const *test_wide_kernels(void);

// Whether this machine has what the kernel needs.
bool test_can_run(const tenon_kernel_desc *k);

// clang-format off
#define TEST_WIDE_EACH(X)           \
  X(conv_f32, avx512)               \
  X(depthwise_conv_f32, avx512)     \
  X(conv_made_f32, avx512)          \
  X(depthwise_conv_made_f32, avx512) \
  X(fully_connected_f32, avx512)    \
  X(fully_connected_strassen_f32, avx512) \
  X(matmul_f32, avx512)             \
  X(conv_s8, avx512)                \
  X(conv_s8_zero, avx512)           \
  X(depthwise_conv_s8, avx512)      \
  X(fully_connected_s8, avx512)     \
  X(integer_linear_s8, avx512)      \
  X(dynamic_linear_s8, avx512)      \
  X(conv_s8, avx512vnni)            \
  X(conv_s8_zero, avx512vnni)       \
  X(conv_f32s8_dot, avx512vnni)     \
  X(depthwise_conv_s8, avx512vnni)  \
  X(fully_connected_s8, avx512vnni) \
  X(fully_connected_row_s8, avx512vnni) \
  X(integer_linear_s8, avx512vnni)  \
  X(dynamic_linear_s8, avx512vnni)
// clang-format on
#define TEST_WIDE_DECLARE(name, isa) \
  tenon_run_range_fn test_wide_##name##_##isa;
TEST_WIDE_EACH(TEST_WIDE_DECLARE)

#endif  // TENON_TESTS_WIDE_H
