// How: items in some order, each at the lowest gap between the rectangles that
// are placed already and live with it (best fit: the tightest gap that holds
// it). No single order is best for all graphs, so several are tried (by size,
// by lifetime, by area, by time of start), and after those a fixed number of
// shuffles that move what stands at the top of the arena to the front of the
// order; this ends as soon as the bound is reached. O(tries * n^2) with a small
// constant; large inputs get fewer tries, and above some size none: stacking
// and the sweep (pack_sweep.c) are left.
#include <string.h>

#include "program/pack/pack_work.h"

static uint64_t address(const tenon_packer *p, const tenon_pack_rect *r) {
  return p->bases[r->item] + r->inner;
}

// For one rectangle: the tightest gap among those between its neighbours in
// time; the open end above all of them if none does.
static uint64_t find_gap(const tenon_packer *p, const tenon_pack_item *item,
                         size_t n_placed) {
  const tenon_pack_rect *s = &p->rects[item->begin];
  uint64_t top = 0, found = 0, slack = UINT64_MAX;
  for (size_t i = 0; i < n_placed; ++i) {
    const tenon_pack_rect *other = &p->rects[p->placed[i]];
    if (!tenon_pack_meet(s, other) || other->size == 0) continue;
    uint64_t at = tenon_pack_align(item, top > s->inner ? top - s->inner : 0);
    uint64_t end = at + item->height, begin = address(p, other);
    if (begin >= end && begin - end < slack) {
      slack = begin - end;
      found = at;
    }
    if (begin + other->size > top) top = begin + other->size;
  }
  return slack != UINT64_MAX
             ? found
             : tenon_pack_align(item, top > s->inner ? top - s->inner : 0);
}

// For several: the lowest place. Whatever collides lifts the item above it; the
// place only grows, and what lies below it cannot collide again.
static uint64_t greedy_find_place(const tenon_packer *p,
                                  const tenon_pack_item *item,
                                  size_t n_placed) {
  uint64_t at = tenon_pack_align(item, 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t k = item->begin; k < item->end; ++k) {
      const tenon_pack_rect *r = &p->rects[k];
      for (size_t i = 0; i < n_placed; ++i) {
        const tenon_pack_rect *o = &p->rects[p->placed[i]];
        uint64_t begin = address(p, o), end = begin + o->size;
        if (!tenon_pack_meet(r, o) || at + r->inner >= end ||
            begin >= at + r->inner + r->size)
          continue;
        at = tenon_pack_align(item, end - r->inner);
        moved = true;
      }
    }
  }
  return at;
}

static void greedy_insert(tenon_packer *p, size_t *n_placed, uint32_t rect) {
  size_t at = *n_placed;
  uint64_t place = address(p, &p->rects[rect]);
  while (at > 0 && address(p, &p->rects[p->placed[at - 1]]) > place) {
    p->placed[at] = p->placed[at - 1];
    --at;
  }
  p->placed[at] = rect;
  ++*n_placed;
}

static void greedy_place(tenon_packer *p, uint32_t i, uint64_t base,
                         size_t *n_placed) {
  const tenon_pack_item *item = &p->items[i];
  p->bases[i] = base;
  for (uint32_t k = item->begin; k < item->end; ++k)
    greedy_insert(p, n_placed, k);
}

static void place_all(tenon_packer *p) {
  size_t n_placed = 0;
  for (uint32_t i = 0; i < p->n; ++i)
    if (p->items[i].is_fixed) greedy_place(p, i, p->items[i].base, &n_placed);
  for (size_t k = 0; k < p->n; ++k) {
    const tenon_pack_item *item = &p->items[p->order[k]];
    if (item->is_fixed) continue;
    uint64_t base = item->height == 0 ? 0
                    : item->end - item->begin == 1
                        ? find_gap(p, item, n_placed)
                        : greedy_find_place(p, item, n_placed);
    greedy_place(p, p->order[k], base, &n_placed);
  }
}

uint64_t tenon_pack_try(tenon_packer *p, size_t from) {
  uint64_t size = 0;
  if (p->near)
    tenon_pack_place_near(p, from);
  else
    place_all(p);
  for (size_t i = 0; i < p->n; ++i) {
    uint64_t end = p->bases[i] + p->items[i].height;
    if (end > size) size = end;
  }
  if (size < p->best_size) tenon_pack_keep(p);
  return size;
}

// --- orders -----------------------------------------------------------------

static uint64_t life(const tenon_pack_item *i) {
  return (uint64_t)i->last - i->first + 1;
}
static bool by_size(const void *context, uint32_t a, uint32_t b) {
  const tenon_pack_item *s = (const tenon_pack_item *)context;
  return s[a].height > s[b].height;
}
static bool by_life(const void *context, uint32_t a, uint32_t b) {
  const tenon_pack_item *s = (const tenon_pack_item *)context;
  if (life(&s[a]) != life(&s[b])) return life(&s[a]) > life(&s[b]);
  return by_size(context, a, b);
}
static bool by_area(const void *context, uint32_t a, uint32_t b) {
  const tenon_pack_item *s = (const tenon_pack_item *)context;
  double x = (double)life(&s[a]) * (double)s[a].height;
  double y = (double)life(&s[b]) * (double)s[b].height;
  return x > y;
}
static bool by_start(const void *context, uint32_t a, uint32_t b) {
  const tenon_pack_item *s = (const tenon_pack_item *)context;
  if (s[a].first != s[b].first) return s[a].first < s[b].first;
  return by_size(context, a, b);
}
static bool by_end(const void *context, uint32_t a, uint32_t b) {
  const tenon_pack_item *s = (const tenon_pack_item *)context;
  if (s[a].last != s[b].last) return s[a].last > s[b].last;
  return by_size(context, a, b);
}

static tenon_pack_before *const orders[] = {by_size, by_area, by_start, by_life,
                                            by_end};
enum { N_ORDERS = sizeof orders / sizeof *orders, N_FEW = 3 };

static void greedy_arrange(tenon_packer *p, size_t order) {
  for (size_t i = 0; i < p->n; ++i)
    p->order[i] = (uint32_t)i;
  tenon_pack_sort(p->order, p->placed, p->n, orders[order], p->items);
}

// An item that ends at the top of the arena was placed too late: it goes to the
// front, to place *to, and the rest keep their order.
static bool promote_top(tenon_packer *p, uint64_t size, uint32_t *seed,
                        size_t *to) {
  size_t candidates = 0, chosen = 0;
  for (size_t k = 1; k < p->n; ++k) {
    uint32_t i = p->order[k];
    if (p->items[i].is_fixed || p->bases[i] + p->items[i].height != size)
      continue;
    *seed = *seed * 1664525u + 1013904223u;
    ++candidates;
    if (*seed >> 8 < UINT32_MAX / 256 / (uint32_t)candidates) chosen = k;
  }
  if (chosen == 0) return false;
  *seed = *seed * 1664525u + 1013904223u;
  *to = (*seed >> 8) % chosen;
  uint32_t held = p->order[chosen];
  memmove(&p->order[*to + 1], &p->order[*to],
          (chosen - *to) * sizeof *p->order);
  p->order[*to] = held;
  return true;
}

void tenon_pack_few(tenon_packer *p) {
  for (size_t o = 0; o < N_FEW; ++o) {
    greedy_arrange(p, o);
    (void)tenon_pack_try(p, 0);
  }
}

// Budgets of elementary steps, not of time: the result is the same on every
// machine. What makes a packing smaller is found soon or, mostly, never.
#define WORK_MOST 2e8
enum { TRIES_MOST = 2000, TRIES_IN_VAIN = 100 };

static void improve(tenon_packer *p, size_t order) {
  double work = (double)p->n_rects * (double)p->n_rects + 1;
  if (work * N_ORDERS > WORK_MOST) return;
  greedy_arrange(p, order);
  uint64_t size = tenon_pack_try(p, 0);
  size_t tries = (size_t)(4e7 / work / N_ORDERS);
  if (tries > TRIES_MOST) tries = TRIES_MOST;
  uint32_t seed = 1;
  size_t since = 0;
  for (size_t t = 0, from = 0; t < tries && p->best_size > p->bound; ++t) {
    const uint64_t best = p->best_size;
    if (!promote_top(p, size, &seed, &from)) return;
    size = tenon_pack_try(p, from);
    since = p->best_size < best ? 0 : since + 1;
    if (since == TRIES_IN_VAIN) return;
  }
}

// Where there are many, stacks lose to the sweep, and each takes a tenth of a
// second.
enum { MANY_ITEMS = 20000 };

bool tenon_pack_greedy(tenon_packer *p, tenon_arena *arena) {
  size_t stacks = N_ORDERS;
  double work = (double)p->n_rects * (double)p->n_rects + 1;
  if (work * N_ORDERS <= WORK_MOST && !tenon_pack_find_near(p, arena))
    return false;
  for (size_t o = 0; o < N_ORDERS && p->best_size > p->bound; ++o)
    improve(p, o);
  if (p->best_size > p->bound) {
    greedy_arrange(p, 2);  // by start
    if (tenon_pack_sweep(p) && p->n > MANY_ITEMS) stacks = 1;
  }
  for (size_t o = 0; o < stacks && p->best_size > p->bound; ++o) {
    greedy_arrange(p, o);
    if (!tenon_pack_stack(p, arena)) return false;
  }
  return true;
}
