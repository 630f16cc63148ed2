#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// Lists have room for a power of two, so that it is full where `n` is one.
void *cli_add_bytes(void **list, size_t *n, size_t size) {
  if ((*n & (*n - 1)) == 0) {
    void *moved = realloc(*list, (*n ? 2 * *n : 1) * size);
    if (!moved) return NULL;
    *list = moved;
  }
  return memset((char *)*list + (*n)++ * size, 0, size);
}

bool cli_list_push(cli_list *list, const char *text) {
  const char **last = (const char **)cli_add(&list->data, &list->count);
  if (last) *last = text;
  return last != NULL;
}

bool cli_list_end(cli_list *list, const char *const **out) {
  *out = NULL;
  if (list->count == 0) return true;
  if (!cli_list_push(list, NULL)) return false;
  --list->count;
  *out = list->data;
  return true;
}
