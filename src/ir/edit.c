// ir/edit.c - moving links; copying bodies.
//
// Replacing a value walks its uses once. A body is copied in order with a map
// from old values to new ones, so operands are found where they were defined
// before; what the map does not know stands around the body and stays.
#include "ir/edit.h"

#include "ir/graph_link.h"

void tenon_value_replace(tenon_value *from, tenon_value *to) {
  tenon_value_replace_if(from, to, NULL, NULL);
}

void tenon_value_replace_if(tenon_value *from, tenon_value *to,
                            bool (*choose)(void *self, const tenon_use *use),
                            void *self) {
  tenon_use *next = NULL;
  if (from == to) return;
  for (tenon_use *use = from->uses; use; use = next) {
    next = use->next;
    if (choose && !choose(self, use)) continue;
    tenon_use_unlink(use);
    tenon_use_link(use, to);
  }
}

void tenon_node_set_operand(tenon_node *n, uint32_t i, tenon_value *value) {
  tenon_use_unlink(&n->in[i]);
  tenon_use_link(&n->in[i], value);
}

static void set_depths(tenon_node *n) {
  for (uint32_t i = 0; i < n->n_regions; ++i) {
    n->regions[i]->depth = (uint16_t)(n->graph->depth + 1);
    for (tenon_node *in = n->regions[i]->first; in; in = in->next)
      set_depths(in);
  }
}

void tenon_node_move(tenon_node *n, tenon_node *before) {
  if (n == before) return;
  bool is_elsewhere = n->graph != before->graph;
  tenon_node_unlink(n);
  tenon_node_link(before->graph, n, before);
  if (is_elsewhere) set_depths(n);
}

void tenon_graph_number(tenon_graph *g) {
  uint32_t order = 0;
  for (tenon_node *n = g->first; n; n = n->next)
    n->order = ++order;
  g->end->order = UINT32_MAX;
  g->is_numbered = true;
}

const tenon_node *tenon_node_within(const tenon_graph *g, const tenon_node *n) {
  while (n && n->graph != g)
    n = n->graph->parent;
  return n;
}

bool tenon_node_precedes(const tenon_node *a, const tenon_node *b) {
  b = tenon_node_within(a->graph, b);
  if (!b || a == b) return false;
  tenon_graph *g = a->graph;
  if (!g->is_numbered) tenon_graph_number(g);
  if (b == g->end) return true;
  return a != g->end && a->order < b->order;
}

// ---------------------------------------------------------------------------
// Copying a body
// ---------------------------------------------------------------------------

typedef struct copier {
  tenon_module *m;
  tenon_map map;  // id of an old value to its new one
} copier;

static tenon_value *mapped(const copier *c, tenon_value *v) {
  const uint64_t *to = v ? tenon_map_find(&c->map, v->id) : NULL;
  return to ? (tenon_value *)(uintptr_t)*to : v;
}

static bool map_to(copier *c, const tenon_value *from, tenon_value *to) {
  return tenon_map_put(&c->map, from->id, (uint64_t)(uintptr_t)to, NULL) !=
         NULL;
}

static bool copy_region(copier *c, const tenon_graph *from, tenon_graph *to);

static bool copy_node(copier *c, const tenon_node *from, tenon_graph *into,
                      tenon_node *before) {
  tenon_node *n = tenon_node_alloc(into, from->n_in, from->n_out,
                                   from->n_regions, from->loc);
  if (!n) return false;
  n->op = from->op;
  n->args = from->args;
  n->attrs = from->attrs;
  n->in_group = from->in_group;
  n->out_group = from->out_group;
  n->n_in_groups = from->n_in_groups;
  n->n_out_groups = from->n_out_groups;
  n->is_functional = from->is_functional;
  n->decided = from->decided;
  n->n_decided = from->n_decided;
  n->opaque = from->opaque;
  n->opaque_size = from->opaque_size;
  for (uint32_t i = 0; i < n->n_in; ++i)
    tenon_use_link(&n->in[i], mapped(c, from->in[i].value));
  tenon_node_link(into, n, before);
  for (uint32_t i = 0; i < n->n_out; ++i) {
    n->out[i]->name = from->out[i]->name;
    n->out[i]->type = from->out[i]->type;
    n->out[i]->loc = from->out[i]->loc;
    if (!map_to(c, from->out[i], n->out[i])) return false;
  }
  for (uint32_t i = 0; i < n->n_regions; ++i) {
    n->regions[i] = tenon_graph_alloc(c->m, "", n, i, from->regions[i]->loc);
    if (!n->regions[i] || !copy_region(c, from->regions[i], n->regions[i]))
      return false;
  }
  return true;
}

static bool copy_body(copier *c, const tenon_graph *from, tenon_graph *into,
                      tenon_node *before) {
  for (const tenon_node *n = from->first; n; n = n->next) {
    if (!copy_node(c, n, into, before)) return false;
  }
  return true;
}

static bool copy_region(copier *c, const tenon_graph *from, tenon_graph *to) {
  size_t room = 1;  // a power of two, as build.c counts on
  while (room < from->n_params)
    room *= 2;
  to->params = tenon_arena_array(&c->m->arena, tenon_value *, room);
  if (!to->params) return false;
  for (uint32_t i = 0; i < from->n_params; ++i) {
    const tenon_value *old = from->params[i];
    tenon_value *v = tenon_value_alloc(c->m, TENON_VALUE_PARAM, "", old->loc);
    if (!v || !map_to(c, old, v)) return false;
    v->name = old->name;
    v->type = old->type;
    v->graph = to;
    v->index = i;
    to->params[i] = v;
  }
  to->n_params = from->n_params;
  if (!copy_body(c, from, to, NULL)) return false;
  to->end = tenon_node_alloc(to, from->end->n_in, 0, 0, from->end->loc);
  if (!to->end) return false;
  for (uint32_t i = 0; i < to->end->n_in; ++i)
    tenon_use_link(&to->end->in[i], mapped(c, from->end->in[i].value));
  return true;
}

uint32_t tenon_graph_height(const tenon_graph *g) {
  uint32_t height = 0;
  for (const tenon_node *n = g->first; n; n = n->next) {
    for (uint32_t i = 0; i < n->n_regions; ++i) {
      uint32_t below = 1 + tenon_graph_height(n->regions[i]);
      if (below > height) height = below;
    }
  }
  return height;
}

bool tenon_graph_inline(const tenon_graph *from, tenon_graph *into,
                        tenon_node *before, tenon_value *const *args,
                        tenon_value **results) {
  copier c;
  c.m = into->module;
  if (into->depth + tenon_graph_height(from) > TENON_MAX_NESTING) {
    (void)tenon_fail(&c.m->report, TENON_BAD_MODEL, "ir-limit",
                     tenon_locs_place(&c.m->locs, from->loc),
                     "a copy of '%s' would have too many regions around it",
                     from->name);
    return false;
  }
  tenon_map_init(&c.map, c.m->arena.allocator);
  bool done = true;
  for (uint32_t i = 0; done && i < from->n_params; ++i)
    done = map_to(&c, from->params[i], args[i]);
  done = done && copy_body(&c, from, into, before);
  for (uint32_t i = 0; done && i < from->end->n_in; ++i)
    results[i] = mapped(&c, from->end->in[i].value);
  tenon_map_deinit(&c.map);
  if (!done) (void)tenon_fail_memory(&c.m->report, "copying a body");
  return done;
}

tenon_graph *tenon_graph_copy(const tenon_graph *from) {
  copier c;
  c.m = from->module;
  tenon_graph *to =
      tenon_graph_alloc(c.m, from->name, NULL, from->index, from->loc);
  tenon_map_init(&c.map, c.m->arena.allocator);
  bool done = to && copy_region(&c, from, to);
  tenon_map_deinit(&c.map);
  if (!done) (void)tenon_fail_memory(&c.m->report, "copying a function");
  return done ? to : NULL;
}

void tenon_graph_drop(tenon_graph *copy) {
  tenon_graph_clear(copy);
}

tenon_numbering tenon_module_numbering(const tenon_module *m) {
  return (tenon_numbering){m->n_nodes, m->n_values, m->constants.count};
}

// Constants stay with the module.
void tenon_module_renumber(tenon_module *m, tenon_numbering from) {
  if (m->constants.count != from.constants) return;
  m->n_nodes = from.nodes;
  m->n_values = from.values;
}

void tenon_module_drop_constants(tenon_module *m) {
  size_t kept = 0;
  for (size_t i = 0; i < m->constants.count; ++i) {
    tenon_value *v = m->constants.data[i];
    if (!v->uses) continue;
    v->index = (uint32_t)kept;
    m->constants.data[kept++] = v;
  }
  m->constants.count = kept;
}
