// kern/isa/arm/mve/table_mve.h - functions of a byte from a table of 256 bytes,
// in the order of bytes: 16 at a time, gathered.
#ifndef TENON_KERN_ISA_ARM_TABLE_MVE_H
#define TENON_KERN_ISA_ARM_TABLE_MVE_H

#include "kern/isa/arm/mve/mve.h"
#include "tenon/tensor.h"

TENON_MVE void tenon_mve_table(const uint8_t *table, const void *from, void *to,
                               int32_t n) {
  if (n < 1) return;
  __asm__ volatile(
      "dlstp.8 lr, %[n]\n"
      "1:\n"
      "vldrb.8 q0, [%[from]], #16\n"
      "vldrb.u8 q1, [%[table], q0]\n"
      "vstrb.8 q1, [%[to]], #16\n"
      "letp lr, 1b"
      : [from] "+l"(from), [to] "+l"(to)
      : [n] "r"(n), [table] "r"(table)
      : "lr", "q0", "q1", "memory");
}

#define TENON_TABLE_mve(name)                                        \
  TENON_KERNEL_RANGE(name) {                                         \
    tenon_mve_table((const uint8_t *)c->packed,                      \
                    (const uint8_t *)c->in[0].data + (int32_t)begin, \
                    (uint8_t *)c->out[0].data + (int32_t)begin,      \
                    (int32_t)(end - begin));                         \
    return TENON_OK;                                                 \
  }

#endif  // TENON_KERN_ISA_ARM_TABLE_MVE_H
