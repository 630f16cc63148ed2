// How: the signature says of each input of the graph what it is. What the user
// gives becomes a parameter, what the file holds a constant, or a state where
// the program changes it. Of the results, those that are new values of
// something are written back, and the others are the outputs.
#include "read/pt2/pt2_signature.h"
#include "reg/store.h"

#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "pt2-signature", __VA_ARGS__)

// ---------------------------------------------------------------------------
// Inputs
// ---------------------------------------------------------------------------

static tenon_status signature_no_memory(const tenon_pt2_signature *g) {
  return tenon_pt2_memory(g->scope->im);
}

static tenon_status add_param(tenon_pt2_signature *g, const tenon_json *at,
                              const char *name) {
  tenon_pt2_scope *s = g->scope;
  const tenon_type *type = NULL;
  tenon_pt2_name entry = {.kind = TENON_PT2_VALUE};
  s->im->mode = TENON_PT2_DEFINES;
  TENON_TRY(tenon_pt2_declared(s, name, &type));
  s->im->mode = TENON_PT2_USES;
  if (!type) return fail(at, "the graph does not say what type it has");
  tenon_loc loc = tenon_pt2_loc(s->im, "input", name);
  entry.value = tenon_build_param(s->graph, name, type, loc);
  if (!entry.value) return tenon_pt2_built(s->im);
  if (!tenon_vec_push(&g->input_names, name)) return signature_no_memory(g);
  return tenon_pt2_define(s, at, name, &entry);
}

// A number that the caller gives: a tensor without dimensions, of which a node
// makes the symbol that the graph knows it as.
static tenon_status signature_add_number(tenon_pt2_signature *g,
                                         const tenon_json *arg,
                                         const char *tag) {
  tenon_pt2_scope *s = g->scope;
  tenon_pt2 *im = s->im;
  const char *name = NULL;
  tenon_pt2_name entry;
  tenon_json at = tenon_json_get(arg, "as_name");
  if (!tenon_json_is(&at)) return TENON_OK;  // a literal
  TENON_TRY(tenon_json_text(&at, &name));
  bool is_int = strcmp(tag, "as_sym_int") == 0;
  size_t known = im->known.count;
  im->mode = TENON_PT2_DEFINES;
  TENON_TRY(tenon_pt2_number(s, &at, tag, name, &entry));
  im->mode = TENON_PT2_USES;
  const tenon_type type = {NULL, NULL, is_int ? TENON_S64 : TENON_F64, 0, 0};
  const tenon_arg *a = &entry.number;
  bool is_new = im->known.count == known + 1 && a->kind == TENON_KIND_DIMS;
  const tenon_symbol *leaf =
      is_new ? tenon_symbols_look(&im->m->symbols, a->as.dims.data[0].symbol)
             : NULL;
  if (strcmp(tag, "as_sym_bool") == 0 || !leaf || leaf->op != 0)
    return tenon_json_fail(&at, TENON_UNSUPPORTED, "pt2-signature",
                           "a number as input that is no symbol of its own");
  tenon_value *param = tenon_build_param(s->graph, name, &type,
                                         tenon_pt2_loc(im, "input", name));
  if (!param) return tenon_pt2_built(im);
  TENON_TRY(tenon_pt2_item(s, param, &a->as.dims.data[0].symbol, param->loc));
  if (!tenon_vec_push(&g->input_names, name)) return signature_no_memory(g);
  return tenon_pt2_define(s, &at, name, &entry);
}

static tenon_status read_user_input(tenon_pt2_signature *g,
                                    const tenon_json *spec,
                                    const tenon_json *input) {
  const char *tag = NULL, *name = NULL;
  tenon_json value;
  TENON_TRY(tenon_json_tag(tenon_json_at(spec, "arg"), &tag, &value));
  if (strcmp(tag, "as_tensor") == 0) {
    TENON_TRY(tenon_pt2_same_name(&value, input, &name));
    return add_param(g, &value, name);
  }
  if (strncmp(tag, "as_sym_", 7) == 0)
    return signature_add_number(g, &value, tag);
  if (strcmp(tag, "as_custom_obj") == 0)
    return tenon_json_fail(&value, TENON_UNSUPPORTED, "pt2-signature",
                           "an input that is an object is not supported");
  return TENON_OK;  // a literal: the program was made for it
}

// A state begins as the file has it and is read before all else.
static tenon_status signature_add_state(tenon_pt2_signature *g,
                                        tenon_pt2_weight *w,
                                        tenon_value **out) {
  tenon_pt2_scope *s = g->scope;
  tenon_pt2 *im = s->im;
  tenon_bytes bytes = {NULL, 0};
  int32_t dims[TENON_MAX_RANK];
  TENON_TRY(tenon_pt2_weight_data(im, w, &bytes));
  for (int i = 0; i < w->type.rank; ++i)
    dims[i] = (int32_t)w->type.dims[i].value;
  tenon_tensor initial = {.data = (void *)(uintptr_t)bytes.data,
                          .dims = dims,
                          .dtype = w->type.dtype,
                          .rank = w->type.rank};
  tenon_state state = {w->name, w->type, &initial, w->loc, true};
  if (!tenon_build_state(im->m, &state)) return tenon_pt2_built(im);
  *out = tenon_build_state_read(s->graph, NULL, w->name, &w->type, w->name,
                                w->loc);
  return *out ? TENON_OK : tenon_pt2_built(im);
}

static tenon_status read_weight(tenon_pt2_signature *g, const tenon_json *spec,
                                const tenon_json *input, const char *key) {
  tenon_pt2_scope *s = g->scope;
  const char *name = NULL, *weight = NULL;
  const tenon_type *type = NULL;
  bool is_constant = strcmp(key, "tensor_constant_name") == 0;
  tenon_json arg = tenon_json_get(spec, "arg");
  tenon_json at = tenon_json_get(spec, key);
  tenon_json persistent = tenon_json_get(spec, "persistent");
  tenon_pt2_name entry = {.kind = TENON_PT2_WEIGHT};
  TENON_TRY(tenon_pt2_same_name(&arg, input, &name));
  TENON_TRY(tenon_json_text(&at, &weight));
  if (tenon_json_is(&persistent))
    is_constant |= json_is_false(persistent.value);
  TENON_TRY(tenon_pt2_declared(s, name, &type));
  TENON_TRY(tenon_pt2_weight_find(s->im, &at, weight, is_constant, type,
                                  &entry.weight));
  if (tenon_map_find_text(&g->states, weight) ||
      tenon_map_find_text(&g->written, name)) {
    entry.kind = TENON_PT2_VALUE;
    entry.weight->is_state = true;
    TENON_TRY(signature_add_state(g, entry.weight, &entry.value));
  }
  if (!tenon_vec_push(&g->weights, entry.weight)) return signature_no_memory(g);
  return tenon_pt2_define(s, &arg, name, &entry);
}

static tenon_status read_nothing(tenon_pt2_signature *g, const tenon_json *spec,
                                 const tenon_json *input, const char *what) {
  const char *name = NULL;
  tenon_json arg = tenon_json_get(spec, "arg");
  tenon_pt2_name entry = {.kind = TENON_PT2_NOTHING, .what = what};
  TENON_TRY(tenon_pt2_same_name(&arg, input, &name));
  return tenon_pt2_define(g->scope, &arg, name, &entry);
}

static tenon_status read_input(tenon_pt2_signature *g, size_t i) {
  const char *tag = NULL;
  tenon_json spec;
  tenon_json at = tenon_json_item(&g->input_specs, i);
  tenon_json input = tenon_json_item(&g->inputs, i);
  TENON_TRY(tenon_json_tag(&at, &tag, &spec));
  if (strcmp(tag, "user_input") == 0) return read_user_input(g, &spec, &input);
  if (strcmp(tag, "parameter") == 0)
    return read_weight(g, &spec, &input, "parameter_name");
  if (strcmp(tag, "buffer") == 0)
    return read_weight(g, &spec, &input, "buffer_name");
  if (strcmp(tag, "tensor_constant") == 0)
    return read_weight(g, &spec, &input, "tensor_constant_name");
  if (strcmp(tag, "constant_input") == 0) return TENON_OK;
  if (strcmp(tag, "token") == 0)
    return read_nothing(g, &spec, &input, "a token of effects");
  if (strcmp(tag, "custom_obj") == 0)
    return read_nothing(g, &spec, &input, "a custom object");
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(tag));
  return fail(&at, "there is no kind of input '%s'", label);
}

// ---------------------------------------------------------------------------
// The program
// ---------------------------------------------------------------------------

static tenon_status check_counts(const tenon_pt2_signature *g) {
  TENON_TRY(tenon_json_array(&g->inputs));
  TENON_TRY(tenon_json_array(&g->outputs));
  TENON_TRY(tenon_json_array(&g->input_specs));
  TENON_TRY(tenon_json_array(&g->output_specs));
  if (tenon_json_count(&g->inputs) != tenon_json_count(&g->input_specs))
    return fail(
        &g->input_specs, "describes %zu inputs, expected %zu as the graph has",
        tenon_json_count(&g->input_specs), tenon_json_count(&g->inputs));
  if (tenon_json_count(&g->outputs) != tenon_json_count(&g->output_specs))
    return fail(&g->output_specs,
                "describes %zu outputs, expected %zu as the graph has",
                tenon_json_count(&g->output_specs),
                tenon_json_count(&g->outputs));
  return TENON_OK;
}

// Each state has memory of its own. What is written in one of two that share
// theirs would have to arrive in the other.
static tenon_status check_shared(const tenon_pt2_signature *g) {
  const tenon_pt2 *im = g->scope->im;
  for (size_t i = 0; i < g->weights.count; ++i) {
    const tenon_pt2_weight *w = g->weights.data[i];
    for (size_t k = 0; w->is_state && k < g->weights.count; ++k) {
      const tenon_pt2_weight *other = g->weights.data[k];
      bool is_read = other->value || (other->is_state && k < i);
      if (k == i || !is_read || !tenon_pt2_weights_overlap(w, other)) continue;
      return tenon_fail(
          &im->m->report, TENON_UNSUPPORTED, "pt2-weights",
          tenon_locs_place(&im->m->locs, w->loc),
          "the program writes '%s', which shares memory with '%s'; make one a "
          "view of the other in forward()",
          w->name, other->name);
    }
  }
  return TENON_OK;
}

// The values of written inputs stand behind the outputs.
static tenon_status signature_build_entry(tenon_pt2_signature *g) {
  tenon_graph *graph = g->scope->graph;
  for (size_t i = 0; i < g->written_to.count; ++i) {
    if (!tenon_vec_push(&g->results, g->written_to.data[i]))
      return signature_no_memory(g);
  }
  bool done =
      tenon_build_results(graph, g->results.data, (uint32_t)g->results.count,
                          graph->loc) &&
      tenon_build_entry_writing(graph->module, graph->name, graph,
                                g->input_names.data, g->output_names.data,
                                g->writes.data, (uint32_t)g->writes.count);
  return done ? TENON_OK : tenon_pt2_built(g->scope->im);
}

static tenon_status signature_fill(tenon_pt2_signature *g) {
  tenon_pt2_scope *s = g->scope;
  TENON_TRY(check_counts(g));
  TENON_TRY(tenon_pt2_find_states(g));
  TENON_TRY(tenon_pt2_find_written(s, &g->written));
  s->im->has_writes = g->written.count > 0;
  for (size_t i = 0; i < tenon_json_count(&g->inputs); ++i)
    TENON_TRY(read_input(g, i));
  TENON_TRY(tenon_pt2_guards(g));
  TENON_TRY(tenon_pt2_nodes(s, 0, tenon_json_count(&s->nodes)));
  TENON_TRY(tenon_pt2_range_guards(s->im, true));
  for (size_t i = 0; i < tenon_json_count(&g->outputs); ++i)
    TENON_TRY(tenon_pt2_output(g, i));
  TENON_TRY(check_shared(g));
  return signature_build_entry(g);
}

static tenon_status read_signature(tenon_pt2_scope *s,
                                   const tenon_json *module) {
  tenon_json spec = tenon_json_get(module, "signature");
  tenon_allocator allocator = s->im->cx->allocator;
  tenon_pt2_signature g;
  memset(&g, 0, sizeof g);
  g.scope = s;
  TENON_TRY(tenon_json_object(&spec));
  g.inputs = tenon_json_get(&s->json, "inputs");
  g.outputs = tenon_json_get(&s->json, "outputs");
  g.input_specs = tenon_json_get(&spec, "input_specs");
  g.output_specs = tenon_json_get(&spec, "output_specs");
  tenon_map_init(&g.states, allocator);
  tenon_map_init(&g.outs, allocator);
  tenon_map_init(&g.written, allocator);
  tenon_vec_init(&g.writes, allocator);
  tenon_vec_init(&g.written_to, allocator);
  tenon_vec_init(&g.copied, allocator);
  tenon_vec_init(&g.weights, allocator);
  tenon_vec_init(&g.input_names, allocator);
  tenon_vec_init(&g.output_names, allocator);
  tenon_vec_init(&g.results, allocator);
  tenon_status status = signature_fill(&g);
  tenon_vec_deinit(&g.results);
  tenon_vec_deinit(&g.output_names);
  tenon_vec_deinit(&g.input_names);
  tenon_vec_deinit(&g.weights);
  tenon_vec_deinit(&g.written_to);
  tenon_vec_deinit(&g.copied);
  tenon_vec_deinit(&g.writes);
  tenon_map_deinit(&g.written);
  tenon_map_deinit(&g.outs);
  tenon_map_deinit(&g.states);
  return status;
}

tenon_status tenon_pt2_program(tenon_pt2 *im) {
  tenon_pt2_scope s;
  im->region = tenon_pt2_region;
  im->nodes = tenon_pt2_nodes;
  tenon_json root = tenon_json_root(&im->program);
  tenon_json module = tenon_json_get(&root, "graph_module");
  tenon_json graph = tenon_json_get(&module, "graph");
  TENON_TRY(tenon_json_object(&module));
  TENON_TRY(tenon_json_object(&graph));
  tenon_loc loc = tenon_pt2_loc(im, "program", im->name);
  const char *name = im->n_programs == 1 ? "main" : im->name;
  name = tenon_read_unique(&im->m->arena, &im->unique, name);
  tenon_graph *g = name ? tenon_build_function(im->m, name, loc) : NULL;
  if (!g) return tenon_pt2_memory(im);
  tenon_status status = tenon_pt2_scope_open(&s, im, g, &graph, "");
  if (status == TENON_OK) status = read_signature(&s, &module);
  tenon_pt2_scope_close(&s);
  if (status == TENON_OK) status = tenon_pt2_call(im, &module, g->name);
  return status;
}
