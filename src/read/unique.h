// read/unique.h - names that a file uses more than once, told apart.
#ifndef TENON_READ_UNIQUE_H
#define TENON_READ_UNIQUE_H

#include "base/arena.h"
#include "base/map.h"

// The name, or NAME_1, NAME_2, ... where it is taken already; it is taken then.
// Lies in the arena. Null: out of memory, of which nothing has been said.
const char *tenon_read_unique(tenon_arena *arena, tenon_map *taken,
                              const char *name);

#endif  // TENON_READ_UNIQUE_H
