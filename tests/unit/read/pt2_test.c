// Tests of the .pt2 reader: one small program, as it is and with one thing in
// it changed.
#include <stdlib.h>

#include "core/type.h"
#include "harness/harness.h"
#include "ir/graph.h"
#include "ir/scope.h"
#include "unit/read/archives.h"
#include "unit/read/models.h"

// The text with the first `from` replaced.
static char *replaced(const char *text, const char *from, const char *to) {
  const char *at = strstr(text, from);
  CHECK(at, "no '%s'", from);
  size_t before = (size_t)(at - text), size = strlen(text) + strlen(to) + 1;
  char *out = (char *)malloc(size);
  snprintf(out, size, "%.*s%s%s", (int)before, text, to, at + strlen(from));
  return out;
}

static void read_program(world *w, const char *program, const char *weights) {
  archive a;
  tenon_read_options options = {.struct_size = sizeof options,
                                .name = "net.pt2"};
  archive_program(&a, program, weights);
  world_read(w, a.data, a.size, &options);
  archive_free(&a);
}

static void imports_a_program(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  read_program(&w, program_text, weights_text);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_string_equal(w.m->format, "pt2");
  assert_int_equal(w.m->entries.count, 1);
  const tenon_entry_point *e = &w.m->entries.data[0];
  assert_string_equal(e->name, "main");
  assert_int_equal(e->graph->n_params, 1);
  assert_string_equal(e->inputs[0], "x");
  assert_string_equal(e->outputs[0], "view");
  // The nodes about sizes have become an expression.
  const tenon_node *add = e->graph->first, *view = add->next;
  assert_string_equal(add->op->name, "aten::add.Tensor");
  assert_string_equal(view->op->name, "aten::view");
  assert_null(view->next);
  assert_int_equal(arg_of(add, "alpha")->as.scalar.as.i, 2);
  const tenon_arg *size = arg_of(view, "size");
  assert_int_equal(size->kind, TENON_KIND_DIMS);
  assert_true(
      tenon_dim_equals(size->as.dims.data[0], view->out[0]->type.dims[0]));
  const tenon_symbol *s77 = tenon_symbols_look(
      &w.m->symbols, e->graph->params[0]->type.dims[0].symbol);
  assert_string_equal(s77->name, "s77");
  assert_int_equal(s77->min, 2);
  assert_int_equal(s77->max, 64);
  world_close(&w);
}

static void keeps_places_and_weights(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  read_program(&w, program_text, weights_text);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  const tenon_node *add = w.m->entries.data[0].graph->first;
  const tenon_place *place = tenon_node_place(add);
  assert_string_equal(place->where, "node 0 (add)");
  assert_string_equal(place->origin,
                      "net.py:7, in forward, module fc (torch.nn.Linear)");
  uint32_t fc = tenon_scope_find(w.m, tenon_text_of("fc"));
  assert_true(fc != 0);
  uint32_t outer = w.m->scopes.data[fc - 1].outer;
  assert_int_equal(outer, tenon_scope_find(w.m, tenon_text_of("(root)")));
  assert_string_equal(w.m->scopes.data[outer - 1].type, "net.M");
  const tenon_value *weight = tenon_node_in(add, 1);
  assert_int_equal(weight->kind, TENON_VALUE_CONSTANT);
  assert_string_equal(weight->name, "w");
  const float *data = (const float *)weight->constant->data;
  assert_true(data[0] == 1.5f && data[1] == -2.0f);
  // In the file, where that lies as kernels want it; a copy where not.
  const char *at = (const char *)data;
  bool is_inside = at >= w.data && at < w.data + w.size;
  assert_true(is_inside || (uintptr_t)data % 64 == 0);
  world_close(&w);
}

// One thing changed in the program, and what is said of it.
static const struct {
  const char *from, *to, *id, *text;
} rows[] = {
    {"{\"graph_module\"", "{\"graph_modulo\"", "json-value", "graph_module"},
    {"\"major\": 8", "\"major\": 9", "pt2-version", "schema version 9"},
    {"\"nodes\": [", "\"nodes\": 3, \"n\": [", "json-value",
     "graph_module.graph.nodes: expected an array"},
    {"\"view\"}}],\"nodes\"", "\"ghost\"}}],\"nodes\"", "pt2-signature",
     "expected 'ghost' as the graph has it"},
    {"torch.ops.aten.add.Tensor", "os.system", "pt2-operator", "os.system"},
    {"torch.ops.aten.add.Tensor", "torch.ops.aten.add", "pt2-operator",
     "torch.ops.aten.add"},
    {"torch.ops.aten.add.Tensor", "torch._functorch.f", "pt2-operator",
     "function of Python"},
    {"\"other\", \"arg\"", "\"othr\", \"arg\"", "pt2-argument",
     "did you mean 'other'"},
    {"\"self\", \"arg\"", "\"other\", \"arg\"", "pt2-argument",
     "is given twice"},
    {"{\"as_tensor\": {\"name\": \"x\"}}, \"kind\": 1}",
     "{\"as_string\": \"x\"}, \"kind\": 1}", "pt2-argument",
     "takes Tensor for 'self'"},
    {"{\"as_tensor\": {\"name\": \"x\"}}, \"kind\": 1}",
     "{\"as_quaternion\": 1}, \"kind\": 1}", "pt2-argument", "as_quaternion"},
    {"{\"as_tensor\": {\"name\": \"x\"}}, \"kind\": 1}",
     "{\"as_complex\": {}}, \"kind\": 1}", "json-value", "as_complex.real"},
    {"{\"as_int\": 2}, \"kind\": 2}", "{\"as_string\": \"2\"}, \"kind\": 2}",
     "pt2-argument", "expected Scalar"},
    {"{\"as_int\": 2}, \"kind\": 2}", "{}, \"kind\": 2}", "json-value",
     "found 0"},
    {"{\"as_int\": 2}, \"kind\": 2}",
     "{\"as_custom_obj\": {\"name\": \"o\"}}, \"kind\": 2}", "pt2-argument",
     "an argument of the kind 'as_custom_obj' is not supported here"},
    {"{\"as_int\": 2}, \"kind\": 2}", "{\"as_int_lists\": [[1]]}, \"kind\": 2}",
     "pt2-argument",
     "an argument of the kind 'as_int_lists' is not supported here"},
    {"{\"as_int\": 2}, \"kind\": 2}", "{\"as_qubit\": 2}, \"kind\": 2}",
     "pt2-argument", "there is no kind of argument 'as_qubit'"},
    {"{\"as_int\": 2}, \"kind\": 2}",
     "{\"as_sym_floats\": [{\"as_name\": \"x\"}]}, \"kind\": 2}",
     "pt2-argument", "'x' is no number"},
    {"{\"as_int\": 2}, \"kind\": 2}",
     "{\"as_sym_floats\": {\"as_float\": 1.5}}, \"kind\": 2}", "json-value",
     "expected an array"},
    {"{\"as_int\": 2}, \"kind\": 2}",
     "{\"as_int\": 2, \"as_float\": 2.0}, \"kind\": 2}", "json-value",
     "found 2"},
    {"{\"as_tensor\": {\"name\": \"x\"}}, \"kind\": 1}",
     "{\"as_tensor\": {\"name\": \"view\"}}, \"kind\": 1}", "pt2-graph",
     "'view' is used before the node that computes it"},
    {"{\"as_tensor\": {\"name\": \"x\"}}, \"kind\": 1}",
     "{\"as_tensor\": {\"name\": \"y\"}}, \"kind\": 1}", "pt2-graph",
     "'y' is not defined"},
    {"[{\"as_tensor\": {\"name\": \"add\"}}]",
     "[{\"as_tensor\": {\"name\": \"x\"}}]", "pt2-graph", "defined twice"},
    {"\"tensor_values\": {\"p_w\": {\"dtype\": 7",
     "\"tensor_values\": {\"p_w\": {\"dtype\": 99", "pt2-type",
     "no element type 99"},
    {"\"layout\": 7", "\"layout\": 42", "pt2-type", "no layout 42"},
    {"\"layout\": 7", "\"layout\": 1", "pt2-type", "sparse_coo"},
    {"\"sizes\": [{\"as_int\": 2}]", "\"sizes\": [{\"as_int\": -2}]",
     "pt2-type", "a size of -2"},
    {"\"sizes\": [{\"as_int\": 2}]", "\"sizes\": [{\"as_int\": 2.5}]",
     "json-value", "expected an integer, found a real"},
    {"\"sizes\": [{\"as_int\": 2}]",
     "\"sizes\": [{\"as_int\": 9223372036854775808}]", "json-value",
     "expected an integer, found an integer beyond 64 bits"},
    {"\"sizes\": [{\"as_int\": 2}]", "\"sizes\": []", "pt2-type",
     "1 strides for 0 dimensions"},
    {"\"sizes\": [{\"as_int\": 2}]", "\"sizes\": [{\"as_int\": 3}]",
     "pt2-weights", "expected f32[3] as the graph has it"},
    {"\"2*s77\"", "\"2*s78\"", "pt2-symbol", "'s78' is the size of no input"},
    {"\"2*s77\"", "\"2*u0\"", "pt2-symbol", "'u0' is the size of no input"},
    {"\"2*s77\"", "\"exec('x')\"", "pt2-symbol", "calls 'exec'"},
    {"\"min_val\": 2, \"max_val\": 64", "\"min_val\": 64, \"max_val\": 2",
     "pt2-symbol", "expected a range with a number in it, found 64 to 2"},
    {"{\"as_name\": \"mul\"}]}}", "{\"as_name\": \"add\"}]}}", "pt2-argument",
     "is no number"},
    {"\"parameter_name\": \"w\"", "\"parameter_name\": \"v\"", "pt2-weights",
     "no weight 'v'"},
    {"{\"user_input\": {\"arg\"", "{\"telepathy\": {\"arg\"", "pt2-signature",
     "'telepathy'"},
    {"\"input_specs\": [", "\"input_specs\": [{},", "pt2-signature",
     "describes 3 inputs"},
    {"\"output_specs\": [{\"user_output\": {\"arg\"",
     "\"output_specs\": [{\"buffer_mutation\": {\"buffer_name\": \"b\", "
     "\"arg\"",
     "json-value", "name"},
};

static void says_what_is_wrong(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  EACH_ROW(i, rows) {
    char *program = replaced(program_text, rows[i].from, rows[i].to);
    read_program(&w, program, weights_text);
    CHECK(w.status != TENON_OK && w.log.errors == 1, "row %zu: %s", i,
          w.log.text);
    CHECK_LOG(&w.log, rows[i].id, rows[i].text, i);
    CHECK(strstr(w.log.text, "net.pt2: "), "row %zu: %s", i, w.log.text);
    free(program);
  }
  world_close(&w);
}

static void checks_weights(void **state) {
  (void)state;
  static const struct {
    const char *from, *to, *text;
  } changes[] = {
      {"\"weight_0\"", "\"../weight_0\"", "has no data/weights/../weight_0"},
      {"\"tensor_meta\"", "\"tensor_mete\"", "no tensor_meta"},
      {"\"strides\": [{\"as_int\": 1}]", "\"strides\": [{\"as_int\": -1}]",
       "a stride of -1"},
      {"\"strides\": [{\"as_int\": 1}]",
       "\"strides\": [{\"as_int\": 9223372036854775807}]", "64 bits"},
      {"\"strides\": [{\"as_int\": 1}]", "\"strides\": [{\"as_int\": 2}]",
       "needs 3 elements of 4 bytes"},
      {"\"storage_offset\": {\"as_int\": 0}",
       "\"storage_offset\": {\"as_int\": 1}", "needs 3 elements"},
      {"\"storage_offset\": {\"as_int\": 0}",
       "\"storage_offset\": {\"as_int\": -1}", "an offset of -1"},
      {"\"dtype\": 7", "\"dtype\": 2", "is s8[2]"},
  };
  world w;
  world_open(&w, NULL);
  EACH_ROW(i, changes) {
    char *weights = replaced(weights_text, changes[i].from, changes[i].to);
    read_program(&w, program_text, weights);
    CHECK(w.status != TENON_OK && w.log.errors == 1, "row %zu: %s", i,
          w.log.text);
    CHECK_LOG(&w.log, "pt2-weights", changes[i].text, i);
    free(weights);
  }
  world_close(&w);
}

// A weight of a class of its own is a file of torch.save in the archive: read
// where it is made of a tensor, refused by name where it wants more.
static void reads_a_pickled_weight(void **state) {
  (void)state;
#define TEXT(size, text) "X" size "\0\0\0" text
#define TENSOR \
  "ctorch._utils\n_rebuild_tensor_v2\n((" TEXT("\7", "storage")          \
      "ctorch\nFloatStorage\n" TEXT("\1", "0") TEXT("\3", "cpu")          \
  "K\3tQK\1K\2\x85K\1\x85\x89" "ccollections\nOrderedDict\n)R"
#define ROW(bytes, text) \
  { bytes, sizeof bytes - 1, text }
  static const struct {
    const char *bytes;
    size_t size;
    const char *text;  // of the failure; null: none
  } pickles[] = {
      ROW("\x80\2" TENSOR "tR.", NULL),
      ROW("\x80\2" TENSOR "}" TEXT("\3", "neg") "\x89stR.", NULL),
      ROW("\x80\2" TENSOR "}" TEXT("\3", "neg") "\x88stR.", "negated"),
      ROW("\x80\2}.", "expected one tensor"),
      ROW("\x80\2"
          "cacme\nMine\n)R.",
          "refers to 'acme.Mine'"),
  };
#undef ROW
#undef TENSOR
#undef TEXT
  const float data[3] = {9, 1.5f, -2.0f};
  char *weights =
      replaced(weights_text, "\"use_pickle\": false", "\"use_pickle\": true");
  EACH_ROW(i, pickles) {
    world w;
    archive inner, a;
    tenon_read_options options = {.struct_size = sizeof options,
                                  .name = "net.pt2"};
    world_open(&w, NULL);
    memset(&inner, 0, sizeof inner);
    archive_add(&inner, "archive/data.pkl", pickles[i].bytes, pickles[i].size);
    archive_add(&inner, "archive/data/0", data, sizeof data);
    archive_end(&inner);
    archive_program_of(&a, program_text, weights, inner.data, inner.size);
    world_read(&w, a.data, a.size, &options);
    if (pickles[i].text) {
      CHECK(w.status == TENON_BAD_MODEL && w.log.errors == 1, "row %zu: %s", i,
            w.log.text);
      CHECK(strstr(w.log.text, pickles[i].text), "row %zu: %s", i, w.log.text);
    } else {
      CHECK(w.status == TENON_OK, "row %zu: %s", i, w.log.text);
      const tenon_node *add = w.m->entries.data[0].graph->first;
      const float *got = (const float *)tenon_node_in(add, 1)->constant->data;
      CHECK(got[0] == 1.5f && got[1] == -2.0f, "row %zu", i);
    }
    archive_free(&a);
    archive_free(&inner);
    world_close(&w);
  }
  free(weights);
}

static void checks_guards(void **state) {
  (void)state;
  static const struct {
    const char *code;
    int guards, warnings, notes;
  } changes[] = {
      {"L['x'].size()[0] != 7", 1, 0, 0},
      {"(3*L['x'].size()[0]) % 2 == 0", 1, 0, 0},
      {"L['x'].size()[0] >= 2", 0, 0, 0},  // the range says so
      {"math.trunc(0.5*torch.sym_float(L['x'].size()[0])) == 3", 1, 0, 0},
      {"0.5*torch.sym_float(L['x'].size()[0]) >= 1", 0, 0, 0},
      {"math.trunc(0.3*torch.sym_float(L['x'].size()[0])) == 3", 1, 0, 0},
      {"L['x'].size()[1] == 2", 0, 0, 0},
      {"2*L['x'].size()[0] - L['x'].size()[0] == L['x'].size()[0]", 0, 0, 0},
      {"L['x'].stride()[0] == 2", 0, 0, 1},
      {"L['x'].size()[0] // 3 != 7", 1, 0, 0},
      {"L['x'].size()[0]**2 < 200", 1, 0, 0},
      {"L['x'].size()[0]**3 % 7 != 5", 1, 0, 0},
      {"2 <= L['x'].size()[0] <= 64", 0, 0, 0},
      {"3 <= L['x'].size()[0] <= 63", 2, 0, 0},
      {"9 >= L['x'].size()[0] != 7 < 8", 2, 0, 0},
      {"(L['x'].size()[0] != 7 and ((L['x'].size()[0]) % 2 == 0))", 2, 0, 0},
      {"(L['x'].size()[0] != 7 and 3 < 4) and (L['x'].size()[0] != 9)", 2, 0,
       0},
      {"L['x'].size()[0] != 7 and (L['x'].size()[0] != 9 and "
       "(L['x'].size()[0] != 11))",
       3, 0, 0},
      {"(L['x'].size()[0] != 7 or 3 < 4) and L['x'].size()[0] != 9", 1, 0, 0},
      {"L['x'].size()[0] != 7 or L['x'].size()[0] == 3", 1, 0, 0},
      // Not what stands before the "or" alone.
      {"L['x'].size()[0] == 5 and 3 < 4 or L['x'].size()[0] == 9", 1, 0, 0},
      {"not L['x'].size()[0] == 7", 1, 0, 0},
      {"not (L['x'].size()[0] == 7) and L['x'].size()[0] != 9", 2, 0, 0},
      {"1 < 2 < 3 < 4 < 5 < L['x'].size()[0]", 1, 0, 0},
      {"(L['x'].size()[0] & 3) == 2", 1, 0, 0},
      {"round(L['x'].size()[0] / 3, 1) > 1.5", 1, 0, 0},
      {"0.1*torch.sym_float(L['x'].size()[0]) > 0.3", 1, 0, 0},
      {"L['flat_args'][0].size()[0] != 7", 1, 0, 0},
      {"L['args'][0].size()[0] != 7", 1, 0, 0},
      {"3 < L['x'].size()[0]**(-1)", 1, 0, 0},
      {"L['x'].size()[0]**0.5 != 3", 1, 0, 0},
      {"2**L['x'].size()[0] < 9", 1, 0, 0},
      {"math.trunc(torch.sym_float(L['x'].size()[0]) ** 0.5) == 3", 2, 0, 0},
      {"torch._sym_sqrt(torch.sym_float(L['x'].size()[0])) > 0.5", 0, 0, 0},
      {"2 <= L['x'].size()[0]**0.5 < 4.5 and L['x'].size()[0] != 7", 3, 0, 0},
  };
  world w;
  world_open(&w, NULL);
  EACH_ROW(i, changes) {
    char more[256];
    snprintf(more, sizeof more, "\"guards_code\": [\"%s\"], \"schema_version\"",
             changes[i].code);
    char *program = replaced(program_text, "\"schema_version\"", more);
    read_program(&w, program, weights_text);
    CHECK(w.status == TENON_OK, "row %zu: %s", i, w.log.text);
    CHECK((int)w.m->guards.count == changes[i].guards &&
              w.log.warnings == changes[i].warnings &&
              w.log.notes == changes[i].notes,
          "row %zu: %zu guards, %s", i, w.m->guards.count, w.log.text);
    free(program);
  }
  // What Python's floats could decide in their last bit, or is no comparison
  // with a number.
  static const char *const refused[] = {
      "torch.sym_float(L['x'].size()[0]) ** (-1.0) < 0.1",
      "3.0*torch.sym_float(L['x'].size()[0]) ** (-1.0) < 0.5",
      "2**L['x'].size()[0] % 7 == 1",
      "1 + L['x'].size()[0]**0.5 == 4",
      "L['x'].size()[0]**0.5 + 1 == 4",
      "1 + 8.0*torch.sym_float(L['x'].size()[0])**(-1.0) == 2",
      "-L['x'].size()[0]**0.5 < 3",
      "4 * 2**L['x'].size()[0] > 100",
      "1.5**L['x'].size()[0] < 9",
      "L['x'].size()[0]**0.25 < 9",
      "torch.sym_float(L['x'].size()[0]) ** 9.0 < 9.0",
      "L['x'].size()[0]**0.5 < L['x'].size()[0]**0.3",
      "math.trunc(L['x'].size()[0]**0.5) != 3",
      "L['x'].size()[0]**L['x'].size()[0] > 2",
      "L['x'].size()[0]**0.5 > 2 or L['x'].size()[0] == 3"};
  EACH_ROW(i, refused) {
    char more[256];
    snprintf(more, sizeof more, "\"guards_code\": [\"%s\"], \"schema_version\"",
             refused[i]);
    char *program = replaced(program_text, "\"schema_version\"", more);
    read_program(&w, program, weights_text);
    CHECK(
        w.status == TENON_UNSUPPORTED && strstr(w.log.text, "powers of sizes"),
        "row %zu: %s", i, w.log.text);
    free(program);
  }
  static const struct {
    const char *code, *text;
  } unread[] = {
      {"L['x'].dtype == torch.float32", "no size of an input"},
      {"L['y'].size()[0] == 2", "no size of an input"},
      {"L['x'].size()[2] == 2", "no size of an input"},
      {"L['flat_args'][1].size()[0] == 2", "no size of an input"},
      {"L['args'][1].size()[0] == 2", "no size of an input"},
      {"L['x'].size()[99999999999999999999] == 2", "no size of an input"},
      {"L['x'", "no size of an input"},
      {"(L['x'].size()[0] != 7) and (len(L) == 1)", "calls 'len'"},
      {"3 <= L['x'].size()[0] == 7 or 1", "a number for a truth value"},
      {"L['x'].size()[0] == 7 or ", "expected a size"},
      {"L['x'].size()[0] + 1", "is no truth value"},
      {"(L['x'].size()[0] ^ 3 * L['x'].size()[0]) > 2", "takes bits"},
      {"round(L['x'].size()[0] / 20, 1) > 0.5", "the last bit"},
      {"round(0.1*torch.sym_float(L['x'].size()[0]), 1) > 0.5", "the last bit"},
      {"", "is empty"}};
  EACH_ROW(i, unread) {
    char more[256];
    snprintf(more, sizeof more, "\"guards_code\": [\"%s\"], \"schema_version\"",
             unread[i].code);
    char *program = replaced(program_text, "\"schema_version\"", more);
    read_program(&w, program, weights_text);
    CHECK(w.status == TENON_UNSUPPORTED && strstr(w.log.text, unread[i].text),
          "row %zu: %s", i, w.log.text);
    free(program);
  }
  char *program = replaced(program_text, "\"range_constraints\": {",
                           "\"range_constraints\": {\"2*s77 + 1\": "
                           "{\"min_val\": 4, \"max_val\": 99}, ");
  read_program(&w, program, weights_text);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_int_equal(w.m->guards.count, 1);
  assert_string_equal(w.m->guards.data[0].text, "2*s77 + 1");
  free(program);
  world_close(&w);
}

// sys.maxsize - 1 is how torch writes that there is no bound, beside null.
static void knows_what_is_no_bound(void **state) {
  static const char *const bounds[] = {"null", "9223372036854775806",
                                       "18446744073709551612"};
  (void)state;
  EACH_ROW(i, bounds) {
    world w;
    char range[64];
    world_open(&w, NULL);
    snprintf(range, sizeof range, "\"max_val\": %s", bounds[i]);
    char *program = replaced(program_text, "\"max_val\": 64", range);
    read_program(&w, program, weights_text);
    CHECK(w.status == TENON_OK, "%s", w.log.text);
    bool is_found = false;
    for (uint32_t k = 1; k < w.m->symbols.count; ++k) {
      const tenon_symbol *symbol = &w.m->symbols.data[k];
      is_found |= symbol->name && strcmp(symbol->name, "s77") == 0 &&
                  symbol->max == INT64_MAX;
    }
    CHECK(is_found, "row %zu", i);
    free(program);
    world_close(&w);
  }
}

// A number where a tensor is due ranks below tensors.
static void wraps_numbers(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  char *program =
      replaced(program_text, "{\"as_tensor\": {\"name\": \"p_w\"}}, \"kind\"",
               "{\"as_float\": \"Infinity\"}, \"kind\"");
  read_program(&w, program, weights_text);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  const tenon_value *v = tenon_node_in(w.m->entries.data[0].graph->first, 1);
  assert_int_equal(v->type.dtype, TENON_F64);
  assert_int_equal(v->type.rank, 0);
  assert_int_equal(v->type.flags, TENON_TYPE_NUMBER);
  assert_true(isinf(*(const double *)v->constant->data));
  free(program);
  world_close(&w);
}

// Lists whose elements may be names; of an operator that nobody describes.
static void takes_lists_of_numbers(void **state) {
  static const struct {
    const char *list;
    int n;
    uint32_t kind;
    double values[2];
  } lists[] = {
      {"{\"as_sym_floats\": [{\"as_float\": 1.5}, {\"as_float\": -2.0}]}",
       2,
       TENON_KIND_FLOAT,
       {1.5, -2}},
      {"{\"as_sym_bools\": [{\"as_bool\": true}, {\"as_bool\": false}]}",
       2,
       TENON_KIND_BOOL,
       {1, 0}},
  };
  (void)state;
  world w;
  world_open(&w, NULL);
  char *custom = replaced(program_text, "torch.ops.aten.add.Tensor",
                          "torch.ops.mine.op.default");
  EACH_ROW(i, lists) {
    char *program = replaced(custom, "{\"as_int\": 2}", lists[i].list);
    read_program(&w, program, weights_text);
    CHECK(w.status == TENON_OK, "row %zu: %s", i, w.log.text);
    const tenon_arg *alpha = arg_of(w.m->entries.data[0].graph->first, "alpha");
    CHECK(alpha->kind == TENON_KIND_SCALARS, "row %zu: %u", i, alpha->kind);
    CHECK((int)alpha->as.scalars.count == lists[i].n, "row %zu", i);
    for (int k = 0; k < lists[i].n; ++k) {
      const tenon_scalar s = alpha->as.scalars.data[k];
      CHECK(s.kind == lists[i].kind, "row %zu: %u", i, s.kind);
      CHECK(near(s.kind == TENON_KIND_FLOAT ? s.as.f : (double)s.as.i,
                 lists[i].values[k], 0),
            "row %zu", i);
    }
    free(program);
  }
  // A size that only a run knows is refused, not made up.
  char *open = replaced(custom, "\"as_sym_ints\"", "\"as_sym_floats\"");
  read_program(&w, open, weights_text);
  CHECK(w.status == TENON_UNSUPPORTED, "%s", w.log.text);
  CHECK_LOG(&w.log, "pt2-symbol", "a list with a number that only a run knows",
            0);
  free(open);
  free(custom);
  world_close(&w);
}

// In the place of a tensor, and as a Scalar.
static void takes_complex_numbers(void **state) {
#define PARTS "{\"as_complex\": {\"real\": 0.5, \"imag\": -2.0}}"
  (void)state;
  world w;
  world_open(&w, NULL);
  char *first =
      replaced(program_text, "{\"as_tensor\": {\"name\": \"p_w\"}}, \"kind\"",
               PARTS ", \"kind\"");
  char *program = replaced(first, "{\"as_int\": 2}", PARTS);
  read_program(&w, program, weights_text);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  const tenon_node *add = w.m->entries.data[0].graph->first;
  const tenon_value *v = tenon_node_in(add, 1);
  assert_int_equal(v->type.dtype, TENON_C128);
  assert_int_equal(v->type.rank, 0);
  assert_int_equal(v->type.flags, TENON_TYPE_NUMBER);
  const double *parts = (const double *)v->constant->data;
  assert_true(near(parts[0], 0.5, 0) && near(parts[1], -2, 0));
  assert_string_equal(arg_of(add, "alpha")->as.s, "0.5-2.0j");
  assert_true(tenon_node_has_complex(add));
  free(program);
  free(first);
  world_close(&w);
}

// Of torch's own operators the schema does not say which results may be None.
static void takes_results_that_torch_leaves_out(void **state) {
  static const struct {
    const char *target;
    bool may_be;
  } calls[] = {{"torch.ops.aten._add_relu.Tensor", true},
               {"torch.ops.aten.add.Tensor", false}};
  (void)state;
  char *none = replaced(program_text, "[{\"as_tensor\": {\"name\": \"add\"}}]",
                        "[{\"as_none\": true}]");
  char *unread = replaced(none, "{\"name\": \"add\"}", "{\"name\": \"x\"}");
  EACH_ROW(i, calls) {
    world w;
    world_open(&w, NULL);
    char *program =
        replaced(unread, "torch.ops.aten.add.Tensor", calls[i].target);
    read_program(&w, program, weights_text);
    CHECK((w.status == TENON_OK) == calls[i].may_be, "row %zu: %s", i,
          w.log.text);
    if (calls[i].may_be) {
      const tenon_node *n = w.m->entries.data[0].graph->first;
      assert_int_equal(n->n_out, 1);
      assert_int_equal(n->out[0]->type.dims[0].value, 0);
    } else {
      CHECK_LOG(&w.log, "pt2-operator", "is none in the model", i);
    }
    free(program);
    world_close(&w);
  }
  free(unread);
  free(none);
}

static void makes_states(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  char *buffer = replaced(program_text, "{\"parameter\":", "{\"buffer\":");
  char *named = replaced(buffer, "\"parameter_name\": \"w\"",
                         "\"buffer_name\": \"w\", \"persistent\": true");
  char *node = replaced(
      named, "\"nodes\": [",
      "\"nodes\": [{\"target\": \"torch.ops.aten.add_.Tensor\", \"inputs\": "
      "[{\"name\": \"self\", \"arg\": {\"as_tensor\": {\"name\": \"p_w\"}}}, "
      "{\"name\": \"other\", \"arg\": {\"as_int\": 1}}], \"outputs\": "
      "[{\"as_tensor\": {\"name\": \"w2\"}}]}, ");
  char *written = replaced(node, "\"tensor_values\": {",
                           "\"tensor_values\": {\"w2\": {\"dtype\": 7, "
                           "\"sizes\": [{\"as_int\": 2}]}, ");
  read_program(&w, named, weights_text);
  CHECK(w.status == TENON_OK && w.m->states.count == 0, "%s", w.log.text);
  read_program(&w, written, weights_text);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_int_equal(w.m->states.count, 1);
  assert_string_equal(w.m->states.data[0].name, "w");
  const float *initial = (const float *)w.m->states.data[0].initial->data;
  assert_true(initial[0] == 1.5f && initial[1] == -2.0f);
  assert_string_equal(w.m->entries.data[0].graph->first->op->name,
                      "core::state_read");
  free(written);
  free(node);
  free(named);
  free(buffer);
  world_close(&w);
}

#define LEAF \
  "{\\\"type\\\": null, \\\"context\\\": null, \\\"children_spec\\\": []}"
#define TREE(type, context, children)                              \
  "{\\\"type\\\": \\\"" type "\\\", \\\"context\\\": \\\"" context \
  "\\\", \\\"children_spec\\\": [" children "]}"

// Structures of inputs and outputs are shown as Python has them.
static void shows_the_call(void **state) {
  (void)state;
  static const struct {
    const char *in, *out, *call;
  } specs[] = {
      {TREE("builtins.tuple", "null",
            TREE("builtins.tuple", "null", LEAF) ", " TREE("builtins.dict",
                                                           "[]", "")),
       LEAF, "forward(x) -> view"},
      {TREE("builtins.tuple", "null",
            TREE("builtins.tuple", "null", "") ", " TREE(
                "builtins.dict", "[\\\\\\\"k\\\\\\\"]", LEAF)),
       TREE("builtins.dict", "[\\\\\\\"y\\\\\\\"]", LEAF),
       "forward(k=x) -> {\"y\": view}"},
      {TREE(
           "builtins.tuple", "null",
           TREE("builtins.tuple", "null", TREE("builtins.list", "null", LEAF))),
       TREE("builtins.tuple", "null", LEAF), "forward([x]) -> (view,)"},
  };
  world w;
  world_open(&w, NULL);
  EACH_ROW(i, specs) {
    char text[2048];
    snprintf(text, sizeof text,
             "]}, \"module_call_graph\": [{\"fqn\": \"\", \"signature\": "
             "{\"in_spec\": \"[1, %s]\", \"out_spec\": \"[1, %s]\"}}]},"
             "\"range_constraints\"",
             specs[i].in, specs[i].out);
    char *program = replaced(program_text, "]}},\"range_constraints\"", text);
    read_program(&w, program, weights_text);
    CHECK(w.status == TENON_OK, "row %zu: %s", i, w.log.text);
    assert_int_equal(w.m->metadata.count, 1);
    const tenon_metadata *row = &w.m->metadata.data[0];
    assert_string_equal(row->key, "call main");
    CHECK(row->size == strlen(specs[i].call) &&
              memcmp(row->data, specs[i].call, row->size) == 0,
          "row %zu: %.*s", i, (int)row->size, (const char *)row->data);
    free(program);
  }
  world_close(&w);
}

// program_text with the view replaced by a window into `add`, which lies in
// memory as said.
static char *strided_program(const char *target, const char *add,
                             const char *offset) {
  char *other = replaced(program_text, "aten.view.default", target);
  char *text = replaced(other, "\"size\", \"arg\": {\"as_sym_ints\"",
                        "\"stride\", \"arg\": {\"as_ints\": [1]}}, "
                        "{\"name\": \"size\", \"arg\": {\"as_sym_ints\"");
  free(other);
  // The strides of `add` are the first behind its name.
  char *meta = strstr(text, "\"add\": {\"dtype\"");
  CHECK(meta, "no type of 'add'");
  char *tail =
      replaced(meta, "\"strides\": [{\"as_int\": 2}, {\"as_int\": 1}]", add);
  char *moved = replaced(tail, "\"storage_offset\": {\"as_int\": 0}", offset);
  size_t size = strlen(text) + strlen(moved) + 1;
  char *out = (char *)malloc(size);
  snprintf(out, size, "%.*s%s", (int)(meta - text), text, moved);
  free(text);
  free(tail);
  free(moved);
  return out;
}

#define STRIDES(a, b) "\"strides\": [" a ", " b "]"
#define AT(n) "\"storage_offset\": {\"as_int\": " n "}"
#define NUMBER(n) "{\"as_int\": " n "}"
#define S77 "{\"as_expr\": {\"expr_str\": \"Symbol('s77')\"}}"

// as_strided looks at memory: in the order of indices there.
static void brings_into_the_order_of_memory(void **state) {
  (void)state;
  static const struct {
    const char *target, *strides, *offset;
    bool is_turned, is_part;
  } cases[] = {
      {"as_strided", STRIDES(NUMBER("2"), NUMBER("1")), AT("0"), false, false},
      {"as_strided", STRIDES(NUMBER("1"), S77), AT("0"), true, false},
      {"as_strided_copy", STRIDES(NUMBER("1"), S77), AT("0"), true, false},
      {"as_strided", STRIDES(NUMBER("4"), NUMBER("1")), AT("0"), false, true},
      {"as_strided", STRIDES(NUMBER("2"), NUMBER("0")), AT("0"), false, true},
      {"as_strided", STRIDES(NUMBER("2"), NUMBER("1")), AT("6"), false, true},
  };
  world w;
  world_open(&w, NULL);
  EACH_ROW(i, cases) {
    char target[64];
    snprintf(target, sizeof target, "aten.%s.default", cases[i].target);
    char *program = strided_program(target, cases[i].strides, cases[i].offset);
    read_program(&w, program, weights_text);
    free(program);
    CHECK(w.status == TENON_OK, "row %zu: %s", i, w.log.text);
    const tenon_node *n = w.m->entries.data[0].graph->first->next;
    if (cases[i].is_part) {
      // Reading succeeds: what nobody can compute is a node.
      CHECK_LOG(&w.log, "pt2-argument", "of a part of a tensor", i);
      assert_string_equal(n->op->name, "prim::storage");
      n = n->next;
    }
    if (cases[i].is_turned) {
      CHECK(strcmp(n->op->name + 6, cases[i].target) == 0, "row %zu: %s", i,
            n->op->name);
      const tenon_arg *steps = arg_of(n, "stride");
      assert_int_equal(steps->as.ints.data[0], 1);
      assert_int_equal(steps->as.ints.data[1], 2);
      assert_int_equal(n->out[0]->type.dims[0].value, 2);
      n = n->next;
    }
    CHECK(strcmp(n->op->name + 6, cases[i].target) == 0, "row %zu: %s", i,
          n->op->name);
    assert_null(n->next);
  }
  world_close(&w);
}

// A branch that a size decides: both sides as tensors, compared by a node.
static void compares_sizes(void **state) {
  (void)state;
  static const struct {
    const char *relation, *op;  // null: nobody can compute it
    int64_t left, right;        // 0: the symbol
  } cases[] = {
      {"StrictGreaterThan(Symbol('s77'), Integer(4))", "core::lt", 4, 0},
      {"GreaterThan(Symbol('s77'), Integer(4))", "core::le", 4, 0},
      {"StrictLessThan(Symbol('s77'), Integer(4))", "core::lt", 0, 4},
      {"LessThan(Symbol('s77'), Integer(4))", "core::le", 0, 4},
      {"Equality(Symbol('s77'), Max(Integer(3), Integer(4)))", "core::eq", 0,
       4},
      {"Unequality(Symbol('s77'), Integer(4))", "core::ne", 0, 4},
      {"And(Symbol('s77'), Integer(4))", NULL, 0, 0},
      {"And(StrictLessThan(Symbol('s77'), Integer(4)), Not(Equality(Symbol("
       "'s77'), Float('2.5', precision=53))))",
       "core::lt", 0, 4},
      {"Or(StrictLessThan(Symbol('s77'), Integer(4)), Symbol('s77'))", NULL, 0,
       0},
      {"Equality(OpaqueUnaryFn_erf(Symbol('s77')), Integer(4))", NULL, 0, 0},
      {"Equality(Symbol('s77'))", NULL, 0, 0},
      {"Equality(Symbol('s78'), Integer(4))", NULL, 0, 0},
  };
  static const char empty[] =
      "{\"name\": \"\", \"arg\": {\"as_graph\": "
      "{\"name\": \"%s\", \"graph\": {\"inputs\": [], "
      "\"outputs\": [], \"nodes\": [], "
      "\"tensor_values\": {}, \"sym_int_values\": {}, "
      "\"sym_bool_values\": {}, "
      "\"sym_float_values\": {}}}}},";
  world w;
  world_open(&w, NULL);
  EACH_ROW(i, cases) {
    char node[2048], truth[256], a[512], b[512];
    snprintf(a, sizeof a, empty, "t");
    snprintf(b, sizeof b, empty, "f");
    snprintf(node, sizeof node,
             "{\"target\": \"torch.ops.higher_order.cond\", \"inputs\": ["
             "{\"name\": \"\", \"arg\": {\"as_sym_bool\": {\"as_name\": "
             "\"gt\"}}}, %s %s {\"name\": \"\", \"arg\": {\"as_tensors\": "
             "[]}}], \"outputs\": [], \"metadata\": {}},"
             "{\"target\": \"torch.ops.aten.view.default\"",
             a, b);
    snprintf(truth, sizeof truth,
             "\"sym_bool_values\": {\"gt\": {\"as_expr\": {\"expr_str\": "
             "\"%s\"}}}",
             cases[i].relation);
    static const char gt[] =
        "{\"target\": \"_operator.gt\", \"inputs\": [], \"outputs\": "
        "[{\"as_sym_bool\": {\"as_name\": \"gt\"}}], \"metadata\": {}},";
    char both[4096];
    snprintf(both, sizeof both, "%s%s", gt, node);
    char *first = replaced(
        program_text, "{\"target\": \"torch.ops.aten.view.default\"", both);
    // The regions have truth values of their own, which come first.
    char *at = strstr(first, "\"tensor_values\": {\"p_w\"");
    CHECK(at, "row %zu", i);
    char *tail = replaced(at, "\"sym_bool_values\": {}", truth);
    size_t size = (size_t)(at - first) + strlen(tail) + 1;
    char *program = (char *)malloc(size);
    snprintf(program, size, "%.*s%s", (int)(at - first), first, tail);
    read_program(&w, program, weights_text);
    free(first);
    free(tail);
    free(program);
    if (!cases[i].op) {
      CHECK(w.status == TENON_UNSUPPORTED, "row %zu: %s", i, w.log.text);
      CHECK_LOG(&w.log, "pt2-symbol", "only a run knows", i);
      continue;
    }
    CHECK(w.status == TENON_OK, "row %zu: %s", i, w.log.text);
    const tenon_node *n = w.m->entries.data[0].graph->first;
    while (n && !tenon_op_is(n->op, cases[i].op))
      n = n->next;
    CHECK(n, "row %zu: no %s", i, cases[i].op);
    const int64_t wanted[] = {cases[i].left, cases[i].right};
    for (uint32_t k = 0; k < 2; ++k) {
      const tenon_value *side = tenon_node_in(n, k);
      CHECK(side->kind == TENON_VALUE_RESULT, "row %zu, side %u: kind %d", i,
            (unsigned)k, (int)side->kind);
      const tenon_arg *value = arg_of(side->node, "value");
      CHECK(value, "row %zu, side %u: no value", i, (unsigned)k);
      const bool is_fixed = value->kind == TENON_KIND_SCALAR;
      const tenon_dim dim = is_fixed ? tenon_dim_fixed(value->as.scalar.as.i)
                                     : value->as.dims.data[0];
      CHECK(is_fixed || value->kind == TENON_KIND_DIMS, "row %zu: kind %d", i,
            (int)value->kind);
      CHECK(wanted[k] ? tenon_dim_equals(dim, tenon_dim_fixed(wanted[k]))
                      : dim.symbol != 0,
            "row %zu, side %u: %lld", i, (unsigned)k, (long long)dim.value);
    }
    while (n && !tenon_op_is(n->op, "higher_order::cond"))
      n = n->next;
    CHECK(n, "row %zu: no branch", i);
  }
  world_close(&w);
}

static void survives_running_out_of_memory(void **state) {
  (void)state;
  archive a;
  archive_program(&a, program_text, weights_text);
  world_sweep(a.data, a.size);
  archive_free(&a);
}

TEST_GROUP(pt2, cmocka_unit_test(imports_a_program),
           cmocka_unit_test(keeps_places_and_weights),
           cmocka_unit_test(says_what_is_wrong),
           cmocka_unit_test(checks_weights),
           cmocka_unit_test(reads_a_pickled_weight),
           cmocka_unit_test(checks_guards),
           cmocka_unit_test(knows_what_is_no_bound),
           cmocka_unit_test(wraps_numbers),
           cmocka_unit_test(takes_lists_of_numbers),
           cmocka_unit_test(takes_complex_numbers),
           cmocka_unit_test(takes_results_that_torch_leaves_out),
           cmocka_unit_test(makes_states), cmocka_unit_test(shows_the_call),
           cmocka_unit_test(brings_into_the_order_of_memory),
           cmocka_unit_test(compares_sizes),
           cmocka_unit_test(survives_running_out_of_memory))
