// How: entry points first, since a function takes its shapes from where it is
// called; then whatever nobody calls. Bodies before their node.
#include <string.h>

#include "base/vec.h"
#include "ir/infer/inferring.h"

// Functions that call each other, when new shapes go through them.
#define MAX_CALLS 128

typedef struct walk {
  tenon_module *m;
  bool is_reshaped;
  uint8_t *seen;  // per function: 0, 1 under way, 2 done
  uint32_t calls;
  TENON_VEC(const tenon_type *) declared;  // of one node
} walk;

static tenon_status infer_graph(walk *w, tenon_graph *g);

static tenon_status infer_function(walk *w, tenon_graph *g) {
  if (w->seen[g->index] != 0) return TENON_OK;
  if (++w->calls > MAX_CALLS)
    return tenon_fail(&w->m->report, TENON_BAD_MODEL, "ir-limit",
                      tenon_locs_place(&w->m->locs, g->loc),
                      "more than %d functions call each other", MAX_CALLS);
  w->seen[g->index] = 1;
  TENON_TRY(infer_graph(w, g));
  w->seen[g->index] = 2;
  --w->calls;
  return TENON_OK;
}

// What a loop finds out anew in each round is not what is passed.
static const tenon_dim *passed_dims(const tenon_node *n, uint32_t i,
                                    const tenon_type *t,
                                    const tenon_type *passed) {
  tenon_dim *own = NULL;
  for (int d = 0; d < t->rank; ++d) {
    if (!tenon_loop_found(n, i, d)) continue;
    if (!own)
      own = tenon_arena_copy(&n->graph->module->arena, passed->dims,
                             t->rank * sizeof *own, _Alignof(tenon_dim));
    if (own) own[d] = t->dims[d];
  }
  return own ? own : passed->dims;
}

// Parameters of a body get the shapes of what is passed, `skip` operands on.
static void pass_types(tenon_graph *g, const tenon_node *n, uint32_t skip) {
  for (uint32_t i = 0; i < g->n_params && i + skip < n->n_in; ++i) {
    const tenon_value *v = tenon_node_in(n, i + skip);
    tenon_type *t = &g->params[i]->type;
    if (v && v->type.dtype == t->dtype && v->type.rank == t->rank)
      t->dims = passed_dims(n, i, t, &v->type);
  }
}

static tenon_status infer_bodies(walk *w, tenon_node *n) {
  bool is_call = tenon_op_is(n->op, "core::call");
  uint32_t skip = tenon_op_is(n->op, "core::cond") ? 1 : 0;
  bool is_known = skip || tenon_op_is(n->op, "core::while") ||
                  tenon_op_is(n->op, "core::composite");
  for (uint32_t i = 0; i < n->n_regions; ++i) {
    if (w->is_reshaped && is_known) pass_types(n->regions[i], n, skip);
    TENON_TRY(infer_graph(w, n->regions[i]));
  }
  if (!is_call) return TENON_OK;
  tenon_dim f = tenon_node_size(n, "function", 0);
  if (f.symbol != 0 || f.value < 0 ||
      (uint64_t)f.value >= w->m->functions.count)
    return TENON_OK;  // what verification says
  tenon_graph *callee = w->m->functions.data[f.value];
  if (w->is_reshaped && w->seen[callee->index] == 0) pass_types(callee, n, 0);
  return infer_function(w, callee);
}

static tenon_status infer_present(walk *w, tenon_node *n) {
  w->declared.count = 0;
  if (!tenon_vec_reserve(&w->declared, n->n_out))
    return tenon_fail_memory(&w->m->report, "inferring types");
  for (uint32_t i = 0; i < n->n_out; ++i)
    w->declared.data[i] = n->out[i]->type.dtype ? &n->out[i]->type : NULL;
  return tenon_inferring_node(n, n->n_out > 0 ? w->declared.data : NULL,
                              w->is_reshaped, "in the model");
}

static tenon_status infer_graph(walk *w, tenon_graph *g) {
  for (tenon_node *n = g->first; n; n = n->next) {
    TENON_TRY(infer_bodies(w, n));
    TENON_TRY(infer_present(w, n));
  }
  return TENON_OK;
}

static tenon_status infer_functions(walk *w) {
  tenon_module *m = w->m;
  // Entries first: a function that they call takes its shapes from there.
  for (size_t i = 0; i < m->entries.count; ++i)
    TENON_TRY(infer_function(w, m->entries.data[i].graph));
  for (size_t i = 0; i < m->functions.count; ++i)
    TENON_TRY(infer_function(w, m->functions.data[i]));
  return TENON_OK;
}

tenon_status tenon_infer_module(tenon_module *m, bool is_reshaped) {
  walk w;
  memset(&w, 0, sizeof w);
  w.m = m;
  w.is_reshaped = is_reshaped;
  tenon_vec_init(&w.declared, m->arena.allocator);
  w.seen = tenon_arena_array(&m->arena, uint8_t, m->functions.count);
  tenon_status status = w.seen
                            ? infer_functions(&w)
                            : tenon_fail_memory(&m->report, "inferring types");
  tenon_vec_deinit(&w.declared);
  return status;
}
