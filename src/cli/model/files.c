// How: files, folders and programs are the system's (base/os.h); what goes
// wrong with them is said here.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "cli/cli.h"

int cli_refused(const cli *c, int status) {
  return c->unread ? c->unread : status;
}

static bool io_error(cli *c, const char *what, const char *path,
                     const char *error) {
  (void)cli_fail(c, TENON_IO, "cli-file", "cannot %s '%s': %s", what, path,
                 error);
  return false;
}

bool cli_read_stream(cli *c, FILE *f, const char *path, tenon_buf *out) {
  char piece[65536];
  size_t n = 0;
  memset(out, 0, sizeof *out);
  tenon_buf_text(out, "");
  while (!out->failed && (n = fread(piece, 1, sizeof piece, f)) > 0)
    tenon_buf_add(out, piece, n);
  bool ok = !out->failed && !ferror(f);
  if (out->failed)
    (void)cli_fail(c, CLI_NO_MEMORY, "memory", "reading '%s': out of memory",
                   path);
  else if (!ok)
    (void)io_error(c, "read", path, strerror(errno));
  if (!ok) tenon_buf_deinit(out);
  return ok;
}

bool cli_read_file(cli *c, const char *path, tenon_buf *out) {
  memset(out, 0, sizeof *out);
  if (cli_is_folder(path)) {
    c->unread = cli_fail(c, TENON_IO, "cli-file", "'%s' is a folder", path);
    return false;
  }
  FILE *f = fopen(path, "rb");
  if (!f) {
    c->unread = TENON_IO;
    return io_error(c, "read", path, strerror(errno));
  }
  bool ok = cli_read_stream(c, f, path, out);
  fclose(f);
  return ok;
}

bool cli_map_file(cli *c, const char *path, cli_mapped *out) {
  char error[TENON_OS_ERROR];
  memset(out, 0, sizeof *out);
  // Pipes and the like are read.
  if (!tenon_os_map_file(path, &out->map, error) || out->map.size == 0) {
    tenon_os_unmap(&out->map);
    if (!cli_read_file(c, path, &out->read)) return false;
    out->data = out->read.data;
    out->size = out->read.size;
    return true;
  }
  out->data = out->map.data;
  out->size = out->map.size;
  return true;
}

void cli_unmap_file(cli_mapped *m) {
  tenon_os_unmap(&m->map);
  tenon_buf_deinit(&m->read);
  memset(m, 0, sizeof *m);
}

// A folder that is not there is rather a misspelt one.
static bool has_folder(const char *path) {
  const char *end = strrchr(path, '/');
  if (!end || end == path) return true;
  char *folder = cli_copy(path, (size_t)(end - path));
  bool has = folder && cli_is_folder(folder);
  free(folder);
  return has;
}

bool cli_write_file(cli *c, const char *path, const void *data, size_t size) {
  char error[TENON_OS_ERROR] = "there is no such folder";
  return (has_folder(path) && tenon_os_write_file(path, data, size, error)) ||
         io_error(c, "write", path, error);
}

int cli_deliver(cli *c, const char *path, const tenon_buf *text) {
  const char *data = text->data ? text->data : "";
  if (text->failed) return CLI_NO_MEMORY;
  if (!path) return cli_exit(cli_write(c, NULL, data, text->size));
  return cli_write_file(c, path, data, text->size) ? 0 : TENON_IO;
}

bool cli_make_folder(cli *c, const char *path) {
  char error[TENON_OS_ERROR];
  return tenon_os_make_folder(path, error) ||
         io_error(c, "make folder", path, error);
}

bool cli_is_folder(const char *path) {
  return tenon_os_look(path) == TENON_OS_FOLDER;
}

bool cli_is_file(const char *path) {
  return tenon_os_look(path) == TENON_OS_FILE;
}

static bool cli_file_add_name(void *self, const char *name) {
  cli_list *names = (cli_list *)self;
  char *copy = strdup(name);
  if (copy && cli_list_push(names, copy)) return true;
  free(copy);
  return false;
}

// Where there is no memory for a name, there is none for the list.
bool cli_list_folder(cli *c, const char *path, cli_list *names) {
  tenon_allocator heap = tenon_heap();
  char error[TENON_OS_ERROR];
  memset(names, 0, sizeof *names);
  return tenon_os_list(path, &heap, cli_file_add_name, names, error) ||
         io_error(c, "read", path, error);
}

void cli_list_drop(cli_list *names) {
  for (size_t i = 0; i < names->count; ++i)
    free((void *)(uintptr_t)names->data[i]);
  free(names->data);
  memset(names, 0, sizeof *names);
}

bool cli_ends_with(const char *path, const char *suffix) {
  size_t n = strlen(path), m = strlen(suffix);
  return n >= m && strcmp(path + n - m, suffix) == 0;
}

char *cli_copy(const char *text, size_t n) {
  char *copy = (char *)malloc(n + 1);
  if (copy) memcpy(copy, text, n);
  if (copy) copy[n] = 0;
  return copy;
}

char *cli_join(const char *folder, const char *name) {
  size_t n = strlen(folder), m = strlen(name);
  char *path = (char *)malloc(n + m + 2);
  if (path) snprintf(path, n + m + 2, "%s/%s", folder, name);
  return path;
}

bool cli_temp_folder(cli *c, char *path, size_t size) {
  char error[TENON_OS_ERROR];
  return tenon_os_temp_folder(path, size, error) ||
         io_error(c, "make", "a temporary folder", error);
}

// --- programs ---------------------------------------------------------------

bool cli_run(cli *c, const char *const *argv, const tenon_buf *input,
             tenon_buf *output, tenon_buf *errors, int *status) {
  return cli_run_for(c, 0, argv, input, output, errors, status);
}

static tenon_os_pipe into(const tenon_buf *b) {
  // What nobody wants is read all the same.
  if (!b) return (tenon_os_pipe){.limit = 1};
  return (tenon_os_pipe){b->data, b->size, 0, b->capacity};
}

static void cli_file_take_back(tenon_buf *b, tenon_os_pipe *pipe) {
  if (b) {
    b->data = pipe->data;
    b->size = pipe->size;
    b->capacity = pipe->capacity;
  } else {
    free(pipe->data);
  }
}

bool cli_run_for(cli *c, int seconds, const char *const *argv,
                 const tenon_buf *input, tenon_buf *output, tenon_buf *errors,
                 int *status) {
  tenon_allocator heap = tenon_heap();
  char error[TENON_OS_ERROR];
  bool is_one = output && output == errors;
  tenon_os_pipe out = into(output), err = into(is_one ? NULL : errors);
  bool ok = tenon_os_run_for(seconds, argv, input ? input->data : NULL,
                             input ? input->size : 0, &heap, &out,
                             is_one ? &out : &err, status, error);
  cli_file_take_back(output, &out);
  cli_file_take_back(is_one ? NULL : errors, &err);
  return ok || io_error(c, "run", argv[0], error);
}

// --- emitted files ----------------------------------------------------------

tenon_status cli_files_write(void *self, const char *file, const char *text,
                             size_t size) {
  cli_files *f = (cli_files *)self;
  const char *name = file ? file : "";
  struct cli_file *last = f->count ? &f->data[f->count - 1] : NULL;
  if (!last || strcmp(last->name, name) != 0) {
    char *copy = strdup(name);
    last = copy ? (struct cli_file *)cli_add(&f->data, &f->count) : NULL;
    if (!last) {
      free(copy);
      return TENON_NO_MEMORY;
    }
    last->name = copy;
  }
  return cli_collect(&last->content, NULL, text, size);
}

bool cli_files_save(cli *c, const cli_files *files, const char *folder) {
  tenon_os_content *list =
      (tenon_os_content *)calloc(files->count + 1, sizeof *list);
  char error[TENON_OS_ERROR];
  bool ok = list && cli_make_folder(c, folder);
  size_t n = 0, at = 0;
  for (; ok && n < files->count; ++n) {
    const tenon_buf *b = &files->data[n].content;
    list[n] = (tenon_os_content){cli_join(folder, files->data[n].name), b->data,
                                 b->size};
    ok = list[n].path != NULL;
  }
  if (ok && !tenon_os_write_files(list, n, &at, error))
    ok = io_error(c, "write", n ? list[at].path : folder, error);
  for (size_t i = 0; i < n; ++i)
    free((void *)(uintptr_t)list[i].path);
  free(list);
  return ok;
}

void cli_files_free(cli_files *files) {
  for (size_t i = 0; i < files->count; ++i) {
    free(files->data[i].name);
    tenon_buf_deinit(&files->data[i].content);
  }
  free(files->data);
  memset(files, 0, sizeof *files);
}
