// How: the module is printed as JSON, where an operator that Tenon does not
// know has its operands, results, types and the bytes of its options; all of
// its occurrences together give a schema that serves them all.
#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "cli/new/new.h"

// All occurrences taken together.
typedef struct shape {
  const tenon_context *cx;
  const new_model *model;
  const char *code;  // as it was asked for
  const json_t *first;
  size_t count;
  size_t n_in, least_in, n_out, least_out;
  bool absent[NEW_MOST], written[NEW_MOST];
  tenon_buf names;  // of the unknown operators, for a message
  // Codes of the model whose key is that of `code`, the first two.
  const char *keyed, *keyed_too;
} shape;

// A custom code of a .tflite. In a .pt2 the set may be called `custom`, too;
// then the file tells how it is called.
static bool is_custom(const new_model *m, const char *op) {
  return strncmp(op, "custom::", 8) == 0 && !new_model_tells(m, op, NULL);
}

static bool is_state(const json_t *nodes, const json_t *argument) {
  size_t i = 0;
  json_t *node = NULL;
  json_array_foreach(nodes, i, node) {
    const json_t *out = json_array_get(json_object_get(node, "results"), 0);
    if (strcmp(new_text_of(node, "op"), "core::state_read") == 0 &&
        strcmp(new_text_of(out, "value"), new_text_of(argument, "value")) == 0)
      return true;
  }
  return false;
}

static void add_node(shape *s, const json_t *nodes, const json_t *node) {
  const json_t *in = json_object_get(node, "arguments");
  size_t n_in = json_array_size(in);
  size_t n_out = json_array_size(json_object_get(node, "results"));
  if (s->count++ == 0) {
    s->first = node;
    s->least_in = n_in;
    s->n_out = s->least_out = n_out;
  }
  if (n_in > s->n_in) s->n_in = n_in;
  if (n_in < s->least_in) s->least_in = n_in;
  if (n_out > s->n_out) s->n_out = n_out;
  if (n_out < s->least_out) s->least_out = n_out;
  for (size_t i = 0; i < n_in && i < NEW_MOST; ++i) {
    const json_t *value = json_array_get(in, i);
    if (strcmp(new_text_of(value, "value"), "none") == 0)
      s->absent[i] = true;
    else if (is_state(nodes, value))
      s->written[i] = true;
  }
}

// An operator that Tenon does not know, as it is asked for: a .tflite has a
// code, others have a name. Null: somebody does.
static const char *new_model_unknown_name(const shape *s, const char *op) {
  if (is_custom(s->model, op)) return op + 8;
  return tenon_context_find(s->cx, TENON_REGISTRY_OPS, op, NULL, NULL) ? NULL
                                                                       : op;
}

static bool new_model_is_asked(const shape *s, const char *name) {
  size_t n = strlen(name);
  return strcmp(name, s->code) == 0 ||
         (strncmp(name, s->code, n) == 0 && strstr(name, "::") &&
          strcmp(s->code + n, ".default") == 0);
}

static void note_key(shape *s, const char *op, const char *name) {
  char key[256], asked[256];
  if (!is_custom(s->model, op) ||
      tenon_custom_key(name, key, sizeof key) >= sizeof key ||
      tenon_custom_key(s->code, asked, sizeof asked) >= sizeof asked ||
      strcmp(key, asked) != 0)
    return;
  if (!s->keyed)
    s->keyed = name;
  else if (!s->keyed_too && strcmp(s->keyed, name) != 0)
    s->keyed_too = name;
}

static void new_model_look(shape *s, const json_t *graph) {
  const json_t *nodes = json_object_get(graph, "nodes");
  size_t i = 0, k = 0;
  json_t *node = NULL, *region = NULL;
  json_array_foreach(nodes, i, node) {
    const char *name = new_model_unknown_name(s, new_text_of(node, "op"));
    if (name) {
      char quoted[256];
      snprintf(quoted, sizeof quoted, "'%s'", name);
      if (new_model_is_asked(s, name)) add_node(s, nodes, node);
      note_key(s, new_text_of(node, "op"), name);
      if (!s->names.data || !strstr(s->names.data, quoted))
        tenon_put(&s->names, "$$", s->names.size ? ", " : "", quoted);
    }
    json_array_foreach(json_object_get(node, "regions"), k, region)
        new_model_look(s, region);
  }
}

// "AcmeGain" as acme::gain: words begin with a capital or behind what is no
// letter; a lone word gets the set `custom`.
static void make_name(const char *code, new_model *m) {
  char snake[200];
  size_t n = 0;
  for (const char *p = code; *p && n + 2 < sizeof snake && n < 120; ++p) {
    unsigned char ch = (unsigned char)*p;
    bool is_word = ch < 0x80 && isalnum(ch);
    bool starts = isupper(ch) && p > code && islower((unsigned char)p[-1]);
    if ((starts || !is_word) && n > 0 && snake[n - 1] != '_') snake[n++] = '_';
    if (is_word) snake[n++] = (char)tolower(ch);
  }
  while (n > 0 && snake[n - 1] == '_')
    --n;
  snake[n] = 0;
  char *rest = strchr(snake, '_');
  bool has_set = rest && rest[1] && !isdigit((unsigned char)snake[0]);
  snprintf(m->set, sizeof m->set, "%s", "custom");
  if (has_set)
    snprintf(m->set, sizeof m->set, "%.*s", (int)(rest - snake), snake);
  const char *base = has_set ? rest + 1 : snake;
  bool needs_letter = !*base || isdigit((unsigned char)*base);
  snprintf(m->base, sizeof m->base, "%s%.120s", needs_letter ? "op_" : "",
           base);
}

static bool is_identifier(const char *s) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  size_t n = strlen(s);
  return n > 0 && n < 64 && strspn(s, letters) == n &&
         !(s[0] >= '0' && s[0] <= '9');
}

// Adds ", float gain" and the like for every key of a map, and what no schema
// can say to `notes`. False when the bytes are no map.
static bool write_options(const tenon_buf *options, tenon_buf *out,
                          tenon_buf *notes) {
  const char *key = NULL, *type = NULL, *before = ", *, ";
  for (size_t i = 0;
       tenon_options_key(options->data, options->size, i, &key, &type); ++i) {
    if (!key) return true;
    bool can_say = type && is_identifier(key);
    if (can_say)
      tenon_put(out, "$$ $", before, type, key);
    else
      tenon_buf_format(notes, " %.64s", key);
    if (can_say) before = ", ";
  }
  return false;
}

static void write_operands(new_model *m, const shape *s, new_spec *spec) {
  const json_t *in = json_object_get(s->first, "arguments");
  tenon_put(&m->schema, "$::$(", m->set, m->base);
  for (size_t i = 0; i < s->n_in; ++i) {
    bool is_optional = s->absent[i] || i >= s->least_in;
    char mark[8] = "";
    if (s->written[i])
      snprintf(mark, sizeof mark, "(%c!)", (char)('a' + i % 26));
    tenon_put(&m->schema, "$Tensor$$ x$$", i ? ", " : "", mark,
              is_optional ? "?" : "", i, is_optional ? "=None" : "");
    const json_t *types = json_object_get(json_array_get(in, i), "types");
    spec->in_types[i] = new_model_type(m, json_array_get(types, 0));
  }
}

// A lone list stands without parentheses.
static void new_model_write_results(new_model *m, const shape *s,
                                    new_spec *spec) {
  const json_t *out = json_object_get(s->first, "results");
  bool is_list = s->n_out != s->least_out, is_one = is_list || s->n_out == 1;
  size_t n = is_list ? 1 : s->n_out;
  tenon_buf_text(&m->schema, is_one ? ") -> " : ") -> (");
  for (size_t i = 0; i < n; ++i) {
    tenon_put(&m->schema, "$Tensor$", i ? ", " : "", is_list ? "[]" : "");
    spec->out_types[i] =
        new_model_type(m, json_object_get(json_array_get(out, i), "type"));
  }
  tenon_buf_text(&m->schema, is_one ? "" : ")");
}

// hex"00ff", as text IR has bytes.
static bool new_model_decode(const char *hex, tenon_buf *out) {
  static const char digits[] = "0123456789abcdef";
  if (strncmp(hex, "hex\"", 4) == 0) hex += 4;
  for (; hex[0] && hex[0] != '"' && hex[1]; hex += 2) {
    const char *a = strchr(digits, hex[0]), *b = strchr(digits, hex[1]);
    if (!a || !b) return false;
    tenon_buf_char(out, (char)((a - digits) * 16 + (b - digits)));
  }
  return true;
}

static int new_model_make_schema(cli *c, new_model *m, const shape *s,
                                 new_spec *spec) {
  tenon_buf keys = {0}, notes = {0};
  const char *hex = new_text_of(s->first, "opaque");
  if (s->n_in > NEW_MOST || s->n_out > NEW_MOST)
    return cli_fail(c, TENON_UNSUPPORTED, "new-model",
                    "an operator with %zu operands and %zu results", s->n_in,
                    s->n_out);
  write_operands(m, s, spec);
  bool is_hex = new_model_decode(hex, &m->bytes);
  if (is_hex && m->bytes.size && !write_options(&m->bytes, &keys, &notes)) {
    spec->raw = (const unsigned char *)m->bytes.data;
    spec->raw_size = m->bytes.size;
    tenon_buf_clear(&keys);
  }
  // No comma before the first.
  if (keys.size) tenon_buf_text(&m->schema, keys.data + (s->n_in == 0 ? 2 : 0));
  new_model_write_results(m, s, spec);
  if (notes.size)
    cli_warn(c, "new-options", "options that no schema can say are left out:%s",
             notes.data);
  bool ok = is_hex && !m->schema.failed && !m->bytes.failed && !keys.failed;
  tenon_buf_deinit(&keys);
  tenon_buf_deinit(&notes);
  return ok ? 0 : cli_fail(c, CLI_NO_MEMORY, "memory", "out of memory");
}

static int new_model_print_module(tenon_context *cx, const tenon_buf *file,
                                  const char *path, tenon_buf *out) {
  tenon_module *module = NULL;
  tenon_read_options o = {0};
  const char *slash = strrchr(path, '/');
  o.struct_size = sizeof o;
  o.name = slash ? slash + 1 : path;
  tenon_status status =
      tenon_module_read(cx, file->data, file->size, &o, &module);
  if (status == TENON_OK)
    status = tenon_module_print(module, TENON_FORMAT_JSON, cli_collect, out);
  tenon_module_destroy(module);
  return cli_exit(status);
}

static void look_all(shape *s) {
  size_t i = 0;
  json_t *graph = NULL;
  json_array_foreach(json_object_get(s->model->document, "functions"), i, graph)
      new_model_look(s, graph);
}

// By its name, else the one by its key.
static int find_nodes(cli *c, shape *s, const char *path) {
  look_all(s);
  if (s->count == 0 && s->keyed_too)
    return cli_fail(c, CLI_USAGE, "new-model",
                    "'%s' is the key of '%s' and of '%s' in '%s'; name one",
                    s->code, s->keyed, s->keyed_too, path);
  if (s->count == 0 && s->keyed) {
    s->code = s->keyed;
    look_all(s);
  }
  if (s->count != 0) return 0;
  return cli_fail(c, CLI_USAGE, "new-model",
                  "'%s' has no unknown operator '%s'; %s%s", path, s->code,
                  s->names.size ? "there are " : "there is none",
                  s->names.size ? s->names.data : "");
}

int new_model_read(cli *c, tenon_context *cx, const char *code,
                   const char *path, new_model *m, new_spec *spec) {
  tenon_buf file = {0};
  shape s = {0};
  json_error_t error;
  if (!cli_read_file(c, path, &file)) return TENON_IO;
  int status = new_model_print_module(cx, &file, path, &m->text);
  tenon_buf_deinit(&file);
  if (status) return status;
  m->document = json_loadb(m->text.data, m->text.size, 0, &error);
  if (!m->document)
    return cli_fail(c, TENON_BUG, "bug", "the module's JSON: %s", error.text);
  s.cx = cx;
  s.model = m;
  // Reports call a code by the set that it gets, too.
  s.code = is_custom(m, code) ? code + strlen("custom::") : code;
  status = find_nodes(c, &s, path);
  tenon_buf_deinit(&s.names);
  if (status) return status;
  spec->model = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  if (!is_custom(m, new_text_of(s.first, "op")))
    return new_model_schema(c, m, s.first, spec);
  make_name(s.code, m);
  spec->tflite_name = s.code;
  return new_model_make_schema(c, m, &s, spec);
}

void new_model_free(new_model *m) {
  json_decref(m->document);
  tenon_buf_deinit(&m->text);
  tenon_buf_deinit(&m->schema);
  tenon_buf_deinit(&m->bytes);
}
