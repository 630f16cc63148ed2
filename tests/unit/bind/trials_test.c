// Tests of bind/trials.c: sizes are found for whatever conditions a file has,
// and they are apart from each other.
#include "bind/trials.h"

#include "harness/model.h"

static bool holds(const tenon_module *m, const int64_t *values) {
  bool all = true;
  for (size_t i = 0; i < m->guards.count; ++i) {
    const tenon_guard *g = &m->guards.data[i];
    all &= tenon_relation_holds(g->relation, tenon_sizing_value(values, g->a),
                                tenon_sizing_value(values, g->b));
  }
  for (uint32_t i = 1; i < m->symbols.count; ++i)
    all &= values[i] >= m->symbols.data[i].min &&
           values[i] <= m->symbols.data[i].max;
  return all;
}

static void conditions_are_met(void **state) {
  static const char *const rows[] = {
      "",
      "guard ne(?n, 5)\nguard ne(?n, 3)\nguard ne(?n, 11)\n",
      "guard eq(?n%6, 0)\nguard eq(?m%7, 3)\n",
      "guard eq(?n*?m%24, 0)\nguard ne(?n, ?m)\n",
      "guard eq(?n, ?m*2+3)\n",
      "guard eq(?n*?m, 35)\nguard ne(?n, 5)\n",
      "guard lt(?m, ?n)\nguard le(?n, ?m+2)\nguard ne(?m%4, 1)\n",
      "guard eq((?n+7)/8, 2)\nguard eq(?n/?m, 3)\n",
      "guard ne(max(min(?n-40,8),0), 0)\nguard eq(?m, ?n-38)\n",
      "guard eq(?n, ?m)\nguard eq(?k, ?n*?m)\nguard eq(?n%3, 1)\n",
      "guard ne(?n*?m%4, 3)\nguard eq(floor(fmul(0.3,float(?n))), 4)\n",
  };
  (void)state;
  EACH_ROW(i, rows) {
    char text[1024];
    test_model t;
    tenon_arena arena;
    snprintf(text, sizeof text,
             "module { dim n = 1..100\ndim m = 1..100\n%s"
             "%%x = input f32[?n,?m,?k]\nreturn %%x }",
             rows[i]);
    model_open(&t, NULL);
    tenon_module *m = model_read(&t, text);
    tenon_arena_init(&arena, tenon_heap());
    for (int trial = 0; trial < TENON_TRIALS; ++trial) {
      int64_t *values =
          tenon_arena_array(&arena, int64_t, m->symbols.count + 1u);
      assert_non_null(values);
      CHECK(tenon_trial_fill(&arena, m, trial, values) && holds(m, values),
            "trial %d of\n%s", trial, rows[i]);
    }
    tenon_arena_deinit(&arena);
    tenon_module_release(m);
    model_close(&t);
  }
}

static void none_is_found_where_none_is(void **state) {
  test_model t;
  tenon_arena arena;
  int64_t values[64] = {0};
  (void)state;
  model_open(&t, NULL);
  tenon_module *m = model_read(&t,
                               "module { dim n = 1..9\nguard eq(?n*2, 7)\n"
                               "%x = input f32[?n]\nreturn %x }");
  tenon_arena_init(&arena, tenon_heap());
  assert_true(m->symbols.count < 64);
  assert_false(tenon_trial_fill(&arena, m, 0, values));
  tenon_arena_deinit(&arena);
  tenon_module_release(m);
  model_close(&t);
}

TEST_GROUP(trials, cmocka_unit_test(conditions_are_met),
           cmocka_unit_test(none_is_found_where_none_is))
