// core_fast_arm_table.c - functions of a byte on Cortex-M: what the reference
// kernel gives for each of 256 bytes, as a table.
#include <string.h>

#include "kern/product/requant.h"
#include "ops/core/fast/core_fast_arm.h"
#include "ops/core/fast/core_fast_like.h"

enum { BYTES = 256 };

static size_t table_size(const tenon_call *c) {
  (void)c;
  return BYTES;
}

// What `ref`, a kernel of elements, makes of 0, 1, ... 255.
static tenon_status arm_table_fill(const tenon_kernel_desc *ref,
                                   const tenon_call *c, void *packed) {
  int32_t own[BYTES / sizeof(int32_t)];  // a table, or factors
  uint8_t bytes[BYTES];
  tenon_tensor x = c->in[0], y = c->out[0];
  tenon_call all = *c;
  for (int32_t i = 0; i < BYTES; ++i)
    bytes[i] = (uint8_t)i;
  if (ref->pack_size(c) > sizeof own)
    return tenon_call_fail(c, "the reference kernel packs more than a table", 0,
                           0);
  TENON_TRY(ref->pack(c, own));
  x.data = bytes;
  y.data = packed;
  all.in = &x;
  all.out = &y;
  all.packed = own;
  return ref->run_range(&all, 0, BYTES);
}

// Bytes of another sign alone need no table.
extern CORE_KERNEL(requantize_flip_ref);
static bool arm_table_takes(const tenon_kernel_desc *ref, const tenon_call *c) {
  if (c->in[0].dtype != c->out[0].dtype &&
      tenon_k_requantize_flip_ref_desc.match(c))
    return false;
  return !ref->match || ref->match(c);
}

#define TENON_TABLE_ROW(name, feature, its_op, its_types)                     \
  extern CORE_KERNEL(name##_ref);                                             \
  static bool name##_##feature##_match(const tenon_call *c) {                 \
    return arm_table_takes(&tenon_k_##name##_ref_desc, c);                    \
  }                                                                           \
  static tenon_status name##_##feature##_pack(const tenon_call *c,            \
                                              void *packed) {                 \
    return arm_table_fill(&tenon_k_##name##_ref_desc, c, packed);             \
  }                                                                           \
  CORE_KERNEL(name##_##feature) = {CORE_ARM(name, feature, tenon_core_items), \
                                   .op = "core::" #its_op,                    \
                                   .types = its_types,                        \
                                   .match = name##_##feature##_match,         \
                                   .in_place = TENON_IN_PLACE(0, 0),          \
                                   .pack_version = 1,                         \
                                   .pack_size = table_size,                   \
                                   .pack = name##_##feature##_pack};
#include "kern/isa/arm/table.def"
#undef TENON_TABLE_ROW

CORE_KERNEL(table_mve) = {CORE_ARM(table, mve, tenon_core_items),
                          .op = "core::table", .types = "s8|u8, s8|u8 -> s8|u8",
                          .in_place = TENON_IN_PLACE(0, 0)};

// Of 16-bit numbers, by the reference kernel's table.
#define LOOKUP(name)                                 \
  LIKE_REFERENCE(name##_s16q)                        \
  CORE_KERNEL(name##_s16q_mve) = {                   \
      CORE_ARM(name##_s16q, mve, name##_s16q_items), \
      .op = "core::" #name,                          \
      .types = "s16q -> s16q",                       \
      .in_place = TENON_IN_PLACE(0, 0),              \
      .pack_version = 1,                             \
      LIKE_REFERENCE_MEMBERS(name##_s16q)}
LOOKUP(exp);
LOOKUP(gelu);
LOOKUP(log);
LOOKUP(logistic);
LOOKUP(tanh);
