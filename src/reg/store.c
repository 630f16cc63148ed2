// reg/store.c - sorted arrays with binary search.
//
// Insertion moves what lies behind, which for the few thousand names of a
// context costs less than hashing them; and lists, lookups and everything
// printed come in one order that no hash decides. The capacity of an array
// never shrinks, so what was taken out can be put back without memory.
#include "reg/store.h"

#include <string.h>

#include "base/heap.h"

const char *tenon_registry_kind_name(uint32_t kind) {
  static const char *const names[TENON_REGISTRY_KINDS] = {
      "",       "operator", "kernel",  "lowering", "pass",
      "reader", "target",   "package", "catalog"};
  return kind < TENON_REGISTRY_KINDS ? names[kind] : "";
}

tenon_registry *tenon_registry_create(const tenon_allocator *allocator) {
  tenon_registry *r =
      tenon_alloc(allocator, sizeof *r, _Alignof(tenon_registry));
  if (!r) return NULL;
  memset(r, 0, sizeof *r);
  tenon_vec_init(&r->all, *allocator);
  tenon_vec_init(&r->sources, *allocator);
  for (size_t i = 0; i < TENON_REGISTRY_KINDS; ++i)
    tenon_vec_init(&r->live[i], *allocator);
  return r;
}

void tenon_registry_destroy(tenon_registry *r) {
  tenon_allocator allocator = r->all.allocator;
  tenon_vec_deinit(&r->all);
  tenon_vec_deinit(&r->sources);
  for (size_t i = 0; i < TENON_REGISTRY_KINDS; ++i)
    tenon_vec_deinit(&r->live[i]);
  tenon_free(&allocator, r, sizeof *r, _Alignof(tenon_registry));
}

static int reg_store_compare(const char *a, const char *name, size_t size) {
  int order = strncmp(a, name, size);
  return order != 0 ? order : a[size] != 0;
}

// Index of the first record whose name is not below.
static size_t reg_store_place_of(const tenon_records *list, const char *name,
                                 size_t size) {
  size_t low = 0, high = list->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (reg_store_compare(list->data[middle]->name, name, size) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

tenon_record *tenon_store_find(const tenon_registry *r, uint32_t kind,
                               const char *name, size_t size) {
  const tenon_records *list = &r->live[kind];
  size_t at = reg_store_place_of(list, name, size);
  if (at == list->count ||
      reg_store_compare(list->data[at]->name, name, size) != 0)
    return NULL;
  return list->data[at];
}

static tenon_record *find_same(const tenon_registry *r,
                               const tenon_record *record) {
  return tenon_store_find(r, record->kind, record->name, strlen(record->name));
}

tenon_record *tenon_store_add(tenon_context *cx, const tenon_record *record) {
  tenon_registry *r = cx->registry;
  tenon_record *copy = tenon_arena_copy(&cx->arena, record, sizeof *record,
                                        _Alignof(tenon_record));
  if (!copy || !tenon_vec_push(&r->all, copy)) return NULL;
  copy->index = (uint32_t)r->all.count;
  return copy;
}

bool tenon_store_set_live(tenon_registry *r, tenon_record *record,
                          bool is_live) {
  tenon_records *list = &r->live[record->kind];
  if (record->is_live == is_live) return true;
  if (is_live && !tenon_vec_reserve(list, 1)) return false;
  size_t at = reg_store_place_of(list, record->name, strlen(record->name));
  if (is_live) {
    memmove(list->data + at + 1, list->data + at,
            (list->count - at) * sizeof *list->data);
    list->data[at] = record;
    ++list->count;
  } else {
    while (list->data[at] != record)
      ++at;
    --list->count;
    memmove(list->data + at, list->data + at + 1,
            (list->count - at) * sizeof *list->data);
  }
  record->is_live = is_live;
  return true;
}

bool tenon_store_is_shared(const tenon_record *a, const tenon_record *b) {
  if (a->kind != TENON_REGISTRY_KERNELS || b->kind != a->kind) return false;
  const tenon_kernel_desc *x = a->as.kernel->desc, *y = b->as.kernel->desc;
  return a->owner == b->owner && a->home != b->home && x->run == y->run &&
         x->run_range == y->run_range;
}

// Whether nothing that counts stands in this record's way.
static bool reg_store_is_free(const tenon_registry *r,
                              const tenon_record *record) {
  const tenon_record *other = find_same(r, record);
  return !other || tenon_store_is_shared(other, record);
}

bool tenon_store_set_op_live(tenon_registry *r, tenon_record *record,
                             bool is_live) {
  bool ok = tenon_store_set_live(r, record, is_live);
  for (size_t i = 0; i < r->all.count; ++i) {
    tenon_record *part = r->all.data[i];
    if (part->home != record->as.op || part == record) continue;
    if (is_live && (part->is_removed || !reg_store_is_free(r, part))) continue;
    ok = tenon_store_set_live(r, part, is_live) && ok;
  }
  return ok;
}

static bool has_live_home(const tenon_registry *r, const tenon_record *record) {
  if (!record->home) return true;
  const char *name = record->home->name;
  const tenon_record *home =
      tenon_store_find(r, TENON_REGISTRY_OPS, name, strlen(name));
  return home && home->as.op == record->home;
}

void tenon_store_revive(tenon_registry *r, const tenon_record *gone) {
  for (size_t i = r->all.count; i-- > 0;) {
    tenon_record *record = r->all.data[i];
    if (record->kind != gone->kind || record->is_removed || record->is_live)
      continue;
    if (strcmp(record->name, gone->name) != 0 || !has_live_home(r, record) ||
        !reg_store_is_free(r, record)) {
      continue;
    }
    if (record->kind == TENON_REGISTRY_OPS) {
      (void)tenon_store_set_op_live(r, record, true);
    } else {
      (void)tenon_store_set_live(r, record, true);
    }
  }
}

void tenon_store_rollback(tenon_registry *r, size_t count,
                          const tenon_owner *owner) {
  size_t end = r->all.count, kept = 0;
  for (size_t i = count; i < end; ++i)
    (void)tenon_store_set_live(r, r->all.data[i], false);
  // The records themselves stay readable: they lie in the arena.
  r->all.count = count;
  for (size_t i = count; i < end; ++i)
    tenon_store_revive(r, r->all.data[i]);
  for (size_t i = 0; i < r->sources.count; ++i) {
    if (r->sources.data[i].owner != owner)
      r->sources.data[kept++] = r->sources.data[i];
  }
  r->sources.count = kept;
}
