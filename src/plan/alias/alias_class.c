// plan/alias/alias_class.c - classes of values that share an address, and
// joining two.
#include "plan/alias/aliasing.h"

uint32_t tenon_alias_find(const tenon_aliases *a, uint32_t i) {
  while (a->classes[i].parent != i) {
    a->classes[i].parent = a->classes[a->classes[i].parent].parent;
    i = a->classes[i].parent;
  }
  return i;
}

tenon_class *tenon_alias_root(const tenon_aliases *a, const tenon_value *v) {
  return &a->classes[tenon_alias_find(a, v->id)];
}

// All that lies in the class of `v` moves with it.
void tenon_alias_join(tenon_aliasing *w, const tenon_value *v,
                      const tenon_value *into, uint64_t offset) {
  tenon_aliases *a = w->a;
  uint32_t from = tenon_alias_find(a, v->id);
  uint32_t to = tenon_alias_find(a, into->id);
  if (from == to) return;
  tenon_class *f = &a->classes[from], *t = &a->classes[to];
  uint64_t shift = a->offsets[into->id] + offset - a->offsets[v->id];
  for (uint32_t i = from; i != TENON_NO_VALUE; i = a->next[i])
    a->offsets[i] += shift;
  a->next[t->end] = from;
  t->end = f->end;
  f->parent = to;
  if (f->first < t->first) t->first = f->first;
  if (f->last > t->last) t->last = f->last;
  // A view lies within: of those that are equal nothing is made.
  if (!tenon_dim_equals(f->bytes, t->bytes) && offset == 0)
    t->bytes =
        tenon_symbols_apply(&w->m->symbols, TENON_DIM_MAX, f->bytes, t->bytes);
  if (f->align > t->align) t->align = f->align;
  if (f->state != UINT32_MAX) t->state = f->state;
  t->has_input |= f->has_input;
  t->is_given |= f->is_given;
  t->is_wanted |= f->is_wanted;
}

bool tenon_alias_may_meet(const tenon_class *operand,
                          const tenon_class *result) {
  return !operand->is_given && !(operand->has_input && result->is_wanted);
}

bool tenon_alias_can_take_over(const tenon_aliasing *w, const tenon_node *n,
                               uint32_t in, uint32_t out) {
  const tenon_value *x = n->in[in].value, *y = n->out[out];
  if (!x || x->kind == TENON_VALUE_CONSTANT) return false;
  const tenon_class *c = tenon_alias_root(w->a, x);
  const tenon_class *d = tenon_alias_root(w->a, y);
  if (c == d || !tenon_alias_may_meet(c, d) || c->state != UINT32_MAX ||
      d->state != UINT32_MAX)
    return false;
  if (c->last > w->live->begin[n->id]) return false;
  // The result of a branch shares with the other branch's, which may be older.
  if (d->first < w->live->begin[n->id]) return false;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *other = n->in[i].value;
    if (i != in && other && other->kind != TENON_VALUE_CONSTANT &&
        tenon_alias_root(w->a, other) == c)
      return false;
  }
  for (uint32_t i = 0; i < n->n_out; ++i)
    if (i != out && tenon_alias_root(w->a, n->out[i]) == c) return false;
  return true;
}
