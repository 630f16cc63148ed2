// Strings point somewhere: states keep what they hold from run to run, and what
// a run makes stays where it is when its memory grows behind it.
#include "harness/model.h"
#include "tenon/ext/plugin.h"

// --- memory that shows who uses what was given back -------------------------

typedef struct spoiler {
  tenon_allocator below;
  size_t live;
} spoiler;

static void *spoil(void *self, void *old, size_t old_size, size_t size,
                   size_t align) {
  spoiler *s = (spoiler *)self;
  if (!old) {
    s->live += size;
    return s->below.resize(s->below.self, NULL, 0, size, align);
  }
  assert_int_equal(size, 0);
  memset(old, 0xDD, old_size);
  s->live -= old_size;
  return s->below.resize(s->below.self, old, old_size, 0, align);
}

typedef struct told {
  test_model t;
  tenon_program *p;
  tenon_session *s;
  spoiler spoiler;
  tenon_allocator grow;
  void *memory[3];
} told;

static void told_open(told *z, const char *text) {
  tenon_memory list[3];
  memset(z, 0, sizeof *z);
  model_open(&z->t, NULL);
  z->p = model_compile(&z->t, text, NULL);
  z->spoiler.below = tenon_heap();
  z->grow = (tenon_allocator){.self = &z->spoiler, .resize = spoil};
  tenon_session_options o = {
      .struct_size = sizeof o, .memory = z->memory, .grow = &z->grow};
  size_t n = tenon_program_memory(z->p, 1, list, 3);
  for (size_t i = 0; i < n; ++i) {
    z->memory[i] = tenon_heap_take(list[i].size, 64);
    memset(z->memory[i], 0xA5, list[i].size);
  }
  assert_int_equal(tenon_session_init(z->p, &o, &z->s), TENON_OK);
}

static void told_close(told *z) {
  tenon_session_deinit(z->s);
  assert_int_equal(z->spoiler.live, 0);
  for (int i = 0; i < 3; ++i)
    tenon_heap_give(z->memory[i]);
  tenon_program_destroy(z->p);
  model_close(&z->t);
}

static bool is_text(const tenon_tensor *t, int i, const char *text) {
  const tenon_string *s = (const tenon_string *)t->data + i;
  return s->size == strlen(text) && memcmp(s->at.data, text, s->size) == 0;
}

// --- states ------------------------------------------------------------------

#define KEEPS                                                    \
  "module { state \"s\" : str[2] = {\"one\", \"\"}\n"            \
  "state \"e\" : str[1]\n%x = input str[2]\n%e = input str[1]\n" \
  "%s = core::state_read() [state=\"s\"] : str[2]\n"             \
  "%f = core::state_read() [state=\"e\"] : str[1]\n"             \
  "core::state_write(%x) [state=\"s\"]\n"                        \
  "core::state_write(%e) [state=\"e\"]\nreturn %s, %f }"

// What a run is given, in memory that is another's behind it.
static void run_kept(told *z, const char *a, const char *b, const char *e,
                     tenon_tensor out[2]) {
  static const int32_t two[] = {2}, one[] = {1};
  char bytes[3][64];
  tenon_string x[3];
  const char *texts[] = {a, b, e};
  for (int i = 0; i < 3; ++i) {
    memcpy(bytes[i], texts[i], strlen(texts[i]) + 1);
    x[i].at.data = bytes[i];
    x[i].size = strlen(texts[i]);
  }
  tenon_tensor in[2] = {
      {.data = x, .dims = two, .dtype = TENON_STR, .rank = 1},
      {.data = x + 2, .dims = one, .dtype = TENON_STR, .rank = 1}};
  memset(out, 0, 2 * sizeof *out);
  tenon_status status = tenon_session_run(z->s, 0, in, 2, out, 2);
  CHECK(status == TENON_OK, "%s", z->t.log.text);
  memset(bytes, 0xEE, sizeof bytes);
  memset(x, 0xEE, sizeof x);
}

static void states_keep_their_strings(void **state) {
  told z;
  tenon_tensor out[2], now;
  (void)state;
  told_open(&z, KEEPS);
  run_kept(&z, "a longer text than the other", "", "x", out);
  assert_true(is_text(&out[0], 0, "one") && is_text(&out[0], 1, ""));
  assert_true(is_text(&out[1], 0, ""));
  // What a run gives is there until the next one begins.
  for (int i = 0; i < 3; ++i) {
    run_kept(&z, "b", i ? "second" : "", "", out);
    assert_true(is_text(&out[0], 0, i ? "b" : "a longer text than the other"));
    assert_true(is_text(&out[0], 1, i > 1 ? "second" : ""));
    assert_true(is_text(&out[1], 0, i ? "" : "x"));
  }
  assert_int_equal(tenon_session_state(z.s, "s", &now), TENON_OK);
  assert_true(is_text(&now, 0, "b") && is_text(&now, 1, "second"));
  assert_int_equal(tenon_session_reset(z.s), TENON_OK);
  run_kept(&z, "", "", "", out);
  assert_true(is_text(&out[0], 0, "one") && is_text(&out[1], 0, ""));
  told_close(&z);
}

// A run that fails behind the write has left what it was given.
static void failed_runs_keep_their_strings(void **state) {
  static const char text[] =
      "module { state \"s\" : str[1]\n%x = input str[1]\n%r = input s64[1]\n"
      "%s = core::state_read() [state=\"s\"] : str[1]\n"
      "core::state_write(%x) [state=\"s\"]\n"
      "%k = core::repeat_interleave(%r) : s64[?n]\nreturn %s, %k }";
  static const int32_t one[] = {1};
  told z;
  (void)state;
  told_open(&z, text);
  for (int i = 0; i < 3; ++i) {
    char bytes[] = "a text 0";
    bytes[7] = (char)('0' + i);
    tenon_string x = {.at = {.data = bytes}, .size = 8};
    int64_t r = i == 1 ? -1 : 2;  // no number of times
    tenon_tensor in[2] = {
        {.data = &x, .dims = one, .dtype = TENON_STR, .rank = 1},
        {.data = &r, .dims = one, .dtype = TENON_S64, .rank = 1}};
    tenon_tensor out[2] = {{0}, {0}};
    assert_int_equal(tenon_session_run(z.s, 0, in, 2, out, 2) == TENON_OK,
                     i != 1);
    memset(bytes, 0xEE, sizeof bytes);
    if (i == 2) assert_true(is_text(&out[0], 0, "a text 1"));
  }
  told_close(&z);
}

static void states_of_strings_need_memory(void **state) {
  test_model t;
  tenon_memory list[3];
  tenon_session *s = NULL;
  void *memory[3];
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = model_compile(&t, KEEPS, NULL);
  tenon_session_options o = {.struct_size = sizeof o, .memory = memory};
  size_t n = tenon_program_memory(p, 1, list, 3);
  for (size_t i = 0; i < n; ++i)
    memory[i] = tenon_heap_take(list[i].size, 64);
  assert_int_equal(tenon_session_init(p, &o, &s), TENON_BAD_ARGUMENT);
  CHECK_LOG(&t.log, "session-memory", "give it `grow`", 0);
  for (size_t i = 0; i < n; ++i)
    tenon_heap_give(memory[i]);
  tenon_program_destroy(p);
  model_close(&t);
}

// --- growing -----------------------------------------------------------------

// The groups of words point into memory that the run outgrows behind them.
static void what_was_outgrown_stays(void **state) {
  static const char text[] =
      "module { %x = input str[1]\n%r = input s64[1]\n"
      "%g, %b = core::skip_gram(%x) [n=2, skip=1]\n"
      "%k = core::repeat_interleave(%r) : s64[?n]\n"
      "%e = core::add(%k, %k)\nreturn %g, %e }";
  static const int64_t times[] = {1, 4000, 30000, 2, 90000};
  static const int32_t one[] = {1};
  told z;
  (void)state;
  told_open(&z, text);
  EACH_ROW(i, times) {
    static const char words[] = "here are four words";
    tenon_string x = {.at = {.data = words}, .size = strlen(words)};
    int64_t r = times[i];
    tenon_tensor in[2] = {
        {.data = &x, .dims = one, .dtype = TENON_STR, .rank = 1},
        {.data = &r, .dims = one, .dtype = TENON_S64, .rank = 1}};
    tenon_tensor out[2] = {{0}, {0}};
    tenon_status status = tenon_session_run(z.s, 0, in, 2, out, 2);
    CHECK(status == TENON_OK, "%s", z.t.log.text);
    assert_int_equal(out[0].dims[0], 5);
    CHECK(is_text(&out[0], 0, "here are") && is_text(&out[0], 4, "four words"),
          "row %zu", i);
    assert_int_equal(out[1].dims[0], times[i]);
  }
  told_close(&z);
}

TEST_GROUP(strings, cmocka_unit_test(states_keep_their_strings),
           cmocka_unit_test(failed_runs_keep_their_strings),
           cmocka_unit_test(states_of_strings_need_memory),
           cmocka_unit_test(what_was_outgrown_stays))
