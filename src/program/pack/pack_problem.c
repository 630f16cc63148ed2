// How: groups are found by sorting. The rectangles of a group are what its
// spans cover between one change and the next; one that goes on unchanged
// grows. Times are counted anew in one walk over beginnings and ends: a new
// time starts where something begins after something ended, so every time left
// is one at which as much is live as anywhere near.
#include <string.h>

#include "base/vec.h"
#include "program/pack/pack_work.h"

void tenon_pack_sort(uint32_t *list, uint32_t *spare, size_t n,
                     tenon_pack_before *before, const void *context) {
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t low = 0; low < n; low += 2 * width) {
      size_t mid = n - low < width ? n : low + width;
      size_t high = n - mid < width ? n : mid + width;
      size_t a = low, b = mid;
      for (size_t to = low; to < high; ++to) {
        bool takes_b =
            a == mid || (b < high && before(context, list[b], list[a]));
        spare[to] = list[takes_b ? b++ : a++];
      }
    }
    memcpy(list, spare, n * sizeof *list);
  }
}

typedef TENON_VEC(tenon_pack_rect) rects;

typedef struct builder {
  const tenon_span *spans;
  tenon_packer *p;
  tenon_arena *arena;
  rects rects;
  uint32_t *spare;
  uint64_t *times;    // of the present group
  uint32_t *members;  // those of it that live now, by place in the group
} builder;

static uint64_t align_of(const tenon_span *s) {
  return s->align ? s->align : 1;
}

// --- groups -----------------------------------------------------------------

static bool problem_by_group(const void *context, uint32_t a, uint32_t b) {
  const tenon_span *s = (const tenon_span *)context;
  if (s[a].group != s[b].group) return s[a].group < s[b].group;
  return s[a].inner < s[b].inner;
}

typedef struct by_value_context {
  const uint64_t *values;
} by_value_context;

static bool by_value(const void *context, uint32_t a, uint32_t b) {
  const uint64_t *values = ((const by_value_context *)context)->values;
  return values[a] < values[b];
}

// Adds [from, to) during [first, last]; a rectangle that ended just before and
// is as wide goes on instead.
static bool cover(builder *b, size_t begin, uint64_t from, uint64_t to,
                  uint32_t first, uint32_t last) {
  for (size_t i = begin; i < b->rects.count; ++i) {
    tenon_pack_rect *r = &b->rects.data[i];
    if (r->inner == from && r->size == to - from && r->last + 1 == first) {
      r->last = last;
      return true;
    }
  }
  tenon_pack_rect r = {to - from, from, first, last, (uint32_t)b->p->n, 0};
  return tenon_vec_push(&b->rects, r);
}

// What the spans of a group, sorted by place, cover from one change to the
// next.
static bool cover_between(builder *b, const uint32_t *list, size_t n,
                          size_t begin, uint32_t first, uint32_t last) {
  uint64_t from = 0, to = 0;
  bool ok = true;
  for (size_t i = 0; i < n && ok; ++i) {
    const tenon_span *s = &b->spans[list[i]];
    if (s->size == 0 || s->first > first || s->last < last) continue;
    if (to > 0 && s->inner > to) {
      ok = cover(b, begin, from, to, first, last);
      from = to = 0;
    }
    if (to == 0) from = s->inner;
    if (s->inner + s->size > to) to = s->inner + s->size;
  }
  return ok && (to == 0 || cover(b, begin, from, to, first, last));
}

static bool cover_group(builder *b, const uint32_t *list, size_t n) {
  size_t count = 0, begin = b->rects.count;
  uint32_t *order = b->members;
  for (size_t i = 0; i < n; ++i) {
    b->times[count++] = b->spans[list[i]].first;
    b->times[count++] = (uint64_t)b->spans[list[i]].last + 1;
  }
  for (size_t i = 0; i < count; ++i)
    order[i] = (uint32_t)i;
  by_value_context context = {b->times};
  tenon_pack_sort(order, b->spare, count, by_value, &context);
  for (size_t i = 0; i + 1 < count; ++i) {
    uint64_t first = b->times[order[i]], next = b->times[order[i + 1]];
    if (first < next && !cover_between(b, list, n, begin, (uint32_t)first,
                                       (uint32_t)(next - 1)))
      return false;
  }
  return true;
}

static bool add_item(builder *b, const uint32_t *list, size_t n) {
  tenon_packer *p = b->p;
  tenon_pack_item item = {.align = 1, .begin = (uint32_t)b->rects.count};
  bool is_group = b->spans[list[0]].group != 0, has_bytes = false;
  for (size_t i = 0; i < n; ++i) {
    const tenon_span *s = &b->spans[list[i]];
    uint64_t inner = is_group ? s->inner : 0;
    p->item_of[list[i]] = (uint32_t)p->n;
    if (s->is_fixed) item.is_fixed = true, item.base = s->offset - inner;
    if (s->size == 0) continue;
    has_bytes = true;
    if (align_of(s) < item.align) continue;
    item.align = align_of(s);
    item.phase = (0 - inner) & (item.align - 1);
  }
  const tenon_span *only = &b->spans[list[0]];
  tenon_pack_rect r = {only->size,     is_group ? only->inner : 0,
                       only->first,    only->last,
                       (uint32_t)p->n, 0};
  if (!has_bytes && !(is_group && item.is_fixed)) {
    for (size_t i = 0; i < n; ++i)
      p->item_of[list[i]] = UINT32_MAX;
    return true;
  }
  if (has_bytes &&
      (n == 1 ? !tenon_vec_push(&b->rects, r) : !cover_group(b, list, n)))
    return false;
  item.end = (uint32_t)b->rects.count;
  if (item.end - item.begin > 1) p->has_parts = true;
  if (item.is_fixed) p->has_fixed = true;
  p->items[p->n++] = item;
  return true;
}

// --- times ------------------------------------------------------------------

// Beginnings before ends: both are inclusive. Event 2r begins rectangle r.
static bool problem_by_time(const void *context, uint32_t a, uint32_t b) {
  const tenon_pack_rect *r = (const tenon_pack_rect *)context;
  uint32_t x = a & 1 ? r[a / 2].last : r[a / 2].first;
  uint32_t y = b & 1 ? r[b / 2].last : r[b / 2].first;
  return x != y ? x < y : (a & 1) < (b & 1);
}

static bool count_times(builder *b) {
  tenon_packer *p = b->p;
  size_t n = 2 * p->n_rects;
  uint32_t *events = tenon_arena_array(b->arena, uint32_t, n + 1);
  uint32_t *spare = tenon_arena_array(b->arena, uint32_t, n + 1);
  if (!events || !spare) return false;
  for (size_t i = 0; i < p->n_rects; ++i)
    p->rects[i].life = p->rects[i].last - p->rects[i].first + 1;
  for (size_t i = 0; i < n; ++i)
    events[i] = (uint32_t)i;
  tenon_pack_sort(events, spare, n, problem_by_time, p->rects);
  uint32_t now = 0;
  uint64_t live = 0;
  bool has_ended = false;
  for (size_t i = 0; i < n; ++i) {
    tenon_pack_rect *r = &p->rects[events[i] / 2];
    if (events[i] & 1) {
      r->last = now;
      live -= r->size;
      has_ended = true;
      continue;
    }
    if (has_ended) ++now;
    has_ended = false;
    r->first = now;
    live += r->size;
    if (live > p->bound) p->bound = live;
  }
  p->n_times = now + 1;
  return true;
}

static void finish_items(tenon_packer *p) {
  for (size_t i = 0; i < p->n; ++i) {
    tenon_pack_item *item = &p->items[i];
    item->first = item->begin < item->end ? UINT32_MAX : 0;
    for (uint32_t k = item->begin; k < item->end; ++k) {
      const tenon_pack_rect *r = &p->rects[k];
      if (r->first < item->first) item->first = r->first;
      if (r->last > item->last) item->last = r->last;
      if (r->size > item->most) item->most = r->size;
      if (r->inner + r->size > item->height) item->height = r->inner + r->size;
    }
    // What moves together is nowhere less high; what is not fixed is at 0 yet.
    uint64_t end = item->base + item->height;
    if (end > p->bound) p->bound = end;
  }
}

bool tenon_pack_problem(tenon_arena *arena, const tenon_span *spans, size_t n,
                        tenon_packer *out) {
  memset(out, 0, sizeof *out);
  if (n > UINT32_MAX / 16) return false;
  builder b = {spans, out, arena, {{0}, NULL, 0, 0}, NULL, NULL, NULL};
  tenon_vec_init(&b.rects, arena->allocator);
  uint32_t *list = tenon_arena_array(arena, uint32_t, n + 1);
  b.spare = tenon_arena_array(arena, uint32_t, 2 * n + 1);
  b.members = tenon_arena_array(arena, uint32_t, 2 * n + 1);
  b.times = tenon_arena_array(arena, uint64_t, 2 * n + 1);
  out->items = tenon_arena_array(arena, tenon_pack_item, n + 1);
  out->item_of = tenon_arena_array(arena, uint32_t, n + 1);
  if (arena->failed) return false;
  for (size_t i = 0; i < n; ++i)
    list[i] = (uint32_t)i;
  tenon_pack_sort(list, b.spare, n, problem_by_group, spans);
  bool ok = true;
  for (size_t i = 0, k = 0; i < n && ok; i = k) {
    uint32_t group = spans[list[i]].group;
    for (k = i + 1; group && k < n && spans[list[k]].group == group;)
      ++k;
    ok = add_item(&b, &list[i], k - i);
  }
  out->n_rects = b.rects.count;
  out->rects = (tenon_pack_rect *)tenon_arena_copy(
      arena, b.rects.data ? (const void *)b.rects.data : "",
      b.rects.count * sizeof *out->rects, _Alignof(tenon_pack_rect));
  tenon_vec_deinit(&b.rects);
  out->order = tenon_arena_array(arena, uint32_t, out->n + 1);
  out->placed = tenon_arena_array(arena, uint32_t, out->n_rects + out->n + 1);
  out->bases = tenon_arena_array(arena, uint64_t, out->n + 1);
  out->best = tenon_arena_array(arena, uint64_t, out->n + 1);
  out->best_size = UINT64_MAX;
  if (!ok || arena->failed || !count_times(&b)) return false;
  finish_items(out);
  return true;
}

void tenon_pack_plain(const tenon_span *spans, size_t n, tenon_packer *p) {
  for (size_t i = 0; i < n; ++i) {
    const tenon_span *s = &spans[i];
    uint32_t k = (uint32_t)i;
    p->rects[i] = (tenon_pack_rect){s->size, 0, s->first, s->last, k, 0};
    p->items[i] = (tenon_pack_item){.base = s->offset,
                                    .align = align_of(s),
                                    .height = s->size,
                                    .most = s->size,
                                    .begin = k,
                                    .end = k + 1,
                                    .first = s->first,
                                    .last = s->last,
                                    .is_fixed = s->is_fixed};
    p->item_of[i] = k;
  }
  p->n = p->n_rects = n;
}

void tenon_pack_result(const tenon_packer *p, tenon_span *spans, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    tenon_span *s = &spans[i];
    uint32_t item = p->item_of[i];
    if (s->is_fixed) continue;
    s->offset = item == UINT32_MAX ? 0 : p->best[item];
    if (s->group) s->offset += s->inner;
  }
}
