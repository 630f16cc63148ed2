// reg/list.c - what a context tells of its registries, and taking one
// descriptor out.
//
// Lists are kept sorted, so telling is copying. A name is looked up as it
// stands first, then in the form that the grammar of names gives it.
#include <string.h>

#include "base/text.h"
#include "reg/admit/refuse.h"
#include "reg/catalog.h"
#include "reg/store.h"
#include "tenon/ext/pass.h"

static tenon_registered reg_list_describe(const tenon_record *record) {
  tenon_registered r = {.kind = record->kind,
                        .is_builtin = record->owner->is_builtin,
                        .name = record->name,
                        .owner = record->owner->name,
                        .version = record->owner->version,
                        .origin = record->owner->origin};
  switch (record->kind) {
    case TENON_REGISTRY_OPS:
      r.desc = record->as.op->desc;
      break;
    case TENON_REGISTRY_KERNELS:
      r.desc = record->as.kernel->desc;
      r.op = record->as.kernel->desc->op;
      break;
    case TENON_REGISTRY_LOWERINGS:
      r.desc = record->as.lowering->desc;
      r.op = record->as.lowering->desc->op;
      break;
    default:
      r.desc = record->as.extension->desc;
  }
  return r;
}

static bool reg_list_is_kind(uint32_t kind) {
  return kind >= TENON_REGISTRY_OPS && kind < TENON_REGISTRY_KINDS;
}

static tenon_registered reg_list_describe_op(const tenon_op *op) {
  tenon_registered r = {.kind = TENON_REGISTRY_OPS,
                        .is_builtin = op->owner->is_builtin,
                        .name = op->name,
                        .owner = op->owner->name,
                        .version = op->owner->version,
                        .origin = op->owner->origin,
                        .desc = op->desc};
  return r;
}

// Names of catalogs on their way into a sorted list.
typedef struct merge {
  tenon_registered *list;
  size_t capacity, count;
  const char *before;  // names below this one are due; null: all that are left
  size_t catalog, at;  // the next name
} merge;

// Sets are apart from each other, so catalogs follow one another by name. A
// name that a plugin overrides is listed as the plugin's.
static void put_catalogs(const tenon_context *cx, merge *m) {
  for (; m->catalog < tenon_catalogs_count(cx); ++m->catalog, m->at = 0) {
    const tenon_catalog_desc *d = &tenon_catalogs_at(cx, m->catalog)->desc;
    for (; m->at < d->count; ++m->at) {
      const char *name = d->name(d->user, m->at);
      int order = m->before ? strcmp(name, m->before) : -1;
      if (order > 0) return;
      if (order == 0) continue;
      const tenon_op *op =
          m->count < m->capacity ? tenon_registry_find_op(cx, name) : NULL;
      if (op) m->list[m->count] = reg_list_describe_op(op);
      if (op || m->count >= m->capacity) ++m->count;
    }
  }
}

size_t tenon_context_list(const tenon_context *cx, uint32_t kind,
                          tenon_registered *list, size_t capacity) {
  if (!reg_list_is_kind(kind)) return 0;
  const tenon_records *live = &cx->registry->live[kind];
  merge m = {.list = list, .capacity = capacity};
  for (size_t i = 0; i < live->count; ++i) {
    // Those beside others (reg/ordered.h) are nobody's.
    if (kind == TENON_REGISTRY_OPS && live->data[i]->as.op->plain) continue;
    m.before = live->data[i]->name;
    if (kind == TENON_REGISTRY_OPS) put_catalogs(cx, &m);
    if (m.count < capacity) list[m.count] = reg_list_describe(live->data[i]);
    ++m.count;
  }
  m.before = NULL;
  if (kind == TENON_REGISTRY_OPS) put_catalogs(cx, &m);
  return m.count;
}

static tenon_record *reg_list_find(const tenon_context *cx, uint32_t kind,
                                   const char *name) {
  char normal[512];
  tenon_record *record =
      tenon_store_find(cx->registry, kind, name, strlen(name));
  if (record || !tenon_name_normal(name, normal, sizeof normal)) return record;
  return tenon_store_find(cx->registry, kind, normal, strlen(normal));
}

static const char *reg_list_nearest_of(const tenon_context *cx, uint32_t kind,
                                       const char *name) {
  if (kind == TENON_REGISTRY_OPS) return tenon_registry_nearest_op(cx, name);
  const tenon_records *live = &cx->registry->live[kind];
  tenon_nearest nearest;
  tenon_nearest_init(&nearest, name);
  for (size_t i = 0; i < live->count; ++i)
    tenon_nearest_feed(&nearest, live->data[i]->name);
  return nearest.best;
}

bool tenon_context_find(const tenon_context *cx, uint32_t kind,
                        const char *name, tenon_registered *out,
                        const char **nearest) {
  const tenon_record *record =
      reg_list_is_kind(kind) ? reg_list_find(cx, kind, name) : NULL;
  char normal[512];
  const tenon_op *op = NULL;
  if (!record && kind == TENON_REGISTRY_OPS &&
      tenon_name_normal(name, normal, sizeof normal))
    op = tenon_registry_find_op(cx, normal);
  if (op) {
    if (nearest) *nearest = NULL;
    if (out) *out = reg_list_describe_op(op);
    return true;
  }
  if (nearest)
    *nearest = record || !reg_list_is_kind(kind)
                   ? NULL
                   : reg_list_nearest_of(cx, kind, name);
  if (record && out) *out = reg_list_describe(record);
  return record != NULL;
}

// "kernel acme_gain_f32": the kind stands in front, but for operators.
static uint32_t split_kind(const char **name) {
  for (uint32_t kind = TENON_REGISTRY_OPS; reg_list_is_kind(kind); ++kind) {
    const char *word = tenon_registry_kind_name(kind);
    size_t size = strlen(word);
    if (strncmp(*name, word, size) != 0 || (*name)[size] != ' ') continue;
    *name += size + 1;
    return kind;
  }
  return TENON_REGISTRY_OPS;
}

// The descriptor of the operator is our copy: it forgets the part, too.
static void reg_list_forget(tenon_record *record) {
  tenon_op_desc *desc = (tenon_op_desc *)record->home->desc;
  if (record->kind == TENON_REGISTRY_LOWERINGS) {
    desc->lower = NULL;
    return;
  }
  const tenon_kernel_desc **list = (const tenon_kernel_desc **)desc->kernels;
  while (*list && *list != record->as.kernel->desc)
    ++list;
  for (; *list; ++list)
    list[0] = list[1];
}

static bool is_needed(const tenon_record *record) {
  if (record->kind != TENON_REGISTRY_PASSES || !record->owner->is_builtin)
    return false;
  const tenon_pass_desc *pass = record->as.extension->desc;
  return (pass->flags & TENON_PASS_OPTIONAL) == 0;
}

tenon_status tenon_context_remove(tenon_context *cx, const char *name) {
  const char *rest = name;
  uint32_t kind = split_kind(&rest);
  if (cx->is_frozen) {
    return tenon_fail(&cx->report, TENON_CONFLICT, "context-frozen", NULL,
                      "'%s' cannot be removed from a context that is frozen",
                      name);
  }
  tenon_record *record = reg_list_find(cx, kind, rest);
  if (!record) {
    const char *nearest = reg_list_nearest_of(cx, kind, rest);
    return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "context-remove", NULL,
                      "no %s '%s' to remove%s%s%s",
                      tenon_registry_kind_name(kind), rest,
                      TENON_DID_YOU_MEAN(nearest));
  }
  if (is_needed(record))
    return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "context-remove", NULL,
                      "the pass '%s' is part of every compilation; a plugin "
                      "may replace it",
                      rest);
  record->is_removed = true;
  if (kind == TENON_REGISTRY_OPS) {
    (void)tenon_store_set_op_live(cx->registry, record, false);
  } else {
    (void)tenon_store_set_live(cx->registry, record, false);
    if (record->home) reg_list_forget(record);
  }
  tenon_store_revive(cx->registry, record);
  return TENON_OK;
}
