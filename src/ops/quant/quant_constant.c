#include "ops/quant/quant_constant.h"

#include <math.h>
#include <string.h>

static bool is_same_numbers(const char *op) {
  return strcmp(op, "core::reshape") == 0 || strcmp(op, "core::cast") == 0 ||
         strcmp(op, "core::expand") == 0;
}

const tenon_tensor *tenon_quant_constant(tenon_rewriter *rw, tenon_value *v) {
  while (v) {
    const tenon_tensor *t = rw->api->constant(rw, v);
    const tenon_node *p = rw->api->producer(rw, v);
    if (t) return t->data ? t : NULL;
    if (!p || !is_same_numbers(rw->api->op(rw, p))) return NULL;
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
