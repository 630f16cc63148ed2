// Several memories: what lies where, and what does not fit.
#include "harness/model.h"
#include "program/program.h"
#include "tenon/ext/plugin.h"
#include "tenon/ext/target.h"

// Two wide values are alive at once; x is 256 bytes, a and b are 1024.
#define TEXT                                                              \
  "module { %x = input f32[64]\n"                                         \
  "%w = const f32[4] {1,2,3,4}\n%v = const f32[64] zeros\n"               \
  "%a = core::pad(%x) [before=[0], after=[192]]\n"                        \
  "%b = core::pad(%x) [before=[64], after=[128]]\n"                       \
  "%c = core::add(%a, %b)\n%d = core::pad(%w) [before=[0], after=[60]]\n" \
  "%e = core::mul(%d, %v)\nreturn %c, %e }"

static tenon_status compile(test_model *t, const char *const *memories,
                            const char *const *places, tenon_program **out) {
  tenon_compile_options o = {.struct_size = sizeof o,
                             .pipeline = NO_PASSES,
                             .memories = memories,
                             .places = places};
  tenon_module *m = model_read(t, TEXT);
  const tenon_entry entry = {NULL, m, NULL};
  tenon_status status = tenon_program_compile(&entry, 1, &o, out);
  tenon_module_destroy(m);
  return status;
}

static const tenon_span_record *find(const tenon_program *p, const char *name) {
  for (uint32_t i = 0; i < p->n_spans; ++i)
    if (strcmp(p->spans[i].name, name) == 0) return &p->spans[i];
  CHECK(false, "no buffer '%s'", name);
  return NULL;
}

static void bits(test_model *t, const tenon_program *p, tenon_buf *out) {
  test_run r;
  (void)t;
  run_open(&r, p, 0, NULL);
  run_append(&r, 2, out);
  run_close(&r);
}

static void goes_on_where_there_is_no_room(void **state) {
  static const struct {
    const char *memories[5], *places[3];
    const char *a, *x;  // the memories they are in
  } rows[] = {
      {{"all=any"}, {NULL}, "all", "all"},
      {{"one=4K", "two=4K"}, {NULL}, "one", "one"},
      // Room for one of the wide ones; x is read most and stays.
      {{"one=1500", "two=4K", "rom=1K:rom"}, {NULL}, "two", "one"},
      {{"one=64K", "two=4K"}, {"a=two"}, "two", "one"},
      {{"one=64K", "two=4K"}, {"input:*=two"}, "one", "two"},
      {{"rom=4K:rom", "one=64K", "two=4K"}, {"x=two@128"}, "one", "two"},
  };
  test_model t;
  tenon_program *p = NULL;
  tenon_buf want;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&want, tenon_heap());
  CHECK(compile(&t, NULL, NULL, &p) == TENON_OK, "%s", t.log.text);
  bits(&t, p, &want);
  tenon_program_destroy(p);
  EACH_ROW(i, rows) {
    tenon_buf got;
    tenon_buf_init(&got, tenon_heap());
    tenon_status status = compile(&t, rows[i].memories, rows[i].places, &p);
    CHECK(status == TENON_OK, "row %zu: %s", i, t.log.text);
    const tenon_span_record *a = find(p, "a"), *x = find(p, "x");
    const tenon_span_record *b = find(p, "b");
    bool is_split = strcmp(rows[i].a, rows[i].x) != 0 && !rows[i].places[0];
    // Of two that are alike either may go.
    const tenon_span_record *went =
        is_split && strcmp(p->banks[b->bank].name, rows[i].a) == 0 ? b : a;
    CHECK(strcmp(p->banks[went->bank].name, rows[i].a) == 0, "row %zu", i);
    CHECK(strcmp(p->banks[x->bank].name, rows[i].x) == 0, "row %zu", i);
    for (uint32_t k = 0; k < p->n_banks; ++k)
      CHECK(p->banks[k].arena + p->banks[k].constants <= p->banks[k].capacity,
            "row %zu: %s", i, p->banks[k].name);
    for (uint32_t k = 0; k < p->n_constants; ++k)
      CHECK(p->constants[k].bank == 0 ||
                p->banks[p->constants[k].bank - 1].is_rom,
            "row %zu", i);
    if (rows[i].places[0] && strstr(rows[i].places[0], "@128"))
      CHECK(x->offset - p->banks[x->bank].base == 128, "row %zu", i);
    bits(&t, p, &got);
    CHECK(got.size == want.size && !memcmp(got.data, want.data, got.size),
          "row %zu: other bytes", i);
    tenon_buf_deinit(&got);
    tenon_program_destroy(p);
  }
  tenon_buf_deinit(&want);
  model_close(&t);
}

static void says_what_does_not_fit(void **state) {
  static const struct {
    const char *memories[4], *places[3];
    tenon_status status;
    const char *id, *part;
  } rows[] = {
      {{"one=1K"}, {NULL}, TENON_NO_SPACE, "plan-memory", "too small by"},
      {{"one=1K", "two=64"}, {NULL}, TENON_NO_SPACE, "plan-memory", "'two'"},
      {{"one=4K", "two=64"},
       {"a=two"},
       TENON_NO_SPACE,
       "plan-memory",
       "a 1024"},
      {{"one=4K", "f=64:rom"},
       {NULL},
       TENON_NO_SPACE,
       "plan-memory",
       "constant"},
      {{"one=4K", "f=64:rom"},
       {"x=f"},
       TENON_BAD_ARGUMENT,
       "plan-memory-rom",
       "'x=f'"},
      {{"one=2500"},
       {"constant:v=one"},
       TENON_NO_SPACE,
       "plan-memory",
       "256 of constants"},
      {{"one=4K", "f=130:rom"},
       {"constant:v=one"},
       TENON_NO_SPACE,
       "plan-memory",
       "constant 'v'"},
      {{"one=1500"},
       {NULL},
       TENON_NO_SPACE,
       "plan-memory",
       "enough would be 'one=2368'"},
      {{"one=1500"},
       {NULL},
       TENON_NO_SPACE,
       "plan-memory",
       "room for buffers is 1436 bytes; of these fit: "},
      {{"one=4K"},
       {"constant:v=one@64"},
       TENON_BAD_ARGUMENT,
       "plan-memory-text",
       "no '@'"},
      {{"one=4K:align=32"},
       {"a=one@16"},
       TENON_BAD_ARGUMENT,
       "plan-memory-text",
       "a multiple of the memory's alignment"},
      {{"one=4K:align=48"},
       {NULL},
       TENON_BAD_ARGUMENT,
       "plan-memory-text",
       "align=48"},
      {{"one=4K:align=128"},
       {NULL},
       TENON_BAD_ARGUMENT,
       "plan-memory-text",
       "up to 64"},
      {{"one=4K:prefetch"},
       {NULL},
       TENON_BAD_ARGUMENT,
       "plan-memory-text",
       "'cold' where 'prefetch' is"},
      {{"one=4K:ram:rom"},
       {NULL},
       TENON_BAD_ARGUMENT,
       "plan-memory-text",
       "one of 'ram', 'rom' and 'cold'"},
      {{"one=4K", "f=64:cold"},
       {"constant:v=f"},
       TENON_NO_SPACE,
       "plan-memory",
       "constant 'v'"},
      {{"one=4K", "f=64:cold"},
       {"x=f"},
       TENON_BAD_ARGUMENT,
       "plan-memory-rom",
       "'x=f'"},
      {{"one=8K"},
       {"a=one@0", "b=one@512"},
       TENON_BAD_ARGUMENT,
       "plan-place",
       "b=one@512"},
      {{"one=8K"}, {"a=one@3"}, TENON_BAD_ARGUMENT, "plan-place", "a=one@3"},
      {{"one=8K"},
       {"a=four"},
       TENON_BAD_ARGUMENT,
       "plan-memory-text",
       "a=four"},
      {{"one=8K"}, {"a=one@x"}, TENON_BAD_ARGUMENT, "plan-memory-text", "@x"},
      {{"one"}, {NULL}, TENON_BAD_ARGUMENT, "plan-memory-text", "NAME=SIZE"},
      {{"one=8Q"}, {NULL}, TENON_BAD_ARGUMENT, "plan-memory-text", "8Q"},
      {{"one=8K:wom"}, {NULL}, TENON_BAD_ARGUMENT, "plan-memory-text", "wom"},
      {{"one=99999999999G"},
       {NULL},
       TENON_BAD_ARGUMENT,
       "plan-memory-text",
       "9G"},
      {{"one=8K", "ONE=8K"},
       {NULL},
       TENON_BAD_ARGUMENT,
       "plan-memory-text",
       "ONE"},
      {{"o-ne=8K"}, {NULL}, TENON_BAD_ARGUMENT, "plan-memory-text", "o-ne"},
      {{"f=8K:rom"}, {NULL}, TENON_BAD_ARGUMENT, "plan-memory-text", "rom"},
      {{NULL}, {"a=one"}, TENON_BAD_ARGUMENT, "plan-memory-text", "a=one"},
  };
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows) {
    tenon_program *p = NULL;
    test_log_clear(&t.log);
    tenon_status status = compile(
        &t, rows[i].memories[0] ? rows[i].memories : NULL, rows[i].places, &p);
    CHECK(status == rows[i].status, "row %zu: status %d\n%s", i, (int)status,
          t.log.text);
    CHECK(strstr(t.log.text, rows[i].id) && strstr(t.log.text, rows[i].part),
          "row %zu: %s", i, t.log.text);
    tenon_program_destroy(p);
  }
  model_close(&t);
}

static void warns_of_what_matches_nothing(void **state) {
  static const char *const memories[] = {"one=8K", NULL};
  static const char *const places[] = {"x=one", "nobody=one", NULL};
  static const char *const cold[] = {"one=8K", "ext=1K:cold", NULL};
  static const char *const constants[] = {"constant:w=ext", "constant:z=ext",
                                          NULL};
  test_model t;
  tenon_program *p = NULL;
  (void)state;
  model_open(&t, NULL);
  CHECK(compile(&t, memories, places, &p) == TENON_OK, "%s", t.log.text);
  CHECK(strstr(t.log.text, "plan-place-unused") &&
            strstr(t.log.text, "nobody=one") && !strstr(t.log.text, "'x=one'"),
        "%s", t.log.text);
  tenon_program_destroy(p);
  test_log_clear(&t.log);
  CHECK(compile(&t, cold, constants, &p) == TENON_OK, "%s", t.log.text);
  CHECK(strstr(t.log.text, "'constant:z=ext'") &&
            !strstr(t.log.text, "'constant:w=ext'"),
        "%s", t.log.text);
  tenon_program_destroy(p);
  model_close(&t);
}

// What a hook was asked for.
typedef struct cold {
  char text[256];
  tenon_status status;
} cold;
static tenon_status hydrate(void *self, const tenon_cold_block *block,
                            void *to) {
  cold *c = (cold *)self;
  size_t at = strlen(c->text);
  snprintf(c->text + at, sizeof c->text - at, "%s %s %d %d; ", block->memory,
           block->name, (int)block->offset, (int)block->size);
  memcpy(to, block->data, (size_t)block->size);
  return c->status;
}

static void asks_for_what_is_cold(void **state) {
  static const char *const memories[] = {"one=8K", "ext=1K:cold", NULL};
  static const char *const places[] = {"constant:*=ext", NULL};
  test_model t;
  test_run r;
  cold c = {"", TENON_OK};
  tenon_session_options o = {
      .struct_size = sizeof o, .hydrate = hydrate, .hydrate_self = &c};
  tenon_program *p = NULL;
  tenon_buf want, got;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&want, tenon_heap());
  tenon_buf_init(&got, tenon_heap());
  CHECK(compile(&t, NULL, NULL, &p) == TENON_OK, "%s", t.log.text);
  bits(&t, p, &want);
  tenon_program_destroy(p);
  CHECK(compile(&t, memories, places, &p) == TENON_OK, "%s", t.log.text);
  CHECK(p->banks[1].constants == 272, "%d", (int)p->banks[1].constants);
  bits(&t, p, &got);
  CHECK(got.size == want.size && !memcmp(got.data, want.data, got.size),
        "without a hook");
  // The staging buffers are planned, and are free outside of their step.
  CHECK(find(p, "w")->last - find(p, "w")->first <= 1, "w stays");
  run_open(&r, p, 0, &o);
  assert_int_equal(run_once(&r), TENON_OK);
  CHECK(strstr(c.text, "ext w 0 16; ") && strstr(c.text, "ext v 16 256; "),
        "%s", c.text);
  c.status = TENON_IO;
  test_log_clear(&t.log);
  assert_int_equal(run_once(&r), TENON_IO);
  CHECK(strstr(t.log.text, "run-hydrate") && strstr(t.log.text, "'ext'"), "%s",
        t.log.text);
  run_close(&r);
  tenon_buf_deinit(&want);
  tenon_buf_deinit(&got);
  tenon_program_destroy(p);
  model_close(&t);
}

static const tenon_target_desc board = {
    .struct_size = sizeof(tenon_target_desc),
    .name = "board",
    .doc = "A board with two memories.",
    .memories = "fast=1500 slow=8K flash=8K:rom",
};
static const tenon_plugin plugin = {
    TENON_PLUGIN_HEADER,
    .name = "board",
    .version = "1.0.0",
    .targets = (const tenon_target_desc *const[]){&board, NULL},
};

static void takes_the_memories_of_the_target(void **state) {
  test_model t;
  tenon_program *p = NULL;
  tenon_module *m = NULL;
  tenon_read_options o = {.struct_size = sizeof o, .name = "t.tenon"};
  (void)state;
  model_open(&t, &plugin);
  CHECK(tenon_module_read(t.cx, TEXT, strlen(TEXT), &o, &m) == TENON_OK &&
            tenon_module_set_target(m, "board") == TENON_OK,
        "%s", t.log.text);
  const tenon_entry entry = {NULL, m, NULL};
  CHECK(tenon_program_compile(&entry, 1, NULL, &p) == TENON_OK, "%s",
        t.log.text);
  CHECK(p->n_banks == 3 && strcmp(p->banks[0].name, "fast") == 0 &&
            p->banks[0].capacity == 1500 && p->banks[2].is_rom,
        "%u memories", p->n_banks);
  CHECK(p->banks[1].arena > 0 && p->banks[2].constants > 0, "nothing went on");
  tenon_program_destroy(p);
  tenon_module_destroy(m);
  model_close(&t);
}

TEST_GROUP(banks, cmocka_unit_test(goes_on_where_there_is_no_room),
           cmocka_unit_test(says_what_does_not_fit),
           cmocka_unit_test(warns_of_what_matches_nothing),
           cmocka_unit_test(asks_for_what_is_cold),
           cmocka_unit_test(takes_the_memories_of_the_target))
