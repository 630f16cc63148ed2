#include "base/map.h"

#include "harness/harness.h"

static void finds_integers(void **state) {
  tenon_map map;
  bool added = false;
  (void)state;
  tenon_map_init(&map, tenon_heap());
  assert_null(tenon_map_find(&map, 0));
  for (uint64_t i = 0; i < 2000; ++i) {
    // Multiples of 4096 look like addresses of pages.
    uint64_t *place = tenon_map_put(&map, i * 4096, i, &added);
    assert_true(place && *place == i && added);
  }
  assert_int_equal(map.count, 2000);
  for (uint64_t i = 0; i < 2000; ++i) {
    uint64_t *place = tenon_map_find(&map, i * 4096);
    assert_true(place && *place == i);
    assert_null(tenon_map_find(&map, i * 4096 + 1));
  }
  assert_null(tenon_map_find(&map, UINT64_MAX));
  tenon_map_deinit(&map);
  tenon_map_deinit(&map);
}

static void finds_texts(void **state) {
  static char names[500][16];
  tenon_map map;
  (void)state;
  tenon_map_init(&map, tenon_heap());
  for (size_t i = 0; i < 500; ++i) {
    snprintf(names[i], sizeof names[i], "name%zu", i * 7);
    assert_non_null(tenon_map_put_text(&map, names[i], i, NULL));
  }
  for (size_t i = 0; i < 500; ++i) {
    char copy[16];
    memcpy(copy, names[i], sizeof copy);
    uint64_t *place = tenon_map_find_text(&map, copy);
    assert_true(place && *place == i);
  }
  assert_null(tenon_map_find_text(&map, "name1"));
  assert_null(tenon_map_find_text(&map, ""));
  assert_non_null(tenon_map_put_text(&map, "", 9, NULL));
  assert_true(*tenon_map_find_text(&map, "") == 9);
  tenon_map_deinit(&map);
}

static void keeps_the_first_value(void **state) {
  tenon_map map;
  bool added = false;
  (void)state;
  tenon_map_init(&map, tenon_heap());
  assert_true(*tenon_map_put(&map, 5, 10, &added) == 10 && added);
  uint64_t *again = tenon_map_put(&map, 5, 20, &added);
  assert_true(*again == 10 && !added);
  *again = 30;
  assert_true(*tenon_map_find(&map, 5) == 30);
  assert_int_equal(map.count, 1);
  tenon_map_deinit(&map);
}

static void keeps_the_order_of_insertion(void **state) {
  tenon_map map;
  (void)state;
  tenon_map_init(&map, tenon_heap());
  for (uint64_t i = 0; i < 300; ++i)
    tenon_map_put(&map, i * 7919 % 1009, i, NULL);
  for (uint64_t i = 0; i < 300; ++i) {
    assert_true(map.entries[i].key == i * 7919 % 1009);
    assert_true(map.entries[i].value == i);
  }
  tenon_map_deinit(&map);
}

static void tells_texts_from_integers(void **state) {
  tenon_map map;
  (void)state;
  tenon_map_init(&map, tenon_heap());
  tenon_map_put_text(&map, "a", 1, NULL);
  assert_null(tenon_map_find(&map, map.entries[0].key));
  tenon_map_put(&map, map.entries[0].key, 2, NULL);
  assert_true(*tenon_map_find_text(&map, "a") == 1);
  assert_int_equal(map.count, 2);
  tenon_map_deinit(&map);
}

static bool fill(const tenon_allocator *allocator, void *self) {
  tenon_map map;
  bool ok = true;
  (void)self;
  tenon_map_init(&map, *allocator);
  for (uint64_t i = 0; i < 60; ++i) {
    if (tenon_map_put(&map, i, i, NULL)) continue;
    ok = false;
    assert_true(map.failed);
    assert_null(tenon_map_find(&map, i));
  }
  for (size_t i = 0; i < map.count; ++i)
    assert_true(*tenon_map_find(&map, map.entries[i].key) ==
                map.entries[i].value);
  assert_true(ok == !map.failed);
  tenon_map_deinit(&map);
  return ok;
}

static void survives_every_failure(void **state) {
  (void)state;
  test_sweep(fill, NULL);
}

TEST_GROUP(map, cmocka_unit_test(finds_integers), cmocka_unit_test(finds_texts),
           cmocka_unit_test(keeps_the_first_value),
           cmocka_unit_test(keeps_the_order_of_insertion),
           cmocka_unit_test(tells_texts_from_integers),
           cmocka_unit_test(survives_every_failure))
