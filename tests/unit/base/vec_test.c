#include "base/vec.h"

#include "harness/harness.h"

static void pushes_and_pops(void **state) {
  TENON_VEC(int) v;
  (void)state;
  tenon_vec_init(&v, tenon_heap());
  for (int i = 0; i < 1000; ++i)
    assert_true(tenon_vec_push(&v, i * 3));
  assert_int_equal(v.count, 1000);
  for (int i = 0; i < 1000; ++i)
    assert_int_equal(v.data[i], i * 3);
  assert_int_equal(tenon_vec_pop(&v), 2997);
  assert_int_equal(v.count, 999);
  tenon_vec_deinit(&v);
  assert_true(!v.data && v.count == 0 && v.capacity == 0);
  tenon_vec_deinit(&v);
}

static void takes_structs_with_commas(void **state) {
  typedef struct pair {
    int a, b;
  } pair;
  TENON_VEC(pair) v;
  (void)state;
  tenon_vec_init(&v, tenon_heap());
  assert_true(tenon_vec_push(&v, (pair){1, 2}));
  assert_true(v.data[0].a == 1 && v.data[0].b == 2);
  tenon_vec_deinit(&v);
}

static void reserves(void **state) {
  TENON_VEC(uint64_t) v;
  (void)state;
  tenon_vec_init(&v, tenon_heap());
  assert_true(tenon_vec_reserve(&v, 100));
  assert_true(v.capacity >= 100 && v.count == 0);
  uint64_t *before = v.data;
  for (uint64_t i = 0; i < 100; ++i)
    assert_true(tenon_vec_push(&v, i));
  assert_ptr_equal(v.data, before);
  tenon_vec_deinit(&v);
}

static void refuses_sizes_that_overflow(void **state) {
  tenon_heap_probe probe = {.below = tenon_heap(), .limit = 1 << 20};
  TENON_VEC(uint64_t) v;
  (void)state;
  tenon_vec_init(&v, tenon_heap_probed(&probe));
  assert_true(tenon_vec_push(&v, 5));
  assert_false(tenon_vec_reserve(&v, SIZE_MAX));
  assert_false(tenon_vec_reserve(&v, SIZE_MAX / 8));
  assert_false(tenon_vec_reserve(&v, SIZE_MAX / 16));
  assert_true(v.count == 1 && v.data[0] == 5);
  tenon_vec_deinit(&v);
}

static bool push_many(const tenon_allocator *allocator, void *self) {
  TENON_VEC(short) v;
  bool ok = true;
  (void)self;
  tenon_vec_init(&v, *allocator);
  for (short i = 0; i < 100; ++i) {
    size_t count = v.count;
    if (!tenon_vec_push(&v, i)) {
      ok = false;
      assert_int_equal(v.count, count);
    } else {
      assert_int_equal(v.data[v.count - 1], i);
    }
  }
  tenon_vec_deinit(&v);
  return ok;
}

static void survives_every_failure(void **state) {
  (void)state;
  test_sweep(push_many, NULL);
}

TEST_GROUP(vec, cmocka_unit_test(pushes_and_pops),
           cmocka_unit_test(takes_structs_with_commas),
           cmocka_unit_test(reserves),
           cmocka_unit_test(refuses_sizes_that_overflow),
           cmocka_unit_test(survives_every_failure))
