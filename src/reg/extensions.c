// reg/extensions.c - passes, attributes, readers, targets and their like by
// name.
#include <string.h>

#include "reg/registry.h"
#include "reg/store.h"

static bool is_extension(uint32_t kind) {
  return kind >= TENON_REGISTRY_PASSES && kind <= TENON_REGISTRY_CATALOGS;
}

const tenon_extension *tenon_registry_find(const tenon_context *cx,
                                           uint32_t kind, const char *name) {
  if (!is_extension(kind)) return NULL;
  const tenon_record *record =
      tenon_store_find(cx->registry, kind, name, strlen(name));
  return record ? record->as.extension : NULL;
}

bool tenon_registry_is_native(const tenon_context *cx, uint32_t kind,
                              const char *name) {
  const tenon_extension *e = tenon_registry_find(cx, kind, name);
  const tenon_registry *r = cx->registry;
  if (e) return e->owner->is_builtin;
  for (size_t i = 0; i < r->all.count; ++i)
    if (r->all.data[i]->kind == kind && strcmp(r->all.data[i]->name, name) == 0)
      return false;
  return true;
}

size_t tenon_registry_count(const tenon_context *cx, uint32_t kind) {
  return is_extension(kind) ? cx->registry->live[kind].count : 0;
}

const tenon_extension *tenon_registry_at(const tenon_context *cx, uint32_t kind,
                                         size_t i) {
  if (i >= tenon_registry_count(cx, kind)) return NULL;
  return cx->registry->live[kind].data[i]->as.extension;
}
