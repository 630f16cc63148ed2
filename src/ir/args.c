// ir/args.c - copying attributes of operators that have no schema.
//
// With a schema, core/attr.c copies while it completes; without one the graph
// keeps what the file has, and that must not point into the reader's memory.
#include <string.h>

#include "core/attr_lists.h"
#include "ir/graph_link.h"

static const void *copy_list(tenon_arena *arena, const void *data, size_t size,
                             size_t align, bool *failed) {
  if (!data) return NULL;
  const void *copy = tenon_arena_copy(arena, data, size, align);
  *failed |= !copy;
  return copy;
}

static const char *const *copy_texts(tenon_arena *arena, const tenon_strs *from,
                                     bool *failed) {
  if (!from->data) return NULL;
  const char **texts = tenon_arena_array(arena, const char *, from->count);
  *failed |= !texts;
  for (size_t i = 0; texts && i < from->count; ++i) {
    texts[i] = tenon_arena_string(arena, from->data[i]);
    *failed |= !texts[i];
  }
  return texts;
}

static bool copy_arg(tenon_arena *arena, const tenon_arg *from, tenon_arg *to) {
  bool failed = false;
  *to = *from;
  to->name = tenon_arena_string(arena, from->name);
  switch (from->kind) {
    case TENON_KIND_STR:
      to->as.s = tenon_arena_string(arena, from->as.s);
      failed = from->as.s && !to->as.s;
      break;
#define COPY(its_kind, list, T)                                               \
  case TENON_KIND_##its_kind:                                                 \
    to->as.list.data =                                                        \
        copy_list(arena, from->as.list.data, from->as.list.count * sizeof(T), \
                  _Alignof(T), &failed);                                      \
    break;
      TENON_ATTR_NUMBERS(COPY)
      COPY(DIMS, dims, tenon_dim)
#undef COPY
    case TENON_KIND_STRS:
      to->as.strs.data = copy_texts(arena, &from->as.strs, &failed);
      break;
    default:
      break;
  }
  return to->name && !failed;
}

const tenon_arg *tenon_args_copy(tenon_arena *arena, const tenon_arg *args) {
  size_t n = 0;
  while (args && args[n].name)
    ++n;
  tenon_arg *copy = tenon_arena_array(arena, tenon_arg, n + 1);
  if (!copy) return NULL;
  memset(copy, 0, (n + 1) * sizeof *copy);
  for (size_t i = 0; i < n; ++i) {
    if (!copy_arg(arena, &args[i], &copy[i])) return NULL;
  }
  return copy;
}
