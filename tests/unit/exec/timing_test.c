// Counters and timelines: what they say of steps, loops and threads, and the
// three forms in which a timeline is written.
#include "harness/model.h"
#include "tenon/trace.h"

static const char chain[] =
    "module { %x = input f32[64,32]\n%w = const f32[16,32] zeros\n"
    "%a = core::neg(%x)\n%b = core::fully_connected(%a, %w)\n"
    "%c = core::tanh(%b)\nreturn %c }";

// Twice around: the condition runs three times.
static const char loop[] =
    "module { const %one : s32[] = {1}\nconst %two : s32[] = {2}\n"
    "func @0 \"main\" (%x: f32[4]) {\n"
    "%k, %y = core::while([%two, %x]) : s32[], f32[4] {\n"
    "(%i: s32[], %u: f32[4]) {\n"
    "%f = core::cast(%i) [dtype=bool] : bool[]\nreturn %f }\n"
    "(%i: s32[], %u: f32[4]) {\n"
    "%d = core::sub(%i, %one) : s32[]\n%v = core::tanh(%u)\n"
    "return %d, %v }\n}\nreturn %y\n}\n"
    "entry \"main\" = @0 (\"x\") -> (\"y\") }";

#define EVENTS 256
typedef struct traced {
  test_model model;
  tenon_program *p;
  tenon_step_counter counters[32];
  tenon_timeline_event events[EVENTS];
  tenon_timeline timeline;
} traced;

static void trace(traced *t, const char *text, int threads, int runs,
                  size_t capacity) {
  tenon_program_stats stats = {.struct_size = sizeof stats};
  tenon_pool *pool = NULL;
  test_run r;
  memset(t, 0, sizeof *t);
  model_open(&t->model, NULL);
  t->p = model_compile(&t->model, text, NULL);
  tenon_program_measure(t->p, &stats);
  CHECK(stats.steps <= 32, "%u steps", (unsigned)stats.steps);
  t->timeline.events = t->events;
  t->timeline.capacity = capacity;
  tenon_session_options o = {.struct_size = sizeof o,
                             .flags = TENON_SESSION_DIVIDE_ALL,
                             .counters = t->counters,
                             .n_counters = stats.steps,
                             .timeline = &t->timeline};
  assert_int_equal(tenon_pool_create(NULL, threads, &pool), TENON_OK);
  if (threads > 1) o.parallel = tenon_pool_parallel(pool);
  run_open(&r, t->p, 0, &o);
  for (int i = 0; i < runs; ++i)
    assert_int_equal(run_once(&r), TENON_OK);
  run_close(&r);
  tenon_pool_destroy(pool);
}

static void stop(traced *t) {
  tenon_program_destroy(t->p);
  model_close(&t->model);
}

static const char *print(traced *t, uint32_t format) {
  tenon_buf_clear(&t->model.text);
  assert_int_equal(tenon_timeline_print(t->p, &t->timeline, format, model_take,
                                        &t->model.text),
                   TENON_OK);
  return t->model.text.data;
}

static void count_steps(void **state) {
  static traced t;
  (void)state;
  trace(&t, chain, 1, 3, EVENTS);
  tenon_step_about about = {.struct_size = sizeof about};
  uint32_t n = 0;
  uint64_t macs = 0;
  for (; tenon_program_about_step(t.p, n, &about); ++n) {
    const tenon_step_counter *c = &t.counters[n];
    CHECK(c->runs == 3, "step %u: %d runs", (unsigned)n, (int)c->runs);
    CHECK(c->least <= c->last && 2 * c->least + c->last <= c->time,
          "step %u: least %d, last %d, all %d", (unsigned)n, (int)c->least,
          (int)c->last, (int)c->time);
    CHECK(c->macs == 3 * about.macs, "step %u", (unsigned)n);
    CHECK(about.step == n && about.kernel[0] && about.place, "step %u",
          (unsigned)n);
    macs += about.macs;
  }
  CHECK(n >= 3 && macs == 64 * 32 * 16, "%u steps, %d MACs", (unsigned)n,
        (int)macs);
  // Of each run its steps, and it behind them.
  assert_int_equal(t.timeline.count, 3 * (n + 1));
  assert_int_equal(t.timeline.runs, 3);
  for (uint32_t i = 0; i < t.timeline.count; ++i) {
    const tenon_timeline_event *e = &t.events[i];
    const tenon_timeline_event *run = &t.events[i / (n + 1) * (n + 1) + n];
    bool is_run = i % (n + 1) == n;
    CHECK(e->kind == (is_run ? TENON_EVENT_RUN : TENON_EVENT_STEP), "%u", i);
    CHECK(e->run == i / (n + 1) && e->thread == 0, "%u", i);
    CHECK(run->begin <= e->begin && e->begin <= e->end && e->end <= run->end,
          "event %u is outside of its run", i);
    CHECK(is_run || e->bytes >= 2 * 64 * 16 * 4, "event %u: %d bytes", i,
          (int)e->bytes);
  }
  stop(&t);
}

static void count_loops(void **state) {
  static traced t;
  tenon_step_about about = {.struct_size = sizeof about};
  uint64_t least = UINT64_MAX, most = 0;
  (void)state;
  trace(&t, loop, 1, 1, EVENTS);
  for (uint32_t i = 0; tenon_program_about_step(t.p, i, &about); ++i) {
    if (strcmp(about.op, "core::tanh") == 0)
      CHECK(t.counters[i].runs == 2, "tanh: %d", (int)t.counters[i].runs);
    if (strcmp(about.op, "core::cast") == 0)
      CHECK(t.counters[i].runs == 3, "cast: %d", (int)t.counters[i].runs);
    if (!about.kernel[0]) CHECK(t.counters[i].runs == 1, "the loop");
    if (t.counters[i].runs < least) least = t.counters[i].runs;
    if (t.counters[i].runs > most) most = t.counters[i].runs;
  }
  CHECK(least == 1 && most == 3, "%d, %d", (int)least, (int)most);
  stop(&t);
}

static void write_down_threads(void **state) {
  static traced t;
  size_t pieces = 0;
  uint32_t seen = 0;
  (void)state;
  trace(&t, chain, 3, 1, EVENTS);
  for (size_t i = 0; i < t.timeline.count; ++i)
    if (t.events[i].kind == TENON_EVENT_PIECE) {
      ++pieces;
      seen |= 1u << t.events[i].thread;
      CHECK(t.events[i].thread < 3 && t.events[i].begin <= t.events[i].end,
            "event %zu", i);
    }
  CHECK(pieces >= 3 && seen, "%zu pieces", pieces);
  const char *json = print(&t, TENON_FORMAT_JSON);
  assert_non_null(strstr(json, "\"cat\": \"piece\""));
  assert_non_null(strstr(json, "\"cat\": \"core::fully_connected\""));
  stop(&t);
}

static void forget_what_has_no_room(void **state) {
  static traced t;
  (void)state;
  trace(&t, chain, 1, 2, 2);
  assert_int_equal(t.timeline.count, 2);
  CHECK(t.timeline.dropped >= 6, "%zu", t.timeline.dropped);
  assert_non_null(strstr(print(&t, TENON_FORMAT_JSON), "\"dropped\": "));
  stop(&t);
}

// Of made-up times, so that every number is known.
static void print_stacks(void **state) {
  static traced t;
  (void)state;
  trace(&t, chain, 1, 0, EVENTS);
  t.events[0] = (tenon_timeline_event){
      .kind = TENON_EVENT_STEP, .step = 0, .begin = 1000, .end = 1300};
  t.events[1] = (tenon_timeline_event){
      .kind = TENON_EVENT_STEP, .step = 1, .begin = 1300, .end = 2000};
  t.events[2] = (tenon_timeline_event){
      .kind = TENON_EVENT_RUN, .begin = 900, .end = 2100};
  t.timeline.count = 3;
  const char *text = print(&t, TENON_FORMAT_TEXT);
  CHECK(strstr(text, " 200\n") && strstr(text, ";core::neg;") &&
            strstr(text, " 300\n") && strstr(text, " 700\n"),
        "%s", text);
  const char *svg = print(&t, TENON_FORMAT_SVG);
  CHECK(strstr(svg, "<svg ") == svg && strstr(svg, "1.20 us per run, 1 run;"),
        "%s", svg);
  CHECK(strstr(svg, "58.3 %"), "%s", svg);
  stop(&t);
}

static void refuse_wrong_calls(void **state) {
  static traced t;
  test_log *log = &t.model.log;
  (void)state;
  trace(&t, chain, 1, 1, EVENTS);
  assert_int_equal(tenon_timeline_print(t.p, &t.timeline, TENON_FORMAT_DOT,
                                        model_take, &t.model.text),
                   TENON_BAD_ARGUMENT);
  CHECK_LOG(log, "timeline-format", "text, JSON or SVG", 0);
  t.events[0].step = 77;
  assert_int_equal(tenon_timeline_print(t.p, &t.timeline, TENON_FORMAT_JSON,
                                        model_take, &t.model.text),
                   TENON_BAD_ARGUMENT);
  CHECK_LOG(log, "timeline-event", "event 0 of a timeline is of step 77", 0);
  void *memory[3];
  tenon_memory list[3];
  tenon_session *s = NULL;
  for (size_t i = 0, n = tenon_program_memory(t.p, 1, list, 3); i < n; ++i)
    memory[i] = tenon_heap_take(list[i].size, list[i].align);
  tenon_session_options o = {.struct_size = sizeof o,
                             .memory = memory,
                             .counters = t.counters,
                             .n_counters = 1};
  assert_int_equal(tenon_session_init(t.p, &o, &s), TENON_BAD_ARGUMENT);
  CHECK_LOG(log, "session-counters", "1 counters for", 0);
  for (int i = 0; i < 3; ++i)
    tenon_heap_give(memory[i]);
  stop(&t);
}

TEST_GROUP(timing, cmocka_unit_test(count_steps), cmocka_unit_test(count_loops),
           cmocka_unit_test(write_down_threads),
           cmocka_unit_test(forget_what_has_no_room),
           cmocka_unit_test(print_stacks), cmocka_unit_test(refuse_wrong_calls))
