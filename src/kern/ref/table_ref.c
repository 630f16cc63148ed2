// table_ref.c - bytes by what a table of 256 bytes has for them.
#include "kern/each.h"

TENON_EACH_KERNEL(tenon_k_table_ref, uint8_t, uint8_t,
                  const uint8_t *table = (const uint8_t *)c->in[1].data;
                  , table[x])
