// How: depth first. At each node every item has the lowest place that is left
// to it; next comes one of those whose place is below the lowest end of all
// (else the item with that end would fit below it, and the packing could be
// pushed down), and not before the last one in the order of (place, rank), so
// that no set of items is placed in two orders. Ruled out are nodes
//   - where an item has been passed over and nothing that is left can come to
//     lie under it (then it could be pushed down);
//   - where at some time, for some height, what cannot start below that height
//     does not fit above it.
// What has no neighbour left needs no alternative. Items that no longer meet in
// time are solved apart, in an order of their own. The ideas of canonical
// placement, sections and decomposition are those of Moffitt, "MiniMalloc: A
// Lightweight Memory Allocator for Hardware-Accelerated Machine Learning",
// ASPLOS 2023.
#include "program/pack/pack_tree.h"

#include <string.h>

static bool near(const tenon_packer *p, uint32_t a, uint32_t b) {
  const tenon_pack_item *x = &p->items[a], *y = &p->items[b];
  if (a == b || x->first > y->last || y->first > x->last) return false;
  for (uint32_t i = x->begin; i < x->end; ++i)
    for (uint32_t k = y->begin; k < y->end; ++k)
      if (tenon_pack_meet(&p->rects[i], &p->rects[k])) return true;
  return false;
}

static bool find_near(tenon_pack_tree *t, tenon_arena *arena) {
  tenon_packer *p = t->p;
  size_t count = 0;
  for (uint32_t a = 0; a < p->n; ++a) {
    t->begin[a] = count;
    for (uint32_t b = 0; b < p->n; ++b)
      count += near(p, a, b);
  }
  t->begin[p->n] = count;
  t->near = tenon_arena_array(arena, uint32_t, count + 1);
  if (!t->near) return false;
  count = 0;
  for (uint32_t a = 0; a < p->n; ++a)
    for (uint32_t b = 0; b < p->n; ++b)
      if (near(p, a, b)) t->near[count++] = b;
  return true;
}

bool tenon_pack_tree_init(tenon_pack_tree *t, tenon_pack_orders *orders,
                          tenon_arena *arena) {
  tenon_packer *p = orders->p;
  memset(t, 0, sizeof *t);
  t->p = p;
  t->orders = orders;
  tenon_vec_init(&t->undo, arena->allocator);
  t->begin = tenon_arena_array(arena, size_t, p->n + 1);
  t->rank = tenon_arena_array(arena, uint32_t, p->n);
  t->lowest = tenon_arena_array(arena, uint64_t, p->n);
  t->head = tenon_arena_array(arena, uint64_t, p->n);
  t->is_placed = tenon_arena_array(arena, bool, p->n);
  t->placed = tenon_arena_array(arena, uint32_t, p->n);
  t->left = tenon_arena_array(arena, uint64_t, p->n_times);
  t->above = tenon_arena_array(arena, uint64_t, p->n_times);
  t->by_head = tenon_arena_array(arena, uint32_t, p->n);
  t->spare = tenon_arena_array(arena, uint32_t, p->n);
  t->reach = tenon_arena_array(arena, uint32_t, p->n_times);
  // A node takes its list, its open ones or ranks, and those of a node with one
  // item less, n (n + 1) in all; parting takes as much again at most.
  t->lists = tenon_arena_array(arena, uint32_t, 2 * p->n * (p->n + 2));
  t->is_simple = !p->has_parts && !p->has_fixed;
  t->is_complete = true;
  for (size_t i = 0; i < p->n_rects; ++i)
    if (p->rects[i].inner && !p->items[p->rects[i].item].is_fixed)
      t->is_simple = t->is_complete = false;
  return !arena->failed && find_near(t, arena);
}

void tenon_pack_tree_deinit(tenon_pack_tree *t) {
  tenon_vec_deinit(&t->undo);
}

// --- placing ----------------------------------------------------------------

// The lowest place of `item` from `at` on that keeps clear of item `other`.
static uint64_t keep_clear(const tenon_packer *p, uint32_t i, uint64_t at,
                           uint32_t other) {
  const tenon_pack_item *item = &p->items[i], *o = &p->items[other];
  if (item->end - item->begin == 1 && o->end - o->begin == 1) {
    const tenon_pack_rect *x = &p->rects[item->begin];
    const tenon_pack_rect *y = &p->rects[o->begin];
    const uint64_t begin = p->bases[other] + y->inner, end = begin + y->size;
    if (at + x->inner >= end || begin >= at + x->inner + x->size ||
        !tenon_pack_meet(x, y))
      return at;
    return tenon_pack_align(item, end - x->inner);
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t a = item->begin; a < item->end; ++a)
      for (uint32_t b = o->begin; b < o->end; ++b) {
        const tenon_pack_rect *x = &p->rects[a], *y = &p->rects[b];
        uint64_t begin = p->bases[other] + y->inner, end = begin + y->size;
        if (!tenon_pack_meet(x, y) || at + x->inner >= end ||
            begin >= at + x->inner + x->size)
          continue;
        at = tenon_pack_align(item, end - x->inner);
        moved = true;
      }
  }
  return at;
}

static uint64_t find_lowest(tenon_pack_tree *t, uint32_t i, uint64_t at) {
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t k = t->begin[i]; k < t->begin[i + 1]; ++k) {
      uint32_t other = t->near[k];
      if (!t->is_placed[other]) continue;
      uint64_t next = keep_clear(t->p, i, at, other);
      moved = moved || next != at;
      at = next;
    }
    t->steps += t->begin[i + 1] - t->begin[i];
  }
  return at;
}

static void count_left(tenon_pack_tree *t, uint32_t i, bool is_back) {
  const tenon_pack_item *item = &t->p->items[i];
  for (uint32_t k = item->begin; k < item->end; ++k) {
    const tenon_pack_rect *r = &t->p->rects[k];
    for (uint32_t now = r->first; now <= r->last; ++now)
      t->left[now] += is_back ? r->size : 0 - r->size;
  }
}

// What is left at the times of an item lies above it: none of it started lower.
static bool fits_above(const tenon_pack_tree *t, uint32_t i) {
  const tenon_pack_item *item = &t->p->items[i];
  for (uint32_t k = item->begin; k < item->end; ++k) {
    const tenon_pack_rect *r = &t->p->rects[k];
    uint64_t end = t->p->bases[i] + r->inner + r->size;
    if (r->inner > 0) continue;
    for (uint32_t now = r->first; now <= r->last; ++now)
      if (t->left[now] && end + t->left[now] > t->capacity) return false;
  }
  return true;
}

// *lifts: something that is left lost its place.
static bool tree_place(tenon_pack_tree *t, uint32_t i, bool *lifts) {
  tenon_packer *p = t->p;
  uint64_t base = t->lowest[i], end = base + p->items[i].height;
  *lifts = false;
  p->bases[i] = base;
  t->is_placed[i] = true;
  t->placed[t->n_placed++] = i;
  count_left(t, i, false);
  if (!fits_above(t, i)) return false;
  t->steps += t->begin[i + 1] - t->begin[i];
  for (size_t k = t->begin[i]; k < t->begin[i + 1]; ++k) {
    uint32_t j = t->near[k];
    if (t->is_placed[j] || t->lowest[j] >= end) continue;
    uint64_t at = t->is_simple ? tenon_pack_align(&p->items[j], end)
                               : keep_clear(p, j, t->lowest[j], i);
    if (at == t->lowest[j]) continue;
    if (!t->is_simple) at = find_lowest(t, j, at);
    tenon_pack_undo undo = {j, t->lowest[j]};
    if (!tenon_vec_push(&t->undo, undo)) {
      t->out_of_memory = true;
      return false;
    }
    *lifts = true;
    t->lowest[j] = at;
    if (at + p->items[j].height > t->capacity) return false;
  }
  return true;
}

static void take_back(tenon_pack_tree *t, size_t n_placed, size_t n_undo) {
  while (t->undo.count > n_undo) {
    tenon_pack_undo undo = tenon_vec_pop(&t->undo);
    t->lowest[undo.item] = undo.lowest;
  }
  while (t->n_placed > n_placed) {
    uint32_t i = t->placed[--t->n_placed];
    t->is_placed[i] = false;
    count_left(t, i, true);
  }
}

// --- a node -----------------------------------------------------------------

typedef struct node {
  uint32_t *list;  // what is left, by rank
  size_t n;
  uint64_t floor;  // the place and rank of the last one placed
  int64_t last;
} node;

static bool tree_is_open(const tenon_pack_tree *t, const node *at, uint32_t i) {
  return t->lowest[i] > at->floor ||
         (t->lowest[i] == at->floor && (int64_t)t->rank[i] > at->last);
}

// The lowest place that an item can have now that it has been passed over: on
// top of something that is left and starts below its end.
static uint64_t find_support(tenon_pack_tree *t, const node *at, uint32_t i) {
  const tenon_packer *p = t->p;
  uint64_t end = t->lowest[i] + p->items[i].height, found = UINT64_MAX;
  if (!t->is_complete) return at->floor;
  t->steps += t->begin[i + 1] - t->begin[i];
  for (size_t k = t->begin[i]; k < t->begin[i + 1]; ++k) {
    uint32_t j = t->near[k];
    if (t->is_placed[j]) continue;
    uint64_t from = t->lowest[j] > at->floor ? t->lowest[j] : at->floor;
    const tenon_pack_item *other = &p->items[j];
    uint64_t size = p->rects[other->begin].size;
    for (uint32_t r = other->begin + 1; r < other->end; ++r)
      if (p->rects[r].size < size) size = p->rects[r].size;
    if (from < end && from + size < found) found = from + size;
  }
  return found;
}

static bool by_head(const void *context, uint32_t a, uint32_t b) {
  const uint64_t *head = (const uint64_t *)context;
  return head[a] > head[b];
}

enum { FEW = 64 };  // sorted faster without calls
static void insert_by_head(tenon_pack_tree *t, const node *at) {
  uint32_t *const list = t->by_head;
  for (size_t k = 0; k < at->n; ++k) {
    const uint32_t i = at->list[k];
    const uint64_t head = t->head[i];
    size_t to = k;
    for (; to > 0 && t->head[list[to - 1]] < head; --to)
      list[to] = list[to - 1];
    list[to] = i;
  }
}

// Whether at each time, for every height, what starts no lower fits above it.
static bool fits_from_heads(tenon_pack_tree *t, const node *at, uint32_t first,
                            uint32_t last) {
  const tenon_packer *p = t->p;
  if (at->n <= FEW) {
    insert_by_head(t, at);
  } else {
    memcpy(t->by_head, at->list, at->n * sizeof *t->by_head);
    tenon_pack_sort(t->by_head, t->spare, at->n, by_head, t->head);
  }
  memset(&t->above[first], 0, (last - first + 1) * sizeof *t->above);
  for (size_t k = 0; k < at->n; ++k) {
    const tenon_pack_item *item = &p->items[t->by_head[k]];
    for (uint32_t r = item->begin; r < item->end; ++r) {
      const tenon_pack_rect *rect = &p->rects[r];
      uint64_t room = t->capacity - t->head[t->by_head[k]];
      t->steps += rect->last - rect->first + 1;
      for (uint32_t now = rect->first; now <= rect->last; ++now) {
        t->above[now] += rect->size;
        if (t->above[now] > room) return false;
      }
    }
  }
  return true;
}

// Heads of all that is left, and whether they rule the node out. *end: the
// lowest end of all.
static bool look_ahead(tenon_pack_tree *t, const node *at, uint64_t *end) {
  const tenon_packer *p = t->p;
  uint32_t first = UINT32_MAX, last = 0;
  *end = UINT64_MAX;
  for (size_t k = 0; k < at->n; ++k) {
    uint32_t i = at->list[k];
    const tenon_pack_item *item = &p->items[i];
    if (t->lowest[i] + item->height < *end) *end = t->lowest[i] + item->height;
    if (item->first < first) first = item->first;
    if (item->last > last) last = item->last;
    t->head[i] = tree_is_open(t, at, i) ? t->lowest[i] : find_support(t, at, i);
    if (t->head[i] > t->capacity || t->head[i] + item->height > t->capacity)
      return false;
  }
  return fits_from_heads(t, at, first, last);
}

// Those that may come next, by place and then rank.
static size_t list_open(const tenon_pack_tree *t, const node *at, uint64_t end,
                        uint32_t *open) {
  size_t n = 0;
  for (size_t k = 0; k < at->n; ++k) {
    uint32_t i = at->list[k];
    if (t->lowest[i] >= end || !tree_is_open(t, at, i)) continue;
    size_t to = n++;
    for (; to > 0 && t->lowest[open[to - 1]] > t->lowest[i]; --to)
      open[to] = open[to - 1];
    open[to] = i;
  }
  return n;
}

// `is_part`: others have just been parted from it.
static tenon_pack_answer solve_parts(tenon_pack_tree *t, const node *at,
                                     bool is_part);

static tenon_pack_answer tree_solve(tenon_pack_tree *t, const node *at) {
  uint64_t end = 0;
  uint32_t *open = at->list + at->n, *rest = open + at->n;
  if (at->n == 0) return TENON_PACK_FOUND;
  t->steps += at->n;
  if (++t->visits > t->visit_limit || t->steps > t->step_limit)
    return TENON_PACK_STOPPED;
  if (!look_ahead(t, at, &end)) return TENON_PACK_NONE;
  size_t n_open = list_open(t, at, end, open);
  for (size_t c = 0; c < n_open; ++c) {
    uint32_t i = open[c];
    size_t n_placed = t->n_placed, n_undo = t->undo.count, n = 0;
    bool lifts = false;
    tenon_pack_answer answer = TENON_PACK_NONE;
    if (tree_place(t, i, &lifts)) {
      for (size_t k = 0; k < at->n; ++k)
        if (at->list[k] != i) rest[n++] = at->list[k];
      node next = {rest, n, t->p->bases[i], t->rank[i]};
      answer = solve_parts(t, &next, false);
      if (answer == TENON_PACK_FOUND) return answer;
    } else {
      lifts = true;
    }
    take_back(t, n_placed, n_undo);
    if (t->out_of_memory || answer == TENON_PACK_STOPPED)
      return TENON_PACK_STOPPED;
    if (!lifts && t->is_complete) return TENON_PACK_NONE;
  }
  return TENON_PACK_NONE;
}

// Contention is that of what is left. This is what lets most searches end:
// without it a part goes on in an order that fitted the whole.
static void rank_anew(tenon_pack_tree *t, const node *at) {
  for (size_t k = 0; k < at->n; ++k) {
    const tenon_pack_item *item = &t->p->items[at->list[k]];
    t->steps += item->last - item->first + 1;
  }
  tenon_pack_arrange_part(t->orders, t->left, at->list, t->spare, at->n);
  for (size_t k = 0; k < at->n; ++k)
    t->rank[at->list[k]] = (uint32_t)k;
}

// An order of its own for a part. Any order is as complete: of what lies at the
// floor everything may come next again.
static tenon_pack_answer solve_part(tenon_pack_tree *t, const node *at) {
  uint32_t *ranks = at->list + at->n;
  node part = {ranks + at->n, at->n, at->floor, -1};
  if (t->orders->contention < 0) return tree_solve(t, at);
  for (size_t k = 0; k < at->n; ++k)
    ranks[k] = t->rank[at->list[k]];
  memcpy(part.list, at->list, at->n * sizeof *part.list);
  rank_anew(t, &part);
  tenon_pack_answer answer = tree_solve(t, &part);
  for (size_t k = 0; k < at->n; ++k)
    t->rank[at->list[k]] = ranks[k];
  return answer;
}

// The end of what begins to meet at `from`, one behind its last time.
static uint32_t find_part(const tenon_pack_tree *t, uint32_t from,
                          uint32_t last) {
  uint32_t end = t->reach[from];
  for (uint32_t now = from; now < end && now <= last; ++now)
    if (t->reach[now] > end) end = t->reach[now];
  return end;
}

static tenon_pack_answer solve_parts(tenon_pack_tree *t, const node *at,
                                     bool is_part) {
  const tenon_pack_item *items = t->p->items;
  uint32_t first = UINT32_MAX, last = 0;
  if (at->n == 0) return TENON_PACK_FOUND;
  for (size_t k = 0; k < at->n; ++k) {
    const tenon_pack_item *item = &items[at->list[k]];
    if (item->first < first) first = item->first;
    if (item->last > last) last = item->last;
  }
  memset(&t->reach[first], 0, (last - first + 1) * sizeof *t->reach);
  for (size_t k = 0; k < at->n; ++k) {
    const tenon_pack_item *item = &items[at->list[k]];
    if (item->last + 1 > t->reach[item->first])
      t->reach[item->first] = item->last + 1;
  }
  uint32_t end = find_part(t, first, last);
  if (end > last) return is_part ? solve_part(t, at) : tree_solve(t, at);
  // `reach` is overwritten below: the rest is split anew.
  uint32_t *part = at->list + at->n, *rest = part + at->n;
  size_t n_part = 0, n_rest = 0;
  for (size_t k = 0; k < at->n; ++k) {
    uint32_t i = at->list[k];
    if (items[i].first < end)
      part[n_part++] = i;
    else
      rest[n_rest++] = i;
  }
  // The rest lies in front of what the first part uses of the lists.
  node one = {rest + n_rest, n_part, at->floor, at->last};
  memcpy(one.list, part, n_part * sizeof *part);
  tenon_pack_answer answer = solve_part(t, &one);
  if (answer != TENON_PACK_FOUND) return answer;
  node other = {rest, n_rest, at->floor, at->last};
  return solve_parts(t, &other, true);
}

tenon_pack_answer tenon_pack_tree_solve(tenon_pack_tree *t) {
  tenon_packer *p = t->p;
  node root = {t->lists, 0, 0, -1};
  memset(t->is_placed, 0, p->n * sizeof *t->is_placed);
  memset(t->left, 0, p->n_times * sizeof *t->left);
  t->n_placed = t->undo.count = 0;
  t->visits = 0;
  for (size_t i = 0; i < p->n; ++i) {
    t->is_placed[i] = p->items[i].is_fixed;
    if (p->items[i].is_fixed) p->bases[i] = p->items[i].base;
  }
  for (size_t k = 0; k < p->n; ++k) {
    uint32_t i = p->order[k];
    t->rank[i] = (uint32_t)k;
    if (p->items[i].is_fixed) continue;
    root.list[root.n++] = i;
    count_left(t, i, true);
    t->lowest[i] = find_lowest(t, i, tenon_pack_align(&p->items[i], 0));
    if (t->lowest[i] + p->items[i].height > t->capacity) return TENON_PACK_NONE;
  }
  return solve_parts(t, &root, false);
}
