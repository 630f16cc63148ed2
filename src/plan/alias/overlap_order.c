// How: orders come one after the other, the model's first, each made node by
// node of those whose predecessors have run. Where there are few, each is put
// in place, its overlaps are chosen and measured, and the one with the smallest
// arena stays. Where there are many, that is done with two: the one that was
// found without overlaps, and the model's.
#include "plan/alias/overlap.h"
#include "plan/reorder/reordering.h"

enum { MOST_NODES = 64, MOST_ORDERS = 64 };

typedef struct order_walk {
  tenon_reorder *r;
  const tenon_rows *after;
  uint32_t order[MOST_NODES], best_order[MOST_NODES];
  bool has_run[MOST_NODES];
  uint32_t n_orders;
  uint64_t best, floor;  // arena
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
static void overlap_order_measure(order_walk *k, const uint32_t *order) {
  tenon_reorder *r = k->r;
  tenon_overlapping over;
  uint64_t peak = 0;
  tenon_arena_mark mark = tenon_arena_save(r->w->arena);
  tenon_reorder_put(r, order);
  k->status = tenon_plan_overlap(r->w, r->e, &over);
  r->e->over = NULL;
  if (k->status == TENON_OK && over.arena == 0) {
    k->status = tenon_plan_peak(r->w, r->e, NULL, &peak, &over.arena);
    over.floor = peak;
  }
  tenon_arena_restore(r->w->arena, mark);
  if (over.floor < k->floor) k->floor = over.floor;
  if (k->status != TENON_OK || over.arena >= k->best) return;
  k->best = over.arena;
  k->is_set = order == k->order;
  for (uint32_t i = 0; k->is_set && i < r->n; ++i)
    k->best_order[i] = order[i];
}

static void overlap_order_look_at(order_walk *k) {
  ++k->n_orders;
  if (k->measures) overlap_order_measure(k, k->order);
}

static void overlap_order_walk(order_walk *k, uint32_t at) {
  if (k->n_orders > MOST_ORDERS || k->status != TENON_OK) return;
  if (at == k->r->n) {
    overlap_order_look_at(k);
    return;
  }
  for (uint32_t i = 0; i < k->r->n; ++i) {
    if (!can_run(k, i)) continue;
    k->has_run[i] = true;
    k->order[at] = i;
    overlap_order_walk(k, at + 1);
    k->has_run[i] = false;
  }
}

static tenon_status choose_among_all(order_walk *k, const uint32_t *found) {
  overlap_order_measure(k, found);
  k->n_orders = 0;
  k->measures = true;
  overlap_order_walk(k, 0);
  tenon_reorder_put(k->r, k->is_set ? k->best_order : found);
  return k->status;
}

static tenon_status choose_of_two(order_walk *k, const uint32_t *found) {
  overlap_order_measure(k, NULL);
  uint64_t given = k->best;
  if (k->status == TENON_OK) overlap_order_measure(k, found);
  if (k->best < given) return k->status;
  tenon_reorder_put(k->r, NULL);
  return k->status;
}

tenon_status tenon_overlap_orders(tenon_reorder *r, const tenon_rows *after,
                                  const uint32_t *found, uint32_t *n,
                                  uint64_t *floor) {
  order_walk k = {
      .r = r, .after = after, .best = UINT64_MAX, .floor = UINT64_MAX};
  *n = 0;
  if (!tenon_plan_may_overlap(r->w, r->e)) return TENON_OK;
  if (r->n <= MOST_NODES) overlap_order_walk(&k, 0);
  if (k.n_orders > 0 && k.n_orders <= MOST_ORDERS) *n = k.n_orders;
  if (*n == 1 || (*n == 0 && !found)) return k.status;
  TENON_TRY(*n ? choose_among_all(&k, found) : choose_of_two(&k, found));
  if (*n) *floor = k.floor;
  return TENON_OK;
}
