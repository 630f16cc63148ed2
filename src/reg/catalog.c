// reg/catalog.c - a binary search among a catalog's names, and one descriptor
// at a time.
//
// A frozen context is shared by threads without locks. So what is made after
// the freeze goes into an arena of its own, under a lock that spins: making an
// operator takes microseconds, and two threads rarely want a new one at once.
// The array of made operators is read without the lock.
#include "reg/catalog.h"

#include <string.h>

#include "reg/admit/admit.h"
#include "reg/linking.h"
#include "reg/store.h"

void tenon_catalogs_init(tenon_catalog_state *s, tenon_allocator allocator) {
  atomic_flag_clear(&s->lock);
  tenon_arena_init(&s->arena, allocator);
}

void tenon_catalogs_deinit(tenon_catalog_state *s) {
  tenon_arena_deinit(&s->arena);
}

// ---------------------------------------------------------------------------
// Admitting
// ---------------------------------------------------------------------------

static tenon_status catalog_check_names(const tenon_subject *s,
                                        const tenon_catalog_desc *d) {
  size_t set = strlen(d->set);
  const char *before = "";
  for (size_t i = 0; i < d->count; ++i) {
    const char *name = d->name(d->user, i);
    if (!name || strncmp(name, d->set, set) != 0 ||
        strncmp(name + set, "::", 2) != 0) {
      return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-catalog",
                          "every name begins with the set and '::'",
                          "name %zu is '%.100s'", i, name ? name : "(null)");
    }
    if (strcmp(before, name) >= 0) {
      return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-catalog",
                          "names ascend, byte by byte, each once",
                          "'%.100s' stands after '%.100s'", name, before);
    }
    before = name;
  }
  return TENON_OK;
}

tenon_status tenon_catalog_admit(tenon_context *cx, const tenon_owner *owner,
                                 const tenon_catalog_desc *in,
                                 const tenon_catalog **out) {
  tenon_catalog catalog = {.owner = owner};
  tenon_subject s = {cx, owner, "catalog", NULL};
  TENON_TRY(tenon_admit_copy(&s, &catalog.desc, sizeof catalog.desc, in));
  const tenon_catalog_desc *d = &catalog.desc;
  s.name = d->set;
  TENON_TRY(tenon_admit_flags(&s, d->flags, 0));
  if (!d->set || !*d->set || !d->doc || !*d->doc || !d->name || !d->describe) {
    return tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-incomplete",
                        "a catalog has .set, .doc, .name and .describe",
                        "the catalog has %s",
                        !d->set || !*d->set   ? "no set"
                        : !d->doc || !*d->doc ? "no documentation"
                                              : "no functions");
  }
  if (!owner->is_builtin && tenon_name_is_reserved(d->set, strlen(d->set))) {
    return tenon_refuse(&s, TENON_CONFLICT, "plugin-override",
                        "describe single operators instead",
                        "'%s' is a reserved set", d->set);
  }
  TENON_TRY(catalog_check_names(&s, d));
  catalog.made =
      tenon_arena_array(&cx->arena, _Atomic(tenon_op *), d->count + 1);
  for (size_t i = 0; catalog.made && i < d->count; ++i)
    atomic_init(&catalog.made[i], NULL);
  *out = tenon_arena_copy(&cx->arena, &catalog, sizeof catalog,
                          _Alignof(tenon_catalog));
  return *out && catalog.made
             ? TENON_OK
             : tenon_fail_memory(&cx->report, "adding a catalog");
}

// ---------------------------------------------------------------------------
// Making
// ---------------------------------------------------------------------------

static tenon_status catalog_make(const tenon_context *cx,
                                 const tenon_catalog *c, size_t i,
                                 tenon_op **out) {
  tenon_arena *arena = &cx->catalogs->arena;
  tenon_op_desc in, *desc = NULL;
  const tenon_schema *schema = NULL;
  memset(&in, 0, sizeof in);
  in.struct_size = sizeof in;
  c->desc.describe(c->desc.user, i, &in);
  TENON_TRY(tenon_admit_op(cx, arena, c->owner, &in, &desc, &schema));
  tenon_subject s = {cx, c->owner, "operator", schema->name};
  const char *name = c->desc.name(c->desc.user, i);
  if (strcmp(schema->name, name) != 0 || desc->kernels) {
    return tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-catalog",
                        desc->kernels ? "list kernels in the plugin" : NULL,
                        desc->kernels ? "its descriptor brings kernels"
                                      : "it is listed as '%s'",
                        name);
  }
  tenon_op *op = tenon_arena_new(arena, tenon_op);
  if (!op) return tenon_fail_memory(&cx->report, "adding an operator");
  op->name = name;
  op->desc = desc;
  op->schema = schema;
  op->owner = c->owner;
  if (desc->lower) op->own = tenon_lowering_own(arena, name, desc, c->owner);
  if (desc->lower && !op->own)
    return tenon_fail_memory(&cx->report, "adding an operator");
  // Before the freeze not all plugins are there: tenon_catalogs_index does it.
  if (cx->is_frozen) TENON_TRY(tenon_link_op(cx, arena, op));
  *out = op;
  return TENON_OK;
}

static tenon_status catalog_get(const tenon_context *cx, const tenon_catalog *c,
                                size_t i, const tenon_op **out) {
  tenon_op *op = atomic_load_explicit(&c->made[i], memory_order_acquire);
  tenon_status status = TENON_OK;
  if (!op) {
    tenon_catalog_state *s = cx->catalogs;
    while (atomic_flag_test_and_set_explicit(&s->lock, memory_order_acquire)) {
    }
    op = atomic_load_explicit(&c->made[i], memory_order_relaxed);
    if (!op) status = catalog_make(cx, c, i, &op);
    // A block that could not be had is asked for again next time.
    if (status == TENON_NO_MEMORY) s->arena.failed = false;
    if (op) atomic_store_explicit(&c->made[i], op, memory_order_release);
    atomic_flag_clear_explicit(&s->lock, memory_order_release);
  }
  *out = op;
  return status;
}

// ---------------------------------------------------------------------------
// Looking up
// ---------------------------------------------------------------------------

size_t tenon_catalogs_count(const tenon_context *cx) {
  return tenon_registry_count(cx, TENON_REGISTRY_CATALOGS);
}

const tenon_catalog *tenon_catalogs_at(const tenon_context *cx, size_t i) {
  return (const tenon_catalog *)tenon_registry_at(cx, TENON_REGISTRY_CATALOGS,
                                                  i)
      ->desc;
}

// The index of the name, or desc.count.
static size_t index_of(const tenon_catalog_desc *d, const char *name,
                       size_t size) {
  size_t low = 0, high = d->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *at = d->name(d->user, middle);
    int order = strncmp(at, name, size);
    if (order == 0 && at[size] == 0) return middle;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return d->count;
}

tenon_status tenon_catalog_find(const tenon_context *cx, const char *name,
                                size_t size, const tenon_op **out) {
  *out = NULL;
  for (size_t k = 0; k < tenon_catalogs_count(cx); ++k) {
    const tenon_catalog *c = tenon_catalogs_at(cx, k);
    size_t set = strlen(c->desc.set);
    if (size < set + 2 || strncmp(name, c->desc.set, set) != 0 ||
        name[set] != ':')
      continue;
    size_t i = index_of(&c->desc, name, size);
    if (i < c->desc.count) return catalog_get(cx, c, i, out);
  }
  return TENON_OK;
}

bool tenon_catalogs_cover(const tenon_context *cx, const char *pattern) {
  for (size_t k = 0; k < tenon_catalogs_count(cx); ++k) {
    const tenon_catalog_desc *d = &tenon_catalogs_at(cx, k)->desc;
    for (size_t i = 0; i < d->count; ++i) {
      if (tenon_name_covers(pattern, d->name(d->user, i)) >= 0) return true;
    }
  }
  return false;
}

tenon_status tenon_catalogs_index(tenon_context *cx) {
  tenon_status status = TENON_OK;
  for (size_t k = 0; k < tenon_catalogs_count(cx); ++k) {
    const tenon_catalog *c = tenon_catalogs_at(cx, k);
    for (size_t i = 0; i < c->desc.count; ++i) {
      tenon_op *op = atomic_load_explicit(&c->made[i], memory_order_relaxed);
      tenon_status one =
          op ? tenon_link_op(cx, &cx->catalogs->arena, op) : TENON_OK;
      if (status == TENON_OK) status = one;
    }
  }
  return status;
}
