// Threads within a run and around it: the bits are those of one thread.
#include <pthread.h>

#include "exec/cost.h"
#include "harness/model.h"

static const char text[] =
    "module { %x = input f32[1,9,7,3]\n"
    "%w = const f32[2,2,2,3] {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,"
    "2,3,4,5,6}\n%b = const f32[2] {1, 2}\n"
    "%c = core::conv(%x, %w, %b) [pad=1]\n%r = core::relu(%c)\n"
    "%s = core::softmax(%r)\n%t = core::mean(%s) [dims=[1,2], keepdim=true]\n"
    "%y = core::add(%r, %t)\nreturn %y, %s }";

static void check_bits(const char *source) {
  test_model t;
  tenon_buf want;
  model_open(&t, NULL);
  tenon_program *p = model_compile(&t, source, NULL);
  tenon_buf_init(&want, tenon_heap());
  for (int threads = 1; threads <= 9; threads += 2) {
    tenon_pool *pool = NULL;
    tenon_buf got;
    test_run r;
    tenon_session_options o = {.struct_size = sizeof o,
                               .flags = TENON_SESSION_DIVIDE_ALL};
    tenon_buf_init(&got, tenon_heap());
    assert_int_equal(tenon_pool_create(NULL, threads, &pool), TENON_OK);
    o.parallel = tenon_pool_parallel(pool);
    assert_int_equal(o.parallel->threads, threads);
    run_open(&r, p, 0, &o);
    run_append(&r, 4, threads == 1 ? &want : &got);
    run_close(&r);
    tenon_pool_destroy(pool);
    if (threads > 1)
      CHECK(got.size == want.size && memcmp(got.data, want.data, got.size) == 0,
            "%d threads", threads);
    tenon_buf_deinit(&got);
  }
  tenon_buf_deinit(&want);
  tenon_program_destroy(p);
  model_close(&t);
}

static void give_the_same_bits(void **state) {
  (void)state;
  check_bits(text);
}

// A row of 128 units over nine times, each of which is divided and needs the
// one before.
static void take_turns(void **state) {
  enum { UNITS = 128 };
  tenon_buf b;
  (void)state;
  tenon_buf_init(&b, tenon_heap());
  tenon_buf_text(&b, "module { %x = input f32[9,1,128]\n");
  tenon_buf_text(&b, "%w = const f32[128,128] {");
  for (int i = 0; i < UNITS * UNITS; ++i)
    tenon_buf_format(&b, "%s%d", i ? "," : "", (i * 37 + i / 91) % 23 - 11);
  tenon_buf_text(&b, "}\n%h = const f32[1,128] {");
  for (int i = 0; i < UNITS; ++i)
    tenon_buf_format(&b, "%s%d", i ? "," : "", i % 7);
  tenon_buf_text(&b,
                 "}\n%y, %last = core::rnn(%x, %w, none, %h)\n"
                 "return %y, %last }");
  assert_false(b.failed);
  check_bits(b.data);
  tenon_buf_deinit(&b);
}

typedef struct job {
  test_run run;
  tenon_buf bits;
} job;
static void *work(void *arg) {
  job *j = (job *)arg;
  run_append(&j->run, 20, &j->bits);
  return NULL;
}

// Sessions of one program at the same time; they also share a pool.
static void run_sessions_side_by_side(void **state) {
  enum { JOBS = 4 };
  test_model t;
  job jobs[JOBS];
  pthread_t ids[JOBS];
  tenon_pool *pool = NULL;
  tenon_session_options o = {.struct_size = sizeof o,
                             .flags = TENON_SESSION_DIVIDE_ALL};
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = model_compile(&t, text, NULL);
  assert_int_equal(tenon_pool_create(NULL, 2, &pool), TENON_OK);
  o.parallel = tenon_pool_parallel(pool);
  for (int i = 0; i < JOBS; ++i) {
    tenon_buf_init(&jobs[i].bits, tenon_heap());
    run_open(&jobs[i].run, p, 0, &o);
  }
  for (int i = 0; i < JOBS; ++i)
    assert_int_equal(pthread_create(&ids[i], NULL, work, &jobs[i]), 0);
  for (int i = 0; i < JOBS; ++i)
    pthread_join(ids[i], NULL);
  for (int i = 0; i < JOBS; ++i) {
    CHECK(jobs[i].bits.size == jobs[0].bits.size &&
              memcmp(jobs[i].bits.data, jobs[0].bits.data, jobs[0].bits.size) ==
                  0,
          "job %d", i);
    run_close(&jobs[i].run);
  }
  for (int i = 0; i < JOBS; ++i)
    tenon_buf_deinit(&jobs[i].bits);
  tenon_pool_destroy(pool);
  tenon_program_destroy(p);
  model_close(&t);
}

static bool makes_a_pool(const tenon_allocator *allocator, void *self) {
  tenon_pool *pool = NULL;
  bool ok = tenon_pool_create(allocator, 3, &pool) == TENON_OK;
  (void)self;
  tenon_pool_destroy(pool);
  return ok;
}

static void limit_themselves(void **state) {
  tenon_pool *pool = NULL;
  (void)state;
  assert_int_equal(tenon_pool_create(NULL, 257, &pool), TENON_BAD_ARGUMENT);
  assert_null(pool);
  assert_int_equal(tenon_pool_create(NULL, -3, &pool), TENON_OK);
  assert_int_equal(tenon_pool_parallel(pool)->threads, 1);
  tenon_pool_destroy(pool);
  test_sweep(makes_a_pool, NULL);
}

// A period of runs that take `together` on all threads and `alone` on one; how
// many went alone.
static int take_period(tenon_trial *t, uint64_t together, uint64_t alone) {
  int n_alone = 0;
  do {
    const bool is_alone = tenon_trial_is_alone(t);
    n_alone += is_alone;
    // Only the quickest of each way counts, behind the first.
    tenon_trial_note(t, (is_alone ? alone : together) +
                            (t->runs == 0 || t->runs == 4 ? 900 : 0));
  } while (t->runs != 0);
  return n_alone;
}

// What is quicker is tried anew after ever more runs while it stays so.
static void take_trials(uint64_t together, uint64_t alone, bool goes_alone) {
  tenon_trial t = {.runs = 0};
  uint32_t expected = 32;
  for (int i = 0; i < 8;
       ++i, expected = expected < 1024 ? 2 * expected : 1024) {
    const bool was_alone = t.is_alone;
    const int n_alone = take_period(&t, together, alone);
    // The first period finds threads dividing, whatever is quicker.
    if (i == 0) assert_false(was_alone);
    if (i > 0) assert_int_equal(was_alone, goes_alone);
    assert_int_equal(t.period, expected);
    assert_int_equal(n_alone, goes_alone ? (int)expected - 4 : 4);
  }
  // The machine changes: the other way, and half as long.
  take_period(&t, alone, together);
  assert_int_equal(t.is_alone, !goes_alone);
  assert_int_equal(t.period, 512);
}

// The trials of a period: dividing takes 700, one thread 900.
static void divide_first(tenon_trial *t) {
  for (int run = 0; run < 8; ++run)
    tenon_trial_note(t, tenon_trial_is_alone(t) ? 900 : 700);
}

// Threads help in the trials, and no longer behind them.
static void go_alone_when_dividing_loses(void **state) {
  (void)state;
  static const struct {
    uint64_t behind;
    int divided;  // runs behind the trials
    uint32_t period;
  } rows[] = {{1300, 10, 128}, {1800, 5, 128}, {90000, 5, 128}, {899, 24, 32}};
  for (int i = 0; i < 4; ++i) {
    tenon_trial t = {.runs = 0};
    divide_first(&t);
    int divided = 0;
    bool was_alone = false;
    for (; t.runs != 0; tenon_trial_note(&t, rows[i].behind)) {
      const bool is_alone = tenon_trial_is_alone(&t);
      assert_true(is_alone || !was_alone);
      divided += !is_alone;
      was_alone = is_alone;
    }
    assert_int_equal(divided, rows[i].divided);
    assert_int_equal(t.period, rows[i].period);
    assert_int_equal(t.is_alone, rows[i].period == 128);
  }
  // What it wins makes up for what it loses now and then.
  tenon_trial t = {.runs = 0};
  divide_first(&t);
  for (int run = 0; t.runs != 0; ++run) {
    assert_false(tenon_trial_is_alone(&t));
    tenon_trial_note(&t, run % 5 ? 700 : 1500);
  }
}

static void go_the_quicker_way(void **state) {
  (void)state;
  take_trials(700, 900, false);
  take_trials(900, 700, true);
}

// Items fall into pieces none of which is empty, and the first of a thread's is
// the largest; where pieces are shared out by twos, threads have as many items.
static void cut_evenly(void **state) {
  (void)state;
  for (int threads = 2; threads <= 5; ++threads) {
    tenon_parallel parallel = {.threads = threads};
    tenon_session s = {.parallel = &parallel};
    for (int64_t items = 1; items <= 70; ++items)
      for (int64_t most = 1; most <= 4 * threads; ++most) {
        const int64_t n = tenon_cost_limit(&s, items, most);
        CHECK(n >= 1 && n <= most && n <= items, "%d pieces", (int)n);
        CHECK(most < threads || items < threads || n >= threads,
              "%d pieces for %d threads", (int)n, threads);
        assert_int_equal(tenon_cost_first(&s, items, n, 0), 0);
        assert_int_equal(tenon_cost_first(&s, items, n, n), items);
        for (int64_t i = 0; i < n; ++i) {
          const int64_t begin = tenon_cost_first(&s, items, n, i);
          const int64_t end = tenon_cost_first(&s, items, n, i + 1);
          CHECK(begin < end, "piece %d of %d, %d items", (int)i, (int)n,
                (int)items);
          if (n == items || n % threads || i % (n / threads)) continue;
          const int64_t share = i / (n / threads);
          assert_int_equal(begin, items * share / threads);
          const int64_t all = items * (share + 1) / threads - begin;
          CHECK(n == threads || 2 * (end - begin) >= all, "%d of %d",
                (int)(end - begin), (int)all);
        }
      }
  }
}

TEST_GROUP(threads, cmocka_unit_test(give_the_same_bits),
           cmocka_unit_test(take_turns), cmocka_unit_test(go_the_quicker_way),
           cmocka_unit_test(go_alone_when_dividing_loses),
           cmocka_unit_test(cut_evenly),
           cmocka_unit_test(run_sessions_side_by_side),
           cmocka_unit_test(limit_themselves))
