#include "base/heap.h"

#include "base/os.h"
#include "harness/harness.h"

static void honours_every_alignment(void **state) {
  tenon_allocator a = tenon_heap();
  (void)state;
  for (size_t align = 1; align <= 4096; align *= 2) {
    unsigned char *p = tenon_alloc(&a, 10, align);
    assert_non_null(p);
    CHECK((uintptr_t)p % align == 0, "align %zu", align);
    memset(p, 7, 10);
    p = a.resize(a.self, p, 10, 10000, align);
    assert_non_null(p);
    CHECK((uintptr_t)p % align == 0, "align %zu", align);
    CHECK(p[0] == 7 && p[9] == 7, "align %zu", align);
    p = a.resize(a.self, p, 10000, 5, align);
    assert_non_null(p);
    CHECK((uintptr_t)p % align == 0 && p[4] == 7, "align %zu", align);
    tenon_free(&a, p, 5, align);
  }
}

// Of whole large pages, where the system has them, and however it is taken.
static void large_blocks_begin_at_a_page(void **state) {
  const size_t sizes[] = {TENON_OS_PAGE, TENON_OS_PAGE + 1,
                          3 * TENON_OS_PAGE - 1};
  tenon_allocator a = tenon_heap();
  (void)state;
  for (size_t i = 0; i < 3; ++i)
    for (size_t align = 1; align <= 64; align *= 64) {
      const size_t size = sizes[i];
      unsigned char *p = tenon_alloc(&a, size, align);
      assert_non_null(p);
#ifndef _WIN32
      CHECK((uintptr_t)p % TENON_OS_PAGE == 0, "%zu, %zu", size, align);
#endif
      memset(p, 7, size);
      p = a.resize(a.self, p, size, size + TENON_OS_PAGE, align);
      assert_non_null(p);
      CHECK((uintptr_t)p % align == 0, "%zu, %zu", size, align);
      CHECK(p[0] == 7 && p[size - 1] == 7, "%zu, %zu", size, align);
      memset(p + size, 8, TENON_OS_PAGE);
      p = a.resize(a.self, p, size + TENON_OS_PAGE, 10, align);
      assert_non_null(p);
      CHECK(p[0] == 7 && p[9] == 7, "%zu, %zu", size, align);
      tenon_free(&a, p, 10, align);
    }
}

static void frees_nothing_without_complaint(void **state) {
  tenon_allocator a = tenon_heap();
  (void)state;
  tenon_free(&a, NULL, 0, 1);
  assert_null(a.resize(a.self, NULL, 0, 0, 1));
}

static void refuses_what_cannot_be(void **state) {
  tenon_allocator a = tenon_heap();
  void *p = tenon_alloc(&a, 8, 64);
  (void)state;
  assert_null(tenon_alloc(&a, SIZE_MAX - 8, 64));
  assert_null(a.resize(a.self, p, 8, SIZE_MAX - 8, 64));
  tenon_free(&a, p, 8, 64);
}

static void probe_counts(void **state) {
  tenon_heap_probe probe = {.below = tenon_heap()};
  tenon_allocator a = tenon_heap_probed(&probe);
  void *p = tenon_alloc(&a, 100, 1), *q = tenon_alloc(&a, 50, 1);
  (void)state;
  p = a.resize(a.self, p, 100, 200, 1);
  assert_int_equal(probe.calls, 3);
  assert_int_equal(probe.live, 250);
  p = a.resize(a.self, p, 200, 10, 1);
  assert_int_equal(probe.calls, 3);
  tenon_free(&a, p, 10, 1);
  tenon_free(&a, q, 50, 1);
  assert_int_equal(probe.live, 0);
  assert_int_equal(probe.peak, 250);
}

static void probe_limits(void **state) {
  tenon_heap_probe probe = {.below = tenon_heap(), .limit = 100};
  tenon_allocator a = tenon_heap_probed(&probe);
  void *p = tenon_alloc(&a, 60, 1);
  (void)state;
  assert_non_null(p);
  assert_null(tenon_alloc(&a, 41, 1));
  assert_null(a.resize(a.self, p, 60, 101, 1));
  p = a.resize(a.self, p, 60, 100, 1);
  assert_non_null(p);
  assert_null(tenon_alloc(&a, 1, 1));
  tenon_free(&a, p, 100, 1);
  assert_int_equal(probe.live, 0);
}

static void probe_fails_once_or_from_then_on(void **state) {
  (void)state;
  for (int after = 0; after < 2; ++after) {
    tenon_heap_probe probe = {
        .below = tenon_heap(), .fail_at = 2, .fail_after = after != 0};
    tenon_allocator a = tenon_heap_probed(&probe);
    void *p = tenon_alloc(&a, 8, 1);
    assert_non_null(p);
    assert_null(a.resize(a.self, p, 8, 16, 1));
    void *q = tenon_alloc(&a, 8, 1);
    assert_int_equal(q == NULL, after);
    tenon_free(&a, q, 8, 1);
    tenon_free(&a, p, 8, 1);
    assert_int_equal(probe.live, 0);
  }
}

TEST_GROUP(heap, cmocka_unit_test(honours_every_alignment),
           cmocka_unit_test(large_blocks_begin_at_a_page),
           cmocka_unit_test(frees_nothing_without_complaint),
           cmocka_unit_test(refuses_what_cannot_be),
           cmocka_unit_test(probe_counts), cmocka_unit_test(probe_limits),
           cmocka_unit_test(probe_fails_once_or_from_then_on))
