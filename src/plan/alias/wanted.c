// How: uses, and those of views, one after the other.
#include "plan/alias/wanted.h"

uint32_t tenon_wanted_time(const tenon_copying *w, const tenon_use *use) {
  tenon_use at = *use;
  while (at.node->id >= w->n_nodes)
    at.node = at.node->next ? at.node->next : at.node->graph->end;
  return tenon_live_use_time(&w->live, &at);
}

static bool is_window(const tenon_node *n) {
  return n->n_out == 1 && n->n_in > 0 && n->op && n->op->desc &&
         n->op->desc->view;
}

bool tenon_wanted_at(const tenon_copying *w, const tenon_value *v,
                     const tenon_node *path, uint32_t time) {
  for (const tenon_use *u = v->uses; u; u = u->next) {
    if (u->node == path) continue;
    if (tenon_wanted_time(w, u) >= time) return true;
    if (u->index == 0 && is_window(u->node) &&
        tenon_wanted_at(w, u->node->out[0], NULL, time))
      return true;
  }
  return false;
}

bool tenon_wanted_after(const tenon_copying *w, const tenon_value *v,
                        const tenon_node *n, uint32_t operand) {
  const uint32_t time = w->live.begin[n->id];
  if (v->kind == TENON_VALUE_CONSTANT) return true;
  // In a loop that the value is not of, the node itself wants it again.
  if (tenon_live_use_time(&w->live, &n->in[operand]) != time) return true;
  for (const tenon_use *u = v->uses; u; u = u->next)
    if (u->node == n && u->index != operand) return true;
  if (tenon_wanted_at(w, v, n, time)) return true;
  while (v->kind == TENON_VALUE_RESULT && is_window(v->node)) {
    const tenon_node *view = v->node;
    v = view->in[0].value;
    if (!v || v->kind == TENON_VALUE_CONSTANT) return false;
    // In a loop that the viewed value is not of, the view is made again.
    if (tenon_wanted_time(w, &view->in[0]) != w->live.begin[view->id])
      return true;
    if (tenon_wanted_at(w, v, view, time)) return true;
  }
  return false;
}
