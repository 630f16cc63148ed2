// How: nodes in order. A node with written arguments gets one more result for
// each mark that no declared result carries; every later use of what was
// written becomes a use of the value afterwards; and if the memory is a
// state's, a state_write of that value follows. From then on everything is a
// value, and no pass has to know about mutation.
#include <string.h>

#include "ir/build.h"
#include "ir/edit.h"
#include "ir/written.h"
#include "pass/pass.h"

static bool has_written(const tenon_node *n) {
  if (!n->op || !n->op->schema || n->is_functional) return false;
  for (int t = 0; t < n->op->schema->n_tensors; ++t)
    if (tenon_schema_tensor(n->op->schema, t)->is_written) return true;
  return false;
}

static tenon_status out_of_memory(const tenon_node *n) {
  return tenon_fail_memory(&n->graph->module->report, "making it functional");
}

// The node again, with the results that its written arguments become.
static tenon_node *extend(tenon_node *n, tenon_arena *arena) {
  const tenon_schema *s = n->op->schema;
  uint32_t n_out = n->n_out + s->n_written;
  const tenon_type **types =
      tenon_arena_array(arena, const tenon_type *, n_out);
  const char **names = tenon_arena_array(arena, const char *, n_out);
  tenon_value **in = tenon_arena_array(arena, tenon_value *, n->n_in);
  uint16_t *groups = NULL;
  if (!types || !names || !in) return NULL;
  for (uint32_t i = 0; i < n->n_in; ++i)
    in[i] = n->in[i].value;
  for (uint32_t i = 0; i < n->n_out; ++i) {
    types[i] = &n->out[i]->type;
    names[i] = n->out[i]->name;
  }
  for (uint32_t i = 0; i < s->n_written; ++i) {
    int first = 0;
    (void)tenon_node_group(n, s->written[i], &first);
    const tenon_value *v = n->in[first].value;
    if (v) types[n->n_out + i] = &v->type;
    names[n->n_out + i] = v ? v->name : "";
  }
  if (n->out_group) {
    groups =
        tenon_arena_array(arena, uint16_t, s->n_returns + s->n_written + 1u);
    if (!groups) return NULL;
    memcpy(groups, n->out_group, (s->n_returns + 1u) * sizeof *groups);
    for (uint32_t i = 0; i < s->n_written; ++i)
      groups[s->n_returns + 1u + i] = (uint16_t)(groups[s->n_returns + i] + 1u);
  }
  tenon_node_spec spec = {0};
  spec.op = n->op;
  spec.args = n->args;
  spec.in = in;
  spec.n_in = n->n_in;
  spec.in_group = n->in_group;
  spec.n_out = n_out;
  spec.out_group = groups;
  spec.types = types;
  spec.names = names;
  spec.loc = n->loc;
  return tenon_build_node(n->graph, n, &spec);
}

// Uses behind a node, in its graph or in regions of later nodes.
static bool is_behind(void *self, const tenon_use *use) {
  const tenon_node *n = (const tenon_node *)self;
  if (use->node == n) return false;
  const tenon_node *user = use->node;
  while (user->graph != n->graph) {
    if (!user->graph->parent) return false;
    user = user->graph->parent;
  }
  return user != n && tenon_node_precedes(n, user);
}

static tenon_status write_back(tenon_node *n, tenon_value *value,
                               const char *state) {
  tenon_node_spec spec = {0};
  const tenon_arg args[] = {tenon_arg_str("state", state), TENON_END_ARGS};
  spec.op = tenon_registry_find_op(n->graph->module->cx, "core::state_write");
  if (!spec.op)
    return tenon_fail_bug(&n->graph->module->report,
                          "core::state_write is not registered");
  spec.args = args;
  spec.in = &value;
  spec.n_in = 1;
  spec.loc = n->loc;
  return tenon_build_node(n->graph, n->next, &spec) ? TENON_OK
                                                    : out_of_memory(n);
}

static tenon_status make_functional(tenon_node *old, tenon_arena *arena) {
  tenon_graph *g = old->graph;
  tenon_node *n = extend(old, arena);
  if (!n) return out_of_memory(old);
  n->is_functional = true;
  for (uint32_t i = 0; i < old->n_out; ++i)
    tenon_value_replace(old->out[i], n->out[i]);
  tenon_node_erase(old);
  tenon_graph_number(g);
  uint32_t operand = 0, result = 0;
  for (uint32_t k = 0; tenon_written_pair(n, k, &operand, &result); ++k) {
    tenon_value *before = n->in[operand].value;
    if (!before) continue;
    const tenon_node *read = tenon_written_state(before);
    tenon_value_replace_if(before, n->out[result], is_behind, n);
    if (read) TENON_TRY(write_back(n, n->out[result], tenon_state_name(read)));
    tenon_graph_number(g);
  }
  return TENON_OK;
}

static tenon_status walk(tenon_graph *g, tenon_arena *arena) {
  tenon_graph_number(g);
  for (tenon_node *n = g->first; n;) {
    tenon_node *next = n->next;
    for (uint32_t r = 0; r < n->n_regions; ++r)
      TENON_TRY(walk(n->regions[r], arena));
    if (has_written(n)) TENON_TRY(make_functional(n, arena));
    n = next;
  }
  return TENON_OK;
}

tenon_status tenon_pass_functional(tenon_module *m, const tenon_pass_run *run);
tenon_status tenon_pass_functional(tenon_module *m, const tenon_pass_run *run) {
  (void)run;
  tenon_arena arena;
  tenon_arena_init(&arena, m->cx->allocator);
  tenon_status status = TENON_OK;
  for (size_t i = 0; status == TENON_OK && i < m->functions.count; ++i)
    status = walk(m->functions.data[i], &arena);
  tenon_arena_deinit(&arena);
  return status;
}
