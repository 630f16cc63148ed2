// How: an order is three of a few properties; each order comes with lifetimes
// in steps and in times that are left. A factor moves an item forward or back
// in all properties alike.
#include "program/pack/pack_order.h"

// T contention, A area, W lifetime, S size, L begins first, R ends last.
static const char *const orders[] = {"TWA", "TAW", "WAT", "AWT",
                                     "WTA", "SWT", "LAW", "RAW"};

_Static_assert(2 * (sizeof orders / sizeof *orders) == TENON_PACK_ORDERS,
               "both kinds of lifetimes");

static bool by_keys(const void *context, uint32_t a, uint32_t b) {
  const tenon_pack_keys *x = (const tenon_pack_keys *)context + a;
  const tenon_pack_keys *y = (const tenon_pack_keys *)context + b;
  for (int i = 0; i < TENON_PACK_KEYS; ++i)
    if (x->values[i] > y->values[i] || x->values[i] < y->values[i])
      return x->values[i] > y->values[i];
  return false;
}

bool tenon_pack_orders_init(tenon_pack_orders *o, tenon_packer *p,
                            tenon_arena *arena) {
  o->p = p;
  o->keys = tenon_arena_array(arena, tenon_pack_keys, p->n);
  for (int k = 0; k < 2; ++k) {
    o->life[k] = tenon_arena_array(arena, double, p->n);
    o->area[k] = tenon_arena_array(arena, double, p->n);
  }
  o->contended = tenon_arena_array(arena, double, p->n);
  double *live = tenon_arena_array(arena, double, p->n_times);
  if (arena->failed) return false;
  for (size_t i = 0; i < p->n; ++i)
    o->keys[i].factor = 1;
  for (size_t k = 0; k < p->n_rects; ++k)
    for (uint32_t now = p->rects[k].first; now <= p->rects[k].last; ++now)
      live[now] += (double)p->rects[k].size;
  for (size_t k = 0; k < p->n_rects; ++k) {
    const tenon_pack_rect *r = &p->rects[k];
    double lives[2] = {(double)r->life, (double)(r->last - r->first + 1)};
    for (int i = 0; i < 2; ++i) {
      o->life[i][r->item] += lives[i];
      o->area[i][r->item] += lives[i] * (double)r->size;
    }
    for (uint32_t now = r->first; now <= r->last; ++now)
      if (live[now] > o->contended[r->item]) o->contended[r->item] = live[now];
  }
  return true;
}

static double pack_order_key_of(const tenon_pack_orders *o, uint32_t i,
                                char which, bool is_short) {
  const tenon_pack_item *item = &o->p->items[i];
  double factor = o->keys[i].factor;
  switch (which) {
    case 'T':
      return factor * o->contended[i];
    case 'A':
      return factor * o->area[is_short][i];
    case 'W':
      return factor * o->life[is_short][i];
    case 'S':
      return factor * (double)item->most;
    case 'L':
      return -(double)item->first / factor;
    default:
      return factor * (double)item->last;
  }
}

void tenon_pack_arrange(tenon_pack_orders *o, uint32_t order) {
  tenon_packer *p = o->p;
  const char *by = orders[order / 2];
  o->contention = -1;
  for (int k = 0; k < TENON_PACK_KEYS; ++k)
    if (by[k] == 'T') o->contention = k;
  for (uint32_t i = 0; i < p->n; ++i) {
    for (int k = 0; k < TENON_PACK_KEYS; ++k)
      o->keys[i].values[k] = pack_order_key_of(o, i, by[k], order % 2);
    p->order[i] = i;
  }
  tenon_pack_sort(p->order, p->placed, p->n, by_keys, o->keys);
}

void tenon_pack_arrange_part(tenon_pack_orders *o, const uint64_t *left,
                             uint32_t *list, uint32_t *spare, size_t n) {
  const tenon_packer *p = o->p;
  for (size_t k = 0; k < n; ++k) {
    const tenon_pack_item *item = &p->items[list[k]];
    tenon_pack_keys *keys = &o->keys[list[k]];
    uint64_t most = 0;
    for (uint32_t r = item->begin; r < item->end; ++r)
      for (uint32_t now = p->rects[r].first; now <= p->rects[r].last; ++now)
        if (left[now] > most) most = left[now];
    keys->values[o->contention] = (double)most * keys->factor;
  }
  tenon_pack_sort(list, spare, n, by_keys, o->keys);
}
