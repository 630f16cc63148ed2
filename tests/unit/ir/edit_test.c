// Changing graphs: use lists, order, copies; always verified afterwards.
#include "ir/edit.h"

#include "ir/infer/infer.h"
#include "ir/verify/verify.h"
#include "ir/written.h"
#include "world.h"

static const char chain[] =
    "module {\n"
    "  %x = input f32[2]\n"
    "  %p = input bool[]\n"
    "  %a = core::relu(%x) : f32[2]\n"
    "  %b = core::mul(%a, %x) : f32[2]\n"
    "  %c = core::mul(%a, %a) : f32[2]\n"
    "  %r = core::cond(%p, [%b]) : f32[2] {\n"
    "    (%t: f32[2]) {\n"
    "      %d = core::relu(%a) : f32[2]\n"
    "      return %d\n"
    "    }\n"
    "    (%e: f32[2]) {\n"
    "      return %e\n"
    "    }\n"
    "  }\n"
    "  return %r, %c\n"
    "}\n";

static void check(world *w, const tenon_module *m, const char *part) {
  CHECK(tenon_verify_module(m, NULL) == TENON_OK, "%s", w->log.text);
  CHECK(strstr(world_print(w, m, 0), part), "%s", w->text.data);
}

static bool is_in_a_region(void *self, const tenon_use *use) {
  ++*(int *)self;
  return use->node->graph->parent != NULL;
}

static void uses_are_replaced(void **state) {
  (void)state;
  world w;
  int asked = 0;
  world_init(&w);
  tenon_module *m = world_read(&w, chain);
  tenon_graph *g = m->functions.data[0];
  tenon_value *a = g->first->out[0], *x = g->params[0];
  CHECK(a->n_uses == 4 && x->n_uses == 2, "%u %u", a->n_uses, x->n_uses);
  tenon_value_replace_if(a, x, is_in_a_region, &asked);
  CHECK(asked == 4 && a->n_uses == 3 && x->n_uses == 3, "%d", asked);
  check(&w, m, "%d = core::relu(%x)");
  tenon_value_replace(a, a);
  CHECK(a->n_uses == 3, "%u", a->n_uses);
  tenon_value_replace(a, x);
  CHECK(a->n_uses == 0 && x->n_uses == 6 && !a->uses, "%u", x->n_uses);
  check(&w, m, "%b = core::mul(%x, %x)");
  tenon_node_erase(a->node);
  CHECK(a->node->is_erased && x->n_uses == 5, "%u", x->n_uses);
  check(&w, m, "%p = input bool[]\n  %b");
  tenon_module_release(m);
  world_deinit(&w);
}

static void a_region_goes_with_its_node(void **state) {
  (void)state;
  world w;
  world_init(&w);
  tenon_module *m = world_read(&w, chain);
  tenon_graph *g = m->functions.data[0];
  tenon_node *cond = g->last;
  tenon_value *a = g->first->out[0];
  tenon_node_set_operand(g->end, 0, g->params[0]);
  tenon_node_erase(cond);
  CHECK(a->n_uses == 3, "%u", a->n_uses);
  check(&w, m, "  return %x as \"r\", %c\n");
  tenon_module_release(m);
  world_deinit(&w);
}

static void nodes_move(void **state) {
  (void)state;
  world w;
  world_init(&w);
  tenon_module *m = world_read(&w, chain);
  tenon_graph *g = m->functions.data[0];
  tenon_node *a = g->first, *b = a->next, *c = b->next, *cond = c->next;
  tenon_node *d = cond->regions[0]->first;
  CHECK(tenon_node_precedes(a, b) && !tenon_node_precedes(b, a), "a, b");
  tenon_node_move(c, b);
  CHECK(!g->is_numbered, "numbers are stale");
  CHECK(tenon_node_precedes(c, b) && !tenon_node_precedes(b, c), "c, b");
  CHECK(!tenon_node_precedes(a, a), "itself");
  CHECK(tenon_node_precedes(b, d) && !tenon_node_precedes(d, b), "a region");
  CHECK(!tenon_node_precedes(cond, d), "its own region");
  CHECK(tenon_node_precedes(cond, g->end), "the end");
  CHECK(!tenon_node_precedes(g->end, cond), "behind the end");
  check(&w, m, "%a = core::relu(%x) : f32[2]\n  %c = core::mul");
  tenon_node_move(c, g->end);
  check(&w, m, "  }\n  %c = core::mul(%a, %a) : f32[2]\n  return");
  tenon_node_move(d, a);  // out of its region
  CHECK(d->graph == g && g->first == d, "graph");
  tenon_node_set_operand(d, 0, g->params[0]);
  check(&w, m, "%p = input bool[]\n  %d = core::relu(%x)");
  tenon_module_release(m);
  world_deinit(&w);
}

// The body of one function in another: twice, with regions of its own.
static void bodies_are_inlined(void **state) {
  (void)state;
  world w;
  world_init(&w);
  tenon_module *m = world_read(&w,
                               "module \"m\" {\n"
                               "  const %c : f32[2] = {1.0, 2.0}\n"
                               "  func @0 \"f\" (%x: f32[2], %p: bool[]) {\n"
                               "    %y = core::cond(%p, [%x]) : f32[2] {\n"
                               "      (%t: f32[2]) {\n"
                               "        %u = core::mul(%t, %c) : f32[2]\n"
                               "        return %u\n"
                               "      }\n"
                               "      (%e: f32[2]) {\n"
                               "        return %x\n"
                               "      }\n"
                               "    }\n"
                               "    return %y, %x\n"
                               "  }\n"
                               "  func @1 \"g\" (%v: f32[2], %q: bool[]) {\n"
                               "    return %v\n"
                               "  }\n"
                               "}\n");
  tenon_graph *f = m->functions.data[0], *g = m->functions.data[1];
  tenon_value *args[] = {g->params[0], g->params[1]}, *results[2];
  CHECK(tenon_graph_inline(f, g, NULL, args, results), "%s", w.log.text);
  CHECK(results[1] == args[0], "a parameter that is returned");
  args[0] = results[0];
  CHECK(tenon_graph_inline(f, g, g->end, args, results), "%s", w.log.text);
  tenon_node_set_operand(g->end, 0, results[0]);
  check(&w, m,
        "  func @1 \"g\" (%v: f32[2], %q: bool[]) {\n"
        "    %y = core::cond(%q, [%v]) : f32[2] {\n"
        "      (%t: f32[2]) {\n"
        "        %u = core::mul(%t, %c) : f32[2]\n"
        "        return %u\n"
        "      }\n"
        "      (%e: f32[2]) {\n"
        "        return %v\n"
        "      }\n"
        "    }\n"
        "    %y~2 = core::cond(%q, [%y]) : f32[2] {\n"
        "      (%t~2: f32[2]) {\n"
        "        %u~2 = core::mul(%t~2, %c) : f32[2]\n"
        "        return %u~2\n"
        "      }\n"
        "      (%e~2: f32[2]) {\n"
        "        return %y\n"
        "      }\n"
        "    }\n"
        "    return %y~2\n");
  // A copied region can grow like one that was built.
  tenon_graph *r = g->first->regions[0];
  for (int i = 0; i < 9; ++i)
    CHECK(tenon_build_param(r, "n", &args[0]->type, 0), "%s", w.log.text);
  CHECK(r->n_params == 10, "%d", r->n_params);
  tenon_module_release(m);
  world_deinit(&w);
}

static void copies_do_not_nest_too_deep(void **state) {
  (void)state;
  static char text[32768];
  world w;
  world_init(&w);
  size_t n = (size_t)sprintf(text, "module { func @0 \"f\" (%%x: f32[]) { ");
  for (int i = 0; i < 40; ++i)
    n += (size_t)sprintf(text + n, "%%a%d = a::b(%%x) : f32[] { () { ", i);
  for (int i = 0; i < 40; ++i)
    n += (size_t)sprintf(text + n, "return %%x } } ");
  sprintf(text + n, "return %%x } }");
  tenon_module *m = world_read(&w, text);
  tenon_graph *f = m->functions.data[0], *deep = f;
  tenon_value *args[] = {f->params[0]}, *results[1];
  for (int i = 0; i < 30; ++i)
    deep = deep->first->regions[0];
  CHECK(!tenon_graph_inline(f, deep, NULL, args, results), "70 deep");
  CHECK_LOG(&w.log, "ir-limit", "a copy of 'f' would have too many", 0);
  CHECK(tenon_verify_module(m, NULL) == TENON_OK, "%s", w.log.text);
  tenon_module_release(m);
  world_deinit(&w);
}

// What was written, back to the state whose memory it is.
static void written_values_lead_to_their_state(void **state) {
  (void)state;
  world w;
  uint32_t operand = 9, result = 9;
  world_init(&w);
  tenon_module *m =
      world_read(&w,
                 "module {\n"
                 "  state \"s\" : f32[4,2]\n"
                 "  %x = input f32[2]\n"
                 "  %b = core::state_read() [state=\"s\"] : f32[4,2]\n"
                 "  %r, %c = acme::push(%b, %x)\n"
                 "  %d = acme::bump(%c) functional\n"
                 "  %e = acme::bump(%d)\n"
                 "  return %r, %d, %e\n"
                 "}\n");
  tenon_node *push = world_find(m, "acme::push"), *bump = push->next;
  CHECK(tenon_written_pair(push, 0, &operand, &result), "push");
  CHECK(operand == 0 && result == 1, "%u %u", operand, result);
  CHECK(!tenon_written_pair(push, 1, &operand, &result), "one pair");
  CHECK(tenon_written_pair(bump, 0, &operand, &result), "bump");
  CHECK(operand == 0 && result == 0, "%u %u", operand, result);
  CHECK(!tenon_written_pair(bump->next, 0, &operand, &result), "not yet");
  const tenon_node *read = tenon_written_state(bump->out[0]);
  CHECK(read == push->previous, "the state");
  CHECK_TEXT(tenon_state_name(read), "s", 0);
  CHECK(!tenon_written_state(push->out[0]), "the row is a value of its own");
  CHECK_TEXT(tenon_state_name(push), "", 0);
  tenon_module_release(m);
  world_deinit(&w);
}

static tenon_status erase_relus(void *self, tenon_node *n) {
  ++*(int *)self;
  if (!tenon_op_is(n->op, "core::relu")) return TENON_OK;
  tenon_value_replace(n->out[0], tenon_node_in(n, 0));
  tenon_node_erase(n);
  return TENON_OK;
}
static tenon_status stop(void *self, tenon_node *n) {
  ++*(int *)self;
  return tenon_op_is(n->op, "core::cond") ? TENON_IO : TENON_OK;
}

static void visited_nodes_may_go(void **state) {
  (void)state;
  world w;
  int visited = 0;
  world_init(&w);
  tenon_module *m = world_read(&w, chain);
  assert_int_equal(tenon_module_visit(m, erase_relus, &visited), TENON_OK);
  assert_int_equal(visited, 5);
  check(&w, m, "%b = core::mul(%x, %x)");
  visited = 0;
  assert_int_equal(tenon_module_visit(m, stop, &visited), TENON_IO);
  assert_int_equal(visited, 3);
  tenon_module_release(m);
  world_deinit(&w);
}

TEST_GROUP(edit, cmocka_unit_test(uses_are_replaced),
           cmocka_unit_test(a_region_goes_with_its_node),
           cmocka_unit_test(nodes_move), cmocka_unit_test(bodies_are_inlined),
           cmocka_unit_test(copies_do_not_nest_too_deep),
           cmocka_unit_test(written_values_lead_to_their_state),
           cmocka_unit_test(visited_nodes_may_go))
