// core_rewrite.c - what rewrites of core operators share: comparing types,
// taking attributes, limits.
#include "ops/core/rewrite/core_rewrite.h"

#include <string.h>

#include "kern/op/clamp.h"

bool tenon_core_same_scales(const tenon_quant *a, const tenon_quant *b) {
  if (!a || !b) return a == b;
  if (a->channels != b->channels || a->block != b->block ||
      (a->channels > 1 && a->axis != b->axis))
    return false;
  for (int32_t i = 0; i < a->channels; ++i) {
    int32_t a_zero = a->zero ? a->zero[i] : 0,
            b_zero = b->zero ? b->zero[i] : 0;
    if (memcmp(&a->scale[i], &b->scale[i], sizeof *a->scale) != 0 ||
        a_zero != b_zero)
      return false;
  }
  // With blocks there are more scales than channels say.
  return a->block == 0;
}

bool tenon_core_same_type(const tenon_type *a, const tenon_type *b) {
  if (a->dtype != b->dtype || a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; ++i)
    if (a->dims[i].value != b->dims[i].value ||
        a->dims[i].symbol != b->dims[i].symbol)
      return false;
  return tenon_core_same_scales(a->quant, b->quant);
}

int64_t tenon_core_type_count(const tenon_type *t) {
  int64_t n = 1;
  for (int i = 0; i < t->rank; ++i) {
    if (t->dims[i].symbol) return -1;
    n *= t->dims[i].value;
  }
  return n;
}

bool tenon_core_is_large(tenon_rewriter *rw, int64_t floats) {
  const int64_t least = (512 << 10) / (int64_t)sizeof(float);
  return floats >= least || rw->api->constant_bytes(rw) >= 4 << 20;
}

bool tenon_core_is_one_of(const char *name, const char *const *list) {
  for (; *list; ++list)
    if (strcmp(name, *list) == 0) return true;
  return false;
}

bool tenon_core_take_args(tenon_rewriter *rw, const tenon_node *n,
                          tenon_core_args *out) {
  const tenon_arg *from = rw->api->args(rw, n);
  size_t count = 0;
  while (from[count].name)
    if (++count > CORE_MAX_ARGS) return false;
  memcpy(out->list, from, (count + 1) * sizeof *from);
  return true;
}

tenon_arg *tenon_core_find_arg(tenon_core_args *args, const char *name) {
  for (tenon_arg *a = args->list; a->name; ++a)
    if (strcmp(a->name, name) == 0) return a;
  return NULL;
}

tenon_status tenon_core_rewrite_as(tenon_rewriter *rw, const tenon_node *n,
                                   const char *op, tenon_value *const *in,
                                   uint32_t n_in, const tenon_arg *args) {
  return tenon_rw_replace(
      rw, n,
      tenon_rw_op_as(rw, op, in, n_in, NULL, args, rw->api->result(rw, n, 0)));
}

// --- Limits ------------------------------------------------------------------

static bool core_rewrite_is_number(tenon_opt_float limit) {
  return !limit.has || limit.value == limit.value;
}

// Both pairs are applied as in kern/op/clamp.h, so of equal limits the first
// stays (they may be zeros of different sign).
bool tenon_core_limit_both(tenon_core_range first, tenon_core_range then,
                           tenon_core_range *out) {
  *out = first;
  if (!core_rewrite_is_number(first.lo) || !core_rewrite_is_number(first.hi) ||
      !core_rewrite_is_number(then.lo) || !core_rewrite_is_number(then.hi))
    return false;
  if (then.lo.has && (!first.lo.has || first.lo.value < then.lo.value))
    out->lo = then.lo;
  if (then.hi.has && (!first.hi.has || first.hi.value > then.hi.value))
    out->hi = then.hi;
  return !out->lo.has || !out->hi.has || out->lo.value <= out->hi.value;
}

// Integers without a scale may wrap before they are limited, or not.
bool tenon_core_has_exact_limits(const tenon_type *t) {
  if (!t->quant) return t->dtype == TENON_F32;
  return t->dtype == TENON_S8 && t->quant->channels == 1 && !t->quant->block;
}

static bool get_limit(tenon_core_args *args, const char *name,
                      tenon_opt_float *out) {
  const tenon_arg *a = tenon_core_find_arg(args, name);
  if (!a || (a->kind != 0 && a->kind != TENON_KIND_FLOAT)) return false;
  out->has = a->kind != 0;
  out->value = out->has ? a->as.f : 0;
  return true;
}

bool tenon_core_get_limits(tenon_core_args *args, tenon_core_range *out) {
  return get_limit(args, "lo", &out->lo) && get_limit(args, "hi", &out->hi);
}

static void set_limit(tenon_core_args *args, const char *name,
                      tenon_opt_float limit) {
  tenon_arg *a = tenon_core_find_arg(args, name);
  if (!a) return;
  a->kind = limit.has ? TENON_KIND_FLOAT : 0;
  a->as.f = limit.value;
}

void tenon_core_set_limits(tenon_core_args *args, tenon_core_range range) {
  set_limit(args, "lo", range.lo);
  set_limit(args, "hi", range.hi);
}

bool tenon_core_take_unlimited(tenon_rewriter *rw, const tenon_node *n,
                               tenon_core_args *out) {
  tenon_core_range range;
  return tenon_core_take_args(rw, n, out) &&
         tenon_core_get_limits(out, &range) && !range.lo.has && !range.hi.has;
}
