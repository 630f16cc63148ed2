// Outlining: the nodes of a module become one operator with what it takes, and
// stay behind it; what cannot be said or done is refused with the module.
#include "harness/model.h"
#include "ir/scope.h"
#include "tenon/ext/plugin.h"

static tenon_status same_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

static tenon_status none(const tenon_call *c) {
  memset(c->out[0].data, 0, 4 * tenon_count(&c->out[0]));
  return TENON_OK;
}

static const tenon_kernel_desc kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_norm",
    .types = "f32, f32 -> f32",
    .run = none,
};
static const tenon_op_desc norm = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_PURE,
    .schema =
        "acme::norm(Tensor x, Tensor w, float eps=0.5, int[] dims=[], "
        "bool b=False, str s='') -> Tensor",
    .doc = "Of the tests.",
    .infer = same_infer,
    .kernels = (const tenon_kernel_desc *const[]){&kernel, NULL},
};
static const tenon_kernel_desc pair_kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_pair",
    .types = "f32, f32 -> f32",
    .run = none,
};
static const tenon_op_desc pair = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_PURE,
    .schema = "acme::pair(Tensor a, Tensor b, float alpha) -> Tensor",
    .doc = "Of the tests.",
    .infer = same_infer,
    .kernels = (const tenon_kernel_desc *const[]){&pair_kernel, NULL},
};
static tenon_status first_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static const tenon_kernel_desc all_kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_all",
    .types = "f32, f32... -> f32",
    .run = none,
};
static const tenon_op_desc all = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_PURE,
    .schema = "acme::all(Tensor w, Tensor[] xs) -> Tensor",
    .doc = "Of the tests.",
    .infer = first_infer,
    .kernels = (const tenon_kernel_desc *const[]){&all_kernel, NULL},
};
static const tenon_plugin acme = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&norm, &pair, &all, NULL},
};

#define NORM(path) " @\"n\" \"m.py:1, in forward, module " path " (my.Norm)\"\n"
// x + 1e-3, times the weight, in module a.norm; and a negation outside of it.
#define MODEL(type)                                            \
  "module {\nconst %a.norm.w : " type                          \
  "[4] = {1, 2, 3, 4}\n"                                       \
  "const %e : f64[]! = {0.001}\n%x = input " type              \
  "[4]\n"                                                      \
  "%s = aten::add.Tensor(%x, %e) : " type "[4]" NORM(          \
      "a.norm") "%m = aten::mul.Tensor(%s, %a.norm.w) : " type \
                "[4]" NORM("a.norm.deep") "%y = core::neg(%m)\nreturn %y }"

static tenon_status outline(tenon_module *m, const char *class_name,
                            const char *module, const char *as) {
  const tenon_outline_options o = {.struct_size = sizeof o,
                                   .class_name = class_name,
                                   .module = module,
                                   .as = as};
  return tenon_module_outline(m, &o);
}

static void makes_one_operator(void **state) {
  static const struct {
    const char *class_name, *module, *as, *part;
  } rows[] = {
      {"Norm", NULL, "acme::norm", "acme::norm(%x, %a.norm.w) :"},
      {"my.Norm", NULL, "acme::norm(...)", "acme::norm(%x, %a.norm.w) :"},
      {"N*", NULL, "acme.norm(w, it)", "acme::norm(%a.norm.w, %x) :"},
      {NULL, "a.norm", "acme::norm(...)", "acme::norm(%x, %a.norm.w) :"},
      {NULL, "?.norm", "acme::norm(..., eps=2)", "[eps=2.0]"},
      {"Norm", "a.*", "acme::norm(..., eps=aten::add.Tensor(other))",
       "[eps=0.001]"},
      {"Norm", NULL, "acme::norm(..., eps=aten::add.Tensor[0](other))",
       "[eps=0.001]"},
      {"Norm", NULL, "acme::norm(..., dims=[1, -2], b=True, s='t')",
       "[dims=[1, -2], b=true, s=\"t\"]"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    test_model t;
    model_open(&t, &acme);
    tenon_module *m = model_read(&t, MODEL("f32"));
    CHECK(
        outline(m, rows[i].class_name, rows[i].module, rows[i].as) == TENON_OK,
        "row %zu: %s", i, t.log.text);
    CHECK(tenon_module_transform(m, "lower", NULL, NULL) == TENON_OK,
          "row %zu: %s", i, t.log.text);
    const char *after = model_print(&t, m);
    CHECK(strstr(after, rows[i].part), "row %zu:\n%s", i, after);
    CHECK(!strstr(after, "aten::"), "row %zu:\n%s", i, after);
    CHECK(!strstr(after, "core::add"), "row %zu:\n%s", i, after);
    tenon_module_destroy(m);
    model_close(&t);
  }
}

#define PAIR(alpha)                                           \
  "module {\n%x = input f32[4]\n%y = input f32[4]\n"          \
  "%p = aten::sub.Tensor(%x, %y) [alpha=2] : f32[4]" NORM(    \
      "a.pair") "%q = aten::add.Tensor(%p, %x) [alpha=" alpha \
                "] : f32[4]" NORM("a.pair") "return %q }"

// Operands have the names of the schema; order of use says nothing.
static void names_operands(void **state) {
  static const struct {
    const char *alpha, *as, *part, *id, *said;
  } rows[] = {
      {"2", "acme::pair(a=aten::sub.Tensor(other), ...)",
       "acme::pair(%y, %x) [alpha=2.0]", NULL, NULL},
      {"2", "acme::pair(..., a=aten::add.Tensor(other))",
       "acme::pair(%x, %y) [alpha=2.0]", NULL, NULL},
      {"3", "acme::pair(..., a=aten::add.Tensor(other), alpha=4)",
       "acme::pair(%x, %y) [alpha=4.0]", NULL, NULL},
      {"2", "acme::pair(...)", NULL, "outline-operand",
       "which is 'a', 'b' of 'aten::sub.Tensor(self)', "
       "'aten::sub.Tensor(other)'?"},
      {"3", "acme::pair(..., a=aten::add.Tensor(other))", NULL,
       "outline-attribute", "its nodes have several values"},
      {"2", "acme::pair(x, y)", NULL, "outline-operand", "which input is 'x'"},
      {"2", "acme::pair(..., a=aten::add.Tensor(self))", NULL,
       "outline-operand", "nothing from outside of the module is"},
      {"2", "acme::pair(..., a=weight)", NULL, "outline-operand",
       "the module has no parameter 'weight'"},
      {"2", "acme::pair(..., a=aten::mul.Tensor(self))", NULL,
       "outline-attribute", "the module has no such node"},
      {"2", "acme::pair(..., c=1)", NULL, "outline-operand", "which is"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    test_model t;
    model_open(&t, &acme);
    tenon_module *m =
        model_read(&t, rows[i].alpha[0] == '2' ? PAIR("2") : PAIR("3"));
    tenon_status status = outline(m, "Norm", NULL, rows[i].as);
    CHECK((status == TENON_OK) == (rows[i].part != NULL), "row %zu: %s", i,
          t.log.text);
    if (rows[i].part) {
      CHECK(tenon_module_transform(m, "lower", NULL, NULL) == TENON_OK,
            "row %zu: %s", i, t.log.text);
      const char *text = model_print(&t, m);
      CHECK(strstr(text, rows[i].part), "row %zu:\n%s", i, text);
    } else {
      CHECK_LOG(&t.log, rows[i].id, rows[i].said, i);
    }
    tenon_module_destroy(m);
    model_close(&t);
  }
}

// Two calls of one module, one behind the other; the first within another
// module, of whose calls the reader told.
#define CALLS \
  "module {\nconst %b.n.w : f32[4] = {1, 2, 3, 4}\n%x = input f32[4]\n" \
  "%s = core::add(%x, %b.n.w)" NORM("b.n") "%t = core::exp(%s)" NORM(    \
      "b.n") "%u = core::add(%t, %b.n.w)" NORM("b.n@1") "%y = core::exp(%u)" \
  NORM("b.n@1") "return %y }"

// A list takes what no argument has: inputs in the order of use, then
// parameters.
static void lists_take_the_rest(void **state) {
  static const struct {
    const char *text, *as, *part;  // null: refused
  } rows[] = {
      {PAIR("2"), "acme::all(w=aten::sub.Tensor(other), ...)",
       "acme::all(%y, [%x])"},
      {PAIR("2"), "acme::all(..., w=aten::add.Tensor(other))",
       "acme::all(%x, [%y])"},
      {CALLS, "acme::all(..., w=core::add(a))", "acme::all(%x, [%b.n.w])"},
      {CALLS, "acme::all(...)", "acme::all(%b.n.w, [%x])"},
      {PAIR("2"), "acme::all(...)", NULL},
  };
  (void)state;
  EACH_ROW(i, rows) {
    test_model t;
    model_open(&t, &acme);
    tenon_module *m = model_read(&t, rows[i].text);
    tenon_status status = outline(m, "Norm", NULL, rows[i].as);
    CHECK((status == TENON_OK) == (rows[i].part != NULL), "row %zu: %s", i,
          t.log.text);
    if (status == TENON_OK)
      CHECK(tenon_module_transform(m, "lower", NULL, NULL) == TENON_OK,
            "row %zu: %s", i, t.log.text);
    const char *text = model_print(&t, m);
    if (rows[i].part)
      CHECK(strstr(text, rows[i].part), "row %zu:\n%s", i, text);
    else
      CHECK_LOG(&t.log, "outline-operand", "which is 'w', 'xs' of", i);
    tenon_module_destroy(m);
    model_close(&t);
  }
}

// Without a kernel for the type: the nodes, as they were.
static void keeps_the_nodes(void **state) {
  test_model t;
  (void)state;
  model_open(&t, &acme);
  tenon_module *m = model_read(&t, MODEL("f64"));
  assert_int_equal(outline(m, "Norm", NULL, "acme::norm"), TENON_OK);
  assert_int_equal(tenon_module_transform(m, "lower", NULL, NULL), TENON_OK);
  const char *after = model_print(&t, m);
  CHECK(strstr(after, "core::add(") && strstr(after, "core::mul("), "%s",
        after);
  CHECK(!strstr(after, "acme::norm"), "%s", after);
  tenon_module_destroy(m);
  model_close(&t);
}

#define BETWEEN \
  "module {\n%x = input f32[4]\n%s = core::exp(%x)" NORM("a.norm")  \
  "%t = core::neg(%s)\n%y = core::add(%s, %t)" NORM("a.norm")       \
  "return %y }"
#define UNUSED \
  "module {\n%x = input f32[4]\n%s = core::exp(%x)" NORM("a.norm") "return " \
                                                                   "%x }"

static size_t count(const char *text, const char *part) {
  size_t n = 0;
  for (const char *p = text; (p = strstr(p, part)) != NULL; ++p)
    ++n;
  return n;
}

static void tells_calls_apart(void **state) {
  static const struct {
    const char *first_class, *first, *then_class, *then;
    size_t norms;  // in the module as it is printed
  } rows[] = {
      {"Norm", "acme::norm(...)", NULL, NULL, 2},
      {"Block", "acme::norm(..., w=n.w, s='block')", NULL, NULL, 1},
      // The module around them, before and behind its parts.
      {"Block", "acme::norm(..., w=n.w, s='block')", "Norm", "acme::norm(...)",
       3},
      {"Norm", "acme::norm(...)", "Block", "acme::norm(..., w=n.w, s='block')",
       3},
  };
  (void)state;
  EACH_ROW(i, rows) {
    test_model t;
    model_open(&t, &acme);
    tenon_module *m = model_read(&t, CALLS);
    const tenon_text type = tenon_text_of("my.Norm");
    uint32_t block =
        tenon_scope_add(m, tenon_text_of("b"), tenon_text_of("my.Block"), 0);
    assert_true(tenon_scope_add(m, tenon_text_of("b.n"), type, block) != 0);
    assert_true(tenon_scope_add(m, tenon_text_of("b.n@1"), type, 0) != 0);
    tenon_status status = outline(m, rows[i].first_class, NULL, rows[i].first);
    if (status == TENON_OK && rows[i].then)
      status = outline(m, rows[i].then_class, NULL, rows[i].then);
    CHECK(status == TENON_OK, "row %zu: %s", i, t.log.text);
    const char *text = model_print(&t, m);
    CHECK(count(text, "acme::norm(") == rows[i].norms, "row %zu:\n%s", i, text);
    CHECK(tenon_module_transform(m, "lower", NULL, NULL) == TENON_OK,
          "row %zu: %s", i, t.log.text);
    text = model_print(&t, m);
    bool is_block = strcmp(rows[i].first_class, "Block") == 0 || rows[i].then;
    CHECK(count(text, "s=\"block\"") == is_block, "row %zu:\n%s", i, text);
    tenon_module_destroy(m);
    model_close(&t);
  }
}

static void says_what_goes_wrong(void **state) {
  static const struct {
    const char *text, *class_name, *as, *id, *part;
  } rows[] = {
      {MODEL("f32"), "Nor", "acme::norm", "outline-nothing",
       "no node of 't.tenon' is of a module of the class 'Nor'; did you mean "
       "'Norm'?"},
      {MODEL("f32"), NULL, "acme::norm", "outline-call", "a class or a module"},
      {MODEL("f32"), "Norm", "acme::norn", "outline-call",
       "unknown operator 'acme::norn'; did you mean "
       "'acme::norm'?"},
      {MODEL("f32"), "Norm", "acme::norm(x", "outline-call",
       "has no parenthesis at its end"},
      {MODEL("f32"), "Norm", "acme::norm(x,, w)", "outline-call",
       "has an item that is empty"},
      {MODEL("f32"), "Norm", "acme::norm(..., eps=)", "outline-call",
       "has an item that is empty"},
      {MODEL("f32"), "Norm", "acme::norm(x, v, w)", "outline-operand",
       "for module 'a.norm': no parameter of the module, and nothing is left "
       "for 'v'"},
      {MODEL("f32"), "Norm", "acme::norm(..., eps=big)", "outline-attribute",
       "expected a number, true, false"},
      {MODEL("f32"), "Norm", "acme::norm(..., eps=core::neg(x))",
       "outline-attribute", "the module has no such node"},
      {MODEL("f32"), "Norm", "acme::norm(..., eps=aten::add.Tensor(x))",
       "outline-attribute", "the node has no such attribute or number"},
      {MODEL("f32"), "Norm", "acme::norm(..., eps=aten::add.Tensor[1](other))",
       "outline-attribute", "the module has no such node"},
      {CALLS, "Norm", "acme::norm(..., eps=core::exp[0](x))",
       "outline-attribute", "the node has no such attribute or number"},
      {MODEL("f32"), "Norm", "acme::norm(..., epsilon=1)", "ir-attributes",
       "epsilon"},
      {BETWEEN, "Norm", "acme::norm(x, w)", "outline-module",
       "this node between its nodes uses a result"},
      {UNUSED, "Norm", "acme::norm(x, w)", "outline-module",
       "its results are not used"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    test_model t;
    model_open(&t, &acme);
    tenon_module *m = model_read(&t, rows[i].text);
    tenon_status status = outline(m, rows[i].class_name, NULL, rows[i].as);
    CHECK(status != TENON_OK, "row %zu", i);
    CHECK_LOG(&t.log, rows[i].id, rows[i].part, i);
    assert_int_equal(t.log.errors, 1);
    tenon_module_destroy(m);
    model_close(&t);
  }
}

static bool work(const tenon_allocator *allocator, void *self) {
  test_model t;
  tenon_module *m = NULL;
  tenon_read_options o = {.struct_size = sizeof o, .name = "t.tenon"};
  (void)self;
  tenon_status status = TENON_NO_MEMORY;
  if (model_try(&t, &acme, allocator))
    status =
        tenon_module_read(t.cx, MODEL("f32"), strlen(MODEL("f32")), &o, &m);
  if (status == TENON_OK)
    status = outline(m, "Norm", NULL,
                     "acme::norm(..., eps=aten::add.Tensor(other))");
  tenon_module_destroy(m);
  model_close(&t);
  return status == TENON_OK;
}

static void survives_every_allocation(void **state) {
  (void)state;
  test_sweep(work, NULL);
}

TEST_GROUP(outline, cmocka_unit_test(makes_one_operator),
           cmocka_unit_test(names_operands),
           cmocka_unit_test(lists_take_the_rest),
           cmocka_unit_test(keeps_the_nodes),
           cmocka_unit_test(tells_calls_apart),
           cmocka_unit_test(says_what_goes_wrong),
           cmocka_unit_test(survives_every_allocation))
