// base/os.c - what is the same on all systems, over what each has.
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/system/os_parts.h"

// --- files and folders ------------------------------------------------------

bool tenon_os_make_folder(const char *path, char *error) {
  tenon_buf part;
  tenon_buf_init(&part, tenon_heap());
  tenon_buf_text(&part, path);
  bool ok = !part.failed || tenon_os_fail(error, "out of memory");
  for (size_t i = 1; ok && i < part.size; ++i) {
    if (part.data[i] != '/' || part.data[i - 1] == '/') continue;
    part.data[i] = 0;
    ok = tenon_os_make_one(part.data, error);
    part.data[i] = '/';
  }
  if (ok) ok = tenon_os_make_one(path, error);
  tenon_buf_deinit(&part);
  return ok;
}

// The folders above a path, for a file to be put there.
static bool make_parents(const char *path, char *error) {
  const char *slash = strrchr(path, '/');
  if (!slash || slash == path) return true;
  tenon_buf parent;
  tenon_buf_init(&parent, tenon_heap());
  tenon_buf_add(&parent, path, (size_t)(slash - path));
  bool ok = !parent.failed || tenon_os_fail(error, "out of memory");
  if (ok) ok = tenon_os_make_folder(parent.data, error);
  tenon_buf_deinit(&parent);
  return ok;
}

static bool stage(tenon_os_staged *s, const tenon_os_content *f, char *error) {
  tenon_buf_init(&s->temp, tenon_heap());
  tenon_buf_init(&s->path, tenon_heap());
  s->is_there = false;
  return (tenon_os_look(f->path) != TENON_OS_ABSENT ||
          make_parents(f->path, error)) &&
         tenon_os_stage(s, f, error);
}

bool tenon_os_write_file(const char *path, const void *data, size_t size,
                         char *error) {
  tenon_os_content f = {path, data, size};
  tenon_os_staged s;
  bool ok = stage(&s, &f, error) && tenon_os_publish(&s, error);
  tenon_os_unstage(&s);
  return ok;
}

bool tenon_os_write_files(const tenon_os_content *files, size_t count,
                          size_t *at, char *error) {
  tenon_os_staged *list = (tenon_os_staged *)calloc(count + 1, sizeof *list);
  bool ok = list || tenon_os_fail(error, "out of memory");
  size_t n = 0;
  for (*at = 0; ok && n < count; ++n) {
    *at = n;
    ok = stage(&list[n], &files[n], error);
  }
  for (size_t i = 0; ok && i < count; ++i) {
    *at = i;
    ok = tenon_os_publish(&list[i], error);
  }
  for (size_t i = 0; i < n; ++i)
    tenon_os_unstage(&list[i]);
  free(list);
  return ok;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

bool tenon_os_list(const char *path, const tenon_allocator *allocator,
                   bool (*each)(void *self, const char *name), void *self,
                   char *error) {
  tenon_os_names names;
  tenon_vec_init(&names, *allocator);
  bool ok = tenon_os_read_names(path, &names, error);
  if (ok && names.count != 0) {
    qsort(names.data, names.count, sizeof *names.data, compare_names);
    bool more = true;
    for (size_t i = 0; more && i < names.count; ++i)
      more = each(self, names.data[i]);
  }
  for (size_t i = 0; i < names.count; ++i)
    tenon_free(allocator, names.data[i], strlen(names.data[i]) + 1, 1);
  tenon_vec_deinit(&names);
  return ok;
}

bool tenon_os_home(int i, char *path, size_t size) {
  char *slash = tenon_os_image(i, path, size) ? strrchr(path, '/') : NULL;
  if (slash) *slash = 0;
  return slash != NULL;
}

// --- programs ---------------------------------------------------------------

bool tenon_os_run(const char *const *argv, const void *input, size_t input_size,
                  const tenon_allocator *allocator, tenon_os_pipe *output,
                  tenon_os_pipe *errors, int *status, char *error) {
  return tenon_os_run_for(0, argv, input, input_size, allocator, output, errors,
                          status, error);
}
