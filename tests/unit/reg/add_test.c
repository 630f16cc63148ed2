// Names that are taken, reserved or replaced; taking back; removing.
#include "reg/store.h"
#include "reg_fixture.h"

static bool has_op(const tenon_context *cx, const char *name,
                   const char *owner) {
  tenon_registered r;
  return tenon_context_find(cx, TENON_REGISTRY_OPS, name, &r, NULL) &&
         strcmp(r.owner, owner) == 0;
}

static bool has_kernel(const tenon_context *cx, const char *name,
                       const char *owner) {
  tenon_registered r;
  return tenon_context_find(cx, TENON_REGISTRY_KERNELS, name, &r, NULL) &&
         strcmp(r.owner, owner) == 0;
}

static void names_both_owners_of_a_taken_name(void **state) {
  (void)state;
  test_log log;
  fixture a, b;
  tenon_context *cx = fixture_context(&log, NULL);
  const tenon_plugin_origin origin = {.path = "./b.so"};
  fixture_op(&a, "one", NULL, NULL);
  fixture_op(&b, "two", NULL, "other");
  assert_int_equal(tenon_context_add(cx, &a.plugin), TENON_OK);
  assert_int_equal(tenon_context_add_plugin(cx, &b.plugin, &origin),
                   TENON_CONFLICT);
  CHECK_LOG(&log, "plugin-name-taken",
            "operator 'acme::gain' of plugin 'two' (./b.so) is defined by "
            "plugin 'one' already",
            0);
  assert_true(has_op(cx, "acme::gain", "one"));
  assert_true(has_kernel(cx, "acme_gain_f32", "one"));
  assert_false(has_kernel(cx, "other", "two"));
  tenon_context_destroy(cx);
}

static void takes_a_plugin_whole_or_not(void **state) {
  (void)state;
  test_log log;
  fixture a, b, c;
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_op(&a, "one", NULL, NULL);
  fixture_op(&b, "two", "acme::fresh(Tensor x) -> Tensor", "fresh");
  fixture_op(&c, "two", NULL, "clash");
  const tenon_op_desc *ops[] = {&b.op, &c.op, NULL};
  b.plugin.ops = ops;
  assert_int_equal(tenon_context_add(cx, &a.plugin), TENON_OK);
  assert_int_equal(tenon_context_add(cx, &b.plugin), TENON_CONFLICT);
  assert_false(has_op(cx, "acme::fresh", "two"));
  assert_false(has_kernel(cx, "fresh", "two"));
  // And its names are free again.
  b.plugin.ops = b.ops;
  assert_int_equal(tenon_context_add(cx, &b.plugin), TENON_OK);
  assert_true(has_op(cx, "acme::fresh", "two"));
  tenon_context_destroy(cx);
}

// Both orders of loading, all four combinations of consent.
static void replaces_only_with_both_consents(void **state) {
  (void)state;
  static const char *const names[] = {"acme::gain", NULL};
  for (unsigned k = 0; k < 8; ++k) {
    bool asks = k & 1, allowed = k & 2, first = k & 4;
    test_log log;
    fixture base, over;
    tenon_context *cx = fixture_context(&log, allowed ? names : NULL);
    fixture_op(&base, "base", NULL, NULL);
    fixture_op(&over, "over", NULL, "faster");
    if (asks) over.op.flags |= TENON_OP_OVERRIDES;
    const fixture *order[2] = {first ? &over : &base, first ? &base : &over};
    assert_int_equal(tenon_context_add(cx, &order[0]->plugin), TENON_OK);
    tenon_status status = tenon_context_add(cx, &order[1]->plugin);
    bool good = asks && allowed;
    CHECK(status == (good ? TENON_OK : TENON_CONFLICT), "case %u: %s", k,
          log.text);
    const char *winner = good ? "over" : order[0]->plugin.name;
    CHECK(has_op(cx, "acme::gain", winner), "case %u", k);
    CHECK(has_kernel(cx, "faster", "over") == (good || first), "case %u", k);
    CHECK(has_kernel(cx, "acme_gain_f32", "base") == (!good && !first),
          "case %u", k);
    if (asks && !allowed)
      CHECK_LOG(&log, "plugin-override", "but the user did not allow it", k);
    if (!asks) CHECK_LOG(&log, "plugin-name-taken", "TENON_OP_OVERRIDES", k);
    tenon_context_destroy(cx);
  }
}

static void takes_an_override_back(void **state) {
  (void)state;
  static const char *const names[] = {"acme::*", NULL};
  test_log log;
  fixture base, over;
  tenon_context *cx = fixture_context(&log, names);
  fixture_op(&base, "base", NULL, NULL);
  base.op.lower = fixture_lower;
  fixture_op(&over, "over", NULL, "faster");
  over.op.flags |= TENON_OP_OVERRIDES;
  assert_int_equal(tenon_context_add(cx, &base.plugin), TENON_OK);
  // Refused for something else, after it had replaced the operator.
  over.plugin.lowerings = over.lowerings;
  over.lowering.name = NULL;
  assert_int_equal(tenon_context_add(cx, &over.plugin), TENON_BAD_PLUGIN);
  assert_true(has_op(cx, "acme::gain", "base"));
  assert_true(has_kernel(cx, "acme_gain_f32", "base"));
  assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_LOWERINGS, NULL, 0),
                   1);
  // Taken, then removed by name.
  over.plugin.lowerings = NULL;
  assert_int_equal(tenon_context_add(cx, &over.plugin), TENON_OK);
  assert_true(has_op(cx, "acme::gain", "over"));
  assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_LOWERINGS, NULL, 0),
                   0);
  assert_int_equal(tenon_context_remove(cx, "acme.gain"), TENON_OK);
  assert_true(has_op(cx, "acme::gain", "base"));
  assert_true(has_kernel(cx, "acme_gain_f32", "base"));
  assert_false(has_kernel(cx, "faster", "over"));
  assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_LOWERINGS, NULL, 0),
                   1);
  assert_int_equal(tenon_context_remove(cx, "acme::gain"), TENON_OK);
  assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_OPS, NULL, 0), 0);
  assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_KERNELS, NULL, 0), 0);
  tenon_context_destroy(cx);
}

static void two_overrides_are_a_conflict(void **state) {
  (void)state;
  static const char *const names[] = {"acme::gain", NULL};
  test_log log;
  fixture a, b;
  tenon_context *cx = fixture_context(&log, names);
  fixture_op(&a, "a", NULL, "ka");
  fixture_op(&b, "b", NULL, "kb");
  a.op.flags |= TENON_OP_OVERRIDES;
  b.op.flags |= TENON_OP_OVERRIDES;
  assert_int_equal(tenon_context_add(cx, &a.plugin), TENON_OK);
  assert_int_equal(tenon_context_add(cx, &b.plugin), TENON_CONFLICT);
  CHECK_LOG(&log, "plugin-name-taken", "neither or both set", 0);
  tenon_context_destroy(cx);
}

static void guards_reserved_names(void **state) {
  (void)state;
  static const char *const names[] = {"aten::fresh", NULL};
  static const struct {
    bool asks, allowed, builtin;
    const char *message;  // null: taken
  } rows[] = {
      {false, false, false,
       "does not set TENON_OP_OVERRIDES, and the user did not allow it"},
      {true, false, false, "sets TENON_OP_OVERRIDES, but the user did not"},
      {false, true, false, "the user allowed it, but the descriptor does not"},
      {true, true, false, NULL},
      {false, false, true, NULL}};
  (void)state;
  EACH_ROW(i, rows) {
    test_log log;
    fixture f;
    tenon_context *cx = fixture_context(&log, rows[i].allowed ? names : NULL);
    fixture_op(&f, "acme", "aten::fresh(Tensor x) -> Tensor", NULL);
    if (rows[i].asks) f.op.flags |= TENON_OP_OVERRIDES;
    tenon_status status = rows[i].builtin ? fixture_add_builtin(cx, &f)
                                          : tenon_context_add(cx, &f.plugin);
    CHECK(status == (rows[i].message ? TENON_CONFLICT : TENON_OK),
          "row %zu: %s", i, log.text);
    if (rows[i].message) CHECK_LOG(&log, "plugin-override", rows[i].message, i);
    tenon_context_destroy(cx);
  }
}

// A lowering of a reserved name is an override, a kernel is not.
static void guards_lowerings_of_reserved_names(void **state) {
  (void)state;
  static const char *const exact[] = {"core::relu", NULL};
  static const char *const wide[] = {"core.*", NULL};
  static const struct {
    const char *op;
    const char *const *overrides;
    uint32_t flags;
    tenon_status want;
  } rows[] = {{"core::relu", NULL, 0, TENON_CONFLICT},
              {"core::relu", exact, 0, TENON_CONFLICT},
              {"core::relu", NULL, TENON_LOWERING_OVERRIDES, TENON_CONFLICT},
              {"core::relu", exact, TENON_LOWERING_OVERRIDES, TENON_OK},
              {"core::relu", wide, TENON_LOWERING_OVERRIDES, TENON_OK},
              {"core::*", wide, TENON_LOWERING_OVERRIDES, TENON_OK},
              {"core::*", exact, TENON_LOWERING_OVERRIDES, TENON_CONFLICT},
              {"acme::relu", NULL, 0, TENON_OK}};
  test_log log;
  fixture f;
  EACH_ROW(i, rows) {
    tenon_context *cx = fixture_context(&log, rows[i].overrides);
    fixture_lowering(&f, "acme", rows[i].op, "mine", 0);
    f.lowering.flags = rows[i].flags;
    CHECK(tenon_context_add(cx, &f.plugin) == rows[i].want, "row %zu: %s", i,
          log.text);
    if (rows[i].want != TENON_OK)
      CHECK_LOG(&log, "plugin-override", "a lowering of a reserved name", i);
    tenon_context_destroy(cx);
  }
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_kernel(&f, "acme", "core::relu", "fast", 5);
  assert_int_equal(tenon_context_add(cx, &f.plugin), TENON_OK);
  tenon_context_destroy(cx);
}

static void replaces_kernels_by_symbol(void **state) {
  (void)state;
  static const char *const names[] = {"acme_gain_f32", NULL};
  for (int k = 0; k < 3; ++k) {
    test_log log;
    fixture base, over;
    tenon_context *cx = fixture_context(&log, k == 2 ? names : NULL);
    fixture_op(&base, "base", NULL, NULL);
    fixture_kernel(&over, "over", "acme::gain", "acme_gain_f32", 0);
    if (k > 0) over.kernel.flags = TENON_KERNEL_OVERRIDES;
    assert_int_equal(tenon_context_add(cx, &base.plugin), TENON_OK);
    CHECK(tenon_context_add(cx, &over.plugin) ==
              (k == 2 ? TENON_OK : TENON_CONFLICT),
          "case %u", k);
    CHECK(has_kernel(cx, "acme_gain_f32", k == 2 ? "over" : "base"), "case %d",
          k);
    if (k == 0)
      CHECK_LOG(&log, "plugin-name-taken", "TENON_KERNEL_OVERRIDES", 0);
    if (k == 1) CHECK_LOG(&log, "plugin-override", "did not allow", 1);
    // What comparisons go by stays one.
    CHECK(tenon_registry_find_kernel(cx, "acme_gain_f32")->is_reference,
          "case %u", k);
    if (k == 2) {
      assert_int_equal(tenon_context_remove(cx, "kernel acme_gain_f32"),
                       TENON_OK);
      assert_true(has_kernel(cx, "acme_gain_f32", "base"));
    }
    tenon_context_destroy(cx);
  }
}

static void shares_a_kernel_between_operators(void **state) {
  (void)state;
  test_log log;
  fixture a, b;
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_op(&a, "acme", "acme::a(Tensor x) -> Tensor", "both");
  fixture_op(&b, "acme", "acme::b(Tensor x) -> Tensor", "both");
  const tenon_op_desc *ops[] = {&a.op, &b.op, NULL};
  a.plugin.ops = ops;
  assert_int_equal(tenon_context_add(cx, &a.plugin), TENON_OK);
  assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_KERNELS, NULL, 0), 2);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  assert_int_equal(tenon_registry_find_op(cx, "acme::a")->n_kernels, 1);
  assert_int_equal(tenon_registry_find_op(cx, "acme::b")->n_kernels, 1);
  tenon_context_destroy(cx);
  // One goes, the other stays, whichever was first.
  for (int k = 0; k < 2; ++k) {
    cx = fixture_context(&log, NULL);
    assert_int_equal(tenon_context_add(cx, &a.plugin), TENON_OK);
    assert_int_equal(tenon_context_remove(cx, k ? "acme::a" : "acme::b"),
                     TENON_OK);
    tenon_registered r;
    assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_KERNELS, &r, 1), 1);
    CHECK_TEXT(r.op, k ? "acme::b" : "acme::a", (size_t)k);
    assert_int_equal(tenon_context_freeze(cx), TENON_OK);
    tenon_context_destroy(cx);
  }
  // Another function under that symbol is another kernel.
  cx = fixture_context(&log, NULL);
  b.kernel.run = NULL;
  b.kernel.run_range = fixture_range;
  b.kernel.items = fixture_items;
  assert_int_equal(tenon_context_add(cx, &a.plugin), TENON_CONFLICT);
  CHECK_LOG(&log, "plugin-name-taken", "kernel 'both'", 0);
  tenon_context_destroy(cx);
}

static void removes_one_descriptor(void **state) {
  (void)state;
  test_log log;
  fixture f, k;
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_op(&f, "acme", NULL, NULL);
  fixture_kernel(&k, "more", "acme::gain", "acme_gain_fast", 3);
  f.op.lower = fixture_lower;
  f.plugin.lowerings = f.lowerings;
  assert_int_equal(tenon_context_add(cx, &f.plugin), TENON_OK);
  assert_int_equal(tenon_context_add(cx, &k.plugin), TENON_OK);
  assert_int_equal(tenon_context_remove(cx, "kernel acme_gain_fst"),
                   TENON_BAD_ARGUMENT);
  CHECK_LOG(&log, "context-remove", "did you mean 'acme_gain_fast'?", 0);
  assert_int_equal(tenon_context_remove(cx, "kernel acme_gain_fast"), TENON_OK);
  assert_int_equal(tenon_context_remove(cx, "lowering gain to mul"), TENON_OK);
  assert_int_equal(tenon_context_remove(cx, "lowering acme::gain"), TENON_OK);
  assert_int_equal(tenon_context_remove(cx, "kernel acme_gain_f32"), TENON_OK);
  const tenon_op *op = tenon_registry_find_op(cx, "acme::gain");
  assert_null(op->desc->lower);
  assert_null(op->desc->kernels[0]);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  assert_int_equal(op->n_kernels + op->n_lowerings, 0);
  assert_int_equal(tenon_context_remove(cx, "acme::gain"), TENON_CONFLICT);
  CHECK_LOG(&log, "context-frozen", "cannot be removed", 0);
  tenon_context_destroy(cx);
}

static void keeps_contexts_apart(void **state) {
  (void)state;
  test_log log[2];
  fixture a, b;
  tenon_context *one = fixture_context(&log[0], NULL);
  tenon_context *two = fixture_context(&log[1], NULL);
  fixture_op(&a, "one", NULL, NULL);
  fixture_op(&b, "two", NULL, NULL);
  assert_int_equal(tenon_context_add(one, &a.plugin), TENON_OK);
  assert_int_equal(tenon_context_add(two, &b.plugin), TENON_OK);
  assert_true(has_op(one, "acme::gain", "one"));
  assert_true(has_op(two, "acme::gain", "two"));
  tenon_context_destroy(one);
  assert_true(has_op(two, "acme::gain", "two"));
  tenon_context_destroy(two);
}

static void lists_in_order_of_name(void **state) {
  (void)state;
  static const char *const schemas[] = {
      "acme::b(Tensor x) -> Tensor", "acme::c(Tensor x) -> Tensor",
      "acme::a.out(Tensor x) -> Tensor", "acme::a(Tensor x) -> Tensor"};
  static const char *const symbols[] = {"kb", "kc", "kao", "ka"};
  test_log log;
  fixture f[4];
  tenon_registered list[3];
  const char *nearest = NULL;
  (void)state;
  tenon_context *cx = fixture_context(&log, NULL);
  EACH_ROW(i, schemas) {
    fixture_op(&f[i], "acme", schemas[i], symbols[i]);
    assert_int_equal(tenon_context_add(cx, &f[i].plugin), TENON_OK);
  }
  assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_OPS, list, 3), 4);
  CHECK_TEXT(list[0].name, "acme::a", 0);
  CHECK_TEXT(list[1].name, "acme::a.out", 1);
  CHECK_TEXT(list[2].name, "acme::b", 2);
  assert_int_equal(tenon_context_list(cx, 0, list, 3), 0);
  assert_int_equal(tenon_context_list(cx, 99, list, 3), 0);
  assert_true(tenon_context_find(cx, TENON_REGISTRY_OPS, "acme.a.default", list,
                                 &nearest));
  CHECK_TEXT(list[0].name, "acme::a", 0);
  assert_null(nearest);
  assert_false(tenon_context_find(cx, TENON_REGISTRY_OPS, "acme::a.otu", list,
                                  &nearest));
  CHECK_TEXT(nearest, "acme::a.out", 0);
  assert_false(tenon_context_find(cx, 99, "x", list, &nearest));
  assert_null(nearest);
  tenon_context_destroy(cx);
}

static void tells_of_every_kind(void **state) {
  (void)state;
  test_log log;
  fixture f;
  tenon_registered r;
  tenon_context *cx = fixture_context(&log, NULL);
  const tenon_target_desc target = {
      .struct_size = sizeof target, .name = "m55", .doc = "A target."};
  const tenon_target_desc *targets[] = {&target, NULL};
  fixture_op(&f, "acme", NULL, NULL);
  f.plugin.lowerings = f.lowerings;
  f.plugin.targets = targets;
  assert_int_equal(tenon_context_add(cx, &f.plugin), TENON_OK);
  assert_true(tenon_context_find(cx, TENON_REGISTRY_LOWERINGS, "gain to mul",
                                 &r, NULL));
  assert_string_equal(r.op, "acme::gain");
  assert_true(((const tenon_lowering_desc *)r.desc)->lower == fixture_lower);
  assert_true(tenon_context_find(cx, TENON_REGISTRY_TARGETS, "m55", &r, NULL));
  assert_string_equal(((const tenon_target_desc *)r.desc)->doc, "A target.");
  assert_string_equal(r.owner, "acme");
  assert_string_equal(r.version, "1.0.0");
  assert_int_equal(tenon_context_remove(cx, "target m55"), TENON_OK);
  assert_int_equal(tenon_registry_count(cx, TENON_REGISTRY_TARGETS), 0);
  tenon_context_destroy(cx);
}

static void checks_the_options_of_a_context(void **state) {
  (void)state;
  test_log log = {.size = 0};
  struct {
    tenon_context_options base;
    const void *member;
  } o = {{.struct_size = sizeof o, .diag = test_log_sink(&log)}, &log};
  tenon_context *cx = NULL;
  assert_int_equal(tenon_context_init(&o.base, &cx), TENON_BAD_ARGUMENT);
  CHECK_LOG(&log, "context-options", "members past our", 0);
  o.member = NULL;
  o.base.flags = 6;
  test_log_clear(&log);
  assert_int_equal(tenon_context_init(&o.base, &cx), TENON_BAD_ARGUMENT);
  CHECK_LOG(&log, "context-options", "unknown flags 0x6", 0);
  o.base.flags = 0;
  assert_int_equal(tenon_context_init(&o.base, &cx), TENON_OK);
  assert_string_equal(cx->compiler, "cc");
  tenon_context_destroy(cx);
  tenon_context_destroy(NULL);
  assert_int_equal(tenon_context_init(NULL, &cx), TENON_OK);
  tenon_context_retain(cx);
  tenon_context_destroy(cx);
  assert_string_equal(cx->compiler, "cc");
  tenon_context_release(cx);
}

// Three plugins in place of the built-in ones: an operator with a reserved
// name; kernels for operators that are not there; a lowering.
static fixture few[4];
static const tenon_plugin *few_plugin(size_t i) {
  return i < 4 ? &few[i].plugin : NULL;
}

static void runs_with_given_plugins_only(void **state) {
  (void)state;
  test_log log = {.size = 0};
  tenon_context_options o = {.struct_size = sizeof o,
                             .diag = test_log_sink(&log)};
  tenon_context *cx = NULL;
  fixture_op(&few[0], "core", "core::gain(Tensor x) -> Tensor", NULL);
  fixture_kernel(&few[1], "more", "aten::gain", "k", 5);
  fixture_kernel(&few[2], "most", "aten::*", "l", 5);
  fixture_lowering(&few[3], "low", "core::gain", "lower", 0);
  assert_int_equal(tenon_context_create_with(&o, few_plugin, &cx), TENON_OK);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  assert_string_equal(log.text, "");
  assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_OPS, NULL, 0), 1);
  const tenon_op *op = tenon_registry_find_op(cx, "core::gain");
  assert_non_null(op);
  assert_int_equal(op->n_kernels, 1);
  assert_int_equal(op->n_lowerings, 0);
  tenon_context_destroy(cx);
  // What does not hold together is refused as anywhere.
  few[1].kernel.types = NULL;
  assert_int_equal(tenon_context_create_with(&o, few_plugin, &cx),
                   TENON_BAD_PLUGIN);
  assert_null(cx);
  CHECK_LOG(&log, "plugin-incomplete", "the kernel has no types", 0);
}

static void note_end(void *self) {
  test_log_add(*(test_log **)self, "%c", ((char *)self)[sizeof(test_log *)]);
}

static void ends_run_last_first(void **state) {
  (void)state;
  test_log log, ends = {.size = 0};
  struct {
    test_log *log;
    char c;
  } a = {&ends, 'a'}, b = {&ends, 'b'};
  tenon_context *cx = fixture_context(&log, NULL);
  assert_true(tenon_context_at_end(cx, note_end, &a));
  assert_true(tenon_context_at_end(cx, note_end, &b));
  tenon_context_destroy(cx);
  assert_string_equal(ends.text, "ba");
}

// Everything a context can do, with allocation 1, 2, 3 ... failing.
static bool work(const tenon_allocator *allocator, void *self) {
  static const char *const names[] = {"acme::gain", NULL};
  const tenon_source text = {sizeof text, 0, "t.c", "int t;", NULL};
  test_log log = {.size = 0};
  fixture base, over, more;
  tenon_context_options o = {.struct_size = sizeof o,
                             .allocator = *allocator,
                             .diag = test_log_sink(&log),
                             .overrides = names};
  tenon_context *cx = NULL;
  (void)self;
  fixture_op(&base, "base", NULL, NULL);
  fixture_op(&over, "over", NULL, "faster");
  over.op.flags |= TENON_OP_OVERRIDES;
  over.op.lower = fixture_lower;
  over.kernel.source = &text;
  fixture_kernel(&more, "more", "acme::*", "k", 5);
  more.plugin.lowerings = more.lowerings;
  tenon_status status = tenon_context_init(&o, &cx);
  if (status == TENON_OK) status = tenon_context_add(cx, &base.plugin);
  if (status == TENON_OK) status = tenon_context_add(cx, &over.plugin);
  if (status == TENON_OK) status = tenon_context_add(cx, &more.plugin);
  if (status == TENON_OK) status = tenon_context_freeze(cx);
  CHECK((status != TENON_OK) == (log.errors != 0), "%s", log.text);
  CHECK(status == TENON_OK || status == TENON_NO_MEMORY, "%s", log.text);
  tenon_context_destroy(cx);
  return status == TENON_OK;
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  test_sweep(work, NULL);
}

TEST_GROUP(add, cmocka_unit_test(names_both_owners_of_a_taken_name),
           cmocka_unit_test(takes_a_plugin_whole_or_not),
           cmocka_unit_test(replaces_only_with_both_consents),
           cmocka_unit_test(takes_an_override_back),
           cmocka_unit_test(two_overrides_are_a_conflict),
           cmocka_unit_test(guards_reserved_names),
           cmocka_unit_test(guards_lowerings_of_reserved_names),
           cmocka_unit_test(replaces_kernels_by_symbol),
           cmocka_unit_test(shares_a_kernel_between_operators),
           cmocka_unit_test(removes_one_descriptor),
           cmocka_unit_test(keeps_contexts_apart),
           cmocka_unit_test(lists_in_order_of_name),
           cmocka_unit_test(tells_of_every_kind),
           cmocka_unit_test(checks_the_options_of_a_context),
           cmocka_unit_test(runs_with_given_plugins_only),
           cmocka_unit_test(ends_run_last_first),
           cmocka_unit_test(survives_lack_of_memory))
