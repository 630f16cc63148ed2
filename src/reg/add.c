// reg/add.c - registering a plugin: all of its descriptors or none.
//
// Descriptors are admitted and registered one by one, and every fault is
// reported, not only the first. If there was one, everything registered since
// the beginning is taken out again. What was allocated stays in the arena: a
// refused plugin is rare, and its memory goes with the context.
//
// The order in which plugins come never matters: whether the one that overrides
// is first or second, it is the one that counts.
#include <string.h>

#include "reg/admit/admit.h"
#include "reg/store.h"
#include "tenon/ext/pass.h"

typedef struct adding {
  tenon_context *cx;
  const tenon_owner *owner;
  const tenon_plugin *plugin;
} adding;

static tenon_status reg_add_no_memory(const adding *a) {
  return tenon_fail_memory(&a->cx->report, "adding a plugin");
}

// Replacing takes two consents: the descriptor's and the user's. `flag` names
// the first in messages.
static tenon_status check_consent(const adding *a, const tenon_subject *s,
                                  const char *what, const char *flag,
                                  bool asks) {
  bool allowed = tenon_context_allows(a->cx, s->name);
  if (asks && allowed) return TENON_OK;
  const char *remedy =
      "the plugin's author sets the flag, its user says "
      "`--allow-override NAME` (or lists it in `overrides`)";
  if (!asks && !allowed) {
    return tenon_refuse(s, TENON_CONFLICT, "plugin-override", remedy,
                        "%s: the descriptor does not set %s, and the user did "
                        "not allow it",
                        what, flag);
  }
  return tenon_refuse(s, TENON_CONFLICT, "plugin-override", remedy,
                      asks ? "%s: the descriptor sets %s, but the user did not "
                             "allow it"
                           : "%s: the user allowed it, but the descriptor does "
                             "not set %s",
                      what, flag);
}

static tenon_status name_taken(const tenon_subject *s,
                               const tenon_record *other, const char *flag) {
  return tenon_refuse(
      s, TENON_CONFLICT, "plugin-name-taken",
      flag ? "rename one; or let one say in its descriptor that it replaces "
             "the other, and allow that"
           : "rename one",
      "%s '%s' of plugin " TENON_OWNER " is defined by plugin " TENON_OWNER
      " already%s%s",
      s->kind, s->name, TENON_OWNER_ARGS(s->owner),
      TENON_OWNER_ARGS(other->owner), flag ? "; neither or both set " : "",
      flag ? flag : "");
}

static void reg_add_take_out(tenon_registry *r, tenon_record *other,
                             const tenon_record *by) {
  if (other->kind == TENON_REGISTRY_OPS) {
    (void)tenon_store_set_op_live(r, other, false);
    return;
  }
  (void)tenon_store_set_live(r, other, false);
  // Comparisons go on with the new kernel where they used the old.
  if (other->kind == TENON_REGISTRY_KERNELS && other->as.kernel->is_reference)
    by->as.kernel->is_reference = true;
}

// Makes the record count, unless one that overrides it is there. *counts says
// which it was.
static tenon_status reg_add_settle(const adding *a, const tenon_subject *s,
                                   tenon_record *record, const char *flag,
                                   bool *counts) {
  tenon_registry *r = a->cx->registry;
  size_t size = strlen(record->name);
  tenon_record *other = tenon_store_find(r, record->kind, record->name, size);
  *counts = true;
  if (other && !tenon_store_is_shared(other, record)) {
    if (other->overrides == record->overrides)
      return name_taken(s, other, flag);
    const tenon_record *winner = record->overrides ? record : other;
    tenon_subject w = {a->cx, winner->owner, s->kind, s->name};
    TENON_TRY(check_consent(a, &w, "replaces another plugin's", flag, true));
    *counts = record->overrides;
    if (!*counts) return TENON_OK;
    for (; other; other = tenon_store_find(r, record->kind, record->name, size))
      reg_add_take_out(r, other, record);
  }
  return tenon_store_set_live(r, record, true) ? TENON_OK
                                               : reg_add_no_memory(a);
}

static tenon_record *make_record(const adding *a, uint32_t kind,
                                 const char *name, const tenon_op *home) {
  tenon_record record = {.kind = kind, .owner = a->owner, .home = home};
  record.name = tenon_intern_text(&a->cx->names, name, strlen(name));
  return record.name ? tenon_store_add(a->cx, &record) : NULL;
}

static tenon_status add_kernel(const adding *a, const tenon_op *home,
                               size_t index, const tenon_kernel_desc *in,
                               const tenon_kernel_desc **out) {
  tenon_kernel *kernel = NULL;
  bool counts = false;
  TENON_TRY(tenon_admit_kernel(a->cx, a->owner, home, index, in, &kernel));
  if (out) *out = kernel->desc;
  const char *symbol = kernel->desc->symbol;
  tenon_subject s = {a->cx, a->owner, "kernel", symbol};
  tenon_record *record = make_record(a, TENON_REGISTRY_KERNELS, symbol, home);
  if (!record) return reg_add_no_memory(a);
  record->as.kernel = kernel;
  record->overrides = (kernel->desc->flags & TENON_KERNEL_OVERRIDES) != 0;
  return reg_add_settle(a, &s, record, "TENON_KERNEL_OVERRIDES", &counts);
}

static tenon_status register_lowering(const adding *a, const tenon_op *home,
                                      tenon_lowering *lowering) {
  const char *name = lowering->desc->name;
  bool counts = false;
  tenon_subject s = {a->cx, a->owner, "lowering", name};
  tenon_record *record = make_record(a, TENON_REGISTRY_LOWERINGS, name, home);
  if (!record) return reg_add_no_memory(a);
  record->as.lowering = lowering;
  return reg_add_settle(a, &s, record, NULL, &counts);
}

// A rewrite in a pass that comes with it replaces nothing: whoever has the
// plugin wants the pass.
static bool is_of_own_pass(const adding *a, const tenon_lowering_desc *desc) {
  const tenon_pass_desc *const *p = a->plugin->passes;
  for (; desc->pass && p && *p; ++p)
    if ((*p)->name && strcmp((*p)->name, desc->pass) == 0) return true;
  return false;
}

static tenon_status add_lowering(const adding *a,
                                 const tenon_lowering_desc *in) {
  tenon_lowering *lowering = NULL;
  TENON_TRY(tenon_admit_lowering(a->cx, a->owner, in, &lowering));
  const tenon_lowering_desc *desc = lowering->desc;
  tenon_subject s = {a->cx, a->owner, "operator", desc->op};
  size_t set = strcspn(desc->op, ":");
  if (!a->owner->is_builtin &&
      (tenon_name_is_reserved(desc->op, set) || strcmp(desc->op, "*") == 0) &&
      !is_of_own_pass(a, desc)) {
    TENON_TRY(check_consent(a, &s, "a lowering of a reserved name replaces it",
                            "TENON_LOWERING_OVERRIDES",
                            desc->flags & TENON_LOWERING_OVERRIDES));
  }
  return register_lowering(a, NULL, lowering);
}

static tenon_status add_op_kernels(const adding *a, const tenon_op *op,
                                   tenon_op_desc *desc) {
  const tenon_kernel_desc *const *in = desc->kernels;
  tenon_status status = TENON_OK;
  size_t count = 0;
  if (!in) return TENON_OK;
  while (in[count])
    ++count;
  const tenon_kernel_desc **out =
      tenon_arena_array(&a->cx->arena, const tenon_kernel_desc *, count + 1);
  if (!out) return reg_add_no_memory(a);
  for (size_t i = 0; i < count; ++i) {
    tenon_status one = add_kernel(a, op, i, in[i], &out[i]);
    if (status == TENON_OK) status = one;
  }
  desc->kernels = out;
  return status;
}

static tenon_status add_op(const adding *a, const tenon_op_desc *in) {
  tenon_op_desc *desc = NULL;
  const tenon_schema *schema = NULL;
  bool counts = false;
  TENON_TRY(tenon_admit_op(a->cx, &a->cx->arena, a->owner, in, &desc, &schema));
  tenon_subject s = {a->cx, a->owner, "operator", schema->name};
  bool overrides = (desc->flags & TENON_OP_OVERRIDES) != 0;
  if (!a->owner->is_builtin &&
      tenon_name_is_reserved(schema->set, strlen(schema->set))) {
    TENON_TRY(check_consent(a, &s, "the name is in a reserved set",
                            "TENON_OP_OVERRIDES", overrides));
  }
  tenon_op *op = tenon_arena_new(&a->cx->arena, tenon_op);
  if (!op) return reg_add_no_memory(a);
  tenon_record *record = make_record(a, TENON_REGISTRY_OPS, schema->name, NULL);
  if (!record) return reg_add_no_memory(a);
  op->name = record->name;
  op->desc = desc;
  op->schema = schema;
  op->owner = a->owner;
  record->as.op = op;
  record->overrides = overrides;
  TENON_TRY(reg_add_settle(a, &s, record, "TENON_OP_OVERRIDES", &counts));
  if (!counts) return TENON_OK;
  TENON_TRY(add_op_kernels(a, op, desc));
  if (!desc->lower) return TENON_OK;
  tenon_lowering *own =
      tenon_lowering_own(&a->cx->arena, op->name, desc, a->owner);
  return own ? register_lowering(a, op, own) : reg_add_no_memory(a);
}

// Whether this build has it, also where another plugin replaced it already.
static bool is_of_build(const adding *a, uint32_t kind, const char *name) {
  const tenon_registry *r = a->cx->registry;
  for (size_t i = 0; i < r->all.count; ++i) {
    const tenon_record *record = r->all.data[i];
    if (record->kind == kind && record->owner->is_builtin &&
        !record->is_removed && strcmp(record->name, name) == 0)
      return true;
  }
  return false;
}

static tenon_status add_extension(const adding *a, uint32_t kind,
                                  const void *in) {
  const tenon_extension *extension = NULL;
  bool counts = false;
  TENON_TRY(tenon_admit_extension(a->cx, a->owner, kind, in, &extension));
  tenon_subject s = {a->cx, a->owner, tenon_registry_kind_name(kind),
                     extension->name};
  tenon_record *record = make_record(a, kind, extension->name, NULL);
  if (!record) return reg_add_no_memory(a);
  record->as.extension = extension;
  const char *flag =
      tenon_extension_overrides(kind, extension, &record->overrides);
  if (flag && !a->owner->is_builtin && is_of_build(a, kind, extension->name))
    TENON_TRY(check_consent(a, &s, "replaces what is part of this build", flag,
                            record->overrides));
  return reg_add_settle(a, &s, record, flag, &counts);
}

static tenon_status add_one(const adding *a, uint32_t kind, const void *in) {
  switch (kind) {
    case TENON_REGISTRY_OPS:
      return add_op(a, in);
    case TENON_REGISTRY_KERNELS:
      return add_kernel(a, NULL, 0, in, NULL);
    case TENON_REGISTRY_LOWERINGS:
      return add_lowering(a, in);
    default:
      return add_extension(a, kind, in);
  }
}

static bool reg_add_takes(const adding *a, uint32_t kind) {
  return !a->cx->runs_only || kind == TENON_REGISTRY_OPS ||
         kind == TENON_REGISTRY_KERNELS || kind == TENON_REGISTRY_CATALOGS ||
         kind == TENON_REGISTRY_TARGETS;
}

// Every descriptor, whatever became of those before, but for lack of memory.
static tenon_status reg_add_all(const adding *a, const tenon_plugin *plugin) {
  const struct {
    uint32_t kind;
    const void *const *list;
  } lists[] = {
      {TENON_REGISTRY_OPS, (const void *const *)plugin->ops},
      {TENON_REGISTRY_KERNELS, (const void *const *)plugin->kernels},
      {TENON_REGISTRY_LOWERINGS, (const void *const *)plugin->lowerings},
      {TENON_REGISTRY_PASSES, (const void *const *)plugin->passes},
      {TENON_REGISTRY_READERS, (const void *const *)plugin->readers},
      {TENON_REGISTRY_TARGETS, (const void *const *)plugin->targets},
      {TENON_REGISTRY_PACKAGES, (const void *const *)plugin->packages},
      {TENON_REGISTRY_CATALOGS, (const void *const *)plugin->catalogs}};
  tenon_status status = TENON_OK;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    if (!reg_add_takes(a, lists[i].kind)) continue;
    for (const void *const *in = lists[i].list; in && *in; ++in) {
      tenon_status one = add_one(a, lists[i].kind, *in);
      if (status == TENON_OK) status = one;
      if (one == TENON_NO_MEMORY) return one;
    }
  }
  return status;
}

static const tenon_owner *make_owner(tenon_context *cx,
                                     const tenon_plugin *plugin,
                                     const tenon_plugin_origin *origin) {
  tenon_owner *owner = tenon_arena_new(&cx->arena, tenon_owner);
  if (!owner) return NULL;
  owner->name = tenon_arena_string(&cx->arena, plugin->name);
  owner->version = tenon_arena_string(&cx->arena, plugin->version);
  if (origin) {
    owner->origin = tenon_arena_string(&cx->arena, origin->path);
    owner->source = tenon_arena_string(&cx->arena, origin->source);
    owner->is_builtin = origin->is_builtin;
  }
  owner->index = cx->registry->n_owners++;
  return cx->arena.failed ? NULL : owner;
}

tenon_status tenon_context_add_plugin(tenon_context *cx,
                                      const tenon_plugin *plugin,
                                      const tenon_plugin_origin *origin) {
  const char *path = origin ? origin->path : NULL;
  size_t before = cx->registry->all.count;
  tenon_plugin manifest;
  adding a = {cx, NULL, &manifest};
  if (cx->is_frozen) {
    return tenon_fail(&cx->report, TENON_CONFLICT, "context-frozen", NULL,
                      "a plugin cannot be added to a context that is frozen: "
                      "add all before the first model is read");
  }
  TENON_TRY(tenon_admit_plugin(cx, path, plugin, &manifest));
  a.owner = make_owner(cx, &manifest, origin);
  if (!a.owner) return reg_add_no_memory(&a);
  tenon_status status = reg_add_all(&a, &manifest);
  if (status != TENON_OK) {
    tenon_store_rollback(cx->registry, before, a.owner);
  } else if (cx->registry->all.count == before && !cx->runs_only) {
    tenon_subject s = {cx, a.owner, "manifest", NULL};
    tenon_place place = {.file = path ? path : a.owner->name, .where = s.kind};
    tenon_warn(&cx->report, "plugin-empty", &place,
               "plugin '%s' describes nothing", a.owner->name);
  }
  return status;
}

tenon_status tenon_context_add(tenon_context *cx, const tenon_plugin *plugin) {
  return tenon_context_add_plugin(cx, plugin, NULL);
}
