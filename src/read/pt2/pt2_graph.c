// How: the nodes of a graph become nodes one after the other; a region of a
// node is a graph of its own, filled when its node is built.
#include "read/pt2/pt2_import.h"

#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "pt2-graph", __VA_ARGS__)

tenon_status tenon_pt2_nodes(tenon_pt2_scope *s, size_t begin, size_t end) {
  tenon_pt2 *im = s->im;
  for (size_t i = begin; i < end; ++i) {
    tenon_json node = tenon_json_item(&s->nodes, i);
    bool done = false;
    // Regions are imported after their node is built, so nothing that an outer
    // node has put into the scratch memory is lost.
    tenon_arena_mark mark = tenon_arena_save(&im->scratch);
    TENON_TRY(tenon_pt2_vmap(s, &i, &done));
    if (!done) TENON_TRY(tenon_pt2_node_import(s, &node));
    tenon_arena_restore(&im->scratch, mark);
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Regions
// ---------------------------------------------------------------------------

// A tensor is a parameter. A number is the same in the graph around, so both
// know it as the same expression; one that a loop carries is not.
static tenon_status make_param(tenon_pt2_scope *s, const tenon_json *input,
                               bool is_carried) {
  tenon_pt2 *im = s->im;
  const char *tag = NULL, *kind = NULL, *name = NULL;
  const tenon_type *type = NULL;
  tenon_json value, inner;
  tenon_pt2_name entry = {.kind = TENON_PT2_VALUE};
  TENON_TRY(tenon_json_tag(input, &tag, &value));
  if (strcmp(tag, "as_tensor") == 0) {
    tenon_json at = tenon_json_get(&value, "name");
    TENON_TRY(tenon_json_text(&at, &name));
    TENON_TRY(tenon_pt2_declared(s, name, &type));
    if (!type) return fail(&at, "the graph does not say what type it has");
    entry.value = tenon_build_param(s->graph, name, type, s->graph->loc);
    if (!entry.value) return tenon_pt2_built(im);
    return tenon_pt2_define(s, &at, name, &entry);
  }
  if (strncmp(tag, "as_sym_", 7) != 0) return TENON_OK;  // a literal
  TENON_TRY(tenon_json_tag(&value, &kind, &inner));
  if (strcmp(kind, "as_name") != 0 && !is_carried) return TENON_OK;
  TENON_TRY(tenon_json_text(&inner, &name));
  if (is_carried) {
    type = tenon_pt2_carried_type();
    entry.value = tenon_build_param(s->graph, name, type, s->graph->loc);
    if (!entry.value) return tenon_pt2_built(im);
    return tenon_pt2_carried_number(s, &inner, name, entry.value,
                                    s->graph->loc);
  }
  TENON_TRY(tenon_pt2_number(s, &inner, tag, name, &entry));
  return tenon_pt2_define(s, &inner, name, &entry);
}

static tenon_status fx_graph_make_results(tenon_pt2_scope *s) {
  tenon_pt2 *im = s->im;
  tenon_json outputs = tenon_json_get(&s->json, "outputs");
  TENON_TRY(tenon_json_array(&outputs));
  size_t n = tenon_json_count(&outputs), count = 0;
  tenon_value **values = tenon_arena_array(&im->scratch, tenon_value *, n);
  if (!values) return tenon_pt2_memory(im);
  if (n > UINT16_MAX) return fail(&outputs, "more than %d results", UINT16_MAX);
  for (size_t i = 0; i < n; ++i) {
    const char *tag = NULL;
    tenon_json output = tenon_json_item(&outputs, i), value;
    TENON_TRY(tenon_json_tag(&output, &tag, &value));
    if (strcmp(tag, "as_none") == 0) continue;
    if (strcmp(tag, "as_tensor") == 0) {
      TENON_TRY(tenon_pt2_tensor(s, &value, &values[count++]));
      continue;
    }
    tenon_arg number;
    TENON_TRY(tenon_pt2_attribute(s, tag, &value, &number));
    TENON_TRY(tenon_pt2_number_value(s, &output, &number, 0, s->graph->loc,
                                     &values[count++]));
  }
  bool done =
      tenon_build_results(s->graph, values, (uint32_t)count, s->graph->loc);
  return done ? TENON_OK : tenon_pt2_built(im);
}

static tenon_status fx_graph_fill(tenon_pt2_scope *s, const tenon_pt2_node *n) {
  tenon_json inputs = tenon_json_get(&s->json, "inputs");
  TENON_TRY(tenon_json_array(&inputs));
  for (size_t i = 0; i < tenon_json_count(&inputs); ++i) {
    tenon_json input = tenon_json_item(&inputs, i);
    TENON_TRY(make_param(s, &input, i < n->n_carried));
  }
  TENON_TRY(tenon_pt2_autocast_params(s, n));
  TENON_TRY(tenon_pt2_nodes(s, 0, tenon_json_count(&s->nodes)));
  return fx_graph_make_results(s);
}

tenon_status tenon_pt2_region(const tenon_pt2_node *n, tenon_graph *region,
                              const tenon_json *json) {
  tenon_pt2 *im = n->scope->im;
  tenon_pt2_scope s;
  const char *label = "";
  tenon_json graph = tenon_json_get(json, "graph");
  tenon_json name = tenon_json_get(json, "name");
  if (tenon_json_is(&name)) TENON_TRY(tenon_json_text(&name, &label));
  size_t decided = im->local.count;
  tenon_status status = tenon_pt2_scope_open(&s, im, region, &graph, label);
  if (status == TENON_OK) status = tenon_pt2_autocast_scope(&s, n->scope, n);
  if (status == TENON_OK) status = fx_graph_fill(&s, n);
  if (status == TENON_OK) status = tenon_pt2_autocast_ends(&s, n);
  tenon_pt2_forget(im, decided);
  tenon_pt2_scope_close(&s);
  return status;
}
