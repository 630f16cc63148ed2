// os_test.c - the door to Windows: what base/os.h promises, by calls of this
// program itself. Prints what is wrong; the exit code counts it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/os.h"

static char error[TENON_OS_ERROR];
static char folder[512];
static int faults;

static void check(bool ok, const char *what) {
  if (ok) return;
  printf("%s: %s\n", what, error);
  ++faults;
}

static const char *in_folder(const char *name) {
  static char paths[4][600];
  static int turn;
  char *path = paths[turn = (turn + 1) % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static bool holds(const char *path, const char *want) {
  tenon_os_map map;
  if (!tenon_os_map_file(path, &map, error)) return false;
  bool ok = map.size == strlen(want) && memcmp(map.data, want, map.size) == 0;
  for (size_t i = 0; i < TENON_OS_PADDING; ++i)
    ok = ok && ((const char *)map.data)[map.size + i] == 0;
  tenon_os_unmap(&map);
  return ok;
}

static bool says(bool failed, const char *words) {
  return !failed && strcmp(error, words) == 0;
}

static bool add_name(void *self, const char *name) {
  strcat((char *)self, name);
  return true;
}

static void test_files(void) {
  char path[600];
  tenon_allocator heap = tenon_heap();
  char names[64] = "";
  uint64_t one[2], other[2];
  snprintf(path, sizeof path, "%s/a/b/file", folder);
  check(tenon_os_write_file(path, "first", 5, error), "write");
  check(tenon_os_write_file(path, "second", 6, error), "replace");
  check(holds(path, "second"), "content");
  check(tenon_os_write_file(path, NULL, 0, error) && holds(path, ""), "empty");
  check(tenon_os_make_file(in_folder("once"), "1", 1, error), "make");
  check(
      says(tenon_os_make_file(in_folder("once"), "2", 1, error), "file exists"),
      "make again");
  check(says(tenon_os_write_file(folder, "x", 1, error), "is a folder"),
        "write a folder");
  check(says(tenon_os_write_file(in_folder("once/x"), "x", 1, error),
             "not a folder"),
        "write below a file");
  tenon_os_content files[] = {{in_folder("once"), "2", 1}, {folder, "", 0}};
  size_t at = 0;
  check(!tenon_os_write_files(files, 2, &at, error) && at == 1 &&
            holds(in_folder("once"), "1"),
        "all or none");
  check(tenon_os_list(folder, &heap, add_name, names, error) &&
            strcmp(names, "aonce") == 0,
        "list");
  check(tenon_os_look(path) == TENON_OS_FILE &&
            tenon_os_look(folder) == TENON_OS_FOLDER &&
            tenon_os_look(in_folder("none")) == TENON_OS_ABSENT,
        "look");
  check(tenon_os_identity(path, one) &&
            tenon_os_identity(in_folder("a/../a/b/file"), other) &&
            memcmp(one, other, sizeof one) == 0,
        "identity");
  char full[512], again[600];
  check(tenon_os_full_path(in_folder("a/../once"), full, sizeof full) &&
            !strstr(full, "..") && !strchr(full, '\\'),
        "full path");
  check(
      tenon_os_full_path(full, again, sizeof again) && strcmp(full, again) == 0,
      "full path of one");
  tenon_os_map map;
  check(says(tenon_os_map_file(in_folder("none"), &map, error),
             "no such file or directory"),
        "map nothing");
}

static void test_runs(const char *self) {
  static const char *const odd = "a \"b\\\" c\\";
  tenon_allocator heap = tenon_heap();
  tenon_os_pipe out = {0}, err = {0};
  const char *argv[] = {self, "child", odd, "", NULL};
  int status = -1;
  check(tenon_os_run(argv, "fed", 3, &heap, &out, &err, &status, error), "run");
  check(status == 7, "status");
  check(out.data && strcmp(out.data, "a \"b\\\" c\\||fed") == 0, "output");
  check(err.data && strcmp(err.data, "said") == 0, "errors");
  const char *late[] = {self, "late", NULL};
  check(tenon_os_run_for(1, late, NULL, 0, &heap, NULL, NULL, &status, error) &&
            status == TENON_OS_TIMED_OUT,
        "late");
  const char *none[] = {"no-such-program", NULL};
  check(says(tenon_os_run(none, NULL, 0, &heap, NULL, NULL, &status, error),
             "no such file or directory"),
        "run nothing");
  free(out.data);
  free(err.data);
}

static void test_process(void) {
  char path[512] = "";
  char words[][32] = {"program", "none\\here", "x=C:\\windows\\file"};
  char *argv[] = {words[0], words[1], words[2]};
  uint64_t before = tenon_os_clock();
  check(tenon_os_home(0, path, sizeof path) && !strchr(path, '\\'), "home");
  check(tenon_os_clock() >= before && tenon_os_processors() > 0, "clock");
  tenon_os_settle(3, argv);
  check(strcmp(words[1], "none\\here") == 0, "no path");
  check(strcmp(words[2], "x=C:/windows/file") == 0, "a path");
  void *block = tenon_heap_take(100, 256);
  check(block && (uintptr_t)block % 256 == 0, "aligned");
  tenon_heap_give(block);
}

int main(int argc, char **argv) {
  char text[8] = "";
  if (argc > 1 && strcmp(argv[1], "late") == 0)
    for (;;)
      continue;
  if (argc > 3) {
    tenon_os_settle(argc, argv);
    (void)fread(text, 1, sizeof text - 1, stdin);
    printf("%s|%s|%s", argv[2], argv[3], text);
    fprintf(stderr, "said");
    return 7;
  }
  if (!tenon_os_temp_folder(folder, sizeof folder, error)) {
    printf("no folder: %s\n", error);
    return 1;
  }
  test_files();
  test_runs(argv[0]);
  test_process();
  tenon_os_remove_folder(folder);
  check(tenon_os_look(folder) == TENON_OS_ABSENT, "remove");
  return faults;
}
