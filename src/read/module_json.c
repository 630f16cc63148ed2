// How: the JSON of a module (docs/json.md) has its parts in the form of text
// IR, so it is put together to such a text, which the parser reads. What is
// wrong with the parts is found there; what is wrong with the structure, here.
#include "ir/text/print.h"
#include "read/json.h"
#include "read/read.h"

#define VERSION 2
#define MOST_NESTED 64  // regions, as in text IR

typedef struct writer {
  tenon_buf out;
  tenon_json_doc doc;
} writer;

bool tenon_module_json_recognise(const void *data, size_t size) {
  static const char key[] = "\"tenon\"";
  const char *p = (const char *)data, *end = p + size;
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
    ++p;
  if (p == end || *p++ != '{') return false;
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
    ++p;
  return (size_t)(end - p) >= sizeof key - 1 &&
         memcmp(p, key, sizeof key - 1) == 0;
}

static void module_json_put(writer *w, const char *text) {
  tenon_buf_text(&w->out, text);
}

static void put_quoted(writer *w, const char *text) {
  tenon_buf_quote(&w->out, text, strlen(text));
}

// A part in the form of text IR. A line end would begin another statement, and
// a comment swallow the rest of this one.
static tenon_status module_json_put_text(writer *w, const tenon_json *at) {
  const char *text = NULL;
  TENON_TRY(tenon_json_text(at, &text));
  if (strpbrk(text, "\n\r") || (strchr(text, '#') && !strchr(text, '"')))
    return tenon_json_fail(at, TENON_BAD_MODEL, "json-module",
                           "expected a name or value of text IR in one line");
  module_json_put(w, text);
  return TENON_OK;
}

static tenon_status module_json_put_string(writer *w, const tenon_json *at,
                                           const char *before) {
  const char *text = NULL;
  TENON_TRY(tenon_json_text(at, &text));
  module_json_put(w, before);
  put_quoted(w, text);
  return TENON_OK;
}

static tenon_status module_json_put_number(writer *w, const tenon_json *at) {
  int64_t v = 0;
  TENON_TRY(tenon_json_int(at, &v));
  tenon_buf_format(&w->out, "%lld", (long long)v);
  return TENON_OK;
}

// Every item of a list that may be absent.
typedef tenon_status item_fn(writer *w, const tenon_json *item);
static tenon_status module_json_put_list(writer *w, const tenon_json *list,
                                         const char *sep, item_fn *each) {
  if (tenon_json_is(list)) TENON_TRY(tenon_json_array(list));
  for (size_t i = 0; i < tenon_json_count(list); ++i) {
    tenon_json item = tenon_json_item(list, i);
    if (i) module_json_put(w, sep);
    TENON_TRY(each(w, &item));
  }
  return TENON_OK;
}

static tenon_status module_json_put_name(writer *w, const tenon_json *item) {
  return module_json_put_string(w, item, "");
}

// --- types, places ----------------------------------------------------------

static tenon_status put_size(writer *w, const tenon_json *item) {
  return json_is_integer(item->value) ? module_json_put_number(w, item)
                                      : module_json_put_text(w, item);
}

static tenon_status module_json_put_type(writer *w, const tenon_json *at) {
  tenon_json type = tenon_json_get(at, "type");
  TENON_TRY(tenon_json_object(&type));
  tenon_json dtype = tenon_json_get(&type, "dtype");
  tenon_json shape = tenon_json_get(&type, "shape");
  tenon_json number = tenon_json_get(&type, "is_number");
  tenon_json quant = tenon_json_get(&type, "quant");
  bool is_number = false;
  TENON_TRY(module_json_put_text(w, &dtype));
  module_json_put(w, "[");
  TENON_TRY(tenon_json_array(&shape));
  TENON_TRY(module_json_put_list(w, &shape, ",", put_size));
  module_json_put(w, "]");
  if (tenon_json_is(&number)) TENON_TRY(tenon_json_bool(&number, &is_number));
  if (is_number) module_json_put(w, "!");
  return tenon_json_is(&quant) ? module_json_put_text(w, &quant) : TENON_OK;
}

static tenon_status module_json_put_place(writer *w, const tenon_json *place) {
  tenon_json where = tenon_json_get(place, "where");
  tenon_json origin = tenon_json_get(place, "origin");
  tenon_json file = tenon_json_get(place, "file");
  tenon_json bytes = tenon_json_get(place, "bytes");
  TENON_TRY(module_json_put_string(w, &where, ""));
  if (tenon_json_is(&origin))
    TENON_TRY(module_json_put_string(w, &origin, " "));
  if (tenon_json_is(&file)) TENON_TRY(module_json_put_string(w, &file, " in "));
  if (!tenon_json_is(&bytes)) return TENON_OK;
  module_json_put(w, " bytes ");
  TENON_TRY(tenon_json_array(&bytes));
  return module_json_put_list(w, &bytes, ":", module_json_put_number);
}

static tenon_status module_json_put_places(writer *w, const tenon_json *at) {
  tenon_json places = tenon_json_get(at, "places");
  size_t n = tenon_json_count(&places);
  if (tenon_json_is(&places)) TENON_TRY(tenon_json_array(&places));
  if (n == 0) return TENON_OK;
  module_json_put(w, n > 1 ? " @fused(" : " @");
  TENON_TRY(module_json_put_list(w, &places, ", ", module_json_put_place));
  if (n > 1) module_json_put(w, ")");
  return TENON_OK;
}

// --- nodes ------------------------------------------------------------------

static tenon_status put_operand(writer *w, const tenon_json *item) {
  return module_json_put_text(w, item);
}

static tenon_status put_argument(writer *w, const tenon_json *item) {
  tenon_json value = tenon_json_get(item, "value");
  if (!json_is_array(value.value)) return module_json_put_text(w, &value);
  module_json_put(w, "[");
  TENON_TRY(module_json_put_list(w, &value, ", ", put_operand));
  module_json_put(w, "]");
  return TENON_OK;
}

static tenon_status module_json_put_scalar(writer *w, const tenon_json *item) {
  const json_t *v = item->value;
  if (json_is_boolean(v)) {
    module_json_put(w, json_is_true(v) ? "true" : "false");
  } else if (json_is_integer(v)) {
    return module_json_put_number(w, item);
  } else if (json_is_real(v)) {
    tenon_buf_double(&w->out, json_real_value(v));
  } else {
    return module_json_put_text(w, item);
  }
  return TENON_OK;
}

static tenon_status module_json_put_attribute(writer *w,
                                              const tenon_json *item) {
  tenon_json name = tenon_json_get(item, "name");
  tenon_json value = tenon_json_get(item, "value");
  const char *text = NULL;
  TENON_TRY(module_json_put_string(w, &name, ""));
  TENON_TRY(tenon_json_text(tenon_json_at(item, "kind"), &text));
  module_json_put(w, "=");
  if (!tenon_json_is(&value)) {
    module_json_put(w, "none");
    return TENON_OK;
  }
  if (strcmp(text, "str") == 0) return module_json_put_string(w, &value, "");
  if (!json_is_array(value.value)) return module_json_put_scalar(w, &value);
  bool is_texts = strcmp(text, "str[]") == 0;
  module_json_put(w, "[");
  TENON_TRY(module_json_put_list(
      w, &value, ", ",
      is_texts ? module_json_put_name : module_json_put_scalar));
  module_json_put(w, "]");
  return TENON_OK;
}

static tenon_status module_json_put_result(writer *w, const tenon_json *item) {
  if (json_is_array(item->value)) {
    module_json_put(w, "[");
    TENON_TRY(module_json_put_list(w, item, ", ", module_json_put_result));
    module_json_put(w, "]");
    return TENON_OK;
  }
  tenon_json value = tenon_json_get(item, "value");
  return module_json_put_text(w, &value);
}

// The types of all results, lists flattened.
static tenon_status put_types(writer *w, const tenon_json *results,
                              bool *is_first) {
  for (size_t i = 0; i < tenon_json_count(results); ++i) {
    tenon_json item = tenon_json_item(results, i);
    if (json_is_array(item.value)) {
      TENON_TRY(put_types(w, &item, is_first));
      continue;
    }
    module_json_put(w, *is_first ? " : " : ", ");
    *is_first = false;
    TENON_TRY(module_json_put_type(w, &item));
  }
  return TENON_OK;
}

static tenon_status put_body(writer *w, const tenon_json *graph, int depth);

static tenon_status put_params(writer *w, const tenon_json *graph) {
  tenon_json params = tenon_json_get(graph, "params");
  module_json_put(w, "(");
  for (size_t i = 0; i < tenon_json_count(&params); ++i) {
    tenon_json item = tenon_json_item(&params, i);
    tenon_json value = tenon_json_get(&item, "value");
    if (i) module_json_put(w, ", ");
    TENON_TRY(module_json_put_text(w, &value));
    module_json_put(w, ": ");
    TENON_TRY(module_json_put_type(w, &item));
    TENON_TRY(module_json_put_places(w, &item));
  }
  module_json_put(w, ")");
  return module_json_put_places(w, graph);
}

static tenon_status put_extras(writer *w, const tenon_json *node,
                               const tenon_json *results) {
  tenon_json functional = tenon_json_get(node, "functional");
  tenon_json opaque = tenon_json_get(node, "opaque");
  tenon_json decides = tenon_json_get(node, "decides");
  bool is_functional = false, is_first = true;
  if (tenon_json_is(&functional))
    TENON_TRY(tenon_json_bool(&functional, &is_functional));
  if (is_functional) module_json_put(w, " functional");
  if (tenon_json_is(&opaque)) {
    module_json_put(w, " opaque ");
    TENON_TRY(module_json_put_text(w, &opaque));
  }
  if (tenon_json_count(&decides) > 0) module_json_put(w, " decides ");
  TENON_TRY(module_json_put_list(w, &decides, ", ", put_operand));
  TENON_TRY(put_types(w, results, &is_first));
  return module_json_put_places(w, node);
}

static tenon_status module_json_put_node(writer *w, const tenon_json *node,
                                         int depth) {
  tenon_json op = tenon_json_get(node, "op");
  tenon_json arguments = tenon_json_get(node, "arguments");
  tenon_json attributes = tenon_json_get(node, "attributes");
  tenon_json results = tenon_json_get(node, "results");
  tenon_json regions = tenon_json_get(node, "regions");
  TENON_TRY(module_json_put_list(w, &results, ", ", module_json_put_result));
  if (tenon_json_count(&results) > 0) module_json_put(w, " = ");
  TENON_TRY(module_json_put_string(w, &op, ""));
  module_json_put(w, "(");
  TENON_TRY(module_json_put_list(w, &arguments, ", ", put_argument));
  module_json_put(w, ")");
  if (tenon_json_count(&attributes) > 0) {
    module_json_put(w, " [");
    TENON_TRY(
        module_json_put_list(w, &attributes, ", ", module_json_put_attribute));
    module_json_put(w, "]");
  }
  TENON_TRY(put_extras(w, node, &results));
  if (tenon_json_count(&regions) > 0) module_json_put(w, " {\n");
  for (size_t i = 0; i < tenon_json_count(&regions); ++i) {
    tenon_json region = tenon_json_item(&regions, i);
    TENON_TRY(put_params(w, &region));
    TENON_TRY(put_body(w, &region, depth + 1));
  }
  module_json_put(w, tenon_json_count(&regions) > 0 ? "}\n" : "\n");
  return TENON_OK;
}

static tenon_status put_body(writer *w, const tenon_json *graph, int depth) {
  tenon_json nodes = tenon_json_get(graph, "nodes");
  tenon_json end = tenon_json_get(graph, "return");
  tenon_json values = tenon_json_get(&end, "values");
  if (depth > MOST_NESTED)
    return tenon_json_fail(graph, TENON_BAD_MODEL, "json-module",
                           "regions nest deeper than %d", MOST_NESTED);
  module_json_put(w, " {\n");
  TENON_TRY(tenon_json_array(&nodes));
  for (size_t i = 0; i < tenon_json_count(&nodes); ++i) {
    tenon_json node = tenon_json_item(&nodes, i);
    TENON_TRY(tenon_json_object(&node));
    TENON_TRY(module_json_put_node(w, &node, depth));
  }
  TENON_TRY(tenon_json_array(&values));
  module_json_put(w, "return ");
  TENON_TRY(module_json_put_list(w, &values, ", ", put_operand));
  TENON_TRY(module_json_put_places(w, &end));
  module_json_put(w, "\n}\n");
  return TENON_OK;
}

// --- items ------------------------------------------------------------------

static tenon_status put_metadata(writer *w, const tenon_json *item) {
  tenon_json key = tenon_json_get(item, "key");
  tenon_json value = tenon_json_get(item, "value");
  TENON_TRY(module_json_put_string(w, &key, "metadata "));
  module_json_put(w, " = ");
  TENON_TRY(module_json_put_text(w, &value));
  module_json_put(w, "\n");
  return TENON_OK;
}

static tenon_status module_json_put_dim(writer *w, const tenon_json *item) {
  tenon_json name = tenon_json_get(item, "name");
  tenon_json kind = tenon_json_get(item, "kind");
  tenon_json min = tenon_json_get(item, "min"),
             max = tenon_json_get(item, "max");
  tenon_json stored = tenon_json_get(item, "stored");
  const char *text = NULL;
  TENON_TRY(tenon_json_text(&kind, &text));
  module_json_put(w, "dim ");
  TENON_TRY(module_json_put_text(w, &name));
  module_json_put(w, " = ");
  if (strcmp(text, "int") != 0) {
    TENON_TRY(module_json_put_text(w, &kind));
    module_json_put(w, "\n");
    return TENON_OK;
  }
  if (tenon_json_is(&min)) TENON_TRY(module_json_put_number(w, &min));
  module_json_put(w, "..");
  if (tenon_json_is(&max)) TENON_TRY(module_json_put_number(w, &max));
  if (tenon_json_is(&stored)) {
    module_json_put(w, " stored ");
    TENON_TRY(module_json_put_number(w, &stored));
  }
  module_json_put(w, "\n");
  return TENON_OK;
}

static tenon_status put_guard(writer *w, const tenon_json *item) {
  tenon_json relation = tenon_json_get(item, "relation");
  tenon_json sizes = tenon_json_get(item, "sizes");
  tenon_json text = tenon_json_get(item, "text");
  module_json_put(w, "guard ");
  TENON_TRY(module_json_put_text(w, &relation));
  module_json_put(w, "(");
  TENON_TRY(module_json_put_list(w, &sizes, ", ", put_size));
  module_json_put(w, ")");
  if (tenon_json_is(&text)) TENON_TRY(module_json_put_string(w, &text, " "));
  module_json_put(w, "\n");
  return TENON_OK;
}

static tenon_status module_json_put_data(writer *w, const tenon_json *item) {
  tenon_json data = tenon_json_get(item, "data");
  module_json_put(w, " : ");
  TENON_TRY(module_json_put_type(w, item));
  if (tenon_json_is(&data)) {
    module_json_put(w, " = ");
    TENON_TRY(module_json_put_text(w, &data));
  }
  TENON_TRY(module_json_put_places(w, item));
  module_json_put(w, "\n");
  return TENON_OK;
}

static tenon_status put_state(writer *w, const tenon_json *item) {
  tenon_json name = tenon_json_get(item, "name");
  TENON_TRY(module_json_put_string(w, &name, "state "));
  return module_json_put_data(w, item);
}

static tenon_status put_constant(writer *w, const tenon_json *item) {
  tenon_json value = tenon_json_get(item, "value");
  module_json_put(w, "const ");
  TENON_TRY(module_json_put_text(w, &value));
  return module_json_put_data(w, item);
}

static tenon_status module_json_put_entry(writer *w, const tenon_json *item) {
  tenon_json name = tenon_json_get(item, "name");
  tenon_json function = tenon_json_get(item, "function");
  tenon_json inputs = tenon_json_get(item, "inputs");
  tenon_json outputs = tenon_json_get(item, "outputs");
  tenon_json into = tenon_json_get(item, "into");
  TENON_TRY(module_json_put_string(w, &name, "entry "));
  module_json_put(w, " = @");
  TENON_TRY(module_json_put_number(w, &function));
  module_json_put(w, " (");
  TENON_TRY(module_json_put_list(w, &inputs, ", ", module_json_put_name));
  module_json_put(w, ") -> (");
  TENON_TRY(module_json_put_list(w, &outputs, ", ", module_json_put_name));
  module_json_put(w, ")");
  if (tenon_json_count(&into) > 0) {
    module_json_put(w, " into (");
    TENON_TRY(module_json_put_list(w, &into, ", ", module_json_put_number));
    module_json_put(w, ")");
  }
  module_json_put(w, "\n");
  return TENON_OK;
}

static tenon_status put_function(writer *w, const tenon_json *item) {
  tenon_json index = tenon_json_get(item, "index");
  tenon_json name = tenon_json_get(item, "name");
  module_json_put(w, "func @");
  TENON_TRY(module_json_put_number(w, &index));
  TENON_TRY(module_json_put_string(w, &name, " "));
  module_json_put(w, " ");
  TENON_TRY(put_params(w, item));
  return put_body(w, item, 1);
}

static tenon_status put_module(writer *w, const tenon_json *root) {
  static const char *const texts[] = {"format", "description", "target"};
  static const struct {
    const char *key;
    item_fn *each;
  } lists[] = {{"metadata", put_metadata},  {"dims", module_json_put_dim},
               {"guards", put_guard},       {"states", put_state},
               {"constants", put_constant}, {"entries", module_json_put_entry},
               {"functions", put_function}};
  tenon_json version = tenon_json_get(root, "version");
  tenon_json name = tenon_json_get(root, "name");
  int64_t found = 0;
  TENON_TRY(tenon_json_int(&version, &found));
  if (found != VERSION)
    return tenon_json_fail(&version, TENON_UNSUPPORTED, "json-module",
                           "expected version %d of a module, found %lld",
                           VERSION, (long long)found);
  module_json_put(w, "module ");
  if (tenon_json_is(&name)) TENON_TRY(module_json_put_string(w, &name, ""));
  module_json_put(w, " {\n");
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    tenon_json text = tenon_json_get(root, texts[i]);
    if (!tenon_json_is(&text)) continue;
    module_json_put(w, texts[i]);
    TENON_TRY(module_json_put_string(w, &text, " "));
    module_json_put(w, "\n");
  }
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    tenon_json list = tenon_json_get(root, lists[i].key);
    TENON_TRY(module_json_put_list(w, &list, "", lists[i].each));
  }
  module_json_put(w, "}\n");
  return TENON_OK;
}

tenon_status tenon_module_json_read(tenon_context *cx, const void *data,
                                    size_t size,
                                    const tenon_read_options *options,
                                    tenon_module **out) {
  writer w;
  tenon_bytes bytes = {(const uint8_t *)data, size};
  tenon_buf_init(&w.out, cx->allocator);
  tenon_status status = tenon_json_parse(&w.doc, bytes, &cx->allocator,
                                         &cx->report, options->name, "module");
  if (status == TENON_OK) {
    tenon_json root = tenon_json_root(&w.doc);
    status = put_module(&w, &root);
  }
  if (status == TENON_OK && w.out.failed)
    status = tenon_fail_memory(&cx->report, "reading JSON");
  if (status == TENON_OK)
    status = tenon_parse_module(cx, w.out.data, w.out.size, options->name, out);
  tenon_json_deinit(&w.doc);
  tenon_buf_deinit(&w.out);
  return status;
}
