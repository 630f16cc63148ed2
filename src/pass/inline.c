// How: every core::call becomes the body of its function, inner calls first met
// again by the same walk. The verifier has refused recursion, so this ends.
// Functions that are no entry point are then dropped.
#include "ir/build.h"
#include "ir/edit.h"
#include "pass/pass.h"

static tenon_status inline_call(tenon_node *n) {
  tenon_module *m = n->graph->module;
  const tenon_arg *a = n->args;
  uint64_t index = (uint64_t)a[0].as.i;
  if (index >= m->functions.count)
    return tenon_fail(&m->report, TENON_BAD_MODEL, "inline-function",
                      tenon_node_place(n), "function %lld of %zu is called",
                      (long long)a[0].as.i, m->functions.count);
  const tenon_graph *from = m->functions.data[index];
  tenon_arena scratch;
  tenon_arena_init(&scratch, m->cx->allocator);
  tenon_value **args = tenon_arena_array(&scratch, tenon_value *, n->n_in);
  tenon_value **results = tenon_arena_array(&scratch, tenon_value *, n->n_out);
  tenon_status status = TENON_OK;
  for (uint32_t i = 0; args && i < n->n_in; ++i)
    args[i] = n->in[i].value;
  if (!args || !results ||
      !tenon_graph_inline(from, n->graph, n, args, results))
    status = tenon_fail_memory(&m->report, "inlining a function");
  for (uint32_t i = 0; status == TENON_OK && i < n->n_out; ++i)
    tenon_value_replace(n->out[i], results[i]);
  if (status == TENON_OK) tenon_node_erase(n);
  tenon_arena_deinit(&scratch);
  return status;
}

static tenon_status inline_walk(tenon_graph *g) {
  tenon_node *n = g->first;
  while (n) {
    if (tenon_op_is(n->op, "core::call")) {
      tenon_node *before = n->previous;
      TENON_TRY(inline_call(n));
      n = before ? before->next : g->first;
      continue;
    }
    for (uint32_t r = 0; r < n->n_regions; ++r)
      TENON_TRY(inline_walk(n->regions[r]));
    n = n->next;
  }
  return TENON_OK;
}

// Unlinks every use that a dropped function makes of constants.
static void inline_clear(tenon_graph *g) {
  for (uint32_t i = 0; i < g->end->n_in; ++i)
    tenon_node_set_operand(g->end, i, NULL);
  for (tenon_node *n = g->last; n;) {
    tenon_node *previous = n->previous;
    for (uint32_t r = 0; r < n->n_regions; ++r)
      inline_clear(n->regions[r]);
    tenon_node_erase(n);
    n = previous;
  }
}

tenon_status tenon_pass_inline(tenon_module *m, const tenon_pass_run *run) {
  (void)run;
  for (size_t i = 0; i < m->entries.count; ++i)
    TENON_TRY(inline_walk(m->entries.data[i].graph));
  size_t kept = 0;
  for (size_t i = 0; i < m->functions.count; ++i) {
    tenon_graph *g = m->functions.data[i];
    if (!tenon_module_is_entry(m, g)) {
      inline_clear(g);
      continue;
    }
    g->index = (uint32_t)kept;
    m->functions.data[kept++] = g;
  }
  m->functions.count = kept;
  return TENON_OK;
}
