// How: whoever reads a constant of a cold memory reads a copy of it, which is
// made in front: an ordinary value, whose place in a memory that can be read is
// planned with all others and free again behind its reader. Readers with no
// step between them share one: that takes no more memory. What the executor and
// emitted C make of such a copy is a call of the application's hook. Where the
// memory says so, another hook begins it in front of the step before: then the
// buffer is taken from there on.
#include "ir/edit.h"
#include "plan/alias/loops.h"
#include "plan/banks/banks.h"

uint32_t tenon_banks_cold_of(const tenon_banks *b, const char *name) {
  uint32_t rule = tenon_banks_rule_of(b, name);
  return rule && b->list[b->rules[rule - 1].bank].is_cold ? rule : 0;
}

static bool cold_bank_is_cold(tenon_planner *w, const tenon_value *v) {
  size_t size = 0;
  if (!v || v->kind != TENON_VALUE_CONSTANT ||
      !tenon_type_size(&v->type, &size) || size == 0)
    return false;
  uint32_t rule = tenon_banks_cold_of(&w->banks, v->name ? v->name : "");
  if (rule) w->banks.rules[rule - 1].is_used = true;
  return rule != 0;
}

// Some kernels work only with what they have packed when this is compiled.
static tenon_status cold_bank_check_kernel(tenon_planner *w, tenon_node *n) {
  if (tenon_choose_is_structural(n->op) ||
      tenon_choose(w->choice, n, w->arena, NULL))
    return TENON_OK;
  return tenon_fail(w->report, TENON_UNSUPPORTED, "plan-memory-cold",
                    tenon_node_place(n),
                    "'%s': no kernel takes its constants as values that a run "
                    "copies out of a cold memory",
                    n->op->name);
}

static bool cold_bank_is_staging(tenon_planner *w, const tenon_node *n) {
  return tenon_op_is(n->op, "core::copy") &&
         cold_bank_is_cold(w, n->in[0].value);
}

// The copy of a constant that the step right in front of a node reads, if any.
static tenon_value *find_staged(tenon_planner *w, const tenon_node *n,
                                const tenon_value *v) {
  for (const tenon_node *m = n->previous; m; m = m->previous) {
    for (uint32_t i = 0; i < m->n_in; ++i) {
      tenon_value *u = m->in[i].value;
      if (u && u->kind == TENON_VALUE_RESULT && u->node->graph == n->graph &&
          cold_bank_is_staging(w, u->node) && u->node->in[0].value == v)
        return u;
    }
    bool is_view = m->op->desc && m->op->desc->view;
    if (!is_view && !cold_bank_is_staging(w, m)) return NULL;
  }
  return NULL;
}

// Whether a node copies out of a memory that is asked ahead.
static bool is_asked_ahead(const tenon_planner *w, const tenon_node *n) {
  const tenon_value *v = n->n_in == 1 ? n->in[0].value : NULL;
  size_t size = 0;
  if (!tenon_op_is(n->op, "core::copy") || !v ||
      v->kind != TENON_VALUE_CONSTANT || !tenon_type_size(&v->type, &size) ||
      size == 0)
    return false;
  uint32_t rule = tenon_banks_cold_of(&w->banks, v->name ? v->name : "");
  return rule && w->banks.list[w->banks.rules[rule - 1].bank].is_prefetch;
}

// What takes no step is passed by, and so are copies of the kind themselves.
static const tenon_node *step_before(const tenon_planner *w,
                                     const tenon_planned *e,
                                     const tenon_node *n) {
  do
    n = n->previous;
  while (n && (!tenon_plan_takes_step(e, n) || is_asked_ahead(w, n)));
  return n;
}

uint32_t tenon_banks_begin(const tenon_planner *w, tenon_planned *e,
                           const tenon_value *v, uint32_t first) {
  if (w->banks.n == 0 || v->kind != TENON_VALUE_RESULT ||
      !is_asked_ahead(w, v->node))
    return first;
  // Where the buffer held something else before, that is still read.
  const tenon_node *before = step_before(w, e, v->node);
  bool may = first == e->live.begin[v->node->id] && before &&
             !tenon_choose_is_structural(before->op);
  e->ahead[v->node->id] = may;
  return may ? e->live.begin[before->id] : first;
}

static tenon_status cold_bank_visit(void *self, tenon_node *n) {
  tenon_planner *w = (tenon_planner *)self;
  bool any = false;
  // What has been made here, and elsewhere where a branch or loop wants one.
  if (tenon_op_is(n->op, "core::copy")) {
    (void)cold_bank_is_cold(w, n->in[0].value);
    return TENON_OK;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    tenon_value *v = n->in[i].value;
    if (!cold_bank_is_cold(w, v)) continue;
    tenon_value *copy = find_staged(w, n, v);
    if (!copy) copy = tenon_plan_copy(n->graph, n, v, n->loc);
    if (!copy) return tenon_plan_no_memory(w->report);
    for (uint32_t k = i; k < n->n_in; ++k)
      if (n->in[k].value == v) tenon_node_set_operand(n, k, copy);
    any = true;
  }
  return any && n != n->graph->end ? cold_bank_check_kernel(w, n) : TENON_OK;
}

tenon_status tenon_banks_stage(tenon_planner *w, tenon_graph *g) {
  bool any = false;
  for (uint32_t i = 0; i < w->banks.n; ++i)
    any |= w->banks.list[i].is_cold;
  if (!any) return TENON_OK;
  TENON_TRY(tenon_graph_visit(g, cold_bank_visit, w));
  tenon_node *end = g->end;
  for (uint32_t i = 0; i < end->n_in; ++i) {
    tenon_value *v = end->in[i].value;
    if (!cold_bank_is_cold(w, v)) continue;
    tenon_value *copy = tenon_plan_copy(g, NULL, v, end->loc);
    if (!copy) return tenon_plan_no_memory(w->report);
    tenon_node_set_operand(end, i, copy);
  }
  return TENON_OK;
}
