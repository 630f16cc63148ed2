// An operator that wants all of its arguments asked for (TENON_OP_ASKED).
#include "ir/rewrite/rewrite.h"
#include "world.h"

static const tenon_owner owner = {.name = "acme", .version = "1.0.0"};

// What the lowering at work asks for, each with a space behind it: names, "all"
// attributes, "x" and "bias". It gives x back.
static const char *asks;

static bool wants(const char *name) {
  return strstr(asks, name) != NULL;
}

static tenon_status gives_x(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_rw_operand(rw, node, 0);
  CHECK(!rw->api->arg(rw, node, "other"), "an argument that is not there");
  if (wants("bias ")) (void)tenon_rw_operand(rw, node, 1);
  if (wants("all ")) (void)rw->api->args(rw, node);
  if (wants("attrs ")) (void)tenon_rw_attrs(rw, node);
  if (wants("dims ")) {
    const tenon_arg *a = rw->api->arg(rw, node, "dims");
    CHECK(a && a->kind == TENON_KIND_INTS, "dims");
  }
  if (wants("gain ")) {
    const tenon_arg *a = rw->api->arg(rw, node, "gain");
    CHECK(a && a->kind == TENON_KIND_FLOAT && a->as.f > 0, "gain");
  }
  if (wants("size ")) CHECK(rw->api->size(rw, node, "size", 0).value, "size");
  return tenon_rw_replace(rw, node, x);
}

static tenon_status gives_another(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *one = tenon_rw_scalar(rw, TENON_F32, 1);
  tenon_dim two = {2, 0};
  const tenon_arg args[] = {tenon_arg_dims("shape", &two, 1), TENON_END_ARGS};
  return tenon_rw_replace(rw, node,
                          tenon_rw_op(rw, "core::reshape", &one, 1, args));
}

// Lowers `node`, which uses %x and perhaps %b, as the operator's own lowering
// or as another; what was reported stays in `w`.
static tenon_status lower(world *w, const char *node, tenon_lower_fn *fn,
                          bool is_own, tenon_rewrite_outcome *outcome) {
  char text[256];
  snprintf(text, sizeof text,
           "module {\n  %%x = input f32[2]\n  %%b = input f32[2]\n"
           "  %%y = %s : f32[2]\n  return %%y, %%b\n}\n",
           node);
  world_init(w);
  tenon_module *m = world_read(w, text);
  tenon_node *n = world_find(m, "acme::asked");
  world_asks = fn;
  tenon_status status = tenon_rewrite_node(n, is_own ? n->op->desc->lower : fn,
                                           NULL, &owner, "l", outcome);
  world_asks = NULL;
  tenon_module_release(m);
  return status;
}

static void what_is_asked_for_or_default_is_served(void **state) {
  (void)state;
  static const struct {
    const char *node, *asks;
  } rows[] = {
      {"acme::asked(%x)", ""},
      {"acme::asked(%x, none) [gain=1.0, dims=[], size=3]", ""},
      {"acme::asked(%x) [gain=2.0]", "gain "},
      {"acme::asked(%x) [gain=2.0, dims=[1], size=4]", "gain dims size "},
      {"acme::asked(%x) [gain=2.0, dims=[1], size=4]", "all "},
      {"acme::asked(%x) [gain=2.0, dims=[1], size=4]", "attrs "},
      {"acme::asked(%x, %b)", "bias "},
  };
  EACH_ROW(i, rows) {
    world w;
    tenon_rewrite_outcome outcome = TENON_REWRITE_DECLINED;
    asks = rows[i].asks;
    tenon_status status = lower(&w, rows[i].node, gives_x, true, &outcome);
    CHECK(status == TENON_OK && outcome == TENON_REWRITE_REPLACED, "%zu: %s", i,
          w.log.text);
    world_deinit(&w);
  }
}

static void what_is_not_asked_for_is_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *node, *asks, *message;
    tenon_lower_fn *lower;
  } rows[] = {
      {"acme::asked(%x) [gain=2.0]", "dims size bias ",
       "'gain' is 2.0, and other values than the default are not served",
       gives_x},
      {"acme::asked(%x) [gain=2.0, dims=[1]]", "gain ", "'dims' is [1]",
       gives_x},
      {"acme::asked(%x) [size=4]", "gain ", "'size' is 4", gives_x},
      {"acme::asked(%x, %b)", "all ", "'bias' is given, which is not served",
       gives_x},
      {"acme::asked(%x)", "", "'x' is given, which is not served",
       gives_another},
  };
  EACH_ROW(i, rows) {
    world w;
    tenon_rewrite_outcome outcome = TENON_REWRITE_REPLACED;
    asks = rows[i].asks;
    tenon_status status =
        lower(&w, rows[i].node, rows[i].lower, true, &outcome);
    CHECK(status == TENON_UNSUPPORTED, "%zu: %d %s", i, (int)status,
          w.log.text);
    CHECK(outcome == TENON_REWRITE_DECLINED, "%zu", i);
    CHECK(w.log.errors == 1, "%zu: %s", i, w.log.text);
    CHECK_LOG(&w.log, "lower-fail", rows[i].message, i);
    world_deinit(&w);
  }
}

// Whoever wrote one for a program knows what the program has.
static void other_lowerings_are_not_held(void **state) {
  (void)state;
  world w;
  tenon_rewrite_outcome outcome = TENON_REWRITE_DECLINED;
  asks = "";
  tenon_status status =
      lower(&w, "acme::asked(%x, %b) [gain=2.0]", gives_x, false, &outcome);
  CHECK(status == TENON_OK && outcome == TENON_REWRITE_REPLACED, "%s",
        w.log.text);
  world_deinit(&w);
}

TEST_GROUP(rewrite_asked,
           cmocka_unit_test(what_is_asked_for_or_default_is_served),
           cmocka_unit_test(what_is_not_asked_for_is_refused_by_name),
           cmocka_unit_test(other_lowerings_are_not_held))
