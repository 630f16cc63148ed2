// rewrite_room.c - what a rewrite may know of the memory that values of its
// graph take, before anything is planned.
#include "ir/edit.h"
#include "ir/rewrite/rewriting.h"

// Whether `v` is of no use behind `n`.
static bool dies_at(const tenon_value *v, const tenon_node *n) {
  for (const tenon_use *u = v->uses; u; u = u->next)
    if (tenon_node_precedes(n, u->node)) return false;
  return true;
}

static const tenon_graph *graph_of(const tenon_value *v) {
  return v->kind == TENON_VALUE_RESULT ? v->node->graph : v->graph;
}

typedef struct sizes {
  uint64_t bytes;
  bool are_known;
} sizes;

static void add(sizes *s, const tenon_value *v) {
  size_t size = 0;
  if (tenon_type_size(&v->type, &size))
    s->bytes += size;
  else
    s->are_known = false;
}

// Adds what `n` reads, in its regions too, for the last time: each value by the
// first of its uses there.
static void add_dying(sizes *s, const tenon_node *n, const tenon_node *inner) {
  for (int i = 0; i < inner->n_in; ++i) {
    const tenon_value *v = inner->in[i].value;
    if (!v || v->kind == TENON_VALUE_CONSTANT || graph_of(v) != n->graph ||
        !dies_at(v, n))
      continue;
    const tenon_use *first = v->uses;
    while (tenon_node_within(n->graph, first->node) != n)
      first = first->next;
    if (first == &inner->in[i]) add(s, v);
  }
  for (int r = 0; r < inner->n_regions; ++r) {
    for (const tenon_node *at = inner->regions[r]->first; at; at = at->next)
      add_dying(s, n, at);
    add_dying(s, n, inner->regions[r]->end);
  }
}

uint64_t tenon_rewriting_room(tenon_rewriter *base) {
  const tenon_node *asking = ((tenon_rewriting *)base)->node;
  const tenon_graph *g = asking->graph;
  sizes live = {0, true};
  for (int i = 0; i < g->n_params; ++i)
    if (g->params[i]->n_uses) add(&live, g->params[i]);
  uint64_t most = live.bytes, here = 0;
  for (const tenon_node *n = g->first; n && live.are_known; n = n->next) {
    sizes dying = {0, true};
    for (int i = 0; i < n->n_out; ++i) {
      add(&live, n->out[i]);
      if (!n->out[i]->n_uses) add(&dying, n->out[i]);
    }
    if (live.bytes > most) most = live.bytes;
    if (n == asking) here = live.bytes;
    add_dying(&dying, n, n);
    live.bytes -= dying.bytes;
  }
  return live.are_known ? most - here : 0;
}
