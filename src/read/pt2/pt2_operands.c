// How: with a schema, arguments of the file are sorted into its places: by
// name, or by position where the file gives none, as for higher-order
// operators, whose graphs do not count. What is missing is left to defaults,
// which the builder fills in. Without a schema, arguments stay in the order of
// the file.
#include "read/pt2/pt2_import.h"

#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "pt2-argument", __VA_ARGS__)

static bool is_one_of(const char *tag, const char *const *tags) {
  for (; *tags; ++tags) {
    if (strcmp(tag, *tags) == 0) return true;
  }
  return false;
}

bool tenon_pt2_is_tensors(const char *tag) {
  static const char *const tags[] = {"as_tensor", "as_optional_tensor",
                                     "as_tensors", "as_optional_tensors", NULL};
  return is_one_of(tag, tags);
}

static bool is_number_tag(const char *tag) {
  static const char *const tags[] = {
      "as_int",       "as_float",    "as_bool",    "as_sym_int",
      "as_sym_float", "as_sym_bool", "as_complex", NULL};
  return is_one_of(tag, tags);
}

// ---------------------------------------------------------------------------
// Operands
// ---------------------------------------------------------------------------

tenon_status tenon_pt2_push(tenon_pt2_node *n, tenon_value *value) {
  tenon_pt2 *im = n->scope->im;
  if (im->in.count == UINT16_MAX)
    return fail(&n->json, "more than %d operands", UINT16_MAX);
  return tenon_vec_push(&im->in, value) ? TENON_OK : tenon_pt2_memory(im);
}

tenon_status tenon_pt2_end_group(tenon_pt2_node *n) {
  tenon_pt2 *im = n->scope->im;
  bool done = tenon_vec_push(&im->groups, (uint16_t)im->in.count);
  return done ? TENON_OK : tenon_pt2_memory(im);
}

static tenon_status push_tensor(tenon_pt2_node *n, const tenon_json *at) {
  tenon_value *value = NULL;
  TENON_TRY(tenon_pt2_tensor(n->scope, at, &value));
  return tenon_pt2_push(n, value);
}

static tenon_status push_optional(tenon_pt2_node *n, const tenon_json *at) {
  const char *tag = NULL;
  tenon_json value;
  TENON_TRY(tenon_json_tag(at, &tag, &value));
  if (strcmp(tag, "as_none") == 0) return tenon_pt2_push(n, NULL);
  if (strcmp(tag, "as_tensor") == 0) return push_tensor(n, &value);
  return fail(at, "expected as_tensor or as_none");
}

static tenon_status push_list(tenon_pt2_node *n, const tenon_json *list,
                              bool is_optional) {
  TENON_TRY(tenon_json_array(list));
  for (size_t i = 0; i < tenon_json_count(list); ++i) {
    tenon_json item = tenon_json_item(list, i);
    TENON_TRY(is_optional ? push_optional(n, &item) : push_tensor(n, &item));
  }
  return TENON_OK;
}

tenon_status tenon_pt2_push_tensors(tenon_pt2_node *n, const char *tag,
                                    const tenon_json *value) {
  if (strcmp(tag, "as_tensor") == 0) return push_tensor(n, value);
  if (strcmp(tag, "as_optional_tensor") == 0) return push_optional(n, value);
  return push_list(n, value, strcmp(tag, "as_optional_tensors") == 0);
}

tenon_status tenon_pt2_convert(tenon_pt2_scope *s, const char *op,
                               const tenon_arg *args, const tenon_type *type,
                               tenon_loc loc, tenon_value **value) {
  tenon_node_spec spec = {.op = tenon_module_op(s->im->m, op),
                          .args = args,
                          .in = value,
                          .n_in = 1,
                          .n_out = 1,
                          .types = &type,
                          .loc = loc};
  tenon_node *node = spec.op ? tenon_build_node(s->graph, NULL, &spec) : NULL;
  if (!node) return tenon_pt2_built(s->im);
  *value = node->out[0];
  return TENON_OK;
}

tenon_status tenon_pt2_number_node(tenon_pt2_scope *s, tenon_dim dim,
                                   const tenon_type *type, tenon_loc loc,
                                   tenon_value **out) {
  tenon_pt2 *im = s->im;
  tenon_arg dtype = {"dtype", TENON_KIND_DTYPE, {0}};
  dtype.as.i = type->dtype;
  tenon_arg args[] = {tenon_arg_dims("value", &dim, 1), dtype, TENON_END_ARGS};
  tenon_node_spec spec = {.op = tenon_module_op(im->m, "core::number"),
                          .args = args,
                          .n_out = 1,
                          .types = &type,
                          .loc = loc};
  tenon_node *node = spec.op ? tenon_build_node(s->graph, NULL, &spec) : NULL;
  *out = node ? node->out[0] : NULL;
  return node ? TENON_OK : tenon_pt2_built(im);
}

static tenon_status compute_number(tenon_pt2_scope *s, const tenon_arg *number,
                                   uint16_t flags, tenon_loc loc,
                                   tenon_value **out) {
  tenon_dim dim = number->as.dims.data[0];
  tenon_type type = {NULL, NULL, TENON_S64, 0, flags};
  if (!tenon_dim_is_integer(dim))
    type.dtype = dim.value == TENON_KIND_BOOL ? TENON_BOOL : TENON_F64;
  return tenon_pt2_number_node(s, dim, &type, loc, out);
}

tenon_status tenon_pt2_number_value(tenon_pt2_scope *s, const tenon_json *at,
                                    const tenon_arg *number, uint16_t flags,
                                    tenon_loc loc, tenon_value **out) {
  tenon_type type = {NULL, NULL, TENON_S64, 0, flags};
  uint8_t truth = number->as.i != 0;
  const void *data = &number->as.i;
  switch (number->kind) {
    case TENON_KIND_INT:
      break;
    case TENON_KIND_BOOL:
      type.dtype = TENON_BOOL;
      data = &truth;
      break;
    case TENON_KIND_FLOAT:
      type.dtype = TENON_F64;
      data = &number->as.f;
      break;
    case TENON_KIND_DIMS:
      return compute_number(s, number, flags, loc, out);
    default:
      return fail(at, "is no number");
  }
  *out = tenon_build_constant(s->im->m, "", &type, data, false, loc);
  return *out ? TENON_OK : tenon_pt2_built(s->im);
}

// A float or a truth value that sizes make, in the place of a tensor. *out
// null: the argument is no such number.
static tenon_status read_open(tenon_pt2_node *n, const tenon_json *value,
                              uint16_t flags, tenon_value **out) {
  tenon_pt2_scope *s = n->scope;
  tenon_json at = tenon_json_get(value, "as_name");
  const char *name = json_string_value(at.value);
  const uint64_t *index = name ? tenon_map_find_text(&s->names, name) : NULL;
  const tenon_pt2_name *entry = index ? &s->entries.data[*index] : NULL;
  *out = NULL;
  if (!entry || entry->kind != TENON_PT2_OPEN) return TENON_OK;
  return tenon_pt2_compute(s, entry, flags, n->loc, out);
}

static tenon_status complex_operand(tenon_pt2_node *n, const tenon_json *value,
                                    uint16_t flags) {
  double parts[2] = {0, 0};
  tenon_type type = {NULL, NULL, TENON_C128, 0, flags};
  TENON_TRY(tenon_pt2_complex(value, parts));
  tenon_value *constant =
      tenon_build_constant(n->scope->im->m, "", &type, parts, false, n->loc);
  return constant ? tenon_pt2_push(n, constant) : tenon_pt2_built(n->scope->im);
}

tenon_status tenon_pt2_number_operand(tenon_pt2_node *n, const tenon_json *arg,
                                      uint16_t flags) {
  const char *tag = NULL;
  tenon_json value;
  tenon_arg number;
  tenon_value *constant = NULL;
  TENON_TRY(tenon_json_tag(arg, &tag, &value));
  if (strcmp(tag, "as_complex") == 0) return complex_operand(n, &value, flags);
  TENON_TRY(read_open(n, &value, flags, &constant));
  if (constant) return tenon_pt2_push(n, constant);
  TENON_TRY(tenon_pt2_attribute(n->scope, tag, &value, &number));
  TENON_TRY(
      tenon_pt2_number_value(n->scope, arg, &number, flags, n->loc, &constant));
  return tenon_pt2_push(n, constant);
}

// An argument of a schema that is a tensor or a list of them. A number in the
// place of a tensor is one of rank 0.
static tenon_status read_operand(tenon_pt2_node *n, const tenon_argument *a,
                                 const tenon_json *arg) {
  const char *tag = NULL;
  tenon_json value;
  if (!arg) {
    if (!a->has_default && !a->is_optional)
      return fail(&n->json, "'%s' needs the argument '%s' (%s)", n->op->name,
                  a->name, a->type_text);
    return a->is_list ? TENON_OK : tenon_pt2_push(n, NULL);
  }
  TENON_TRY(tenon_json_tag(arg, &tag, &value));
  bool is_none = strcmp(tag, "as_none") == 0;
  bool is_empty = a->is_list && strcmp(tag, "as_ints") == 0 &&
                  tenon_json_count(&value) == 0;
  if (is_none && a->is_optional)
    return a->is_list ? TENON_OK : tenon_pt2_push(n, NULL);
  if (is_empty) return TENON_OK;
  if (!a->is_list && is_number_tag(tag))
    return tenon_pt2_number_operand(n, arg, TENON_TYPE_NUMBER);
  bool is_list =
      strcmp(tag, "as_tensors") == 0 || strcmp(tag, "as_optional_tensors") == 0;
  if (!tenon_pt2_is_tensors(tag) || is_list != a->is_list) {
    char label[TENON_LABEL];
    tenon_label_make(label, tenon_text_of(tag));
    return fail(arg, "'%s' takes %s for '%s', found '%s'", n->op->name,
                a->type_text, a->name, label);
  }
  return tenon_pt2_push_tensors(n, tag, &value);
}

// ---------------------------------------------------------------------------
// Attributes
// ---------------------------------------------------------------------------

tenon_status tenon_pt2_push_attribute(tenon_pt2_node *n, const char *name,
                                      const char *tag,
                                      const tenon_json *value) {
  tenon_arg out;
  TENON_TRY(tenon_pt2_attribute(n->scope, tag, value, &out));
  out.name = name;
  bool done = tenon_vec_push(&n->scope->im->args, out);
  return done ? TENON_OK : tenon_pt2_memory(n->scope->im);
}

static tenon_status read_attribute(tenon_pt2_node *n, const char *name,
                                   const tenon_json *arg) {
  const char *tag = NULL;
  tenon_json value;
  TENON_TRY(tenon_json_tag(arg, &tag, &value));
  return tenon_pt2_push_attribute(n, name, tag, &value);
}

// The builder says what does not fit; here is the place to say where.
static tenon_status check_attribute(tenon_pt2_node *n, const tenon_argument *a,
                                    const tenon_json *arg) {
  tenon_pt2 *im = n->scope->im;
  char error[256] = "";
  tenon_arg out;
  const tenon_arg *given = &im->args.data[im->args.count - 1];
  tenon_arena_mark mark = tenon_arena_save(&im->scratch);
  bool fits =
      tenon_attr_convert(&im->scratch, a, given, &out, error, sizeof error);
  if (im->scratch.failed) return tenon_pt2_memory(im);
  tenon_arena_restore(&im->scratch, mark);
  return fits ? TENON_OK : fail(arg, "'%s': %s", n->op->name, error);
}

// ---------------------------------------------------------------------------
// All of them
// ---------------------------------------------------------------------------

static bool is_graph(const tenon_json *arg) {
  tenon_json graph = tenon_json_get(arg, "as_graph");
  return tenon_json_is(&graph);
}

static tenon_status unknown_argument(const tenon_pt2_node *n,
                                     const tenon_json *at, const char *name) {
  char label[TENON_LABEL];
  tenon_nearest nearest;
  const tenon_schema *s = n->op->schema;
  tenon_label_make(label, tenon_text_of(name));
  tenon_nearest_init(&nearest, name);
  for (int i = 0; i < s->n_args; ++i)
    tenon_nearest_feed(&nearest, s->args[i].name);
  return fail(at, "'%s' has no argument '%s'%s%s%s", n->op->name, label,
              nearest.best ? ", did you mean '" : "",
              nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
}

// Index of the schema's argument that input i is.
static tenon_status find_place(const tenon_pt2_node *n, const tenon_json *input,
                               int *position, int *out) {
  const char *name = NULL;
  const tenon_schema *s = n->op->schema;
  tenon_json at = tenon_json_get(input, "name");
  TENON_TRY(tenon_json_text(&at, &name));
  *out = name[0] ? -1 : (*position)++;
  for (int i = 0; *out < 0 && i < s->n_args; ++i)
    if (strcmp(s->args[i].name, name) == 0) *out = i;
  // A custom operator may be registered without names like torch's own.
  if (*out < 0) return unknown_argument(n, &at, name);
  if (*out < s->n_args) return TENON_OK;
  return fail(input, "'%s' takes %d arguments", n->op->name, (int)s->n_args);
}

static tenon_status sort_arguments(tenon_pt2_node *n, size_t *places) {
  int position = 0;
  for (size_t i = 0; i < tenon_json_count(&n->inputs); ++i) {
    int place = 0;
    tenon_json input = tenon_json_item(&n->inputs, i);
    tenon_json arg = tenon_json_get(&input, "arg");
    TENON_TRY(tenon_json_object(&arg));
    n->n_graphs += is_graph(&arg);
    if (is_graph(&arg)) continue;
    TENON_TRY(find_place(n, &input, &position, &place));
    if (places[place] != 0)
      return fail(&input, "'%s' is given twice",
                  n->op->schema->args[place].name);
    places[place] = i + 1;
  }
  return TENON_OK;
}

static tenon_status read_by_schema(tenon_pt2_node *n) {
  const tenon_schema *s = n->op->schema;
  size_t *places = tenon_arena_array(&n->scope->im->scratch, size_t, s->n_args);
  if (!places) return tenon_pt2_memory(n->scope->im);
  memset(places, 0, s->n_args * sizeof *places);
  TENON_TRY(sort_arguments(n, places));
  for (int i = 0; i < s->n_args; ++i) {
    const tenon_argument *a = &s->args[i];
    tenon_json input = tenon_json_item(&n->inputs, places[i] - 1);
    tenon_json arg = tenon_json_get(&input, "arg");
    if (a->base == TENON_BASE_TENSOR) {
      TENON_TRY(read_operand(n, a, places[i] ? &arg : NULL));
      TENON_TRY(tenon_pt2_end_group(n));
    } else if (places[i]) {
      TENON_TRY(read_attribute(n, a->name, &arg));
      TENON_TRY(check_attribute(n, a, &arg));
    } else if (!a->has_default) {
      return fail(&n->json, "'%s' needs the argument '%s' (%s)", n->op->name,
                  a->name, a->type_text);
    }
  }
  return TENON_OK;
}

static tenon_status read_as_given(tenon_pt2_node *n, size_t i) {
  tenon_pt2 *im = n->scope->im;
  const char *name = NULL, *tag = NULL;
  tenon_json input = tenon_json_item(&n->inputs, i), value;
  tenon_json at = tenon_json_get(&input, "name");
  tenon_json arg = tenon_json_get(&input, "arg");
  TENON_TRY(tenon_json_text(&at, &name));
  TENON_TRY(tenon_json_tag(&arg, &tag, &value));
  if (strcmp(tag, "as_graph") == 0) {
    ++n->n_graphs;
    return TENON_OK;
  }
  if (tenon_pt2_is_tensors(tag)) {
    TENON_TRY(tenon_pt2_push_tensors(n, tag, &value));
    return tenon_pt2_end_group(n);
  }
  if (!name[0]) {
    char number[24];
    snprintf(number, sizeof number, "arg%zu", i);
    name = tenon_arena_string(&im->scratch, number);
    if (!name) return tenon_pt2_memory(im);
  }
  TENON_TRY(tenon_pt2_push_attribute(n, name, tag, &value));
  // Without a schema an empty list is one of anything, as in a text.
  tenon_arg *a = &im->args.data[im->args.count - 1];
  if (tenon_kind_is_list(a->kind) && tenon_attr_count(a) == 0)
    *a = tenon_arg_ints(name, NULL, 0);
  return TENON_OK;
}

tenon_status tenon_pt2_arguments(tenon_pt2_node *n) {
  tenon_pt2 *im = n->scope->im;
  tenon_arg end = TENON_END_ARGS;
  im->in.count = im->groups.count = im->args.count = 0;
  n->n_graphs = 0;
  TENON_TRY(tenon_pt2_end_group(n));
  TENON_TRY(tenon_json_array(&n->inputs));
  if (tenon_pt2_is_higher(n->op)) {
    TENON_TRY(tenon_pt2_higher(n));
  } else if (n->op->schema) {
    TENON_TRY(read_by_schema(n));
  } else {
    for (size_t i = 0; i < tenon_json_count(&n->inputs); ++i)
      TENON_TRY(read_as_given(n, i));
  }
  return tenon_vec_push(&im->args, end) ? TENON_OK : tenon_pt2_memory(im);
}
