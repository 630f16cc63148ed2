// ir/graph_link.c - lists in which everything that is linked knows its
// neighbours.
//
// Uses of a value are a doubly linked list threaded through the operands, so
// that setting an operand costs a constant. Arrays of a node are allocated with
// it and keep their size for ever.
#include "ir/graph_link.h"

#include <stdio.h>

#include "ir/edit.h"

tenon_graph *tenon_graph_alloc(tenon_module *m, const char *name,
                               tenon_node *parent, uint32_t index,
                               tenon_loc loc) {
  tenon_graph *g = tenon_arena_new(&m->arena, tenon_graph);
  const char *copy = tenon_arena_string(&m->arena, name ? name : "");
  if (!g || !copy) return NULL;
  g->name = copy;
  g->module = m;
  g->parent = parent;
  g->index = index;
  g->loc = loc;
  g->is_numbered = true;
  g->depth = parent ? (uint16_t)(parent->graph->depth + 1) : 0;
  g->end = tenon_node_alloc(g, 0, 0, 0, loc);
  return g->end ? g : NULL;
}

tenon_value *tenon_value_alloc(tenon_module *m, tenon_value_kind kind,
                               const char *name, tenon_loc loc) {
  tenon_value *v = tenon_arena_new(&m->arena, tenon_value);
  const char *copy = name && name[0] ? tenon_arena_string(&m->arena, name) : "";
  if (!v || !copy) return NULL;
  v->kind = (uint8_t)kind;
  v->id = m->n_values++;
  v->name = copy;
  v->loc = loc;
  return v;
}

tenon_node *tenon_node_alloc(tenon_graph *g, uint32_t n_in, uint32_t n_out,
                             uint32_t n_regions, tenon_loc loc) {
  tenon_module *m = g->module;
  tenon_node *n = tenon_arena_new(&m->arena, tenon_node);
  tenon_use *in = tenon_arena_array(&m->arena, tenon_use, n_in);
  tenon_value **out = tenon_arena_array(&m->arena, tenon_value *, n_out);
  tenon_graph **regions =
      tenon_arena_array(&m->arena, tenon_graph *, n_regions);
  if (!n || !in || !out || !regions) return NULL;
  n->graph = g;
  n->in = in;
  n->out = out;
  n->regions = regions;
  n->n_in = n->n_in_groups = (uint16_t)n_in;
  n->n_out = n->n_out_groups = (uint16_t)n_out;
  n->n_regions = (uint16_t)n_regions;
  n->loc = loc;
  n->id = m->n_nodes++;
  for (uint32_t i = 0; i < n_in; ++i) {
    in[i].node = n;
    in[i].index = i;
  }
  for (uint32_t i = 0; i < n_out; ++i) {
    out[i] = tenon_value_alloc(m, TENON_VALUE_RESULT, "", loc);
    if (!out[i]) return NULL;
    out[i]->node = n;
    out[i]->index = i;
  }
  return n;
}

void tenon_use_link(tenon_use *use, tenon_value *value) {
  use->value = value;
  use->previous = NULL;
  use->next = NULL;
  if (!value) return;
  use->next = value->uses;
  if (value->uses) value->uses->previous = use;
  value->uses = use;
  ++value->n_uses;
}

void tenon_use_unlink(tenon_use *use) {
  tenon_value *value = use->value;
  if (!value) return;
  if (use->previous) {
    use->previous->next = use->next;
  } else {
    value->uses = use->next;
  }
  if (use->next) use->next->previous = use->previous;
  --value->n_uses;
  use->value = NULL;
  use->next = use->previous = NULL;
}

void tenon_node_link(tenon_graph *g, tenon_node *n, tenon_node *before) {
  if (before == g->end) before = NULL;
  tenon_node *previous = before ? before->previous : g->last;
  n->graph = g;
  n->next = before;
  n->previous = previous;
  if (previous) {
    previous->next = n;
  } else {
    g->first = n;
  }
  if (before) {
    before->previous = n;
    g->is_numbered = false;
  } else {
    g->last = n;
    n->order = previous ? previous->order + 1 : 1;
    if (n->order == 0) g->is_numbered = false;
  }
}

void tenon_node_unlink(tenon_node *n) {
  tenon_graph *g = n->graph;
  if (n->previous) {
    n->previous->next = n->next;
  } else {
    g->first = n->next;
  }
  if (n->next) {
    n->next->previous = n->previous;
  } else {
    g->last = n->previous;
  }
}

// Drops what the node and its regions use. The links to its neighbours stay, so
// that a walk that stands on it can go on.
static void drop_node(tenon_node *n) {
  for (uint32_t i = 0; i < n->n_in; ++i)
    tenon_use_unlink(&n->in[i]);
  for (uint32_t i = 0; i < n->n_regions; ++i) {
    if (n->regions[i]) tenon_graph_clear(n->regions[i]);
  }
  n->is_erased = true;
}

void tenon_graph_clear(tenon_graph *g) {
  for (uint32_t i = 0; i < g->end->n_in; ++i)
    tenon_use_unlink(&g->end->in[i]);
  for (tenon_node *n = g->last; n; n = n->previous)
    drop_node(n);
  g->first = g->last = NULL;
}

void tenon_node_erase(tenon_node *n) {
  tenon_node_unlink(n);
  drop_node(n);
}

tenon_graph *tenon_value_graph(const tenon_value *v) {
  if (v->kind == TENON_VALUE_RESULT) return v->node->graph;
  return v->kind == TENON_VALUE_PARAM ? v->graph : NULL;
}

bool tenon_value_is_visible(const tenon_value *v, const tenon_graph *g) {
  const tenon_graph *home = tenon_value_graph(v);
  if (!home) return v->kind == TENON_VALUE_CONSTANT;
  if (v->kind == TENON_VALUE_RESULT && v->node->is_erased) return false;
  while (g && g != home)
    g = g->parent ? g->parent->graph : NULL;
  return g != NULL;
}

const char *tenon_op_title(const tenon_op *op, tenon_title *out) {
  const char *name = op ? op->name : "return";
  if (op && op->owner) {
    snprintf(out->text, sizeof out->text, "'%s' of plugin '%s'", name,
             op->owner->name);
  } else {
    snprintf(out->text, sizeof out->text, "'%s'", name);
  }
  return out->text;
}
