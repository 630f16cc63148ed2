// How: each entry is planned in a stretch of time of its own, so that entries
// share the arena; all buffers are packed together; then the tables of the
// program are filled (plan/resolve/resolve.c). Everything temporary lies in one
// arena that goes at the end; the program has its own.
#include "plan/plan.h"

#include "plan/alias/copies.h"
#include "plan/alias/overlap.h"
#include "plan/alias/parts.h"
#include "plan/banks/banks.h"
#include "plan/banks/ports.h"
#include "plan/reorder/reorder.h"
#include "plan/work.h"
#include "program/joined.h"

// --- choosing ---------------------------------------------------------------

// The next turn of a loop would write over bytes to which strings point.
static tenon_status choose_check_strings(const tenon_planner *w,
                                         const tenon_node *n) {
  bool makes_strings = false, is_in_loop = false;
  for (uint32_t i = 0; i < n->n_out; ++i)
    makes_strings |= tenon_live_outlasts(n, i);
  for (const tenon_graph *g = n->graph; makes_strings && g->parent;
       g = g->parent->graph)
    is_in_loop |= tenon_op_is(g->parent->op, "core::while");
  return is_in_loop
             ? tenon_fail(w->report, TENON_UNSUPPORTED, "plan-strings",
                          tenon_node_place(n),
                          "%s makes strings in a loop, whose bytes would have "
                          "to outlive the turn that made them; make them "
                          "before the loop or behind it",
                          tenon_node_name(n))
             : TENON_OK;
}

static tenon_status visit_choose(void *self, tenon_node *n) {
  tenon_planner *w = (tenon_planner *)self;
  if (tenon_choose_is_structural(n->op)) return TENON_OK;
  TENON_TRY(choose_check_strings(w, n));
  const tenon_kernel *k =
      tenon_choose(w->choice, n, w->arena, w->is_trial ? NULL : &w->why_node);
  if (!k) {
    tenon_buf text;
    tenon_buf_init(&text, w->report_allocator);
    tenon_choose_explain(w->choice, n, w->arena, &text);
    tenon_status status = tenon_fail(
        w->report, TENON_UNSUPPORTED, "plan-no-kernel", tenon_node_place(n),
        "%s: %s", tenon_node_name(n), text.data ? text.data : "no kernel");
    tenon_buf_deinit(&text);
    return status;
  }
  w->current->kernels[n->id] = k;
  tenon_program_raise_align(w->program, k->desc->align);
  if (w->is_trial) return TENON_OK;  // nobody asks why
  tenon_buf_format(&w->why, "%s %s: %s\n",
                   tenon_node_place(n)->where ? tenon_node_place(n)->where : "",
                   n->op->name, k->desc->symbol);
  tenon_text rest = tenon_text_of(w->why_node.data ? w->why_node.data : "");
  tenon_text line;
  while (tenon_text_next(&rest, '\n', &line))
    if (line.size > 0)
      tenon_buf_format(&w->why, "    not %.*s\n", (int)line.size, line.data);
  tenon_buf_clear(&w->why_node);
  return TENON_OK;
}

// Entries of one module share what is known of its symbols.
static bool find_sizing(tenon_planner *w, tenon_planned *e) {
  for (tenon_planned *f = w->entries; f < e; ++f)
    if (f->entry->module == e->entry->module) e->sizing = f->sizing;
  if (e->sizing) return true;
  e->sizing = tenon_arena_new(w->arena, tenon_sizing);
  return e->sizing && tenon_sizing_init(w->arena, e->entry->module, e->sizing);
}

tenon_status tenon_plan_spans(tenon_planner *w, tenon_planned *e,
                              tenon_program_ordering *ordering,
                              uint32_t *time) {
  tenon_graph *g = e->entry->point->graph;
  tenon_overlapping over;
  w->current = e;
  w->report = &g->module->report;
  if (!find_sizing(w, e)) return tenon_plan_no_memory(w->report);
  TENON_TRY(tenon_plan_copies(g, w->choice));
  TENON_TRY(tenon_banks_stage(w, g));
  e->kernels =
      tenon_arena_array(w->arena, const tenon_kernel *, g->module->n_nodes);
  e->ahead = tenon_arena_array(w->arena, bool, g->module->n_nodes);
  e->scratch_of = tenon_arena_array(w->arena, uint32_t, g->module->n_nodes);
  e->span_of = tenon_arena_array(w->arena, uint32_t, g->module->n_values);
  e->tensor_of = tenon_arena_array(w->arena, uint32_t, g->module->n_values);
  e->values = tenon_parts_values(w->arena, g);
  if (w->arena->failed) return tenon_plan_no_memory(w->report);
  TENON_TRY(tenon_graph_visit(g, visit_choose, w));
  TENON_TRY(tenon_ports_ask(w, e));
  if (!w->is_trial) TENON_TRY(tenon_plan_reorder(w, e, ordering));
  TENON_TRY(tenon_plan_overlap(w, e, &over));
  TENON_TRY(tenon_plan_list(w, e, *time + 1));
  ordering->n_over = e->aliases.n_over;
  ordering->plain = over.plain;
  if (ordering->over_bound == 0) ordering->over_bound = over.floor;
  if (!w->is_trial) tenon_ports_report(w, e);
  *time = e->live.last_time;
  return TENON_OK;
}

// --- the whole --------------------------------------------------------------

static void release_context(void *keep) {
  tenon_context_release((tenon_context *)keep);
}

static tenon_status plan_start(tenon_planner *w, tenon_context *cx) {
  tenon_arena arena;
  tenon_arena_init(&arena, cx->allocator);
  struct tenon_program *p = tenon_arena_new(&arena, struct tenon_program);
  if (!p) {
    tenon_arena_deinit(&arena);
    return tenon_plan_no_memory(&cx->report);
  }
  p->arena = arena;
  p->report = cx->report;
  tenon_context_retain(cx);
  p->keep = cx;
  p->release = release_context;
  p->arena_align = TENON_ARENA_ALIGN;
  w->program = p;
  return TENON_OK;
}

static tenon_status visit_open(void *self, tenon_node *n) {
  *(bool *)self |= tenon_node_is_open(n);
  return TENON_OK;
}

static bool plan_is_open(const tenon_plan_entry *e) {
  tenon_graph *g = e->point->graph;
  bool found = false;
  for (uint32_t i = 0; i < g->n_params; ++i)
    found |= !tenon_type_is_static(&g->params[i]->type);
  (void)tenon_graph_visit(g, visit_open, &found);
  return found;
}

tenon_status tenon_plan_open(tenon_planner *w, tenon_arena *scratch,
                             const tenon_plan_entry *entries, size_t n) {
  tenon_context *cx = entries[0].module->cx;
  TENON_TRY(plan_start(w, cx));
  tenon_arena_init(scratch, cx->allocator);
  w->arena = scratch;
  w->report = &cx->report;
  w->report_allocator = cx->allocator;
  w->n_entries = n;
  tenon_vec_init(&w->spans, cx->allocator);
  tenon_vec_init(&w->records, cx->allocator);
  tenon_vec_init(&w->scratch_nodes, cx->allocator);
  tenon_vec_init(&w->numbers, cx->allocator);
  tenon_buf_init(&w->why, cx->allocator);
  tenon_buf_init(&w->why_node, cx->allocator);
  w->entries = tenon_arena_array(scratch, tenon_planned, n);
  for (size_t i = 0; w->entries && i < n; ++i) {
    w->entries[i].entry = &entries[i];
    w->is_open |= plan_is_open(&entries[i]);
  }
  return TENON_OK;
}

void tenon_plan_close(tenon_planner *w) {
  tenon_buf_deinit(&w->why);
  tenon_buf_deinit(&w->why_node);
  tenon_vec_deinit(&w->spans);
  tenon_vec_deinit(&w->records);
  tenon_vec_deinit(&w->scratch_nodes);
  tenon_vec_deinit(&w->numbers);
  tenon_arena_deinit(w->arena);
}

static tenon_status plan_run(tenon_planner *w) {
  uint32_t time = 0;
  TENON_TRY(tenon_banks_read(w, &w->banks));
  TENON_TRY(tenon_ports_check(w));
  w->program->arena_align = tenon_target_align(w->choice->target);
  for (uint32_t i = 0; i < w->banks.n; ++i)
    tenon_program_raise_align(w->program, w->banks.list[i].align);
  tenon_program_ordering *orderings = tenon_arena_array(
      &w->program->arena, tenon_program_ordering, w->n_entries);
  if (!orderings) return tenon_plan_no_memory(w->report);
  w->program->orderings = orderings;
  for (size_t i = 0; i < w->n_entries; ++i)
    TENON_TRY(tenon_plan_spans(w, &w->entries[i], &orderings[i], &time));
  w->program->times = time + 1;
  TENON_TRY(tenon_plan_pack(w));
  TENON_TRY(tenon_plan_resolve(w));
  tenon_program_join(w->program);
  if (!tenon_program_name_shapes(w->program))
    return tenon_plan_no_memory(w->report);
  return w->banks.n > 0 ? tenon_banks_constants(w, &w->banks) : TENON_OK;
}

tenon_status tenon_plan_program(const tenon_plan_entry *entries, size_t n,
                                const tenon_choice *choice,
                                const tenon_plan_options *options,
                                struct tenon_program **out) {
  tenon_arena scratch;
  tenon_planner w = {0};
  *out = NULL;
  TENON_TRY(tenon_plan_open(&w, &scratch, entries, n));
  w.choice = choice;
  w.options = options;
  tenon_status status =
      w.entries ? plan_run(&w) : tenon_plan_no_memory((&w)->report);
  tenon_plan_close(&w);
  if (status != TENON_OK) {
    tenon_program_free(w.program);
    return status;
  }
  *out = w.program;
  return TENON_OK;
}
