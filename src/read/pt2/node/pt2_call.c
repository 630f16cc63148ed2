// How: the specs of a program are trees in JSON whose leaves are the user's
// inputs and outputs in order. Printed as Python they are the call that a user
// of the module would write; that text is kept beside the entry (`tenon info`).
#include "read/pt2/pt2_import.h"

#define DEEPEST 64

typedef struct printer {
  tenon_pt2 *im;
  tenon_json fields;  // of named tuples
  tenon_json specs;  // of the signature; each leaf takes the next of the user's
  bool is_output;
  size_t next, next_name;
  const tenon_entry_point *entry;  // its outputs have names of their own
  tenon_buf text;
} printer;

static void pt2_call_print_name(printer *p, const json_t *name) {
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(json_string_value(name)));
  tenon_buf_text(&p->text, label);
}

static void print_literal(printer *p, const char *tag, const json_t *value) {
  if (strcmp(tag, "as_none") == 0) {
    tenon_buf_text(&p->text, "None");
  } else if (json_is_boolean(value)) {
    tenon_buf_text(&p->text, json_is_true(value) ? "True" : "False");
  } else if (json_is_integer(value)) {
    tenon_buf_format(&p->text, "%lld", (long long)json_integer_value(value));
  } else if (json_is_real(value)) {
    tenon_buf_double(&p->text, json_real_value(value));
  } else if (json_is_string(value)) {
    tenon_buf_quote(&p->text, json_string_value(value),
                    json_string_length(value));
  } else {
    tenon_buf_text(&p->text, "?");
  }
}

// The name of the next output: what is returned twice has two. None and text
// are no outputs.
static const char *next_output(printer *p, const char *tag) {
  if (!p->is_output || strcmp(tag, "as_none") == 0 ||
      strcmp(tag, "as_string") == 0)
    return NULL;
  size_t i = p->next_name++;
  bool has_name =
      p->entry && i + p->entry->n_writes < p->entry->graph->end->n_in;
  return has_name ? p->entry->outputs[i] : NULL;
}

// An Argument: the name of a value, or the literal that it is.
static void pt2_call_print_argument(printer *p, const tenon_json *arg) {
  const char *key = NULL;
  json_t *value = NULL;
  json_object_foreach((json_t *)(uintptr_t)arg->value, key, value) {
    const char *output = next_output(p, key);
    json_t *name = json_object_get(value, "name");
    if (!name) name = json_object_get(value, "as_name");
    if (json_is_string(name) && output) {
      tenon_buf_text(&p->text, output);
      return;
    }
    if (json_is_string(name))
      pt2_call_print_name(p, name);
    else
      print_literal(p, key, value);
    return;
  }
}

static void print_leaf(printer *p) {
  for (; p->next < tenon_json_count(&p->specs); ++p->next) {
    tenon_json spec = tenon_json_item(&p->specs, p->next);
    tenon_json user =
        tenon_json_get(&spec, p->is_output ? "user_output" : "user_input");
    tenon_json arg = tenon_json_get(&user, "arg");
    tenon_json value =
        tenon_json_get(tenon_json_at(&spec, "constant_input"), "value");
    if (!tenon_json_is(&arg) && !tenon_json_is(&value)) continue;
    ++p->next;
    pt2_call_print_argument(p, tenon_json_is(&arg) ? &arg : &value);
    return;
  }
  tenon_buf_char(&p->text, '?');
}

// Key i of a dictionary; the context is a JSON text, of a defaultdict with the
// keys in its second place.
static void pt2_call_print_key(printer *p, const json_t *keys, size_t i,
                               bool is_name) {
  if (json_is_array(json_array_get(keys, 1))) keys = json_array_get(keys, 1);
  const json_t *key = json_array_get(keys, i);
  if (is_name && json_is_string(key))
    pt2_call_print_name(p, key);
  else
    print_literal(p, "", key);
}

static tenon_status print_tree(printer *p, const tenon_json *spec, int depth,
                               bool is_call);

typedef struct brackets {
  const char *open, *close;
  json_t *keys;    // of a dictionary
  bool are_names;  // and they are written as keywords
} brackets;

static tenon_status print_children(printer *p, const tenon_json *spec,
                                   const brackets *b, int depth) {
  tenon_json children = tenon_json_get(spec, "children_spec");
  TENON_TRY(tenon_json_array(&children));
  size_t n = tenon_json_count(&children);
  tenon_buf_text(&p->text, b->open);
  for (size_t i = 0; i < n; ++i) {
    tenon_json child = tenon_json_item(&children, i);
    if (i > 0) tenon_buf_text(&p->text, ", ");
    if (b->keys) pt2_call_print_key(p, b->keys, i, b->are_names);
    if (b->keys) tenon_buf_text(&p->text, b->are_names ? "=" : ": ");
    TENON_TRY(print_tree(p, &child, depth + 1, false));
  }
  if (n == 1 && b->open[0] == '(') tenon_buf_char(&p->text, ',');
  tenon_buf_text(&p->text, b->close);
  return TENON_OK;
}

static tenon_status print_dict(printer *p, const tenon_json *spec,
                               const char *context, int depth, bool is_call) {
  tenon_json_doc doc;
  tenon_bytes text = {(const uint8_t *)context, strlen(context)};
  tenon_status status =
      tenon_json_parse(&doc, text, &p->im->cx->allocator, &p->im->m->report,
                       p->im->m->name, "keys of a dictionary");
  brackets b = {is_call ? "" : "{", is_call ? "" : "}", doc.root, is_call};
  if (status == TENON_OK) status = print_children(p, spec, &b, depth);
  tenon_json_deinit(&doc);
  return status;
}

static tenon_status print_named(printer *p, const tenon_json *spec,
                                const char *name, int depth) {
  const char *dot = strrchr(name, '.');
  tenon_json names =
      tenon_json_get(tenon_json_at(&p->fields, name), "field_names");
  brackets b = {"", ")", (json_t *)(uintptr_t)names.value, true};
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(dot ? dot + 1 : name));
  tenon_buf_format(&p->text, "%s(", label);
  return print_children(p, spec, &b, depth);
}

static tenon_status print_tree(printer *p, const tenon_json *spec, int depth,
                               bool is_call) {
  const char *type = NULL, *context = "";
  tenon_json type_at = tenon_json_get(spec, "type");
  tenon_json context_at = tenon_json_get(spec, "context");
  TENON_TRY(tenon_json_object(spec));
  if (depth > DEEPEST)
    return tenon_json_fail(spec, TENON_BAD_MODEL, "pt2-signature",
                           "nests deeper than %d", DEEPEST);
  if (!tenon_json_is(&type_at)) {
    print_leaf(p);
    return TENON_OK;
  }
  TENON_TRY(tenon_json_text(&type_at, &type));
  if (tenon_json_is(&context_at))
    TENON_TRY(tenon_json_text(&context_at, &context));
  const brackets call = {"", "", NULL, false}, tuple = {"(", ")", NULL, false};
  const brackets list = {"[", "]", NULL, false};
  if (strcmp(type, "builtins.tuple") == 0)
    return print_children(p, spec, is_call ? &call : &tuple, depth);
  if (strcmp(type, "builtins.list") == 0)
    return print_children(p, spec, &list, depth);
  if (strcmp(type, "collections.namedtuple") == 0)
    return print_named(p, spec, context, depth);
  if (strcmp(type, "builtins.dict") == 0 ||
      strcmp(type, "collections.OrderedDict") == 0 ||
      strcmp(type, "collections.defaultdict") == 0)
    return print_dict(p, spec, context, depth, is_call);
  const char *dot = strrchr(type, '.');
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(dot ? dot + 1 : type));
  tenon_buf_text(&p->text, label);
  return print_children(p, spec, &tuple, depth);
}

// tuple(args tuple, kwargs dict)
static tenon_status pt2_call_print_call(printer *p, const tenon_json *spec) {
  tenon_json children = tenon_json_get(spec, "children_spec");
  tenon_buf_text(&p->text, "forward(");
  for (size_t i = 0; i < tenon_json_count(&children); ++i) {
    tenon_json child = tenon_json_item(&children, i);
    if (tenon_json_count(tenon_json_at(&child, "children_spec")) == 0) continue;
    if (i > 0 && p->next > 0 && p->text.data[p->text.size - 1] != '(')
      tenon_buf_text(&p->text, ", ");
    TENON_TRY(print_tree(p, &child, 0, true));
  }
  tenon_buf_char(&p->text, ')');
  return TENON_OK;
}

// The spec `key` of the root's signature: [1, tree].
static tenon_status print_spec(printer *p, const tenon_json *signature,
                               const char *key) {
  const char *text = NULL;
  tenon_json_doc doc;
  TENON_TRY(tenon_json_text(tenon_json_at(signature, key), &text));
  tenon_bytes bytes = {(const uint8_t *)text, strlen(text)};
  tenon_status status =
      tenon_json_parse(&doc, bytes, &p->im->cx->allocator, &p->im->m->report,
                       p->im->m->name, key);
  if (status == TENON_OK) {
    tenon_json root = tenon_json_root(&doc);
    tenon_json tree = tenon_json_item(&root, 1);
    p->next = 0;
    status = p->is_output ? print_tree(p, &tree, 0, false)
                          : pt2_call_print_call(p, &tree);
  }
  tenon_json_deinit(&doc);
  return status;
}

static tenon_status print_both(printer *p, const tenon_json *module,
                               const tenon_json *signature) {
  tenon_json spec = tenon_json_get(module, "signature");
  tenon_json inputs = tenon_json_get(&spec, "input_specs");
  tenon_json outputs = tenon_json_get(&spec, "output_specs");
  p->specs = inputs;
  TENON_TRY(print_spec(p, signature, "in_spec"));
  tenon_buf_text(&p->text, " -> ");
  p->specs = outputs;
  p->is_output = true;
  return print_spec(p, signature, "out_spec");
}

tenon_status tenon_pt2_call(tenon_pt2 *im, const tenon_json *module,
                            const char *entry) {
  tenon_json graphs = tenon_json_get(module, "module_call_graph");
  printer p = {.im = im};
  if (im->m->entries.count > 0)
    p.entry = &im->m->entries.data[im->m->entries.count - 1];
  p.fields = tenon_json_get(module, "treespec_namedtuple_fields");
  tenon_json root = tenon_json_item(&graphs, 0);
  tenon_json signature = tenon_json_get(&root, "signature");
  if (!tenon_json_is(&signature)) return TENON_OK;
  tenon_buf_init(&p.text, im->cx->allocator);
  tenon_status status = print_both(&p, module, &signature);
  tenon_buf_clear(&im->text);
  tenon_buf_format(&im->text, TENON_CALL_KEY "%s", entry);
  if (status == TENON_OK && !p.text.failed && !im->text.failed) {
    tenon_metadata row = {
        tenon_arena_text(&im->m->arena, im->text.data, im->text.size),
        tenon_arena_copy(&im->m->arena, p.text.data, p.text.size, 1),
        p.text.size};
    if (im->m->arena.failed || !tenon_vec_push(&im->m->metadata, row))
      status = tenon_pt2_memory(im);
  } else if (status == TENON_OK) {
    status = tenon_pt2_memory(im);
  }
  tenon_buf_deinit(&p.text);
  return status;
}
