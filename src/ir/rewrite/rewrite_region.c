// ir/rewrite/rewrite_region.c - bodies that a lowering builds or copies.
//
// A region is a graph of its own until a node takes it. Until then something at
// its depth stands for its parent, so that what is visible in it can be told:
// the node being replaced, or the end of the region around it.
#include "ir/build.h"
#include "ir/edit.h"
#include "ir/rewrite/rewriting.h"

tenon_graph **tenon_rewriting_regions(tenon_rewriting *rw,
                                      const tenon_build *b) {
  tenon_graph **graphs =
      tenon_arena_array(&rw->m->arena, tenon_graph *, b->n_regions);
  if (!graphs) {
    (void)tenon_rewriting_fail(rw,
                               tenon_fail_memory(&rw->m->report, "lowering"));
    return NULL;
  }
  for (uint32_t i = 0; i < b->n_regions; ++i) {
    tenon_region *r = b->regions ? b->regions[i] : NULL;
    if (!r || !r->is_ended || r->is_used || r->around != rw->open) {
      (void)tenon_rewriting_blame(rw, "'%s': region %u has not ended here",
                                  b->op, (unsigned)i);
      return NULL;
    }
    r->is_used = true;
    graphs[i] = r->graph;
  }
  return graphs;
}

static tenon_region *start_region(tenon_rewriting *rw) {
  tenon_region *r = tenon_arena_new(&rw->m->arena, tenon_region);
  tenon_node *parent = rw->open ? rw->open->graph->end : rw->node;
  if (tenon_rewriting_graph(rw)->depth >= TENON_MAX_NESTING) {
    (void)tenon_rewriting_blame(rw, "too many regions in each other");
    return NULL;
  }
  tenon_graph *g = tenon_graph_alloc(rw->m, "", parent, 0, rw->node->loc);
  if (!r || !g) {
    (void)tenon_rewriting_fail(rw,
                               tenon_fail_memory(&rw->m->report, "lowering"));
    return NULL;
  }
  r->graph = g;
  r->around = rw->open;
  r->next = rw->regions;
  rw->regions = r;
  rw->open = r;
  return r;
}

tenon_region *tenon_rewriting_begin(tenon_rewriter *base,
                                    const tenon_type *const *params, int n,
                                    tenon_value **args) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  for (int i = 0; i < n; ++i)
    args[i] = &rw->failed;
  if (rw->failure != TENON_OK) return &rw->failed_region;
  tenon_region *r = start_region(rw);
  if (!r) return &rw->failed_region;
  for (int i = 0; i < n; ++i) {
    tenon_value *v = tenon_build_param(r->graph, "", params[i], rw->node->loc);
    if (v) {
      args[i] = v;
    } else {
      (void)tenon_rewriting_built(rw);
    }
  }
  return r;
}

tenon_status tenon_rewriting_end(tenon_rewriter *base, tenon_region *r,
                                 tenon_value *const *results, int n) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  if (rw->failure != TENON_OK) return rw->failure;
  if (r != rw->open)
    return tenon_rewriting_blame(rw, "a region ends that is not open");
  for (int i = 0; i < n; ++i) {
    if (!results[i] || results[i]->has_failed ||
        !tenon_value_is_visible(results[i], r->graph))
      return tenon_rewriting_blame(
          rw, "result %d of a region is not defined in it", i);
  }
  if (!tenon_build_results(r->graph, results, (uint32_t)n, rw->node->loc))
    return tenon_rewriting_built(rw);
  r->is_ended = true;
  rw->open = r->around;
  return TENON_OK;
}

int tenon_rewriting_region(tenon_rewriter *base, const tenon_node *node,
                           int region, int *n_results) {
  (void)base;
  *n_results = 0;
  if (!node) return -1;
  if (region < 0 || region >= node->n_regions) return -1;
  *n_results = node->regions[region]->end->n_in;
  return node->regions[region]->n_params;
}

tenon_status tenon_rewriting_copy(tenon_rewriter *base, const tenon_node *node,
                                  int region, tenon_value *const *args,
                                  int n_args, tenon_value **results,
                                  int n_results) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  for (int i = 0; i < n_results; ++i)
    results[i] = &rw->failed;
  if (rw->failure != TENON_OK) return rw->failure;
  if (node != rw->node || region < 0 || region >= node->n_regions)
    return tenon_rewriting_blame(
        rw, "region %d is not of the node being replaced", region);
  const tenon_graph *from = node->regions[region];
  if (n_args != from->n_params || n_results != from->end->n_in)
    return tenon_rewriting_blame(
        rw, "region %d has %d parameters and %d results, not %d and %d", region,
        from->n_params, from->end->n_in, n_args, n_results);
  for (int i = 0; i < n_args; ++i) {
    if (!args[i] || args[i]->has_failed ||
        !tenon_value_is_visible(args[i], tenon_rewriting_graph(rw)))
      return tenon_rewriting_blame(
          rw, "argument %d of a region is not defined here", i);
    // A damaged program: what was found for the body does not hold for this.
    if (!tenon_type_may_equal(&args[i]->type, &from->params[i]->type))
      return base->api->fail(base, "argument %d of graph %d is of another type",
                             i, region);
  }
  if (!tenon_graph_inline(from, tenon_rewriting_graph(rw),
                          rw->open ? NULL : rw->node, args, results))
    return tenon_rewriting_built(rw);
  return TENON_OK;
}

void tenon_rewriting_clear(tenon_rewriting *rw) {
  for (tenon_region *r = rw->regions; r; r = r->next) {
    if (!r->is_used) tenon_graph_clear(r->graph);
  }
}
