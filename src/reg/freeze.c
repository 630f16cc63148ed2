// reg/freeze.c - ending configuration: every kernel and lowering goes to the
// operators that its name covers (reg/linking.c).
//
// What names an operator that is not defined is a fault; all are reported
// before freezing fails, and a context that failed to freeze may be repaired
// and frozen again.
#include <string.h>

#include "base/text.h"
#include "reg/admit/admit.h"
#include "reg/catalog.h"
#include "reg/linking.h"
#include "reg/ordered.h"
#include "reg/store.h"

static void fail_unknown(tenon_linking *f, const tenon_record *r,
                         const char *op, const char *what) {
  tenon_subject s = tenon_link_subject(f, r);
  const char *nearest = tenon_registry_nearest_op(f->cx, op);
  tenon_link_fault(
      f, tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-unknown-op",
                      "the plugin that defines it is missing, or the name "
                      "is misspelt",
                      "%s '%s', which is not defined%s%s%s", what, op,
                      TENON_DID_YOU_MEAN(nearest)));
}

// A lowering as text must be able to replace what it is for.
static void freeze_check_text(tenon_linking *f, const tenon_record *r,
                              const tenon_op *op) {
  if (r->kind != TENON_REGISTRY_LOWERINGS || !r->as.lowering->desc->text)
    return;
  tenon_status status =
      f->cx->rules->check(f->cx, r->owner, r->as.lowering->desc, op);
  if (status != TENON_OK) tenon_link_fault(f, status);
}

static void link_wildcard(tenon_linking *f, const tenon_record *r,
                          const char *pattern) {
  char error[TENON_ADMIT_ERROR];
  size_t covered = 0, served = 0;
  for (size_t i = 0; i < f->ops->count; ++i) {
    const tenon_op *op = f->ops->data[i]->as.op;
    int exactness = tenon_name_covers(pattern, op->name);
    if (exactness < 0) continue;
    ++covered;
    if (!tenon_link_serves(r, op, error)) continue;
    ++served;
    freeze_check_text(f, r, op);
    tenon_link_add(f, op, r, exactness);
  }
  tenon_subject s = tenon_link_subject(f, r);
  if (covered == 0 &&
      (f->cx->runs_only || tenon_catalogs_cover(f->cx, pattern)))
    return;
  if (covered == 0) {
    tenon_link_fault(
        f, tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-unknown-op",
                        "the plugin that defines them is missing, or the "
                        "name is misspelt",
                        "serves '%s', none of which is defined", pattern));
  } else if (served == 0 && r->kind == TENON_REGISTRY_KERNELS) {
    tenon_link_fault(
        f, tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-kernel", NULL,
                        "serves none of the %zu operators of '%s': %s", covered,
                        pattern, error));
  }
}

// The operator that is served: one beside it, for tensors in another order.
static const tenon_op *served_by(const tenon_record *r, const tenon_op *op) {
  bool is_ordered =
      r->kind == TENON_REGISTRY_KERNELS && r->as.kernel->is_ordered;
  return is_ordered ? r->as.kernel->beside : op;
}

static void link_record(tenon_linking *f, const tenon_record *r,
                        const char *name) {
  char error[TENON_ADMIT_ERROR];
  if (r->home) {
    if (served_by(r, r->home)) tenon_link_add(f, served_by(r, r->home), r, 0);
    return;
  }
  if (tenon_name_is_wildcard(name)) {
    link_wildcard(f, r, name);
    return;
  }
  const tenon_op *op = NULL;
  tenon_status status = tenon_registry_get_op(f->cx, name, &op);
  if (status != TENON_OK) tenon_link_fault(f, status);
  if (!op) {
    // A plugin may serve more than what a build with few kernels has.
    if (status == TENON_OK && !f->cx->runs_only)
      fail_unknown(f, r, name, "serves");
    return;
  }
  if (r->kind == TENON_REGISTRY_KERNELS) r->as.kernel->op = op;
  if (tenon_link_serves(r, op, error)) {
    freeze_check_text(f, r, op);
    if (served_by(r, op)) tenon_link_add(f, served_by(r, op), r, 0);
    return;
  }
  tenon_subject s = tenon_link_subject(f, r);
  tenon_link_fault(
      f, tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-kernel", NULL,
                      "does not fit '%s': %s", op->schema->name, error));
}

static void check_targets(tenon_linking *f, const tenon_record *r) {
  tenon_text rest = tenon_text_of(r->as.lowering->desc->to), word;
  char name[256];
  while (tenon_text_next(&rest, ' ', &word)) {
    if (word.size == 0) continue;
    size_t size = word.size < sizeof name ? word.size : sizeof name - 1;
    memcpy(name, word.data, size);
    name[size] = 0;
    if (!tenon_registry_find_op(f->cx, name))
      fail_unknown(f, r, name, "builds");
  }
}

static void index_kernels(tenon_linking *f) {
  const tenon_records *list = &f->cx->registry->live[TENON_REGISTRY_KERNELS];
  f->links.count = 0;
  for (size_t i = 0; i < list->count; ++i)
    link_record(f, list->data[i], list->data[i]->as.kernel->desc->op);
  tenon_link_set_kernels(f);
}

static void index_lowerings(tenon_linking *f) {
  const tenon_records *list = &f->cx->registry->live[TENON_REGISTRY_LOWERINGS];
  f->links.count = 0;
  for (size_t i = 0; i < list->count; ++i) {
    link_record(f, list->data[i], list->data[i]->as.lowering->desc->op);
    if (list->data[i]->as.lowering->desc->to) check_targets(f, list->data[i]);
  }
  for (size_t i = 0; i < f->ops->count; ++i)
    tenon_link_ordered(f, f->ops->data[i]->as.op);
  tenon_link_set_lowerings(f);
}

// Before operators are listed: those beside others come to them.
static void make_ordered(tenon_linking *f, tenon_context *cx) {
  const tenon_records *list = &cx->registry->live[TENON_REGISTRY_KERNELS];
  for (size_t i = 0; i < list->count; ++i) {
    tenon_kernel *k = list->data[i]->as.kernel;
    const tenon_op *op = list->data[i]->home;
    if (!k->is_ordered) continue;
    if (!op) (void)tenon_registry_get_op(cx, k->desc->op, &op);
    // One that is unknown is told where it is linked.
    if (op)
      tenon_link_fault(f, tenon_ordered_make(cx, k, (tenon_op *)(uintptr_t)op));
  }
}

static void index_ops(tenon_linking *f) {
  tenon_registry *r = f->cx->registry;
  r->ops = tenon_arena_array(f->arena, const tenon_op *, f->ops->count);
  r->n_ops = 0;
  if (!r->ops) {
    tenon_link_no_memory(f);
    return;
  }
  for (size_t i = 0; i < f->ops->count; ++i) {
    tenon_op *op = f->ops->data[i]->as.op;
    op->kernels = NULL;
    op->lowerings = NULL;
    op->n_kernels = op->n_lowerings = 0;
    r->ops[r->n_ops++] = op;
  }
}

tenon_status tenon_registry_index(tenon_context *cx) {
  tenon_linking f = {.cx = cx,
                     .arena = &cx->arena,
                     .ops = &cx->registry->live[TENON_REGISTRY_OPS]};
  tenon_vec_init(&f.links, cx->allocator);
  make_ordered(&f, cx);
  index_ops(&f);
  index_kernels(&f);
  index_lowerings(&f);
  tenon_vec_deinit(&f.links);
  tenon_link_fault(&f, tenon_catalogs_index(cx));
  tenon_link_fault(&f, tenon_features_check(cx));
  // A build with few kernels has none of what is replaced when compiling.
  if (f.status == TENON_OK && !cx->runs_only)
    tenon_link_fault(&f, tenon_overrides_check(cx));
  return f.status;
}

tenon_status tenon_context_freeze(tenon_context *cx) {
  if (cx->is_frozen) return TENON_OK;
  tenon_status status = tenon_registry_index(cx);
  tenon_status custom = tenon_registry_index_custom(cx);
  if (status == TENON_OK) status = custom;
  cx->has_failed_freeze = status != TENON_OK;
  cx->is_frozen = status == TENON_OK;
  return status;
}
