// How: spans become items (pack_problem.c), heuristics place these
// (pack_greedy.c, pack_sweep.c, pack_skyline.c), and where they miss the bound
// the search goes on (pack_search.c). Everything lies in one arena, which goes
// at the end.
#include "program/pack/pack.h"

#include <string.h>

#include "program/pack/pack_order.h"

// Of the skyline, in every packing that needs it: less than a tenth of a
// second.
#define SKYLINE_EFFORT ((uint64_t)20000000)
// Orders look at every time of every life.
enum { MOST_ORDERED = 10000 };

uint64_t tenon_pack_bound(const tenon_span *spans, size_t n,
                          const tenon_allocator *allocator, bool *ok) {
  tenon_arena arena;
  tenon_packer p = {0};
  tenon_arena_init(&arena, *allocator);
  *ok = tenon_pack_problem(&arena, spans, n, &p);
  tenon_arena_deinit(&arena);
  return *ok ? p.bound : 0;
}

// Where the first heuristics have missed the bound.
static bool go_on(tenon_packer *p, tenon_arena *arena, uint64_t enough,
                  uint64_t effort, tenon_packing *out) {
  tenon_pack_orders orders;
  if (p->n > MOST_ORDERED) return true;
  return tenon_pack_orders_init(&orders, p, arena) &&
         tenon_pack_skyline(&orders, arena, SKYLINE_EFFORT + effort / 4) &&
         tenon_pack_search(&orders, arena, enough, effort, &out->steps,
                           &out->is_optimal);
}

bool tenon_pack_with(const tenon_pack_options *options, tenon_span *spans,
                     size_t n, const tenon_allocator *allocator,
                     tenon_packing *out) {
  tenon_arena arena;
  tenon_packer p = {0};
  uint64_t effort =
      options && options->effort ? options->effort : TENON_PACK_EFFORT;
  if (options && options->flags & TENON_PACK_QUICK) effort = 0;
  memset(out, 0, sizeof *out);
  tenon_arena_init(&arena, *allocator);
  bool ok =
      tenon_pack_problem(&arena, spans, n, &p) && tenon_pack_greedy(&p, &arena);
  if (ok && p.n == 0) p.best_size = 0;
  out->is_optimal = p.best_size <= p.bound;
  if (ok && !out->is_optimal)
    ok = go_on(&p, &arena, options ? options->capacity : 0, effort, out);
  if (ok) {
    tenon_pack_result(&p, spans, n);
    out->size = p.best_size;
    out->bound = p.bound;
  }
  tenon_arena_deinit(&arena);
  return ok;
}

bool tenon_pack(tenon_span *spans, size_t n, const tenon_allocator *allocator,
                uint64_t *size) {
  tenon_packing packing;
  *size = 0;
  if (!tenon_pack_with(NULL, spans, n, allocator, &packing)) return false;
  *size = packing.size;
  return true;
}

// --- in the middle of a run -------------------------------------------------

size_t tenon_pack_work(size_t n) {
  return n * (sizeof(tenon_pack_item) + sizeof(tenon_pack_rect) +
              2 * sizeof(uint64_t) + 3 * sizeof(uint32_t)) +
         sizeof(uint64_t);
}

void tenon_pack_again(tenon_span *spans, size_t n, void *work, uint64_t *size) {
  tenon_packer p = {0};
  *size = 0;
  if (n == 0) return;
  p.items = (tenon_pack_item *)work;
  p.rects = (tenon_pack_rect *)(void *)(p.items + n);
  p.bases = (uint64_t *)(void *)(p.rects + n);
  p.best = p.bases + n;
  p.order = (uint32_t *)(void *)(p.best + n);
  p.placed = p.order + n;
  p.item_of = p.placed + n;
  p.best_size = UINT64_MAX;
  tenon_pack_plain(spans, n, &p);
  tenon_pack_few(&p);
  tenon_pack_result(&p, spans, n);
  *size = p.best_size;
}

// --- what makes sense -------------------------------------------------------

#define MOST ((uint64_t)1 << 62)

static const char *judge(const tenon_span *s, uint64_t *sum) {
  if (s->align & (s->align - 1)) return "the alignment is no power of two";
  if (s->first > s->last) return "it ends before it begins";
  uint64_t parts[] = {s->size, s->align, s->group ? s->inner : 0,
                      s->is_fixed ? s->offset : 0};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (parts[i] >= MOST || MOST - parts[i] <= *sum)
      return "the sizes do not fit 62 bits";
    *sum += parts[i];
  }
  if (s->is_fixed && s->group && s->offset < s->inner)
    return "its group would begin below 0";
  if (s->is_fixed && s->size && s->align > 1 && s->offset % s->align)
    return "the place given is not aligned";
  return NULL;
}

static bool pack_by_group(const void *context, uint32_t a, uint32_t b) {
  const tenon_span *s = (const tenon_span *)context;
  return s[a].group < s[b].group;
}

// Places of a group are fixed alike, and one of them aligns all its spans.
static const char *judge_group(const tenon_span *spans, const uint32_t *list,
                               size_t n, size_t *culprit) {
  const tenon_span *fixed = NULL, *widest = &spans[list[0]];
  for (size_t i = 0; i < n; ++i) {
    const tenon_span *s = &spans[list[i]];
    *culprit = list[i];
    if (s->size && (s->align > widest->align || widest->size == 0)) widest = s;
    if (!s->is_fixed) continue;
    if (fixed && fixed->offset - fixed->inner != s->offset - s->inner)
      return "another span of its group is fixed elsewhere";
    fixed = s;
  }
  uint64_t base = fixed ? fixed->offset - fixed->inner : 0 - widest->inner;
  for (size_t i = 0; i < n; ++i) {
    const tenon_span *s = &spans[list[i]];
    *culprit = list[i];
    if (s->size && s->align > 1 && ((base + s->inner) & (s->align - 1)))
      return "no place of its group aligns it";
  }
  return NULL;
}

bool tenon_pack_valid(const tenon_span *spans, size_t n,
                      const tenon_allocator *allocator, size_t *culprit,
                      const char **why) {
  tenon_arena arena;
  uint64_t sum = 0;
  *why = NULL;
  for (*culprit = 0; *culprit < n; ++*culprit) {
    *why = judge(&spans[*culprit], &sum);
    if (*why) return false;
  }
  tenon_arena_init(&arena, *allocator);
  uint32_t *list = tenon_arena_array(&arena, uint32_t, n + 1);
  uint32_t *spare = tenon_arena_array(&arena, uint32_t, n + 1);
  bool ok = !arena.failed && n <= UINT32_MAX / 16;
  for (size_t i = 0; i < n && ok; ++i)
    list[i] = (uint32_t)i;
  if (ok) tenon_pack_sort(list, spare, n, pack_by_group, spans);
  for (size_t i = 0, k = 0; i < n && ok; i = k) {
    uint32_t group = spans[list[i]].group;
    for (k = i + 1; k < n && spans[list[k]].group == group;)
      ++k;
    if (group) *why = judge_group(spans, &list[i], k - i, culprit);
    ok = *why == NULL;
  }
  tenon_arena_deinit(&arena);
  return ok;
}
