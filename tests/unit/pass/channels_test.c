// Which channels go, seen in the text of what is left: through sums, what goes
// channel by channel, and an operator of a plugin that says it does; and which
// stay: at borders, at operators that say nothing, at inputs and results.
#include "pass_rows.h"
#include "program/program.h"
#include "tenon/ext/plugin.h"

// --- operators of a plugin ---------------------------------------------------

static tenon_status same_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

// Numbers with all bits turned: what no one could know.
static tenon_status turn_run(const tenon_call *c) {
  const size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i)
    ((int8_t *)c->out[0].data)[i] =
        (int8_t) ~((const int8_t *)c->in[0].data)[i];
  return TENON_OK;
}

static const tenon_kernel_desc turn_kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_turn",
    .types = "s8q -> s8q",
    .run = turn_run,
};
static const tenon_kernel_desc turn_any_kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_turn_any",
    .types = "s8q -> s8q",
    .run = turn_run,
};
static bool is_of_four(const tenon_call *c) {
  return c->in[0].dims[c->in[0].rank - 1] % 4 == 0;
}
static const tenon_kernel_desc turn_four_kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_turn_four",
    .types = "s8q -> s8q",
    .match = is_of_four,
    .run = turn_run,
};

#define OP(ident, name, its_flags, kernel)            \
  static const tenon_op_desc ident = {                \
      .struct_size = sizeof(tenon_op_desc),           \
      .flags = TENON_OP_PURE | (its_flags),           \
      .schema = "acme::" name "(Tensor x) -> Tensor", \
      .doc = "Of the tests.",                         \
      .infer = same_infer,                            \
      .kernels = (const tenon_kernel_desc *const[]){&(kernel), NULL}}
OP(op_turn, "turn", TENON_OP_ELEMENTWISE, turn_kernel);
OP(op_any, "any", 0, turn_any_kernel);
OP(op_four, "four", TENON_OP_ELEMENTWISE, turn_four_kernel);

static const tenon_plugin acme = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&op_turn, &op_any, &op_four, NULL},
};

// --- which go ----------------------------------------------------------------

// x has 4 channels; of a's, the second is constant: -5 + 3 = -2 above the zero
// point of 3, or what a limit makes of it.
#define A(limits)                                                          \
  "module { %x = input s8[1,4,4,4]{0.5:3}\n"                               \
  "%w = const s8[4,1,1,4]{0.5:0} {1,2,3,4, 0,0,0,0, 5,6,7,8, -1,1,-1,1}\n" \
  "%b = const s32[4] {1,-10,2,3}\n"                                        \
  "%a = core::conv(%x, %w, %b) " limits " : s8[1,4,4,4]{0.5:3}\n"
// A sum of all channels at a place.
#define SUM(of)                                        \
  "%v = const s8[2,1,1,4]{0.5:0} {1,1,1,1, 2,2,0,2}\n" \
  "%c = const s32[2] {100,200}\n"                      \
  "%y = core::conv(" of                                \
  ", %v, %c) : s8[1,4,4,2]{0.5:0}\n"                   \
  "return %y }"
#define DEPTH(pad)                            \
  "%d = const s8[1,1,1,4]{0.5:0} {2,2,2,2}\n" \
  "%e = core::depthwise_conv(%a, %d) [" pad "] : s8[1,4,4,4]{0.5:3}\n"

#define NINE "1,1,1,1,1,1,1,1,1"
#define ONES NINE "," NINE "," NINE "," NINE

static const pass_row rows[] = {
    // -10 / 4 steps, halves away from zero: 3 - 5 = -2, and so 5 less each.
    {A("") SUM("%a"), "{95, 190}", "s8[1,4,4,3]{0.5:3}", 1},
    // At the zero point it adds nothing.
    {A("[lo=0.0]") SUM("%a"), "{100, 200}", "s8[1,4,4,3]{0.5:3}", 1},
    {A("") DEPTH("stride=1") SUM("%e"), "core::conv", "s8[1,4,4,3]{0.5:3}", 2},
    {A("") "%q = core::max_pool(%a) [window=[1,1]]\n" SUM("%q"),
     "core::max_pool", "s8[1,4,4,3]{0.5:3}", 2},
    {A("") "%q = core::logistic(%a) : s8[1,4,4,4]{0.00390625:-128}\n" SUM("%q"),
     "core::logistic", "s8[1,4,4,3]", 2},
    // All operands of a pair lose the channel, constants too.
    {A("") "%k = const s8[4]{0.5:3} {1,2,3,4}\n"
           "%q = core::add(%a, %k) : s8[1,4,4,4]{0.5:3}\n" SUM("%q"),
     "{1, 3, 4}", "s8[1,4,4,3]{0.5:3}", 2},
    // One whose other operand has the channel does not.
    {A("") "%k = const s8[4,1,1,4]{0.5:0} {1,1,1,1, 2,3,4,5, 1,1,1,1, "
           "9,9,9,9}\n"
           "%f = core::conv(%x, %k) : s8[1,4,4,4]{0.5:3}\n"
           "%q = core::add(%a, %f) : s8[1,4,4,4]{0.5:3}\n" SUM("%q"),
     "core::add(%a, %f)", "s8[1,4,4,3]", 0},
    {A("") "%q = core::concat([%a, %a]) [axis=2]\n"
           "%v = const s8[1,1,1,4]{0.5:0} {1,1,1,1}\n"
           "%y = core::conv(%q, %v) : s8[1,4,8,1]{0.5:0}\nreturn %y }",
     "core::concat", "s8[1,4,8,3]{0.5:3}", 1},
    {A("") "%q = core::reshape(%a) [shape=[4,16]]\n"
           "%v = const s8[1,16]{0.5:0} {1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}\n"
           "%y = core::fully_connected(%q, %v) : s8[4,1]{0.5:0}\nreturn %y }",
     "[shape=[4, 12]]", "s8[4,12]{0.5:3}", 1},
    // Read by nobody: weights of zero for the third.
    {A("[lo=0.0]") "%v = const s8[1,1,1,4]{0.5:0} {1,1,0,1}\n"
                   "%y = core::conv(%a, %v) : s8[1,4,4,1]{0.5:0}\nreturn %y }",
     "core::conv", "s8[1,4,4,2]{0.5:3}", 1},
    // ... and so, two layers in front, for what that alone reads.
    {A("[lo=0.0]") "%k = const s8[2,1,1,4]{0.5:0} {1,0,0,0, 0,1,1,1}\n"
                   "%f = core::conv(%a, %k) : s8[1,4,4,2]{0.5:3}\n"
                   "%v = const s8[1,1,1,2]{0.5:0} {7,0}\n"
                   "%y = core::conv(%f, %v) : s8[1,4,4,1]{0.5:0}\nreturn %y }",
     "core::conv", "s8[1,4,4,1]{0.5:3}", 2},
    // A window that is cut at the border sums another number there.
    {A("") "%v = const s8[1,3,3,4]{0.5:0} {" ONES "}\n"
           "%y = core::conv(%a, %v) [pad=[1,1,1,1]] : s8[1,4,4,1]{0.5:0}\n"
           "return %y }",
     "core::conv", "s8[1,4,4,3]", 0},
    {A("[lo=0.0]") "%v = const s8[1,3,3,4]{0.5:0} {" ONES "}\n"
                   "%y = core::conv(%a, %v) [pad=[1,1,1,1]] : "
                   "s8[1,4,4,1]{0.5:0}\nreturn %y }",
     "core::conv", "s8[1,4,4,3]", 1},
    // ... but where its outer taps are zero.
    {A("") "%v = const s8[1,1,3,4]{0.5:0} {1,0,1,1, 1,5,1,1, 1,0,1,1}\n"
           "%y = core::conv(%a, %v) [pad=[0,1,0,1]] : s8[1,4,4,1]{0.5:0}\n"
           "return %y }",
     "{-25}", "s8[1,4,4,3]", 1},
    // A bias has no room for more.
    {A("") "%v = const s8[1,1,1,4]{0.5:0} {1,1,1,1}\n"
           "%c = const s32[1] {-2147483648}\n"
           "%y = core::conv(%a, %v, %c) : s8[1,4,4,1]{0.5:0}\nreturn %y }",
     "core::conv", "s8[1,4,4,3]", 0},
    // Results are given as they are, and inputs taken.
    {A("") "return %a }", "core::conv", "s8[1,4,4,3]", 0},
    {"module { %x = input s8[1,4,4,4]{0.5:3}\n"
     "%v = const s8[1,1,1,4]{0.5:0} {1,1,0,1}\n"
     "%y = core::conv(%x, %v) : s8[1,4,4,1]{0.5:0}\nreturn %y }",
     "s8[1,4,4,4]", "s8[1,4,4,3]", 0},
    // Where one channel must stay.
    {"module { %x = input s8[1,4,4,4]{0.5:3}\n"
     "%w = const s8[2,1,1,4]{0.5:0} {0,0,0,0, 0,0,0,0}\n"
     "%a = core::conv(%x, %w) : s8[1,4,4,2]{0.5:3}\n"
     "%v = const s8[1,1,1,2]{0.5:0} {1,1}\n"
     "%y = core::conv(%a, %v) : s8[1,4,4,1]{0.5:0}\nreturn %y }",
     "core::conv", "s8[1,4,4,1]{0.5:3}", 1},
    // Floats: 0 times what is no number is no number.
    {"module { %x = input f32[1,4,4,2]\n"
     "%w = const f32[2,1,1,2] {1,2,0,0}\n"
     "%a = core::conv(%x, %w) : f32[1,4,4,2]\n"
     "%v = const f32[1,1,1,2] {1,1}\n"
     "%y = core::conv(%a, %v) : f32[1,4,4,1]\nreturn %y }",
     "f32[1,4,4,2]", "f32[1,4,4,1]", 1},
    // Of a plugin: followed where it says that it is made of elements.
    {A("") "%q = acme::turn(%a)\n" SUM("%q"), "acme::turn",
     "s8[1,4,4,3]{0.5:3}", 2},
    {A("") "%q = acme::any(%a)\n" SUM("%q"), "acme::any", "s8[1,4,4,3]", 0},
    // Nobody computes it on three channels.
    {A("") "%q = acme::four(%a)\n" SUM("%q"), "acme::four", "s8[1,4,4,3]", 0},
};

static void takes_out_what_may_go(void **state) {
  test_model t;
  tenon_buf whole, less;
  (void)state;
  model_open(&t, &acme);
  tenon_buf_init(&whole, tenon_heap());
  tenon_buf_init(&less, tenon_heap());
  EACH_ROW(i, rows) {
    const char *after =
        model_after(&t, rows[i].text, NO_PASSES ",channels,dce");
    CHECK(strstr(after, rows[i].part), "row %zu: no '%s' in\n%s", i,
          rows[i].part, after);
    CHECK(model_count(after, rows[i].op) == rows[i].count,
          "row %zu: not %zu '%s' in\n%s", i, rows[i].count, rows[i].op, after);
    tenon_buf_clear(&whole);
    tenon_buf_clear(&less);
    model_bits(&t, rows[i].text, NO_PASSES, &whole);
    model_bits(&t, rows[i].text, NO_PASSES ",channels,dce", &less);
    CHECK(whole.size == less.size &&
              memcmp(whole.data, less.data, whole.size) == 0,
          "row %zu: other bits of\n%s", i, after);
  }
  tenon_buf_deinit(&whole);
  tenon_buf_deinit(&less);
  model_close(&t);
}

// --- the pass ----------------------------------------------------------------

static void says_what_it_did(void **state) {
  static const struct {
    const char *pipeline, *remark;
  } plans[] = {
      {NULL,
       "channels   1 of 6 taken out: 1 constant, 0 unread; MACs 384 -> "
       "288 (-25.0 %)\n"},
      {NO_PASSES ",channels[multiple=2],dce", ""},
      {NO_PASSES, ""}};
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, plans) {
    tenon_compile_options o = {.struct_size = sizeof o,
                               .pipeline = plans[i].pipeline};
    tenon_program *p = model_compile(&t, A("") SUM("%a"), &o);
    CHECK_TEXT(p->remarks, plans[i].remark, i);
    tenon_program_destroy(p);
  }
  model_close(&t);
}

static void refuses_options_it_lacks(void **state) {
  static const char *const options[] = {"multiple=0", "multiple=x",
                                        "multiple=9000", "many=2"};
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, options) {
    char pipeline[64];
    (void)snprintf(pipeline, sizeof pipeline, "channels[%s]", options[i]);
    tenon_module *m = model_read(&t, A("") SUM("%a"));
    CHECK(tenon_module_transform(m, pipeline, NULL, NULL) == TENON_BAD_ARGUMENT,
          "%s", options[i]);
    CHECK(strstr(t.log.text, "pass-option") || strstr(t.log.text, "option"),
          "%s", t.log.text);
    tenon_module_destroy(m);
  }
  model_close(&t);
}

static void survives_lack_of_memory(void **state) {
  model_sweep s = {.text = A("") DEPTH("stride=1") SUM("%e"),
                   .pipeline = NO_PASSES ",channels,dce"};
  (void)state;
  test_sweep(model_compiles, &s);
}

TEST_GROUP(channels, cmocka_unit_test(takes_out_what_may_go),
           cmocka_unit_test(says_what_it_did),
           cmocka_unit_test(refuses_options_it_lacks),
           cmocka_unit_test(survives_lack_of_memory))
