// How: a kernel that reads an operand from front to back may write its result
// over what it has read (tenon_kernel_desc.overlap). Both are put into one
// class, the operand so far behind the result as the kernel says; the packer
// sees a buffer whose parts live at different times. Since places in a class
// are fixed to each other, not every step gains: steps are tried one after the
// other, the largest first, each is measured, and what is not needed in the end
// is dropped.
#include "plan/overlap.h"

#include "plan/aliasing.h"

// --- places -----------------------------------------------------------------

static uint64_t round_up(uint64_t at, uint64_t align) {
  return (at + align - 1) / align * align;
}

// Bytes by which operand 0 has to lie behind result 0; false: they may not
// meet.
static bool ask_distance(tenon_aliasing *w, const tenon_node *n,
                         uint64_t *distance) {
  const tenon_kernel_desc *desc =
      w->kernels[n->id] ? w->kernels[n->id]->desc : NULL;
  if (!desc || !desc->overlap || desc->flags & TENON_KERNEL_ZERO_OUT ||
      n->graph->parent || tenon_node_is_open(n))
    return false;
  tenon_dim bytes = tenon_type_bytes(w->m, &n->out[0]->type);
  tenon_arena_mark mark = tenon_arena_save(w->arena);
  tenon_call *call = tenon_bind_call(w->arena, n);
  if (call) {
    call->user = desc->user;
    *distance = desc->overlap(call);
  }
  tenon_arena_restore(w->arena, mark);
  return call && bytes.value > 0 && *distance < (uint64_t)bytes.value;
}

void tenon_alias_overlap(tenon_aliasing *w, const tenon_node *n) {
  tenon_aliases *a = w->a;
  uint64_t distance = 0;
  if (n->n_in == 0 || n->n_out == 0 || !tenon_alias_can_take_over(w, n, 0, 0) ||
      !ask_distance(w, n, &distance))
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
  if (at < distance) shift = round_up(distance - at, align);
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

// --- which ------------------------------------------------------------------

// Each is packed by heuristics, a tenth of a second where these miss the bound.
enum { MOST_TRIED = 64 };

static uint64_t bytes_of(const tenon_node *n) {
  tenon_module *m = n->graph->module;
  return (uint64_t)tenon_type_bytes(m, &n->in[0].value->type).value +
         (uint64_t)tenon_type_bytes(m, &n->out[0]->type).value;
}

// Nodes whose kernels allow it, the largest first.
static size_t list_nodes(const tenon_planned *e, const tenon_node **list) {
  size_t n = 0;
  for (const tenon_node *node = e->entry->point->graph->first; node;
       node = node->next) {
    const tenon_kernel *k = e->kernels[node->id];
    if (!k || !k->desc->overlap || node->n_in == 0 || node->n_out == 0 ||
        !node->in[0].value)
      continue;
    size_t at = n++;
    for (; at > 0 && bytes_of(list[at - 1]) < bytes_of(node); --at)
      list[at] = list[at - 1];
    list[at] = node;
  }
  return n;
}

// What the arena needs if `node` is turned; turned back where that is worse.
static tenon_status turn(tenon_planner *w, tenon_planned *e,
                         const tenon_node *node, uint64_t *best) {
  uint64_t peak = 0, packed = 0;
  e->over[node->id] = !e->over[node->id];
  TENON_TRY(tenon_plan_peak(w, e, &peak, &packed));
  if (packed > *best)
    e->over[node->id] = !e->over[node->id];
  else
    *best = packed;
  return TENON_OK;
}

tenon_status tenon_plan_overlap(tenon_planner *w, tenon_planned *e,
                                uint64_t *without, uint64_t *arena) {
  const tenon_module *m = e->entry->module;
  uint64_t peak = 0, best = 0;
  *without = *arena = 0;
  if (!w->options->overlaps || w->is_trial || w->is_open) return TENON_OK;
  const tenon_node **list =
      tenon_arena_array(w->arena, const tenon_node *, m->n_nodes);
  e->over = tenon_arena_array(w->arena, bool, m->n_nodes);
  if (w->arena->failed) return tenon_fail_memory(w->report, "planning");
  size_t n = list_nodes(e, list);
  if (n > MOST_TRIED) n = MOST_TRIED;
  TENON_TRY(tenon_plan_peak(w, e, &peak, &best));
  *without = best;
  for (size_t i = 0; i < n; ++i)
    TENON_TRY(turn(w, e, list[i], &best));
  for (size_t i = n; i-- > 0;)
    if (e->over[list[i]->id]) TENON_TRY(turn(w, e, list[i], &best));
  *arena = best;
  return TENON_OK;
}
