// How: items come from names of files, in the order of the command line; those
// of a folder in the order of their names, so that every process has the same
// list. A claim is a file that only one process can make; it says of which run
// it is, so that one which a dead process has left does not count.
#include <stdlib.h>
#include <string.h>
#include "cli/batch/batch.h"

static int batch_item_no_memory(const batch *b) {
  return cli_fail(b->c, CLI_NO_MEMORY, "memory", "out of memory");
}

static bool batch_item_is_array(const char *path) {
  return cli_ends_with(path, ".npz") || cli_ends_with(path, ".npy");
}

static int batch_item_add(batch *b, const char *path) {
  batch_item *item = (batch_item *)cli_add(&b->items, &b->n_items);
  if (!item) return batch_item_no_memory(b);
  size_t size = strlen(path);
  while (size > 1 && path[size - 1] == '/')
    --size;
  item->path = cli_copy(path, size);
  if (!item->path) return batch_item_no_memory(b);
  const char *slash = strrchr(item->path, '/');
  const char *name = slash ? slash + 1 : item->path;
  size_t n = strlen(name);
  item->name = cli_copy(name, batch_item_is_array(name) && n > 4 ? n - 4 : n);
  return item->name ? 0 : batch_item_no_memory(b);
}

// Its arrays, and folders in it that are cases.
static int add_folder(batch *b, const char *folder) {
  cli_list names = {0};
  size_t before = b->n_items;
  int code = cli_list_folder(b->c, folder, &names) ? 0 : TENON_IO;
  for (size_t i = 0; code == 0 && i < names.count; ++i) {
    if (names.data[i][0] == '.') continue;
    char *path = cli_join(folder, names.data[i]);
    char *first = path ? cli_join(path, "in0.npy") : NULL;
    if (!first)
      code = batch_item_no_memory(b);
    else if (batch_item_is_array(path) || cli_is_file(first))
      code = batch_item_add(b, path);
    free(first);
    free(path);
  }
  cli_list_drop(&names);
  if (code == 0 && b->n_items == before)
    code = cli_fail(b->c, CLI_USAGE, "cli-batch",
                    "'%s' holds no .npz, no .npy and no folder with in0.npy",
                    folder);
  return code;
}

// A path a line; '#' begins a comment.
static int add_lines(batch *b, const char *path) {
  tenon_buf text;
  if (!cli_read_file(b->c, path, &text)) return cli_refused(b->c, TENON_IO);
  int code = 0;
  char *line = text.data, *end = text.data + text.size;
  while (code == 0 && line < end) {
    char *next = (char *)memchr(line, '\n', (size_t)(end - line));
    char *stop = next ? next : end;
    while (stop > line && (stop[-1] == '\r' || stop[-1] == ' '))
      --stop;
    char *one = cli_copy(line, (size_t)(stop - line));
    if (!one)
      code = batch_item_no_memory(b);
    else if (*one && *one != '#')
      code = batch_item_add(b, one);
    free(one);
    line = next ? next + 1 : end;
  }
  tenon_buf_deinit(&text);
  return code;
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(const batch_item *const *)a)->name,
                (*(const batch_item *const *)b)->name);
}

static int batch_item_check_names(const batch *b) {
  const batch_item **list =
      (const batch_item **)calloc(b->n_items + 1, sizeof *list);
  int code = 0;
  if (!list) return batch_item_no_memory(b);
  for (size_t i = 0; i < b->n_items; ++i)
    list[i] = &b->items[i];
  qsort((void *)list, b->n_items, sizeof *list, by_name);
  for (size_t i = 1; code == 0 && i < b->n_items; ++i)
    if (strcmp(list[i - 1]->name, list[i]->name) == 0)
      code = cli_fail(b->c, CLI_USAGE, "cli-batch",
                      "'%s' and '%s' would both write '%s.npz'",
                      cli_shown(b->c, list[i - 1]->path),
                      cli_shown(b->c, list[i]->path),
                      cli_shown(b->c, list[i]->name));
  free((void *)list);
  return code;
}

static bool is_case(const char *path) {
  char *first = cli_join(path, "in0.npy");
  bool is = first && cli_is_file(first);
  free(first);
  return is;
}

int batch_list(batch *b) {
  const cli_list *names = &b->c->batch_inputs;
  int code = 0;
  for (size_t i = 0; code == 0 && i < names->count; ++i) {
    const char *path = names->data[i];
    if (batch_item_is_array(path) || (cli_is_folder(path) && is_case(path)))
      code = batch_item_add(b, path);
    else if (cli_is_folder(path))
      code = add_folder(b, path);
    else
      code = add_lines(b, path);
  }
  return code ? code : batch_item_check_names(b);
}

void batch_free(batch *b) {
  for (size_t i = 0; i < b->n_items; ++i) {
    free(b->items[i].path);
    free(b->items[i].name);
  }
  free(b->items);
}

// --- claims -----------------------------------------------------------------

static char *batch_item_beside(const batch *b, const batch_item *item,
                               const char *suffix) {
  size_t size = strlen(item->name) + strlen(suffix) + 1;
  char *name = (char *)malloc(size);
  if (!name) return NULL;
  snprintf(name, size, "%s%s", item->name, suffix);
  char *path = cli_join(b->c->output, name);
  free(name);
  return path;
}

char *batch_output(const batch *b, const batch_item *item) {
  return batch_item_beside(b, item, ".npz");
}

static bool is_of_this_run(const batch *b, const char *path) {
  char said[sizeof b->rank.run] = "";
  FILE *f = fopen(path, "rb");
  if (!f) return false;
  size_t n = fread(said, 1, sizeof said - 1, f);
  fclose(f);
  said[n] = 0;
  // One that is being written is empty as yet.
  return n == 0 || strcmp(said, b->rank.run) == 0;
}

bool batch_claim(const batch *b, const batch_item *item) {
  if (b->rank.size == 1) return true;
  char *path = batch_item_beside(b, item, ".claim");
  char error[TENON_OS_ERROR];
  const char *run = b->rank.run;
  size_t size = strlen(run);
  bool is_ours = path && (tenon_os_make_file(path, run, size, error) ||
                          (!is_of_this_run(b, path) &&
                           tenon_os_write_file(path, run, size, error)));
  free(path);
  return is_ours;
}

void batch_release(const batch *b, const batch_item *item) {
  char *path = batch_item_beside(b, item, ".claim");
  if (path) tenon_os_remove_file(path);
  free(path);
}
