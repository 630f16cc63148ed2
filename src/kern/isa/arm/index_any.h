// kern/isa/arm/index_any.h - blocks of bytes from places that are constants,
// sixteen bytes at a time: the nearest pixels of an image of another size, rows
// of a table. Behind dsp/dsp.h or mve/mve.h.
#ifndef TENON_KERN_ISA_ARM_INDEX_ANY_H
#define TENON_KERN_ISA_ARM_INDEX_ANY_H

#include "kern/isa/arm/arm_packed.h"
#include "tenon/tensor.h"

// `n` blocks of `bytes`, one at least of both, to `y`: block i begins at[i]
// bytes behind x.
typedef void tenon_arm_blocks(const uint8_t *x, const int32_t *at, uint8_t *y,
                              int32_t n, int32_t bytes);

static inline __attribute__((always_inline, unused)) void tenon_arm_index(
    const tenon_call *c, int32_t begin, int32_t end, tenon_arm_blocks *move) {
  const tenon_arm_places *p = (const tenon_arm_places *)c->packed;
  const int32_t *at = (const int32_t *)(p + 1);
  const int32_t count = p->count, bytes = p->bytes;
  const uint8_t *x = (const uint8_t *)c->in[0].data + begin / count * p->span;
  uint8_t *y = (uint8_t *)c->out[0].data + begin * bytes;
  for (int32_t i = begin % count, n; begin < end; begin += n, i = 0) {
    n = count - i < end - begin ? count - i : end - begin;
    move(x, at + i, y, n, bytes);
    x += p->span;
    y += n * bytes;
  }
}

// Bits of what is left over, shifted out or into the sign, say which parts it
// has.
TENON_ASM void tenon_dsp_blocks(TENON_ARG const uint8_t *x,
                                TENON_ARG const int32_t *at,
                                TENON_ARG uint8_t *y, TENON_ARG int32_t n,
                                TENON_ARG int32_t bytes) {
  __asm__(
      "push {r4-r11, lr}\n"
      "ldr r4, [sp, #36]\n"
      "and r6, r4, #15\n"
      "1:\n"
      "ldr r7, [r1], #4\n"
      "add r7, r0\n"
      "lsrs lr, r4, #4\n"
      "beq 3f\n"
      "2:\n"
      "ldr r8, [r7], #4\n"
      "ldr r9, [r7], #4\n"
      "ldr r10, [r7], #4\n"
      "ldr r11, [r7], #4\n"
      "str r8, [r2], #4\n"
      "str r9, [r2], #4\n"
      "str r10, [r2], #4\n"
      "str r11, [r2], #4\n"
      "subs lr, #1\n"
      "bne 2b\n"
      "cbz r6, 4f\n"
      "3:\n"
      "lsls r12, r6, #29\n"
      "itttt cs\n"
      "ldrcs r8, [r7], #4\n"
      "ldrcs r9, [r7], #4\n"
      "strcs r8, [r2], #4\n"
      "strcs r9, [r2], #4\n"
      "itt mi\n"
      "ldrmi r8, [r7], #4\n"
      "strmi r8, [r2], #4\n"
      "lsls r12, r6, #31\n"
      "itt cs\n"
      "ldrhcs r8, [r7], #2\n"
      "strhcs r8, [r2], #2\n"
      "itt mi\n"
      "ldrbmi r8, [r7], #1\n"
      "strbmi r8, [r2], #1\n"
      "4:\n"
      "subs r3, #1\n"
      "bne 1b\n"
      "pop {r4-r11, pc}\n");
}

TENON_ASM void tenon_mve_blocks(TENON_ARG const uint8_t *x,
                                TENON_ARG const int32_t *at,
                                TENON_ARG uint8_t *y, TENON_ARG int32_t n,
                                TENON_ARG int32_t bytes) {
  __asm__(
      "push {r4-r7, lr}\n"
      "ldr r4, [sp, #20]\n"
      "1:\n"
      "ldr r5, [r1], #4\n"
      "mov r6, r2\n"
      "add r5, r0\n"
      "add r2, r4\n"
      "dlstp.8 lr, r4\n"
      "2:\n"
      "vldrb.8 q0, [r5], #16\n"
      "vstrb.8 q0, [r6], #16\n"
      "letp lr, 2b\n"
      "subs r3, #1\n"
      "bne 1b\n"
      "pop {r4-r7, pc}\n");
}

#endif  // TENON_KERN_ISA_ARM_INDEX_ANY_H
