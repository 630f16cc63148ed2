#include "base/os.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "harness/harness.h"

static char folder[256];
static char error[TENON_OS_ERROR];

static int open_folder(void **state) {
  (void)state;
  error[0] = 0;
  return tenon_os_temp_folder(folder, sizeof folder, error) ? 0 : -1;
}

static int close_folder(void **state) {
  (void)state;
  tenon_os_remove_folder(folder);
  return tenon_os_look(folder) == TENON_OS_ABSENT ? 0 : -1;
}

// A path in the folder, in one of a few places that take turns.
static const char *in_folder(const char *name) {
  static char paths[4][600];
  static int turn;
  char *path = paths[turn = (turn + 1) % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void check_content(const char *path, const char *want) {
  tenon_os_map map;
  assert_true(tenon_os_map_file(path, &map, error));
  assert_int_equal(map.size, strlen(want));
  assert_memory_equal(map.data, want, map.size);
  tenon_os_unmap(&map);
}

static bool count_name(void *self, const char *name) {
  (void)name;
  ++*(int *)self;
  return true;
}

static int count_names(const char *path) {
  tenon_allocator heap = tenon_heap();
  int count = 0;
  assert_true(tenon_os_list(path, &heap, count_name, &count, error));
  return count;
}

static void writes_and_maps_files(void **state) {
  const char *path = in_folder("a/b//c/file");
  (void)state;
  assert_true(tenon_os_write_file(path, "first", 5, error));
  check_content(path, "first");
  assert_int_equal(chmod(path, 0750), 0);
  assert_true(tenon_os_write_file(path, "the second", 10, error));
  check_content(path, "the second");
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0750);
  assert_true(tenon_os_write_file(path, NULL, 0, error));
  check_content(path, "");
  assert_int_equal(count_names(in_folder("a/b/c")), 1);
}

// Around the end of a page, too, where the file's own zeros do not suffice.
static void maps_zeros_behind_a_file(void **state) {
  static char content[3 * 4096];
  static const size_t sizes[] = {0,    1,    4096 - 64,    4096 - 63, 4096 - 1,
                                 4096, 4097, 2 * 4096 - 1, 2 * 4096,  3 * 4096};
  const char *path = in_folder("file");
  (void)state;
  memset(content, 'x', sizeof content);
  EACH_ROW(i, sizes) {
    tenon_os_map map;
    assert_true(tenon_os_write_file(path, content, sizes[i], error));
    assert_true(tenon_os_map_file(path, &map, error));
    assert_int_equal(map.size, sizes[i]);
    assert_memory_equal(map.data, content, sizes[i]);
    for (size_t k = 0; k < TENON_OS_PADDING; ++k)
      CHECK(((const char *)map.data)[sizes[i] + k] == 0, "byte %zu behind %zu",
            k, sizes[i]);
    tenon_os_unmap(&map);
  }
}

static void writes_all_or_none(void **state) {
  const char *first = in_folder("first"), *second = in_folder("a/second");
  tenon_os_content files[] = {{first, "1", 1}, {second, "2", 1}};
  size_t at = 9;
  (void)state;
  assert_true(tenon_os_write_files(files, 0, &at, error));
  assert_true(tenon_os_write_files(files, 2, &at, error));
  check_content(first, "1");
  check_content(second, "2");
  files[0].data = "x";
  files[1].path = folder;
  assert_false(tenon_os_write_files(files, 2, &at, error));
  assert_int_equal(at, 1);
  assert_string_equal(error, "is a folder");
  check_content(first, "1");
  assert_int_equal(count_names(folder), 2);
}

static void makes_a_file_once(void **state) {
  const char *path = in_folder("file");
  (void)state;
  assert_true(tenon_os_make_file(path, "mine", 4, error));
  assert_false(tenon_os_make_file(path, "yours", 5, error));
  assert_string_equal(error, "file exists");
  check_content(path, "mine");
  tenon_os_remove_file(path);
  assert_int_equal(tenon_os_look(path), TENON_OS_ABSENT);
  assert_true(tenon_os_make_file(path, "yours", 5, error));
  check_content(path, "yours");
}

static void keeps_what_was_mapped(void **state) {
  const char *path = in_folder("file");
  tenon_os_map map;
  (void)state;
  assert_true(tenon_os_write_file(path, "old", 3, error));
  assert_true(tenon_os_map_file(path, &map, error));
  assert_true(tenon_os_write_file(path, "new!", 4, error));
  assert_memory_equal(map.data, "old", 3);
  tenon_os_unmap(&map);
  check_content(path, "new!");
}

static void says_why_it_cannot(void **state) {
  tenon_os_map map;
  (void)state;
  assert_false(tenon_os_map_file(in_folder("none"), &map, error));
  assert_string_equal(error, "no such file or directory");
  assert_false(tenon_os_map_file(folder, &map, error));
  assert_string_equal(error, "is a folder");
  assert_false(tenon_os_map_file("/dev/null", &map, error));
  assert_string_equal(error, "not a regular file");
  assert_false(tenon_os_write_file(folder, "x", 1, error));
  assert_string_equal(error, "is a folder");
  assert_true(tenon_os_write_file(in_folder("file"), "x", 1, error));
  assert_false(tenon_os_write_file(in_folder("file/below"), "x", 1, error));
  assert_string_equal(error, "not a folder");
  assert_false(tenon_os_make_folder(in_folder("file"), error));
  assert_string_equal(error, "not a folder");
}

static void writes_through_links_and_devices(void **state) {
  const char *path = in_folder("file"), *link = in_folder("link");
  struct stat st;
  (void)state;
  assert_true(tenon_os_write_file(path, "x", 1, error));
  assert_int_equal(symlink("file", link), 0);
  assert_true(tenon_os_write_file(link, "by the link", 11, error));
  check_content(path, "by the link");
  assert_true(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
  assert_true(tenon_os_write_file("/dev/null", "x", 1, error));
  assert_true(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}

static void looks_and_identifies(void **state) {
  const char *path = in_folder("file"), *link = in_folder("link");
  uint64_t a[2] = {0, 0}, b[2] = {0, 0};
  (void)state;
  assert_int_equal(tenon_os_look(path), TENON_OS_ABSENT);
  assert_false(tenon_os_identity(path, a));
  assert_true(tenon_os_write_file(path, "x", 1, error));
  assert_int_equal(tenon_os_look(path), TENON_OS_FILE);
  assert_int_equal(tenon_os_look(folder), TENON_OS_FOLDER);
  assert_int_equal(symlink("file", link), 0);
  assert_true(tenon_os_identity(path, a) && tenon_os_identity(link, b));
  assert_memory_equal(a, b, sizeof a);
  assert_true(tenon_os_identity(folder, b));
  assert_memory_not_equal(a, b, sizeof a);
}

static void removes_folders_but_not_what_links_lead_to(void **state) {
  (void)state;
  assert_true(tenon_os_write_file(in_folder("kept/file"), "x", 1, error));
  assert_true(tenon_os_write_file(in_folder("gone/a/b/file"), "x", 1, error));
  assert_int_equal(symlink("../kept", in_folder("gone/link")), 0);
  tenon_os_remove_folder(in_folder("gone"));
  assert_int_equal(tenon_os_look(in_folder("gone")), TENON_OS_ABSENT);
  check_content(in_folder("kept/file"), "x");
  tenon_os_remove_folder(in_folder("none"));
}

static void copes_with_long_paths(void **state) {
  tenon_buf path;
  (void)state;
  tenon_buf_init(&path, tenon_heap());
  tenon_buf_text(&path, folder);
  for (int i = 0; i < 18; ++i)
    tenon_buf_format(&path, "/%0200d", i);
  assert_true(tenon_os_make_folder(path.data, error));
  tenon_buf_text(&path, "/file");
  assert_true(tenon_os_write_file(path.data, "x", 1, error));
  check_content(path.data, "x");
  for (int i = 0; i < 18; ++i)
    tenon_buf_format(&path, "/%0200d", i);
  assert_false(tenon_os_make_folder(path.data, error));
  assert_false(tenon_os_write_file(path.data, "x", 1, error));
  tenon_buf_deinit(&path);
  char small[8];
  assert_false(tenon_os_temp_folder(small, sizeof small, error));
  assert_string_equal(error, "path too long");
}

typedef struct listing {
  char text[64];
  int left;
} listing;

static bool list_name(void *self, const char *name) {
  listing *l = self;
  strcat(l->text, name);
  return --l->left > 0;
}

static void lists_in_order(void **state) {
  tenon_allocator heap = tenon_heap();
  listing all = {"", 9}, two = {"", 2};
  (void)state;
  assert_true(tenon_os_list(folder, &heap, list_name, &all, error));
  assert_string_equal(all.text, "");
  for (const char *name = "dbeac"; *name; ++name) {
    char text[2] = {*name, 0};
    assert_true(tenon_os_write_file(in_folder(text), "", 0, error));
  }
  assert_true(tenon_os_list(folder, &heap, list_name, &all, error));
  assert_string_equal(all.text, "abcde");
  assert_true(tenon_os_list(folder, &heap, list_name, &two, error));
  assert_string_equal(two.text, "ab");
  assert_false(tenon_os_list(in_folder("x"), &heap, list_name, &all, error));
  assert_string_equal(error, "no such file or directory");
}

static bool list_all(const tenon_allocator *allocator, void *self) {
  int count = 0;
  (void)self;
  bool ok = tenon_os_list(folder, allocator, count_name, &count, error);
  assert_int_equal(count, ok ? 5 : 0);
  if (!ok) assert_string_equal(error, "out of memory");
  return ok;
}

static void lists_despite_failures(void **state) {
  (void)state;
  for (const char *name = "dbeac"; *name; ++name) {
    char text[2] = {*name, 0};
    assert_true(tenon_os_write_file(in_folder(text), "", 0, error));
  }
  test_sweep(list_all, NULL);
}

static void opens_libraries(void **state) {
  void *library = NULL;
  int (*value)(void) = NULL;
  (void)state;
  assert_true(tenon_os_open_library(TEST_IMAGE, &library, error));
  void *symbol = tenon_os_symbol(library, "image_value");
  assert_non_null(symbol);
  memcpy(&value, &symbol, sizeof value);
  assert_int_equal(value(), 42);
  assert_null(tenon_os_symbol(library, "image_other"));
#ifdef __GLIBC__
  assert_null(tenon_os_symbol(library, "image_below_value"));
  assert_null(tenon_os_symbol(library, "malloc"));
#endif
  tenon_os_close_library(library);
  tenon_os_close_library(NULL);
}

static void opens_no_library_that_is_none(void **state) {
  const char *path = in_folder("not.so");
  void *library = NULL;
  (void)state;
  assert_true(tenon_os_write_file(path, "not an image", 12, error));
  assert_false(tenon_os_open_library(path, &library, error));
  assert_null(strstr(error, folder));
  assert_true(error[0] != 0);
  // Found along the search path if one were used.
  assert_false(tenon_os_open_library("libc.so.6", &library, error));
  assert_null(library);
}

typedef struct result {
  tenon_os_pipe out, err;
  int status;
} result;

static bool run_shell(const tenon_allocator *allocator, const char *script,
                      const char *input, result *r) {
  const char *argv[] = {"sh", "-c", script, NULL};
  r->status = -1;
  return tenon_os_run(argv, input, input ? strlen(input) : 0, allocator,
                      &r->out, &r->err, &r->status, error);
}

static void free_result(const tenon_allocator *allocator, result *r) {
  tenon_free(allocator, r->out.data, r->out.capacity, 1);
  tenon_free(allocator, r->err.data, r->err.capacity, 1);
}

static void runs_programs(void **state) {
  static const struct {
    const char *script, *input, *out, *err;
    int status;
  } rows[] = {
      {"echo out; echo err >&2; exit 3", NULL, "out\n", "err\n", 3},
      {"cat", "fed", "fed", "", 0},
      {"cat", "", "", "", 0},
      {"cat", NULL, "", "", 0},
      {"kill -9 $$", NULL, "", "", 128 + 9},
      {"exec 0<&-; echo closed", "never read", "closed\n", "", 0},
      {"printf '%s' \"$0\"", NULL, "sh", "", 0},
  };
  tenon_allocator heap = tenon_heap();
  (void)state;
  EACH_ROW(i, rows) {
    result r = {{0}, {0}, 0};
    bool ok = run_shell(&heap, rows[i].script, rows[i].input, &r);
    CHECK(ok, "row %zu: %s", i, error);
    CHECK(r.status == rows[i].status, "row %zu: status %d", i, r.status);
    CHECK_TEXT(r.out.data, rows[i].out, i);
    CHECK_TEXT(r.err.data, rows[i].err, i);
    free_result(&heap, &r);
  }
}

// More than pipes hold, in all directions at once.
static void pumps_large_streams(void **state) {
  enum { SIZE = 2000000 };
  tenon_allocator heap = tenon_heap();
  char *input = malloc(SIZE + 1);
  result r = {{0}, {.limit = 1000}, 0};
  (void)state;
  memset(input, 'x', SIZE);
  input[SIZE] = 0;
  assert_true(run_shell(&heap, "tee /dev/stderr", input, &r));
  assert_int_equal(r.status, 0);
  assert_int_equal(r.out.size, SIZE);
  assert_memory_equal(r.out.data, input, SIZE + 1);
  assert_int_equal(r.err.size, 1000);
  assert_int_equal(strlen(r.err.data), 1000);
  free_result(&heap, &r);
  free(input);
}

static void takes_no_harm_from_a_program_that_does_not_read(void **state) {
  enum { SIZE = 2000000 };
  tenon_allocator heap = tenon_heap();
  char *input = malloc(SIZE + 1);
  result r = {{0}, {0}, 0};
  sigset_t pending, mask;
  (void)state;
  memset(input, 'x', SIZE);
  input[SIZE] = 0;
  assert_true(run_shell(&heap, "head -c 3", input, &r));
  assert_string_equal(r.out.data, "xxx");
  sigpending(&pending);
  assert_int_equal(sigismember(&pending, SIGPIPE), 0);
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  assert_int_equal(sigismember(&mask, SIGPIPE), 0);
  free_result(&heap, &r);
  free(input);
}

static void says_when_there_is_no_program(void **state) {
  const char *argv[] = {in_folder("none"), NULL};
  tenon_allocator heap = tenon_heap();
  result r = {{0}, {0}, 0};
  (void)state;
  if (getenv("TENON_TEST_EMULATED")) {
    print_message(
        "skipped: under qemu-user a process that is spawned shares no memory "
        "with its parent, so posix_spawn does not learn that it did not "
        "start\n");
    skip();
  }
  assert_false(
      tenon_os_run(argv, NULL, 0, &heap, &r.out, &r.err, &r.status, error));
  assert_string_equal(error, "no such file or directory");
  free_result(&heap, &r);
}

static bool run_once(const tenon_allocator *allocator, void *self) {
  result r = {{0}, {0}, 0};
  (void)self;
  bool ok = run_shell(allocator, "cat; echo err >&2", "some input", &r);
  if (!ok) assert_string_equal(error, "out of memory");
  free_result(allocator, &r);
  return ok;
}

static void runs_despite_failures(void **state) {
  (void)state;
  test_sweep(run_once, NULL);
}

static void has_a_clock_and_processors(void **state) {
  uint64_t before = tenon_os_clock();
  int ends[2];
  (void)state;
  assert_true(tenon_os_clock() >= before);
  assert_true(tenon_os_processors() >= 1);
  assert_int_equal(pipe(ends), 0);
  assert_false(tenon_os_is_terminal(ends[0]));
  close(ends[0]);
  close(ends[1]);
}

#define IN_FOLDER(test) \
  cmocka_unit_test_setup_teardown(test, open_folder, close_folder)

TEST_GROUP(os, IN_FOLDER(writes_and_maps_files),
           IN_FOLDER(maps_zeros_behind_a_file), IN_FOLDER(writes_all_or_none),
           IN_FOLDER(makes_a_file_once), IN_FOLDER(keeps_what_was_mapped),
           IN_FOLDER(says_why_it_cannot),
           IN_FOLDER(writes_through_links_and_devices),
           IN_FOLDER(looks_and_identifies),
           IN_FOLDER(removes_folders_but_not_what_links_lead_to),
           IN_FOLDER(copes_with_long_paths), IN_FOLDER(lists_in_order),
           IN_FOLDER(lists_despite_failures), cmocka_unit_test(opens_libraries),
           IN_FOLDER(opens_no_library_that_is_none),
           cmocka_unit_test(runs_programs),
           cmocka_unit_test(pumps_large_streams),
           cmocka_unit_test(takes_no_harm_from_a_program_that_does_not_read),
           IN_FOLDER(says_when_there_is_no_program),
           cmocka_unit_test(runs_despite_failures),
           cmocka_unit_test(has_a_clock_and_processors))
