// Building by hand: what is completed, and what is refused.
#include "ir/build.h"

#include "core/attr.h"
#include "ir/edit.h"
#include "ir/infer/infer.h"
#include "ir/verify/verify.h"
#include "world.h"

typedef struct site {
  world w;
  tenon_module *m;
  tenon_graph *g;
  tenon_value *x, *y;  // f32[2,3]
} site;

static const tenon_dim two_by_three[] = {{2, 0}, {3, 0}};
static const tenon_type matrix = {two_by_three, NULL, TENON_F32, 2, 0};

static void make_site(site *s) {
  world_init(&s->w);
  CHECK(tenon_module_create(s->w.cx, "m", &s->m) == TENON_OK, "%s",
        s->w.log.text);
  s->g = tenon_build_function(s->m, "main", 0);
  s->x = tenon_build_param(s->g, "x", &matrix, 0);
  s->y = tenon_build_param(s->g, "y", &matrix, 0);
}

static void leave_site(site *s) {
  tenon_module_release(s->m);
  world_deinit(&s->w);
}

static tenon_node_spec spec_of(site *s, const char *op, tenon_value *const *in,
                               uint32_t n_in, uint32_t n_out) {
  tenon_node_spec spec = {
      .op = tenon_module_op(s->m, op), .in = in, .n_in = n_in, .n_out = n_out};
  return spec;
}

// Operands without bounds: one each, the rest to the only list, absent behind.
static void operands_are_divided(void **state) {
  (void)state;
  static const struct {
    const char *op, *text;
    uint32_t n_in, n_out;
    bool has_bounds;
  } rows[] = {
      {"core::relu", "core::relu(%x)", 1, 1, false},
      {"core::conv", "core::conv(%x, %x)", 2, 1, false},
      {"core::concat", "core::concat([])", 0, 1, true},
      {"core::concat", "core::concat([%x])", 1, 1, true},
      {"core::concat", "core::concat([%x, %x, %x])", 3, 1, true},
      {"acme::maybe", "acme::maybe([], none)", 0, 1, true},
      {"acme::maybe", "acme::maybe([%x], none)", 1, 1, true},
      {"acme::maybe", "acme::maybe([%x], %x)", 2, 1, true},
      {"acme::maybe", "acme::maybe([%x, %x], %x)", 3, 1, true},
      {"no::body", "no::body(%x, %x)", 2, 1, false},
  };
  EACH_ROW(i, rows) {
    site s;
    make_site(&s);
    tenon_value *in[] = {s.x, s.x, s.x};
    const tenon_type *types[] = {&matrix, &matrix};
    const tenon_arg args[] = {tenon_arg_int("axis", 0), TENON_END_ARGS};
    tenon_node_spec spec =
        spec_of(&s, rows[i].op, in, rows[i].n_in, rows[i].n_out);
    spec.types = types;
    if (strcmp(rows[i].op, "core::concat") == 0) spec.args = args;
    tenon_node *n = tenon_build_node(s.g, NULL, &spec);
    CHECK(n, "row %zu: %s", i, s.w.log.text);
    CHECK((n->in_group != NULL) == rows[i].has_bounds, "row %zu", i);
    CHECK(strstr(world_print(&s.w, s.m, 0), rows[i].text), "row %zu: %s", i,
          s.w.text.data);
    CHECK(tenon_verify_module(s.m, NULL) == TENON_OK, "row %zu: %s", i,
          s.w.log.text);
    leave_site(&s);
  }
}

static void groups_can_be_asked(void **state) {
  (void)state;
  site s;
  int first = -1;
  make_site(&s);
  tenon_value *in[] = {s.x, NULL, s.y, s.x};
  const uint16_t bounds[] = {0, 3, 4};
  const tenon_type *types[] = {&matrix};
  tenon_node_spec spec = spec_of(&s, "acme::maybe", in, 4, 1);
  spec.in_group = bounds;
  spec.types = types;
  tenon_node *n = tenon_build_node(s.g, NULL, &spec);
  CHECK(n, "%s", s.w.log.text);
  CHECK(tenon_node_group(n, 0, &first) == 3 && first == 0, "%d", first);
  CHECK(tenon_node_group(n, 1, &first) == 1 && first == 3, "%d", first);
  CHECK(tenon_node_group(n, 2, &first) == 0, "%d", first);
  CHECK(tenon_node_group(n, -1, NULL) == 0, "%d", first);
  leave_site(&s);
}

static void wrong_nodes_are_refused(void **state) {
  (void)state;
  static const uint16_t gap[] = {0, 2, 1}, late[] = {1, 2, 2},
                        three[] = {0, 1, 1, 2};
  static const struct {
    const char *op;
    uint32_t n_in, n_out;
    const uint16_t *bounds;
    uint16_t n_groups;
    const char *id, *message;
  } rows[] = {
      {"core::relu", 2, 1, NULL, 0, "ir-operands",
       "'core::relu' has 1 operand by the schema of"},
      {"core::mul", 1, 1, NULL, 0, "ir-operands", "operand 'b' is missing"},
      {"core::relu", 1, 2, NULL, 0, "ir-operands",
       "has 1 result by the schema of 'core', found 2"},
      {"core::relu", 1, 0, NULL, 0, "ir-operands",
       "has 1 result by the schema of 'core', found 0"},
      {"acme::maybe", 2, 1, gap, 0, "ir-operands", "do not add up"},
      {"acme::maybe", 2, 1, late, 0, "ir-operands", "do not add up"},
      {"acme::maybe", 2, 1, three, 3, "ir-operands",
       "has 2 operands by the schema of 'acme', found 3"},
      {"core::reshape", 1, 1, NULL, 0, "ir-attributes",
       "needs the attribute 'shape'"},
      {"no::body", 1, 1, NULL, 0, "infer-none", "'no::body' is not known"},
      {"core::relu", 70000, 1, NULL, 0, "ir-limit", "too many operands"},
      {"no::body", 1, 70000, NULL, 0, "ir-limit", "too many results"},
  };
  static tenon_value *in[70000];
  EACH_ROW(i, rows) {
    site s;
    make_site(&s);
    for (size_t k = 0; k < COUNT(in); ++k)
      in[k] = s.x;
    tenon_node_spec spec =
        spec_of(&s, rows[i].op, in, rows[i].n_in, rows[i].n_out);
    spec.in_group = rows[i].bounds;
    spec.n_in_groups = rows[i].n_groups;
    CHECK(!tenon_build_node(s.g, NULL, &spec), "row %zu", i);
    CHECK_LOG(&s.w.log, rows[i].id, rows[i].message, i);
    CHECK(s.w.log.errors == 1, "row %zu: %s", i, s.w.log.text);
    CHECK(!s.g->first && s.x->n_uses == 0, "row %zu: half a node", i);
    leave_site(&s);
  }
}

// Options that a reader has put into a struct.
static void attributes_may_be_a_struct(void **state) {
  (void)state;
  site s;
  struct {
    double gain;
    bool relu;
  } attrs = {0.75, true};
  make_site(&s);
  tenon_node_spec spec = spec_of(&s, "acme::gain", &s.x, 1, 1);
  spec.attrs = &attrs;
  tenon_node *n = tenon_build_node(s.g, NULL, &spec);
  CHECK(n, "%s", s.w.log.text);
  CHECK(n->attrs != &attrs, "the struct was kept");
  CHECK(strstr(world_print(&s.w, s.m, 0), "[gain=0.75, relu=true]"), "%s",
        s.w.text.data);
  CHECK(tenon_node_arg(n, "gain")->as.f == 0.75, "gain");
  CHECK(!tenon_node_arg(n, "glow"), "glow");
  CHECK(tenon_node_size(n, "relu", 0).value == 1, "relu");
  CHECK(tenon_node_size(n, "gain", 0).value == TENON_UNKNOWN, "gain");
  leave_site(&s);
}

static void sizes_are_found_by_name(void **state) {
  (void)state;
  site s;
  make_site(&s);
  tenon_dim n = tenon_symbols_leaf(&s.m->symbols, "n", 0, 9);
  const tenon_dim shape[] = {{6, 0}, n};
  const tenon_arg args[] = {tenon_arg_dims("shape", shape, 2), TENON_END_ARGS};
  tenon_node_spec spec = spec_of(&s, "core::reshape", &s.x, 1, 1);
  spec.args = args;
  tenon_node *node = tenon_build_node(s.g, NULL, &spec);
  CHECK(node, "%s", s.w.log.text);
  CHECK(tenon_node_size(node, "shape", 0).value == 6, "0");
  CHECK(tenon_node_size(node, "shape", 1).symbol == n.symbol, "1");
  CHECK(tenon_node_size(node, "shape", 2).value == TENON_UNKNOWN, "2");
  CHECK(tenon_node_size(node, "shape", -1).value == TENON_UNKNOWN, "-1");
  CHECK(tenon_node_size(node, "chape", 0).value == TENON_UNKNOWN, "name");
  const tenon_ints *seen = node->attrs;
  CHECK(seen->data[0] == 6 && seen->data[1] == TENON_UNKNOWN, "struct");
  leave_site(&s);
}

static void constants_are_copied_or_borrowed(void **state) {
  (void)state;
  static const float data[6] = {1, 2, 3, 4, 5, 6};
  site s;
  make_site(&s);
  tenon_value *own = tenon_build_constant(s.m, "a", &matrix, data, false, 0);
  tenon_value *lent = tenon_build_constant(s.m, "b", &matrix, data, true, 0);
  tenon_value *zero = tenon_build_constant(s.m, "c", &matrix, NULL, true, 0);
  CHECK(own && lent && zero, "%s", s.w.log.text);
  CHECK(own->constant->data != data && lent->constant->data == data, "data");
  CHECK(memcmp(own->constant->data, data, sizeof data) == 0, "copy");
  CHECK((uintptr_t)own->constant->data % 64 == 0, "alignment");
  CHECK(((const float *)zero->constant->data)[5] == 0, "zeros");
  CHECK(own->constant->dims[1] == 3 && own->constant->rank == 2, "dims");
  static const tenon_dim huge[] = {
      {INT32_MAX, 0}, {INT32_MAX, 0}, {INT32_MAX, 0}};
  static const tenon_dim open[] = {{0, 1}}, large[] = {{INT64_MAX, 0}};
  static const struct {
    tenon_type type;
    const char *message;
  } rows[] = {
      {{huge, NULL, TENON_F32, 3, 0}, "cannot be counted"},
      {{open, NULL, TENON_F32, 1, 0}, "dimension 0 of a constant is not a"},
      {{large, NULL, TENON_F32, 1, 0}, "dimension 0 of a constant is not a"},
      {{huge, NULL, 0, 3, 0}, "has no element type"},
      {{huge, NULL, TENON_F32, 9, 0}, "has 9 dimensions, more than 8"},
      {{huge, NULL, TENON_STR, 3, 0}, "cannot be counted"},
  };
  EACH_ROW(i, rows) {
    test_log_clear(&s.w.log);
    CHECK(!tenon_build_constant(s.m, "d", &rows[i].type, data, true, 0),
          "row %zu", i);
    CHECK_LOG(&s.w.log, "ir-type", rows[i].message, i);
  }
  leave_site(&s);
}

static void results_and_states_are_checked(void **state) {
  (void)state;
  site s;
  float data[6] = {1};
  int32_t dims[] = {2, 3}, other[] = {3, 2};
  make_site(&s);
  tenon_value *none[] = {s.x, NULL}, *both[] = {s.x, s.y};
  CHECK(!tenon_build_results(s.g, none, 2, 0), "an absent result");
  CHECK(tenon_build_results(s.g, both, 2, 0), "%s", s.w.log.text);
  CHECK(tenon_build_results(s.g, both, 1, 0), "%s", s.w.log.text);
  CHECK(s.x->n_uses == 1 && s.y->n_uses == 0, "the first results are gone");
  tenon_tensor initial = {data, dims, NULL, NULL, TENON_F32, 2, 0};
  tenon_state st = {"s", matrix, &initial, 0, false};
  CHECK(tenon_build_state(s.m, &st), "%s", s.w.log.text);
  CHECK(s.m->states.data[0].initial->data != data, "copied");
  CHECK(tenon_module_find_state(s.m, "s") == 0, "found");
  CHECK(tenon_module_find_state(s.m, "t") == -1, "not found");
  CHECK(!tenon_build_state(s.m, &st), "twice");
  CHECK_LOG(&s.w.log, "ir-name", "there are two states 's'", 0);
  st.name = "t";
  initial.dims = other;
  CHECK(!tenon_build_state(s.m, &st), "another shape");
  CHECK_LOG(&s.w.log, "ir-type", "initial value of state 't' has another", 0);
  // No elements, as a file has them: nowhere.
  const int32_t no_rows[] = {0, 3};
  const tenon_dim none_of_three[] = {{0, 0}, {3, 0}};
  const tenon_tensor empty = {NULL, no_rows, NULL, NULL, TENON_F32, 2, 0};
  const tenon_type of_empty = {none_of_three, NULL, TENON_F32, 2, 0};
  st = (tenon_state){"e", of_empty, &empty, 0, true};
  CHECK(tenon_build_state(s.m, &st), "%s", s.w.log.text);
  leave_site(&s);
}

// Strangers are refused: values of other functions, and of erased nodes.
static void operands_must_be_visible(void **state) {
  (void)state;
  site s;
  make_site(&s);
  tenon_graph *other = tenon_build_function(s.m, "other", 0);
  tenon_node_spec spec = spec_of(&s, "core::relu", &s.x, 1, 1);
  CHECK(!tenon_build_node(other, NULL, &spec), "of another function");
  CHECK_LOG(&s.w.log, "ir-operands", "operand 0 is not defined here", 0);
  tenon_node *n = tenon_build_node(s.g, NULL, &spec);
  CHECK(n, "%s", s.w.log.text);
  tenon_value *gone = n->out[0];
  tenon_node_erase(n);
  spec.in = &gone;
  CHECK(!tenon_build_node(s.g, NULL, &spec), "of an erased node");
  leave_site(&s);
}

// One record per name, and none for what is registered.
static void unknown_operators_have_a_record(void **state) {
  (void)state;
  site s;
  make_site(&s);
  const tenon_op *op = tenon_module_op(s.m, "no::body");
  CHECK(op && !op->desc && !op->schema, "record");
  CHECK(op == tenon_module_unknown_op(s.m, "no::body"), "again");
  CHECK(op != tenon_module_op(s.m, "no::body.x"), "another");
  CHECK(tenon_module_op(s.m, "core::relu")->desc, "registered");
  CHECK(tenon_op_is(op, "no::body") && !tenon_op_is(op, "no::bod"), "name");
  CHECK(!tenon_op_is_pure(op) && !tenon_op_is(NULL, "x"), "none");
  tenon_module_retain(s.m);
  tenon_module_release(s.m);
  tenon_module_release(NULL);
  leave_site(&s);
}

TEST_GROUP(build, cmocka_unit_test(operands_are_divided),
           cmocka_unit_test(groups_can_be_asked),
           cmocka_unit_test(wrong_nodes_are_refused),
           cmocka_unit_test(attributes_may_be_a_struct),
           cmocka_unit_test(sizes_are_found_by_name),
           cmocka_unit_test(constants_are_copied_or_borrowed),
           cmocka_unit_test(results_and_states_are_checked),
           cmocka_unit_test(operands_must_be_visible),
           cmocka_unit_test(unknown_operators_have_a_record))
