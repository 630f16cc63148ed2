// item_ref.c - the number that a tensor of one element holds: a float as the
// bits of a double, a boolean as 0 or 1.
#include <string.h>

#include "kern/loop/plain.h"

TENON_KERNEL(tenon_k_item_ref) {
  const void *data = c->in[0].data;
  double real = 0;
  if (tenon_count(&c->in[0]) != 1)
    return tenon_call_fail(c, "a tensor of {0} elements is not one number",
                           (int64_t)tenon_count(&c->in[0]), 0);
  switch (c->in[0].dtype) {
    case TENON_F32:
      real = tenon_load_f32(data, 0);
      break;
    case TENON_F64:
      real = tenon_load_f64(data, 0);
      break;
    case TENON_F16:
      real = tenon_load_f16(data, 0);
      break;
    case TENON_BF16:
      real = tenon_load_bf16(data, 0);
      break;
    case TENON_U64: {
      uint64_t value = *(const uint64_t *)data;
      if (value > INT64_MAX)
        return tenon_call_fail(c, "a number beyond 63 bits", 0, 0);
      c->sizes[0] = (int64_t)value;
      return TENON_OK;
    }
    case TENON_BOOL:
      c->sizes[0] = *(const uint8_t *)data != 0;
      return TENON_OK;
    default: {
#define ITEM_REF_TAKE(t) c->sizes[0] = (int64_t)tenon_load_##t(data, 0)
      TENON_PLAIN_SWITCH(c->in[0].dtype, ITEM_REF_TAKE)
      return TENON_OK;
    }
  }
  memcpy(&c->sizes[0], &real, sizeof real);
  return TENON_OK;
}
