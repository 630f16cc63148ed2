// How: from the bottom up, the item with the lowest place comes next, of those
// with equal places the first in the order; it lies on top of all that is
// placed at its times, so that a height per time says where. Places only grow:
// a heap has the one each item had when it was last looked at, and what has
// risen since goes back. Then what ended above the bound gets a larger factor,
// and the same order is tried again (squeaky wheel optimisation: Joslin and
// Clements, 1999).
#include <string.h>

#include "program/pack_order.h"

enum { TRIES_PER_ORDER = 12 };
static const double MORE = 1.2;  // factor of what ended too high

typedef struct skyline {
  tenon_packer *p;
  uint64_t *floor;  // per time
  uint32_t *rank;
  uint32_t *heap;  // by the place in p->bases, then rank
  size_t n;
  uint64_t steps, step_limit;
} skyline;

static bool is_before(const skyline *s, uint32_t a, uint32_t b) {
  uint64_t x = s->p->bases[a], y = s->p->bases[b];
  return x != y ? x < y : s->rank[a] < s->rank[b];
}

// The first of the heap goes to where it belongs.
static void sink(skyline *s) {
  uint32_t i = s->heap[0];
  size_t at = 0;
  for (size_t child = 1; child < s->n; child = 2 * at + 1) {
    if (child + 1 < s->n && is_before(s, s->heap[child + 1], s->heap[child]))
      ++child;
    if (!is_before(s, s->heap[child], i)) break;
    s->heap[at] = s->heap[child];
    at = child;
  }
  s->heap[at] = i;
}

static uint64_t find_place(skyline *s, const tenon_pack_item *item) {
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

static void raise(skyline *s, uint32_t i) {
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
  memset(s->floor, 0, p->n_times * sizeof *s->floor);
  memcpy(s->heap, p->order, p->n * sizeof *s->heap);
  s->n = p->n;
  for (size_t k = 0; k < p->n; ++k) {
    s->rank[p->order[k]] = (uint32_t)k;
    p->bases[p->order[k]] = 0;
  }
  while (s->n > 0) {
    uint32_t i = s->heap[0];
    uint64_t at = find_place(s, &p->items[i]);
    if (s->steps > s->step_limit) return false;
    if (at == p->bases[i]) {
      raise(s, i);
      s->heap[0] = s->heap[--s->n];
    }
    p->bases[i] = at;
    if (s->n > 0) sink(s);
  }
  tenon_pack_keep(p);
  return true;
}

bool tenon_pack_skyline(tenon_pack_orders *o, tenon_arena *arena,
                        uint64_t effort) {
  tenon_packer *p = o->p;
  skyline s = {.p = p, .step_limit = effort};
  if (p->has_fixed || p->best_size <= p->bound) return true;
  s.floor = tenon_arena_array(arena, uint64_t, p->n_times);
  s.rank = tenon_arena_array(arena, uint32_t, p->n);
  s.heap = tenon_arena_array(arena, uint32_t, p->n);
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
