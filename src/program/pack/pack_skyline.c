// How: from the bottom up, the item with the lowest place comes next, of those
// with equal places the first in the order; it lies on top of all that is
// placed at its times, so that a height per time says where. Places only grow:
// a heap has the one each item had when it was last looked at, and what has
// risen since goes back. Then what ended above the bound gets a larger factor,
// and the same order is tried again (squeaky wheel optimisation: Joslin and
// Clements, 1999).
#include <string.h>

#include "program/pack/pack_order.h"

enum { TRIES_PER_ORDER = 12 };
static const double MORE = 1.2;  // factor of what ended too high

// What waits is a number: the place where an item would lie, then its rank in
// the order. Places have room for half a petabyte.
enum { RANK_BITS = 14 };
static const uint64_t HIGHEST = UINT64_MAX >> (RANK_BITS + 1);

typedef struct skyline {
  tenon_packer *p;
  uint64_t *floor;  // per time
  uint64_t *heap;
  size_t n;
  uint64_t steps, step_limit;
} skyline;

// What has left the top goes to where it belongs.
static void sink(skyline *s, uint64_t one) {
  uint64_t *const heap = s->heap;
  size_t at = 0, child = 1;
  for (; child + 1 < s->n; child = 2 * at + 1) {
    child += heap[child + 1] < heap[child];
    if (heap[child] >= one) break;
    heap[at] = heap[child];
    at = child;
  }
  if (child + 1 == s->n && heap[child] < one) {
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = one;
}

static uint64_t skyline_find_place(skyline *s, const tenon_pack_item *item) {
  const tenon_packer *p = s->p;
  uint64_t at = 0;
  for (uint32_t k = item->begin; k < item->end; ++k) {
    const tenon_pack_rect *r = &p->rects[k];
    s->steps += r->last - r->first + 1;
    for (uint32_t now = r->first; now <= r->last; ++now)
      if (s->floor[now] > at + r->inner) at = s->floor[now] - r->inner;
  }
  return tenon_pack_align(item, at);
}

static void skyline_raise(skyline *s, uint32_t i) {
  const tenon_packer *p = s->p;
  const tenon_pack_item *item = &p->items[i];
  for (uint32_t k = item->begin; k < item->end; ++k) {
    const tenon_pack_rect *r = &p->rects[k];
    uint64_t end = p->bases[i] + r->inner + r->size;
    for (uint32_t now = r->first; now <= r->last; ++now)
      if (s->floor[now] < end) s->floor[now] = end;
  }
}

// False: the steps were used up first.
static bool try_order(skyline *s) {
  tenon_packer *p = s->p;
  const uint64_t ranks = ((uint64_t)1 << RANK_BITS) - 1;
  memset(s->floor, 0, p->n_times * sizeof *s->floor);
  s->n = p->n;
  for (size_t k = 0; k < p->n; ++k)
    s->heap[k] = k;
  while (s->n > 0) {
    uint64_t one = s->heap[0];
    uint32_t i = p->order[one & ranks];
    uint64_t at = skyline_find_place(s, &p->items[i]);
    if (s->steps > s->step_limit) return false;
    if (at == one >> RANK_BITS) {
      p->bases[i] = at;
      skyline_raise(s, i);
      one = s->heap[--s->n];
    } else {
      one = at << RANK_BITS | (one & ranks);
    }
    if (s->n > 0) sink(s, one);
  }
  tenon_pack_keep(p);
  return true;
}

bool tenon_pack_skyline(tenon_pack_orders *o, tenon_arena *arena,
                        uint64_t effort) {
  tenon_packer *p = o->p;
  skyline s = {.p = p, .step_limit = effort};
  uint64_t sum = 0;
  if (p->has_fixed || p->best_size <= p->bound || p->n >> RANK_BITS)
    return true;
  for (size_t i = 0; i < p->n; ++i)
    sum += p->items[i].height + p->items[i].align;
  if (sum > HIGHEST) return true;
  s.floor = tenon_arena_array(arena, uint64_t, p->n_times);
  s.heap = tenon_arena_array(arena, uint64_t, p->n);
  if (arena->failed) return false;
  for (uint32_t order = 0; order < TENON_PACK_ORDERS; ++order) {
    for (size_t i = 0; i < p->n; ++i)
      o->keys[i].factor = 1;
    for (int k = 0; k < TRIES_PER_ORDER; ++k) {
      tenon_pack_arrange(o, order);
      if (!try_order(&s) || p->best_size <= p->bound) return true;
      for (size_t i = 0; i < p->n; ++i)
        if (p->bases[i] + p->items[i].height > p->bound)
          o->keys[i].factor *= MORE;
    }
  }
  return true;
}
