// base/system/os_parts.c - what the files of each system share, and need
// nothing of it.
#include "base/system/os_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/heap.h"

bool tenon_os_fail(char *error, const char *text) {
  snprintf(error, TENON_OS_ERROR, "%s", text);
  return false;
}

bool tenon_os_is_dots(const char *name) {
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

bool tenon_os_add_name(tenon_os_names *names, const char *name, char *error) {
  size_t size = strlen(name) + 1;
  if (tenon_os_is_dots(name)) return true;
  char *copy = tenon_alloc(&names->allocator, size, 1);
  if (copy) memcpy(copy, name, size);
  if (copy && tenon_vec_push(names, copy)) return true;
  if (copy) tenon_free(&names->allocator, copy, size, 1);
  return tenon_os_fail(error, "out of memory");
}

// 0 is no limit. The final zero has its place.
bool tenon_os_keep(const tenon_allocator *allocator, tenon_os_pipe *pipe,
                   const char *data, size_t size) {
  if (pipe->limit != 0) {
    size_t left = pipe->limit > pipe->size ? pipe->limit - pipe->size : 0;
    if (size > left) size = left;
  }
  void *moved = pipe->data;
  if (!tenon_vec_grow(allocator, &moved, pipe->size, &pipe->capacity, size + 1,
                      1, 1))
    return false;
  pipe->data = moved;
  if (size != 0) memcpy(pipe->data + pipe->size, data, size);
  pipe->size += size;
  pipe->data[pipe->size] = 0;
  return true;
}
