// kern/isa/arm/dsp/table_dsp.h - functions of a byte from a table of 256 bytes,
// in the order of bytes: negative numbers stand behind the others.
#ifndef TENON_KERN_ISA_ARM_TABLE_DSP_H
#define TENON_KERN_ISA_ARM_TABLE_DSP_H

#include "kern/loop/each.h"

#define TENON_TABLE_dsp(name)                                          \
  TENON_EACH_KERNEL(name, uint8_t, uint8_t,                            \
                    const uint8_t *table = (const uint8_t *)c->packed; \
                    , table[x])

#endif  // TENON_KERN_ISA_ARM_TABLE_DSP_H
