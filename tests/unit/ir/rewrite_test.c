// Lowerings: what they build, and how each of their mistakes is reported.
#include "ir/rewrite/rewrite.h"

#include "ir/infer/infer.h"
#include "ir/verify/verify.h"
#include "world.h"

static const char base[] =
    "module \"m\" {\n"
    "  %x = input f32[2]\n"
    "  %p = input bool[]\n"
    "  %y = acme::gain(%x) [gain=2.0, relu=true] : f32[2] @\"op 3\" "
    "\"net.py\"\n"
    "  %z = core::relu(%y) : f32[2] @\"op 4\"\n"
    "  return %z\n"
    "}\n";

static const tenon_owner owner = {.name = "acme", .version = "1.0.0"};

// Runs a lowering on the first node of an operator.
static tenon_status lower_first(world *w, tenon_module *m, const char *op,
                                tenon_lower_fn *lower,
                                tenon_rewrite_outcome *outcome) {
  tenon_node *n = world_find(m, op);
  tenon_status status =
      tenon_rewrite_node(n, lower, "user data", &owner, "gain to mul", outcome);
  if (status == TENON_OK && *outcome == TENON_REWRITE_REPLACED)
    CHECK(n->is_erased, "%s", op);
  test_log log = w->log;  // verification must not drown what was reported
  CHECK(tenon_verify_module(m, NULL) == TENON_OK, "%s", w->log.text);
  w->log = log;
  return status;
}

// ---------------------------------------------------------------------------
// What works
// ---------------------------------------------------------------------------

static tenon_status to_mul(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_rw_operand(rw, node, 0);
  tenon_value *g = tenon_rw_scalar(rw, TENON_F32, 2.0);
  tenon_value *y = tenon_rw_op2(rw, "core::mul", x, g);
  CHECK_TEXT(rw->api->user(rw), "user data", 0);
  CHECK_TEXT(rw->api->place(rw, node)->origin, "net.py", 0);
  CHECK(rw->api->constant(rw, g) && !rw->api->constant(rw, x), "constants");
  CHECK(rw->api->result(rw, node, 0)->dims[0].value == 2, "result");
  CHECK(!rw->api->result(rw, node, 1), "result 1");
  CHECK(!rw->api->operand(rw, node, 1), "operand 1");
  CHECK(!rw->api->type(rw, NULL), "type of nothing");
  return tenon_rw_replace(rw, node, y);
}

static tenon_status to_plain_mul(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_rw_operand(rw, node, 0);
  tenon_value *g = tenon_rw_scalar(rw, TENON_F32, 2.0);
  return tenon_rw_replace(rw, node, tenon_rw_op2(rw, "core::mul", x, g));
}

static tenon_status to_operand(tenon_rewriter *rw, const tenon_node *node) {
  return tenon_rw_replace(rw, node, tenon_rw_operand(rw, node, 0));
}

// Counts its calls in a state: what is there comes out, and twice as much goes
// in.
static tenon_status to_counter(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_type *type = tenon_rw_type(rw, tenon_rw_operand(rw, node, 0));
  const tenon_arg name[] = {tenon_arg_str("state", "acme_calls"),
                            TENON_END_ARGS};
  tenon_value *now = NULL, *none = NULL;
  TENON_TRY(rw->api->state(rw, "acme_calls", type));
  TENON_TRY(rw->api->state(rw, "acme_calls", type));  // the same one
  tenon_build read = {.struct_size = sizeof read,
                      .n_out = 1,
                      .op = "core::state_read",
                      .args = name,
                      .out = &now,
                      .types = &type};
  (void)rw->api->build(rw, &read);
  tenon_value *next =
      tenon_rw_op2(rw, "core::mul", now, tenon_rw_scalar(rw, TENON_F32, 2));
  tenon_build write = {.struct_size = sizeof write,
                       .n_in = 1,
                       .op = "core::state_write",
                       .args = name,
                       .in = &next,
                       .out = &none};
  (void)rw->api->build(rw, &write);
  return tenon_rw_replace(rw, node, now);
}

static tenon_status to_counter_declined(tenon_rewriter *rw,
                                        const tenon_node *node) {
  TENON_TRY(rw->api->state(rw, "acme_calls",
                           tenon_rw_type(rw, tenon_rw_operand(rw, node, 0))));
  return TENON_OK;
}

static tenon_status to_counter_of_another_type(tenon_rewriter *rw,
                                               const tenon_node *node) {
  const tenon_type flag = {NULL, NULL, TENON_BOOL, 0, 0};
  (void)rw->api->state(rw, "acme_calls", &flag);
  return to_counter(rw, node);
}

static void states_come_with_what_is_built(void **state) {
  (void)state;
  static const struct {
    tenon_lower_fn *lower;
    tenon_status status;
    int states;
  } rows[] = {{to_counter, TENON_OK, 1},
              {to_counter_declined, TENON_OK, 0},
              {to_counter_of_another_type, TENON_UNSUPPORTED, 0}};
  EACH_ROW(i, rows) {
    world w;
    tenon_module *m = NULL;
    tenon_rewrite_outcome outcome = TENON_REWRITE_DECLINED;
    world_init(&w);
    assert_int_equal(tenon_parse_module(w.cx, base, strlen(base), "t", &m),
                     TENON_OK);
    CHECK(lower_first(&w, m, "acme::gain", rows[i].lower, &outcome) ==
              rows[i].status,
          "row %zu: %s", i, w.log.text);
    CHECK((int)m->states.count == rows[i].states, "row %zu: %zu states", i,
          m->states.count);
    if (rows[i].status != TENON_OK)
      CHECK_LOG(&w.log, "lower-state", "'acme_calls' of another type", i);
    tenon_module_release(m);
    world_deinit(&w);
  }
}

// A cond whose branches are built here; one uses a value from outside.
static tenon_status to_cond(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_rw_operand(rw, node, 0), *arg = NULL, *out = NULL;
  const tenon_type *type = tenon_rw_type(rw, x);
  static const unsigned char yes[] = {1};
  tenon_type flag = {NULL, NULL, TENON_BOOL, 0, 0};
  tenon_value *p = rw->api->literal(rw, &flag, yes);
  tenon_region *regions[2];
  regions[0] = rw->api->begin(rw, &type, 1, &arg);
  tenon_value *doubled = tenon_rw_op2(rw, "core::mul", arg, x);
  TENON_TRY(rw->api->end(rw, regions[0], &doubled, 1));
  regions[1] = rw->api->begin(rw, &type, 1, &arg);
  TENON_TRY(rw->api->end(rw, regions[1], &arg, 1));
  tenon_value *in[] = {p, x};
  tenon_build b = {.struct_size = sizeof b,
                   .n_in = 2,
                   .n_out = 1,
                   .n_regions = 2,
                   .op = "core::cond",
                   .in = in,
                   .out = &out,
                   .regions = regions};
  return tenon_rw_replace(rw, node, rw->api->build(rw, &b));
}

// A cond becomes its first branch, within another cond's branch.
static tenon_status to_branch(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *args[] = {tenon_rw_operand(rw, node, 1)}, *results[1];
  TENON_TRY(rw->api->copy(rw, node, 0, args, 1, results, 1));
  return rw->api->replace(rw, node, results, 1);
}

static tenon_status decline(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *arg = NULL;
  const tenon_type *type = rw->api->result(rw, node, 0);
  (void)tenon_rw_scalar(rw, TENON_F32, 2.0);
  (void)tenon_rw_op1(rw, "core::relu", tenon_rw_operand(rw, node, 0));
  tenon_region *r = rw->api->begin(rw, &type, 1, &arg);
  (void)tenon_rw_op2(rw, "core::mul", arg, tenon_rw_operand(rw, node, 0));
  return rw->api->end(rw, r, &arg, 1);
}

static void lowerings_rewrite(void **state) {
  (void)state;
  static const struct {
    tenon_lower_fn *lower;
    tenon_rewrite_outcome outcome;
    const char *text;  // null: as before
  } rows[] = {
      {to_mul, TENON_REWRITE_REPLACED,
       "module \"m\" {\n"
       "  %0 = const f32[] {2.0} @\"op 3\" \"net.py\"\n"
       "  %x = input f32[2]\n"
       "  %p = input bool[]\n"
       "  %y = core::mul(%x, %0) : f32[2] @\"op 3\" \"net.py\"\n"
       "  %z = core::relu(%y) : f32[2] @\"op 4\"\n"
       "  return %z\n"
       "}\n"},
      {to_operand, TENON_REWRITE_REPLACED,
       "module \"m\" {\n"
       "  %x = input f32[2]\n"
       "  %p = input bool[]\n"
       "  %z = core::relu(%x) : f32[2] @\"op 4\"\n"
       "  return %z\n"
       "}\n"},
      {to_cond, TENON_REWRITE_REPLACED,
       "module \"m\" {\n"
       "  %0 = const bool[] {true} @\"op 3\" \"net.py\"\n"
       "  %x = input f32[2]\n"
       "  %p = input bool[]\n"
       "  %y = core::cond(%0, [%x]) : f32[2] @\"op 3\" \"net.py\" {\n"
       "    (%1: f32[2] @\"op 3\" \"net.py\") {\n"
       "      %2 = core::mul(%1, %x) : f32[2] @\"op 3\" \"net.py\"\n"
       "      return %2 @\"op 3\" \"net.py\"\n"
       "    }\n"
       "    (%3: f32[2] @\"op 3\" \"net.py\") {\n"
       "      return %3 @\"op 3\" \"net.py\"\n"
       "    }\n"
       "  }\n"
       "  %z = core::relu(%y) : f32[2] @\"op 4\"\n"
       "  return %z\n"
       "}\n"},
      {decline, TENON_REWRITE_DECLINED, NULL},
  };
  EACH_ROW(i, rows) {
    world w;
    tenon_rewrite_outcome outcome = TENON_REWRITE_DECLINED;
    world_init(&w);
    tenon_module *m = world_read(&w, base);
    CHECK(lower_first(&w, m, "acme::gain", rows[i].lower, &outcome) == TENON_OK,
          "row %zu: %s", i, w.log.text);
    CHECK(outcome == rows[i].outcome, "row %zu", i);
    CHECK_TEXT(world_print(&w, m, 0), rows[i].text ? rows[i].text : base, i);
    tenon_module_release(m);
    world_deinit(&w);
  }
}

static void bodies_are_copied(void **state) {
  (void)state;
  world w;
  tenon_rewrite_outcome outcome = TENON_REWRITE_DECLINED;
  world_init(&w);
  tenon_module *m =
      world_read(&w,
                 "module {\n"
                 "  %p = input bool[]\n"
                 "  %x = input f32[2]\n"
                 "  %r = core::cond(%p, [%x]) {\n"
                 "    (%a: f32[2]) {\n"
                 "      %b = core::relu(%a)\n"
                 "      %s = core::while(%b) {\n"
                 "        (%c: f32[2]) { return %p }\n"
                 "        (%d: f32[2]) { %e = core::mul(%d, %b) return %e }\n"
                 "      }\n"
                 "      return %s\n"
                 "    }\n"
                 "    (%e: f32[2]) { return %x }\n"
                 "  }\n"
                 "  return %r\n"
                 "}\n");
  CHECK(lower_first(&w, m, "core::cond", to_branch, &outcome) == TENON_OK, "%s",
        w.log.text);
  CHECK_TEXT(world_print(&w, m, 0),
             "module {\n"
             "  %p = input bool[]\n"
             "  %x = input f32[2]\n"
             "  %b = core::relu(%x) : f32[2]\n"
             "  %s = core::while([%b]) : f32[2] {\n"
             "    (%c: f32[2]) {\n"
             "      return %p\n"
             "    }\n"
             "    (%d: f32[2]) {\n"
             "      %e = core::mul(%d, %b) : f32[2]\n"
             "      return %e\n"
             "    }\n"
             "  }\n"
             "  return %s as \"r\"\n"
             "}\n",
             0);
  tenon_module_release(m);
  world_deinit(&w);
}

// Two nodes become one; which of them is looked at, and used elsewhere, counts.
static tenon_status fuse_relus(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *y = tenon_rw_operand(rw, node, 0);
  const tenon_node *outer = rw->api->producer(rw, y);
  if (!outer || strcmp(rw->api->op(rw, outer), "acme::gain") != 0)
    return TENON_OK;
  CHECK(rw->api->producer(rw, y) == outer, "asked again");
  CHECK(rw->api->uses(rw, NULL) == 0 && rw->api->uses(rw, y) > 0, "uses");
  const tenon_arg *args = rw->api->args(rw, outer);
  CHECK(args[0].as.f == 2.0 && !rw->api->args(rw, node)->name, "args");
  tenon_value *x = tenon_rw_operand(rw, outer, 0);
  CHECK(!rw->api->producer(rw, x) && !rw->api->producer(rw, NULL), "inputs");
  return tenon_rw_replace(rw, node, tenon_rw_op(rw, "acme::gain", &x, 1, args));
}

static void places_of_swallowed_nodes_are_kept(void **state) {
  (void)state;
  static const struct {
    const char *result, *place;
  } rows[] = {{"%z", "@fused(\"op 3\" \"net.py\", \"op 4\")\n"},
              {"%z, %y", "relu=true] : f32[2] @\"op 4\"\n"}};
  EACH_ROW(i, rows) {
    world w;
    char text[1024];
    tenon_rewrite_outcome outcome = TENON_REWRITE_DECLINED;
    world_init(&w);
    snprintf(text, sizeof text,
             "module \"m\" {\n  %%x = input f32[2]\n"
             "  %%y = acme::gain(%%x) [gain=2.0, relu=true] @\"op 3\" "
             "\"net.py\"\n"
             "  %%z = core::relu(%%y) : f32[2] @\"op 4\"\n"
             "  return %s\n}\n",
             rows[i].result);
    tenon_module *m = world_read(&w, text);
    CHECK(lower_first(&w, m, "core::relu", fuse_relus, &outcome) == TENON_OK,
          "%s", w.log.text);
    CHECK(outcome == TENON_REWRITE_REPLACED, "row %zu", i);
    CHECK(strstr(world_print(&w, m, 0), rows[i].place), "row %zu: %s", i,
          w.text.data);
    tenon_module_release(m);
    world_deinit(&w);
  }
}

static bool admits_no_mul(void *self, const tenon_node *old,
                          const tenon_node *fresh) {
  ++*(int *)self;
  CHECK(tenon_op_is(old->op, "acme::gain"), "%s", old->op->name);
  return !tenon_op_is(fresh->op, "core::mul");
}

// Who drives a rewrite may refuse what was built; that is no failure.
static void what_is_not_admitted_is_undone(void **state) {
  (void)state;
  world w;
  int asked = 0;
  tenon_rewrite_outcome outcome = TENON_REWRITE_REPLACED;
  world_init(&w);
  tenon_module *m = world_read(&w, base);
  CHECK(tenon_rewrite_node_if(world_find(m, "acme::gain"), to_mul, "user data",
                              &owner, NULL, admits_no_mul, &asked, NULL,
                              &outcome) == TENON_OK,
        "%s", w.log.text);
  CHECK(outcome == TENON_REWRITE_DECLINED && asked == 1, "%d", asked);
  CHECK_TEXT(world_print(&w, m, 0), base, 0);
  tenon_module_release(m);
  world_deinit(&w);
}

static tenon_status to_above(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *y =
      tenon_rw_op1(rw, "acme::above", tenon_rw_operand(rw, node, 0));
  return tenon_rw_replace(rw, node, tenon_rw_op1(rw, "core::relu", y));
}

// Who uses a size that data decide need not know who decides it now.
static void decided_sizes_keep_their_symbol(void **state) {
  (void)state;
  world w;
  tenon_rewrite_outcome outcome = TENON_REWRITE_DECLINED;
  world_init(&w);
  tenon_module *m = world_read(&w,
                               "module {\n"
                               "  %x = input f32[4]\n"
                               "  %y = acme::soft_above(%x)\n"
                               "  %z = core::concat([%y, %y]) [axis=0]\n"
                               "  return %z\n"
                               "}\n");
  CHECK(lower_first(&w, m, "acme::soft_above", to_above, &outcome) == TENON_OK,
        "%s", w.log.text);
  static const char want[] =
      "module {\n"
      "  dim u0 = 0..4\n"
      "  %x = input f32[4]\n"
      "  %0 = acme::above(%x) decides ?u0 : f32[?u0]\n"
      "  %y = core::relu(%0) : f32[?u0]\n"
      "  %z = core::concat([%y, %y]) [axis=0] : f32[?u0*2]\n"
      "  return %z\n"
      "}\n";
  CHECK_TEXT(world_print(&w, m, 0), want, 0);
  CHECK(tenon_infer_module(m, false) == TENON_OK, "%s", w.log.text);
  CHECK_TEXT(world_print(&w, m, 0), want, 1);
  tenon_module_release(m);
  world_deinit(&w);
}

// ---------------------------------------------------------------------------
// What does not
// ---------------------------------------------------------------------------

static tenon_value *operand(tenon_rewriter *rw, const tenon_node *node) {
  return tenon_rw_operand(rw, node, 0);
}

static tenon_status says_no(tenon_rewriter *rw, const tenon_node *node) {
  (void)node;
  return tenon_rw_fail(rw, "only %d of 100%% such things", 3);
}
static tenon_status says_no_and_ok(tenon_rewriter *rw, const tenon_node *node) {
  (void)tenon_rw_fail(rw, "only 3 of 100%% such things");
  return tenon_rw_replace(rw, node, operand(rw, node)) == TENON_OK ? TENON_BUG
                                                                   : TENON_OK;
}
static tenon_status says_nothing(tenon_rewriter *rw, const tenon_node *node) {
  (void)rw;
  (void)node;
  return TENON_IO;
}
// The first of several failures counts; the others follow from it.
static tenon_status builds_nonsense(tenon_rewriter *rw,
                                    const tenon_node *node) {
  const tenon_arg args[] = {tenon_arg_int("glow", 1), TENON_END_ARGS};
  tenon_value *x = operand(rw, node), *in[] = {x, x};
  tenon_value *a = tenon_rw_op(rw, "core::mul", in, 2, args);
  tenon_value *b = tenon_rw_op2(rw, "core::nul", a, x);
  tenon_value *c = tenon_rw_op1(rw, "core::relu", b);
  const tenon_type *t = tenon_rw_type(rw, c);
  CHECK(t->rank == 0, "the type of a failed value");
  // Axes counted from either end are there to be read.
  for (int i = 1; i <= TENON_MAX_RANK; ++i)
    CHECK(t->dims[t->rank - i].value == 1 && t->dims[i - 1].value == 1, "%d",
          i);
  CHECK(!rw->api->constant(rw, c), "the data of a failed value");
  return tenon_rw_replace(rw, node, c);
}
static tenon_status misspells(tenon_rewriter *rw, const tenon_node *node) {
  return tenon_rw_replace(rw, node,
                          tenon_rw_op1(rw, "core::rleu", operand(rw, node)));
}
static tenon_status breaks_a_rule(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *in[] = {operand(rw, node), tenon_rw_scalar(rw, TENON_S32, 1)};
  return tenon_rw_replace(rw, node, tenon_rw_op(rw, "core::mul", in, 2, NULL));
}
static tenon_status forgets_an_operand(tenon_rewriter *rw,
                                       const tenon_node *node) {
  return tenon_rw_replace(rw, node,
                          tenon_rw_op2(rw, "core::mul", operand(rw, node), 0));
}
static tenon_status replaces_by_two(tenon_rewriter *rw,
                                    const tenon_node *node) {
  tenon_value *both[] = {operand(rw, node), operand(rw, node)};
  return rw->api->replace(rw, node, both, 2);
}
static tenon_status replaces_by_nothing(tenon_rewriter *rw,
                                        const tenon_node *node) {
  return tenon_rw_replace(rw, node, NULL);
}
static tenon_status replaces_by_another_type(tenon_rewriter *rw,
                                             const tenon_node *node) {
  return tenon_rw_replace(rw, node, tenon_rw_scalar(rw, TENON_F32, 1));
}
static tenon_status replaces_another_node(tenon_rewriter *rw,
                                          const tenon_node *node) {
  return tenon_rw_replace(rw, node->next, operand(rw, node));
}
static tenon_status replaces_by_itself(tenon_rewriter *rw,
                                       const tenon_node *node) {
  return tenon_rw_replace(rw, node, node->out[0]);
}
static tenon_status does_not_end(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *arg = NULL;
  const tenon_type *type = tenon_rw_type(rw, operand(rw, node));
  (void)rw->api->begin(rw, &type, 1, &arg);
  return tenon_rw_replace(rw, node, operand(rw, node));
}
static tenon_status leaks_from_a_region(tenon_rewriter *rw,
                                        const tenon_node *node) {
  tenon_value *arg = NULL;
  const tenon_type *type = tenon_rw_type(rw, operand(rw, node));
  tenon_region *r = rw->api->begin(rw, &type, 1, &arg);
  (void)rw->api->end(rw, r, &arg, 1);
  return tenon_rw_replace(rw, node, tenon_rw_op1(rw, "core::relu", arg));
}
static tenon_status replaces_by_a_parameter(tenon_rewriter *rw,
                                            const tenon_node *node) {
  tenon_value *arg = NULL;
  const tenon_type *type = tenon_rw_type(rw, operand(rw, node));
  tenon_region *r = rw->api->begin(rw, &type, 1, &arg);
  (void)rw->api->end(rw, r, &arg, 1);
  return tenon_rw_replace(rw, node, arg);
}
static tenon_status ends_twice(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *arg = NULL;
  const tenon_type *type = tenon_rw_type(rw, operand(rw, node));
  tenon_region *r = rw->api->begin(rw, &type, 1, &arg);
  (void)rw->api->end(rw, r, &arg, 1);
  return rw->api->end(rw, r, &arg, 1);
}
static tenon_status uses_a_region_twice(tenon_rewriter *rw,
                                        const tenon_node *node) {
  tenon_value *x = operand(rw, node), *arg = NULL, *out = NULL;
  const tenon_type *type = tenon_rw_type(rw, x);
  tenon_region *r = rw->api->begin(rw, &type, 1, &arg);
  (void)rw->api->end(rw, r, &arg, 1);
  tenon_value *in[] = {tenon_rw_scalar(rw, TENON_BOOL, 1), x};
  tenon_region *both[] = {r, r};
  tenon_build b = {.struct_size = sizeof b,
                   .n_in = 2,
                   .n_out = 1,
                   .n_regions = 2,
                   .op = "core::cond",
                   .in = in,
                   .out = &out,
                   .regions = both};
  return tenon_rw_replace(rw, node, rw->api->build(rw, &b));
}
static tenon_status copies_what_is_not_there(tenon_rewriter *rw,
                                             const tenon_node *node) {
  tenon_value *x = operand(rw, node), *y = NULL;
  (void)rw->api->copy(rw, node, 0, &x, 1, &y, 1);
  return tenon_rw_replace(rw, node, y);
}
// On a cond: too few arguments, an argument from inside, a node that is not it.
static tenon_status copies_with_too_few(tenon_rewriter *rw,
                                        const tenon_node *node) {
  tenon_value *y = NULL;
  return rw->api->copy(rw, node, 0, NULL, 0, &y, 1);
}
static tenon_status copies_with_a_stranger(tenon_rewriter *rw,
                                           const tenon_node *node) {
  tenon_value *y = NULL;
  return rw->api->copy(rw, node, 0, node->regions[0]->params, 1, &y, 1);
}
static tenon_status ends_with_a_stranger(tenon_rewriter *rw,
                                         const tenon_node *node) {
  tenon_region *r = rw->api->begin(rw, NULL, 0, NULL);
  return rw->api->end(rw, r, node->regions[0]->params, 1);
}
static tenon_status begins_without_a_type(tenon_rewriter *rw,
                                          const tenon_node *node) {
  static const tenon_type none;
  const tenon_type *type = &none;
  tenon_value *arg = NULL, *again = NULL;
  (void)node;
  tenon_region *r = rw->api->begin(rw, &type, 1, &arg);
  CHECK(tenon_rw_type(rw, arg)->rank == 0, "a failed argument");
  tenon_region *failed = rw->api->begin(rw, &type, 1, &again);
  CHECK(failed && again == arg, "a failed region");
  return rw->api->end(rw, r, &arg, 1);
}
static tenon_status nests_too_deep(tenon_rewriter *rw, const tenon_node *node) {
  (void)node;
  for (int i = 0; i < 100; ++i)
    (void)rw->api->begin(rw, NULL, 0, NULL);
  return TENON_OK;
}

static void mistakes_with_bodies_are_reported(void **state) {
  (void)state;
  static const struct {
    tenon_lower_fn *lower;
    const char *id, *message;
  } rows[] = {
      {copies_with_too_few, "lower-build",
       "region 0 has 1 parameters and 1 results, not 0 and 1"},
      {copies_with_a_stranger, "lower-build",
       "argument 0 of a region is not defined here"},
      {ends_with_a_stranger, "lower-build",
       "result 0 of a region is not defined in it"},
      {begins_without_a_type, "ir-type", "a parameter has no element type"},
      {nests_too_deep, "lower-build", "too many regions in each other"},
  };
  static const char text[] =
      "module {\n"
      "  %p = input bool[]\n"
      "  %x = input f32[2]\n"
      "  %r = core::cond(%p, [%x]) : f32[2] {\n"
      "    (%a: f32[2]) {\n"
      "      return %a\n"
      "    }\n"
      "    (%e: f32[2]) {\n"
      "      return %x\n"
      "    }\n"
      "  }\n"
      "  return %r\n"
      "}\n";
  EACH_ROW(i, rows) {
    world w;
    tenon_rewrite_outcome outcome = TENON_REWRITE_REPLACED;
    world_init(&w);
    tenon_module *m = world_read(&w, text);
    CHECK(lower_first(&w, m, "core::cond", rows[i].lower, &outcome) ==
              TENON_BAD_PLUGIN,
          "row %zu", i);
    CHECK_LOG(&w.log, rows[i].id, rows[i].message, i);
    CHECK(w.log.errors == 1, "row %zu: %s", i, w.log.text);
    CHECK_TEXT(world_print(&w, m, 0), text, i);
    tenon_module_release(m);
    world_deinit(&w);
  }
}

static tenon_status divides_by_zero(tenon_rewriter *rw,
                                    const tenon_node *node) {
  tenon_dim d = {0, 0};
  (void)rw->api->dim(rw, TENON_DIM_MOD, d, d);
  return tenon_rw_replace(rw, node, operand(rw, node));
}
static tenon_status has_a_large_scalar(tenon_rewriter *rw,
                                       const tenon_node *node) {
  return tenon_rw_replace(rw, node, tenon_rw_scalar(rw, TENON_S8, 300));
}
static tenon_status has_an_open_literal(tenon_rewriter *rw,
                                        const tenon_node *node) {
  static const tenon_dim dims[] = {{-5, 0}};
  tenon_type type = {dims, NULL, TENON_F32, 1, 0};
  return tenon_rw_replace(rw, node, rw->api->literal(rw, &type, NULL));
}
static tenon_status declares_another_type(tenon_rewriter *rw,
                                          const tenon_node *node) {
  static const tenon_dim dims[] = {{5, 0}};
  static const tenon_type type = {dims, NULL, TENON_F32, 1, 0};
  const tenon_type *types[] = {&type};
  tenon_value *x = operand(rw, node), *out = NULL;
  tenon_build b = {.struct_size = sizeof b,
                   .n_in = 1,
                   .n_out = 1,
                   .op = "core::relu",
                   .in = &x,
                   .out = &out,
                   .types = types};
  return tenon_rw_replace(rw, node, rw->api->build(rw, &b));
}

// The operand is an input: nothing of this body makes it.
static tenon_status asks_of_no_node(tenon_rewriter *rw,
                                    const tenon_node *node) {
  const tenon_node *none = rw->api->producer(rw, operand(rw, node));
  int first = 1, n_results = 1;
  CHECK(!none, "no node");
  CHECK(rw->api->group(rw, none, 0, &first) == 0 && first == 0, "group");
  CHECK(!rw->api->result(rw, none, 0) && !rw->api->attrs(rw, none), "result");
  CHECK(rw->api->size(rw, none, "n", 0).value == TENON_UNKNOWN, "size");
  CHECK(!rw->api->place(rw, none) && !*rw->api->op(rw, none), "op");
  CHECK(!rw->api->args(rw, none)->name && !rw->api->arg(rw, none, "n"), "args");
  CHECK(rw->api->region(rw, none, 0, &n_results) == -1, "region");
  return tenon_rw_replace(
      rw, node,
      tenon_rw_op2(rw, "core::mul", operand(rw, node), operand(rw, none)));
}
static tenon_status lists_no_operands(tenon_rewriter *rw,
                                      const tenon_node *node) {
  return tenon_rw_replace(rw, node,
                          tenon_rw_op(rw, "core::mul", NULL, 2, NULL));
}
static tenon_status lists_no_results(tenon_rewriter *rw,
                                     const tenon_node *node) {
  return rw->api->replace(rw, node, NULL, 1);
}

static void mistakes_are_reported_once(void **state) {
  (void)state;
  static const struct {
    tenon_lower_fn *lower;
    tenon_status status;
    const char *id, *message;
  } rows[] = {
      {says_no, TENON_UNSUPPORTED, "lower-fail",
       "m: op 3: 'acme::gain', lowering 'gain to mul' of plugin 'acme': only 3 "
       "of 100% such things\n"},
      {says_no_and_ok, TENON_UNSUPPORTED, "lower-fail", "only 3 of 100%"},
      {says_nothing, TENON_BAD_PLUGIN, "lower-build",
       "m: op 3: lowering 'gain to mul' of plugin 'acme': 'acme::gain': failed "
       "without saying why"},
      {builds_nonsense, TENON_BAD_PLUGIN, "ir-attributes",
       "m: op 3: lowering 'gain to mul' of plugin 'acme': 'core::mul': "
       "core::mul has no attribute 'glow'"},
      {misspells, TENON_BAD_PLUGIN, "lower-build",
       "unknown operator 'core::rleu'; did you mean 'core::relu'?"},
      {breaks_a_rule, TENON_BAD_MODEL, "infer-rule",
       "lowering 'gain to mul' of plugin 'acme': 'core::mul' of plugin 'core': "
       "a and b differ"},
      {forgets_an_operand, TENON_BAD_PLUGIN, "ir-operands",
       "'core::mul': operand 'b' is missing"},
      {replaces_by_two, TENON_BAD_PLUGIN, "lower-build",
       "'acme::gain' has 1 results, found 2 to replace them"},
      {replaces_by_nothing, TENON_BAD_PLUGIN, "lower-build",
       "result 0 is replaced by an absent value"},
      {replaces_by_another_type, TENON_BAD_PLUGIN, "lower-build",
       "result 0 of 'acme::gain' is f32[2], its replacement f32[]"},
      {replaces_another_node, TENON_BAD_PLUGIN, "lower-build",
       "replaces a node that is not the one it was given"},
      {replaces_by_itself, TENON_BAD_PLUGIN, "lower-build",
       "result 0 is replaced by a value from elsewhere"},
      {does_not_end, TENON_BAD_PLUGIN, "lower-build", "a region has not ended"},
      {leaks_from_a_region, TENON_BAD_PLUGIN, "ir-operands",
       "'core::relu': operand 0 is not defined here"},
      {replaces_by_a_parameter, TENON_BAD_PLUGIN, "lower-build",
       "result 0 is replaced by a value from elsewhere"},
      {ends_twice, TENON_BAD_PLUGIN, "lower-build",
       "a region ends that is not open"},
      {uses_a_region_twice, TENON_BAD_PLUGIN, "lower-build",
       "'core::cond': region 1 has not ended here"},
      {copies_what_is_not_there, TENON_BAD_PLUGIN, "lower-build",
       "region 0 is not of the node being replaced"},
      {divides_by_zero, TENON_BAD_PLUGIN, "lower-build",
       "divides a size by zero"},
      {has_a_large_scalar, TENON_BAD_PLUGIN, "lower-build",
       "300 is no scalar of type 's8'"},
      {has_an_open_literal, TENON_BAD_PLUGIN, "ir-type",
       "dimension 0 of a constant is not a size"},
      {asks_of_no_node, TENON_BAD_PLUGIN, "ir-operands",
       "'core::mul': operand 'b' is missing"},
      {lists_no_operands, TENON_BAD_PLUGIN, "lower-build",
       "a tenon_build that has no operator, or operands without a list"},
      {lists_no_results, TENON_BAD_PLUGIN, "lower-build",
       "result 0 is replaced by an absent value"},
      {declares_another_type, TENON_BAD_PLUGIN, "infer-mismatch",
       "'core::relu': result 0 is f32[5] as declared, f32[2] by the shape "
       "rule"},
  };
  EACH_ROW(i, rows) {
    world w;
    tenon_rewrite_outcome outcome = TENON_REWRITE_REPLACED;
    world_init(&w);
    tenon_module *m = world_read(&w, base);
    tenon_status status =
        lower_first(&w, m, "acme::gain", rows[i].lower, &outcome);
    CHECK(status == rows[i].status, "row %zu: %d %s", i, (int)status,
          w.log.text);
    CHECK(outcome == TENON_REWRITE_DECLINED, "row %zu", i);
    CHECK(w.log.errors == 1, "row %zu: %s", i, w.log.text);
    CHECK_LOG(&w.log, rows[i].id, rows[i].message, i);
    CHECK_TEXT(world_print(&w, m, 0), base, i);  // nothing is left
    tenon_module_release(m);
    world_deinit(&w);
  }
}

// ---------------------------------------------------------------------------
// Scalars
// ---------------------------------------------------------------------------

static tenon_dtype scalar_type;
static double scalar_value;
static tenon_status makes_a_scalar(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *v = tenon_rw_scalar(rw, scalar_type, scalar_value);
  tenon_value *args[] = {tenon_rw_op1(rw, "core::relu", v)};
  (void)args;
  return tenon_rw_replace(rw, node, tenon_rw_operand(rw, node, 0));
}

static void scalars_are_rounded_once(void **state) {
  (void)state;
  static const struct {
    tenon_dtype type;
    double value;
    const char *text;  // null: it is none
  } rows[] = {
      {TENON_F32, 0.1, "f32[] {0.1}"},
      {TENON_F64, 0.1, "f64[] {0.1}"},
      {TENON_F16, 0.1, "f16[] {0.099975586}"},
      {TENON_F16, 65519.0, "f16[] {65504.0}"},
      {TENON_F16, 65520.0, "f16[] {inf}"},
      {TENON_F16, -1e9, "f16[] {-inf}"},
      {TENON_F16, 0x1p-25, "f16[] {0.0}"},
      {TENON_F16, 0x1.8p-25, "f16[] {5.9604645e-08}"},
      {TENON_F16, 0x1.ffcp-15, "f16[] {6.1035156e-05}"},
      {TENON_F16, 0x1.004p0, "f16[] {1.0009766}"},
      {TENON_F16, 0x1.002p0, "f16[] {1.0}"},
      // Through f32 this would round up: 1 + 2^-11 + 2^-40.
      {TENON_F16, 0x1.0020000001p0, "f16[] {1.0009766}"},
      {TENON_BF16, 3.14159, "bf16[] {3.140625}"},
      {TENON_BF16, -0.0, "bf16[] {-0.0}"},
      {TENON_S8, -128, "s8[] {-128}"},
      {TENON_S8, 128, NULL},
      {TENON_S8, 1.5, NULL},
      {TENON_U8, 255, "u8[] {255}"},
      {TENON_U8, -1, NULL},
      {TENON_S64, -0x1p63, "s64[] {-9223372036854775808}"},
      {TENON_S64, 0x1p63, NULL},
      {TENON_U64, 0x1p62, "u64[] {4611686018427387904}"},
      {TENON_BOOL, 3, "bool[] {true}"},
      {TENON_S4, -8, "s4[] {-8}"},
      {TENON_S4, 8, NULL},
      {TENON_C64, 1.0, "c64[] hex\"0000803f00000000\""},
      {TENON_STR, 0, NULL},
      {TENON_F8E5M2, 1.0, NULL},
      {0, 1.0, NULL},
  };
  EACH_ROW(i, rows) {
    world w;
    tenon_rewrite_outcome outcome = TENON_REWRITE_DECLINED;
    world_init(&w);
    tenon_module *m = world_read(&w, base);
    scalar_type = rows[i].type;
    scalar_value = rows[i].value;
    tenon_status status =
        lower_first(&w, m, "acme::gain", makes_a_scalar, &outcome);
    CHECK((status == TENON_OK) == (rows[i].text != NULL), "row %zu: %s", i,
          w.log.text);
    const char *text = world_print(&w, m, TENON_PRINT_NO_PLACES);
    if (rows[i].text) CHECK(strstr(text, rows[i].text), "row %zu: %s", i, text);
    tenon_module_release(m);
    world_deinit(&w);
  }
}

// ---------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------

static bool rewrite_all(const tenon_allocator *allocator, void *self) {
  world w;
  tenon_module *m = NULL;
  tenon_rewrite_outcome outcome = TENON_REWRITE_DECLINED;
  tenon_lower_fn *lower = *(tenon_lower_fn **)self;
  bool ok = world_try(&w, allocator) &&
            tenon_parse_module(w.cx, base, strlen(base), "t", &m) == TENON_OK;
  if (ok) {
    tenon_node *n = world_find(m, "acme::gain");
    ok = tenon_rewrite_node(n, lower, "user data", &owner, NULL, &outcome) ==
         TENON_OK;
  }
  CHECK(ok || w.log.errors > 0, "a failure without an error");
  tenon_module_release(m);
  world_deinit(&w);
  return ok;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  tenon_lower_fn *all[] = {to_plain_mul, to_cond, to_counter};
  EACH_ROW(i, all) test_sweep(rewrite_all, &all[i]);
}

TEST_GROUP(rewrite, cmocka_unit_test(lowerings_rewrite),
           cmocka_unit_test(states_come_with_what_is_built),
           cmocka_unit_test(bodies_are_copied),
           cmocka_unit_test(places_of_swallowed_nodes_are_kept),
           cmocka_unit_test(what_is_not_admitted_is_undone),
           cmocka_unit_test(decided_sizes_keep_their_symbol),
           cmocka_unit_test(mistakes_are_reported_once),
           cmocka_unit_test(mistakes_with_bodies_are_reported),
           cmocka_unit_test(scalars_are_rounded_once),
           cmocka_unit_test(every_allocation_may_fail))
