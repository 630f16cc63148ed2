// Shape rules that keep their contract, and rules that do not.
#include "ir/infer/infer.h"

#include "ir/verify/verify.h"
#include "world.h"

// Every rule fails in its own way; the message names plugin, operator, place.
static void broken_rules_are_named(void **state) {
  (void)state;
  static const struct {
    const char *call, *id, *message;
  } rows[] = {
      {"%y = acme::gain(%b) @\"op 7\"", "infer-rule",
       "m: op 7: 'acme::gain' of plugin 'acme': x must be f32, not 100% '5'\n"},
      {"%y = acme::unset(%x) @\"op 7\"", "infer-contract",
       "m: op 7: 'acme::unset' of plugin 'acme': its shape rule succeeded "
       "without setting a result (0)\n"},
      {"%y = acme::beyond(%x)", "infer-contract",
       "'acme::beyond' of plugin 'acme': its shape rule sets a result that it "
       "does not have (7)"},
      {"%y = acme::high(%x)", "infer-contract",
       "gives a result too many dimensions (9)"},
      {"%y = acme::negative(%x)", "infer-contract",
       "gives a dimension that is not a size (-3)"},
      {"%y = acme::mute(%x)", "infer-contract", "failed without saying why"},
      {"%y = acme::forgetful(%x)", "infer-rule",
       "'acme::forgetful' of plugin 'acme': x is not to my taste\n"},
      {"%y = acme::zero(%x)", "infer-contract", "divides a size by zero"},
      {"%y = acme::below(%x)", "infer-contract", "bounds a size below zero"},
      {"%y = acme::typeless(%x)", "infer-contract",
       "gives a result no element type"},
      {"%y, %z = acme::three(%x)", "infer-mismatch",
       "result 0 has 3 tensors by its shape rule, 2"},
      {"%y = acme::ruleless(%x)", "infer-none",
       "'acme::ruleless' of plugin 'acme' has no shape rule, and its result "
       "types are not declared"},
      {"%y = acme::circle(%x)", "infer-none",
       "has a lowering that leads back to itself"},
      {"%y = acme::decline(%x)", "infer-none",
       "has no shape rule and its lowering declined"},
      {"%y = no::body(%x)", "infer-none",
       "'no::body' is not known, and its result types are not declared"},
      {"%y = core::rleu(%x)", "infer-none",
       "'core::rleu' is not known; did you mean 'core::relu'?"},
      {"%y = core::call(%x) [function=7]", "infer-none",
       "has a body without types"},
  };
  EACH_ROW(i, rows) {
    world w;
    char text[512];
    world_init(&w);
    snprintf(text, sizeof text,
             "module \"m\" {\n  %%x = input f32[2,3]\n  %%b = input s32[2]\n"
             "  %s\n  return %%y\n}",
             rows[i].call);
    CHECK(!world_parse(&w, text), "row %zu", i);
    CHECK_LOG(&w.log, rows[i].id, rows[i].message, i);
    CHECK(w.log.errors == 1, "row %zu: %s", i, w.log.text);
    world_deinit(&w);
  }
}

// What is declared and what the rule says.
static void declarations_are_compared(void **state) {
  (void)state;
  static const struct {
    const char *input, *declared;
    bool is_reshaped;
    const char *result;  // null: a mismatch
  } rows[] = {
      {"f32[2,3]", "f32[2,3]", false, "f32[2,3]"},
      {"f32[2,3]", "f32[2,4]", false, NULL},
      {"f32[2,3]", "f32[2,4]", true, "f32[2,3]"},
      {"f32[2,3]", "f32[6]", true, NULL},
      {"f32[2,3]", "f16[2,3]", true, NULL},
      {"f32[2,3]", "f32[?k,3]", false, "f32[2,3]"},
      {"f32[?n,3]", "f32[2,3]", false, "f32[?n,3]"},
      {"f32[?n,3]", "f32[9,3]", false, NULL},
      {"f32[?n,3]", "f32[?k,3]", false, "f32[?n,3]"},
      {"s8[2]{0.5:0}", "s8[2]{0.5:0}", false, "s8[2]{0.5:0}"},
      {"s8[2]{0.5:0}", "s8[2]{0.25:0}", false, NULL},
      {"s8[2]{0.5:0}", "s8[2]", false, NULL},
      {"s8[2]", "s8[2]{0.5:0}", false, "s8[2]{0.5:0}"},
  };
  EACH_ROW(i, rows) {
    world w;
    char text[512];
    world_init(&w);
    snprintf(text, sizeof text,
             "module {\n  dim n = 1..4\n  %%x = input %s\n"
             "  %%y = core::relu(%%x) : %s\n  return %%y\n}",
             rows[i].input, rows[i].declared);
    tenon_module *m = world_parse(&w, text);
    CHECK(m, "row %zu: %s", i, w.log.text);
    tenon_status status = tenon_infer_module(m, rows[i].is_reshaped);
    CHECK((status == TENON_OK) == (rows[i].result != NULL), "row %zu: %s", i,
          w.log.text);
    if (rows[i].result) {
      snprintf(text, sizeof text, "core::relu(%%x) : %s\n", rows[i].result);
      CHECK(strstr(world_print(&w, m, 0), text), "row %zu: %s", i, w.text.data);
    } else {
      CHECK_LOG(&w.log, "infer-mismatch", rows[i].declared, i);
      CHECK_LOG(&w.log, "infer-mismatch", "by the shape rule of 'core'", i);
    }
    tenon_module_release(m);
    world_deinit(&w);
  }
}

// New sizes of inputs go through regions, calls and operators without a rule.
static void new_shapes_reach_everything(void **state) {
  (void)state;
  world w;
  world_init(&w);
  tenon_module *m =
      world_read(&w,
                 "module \"m\" {\n"
                 "  entry \"e\" = @1 (\"x\", \"p\") -> (\"y\")\n"
                 "  func @0 \"f\" (%x: f32[1,4]) {\n"
                 "    %y = core::relu(%x) : f32[1,4]\n"
                 "    return %y\n"
                 "  }\n"
                 "  func @1 \"main\" (%x: f32[1,4], %p: bool[]) {\n"
                 "    %a = acme::soft_gain(%x) : f32[1,4]\n"
                 "    %b = core::cond(%p, [%a]) : f32[1,4] {\n"
                 "      (%c: f32[1,4]) {\n"
                 "        return %c\n"
                 "      }\n"
                 "      (%d: f32[1,4]) {\n"
                 "        %f = core::relu(%d) : f32[1,4]\n"
                 "        return %f\n"
                 "      }\n"
                 "    }\n"
                 "    %g = core::while([%b]) : f32[1,4] {\n"
                 "      (%h: f32[1,4]) {\n"
                 "        return %p\n"
                 "      }\n"
                 "      (%i: f32[1,4]) {\n"
                 "        return %i\n"
                 "      }\n"
                 "    }\n"
                 "    %j = core::call([%g]) [function=0] : f32[1,4]\n"
                 "    return %j\n"
                 "  }\n"
                 "}\n");
  static const tenon_dim dims[] = {{7, 0}, {4, 0}};
  m->functions.data[1]->params[0]->type.dims = dims;
  CHECK(tenon_infer_module(m, true) == TENON_OK, "%s", w.log.text);
  CHECK(tenon_verify_module(m, NULL) == TENON_OK, "%s", w.log.text);
  CHECK(!strstr(world_print(&w, m, 0), "f32[1,4]"), "%s", w.text.data);
  CHECK(strstr(w.text.data, "func @0 \"f\" (%x: f32[7,4])"), "%s", w.text.data);
  tenon_module_release(m);
  world_deinit(&w);
}

// Asking all rules again changes nothing and costs no memory.
static void inference_is_idempotent(void **state) {
  (void)state;
  world w;
  char first[1024];
  world_init(&w);
  tenon_module *m = world_read(&w,
                               "module {\n"
                               "  %x = input f32[?n,3]\n"
                               "  %a = acme::above(%x)\n"
                               "  %b = core::concat([%a, %a]) [axis=0]\n"
                               "  %c = acme::soft_above(%b)\n"
                               "  %d = core::relu(%x)\n"
                               "  return %c, %d\n"
                               "}\n");
  snprintf(first, sizeof first, "%s", world_print(&w, m, 0));
  for (int i = 0; i < 3; ++i) {
    CHECK(tenon_infer_module(m, i == 1) == TENON_OK, "%s", w.log.text);
    CHECK_TEXT(world_print(&w, m, 0), first, (size_t)i);
  }
  tenon_node *relu = world_find(m, "core::relu");
  size_t total = m->arena.total;
  const tenon_type *declared[] = {&relu->out[0]->type};
  for (int i = 0; i < 100; ++i)
    CHECK(tenon_infer_node(relu, declared, false) == TENON_OK, "%s",
          w.log.text);
  tenon_arena_mark mark = tenon_arena_save(&m->arena);
  CHECK(tenon_infer_node(relu, declared, false) == TENON_OK, "%s", w.log.text);
  CHECK(m->arena.used == mark.used && m->arena.top == mark.top, "%zu", total);
  tenon_module_release(m);
  world_deinit(&w);
}

// A node that is not functional yet has fewer results than its rule sets.
static void written_arguments_are_typed(void **state) {
  (void)state;
  world w;
  world_init(&w);
  tenon_module *m = world_read(&w,
                               "module {\n"
                               "  %b = input f32[4,2]\n"
                               "  %x = input f32[2]\n"
                               "  %r = acme::push(%b, %x)\n"
                               "  %s, %t = acme::push(%b, %x)\n"
                               "  %u = acme::bump(%x) functional\n"
                               "  return %r, %s, %t, %u\n"
                               "}\n");
  CHECK(strstr(world_print(&w, m, 0),
               "%s, %t = acme::push(%b, %x) : f32[2], f32[4,2]\n"),
        "%s", w.text.data);
  tenon_module_release(m);
  world_deinit(&w);
}

// A rule reads the descriptor of the operator that it is asked for.
static void rules_read_their_user(void **state) {
  (void)state;
  world w;
  world_init(&w);
  tenon_module *m = world_read(&w,
                               "module {\n"
                               "  %x = input f32[7]\n"
                               "  %a = acme::wide2(%x)\n"
                               "  %b = acme::wide3(%a)\n"
                               "  %c = acme::point(%b)\n"
                               "  return %a, %b, %c\n"
                               "}\n");
  const char *text = world_print(&w, m, 0);
  CHECK(strstr(text, "acme::wide2(%x) : f32[2]\n") &&
            strstr(text, "acme::wide3(%a) : f32[3]\n") &&
            strstr(text, "acme::point(%b) : f32[]\n"),
        "%s", text);
  tenon_module_release(m);
  world_deinit(&w);
}

static bool infer_all(const tenon_allocator *allocator, void *self) {
  static const char text[] =
      "module {\n"
      "  %x = input f32[?n,3]\n"
      "  %a = acme::soft_above(%x)\n"
      "  %b = core::concat([%a, %a]) [axis=0]\n"
      "  %c = acme::soft_gain(%x) [relu=true]\n"
      "  return %b, %c\n"
      "}\n";
  world w;
  tenon_module *m = NULL;
  (void)self;
  bool ok = world_try(&w, allocator) &&
            tenon_parse_module(w.cx, text, strlen(text), "t", &m) == TENON_OK &&
            tenon_infer_module(m, true) == TENON_OK;
  CHECK(ok || w.log.errors > 0, "a failure without an error");
  tenon_module_release(m);
  world_deinit(&w);
  return ok;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  test_sweep(infer_all, NULL);
}

TEST_GROUP(infer, cmocka_unit_test(broken_rules_are_named),
           cmocka_unit_test(declarations_are_compared),
           cmocka_unit_test(new_shapes_reach_everything),
           cmocka_unit_test(inference_is_idempotent),
           cmocka_unit_test(written_arguments_are_typed),
           cmocka_unit_test(rules_read_their_user),
           cmocka_unit_test(every_allocation_may_fail))
