// Tests of conf/yaml.c and yaml_get.c.
#include "conf/yaml.h"

#include "harness/harness.h"
#include "harness/log.h"

typedef struct parsed {
  test_log log;
  tenon_report report;
  tenon_arena arena;
  const tenon_yaml *root;
  tenon_status status;
} parsed;

static void parse(parsed *p, const char *text) {
  memset(p, 0, sizeof *p);
  p->report.sink = test_log_sink(&p->log);
  tenon_arena_init(&p->arena, tenon_heap());
  p->status = tenon_yaml_read(&p->arena, &p->report, TENON_BAD_PLUGIN, "x.yaml",
                              tenon_text_of(text), &p->root);
}

static void keeps_places(void **state) {
  (void)state;
  parsed p;
  parse(&p,
        "# first\n"
        "- op: add.out\n"
        "  kernels: [{ arg_meta: null, 'k': \"a\\tb\" }]\n"
        "- to: |\n"
        "\n"
        "    one\n"
        "      two\n");
  CHECK(p.status == TENON_OK, "%s", p.log.text);
  assert_int_equal(p.root->kind, TENON_YAML_LIST);
  assert_int_equal(p.root->count, 2);
  const tenon_yaml *op = tenon_yaml_get(p.root->first, "op");
  assert_string_equal(op->text.data, "add.out");
  assert_int_equal(op->line, 2);
  assert_int_equal(op->column, 7);
  assert_int_equal(op->key->column, 3);
  const tenon_yaml *kernel = tenon_yaml_get(p.root->first, "kernels")->first;
  assert_true(tenon_yaml_is_null(tenon_yaml_get(kernel, "arg_meta")));
  assert_string_equal(tenon_yaml_get(kernel, "k")->text.data, "a\tb");
  assert_false(tenon_yaml_get(kernel, "k")->is_plain);
  const tenon_yaml *to = tenon_yaml_get(p.root->first->next, "to");
  assert_string_equal(to->text.data, "\none\n  two\n");
  assert_int_equal(to->body_line, 5);
  assert_int_equal(to->body_column, 5);
  tenon_arena_deinit(&p.arena);
}

static void takes_an_empty_text(void **state) {
  (void)state;
  static const char *const texts[] = {"", "# nothing\n", "---\n...\n", "~"};
  EACH_ROW(i, texts) {
    parsed p;
    parse(&p, texts[i]);
    CHECK(p.status == TENON_OK && tenon_yaml_is_null(p.root), "row %zu: %s", i,
          p.log.text);
    tenon_arena_deinit(&p.arena);
  }
}

static void refuses_with_place(void **state) {
  (void)state;
  static const struct {
    const char *text, *error;
  } rows[] = {
      {"a: &x 1\n", "line 1, column 4: anchors (&) are not taken"},
      {"a: 1\nb: *x\n", "line 2, column 4: aliases (*) are not taken"},
      {"a: !!int 1\n", "line 1, column 4: tags (!) are not taken"},
      {"a: 1\nb: 2\n\"a\": 2\n",
       "line 3, column 1: the key 'a' stands twice; the first is in line 1"},
      {"? [1]\n: 3\n", "line 1, column 3: a list cannot be a key"},
      {"--- 1\n--- 2\n", "line 2, column 1: a second document"},
      {"a: \"\\0\"\n", "line 1, column 4: a zero byte in a text"},
      {"a: [1, 2\nb: 3\n", "line 2, column 2: "},
      {"a: 1\n b: 2\n", "line 2, column 3: mapping values are not allowed"},
      {"a:\n\tb: 1\n", "line 2, column 1: while scanning for the next token"},
      {"\xff", "[yaml-text] x.yaml: -: invalid leading UTF-8 octet (byte 0)"},
  };
  EACH_ROW(i, rows) {
    parsed p;
    parse(&p, rows[i].text);
    CHECK(p.status == TENON_BAD_PLUGIN && !p.root, "row %zu", i);
    CHECK(p.log.errors == 1, "row %zu: %s", i, p.log.text);
    CHECK_LOG(&p.log, "yaml-text", rows[i].error, i);
    tenon_arena_deinit(&p.arena);
  }
}

static void limits_depth(void **state) {
  (void)state;
  char text[2 * TENON_YAML_DEPTH + 8] = "";
  for (int more = 0; more < 2; ++more) {
    parsed p;
    size_t n = TENON_YAML_DEPTH + (size_t)more;
    memset(text, '[', n);
    memset(text + n, ']', n);
    text[2 * n] = 0;
    parse(&p, text);
    CHECK((p.status == TENON_OK) == !more, "%s", p.log.text);
    if (more) CHECK_LOG(&p.log, "yaml-text", "nest deeper than 64", 0);
    tenon_arena_deinit(&p.arena);
  }
}

static void reads_scalars(void **state) {
  (void)state;
  parsed p;
  int64_t i = 0;
  double r = 0;
  bool is = false;
  size_t word = 9;
  const char *text = NULL;
  static const char *const words[] = {"one", "two", NULL};
  parse(&p, "{i: -0x10, r: 2.5e3, t: true, f: false, s: '3', w: two}");
  assert_int_equal(
      tenon_yaml_int(tenon_yaml_get(p.root, "i"), INT64_MIN, INT64_MAX, &i), 0);
  assert_int_equal(i, -16);
  assert_int_equal(tenon_yaml_real(tenon_yaml_get(p.root, "r"), &r), 0);
  assert_true(r == 2500);
  assert_int_equal(tenon_yaml_bool(tenon_yaml_get(p.root, "t"), &is), 0);
  assert_true(is);
  assert_int_equal(tenon_yaml_bool(tenon_yaml_get(p.root, "f"), &is), 0);
  assert_false(is);
  assert_int_equal(tenon_yaml_text(tenon_yaml_get(p.root, "s"), &text), 0);
  assert_string_equal(text, "3");
  assert_int_equal(tenon_yaml_word(tenon_yaml_get(p.root, "w"), words, &word),
                   0);
  assert_int_equal(word, 1);
  tenon_arena_deinit(&p.arena);
}

// What each question says of each kind of node.
static tenon_status ask(const tenon_yaml *root, const char *what) {
  static const char *const known[] = {"kernels", "kernel_name", "op", NULL};
  const tenon_yaml *at = tenon_yaml_get(root, "a"), *out = NULL;
  const char *text = NULL;
  int64_t i = 0;
  double r = 0;
  bool is = false;
  size_t word = 0;
  if (!strcmp(what, "keys")) return tenon_yaml_keys(at, known);
  if (!strcmp(what, "need")) return tenon_yaml_need(at, "op", &out);
  if (!strcmp(what, "list")) return tenon_yaml_list(at);
  if (!strcmp(what, "text")) return tenon_yaml_text(at, &text);
  if (!strcmp(what, "bool")) return tenon_yaml_bool(at, &is);
  if (!strcmp(what, "int")) return tenon_yaml_int(at, INT64_MIN, INT64_MAX, &i);
  if (!strcmp(what, "from 0")) return tenon_yaml_int(at, 0, INT64_MAX, &i);
  if (!strcmp(what, "to 9")) return tenon_yaml_int(at, 0, 9, &i);
  if (!strcmp(what, "real")) return tenon_yaml_real(at, &r);
  return tenon_yaml_word(at, known, &word);
}

static void says_expected_and_found(void **state) {
  (void)state;
  static const struct {
    const char *what, *text, *id, *error;
  } rows[] = {
      {"keys", "a: {kernel_nam: 1}", "yaml-key",
       "line 1, column 5: unknown key 'kernel_nam'; did you mean "
       "'kernel_name'?\n    note: keys here are 'kernels', 'kernel_name' and "
       "'op'"},
      {"keys", "a: {x: 1, y: 2}", "yaml-key", "unknown key 'y'\n"},
      {"keys", "a: [1]", "yaml-value", "expected a map, found a list"},
      {"need", "a: {x: 1}", "yaml-key", "column 4: the key 'op' is missing"},
      {"need", "a: {op: }", "yaml-value", "the key 'op' has no value"},
      {"list", "a: {x: 1}", "yaml-value", "expected a list, found a map"},
      {"list", "a:", "yaml-value", "expected a list, found nothing"},
      {"text", "a: ~", "yaml-value", "expected a text, found nothing"},
      {"bool", "a: yes", "yaml-value", "expected true or false, found 'yes'"},
      {"bool", "a: 'true'", "yaml-value", "found the text 'true'"},
      {"int", "a: 1.5", "yaml-value", "expected an integer, found '1.5'"},
      {"from 0", "a: -1", "yaml-value", "an integer from 0 on, found '-1'"},
      {"to 9", "a: 10", "yaml-value", "an integer from 0 to 9, found '10'"},
      {"real", "a: x\x07y", "yaml-text", "control characters"},
      {"real", "a: \"x\\ay\"", "yaml-value", "found the text 'x?y'"},
      {"word", "a: kernelz", "yaml-value",
       "expected another word than 'kernelz'; did you mean 'kernels'?"},
      {"word", "a: []", "yaml-value", "expected a word, found a list"},
  };
  EACH_ROW(i, rows) {
    parsed p;
    parse(&p, rows[i].text);
    if (p.root) p.status = ask(p.root, rows[i].what);
    CHECK(p.status == TENON_BAD_PLUGIN, "row %zu", i);
    CHECK_LOG(&p.log, rows[i].id, rows[i].error, i);
    tenon_arena_deinit(&p.arena);
  }
}

static bool reads(const tenon_allocator *allocator, void *self) {
  tenon_arena arena;
  tenon_report report = {{0}};
  const tenon_yaml *root = NULL;
  tenon_arena_init(&arena, *allocator);
  tenon_status status =
      tenon_yaml_read(&arena, &report, TENON_BAD_PLUGIN, "x.yaml",
                      tenon_text_of((const char *)self), &root);
  tenon_arena_deinit(&arena);
  CHECK(status == TENON_OK || status == TENON_NO_MEMORY, "%d", (int)status);
  return status == TENON_OK;
}

static void says_that_memory_ran_out(void **state) {
  (void)state;
  char text[] = "a: [1, {b: 2}]\nc: |\n   x\n";
  test_sweep(reads, text);
}

TEST_GROUP(yaml, cmocka_unit_test(keeps_places),
           cmocka_unit_test(takes_an_empty_text),
           cmocka_unit_test(refuses_with_place), cmocka_unit_test(limits_depth),
           cmocka_unit_test(reads_scalars),
           cmocka_unit_test(says_expected_and_found),
           cmocka_unit_test(says_that_memory_ran_out))
