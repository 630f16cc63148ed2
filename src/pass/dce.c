// How: each graph from its end; a node goes when no result has a use and it has
// no effect. Going backwards, the producers of what was dropped are met
// afterwards, so one walk is enough. Constants without uses are dropped from
// the module's list.
#include "ir/edit.h"
#include "pass/rewrites.h"

static bool has_effect(const tenon_node *n);

static bool graph_has_effect(const tenon_graph *g) {
  for (const tenon_node *n = g->first; n; n = n->next)
    if (has_effect(n)) return true;
  return false;
}

// Unknown operators and those that do not say they are pure are kept.
static bool has_effect(const tenon_node *n) {
  if (tenon_op_is(n->op, "core::state_read")) return false;
  if (tenon_op_is(n->op, "core::cond")) {
    for (uint32_t r = 0; r < n->n_regions; ++r)
      if (graph_has_effect(n->regions[r])) return true;
    return false;
  }
  return !tenon_op_is_pure(n->op);
}

static bool is_used(const tenon_node *n) {
  for (uint32_t i = 0; i < n->n_out; ++i)
    if (n->out[i]->uses) return true;
  return false;
}

static void walk(tenon_graph *g) {
  for (tenon_node *n = g->last; n;) {
    tenon_node *previous = n->previous;
    if (!is_used(n) && !has_effect(n)) {
      tenon_node_erase(n);
    } else {
      for (uint32_t r = n->n_regions; r-- > 0;)
        walk(n->regions[r]);
    }
    n = previous;
  }
}

tenon_status tenon_pass_dce(tenon_module *m, const tenon_pass_run *run) {
  (void)run;
  for (size_t i = 0; i < m->functions.count; ++i)
    walk(m->functions.data[i]);
  size_t kept = 0;
  for (size_t i = 0; i < m->constants.count; ++i) {
    tenon_value *v = m->constants.data[i];
    if (!v->uses) continue;
    v->index = (uint32_t)kept;
    m->constants.data[kept++] = v;
  }
  m->constants.count = kept;
  return TENON_OK;
}
