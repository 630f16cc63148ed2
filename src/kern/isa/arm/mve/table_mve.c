// table_mve.c - bytes by what a table of 256 bytes has for them.
#include "kern/isa/arm/mve/table_mve.h"

TENON_KERNEL_RANGE(tenon_k_table_mve) {
  tenon_mve_table((const uint8_t *)c->in[1].data,
                  (const uint8_t *)c->in[0].data + (int32_t)begin,
                  (uint8_t *)c->out[0].data + (int32_t)begin,
                  (int32_t)(end - begin));
  return TENON_OK;
}
