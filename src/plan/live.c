// How: one walk numbers the nodes, a second visits all uses. Linear in nodes
// and uses, times the depth of loops.
#include "plan/live.h"

static uint32_t live_number(tenon_live *live, const tenon_graph *g,
                            uint32_t time) {
  for (const tenon_node *n = g->first; n; n = n->next) {
    live->begin[n->id] = ++time;
    for (uint32_t r = 0; r < n->n_regions; ++r)
      time = live_number(live, n->regions[r], time);
    live->end[n->id] = n->n_regions ? ++time : time;
    for (uint32_t i = 0; i < n->n_out; ++i)
      live->def[n->out[i]->id] = live->end[n->id];
  }
  ++time;  // the results of the graph are read
  live->begin[g->end->id] = live->end[g->end->id] = time;
  return time;
}

// The graph that a value belongs to; null for constants.
static const tenon_graph *home(const tenon_value *v) {
  if (v->kind == TENON_VALUE_RESULT) return v->node->graph;
  return v->kind == TENON_VALUE_PARAM ? v->graph : NULL;
}

uint32_t tenon_live_use_time(const tenon_live *live, const tenon_use *use) {
  uint32_t time = live->begin[use->node->id];
  const tenon_graph *stop = home(use->value);
  for (const tenon_graph *g = use->node->graph; g && g != stop;
       g = g->parent ? g->parent->graph : NULL)
    if (g->parent && tenon_op_is(g->parent->op, "core::while"))
      time = live->end[g->parent->id];
  return time;
}

static void visit_uses(tenon_live *live, const tenon_node *n) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    if (!v) continue;
    uint32_t time = tenon_live_use_time(live, &n->in[i]);
    if (time > live->last[v->id]) live->last[v->id] = time;
  }
}

bool tenon_live_outlasts(const tenon_node *n, uint32_t i) {
  bool has_strings = false;
  for (uint32_t k = 0; k < n->n_out; ++k)
    has_strings |= n->out[k]->type.dtype == TENON_STR;
  return has_strings && n->n_regions == 0 && n->out[i]->type.dtype == TENON_U8;
}

static void live_visit(tenon_live *live, const tenon_graph *g) {
  for (uint32_t i = 0; i < g->n_params; ++i) {
    uint32_t id = g->params[i]->id;
    live->def[id] = g->parent ? live->begin[g->parent->id] : live->first_time;
    if (live->last[id] < live->def[id]) live->last[id] = live->def[id];
  }
  for (const tenon_node *n = g->first; n; n = n->next) {
    visit_uses(live, n);
    for (uint32_t r = 0; r < n->n_regions; ++r)
      live_visit(live, n->regions[r]);
    for (uint32_t i = 0; i < n->n_out; ++i) {
      uint32_t id = n->out[i]->id;
      if (live->last[id] < live->def[id]) live->last[id] = live->def[id];
      if (tenon_live_outlasts(n, i)) live->last[id] = live->last_time;
    }
  }
  visit_uses(live, g->end);
}

bool tenon_live_compute(tenon_arena *arena, const tenon_graph *function,
                        uint32_t first_time, tenon_live *out) {
  const tenon_module *m = function->module;
  out->begin = tenon_arena_array(arena, uint32_t, m->n_nodes);
  out->end = tenon_arena_array(arena, uint32_t, m->n_nodes);
  out->def = tenon_arena_array(arena, uint32_t, m->n_values);
  out->last = tenon_arena_array(arena, uint32_t, m->n_values);
  if (!out->begin || !out->end || !out->def || !out->last) return false;
  out->first_time = first_time;
  out->last_time = live_number(out, function, first_time);
  live_visit(out, function);
  return true;
}
