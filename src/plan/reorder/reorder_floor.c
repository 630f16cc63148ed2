// How: while a node runs, what it reads is there, and what it makes unless it
// may be made in place of that; so is its scratch. In the beginning all inputs
// are there, in the end all outputs. None of it depends on the order, and what
// needs most needs it in every one.
#include <stdlib.h>

#include "bind/call.h"
#include "plan/reorder/reordering.h"

typedef struct range {
  const tenon_class *memory;
  uint64_t begin, end;
} range;

typedef struct floor_walk {
  tenon_reorder *r;
  range *ranges;
  uint32_t n, room;
  uint64_t most;
} floor_walk;

// What another order may let lie within something else is not counted.
static bool may_lie_within(const tenon_reorder *r, const tenon_value *v) {
  if (v->kind == TENON_VALUE_RESULT && v->node->op->desc &&
      v->node->op->desc->view && !r->classes.is_view[v->node->id])
    return true;
  for (const tenon_use *u = v->uses; u; u = u->next)
    if (tenon_op_is(u->node->op, "core::concat") &&
        !r->classes.is_view[u->node->id])
      return true;
  return false;
}

static void reorder_floor_add(floor_walk *w, const tenon_value *v) {
  tenon_reorder *r = w->r;
  if (!v || v->kind == TENON_VALUE_CONSTANT || may_lie_within(r, v)) return;
  const tenon_class *c = tenon_alias_root(&r->classes, v);
  uint64_t begin = r->classes.offsets[v->id];
  tenon_dim bytes = tenon_type_bytes(r->g->module, &v->type);
  if (c->state != UINT32_MAX || r->is_free[c - r->classes.classes] ||
      bytes.symbol != 0 || bytes.value <= 0)
    return;
  w->ranges[w->n++] = (range){c, begin, begin + (uint64_t)bytes.value};
}

static int by_place(const void *a, const void *b) {
  const range *x = (const range *)a, *y = (const range *)b;
  if (x->memory != y->memory) return x->memory < y->memory ? -1 : 1;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static uint64_t covered(floor_walk *w) {
  uint64_t sum = 0, end = 0;
  qsort(w->ranges, w->n, sizeof *w->ranges, by_place);
  for (uint32_t i = 0; i < w->n; ++i) {
    const range *x = &w->ranges[i];
    if (i == 0 || x->memory != x[-1].memory) end = 0;
    if (x->end <= end) continue;
    sum += x->end - (x->begin > end ? x->begin : end);
    end = x->end;
  }
  return sum;
}

static bool is_made_in_place(const tenon_kernel *k, uint32_t out) {
  uint32_t any = 0;
  for (uint32_t in = 0; out < 4 && in < 8; ++in)
    any |= k->desc->in_place & TENON_IN_PLACE(out, in);
  return any != 0;
}

static bool reorder_floor_make_room(floor_walk *w, uint32_t count) {
  w->n = 0;
  if (count <= w->room) return true;
  w->ranges = tenon_arena_array(w->r->arena, range, 2 * (size_t)count);
  w->room = 2 * count;
  return w->ranges != NULL;
}

static tenon_status reorder_floor_visit(void *self, tenon_node *n) {
  floor_walk *w = (floor_walk *)self;
  tenon_reorder *r = w->r;
  const tenon_kernel *k = r->e->kernels[n->id];
  uint32_t count = (uint32_t)n->n_in + n->n_out;
  if (!k || r->classes.is_view[n->id] || tenon_node_is_open(n)) return TENON_OK;
  if (!reorder_floor_make_room(w, count))
    return tenon_plan_no_memory(r->w->report);
  for (uint32_t i = 0; i < n->n_in; ++i)
    reorder_floor_add(w, n->in[i].value);
  for (uint32_t i = 0; i < n->n_out; ++i)
    if (!is_made_in_place(k, i)) reorder_floor_add(w, n->out[i]);
  uint64_t need = covered(w) + tenon_reorder_scratch(r, n);
  if (need > w->most) w->most = need;
  return TENON_OK;
}

uint64_t tenon_reorder_floor(tenon_reorder *r) {
  floor_walk w = {.r = r};
  const tenon_graph *g = r->g;
  if (tenon_graph_visit(r->g, reorder_floor_visit, &w) != TENON_OK ||
      !reorder_floor_make_room(&w, (uint32_t)g->n_params + g->end->n_in)) {
    r->failed = true;
    return 0;
  }
  for (uint32_t i = 0; i < g->n_params; ++i)
    reorder_floor_add(&w, g->params[i]);
  uint64_t inputs = covered(&w);
  w.n = 0;
  for (uint32_t i = 0; i < g->end->n_in; ++i)
    reorder_floor_add(&w, g->end->in[i].value);
  uint64_t outputs = covered(&w);
  if (inputs > w.most) w.most = inputs;
  return outputs > w.most ? outputs : w.most;
}
