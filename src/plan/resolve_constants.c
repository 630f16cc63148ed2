// plan/resolve_constants.c - the constants of a program, each content once.
#include <string.h>

#include "base/hash.h"
#include "plan/resolver.h"

typedef tenon_resolver resolver;

// A weight without data is found again by its name.
static bool add_apart(resolver *r, const tenon_program_constant *c,
                      uint32_t *index) {
  if (!c->name) return false;
  for (size_t i = 0; i < r->constants.count; ++i) {
    const tenon_program_constant *d = &r->constants.data[i];
    if (d->data || d->size != c->size || d->dtype != c->dtype ||
        strcmp(d->name, c->name) != 0)
      continue;
    *index = (uint32_t)i;
    return true;
  }
  *index = (uint32_t)r->constants.count;
  return tenon_vec_push(&r->constants, *c) &&
         tenon_vec_push(&r->constant_next, 0u);
}

// Finds equal content or adds it. Data that is not aligned for its elements, or
// does not outlive the program, is copied.
bool tenon_resolve_constant(resolver *r, const tenon_program_constant *c,
                            bool copy, uint32_t *index) {
  if (c->size > 0 && !c->data) return add_apart(r, c, index);
  uint64_t hash = tenon_hash_bulk(c->data, (size_t)c->size,
                                  TENON_HASH_SEED + c->align + c->is_packed);
  bool added = false;
  uint64_t *slot = tenon_map_put(&r->constant_map, hash, 0, &added);
  if (!slot) return false;
  for (uint64_t i = *slot; i; i = r->constant_next.data[i - 1]) {
    const tenon_program_constant *d = &r->constants.data[i - 1];
    if (d->size == c->size && d->align == c->align &&
        d->is_packed == c->is_packed && d->dtype == c->dtype &&
        d->bank == c->bank &&
        (c->size == 0 || memcmp(d->data, c->data, (size_t)c->size) == 0)) {
      *index = (uint32_t)i - 1;
      return true;
    }
  }
  tenon_program_constant fresh = *c;
  if (copy) {
    char *data = (char *)tenon_arena_alloc(r->arena, (size_t)c->size + 64, 64);
    if (!data) return false;
    if (c->size) memcpy(data, c->data, (size_t)c->size);
    memset(data + c->size, 0, 64);
    fresh.data = data;
  }
  *index = (uint32_t)r->constants.count;
  if (!tenon_vec_push(&r->constants, fresh) ||
      !tenon_vec_push(&r->constant_next, (uint32_t)*slot))
    return false;
  *slot = (uint64_t)*index + 1;
  return true;
}

static bool resolve_constant_lies_in(const void *file, size_t file_size,
                                     const void *data, size_t size) {
  uintptr_t at = (uintptr_t)data, from = (uintptr_t)file;
  return file && data && at >= from && at - from <= file_size &&
         file_size - (at - from) >= size + 64;
}

// Large data in the bytes that a module was read from is used where it lies;
// all else is in the module's arena, which the program outlives, or small.
// Kernels may read 64 bytes past the end.
bool tenon_resolve_can_stay(const resolver *r, const void *data, size_t size,
                            size_t align) {
  if (size < 1u << 20 || (uintptr_t)data % align != 0) return false;
  for (size_t i = 0; i < r->w->n_entries; ++i) {
    const tenon_module *m = r->w->entries[i].entry->module;
    if (resolve_constant_lies_in(m->file, m->file_size, data, size) ||
        resolve_constant_lies_in(m->apart, m->apart_size, data, size))
      return true;
  }
  return false;
}
