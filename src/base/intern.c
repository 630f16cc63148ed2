// base/intern.c - a map from strings to their ids, with the strings in an
// arena.
//
// An id is the index of the map's entry, so ids are dense and id 0, the empty
// string, is entered first. The map compares strings that end in a zero, while
// callers have views into files; so a view is copied first, onto the stack if
// it is short, as names are, else into the arena, from where it is taken back
// when it turns out to be known.
//
// What is interned is a C string: it ends at the first zero of the view.
#include "base/intern.h"

#include <string.h>

enum { SHORT = 128 };

static const char empty[] = "";

static bool enter_empty(tenon_intern *in) {
  return in->map.count != 0 || tenon_map_put_text(&in->map, empty, 0, NULL);
}

void tenon_intern_init(tenon_intern *in, tenon_arena *arena,
                       tenon_allocator allocator) {
  in->arena = arena;
  tenon_map_init(&in->map, allocator);
  // Without memory for this the first string tries again, and reports it.
  (void)enter_empty(in);
}

void tenon_intern_deinit(tenon_intern *in) {
  tenon_map_deinit(&in->map);
}

static const char *intern_known(const tenon_intern *in, const char *text) {
  const uint64_t *id = tenon_map_find_text(&in->map, text);
  return id ? in->map.entries[*id].text : NULL;
}

// Enters a string that the arena owns and the map does not have.
static const char *intern_enter(tenon_intern *in, const char *text) {
  if (!text) return NULL;
  return tenon_map_put_text(&in->map, text, in->map.count, NULL) ? text : NULL;
}

static const char *intern_long(tenon_intern *in, const char *text,
                               size_t size) {
  tenon_arena_mark mark = tenon_arena_save(in->arena);
  const char *copy = tenon_arena_text(in->arena, text, size);
  if (!copy) return NULL;
  const char *found = intern_known(in, copy);
  if (!found) return intern_enter(in, copy);
  tenon_arena_restore(in->arena, mark);
  return found;
}

const char *tenon_intern_text(tenon_intern *in, const char *text, size_t size) {
  if (!enter_empty(in)) return NULL;
  if (size == 0) return empty;
  const char *zero = memchr(text, 0, size);
  if (zero) size = (size_t)(zero - text);
  if (size >= SHORT) return intern_long(in, text, size);
  char copy[SHORT];
  memcpy(copy, text, size);
  copy[size] = 0;
  const char *found = intern_known(in, copy);
  return found ? found
               : intern_enter(in, tenon_arena_text(in->arena, text, size));
}

const char *tenon_intern_find(const tenon_intern *in, const char *text) {
  return *text ? intern_known(in, text) : empty;
}
