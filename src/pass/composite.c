// How: the region that has the operator is lowered where it stands. If all that
// it consists of afterwards is covered, it takes the place of the composite;
// else the other region does. A lowering that fails is no reason for the other
// way: then the operator stays, to be reported.
#include "ir/build.h"
#include "ir/edit.h"
#include "pass/rewrites.h"

typedef struct resolving {
  const tenon_choice *choice;
  bool (*skip)(void *self, const tenon_node *n);
  void *self;
  tenon_arena scratch;
  bool is_uncovered;
} resolving;

static tenon_status composite_look(void *self, tenon_node *n) {
  resolving *w = (resolving *)self;
  bool has_failed =
      w->choice->findings && tenon_findings_against(w->choice->findings, n);
  if (!has_failed && !tenon_choose_covers(w->choice, n, &w->scratch))
    w->is_uncovered = true;
  return TENON_OK;
}

static tenon_status composite_replace(resolving *w, tenon_node *n,
                                      const tenon_graph *by) {
  tenon_value **args = tenon_arena_array(&w->scratch, tenon_value *, n->n_in);
  tenon_value **results =
      tenon_arena_array(&w->scratch, tenon_value *, n->n_out);
  for (uint32_t i = 0; args && i < n->n_in; ++i)
    args[i] = n->in[i].value;
  if (!args || !results || !tenon_graph_inline(by, n->graph, n, args, results))
    return tenon_fail_memory(&n->graph->module->report, "taking a composite");
  for (uint32_t i = 0; i < n->n_out; ++i)
    tenon_value_replace(n->out[i], results[i]);
  tenon_node_erase(n);
  return TENON_OK;
}

static tenon_status composite_walk(resolving *w, tenon_graph *g);

static tenon_status composite_resolve(resolving *w, tenon_node *n) {
  tenon_graph *named = n->regions[0];
  TENON_TRY(composite_walk(w, named));
  TENON_TRY(
      tenon_rewrites_apply_to(named, "lower", w->choice, w->skip, w->self));
  w->is_uncovered = false;
  TENON_TRY(tenon_graph_visit(named, composite_look, w));
  return composite_replace(w, n, w->is_uncovered ? n->regions[1] : named);
}

// What takes the place of a composite is met next.
static tenon_status composite_walk(resolving *w, tenon_graph *g) {
  tenon_node *n = g->first;
  while (n) {
    tenon_node *before = n->previous, *next = n->next;
    if (tenon_op_is(n->op, "core::composite") && n->n_regions == 2) {
      TENON_TRY(composite_resolve(w, n));
      next = before ? before->next : g->first;
    } else {
      for (uint32_t r = 0; r < n->n_regions; ++r)
        TENON_TRY(composite_walk(w, n->regions[r]));
    }
    n = next;
  }
  return TENON_OK;
}

tenon_status tenon_composites_resolve(
    tenon_module *m, const tenon_choice *choice,
    bool (*skip)(void *self, const tenon_node *n), void *self) {
  resolving w = {.choice = choice, .skip = skip, .self = self};
  tenon_status status = TENON_OK;
  tenon_arena_init(&w.scratch, m->cx->allocator);
  for (size_t i = 0; status == TENON_OK && i < m->functions.count; ++i)
    status = composite_walk(&w, m->functions.data[i]);
  tenon_arena_deinit(&w.scratch);
  return status;
}
