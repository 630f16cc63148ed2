// Constants of memories that are cold and asked ahead: who is asked for what,
// in which order, and that the place of each is its own from the first call on.
#include "harness/model.h"
#include "program/program.h"

typedef struct record {
  char text[1024];
  bool is_early;  // bytes come when they are asked for, else when waited for
  tenon_status begins, ends;
} record;

static void note(record *r, const char *what, const char *name) {
  size_t at = strlen(r->text);
  snprintf(r->text + at, sizeof r->text - at, "%s %s; ", what, name);
}

static tenon_status prefetch(void *self, const tenon_cold_block *block,
                             void *to) {
  record *r = (record *)self;
  note(r, "begin", block->name);
  if (r->is_early)
    memcpy(to, block->data, (size_t)block->size);
  else
    memset(to, 0xA5, (size_t)block->size);
  return r->begins;
}

static tenon_status hydrate(void *self, const tenon_cold_block *block,
                            void *to) {
  record *r = (record *)self;
  note(r, "wait", block->name);
  if (!r->is_early) memcpy(to, block->data, (size_t)block->size);
  return r->ends;
}

static tenon_status observe(void *self, const tenon_step_info *info) {
  if (strcmp(info->op, "core::copy") != 0)
    note((record *)self, "run", info->op);
  return TENON_OK;
}

static tenon_status compile(test_model *t, const char *text, const char *memory,
                            tenon_program **out) {
  const char *const memories[] = {"ram=8K:align=32", memory, NULL};
  static const char *const places[] = {"constant:*=ext", NULL};
  tenon_compile_options o = {.struct_size = sizeof o,
                             .pipeline = NO_PASSES,
                             .memories = memory ? memories : NULL,
                             .places = memory ? places : NULL};
  tenon_module *m = model_read(t, text);
  const tenon_entry entry = {NULL, m, NULL};
  tenon_status status = tenon_program_compile(&entry, 1, &o, out);
  tenon_module_destroy(m);
  return status;
}

// The last two steps but one have their constants while softmax runs; those of
// the last are made where the whole result lies, which is in use before.
#define ROW                                          \
  "module { %x = input f32[4]\n"                     \
  "%w = const f32[4] {1, 2, 3, 4}\n"                 \
  "%v = const f32[4] {5, 6, 7, 8}\n"                 \
  "%u = const f32[4] {2, 3, 2, 3}\n"                 \
  "%a = core::mul(%x, %w)\n%b = core::add(%a, %v)\n" \
  "%c = core::softmax(%b) [axis=0]\n"                \
  "%k = core::add(%u, %v)\n%l = core::mul(%c, %k)\n" \
  "%y = core::concat([%l, %u, %v]) [axis=0]\n"       \
  "return %y }"

// Nothing is begun over a branch; within one as elsewhere.
#define BRANCH                                      \
  "module { %x = input f32[4]\n%p = input bool[]\n" \
  "%w = const f32[4] {1, 2, 3, 4}\n"                \
  "%v = const f32[4] {5, 6, 7, 8}\n"                \
  "%y = core::cond(%p, [%x]) : f32[4] {\n"          \
  "  (%t: f32[4]) { %m = core::mul(%t, %w)\n"       \
  "    %n = core::sub(%m, %v)\n return %n }\n"      \
  "  (%e: f32[4]) { %q = core::add(%e, %e)\n"       \
  "    %r = core::mul(%q, %v)\n return %r } }\n"    \
  "%z = core::add(%y, %w)\nreturn %z }"

static const struct {
  const char *text, *calls;
} rows[] = {
    {ROW,
     "begin w; wait w; begin v; run core::mul; wait v; run core::add; "
     "begin u; begin v; run core::softmax; wait u; wait v; run core::add; "
     "run core::mul; begin u; wait u; begin v; wait v; "},
    {BRANCH,
     "begin v; run core::add; wait v; run core::mul; run core::cond; begin w; "
     "wait w; run core::add; "},
};

static void asks_ahead(void **state) {
  (void)state;
  EACH_ROW(i, rows) {
    test_model t;
    tenon_program *p = NULL;
    tenon_buf want;
    model_open(&t, NULL);
    tenon_buf_init(&want, tenon_heap());
    CHECK(compile(&t, rows[i].text, NULL, &p) == TENON_OK, "%s", t.log.text);
    test_run r;
    run_open(&r, p, 0, NULL);
    run_append(&r, 2, &want);
    run_close(&r);
    tenon_program_destroy(p);
    CHECK(compile(&t, rows[i].text, "ext=1K:cold:prefetch", &p) == TENON_OK,
          "%s", t.log.text);
    for (int k = 0; k < 3; ++k) {
      // Without a function that begins, the one that waits is asked alone.
      record c = {"", k == 0, TENON_OK, TENON_OK};
      tenon_buf got;
      tenon_session_options o = {.struct_size = sizeof o,
                                 .hydrate = hydrate,
                                 .hydrate_self = &c,
                                 .prefetch = k < 2 ? prefetch : NULL,
                                 .observe = observe,
                                 .observe_self = &c};
      tenon_buf_init(&got, tenon_heap());
      run_open(&r, p, 0, &o);
      run_append(&r, 1, &got);
      if (k < 2) CHECK_TEXT(c.text, rows[i].calls, i);
      if (k == 2) CHECK(!strstr(c.text, "begin"), "%s", c.text);
      CHECK(!memcmp(got.data, want.data, got.size), "row %zu: bytes", i);
      run_close(&r);
      tenon_buf_deinit(&got);
    }
    tenon_buf_deinit(&want);
    tenon_program_destroy(p);
    model_close(&t);
  }
}

TEST_GROUP(cold, cmocka_unit_test(asks_ahead))
