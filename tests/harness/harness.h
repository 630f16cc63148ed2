// tests/harness/harness.h - the few helpers all unit tests share, over cmocka.
//
// Each <file>_test.c ends with TEST_GROUP and each folder of tests/unit has one
// main.c with TEST_MAIN; tests/README.md shows both. Everything is inline, so a
// test binary needs no further source. Not for src/: it may call malloc, print
// and abort.
#ifndef TENON_TESTS_HARNESS_H
#define TENON_TESTS_HARNESS_H

// cmocka.h wants these before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
//
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/heap.h"

// The tests of a file, as a function `<name>_tests` that runs them and returns
// how many failed:
//   TEST_GROUP(arena, cmocka_unit_test(aligns), cmocka_unit_test(restores))
#define TEST_GROUP(name, ...)                                     \
  int name##_tests(void);                                         \
  int name##_tests(void) {                                        \
    const struct CMUnitTest tests[] = {__VA_ARGS__};              \
    return cmocka_run_group_tests_name(#name, tests, NULL, NULL); \
  }

// main, for a list of such files:
//   #define GROUPS(X) X(arena) X(buf)
//   TEST_MAIN(GROUPS)
// An argument is a pattern with * and ? for the tests to run; a failure says
// how to repeat it alone.
#define TEST_DECLARE(name) int name##_tests(void);
#define TEST_CALL(name) failed += name##_tests();
#define TEST_MAIN(groups)                                    \
  groups(TEST_DECLARE) int main(int, char **);               \
  int main(int argc, char **argv) {                          \
    int failed = 0;                                          \
    if (argc > 1) cmocka_set_test_filter(argv[1]);           \
    groups(TEST_CALL) if (failed && argc == 1)               \
        print_error("repeat one alone: %s NAME\n", argv[0]); \
    return failed != 0;                                      \
  }

// Tables: `static const struct {...} rows[] = {...}; EACH_ROW(i, rows) ...`.
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))
#define EACH_ROW(i, rows) for (size_t i = 0; i < COUNT(rows); ++i)

// Fails with a message that says which row: CHECK(got == want, "row %zu", i).
#define CHECK(condition, ...) \
  check_that((condition), #condition, __FILE__, __LINE__, __VA_ARGS__)
// The same for two texts, which it shows.
#define CHECK_TEXT(got, want, row) \
  check_text((got), (want), (row), __FILE__, __LINE__)

TENON_INLINE TENON_PRINTF(5, 6) void check_that(bool holds,
                                                const char *condition,
                                                const char *file, int line,
                                                const char *fmt, ...) {
  char text[512];
  va_list args;
  if (holds) return;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  print_error("%s: does not hold: %s\n", text, condition);
  _fail(file, line);
}

TENON_INLINE void check_text(const char *got, const char *want, size_t row,
                             const char *file, int line) {
  if (got && strcmp(got, want) == 0) return;
  print_error("row %zu: found '%s', expected '%s'\n", row, got ? got : "(null)",
              want);
  _fail(file, line);
}

// Within a relative tolerance, or an absolute one below 1. Not a number is near
// itself only.
TENON_INLINE bool near(double a, double b, double tolerance) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  if (isinf(a) || isinf(b)) return a == b;
  double scale = fmax(1, fmax(fabs(a), fabs(b)));
  return fabs(a - b) <= tolerance * scale;
}

// What a sweep reruns: does its work with the allocator, gives everything back,
// and says whether it succeeded.
typedef bool (*test_sweep_fn)(const tenon_allocator *allocator, void *self);

// With tiny arenas there are so many allocations that all of them, each with a
// run of its own, take hours: then it is about this many, evenly spread.
#ifdef TENON_STRESS
TENON_INLINE size_t test_sweep_step(test_sweep_fn work, void *self) {
  enum { RUNS = 64 };
  tenon_heap_probe probe = {.below = tenon_heap(), .fail_at = SIZE_MAX};
  tenon_allocator allocator = tenon_heap_probed(&probe);
  CHECK(work(&allocator, self), "nothing failed");
  return probe.calls / RUNS + 1;
}
#else
TENON_INLINE size_t test_sweep_step(test_sweep_fn work, void *self) {
  (void)work, (void)self;
  return 1;
}
#endif

// Runs the work with allocation 1, 2, 3 ... failing until it asks for no more
// than that: first each alone, then each with all later ones. Every run must
// give back what it took, and the last, in which nothing fails, must succeed.
// A run may also succeed although something failed, by doing without.
TENON_INLINE void test_sweep(test_sweep_fn work, void *self) {
  const size_t step = test_sweep_step(work, self);
  for (int mode = 0; mode < 2; ++mode) {
    size_t calls = SIZE_MAX;
    for (size_t n = 1; n <= calls; n += step) {
      tenon_heap_probe probe = {
          .below = tenon_heap(), .fail_at = n, .fail_after = mode == 1};
      tenon_allocator allocator = tenon_heap_probed(&probe);
      bool succeeded = work(&allocator, self);
      CHECK(probe.live == 0, "allocation %zu failed, mode %d", n, mode);
      if (probe.calls >= n) continue;
      CHECK(succeeded, "nothing failed, mode %d", mode);
      calls = probe.calls;
    }
  }
}

#endif  // TENON_TESTS_HARNESS_H
