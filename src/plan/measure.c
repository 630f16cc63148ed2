// How: as far as a plan is needed to know its size: spans, and heuristics that
// place them. Bytes alive are counted per step, to say where the peak is.

#include "plan/work.h"

typedef struct counter {
  tenon_planner *w;
  uint64_t macs;
  uint32_t steps;
} counter;

static tenon_status visit_count(void *self, tenon_node *n) {
  counter *c = (counter *)self;
  tenon_planner *w = c->w;
  if (tenon_choose_is_structural(n->op) || w->entries->aliases.is_view[n->id])
    return TENON_OK;
  ++c->steps;
  if (!n->op->desc || !n->op->desc->macs || tenon_node_is_open(n))
    return TENON_OK;
  tenon_arena_mark mark = tenon_arena_save(w->arena);
  tenon_call *call = tenon_bind_call_of(w->arena, n, UINT32_MAX);
  if (call) c->macs += (uint64_t)n->op->desc->macs(call);
  tenon_arena_restore(w->arena, mark);
  return call ? TENON_OK : tenon_plan_no_memory(w->report);
}

static tenon_status measure_measure(tenon_planner *w, const tenon_node *from,
                                    const tenon_node *to, tenon_measure *out) {
  tenon_planned *e = w->entries;
  uint32_t time = 0;
  tenon_program_ordering ordering = {0};
  TENON_TRY(tenon_plan_spans(w, e, &ordering, &time));
  TENON_TRY(tenon_plan_pack(w));
  tenon_graph *g = e->entry->point->graph;
  counter c = {w, 0, 0};
  TENON_TRY(tenon_graph_visit(g, visit_count, &c));
  uint64_t *live = tenon_arena_array(w->arena, uint64_t, (size_t)time + 2);
  if (!live) return tenon_plan_no_memory(w->report);
  tenon_plan_profile(w, 0, time, live);
  uint32_t peak = 0;
  for (uint32_t t = 0; t <= time; ++t)
    if (live[t] > live[peak]) peak = t;
  out->arena = w->program->arena_size;
  out->bound = w->program->arena_bound;
  out->macs = c.macs;
  out->steps = c.steps;
  for (const tenon_node *n = g->first; n; n = n->next)
    if (!out->peak || e->live.begin[n->id] <= peak) out->peak = n;
  for (const tenon_node *n = from; n; n = n == to ? NULL : n->next)
    for (uint32_t t = e->live.begin[n->id]; t <= e->live.end[n->id]; ++t)
      if (live[t] > out->within) out->within = live[t];
  return TENON_OK;
}

tenon_status tenon_plan_measure(tenon_graph *function,
                                const tenon_choice *choice,
                                const tenon_node *from, const tenon_node *to,
                                bool is_one_of_many, uint64_t limit,
                                tenon_measure *out) {
  static const tenon_plan_options quick = {.is_quick = true};
  tenon_entry_point point = {.name = function->name, .graph = function};
  tenon_plan_entry entry = {
      .name = function->name, .point = &point, .module = function->module};
  tenon_arena scratch;
  tenon_planner w = {0};
  *out = (tenon_measure){0};
  TENON_TRY(tenon_plan_open(&w, &scratch, &entry, 1));
  w.choice = choice;
  w.options = &quick;
  w.is_trial = true;
  w.is_one_of_many = is_one_of_many;
  w.limit = limit;
  tenon_status status = w.entries ? measure_measure(&w, from, to, out)
                                  : tenon_plan_no_memory(w.report);
  tenon_plan_close(&w);
  tenon_program_free(w.program);
  return status;
}
