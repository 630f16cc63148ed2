// Lists of integers that are known before the run, and sizes.
//
// How: what operators on such lists hold (tfl_held.c) are sizes and not data.
// What is not known is data: the rule of who wants it as a size leaves it to
// the run, and the lowering has a core::item find it out, in the same order
// (tenon_rewriter_api.number).
#include <string.h>

#include "ops/tfl/tfl_op.h"

#define MOST TFL_MAX_NUMBERS

static const tenon_dim unknown = {TENON_UNKNOWN, 0};

int tenon_tfl_list(const tenon_infer *c, int i, tenon_dim *out) {
  const tenon_type *t = tenon_infer_in(c, i);
  int64_t n = 1;
  if (!t || t->quant || (t->dtype != TENON_S32 && t->dtype != TENON_S64))
    return -1;
  for (int k = 0; k < t->rank; ++k) {
    if (t->dims[k].symbol || t->dims[k].value > MOST) return -1;
    n *= t->dims[k].value;
    if (n > MOST) return -1;
  }
  for (int k = 0; k < (int)n; ++k) {
    if (c->api->element(c, i, k, &out[k])) continue;
    // The least number of 64 bits is as good as the next where it is constant.
    out[k] = c->api->constant(c, i) ? tenon_tfl_fixed(INT64_MIN + 1) : unknown;
  }
  return (int)n;
}

void tenon_tfl_hold(tenon_infer *c, int result, const tenon_dim *list, int n) {
  for (int k = 0; k < n; ++k) {
    if (!tenon_tfl_is_known(list[k])) continue;
    c->api->holds(c, result, list, n);
    return;
  }
}

// ---------------------------------------------------------------------------
// Sizes
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_sizes(tenon_infer *c, int i, const char *name,
                             tenon_tfl_shape *y) {
  const tenon_type *t;
  TENON_TRY(tenon_tfl_operand(c, i, name, 1, &t));
  if (t->dtype != TENON_S32 && t->dtype != TENON_S64)
    return tenon_infer_fail(c, "'%s' is no list of integers", name);
  if (t->dims[0].symbol || t->dims[0].value > TENON_MAX_RANK)
    return tenon_infer_fail(
        c,
        "'%s' is no list of at most %d sizes, or its length is known in a "
        "run only",
        name, TENON_MAX_RANK);
  y->rank = (int)t->dims[0].value;
  for (int k = 0; k < y->rank; ++k) {
    tenon_dim *d = &y->dims[k];
    if (!c->api->element(c, i, k, d)) *d = c->api->decided(c, unknown);
    if (!d->symbol && (d->value < 0 || d->value > INT32_MAX))
      return tenon_infer_fail(c, "size %d of '%s' is %lld", k, name,
                              (long long)d->value);
  }
  return TENON_OK;
}

tenon_status tenon_tfl_decided(tenon_infer *c, int rank, const tenon_type *x) {
  tenon_tfl_shape y = {.rank = rank};
  for (int i = 0; i < rank; ++i)
    y.dims[i] = c->api->decided(c, unknown);
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_one_size(tenon_infer *c, int i, const char *name,
                                tenon_dim most, tenon_dim *out) {
  int64_t n = 0;
  bool known;
  TENON_TRY(tenon_tfl_one_int(c, i, name, &n, &known));
  *out = tenon_tfl_fixed(n);
  if (!known && !c->api->element(c, i, 0, out)) *out = c->api->decided(c, most);
  return TENON_OK;
}

// Element k as a tensor of one.
static tenon_value *element(tenon_rewriter *rw, tenon_value *list, int64_t k) {
  const tenon_type *t = tenon_rw_type(rw, list);
  const tenon_tfl_shape none = {.rank = 0};
  tenon_tfl_shape row = {{tenon_tfl_fixed(1)}, 1};
  if (t->rank == 0) return list;
  for (int i = 0; t->rank > 1 && i < t->rank; ++i)
    row.dims[0].value *= t->dims[i].value;
  if (t->rank > 1) list = tenon_tfl_reshape(rw, list, &row, NULL);
  list = tenon_tfl_part(rw, list, 0, tenon_tfl_fixed(k), tenon_tfl_fixed(1), 1);
  return tenon_tfl_reshape(rw, list, &none, NULL);
}

tenon_dim tenon_tfl_number_in(tenon_rewriter *rw, tenon_value *list, int k) {
  tenon_dim d;
  if (rw->api->element(rw, list, k, &d)) return d;
  return rw->api->number(rw, element(rw, list, k));
}

tenon_value *tenon_tfl_element(tenon_rewriter *rw, tenon_value *list, int k) {
  return tenon_tfl_cast(rw, element(rw, list, k), TENON_S64);
}

int tenon_tfl_sizes_in(tenon_rewriter *rw, tenon_value *list, tenon_dim *out) {
  int n = (int)tenon_rw_type(rw, list)->dims[0].value;
  for (int k = 0; k < n; ++k)
    out[k] = tenon_tfl_number_in(rw, list, k);
  return n;
}

tenon_value *tenon_tfl_size(tenon_rewriter *rw, tenon_dim d, tenon_dtype t) {
  const tenon_type y = {.dtype = t};
  return tenon_tfl_make(
      rw, "core::number", NULL, 0,
      TENON_ARGS(tenon_arg_dims("value", &d, 1), tenon_arg_dtype("dtype", t)),
      &y);
}
