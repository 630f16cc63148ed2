// kern/isa/arm/arm_packed.h - what is packed for integer kernels on Cortex-M.
//
// Written where the model is compiled (ops/core/fast/core_fast_arm.c) and read
// from flash in this order: geometry, channels, weights. All is int32 or int8,
// so there is no padding.
#ifndef TENON_KERN_ISA_ARM_ARM_PACKED_H
#define TENON_KERN_ISA_ARM_ARM_PACKED_H

#include "tenon/base.h"

// A window over an image. `run` bytes are a row of taps that lie side by side
// in the image; `k` is the number of products of a channel with what rounds it
// up.
typedef struct tenon_arm_window {
  int32_t h, w, c, out_h, out_w, out_c;
  int32_t kh, kw, down, right, top, left, dil_y, dil_x;
  int32_t x_zero, y_zero, lo, hi;
  int32_t run, k;
  int32_t how, also;  // the kernel's own
  int32_t rest;       // bytes from here to what follows: channels, weights
} tenon_arm_window;

// Stripes of a layer differ in geometry alone, and have the rest in common
// (tenon_kernel_desc.pack_head).
TENON_INLINE const void *tenon_arm_rest(const tenon_arm_window *g) {
  return (const char *)g + g->rest;
}

// Pixels that some kernels copy, or bring into another order, at once.
enum { TENON_ARM_PIECE = 16 };

// How sums of a channel are stored. `bias` has what the input's zero point
// adds, where a kernel says so. "Plain" channels have a sum, scaled or not,
// below 2^30 and are shifted to the right by 1 to 22; then `round` is half of
// what is shifted out and the zero point of the result, shifted left. Others
// have the shift as tenon_requant_twice and tenon_requant_once take it, and no
// `round`.
typedef struct tenon_arm_channel {
  int32_t bias, mult, round, shift;
} tenon_arm_channel;

// The same of sums of 64 bits, for tenon_requant_wide, or, with the halves of a
// double as `mult` and `shift`, for tenon_requant_double.
typedef struct tenon_arm_wide {
  int32_t low, high;  // the bias
  int32_t mult, shift;
} tenon_arm_wide;

// A plain channel whose factor is two words, for tenon_requant_long.
typedef struct tenon_arm_long {
  int32_t bias, high, low, shift;
} tenon_arm_long;

// Four channels as vectors. `shift` is not above 0 in plain channels.
typedef struct tenon_arm_quad {
  int32_t bias[4], mult[4], shift[4];
} tenon_arm_quad;

// The same of two words; `shift` is what is left behind the upper half.
typedef struct tenon_arm_long_quad {
  int32_t bias[4], low[4], high[4], shift[4];
} tenon_arm_long_quad;

// A quad, and the taps of each channel in a window of 4 by 4: tap (ky, kx) is
// weights[..][kx * 4 + ky].
typedef struct tenon_arm_taps {
  tenon_arm_quad q;
  int8_t weights[4][16];
} tenon_arm_taps;

// A channel with a window of three rows of three taps: two taps a word, 0 and
// 1, then 1 and 2, and all is doubled that sums are made of.
typedef struct tenon_arm_nine {
  uint32_t pairs[3][2];
  tenon_arm_channel q;
} tenon_arm_nine;

// Four channels of any kind: shifts to the left and, not above 0, to the right;
// the channel of the input, from its first. Four weights of each tap follow.
typedef struct tenon_arm_any {
  int32_t bias[4], mult[4], left[4], right[4];
  uint32_t place[4];
} tenon_arm_any;

// A sum of two operands: `half` is the one of the larger scale, which is 19
// bits up, less its zero point; the other is `left` bits up, less its own, and
// scaled. Of a product `less` and `half_less` are the zero points of operands 0
// and 1. Factors and shifts as the kernel has them. The last three are for
// kernels of operands that are repeated, or of limits: `lo` and `hi`, within
// the type, and whether no operand is repeated.
typedef struct tenon_arm_sum {
  int32_t half, left, less, half_less;
  int32_t mult, shift;
  int32_t y_mult, y_shift, zero;
  int32_t lo, hi, alike;
} tenon_arm_sum;

// Elements from `begin` on by `f`: of the operand that is scaled, and of the
// one in halves.
#define TENON_ARM_CALL(f, scaled, half)                  \
  f((const tenon_arm_sum *)c->packed,                    \
    (const int8_t *)c->in[scaled].data + (int32_t)begin, \
    (const int8_t *)c->in[half].data + (int32_t)begin,   \
    (int8_t *)c->out[0].data + (int32_t)begin, (int32_t)(end - begin))

// Means over neighbouring dimensions: x is [rows, n, c], c at a time are
// summed. `less` is n times the zero point.
typedef struct tenon_arm_mean {
  int32_t n, c, less, mult, shift, zero, lo, hi;
} tenon_arm_mean;

// Blocks of `bytes` that lie at constant places in each `span` bytes: `count`
// of these follow, in bytes.
typedef struct tenon_arm_places {
  int32_t bytes, count, span;
} tenon_arm_places;

#endif  // TENON_KERN_ISA_ARM_ARM_PACKED_H
