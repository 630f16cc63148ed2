// How: for each loop, carried value by carried value. What the body returns may
// be computed straight into the carried memory if nobody reads the old value
// any more by then; else it is copied at the end of the body. These copies
// happen one after the other, so whatever may lie in carried memory itself
// (a parameter, a view, what was written in place) goes through a copy of its
// own first: two values that change places do not destroy each other. What
// changes its size is left beside the old value, and a session carries it over.
#include "plan/alias/loops.h"
#include "plan/plan.h"

#include "ir/build.h"
#include "ir/edit.h"
#include "ir/written.h"

typedef struct walk {
  const tenon_choice *choice;
  tenon_arena *scratch;
} walk;

tenon_value *tenon_plan_copy(tenon_graph *g, tenon_node *before, tenon_value *v,
                             tenon_loc loc) {
  return tenon_build_value(
      g, before, "core::copy", &v->type,
      (tenon_node_spec){.in = &v, .n_in = 1, .names = &v->name, .loc = loc});
}

// Makes its results in memory of their own.
static bool loops_is_plain(const tenon_node *n) {
  uint32_t a = 0, b = 0;
  return n->n_regions == 0 && !tenon_written_pair(n, 0, &a, &b) &&
         !tenon_op_is(n->op, "core::state_read") &&
         !(n->op->desc && n->op->desc->view);
}

// --- what goes in -----------------------------------------------------------

static tenon_status prepare_arguments(tenon_node *n) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    tenon_value *v = n->in[i].value;
    // What changes its size is taken from where it is (exec/carried.c).
    if (tenon_loop_grows(n, i)) continue;
    if (v->kind == TENON_VALUE_RESULT && v->node->graph == n->graph &&
        loops_is_plain(v->node) && v->n_uses == 1)
      continue;
    tenon_value *copy = tenon_plan_copy(n->graph, n, v, n->loc);
    if (!copy) return tenon_plan_no_memory(&n->graph->module->report);
    tenon_node_set_operand(n, i, copy);
  }
  return TENON_OK;
}

// --- what the body returns --------------------------------------------------

static bool works_in_place(const walk *w, const tenon_node *n, uint32_t in,
                           uint32_t out) {
  for (uint32_t i = 0; i < n->n_in; ++i)
    if (i != in && n->in[i].value == n->in[in].value) return false;
  if (in >= 8 || out >= 4) return false;
  const tenon_kernel *k = tenon_choose(w->choice, n, w->scratch, NULL);
  return k && (k->desc->in_place & TENON_IN_PLACE(out, in)) != 0;
}

// Whether `v`, made in `body`, may be put where `old` lies: whoever reads that
// memory, under any name, does so before, or is the node itself and works in
// place.
static bool is_read_before(const walk *w, const tenon_value *old,
                           const tenon_graph *body, const tenon_value *v) {
  for (const tenon_use *u = old->uses; u; u = u->next) {
    const tenon_node *reader = tenon_node_within(body, u->node);
    if (reader == v->node) {
      if (old->kind != TENON_VALUE_PARAM || u->node != reader ||
          !works_in_place(w, reader, u->index, v->index))
        return false;
      continue;
    }
    if (!reader || reader == body->end || !tenon_node_precedes(reader, v->node))
      return false;
    // What a region inside returns is copied out of here.
    if (!u->node->op || u->node->n_regions > 0 || loops_is_plain(u->node))
      continue;
    for (uint32_t i = 0; i < u->node->n_out; ++i) {
      if (u->node->graph != body ||
          !is_read_before(w, u->node->out[i], body, v))
        return false;
    }
  }
  return true;
}

// Its memory is that of nothing carried, now or when others have been put.
static bool loops_is_apart(const tenon_graph *body, const tenon_value *v) {
  if (v->kind == TENON_VALUE_CONSTANT) return true;
  if (v->kind == TENON_VALUE_PARAM) return v->graph != body;
  if (v->node->graph != body) return true;
  return v->node->n_regions > 0 || loops_is_plain(v->node);
}

static bool is_returned_once(const tenon_graph *body, const tenon_value *v) {
  uint32_t count = 0;
  for (const tenon_use *u = v->uses; u; u = u->next)
    if (u->node == body->end) ++count;
  return count == 1;
}

static bool can_be_put(const walk *w, const tenon_graph *body, uint32_t i) {
  const tenon_value *v = body->end->in[i].value;
  if (v == body->params[i]) return true;
  if (v->kind != TENON_VALUE_RESULT || v->node->graph != body) return false;
  if (!loops_is_plain(v->node) || !is_returned_once(body, v)) return false;
  return is_read_before(w, body->params[i], body, v);
}

static tenon_status prepare_body(const walk *w, tenon_node *n) {
  tenon_graph *body = n->regions[1];
  bool *is_put = tenon_arena_array(w->scratch, bool, n->n_in);
  if (!is_put) return tenon_plan_no_memory(&n->graph->module->report);
  tenon_graph_number(body);
  for (uint32_t i = 0; i < n->n_in; ++i)
    is_put[i] = !tenon_loop_grows(n, i) && can_be_put(w, body, i);
  // What may lie in carried memory is taken out of it ...
  for (uint32_t i = 0; i < n->n_in; ++i) {
    tenon_value *v = body->end->in[i].value;
    if (is_put[i] || loops_is_apart(body, v)) continue;
    tenon_value *copy = tenon_plan_copy(body, NULL, v, n->loc);
    if (!copy) return tenon_plan_no_memory(&n->graph->module->report);
    tenon_node_set_operand(body->end, i, copy);
  }
  // ... before anything is put there.
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (is_put[i] || tenon_loop_grows(n, i)) continue;
    tenon_value *v = body->end->in[i].value;
    tenon_value *copy = tenon_plan_copy(body, NULL, v, n->loc);
    if (!copy) return tenon_plan_no_memory(&n->graph->module->report);
    tenon_node_set_operand(body->end, i, copy);
  }
  return TENON_OK;
}

static tenon_status loops_visit(void *self, tenon_node *n) {
  const walk *w = (const walk *)self;
  if (!tenon_op_is(n->op, "core::while")) return TENON_OK;
  TENON_TRY(prepare_arguments(n));
  return prepare_body(w, n);
}

tenon_status tenon_plan_loops(tenon_graph *function,
                              const tenon_choice *choice) {
  tenon_arena scratch;
  tenon_arena_init(&scratch, function->module->cx->allocator);
  walk w = {choice, &scratch};
  tenon_status status = tenon_graph_visit(function, loops_visit, &w);
  tenon_arena_deinit(&scratch);
  return status;
}
