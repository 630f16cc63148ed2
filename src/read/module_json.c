// How: the JSON of a module (docs/json.md) has its parts in the form of text
// IR, so it is put together to such a text, which the parser reads. What is
// wrong with the parts is found there; what is wrong with the structure, here.
#include "base/put.h"
#include "ir/text/print.h"
#include "read/json.h"
#include "read/read.h"

#define VERSION 2
#define MOST_NESTED 64  // regions, as in text IR

// The first failure is kept; nothing is printed or said after it.
typedef struct writer {
  tenon_buf out;
  tenon_json_doc doc;
  tenon_status status;
  int depth;  // of regions
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

// --- what a text of base/put.h has in it ------------------------------------

typedef void form_fn(tenon_buf *out, const tenon_put_value *v);

static writer *module_json_writer(tenon_buf *out) {
  return (writer *)(void *)((char *)out - offsetof(writer, out));
}

// Asks for a kind, unless something has failed before: whether it is of it.
#define IS(out, ask)                              \
  (module_json_writer(out)->status == TENON_OK && \
   (module_json_writer(out)->status = (ask)) == TENON_OK)

// A part in the form of text IR. A line end would begin another statement, and
// a comment swallow the rest of this one.
static void module_json_put_part(tenon_buf *out, const tenon_put_value *v) {
  const char *text = NULL;
  if (!IS(out, tenon_json_text(v->as.p, &text))) return;
  tenon_buf_text(out, text);
  if (strpbrk(text, "\n\r") || (strchr(text, '#') && !strchr(text, '"')))
    module_json_writer(out)->status =
        tenon_json_fail(v->as.p, TENON_BAD_MODEL, "json-module",
                        "expected a name or value of text IR in one line");
}

static void module_json_put_quoted(tenon_buf *out, const tenon_put_value *v) {
  const char *text = NULL;
  if (IS(out, tenon_json_text(v->as.p, &text)))
    tenon_buf_quote(out, text, strlen(text));
}

static void module_json_put_number(tenon_buf *out, const tenon_put_value *v) {
  int64_t number = 0;
  if (IS(out, tenon_json_int(v->as.p, &number))) tenon_put(out, "$", number);
}

// A member that may be absent, or the items of a list that may be: `separator`
// between them. Of nothing there is nothing before and behind it either.
typedef struct piece {
  tenon_json at;
  form_fn *each;
  const char *before, *separator, *behind;
} piece;

static void module_json_put_piece(tenon_buf *out, const tenon_put_value *v) {
  const piece *p = v->as.p;
  if (!tenon_json_is(&p->at)) return;
  if (p->separator && !IS(out, tenon_json_array(&p->at))) return;
  const size_t n = p->separator ? tenon_json_count(&p->at) : 1;
  for (size_t i = 0; i < n; ++i) {
    const tenon_json item = p->separator ? tenon_json_item(&p->at, i) : p->at;
    const tenon_put_value one = {.as.p = &item};
    tenon_put(out, "$", i ? p->separator : p->before);
    p->each(out, &one);
  }
  if (n) tenon_put(out, "$", p->behind);
}

TENON_PUT_AS(part, const tenon_json *, p, module_json_put_part)
TENON_PUT_AS(quoted, const tenon_json *, p, module_json_put_quoted)
TENON_PUT_AS(number, const tenon_json *, p, module_json_put_number)
TENON_PUT_AS(piece, const piece *, p, module_json_put_piece)
#define PART(at, key) tenon_as_part(tenon_json_at(at, key))
#define QUOTED(at, key) tenon_as_quoted(tenon_json_at(at, key))
#define NUMBER(at, key) tenon_as_number(tenon_json_at(at, key))
#define PIECE(at, key, ...) \
  tenon_as_piece((const piece[]){{tenon_json_get(at, key), __VA_ARGS__}})
#define MAYBE(at, key, before, each, behind) \
  PIECE(at, key, each, before, NULL, behind)
#define EACH(at, key, each) PIECE(at, key, each, "", ", ", "")

static bool module_json_is_true(tenon_buf *out, const tenon_json *at,
                                const char *key) {
  const tenon_json flag = tenon_json_get(at, key);
  bool is_true = false;
  return tenon_json_is(&flag) && IS(out, tenon_json_bool(&flag, &is_true)) &&
         is_true;
}

// --- types, places ----------------------------------------------------------

static void put_size(tenon_buf *out, const tenon_put_value *v) {
  const tenon_json *at = v->as.p;
  tenon_put(
      out, "$",
      json_is_integer(at->value) ? tenon_as_number(at) : tenon_as_part(at));
}

static void module_json_put_type(tenon_buf *out, const tenon_put_value *v) {
  const tenon_json type = tenon_json_get(v->as.p, "type");
  if (!IS(out, tenon_json_object(&type))) return;
  tenon_put(out, "$[", PART(&type, "dtype"));
  if (IS(out, tenon_json_array(tenon_json_at(&type, "shape"))))
    tenon_put(out, "$]$$", PIECE(&type, "shape", put_size, "", ",", ""),
              module_json_is_true(out, &type, "is_number") ? "!" : "",
              MAYBE(&type, "quant", "", module_json_put_part, ""));
}
TENON_PUT_AS(type, const tenon_json *, p, module_json_put_type)

static void module_json_put_place(tenon_buf *out, const tenon_put_value *v) {
  const tenon_json *place = v->as.p;
  tenon_put(out, "$$$$", QUOTED(place, "where"),
            MAYBE(place, "origin", " ", module_json_put_quoted, ""),
            MAYBE(place, "file", " in ", module_json_put_quoted, ""),
            PIECE(place, "bytes", module_json_put_number, " bytes ", ":", ""));
}

static void module_json_put_places(tenon_buf *out, const tenon_put_value *v) {
  const tenon_json places = tenon_json_get(v->as.p, "places");
  const bool is_fused = tenon_json_count(&places) > 1;
  tenon_put(out, "$",
            PIECE(v->as.p, "places", module_json_put_place,
                  is_fused ? " @fused(" : " @", ", ", is_fused ? ")" : ""));
}
TENON_PUT_AS(places, const tenon_json *, p, module_json_put_places)

// --- nodes ------------------------------------------------------------------

// A part, or a list of parts in brackets.
static void put_argument(tenon_buf *out, const tenon_put_value *v) {
  const tenon_json value = tenon_json_get(v->as.p, "value");
  if (json_is_array(value.value))
    tenon_put(out, "[$]", EACH(v->as.p, "value", module_json_put_part));
  else
    tenon_put(out, "$", tenon_as_part(&value));
}

static void module_json_put_scalar(tenon_buf *out, const tenon_put_value *v) {
  const tenon_json *at = v->as.p;
  if (json_is_boolean(at->value))
    tenon_put(out, "$", (bool)json_is_true(at->value));
  else if (json_is_real(at->value))
    tenon_buf_double(out, json_real_value(at->value));
  else
    put_size(out, v);
}

static void module_json_put_attribute(tenon_buf *out,
                                      const tenon_put_value *v) {
  const tenon_json value = tenon_json_get(v->as.p, "value");
  const tenon_put_value given = tenon_as_quoted(&value);
  const char *kind = NULL;
  tenon_put(out, "$=", QUOTED(v->as.p, "name"));
  if (!IS(out, tenon_json_text(tenon_json_at(v->as.p, "kind"), &kind))) return;
  if (!tenon_json_is(&value))
    tenon_buf_text(out, "none");
  else if (strcmp(kind, "str") == 0)
    module_json_put_quoted(out, &given);
  else if (!json_is_array(value.value))
    module_json_put_scalar(out, &given);
  else
    tenon_put(out, "[$]",
              EACH(v->as.p, "value",
                   strcmp(kind, "str[]") == 0 ? module_json_put_quoted
                                              : module_json_put_scalar));
}

// A result, or a list of them in brackets.
static void module_json_put_result(tenon_buf *out, const tenon_put_value *v) {
  const tenon_json *item = v->as.p;
  if (!json_is_array(item->value)) {
    tenon_put(out, "$", PART(item, "value"));
    return;
  }
  tenon_put(out, "[$]",
            tenon_as_piece((const piece[]){
                {*item, module_json_put_result, "", ", ", ""}}));
}

// The types of all results, lists flattened.
static void put_types(tenon_buf *out, const tenon_json *results,
                      bool *is_first) {
  for (size_t i = 0; i < tenon_json_count(results); ++i) {
    const tenon_json item = tenon_json_item(results, i);
    if (json_is_array(item.value)) {
      put_types(out, &item, is_first);
      continue;
    }
    tenon_put(out, "$$", *is_first ? " : " : ", ", tenon_as_type(&item));
    *is_first = false;
  }
}

static void module_json_put_param(tenon_buf *out, const tenon_put_value *v) {
  tenon_put(out, "$: $$", PART(v->as.p, "value"), tenon_as_type(v->as.p),
            tenon_as_places(v->as.p));
}

static void module_json_put_node(tenon_buf *out, const tenon_put_value *v);

// Parameters and body.
static void module_json_put_graph(tenon_buf *out, const tenon_put_value *v) {
  const tenon_json *graph = v->as.p;
  const tenon_json end = tenon_json_get(graph, "return");
  int *depth = &module_json_writer(out)->depth;
  tenon_put(out, "($)$ {\n", EACH(graph, "params", module_json_put_param),
            tenon_as_places(graph));
  if (!IS(out,
          *depth < MOST_NESTED
              ? tenon_json_array(tenon_json_at(graph, "nodes"))
              : tenon_json_fail(graph, TENON_BAD_MODEL, "json-module",
                                "regions nest deeper than %d", MOST_NESTED)))
    return;
  ++*depth;
  tenon_put(out, "$", PIECE(graph, "nodes", module_json_put_node, "", "", ""));
  --*depth;
  if (IS(out, tenon_json_array(tenon_json_at(&end, "values"))))
    tenon_put(out, "return $$\n}\n", EACH(&end, "values", module_json_put_part),
              tenon_as_places(&end));
}

static void module_json_put_node(tenon_buf *out, const tenon_put_value *v) {
  const tenon_json *node = v->as.p;
  const tenon_json results = tenon_json_get(node, "results");
  bool is_first = true;
  if (!IS(out, tenon_json_object(node))) return;
  tenon_put(
      out, "$$($)$$$$",
      PIECE(node, "results", module_json_put_result, "", ", ", " = "),
      QUOTED(node, "op"), EACH(node, "arguments", put_argument),
      PIECE(node, "attributes", module_json_put_attribute, " [", ", ", "]"),
      module_json_is_true(out, node, "functional") ? " functional" : "",
      MAYBE(node, "opaque", " opaque ", module_json_put_part, ""),
      PIECE(node, "decides", module_json_put_part, " decides ", ", ", ""));
  put_types(out, &results, &is_first);
  tenon_put(out, "$$\n", tenon_as_places(node),
            PIECE(node, "regions", module_json_put_graph, " {\n", "", "}"));
}

// --- items ------------------------------------------------------------------

static void put_metadata(tenon_buf *out, const tenon_put_value *v) {
  tenon_put(out, "metadata $ = $\n", QUOTED(v->as.p, "key"),
            PART(v->as.p, "value"));
}

static void module_json_put_dim(tenon_buf *out, const tenon_put_value *v) {
  const tenon_json *dim = v->as.p;
  const char *kind = NULL;
  if (!IS(out, tenon_json_text(tenon_json_at(dim, "kind"), &kind))) return;
  tenon_put(out, "dim $ = ", PART(dim, "name"));
  if (strcmp(kind, "int") != 0)
    tenon_put(out, "$\n", PART(dim, "kind"));
  else
    tenon_put(out, "$..$$\n", MAYBE(dim, "min", "", module_json_put_number, ""),
              MAYBE(dim, "max", "", module_json_put_number, ""),
              MAYBE(dim, "stored", " stored ", module_json_put_number, ""));
}

static void put_guard(tenon_buf *out, const tenon_put_value *v) {
  tenon_put(out, "guard $($)$\n", PART(v->as.p, "relation"),
            EACH(v->as.p, "sizes", put_size),
            MAYBE(v->as.p, "text", " ", module_json_put_quoted, ""));
}

static void module_json_put_data(tenon_buf *out, const tenon_json *at) {
  tenon_put(out, " : $$$\n", tenon_as_type(at),
            MAYBE(at, "data", " = ", module_json_put_part, ""),
            tenon_as_places(at));
}

static void put_state(tenon_buf *out, const tenon_put_value *v) {
  tenon_put(out, "state $", QUOTED(v->as.p, "name"));
  module_json_put_data(out, v->as.p);
}

static void put_constant(tenon_buf *out, const tenon_put_value *v) {
  tenon_put(out, "const $", PART(v->as.p, "value"));
  module_json_put_data(out, v->as.p);
}

static void module_json_put_entry(tenon_buf *out, const tenon_put_value *v) {
  const tenon_json *entry = v->as.p;
  tenon_put(out, "entry $ = @$ ($) -> ($)$\n", QUOTED(entry, "name"),
            NUMBER(entry, "function"),
            EACH(entry, "inputs", module_json_put_quoted),
            EACH(entry, "outputs", module_json_put_quoted),
            PIECE(entry, "into", module_json_put_number, " into (", ", ", ")"));
}

static void put_function(tenon_buf *out, const tenon_put_value *v) {
  tenon_put(out, "func @$ $ ", NUMBER(v->as.p, "index"),
            QUOTED(v->as.p, "name"));
  module_json_put_graph(out, v);
}

static tenon_status put_module(tenon_buf *out, const tenon_json *root) {
  const tenon_json version = tenon_json_get(root, "version");
  int64_t found = 0;
  TENON_TRY(tenon_json_int(&version, &found));
  if (found != VERSION)
    return tenon_json_fail(&version, TENON_UNSUPPORTED, "json-module",
                           "expected version %d of a module, found %lld",
                           VERSION, (long long)found);
  tenon_put(
      out, "module $ {\n$$$",
      MAYBE(root, "name", "", module_json_put_quoted, ""),
      MAYBE(root, "format", "format ", module_json_put_quoted, "\n"),
      MAYBE(root, "description", "description ", module_json_put_quoted, "\n"),
      MAYBE(root, "target", "target ", module_json_put_quoted, "\n"));
  tenon_put(out, "$$$$$$$}\n",
            PIECE(root, "metadata", put_metadata, "", "", ""),
            PIECE(root, "dims", module_json_put_dim, "", "", ""),
            PIECE(root, "guards", put_guard, "", "", ""),
            PIECE(root, "states", put_state, "", "", ""),
            PIECE(root, "constants", put_constant, "", "", ""),
            PIECE(root, "entries", module_json_put_entry, "", "", ""),
            PIECE(root, "functions", put_function, "", "", ""));
  return module_json_writer(out)->status;
}

tenon_status tenon_module_json_read(tenon_context *cx, const void *data,
                                    size_t size,
                                    const tenon_read_options *options,
                                    tenon_module **out) {
  writer w = {.status = TENON_OK};
  tenon_bytes bytes = {(const uint8_t *)data, size};
  tenon_buf_init(&w.out, cx->allocator);
  tenon_status status = tenon_json_parse(&w.doc, bytes, &cx->allocator,
                                         &cx->report, options->name, "module");
  if (status == TENON_OK) {
    tenon_json root = tenon_json_root(&w.doc);
    status = put_module(&w.out, &root);
  }
  if (status == TENON_OK && w.out.failed)
    status = tenon_fail_memory(&cx->report, "reading JSON");
  if (status == TENON_OK)
    status = tenon_parse_module(cx, w.out.data, w.out.size, options->name, out);
  tenon_json_deinit(&w.doc);
  tenon_buf_deinit(&w.out);
  return status;
}
