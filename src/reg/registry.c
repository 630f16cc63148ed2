// reg/registry.c - looking names up, in a context that is being configured or
// frozen.
//
// Everything is a binary search in the sorted lists of reg/store.c and writes
// nothing, so any number of threads may ask a frozen context.
#include "reg/registry.h"

#include <string.h>

#include "base/text.h"
#include "reg/catalog.h"
#include "reg/store.h"

tenon_status tenon_registry_get_op(const tenon_context *cx, const char *name,
                                   const tenon_op **out) {
  size_t size = strlen(name);
  if (tenon_text_ends(name, ".default")) size -= strlen(".default");
  const tenon_record *record =
      tenon_store_find(cx->registry, TENON_REGISTRY_OPS, name, size);
  *out = record ? record->as.op : NULL;
  return record ? TENON_OK : tenon_catalog_find(cx, name, size, out);
}

const tenon_op *tenon_registry_find_op(const tenon_context *cx,
                                       const char *name) {
  const tenon_op *op = NULL;
  return tenon_registry_get_op(cx, name, &op) == TENON_OK ? op : NULL;
}

const tenon_kernel *tenon_registry_find_kernel(const tenon_context *cx,
                                               const char *symbol) {
  const tenon_record *record = tenon_store_find(
      cx->registry, TENON_REGISTRY_KERNELS, symbol, strlen(symbol));
  return record ? record->as.kernel : NULL;
}

size_t tenon_registry_ops(const tenon_context *cx,
                          const tenon_op *const **out) {
  *out = cx->registry->ops;
  return cx->registry->n_ops;
}

// A custom code of a .tflite, among those that operators serve.
static const char *nearest_code(const tenon_context *cx, const char *code) {
  const tenon_records *ops = &cx->registry->live[TENON_REGISTRY_OPS];
  tenon_nearest nearest;
  tenon_nearest_init(&nearest, code);
  for (size_t i = 0; i < ops->count; ++i) {
    const char *candidate = ops->data[i]->as.op->desc->tflite_name;
    if (candidate) tenon_nearest_feed(&nearest, candidate);
  }
  return nearest.best;
}

const char *tenon_registry_nearest_op(const tenon_context *cx,
                                      const char *name) {
  static const char custom[] = "custom::";
  const tenon_records *ops = &cx->registry->live[TENON_REGISTRY_OPS];
  tenon_nearest nearest;
  if (strncmp(name, custom, sizeof custom - 1) == 0)
    return nearest_code(cx, name + sizeof custom - 1);
  tenon_nearest_init(&nearest, name);
  for (size_t i = 0; i < ops->count; ++i)
    if (!ops->data[i]->as.op->plain)
      tenon_nearest_feed(&nearest, ops->data[i]->name);
  for (size_t k = 0; k < tenon_catalogs_count(cx); ++k) {
    const tenon_catalog_desc *d = &tenon_catalogs_at(cx, k)->desc;
    for (size_t i = 0; i < d->count; ++i)
      tenon_nearest_feed(&nearest, d->name(d->user, i));
  }
  return nearest.best;
}
