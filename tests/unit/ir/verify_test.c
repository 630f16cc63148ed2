// One violation per invariant and row, made in a module that was fine.
#include "ir/verify/verify.h"

#include <math.h>

#include "ir/edit.h"
#include "ir/graph_link.h"
#include "ir/infer/infer.h"
#include "world.h"

static const char base[] =
    "module \"m\" {\n"
    "  dim n = 1..4\n"
    "  state \"s\" : f32[2] = {1.0, 2.0} @\"the state\"\n"
    "  const %c : f32[2] = {1.0, 2.0} @\"the constant\"\n"
    "  entry \"e\" = @0 (\"x\", \"p\", \"q\") -> (\"y\")\n"
    "  entry \"f\" = @1 (\"x\") -> (\"y\")\n"
    "  func @0 \"main\" (%x: f32[2] @\"x\", %p: bool[], %q: s8[2]{0.5:0}) {\n"
    "    %a = core::mul(%x, %c) [lo=0.0] : f32[2] @\"a\"\n"
    "    %b = core::relu(%a) : f32[2] @\"b\"\n"
    "    %d = core::concat([%a, %b]) [axis=0] : f32[4]\n"
    "    %r = core::cond(%p, [%a]) : f32[2] @\"if\" {\n"
    "      (%t: f32[2]) { %u = core::relu(%t) : f32[2] return %u }\n"
    "      (%e: f32[2]) { return %b }\n"
    "    }\n"
    "    %w = core::while([%r]) : f32[2] {\n"
    "      (%t: f32[2]) { return %p }\n"
    "      (%e: f32[2]) { return %e }\n"
    "    }\n"
    "    %f = core::call([%w]) [function=1] : f32[2]\n"
    "    %g = core::state_read() [state=\"s\"] : f32[2]\n"
    "    core::state_write(%g) [state=\"s\"]\n"
    "    %k = core::reshape(%g) [shape=[?n]] : f32[?n]\n"
    "    %l = acme::above(%k) decides ?n : f32[?n]\n"
    "    return %f\n"
    "  }\n"
    "  func @1 \"other\" (%x: f32[2]) {\n"
    "    return %x\n"
    "  }\n"
    "}\n";

static tenon_node *node(tenon_module *m, const char *op) {
  return world_find(m, op);
}
static tenon_node *mul(tenon_module *m) {
  return world_find(m, "core::mul");
}
static tenon_node *relu(tenon_module *m) {
  return world_find(m, "core::relu");
}
static tenon_graph *body(tenon_module *m) {
  return m->functions.data[0];
}
static void retype(tenon_value *v, tenon_dim *dims, int rank,
                   tenon_quant *quant) {
  v->type.dims = dims;
  v->type.rank = (uint8_t)rank;
  v->type.quant = quant;
}

// V1
static void lose_the_last(tenon_module *m) {
  body(m)->last = NULL;
}
static void lose_the_end(tenon_module *m) {
  body(m)->end->graph = NULL;
}
static void lose_the_neighbour(tenon_module *m) {
  relu(m)->previous = NULL;
}
static void lose_the_graph(tenon_module *m) {
  relu(m)->graph = m->functions.data[1];
}
static void lose_the_parent(tenon_module *m) {
  node(m, "core::cond")->regions[1]->parent = NULL;
}
static void lose_the_function(tenon_module *m) {
  m->functions.data[1]->index = 0;
}
static void disorder(tenon_module *m) {
  tenon_graph_number(body(m));
  relu(m)->order = 1;
}
// V2
static void share_a_value_id(tenon_module *m) {
  relu(m)->out[0]->id = mul(m)->out[0]->id;
}
static void leave_the_ids(tenon_module *m) {
  relu(m)->out[0]->id = m->n_values;
}
static void share_a_node_id(tenon_module *m) {
  relu(m)->id = mul(m)->id;
}
static void forget_the_definition(tenon_module *m) {
  relu(m)->out[0]->node = mul(m);
}
static void forget_the_kind(tenon_module *m) {
  body(m)->params[0]->kind = TENON_VALUE_RESULT;
}
static void keep_a_failed_value(tenon_module *m) {
  relu(m)->out[0]->has_failed = true;
}
// V3
static void miscount_uses(tenon_module *m) {
  ++mul(m)->out[0]->n_uses;
}
static void hide_a_use(tenon_module *m) {
  mul(m)->out[0]->uses = NULL;
  mul(m)->out[0]->n_uses = 0;
}
static void forget_the_user(tenon_module *m) {
  relu(m)->in[0].node = mul(m);
}
// V4
static void use_too_early(tenon_module *m) {
  tenon_node_move(relu(m), mul(m));
}
static void use_from_inside(tenon_module *m) {
  tenon_node_set_operand(node(m, "core::call"), 0,
                         node(m, "core::cond")->regions[0]->params[0]);
}
static void use_from_elsewhere(tenon_module *m) {
  tenon_node_set_operand(relu(m), 0, m->functions.data[1]->params[0]);
}
static void use_itself(tenon_module *m) {
  tenon_node_set_operand(relu(m), 0, relu(m)->out[0]);
}
// V5
static void have_no_type(tenon_module *m) {
  relu(m)->out[0]->type.dtype = 0;
}
static void have_nine_dims(tenon_module *m) {
  relu(m)->out[0]->type.rank = 9;
}
static void be_too_large(tenon_module *m) {
  static tenon_dim dims[] = {{INT64_C(1) << 31, 0}};
  retype(relu(m)->out[0], dims, 1, NULL);
}
static void be_negative(tenon_module *m) {
  static tenon_dim dims[] = {{-1, 0}};
  retype(relu(m)->out[0], dims, 1, NULL);
}
static void have_a_strange_symbol(tenon_module *m) {
  static tenon_dim dims[] = {{0, 77}};
  retype(relu(m)->out[0], dims, 1, NULL);
}
// V6
static float scales[] = {1.0f, 2.0f};
static tenon_quant two = {scales, NULL, 2, 0, 0};
static void quantise_floats(tenon_module *m) {
  relu(m)->out[0]->type.quant = &two;
}
static tenon_value *q(tenon_module *m) {
  return body(m)->params[2];
}
static void have_a_strange_axis(tenon_module *m) {
  static tenon_quant other = {scales, NULL, 2, 3, 0};
  q(m)->type.quant = &other;
}
static void have_few_scales(tenon_module *m) {
  static tenon_dim dims[] = {{3, 0}};
  retype(q(m), dims, 1, &two);
}
static void have_no_scale(tenon_module *m) {
  static tenon_quant other = {NULL, NULL, 2, 0, 0};
  q(m)->type.quant = &other;
}
static void have_an_endless_scale(tenon_module *m) {
  static float inf[] = {INFINITY};
  static tenon_quant other = {inf, NULL, 1, 0, 0};
  q(m)->type.quant = &other;
}
// V7
static void retype_a_constant(tenon_module *m) {
  m->constants.data[0]->type.dtype = TENON_S32;
}
static void lose_the_data(tenon_module *m) {
  ((tenon_tensor *)(uintptr_t)m->constants.data[0]->constant)->data = NULL;
  m->constants.data[0]->name = "";
}
static void lose_the_constant(tenon_module *m) {
  m->constants.data[0]->constant = NULL;
}
static void retype_a_state(tenon_module *m) {
  m->states.data[0].type.dtype = TENON_S32;
}
// V8
static void have_no_operator(tenon_module *m) {
  relu(m)->op = NULL;
}
static void rename_an_attribute(tenon_module *m) {
  ((tenon_arg *)(uintptr_t)mul(m)->args)[0].name = "hi";
}
static void retype_an_attribute(tenon_module *m) {
  ((tenon_arg *)(uintptr_t)mul(m)->args)[0].kind = TENON_KIND_STR;
}
static void lose_attributes(tenon_module *m) {
  mul(m)->args = NULL;
}
// V9
static void lose_an_operand(tenon_module *m) {
  tenon_node_set_operand(relu(m), 0, NULL);
}
static void lose_an_element(tenon_module *m) {
  tenon_node_set_operand(node(m, "core::concat"), 1, NULL);
}
static void miscount_groups(tenon_module *m) {
  static const uint16_t bounds[] = {0, 3};
  node(m, "core::concat")->in_group = bounds;
}
static void have_many_groups(tenon_module *m) {
  static const uint16_t bounds[] = {0, 1, 2};
  tenon_node *n = node(m, "core::concat");
  n->in_group = bounds;
  n->n_in_groups = 2;
}
static void return_nothing(tenon_module *m) {
  tenon_node_set_operand(body(m)->end, 0, NULL);
}
// V10
static void test_a_float(tenon_module *m) {
  tenon_node_set_operand(node(m, "core::cond"), 0, body(m)->params[0]);
}
static void pass_another_type(tenon_module *m) {
  tenon_node_set_operand(node(m, "core::cond"), 1, body(m)->params[1]);
}
static void return_another_type(tenon_module *m) {
  tenon_node_set_operand(node(m, "core::cond")->regions[1]->end, 0,
                         body(m)->params[1]);
}
static void have_one_region(tenon_module *m) {
  node(m, "core::cond")->n_regions = 1;
}
static void loop_on_a_float(tenon_module *m) {
  tenon_node_set_operand(node(m, "core::while")->regions[0]->end, 0,
                         body(m)->params[0]);
}
// V11
static void call_nothing(tenon_module *m) {
  ((tenon_arg *)(uintptr_t)node(m, "core::call")->args)[0].as.i = 2;
}
static void call_itself(tenon_module *m) {
  tenon_graph *g = m->functions.data[1];
  const tenon_arg args[] = {tenon_arg_int("function", 1), TENON_END_ARGS};
  const tenon_type *types[] = {&g->params[0]->type};
  tenon_node_spec spec = {.op = tenon_module_op(m, "core::call"),
                          .args = args,
                          .in = g->params,
                          .n_in = 1,
                          .n_out = 1,
                          .types = types};
  assert_non_null(tenon_build_node(g, NULL, &spec));
}
static void call_with_another_type(tenon_module *m) {
  tenon_node_set_operand(node(m, "core::call"), 0, body(m)->params[1]);
}
// V12
static void share_an_entry(tenon_module *m) {
  m->entries.data[1].name = "e";
}
static void lose_a_name(tenon_module *m) {
  m->entries.data[1].inputs = NULL;
}
static void enter_nowhere(tenon_module *m) {
  m->entries.data[1].graph = node(m, "core::cond")->regions[0];
}
static void write_into(tenon_module *m, uint16_t input, uint16_t times) {
  static uint16_t writes[2];
  writes[0] = writes[1] = input;
  m->entries.data[1].writes = writes;
  m->entries.data[1].n_writes = times;
}
static void write_nowhere(tenon_module *m) {
  write_into(m, 1, 1);
}
static void write_more(tenon_module *m) {
  write_into(m, 0, 2);
}
static void write_another(tenon_module *m) {
  m->entries.data[0].graph->params[1]->type.dtype = TENON_BOOL;
  write_into(m, 1, 1);
  m->entries.data[0].writes = m->entries.data[1].writes;
  m->entries.data[0].n_writes = 1;
  m->entries.data[1].n_writes = 0;
}
// V13
static void read_no_state(tenon_module *m) {
  ((tenon_arg *)(uintptr_t)node(m, "core::state_read")->args)[0].as.s = "t";
}
static void write_another_type(tenon_module *m) {
  tenon_node_set_operand(node(m, "core::state_write"), 0, body(m)->params[1]);
}
// V14
static void be_deep(tenon_module *m) {
  tenon_graph *g = m->functions.data[1];
  for (int i = 0; i <= TENON_MAX_NESTING; ++i) {
    tenon_node *n = tenon_node_alloc(g, 0, 0, 1, 0);
    n->op = tenon_module_op(m, "a::b");
    tenon_node_link(g, n, NULL);
    g = n->regions[0] = tenon_graph_alloc(m, "", n, 0, 0);
  }
}
static void be_at_another_depth(tenon_module *m) {
  node(m, "core::cond")->regions[0]->depth = 7;
}
// V15
static void have_an_odd_symbol(tenon_module *m) {
  m->symbols.data[1].name = "a b";
}
static void have_no_value(tenon_module *m) {
  m->symbols.data[1].min = 5;
}
static void decide_nothing(tenon_module *m) {
  static const uint32_t none[] = {9};
  node(m, "acme::above")->decided = none;
}

static const struct {
  void (*spoil)(tenon_module *m);
  const char *id, *message;
} rows[] = {
    {lose_the_last, "verify-1", "'acme::above' is not linked"},
    {lose_the_end, "verify-1", "the end of 'main' is not linked"},
    {lose_the_neighbour, "verify-1", "'core::relu' is not linked"},
    {lose_the_graph, "verify-1", "'core::relu' is not linked"},
    {lose_the_parent, "verify-1", "region 1 of 'core::cond' does not know"},
    {lose_the_function, "verify-1", "function 1 does not know its place"},
    {disorder, "verify-1", "'core::relu' is numbered out of order"},
    {share_a_value_id, "verify-2", "result 0 of 'core::relu' is defined twice"},
    {leave_the_ids, "verify-2", "result 0 of 'core::relu' has an id out of"},
    {share_a_node_id, "verify-2", "the id of 'core::relu' is not its own"},
    {forget_the_definition, "verify-2", "does not know its node"},
    {forget_the_kind, "verify-2", "parameter 0 of 'main' does not say where"},
    {keep_a_failed_value, "verify-2", "result 0 of 'core::relu' does not say"},
    {miscount_uses, "verify-3", "'%a' lists"},
    {hide_a_use, "verify-3", "'%a' lists 0 uses"},
    {forget_the_user, "verify-3", "operand 0 of 'core::relu' does not know"},
    {use_too_early, "verify-4", "operand 0 of 'core::relu' is not defined"},
    {use_from_inside, "verify-4", "operand 0 of 'core::call' is not defined"},
    {use_from_elsewhere, "verify-4", "operand 0 of 'core::relu' is not"},
    {use_itself, "verify-4", "operand 0 of 'core::relu' is not defined"},
    {have_no_type, "verify-5", "result 0 of 'core::relu' has no type"},
    {have_nine_dims, "verify-5", "has 9 dimensions, more than 8"},
    {be_too_large, "verify-5", "is 2147483648, not between 0 and 2147483647"},
    {be_negative, "verify-5", "is -1, not between"},
    {have_a_strange_symbol, "verify-5", "is an unknown symbol"},
    {quantise_floats, "verify-6", "is quantised, but of type 'f32'"},
    {have_a_strange_axis, "verify-6", "quantised along dimension 3 of 1"},
    {have_few_scales, "verify-6", "has 2 scales for a dimension of 3"},
    {have_no_scale, "verify-6", "parameter 2 of 'main' has no scale"},
    {have_an_endless_scale, "verify-6", "scale 0 of parameter 2 of 'main'"},
    {retype_a_constant, "verify-7", "the data of a constant is of another"},
    {lose_the_data, "verify-7", "a constant has no data"},
    {lose_the_constant, "verify-7", "constant '%c' has no value"},
    {retype_a_state, "verify-7", "the data of a state is of another type"},
    {have_no_operator, "verify-8", "a node has no operator"},
    {rename_an_attribute, "verify-8", "attribute 0 of 'core::mul' is 'hi'"},
    {retype_an_attribute, "verify-8", "is str, not float?"},
    {lose_attributes, "verify-8", "'core::mul' has no attributes"},
    {lose_an_operand, "verify-9", "operand 'x' of 'core::relu' is missing"},
    {lose_an_element, "verify-9", "operand 'xs' of 'core::concat' is missing"},
    {miscount_groups, "verify-9", "the groups of 'core::concat' do not add"},
    {have_many_groups, "verify-9", "takes 1 operands, found 2"},
    {return_nothing, "verify-9", "result 0 of 'main' is absent"},
    {test_a_float, "verify-10", "the predicate of 'core::cond' is not one"},
    {pass_another_type, "verify-10", "another type to parameter 0"},
    {return_another_type, "verify-10", "of its body have different types"},
    {have_one_region, "verify-10", "'core::cond' has 1 regions, not 2"},
    {loop_on_a_float, "verify-10", "the condition of 'core::while' is not"},
    {call_nothing, "verify-11", "'core::call' calls function 2 of 2"},
    {call_itself, "verify-11", "functions call each other in a circle"},
    {call_with_another_type, "verify-11", "another type to parameter 0"},
    {share_an_entry, "verify-12", "there are two entries 'e'"},
    {lose_a_name, "verify-12", "entry 'f' does not name input 0"},
    {enter_nowhere, "verify-12", "entry 'f' has no function"},
    {write_nowhere, "verify-12", "what entry 'f' writes into input 1"},
    {write_more, "verify-12", "entry 'f' writes 2 inputs and has 1 results"},
    {write_another, "verify-12", "what entry 'e' writes into input 1 is not"},
    {read_no_state, "verify-13", "there is no state 't'"},
    {write_another_type, "verify-13", "is not of the type of 's'"},
    {be_deep, "verify-14", "more than 64 regions"},
    {be_at_another_depth, "verify-14", "region 0 of 'core::cond' has a wrong"},
    {have_an_odd_symbol, "verify-15", "symbol 1 has no plain name"},
    {have_no_value, "verify-15", "symbol 'n' can have no value: 5..4"},
    {decide_nothing, "verify-15", "size 0 that 'acme::above' decides"},
};

static void every_violation_is_found(void **state) {
  (void)state;
  EACH_ROW(i, rows) {
    world w;
    world_init(&w);
    tenon_module *m = world_parse(&w, base);
    CHECK(m, "%s", w.log.text);
    CHECK(tenon_verify_module(m, NULL) == TENON_OK, "%s", w.log.text);
    rows[i].spoil(m);
    CHECK(tenon_verify_module(m, NULL) == TENON_BAD_MODEL, "row %zu", i);
    CHECK_LOG(&w.log, rows[i].id, rows[i].message, i);
    CHECK(w.log.errors == 1, "row %zu: %s", i, w.log.text);
    test_log_clear(&w.log);
    CHECK(tenon_verify_module(m, "fold") == TENON_BUG, "row %zu", i);
    CHECK_LOG(&w.log, rows[i].id, "after pass 'fold': ", i);
    tenon_module_release(m);
    world_deinit(&w);
  }
}

// The message names the place in the file.
static void a_violation_has_its_place(void **state) {
  (void)state;
  world w;
  world_init(&w);
  tenon_module *m = world_parse(&w, base);
  use_too_early(m);
  (void)tenon_verify_module(m, NULL);
  CHECK_LOG(&w.log, "verify-4", "m: b: operand 0", 0);
  tenon_module_release(m);
  world_deinit(&w);
}

static bool verify_all(const tenon_allocator *allocator, void *self) {
  world w;
  tenon_module *m = NULL;
  (void)self;
  bool ok = world_try(&w, allocator) &&
            tenon_parse_module(w.cx, base, strlen(base), "t", &m) == TENON_OK &&
            tenon_infer_module(m, true) == TENON_OK &&
            tenon_verify_module(m, NULL) == TENON_OK;
  CHECK(ok || w.log.errors > 0, "a failure without an error");
  tenon_module_release(m);
  world_deinit(&w);
  return ok;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  test_sweep(verify_all, NULL);
}

TEST_GROUP(verify, cmocka_unit_test(every_violation_is_found),
           cmocka_unit_test(a_violation_has_its_place),
           cmocka_unit_test(every_allocation_may_fail))
