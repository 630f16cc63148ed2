// What is no text IR: the first fault ends parsing, with line and column.
#include "ir/infer/infer.h"
#include "ir/verify/verify.h"
#include "world.h"

static const struct {
  const char *text, *where, *message;
} faults[] = {
    {"", "line 1, column 1", "expected 'module', found the end of the text"},
    {"modul", "line 1, column 1", "expected 'module', found 'modul'"},
    {"module", "line 1, column 7", "expected '{', found the end"},
    {"module {", "line 1, column 9", "expected an operator, found the end"},
    {"module {\n  }\n x", "line 3, column 2", "expected the end of the text"},
    {"module \"a\\q\" {}", "line 1, column 8", "an escape in a string"},
    {"module \"a\\x0\" {}", "line 1, column 8", "an escape in a string"},
    {"module \"a\\x00\" {}", "line 1, column 8", "a zero byte in a name"},
    {"module \"a\n\" {}", "line 1, column 8", "a string without end"},
    {"module { \x01 }", "line 1, column 10", "found the byte 0x01"},
    {"module { \xff }", "line 1, column 10", "found the byte 0xff"},
    // Items.
    {"module { format f }", "line 1, column 17", "expected a string"},
    {"module { metadata \"a\" = ... }", "line 1, column 25", "left out"},
    {"module { metadata \"a\" = hex\"0\" }", "line 1, column 28",
     "half a byte"},
    {"module { metadata \"a\" = hex\"0g\" }", "line 1, column 28",
     "byte 0 is not two digits"},
    {"module { guard eq(3, 4) \"why\" }", "", "never holds: eq(3, 4), why"},
    {"module { guard gt(3, 4) }", "line 1, column 16", "'eq', 'ne', 'lt' or"},
    {"module { dim f = float guard eq(?f, 4) }", "line 1, column 30",
     "what is no size"},
    {"module { %x = input f32[?f] dim f = float }", "line 1, column 37",
     "is used above"},
    {"module { dim n = 3..2 }", "line 1, column 18", "a range without numbers"},
    {"module { dim n = 1..2 dim n = 1..2 }", "line 1, column 31",
     "a symbol has two ranges"},
    {"module { dim = 3 }", "line 1, column 14", "the name of a symbol"},
    {"module { dim a::b = 3.. }", "line 1, column 14", "the name of a symbol"},
    {"module { dim n = 99999999999999999999.. }", "line 1, column 18",
     "'99999999999999999999' is no integer of 64 bits"},
    {"module { state \"s\" : f32[] state \"s\" : f32[] }", "line 1, column 34",
     "there are two states 's'"},
    {"module { state \"s\" : f32[?n] = {} }", "line 1, column 32",
     "cannot be counted"},
    {"module { entry \"e\" = @0 () -> () }", "line 1, column 16",
     "there is no function @0"},
    {"module { func @0 \"f\" () { return } entry \"e\" = @0 (\"x\") -> () }",
     "line 1, column 42", "0 parameters and 0 results, not 1 and 0"},
    {"module { %x = input f32[] return %x into 0, %x }", "line 1, column 48",
     "expected 'into', found '}'"},
    {"module { %x = input f32[] return %x into 65536 }", "line 1, column 42",
     "there is no input 65536"},
    {"module { return into 0 }", "line 1, column 17", "expected '}'"},
    {"module { func @0 \"f\" () { return } entry \"e\" = @0 () -> () into () }",
     "line 1, column 66", "expected a number, found ')'"},
    {"module { entry \"e\" @0 }", "line 1, column 20", "expected '='"},
    {"module { entry \"e\" = @0 () }", "line 1, column 28", "expected '->'"},
    {"module { func @1 \"f\" () { return } }", "line 1, column 15",
     "expected function @0, found @1"},
    {"module { func @0 \"f\" () { } }", "line 1, column 27",
     "expected a statement or 'return'"},
    {"module { func @0 \"f\" () { return } return }", "line 1, column 36",
     "expected an item of a module"},
    {"module { return func @0 \"f\" () { return } }", "line 1, column 22",
     "a function beside a body"},
    {"module { return return }", "line 1, column 17",
     "'}' behind the end of the body"},
    {"module { %x = input f32[] }", "line 1, column 27", "expected 'return'"},
    {"module { func @0 \"f\" () { %x = input f32[] return } }",
     "line 1, column 27", "an input in a function"},
    // Types and sizes.
    {"module { %x = input f33[] }", "line 1, column 21", "expected a type"},
    {"module { %x = input f32[1,2,3,4,5,6,7,8,9] }", "line 1, column 41",
     "more than 8 dimensions"},
    {"module { %x = input f32[a] }", "line 1, column 25", "expected a size"},
    {"module { %x = input f32[1/0] }", "line 1, column 26", "divided by zero"},
    {"module { %x = input f32[?n*9223372036854775807*?n*4] }",
     "line 1, column 50", "does not fit 64 bits"},
    {"module { %x = input f32[? n] }", "line 1, column 27", "name of a symbol"},
    {"module { %x = input s8[2]{[1,2]:[0]@0} }", "line 1, column 27",
     "2 scales with 1 zero points"},
    {"module { %x = input s8[2]{1:99999999999} }", "line 1, column 29",
     "does not fit 32 bits"},
    {"module { %x = input s8[2]{x:0} }", "line 1, column 27",
     "'x' is no number"},
    // Constants.
    {"module { %c = const f32[2] {1} return }", "line 1, column 28",
     "has 2 elements, found fewer"},
    {"module { %c = const f32[2] {1, 2, 3} return }", "line 1, column 28",
     "has 2 elements, found more"},
    {"module { %c = const f32[2] 1 return }", "line 1, column 28",
     "expected '{', 'zeros', 'apart' or 'hex'"},
    {"module { %c = const s8[1] {128} return }", "line 1, column 28",
     "'128' is no element of type 's8'"},
    {"module { %c = const s8[1] {1.5} return }", "line 1, column 28",
     "'1.5' is no element of type 's8'"},
    {"module { %c = const c64[1] {1} return }", "line 1, column 28",
     "of type 'c64' are written hex"},
    {"module { %c = const f32[1000000000] {1} return }", "line 1, column 37",
     "has 1000000000 elements, found fewer"},
    {"module { %c = const u8[2] hex\"00\" return }", "line 1, column 30",
     "has 2 bytes, found 2 digits"},
    {"module { %c = const u8[1] hex\"G0\" return }", "line 1, column 30",
     "byte 0 is not two digits"},
    {"module { %c = const u8[1000000000] zeros return }", "line 1, column 36",
     "bytes of zeros"},
    {"module { %c = const f32[2147483647,2147483647,9] zeros return }",
     "line 1, column 50", "cannot be counted"},
    {"module { %c = const f32[1] ... return }", "line 1, column 28",
     "left out"},
    {"module { %c = const str[2] {\"a\"} return }", "line 1, column 28",
     "has 2 elements, found fewer"},
    {"module { %c = const f32[?n] {} return }", "line 1, column 29",
     "cannot be counted"},
    // Names.
    {"module { return %x }", "line 1, column 17", "'%x' is not defined here"},
    {"module { %x = input f32[] %x = input f32[] return }", "line 1, column 27",
     "is defined already"},
    {"module { %x = input f32[] %y = core::relu(% x) return }",
     "line 1, column 45", "a name behind '%'"},
    {"module { %p = input bool[] %x = input f32[] %r = core::cond(%p, [%x]) { "
     "(%a: f32[]) { return %a } (%x: f32[]) { return %x } } return }",
     "line 1, column 100", "is defined already"},
    {"module { %p = input bool[] %x = input f32[] %r = core::cond(%p, [%x]) { "
     "(%a: f32[]) { return %a } (%b: f32[]) { return %a } } return }",
     "line 1, column 120", "'%a' is not defined here"},
    {"module { %a::b = input f32[] return }", "line 1, column 11",
     "a name behind '%'"},
    // Statements.
    {"module { %x = input f32[]\n  %y = core::relu(%x) : f32[], f32[]\n"
     "  return %y }",
     "line 2, column 23", "2 types for 1 results"},
    {"module { %x = input f32[]\n  %y = core::relu(%x, %x)\n  return %y }",
     "line 2, column 3", "'core::relu' has 1 operand by the schema of"},
    {"module { %x = input f32[]\n  %y = core::relu()\n  return %y }",
     "line 2, column 3", "'core::relu': operand 'x' is missing"},
    {"module { %x = input f32[]\n  %y = core::relu(none)\n  return %y }",
     "line 2, column 3", "'core::relu': operand 'x' is missing"},
    {"module { %x = input f32[]\n  %y = core::relu([%x])\n  %z = core::relu("
     "[])\n return %y }",
     "line 3, column 3", "'core::relu': operand 'x' is one tensor, found 0"},
    {"module { %x = input f32[]\n  %y, %z = core::relu(%x)\n  return %y }",
     "line 2, column 3",
     "'core::relu' has 1 result by the schema of 'core', found 2"},
    {"module { %x = input f32[]\n  core::relu(%x)\n  return }",
     "line 2, column 3",
     "'core::relu' has 1 result by the schema of 'core', found 0"},
    {"module { %x = input f32[]\n  %y = acme::gain(%x) [gian=2]\n return }",
     "line 2, column 3", "did you mean 'gain'?"},
    {"module { %x = input f32[]\n  %y = acme::gain(%x) [gain=\"a\"]\n return }",
     "line 2, column 3", "expected float, found str"},
    {"module { %x = input f32[]\n  %y = acme::many(%x) [ints=[1, f32]] return "
     "}",
     "line 2, column 30", "what does not go together"},
    {"module { %x = input f32[]\n  %y = acme::many(%x) [ints=[?n, 1.0]] return "
     "}",
     "line 2, column 30", "what does not go together"},
    {"module { %x = input f32[]\n  %y = acme::many(%x) [strs=[\"a\", 1]] "
     "return }",
     "line 2, column 30", "what does not go together"},
    {"module { %x = input f32[]\n  %y = acme::many(%x) [i=word] return }",
     "line 2, column 26", "'word' is no value"},
    {"module { %x = input f32[]\n  %y = core::rely(%x)\n  return %y }",
     "line 2, column 3", "'core::rely' is not known"},
    {"module { %x = input f32[]\n  %y = \"\"(%x)\n  return %y }",
     "line 2, column 8", "an operator without a name"},
    {"module { %x = input f32[] return none }", "line 1, column 34",
     "expected '}' behind the end of the body"},
    {"module { %x = input f32[] return %x, none }", "line 1, column 27",
     "result 1 of function 'main' is missing"},
    // Places.
    {"module { return @ }", "line 1, column 19", "expected a string"},
    {"module { return @fused(\"a\" }", "line 1, column 28", "expected ')'"},
    {"module { return @\"a\" bytes -1:2 }", "line 1, column 28",
     "a place before the file"},
};

static void faults_have_line_and_column(void **state) {
  (void)state;
  EACH_ROW(i, faults) {
    world w;
    world_init(&w);
    CHECK(!world_parse(&w, faults[i].text), "row %zu was read", i);
    CHECK(w.log.errors == 1, "row %zu: %s", i, w.log.text);
    CHECK(strstr(w.log.text, faults[i].where), "row %zu: %s, not at %s", i,
          w.log.text, faults[i].where);
    CHECK(strstr(w.log.text, faults[i].message), "row %zu: %s", i, w.log.text);
    world_deinit(&w);
  }
}

// A prefix of a module is never one, and never more than an error.
static void every_prefix_fails(void **state) {
  (void)state;
  static const char text[] =
      "module \"m\" {\n"
      "  dim n = 1..64 stored 7\n"
      "  state \"s\" : s8[1]{0.5:1} = {3} @\"p\" \"o\" in \"f\" bytes 1:2\n"
      "  const %c : f32[2] = {1.5, -inf}\n"
      "  entry \"e\" = @0 (\"x\") -> (\"y\")\n"
      "  func @0 \"main\" (%x: f32[?n,2]) {\n"
      "    %y = core::mul(%x, %c) [lo=0.0] : f32[?n,2] @fused(\"a\", \"b\")\n"
      "    [%p, %q], %r = acme::split(%x) : f32[2], f32[2], f32[2]\n"
      "    return %y\n"
      "  }\n"
      "}";
  world w;
  world_init(&w);
  for (size_t n = 0; n < sizeof text - 1; ++n) {
    tenon_module *m = NULL;
    test_log_clear(&w.log);
    CHECK(tenon_parse_module(w.cx, text, n, "t", &m) == TENON_BAD_MODEL,
          "%zu bytes", n);
    CHECK(!m && w.log.errors == 1, "%zu bytes: %s", n, w.log.text);
  }
  tenon_module *m = world_parse(&w, text);
  CHECK(m, "%s", w.log.text);
  tenon_module_release(m);
  world_deinit(&w);
}

static void nesting_is_bounded(void **state) {
  (void)state;
  enum { DEEP = 100000 };
  static char text[DEEP * 40];
  world w;
  world_init(&w);
  size_t n = (size_t)sprintf(text, "module { %%x = input f32[");
  memset(text + n, '(', DEEP);
  text[n + DEEP] = 0;
  CHECK(!world_parse(&w, text), "parentheses");
  CHECK_LOG(&w.log, "text-syntax", "more than 64 parentheses", 0);
  test_log_clear(&w.log);
  n = (size_t)sprintf(text, "module { %%x = input f32[] ");
  for (int i = 0; i < DEEP; ++i)
    n += (size_t)sprintf(text + n, "%%a%d = a::b(%%x) : f32[] { () { ", i);
  CHECK(!world_parse(&w, text), "regions");
  CHECK_LOG(&w.log, "text-syntax", "more than 64 regions", 0);
  world_deinit(&w);
}

// 64 regions are fine, down to where everything recurses.
static void deep_regions_live(void **state) {
  (void)state;
  static char text[32768];
  world w;
  world_init(&w);
  size_t n = (size_t)sprintf(text, "module { %%x = input f32[] ");
  for (int i = 0; i < 64; ++i)
    n += (size_t)sprintf(text + n, "%%a%d = a::b(%%x) : f32[] { () { ", i);
  n += (size_t)sprintf(text + n, "return %%x } } ");
  for (int i = 62; i >= 0; --i)
    n += (size_t)sprintf(text + n, "return %%a%d } } ", i + 1);
  sprintf(text + n, "return %%a0 }");
  tenon_module *m = world_read(&w, text);
  CHECK(world_print(&w, m, 0), "%s", w.log.text);
  tenon_module_release(m);
  world_deinit(&w);
}

static void text_is_recognised(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool is_text;
  } rows[] = {{"module {", true}, {"# x\n \t\r\nmodule \"a\" {", true},
              {"module{", true},  {"module\"a\"{", true},
              {"module", false},  {"modules {", false},
              {"", false},        {"# module {", false},
              {"TFL3", false},    {" module#\n{", true}};
  EACH_ROW(i, rows)
  CHECK(tenon_parse_recognise(rows[i].text, strlen(rows[i].text)) ==
            rows[i].is_text,
        "row %zu", i);
}

static void lines_are_places_that_are_not_printed(void **state) {
  (void)state;
  world w;
  world_init(&w);
  tenon_module *m = world_read(&w,
                               "module {\n"
                               "  %x = input f32[2]\n"
                               "  %y = core::relu(%x)\n"
                               "  %z = core::relu(%y) @\"op 2\"\n"
                               "  return %z\n"
                               "}\n");
  tenon_node *first = world_find(m, "core::relu");
  CHECK_TEXT(tenon_node_place(first)->where, "line 3, column 3", 0);
  CHECK_TEXT(tenon_node_place(first)->file, "t.tenon", 0);
  tenon_loc both[] = {first->loc, first->next->loc};
  first->loc = tenon_locs_fuse(&m->locs, both, 2);
  CHECK_TEXT(world_print(&w, m, 0),
             "module {\n"
             "  %x = input f32[2]\n"
             "  %y = core::relu(%x) : f32[2] @\"op 2\"\n"
             "  %z = core::relu(%y) : f32[2] @\"op 2\"\n"
             "  return %z\n"
             "}\n",
             0);
  tenon_module_release(m);
  world_deinit(&w);
}

TEST_GROUP(parse, cmocka_unit_test(faults_have_line_and_column),
           cmocka_unit_test(every_prefix_fails),
           cmocka_unit_test(nesting_is_bounded),
           cmocka_unit_test(deep_regions_live),
           cmocka_unit_test(text_is_recognised),
           cmocka_unit_test(lines_are_places_that_are_not_printed))
