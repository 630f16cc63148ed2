// How: the lower bound comes from a sweep over time. Placement is greedy: spans
// in some order, each at the lowest gap between the spans that are placed
// already and live with it (best fit: the tightest gap that holds it). No
// single order is best for all graphs, so several are tried (by size, by
// lifetime, by area, by time of start), and after those a fixed number of
// shuffles that move what stands at the top of the arena to the front of the
// order; the search ends as soon as the bound is reached. O(tries * n^2) with a
// small constant; large inputs get fewer tries.
#include "program/pack.h"

#include <string.h>

#include "base/heap.h"
#include "base/size.h"

typedef struct event {
  uint32_t time;
  bool is_end;
  uint64_t size;
} event;

// Heap sort, so that neither the C library's order of equals nor its allocation
// matters: `before` must be a total order.
typedef bool before_fn(const void *context, uint32_t a, uint32_t b);

static void sift(uint32_t *list, size_t root, size_t n, before_fn *before,
                 const void *context) {
  for (;;) {
    size_t child = 2 * root + 1;
    if (child >= n) return;
    if (child + 1 < n && before(context, list[child], list[child + 1])) ++child;
    if (!before(context, list[root], list[child])) return;
    uint32_t held = list[root];
    list[root] = list[child];
    list[child] = held;
    root = child;
  }
}

static void sort(uint32_t *list, size_t n, before_fn *before,
                 const void *context) {
  for (size_t i = n / 2; i-- > 0;)
    sift(list, i, n, before, context);
  for (size_t i = n; i-- > 1;) {
    uint32_t held = list[0];
    list[0] = list[i];
    list[i] = held;
    sift(list, 0, i, before, context);
  }
}

static bool event_before(const void *context, uint32_t a, uint32_t b) {
  const event *e = (const event *)context;
  if (e[a].time != e[b].time) return e[a].time < e[b].time;
  if (e[a].is_end != e[b].is_end)
    return e[b].is_end;  // starts first: inclusive
  return a < b;
}

uint64_t tenon_pack_bound(const tenon_span *spans, size_t n,
                          const tenon_allocator *allocator, bool *ok) {
  size_t size = 0;
  *ok = n == 0;
  if (n == 0 || n > UINT32_MAX / 2 ||
      !tenon_size_mul(2 * n, sizeof(event) + sizeof(uint32_t), &size))
    return 0;
  event *events = (event *)tenon_alloc(allocator, size, _Alignof(event));
  if (!events) return 0;
  uint32_t *order = (uint32_t *)(void *)(events + 2 * n);
  for (size_t i = 0; i < n; ++i) {
    events[2 * i] = (event){spans[i].first, false, spans[i].size};
    events[2 * i + 1] = (event){spans[i].last, true, spans[i].size};
    order[2 * i] = (uint32_t)(2 * i);
    order[2 * i + 1] = (uint32_t)(2 * i + 1);
  }
  sort(order, 2 * n, event_before, events);
  uint64_t live = 0, most = 0;
  for (size_t i = 0; i < 2 * n; ++i) {
    const event *e = &events[order[i]];
    if (e->is_end) {
      live -= e->size;
    } else {
      live += e->size;
      if (live > most) most = live;
    }
  }
  tenon_free(allocator, events, size, _Alignof(event));
  *ok = true;
  return most;
}

// ---------------------------------------------------------------------------

typedef struct packer {
  tenon_span *spans;
  size_t n;
  uint32_t *order;    // in which spans are placed
  uint32_t *placed;   // those placed, sorted by offset
  uint64_t *offsets;  // of the present try
  uint64_t *best;
  uint64_t best_size;
} packer;

static bool overlap(const tenon_span *a, const tenon_span *b) {
  return a->first <= b->last && b->first <= a->last;
}

static uint64_t align_up(uint64_t at, uint64_t align) {
  return align > 1 ? (at + align - 1) & ~(align - 1) : at;
}

// The tightest gap that holds the span, among those between its neighbours in
// time; the open end above all of them if none does.
static uint64_t find_gap(const packer *p, const tenon_span *s,
                         size_t n_placed) {
  uint64_t top = 0, found = 0, slack = UINT64_MAX;
  for (size_t i = 0; i < n_placed; ++i) {
    uint32_t j = p->placed[i];
    const tenon_span *other = &p->spans[j];
    if (!overlap(s, other) || other->size == 0) continue;
    uint64_t at = align_up(top, s->align), begin = p->offsets[j];
    if (begin >= at && begin - at >= s->size && begin - at - s->size < slack) {
      slack = begin - at - s->size;
      found = at;
    }
    if (begin + other->size > top) top = begin + other->size;
  }
  return slack == UINT64_MAX ? align_up(top, s->align) : found;
}

static void insert(packer *p, size_t *n_placed, uint32_t i) {
  size_t at = *n_placed;
  while (at > 0 && p->offsets[p->placed[at - 1]] > p->offsets[i]) {
    p->placed[at] = p->placed[at - 1];
    --at;
  }
  p->placed[at] = i;
  ++*n_placed;
}

// Places all spans in the given order and keeps the result if it is the best.
static uint64_t try_order(packer *p) {
  size_t n_placed = 0;
  uint64_t size = 0;
  for (size_t i = 0; i < p->n; ++i) {
    if (!p->spans[i].is_fixed) continue;
    p->offsets[i] = p->spans[i].offset;
    insert(p, &n_placed, (uint32_t)i);
  }
  for (size_t k = 0; k < p->n; ++k) {
    uint32_t i = p->order[k];
    if (p->spans[i].is_fixed) continue;
    p->offsets[i] = p->spans[i].size ? find_gap(p, &p->spans[i], n_placed) : 0;
    insert(p, &n_placed, i);
  }
  for (size_t i = 0; i < p->n; ++i) {
    uint64_t end = p->offsets[i] + p->spans[i].size;
    if (end > size) size = end;
  }
  if (size < p->best_size) {
    p->best_size = size;
    memcpy(p->best, p->offsets, p->n * sizeof *p->best);
  }
  return size;
}

// Orders of placement. Ties fall to the index, so every order is total.
static uint64_t life(const tenon_span *s) {
  return (uint64_t)s->last - s->first + 1;
}
static bool by_size(const void *context, uint32_t a, uint32_t b) {
  const tenon_span *s = (const tenon_span *)context;
  if (s[a].size != s[b].size) return s[a].size > s[b].size;
  return a < b;
}
static bool by_life(const void *context, uint32_t a, uint32_t b) {
  const tenon_span *s = (const tenon_span *)context;
  if (life(&s[a]) != life(&s[b])) return life(&s[a]) > life(&s[b]);
  return by_size(context, a, b);
}
static bool by_area(const void *context, uint32_t a, uint32_t b) {
  const tenon_span *s = (const tenon_span *)context;
  double x = (double)life(&s[a]) * (double)s[a].size;
  double y = (double)life(&s[b]) * (double)s[b].size;
  if (x > y || x < y) return x > y;
  return a < b;
}
static bool by_start(const void *context, uint32_t a, uint32_t b) {
  const tenon_span *s = (const tenon_span *)context;
  if (s[a].first != s[b].first) return s[a].first < s[b].first;
  return by_size(context, a, b);
}
static bool by_end(const void *context, uint32_t a, uint32_t b) {
  const tenon_span *s = (const tenon_span *)context;
  if (s[a].last != s[b].last) return s[a].last > s[b].last;
  return by_size(context, a, b);
}

// A span that ends at the top of the arena was placed too late: it goes to the
// front, and the rest keep their order.
static bool promote_top(packer *p, uint64_t size, uint32_t *seed) {
  size_t candidates = 0, chosen = 0;
  for (size_t k = 1; k < p->n; ++k) {
    uint32_t i = p->order[k];
    if (p->spans[i].is_fixed || p->offsets[i] + p->spans[i].size != size)
      continue;
    *seed = *seed * 1664525u + 1013904223u;
    ++candidates;
    if (*seed >> 8 < UINT32_MAX / 256 / (uint32_t)candidates) chosen = k;
  }
  if (chosen == 0) return false;
  *seed = *seed * 1664525u + 1013904223u;
  size_t to = (*seed >> 8) % chosen;
  uint32_t held = p->order[chosen];
  memmove(&p->order[to + 1], &p->order[to], (chosen - to) * sizeof *p->order);
  p->order[to] = held;
  return true;
}

static void search(packer *p, uint64_t bound) {
  before_fn *const orders[] = {by_size, by_area, by_life, by_start, by_end};
  for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o) {
    for (size_t i = 0; i < p->n; ++i)
      p->order[i] = (uint32_t)i;
    sort(p->order, p->n, orders[o], p->spans);
    uint64_t size = try_order(p);
    // A budget of elementary steps, not of time: the result is the same on
    // every machine.
    size_t tries = 40000000 / (p->n * p->n + 1) / 5;
    if (tries > 2000) tries = 2000;
    uint32_t seed = 1;
    for (size_t t = 0; t < tries && p->best_size > bound; ++t) {
      if (!promote_top(p, size, &seed)) break;
      size = try_order(p);
    }
    if (p->best_size <= bound) return;
  }
}

bool tenon_pack(tenon_span *spans, size_t n, const tenon_allocator *allocator,
                uint64_t *size) {
  bool ok = false;
  *size = 0;
  if (n == 0) return true;
  uint64_t bound = tenon_pack_bound(spans, n, allocator, &ok);
  size_t bytes = 0;
  if (!ok ||
      !tenon_size_mul(n, 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t), &bytes))
    return false;
  uint64_t *memory =
      (uint64_t *)tenon_alloc(allocator, bytes, _Alignof(uint64_t));
  if (!memory) return false;
  uint32_t *order = (uint32_t *)(void *)(memory + 2 * n);
  packer p = {spans, n, order, order + n, memory, memory + n, UINT64_MAX};
  search(&p, bound);
  for (size_t i = 0; i < n; ++i)
    spans[i].offset = p.best[i];
  *size = p.best_size;
  tenon_free(allocator, memory, bytes, _Alignof(uint64_t));
  return true;
}

size_t tenon_pack_work(size_t n) {
  return n * (2 * sizeof(uint64_t) + 2 * sizeof(uint32_t));
}

void tenon_pack_again(tenon_span *spans, size_t n, void *work, uint64_t *size) {
  before_fn *const orders[] = {by_size, by_area, by_start};
  *size = 0;
  if (n == 0) return;
  uint64_t *memory = (uint64_t *)work;
  uint32_t *order = (uint32_t *)(void *)(memory + 2 * n);
  packer p = {spans, n, order, order + n, memory, memory + n, UINT64_MAX};
  for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o) {
    for (size_t i = 0; i < n; ++i)
      p.order[i] = (uint32_t)i;
    sort(p.order, n, orders[o], p.spans);
    (void)try_order(&p);
  }
  for (size_t i = 0; i < n; ++i)
    spans[i].offset = p.best[i];
  *size = p.best_size;
}

bool tenon_pack_check(const tenon_span *spans, size_t n,
                      const tenon_allocator *allocator, size_t culprit[2]) {
  (void)allocator;
  for (size_t i = 0; i < n; ++i) {
    const tenon_span *a = &spans[i];
    if (a->size && a->align > 1 && a->offset % a->align) {
      culprit[0] = culprit[1] = i;
      return false;
    }
    for (size_t j = 0; j < i; ++j) {
      const tenon_span *b = &spans[j];
      if (a->size == 0 || b->size == 0 || !overlap(a, b)) continue;
      if (a->offset < b->offset + b->size && b->offset < a->offset + a->size) {
        culprit[0] = j;
        culprit[1] = i;
        return false;
      }
    }
  }
  return true;
}
