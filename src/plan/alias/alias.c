// How: every value starts in a class of its own, live from its definition to
// its last use. One walk in the order of time joins classes. Work in place is
// taken where it is seen first; since the walk goes forward, an operand's class
// is complete up to the present step, and its last use tells whether anybody
// reads it later. What stands side by side is in plan/alias/concat.c.

#include "ir/written.h"
#include "plan/alias/aliasing.h"

typedef tenon_aliasing walk;

static void alias_start(walk *w, const tenon_value *v) {
  tenon_class *c = &w->a->classes[v->id];
  if (v->kind == TENON_VALUE_CONSTANT || w->live->last[v->id] == 0) return;
  c->first = w->live->def[v->id];
  c->last = w->live->last[v->id];
  c->bytes = tenon_type_bytes(w->m, &v->type);
  // Of the element: a kernel that wants more says so.
  const tenon_dtype_info *info = tenon_dtype_look(v->type.dtype);
  uint32_t own = info && info->bits >= 16 ? info->bits / 8u : 1;
  if (own > w->aligns[v->id]) w->aligns[v->id] = own;
  c->align = w->aligns[v->id];
}

static void raise_align(walk *w, const tenon_value *v, uint32_t align) {
  if (v && align > w->aligns[v->id]) w->aligns[v->id] = align;
}

// What kernels want of their operands; and what else has to be known first.
static tenon_status visit_first(void *self, tenon_node *n) {
  walk *w = (walk *)self;
  uint32_t operand = 0, result = 0;
  w->has_loops |= tenon_op_is(n->op, "core::while");
  w->has_writes |= tenon_op_is(n->op, "core::state_write") ||
                   tenon_written_pair(n, 0, &operand, &result);
  const tenon_kernel *k = w->kernels[n->id];
  if (!k || k->desc->align == 0) return TENON_OK;
  for (uint32_t i = 0; i < n->n_in; ++i)
    raise_align(w, n->in[i].value, k->desc->align);
  for (uint32_t i = 0; i < n->n_out; ++i)
    raise_align(w, n->out[i], k->desc->align);
  return TENON_OK;
}

// All of the class, and no more; where results reach over operands, as much as
// the operand has of the class.
static bool is_as_large(const walk *w, const tenon_value *x,
                        const tenon_value *y) {
  tenon_dim bytes = tenon_type_bytes(w->m, &y->type);
  const tenon_class *d = tenon_alias_root(w->a, y);
  if (!tenon_dim_equals(tenon_type_bytes(w->m, &x->type), bytes) ||
      !tenon_dim_equals(d->bytes, bytes))
    return false;
  if (w->over && bytes.symbol == 0 && w->a->next[y->id] == TENON_NO_VALUE)
    return w->a->offsets[x->id] % d->align == 0;
  return w->a->offsets[x->id] == 0 &&
         tenon_dim_equals(tenon_alias_root(w->a, x)->bytes, bytes);
}

static void try_in_place(walk *w, const tenon_node *n) {
  const tenon_kernel *k = w->kernels[n->id];
  if (!k || k->desc->in_place == 0) return;
  if (w->over && w->over[n->id] && !k->desc->overlap) return;  // kept apart
  for (uint32_t out = 0; out < n->n_out && out < 4; ++out)
    for (uint32_t in = 0; in < n->n_in && in < 8; ++in) {
      if (!(k->desc->in_place & TENON_IN_PLACE(out, in)) ||
          (n->in[in].value && w->a->strides[n->in[in].value->id]))
        continue;
      if (!tenon_alias_can_take_over(w, n, in, out) ||
          !is_as_large(w, n->in[in].value, n->out[out]))
        continue;
      tenon_alias_join(w, n->out[out], n->in[in].value, 0);
      break;
    }
}

static void pin(walk *w, const tenon_node *n, const tenon_value *v) {
  tenon_class *c = tenon_alias_root(w->a, v);
  int i = tenon_module_find_state(n->graph->module, tenon_state_name(n));
  if (i >= 0) c->state = (uint32_t)i;
}

static void visit_node(walk *w, const tenon_node *n);

static void visit_graph(walk *w, const tenon_graph *g) {
  for (const tenon_node *n = g->first; n; n = n->next)
    visit_node(w, n);
}

// One address for all that a loop carries (plan/alias/loops.c); but of what
// changes its size, for what goes in and what comes out.
static void join_carried(walk *w, const tenon_node *n) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const bool grows = tenon_loop_grows(n, i);
    const tenon_value *v = grows ? n->out[i] : n->in[i].value;
    if (!grows) tenon_alias_join(w, n->out[i], v, 0);
    tenon_alias_join(w, n->regions[0]->params[i], v, 0);
    tenon_alias_join(w, n->regions[1]->params[i], v, 0);
    if (!grows) tenon_alias_join(w, n->regions[1]->end->in[i].value, v, 0);
  }
}

static void visit_node(walk *w, const tenon_node *n) {
  // Before what is inside takes anything over: these are still alone.
  bool is_loop = tenon_op_is(n->op, "core::while");
  if (is_loop) join_carried(w, n);
  for (uint32_t r = 0; !is_loop && r < n->n_regions; ++r)
    for (uint32_t i = 0; i < n->n_out; ++i)
      tenon_alias_join(w, n->regions[r]->end->in[i].value, n->out[i], 0);
  for (uint32_t r = 0; r < n->n_regions; ++r)
    visit_graph(w, n->regions[r]);
  if (tenon_op_is(n->op, "core::state_read")) {
    pin(w, n, n->out[0]);
    return;
  }
  if (tenon_op_is(n->op, "core::state_write")) {
    pin(w, n, n->in[0].value);
    return;
  }
  uint32_t operand = 0, result = 0;
  for (uint32_t k = 0; tenon_written_pair(n, k, &operand, &result); ++k)
    if (n->in[operand].value)
      tenon_alias_join(w, n->out[result], n->in[operand].value, 0);
  if (n->n_regions != 0 || tenon_alias_view(w, n) || tenon_alias_concat(w, n))
    return;
  try_in_place(w, n);
  if (w->over && w->over[n->id]) tenon_alias_overlap(w, n);
}

static void start_graph(walk *w, const tenon_graph *g) {
  for (uint32_t i = 0; i < g->n_params; ++i)
    alias_start(w, g->params[i]);
  for (const tenon_node *n = g->first; n; n = n->next) {
    for (uint32_t i = 0; i < n->n_out; ++i)
      alias_start(w, n->out[i]);
    for (uint32_t r = 0; r < n->n_regions; ++r)
      start_graph(w, n->regions[r]);
  }
}

static void alias_mark(walk *w, const tenon_graph *g, const bool *given) {
  for (uint32_t i = 0; i < g->n_params; ++i) {
    w->a->classes[g->params[i]->id].has_input = true;
    w->a->classes[g->params[i]->id].is_given = given[i];
  }
  for (uint32_t i = 0; i < g->end->n_in; ++i) {
    const tenon_value *v = g->end->in[i].value;
    if (v) w->a->classes[v->id].is_wanted |= given[g->n_params + i];
  }
}

bool tenon_alias_compute(tenon_arena *arena, tenon_graph *function,
                         const tenon_live *live,
                         const tenon_kernel *const *kernels,
                         const tenon_sizing *sizing, const bool *over,
                         const bool *given, tenon_aliases *out) {
  tenon_module *m = function->module;
  out->n = m->n_values;
  out->n_over = 0;
  out->classes = tenon_arena_array(arena, tenon_class, m->n_values);
  out->offsets = tenon_arena_array(arena, uint64_t, m->n_values);
  out->next = tenon_arena_array(arena, uint32_t, m->n_values);
  out->is_view = tenon_arena_array(arena, bool, m->n_nodes);
  out->strides = tenon_arena_array(arena, const int32_t *, m->n_values);
  walk w = {.arena = arena, .live = live, .kernels = kernels, .m = m};
  w.sizing = sizing;
  w.over = over;
  w.a = out;
  w.aligns = tenon_arena_array(arena, uint32_t, m->n_values);
  w.seen = tenon_arena_array(arena, uint32_t, m->n_values);
  if (arena->failed) return false;
  for (uint32_t i = 0; i < out->n; ++i) {
    out->classes[i].parent = out->classes[i].end = i;
    out->classes[i].state = UINT32_MAX;
    out->next[i] = TENON_NO_VALUE;
    w.aligns[i] = 1;
  }
  (void)tenon_graph_visit(function, visit_first, &w);
  start_graph(&w, function);
  if (given) alias_mark(&w, function, given);
  visit_graph(&w, function);
  return !arena->failed;
}
