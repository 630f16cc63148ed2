// How: walks over the function, each with lifetimes computed anew, since a copy
// moves times. What may be written where a state lies (plan/alias/in_state.c)
// is found before there is any copy. Branches come next (they replace
// parameters), then written arguments, then loops (plan/alias/loops.c), then
// states, which look through the pairs that are there now and find the copies
// of all.
#include "plan/alias/copies.h"

#include <string.h>

#include "ir/build.h"
#include "ir/edit.h"
#include "ir/written.h"
#include "plan/alias/in_state.h"
#include "plan/alias/loops.h"
#include "plan/alias/wanted.h"
#include "plan/plan.h"

// --- branches ---------------------------------------------------------------

// Whether a region may leave this value in the memory of the branch's result:
// made in this very region, and nowhere else a result.
static bool can_leave(const tenon_graph *region, const tenon_value *v,
                      uint32_t position) {
  uint32_t a = 0, b = 0;
  if (v->kind != TENON_VALUE_RESULT || v->node->graph != region) return false;
  if (v->node->n_regions > 0 || tenon_written_pair(v->node, 0, &a, &b))
    return false;
  if (tenon_op_is(v->node->op, "core::state_read")) return false;
  if (v->node->op->desc && v->node->op->desc->view) return false;
  for (uint32_t i = 0; i < region->end->n_in; ++i)
    if (i != position && region->end->in[i].value == v) return false;
  return true;
}

static tenon_status prepare_cond(tenon_node *n) {
  for (uint32_t r = 0; r < n->n_regions; ++r) {
    tenon_graph *g = n->regions[r];
    for (uint32_t i = 0; i < g->n_params; ++i)
      tenon_value_replace(g->params[i], n->in[i + 1].value);
    for (uint32_t i = 0; i < g->end->n_in; ++i) {
      tenon_value *v = g->end->in[i].value;
      if (can_leave(g, v, i)) continue;
      tenon_value *copy = tenon_plan_copy(g, NULL, v, n->loc);
      if (!copy) return tenon_plan_no_memory(&g->module->report);
      tenon_node_set_operand(g->end, i, copy);
    }
  }
  return TENON_OK;
}

static tenon_status visit_branch(void *self, tenon_node *n) {
  (void)self;
  if (tenon_op_is(n->op, "core::cond")) return prepare_cond(n);
  if (tenon_op_is(n->op, "core::call"))
    return tenon_fail(&n->graph->module->report, TENON_UNSUPPORTED,
                      "plan-control", tenon_node_place(n),
                      "'%s' cannot be planned: calls have to be inlined",
                      n->op->name);
  return TENON_OK;
}

// --- written arguments ------------------------------------------------------

static tenon_status visit_written(void *self, tenon_node *n) {
  tenon_copying *w = (tenon_copying *)self;
  uint32_t operand = 0, result = 0;
  for (uint32_t k = 0; tenon_written_pair(n, k, &operand, &result); ++k) {
    tenon_value *v = n->in[operand].value;
    if (!v || !tenon_wanted_after(w, v, n, operand)) continue;
    tenon_value *copy = tenon_plan_copy(n->graph, n, v, n->loc);
    if (!copy) return tenon_plan_no_memory(&(n->graph)->module->report);
    tenon_node_set_operand(n, operand, copy);
  }
  return TENON_OK;
}

// --- states -----------------------------------------------------------------

typedef struct late {
  const tenon_copying *w;
  uint32_t time;
  const tenon_node *but;
} late;

static bool copies_is_late(void *self, const tenon_use *use) {
  const late *l = (const late *)self;
  return use->node != l->but && tenon_wanted_time(l->w, use) > l->time;
}

// The next write of the same state behind `read`, in time.
typedef struct next_write {
  const tenon_copying *w;
  const tenon_node *read;
  tenon_node *found;
} next_write;

static tenon_status visit_next(void *self, tenon_node *n) {
  next_write *s = (next_write *)self;
  if (s->found || !tenon_op_is(n->op, "core::state_write")) return TENON_OK;
  if (s->w->live.begin[n->id] <= s->w->live.begin[s->read->id]) return TENON_OK;
  if (strcmp(tenon_state_name(n), tenon_state_name(s->read)) == 0) s->found = n;
  return TENON_OK;
}

// Readers of the old value that come after the state was written read a copy.
static tenon_status prepare_read(tenon_copying *w, tenon_node *n) {
  next_write s = {w, n, NULL};
  TENON_TRY(tenon_graph_visit(tenon_graph_function(n->graph), visit_next, &s));
  if (!s.found) return TENON_OK;
  late l = {w, w->live.begin[s.found->id], NULL};
  bool any = false;
  for (const tenon_use *u = n->out[0]->uses; u; u = u->next)
    if (copies_is_late(&l, u)) any = true;
  if (!any) return TENON_OK;
  tenon_value *copy = tenon_plan_copy(n->graph, n->next, n->out[0], n->loc);
  if (!copy) return tenon_plan_no_memory(&(n->graph)->module->report);
  l.but = copy->node;
  tenon_value_replace_if(n->out[0], copy, copies_is_late, &l);
  return TENON_OK;
}

// What is written is in the state's memory already, or is copied there.
static tenon_status prepare_write(tenon_node *n) {
  tenon_value *v = n->in[0].value;
  const tenon_node *read = tenon_written_state(v);
  if (read && v != read->out[0] &&
      strcmp(tenon_state_name(read), tenon_state_name(n)) == 0)
    return TENON_OK;
  // A copy made for this purpose, when the module is planned a second time. Any
  // other is made too early: the state still holds what somebody may read.
  if (v->kind == TENON_VALUE_RESULT && v->n_uses == 1 &&
      v->node == n->previous && tenon_op_is(v->node->op, "core::copy"))
    return TENON_OK;
  tenon_value *copy = tenon_plan_copy(n->graph, n, v, n->loc);
  if (!copy) return tenon_plan_no_memory(&(n->graph)->module->report);
  tenon_node_set_operand(n, 0, copy);
  return TENON_OK;
}

static tenon_status visit_state(void *self, tenon_node *n) {
  tenon_copying *w = (tenon_copying *)self;
  if (tenon_op_is(n->op, "core::state_read")) return prepare_read(w, n);
  if (tenon_op_is(n->op, "core::state_write")) return prepare_write(n);
  return TENON_OK;
}

static tenon_status copies_apply(tenon_graph *function, tenon_visit_fn *visit) {
  tenon_arena arena;
  tenon_arena_init(&arena, function->module->cx->allocator);
  tenon_copying w = {{0}, &arena, function->module->n_nodes};
  tenon_status status = tenon_live_compute(&arena, function, 0, &w.live)
                            ? tenon_graph_visit(function, visit, &w)
                            : tenon_plan_no_memory(&function->module->report);
  tenon_arena_deinit(&arena);
  return status;
}

tenon_status tenon_plan_copies(tenon_graph *function,
                               const tenon_choice *choice) {
  TENON_TRY(tenon_plan_in_state(function, choice));
  TENON_TRY(tenon_graph_visit(function, visit_branch, NULL));
  TENON_TRY(copies_apply(function, visit_written));
  TENON_TRY(tenon_plan_loops(function, choice));
  TENON_TRY(copies_apply(function, visit_state));
  return tenon_plan_state_views(function);
}
