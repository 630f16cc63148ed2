// kern/loop/table.h - functions of a quantised 8-bit value, as a table.
//
// `pack` has computed the function for all 256 values, so every such operator
// is this one loop. Entry i belongs to the stored value i - 128.
#ifndef TENON_KERN_TABLE_H
#define TENON_KERN_TABLE_H

#include "kern/loop/each.h"

#define TENON_TABLE_KERNEL(name)                                           \
  TENON_EACH_KERNEL(name, int8_t, int8_t,                                  \
                    const int8_t *table = (const int8_t *)c->packed + 128; \
                    , table[x])

#endif  // TENON_KERN_TABLE_H
