// Which kernel computes a node, and what is said of the others.
#include "bind/choose.h"

#include "harness/model.h"
#include "ir/graph.h"
#include "tenon/ext/plugin.h"

static tenon_status no_run(const tenon_call *c) {
  (void)c;
  return TENON_OK;
}
static bool is_long(const tenon_call *c) {
  return c->in[0].dims[0] >= 8;
}
static bool is_odd(const tenon_call *c) {
  return c->in[0].dims[0] % 2 == 1 ||
         tenon_call_fail(c, "lengths are odd here", 0, 0) == TENON_OK;
}
static const char its_own[] = "acme_user";
static bool has_user(const tenon_call *c) {
  return c->user == its_own;
}
static tenon_status found_infer(tenon_infer *c) {
  tenon_type y = *tenon_infer_in(c, 0);
  tenon_dim n = c->api->decided(c, y.dims[0]);
  y.dims = &n;
  return tenon_infer_out(c, 0, &y);
}
static tenon_status same_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

#define KERNEL(ident, its_types, ...)           \
  static const tenon_kernel_desc ident = {      \
      .struct_size = sizeof(tenon_kernel_desc), \
      .symbol = "acme_" #ident,                 \
      .run = no_run,                            \
      .types = its_types,                       \
      __VA_ARGS__}
KERNEL(plain, "f32, f32? -> f32", .priority = 0);
KERNEL(twins, "T, T? -> T", .priority = 0);
KERNEL(pair, "T, U -> T", .priority = 0);
KERNEL(bytes, "b1, b4 -> b1", .priority = 0);
KERNEL(scaled, "s8q|s8qc, s32? -> s8q", .priority = 0);
KERNEL(lengthy, "f32, f32? -> f32", .priority = 9, .match = is_long);
KERNEL(vast, "f32, f32? -> f32", .priority = 20, .needs = "mve");
KERNEL(own, "u8, u8? -> u8", .match = has_user, .user = its_own);
KERNEL(many, "T..., f32 -> T", .priority = 0);
KERNEL(odd, "f32 -> f32", .match = is_odd);
KERNEL(found_all, "f32 -> f32", .priority = 0);
KERNEL(found_within, "f32 -> f32", .measure = no_run);
KERNEL(wrote, "f32 -> f32", .priority = 0);
KERNEL(counted, "f32 -> f32", .flags = TENON_KERNEL_MEASURES_ALL,
       .measure = no_run);
static const tenon_kernel_desc any = {
    .struct_size = sizeof(tenon_kernel_desc),
    .op = "acme::*",
    .symbol = "acme_any",
    .run = no_run,
};

#define OP(ident, args, ...)                            \
  static const tenon_op_desc op_##ident = {             \
      .struct_size = sizeof(tenon_op_desc),             \
      .doc = "A test's.",                               \
      .schema = "acme::" #ident "(" args ") -> Tensor", \
      .infer = same_infer,                              \
      .kernels = (const tenon_kernel_desc *const[]){__VA_ARGS__, NULL}}
OP(some, "Tensor x, Tensor? y=None", &plain, &lengthy, &vast, &scaled, &own);
OP(same, "Tensor x, Tensor? y=None", &twins);
OP(other, "Tensor x, Tensor y", &pair, &bytes);
OP(list, "Tensor[] xs, Tensor y", &many);
OP(proud, "Tensor x", &odd);
static const tenon_op_desc op_wrote = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "A test's.",
    .schema = "acme::wrote(Tensor(a!) x) -> Tensor(a!)",
    .kernels = (const tenon_kernel_desc *const[]){&wrote, NULL}};
static const tenon_op_desc op_counted = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "A test's.",
    .schema = "acme::counted(Tensor x) -> Tensor",
    .kernels = (const tenon_kernel_desc *const[]){&counted, NULL}};
static const tenon_op_desc op_found = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "A test's.",
    .schema = "acme::found(Tensor x) -> Tensor",
    .infer = found_infer,
    .kernels =
        (const tenon_kernel_desc *const[]){&found_all, &found_within, NULL}};
static const tenon_plugin typed = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&op_some, &op_same, &op_other,
                                          &op_list, &op_proud, &op_found,
                                          &op_wrote, &op_counted, NULL},
};
static const tenon_plugin wild = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&op_some, &op_same, &op_other,
                                          &op_list, &op_proud, NULL},
    .kernels = (const tenon_kernel_desc *const[]){&any, NULL},
};

typedef struct row {
  const char *text, *want;  // the symbol; "" for none
} row;

static const tenon_kernel *choose(test_model *t, const char *text,
                                  const tenon_choice *given, tenon_buf *why,
                                  tenon_buf *words) {
  tenon_target target;
  tenon_arena scratch;
  tenon_module *m = model_read(t, text);
  tenon_choice choice = given ? *given : (tenon_choice){0};
  if (!choice.target) {
    assert_int_equal(tenon_target_find(t->cx, "c", &target), TENON_OK);
    choice.target = &target;
  }
  tenon_arena_init(&scratch, tenon_heap());
  const tenon_node *n = m->functions.data[0]->last;
  const tenon_kernel *k = tenon_choose(&choice, n, &scratch, why);
  assert_true(tenon_choose_covers(&choice, n, &scratch) == (k != NULL));
  if (words) tenon_choose_explain(&choice, n, &scratch, words);
  tenon_arena_deinit(&scratch);
  tenon_module_destroy(m);
  return k;
}

static void check(const tenon_plugin *plugin, const row *rows, size_t n) {
  test_model t;
  model_open(&t, plugin);
  for (size_t i = 0; i < n; ++i) {
    const tenon_kernel *k = choose(&t, rows[i].text, NULL, NULL, NULL);
    CHECK_TEXT(k ? k->desc->symbol : "", rows[i].want, i);
  }
  model_close(&t);
}

#define X1(type, body) \
  "module { %x = input " type "\n%y = " body "\nreturn %y }"
#define X2(a, b, body) \
  "module { %x = input " a "\n%z = input " b "\n%y = " body "\nreturn %y }"

static void fits_types(void **state) {
  static const row rows[] = {
      {X1("f32[4]", "acme::some(%x)"), "acme_plain"},
      {X1("f32[8]", "acme::some(%x)"), "acme_lengthy"},
      {X2("f32[4]", "f32[4]", "acme::some(%x, %z)"), "acme_plain"},
      {X2("f32[4]", "s32[4]", "acme::some(%x, %z)"), ""},
      {X1("s8[4]{0.5:0}", "acme::some(%x)"), "acme_scaled"},
      {X1("s8[4]", "acme::some(%x)"), ""},
      {X1("s8[2]{[0.5,1]:[0,0]@0}", "acme::some(%x)"), ""},
      {X1("u8[4]", "acme::some(%x)"), "acme_own"},
      {X1("s16[4]", "acme::same(%x)"), "acme_twins"},
      {X2("s16[4]", "s16[2]", "acme::same(%x, %z)"), "acme_twins"},
      {X2("s16[4]", "s32[4]", "acme::same(%x, %z)"), ""},
      {X2("s8[4]{1:0}", "s8[4]", "acme::same(%x, %z)"), ""},
      {X2("s8[4]{1:0}", "s8[4]{2:0}", "acme::same(%x, %z)"), "acme_twins"},
      {X2("s16[4]", "s32[4]", "acme::other(%x, %z)"), "acme_pair"},
      {X2("s16[4]", "f32[4]", "acme::list([%x, %x], %z)"), "acme_many"},
      {X2("f32[4]", "f32[4]", "acme::list([], %z)"), "acme_many"},
      {X2("s16[4]", "f32[4]", "acme::list([%x, %z], %z)"), ""},
      {X2("s16[4]", "s32[4]", "acme::list([%x], %z)"), ""},
      {X1("f32[?n]", "acme::some(%x)"), "acme_plain"},
      {X1("f32[4]", "acme::nobody(%x) : f32[4]"), ""},
      {X1("f32[4]", "acme::wrote(%x) functional : f32[4]"), "acme_wrote"},
      {X1("f32[?n]", "acme::wrote(%x) functional : f32[4]"), "acme_wrote"},
      {X1("f32[4]", "acme::counted(%x) decides ?u : f32[?u]"), "acme_counted"},
      {X1("f32[4]", "acme::counted(%x) decides ?u : f32[?u*2]"),
       "acme_counted"},
  };
  (void)state;
  check(&typed, rows, COUNT(rows));
}

// The last resort, but one that takes anything.
// Where the model bounds a size by less than the rule, who cannot measure it
// would write behind the result.
static void sees_room(void **state) {
  static const row rows[] = {
      {X1("f32[5]", "acme::found(%x) decides ?u : f32[?u]"), "acme_found_all"},
      {X1("f32[?n]", "acme::found(%x) decides ?u : f32[?u]"), "acme_found_all"},
      {"module {\ndim u = 0..5\n%x = input f32[5]\n"
       "%y = acme::found(%x) decides ?u : f32[?u]\nreturn %y }",
       "acme_found_all"},
      {"module {\ndim u = 0..4\n%x = input f32[5]\n"
       "%y = acme::found(%x) decides ?u : f32[?u]\nreturn %y }",
       "acme_found_within"},
      {"module {\ndim u = 0..4\n%x = input f32[?n]\n"
       "%y = acme::found(%x) decides ?u : f32[?u]\nreturn %y }",
       "acme_found_within"},
  };
  (void)state;
  check(&typed, rows, sizeof rows / sizeof *rows);
}

static void takes_wildcards(void **state) {
  static const row rows[] = {
      {X1("f32[4]", "acme::some(%x)"), "acme_plain"},
      {X1("s8[4]", "acme::some(%x)"), "acme_any"},
      {X2("s16[4]", "s32[4]", "acme::same(%x, %z)"), "acme_any"},
      {X2("s16[4]", "f32[4]", "acme::list([%x, %z], %z)"), "acme_any"},
      {X1("f32[4]", "core::neg(%x)"), "tenon_k_neg_f32_ref"},
  };
  (void)state;
  check(&wild, rows, COUNT(rows));
}

static void obeys_what_is_forced(void **state) {
  static const char text[] = X1("f32[8]", "acme::some(%x)");
  static const tenon_target board = {.name = "board", .features = "mve"};
  static const struct {
    const char *forced[3];
    const tenon_target *target;
    bool reference;
    const char *want;
  } rows[] = {
      {{NULL}, NULL, false, "acme_lengthy"},
      {{NULL}, &board, false, "acme_vast"},
      {{NULL}, NULL, true, "acme_plain"},
      {{"acme::some=acme_plain", NULL}, NULL, false, "acme_plain"},
      {{"acme::other=acme_pair", "acme::some=acme_plain"},
       &board,
       false,
       "acme_plain"},
      {{"acme::some=acme_vast", NULL}, NULL, false, ""},
      {{"acme::some=nothing", NULL}, NULL, false, ""},
      {{"acme::som=nothing", "nonsense"}, NULL, false, "acme_lengthy"},
  };
  test_model t;
  (void)state;
  model_open(&t, &typed);
  EACH_ROW(i, rows) {
    const tenon_choice choice = {.target = rows[i].target,
                                 .reference_only = rows[i].reference,
                                 .forced = rows[i].forced};
    const tenon_kernel *k = choose(&t, text, &choice, NULL, NULL);
    CHECK_TEXT(k ? k->desc->symbol : "", rows[i].want, i);
  }
  model_close(&t);
}

static void says_why(void **state) {
  static const struct {
    const char *text, *why, *words;
  } rows[] = {
      {X1("f32[4]", "acme::some(%x)"),
       "acme_vast: the target lacks a feature it needs\n"
       "acme_lengthy: does not match these shapes or attributes\n",
       ""},
      {X1("f32[8]", "acme::some(%x)"), "acme_plain: a better one comes first\n",
       ""},
      {X1("s16[4]", "acme::some(%x)"), "acme_plain: made for other types\n",
       "no kernel for types 's16, none -> s16' on c; there are "
       "'f32, f32? -> f32', 'u8, u8? -> u8', 's8q|s8qc, s32? -> s8q'"},
      {X1("f32[4]", "acme::proud(%x)"), "acme_odd: lengths are odd here\n",
       "there are 'f32 -> f32' ('acme_odd': lengths are odd here)"},
      {X1("f32[4]", "acme::wrote(%x) functional : f32[2,2]"),
       "acme_wrote: cannot reshape what it writes\n", ""},
      {X1("f32[4]", "acme::counted(%x) decides ?u : f32[4]"),
       "acme_counted: cannot measure numbers beside results\n", ""},
      {X1("f32[4]", "core::relu(%x)"), "", "; there are none"},
      {X1("f32[4]", "acme::nobody(%x) : f32[4]"), "", "unknown operator"},
  };
  test_model t;
  (void)state;
  model_open(&t, &typed);
  EACH_ROW(i, rows) {
    tenon_buf why, words;
    tenon_buf_init(&why, tenon_heap());
    tenon_buf_init(&words, tenon_heap());
    (void)choose(&t, rows[i].text, NULL, &why, &words);
    CHECK(strstr(why.data ? why.data : "", rows[i].why), "row %zu:\n%s", i,
          why.data);
    CHECK(strstr(words.data ? words.data : "", rows[i].words), "row %zu:\n%s",
          i, words.data);
    tenon_buf_deinit(&why);
    tenon_buf_deinit(&words);
  }
  model_close(&t);
}

TEST_GROUP(choose, cmocka_unit_test(fits_types), cmocka_unit_test(sees_room),
           cmocka_unit_test(takes_wildcards),
           cmocka_unit_test(obeys_what_is_forced), cmocka_unit_test(says_why))
