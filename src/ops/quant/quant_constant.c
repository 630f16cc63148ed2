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

static bool known_within(tenon_rewriter *rw, tenon_value *v, size_t i, size_t n,
                         int depth, double *out) {
  enum { MOST_DEPTH = 16 };
  const tenon_tensor *t = tenon_quant_constant(rw, v);
  const tenon_node *p = rw->api->producer(rw, v);
  double a = 0, b = 0;
  if (t) {
    const size_t count = tenon_count(t);
    return (count == 1 || count == n) &&
           tenon_quant_element(t, count == 1 ? 0 : i, out);
  }
  if (!p || depth == MOST_DEPTH) return false;
  const char *op = rw->api->op(rw, p);
  const bool is_mul = strcmp(op, "core::mul") == 0;
  if (is_same_numbers(rw, p, v))
    return known_within(rw, rw->api->operand(rw, p, 0), i, n, depth + 1, out);
  if (strcmp(op, "core::cast") == 0 &&
      tenon_rw_type(rw, v)->dtype == TENON_F32 &&
      tenon_rw_type(rw, rw->api->operand(rw, p, 0))->dtype == TENON_F64) {
    if (!known_within(rw, rw->api->operand(rw, p, 0), i, n, depth + 1, &a))
      return false;
    *out = (double)(float)a;
    return true;
  }
  if ((!is_mul && strcmp(op, "core::sub") != 0) ||
      !known_within(rw, rw->api->operand(rw, p, 0), i, n, depth + 1, &a) ||
      !known_within(rw, rw->api->operand(rw, p, 1), i, n, depth + 1, &b))
    return false;
  *out = is_mul ? a * b : a - b;
  return true;
}

bool tenon_quant_known(tenon_rewriter *rw, tenon_value *v, size_t i, size_t n,
                       double *out) {
  return known_within(rw, v, i, n, 0, out);
}
