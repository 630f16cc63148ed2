// ir/verify/verify_value.c - types, constants and symbols.
//
// Every bound that later stages rely on is checked here: ranks fit their
// arrays, sizes fit the int32 of kernels, what a symbol stands for exists.
#include <math.h>

#include "core/dtype.h"
#include "ir/verify/verifier.h"

static tenon_status check_quant(const tenon_verifier *v, const tenon_type *t,
                                tenon_loc loc, const char *what) {
  const tenon_quant *q = t->quant;
  char kind = tenon_dtype_look(t->dtype)->kind;
  if (kind != 'i' && kind != 'u')
    return tenon_verify_fail(v, 6, loc, "%s is quantised, but of type '%s'",
                             what, tenon_dtype_name(t->dtype));
  if (!q->scale || q->channels < 1 || q->block < 0)
    return tenon_verify_fail(v, 6, loc, "%s has no scale", what);
  if (q->axis < 0 || (q->axis > 0 && q->axis >= t->rank) ||
      ((q->channels > 1 || q->block > 0) && t->rank == 0))
    return tenon_verify_fail(v, 6, loc,
                             "%s is quantised along dimension %d of %d", what,
                             (int)q->axis, (int)t->rank);
  for (int32_t i = 0; i < q->channels; ++i) {
    if (!isfinite(q->scale[i]))
      return tenon_verify_fail(v, 6, loc, "scale %d of %s is not finite",
                               (int)i, what);
  }
  if (q->channels == 1 || q->block > 0) return TENON_OK;
  tenon_dim d = t->dims[q->axis];
  if (!tenon_dim_is_fixed(d) || d.value == q->channels) return TENON_OK;
  return tenon_verify_fail(v, 6, loc,
                           "%s has %d scales for a dimension of %lld", what,
                           (int)q->channels, (long long)d.value);
}

tenon_status tenon_verify_type(const tenon_verifier *v, const tenon_type *t,
                               tenon_loc loc, const char *what) {
  if (!tenon_dtype_look(t->dtype))
    return tenon_verify_fail(v, 5, loc, "%s has no type", what);
  if (t->rank > TENON_MAX_RANK || (t->rank > 0 && !t->dims))
    return tenon_verify_fail(v, 5, loc, "%s has %d dimensions, more than %d",
                             what, (int)t->rank, TENON_MAX_RANK);
  for (int i = 0; i < t->rank; ++i) {
    tenon_dim d = t->dims[i];
    if (d.symbol != 0 && d.symbol < v->m->symbols.count &&
        v->m->symbols.data[d.symbol].kind == 0)
      continue;
    if (d.symbol == 0 && d.value >= 0 && d.value <= INT32_MAX) continue;
    if (d.symbol != 0)
      return tenon_verify_fail(
          v, 5, loc, "dimension %d of %s is an unknown symbol or no size", i,
          what);
    return tenon_verify_fail(
        v, 5, loc, "dimension %d of %s is %lld, not between 0 and %ld", i, what,
        (long long)d.value, (long)INT32_MAX);
  }
  return t->quant ? check_quant(v, t, loc, what) : TENON_OK;
}

tenon_status tenon_verify_tensor(const tenon_verifier *v, const tenon_tensor *t,
                                 const tenon_type *type, tenon_loc loc,
                                 const char *what) {
  uint64_t count = 0;
  bool fits = t->dtype == type->dtype && t->rank == type->rank && !t->strides &&
              tenon_quant_equals(t->quant, type->quant);
  for (int i = 0; fits && i < t->rank; ++i)
    fits = tenon_dim_equals(type->dims[i], tenon_dim_fixed(t->dims[i]));
  if (!fits)
    return tenon_verify_fail(v, 7, loc, "the data of %s is of another type",
                             what);
  if (tenon_type_count(type, &count)) return TENON_OK;
  return tenon_verify_fail(v, 7, loc, "the elements of %s cannot be counted",
                           what);
}

tenon_status tenon_verify_constant(const tenon_verifier *v,
                                   const tenon_value *c) {
  if (!c->constant)
    return tenon_verify_fail(v, 7, c->loc, "constant '%%%s' has no value",
                             c->name);
  if (tenon_value_is_apart(c) && !c->name[0])
    return tenon_verify_fail(v, 7, c->loc,
                             "a constant has no data and no name to find them");
  return tenon_verify_tensor(v, c->constant, &c->type, c->loc, "a constant");
}

// A name as text can have it: letters, digits, '_' and '.'.
static bool is_symbol_name(const char *s) {
  if (!s || !s[0] || (s[0] >= '0' && s[0] <= '9') || s[0] == '.') return false;
  for (; *s; ++s) {
    bool is_letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z');
    if (!is_letter && !(*s >= '0' && *s <= '9') && *s != '_' && *s != '.')
      return false;
  }
  return true;
}

tenon_status tenon_verify_symbols(const tenon_verifier *v) {
  const tenon_symbols *all = &v->m->symbols;
  for (uint32_t i = 1; i < all->count; ++i) {
    const tenon_symbol *s = &all->data[i];
    if (s->op == 0 && !is_symbol_name(s->name))
      return tenon_verify_fail(v, 15, 0, "symbol %u has no plain name",
                               (unsigned)i);
    if (s->op == 0 && s->min > s->max)
      return tenon_verify_fail(v, 15, 0,
                               "symbol '%s' can have no value: %lld..%lld",
                               s->name, (long long)s->min, (long long)s->max);
    if (s->op != 0 && (s->a.symbol >= i || s->b.symbol >= i))
      return tenon_verify_fail(v, 15, 0, "symbol %u is made of later ones",
                               (unsigned)i);
  }
  for (size_t i = 0; i < v->m->guards.count; ++i) {
    const tenon_guard *g = &v->m->guards.data[i];
    if (g->a.symbol >= (all->count ? all->count : 1) ||
        g->b.symbol >= (all->count ? all->count : 1))
      return tenon_verify_fail(v, 15, 0, "guard %zu is of unknown symbols", i);
  }
  return TENON_OK;
}
