#define _GNU_SOURCE  // sched_getcpu
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"
#include "harness/harness.h"

static void stops_what_takes_too_long(void **state) {
  const char *argv[] = {"sh", "-c", "echo begun; exec sleep 60", NULL};
  tenon_allocator heap = tenon_heap();
  tenon_os_pipe out = {0}, err = {0};
  char error[TENON_OS_ERROR];
  int status = 0;
  (void)state;
  uint64_t before = tenon_os_clock();
  assert_true(
      tenon_os_run_for(1, argv, NULL, 0, &heap, &out, &err, &status, error));
  assert_int_equal(status, TENON_OS_TIMED_OUT);
  assert_string_equal(out.data, "begun\n");
  assert_true(tenon_os_clock() - before >= UINT64_C(1000000000));
  tenon_free(&heap, out.data, out.capacity, 1);
  tenon_free(&heap, err.data, err.capacity, 1);
}

static void puts_both_outputs_into_one(void **state) {
  const char *argv[] = {"sh", "-c", "echo out; echo err >&2; echo out", NULL};
  tenon_allocator heap = tenon_heap();
  tenon_os_pipe both = {0};
  char error[TENON_OS_ERROR];
  int status = -1;
  (void)state;
  assert_true(
      tenon_os_run_for(60, argv, NULL, 0, &heap, &both, &both, &status, error));
  assert_int_equal(status, 0);
  assert_int_equal(both.size, 12);
  assert_non_null(strstr(both.data, "err\n"));
  tenon_free(&heap, both.data, both.capacity, 1);
}

static int changed;

static void change(void *self) {
  (void)self;
  changed = 1;
}

static void leave(void *self) {
  (void)self;
  _exit(7);
}

static void stumble(void *self) {
  (void)self;
  // Sanitizers have handlers of their own.
  (void)signal(SIGILL, SIG_DFL);
  (void)raise(SIGILL);
}

static void compute_for_ever(void *self) {
  volatile uint64_t n = 0;
  (void)self;
  for (;;)
    ++n;
}

static void wait_for_ever(void *self) {
  (void)self;
  for (;;)
    (void)pause();
}

static void tries_in_a_copy(void **state) {
  static const struct {
    const char *name;
    void (*work)(void *self);
    tenon_os_end end;
    int code;
  } rows[] = {
      {"returns", change, TENON_OS_RETURNED, 0},
      {"exits", leave, TENON_OS_EXITED, 7},
      {"is killed", stumble, TENON_OS_KILLED, SIGILL},
      {"computes", compute_for_ever, TENON_OS_COMPUTED, SIGXCPU},
      {"waits", wait_for_ever, TENON_OS_WAITED, SIGALRM},
  };
  (void)state;
  EACH_ROW(i, rows) {
    int code = -1;
    // What computes has to reach its second of a processor on a busy machine.
    int waiting = rows[i].end == TENON_OS_COMPUTED ? 60 : 1;
    tenon_os_end end = tenon_os_try(rows[i].work, NULL, 1, waiting, &code);
    CHECK(end == rows[i].end, "%s: %d", rows[i].name, (int)end);
    CHECK(code == rows[i].code, "%s: code %d", rows[i].name, code);
  }
  assert_int_equal(changed, 0);
  assert_non_null(strstr(tenon_os_signal(SIGILL), "nstruction"));
}

static void finds_programs_and_homes(void **state) {
  static const char path[] = "/bin/sh and more", name[] = "shx";
  char home[4096], image[4096];
  (void)state;
  assert_true(tenon_os_is_program(path, 7));
  assert_false(tenon_os_is_program(path, sizeof path - 1));
  assert_false(tenon_os_is_program("/bin", 4));
  assert_true(tenon_os_is_program(name, 2));
  assert_false(tenon_os_is_program("no-such-program", 15));
  assert_true(tenon_os_home(0, home, sizeof home));
  assert_int_equal(tenon_os_look(home), TENON_OS_FOLDER);
  assert_true(tenon_os_home(1, image, sizeof image));
#ifdef TENON_TESTS_SHARED
  assert_int_equal(tenon_os_look(image), TENON_OS_FOLDER);
  assert_string_not_equal(home, image);
#else
  assert_string_equal(home, image);
#endif
  assert_false(tenon_os_home(2, image, sizeof image));
  assert_false(tenon_os_home(1, image, 3));
  assert_true(tenon_os_process() == (uint64_t)getpid());
}

// The thread goes on elsewhere, where there is another processor for it, and
// may use the same ones as before.
static void drives_threads_away(void **state) {
  (void)state;
#ifdef __GLIBC__
  cpu_set_t before, after;
  int moved = 0;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  for (int i = 0; i < 20; ++i) {
    const int here = sched_getcpu();
    tenon_os_drive_away(pthread_self());
    moved += sched_getcpu() != here;
  }
  assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
  assert_true(CPU_EQUAL(&before, &after));
  if (CPU_COUNT(&before) > 1) assert_true(moved > 0);
  if (CPU_COUNT(&before) == 1) assert_int_equal(moved, 0);
#else
  tenon_os_drive_away(pthread_self());
#endif
}

TEST_GROUP(os_process, cmocka_unit_test(stops_what_takes_too_long),
           cmocka_unit_test(puts_both_outputs_into_one),
           cmocka_unit_test(tries_in_a_copy),
           cmocka_unit_test(finds_programs_and_homes),
           cmocka_unit_test(drives_threads_away))
