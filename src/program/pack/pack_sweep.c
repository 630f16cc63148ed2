// How: what works for any number of items. Stacking keeps the height of what is
// placed over each time in a tree of maxima, and puts each item on top of the
// times it lives in: n log n, gaps below are lost. The sweep goes through time
// with the list of what is live by address, as an allocator would: it takes the
// tightest gap, and gives up where the lists get too long.
#include <string.h>

#include "program/pack/pack_work.h"

// --- stacking ---------------------------------------------------------------

// `set` is a height that holds for the whole range and has not been handed on;
// heights only grow, so 0 is none.
typedef struct node {
  uint64_t most, set;
} node;

static void hand_on(node *tree, size_t at) {
  if (tree[at].set == 0) return;
  for (size_t child = 2 * at; child <= 2 * at + 1; ++child)
    tree[child].most = tree[child].set = tree[at].set;
  tree[at].set = 0;
}

static uint64_t highest(node *tree, size_t at, uint32_t low, uint32_t high,
                        uint32_t from, uint32_t to) {
  if (from > high || to < low) return 0;
  if (from <= low && high <= to) return tree[at].most;
  hand_on(tree, at);
  uint32_t mid = low + (high - low) / 2;
  uint64_t a = highest(tree, 2 * at, low, mid, from, to);
  uint64_t b = highest(tree, 2 * at + 1, mid + 1, high, from, to);
  return a > b ? a : b;
}

static void sweep_raise(node *tree, size_t at, uint32_t low, uint32_t high,
                        uint32_t from, uint32_t to, uint64_t height) {
  if (from > high || to < low) return;
  if (from <= low && high <= to) {
    tree[at].most = tree[at].set = height;
    return;
  }
  hand_on(tree, at);
  uint32_t mid = low + (high - low) / 2;
  sweep_raise(tree, 2 * at, low, mid, from, to, height);
  sweep_raise(tree, 2 * at + 1, mid + 1, high, from, to, height);
  tree[at].most = tree[2 * at].most > tree[2 * at + 1].most
                      ? tree[2 * at].most
                      : tree[2 * at + 1].most;
}

static void stack_item(tenon_packer *p, node *tree, uint32_t i) {
  const tenon_pack_item *item = &p->items[i];
  uint32_t last = p->n_times - 1;
  uint64_t base = 0;
  for (uint32_t k = item->begin; k < item->end; ++k) {
    const tenon_pack_rect *r = &p->rects[k];
    uint64_t top = highest(tree, 1, 0, last, r->first, r->last);
    if (top > r->inner && top - r->inner > base) base = top - r->inner;
  }
  p->bases[i] = item->is_fixed ? item->base : tenon_pack_align(item, base);
  for (uint32_t k = item->begin; k < item->end; ++k) {
    const tenon_pack_rect *r = &p->rects[k];
    uint64_t end = p->bases[i] + r->inner + r->size;
    if (item->is_fixed || item->end - item->begin > 1) {
      uint64_t top = highest(tree, 1, 0, last, r->first, r->last);
      if (top > end) end = top;
    }
    sweep_raise(tree, 1, 0, last, r->first, r->last, end);
  }
}

bool tenon_pack_stack(tenon_packer *p, tenon_arena *arena) {
  tenon_arena_mark mark = tenon_arena_save(arena);
  node *tree = tenon_arena_array(arena, node, 4 * (size_t)p->n_times + 4);
  if (!tree) return false;
  for (uint32_t i = 0; i < p->n; ++i)
    if (p->items[i].is_fixed) stack_item(p, tree, i);
  for (size_t k = 0; k < p->n; ++k)
    if (!p->items[p->order[k]].is_fixed) stack_item(p, tree, p->order[k]);
  tenon_pack_keep(p);
  tenon_arena_restore(arena, mark);
  return true;
}

// --- the sweep --------------------------------------------------------------

// One walk over what is live, by address: drops what has ended, and finds the
// tightest gap and where in the list it is.
static size_t find_live(tenon_packer *p, const tenon_pack_item *item,
                        size_t *n_live, uint64_t *base) {
  uint64_t top = 0, slack = UINT64_MAX;
  size_t kept = 0, at = 0;
  for (size_t k = 0; k < *n_live; ++k) {
    uint32_t i = p->placed[k];
    if (p->items[i].last < item->first) continue;
    uint64_t from = tenon_pack_align(item, top), begin = p->bases[i];
    if (begin >= from && begin - from >= item->height &&
        begin - from - item->height < slack) {
      slack = begin - from - item->height;
      *base = from;
      at = kept;
    }
    if (begin + p->items[i].height > top) top = begin + p->items[i].height;
    p->placed[kept++] = i;
  }
  *n_live = kept;
  if (slack != UINT64_MAX) return at;
  *base = tenon_pack_align(item, top);
  return kept;
}

bool tenon_pack_sweep(tenon_packer *p) {
  size_t n_live = 0;
  uint64_t steps = 0;
  if (p->has_parts || p->has_fixed) return false;
  for (size_t k = 0; k < p->n; ++k) {
    uint32_t i = p->order[k];
    const tenon_pack_item *item = &p->items[i];
    steps += n_live;
    if (steps > 200000000) return false;
    // An item with one rectangle that is not at its place: its height has the
    // bytes below as well.
    size_t at = find_live(p, item, &n_live, &p->bases[i]);
    memmove(&p->placed[at + 1], &p->placed[at],
            (n_live - at) * sizeof *p->placed);
    p->placed[at] = i;
    ++n_live;
  }
  tenon_pack_keep(p);
  return true;
}
