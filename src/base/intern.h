// base/intern.h - one copy of each string, with a dense id.
//
// The text lives in the given arena. Equal strings give equal pointers, so
// names can be compared by address. Id 0 is the empty string.
#ifndef TENON_BASE_INTERN_H
#define TENON_BASE_INTERN_H

#include "base/arena.h"
#include "base/map.h"

typedef struct tenon_intern {
  tenon_arena *arena;
  tenon_map map;
} tenon_intern;

void tenon_intern_init(tenon_intern *in, tenon_arena *arena,
                       tenon_allocator allocator);
void tenon_intern_deinit(tenon_intern *in);
// Null when memory ran out.
const char *tenon_intern_text(tenon_intern *in, const char *text, size_t size);
// Null when the string was never interned. Safe from several threads when
// nobody adds.
const char *tenon_intern_find(const tenon_intern *in, const char *text);

#endif  // TENON_BASE_INTERN_H
