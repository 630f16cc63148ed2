// How: with a schema, arguments of the file are sorted into its places: by
// name, or by position where the file gives none, as for higher-order
// operators, whose graphs do not count. What is missing is left to defaults,
// which the builder fills in. Without a schema, arguments stay in the order of
// the file.
#include "read/pt2/pt2_import.h"

#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "pt2-argument", __VA_ARGS__)

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
  if (!a->is_list && tenon_pt2_is_number(tag))
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

static bool is_graph(const tenon_json *arg) {
  return tenon_json_is(tenon_json_at(arg, "as_graph"));
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
              TENON_DID_YOU_MEAN(nearest.best));
}

// Index of the schema's argument that input i is.
static tenon_status pt2_named_find_place(const tenon_pt2_node *n,
                                         const tenon_json *input, int *position,
                                         int *out) {
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
    TENON_TRY(pt2_named_find_place(n, &input, &position, &place));
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
  tenon_json arg = tenon_json_get(&input, "arg");
  TENON_TRY(tenon_json_text(tenon_json_at(&input, "name"), &name));
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
