// How: the JSON of a module has every type in four forms and a place for each
// node; a page of thousands of operators needs a tenth of that.
#include <stdlib.h>
#include <string.h>
#include "cli/report/reporting.h"
#include "tenon/ext/op.h"

// Longer texts (scales of channels, lists of sizes) are cut.
#define MOST_TEXT 400

static json_t *cut_text(const char *text) {
  size_t size = text ? strlen(text) : 0;
  if (size <= MOST_TEXT) return json_string(text ? text : "");
  size_t n = MOST_TEXT;
  while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
    --n;
  return json_sprintf("%.*s\xe2\x80\xa6 (%d bytes)", (int)n, text, (int)size);
}

// What cannot be added for want of memory makes the whole fail.
static void graph_page_append(report_texts *t, json_t *list, json_t *value) {
  if (json_array_append_new(list, value) != 0) t->has_failed = true;
}

static json_t *intern(report_texts *t, const char *text) {
  const char *key = text ? text : "";
  json_t *found = json_object_get(t->index, key);
  if (found) return json_incref(found);
  json_int_t i = (json_int_t)json_array_size(t->list);
  graph_page_append(t, t->list, cut_text(key));
  if (json_object_set_new(t->index, key, json_integer(i)) != 0)
    t->has_failed = true;
  return json_integer(i);
}

static const char *graph_page_text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

// "%x" and "%\"a b\"" as x and a b; other texts as they are.
static json_t *value_name(const json_t *value) {
  const char *text = json_string_value(value);
  if (!text || text[0] != '%') return json_string(text ? text : "");
  size_t size = strlen(text);
  if (text[1] != '"' || size < 3) return json_string(text + 1);
  return json_stringn(text + 2, size - 3);
}

static json_t *value_names(report_texts *t, const json_t *value) {
  if (!json_is_array(value)) return value_name(value);
  json_t *list = json_array(), *one = NULL;
  size_t i = 0;
  json_array_foreach(value, i, one) graph_page_append(t, list, value_name(one));
  return list;
}

static json_t *attribute_text(const json_t *value) {
  if (json_is_string(value)) return cut_text(json_string_value(value));
  char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
  json_t *out = cut_text(text);
  free(text);
  return out;
}

static json_t *graph_page_add_result(report_texts *t, const json_t *value,
                                     const json_t *type) {
  return json_pack("[o,o]", value_name(value),
                   intern(t, graph_page_text_of(type, "text")));
}

static void graph_page_add_results(report_texts *t, const json_t *result,
                                   json_t *list) {
  json_t *one = NULL;
  size_t i = 0;
  if (json_is_array(result)) {
    json_array_foreach(result, i, one) graph_page_add_results(t, one, list);
    return;
  }
  graph_page_append(t, list,
                    graph_page_add_result(t, json_object_get(result, "value"),
                                          json_object_get(result, "type")));
}

static json_t *add_nodes(report_texts *t, const json_t *nodes);

// Places of one node: where it stands in the file, module, line.
static json_t *graph_page_add_node(report_texts *t, const json_t *node) {
  json_t *args = json_array(), *attrs = json_array(), *results = json_array();
  json_t *one = NULL;
  size_t i = 0;
  json_array_foreach(json_object_get(node, "arguments"), i, one)
      graph_page_append(
          t, args,
          json_pack("[s,o]", graph_page_text_of(one, "name"),
                    value_names(t, json_object_get(one, "value"))));
  json_array_foreach(json_object_get(node, "attributes"), i, one)
      graph_page_append(
          t, attrs,
          json_pack("[s,o]", graph_page_text_of(one, "name"),
                    attribute_text(json_object_get(one, "value"))));
  json_array_foreach(json_object_get(node, "results"), i, one)
      graph_page_add_results(t, one, results);
  const json_t *place = json_array_get(json_object_get(node, "places"), 0);
  json_t *out = json_pack(
      "[o,o,o,o,o,o,o]", intern(t, graph_page_text_of(node, "op")), args, attrs,
      results, intern(t, graph_page_text_of(place, "where")),
      intern(t, graph_page_text_of(place, "module")),
      intern(t, graph_page_text_of(place, "origin")));
  const json_t *regions = json_object_get(node, "regions");
  if (out && json_array_size(regions)) {
    json_t *list = json_array();
    json_array_foreach(regions, i, one)
        graph_page_append(t, list, add_nodes(t, json_object_get(one, "nodes")));
    graph_page_append(t, out, list);
  }
  return out;
}

static json_t *add_nodes(report_texts *t, const json_t *nodes) {
  json_t *list = json_array(), *one = NULL;
  size_t i = 0;
  json_array_foreach(nodes, i, one)
      graph_page_append(t, list, graph_page_add_node(t, one));
  return list;
}

// Names of the outputs where the function is an entry point.
static json_t *output_names(const json_t *module, const json_t *function) {
  json_t *entry = NULL;
  size_t i = 0;
  json_int_t index = json_integer_value(json_object_get(function, "index"));
  json_array_foreach(
      json_object_get(module, "entries"), i,
      entry) if (json_integer_value(json_object_get(entry, "function")) ==
                 index) return json_incref(json_object_get(entry, "outputs"));
  return json_array();
}

static json_t *add_function(report_texts *t, const json_t *module,
                            const json_t *function) {
  json_t *params = json_array(), *returns = json_array(), *one = NULL;
  size_t i = 0;
  json_array_foreach(json_object_get(function, "params"), i, one)
      graph_page_append(t, params,
                        graph_page_add_result(t, json_object_get(one, "value"),
                                              json_object_get(one, "type")));
  json_array_foreach(
      json_object_get(json_object_get(function, "return"), "values"), i, one)
      graph_page_append(t, returns, value_name(one));
  return json_pack("{s:s,s:o,s:o,s:o,s:o}", "name",
                   graph_page_text_of(function, "name"), "params", params,
                   "returns", returns, "outputs",
                   output_names(module, function), "nodes",
                   add_nodes(t, json_object_get(function, "nodes")));
}

json_t *report_graph(const tenon_buf *text, report_texts *texts) {
  json_t *module = json_loadb(text->data, text->size, 0, NULL);
  if (!module) return NULL;
  json_t *constants = json_array(), *functions = json_array(), *one = NULL;
  size_t i = 0;
  json_array_foreach(json_object_get(module, "constants"), i, one)
      graph_page_append(
          texts, constants,
          json_pack("[o,o]", value_name(json_object_get(one, "value")),
                    intern(texts, graph_page_text_of(
                                      json_object_get(one, "type"), "text"))));
  json_array_foreach(json_object_get(module, "functions"), i, one)
      graph_page_append(texts, functions, add_function(texts, module, one));
  json_decref(module);
  if (texts->has_failed) {
    json_decref(constants);
    json_decref(functions);
    return NULL;
  }
  return json_pack("{s:o,s:o}", "constants", constants, "functions", functions);
}

// --- operators --------------------------------------------------------------

static void add_owner(const tenon_context *cx, const char *op, json_t *owners,
                      json_t *docs) {
  tenon_registered found;
  if (!tenon_context_find(cx, TENON_REGISTRY_OPS, op, &found, NULL)) return;
  const tenon_op_desc *desc = (const tenon_op_desc *)found.desc;
  if (!found.is_builtin)
    json_object_set_new(owners, op, json_string(found.owner));
  if (desc->doc)
    json_object_set_new(docs, op,
                        json_stringn(desc->doc, strcspn(desc->doc, "\n")));
}

static void add_owners(const tenon_context *cx, const json_t *nodes,
                       const report_texts *texts, json_t *owners,
                       json_t *docs) {
  json_t *node = NULL, *region = NULL;
  size_t i = 0, k = 0;
  json_array_foreach(nodes, i, node) {
    size_t at = (size_t)json_integer_value(json_array_get(node, 0));
    const char *op = json_string_value(json_array_get(texts->list, at));
    if (op && !json_object_get(docs, op)) add_owner(cx, op, owners, docs);
    json_array_foreach(json_array_get(node, 7), k, region)
        add_owners(cx, region, texts, owners, docs);
  }
}

void report_owners(const tenon_context *cx, const json_t *graph,
                   const report_texts *texts, json_t *owners, json_t *docs) {
  json_t *function = NULL;
  size_t i = 0;
  json_array_foreach(json_object_get(graph, "functions"), i, function)
      add_owners(cx, json_object_get(function, "nodes"), texts, owners, docs);
}
