// plan/pack_once.c - what heuristics made of spans, for those who ask again: a
// search measures a function before and behind each change, overlaps are tried
// and dropped, and the plan itself does the last of it once more.
#include <string.h>

#include "plan/work.h"

// Of those that were packed last; together with so many spans at most.
enum { MOST_PACKED = 64, MOST_SPANS = 1 << 15 };

typedef struct packed {
  tenon_span *spans;  // with their places
  size_t n;
  tenon_packing packing;
} packed;

struct tenon_packed {
  packed list[MOST_PACKED];
  size_t count, n_spans;
};

static bool is_same_span(const tenon_span *a, const tenon_span *b) {
  return a->size == b->size && a->align == b->align && a->first == b->first &&
         a->last == b->last && a->inner == b->inner && a->group == b->group &&
         a->is_fixed == b->is_fixed && (!a->is_fixed || a->offset == b->offset);
}

static bool is_same_problem(const packed *p, const tenon_span *spans,
                            size_t n) {
  size_t i = 0;
  while (p->n == n && i < n && is_same_span(&p->spans[i], &spans[i]))
    ++i;
  return p->n == n && i == n;
}

// Nothing is lost where there is no memory for it.
static void pack_note(tenon_module *m, const tenon_span *spans, size_t n,
                      const tenon_packing *packing) {
  struct tenon_packed *all = m->packed;
  if (!all) m->packed = all = tenon_arena_new(&m->arena, struct tenon_packed);
  if (!all || n == 0 || all->n_spans + n > MOST_SPANS) return;
  tenon_span *copy = (tenon_span *)tenon_arena_copy(
      &m->arena, spans, n * sizeof *spans, _Alignof(tenon_span));
  if (!copy) return;
  all->list[all->count++ % MOST_PACKED] = (packed){copy, n, *packing};
  all->n_spans += n;
}

bool tenon_plan_pack_quick(tenon_module *m, tenon_span *spans, size_t n,
                           const tenon_allocator *allocator,
                           tenon_packing *out) {
  const tenon_pack_options quick = {.struct_size = sizeof quick,
                                    .flags = TENON_PACK_QUICK};
  for (size_t k = 0; m->packed && k < m->packed->count && k < MOST_PACKED;
       ++k) {
    const packed *p = &m->packed->list[k];
    if (!is_same_problem(p, spans, n)) continue;
    memcpy(spans, p->spans, n * sizeof *spans);
    *out = p->packing;
    return true;
  }
  if (!tenon_pack_with(&quick, spans, n, allocator, out)) return false;
  pack_note(m, spans, n, out);
  return true;
}
