// tests/harness/folder.h - a fresh folder with files that a test writes, and
// running a program.
//
//   test_folder f;
//   test_folder_make(&f);
//   const char *path = test_write(&f, "a.c", "int x;\n");   // valid to the end
//   test_folder_remove(&f);
#ifndef TENON_TESTS_FOLDER_H
#define TENON_TESTS_FOLDER_H

#include "base/arena.h"
#include "base/os.h"
#include "harness/harness.h"

typedef struct test_folder {
  char path[256];
  tenon_arena arena;  // of the paths handed out
} test_folder;

TENON_INLINE void test_folder_make(test_folder *f) {
  char error[TENON_OS_ERROR] = "";
  tenon_arena_init(&f->arena, tenon_heap());
  bool ok = tenon_os_temp_folder(f->path, sizeof f->path, error);
  CHECK(ok, "%s", error);
}

TENON_INLINE void test_folder_remove(test_folder *f) {
  tenon_os_remove_folder(f->path);
  tenon_arena_deinit(&f->arena);
}

TENON_INLINE const char *test_path(test_folder *f, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", f->path, name);
  return tenon_arena_string(&f->arena, path);
}

TENON_INLINE const char *test_write_bytes(test_folder *f, const char *name,
                                          const void *data, size_t size) {
  char error[TENON_OS_ERROR] = "";
  const char *path = test_path(f, name);
  bool ok = tenon_os_write_file(path, data, size, error);
  CHECK(ok, "%s: %s", path, error);
  return path;
}

TENON_INLINE const char *test_write(test_folder *f, const char *name,
                                    const char *text) {
  return test_write_bytes(f, name, text, strlen(text));
}

// Runs a command of words separated by blanks; its exit code, or -1 if there is
// no such program. `errors`, if not null, receives the beginning of what it
// says.
TENON_INLINE int test_run(const char *command, char *errors, size_t size) {
  char text[2048], error[TENON_OS_ERROR];
  const char *argv[64];
  size_t n = 0;
  int status = -1;
  tenon_allocator heap = tenon_heap();
  tenon_os_pipe output = {.limit = 1}, said = {.limit = 1 << 16};
  snprintf(text, sizeof text, "%s", command);
  for (char *word = strtok(text, " "); word && n < 63; word = strtok(NULL, " "))
    argv[n++] = word;
  argv[n] = NULL;
  if (!tenon_os_run(argv, NULL, 0, &heap, &output, &said, &status, error))
    status = -1;
  if (errors) snprintf(errors, size, "%s", said.data ? said.data : "");
  tenon_free(&heap, output.data, output.capacity, 1);
  tenon_free(&heap, said.data, said.capacity, 1);
  return status;
}

#endif  // TENON_TESTS_FOLDER_H
