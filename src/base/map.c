// base/map.c - slots of 32 bits that point into a dense array of entries.
//
// The entries are an ordinary array in order of insertion, which is what makes
// iteration deterministic; the slots only say where in it to look. A probe
// touches four bytes per slot and an entry only on a likely hit. Growing
// rehashes the slots from the keys in the entries and never looks at a string.
//
// Keys are mixed before they choose a slot: integers are often multiples of a
// power of two or in sequence. The stress build sends all keys to slot 0, in a
// large map to few, and gives all strings the hash 0, so that every probe and
// every comparison is walked.
#include "base/map.h"

#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/size.h"
#include "base/vec.h"

#ifdef TENON_STRESS
// A search that remembers 100,000 states would walk for an hour from one slot.
enum { SLOTS_LEAST = 1, STRESS_APART = 256 };
#else
enum { SLOTS_LEAST = 8 };
#endif

static uint64_t map_hash_text(const char *text) {
#ifdef TENON_STRESS
  (void)text;
  return 0;
#else
  return tenon_hash(text, strlen(text), TENON_HASH_SEED);
#endif
}

static size_t first_slot(const tenon_map *map, uint64_t key) {
  uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
  size_t slot = (size_t)(mixed ^ mixed >> 32) & (map->capacity - 1);
#ifdef TENON_STRESS
  return slot / STRESS_APART * STRESS_APART;
#else
  return slot;
#endif
}

void tenon_map_init(tenon_map *map, tenon_allocator allocator) {
  memset(map, 0, sizeof *map);
  map->allocator = allocator;
}

void tenon_map_deinit(tenon_map *map) {
  tenon_free(&map->allocator, map->entries,
             map->entry_capacity * sizeof *map->entries,
             _Alignof(tenon_map_entry));
  tenon_free(&map->allocator, map->slots, map->capacity * sizeof *map->slots,
             _Alignof(uint32_t));
  tenon_map_init(map, map->allocator);
}

static bool map_is_key(const tenon_map_entry *entry, uint64_t key,
                       const char *text) {
  if (entry->key != key) return false;
  if (!text || !entry->text) return text == entry->text;
  return strcmp(entry->text, text) == 0;
}

static uint64_t *map_find(const tenon_map *map, uint64_t key,
                          const char *text) {
  if (map->count == 0) return NULL;
  size_t at = first_slot(map, key);
  while (map->slots[at] != 0) {
    tenon_map_entry *entry = &map->entries[map->slots[at] - 1];
    if (map_is_key(entry, key, text)) return &entry->value;
    at = (at + 1) & (map->capacity - 1);
  }
  return NULL;
}

static void fill_slot(tenon_map *map, size_t index) {
  size_t at = first_slot(map, map->entries[index].key);
  while (map->slots[at] != 0)
    at = (at + 1) & (map->capacity - 1);
  map->slots[at] = (uint32_t)index + 1;
}

// Makes room for one more entry among the slots; at least one in four, and
// always one, stays empty, which ends every probe.
static bool grow_slots(tenon_map *map) {
  size_t capacity = map->capacity ? map->capacity : SLOTS_LEAST, bytes = 0;
  while (capacity - (capacity + 3) / 4 <= map->count) {
    if (!tenon_size_mul(capacity, 2, &capacity)) return false;
  }
  if (capacity == map->capacity) return true;
  if (!tenon_size_mul(capacity, sizeof *map->slots, &bytes)) return false;
  uint32_t *slots = tenon_alloc(&map->allocator, bytes, _Alignof(uint32_t));
  if (!slots) return false;
  memset(slots, 0, bytes);
  tenon_free(&map->allocator, map->slots, map->capacity * sizeof *slots,
             _Alignof(uint32_t));
  map->slots = slots;
  map->capacity = capacity;
  for (size_t i = 0; i < map->count; ++i)
    fill_slot(map, i);
  return true;
}

static bool map_grow(tenon_map *map) {
  void *entries = map->entries;
  if (map->count >= UINT32_MAX - 1) return false;
  if (!tenon_vec_grow(&map->allocator, &entries, map->count,
                      &map->entry_capacity, 1, sizeof *map->entries,
                      _Alignof(tenon_map_entry))) {
    return false;
  }
  map->entries = entries;
  return grow_slots(map);
}

static uint64_t *map_put(tenon_map *map, tenon_map_entry entry, bool *added) {
  uint64_t *place = map_find(map, entry.key, entry.text);
  if (added) *added = false;
  if (place) return place;
  if (!map_grow(map)) {
    map->failed = true;
    return NULL;
  }
  map->entries[map->count] = entry;
  fill_slot(map, map->count);
  if (added) *added = true;
  return &map->entries[map->count++].value;
}

uint64_t *tenon_map_find(const tenon_map *map, uint64_t key) {
  return map_find(map, key, NULL);
}

uint64_t *tenon_map_find_text(const tenon_map *map, const char *text) {
  return map_find(map, map_hash_text(text), text);
}

uint64_t *tenon_map_put(tenon_map *map, uint64_t key, uint64_t value,
                        bool *added) {
  tenon_map_entry entry = {NULL, key, value};
  return map_put(map, entry, added);
}

uint64_t *tenon_map_put_text(tenon_map *map, const char *text, uint64_t value,
                             bool *added) {
  tenon_map_entry entry = {text, map_hash_text(text), value};
  return map_put(map, entry, added);
}

uint32_t tenon_map_append(tenon_map *map, uint64_t key, void **records,
                          uint32_t *count, uint32_t *capacity,
                          const void *record, size_t size) {
  const uint32_t id = *count == 0 ? 1 : *count, more = id + 1 - *count;
  size_t room = *capacity;
  if (*count > UINT32_MAX / 4 ||
      (room - *count < more &&
       !tenon_vec_grow(&map->allocator, records, *count, &room, more, size,
                       _Alignof(max_align_t))))
    return 0;
  *capacity = (uint32_t)room;
  if (!tenon_map_put(map, key, id, NULL)) return 0;
  if (id == 1) memset(*records, 0, size);
  memcpy((char *)*records + id * size, record, size);
  *count = id + 1;
  return id;
}
