// How: which rectangles live at a time with which is the same in every try, so
// it is listed once where most do not meet: then a try looks at neighbours
// only. It finds the same places as one that looks at all (pack_greedy.c).
#include <string.h>

#include "program/pack_work.h"

// Lists are worth their making where they have an eighth of all pairs at most.
enum { LEAST = 32, SHARE = 8 };

bool tenon_pack_find_near(tenon_packer *p, tenon_arena *arena) {
  size_t n = p->n_rects, total = 0, most = n * n / SHARE;
  if (n < LEAST) return true;
  for (size_t i = 0; i < n && total <= most; ++i)
    for (size_t k = 0; k < n; ++k)
      total += tenon_pack_meet(&p->rects[i], &p->rects[k]);
  if (total > most) return true;
  uint32_t *at = tenon_arena_array(arena, uint32_t, n + 1);
  uint32_t *near = tenon_arena_array(arena, uint32_t, total + 1);
  p->is_placed = tenon_arena_array(arena, bool, p->n + 1);
  p->gaps = tenon_arena_array(arena, tenon_pack_gap, n);
  if (!at || !near || !p->is_placed || !p->gaps) return false;
  total = 0;
  for (size_t i = 0; i < n; ++i) {
    at[i] = (uint32_t)total;
    for (size_t k = 0; k < n; ++k)
      if (p->rects[k].item != p->rects[i].item &&
          tenon_pack_meet(&p->rects[i], &p->rects[k]))
        near[total++] = (uint32_t)k;
  }
  at[n] = (uint32_t)total;
  p->near_at = at;
  p->near = near;
  return true;
}

// The placed neighbours of a rectangle, by address.
static size_t near_gather(const tenon_packer *p, uint32_t rect) {
  size_t n = 0;
  for (uint32_t i = p->near_at[rect]; i < p->near_at[rect + 1]; ++i) {
    const tenon_pack_rect *r = &p->rects[p->near[i]];
    if (!p->is_placed[r->item] || r->size == 0) continue;
    uint64_t begin = p->bases[r->item] + r->inner;
    size_t k = n++;
    for (; k > 0 && p->gaps[k - 1].begin > begin; --k)
      p->gaps[k] = p->gaps[k - 1];
    p->gaps[k] = (tenon_pack_gap){begin, begin + r->size};
  }
  return n;
}

static uint64_t near_find_gap(const tenon_packer *p,
                              const tenon_pack_item *item) {
  const uint64_t inner = p->rects[item->begin].inner;
  uint64_t top = 0, found = 0, slack = UINT64_MAX;
  size_t n = near_gather(p, item->begin);
  for (size_t i = 0; i < n; ++i) {
    uint64_t at = tenon_pack_align(item, top > inner ? top - inner : 0);
    uint64_t end = at + item->height, begin = p->gaps[i].begin;
    if (begin >= end && begin - end < slack) {
      slack = begin - end;
      found = at;
    }
    if (p->gaps[i].end > top) top = p->gaps[i].end;
  }
  return slack != UINT64_MAX
             ? found
             : tenon_pack_align(item, top > inner ? top - inner : 0);
}

static uint64_t near_find_place(const tenon_packer *p,
                                const tenon_pack_item *item) {
  uint64_t at = tenon_pack_align(item, 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t k = item->begin; k < item->end; ++k) {
      const tenon_pack_rect *r = &p->rects[k];
      for (uint32_t i = p->near_at[k]; i < p->near_at[k + 1]; ++i) {
        const tenon_pack_rect *o = &p->rects[p->near[i]];
        uint64_t begin = p->bases[o->item] + o->inner, end = begin + o->size;
        if (!p->is_placed[o->item] || at + r->inner >= end ||
            begin >= at + r->inner + r->size)
          continue;
        at = tenon_pack_align(item, end - r->inner);
        moved = true;
      }
    }
  }
  return at;
}

void tenon_pack_place_near(tenon_packer *p, size_t from) {
  for (size_t k = from; k < p->n; ++k) {
    const uint32_t i = p->order[k];
    p->is_placed[i] = p->items[i].is_fixed;
    if (p->items[i].is_fixed) p->bases[i] = p->items[i].base;
  }
  for (size_t k = from; k < p->n; ++k) {
    const tenon_pack_item *item = &p->items[p->order[k]];
    if (item->is_fixed) continue;
    p->bases[p->order[k]] = item->height == 0 ? 0
                            : item->end - item->begin == 1
                                ? near_find_gap(p, item)
                                : near_find_place(p, item);
    p->is_placed[p->order[k]] = true;
  }
}
