// core/loc.c - places in one array, found again by their hash.
//
// The map goes from a hash of the content to the id. Two places of one hash are
// possible, so what is found is compared, and the next number is tried until
// the entry is equal or the number is free; nothing is ever removed, so that
// always ends at the same entry.
//
// Fusing keeps the order of the parts and looks for duplicates by walking the
// list: rewrites fuse a handful of places. The list is made in the arena and
// given back if the fused place exists already.
#include "core/loc.h"

#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/vec.h"

static const tenon_place no_place;

void tenon_locs_init(tenon_locs *locs, tenon_arena *arena,
                     tenon_allocator allocator) {
  memset(locs, 0, sizeof *locs);
  locs->arena = arena;
  tenon_map_init(&locs->map, allocator);
}

void tenon_locs_deinit(tenon_locs *locs) {
  tenon_free(&locs->map.allocator, locs->entries,
             locs->capacity * sizeof *locs->entries, _Alignof(max_align_t));
  tenon_map_deinit(&locs->map);
  locs->entries = NULL;
  locs->count = locs->capacity = 0;
}

static uint64_t loc_hash_text(const char *text, uint64_t seed) {
  // With its zero, so that "ab" "c" is not "a" "bc"; null is not the empty one.
  return text ? tenon_hash(text, strlen(text) + 1, seed)
              : tenon_hash("\1", 1, seed);
}

static uint64_t hash_place(const tenon_place *place) {
  uint64_t hash = loc_hash_text(place->file, TENON_HASH_SEED);
  hash = loc_hash_text(place->where, hash);
  hash = loc_hash_text(place->origin, hash);
  hash = tenon_hash(&place->offset, sizeof place->offset, hash);
  return tenon_hash(&place->size, sizeof place->size, hash);
}

static bool same_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_entry(const tenon_loc_entry *a, const tenon_loc_entry *b) {
  if (a->n_parts != b->n_parts) return false;
  if (a->n_parts > 0)
    return memcmp(a->parts, b->parts, a->n_parts * sizeof *a->parts) == 0;
  return same_text(a->place.file, b->place.file) &&
         same_text(a->place.where, b->place.where) &&
         same_text(a->place.origin, b->place.origin) &&
         a->place.offset == b->place.offset && a->place.size == b->place.size;
}

static tenon_loc loc_no_memory(tenon_locs *locs) {
  locs->arena->failed = true;
  return 0;
}

// The id of an equal entry, or 0 and the key under which it is to be added.
static tenon_loc loc_find(const tenon_locs *locs, const tenon_loc_entry *entry,
                          uint64_t *key) {
  for (;; ++*key) {
    const uint64_t *id = tenon_map_find(&locs->map, *key);
    if (!id) return 0;
    if (same_entry(&locs->entries[*id], entry)) return (tenon_loc)*id;
  }
}

static tenon_loc loc_append(tenon_locs *locs, const tenon_loc_entry *entry,
                            uint64_t key) {
  tenon_loc id =
      tenon_map_append(&locs->map, key, (void **)(void *)&locs->entries,
                       &locs->count, &locs->capacity, entry, sizeof *entry);
  return id ? id : loc_no_memory(locs);
}

// A text as it may be printed; one that is already stays where it is.
static const char *shown(tenon_locs *locs, const char *text) {
  size_t size = text ? tenon_text_show(NULL, 0, text) : 0;
  if (!text || size == strlen(text)) return text;
  char *copy = tenon_arena_array(locs->arena, char, size + 1);
  if (copy) (void)tenon_text_show(copy, size + 1, text);
  return copy;
}

tenon_loc tenon_locs_add(tenon_locs *locs, const tenon_place *given) {
  tenon_place one = *given;
  const tenon_place *place = &one;
  one.file = shown(locs, given->file);
  one.where = shown(locs, given->where);
  one.origin = shown(locs, given->origin);
  if ((given->file && !one.file) || (given->where && !one.where) ||
      (given->origin && !one.origin))
    return loc_no_memory(locs);
  tenon_loc_entry entry = {one, NULL, 0};
  uint64_t key = hash_place(place);
  tenon_loc id = loc_find(locs, &entry, &key);
  if (id != 0) return id;
  entry.place.file = tenon_arena_string(locs->arena, place->file);
  entry.place.where = tenon_arena_string(locs->arena, place->where);
  entry.place.origin = tenon_arena_string(locs->arena, place->origin);
  if ((place->file && !entry.place.file) ||
      (place->where && !entry.place.where) ||
      (place->origin && !entry.place.origin))
    return loc_no_memory(locs);
  return loc_append(locs, &entry, key);
}

// The simple places that `loc` stands for, and how many.
static size_t parts_of(const tenon_locs *locs, const tenon_loc *loc,
                       const tenon_loc **parts) {
  if (*loc == 0 || *loc >= locs->count) return 0;
  const tenon_loc_entry *entry = &locs->entries[*loc];
  *parts = entry->n_parts > 0 ? entry->parts : loc;
  return entry->n_parts > 0 ? entry->n_parts : 1;
}

static size_t add_part(tenon_loc *list, size_t count, tenon_loc part) {
  for (size_t i = 0; i < count; ++i) {
    if (list[i] == part) return count;
  }
  list[count] = part;
  return count + 1;
}

tenon_loc tenon_locs_fuse(tenon_locs *locs, const tenon_loc *parts, size_t n) {
  const tenon_loc *each = NULL;
  size_t most = 0, count = 0;
  for (size_t i = 0; i < n; ++i)
    most += parts_of(locs, &parts[i], &each);
  if (most == 0) return 0;
  tenon_arena_mark mark = tenon_arena_save(locs->arena);
  tenon_loc *list = tenon_arena_array(locs->arena, tenon_loc, most);
  if (!list) return 0;
  for (size_t i = 0; i < n; ++i) {
    size_t n_each = parts_of(locs, &parts[i], &each);
    for (size_t j = 0; j < n_each; ++j)
      count = add_part(list, count, each[j]);
  }
  tenon_loc first = list[0];
  tenon_loc_entry entry = {locs->entries[first].place, list, (uint32_t)count};
  uint64_t key = tenon_hash(list, count * sizeof *list, ~TENON_HASH_SEED);
  tenon_loc id = count == 1 ? first : loc_find(locs, &entry, &key);
  if (id == 0) return loc_append(locs, &entry, key);
  tenon_arena_restore(locs->arena, mark);
  return id;
}

bool tenon_locs_meet(const tenon_locs *locs, tenon_loc a, tenon_loc b) {
  const tenon_loc *in_a = NULL, *in_b = NULL;
  const size_t n_a = parts_of(locs, &a, &in_a), n_b = parts_of(locs, &b, &in_b);
  for (size_t i = 0; i < n_a; ++i)
    for (size_t k = 0; k < n_b; ++k)
      if (in_a[i] == in_b[k] && in_a[i] != 0) return true;
  return false;
}

const tenon_place *tenon_locs_place(const tenon_locs *locs, tenon_loc loc) {
  return loc < locs->count ? &locs->entries[loc].place : &no_place;
}

static void print_place(const tenon_place *place, tenon_buf *out) {
  const char *where = place->where ? place->where : "";
  tenon_buf_quote(out, where, strlen(where));
  if (!place->origin) return;
  tenon_buf_char(out, ' ');
  tenon_buf_quote(out, place->origin, strlen(place->origin));
}

void tenon_locs_print(const tenon_locs *locs, tenon_loc loc, tenon_buf *out) {
  const tenon_loc *parts = NULL;
  size_t n = parts_of(locs, &loc, &parts);
  if (n > 1) tenon_buf_text(out, "fused(");
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) tenon_buf_text(out, ", ");
    print_place(&locs->entries[parts[i]].place, out);
  }
  if (n > 1) tenon_buf_char(out, ')');
}

// "net.py:7, in forward, module layers.0.norm (pkg.RMSNorm)".
tenon_text tenon_place_module(const tenon_place *place, tenon_text *type) {
  const char *origin = place->origin;
  const char *at = origin ? strstr(origin, "module ") : NULL;
  const char *open = at ? strrchr(at, '(') : NULL;
  if (!open || open < at + 9 || origin[strlen(origin) - 1] != ')')
    return (tenon_text){"", 0};
  if (type) *type = (tenon_text){open + 1, strlen(open + 1) - 1};
  return (tenon_text){at + 7, (size_t)(open - 1 - at - 7)};
}
