// How: spans get the sizes that their numbers have at most, if every one has a
// bound and all of it together is not absurd: then no run ever packs again.
// Otherwise they get typical sizes, and a session packs anew when others come
// (exec/grow.c).
#include "bind/call.h"
#include "plan/banks/banks.h"
#include "plan/work.h"

// Bounds beyond this are those of a type, not of a use: who wrote "up to 2^31"
// did not mean to reserve it.
#define BOUND_MOST ((uint64_t)1 << 30)

// --- sizes ------------------------------------------------------------------

// What the program's numbers are at most, or typically.
static tenon_known *packing_know(tenon_planner *w) {
  struct tenon_program p = {0};
  p.numbers = w->numbers.data;
  p.n_numbers = (uint32_t)w->numbers.count;
  tenon_known *known =
      tenon_arena_array(w->arena, tenon_known, w->numbers.count + 1);
  if (!known) return NULL;
  tenon_numbers_clear(&p, known);
  for (uint32_t i = 1; !w->is_bounded && i < p.n_numbers; ++i)
    if (p.numbers[i].op == 0 && p.numbers[i].typical != TENON_UNKNOWN)
      known[i].min = known[i].max = p.numbers[i].typical;
  (void)tenon_numbers_evaluate(&p, known);
  return known;
}

// Bytes of scratch of an open step; false where its sizes are too large.
static tenon_status ask_scratch(tenon_planner *w, size_t i, uint64_t *size,
                                bool *fits) {
  const tenon_node *n = w->scratch_nodes.data[i];
  const tenon_planned *e = &w->entries[w->records.data[i].entry];
  const tenon_kernel_desc *desc = e->kernels[n->id]->desc;
  const int64_t *values = tenon_plan_values(w, e);
  *fits = true;
  for (uint32_t k = 0; k < n->n_in && *fits; ++k)
    for (int d = 0; n->in[k].value && d < n->in[k].value->type.rank; ++d)
      *fits &= tenon_sizing_value(values, n->in[k].value->type.dims[d]) !=
               TENON_UNKNOWN;
  for (uint32_t k = 0; k < n->n_out && *fits; ++k)
    for (int d = 0; d < n->out[k]->type.rank; ++d)
      *fits &=
          tenon_sizing_value(values, n->out[k]->type.dims[d]) != TENON_UNKNOWN;
  if (!*fits) return TENON_OK;
  tenon_call *call = tenon_bind_call_at(w->arena, n, values);
  *fits = call != NULL;
  if (w->arena->failed) return tenon_plan_no_memory(w->report);
  if (!call) return TENON_OK;
  call->user = desc->user;
  *size = desc->scratch(call, desc->items ? desc->items(call) : 1);
  return TENON_OK;
}

// *fits: every size is known and none is absurd.
static tenon_status packing_size_spans(tenon_planner *w, bool *fits) {
  tenon_known *known = packing_know(w);
  if (!known) return tenon_plan_no_memory(w->report);
  *fits = true;
  for (size_t i = 0; i < w->spans.count; ++i) {
    tenon_span_record *r = &w->records.data[i];
    int64_t most = tenon_known_of(known, r->bytes).max;
    uint64_t size = most > 0 ? (uint64_t)most : 0;
    bool fine = true;
    if (w->scratch_nodes.data[i]) TENON_TRY(ask_scratch(w, i, &size, &fine));
    // A number that is fixed may be as large as the machine takes.
    if (r->bytes.symbol != 0 || w->scratch_nodes.data[i])
      fine &= size <= BOUND_MOST;
    if (!fine) size = 0;
    *fits &= fine;
    r->size = w->spans.data[i].size = size;
  }
  return TENON_OK;
}

// --- places -----------------------------------------------------------------

static tenon_status packing_check(tenon_planner *w) {
  tenon_allocator allocator = w->report_allocator;
  size_t culprit[2] = {0, 0}, n = w->spans.count;
  bool is_right = tenon_pack_check(w->spans.data, n, &allocator, culprit);
  if (!is_right && culprit[0] >= n) return tenon_plan_no_memory(w->report);
  size_t other = culprit[1] < n ? culprit[1] : culprit[0];
  const tenon_span_record *a =
      &w->records.data[culprit[0] < n ? culprit[0] : 0];
  const tenon_span_record *b = &w->records.data[other < n ? other : 0];
  if (is_right) return TENON_OK;
  if (a->rule && b->rule)
    return tenon_fail(w->report, TENON_BAD_ARGUMENT, "plan-place", NULL,
                      "'%s' and '%s' cannot lie as they are placed: by '%s' "
                      "and '%s'",
                      a->name, b->name, w->program->rules[a->rule - 1],
                      w->program->rules[b->rule - 1]);
  return tenon_fail_bug(w->report, "the packer put '%s' and '%s' at one place",
                        a->name, b->name);
}

// A trial that is dropped if it needs more than so many bytes: the bytes alive
// at a time say so at once, often.
static bool packing_is_beyond(tenon_planner *w) {
  bool ok = false;
  tenon_allocator allocator = w->report_allocator;
  if (w->limit == 0) return false;
  uint64_t bound =
      tenon_pack_bound(w->spans.data, w->spans.count, &allocator, &ok);
  if (!ok || bound <= w->limit) return false;
  w->program->arena_size = w->program->arena_bound = bound;
  return true;
}

static tenon_status packing_place(tenon_planner *w) {
  struct tenon_program *p = w->program;
  tenon_allocator allocator = w->report_allocator;
  size_t n = w->spans.count;
  tenon_pack_options o = {.struct_size = sizeof o,
                          .effort = w->options->effort};
  tenon_packing packing;
  if (w->banks.n > 0) {
    bool ok = false;
    TENON_TRY(tenon_banks_match(w, &w->banks));
    TENON_TRY(tenon_banks_place(w, &w->banks));
    p->arena_bound = tenon_pack_bound(w->spans.data, n, &allocator, &ok);
    if (!ok) return tenon_plan_no_memory(w->report);
    p->arena_is_optimal = p->arena_bound == p->arena_size;
  } else if (packing_is_beyond(w)) {
    return TENON_OK;
  } else {
    const bool ok =
        w->options->is_quick
            ? tenon_plan_pack_quick(w->entries->entry->module, w->spans.data, n,
                                    &allocator, &packing)
            : tenon_pack_with(&o, w->spans.data, n, &allocator, &packing);
    if (!ok) return tenon_plan_no_memory(w->report);
    p->arena_size = packing.size;
    p->arena_bound = packing.bound;
    p->arena_is_optimal = packing.is_optimal;
  }
  TENON_TRY(packing_check(w));
  for (size_t i = 0; i < n; ++i)
    w->records.data[i].offset = w->spans.data[i].offset;
  return TENON_OK;
}

tenon_status tenon_plan_pack(tenon_planner *w) {
  bool fits = true;
  // Without numbers memory is fixed, whatever attributes a run finds out.
  const bool is_open = w->numbers.count > 0;
  w->is_bounded = true;
  TENON_TRY(packing_size_spans(w, &fits));
  if (fits) TENON_TRY(packing_place(w));
  w->is_bounded = fits && (!is_open || w->program->arena_size <= BOUND_MOST);
  if (w->is_bounded) return TENON_OK;
  TENON_TRY(packing_size_spans(w, &fits));
  if (w->banks.n > 0 && is_open)
    return tenon_fail(
        w->report, TENON_UNSUPPORTED, "plan-memory-open", NULL,
        "several memories are planned for sizes that are fixed or "
        "bounded; bound the open ones");
  return packing_place(w);
}
