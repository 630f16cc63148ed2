// Loops whose values change their sizes: one session at many sizes, up and
// down, and what it does without memory of its own.
#include "harness/model.h"
#include "tenon/ext/plugin.h"

// x[n] and y[m] change places each round, and one of them doubles; z stays.
#define LOOP                                                                \
  "module { const %one : s32[] = {1}\nconst %none : s32[] = {0}\n%DIMS"     \
  "%k = input s32[]\n%x = input f32[?n]\n%y = input f32[?m]\n"              \
  "%z = input f32[2]\n"                                                     \
  "%i, %a, %b, %c = core::while([%k, %x, %y, %z]) decides ?g, ?h : s32[], " \
  "f32[?g], f32[?h], f32[2] {\n"                                            \
  "(%p: s32[], %q: f32[?g], %r: f32[?h], %s: f32[2]) {\n"                   \
  "%t = core::gt(%p, %none)\nreturn %t\n}\n"                                \
  "(%p: s32[], %q: f32[?g], %r: f32[?h], %s: f32[2]) {\n"                   \
  "%d = core::sub(%p, %one)\n%e = core::neg(%q)\n"                          \
  "%f = core::concat([%q, %e]) [axis=0]\n%h = core::add(%s, %s)\n"          \
  "return %d, %r, %f, %h\n}\n}\nreturn %a, %b, %c }"

typedef struct carried {
  test_model t;
  tenon_program *p;
  tenon_session *s;
  tenon_heap_probe probe;
  tenon_allocator grow;
  void *memory[3];
} carried;

static void carried_open(carried *z, const char *dims, bool grows) {
  tenon_memory list[3];
  char text[2048];
  const char *mark = strstr(LOOP, "%DIMS");
  memset(z, 0, sizeof *z);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - LOOP), LOOP, dims,
           mark + 5);
  model_open(&z->t, NULL);
  z->p = model_compile(&z->t, text, NULL);
  z->probe.below = tenon_heap();
  z->grow = tenon_heap_probed(&z->probe);
  tenon_session_options o = {.struct_size = sizeof o, .memory = z->memory};
  if (grows) o.grow = &z->grow;
  size_t n = tenon_program_memory(z->p, 1, list, 3);
  for (size_t i = 0; i < n; ++i) {
    z->memory[i] = tenon_heap_take(list[i].size, 64);
    memset(z->memory[i], 0xA5, list[i].size);
  }
  assert_int_equal(tenon_session_init(z->p, &o, &z->s), TENON_OK);
}

static void carried_close(carried *z) {
  tenon_session_deinit(z->s);
  assert_int_equal(z->probe.live, 0);
  for (int i = 0; i < 3; ++i)
    tenon_heap_give(z->memory[i]);
  tenon_program_destroy(z->p);
  model_close(&z->t);
}

static float carried_value(int which, int64_t at, int64_t n) {
  // A list of n that was doubled by its negative: the sign by the halves.
  bool minus = false;
  for (; at >= n; minus = !minus) {
    int64_t half = n;
    while (2 * half <= at)
      half *= 2;
    at -= half;
  }
  float v = (float)(which * 100 + at + 1);
  return minus ? -v : v;
}

static tenon_status carried_run(carried *z, int32_t rounds, int32_t n,
                                int32_t m, tenon_tensor out[3]) {
  float x[64], y[64], c[2] = {1, -3};
  const int32_t two[] = {2};
  for (int32_t i = 0; i < 64; ++i) {
    x[i] = carried_value(0, i, 64);
    y[i] = carried_value(1, i, 64);
  }
  const tenon_tensor in[] = {
      {.data = &rounds, .dtype = TENON_S32},
      {.data = x, .dims = &n, .dtype = TENON_F32, .rank = 1},
      {.data = y, .dims = &m, .dtype = TENON_F32, .rank = 1},
      {.data = c, .dims = two, .dtype = TENON_F32, .rank = 1}};
  memset(out, 0, 3 * sizeof *out);
  return tenon_session_run(z->s, 0, in, 4, out, 3);
}

static void carried_check(carried *z, int32_t rounds, int32_t n, int32_t m) {
  tenon_tensor out[3];
  tenon_status status = carried_run(z, rounds, n, m, out);
  CHECK(status == TENON_OK, "%s", z->t.log.text);
  for (int i = 0; i < 2; ++i) {
    // After an even number of rounds each is where it was.
    const bool is_x = (i == 0) == (rounds % 2 == 0);
    const int64_t first = is_x ? n : m;
    const int doubled = is_x ? (rounds + 1) / 2 : rounds / 2;
    assert_int_equal(out[i].dims[0], first << doubled);
    for (int64_t k = 0; k < first << doubled; ++k) {
      const float want = carried_value(!is_x, k, first),
                  found = ((const float *)out[i].data)[k];
      CHECK(found == want, "%d rounds, %d, [%d]: %g, not %g", (int)rounds, i,
            (int)k, (double)found, (double)want);
    }
  }
  assert_true(((const float *)out[2].data)[0] == (float)(1 << rounds));
  assert_true(((const float *)out[2].data)[1] == (float)(-3 * (1 << rounds)));
}

static void one_session_at_many_sizes(void **state) {
  static const int32_t rows[][3] = {{0, 3, 5},  {1, 3, 5}, {5, 1, 7},
                                    {12, 2, 3}, {2, 9, 1}, {12, 2, 3},
                                    {0, 1, 1},  {15, 8, 3}};
  carried z;
  (void)state;
  carried_open(&z, "", true);
  EACH_ROW(i, rows) carried_check(&z, rows[i][0], rows[i][1], rows[i][2]);
  carried_close(&z);
}

static void bounded_loops_never_allocate(void **state) {
  carried z;
  tenon_tensor out[3];
  (void)state;
  carried_open(&z, "dim n = 1..8\ndim m = 1..8\ndim g = 0..64\ndim h = 0..64\n",
               false);
  for (int32_t rounds = 0; rounds < 6; ++rounds)
    carried_check(&z, rounds, 8, 5);
  assert_int_equal(z.probe.calls, 0);
  assert_int_equal(carried_run(&z, 7, 8, 5, out), TENON_BAD_INPUT);
  CHECK_LOG(&z.t.log, "run-decided", "which is beyond its bound", 0);
  carried_check(&z, 4, 3, 4);
  carried_close(&z);
}

static void without_memory_there_is_no_growing(void **state) {
  carried z;
  tenon_tensor out[3];
  (void)state;
  carried_open(&z, "", false);
  assert_int_equal(carried_run(&z, 3, 4, 4, out), TENON_NO_SPACE);
  carried_close(&z);
}

// Wherever it fails, it says so and gives everything back.
static void growing_survives_running_out(void **state) {
  carried z;
  tenon_tensor out[3];
  size_t failed = 0;
  (void)state;
  carried_open(&z, "", true);
  for (size_t at = 1; at < 60; ++at) {
    z.probe.fail_at = z.probe.calls + at;
    tenon_status status = carried_run(&z, 9, 3, 4, out);
    z.probe.fail_at = 0;
    assert_true(status == TENON_OK || status == TENON_NO_MEMORY);
    failed += status != TENON_OK;
    carried_check(&z, 3, 2, 1);
  }
  assert_true(failed > 5);
  carried_close(&z);
}

TEST_GROUP(carried, cmocka_unit_test(one_session_at_many_sizes),
           cmocka_unit_test(bounded_loops_never_allocate),
           cmocka_unit_test(without_memory_there_is_no_growing),
           cmocka_unit_test(growing_survives_running_out))
