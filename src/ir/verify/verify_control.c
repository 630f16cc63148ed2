// ir/verify/verify_control.c - bodies, calls, entries and states.
//
// What is passed into a body and what comes out must be of one type, where
// sizes that are open on one side may be numbers on the other. That functions
// do not call themselves is shown by taking away, again and again, functions
// that nobody left calls; linear in functions and calls.
#include <string.h>

#include "ir/verify/verifier.h"

static bool is_compatible(const tenon_type *a, const tenon_type *b) {
  if (a->dtype != b->dtype || a->rank != b->rank ||
      !tenon_quant_equals(a->quant, b->quant))
    return false;
  for (int i = 0; i < a->rank; ++i) {
    if (tenon_dim_is_fixed(a->dims[i]) && tenon_dim_is_fixed(b->dims[i]) &&
        a->dims[i].value != b->dims[i].value)
      return false;
  }
  return true;
}

// Operands from `skip` on against the parameters of a body.
static tenon_status check_passed(const tenon_verifier *v, int number,
                                 const tenon_node *n, uint32_t skip,
                                 const tenon_graph *g) {
  if (g->n_params + skip != n->n_in)
    return tenon_verify_fail(
        v, number, n->loc, "'%s' passes %d values to %d parameters",
        n->op->name, (int)n->n_in - (int)skip, (int)g->n_params);
  for (uint32_t i = 0; i < g->n_params; ++i) {
    const tenon_value *from = tenon_node_in(n, i + skip);
    if (!from || !is_compatible(&from->type, &g->params[i]->type))
      return tenon_verify_fail(v, number, n->loc,
                               "'%s' passes a value of another type to "
                               "parameter %u",
                               n->op->name, (unsigned)i);
  }
  return TENON_OK;
}

static tenon_status check_returned(const tenon_verifier *v, int number,
                                   const tenon_node *n, const tenon_graph *g) {
  if (g->end->n_in != n->n_out)
    return tenon_verify_fail(v, number, n->loc,
                             "'%s' has %d results, its body returns %d",
                             n->op->name, (int)n->n_out, (int)g->end->n_in);
  for (uint32_t i = 0; i < n->n_out; ++i) {
    const tenon_value *from = tenon_node_in(g->end, i);
    if (!from || !is_compatible(&from->type, &n->out[i]->type))
      return tenon_verify_fail(v, number, n->loc,
                               "result %u of '%s' and of its body have "
                               "different types",
                               (unsigned)i, n->op->name);
  }
  return TENON_OK;
}

static bool control_check_is_flag(const tenon_value *v) {
  uint64_t count = 1;
  if (!v || v->type.dtype != TENON_BOOL) return false;
  return !tenon_type_is_static(&v->type) ||
         (tenon_type_count(&v->type, &count) && count == 1);
}

static tenon_status check_two(const tenon_verifier *v, const tenon_node *n) {
  if (n->n_regions == 2) return TENON_OK;
  return tenon_verify_fail(v, 10, n->loc, "'%s' has %d regions, not 2",
                           n->op->name, (int)n->n_regions);
}

static tenon_status check_bodies(const tenon_verifier *v, const tenon_node *n,
                                 uint32_t skip) {
  for (uint32_t i = 0; i < 2; ++i) {
    TENON_TRY(check_passed(v, 10, n, skip, n->regions[i]));
    TENON_TRY(check_returned(v, 10, n, n->regions[i]));
  }
  return TENON_OK;
}

static tenon_status check_cond(const tenon_verifier *v, const tenon_node *n) {
  TENON_TRY(check_two(v, n));
  if (n->n_in < 1 || !control_check_is_flag(tenon_node_in(n, 0)))
    return tenon_verify_fail(
        v, 10, n->loc, "the predicate of '%s' is not one boolean", n->op->name);
  return check_bodies(v, n, 1);
}

static tenon_status check_composite(const tenon_verifier *v,
                                    const tenon_node *n) {
  TENON_TRY(check_two(v, n));
  return check_bodies(v, n, 0);
}

static tenon_status check_while(const tenon_verifier *v, const tenon_node *n) {
  TENON_TRY(check_two(v, n));
  const tenon_graph *test = n->regions[0];
  TENON_TRY(check_passed(v, 10, n, 0, test));
  TENON_TRY(check_passed(v, 10, n, 0, n->regions[1]));
  if (test->end->n_in != 1 ||
      !control_check_is_flag(tenon_node_in(test->end, 0)))
    return tenon_verify_fail(
        v, 10, n->loc, "the condition of '%s' is not one boolean", n->op->name);
  return check_returned(v, 10, n, n->regions[1]);
}

static const tenon_graph *home_of(const tenon_node *n) {
  const tenon_graph *g = n->graph;
  while (g->parent)
    g = g->parent->graph;
  return g;
}

static tenon_status check_call(tenon_verifier *v, const tenon_node *n) {
  tenon_dim index = tenon_node_size(n, "function", 0);
  if (index.symbol != 0 || index.value < 0 ||
      (uint64_t)index.value >= v->m->functions.count)
    return tenon_verify_fail(v, 11, n->loc, "'%s' calls function %lld of %zu",
                             n->op->name, (long long)index.value,
                             v->m->functions.count);
  const tenon_graph *g = v->m->functions.data[index.value];
  TENON_TRY(check_passed(v, 11, n, 0, g));
  TENON_TRY(check_returned(v, 11, n, g));
  tenon_call_edge edge = {home_of(n)->index, (uint32_t)index.value};
  if (tenon_vec_push(&v->calls, edge)) return TENON_OK;
  return tenon_fail_memory(&v->m->report, "verifying a module");
}

static tenon_status check_state_use(const tenon_verifier *v,
                                    const tenon_node *n,
                                    const tenon_value *value) {
  const tenon_arg *arg = tenon_node_arg(n, "state");
  const char *name = arg && arg->kind == TENON_KIND_STR ? arg->as.s : NULL;
  int i = tenon_module_find_state(v->m, name);
  if (i < 0)
    return tenon_verify_fail(v, 13, n->loc, "there is no state '%s'",
                             name ? name : "");
  if (value && tenon_type_equals(&value->type, &v->m->states.data[i].type))
    return TENON_OK;
  return tenon_verify_fail(v, 13, n->loc, "'%s' is not of the type of '%s'",
                           n->op->name, name);
}

tenon_status tenon_verify_control(tenon_verifier *v, const tenon_node *n) {
  const char *name = n->op->name;
  if (strncmp(name, "core::", 6) != 0) return TENON_OK;
  if (strcmp(name, "core::cond") == 0) return check_cond(v, n);
  if (strcmp(name, "core::while") == 0) return check_while(v, n);
  if (strcmp(name, "core::composite") == 0) return check_composite(v, n);
  if (strcmp(name, "core::call") == 0) return check_call(v, n);
  if (strcmp(name, "core::state_read") == 0)
    return check_state_use(v, n, n->n_out == 1 ? n->out[0] : NULL);
  if (strcmp(name, "core::state_write") == 0)
    return check_state_use(v, n, n->n_in == 1 ? tenon_node_in(n, 0) : NULL);
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// The call graph
// ---------------------------------------------------------------------------

typedef struct callers {
  uint32_t *left;   // per function: calls to it that are not taken away yet
  uint32_t *first;  // per function: its calls in `order`; one more at the end
  uint32_t *order;  // calls, by caller
  uint32_t *queue;  // functions that nobody left calls
} callers;

static void sort_calls(const tenon_verifier *v, callers *c) {
  size_t n = v->m->functions.count;
  for (size_t i = 0; i < v->calls.count; ++i) {
    ++c->left[v->calls.data[i].callee];
    ++c->first[v->calls.data[i].caller + 1];
  }
  for (size_t i = 0; i < n; ++i)
    c->first[i + 1] += c->first[i];
  // The queue is free until the walk: it counts what has been placed.
  for (size_t i = 0; i < v->calls.count; ++i) {
    uint32_t caller = v->calls.data[i].caller;
    c->order[c->first[caller] + c->queue[caller]++] = (uint32_t)i;
  }
}

static size_t take_away(const tenon_verifier *v, callers *c) {
  size_t taken = 0, known = 0, n = v->m->functions.count;
  for (size_t i = 0; i < n; ++i) {
    if (c->left[i] == 0) c->queue[known++] = (uint32_t)i;
  }
  for (; taken < known; ++taken) {
    uint32_t f = c->queue[taken];
    for (uint32_t k = c->first[f]; k < c->first[f + 1]; ++k) {
      uint32_t callee = v->calls.data[c->order[k]].callee;
      if (--c->left[callee] == 0) c->queue[known++] = callee;
    }
  }
  return taken;
}

tenon_status tenon_verify_calls(const tenon_verifier *v) {
  size_t n = v->m->functions.count;
  tenon_arena arena;
  if (v->calls.count == 0) return TENON_OK;
  tenon_arena_init(&arena, v->m->arena.allocator);
  callers c = {tenon_arena_array(&arena, uint32_t, n),
               tenon_arena_array(&arena, uint32_t, n + 1),
               tenon_arena_array(&arena, uint32_t, v->calls.count),
               tenon_arena_array(&arena, uint32_t, n)};
  tenon_status status = TENON_OK;
  if (arena.failed) {
    status = tenon_fail_memory(&v->m->report, "verifying a module");
  } else {
    sort_calls(v, &c);
    if (take_away(v, &c) < n)
      status = tenon_verify_fail(v, 11, 0,
                                 "functions call each other in a "
                                 "circle");
  }
  tenon_arena_deinit(&arena);
  return status;
}

// ---------------------------------------------------------------------------
// Entries and states
// ---------------------------------------------------------------------------

// What is written into inputs: of their types, each once.
static tenon_status check_writes(const tenon_verifier *v,
                                 const tenon_entry_point *e) {
  const tenon_graph *g = e->graph;
  if (e->n_writes > g->end->n_in || (e->n_writes > 0 && !e->writes))
    return tenon_verify_fail(
        v, 12, g->loc, "entry '%s' writes %u inputs and has %u results",
        e->name, (unsigned)e->n_writes, (unsigned)g->end->n_in);
  for (uint32_t i = 0; i < e->n_writes; ++i) {
    uint16_t at = e->writes[i];
    const tenon_value *to = at < g->n_params ? g->params[at] : NULL;
    const tenon_value *from = tenon_node_in(g->end, tenon_entry_outputs(e) + i);
    if (!to || !from || !is_compatible(&from->type, &to->type))
      return tenon_verify_fail(v, 12, g->loc,
                               "what entry '%s' writes into input %u is not of "
                               "its type",
                               e->name, (unsigned)at);
    for (uint32_t k = 0; k < i; ++k)
      if (e->writes[k] == at)
        return tenon_verify_fail(v, 12, g->loc,
                                 "entry '%s' writes input %u twice", e->name,
                                 (unsigned)at);
  }
  return TENON_OK;
}

static tenon_status check_entry(const tenon_verifier *v,
                                const tenon_entry_point *e) {
  const tenon_graph *g = e->graph;
  if (!e->name || !g || g->index >= v->m->functions.count ||
      v->m->functions.data[g->index] != g)
    return tenon_verify_fail(v, 12, 0, "entry '%s' has no function",
                             e->name ? e->name : "");
  for (uint32_t i = 0; i < g->n_params; ++i) {
    if (!e->inputs || !e->inputs[i])
      return tenon_verify_fail(v, 12, g->loc,
                               "entry '%s' does not name input %u", e->name,
                               (unsigned)i);
  }
  TENON_TRY(check_writes(v, e));
  for (uint32_t i = 0; i < tenon_entry_outputs(e); ++i) {
    if (!e->outputs || !e->outputs[i])
      return tenon_verify_fail(v, 12, g->loc,
                               "entry '%s' does not name output %u", e->name,
                               (unsigned)i);
  }
  return TENON_OK;
}

// Adds a name to the map; *is_new is false when it was there.
static tenon_status note_name(const tenon_verifier *v, tenon_map *names,
                              const char *name, bool *is_new) {
  if (tenon_map_put_text(names, name, 0, is_new)) return TENON_OK;
  return tenon_fail_memory(&v->m->report, "verifying a module");
}

static tenon_status check_entries(const tenon_verifier *v, tenon_map *names) {
  for (size_t i = 0; i < v->m->entries.count; ++i) {
    const tenon_entry_point *e = &v->m->entries.data[i];
    bool is_new = false;
    TENON_TRY(check_entry(v, e));
    TENON_TRY(note_name(v, names, e->name, &is_new));
    if (!is_new)
      return tenon_verify_fail(v, 12, e->graph->loc,
                               "there are two entries '%s'", e->name);
  }
  return TENON_OK;
}

static tenon_status check_states(const tenon_verifier *v, tenon_map *names) {
  for (size_t i = 0; i < v->m->states.count; ++i) {
    const tenon_state *s = &v->m->states.data[i];
    bool is_new = false;
    if (!s->name)
      return tenon_verify_fail(v, 13, s->loc, "a state has no name");
    TENON_TRY(note_name(v, names, s->name, &is_new));
    if (!is_new)
      return tenon_verify_fail(v, 13, s->loc, "there are two states '%s'",
                               s->name);
    TENON_TRY(tenon_verify_type(v, &s->type, s->loc, "a state"));
    if (s->initial)
      TENON_TRY(
          tenon_verify_tensor(v, s->initial, &s->type, s->loc, "a state"));
  }
  return TENON_OK;
}

static tenon_status with_names(const tenon_verifier *v,
                               tenon_status (*check)(const tenon_verifier *v,
                                                     tenon_map *names)) {
  tenon_map names;
  tenon_map_init(&names, v->m->arena.allocator);
  tenon_status status = check(v, &names);
  tenon_map_deinit(&names);
  return status;
}

tenon_status tenon_verify_entries(const tenon_verifier *v) {
  return with_names(v, check_entries);
}

tenon_status tenon_verify_states(const tenon_verifier *v) {
  return with_names(v, check_states);
}
