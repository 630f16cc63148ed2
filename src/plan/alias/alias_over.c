// plan/alias/alias_over.c - a result over the bytes of an operand that lies
// further down.
#include "bind/call.h"
#include "plan/alias/aliasing.h"

static uint64_t over_round_up(uint64_t at, uint64_t align) {
  return (at + align - 1) / align * align;
}

bool tenon_alias_distance(tenon_arena *arena, const tenon_kernel *kernel,
                          const tenon_node *n, uint64_t *distance) {
  const tenon_kernel_desc *desc = kernel ? kernel->desc : NULL;
  if (!desc || !desc->overlap || desc->flags & TENON_KERNEL_ZERO_OUT ||
      n->graph->parent || tenon_node_is_open(n) || n->n_in == 0 ||
      n->n_out == 0)
    return false;
  tenon_dim bytes = tenon_type_bytes(n->graph->module, &n->out[0]->type);
  tenon_arena_mark mark = tenon_arena_save(arena);
  tenon_call *call = tenon_bind_call_packed(arena, n, kernel);
  if (call) {
    call->user = desc->user;
    *distance = desc->overlap(call);
  }
  tenon_arena_restore(arena, mark);
  return call && bytes.value > 0 && *distance < (uint64_t)bytes.value;
}

void tenon_alias_overlap(tenon_aliasing *w, const tenon_node *n) {
  tenon_aliases *a = w->a;
  uint64_t distance = 0;
  if (!tenon_alias_distance(w->arena, w->kernels[n->id], n, &distance) ||
      a->strides[n->in[0].value->id] || !tenon_alias_can_take_over(w, n, 0, 0))
    return;
  const tenon_value *x = n->in[0].value, *y = n->out[0];
  uint32_t root = tenon_alias_find(a, x->id);
  tenon_class *c = &a->classes[root], *d = tenon_alias_root(a, y);
  if (a->next[y->id] != TENON_NO_VALUE || d != &a->classes[y->id] ||
      c->bytes.symbol != 0 || c->bytes.value == TENON_UNKNOWN)
    return;
  // Whatever would begin below 0 moves all the others up.
  uint64_t align = c->align > d->align ? c->align : d->align;
  uint64_t at = a->offsets[x->id], shift = 0;
  if (at < distance) shift = over_round_up(distance - at, align);
  uint64_t from = shift > 0 ? 0 : (at - distance) / d->align * d->align;
  uint64_t end = (uint64_t)c->bytes.value + shift;
  uint64_t own = from + (uint64_t)d->bytes.value;
  if (at + shift >= own) return;  // rounded apart
  for (uint32_t i = root; i != TENON_NO_VALUE; i = a->next[i])
    a->offsets[i] += shift;
  tenon_alias_join(w, y, x, from - (at + shift));
  c->bytes = tenon_dim_fixed((int64_t)(own > end ? own : end));
  ++a->n_over;
}
