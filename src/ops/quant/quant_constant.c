#include "ops/quant/quant_constant.h"

#include <math.h>
#include <string.h>

// Whether integers from -128 to 255, and floats, are the same after a cast.
// Integers beyond are not asked for: tenon_quant_is_within sees them as they
// were.
static bool keeps_numbers(tenon_dtype from, tenon_dtype to) {
  const bool is_byte = from == TENON_S8 || from == TENON_U8;
  const bool is_whole =
      is_byte || from == TENON_S16 || from == TENON_S32 || from == TENON_S64;
  const bool is_half = from == TENON_F16 || from == TENON_BF16;
  switch (to) {
    case TENON_S16:
    case TENON_S32:
    case TENON_S64:
      return is_whole;
    case TENON_F16:
    case TENON_BF16:
      return is_byte || from == to;
    case TENON_F32:
      return is_whole || is_half || from == to;
    case TENON_F64:
      return is_whole || is_half || from == TENON_F32 || from == to;
    default:
      return from == to;
  }
}

// Node `p` makes numbers of its operand that are the same.
static bool is_same_numbers(tenon_rewriter *rw, const tenon_node *p,
                            tenon_value *v) {
  const char *op = rw->api->op(rw, p);
  if (strcmp(op, "core::cast") == 0)
    return keeps_numbers(tenon_rw_type(rw, rw->api->operand(rw, p, 0))->dtype,
                         tenon_rw_type(rw, v)->dtype);
  return strcmp(op, "core::reshape") == 0 || strcmp(op, "core::expand") == 0;
}

const tenon_tensor *tenon_quant_constant(tenon_rewriter *rw, tenon_value *v) {
  while (v) {
    const tenon_tensor *t = rw->api->constant(rw, v);
    const tenon_node *p = rw->api->producer(rw, v);
    if (t) return t->data ? t : NULL;
    if (!p || !is_same_numbers(rw, p, v)) return NULL;
    v = rw->api->operand(rw, p, 0);
  }
  return NULL;
}

bool tenon_quant_element(const tenon_tensor *t, size_t i, double *out) {
  switch (t->dtype) {
    case TENON_S8:
      *out = ((const int8_t *)t->data)[i];
      return true;
    case TENON_U8:
      *out = ((const uint8_t *)t->data)[i];
      return true;
    case TENON_S32:
      *out = ((const int32_t *)t->data)[i];
      return true;
    case TENON_S64:
      *out = (double)((const int64_t *)t->data)[i];
      return true;
    case TENON_F32:
      *out = (double)((const float *)t->data)[i];
      return true;
    case TENON_F64:
      *out = ((const double *)t->data)[i];
      return true;
    default:
      return false;
  }
}

bool tenon_quant_is_within(const tenon_tensor *t, double least, double most) {
  for (size_t i = 0; i < tenon_count(t); ++i) {
    double v = 0;
    if (!tenon_quant_element(t, i, &v) || !(v >= least && v <= most) ||
        v != floor(v))
      return false;
  }
  return true;
}
