// How: a walk through time over a tree whose leaves are the spans by offset and
// whose nodes know the highest end of the live spans below, twice: of any
// group, and of another group than that one. What begins collides with what
// starts before its end, ends after its start and is of another group; n log n,
// and no thought is shared with the packer.

#include "base/arena.h"
#include "program/pack/pack_work.h"

typedef struct highest {
  uint64_t end[2];  // 0: none
  uint32_t span[2];
} highest;

typedef struct checker {
  const tenon_span *spans;
  size_t n, n_leaves;
  uint32_t *order;  // spans by offset
  uint32_t *leaf;   // of each span
  highest *tree;
} checker;

static bool is_kin(const checker *c, uint32_t a, uint32_t b) {
  return a == b ||
         (c->spans[a].group && c->spans[a].group == c->spans[b].group);
}

static void pack_check_take(const checker *c, highest *h, uint64_t end,
                            uint32_t span) {
  if (end == 0) return;
  if (h->end[0] == 0 || is_kin(c, h->span[0], span)) {
    if (end <= h->end[0]) return;
    h->end[0] = end;
    h->span[0] = span;
  } else if (end > h->end[0]) {
    h->end[1] = h->end[0];
    h->span[1] = h->span[0];
    h->end[0] = end;
    h->span[0] = span;
  } else if (end > h->end[1]) {
    h->end[1] = end;
    h->span[1] = span;
  }
}

static void pack_check_join(const checker *c, highest *h, const highest *more) {
  for (int k = 0; k < 2; ++k)
    pack_check_take(c, h, more->end[k], more->span[k]);
}

static void pack_check_set(checker *c, uint32_t span, uint64_t end) {
  size_t at = c->n_leaves + c->leaf[span];
  c->tree[at] = (highest){{end, 0}, {span, 0}};
  for (at /= 2; at > 0; at /= 2) {
    highest h = {{0, 0}, {0, 0}};
    pack_check_join(c, &h, &c->tree[2 * at]);
    pack_check_join(c, &h, &c->tree[2 * at + 1]);
    c->tree[at] = h;
  }
}

// Among the first `count` leaves, a live span of another group that ends above
// `offset`.
static bool pack_check_find(const checker *c, size_t count, uint32_t span,
                            uint32_t *found) {
  highest h = {{0, 0}, {0, 0}};
  size_t low = c->n_leaves, high = c->n_leaves + count;
  for (; low < high; low /= 2, high /= 2) {
    if (low & 1) pack_check_join(c, &h, &c->tree[low++]);
    if (high & 1) pack_check_join(c, &h, &c->tree[--high]);
  }
  for (int k = 0; k < 2; ++k)
    if (h.end[k] > c->spans[span].offset && !is_kin(c, h.span[k], span)) {
      *found = h.span[k];
      return true;
    }
  return false;
}

static bool by_offset(const void *context, uint32_t a, uint32_t b) {
  const tenon_span *s = (const tenon_span *)context;
  return s[a].offset < s[b].offset;
}

// Beginnings before ends. Event 2i begins span i.
static bool pack_check_by_time(const void *context, uint32_t a, uint32_t b) {
  const tenon_span *s = (const tenon_span *)context;
  uint32_t x = a & 1 ? s[a / 2].last : s[a / 2].first;
  uint32_t y = b & 1 ? s[b / 2].last : s[b / 2].first;
  return x != y ? x < y : (a & 1) < (b & 1);
}

static bool pack_check_by_group(const void *context, uint32_t a, uint32_t b) {
  const tenon_span *s = (const tenon_span *)context;
  return s[a].group < s[b].group;
}

// How many spans start below `end`.
static size_t count_below(const checker *c, uint64_t end) {
  size_t low = 0, high = c->n;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (c->spans[c->order[mid]].offset < end)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

static bool pack_check_walk(checker *c, const uint32_t *events,
                            size_t culprit[2]) {
  for (size_t k = 0; k < 2 * c->n; ++k) {
    uint32_t i = events[k] / 2, other = 0;
    const tenon_span *s = &c->spans[i];
    if (s->size == 0) continue;
    if (events[k] & 1) {
      pack_check_set(c, i, 0);
      continue;
    }
    if (pack_check_find(c, count_below(c, s->offset + s->size), i, &other)) {
      culprit[0] = other < i ? other : i;
      culprit[1] = other < i ? i : other;
      return false;
    }
    pack_check_set(c, i, s->offset + s->size);
  }
  return true;
}

// Each alone, and each group in one piece.
static bool check_places(const checker *c, const uint32_t *by_groups,
                         size_t culprit[2]) {
  for (size_t i = 0; i < c->n; ++i) {
    const tenon_span *s = &c->spans[i];
    culprit[0] = culprit[1] = i;
    if (s->size && s->align > 1 && s->offset % s->align) return false;
    if (s->offset + s->size < s->offset) return false;
  }
  for (size_t k = 1; k < c->n; ++k) {
    const tenon_span *a = &c->spans[by_groups[k - 1]];
    const tenon_span *b = &c->spans[by_groups[k]];
    culprit[0] = by_groups[k - 1];
    culprit[1] = by_groups[k];
    if (a->group && a->group == b->group &&
        a->offset - a->inner != b->offset - b->inner)
      return false;
  }
  return true;
}

bool tenon_pack_check(const tenon_span *spans, size_t n,
                      const tenon_allocator *allocator, size_t culprit[2]) {
  tenon_arena arena;
  checker c = {spans, n, 1, NULL, NULL, NULL};
  bool ok = false;
  while (c.n_leaves < n)
    c.n_leaves *= 2;
  tenon_arena_init(&arena, *allocator);
  c.order = tenon_arena_array(&arena, uint32_t, n + 1);
  c.leaf = tenon_arena_array(&arena, uint32_t, n + 1);
  c.tree = tenon_arena_array(&arena, highest, 2 * c.n_leaves + 1);
  uint32_t *events = tenon_arena_array(&arena, uint32_t, 2 * n + 1);
  uint32_t *spare = tenon_arena_array(&arena, uint32_t, 2 * n + 1);
  culprit[0] = culprit[1] = n;
  if (!arena.failed && n <= UINT32_MAX / 4) {
    for (size_t i = 0; i < n; ++i)
      c.order[i] = (uint32_t)i;
    tenon_pack_sort(c.order, spare, n, pack_check_by_group, spans);
    ok = check_places(&c, c.order, culprit);
    tenon_pack_sort(c.order, spare, n, by_offset, spans);
    for (size_t i = 0; i < n; ++i)
      c.leaf[c.order[i]] = (uint32_t)i;
    for (size_t i = 0; i < 2 * n; ++i)
      events[i] = (uint32_t)i;
    tenon_pack_sort(events, spare, 2 * n, pack_check_by_time, spans);
    ok = ok && pack_check_walk(&c, events, culprit);
  }
  tenon_arena_deinit(&arena);
  return ok;
}

// --- in the middle of a run -------------------------------------------------

static bool by_first(const void *context, uint32_t a, uint32_t b) {
  const tenon_span *s = (const tenon_span *)context;
  return s[a].first < s[b].first;
}

static bool collide(const tenon_span *a, const tenon_span *b) {
  return a->size && b->size && a->offset < b->offset + b->size &&
         b->offset < a->offset + a->size;
}

// What begins is compared with each span that has not ended.
bool tenon_pack_check_again(const tenon_span *spans, size_t n, void *work,
                            size_t culprit[2]) {
  uint32_t *order = (uint32_t *)work, *live = order + n;
  size_t n_live = 0;
  for (size_t i = 0; i < n; ++i)
    order[i] = (uint32_t)i;
  tenon_pack_sort(order, live, n, by_first, spans);
  for (size_t k = 0; k < n; ++k) {
    const tenon_span *s = &spans[order[k]];
    size_t kept = 0;
    culprit[0] = culprit[1] = order[k];
    if (s->size && s->align > 1 && s->offset % s->align) return false;
    for (size_t i = 0; i < n_live; ++i) {
      if (spans[live[i]].last < s->first) continue;
      live[kept++] = live[i];
      culprit[1] = live[i];
      if (collide(s, &spans[live[i]])) return false;
    }
    live[kept] = order[k];
    n_live = kept + 1;
  }
  return true;
}
