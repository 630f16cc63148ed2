// How: of the results of the graph, those that are new values of a buffer or of
// an input are written back, and the others are the outputs. Numbers are
// tensors without dimensions; None and text are no outputs.
#include "read/pt2/pt2_signature.h"

#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "pt2-signature", __VA_ARGS__)

static tenon_status outputs_no_memory(const tenon_pt2_signature *g) {
  return tenon_pt2_memory(g->scope->im);
}

tenon_status tenon_pt2_add_write(tenon_pt2_signature *g, uint16_t param,
                                 tenon_value *value) {
  bool done = tenon_vec_push(&g->writes, param) &&
              tenon_vec_push(&g->written_to, value);
  return done ? TENON_OK : outputs_no_memory(g);
}

// The same name stands in the signature and in the graph.
tenon_status tenon_pt2_same_name(const tenon_json *spec,
                                 const tenon_json *input, const char **out) {
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
  return fail(&at, "is '%s', expected '%s' as the graph has it", a, b);
}

static bool same_sizes(const tenon_type *a, const tenon_type *b) {
  bool is_same = a->rank == b->rank;
  for (int i = 0; is_same && i < a->rank; ++i)
    is_same = tenon_dim_equals(a->dims[i], b->dims[i]);
  return is_same;
}

static tenon_status outputs_convert(tenon_pt2_scope *s, const tenon_type *there,
                                    tenon_value **value) {
  tenon_type plain = (*value)->type;
  tenon_arg cast[] = {{"dtype", TENON_KIND_DTYPE, {0}},
                      tenon_arg_bool("wrap", true),
                      TENON_END_ARGS};
  tenon_arg expand[] = {tenon_arg_dims("shape", there->dims, there->rank),
                        TENON_END_ARGS};
  cast[0].as.i = plain.dtype = there->dtype;
  if ((*value)->type.dtype != there->dtype)
    TENON_TRY(
        tenon_pt2_convert(s, "core::cast", cast, &plain, (*value)->loc, value));
  if (same_sizes(&plain, there)) return TENON_OK;
  return tenon_pt2_convert(s, "core::expand", expand, there, (*value)->loc,
                           value);
}

// What is written back takes type and shape of what is there, as torch's
// `copy_` gives them: decomposed programs have no node that says so.
static tenon_status as_copied(tenon_pt2_signature *g, const tenon_type *there,
                              tenon_value **value) {
  tenon_value *from = *value;
  TENON_TRY(outputs_convert(g->scope, there, value));
  if (from == *value) return TENON_OK;
  bool done =
      tenon_vec_push(&g->copied, from) && tenon_vec_push(&g->copied, *value);
  return done ? TENON_OK : outputs_no_memory(g);
}

// Of what is an output, too, torch gives what it was written into.
static tenon_value *as_given(const tenon_pt2_signature *g, tenon_value *value) {
  tenon_value *given = value;
  for (size_t i = 0; i < g->copied.count; i += 2)
    if (g->copied.data[i] == value) given = g->copied.data[i + 1];
  return given;
}

static tenon_status write_state(tenon_pt2_signature *g, const tenon_json *spec,
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
  TENON_TRY(as_copied(g, &im->m->states.data[state].type, &value));
  return tenon_build_state_write(s->graph, NULL, name, value,
                                 im->m->states.data[state].loc)
             ? TENON_OK
             : tenon_pt2_built(im);
}

// What a parameter holds after the run.
static tenon_status write_input(tenon_pt2_signature *g,
                                const tenon_json *spec) {
  tenon_pt2_scope *s = g->scope;
  const char *name = NULL;
  tenon_value *value = NULL;
  tenon_json arg = tenon_json_get(spec, "arg");
  tenon_json at = tenon_json_get(spec, "user_input_name");
  TENON_TRY(tenon_json_text(&at, &name));
  TENON_TRY(tenon_pt2_tensor(s, &arg, &value));
  for (uint16_t i = 0; i < g->input_names.count; ++i) {
    if (strcmp(g->input_names.data[i], name) != 0) continue;
    TENON_TRY(as_copied(g, &s->graph->params[i]->type, &value));
    return tenon_pt2_add_write(g, i, value);
  }
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(name));
  return fail(&at, "the program has no input '%s'", label);
}

static tenon_status outputs_add_output(tenon_pt2_signature *g, const char *name,
                                       tenon_value *value) {
  tenon_pt2 *im = g->scope->im;
  const char *unique = tenon_read_unique(&im->m->arena, &g->outs, name);
  bool done = unique && tenon_vec_push(&g->output_names, unique) &&
              tenon_vec_push(&g->results, value);
  return done ? TENON_OK : outputs_no_memory(g);
}

// None and text are no tensors and no outputs; numbers are.
static tenon_status read_user_output(tenon_pt2_signature *g, size_t i,
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
    TENON_TRY(tenon_json_text(tenon_json_at(&inner, "name"), &name));
    TENON_TRY(tenon_pt2_tensor(s, &inner, &value));
    return outputs_add_output(g, name, as_given(g, value));
  }
  TENON_TRY(tenon_pt2_attribute(s, tag, &inner, &number));
  tenon_buf_clear(&s->im->text);
  tenon_buf_format(&s->im->text, "output_%zu", i);
  if (s->im->text.failed) return outputs_no_memory(g);
  char *own =
      tenon_arena_text(&s->im->scratch, s->im->text.data, s->im->text.size);
  if (!own) return outputs_no_memory(g);
  TENON_TRY(tenon_pt2_number_value(
      s, &arg, &number, 0, tenon_pt2_loc(s->im, "output", own), &value));
  return outputs_add_output(g, own, value);
}

// The signature and the graph say the same of an output.
static tenon_status outputs_check_output(const tenon_json *spec,
                                         const tenon_json *output) {
  const char *tag = NULL, *name = NULL;
  tenon_json value, inner;
  tenon_json arg = tenon_json_get(spec, "arg");
  tenon_json at = tenon_json_get(&arg, "name");
  TENON_TRY(tenon_json_tag(output, &tag, &value));
  if (tenon_json_is(&at)) return tenon_pt2_same_name(&arg, output, &name);
  TENON_TRY(tenon_json_tag(&arg, &tag, &inner));
  at = tenon_json_get(&inner, "name");
  if (tenon_json_is(&at)) return tenon_pt2_same_name(&inner, output, &name);
  if (json_equal((json_t *)(uintptr_t)arg.value,
                 (json_t *)(uintptr_t)output->value))
    return TENON_OK;
  return fail(&arg, "is not what the graph has");
}

tenon_status tenon_pt2_output(tenon_pt2_signature *g, size_t i) {
  const char *tag = NULL;
  tenon_json spec;
  tenon_json at = tenon_json_item(&g->output_specs, i);
  tenon_json output = tenon_json_item(&g->outputs, i);
  TENON_TRY(tenon_json_tag(&at, &tag, &spec));
  TENON_TRY(outputs_check_output(&spec, &output));
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

// Buffers that an output says are changed.
tenon_status tenon_pt2_find_states(tenon_pt2_signature *g) {
  static const char *const tags[] = {"buffer_mutation", "parameter_mutation"};
  static const char *const keys[] = {"buffer_name", "parameter_name"};
  for (size_t i = 0; i < tenon_json_count(&g->output_specs); ++i) {
    tenon_json at = tenon_json_item(&g->output_specs, i);
    for (int k = 0; k < 2; ++k) {
      const char *name = NULL;
      tenon_json spec = tenon_json_get(&at, tags[k]);
      if (!tenon_json_is(&spec)) continue;
      TENON_TRY(tenon_json_text(tenon_json_at(&spec, keys[k]), &name));
      if (!tenon_map_put_text(&g->states, name, 1, NULL))
        return outputs_no_memory(g);
    }
  }
  return TENON_OK;
}
