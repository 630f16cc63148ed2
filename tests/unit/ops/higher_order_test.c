// Calls that take graphs: what they compute, and what of them is refused.
//
// Everything is s32. Element k of input i is 10 * (i + 1) + k; the input `p` of
// one boolean is true, then false.
#include "harness/model.h"
#include "tenon/ext/plugin.h"

// x += scale * y.
static tenon_status accum_run(const tenon_call *c) {
  const tenon_arg *a = (const tenon_arg *)c->attrs;
  int32_t *to = (int32_t *)c->out[0].data;
  const int32_t *x = (const int32_t *)c->in[0].data;
  const int32_t *y = (const int32_t *)c->in[1].data;
  for (size_t i = 0; i < tenon_count(&c->in[0]); ++i)
    to[i] = x[i] + (int32_t)a[0].as.i * y[i];
  return TENON_OK;
}
static tenon_status nothing_infer(tenon_infer *c) {
  (void)c;
  return TENON_OK;
}
static const tenon_kernel_desc accum = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_accum",
    .types = "s32, s32 -> s32",
    .run = accum_run,
};
static const tenon_op_desc op_accum = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Adds to x.",
    .schema = "acme::accum_(Tensor(a!) x, Tensor y, *, int scale=1) -> ()",
    .infer = nothing_infer,
    .kernels = (const tenon_kernel_desc *const[]){&accum, NULL},
};
// Returns the sum beside what it writes.
static tenon_status push_run(const tenon_call *c) {
  int32_t *sum = (int32_t *)c->out[0].data, *to = (int32_t *)c->out[1].data;
  const int32_t *buf = (const int32_t *)c->in[0].data;
  const int32_t *x = (const int32_t *)c->in[1].data;
  *sum = 0;
  for (size_t i = 0; i < tenon_count(&c->in[0]); ++i)
    *sum += to[i] = buf[i] + x[i];
  return TENON_OK;
}
static tenon_status push_infer(tenon_infer *c) {
  const tenon_type one = {.dtype = TENON_S32};
  return tenon_infer_out(c, 0, &one);
}
static const tenon_kernel_desc push = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_push",
    .types = "s32, s32 -> s32, s32",
    .run = push_run,
};
static const tenon_op_desc op_push = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Adds to buf, and sums it.",
    .schema = "acme::push(Tensor(a!) buf, Tensor x) -> Tensor",
    .infer = push_infer,
    .kernels = (const tenon_kernel_desc *const[]){&push, NULL},
};
static const tenon_plugin acme = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&op_accum, &op_push, NULL},
};

#define IN(name, type) "%" name " = input " type "\n"

#define OPEN "module {\ndim n = 4..32\n" IN("x", "s32[?n,2]")

static const struct {
  const char *text, *want[2];
} rows[] = {
    {"module {" IN("p", "bool[]") IN("x", "s32[2]") IN(
         "y", "s32[2]") "%r, %s = higher_order::cond(%p, [%x, %y]) : s32[2], "
                        "s32[2] {\n(%a: s32[2], %b: s32[2]) {"
                        "%c = core::add(%a, %b)\nreturn %c, %a }\n"
                        "(%a: s32[2], %b: s32[2]) {"
                        "%c = core::sub(%a, %b)\nreturn %c, %b } }\n"
                        "return %r, %s }",
     {"50 52|20 21", "-10 -10|30 31"}},
    // Nothing is passed; a branch sees what is around it.
    {"module {" IN("p", "bool[]")
         IN("x", "s32[2]") "%r = higher_order::cond(%p, []) : s32[2] {\n"
                           "() { return %x }\n() {"
                           "%c = core::neg(%x)\nreturn %c } }\nreturn %r }",
     {"20 21", "-20 -21"}},
    {"module {" IN("x", "s32[1]") IN(
         "y", "s32[1]") "%n = const s32[1] {12}\n"
                        "%r, %s = higher_order::while_loop([%x, %y], [%n]) : "
                        "s32[1], s32[1] {\n"
                        "(%a: s32[1], %b: s32[1], %m: s32[1]) {"
                        "%c = core::sub(%m, %a)\n"
                        "%d = core::cast(%c) [dtype=bool]\nreturn %d }\n"
                        "(%a: s32[1], %b: s32[1], %m: s32[1]) {"
                        "%o = const s32[1] {1}\n"
                        "%c = core::add(%a, %o)\n%d = core::add(%b, %m)\n"
                        "return %c, %d } }\nreturn %r, %s }",
     {"12|44", "12|44"}},
    {"module {" IN("h", "s32[2]") IN("x", "s32[3,2]")
         IN("w", "s32[2]") "%r, %s = higher_order::scan([%h], [%x], [%w]) : "
                           "s32[2], s32[3,2] {\n"
                           "(%a: s32[2], %b: s32[2], %v: s32[2]) {"
                           "%c = core::add(%a, %b)\n%d = core::sub(%c, %v)\n"
                           "return %c, %d } }\nreturn %r, %s }",
     {"76 80|0 1 22 24 46 49", "76 80|0 1 22 24 46 49"}},
    // Nothing is stacked; nothing is gone through.
    {"module {" IN("h", "s32[]")
         IN("x", "s32[3]") "%r = higher_order::scan([%h], [%x], []) : s32[] {\n"
                           "(%a: s32[], %b: s32[]) {"
                           "%c = core::add(%a, %b)\nreturn %c } }\nreturn %r }",
     {"73", "73"}},
    {"module {" IN("h", "s32[]") IN(
         "x", "s32[0]") "%r, %s = higher_order::scan([%h], [%x], []) : s32[], "
                        "s32[0] {\n"
                        "(%a: s32[], %b: s32[]) {"
                        "%c = core::add(%a, %b)\nreturn %c, %b } }\n"
                        "return %r, %s }",
     {"10|", "10|"}},
    {"module {" IN("x", "s32[3,2]")
         IN("y", "s32[3]") "%r, %s = higher_order::map_impl([%x, %y], []) : "
                           "s32[3,2], s32[3] {\n"
                           "(%a: s32[2], %b: s32[]) {"
                           "%c = core::add(%a, %b)\nreturn %c, %b } }\n"
                           "return %r, %s }",
     {"30 31 33 34 36 37|20 21 22", "30 31 33 34 36 37|20 21 22"}},
    {"module {" IN("x", "s32[4]")
         IN("y", "s32[]") "%r = higher_order::associative_scan([%x], [%y]) : "
                          "s32[4] {\n"
                          "(%a: s32[], %b: s32[], %v: s32[]) {"
                          "%c = core::add(%a, %b)\n%d = core::sub(%c, %v)\n"
                          "return %d } }\nreturn %r }",
     {"10 1 -7 -14", "10 1 -7 -14"}},
    // A map in a scan, which reads what is carried.
    {"module {" IN("h", "s32[2]") IN(
         "x", "s32[2,2]") "%r = higher_order::scan([%h], [%x], []) : s32[2] {\n"
                          "(%a: s32[2], %b: s32[2]) {"
                          "%c = higher_order::map([%b], [%a]) : s32[2,2] {\n"
                          "(%e: s32[], %f: s32[2]) {"
                          "%g = core::add(%e, %f)\nreturn %g } }\n"
                          "%d = core::slice(%c) [begin=[1, 0], size=[1, 2], "
                          "step=[1, 1]]\n"
                          "%k = core::reshape(%d) [shape=[2]]\nreturn %k } }\n"
                          "return %r }",
     {"54 55", "54 55"}},
    {"module {" IN(
         "x", "s32[2]") "%r = higher_order::wrap_with_set_grad_enabled([%x]) "
                        "[enabled=false] : s32[2] {\n"
                        "(%a: s32[2]) { %c = core::neg(%a)\nreturn %c } }\n"
                        "%s, %t = higher_order::invoke_subgraph([%r]) "
                        "[identifier=\"g\"] : s32[2], s32[2] {\n"
                        "(%a: s32[2]) { %c = core::add(%a, %a)\n"
                        "return %a, %c } }\nreturn %s, %t }",
     {"-10 -11|-20 -22", "-10 -11|-20 -22"}},
    // What is written is the base itself, a slice of it, or strided; bases
    // themselves stay what they were.
    {"module {" IN("x", "s32[2]")
         IN("y", "s32[2]") "%r = higher_order::auto_functionalized([%x], [%y]) "
                           "[base=[0]] : s32[2] {\n"
                           "(%a: s32[2], %b: s32[2]) {"
                           "acme::accum_(%a, %b) [scale=2]\nreturn %a } }\n"
                           "return %r, %x }",
     {"50 53|10 11", "50 53|10 11"}},
    {"module {" IN("x", "s32[3,2]")
         IN("y", "s32[1,2]") "%r, %s = higher_order::auto_functionalized([%x], "
                             "[%y]) [base=[0], slice=[0, 1, 2]] : s32[], "
                             "s32[3,2] {\n"
                             "(%a: s32[1,2], %b: s32[1,2]) {"
                             "%q = acme::push(%a, %b)\nreturn %q, %a } }\n"
                             "return %r, %s, %x }",
     {"66|10 11 32 34 14 15|10 11 12 13 14 15",
      "66|10 11 32 34 14 15|10 11 12 13 14 15"}},
    {"module {" IN("x", "s32[2,3]")
         IN("y", "s32[3,2]") "%r = higher_order::auto_functionalized([%x], "
                             "[%y]) [base=[0], slice=[-1, 0, 0], rank=[2], "
                             "size=[3, 2], stride=[1, 3], offset=[0]] : "
                             "s32[2,3] {\n"
                             "(%a: s32[3,2], %b: s32[3,2]) {"
                             "acme::accum_(%a, %b)\nreturn %a } }\nreturn %r }",
     {"30 33 36 34 37 40", "30 33 36 34 37 40"}},
    // Two written arguments of one base, and of two.
    {"module {" IN("x", "s32[4]") IN("z", "s32[2]") IN(
         "y", "s32[2]") "%r, %s = higher_order::auto_functionalized([%x, "
                        "%z], [%y]) [base=[0, 0, 1], slice=[0, 0, 2, 0, -2, "
                        "9223372036854775807, -1, 0, 0]] : s32[4], s32[2] {\n"
                        "(%a: s32[2], %b: s32[2], %c: s32[2], %d: s32[2]) {"
                        "acme::accum_(%a, %d)\nacme::accum_(%b, %a)\n"
                        "acme::accum_(%c, %b) [scale=-1]\n"
                        "return %a, %b, %c } }\nreturn %r, %s }",
     {"40 42 52 55|-32 -34", "40 42 52 55|-32 -34"}},
};

static void fill(const test_run *r, bool flag) {
  for (size_t i = 0; i < r->n_in; ++i) {
    if (r->in[i].dtype == TENON_BOOL) *(bool *)r->in[i].data = flag;
    int32_t *x = (int32_t *)r->in[i].data;
    for (size_t k = 0;
         r->in[i].dtype == TENON_S32 && k < tenon_count(&r->in[i]); ++k)
      x[k] = (int32_t)(10 * (i + 1) + k);
  }
}

static void print_outputs(const test_run *r, char *out, size_t size) {
  size_t at = 0;
  out[0] = 0;
  for (size_t i = 0; i < r->n_out; ++i) {
    const int32_t *y = (const int32_t *)r->out[i].data;
    at += (size_t)snprintf(out + at, size - at, "%s", i ? "|" : "");
    for (size_t k = 0; k < tenon_count(&r->out[i]); ++k)
      at += (size_t)snprintf(out + at, size - at, k ? " %d" : "%d", (int)y[k]);
  }
}

static void compute(void **state) {
  test_model t;
  (void)state;
  model_open(&t, &acme);
  EACH_ROW(i, rows) for (int k = 0; k < 4; ++k) {
    tenon_compile_options o = {
        .struct_size = sizeof o,
        .pipeline = k < 2 ? NO_PASSES : tenon_default_pipeline()};
    test_run r;
    char got[256];
    tenon_program *p = model_compile(&t, rows[i].text, &o);
    run_open(&r, p, 0, NULL);
    fill(&r, k % 2 == 0);
    CHECK(run_once(&r) == TENON_OK, "row %zu: %s", i, t.log.text);
    print_outputs(&r, got, sizeof got);
    CHECK(strcmp(got, rows[i].want[k % 2]) == 0, "row %zu, %d: %s", i, k, got);
    run_close(&r);
    tenon_program_destroy(p);
  }
  model_close(&t);
}

// A length that a run decides, and that may be 0.
static void combine_few(void **state) {
  static const char text[] =
      "module {\ndim n = 0..8\n%x = input s32[?n,2]\n"
      "%r = higher_order::associative_scan([%x], []) : s32[?n,2] {\n"
      "(%a: s32[2], %b: s32[2]) {%c = core::add(%a, %b)\nreturn %c } }\n"
      "return %r }";
  static const int32_t given[] = {1, 2, 30, 40, 500, 600};
  static const int32_t wanted[] = {1, 2, 31, 42, 531, 642};
  test_model t;
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = model_compile(&t, text, NULL);
  for (int32_t n = 0; n < 4; ++n) {
    int32_t data[6], found[6] = {0};
    test_run r;
    run_open(&r, p, 0, NULL);
    memcpy(data, given, sizeof data);
    r.dims[0][0] = n;
    r.in[0].data = data;
    r.out[0].data = found;
    r.dims[RUN_TENSORS][0] = n;
    CHECK(run_once(&r) == TENON_OK, "%d: %s", (int)n, t.log.text);
    CHECK(memcmp(found, wanted, (size_t)n * 2 * sizeof *found) == 0, "%d",
          (int)n);
    r.in[0].data = r.out[0].data = NULL;
    run_close(&r);
  }
  tenon_program_destroy(p);
  model_close(&t);
}

static const struct {
  const char *text, *part;
} refused[] = {
    {"module {" IN("h", "s32[]") IN(
         "x", "s32[3]") "%r = higher_order::scan([%h], [%x], []) [dim=1] : "
                        "s32[] {\n"
                        "(%a: s32[], %b: s32[]) { return %a } }\nreturn %r }",
     "over another dimension than the first"},
    {"module {" IN("h", "s32[]") IN("x", "s32[3]") IN(
         "z", "s32[2]") "%r = higher_order::scan([%h], [%x, %z], []) : s32[] "
                        "{\n(%a: s32[], %b: s32[], %c: s32[]) { return %a } }\n"
                        "return %r }",
     "x 1 has 2 slices, those before have 3"},
    {"module {" IN("x", "s32[]") "%r = higher_order::map([%x], []) : s32[1] {\n"
                                 "(%b: s32[]) { return %b } }\nreturn %r }",
     "x 0 has no dimension"},
    {"module {" IN("p", "bool[]")
         IN("x", "s32[]") "%r = higher_order::cond(%p, [%x]) : s32[] {\n"
                          "() { return %x }\n"
                          "(%b: s32[]) { return %b } }\nreturn %r }",
     "graph 0 takes 0 and returns 1 values, expected 1 and 1"},
    {"module {" IN("p", "bool[]")
         IN("x", "s32[]") "%r = higher_order::cond(%p, [%x]) : s32[] {\n"
                          "(%b: s32[]) { return %b } }\nreturn %r }",
     "graph 1 is missing"},
    {"module {" IN(
         "x", "s32[2]") "%r = higher_order::while_loop([%x, %x], []) : s32[2] "
                        "{\n(%a: s32[2]) { return %a }\n"
                        "(%b: s32[2]) { return %b } }\nreturn %r }",
     "2 values are carried, 1 come out"},
    {"module {" IN("x", "s32[2]") IN(
         "y", "s32[2]") "%r = higher_order::auto_functionalized([%x], [%y]) "
                        "[base=[0]] : s32[2] {\n"
                        "(%a: s32[2], %b: s32[2]) { return %a } }\nreturn %r }",
     "does not write argument 0"},
    {"module {" IN("x", "s32[2]")
         IN("y", "s32[2]") "%r = higher_order::auto_functionalized([%x], [%y]) "
                           "[base=[1]] : s32[2] {\n"
                           "(%a: s32[2], %b: s32[2]) { acme::accum_(%a, %b)\n"
                           "return %a } }\nreturn %r }",
     "is of base 1 of 1"},
    {"module {" IN("x", "s32[4]") IN(
         "y", "s32[3]") "%r = higher_order::auto_functionalized([%x], [%y]) "
                        "[base=[0, 0], slice=[0, 0, 3, 0, 1, 4]] : s32[4] {\n"
                        "(%a: s32[3], %b: s32[3], %c: s32[3]) {"
                        "acme::accum_(%a, %c)\nacme::accum_(%b, %c)\n"
                        "return %a, %b } }\nreturn %r }",
     "written arguments 0 and 1 share elements"},
    {"module {" IN("x", "s32[4]") IN(
         "y", "s32[2,3]") "%r = higher_order::auto_functionalized([%x], [%y]) "
                          "[base=[0], slice=[-1, 0, 0], rank=[2], size=[2, 3], "
                          "stride=[1, 1], offset=[0]] : s32[4] {\n"
                          "(%a: s32[2,3], %b: s32[2,3]) {"
                          "acme::accum_(%a, %b)\nreturn %a } }\nreturn %r }",
     "written argument 0 has elements twice"},
    // The same of open sizes, where it cannot be shown that it is otherwise.
    {OPEN "%r = higher_order::auto_functionalized([%x], []) "
          "[base=[0, 0], slice=[0, 0, 3, 0, 2, ?n]] : s32[?n,2] {\n"
          "(%a: s32[3,2], %b: s32[?n-2,2]) {"
          "acme::accum_(%a, %a)\nacme::accum_(%b, %b)\n"
          "return %a, %b } }\nreturn %r }",
     "written arguments 0 and 1 share elements"},
    {OPEN "%r = higher_order::auto_functionalized([%x], []) [base=[0], "
          "slice=[-1, 0, 0], rank=[2], size=[?n, 3], stride=[2, 1], "
          "offset=[0]] : s32[?n,2] {\n"
          "(%a: s32[?n,3]) { acme::accum_(%a, %a)\nreturn %a } }\nreturn %r }",
     "written argument 0 has elements twice"},
};

static void refuse(void **state) {
  test_model t;
  (void)state;
  model_open(&t, &acme);
  EACH_ROW(i, refused) {
    tenon_module *m = model_read(&t, refused[i].text);
    CHECK(tenon_module_transform(m, NO_PASSES, NULL, NULL) != TENON_OK,
          "row %zu", i);
    CHECK(strstr(t.log.text, refused[i].part), "row %zu: %s", i, t.log.text);
    test_log_clear(&t.log);
    tenon_module_destroy(m);
  }
  model_close(&t);
}

// More results than a call may have are refused, not cut off.
static void refuse_many(void **state) {
  static const struct {
    const char *head, *params, *given;
    int graphs, results;
  } calls[] = {
      {"higher_order::cond(%p, [%x])", "(%a: s32[]) ", "%a", 2, 2017},
      {"higher_order::invoke_subgraph([%x]) [identifier=\"g\"]", "(%a: s32[]) ",
       "%a", 1, 2049},
      {"higher_order::while_loop([%x], [])", "(%a: s32[]) ", "%a", 2, 2049}};
  (void)state;
  EACH_ROW(i, calls) {
    tenon_buf text;
    test_model t;
    model_open(&t, &acme);
    tenon_buf_init(&text, tenon_heap());
    tenon_buf_text(&text, "module {" IN("p", "bool[]") IN("x", "s32[]"));
    for (int k = 0; k < calls[i].results; ++k)
      tenon_buf_format(&text, k ? ", %%r%d" : "%%r%d", k);
    tenon_buf_format(&text, " = %s : ", calls[i].head);
    for (int k = 0; k < calls[i].results; ++k)
      tenon_buf_text(&text, k ? ", s32[]" : "s32[]");
    tenon_buf_text(&text, " {\n");
    for (int g = 0; g < calls[i].graphs; ++g) {
      tenon_buf_format(&text, "%s{ return ", calls[i].params);
      for (int k = 0; k < calls[i].results; ++k)
        tenon_buf_format(&text, k ? ", %s" : "%s", calls[i].given);
      tenon_buf_text(&text, " }\n");
    }
    tenon_buf_text(&text, "}\nreturn %r0 }");
    tenon_module *m = model_read(&t, text.data);
    CHECK(tenon_module_transform(m, NO_PASSES, NULL, NULL) != TENON_OK,
          "row %zu", i);
    CHECK_LOG(&t.log, "lower-fail", "more than 2048 results", i);
    tenon_module_destroy(m);
    tenon_buf_deinit(&text);
    model_close(&t);
  }
}

TEST_GROUP(higher_order, cmocka_unit_test(compute),
           cmocka_unit_test(refuse_many), cmocka_unit_test(combine_few),
           cmocka_unit_test(refuse))
