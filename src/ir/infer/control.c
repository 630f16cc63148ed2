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

static bool is_part(const tenon_symbols *all, tenon_dim d, uint32_t leaf) {
  const tenon_symbol *s = tenon_symbols_look(all, d.symbol);
  if (!s || d.symbol == leaf) return s != NULL;
  return s->op != 0 && (is_part(all, s->a, leaf) || is_part(all, s->b, leaf));
}

static bool is_of_input(const tenon_node *n, uint32_t leaf) {
  const tenon_graph *g = n->graph;
  while (g->parent)
    g = g->parent->graph;
  for (uint32_t i = 0; i < g->n_params; ++i)
    for (int d = 0; d < g->params[i]->type.rank; ++d)
      if (is_part(&g->module->symbols, g->params[i]->type.dims[d], leaf))
        return true;
  return false;
}

uint32_t tenon_loop_found(const tenon_node *n, uint32_t i, int d) {
  const tenon_graph *g = n->n_regions == 2 ? n->regions[0] : NULL;
  const tenon_value *v = g && i < n->n_in ? tenon_node_in(n, i) : NULL;
  if (!v || i >= g->n_params || !tenon_op_is(n->op, "core::while")) return 0;
  const tenon_type *t = &g->params[i]->type;
  if (t->rank != v->type.rank || d >= t->rank) return 0;
  const uint32_t leaf = t->dims[d].symbol;
  const tenon_symbol *s = tenon_symbols_look(&g->module->symbols, leaf);
  return s && s->op == 0 && s->kind == 0 &&
                 !tenon_dim_equals(t->dims[d], v->type.dims[d]) &&
                 !is_of_input(n, leaf)
             ? leaf
             : 0;
}

// What goes round has the sizes that it came with, or those of the parameter.
static const tenon_type *carried_type(const tenon_node *n, uint32_t i) {
  const tenon_value *v = tenon_node_in(n, i);
  for (int d = 0; v && d < v->type.rank; ++d)
    if (tenon_loop_found(n, i, d))
      return type_or_null(n->regions[0]->params[i]);
  return type_or_null(v);
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
      types[i] = carried_type(n, i);
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
