// ir/verify/verify.c - one walk over everything, linear in the module.
//
// Three tables by id stand beside the walk: whether a value is defined and
// visible, whether a node was met, and how many operands refer to a value. The
// last is compared with the lists of uses when the walk is over, so a list that
// lacks an operand, or has one that is gone, shows up as a wrong number. When a
// region ends its values become invisible again.
#include "ir/verify/verify.h"

#include <stdio.h>
#include <string.h>

#include "ir/verify/verifier.h"

enum { UNKNOWN = 0, VISIBLE = 1, GONE = 2 };

// ---------------------------------------------------------------------------
// Definitions and uses
// ---------------------------------------------------------------------------

static tenon_status module_check_define(tenon_verifier *v,
                                        const tenon_value *value,
                                        tenon_value_kind kind, uint32_t index,
                                        const char *what) {
  const tenon_module *m = v->m;
  if (!value) return tenon_verify_fail(v, 2, 0, "%s is missing", what);
  if (value->id >= m->n_values)
    return tenon_verify_fail(v, 2, value->loc, "%s has an id out of range",
                             what);
  if (v->values[value->id] != UNKNOWN)
    return tenon_verify_fail(v, 2, value->loc, "%s is defined twice", what);
  if (value->kind != kind || value->index != index || value->has_failed)
    return tenon_verify_fail(v, 2, value->loc,
                             "%s does not say where it is defined", what);
  v->values[value->id] = VISIBLE;
  return tenon_verify_type(v, &value->type, value->loc, what);
}

// Whether a constant is one of the module's; others are told by the table.
static bool is_visible(const tenon_verifier *v, const tenon_value *value) {
  return value->id < v->m->n_values && v->values[value->id] == VISIBLE;
}

static tenon_status module_check_operands(tenon_verifier *v,
                                          const tenon_node *n) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_use *use = &n->in[i];
    if (use->node != n || use->index != i)
      return tenon_verify_fail(v, 3, n->loc,
                               "operand %u of '%s' does not know its node",
                               (unsigned)i, tenon_node_name(n));
    if (!use->value) continue;
    if (!is_visible(v, use->value))
      return tenon_verify_fail(v, 4, n->loc,
                               "operand %u of '%s' is not defined before it",
                               (unsigned)i, tenon_node_name(n));
    ++v->uses[use->value->id];
  }
  return TENON_OK;
}

// The list of uses of a value against the operands that were met.
static tenon_status check_uses(const tenon_verifier *v,
                               const tenon_value *value) {
  uint32_t count = 0;
  const tenon_use *previous = NULL;
  for (const tenon_use *u = value->uses; u; previous = u, u = u->next) {
    if (u->value != value || u->previous != previous || u->node->is_erased ||
        ++count > value->n_uses)
      return tenon_verify_fail(v, 3, value->loc,
                               "the list of uses of '%%%s' is broken",
                               value->name);
  }
  if (count == value->n_uses && count == v->uses[value->id]) return TENON_OK;
  return tenon_verify_fail(
      v, 3, value->loc, "'%%%s' lists %u uses, counts %u, has %u", value->name,
      (unsigned)count, (unsigned)value->n_uses, (unsigned)v->uses[value->id]);
}

// ---------------------------------------------------------------------------
// Graphs
// ---------------------------------------------------------------------------

static tenon_status check_graph(tenon_verifier *v, const tenon_graph *g);

static tenon_status check_links(tenon_verifier *v, const tenon_graph *g,
                                const tenon_node *n,
                                const tenon_node *previous) {
  const char *name = tenon_node_name(n);
  if (n->id >= v->m->n_nodes || v->nodes[n->id] != 0)
    return tenon_verify_fail(v, 2, n->loc, "the id of '%s' is not its own",
                             name);
  v->nodes[n->id] = 1;
  if (n->graph != g || n->previous != previous || n->is_erased ||
      (!n->next && g->last != n))
    return tenon_verify_fail(v, 1, n->loc, "'%s' is not linked into its graph",
                             name);
  if (g->is_numbered && previous && previous->order >= n->order)
    return tenon_verify_fail(v, 1, n->loc, "'%s' is numbered out of order",
                             name);
  return TENON_OK;
}

static tenon_status check_regions(tenon_verifier *v, const tenon_node *n) {
  for (uint32_t i = 0; i < n->n_regions; ++i) {
    const tenon_graph *r = n->regions[i];
    if (!r || r->parent != n || r->index != i || r->module != v->m)
      return tenon_verify_fail(v, 1, n->loc,
                               "region %u of '%s' does not know its node",
                               (unsigned)i, tenon_node_name(n));
    if (n->graph->depth >= TENON_MAX_NESTING)
      return tenon_verify_fail(v, 14, n->loc,
                               "more than %d regions in each other",
                               TENON_MAX_NESTING);
    if (r->depth != n->graph->depth + 1)
      return tenon_verify_fail(v, 14, n->loc,
                               "region %u of '%s' has a wrong depth",
                               (unsigned)i, tenon_node_name(n));
    TENON_TRY(check_graph(v, r));
  }
  return TENON_OK;
}

static tenon_status module_check_node(tenon_verifier *v, const tenon_node *n) {
  char what[96];
  TENON_TRY(module_check_operands(v, n));
  TENON_TRY(tenon_verify_operator(v, n));
  TENON_TRY(check_regions(v, n));
  for (uint32_t i = 0; i < n->n_out; ++i) {
    snprintf(what, sizeof what, "result %u of '%.60s'", (unsigned)i,
             tenon_node_name(n));
    TENON_TRY(module_check_define(v, n->out[i], TENON_VALUE_RESULT, i, what));
    if (n->out[i]->node != n)
      return tenon_verify_fail(v, 2, n->loc, "%s does not know its node", what);
  }
  return tenon_verify_control(v, n);
}

static tenon_status check_params(tenon_verifier *v, const tenon_graph *g) {
  char what[96];
  for (uint32_t i = 0; i < g->n_params; ++i) {
    snprintf(what, sizeof what, "parameter %u of '%.60s'", (unsigned)i,
             g->name);
    TENON_TRY(module_check_define(v, g->params[i], TENON_VALUE_PARAM, i, what));
    if (g->params[i]->graph != g)
      return tenon_verify_fail(v, 2, g->loc, "%s does not know its graph",
                               what);
  }
  return TENON_OK;
}

// What is defined in a graph ends with it.
static void leave_graph(tenon_verifier *v, const tenon_graph *g) {
  for (uint32_t i = 0; i < g->n_params; ++i)
    v->values[g->params[i]->id] = GONE;
  for (const tenon_node *n = g->first; n; n = n->next) {
    for (uint32_t i = 0; i < n->n_out; ++i)
      v->values[n->out[i]->id] = GONE;
  }
}

static tenon_status check_graph(tenon_verifier *v, const tenon_graph *g) {
  const tenon_node *previous = NULL;
  TENON_TRY(check_params(v, g));
  for (const tenon_node *n = g->first; n; previous = n, n = n->next) {
    TENON_TRY(check_links(v, g, n, previous));
    TENON_TRY(module_check_node(v, n));
  }
  if (g->last != previous || !g->end || g->end->graph != g || g->end->op)
    return tenon_verify_fail(v, 1, g->loc, "the end of '%s' is not linked",
                             g->name);
  for (uint32_t i = 0; i < g->end->n_in; ++i) {
    if (!g->end->in[i].value)
      return tenon_verify_fail(v, 9, g->end->loc, "result %u of '%s' is absent",
                               (unsigned)i, g->name);
  }
  TENON_TRY(module_check_operands(v, g->end));
  leave_graph(v, g);
  return TENON_OK;
}

// When all operands have been met.
static tenon_status check_lists(const tenon_verifier *v, const tenon_graph *g) {
  for (uint32_t i = 0; i < g->n_params; ++i)
    TENON_TRY(check_uses(v, g->params[i]));
  for (const tenon_node *n = g->first; n; n = n->next) {
    for (uint32_t i = 0; i < n->n_out; ++i)
      TENON_TRY(check_uses(v, n->out[i]));
    for (uint32_t i = 0; i < n->n_regions; ++i)
      TENON_TRY(check_lists(v, n->regions[i]));
  }
  return TENON_OK;
}

static tenon_status check_functions(tenon_verifier *v) {
  for (size_t i = 0; i < v->m->functions.count; ++i) {
    const tenon_graph *g = v->m->functions.data[i];
    if (!g || g->parent || g->index != i || g->module != v->m || g->depth != 0)
      return tenon_verify_fail(v, 1, g ? g->loc : 0,
                               "function %zu does not know its place", i);
    if (!g->end)
      return tenon_verify_fail(v, 1, g->loc, "function '%s' has no end",
                               g->name);
  }
  for (size_t i = 0; i < v->m->functions.count; ++i)
    TENON_TRY(check_graph(v, v->m->functions.data[i]));
  return TENON_OK;
}

static tenon_status check_module(tenon_verifier *v) {
  const tenon_module *m = v->m;
  TENON_TRY(tenon_verify_symbols(v));
  TENON_TRY(tenon_verify_states(v));
  for (size_t i = 0; i < m->constants.count; ++i) {
    const tenon_value *c = m->constants.data[i];
    TENON_TRY(module_check_define(v, c, TENON_VALUE_CONSTANT, (uint32_t)i,
                                  "a constant"));
    TENON_TRY(tenon_verify_constant(v, c));
  }
  TENON_TRY(check_functions(v));
  for (size_t i = 0; i < m->constants.count; ++i)
    TENON_TRY(check_uses(v, m->constants.data[i]));
  for (size_t i = 0; i < m->functions.count; ++i)
    TENON_TRY(check_lists(v, m->functions.data[i]));
  TENON_TRY(tenon_verify_calls(v));
  return tenon_verify_entries(v);
}

tenon_status tenon_verify_module(const tenon_module *m, const char *stage) {
  tenon_verifier v;
  tenon_arena arena;
  memset(&v, 0, sizeof v);
  v.m = m;
  v.stage = stage;
  tenon_arena_init(&arena, m->arena.allocator);
  tenon_vec_init(&v.calls, m->arena.allocator);
  v.values = tenon_arena_array(&arena, uint8_t, m->n_values);
  v.nodes = tenon_arena_array(&arena, uint8_t, m->n_nodes);
  v.uses = tenon_arena_array(&arena, uint32_t, m->n_values);
  tenon_status status =
      arena.failed ? tenon_fail_memory(&m->report, "verifying a module")
                   : check_module(&v);
  tenon_vec_deinit(&v.calls);
  tenon_arena_deinit(&arena);
  return status;
}
