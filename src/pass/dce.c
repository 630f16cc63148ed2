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

// Unknown operators and those that do not say they may go are kept.
static bool has_effect(const tenon_node *n) {
  if (tenon_op_is(n->op, "core::state_read")) return false;
  if (tenon_op_is(n->op, "core::cond") ||
      tenon_op_is(n->op, "core::composite")) {
    for (uint32_t r = 0; r < n->n_regions; ++r)
      if (graph_has_effect(n->regions[r])) return true;
    return false;
  }
  return !tenon_op_is_droppable(n->op);
}

static bool is_used(const tenon_node *n) {
  for (uint32_t i = 0; i < n->n_out; ++i)
    if (n->out[i]->uses) return true;
  return false;
}

// --- sizes ------------------------------------------------------------------

// Symbols that attributes and conditions are made of: who finds one of these
// out is needed, though nobody may use its results. (A size in a type comes
// along the values, or from an attribute.)
typedef struct used_symbols {
  const tenon_module *m;
  bool *is_used;  // null: nothing decides anything
} used_symbols;

static void dce_use_dim(const used_symbols *u, tenon_dim d) {
  u->is_used[d.symbol] = true;
}

static tenon_status use_attributes(void *self, tenon_node *n) {
  const used_symbols *u = (const used_symbols *)self;
  for (const tenon_arg *a = n->args; a && a->name; ++a) {
    if (a->kind != TENON_KIND_DIMS) continue;
    for (size_t i = 0; i < a->as.dims.count; ++i)
      dce_use_dim(u, a->as.dims.data[i]);
  }
  return TENON_OK;
}

static bool find_used(tenon_arena *arena, tenon_module *m, used_symbols *out) {
  *out = (used_symbols){m, NULL};
  if (m->symbols.count == 0) return true;
  out->is_used = tenon_arena_array(arena, bool, m->symbols.count);
  if (!out->is_used) return false;
  for (size_t i = 0; i < m->guards.count; ++i) {
    if (m->guards.data[i].is_derived) continue;
    dce_use_dim(out, m->guards.data[i].a);
    dce_use_dim(out, m->guards.data[i].b);
  }
  if (tenon_module_visit(m, use_attributes, out) != TENON_OK) return false;
  // Parts stand before what is made of them.
  for (uint32_t i = m->symbols.count; i-- > 1;) {
    const tenon_symbol *s = &m->symbols.data[i];
    if (!out->is_used[i] || s->op == 0) continue;
    dce_use_dim(out, s->a);
    dce_use_dim(out, s->b);
  }
  return true;
}

static bool decides(const used_symbols *u, const tenon_node *n) {
  for (uint32_t i = 0; u->is_used && i < n->n_decided; ++i)
    if (u->is_used[n->decided[i]]) return true;
  return false;
}

// --- the walk ---------------------------------------------------------------

static void dce_walk(const used_symbols *u, tenon_graph *g) {
  for (tenon_node *n = g->last; n;) {
    tenon_node *previous = n->previous;
    if (!is_used(n) && !has_effect(n) && !decides(u, n)) {
      tenon_node_erase(n);
    } else {
      for (uint32_t r = n->n_regions; r-- > 0;)
        dce_walk(u, n->regions[r]);
    }
    n = previous;
  }
}

tenon_status tenon_pass_dce(tenon_module *m, const tenon_pass_run *run) {
  (void)run;
  tenon_arena arena;
  used_symbols used;
  tenon_arena_init(&arena, m->cx->allocator);
  bool ok = find_used(&arena, m, &used);
  for (size_t i = 0; ok && i < m->functions.count; ++i)
    dce_walk(&used, m->functions.data[i]);
  tenon_arena_deinit(&arena);
  if (!ok) return tenon_fail_memory(&m->report, "removing unused nodes");
  tenon_module_drop_constants(m);
  return TENON_OK;
}
