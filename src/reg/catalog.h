// reg/catalog.h - operators made when they are asked for.
//
// What a catalog has made is kept beside it and never in the sorted lists, so
// that a frozen context changes nowhere but here: under a lock, and read with
// one atomic load afterwards. Made operators have the kernels and lowerings of
// every plugin, as those of the lists have.
#ifndef TENON_REG_CATALOG_H
#define TENON_REG_CATALOG_H

#include <stdatomic.h>

#include "reg/context.h"
#include "tenon/ext/catalog.h"

// The admitted copy of a descriptor; an extension's `desc` points to it.
typedef struct tenon_catalog {
  tenon_catalog_desc desc;
  const tenon_owner *owner;
  _Atomic(tenon_op *) *made;  // desc.count of them; null: not asked for yet
} tenon_catalog;

// What the catalogs of a context share.
typedef struct tenon_catalog_state {
  atomic_flag lock;
  tenon_arena arena;  // made operators, schemas and lists; written under `lock`
} tenon_catalog_state;

void tenon_catalogs_init(tenon_catalog_state *s, tenon_allocator allocator);
void tenon_catalogs_deinit(tenon_catalog_state *s);

// Into the context's arena; checks that the names are in order.
tenon_status tenon_catalog_admit(tenon_context *cx, const tenon_owner *owner,
                                 const tenon_catalog_desc *in,
                                 const tenon_catalog **out);
// The operator of this name, made if need be. *out is null when no catalog has
// the name; a descriptor that does not hold together is refused.
tenon_status tenon_catalog_find(const tenon_context *cx, const char *name,
                                size_t size, const tenon_op **out);
size_t tenon_catalogs_count(const tenon_context *cx);
const tenon_catalog *tenon_catalogs_at(const tenon_context *cx, size_t i);
// Whether a catalog has a name that the pattern covers.
bool tenon_catalogs_cover(const tenon_context *cx, const char *pattern);
// Lists the kernels and lowerings of what was made before the freeze.
tenon_status tenon_catalogs_index(tenon_context *cx);

#endif  // TENON_REG_CATALOG_H
