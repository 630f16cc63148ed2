// ir/infer/control.c - types of cond, while, composite and call.
//
// These have no shape rule of their own, since a rule does not see
// regions: a branch's results, the carried values, or the results of the
// function that is called are the types.
#include "ir/graph_link.h"

static const tenon_type *type_or_null(const tenon_value *v) {
  return v && v->type.dtype != 0 ? &v->type : NULL;
}

static void types_of_results(const tenon_graph *g, const tenon_node *n,
                             const tenon_type **types) {
  for (uint32_t i = 0; i < n->n_out; ++i) {
    types[i] = NULL;
    if (i < g->end->n_in) types[i] = type_or_null(tenon_node_in(g->end, i));
  }
}

static const tenon_graph *callee_of(const tenon_node *n) {
  const tenon_module *m = n->graph->module;
  tenon_dim index = tenon_node_size(n, "function", 0);
  if (index.symbol != 0 || index.value < 0) return NULL;
  if ((uint64_t)index.value >= m->functions.count) return NULL;
  return m->functions.data[index.value];
}

bool tenon_control_types(const tenon_node *n, const tenon_type **types) {
  for (uint32_t i = 0; i < n->n_out; ++i)
    types[i] = NULL;
  if (tenon_op_is(n->op, "core::cond")) {
    if (n->n_regions > 0) types_of_results(n->regions[0], n, types);
  } else if (tenon_op_is(n->op, "core::while")) {
    for (uint32_t i = 0; i < n->n_out && i < n->n_in; ++i)
      types[i] = type_or_null(tenon_node_in(n, i));
  } else if (tenon_op_is(n->op, "core::composite")) {
    if (n->n_regions > 1) types_of_results(n->regions[1], n, types);
  } else if (tenon_op_is(n->op, "core::call")) {
    const tenon_graph *callee = callee_of(n);
    if (callee) types_of_results(callee, n, types);
  } else {
    return false;
  }
  return true;
}
