// How: orders come one after the other, the model's first, each made node by
// node of those whose predecessors have run. Where there are few, each is put
// in place, its overlaps are chosen and measured, and the one with the smallest
// arena stays.
#include "plan/overlap.h"
#include "plan/reordering.h"

enum { MOST_NODES = 64, MOST_ORDERS = 64 };

typedef struct order_walk {
  tenon_reorder *r;
  const tenon_rows *after;
  uint32_t order[MOST_NODES], best_order[MOST_NODES];
  bool has_run[MOST_NODES];
  uint32_t n_orders;
  uint64_t best;  // arena
  bool measures, is_set;
  tenon_status status;
} order_walk;

static bool can_run(const order_walk *k, uint32_t node) {
  if (k->has_run[node]) return false;
  for (uint32_t i = k->after->begin[node]; i < k->after->begin[node + 1]; ++i)
    if (!k->has_run[k->after->items[i]]) return false;
  return true;
}

// Arena with the overlaps that are best for the order at hand.
static tenon_status measure(tenon_reorder *r, uint64_t *arena) {
  uint64_t without = 0;
  tenon_arena_mark mark = tenon_arena_save(r->w->arena);
  tenon_status status = tenon_plan_overlap(r->w, r->e, &without, arena);
  r->e->over = NULL;
  tenon_arena_restore(r->w->arena, mark);
  return status;
}

static void look_at(order_walk *k) {
  uint64_t arena = 0;
  ++k->n_orders;
  if (!k->measures) return;
  tenon_reorder_put(k->r, k->order);
  k->status = measure(k->r, &arena);
  if (k->status != TENON_OK || arena >= k->best) return;
  k->best = arena;
  k->is_set = true;
  for (uint32_t i = 0; i < k->r->n; ++i)
    k->best_order[i] = k->order[i];
}

static void walk(order_walk *k, uint32_t at) {
  if (k->n_orders > MOST_ORDERS || k->status != TENON_OK) return;
  if (at == k->r->n) {
    look_at(k);
    return;
  }
  for (uint32_t i = 0; i < k->r->n; ++i) {
    if (!can_run(k, i)) continue;
    k->has_run[i] = true;
    k->order[at] = i;
    walk(k, at + 1);
    k->has_run[i] = false;
  }
}

tenon_status tenon_overlap_orders(tenon_reorder *r, const tenon_rows *after,
                                  const uint32_t *found, uint32_t *n) {
  order_walk k = {.r = r, .after = after};
  *n = 0;
  if (!r->w->options->overlaps || r->w->is_trial || r->n > MOST_NODES)
    return TENON_OK;
  walk(&k, 0);
  if (k.n_orders > MOST_ORDERS) return TENON_OK;
  *n = k.n_orders;
  if (k.n_orders < 2) return TENON_OK;
  TENON_TRY(measure(r, &k.best));
  k.n_orders = 0;
  k.measures = true;
  walk(&k, 0);
  tenon_reorder_put(r, k.is_set ? k.best_order : found);
  return k.status;
}
