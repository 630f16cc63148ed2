// How: names taken are keys of a map whose value is the number to try next, so
// a thousand equal names cost a thousand attempts and not a million.
#include "read/unique.h"

#include "base/buf.h"

static const char *numbered(tenon_arena *arena, tenon_map *taken,
                            const char *name, tenon_buf *text) {
  bool added = false;
  const char *own = tenon_arena_string(arena, name);
  if (own && !tenon_map_put_text(taken, own, 1, &added)) own = NULL;
  while (own && !added) {
    uint64_t *next = tenon_map_find_text(taken, name);
    uint64_t number = (*next)++;
    tenon_buf_clear(text);
    tenon_buf_format(text, "%s_%llu", name, (unsigned long long)number);
    own = text->failed ? NULL : tenon_arena_text(arena, text->data, text->size);
    if (own && !tenon_map_put_text(taken, own, 1, &added)) own = NULL;
  }
  return own;
}

const char *tenon_read_unique(tenon_arena *arena, tenon_map *taken,
                              const char *name) {
  tenon_buf text;
  tenon_buf_init(&text, arena->allocator);
  const char *own = numbered(arena, taken, name, &text);
  tenon_buf_deinit(&text);
  return own;
}
