// Constants that are other bytes in another order.
#include "ir/turned.h"

#include "world.h"

static const float wide[2][3] = {{1, 2, 3}, {4, 5, 6}};

// The matrix above, turned round.
static tenon_value *turned(world *w, tenon_module **m) {
  static const tenon_dim dims[] = {{3, 0}, {2, 0}};
  const tenon_type type = {dims, NULL, TENON_F32, 2, 0};
  const tenon_turned how = {NULL, wide, {1, 3}};
  world_init(w);
  CHECK(tenon_module_create(w->cx, "m", m) == TENON_OK, "%s", w->log.text);
  tenon_value *v = tenon_build_turned(*m, "w", &type, &how, 0);
  assert_non_null(v);
  return v;
}

static void check_data(const tenon_value *v, const float *want, size_t n) {
  const tenon_tensor *t = tenon_value_constant(v);
  assert_non_null(t->data);
  assert_null(v->turned);
  assert_int_equal(tenon_count(t), n);
  assert_memory_equal(t->data, want, n * sizeof *want);
}

static void has_no_data_until_asked(void **state) {
  static const float want[] = {1, 4, 2, 5, 3, 6};
  world w;
  tenon_module *m;
  (void)state;
  tenon_value *v = turned(&w, &m);
  assert_null(v->constant->data);
  assert_false(tenon_value_is_apart(v));
  check_data(v, want, COUNT(want));
  assert_ptr_equal(tenon_value_known(v), v->constant);
  tenon_module_release(m);
  world_deinit(&w);
}

static void has_rows(void **state) {
  static const float want[] = {2, 5, 3, 6};
  world w;
  tenon_module *m;
  (void)state;
  tenon_value *v = turned(&w, &m);
  tenon_value *rows = tenon_build_rows(m, v, 1, 2, 0);
  assert_non_null(rows);
  assert_non_null(rows->turned);
  assert_non_null(v->turned);
  check_data(rows, want, COUNT(want));
  (void)tenon_value_constant(v);
  check_data(tenon_build_rows(m, v, 1, 2, 0), want, COUNT(want));
  tenon_module_release(m);
  world_deinit(&w);
}

TEST_GROUP(turned, cmocka_unit_test(has_no_data_until_asked),
           cmocka_unit_test(has_rows))
