// Tests of the calls that torch.vmap leaves in a graph: a program whose lanes
// lie along dimension 1 and come out there, with one thing in it changed.
#include <stdlib.h>

#include "harness/harness.h"
#include "unit/read/archives.h"
#include "unit/read/models.h"

// With ' for ".
#define META(sizes, strides)                                             \
  "{'dtype': 7, 'sizes': [" sizes                                        \
  "], 'requires_grad': false, 'device': {'type': 'cpu', 'index': null}," \
  "'strides': [" strides "], 'storage_offset': {'as_int': 0}, 'layout': 7}"
#define INT(n) "{'as_int': " n "}"
#define TENSOR(name) "{'as_tensor': {'name': '" name "'}}"
#define IN(arg) "{'name': '', 'arg': " arg ", 'kind': 1}"
#define NODE(target, in, out)                                     \
  "{'target': '" target "', 'inputs': [" in "], 'outputs': [" out \
  "], 'metadata': {}, 'name': 'node', 'is_hop_single_tensor_return': null}"
#define VMAP "torch._functorch.predispatch."
#define BEGIN                                                 \
  NODE(VMAP "_vmap_increment_nesting",                        \
       IN("{'as_int': 4}") ", " IN("{'as_string': 'error'}"), \
       "{'as_none': true}")
#define END NODE(VMAP "_vmap_decrement_nesting", "", "{'as_none': true}")

static const char text[] =
    "{'graph_module': {'graph': {'inputs': [" TENSOR("p_w") ", " TENSOR(
        "x") "], 'outputs': [" TENSOR("all") "], 'nodes': [" NODE(VMAP
                 "lazy_load_decompositions",
                 "",
                 "{'as_none': true}") ", " BEGIN ", " NODE(VMAP
                 "_add_batch_dim",
                 IN(TENSOR("x")) ", " IN(INT("1")) ", " IN(INT("1")),
                 TENSOR("lane")) ", " NODE("torch.ops.aten.add.Tensor",
                 "{'name': 'self', 'arg': " TENSOR("lane") "}, "
                 "{'name': 'other', 'arg': " TENSOR("p_w") "}",
                 TENSOR("sum")) ", " NODE(VMAP
                 "_remove_batch_dim",
                 IN(TENSOR("sum")) ", " IN(INT("1")) ", " IN(INT(
                     "4")) ", " IN(INT("-1")),
                 TENSOR("all")) ", " END
    "], 'tensor_values': {'p_w': " META(INT("2"), INT("1")) ", 'x': " META(
        INT("2") ", " INT("4"),
        INT("4") ", " INT("1")) ", 'lane': " META(INT("2"),
                                                  INT("4")) ", 'sum': "
    META(INT("2"), INT("1")) ", 'all': " META(INT("2") ", " INT("4"),
                                              INT("4") ", " INT("1")) "},"
    "'sym_int_values': {}, 'sym_bool_values': {}, 'sym_float_values': {}},"
    "'signature': {'input_specs': [{'parameter': {'arg': {'name': 'p_w'}, "
    "'parameter_name': 'w'}}, {'user_input': {'arg': " TENSOR("x") "}}],"
    "'output_specs': [{'user_output': {'arg': " TENSOR("all") "}}]}},"
    "'range_constraints': {}, 'schema_version': {'major': 8, 'minor': 20}}";

// The program with the first `from` replaced.
static char *program(const char *from, const char *to) {
  const char *at = strstr(text, from);
  CHECK(at, "no '%s'", from);
  size_t before = (size_t)(at - text);
  size_t size = sizeof text + strlen(to);
  char *out = (char *)malloc(size);
  snprintf(out, size, "%.*s%s%s", (int)before, text, to, at + strlen(from));
  for (char *p = out; *p; ++p)
    if (*p == '\'') *p = '"';
  return out;
}

static void read_program(world *w, const char *from, const char *to) {
  archive a;
  char *json = program(from, to);
  archive_program(&a, json, weights_text);
  world_read(w, a.data, a.size, NULL);
  archive_free(&a);
  free(json);
}

static void becomes_a_map(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  read_program(&w, "", "");
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  const tenon_graph *g = w.m->entries.data[0].graph;
  const tenon_node *in = g->first, *map = in->next, *out = map->next;
  assert_string_equal(in->op->name, "core::permute");
  assert_string_equal(map->op->name, "higher_order::map_impl");
  assert_string_equal(out->op->name, "core::permute");
  assert_null(out->next);
  assert_int_equal(arg_of(in, "dims")->as.ints.data[0], 1);
  assert_int_equal(arg_of(in, "dims")->as.ints.data[1], 0);
  assert_int_equal(arg_of(out, "dims")->as.ints.data[1], 0);
  // Lanes first; the weight goes to each.
  assert_int_equal(map->n_in, 2);
  assert_int_equal(tenon_node_in(map, 0)->type.dims[0].value, 4);
  assert_string_equal(tenon_node_in(map, 1)->name, "w");
  assert_int_equal(map->out[0]->type.dims[0].value, 4);
  const tenon_graph *body = map->regions[0];
  assert_int_equal(body->n_params, 2);
  assert_string_equal(body->first->op->name, "aten::add.Tensor");
  assert_null(body->first->next);
  // Where the node stands in the file.
  assert_string_equal(tenon_node_place(body->first)->where,
                      "graph vmap, node 3 (node)");
  world_close(&w);
}

static void says_what_does_not_fit(void **state) {
  (void)state;
  static const struct {
    const char *from, *to, *text;
  } rows[] = {
      {", " END, "", "nodes[1]: a vmap that does not end"},
      {", " BEGIN, "", "a lane outside of a vmap"},
      {BEGIN, END, "a vmap ends that has not begun"},
      {BEGIN, BEGIN ", " END ", " BEGIN, "a vmap over nothing"},
      {"{'as_int': 4}, 'kind': 1}, {'name': '', 'arg': {'as_string'",
       "{'as_int': 5}, 'kind': 1}, {'name': '', 'arg': {'as_string'",
       "a vmap over 5 lanes meets 4"},
      {IN(INT("4")) ", " IN(INT("-1")), IN(INT("3")) ", " IN(INT("-1")),
       "a vmap over 4 lanes meets 3"},
      {IN(INT("1")) ", " IN(INT("1")), IN(INT("2")) ", " IN(INT("1")),
       "no dimension 2 of a tensor with 2"},
      {IN(INT("1")) ", " IN(INT("1")), IN(INT("1")) ", " IN(INT("2")),
       "level 1 of vmap inside level 2"},
      {IN(INT("-1")), IN(INT("-3")), "no dimension -1 of a tensor with 2"},
      {"'lane': {", "'lame': {", "does not say what type 'lane' has"},
      {"'outputs': [" TENSOR("all") "]", "'outputs': [" TENSOR("lane") "]",
       "expected 'lane' as the graph has it"},
      {IN(TENSOR("sum")), IN(TENSOR("sun")), "'sun' is not defined"},
  };
  world w;
  world_open(&w, NULL);
  EACH_ROW(i, rows) {
    read_program(&w, rows[i].from, rows[i].to);
    CHECK(w.status != TENON_OK && w.log.errors == 1, "row %zu: %s", i,
          w.log.text);
    CHECK(strstr(w.log.text, rows[i].text), "row %zu: %s", i, w.log.text);
  }
  world_close(&w);
}

static void survives_running_out_of_memory(void **state) {
  (void)state;
  archive a;
  char *json = program("", "");
  archive_program(&a, json, weights_text);
  world_sweep(a.data, a.size);
  archive_free(&a);
  free(json);
}

TEST_GROUP(pt2_vmap, cmocka_unit_test(becomes_a_map),
           cmocka_unit_test(says_what_does_not_fit),
           cmocka_unit_test(survives_running_out_of_memory))
