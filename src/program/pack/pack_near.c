// How: which rectangles live at a time with which is the same in every try, so
// it is listed once where most do not meet: then a try looks at neighbours
// only. It finds the same places as one that looks at all (pack_greedy.c).
#include <stdlib.h>

#include "program/pack/pack_work.h"

// Lists are worth their making where they have an eighth of all pairs at most.
enum { LEAST = 32, SHARE = 8 };

static int near_compare(const void *a, const void *b) {
  const tenon_pack_taken *x = (const tenon_pack_taken *)a,
                         *y = (const tenon_pack_taken *)b;
  if (x->item != y->item) return x->item < y->item ? -1 : 1;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

// Sorted, and what touches joined: how many are left.
static size_t near_join(tenon_pack_taken *list, size_t n) {
  size_t left = 0;
  qsort(list, n, sizeof *list, near_compare);
  for (size_t i = 0; i < n; ++i) {
    tenon_pack_taken *last = left ? &list[left - 1] : NULL;
    if (!last || last->item != list[i].item || last->end < list[i].begin)
      list[left++] = list[i];
    else if (list[i].end > last->end)
      last->end = list[i].end;
  }
  return left;
}

// Rectangles of one item mostly meet those of another at places in a row.
static bool near_find_taken(tenon_packer *p, tenon_arena *arena) {
  size_t total = 0, n = 0;
  for (size_t i = 0; i < p->n; ++i)
    if (p->items[i].end - p->items[i].begin > 1)
      total += p->near_at[p->items[i].end] - p->near_at[p->items[i].begin];
  uint32_t *at = tenon_arena_array(arena, uint32_t, p->n + 1);
  tenon_pack_taken *list =
      tenon_arena_array(arena, tenon_pack_taken, total + 1);
  if (!at || !list) return false;
  for (size_t i = 0; i < p->n; ++i) {
    const tenon_pack_item *item = &p->items[i];
    size_t count = 0;
    at[i] = (uint32_t)n;
    if (item->end - item->begin <= 1) continue;
    for (uint32_t r = item->begin; r < item->end; ++r)
      for (uint32_t k = p->near_at[r]; k < p->near_at[r + 1]; ++k) {
        const tenon_pack_rect *s = &p->rects[r], *o = &p->rects[p->near[k]];
        const int64_t inner = (int64_t)s->inner, from = (int64_t)o->inner;
        list[n + count++] =
            (tenon_pack_taken){from - inner - (int64_t)s->size + 1,
                               from + (int64_t)o->size - inner, o->item};
      }
    n += near_join(&list[n], count);
  }
  at[p->n] = (uint32_t)n;
  p->taken_at = at;
  p->taken = list;
  return true;
}

bool tenon_pack_find_near(tenon_packer *p, tenon_arena *arena) {
  size_t n = p->n_rects, total = 0, most = n * n / SHARE, room = 1;
  if (n < LEAST) return true;
  for (size_t i = 0; i < n && total <= most; ++i)
    for (size_t k = 0; k < n; ++k)
      total += tenon_pack_meet(&p->rects[i], &p->rects[k]);
  if (total > most) return true;
  uint32_t *at = tenon_arena_array(arena, uint32_t, n + 1);
  uint32_t *near = tenon_arena_array(arena, uint32_t, total + 1);
  p->is_placed = tenon_arena_array(arena, bool, p->n + 1);
  if (!at || !near || !p->is_placed) return false;
  total = 0;
  for (size_t i = 0; i < n; ++i) {
    at[i] = (uint32_t)total;
    for (size_t k = 0; k < n; ++k)
      if (p->rects[k].item != p->rects[i].item &&
          tenon_pack_meet(&p->rects[i], &p->rects[k]))
        near[total++] = (uint32_t)k;
  }
  at[n] = (uint32_t)total;
  // Room for what a rectangle, or all of an item, may meet.
  for (size_t i = 0; i < p->n; ++i) {
    const size_t meets = at[p->items[i].end] - at[p->items[i].begin];
    if (meets > room) room = meets;
  }
  p->gaps = tenon_arena_array(arena, tenon_pack_gap, room);
  if (!p->gaps) return false;
  p->near_at = at;
  p->near = near;
  return near_find_taken(p, arena);
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

static size_t near_list_taken(const tenon_packer *p, uint32_t index) {
  size_t n = 0;
  for (uint32_t i = p->taken_at[index]; i < p->taken_at[index + 1]; ++i) {
    const tenon_pack_taken *t = &p->taken[i];
    if (!p->is_placed[t->item]) continue;
    const int64_t base = (int64_t)p->bases[t->item];
    const int64_t begin = base + t->begin, end = base + t->end;
    if (end > 0)
      p->gaps[n++] =
          (tenon_pack_gap){begin > 0 ? (uint64_t)begin : 0, (uint64_t)end};
  }
  return n;
}

// The lowest place that is not taken: it only grows, and what lies below it
// does not matter any more.
static uint64_t near_find_place(const tenon_packer *p, uint32_t index) {
  const tenon_pack_item *item = &p->items[index];
  uint64_t at = tenon_pack_align(item, 0);
  size_t n = near_list_taken(p, index);
  for (bool moved = true; moved;) {
    size_t left = 0;
    moved = false;
    for (size_t i = 0; i < n; ++i) {
      const tenon_pack_gap taken = p->gaps[i];
      if (taken.end <= at) continue;
      if (taken.begin > at) {
        p->gaps[left++] = taken;
        continue;
      }
      at = tenon_pack_align(item, taken.end);
      moved = true;
    }
    n = left;
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
                                : near_find_place(p, p->order[k]);
    p->is_placed[p->order[k]] = true;
  }
}
