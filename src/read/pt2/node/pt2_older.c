// How: torch before 2.4 wrote some things in another form than torch does now.
// Their text is changed here into today's form before anybody looks at it, so
// that all else knows one form only; what is of no form at all stays, and is
// refused where it is read. All of these programs lie in flat files.
//
// Up to 2.2 a union has all its members, of which one is not null; up to 2.3 an
// optional tensor in a list is a bare name. 2.1 (schema 1) has a signature of
// maps instead of a list of inputs, calls apart, constants as files of
// torch.save in base 64 beside the graph, and offsets as plain numbers.
#include "read/pt2/pt2_import.h"

// ---------------------------------------------------------------------------
// All of them
// ---------------------------------------------------------------------------

static bool name_optionals(json_t *list) {
  size_t i = 0;
  json_t *item = NULL;
  bool ok = true;
  json_array_foreach(list, i, item) {
    json_t *name = json_object_get(item, "as_tensor");
    if (!json_is_string(name)) continue;
    json_incref(name);  // its place is taken
    json_t *tensor = json_pack("{so}", "name", name);
    ok &= tensor && json_object_set_new(item, "as_tensor", tensor) == 0;
  }
  return ok;
}

// Depth has been limited.
static bool drop_nulls(json_t *value) {
  const char *key = NULL;
  void *next = NULL;
  json_t *child = NULL;
  size_t i = 0;
  bool ok = true;
  json_array_foreach(value, i, child) ok &= drop_nulls(child);
  json_object_foreach_safe(value, next, key, child) {
    if (json_is_null(child)) {
      (void)json_object_del(value, key);
      continue;
    }
    if (strcmp(key, "as_optional_tensors") == 0) ok &= name_optionals(child);
    ok &= drop_nulls(child);
  }
  return ok;
}

// ---------------------------------------------------------------------------
// Schema 1: graphs
// ---------------------------------------------------------------------------

static bool change_tensors(json_t *tensors) {
  const char *key = NULL;
  void *next = NULL;
  json_t *value = NULL;
  bool ok = true;
  json_object_foreach_safe(tensors, next, key, value) {
    json_t *meta = json_object_get(value, "meta");
    json_t *offset = json_object_get(meta, "storage_offset");
    if (json_is_integer(offset))
      ok &= json_object_set_new(
                meta, "storage_offset",
                json_pack("{sI}", "as_int", json_integer_value(offset))) == 0;
    if (meta) ok &= json_object_set(tensors, key, meta) == 0;
  }
  return ok;
}

static tenon_status change_graph(tenon_pt2 *im, const tenon_json *graph,
                                 bool is_main) {
  tenon_json tensors = tenon_json_get(graph, "tensor_values");
  tenon_json constants = tenon_json_get(graph, "constants");
  tenon_json nodes = tenon_json_get(graph, "nodes");
  if (!change_tensors((json_t *)(uintptr_t)tensors.value))
    return tenon_pt2_memory(im);
  if (!is_main && json_object_size(constants.value) > 0)
    return tenon_json_fail(&constants, TENON_UNSUPPORTED, "pt2-version",
                           "constants of a branch in a file of torch 2.1");
  for (size_t i = 0; i < tenon_json_count(&nodes); ++i) {
    tenon_json node = tenon_json_item(&nodes, i);
    tenon_json inputs = tenon_json_get(&node, "inputs");
    for (size_t k = 0; k < tenon_json_count(&inputs); ++k) {
      tenon_json input = tenon_json_item(&inputs, k);
      tenon_json inner = tenon_json_get(
          tenon_json_at(tenon_json_at(&input, "arg"), "as_graph"), "graph");
      if (tenon_json_is(&inner)) TENON_TRY(change_graph(im, &inner, false));
    }
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Schema 1: the signature
// ---------------------------------------------------------------------------

typedef struct signature {
  tenon_pt2 *im;
  tenon_json graph, old;
  json_t *inputs, *outputs;  // specs; owned
} signature;

// Of the input `name`: null where memory ran out.
static json_t *input_spec(const signature *s, const char *name) {
  static const char *const kinds[][3] = {
      {"inputs_to_parameters", "parameter", "parameter_name"},
      {"inputs_to_buffers", "buffer", "buffer_name"}};
  for (int i = 0; i < 2; ++i) {
    tenon_json weight =
        tenon_json_get(tenon_json_at(&s->old, kinds[i][0]), name);
    if (!json_is_string(weight.value)) continue;
    return json_pack("{s{s{ss},ss}}", kinds[i][1], "arg", "name", name,
                     kinds[i][2], json_string_value(weight.value));
  }
  return NULL;
}

static json_t *output_spec(const signature *s, const char *name, json_t *arg) {
  tenon_json map = tenon_json_get(&s->old, "buffers_to_mutate");
  tenon_json buffer = name ? tenon_json_get(&map, name) : map;
  if (json_is_string(buffer.value))
    return json_pack("{s{s{ss},ss}}", "buffer_mutation", "arg", "name", name,
                     "buffer_name", json_string_value(buffer.value));
  return json_pack("{s{sO}}", "user_output", "arg", arg);
}

// The name of a tensor; null: the argument is something else.
static const char *tensor_name(json_t *arg) {
  return json_string_value(
      json_object_get(json_object_get(arg, "as_tensor"), "name"));
}

static bool add_specs(signature *s) {
  tenon_json inputs = tenon_json_get(&s->graph, "inputs");
  tenon_json outputs = tenon_json_get(&s->graph, "outputs");
  size_t i = 0;
  json_t *arg = NULL;
  bool ok = s->inputs && s->outputs;
  json_array_foreach((json_t *)(uintptr_t)inputs.value, i, arg) {
    const char *name = tensor_name(arg);
    json_t *spec = name ? input_spec(s, name) : NULL;
    if (!spec) spec = json_pack("{s{sO}}", "user_input", "arg", arg);
    ok = ok && json_array_append_new(s->inputs, spec) == 0;
  }
  // The new values of buffers come first, then what the user gets.
  tenon_json written = tenon_json_get(&s->old, "buffers_to_mutate");
  size_t n_written = json_object_size(written.value);
  json_array_foreach((json_t *)(uintptr_t)outputs.value, i, arg) {
    const char *name = i < n_written ? tensor_name(arg) : NULL;
    ok =
        ok && json_array_append_new(s->outputs, output_spec(s, name, arg)) == 0;
  }
  return ok;
}

static int older_digit_of(char c) {
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

static tenon_status older_decode(tenon_pt2 *im, const tenon_json *at,
                                 tenon_bytes *out) {
  const char *text = NULL;
  TENON_TRY(tenon_json_text(at, &text));
  size_t n = strlen(text), size = 0;
  uint8_t *to = tenon_arena_alloc(&im->m->arena, n / 4 * 3 + 3, 64);
  if (!to) return tenon_pt2_memory(im);
  uint32_t bits = 0;
  for (size_t i = 0; i < n && text[i] != '='; ++i) {
    int digit = older_digit_of(text[i]);
    if (digit < 0)
      return tenon_json_fail(at, TENON_BAD_MODEL, "pt2-weights",
                             "character %zu is none of base 64", i);
    bits = bits << 6 | (uint32_t)digit;
    if (i % 4 != 0) to[size++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
  }
  *out = (tenon_bytes){to, size};
  return TENON_OK;
}

// They become inputs behind the others, as export lifts them today.
static tenon_status add_constants(signature *s) {
  const char *name = NULL;
  json_t *value = NULL;
  tenon_json constants = tenon_json_get(&s->graph, "constants");
  tenon_json inputs = tenon_json_get(&s->graph, "inputs");
  json_object_foreach((json_t *)(uintptr_t)constants.value, name, value) {
    tenon_bytes bytes;
    tenon_json at = tenon_json_get(&constants, name);
    TENON_TRY(older_decode(s->im, &at, &bytes));
    TENON_TRY(tenon_pt2_weight_add(s->im, name, bytes));
    json_t *spec = json_pack("{s{s{ss},ss}}", "tensor_constant", "arg", "name",
                             name, "tensor_constant_name", name);
    json_t *arg = json_pack("{s{ss}}", "as_tensor", "name", name);
    bool done = json_array_append_new(s->inputs, spec) == 0;
    done &= json_array_append_new((json_t *)(uintptr_t)inputs.value, arg) == 0;
    if (!done) return tenon_pt2_memory(s->im);
  }
  return TENON_OK;
}

// Sizes that must be equal are the same expression, or this is more than the
// graph says.
static tenon_status check_equality(const signature *s,
                                   const tenon_json *pairs) {
  tenon_json tensors = tenon_json_get(&s->graph, "tensor_values");
  for (size_t i = 0; i < tenon_json_count(pairs); ++i) {
    const json_t *sizes[2] = {NULL, NULL};
    tenon_json pair = tenon_json_item(pairs, i);
    for (size_t k = 0; k < 2; ++k) {
      const json_t *one = json_array_get(pair.value, k);
      const char *name = json_string_value(json_array_get(one, 0));
      tenon_json meta = tenon_json_get(&tensors, name ? name : "");
      tenon_json list = tenon_json_get(&meta, "sizes");
      int64_t dim = json_integer_value(json_array_get(one, 1));
      if (dim >= 0) sizes[k] = json_array_get(list.value, (size_t)dim);
    }
    if (sizes[0] && json_equal(sizes[0], sizes[1])) continue;
    return tenon_json_fail(&pair, TENON_UNSUPPORTED, "pt2-version",
                           "two sizes that must be equal are not the same in "
                           "the graph");
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Schema 1: the call
// ---------------------------------------------------------------------------

// tuple(args tuple, kwargs dict)
static bool older_is_whole(const json_t *spec) {
  static const char *const types[] = {"builtins.tuple", "builtins.dict"};
  const json_t *tree = json_array_get(spec, 1);
  const json_t *children = json_object_get(tree, "children_spec");
  bool is = json_array_size(children) == 2;
  for (size_t i = 0; is && i < 2; ++i) {
    const char *type =
        json_string_value(json_object_get(json_array_get(children, i), "type"));
    is = type && strcmp(type, types[i]) == 0;
  }
  return is;
}

// A program that was called without keywords has positional arguments alone.
static json_t *whole_spec(tenon_pt2 *im, const char *text) {
  json_t *spec = json_loads(text, 0, NULL);
  const char *root = strchr(text, ','), *end = strrchr(text, ']');
  bool is_done = !spec || older_is_whole(spec) || !root || !end || end < root;
  json_decref(spec);
  if (is_done) return json_string(text);
  tenon_buf_clear(&im->text);
  tenon_buf_text(&im->text,
                 "[1, {\"type\": \"builtins.tuple\", \"context\": \"null\", "
                 "\"children_spec\": [");
  tenon_buf_add(&im->text, root + 1, (size_t)(end - root) - 1);
  tenon_buf_text(&im->text,
                 ", {\"type\": \"builtins.dict\", \"context\": \"[]\", "
                 "\"children_spec\": []}]}]");
  return im->text.failed ? NULL : json_string(im->text.data);
}

static bool change_call(tenon_pt2 *im, json_t *module) {
  json_t *call = json_object_get(module, "call_spec");
  const char *in = json_string_value(json_object_get(call, "in_spec"));
  json_t *out = json_object_get(call, "out_spec");
  if (!in || !out) return true;  // nothing is shown then
  json_t *entry = json_pack("[{ss,s{so,sO}}]", "fqn", "", "signature",
                            "in_spec", whole_spec(im, in), "out_spec", out);
  return json_object_set_new(module, "module_call_graph", entry) == 0;
}

static tenon_status change_signature(signature *s, const tenon_json *module) {
  tenon_json backward = tenon_json_get(&s->old, "backward_signature");
  tenon_json equal =
      tenon_json_get(&s->im->program_root, "equality_constraints");
  json_t *own = (json_t *)(uintptr_t)module->value;
  tenon_json inputs = tenon_json_get(&s->graph, "inputs");
  tenon_json outputs = tenon_json_get(&s->graph, "outputs");
  TENON_TRY(tenon_json_object(module));
  TENON_TRY(tenon_json_object(&s->graph));
  TENON_TRY(tenon_json_array(&inputs));
  TENON_TRY(tenon_json_array(&outputs));
  TENON_TRY(tenon_json_object(&s->old));
  if (tenon_json_is(&backward))
    return tenon_json_fail(&backward, TENON_UNSUPPORTED, "pt2-signature",
                           "a program with gradients is not supported");
  TENON_TRY(change_graph(s->im, &s->graph, true));
  TENON_TRY(check_equality(s, &equal));
  if (!add_specs(s)) return tenon_pt2_memory(s->im);
  TENON_TRY(add_constants(s));
  json_t *spec = json_pack("{sO,sO}", "input_specs", s->inputs, "output_specs",
                           s->outputs);
  bool done = json_object_set_new(own, "signature", spec) == 0;
  return done && change_call(s->im, own) ? TENON_OK : tenon_pt2_memory(s->im);
}

tenon_status tenon_pt2_older(tenon_pt2 *im) {
  tenon_json version = tenon_json_get(&im->program_root, "schema_version");
  tenon_json module = tenon_json_get(&im->program_root, "graph_module");
  if (!drop_nulls(im->program.root)) return tenon_pt2_memory(im);
  if (!json_is_integer(version.value) || json_integer_value(version.value) != 1)
    return TENON_OK;
  signature s = {.im = im, .inputs = json_array(), .outputs = json_array()};
  s.graph = tenon_json_get(&module, "graph");
  s.old = tenon_json_get(&module, "signature");
  tenon_status status = change_signature(&s, &module);
  json_decref(s.inputs);
  json_decref(s.outputs);
  return status;
}
