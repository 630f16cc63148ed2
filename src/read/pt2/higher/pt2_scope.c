// pt2_scope.c - names of one graph of the file: each is defined once and looked
// up by its text; a graph inside another sees nothing of it but what it is
// given.
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
      tenon_json at =
          tenon_json_get(tenon_json_at(&output, "as_tensor"), "name");
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
    return fail(at, "'%s' is used before the node that computes it", label);
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
