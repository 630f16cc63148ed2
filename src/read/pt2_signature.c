// How: the signature says of each input of the graph what it is. What the user
// gives becomes a parameter, what the file holds a constant, or a state where
// the program changes it. Of the results, those that are new values of
// something are written back, and the others are the outputs.
#include "read/pt2_import.h"
#include "reg/store.h"

static tenon_status fail(const tenon_json *at, const char *fmt, ...)
    TENON_PRINTF(2, 3);
static tenon_status fail(const tenon_json *at, const char *fmt, ...) {
  tenon_place place = tenon_json_place(at);
  va_list args;
  va_start(args, fmt);
  tenon_status status = tenon_vfail(at->doc->report, TENON_BAD_MODEL,
                                    "pt2-signature", &place, NULL, fmt, args);
  va_end(args);
  return status;
}

typedef struct signature {
  tenon_pt2_scope *scope;
  tenon_json inputs, outputs;            // of the graph
  tenon_json input_specs, output_specs;  // of the signature
  tenon_map states;                      // names of buffers that change, to 1
  tenon_map written;                     // names of the graph that it writes
  tenon_map outs;                        // names of outputs that are taken
  TENON_VEC(const char *) input_names;
  TENON_VEC(const char *) output_names;
  TENON_VEC(tenon_value *) results;
  TENON_VEC(uint16_t) writes;           // parameters that are written
  TENON_VEC(tenon_value *) written_to;  // and what into them
} signature;

// ---------------------------------------------------------------------------
// Inputs
// ---------------------------------------------------------------------------

static tenon_status no_memory(const signature *g) {
  return tenon_pt2_memory(g->scope->im);
}

static tenon_status add_write(signature *g, uint16_t param,
                              tenon_value *value) {
  bool done = tenon_vec_push(&g->writes, param) &&
              tenon_vec_push(&g->written_to, value);
  return done ? TENON_OK : no_memory(g);
}

static tenon_status add_param(signature *g, const tenon_json *at,
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
  if (!tenon_vec_push(&g->input_names, name)) return no_memory(g);
  if (tenon_map_find_text(&g->written, name))
    TENON_TRY(add_write(g, (uint16_t)(s->graph->n_params - 1u), entry.value));
  return tenon_pt2_define(s, at, name, &entry);
}

// The same name stands in the signature and in the graph.
static tenon_status check_name(const tenon_json *spec, const tenon_json *input,
                               const char **out) {
  const char *tag = NULL, *in_graph = NULL;
  tenon_json value;
  tenon_json at = tenon_json_get(spec, "name");
  TENON_TRY(tenon_json_tag(input, &tag, &value));
  tenon_json other = tenon_json_get(&value, "name");
  if (!tenon_json_is(&other)) other = tenon_json_get(&value, "as_name");
  TENON_TRY(tenon_json_text(&at, out));
  TENON_TRY(tenon_json_text(&other, &in_graph));
  if (strcmp(*out, in_graph) == 0) return TENON_OK;
  char a[TENON_LABEL], b[TENON_LABEL];
  tenon_label_make(a, tenon_text_of(*out));
  tenon_label_make(b, tenon_text_of(in_graph));
  return fail(&at, "is '%s', where the graph has '%s'", a, b);
}

static tenon_status read_user_input(signature *g, const tenon_json *spec,
                                    const tenon_json *input) {
  const char *tag = NULL, *name = NULL;
  tenon_json value;
  tenon_json arg = tenon_json_get(spec, "arg");
  TENON_TRY(tenon_json_tag(&arg, &tag, &value));
  if (strcmp(tag, "as_tensor") == 0) {
    TENON_TRY(check_name(&value, input, &name));
    return add_param(g, &value, name);
  }
  if (strncmp(tag, "as_sym_", 7) == 0)
    return tenon_json_fail(&value, TENON_UNSUPPORTED, "pt2-signature",
                           "an input that is a number is not supported yet");
  if (strcmp(tag, "as_custom_obj") == 0)
    return tenon_json_fail(&value, TENON_UNSUPPORTED, "pt2-signature",
                           "an input that is an object is not supported");
  return TENON_OK;  // a literal: the program was made for it
}

// A state begins as the file has it and is read before all else.
static tenon_status add_state(signature *g, tenon_pt2_weight *w,
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
  tenon_state state = {w->name, w->type, &initial, w->loc};
  if (!tenon_build_state(im->m, &state)) return tenon_pt2_built(im);
  const tenon_type *type = &w->type;
  tenon_arg args[] = {tenon_arg_str("state", w->name), TENON_END_ARGS};
  tenon_node_spec spec = {.op = tenon_module_op(im->m, "core::state_read"),
                          .args = args,
                          .n_out = 1,
                          .types = &type,
                          .names = &w->name,
                          .loc = w->loc};
  tenon_node *node = spec.op ? tenon_build_node(s->graph, NULL, &spec) : NULL;
  *out = node ? node->out[0] : NULL;
  return node ? TENON_OK : tenon_pt2_built(im);
}

static tenon_status read_weight(signature *g, const tenon_json *spec,
                                const tenon_json *input, const char *key) {
  tenon_pt2_scope *s = g->scope;
  const char *name = NULL, *weight = NULL;
  const tenon_type *type = NULL;
  bool is_constant = strcmp(key, "tensor_constant_name") == 0;
  tenon_json arg = tenon_json_get(spec, "arg");
  tenon_json at = tenon_json_get(spec, key);
  tenon_json persistent = tenon_json_get(spec, "persistent");
  tenon_pt2_name entry = {.kind = TENON_PT2_WEIGHT};
  TENON_TRY(check_name(&arg, input, &name));
  TENON_TRY(tenon_json_text(&at, &weight));
  if (tenon_json_is(&persistent))
    is_constant |= json_is_false(persistent.value);
  TENON_TRY(tenon_pt2_declared(s, name, &type));
  TENON_TRY(tenon_pt2_weight_find(s->im, &at, weight, is_constant, type,
                                  &entry.weight));
  if (tenon_map_find_text(&g->states, weight) ||
      tenon_map_find_text(&g->written, name)) {
    entry.kind = TENON_PT2_VALUE;
    TENON_TRY(add_state(g, entry.weight, &entry.value));
  }
  return tenon_pt2_define(s, &arg, name, &entry);
}

static tenon_status read_nothing(signature *g, const tenon_json *spec,
                                 const tenon_json *input, const char *what) {
  const char *name = NULL;
  tenon_json arg = tenon_json_get(spec, "arg");
  tenon_pt2_name entry = {.kind = TENON_PT2_NOTHING, .what = what};
  TENON_TRY(check_name(&arg, input, &name));
  return tenon_pt2_define(g->scope, &arg, name, &entry);
}

static tenon_status read_input(signature *g, size_t i) {
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
// Outputs
// ---------------------------------------------------------------------------

static tenon_status write_state(signature *g, const tenon_json *spec,
                                const char *key) {
  tenon_pt2_scope *s = g->scope;
  tenon_pt2 *im = s->im;
  const char *name = NULL;
  tenon_value *value = NULL;
  tenon_json arg = tenon_json_get(spec, "arg");
  tenon_json at = tenon_json_get(spec, key);
  TENON_TRY(tenon_json_text(&at, &name));
  TENON_TRY(tenon_pt2_tensor(s, &arg, &value));
  int state = tenon_module_find_state(im->m, name);
  if (state < 0) {
    char label[TENON_LABEL];
    tenon_label_make(label, tenon_text_of(name));
    return fail(&at, "the program has no buffer '%s'", label);
  }
  tenon_arg args[] = {tenon_arg_str("state", name), TENON_END_ARGS};
  tenon_node_spec node = {.op = tenon_module_op(im->m, "core::state_write"),
                          .args = args,
                          .in = &value,
                          .n_in = 1,
                          .loc = im->m->states.data[state].loc};
  bool done = node.op && tenon_build_node(s->graph, NULL, &node);
  return done ? TENON_OK : tenon_pt2_built(im);
}

// What a parameter holds after the run.
static tenon_status write_input(signature *g, const tenon_json *spec) {
  tenon_pt2_scope *s = g->scope;
  const char *name = NULL;
  tenon_value *value = NULL;
  tenon_json arg = tenon_json_get(spec, "arg");
  tenon_json at = tenon_json_get(spec, "user_input_name");
  TENON_TRY(tenon_json_text(&at, &name));
  TENON_TRY(tenon_pt2_tensor(s, &arg, &value));
  for (uint16_t i = 0; i < g->input_names.count; ++i) {
    if (strcmp(g->input_names.data[i], name) == 0)
      return add_write(g, i, value);
  }
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(name));
  return fail(&at, "the program has no input '%s'", label);
}

static tenon_status add_output(signature *g, const char *name,
                               tenon_value *value) {
  tenon_pt2 *im = g->scope->im;
  const char *unique = tenon_pt2_unique(im, &g->outs, name);
  bool done = unique && tenon_vec_push(&g->output_names, unique) &&
              tenon_vec_push(&g->results, value);
  return done ? TENON_OK : no_memory(g);
}

// None and text are no tensors and no outputs; numbers are.
static tenon_status read_user_output(signature *g, size_t i,
                                     const tenon_json *spec) {
  tenon_pt2_scope *s = g->scope;
  const char *tag = NULL, *name = NULL;
  tenon_value *value = NULL;
  tenon_json inner;
  tenon_arg number;
  tenon_json arg = tenon_json_get(spec, "arg");
  TENON_TRY(tenon_json_tag(&arg, &tag, &inner));
  if (strcmp(tag, "as_none") == 0 || strcmp(tag, "as_string") == 0)
    return TENON_OK;
  if (strcmp(tag, "as_tensor") == 0) {
    tenon_json at = tenon_json_get(&inner, "name");
    TENON_TRY(tenon_json_text(&at, &name));
    TENON_TRY(tenon_pt2_tensor(s, &inner, &value));
    return add_output(g, name, value);
  }
  TENON_TRY(tenon_pt2_attribute(s, tag, &inner, &number));
  tenon_buf_clear(&s->im->text);
  tenon_buf_format(&s->im->text, "output_%zu", i);
  if (s->im->text.failed) return no_memory(g);
  char *own =
      tenon_arena_text(&s->im->scratch, s->im->text.data, s->im->text.size);
  if (!own) return no_memory(g);
  TENON_TRY(tenon_pt2_number_value(
      s, &arg, &number, 0, tenon_pt2_loc(s->im, "output", own), &value));
  return add_output(g, own, value);
}

// The signature and the graph say the same of an output.
static tenon_status check_output(const tenon_json *spec,
                                 const tenon_json *output) {
  const char *tag = NULL, *name = NULL;
  tenon_json value, inner;
  tenon_json arg = tenon_json_get(spec, "arg");
  tenon_json at = tenon_json_get(&arg, "name");
  TENON_TRY(tenon_json_tag(output, &tag, &value));
  if (tenon_json_is(&at)) return check_name(&arg, output, &name);
  TENON_TRY(tenon_json_tag(&arg, &tag, &inner));
  at = tenon_json_get(&inner, "name");
  if (tenon_json_is(&at)) return check_name(&inner, output, &name);
  if (json_equal((json_t *)(uintptr_t)arg.value,
                 (json_t *)(uintptr_t)output->value))
    return TENON_OK;
  return fail(&arg, "is not what the graph has");
}

static tenon_status read_output(signature *g, size_t i) {
  const char *tag = NULL;
  tenon_json spec;
  tenon_json at = tenon_json_item(&g->output_specs, i);
  tenon_json output = tenon_json_item(&g->outputs, i);
  TENON_TRY(tenon_json_tag(&at, &tag, &spec));
  TENON_TRY(check_output(&spec, &output));
  if (strcmp(tag, "user_output") == 0 || strcmp(tag, "loss_output") == 0)
    return read_user_output(g, i, &spec);
  if (strcmp(tag, "buffer_mutation") == 0)
    return write_state(g, &spec, "buffer_name");
  if (strcmp(tag, "parameter_mutation") == 0)
    return write_state(g, &spec, "parameter_name");
  if (strcmp(tag, "user_input_mutation") == 0) return write_input(g, &spec);
  if (strcmp(tag, "token") == 0) return TENON_OK;
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(tag));
  if (strncmp(tag, "gradient_to_", 12) == 0)
    return tenon_json_fail(&at, TENON_UNSUPPORTED, "pt2-signature",
                           "an output of the kind '%s' is not supported",
                           label);
  return fail(&at, "there is no kind of output '%s'", label);
}

// ---------------------------------------------------------------------------
// The program
// ---------------------------------------------------------------------------

// Buffers that an output says are changed.
static tenon_status find_states(signature *g) {
  static const char *const tags[] = {"buffer_mutation", "parameter_mutation"};
  static const char *const keys[] = {"buffer_name", "parameter_name"};
  for (size_t i = 0; i < tenon_json_count(&g->output_specs); ++i) {
    tenon_json at = tenon_json_item(&g->output_specs, i);
    for (int k = 0; k < 2; ++k) {
      const char *name = NULL;
      tenon_json spec = tenon_json_get(&at, tags[k]);
      tenon_json name_at = tenon_json_get(&spec, keys[k]);
      if (!tenon_json_is(&spec)) continue;
      TENON_TRY(tenon_json_text(&name_at, &name));
      if (!tenon_map_put_text(&g->states, name, 1, NULL)) return no_memory(g);
    }
  }
  return TENON_OK;
}

static tenon_status check_counts(const signature *g) {
  TENON_TRY(tenon_json_array(&g->inputs));
  TENON_TRY(tenon_json_array(&g->outputs));
  TENON_TRY(tenon_json_array(&g->input_specs));
  TENON_TRY(tenon_json_array(&g->output_specs));
  if (tenon_json_count(&g->inputs) != tenon_json_count(&g->input_specs))
    return fail(&g->input_specs, "describes %zu inputs, the graph has %zu",
                tenon_json_count(&g->input_specs),
                tenon_json_count(&g->inputs));
  if (tenon_json_count(&g->outputs) != tenon_json_count(&g->output_specs))
    return fail(&g->output_specs, "describes %zu outputs, the graph has %zu",
                tenon_json_count(&g->output_specs),
                tenon_json_count(&g->outputs));
  return TENON_OK;
}

// The values of written inputs stand behind the outputs.
static tenon_status build_entry(signature *g) {
  tenon_graph *graph = g->scope->graph;
  for (size_t i = 0; i < g->written_to.count; ++i) {
    if (!tenon_vec_push(&g->results, g->written_to.data[i]))
      return no_memory(g);
  }
  bool done =
      tenon_build_results(graph, g->results.data, (uint32_t)g->results.count,
                          graph->loc) &&
      tenon_build_entry_writing(graph->module, graph->name, graph,
                                g->input_names.data, g->output_names.data,
                                g->writes.data, (uint32_t)g->writes.count);
  return done ? TENON_OK : tenon_pt2_built(g->scope->im);
}

static tenon_status fill(signature *g) {
  tenon_pt2_scope *s = g->scope;
  TENON_TRY(check_counts(g));
  TENON_TRY(find_states(g));
  TENON_TRY(tenon_pt2_find_written(s, &g->written));
  for (size_t i = 0; i < tenon_json_count(&g->inputs); ++i)
    TENON_TRY(read_input(g, i));
  TENON_TRY(tenon_pt2_nodes(s));
  for (size_t i = 0; i < tenon_json_count(&g->outputs); ++i)
    TENON_TRY(read_output(g, i));
  return build_entry(g);
}

static tenon_status read_signature(tenon_pt2_scope *s,
                                   const tenon_json *module) {
  tenon_json spec = tenon_json_get(module, "signature");
  tenon_allocator allocator = s->im->cx->allocator;
  signature g;
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
  tenon_vec_init(&g.input_names, allocator);
  tenon_vec_init(&g.output_names, allocator);
  tenon_vec_init(&g.results, allocator);
  tenon_status status = fill(&g);
  tenon_vec_deinit(&g.results);
  tenon_vec_deinit(&g.output_names);
  tenon_vec_deinit(&g.input_names);
  tenon_vec_deinit(&g.written_to);
  tenon_vec_deinit(&g.writes);
  tenon_map_deinit(&g.written);
  tenon_map_deinit(&g.outs);
  tenon_map_deinit(&g.states);
  return status;
}

tenon_status tenon_pt2_program(tenon_pt2 *im) {
  tenon_pt2_scope s;
  tenon_json root = tenon_json_root(&im->program);
  tenon_json module = tenon_json_get(&root, "graph_module");
  tenon_json graph = tenon_json_get(&module, "graph");
  TENON_TRY(tenon_json_object(&module));
  TENON_TRY(tenon_json_object(&graph));
  tenon_loc loc = tenon_pt2_loc(im, "program", im->name);
  const char *name = im->n_programs == 1 ? "main" : im->name;
  name = tenon_pt2_unique(im, &im->unique, name);
  tenon_graph *g = name ? tenon_build_function(im->m, name, loc) : NULL;
  if (!g) return tenon_pt2_memory(im);
  tenon_status status = tenon_pt2_scope_open(&s, im, g, &graph, "");
  if (status == TENON_OK) status = read_signature(&s, &module);
  tenon_pt2_scope_close(&s);
  return status;
}
