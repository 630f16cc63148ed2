#include <stdlib.h>

#include "cli/cli.h"

bool cli_list_push(cli_list *list, const char *text) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 8;
    const char **data =
        (const char **)realloc(list->data, capacity * sizeof *data);
    if (!data) return false;
    list->data = data;
    list->capacity = capacity;
  }
  list->data[list->count++] = text;
  return true;
}

bool cli_list_end(cli_list *list, const char *const **out) {
  *out = NULL;
  if (list->count == 0) return true;
  if (!cli_list_push(list, NULL)) return false;
  --list->count;
  *out = list->data;
  return true;
}
