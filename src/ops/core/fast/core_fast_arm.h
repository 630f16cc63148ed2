// ops/core/fast/core_fast_arm.h - what the descriptors of the kernels in
// kern/isa/arm/ share.
//
// These kernels can only be emitted: their texts are not compiled for the
// machine that compiles models, on any of which the descriptors exist.
#ifndef TENON_OPS_CORE_CORE_FAST_ARM_H
#define TENON_OPS_CORE_CORE_FAST_ARM_H

#include "kern/isa/arm/arm_packed.h"
#include "ops/core/core_rule.h"

#define TENON_KERNEL_ROW(name, form)                            \
  extern TENON_WEAK const tenon_source tenon_source_##name##_c; \
  extern CORE_KERNEL(name);
#include "kern/isa/arm/arm.def"  // made
#undef TENON_KERNEL_ROW
#define TENON_TABLE_ROW(name, feature, op, types)                           \
  extern TENON_WEAK const tenon_source tenon_source_##name##_##feature##_c; \
  extern CORE_KERNEL(name##_##feature);
#include "kern/isa/arm/table.def"
#undef TENON_TABLE_ROW

// The first members of a descriptor; `name` is its row in arm.def, which is
// made. Kernels of vectors are preferred to those of pairs; `above`: those of
// fewer calls to others.
#define CORE_ARM(name, feature, how_many) \
  CORE_ARM_FIRST(name, feature, how_many, 0)
#define CORE_ARM_FIRST(name, feature, how_many, above)                    \
  .struct_size = sizeof(tenon_kernel_desc), .flags = TENON_KERNEL_NOFAIL, \
  .symbol = "tenon_k_" #name "_" #feature, .items = how_many,             \
  .needs = #feature, .priority = CORE_ARM_PRIORITY_##feature + above,     \
  .align = 4, .source = &tenon_source_##name##_##feature##_c
#define CORE_ARM_PRIORITY_fpu 10
#define CORE_ARM_PRIORITY_dsp 10
#define CORE_ARM_PRIORITY_mve 20

// Weights of one channel: `taps` of them, `step` apart; its number, and how its
// sums are rounded.
typedef struct tenon_arm_weights {
  const int8_t *data;
  int32_t taps, step, channel;
  bool is_once;    // see kern/num/fixed.h; else twice
  bool is_single;  // the factor, see core_factor.h
  bool folds;      // what the input's zero point adds goes into the bias
} tenon_arm_weights;

// How sums of such a channel are stored, as tenon_requant_twice and
// tenon_requant_once take it. Where the result is the same whatever is read,
// the channel is a plain one that gives it with weights of zero, and `is_dead`.
typedef struct tenon_arm_sums {
  int32_t bias, mult, shift;
  bool is_dead, is_plain;  // see kern/isa/arm/arm_packed.h
} tenon_arm_sums;
tenon_arm_sums tenon_core_arm_sums(const tenon_call *c,
                                   const tenon_arm_weights *w);
// The same for kernels of plain channels: see kern/isa/arm/arm_packed.h; the
// shift is not above 0. Where the result is the same whatever is read, *is_dead
// and the channel is one that gives it with weights of zero. False for what is
// not plain; then the reason has been reported to the call.
bool tenon_core_arm_channel(const tenon_call *c, const tenon_arm_weights *w,
                            tenon_arm_channel *q, bool *is_dead);
// Whether the channel is such a one.
bool tenon_core_arm_is_plain(const tenon_call *c, const tenon_arm_weights *w);
// The same for SMMULR and SMMUL: half of what is shifted out, and the zero
// point of the result, in q->round, and the shift above 0.
void tenon_core_arm_round(tenon_arm_channel *q, bool is_once, int32_t zero);
// For vectors: lane i of an array of quads.
void tenon_core_arm_lane(tenon_arm_quad *quads, int32_t i,
                         const tenon_arm_channel *q, bool is_once);
// Channel i of 16-bit numbers; `is_double`: for tenon_requant_double.
void tenon_core_arm_wide(const tenon_call *c, int32_t i, bool is_double,
                         tenon_arm_wide *q);
// The same with sums of 32 bits: the upper half of their product with 15 bits
// of the factor is rounded once. False where it is not a plain one. The result
// has no zero point.
bool tenon_core_arm_narrow_sums(const tenon_call *c, const tenon_arm_weights *w,
                                tenon_arm_channel *q);
// The same of sums that are scaled as doubles.
bool tenon_core_arm_long_sums(const tenon_call *c, const tenon_arm_weights *w,
                              tenon_arm_long *q);

// Weight number `at` of those that lie `size` of a channel (or tap) in turn.
// `narrow`: of 4 bits; two such blocks share bytes, of which the first has the
// upper halves, and what is written into must be zero.
void tenon_core_arm_put(int8_t *to, ptrdiff_t at, int32_t size, bool narrow,
                        int8_t v);
// Whether all weights fit into 4 bits, and sums of 16 times them into 32.
bool tenon_core_arm_is_narrow(const tenon_call *c);

// The geometry of a convolution, without `run`, `k` and what is the kernel's.
tenon_arm_window tenon_core_arm_image(const tenon_call *c, tenon_ints stride,
                                      tenon_ints pad, tenon_ints dilation,
                                      tenon_opt_float lo, tenon_opt_float hi);
// Whether the result is clamped to all of int8.
bool tenon_core_arm_is_whole(const tenon_call *c, tenon_opt_float lo,
                             tenon_opt_float hi);
// Whether all sizes of operands 0 and 1 and of the result are known.
bool tenon_core_arm_are_known(const tenon_call *c);
// Whether they are, weights and bias are constants, and weights have
// no zero points; `axis` is that of channels.
bool tenon_core_arm_can_pack(const tenon_call *c, int axis);

#endif  // TENON_OPS_CORE_CORE_FAST_ARM_H
