// base/map.h - a hash map from integers or strings to 64-bit values.
//
// Open addressing, linear probing, grown at three quarters. Keys are not owned:
// strings must outlive the map (intern them first). Iteration order is the
// order of insertion, so nothing printed from a map depends on hashes. There is
// no removal; nobody here needs it. A failed growth is latched in `failed`.
#ifndef TENON_BASE_MAP_H
#define TENON_BASE_MAP_H

#include "tenon/alloc.h"

typedef struct tenon_map_entry {
  const char *text;  // null in a map of integers
  uint64_t key;      // hash of the text, or the integer itself
  uint64_t value;
} tenon_map_entry;

typedef struct tenon_map {
  tenon_allocator allocator;
  tenon_map_entry *entries;  // `count` of them, in order of insertion
  uint32_t *slots;           // `capacity` of them: entry index + 1, 0 empty
  size_t count, capacity, entry_capacity;
  bool failed;
} tenon_map;

void tenon_map_init(tenon_map *map, tenon_allocator allocator);
void tenon_map_deinit(tenon_map *map);
// The value's place, or null. The place is valid until the next insertion.
uint64_t *tenon_map_find(const tenon_map *map, uint64_t key);
uint64_t *tenon_map_find_text(const tenon_map *map, const char *text);
// The value's place, made with `value` if the key was not there; null when
// memory ran out. `added`, if not null, says which it was.
uint64_t *tenon_map_put(tenon_map *map, uint64_t key, uint64_t value,
                        bool *added);
uint64_t *tenon_map_put_text(tenon_map *map, const char *text, uint64_t value,
                             bool *added);

// Adds a record of `size` bytes to an array that a map finds records of by
// hash: number 0 is all zeros, and stands for none. Its number under the key;
// 0 when memory ran out.
uint32_t tenon_map_append(tenon_map *map, uint64_t key, void **records,
                          uint32_t *count, uint32_t *capacity,
                          const void *record, size_t size);

#endif  // TENON_BASE_MAP_H
