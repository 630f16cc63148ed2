// How: a .pt2 tells how an operator is called, and its reader keeps that as
// metadata. Models without such a line have operands by position and attributes
// by name, of which a schema can be made as well.
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/new/new.h"

// The text stands as text IR has it, in quotes; a schema needs no escapes.
bool new_model_tells(const new_model *m, const char *op, tenon_buf *out) {
  size_t i = 0;
  json_t *row = NULL;
  json_array_foreach(json_object_get(m->document, "metadata"), i, row) {
    const char *key = new_text_of(row, "key"),
               *text = new_text_of(row, "value");
    size_t size = strlen(text);
    if (strncmp(key, "schema ", 7) != 0 || strcmp(key + 7, op) != 0 || size < 2)
      continue;
    if (out) tenon_buf_add(out, text + 1, size - 2);
    return !(out && out->failed);
  }
  return false;
}

// Kinds of values whose name is a type of a schema.
static bool named_is_type(const char *kind) {
  static const char *const rows[] = {
      "int",    "bool",   "float",    "str",      "int[]",      "float[]",
      "bool[]", "Scalar", "Scalar[]", "SymInt[]", "ScalarType", "str[]"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (strcmp(rows[i], kind) == 0) return true;
  return false;
}

static bool named_make_schema(const json_t *node, tenon_buf *out) {
  size_t i = 0;
  json_t *row = NULL;
  const json_t *results = json_object_get(node, "results");
  const char *before = "";
  tenon_put(out, "$(", new_text_of(node, "op"));
  json_array_foreach(json_object_get(node, "arguments"), i, row) {
    bool is_list = json_is_array(json_object_get(row, "value"));
    tenon_put(out, "$Tensor$ x$", before, is_list ? "[]" : "", i);
    before = ", ";
  }
  json_array_foreach(json_object_get(node, "attributes"), i, row) {
    const char *type = new_text_of(row, "kind");
    if (!named_is_type(type)) return false;
    tenon_put(out, "$$$ $", before, i == 0 ? "*, " : "", type,
              new_text_of(row, "name"));
    before = ", ";
  }
  bool is_alone = json_array_size(results) == 1;
  tenon_buf_text(out, is_alone ? ") -> " : ") -> (");
  json_array_foreach(results, i, row)
      tenon_put(out, "$Tensor$", i ? ", " : "", json_is_array(row) ? "[]" : "");
  tenon_buf_text(out, is_alone ? "" : ")");
  return !out->failed;
}

// "s8[1,2]{0.5:0}" as "s8q": the type as kernels write it.
const char *new_model_type(new_model *m, const json_t *value) {
  const char *type = new_text_of(value, "text");
  const char *quant = strchr(type, '{');
  size_t n = strcspn(type, "[");
  if (n == 0 || n > 12 || m->n_types >= 2 * NEW_MOST) return NULL;
  const char *suffix = !quant               ? ""
                       : quant[1] != '['    ? "q"
                       : strchr(quant, '/') ? "qb"
                                            : "qc";
  char *out = m->types[m->n_types++];
  snprintf(out, sizeof m->types[0], "%.*s%s", (int)n, type, suffix);
  return out;
}

// The first tensor of a group, or the type of the first result of a list.
static const char *first_type(new_model *m, const json_t *types) {
  const json_t *type = json_is_array(types) ? json_array_get(types, 0) : types;
  return json_is_object(type) ? new_model_type(m, type) : NULL;
}

// The model's operands are those that are not None, in order.
static void named_take_types(new_model *m, const json_t *node, new_spec *spec) {
  const json_t *in = json_object_get(node, "arguments");
  size_t at = 0, k = 0, i = 0;
  json_t *row = NULL;
  const char *p = strchr(m->schema.data, '(');
  while (p && *p && *p != ')' && k < NEW_MOST) {
    size_t n = strcspn(p + 1, ",)");
    const char *word = p + 1 + (p[1] == ' ');
    if (strncmp(word, "Tensor", 6) == 0) {
      bool is_none = n >= 5 && strncmp(p + 1 + n - 5, "=None", 5) == 0;
      const json_t *group = is_none ? NULL : json_array_get(in, at++);
      spec->in_types[k++] = first_type(m, json_object_get(group, "types"));
    }
    p += 1 + n;
  }
  json_array_foreach(json_object_get(node, "results"), i, row) {
    if (json_is_array(row)) row = json_array_get(row, 0);
    if (i < NEW_MOST)
      spec->out_types[i] = first_type(m, json_object_get(row, "type"));
  }
}

int new_model_schema(cli *c, new_model *m, const json_t *node, new_spec *spec) {
  const char *op = new_text_of(node, "op");
  bool is_told = new_model_tells(m, op, &m->schema);
  if (!is_told && !named_make_schema(node, &m->schema))
    return cli_fail(c, TENON_UNSUPPORTED, "new-model",
                    "what '%s' says of '%s' makes no schema; give it with "
                    "--schema",
                    spec->model, op);
  named_take_types(m, node, spec);
  return 0;
}
