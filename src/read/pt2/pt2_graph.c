// How: a name is defined once in its graph and looked up by its text; a graph
// inside another sees nothing of it but what it is given.
#include "read/pt2/pt2_import.h"

#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "pt2-graph", __VA_ARGS__)

tenon_status tenon_pt2_scope_open(tenon_pt2_scope *s, tenon_pt2 *im,
                                  tenon_graph *graph, const tenon_json *json,
                                  const char *label) {
  memset(s, 0, sizeof *s);
  s->im = im;
  s->graph = graph;
  s->label = label;
  s->json = *json;
  tenon_map_init(&s->names, im->cx->allocator);
  tenon_vec_init(&s->entries, im->cx->allocator);
  TENON_TRY(tenon_json_object(json));
  s->nodes = tenon_json_get(&s->json, "nodes");
  s->tensors = tenon_json_get(&s->json, "tensor_values");
  s->ints = tenon_json_get(&s->json, "sym_int_values");
  s->floats = tenon_json_get(&s->json, "sym_float_values");
  s->bools = tenon_json_get(&s->json, "sym_bool_values");
  TENON_TRY(tenon_json_array(&s->nodes));
  return tenon_json_object(&s->tensors);
}

void tenon_pt2_scope_close(tenon_pt2_scope *s) {
  tenon_vec_deinit(&s->entries);
  tenon_map_deinit(&s->names);
}

tenon_status tenon_pt2_define(tenon_pt2_scope *s, const tenon_json *at,
                              const char *name, const tenon_pt2_name *entry) {
  bool added = false;
  uint64_t index = s->entries.count;
  if (!tenon_vec_push(&s->entries, *entry) ||
      !tenon_map_put_text(&s->names, name, index, &added))
    return tenon_pt2_memory(s->im);
  if (added) return TENON_OK;
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(name));
  return fail(at, "'%s' is defined twice", label);
}

// Whether a later node makes it: reading too early is told from reading what
// nobody makes.
static bool is_made_later(const tenon_pt2_scope *s, const char *name) {
  for (size_t i = 0; i < tenon_json_count(&s->nodes); ++i) {
    tenon_json node = tenon_json_item(&s->nodes, i);
    tenon_json outputs = tenon_json_get(&node, "outputs");
    for (size_t k = 0; k < tenon_json_count(&outputs); ++k) {
      tenon_json output = tenon_json_item(&outputs, k);
      tenon_json tensor = tenon_json_get(&output, "as_tensor");
      tenon_json at = tenon_json_get(&tensor, "name");
      const char *made = json_string_value(at.value);
      if (made && strcmp(made, name) == 0) return true;
    }
  }
  return false;
}

tenon_status tenon_pt2_look(tenon_pt2_scope *s, const tenon_json *at,
                            const char *name, tenon_pt2_name **out) {
  const uint64_t *index = tenon_map_find_text(&s->names, name);
  if (index) {
    *out = &s->entries.data[*index];
    return TENON_OK;
  }
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(name));
  if (is_made_later(s, name))
    return fail(at, "'%s' is used before its node", label);
  return fail(at, "'%s' is not defined in this graph", label);
}

tenon_status tenon_pt2_tensor(tenon_pt2_scope *s, const tenon_json *at,
                              tenon_value **out) {
  const char *name = NULL;
  tenon_pt2_name *entry = NULL;
  char label[TENON_LABEL];
  tenon_json text = tenon_json_get(at, "name");
  TENON_TRY(tenon_json_text(&text, &name));
  TENON_TRY(tenon_pt2_look(s, &text, name, &entry));
  *out = entry->value;
  tenon_label_make(label, tenon_text_of(name));
  switch (entry->kind) {
    case TENON_PT2_VALUE:
      return TENON_OK;
    case TENON_PT2_WEIGHT:
      return tenon_pt2_weight_value(s->im, entry->weight, out);
    case TENON_PT2_NOTHING:
      return tenon_json_fail(&text, TENON_UNSUPPORTED, "pt2-graph",
                             "'%s' is %s", label, entry->what);
    default:
      return fail(&text, "'%s' is a number, expected a tensor", label);
  }
}

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

static tenon_status make_results(tenon_pt2_scope *s) {
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

static tenon_status fill(tenon_pt2_scope *s, const tenon_pt2_node *n) {
  tenon_json inputs = tenon_json_get(&s->json, "inputs");
  TENON_TRY(tenon_json_array(&inputs));
  for (size_t i = 0; i < tenon_json_count(&inputs); ++i) {
    tenon_json input = tenon_json_item(&inputs, i);
    TENON_TRY(make_param(s, &input, i < n->n_carried));
  }
  TENON_TRY(tenon_pt2_autocast_params(s, n));
  TENON_TRY(tenon_pt2_nodes(s, 0, tenon_json_count(&s->nodes)));
  return make_results(s);
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
  if (status == TENON_OK) status = fill(&s, n);
  if (status == TENON_OK) status = tenon_pt2_autocast_ends(&s, n);
  tenon_pt2_forget(im, decided);
  tenon_pt2_scope_close(&s);
  return status;
}
