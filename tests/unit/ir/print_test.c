// Texts that printing writes: each reads back to itself, byte for byte.
#include "ir/text/print.h"

#include "ir/verify/verify.h"
#include "world.h"

static const char *const texts[] = {
    // The short form.
    "module {\n"
    "  %c = const f32[2] {1.0, 2.0}\n"
    "  %x = input f32[2]\n"
    "  %y = core::mul(%x, %c) : f32[2]\n"
    "  return %y\n"
    "}\n",
    // Everything a module can hold.
    "module \"kws.tflite\" {\n"
    "  format \"tflite\"\n"
    "  description \"a \\\"model\\\"\\n\"\n"
    "  target \"host\"\n"
    "  metadata \"min_runtime_version\" = \"1.5.0\"\n"
    "  metadata \"raw\" = hex\"00ff80\"\n"
    "  dim n = 1..64 stored 7\n"
    "  dim m = 2..\n"
    "  dim s77.x = 0..\n"
    "  dim w = ..\n"
    "  dim f = float\n"
    "  dim b = bool\n"
    "  guard eq(?n%2, 0) \"n is even\"\n"
    "  guard le(?n, ?m*4)\n"
    "  state \"ema state\" : f32[1,4] @\"tensor 9\"\n"
    "  state \"count\" : s32[] = {7}\n"
    "  const %c : f32[2] = {1.0, -0.0} @\"tensor 3\"\n"
    "  const %c~2 : f32[1] = hex\"0100c07f\"\n"
    "  const %\"odd name\\x01\" : s64[1] = {-9223372036854775808}\n"
    "  const %0 : bool[2] = {true, false}\n"
    "  entry \"serving_default\" = @0 (\"x\", \"\") -> (\"y\", \"y\")\n"
    "  func @0 \"main\" (%x: f32[1,4] @\"input\", %1: f32[?n,?s77.x,?w]) "
    "@\"subgraph 0\" {\n"
    "    %2 = a::b(%1) [by=[?f], if=[?n, ?f, ?b]] : f32[1]\n"
    "    %x~2 = core::mul(%x, %c) [lo=0.0] : f32[1,4] @\"subgraph 0, op 3 "
    "(MUL)\" \"net.py:42\" bytes 16:4\n"
    "    %3 = core::relu(%x~2) : f32[1,4] @fused(\"a\", \"b\" \"o\", \"\" in "
    "\"f\")\n"
    "    core::state_write(%3) [state=\"ema state\"]\n"
    "    return %x~2, %3 @\"end\"\n"
    "  }\n"
    "}\n",
    // Written inputs.
    "module {\n"
    "  %n = input f32[2]\n"
    "  %x = input f32[2]\n"
    "  %y = core::mul(%x, %n) : f32[2]\n"
    "  return %y as \"r\", %y into 1, %x into 0\n"
    "}\n",
    "module \"m\" {\n"
    "  entry \"e\" = @0 (\"x\", \"n\") -> () into (1, 0)\n"
    "  func @0 \"main\" (%x: f32[2], %n: f32[2]) {\n"
    "    return %x, %n\n"
    "  }\n"
    "}\n",
    // Types.
    "module {\n"
    "  dim n = 0..9\n"
    "  dim m = 2..3\n"
    "  %a = input f32[]\n"
    "  %b = input s8[1,12]{0.00390625:-128}\n"
    "  %d = input s8[2,3]{[0.5,0.25]:[0,1]@0}\n"
    "  %e = input u8[2,4]{[0.5,0.25,1.0,2.0]:[0,0,0,0]@0/2}\n"
    "  %f = input f32[?n,?n*2+1,(?n+1)/2,?n%4,max(?n,?m),?n-?m]\n"
    "  %g = input f8e4m3fn[0,5]\n"
    "  return\n"
    "}\n",
    // Element types of constants.
    "module {\n"
    "  %a = const f16[4] {1.5, -65504.0, 5.9604645e-08, inf}\n"
    "  %b = const bf16[2] {1.0, 3.0040553e+38}\n"
    "  %c = const f64[2] {0.1, 1e+300}\n"
    "  %d = const s4[3] {-8, 7, -1}\n"
    "  %e = const u4[3] {0, 15, 1}\n"
    "  %f = const s2[5] {-2, 1, 0, -1, 1}\n"
    "  %g = const u64[1] hex\"ffffffffffffffff\"\n"
    "  %h = const c64[1] hex\"0000803f00000040\"\n"
    "  %i = const str[3] {\"a\", \"\", \"b\\x00\\\"\"}\n"
    "  %j = const f32[64] zeros\n"
    "  %k = const u8[17] hex\"0102030405060708090a0b0c0d0e0f1011\"\n"
    "  %l = const f32[0] {}\n"
    "  %m = const f8e5m2[2] hex\"3c7c\"\n"
    "  %n = const bool[1] hex\"02\"\n"
    "  %o = const s4[1] hex\"f3\"\n"
    "  return\n"
    "}\n",
    // Attributes of every kind, and lists of operands and results.
    "module {\n"
    "  dim n = 1..\n"
    "  %x = input f32[2,3]\n"
    "  %a = acme::many(%x) [flag=true, i=-3, f=0.1, s=\"a\\\"b\", ints=[1, 2], "
    "floats=[1.0, nan, -inf], bools=[true, false], dtype=s8, scalar=2.5, "
    "scalars=[1, 2.0, true], most=4, strs=[\"a\\\"b\", \"\"]] : f32[2,3]\n"
    "  [%p, %q], %r = acme::split(%x) : f32[2,3], f32[2,3], f32[2,3]\n"
    "  %s = acme::maybe([%x, none, %p], none) : f32[1]\n"
    "  %t = core::concat([%x]) [axis=0] : f32[2,3]\n"
    "  %u = core::reshape(%x) [shape=[6, ?n, ?n+1]] : f32[6,?n,?n+1]\n"
    "  %v = core::conv(%x, %p) : f32[2,3]\n"
    "  return %v\n"
    "}\n",
    // What nobody knows.
    "module {\n"
    "  dim n = 0..\n"
    "  %x = input f32[2]\n"
    "  %a, %b = \"weird op!\"(%x, [%x, %x], none, []) [\"odd key\"=1, "
    "k=[1, 2.0], l=[], w=[\"a\", \"b\"], m=f32, n=none, s=\"\\x01\"] opaque "
    "hex\"0001ff\" : "
    "f32[2], str[]\n"
    "  custom::Lists(%x) [f=[1.0, 2.5], b=[true, false], d=[?n, 2], s=[1, "
    "true], "
    "n=[none, 1]]\n"
    "  custom::Thing.v2(%a) opaque hex\"\"\n"
    "  return %b\n"
    "}\n",
    // Written arguments.
    "module {\n"
    "  %b = input f32[4,2]\n"
    "  %x = input f32[2]\n"
    "  %r = acme::push(%b, %x) : f32[2]\n"
    "  %s, %b~2 = acme::push(%b, %x) : f32[2], f32[4,2]\n"
    "  %t = acme::bump(%x) : f32[2]\n"
    "  %u = acme::bump(%x) functional : f32[2]\n"
    "  return %r, %s, %t, %u\n"
    "}\n",
    // Sizes that data decide.
    "module {\n"
    "  dim u0 = 0..6\n"
    "  %x = input f32[2,3]\n"
    "  %y = acme::above(%x) decides ?u0 : f32[?u0]\n"
    "  return %y\n"
    "}\n",
    // Regions.
    "module {\n"
    "  %p = input bool[]\n"
    "  %x = input f32[2]\n"
    "  %r = core::cond(%p, [%x]) : f32[2] @\"if\" {\n"
    "    (%a: f32[2] @\"a\") @\"then\" {\n"
    "      %b = core::mul(%a, %x) : f32[2]\n"
    "      return %b\n"
    "    }\n"
    "    (%a~2: f32[2]) {\n"
    "      %s, %s~2 = core::while([%a~2, %x]) : f32[2], f32[2] {\n"
    "        (%a~3: f32[2], %b~2: f32[2]) {\n"
    "          return %p\n"
    "        }\n"
    "        (%0: f32[2], %1: f32[2]) {\n"
    "          return %1, %0\n"
    "        }\n"
    "      }\n"
    "      return %s\n"
    "    }\n"
    "  }\n"
    "  return %r\n"
    "}\n",
    // Functions without an entry.
    "module {\n"
    "  func @0 \"\" () {\n"
    "    return\n"
    "  }\n"
    "  func @1 \"main\" (%x: f32[2]) {\n"
    "    core::call([]) [function=0]\n"
    "    return %x\n"
    "  }\n"
    "}\n",
};

static void what_was_printed_reads_back(void **state) {
  (void)state;
  EACH_ROW(i, texts) {
    world w;
    world_init(&w);
    tenon_module *m = world_parse(&w, texts[i]);
    CHECK(m, "row %zu: %s", i, w.log.text);
    CHECK_TEXT(world_print(&w, m, 0), texts[i], i);
    tenon_module_release(m);
    world_deinit(&w);
  }
}

// Texts that people write: the left prints as the right.
static void text_is_brought_to_one_form(void **state) {
  (void)state;
  static const struct {
    const char *in, *out;
  } rows[] = {
      {"module { # a comment\n"
       "  %c = const f32[2] {1, 2}     @\"a.tflite: tensor 3\"\n"
       "  %y = core::mul(%c, %c)\n"
       "  return %y\n"
       "}\n",
       "module {\n"
       "  %c = const f32[2] {1.0, 2.0} @\"a.tflite: tensor 3\"\n"
       "  %y = core::mul(%c, %c) : f32[2]\n"
       "  return %y\n"
       "}\n"},
      {"module{func@0\"f\"(%a:f32){%b=core::relu(%a)return %b}}",
       "module {\n"
       "  func @0 \"f\" (%a: f32[]) {\n"
       "    %b = core::relu(%a) : f32[]\n"
       "    return %b\n"
       "  }\n"
       "}\n"},
      {"module {\n"
       "  const %c : s32[1] = {0x10}\n"
       "  %x = input f32[2,?k]\n"
       "  %y = core::concat(%x, %x) [axis=1]\n"
       "  %z = core::conv(%x, %y)\n"
       "  return %z\n"
       "}\n",
       "module {\n"
       "  dim k = 0..\n"
       "  %c = const s32[1] {16}\n"
       "  %x = input f32[2,?k]\n"
       "  %y = core::concat([%x, %x]) [axis=1] : f32[2,?k*2]\n"
       "  %z = core::conv(%x, %y) : f32[2,?k]\n"
       "  return %z\n"
       "}\n"},
      {"module {\n"
       "  %x = input f32[4]\n"
       "  %y = acme::soft_above(%x)\n"
       "  %z = acme::above(%y)\n"
       "  return %z\n"
       "}\n",
       "module {\n"
       "  dim u0 = 0..4\n"
       "  dim u2 = 0..4\n"
       "  %x = input f32[4]\n"
       "  %y = acme::soft_above(%x) decides ?u0 : f32[?u0]\n"
       "  %z = acme::above(%y) decides ?u2 : f32[?u2]\n"
       "  return %z\n"
       "}\n"},
      {"module {\n"
       "  %p = input bool[]\n"
       "  %x = input f32[2]\n"
       "  %r, %s = core::cond(%p, [%x]) {\n"
       "    (%a: f32[2]) { %b = core::relu(%a) return %b, %b }\n"
       "    (%a: f32[2]) { return %a, %x }\n"
       "  }\n"
       "  %t = core::while(%r) {\n"
       "    (%a: f32[2]) { return %p }\n"
       "    (%a: f32[2]) { return %a }\n"
       "  }\n"
       "  return %t\n"
       "}\n",
       "module {\n"
       "  %p = input bool[]\n"
       "  %x = input f32[2]\n"
       "  %r, %s = core::cond(%p, [%x]) : f32[2], f32[2] {\n"
       "    (%a: f32[2]) {\n"
       "      %b = core::relu(%a) : f32[2]\n"
       "      return %b, %b\n"
       "    }\n"
       "    (%a~2: f32[2]) {\n"
       "      return %a~2, %x\n"
       "    }\n"
       "  }\n"
       "  %t = core::while([%r]) : f32[2] {\n"
       "    (%a~3: f32[2]) {\n"
       "      return %p\n"
       "    }\n"
       "    (%a~4: f32[2]) {\n"
       "      return %a~4\n"
       "    }\n"
       "  }\n"
       "  return %t\n"
       "}\n"},
  };
  EACH_ROW(i, rows) {
    world w;
    world_init(&w);
    tenon_module *m = world_read(&w, rows[i].in);
    CHECK_TEXT(world_print(&w, m, 0), rows[i].out, i);
    tenon_module_release(m);
    world_deinit(&w);
  }
}

static void large_constants_and_places_may_be_left_out(void **state) {
  (void)state;
  world w;
  world_init(&w);
  tenon_module *m = world_read(&w,
                               "module {\n"
                               "  metadata \"m\" = \"short\"\n"
                               "  %c = const u8[17] hex\"010203040506070809"
                               "0a0b0c0d0e0f1011\" @\"t\"\n"
                               "  return %c @\"r\"\n"
                               "}\n");
  const char *text =
      world_print(&w, m, TENON_PRINT_ELIDE | TENON_PRINT_NO_PLACES);
  CHECK_TEXT(text,
             "module {\n"
             "  metadata \"m\" = \"short\"\n"
             "  %c = const u8[17] ...\n"
             "  return %c\n"
             "}\n",
             0);
  CHECK(!world_parse(&w, w.text.data), "was read again");
  CHECK_LOG(&w.log, "text-syntax", "left out", 0);
  tenon_module_release(m);
  world_deinit(&w);
}

// Sums are ordered by what was made first; after rewriting that is another
// order than that of reading.
static void sizes_print_as_reading_makes_them(void **state) {
  (void)state;
  world w;
  world_init(&w);
  tenon_module *m = NULL;
  assert_int_equal(tenon_module_create(w.cx, "m", &m), TENON_OK);
  tenon_symbols *s = &m->symbols;
  tenon_dim a = tenon_symbols_leaf(s, "a", 0, 9);
  tenon_dim b = tenon_symbols_leaf(s, "b", 0, 9);
  tenon_dim ab = tenon_symbols_apply(s, TENON_DIM_MUL, a, b);
  tenon_dim c = tenon_symbols_leaf(s, "c", 0, 9);
  tenon_dim bc = tenon_symbols_apply(s, TENON_DIM_MUL, b, c);
  tenon_dim dims[] = {bc, tenon_symbols_apply(s, TENON_DIM_ADD, ab, c),
                      tenon_symbols_apply(s, TENON_DIM_ADD, bc, ab)};
  tenon_type type = {dims, NULL, TENON_F32, 3, 0};
  tenon_graph *g = tenon_build_function(m, "f", 0);
  assert_non_null(tenon_build_param(g, "x", &type, 0));
  char first[512];
  snprintf(first, sizeof first, "%s", world_print(&w, m, 0));
  tenon_module *again = world_parse(&w, first);
  CHECK(again, "%s", w.log.text);
  CHECK_TEXT(world_print(&w, again, 0), first, 0);
  tenon_module_release(again);
  tenon_module_release(m);
  world_deinit(&w);
}

// Ranges that allow one number make expressions into others: what is printed
// is what is left of them.
static void narrow_ranges_print_once(void **state) {
  (void)state;
  static const char *const rows[] = {
      "module { dim n = 0..2 dim m = 2..2 "
      "%x = input f32[?n%4,max(?n,?m),?n-?m,?n*?m*?k,(?k+?m)/2] return }",
      "module { dim f = float\n%x = input f32[floor(fmul(float(?n),0.3)),"
      "round(fdiv(float(?n+1),1e300)),floor(fadd(?f,-2.0))] return }",
      "module { %x = input f32[(?n-?m)*?k+?k,?n-?m+?k,?m] dim n = 3..3 "
      "dim m = 3..3 return }",
      "module { %x = input f32[?n*?m+?k*?j,?k*?j+?n*?m] dim k = 0..1 return }",
  };
  EACH_ROW(i, rows) {
    world w;
    char first[512];
    world_init(&w);
    tenon_module *m = world_parse(&w, rows[i]);
    CHECK(m, "row %zu: %s", i, w.log.text);
    snprintf(first, sizeof first, "%s", world_print(&w, m, 0));
    tenon_module *again = world_parse(&w, first);
    CHECK(again, "row %zu: %s", i, w.log.text);
    CHECK_TEXT(world_print(&w, again, 0), first, i);
    tenon_module_release(again);
    tenon_module_release(m);
    world_deinit(&w);
  }
}

static tenon_status refuse(void *self, const char *file, const char *text,
                           size_t size) {
  (void)file;
  (void)text;
  (void)size;
  return ++*(int *)self, TENON_IO;
}

// What may be called zeros is limited, for both sides alike.
static void many_zeros_are_written_out(void **state) {
  (void)state;
  world w;
  world_init(&w);
  tenon_module *m = world_parse(&w,
                                "module {\n"
                                "  %a = const u8[67108800] zeros\n"
                                "  %b = const u8[64] zeros\n"
                                "  return\n"
                                "}\n");
  CHECK(m, "%s", w.log.text);
  static const tenon_dim dims[] = {{64, 0}};
  static const tenon_type type = {dims, NULL, TENON_U8, 1, 0};
  CHECK(tenon_build_constant(m, "c", &type, NULL, false, 0), "%s", w.log.text);
  const char *text = world_print(&w, m, 0);
  CHECK(strstr(text, "%b = const u8[64] zeros\n"), "%s", text);
  CHECK(strstr(text, "%c = const u8[64] hex\"00"), "%s", text);
  tenon_module_release(m);
  world_deinit(&w);
}

static void a_writer_may_stop(void **state) {
  (void)state;
  world w;
  int calls = 0;
  world_init(&w);
  tenon_module *m = world_read(&w, texts[0]);
  assert_int_equal(tenon_print_module(m, 0, refuse, &calls), TENON_IO);
  assert_int_equal(calls, 1);
  tenon_module_release(m);
  world_deinit(&w);
}

static bool parse_and_print(const tenon_allocator *allocator, void *self) {
  world w;
  bool ok = world_try(&w, allocator);
  tenon_module *m = NULL;
  const char *text = self;
  if (ok && tenon_parse_module(w.cx, text, strlen(text), "t", &m) == TENON_OK) {
    tenon_buf_deinit(&w.text);
    ok = world_print(&w, m, 0) && tenon_verify_module(m, NULL) == TENON_OK;
    tenon_module_release(m);
  } else {
    ok = false;
  }
  CHECK(ok || w.log.errors > 0, "a failure without an error");
  world_deinit(&w);
  return ok;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  test_sweep(parse_and_print, (void *)(uintptr_t)texts[1]);
  test_sweep(parse_and_print, (void *)(uintptr_t)texts[4]);
}

TEST_GROUP(print, cmocka_unit_test(what_was_printed_reads_back),
           cmocka_unit_test(text_is_brought_to_one_form),
           cmocka_unit_test(large_constants_and_places_may_be_left_out),
           cmocka_unit_test(sizes_print_as_reading_makes_them),
           cmocka_unit_test(narrow_ranges_print_once),
           cmocka_unit_test(many_zeros_are_written_out),
           cmocka_unit_test(a_writer_may_stop),
           cmocka_unit_test(every_allocation_may_fail))
