// reg/freeze.c - ending configuration: per operator its kernels and lowerings,
// in the order in which they are tried.
//
// Every kernel and lowering becomes a link to each operator its name covers;
// one sort brings the links of an operator together and in order, and one copy
// into the arena makes the lists. A link knows how exact the name was, since
// the most exact goes first whatever the priorities. What names an operator
// that nobody defines is a fault; all are reported before freezing fails, and a
// context that failed to freeze may be repaired and frozen again.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "reg/admit.h"
#include "reg/catalog.h"
#include "reg/ordered.h"
#include "reg/store.h"

typedef struct link {
  const tenon_op *op;
  const tenon_record *record;
  int exactness;  // tenon_name_covers
} link;

typedef struct freezing {
  const tenon_context *cx;
  tenon_arena *arena;  // of the lists
  const tenon_records *ops;
  TENON_VEC(link) links;
  tenon_status status;            // of the first fault
  const tenon_lowering *told[2];  // the last two that hide each other
} freezing;

static void fault(freezing *f, tenon_status status) {
  if (f->status == TENON_OK) f->status = status;
}

static tenon_subject subject_of(const freezing *f, const tenon_record *r) {
  tenon_subject s = {f->cx, r->owner, tenon_registry_kind_name(r->kind),
                     r->name};
  return s;
}

static void fail_unknown(freezing *f, const tenon_record *r, const char *op,
                         const char *what) {
  tenon_subject s = subject_of(f, r);
  const char *nearest = tenon_registry_nearest_op(f->cx, op);
  fault(f, tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-unknown-op",
                        "the plugin that defines it is missing, or the name "
                        "is misspelt",
                        "%s '%s', which is not defined%s%s%s", what, op,
                        nearest ? "; did you mean '" : "",
                        nearest ? nearest : "", nearest ? "'?" : ""));
}

static void add_link(freezing *f, const tenon_op *op, const tenon_record *r,
                     int exactness) {
  link l = {op, r, exactness};
  if (!tenon_vec_push(&f->links, l))
    fault(f, tenon_fail_memory(&f->cx->report, "freezing a context"));
}

// A lowering as text must be able to replace what it is for.
static void check_text(freezing *f, const tenon_record *r, const tenon_op *op) {
  if (r->kind != TENON_REGISTRY_LOWERINGS || !r->as.lowering->desc->text)
    return;
  tenon_status status =
      f->cx->rules->check(f->cx, r->owner, r->as.lowering->desc, op);
  if (status != TENON_OK) fault(f, status);
}

// A kernel with a name of its own must serve that operator; one with a wildcard
// serves those it can.
static bool serves(const tenon_record *r, const tenon_op *op,
                   char error[TENON_ADMIT_ERROR]) {
  error[0] = 0;
  if (r->kind != TENON_REGISTRY_KERNELS) return true;
  return tenon_kernel_serves(r->as.kernel, op->schema, error);
}

static void link_wildcard(freezing *f, const tenon_record *r,
                          const char *pattern) {
  char error[TENON_ADMIT_ERROR];
  size_t covered = 0, served = 0;
  for (size_t i = 0; i < f->ops->count; ++i) {
    const tenon_op *op = f->ops->data[i]->as.op;
    int exactness = tenon_name_covers(pattern, op->name);
    if (exactness < 0) continue;
    ++covered;
    if (!serves(r, op, error)) continue;
    ++served;
    check_text(f, r, op);
    add_link(f, op, r, exactness);
  }
  tenon_subject s = subject_of(f, r);
  if (covered == 0 &&
      (f->cx->runs_only || tenon_catalogs_cover(f->cx, pattern)))
    return;
  if (covered == 0) {
    fault(f, tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-unknown-op",
                          "the plugin that defines them is missing, or the "
                          "name is misspelt",
                          "serves '%s', none of which is defined", pattern));
  } else if (served == 0) {
    fault(f, tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-kernel", NULL,
                          "serves none of the %zu operators of '%s': %s",
                          covered, pattern, error));
  }
}

// The operator that is served: one beside it, for tensors in another order.
static const tenon_op *served_by(const tenon_record *r, const tenon_op *op) {
  bool is_ordered =
      r->kind == TENON_REGISTRY_KERNELS && r->as.kernel->is_ordered;
  return is_ordered ? r->as.kernel->beside : op;
}

static void link_record(freezing *f, const tenon_record *r, const char *name) {
  char error[TENON_ADMIT_ERROR];
  if (r->home) {
    if (served_by(r, r->home)) add_link(f, served_by(r, r->home), r, 0);
    return;
  }
  if (tenon_name_is_wildcard(name)) {
    link_wildcard(f, r, name);
    return;
  }
  const tenon_op *op = NULL;
  tenon_status status = tenon_registry_get_op(f->cx, name, &op);
  if (status != TENON_OK) fault(f, status);
  if (!op) {
    // A plugin may serve more than what a build with few kernels has.
    if (status == TENON_OK && !f->cx->runs_only)
      fail_unknown(f, r, name, "serves");
    return;
  }
  if (r->kind == TENON_REGISTRY_KERNELS) r->as.kernel->op = op;
  if (serves(r, op, error)) {
    check_text(f, r, op);
    if (served_by(r, op)) add_link(f, served_by(r, op), r, 0);
    return;
  }
  tenon_subject s = subject_of(f, r);
  fault(f, tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-kernel", NULL,
                        "does not fit '%s': %s", op->schema->name, error));
}

static int order_of(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

static int compare_kernels(const void *left, const void *right) {
  const link *a = left, *b = right;
  const tenon_kernel *x = a->record->as.kernel, *y = b->record->as.kernel;
  int order = strcmp(a->op->name, b->op->name);
  if (order == 0) order = order_of(a->exactness, b->exactness);
  if (order == 0) order = order_of(y->desc->priority, x->desc->priority);
  if (order == 0) order = order_of(y->n_features, x->n_features);
  if (order == 0) order = strcmp(x->owner->name, y->owner->name);
  return order != 0 ? order : strcmp(x->desc->symbol, y->desc->symbol);
}

// Whether it takes every node, as far as can be told: functions may decline,
// and what is inexact must be asked for.
static bool takes_all(const tenon_lowering_desc *d) {
  return d->text && !d->when && !d->from &&
         !(d->flags & TENON_LOWERING_INEXACT);
}

static int compare_lowerings(const void *left, const void *right) {
  const link *a = left, *b = right;
  const tenon_lowering *x = a->record->as.lowering, *y = b->record->as.lowering;
  int order = strcmp(a->op->name, b->op->name);
  if (order == 0) order = order_of(a->exactness, b->exactness);
  if (order == 0) order = order_of(y->desc->priority, x->desc->priority);
  if (order == 0) order = order_of(takes_all(x->desc), takes_all(y->desc));
  if (order == 0) order = strcmp(x->owner->name, y->owner->name);
  if (order == 0) order = order_of(a->record->index, b->record->index);
  return order != 0 ? order : strcmp(x->desc->name, y->desc->name);
}

// The links of one operator, [begin, end).
static size_t end_of(const freezing *f, size_t begin) {
  size_t end = begin;
  while (end < f->links.count &&
         f->links.data[end].op == f->links.data[begin].op)
    ++end;
  return end;
}

static bool same_pass(const tenon_lowering_desc *a,
                      const tenon_lowering_desc *b) {
  return strcmp(a->pass ? a->pass : "lower", b->pass ? b->pass : "lower") == 0;
}

// The owner's lowering is not tried where somebody else's says so, for the
// same pass.
static bool is_overridden(freezing *f, size_t begin, size_t end, size_t at) {
  const tenon_lowering *own = f->links.data[at].record->as.lowering;
  const tenon_op *op = f->links.data[at].op;
  if (own->owner != op->owner) return false;
  for (size_t i = begin; i < end; ++i) {
    const tenon_lowering *other = f->links.data[i].record->as.lowering;
    if (other->owner != op->owner &&
        (other->desc->flags & TENON_LOWERING_OVERRIDES) &&
        same_pass(other->desc, own->desc)) {
      return true;
    }
  }
  return false;
}

// Of reserved names this was asked when the plugin was added; of another
// plugin's it can only be asked now.
static void check_overrides(freezing *f, const link *l) {
  const tenon_lowering *lowering = l->record->as.lowering;
  const char *pattern = lowering->desc->op;
  if (lowering->owner == l->op->owner || lowering->owner->is_builtin) return;
  if (!(lowering->desc->flags & TENON_LOWERING_OVERRIDES)) return;
  if (tenon_context_allows(f->cx, pattern) ||
      tenon_context_allows(f->cx, l->op->name)) {
    return;
  }
  tenon_subject s = subject_of(f, l->record);
  fault(f,
        tenon_refuse(&s, TENON_CONFLICT, "plugin-override",
                     "say `--allow-override NAME` (or list it in `overrides`)",
                     "replaces the lowering of '%s' of plugin " TENON_OWNER
                     ", which the user did not allow",
                     l->op->name, TENON_OWNER_ARGS(l->op->owner)));
}

// Of two that take every node and neither of which goes first, one would never
// be tried.
static void check_hidden(freezing *f, size_t begin, size_t end, size_t at) {
  const link *l = &f->links.data[at];
  const tenon_lowering *own = l->record->as.lowering;
  if (!takes_all(own->desc)) return;
  for (size_t i = begin; i < at; ++i) {
    const link *before = &f->links.data[i];
    const tenon_lowering *other = before->record->as.lowering;
    if (before->exactness != l->exactness || !takes_all(other->desc) ||
        other->desc->priority != own->desc->priority ||
        !same_pass(other->desc, own->desc) || is_overridden(f, begin, end, i))
      continue;
    // Those with a wildcard meet at every operator.
    if (f->told[0] == other && f->told[1] == own) return;
    f->told[0] = other, f->told[1] = own;
    tenon_subject s = subject_of(f, l->record);
    fault(f, tenon_refuse(&s, TENON_CONFLICT, "plugin-lowerings",
                          "give one a larger `priority`, or a condition",
                          "takes every '%s', as '%s' of plugin " TENON_OWNER
                          " of equal priority does",
                          l->op->name, other->desc->name,
                          TENON_OWNER_ARGS(other->owner)));
    return;
  }
}

static void check_targets(freezing *f, const tenon_record *r) {
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

static void no_memory(freezing *f) {
  fault(f, tenon_fail_memory(&f->cx->report, "freezing a context"));
}

static void set_kernels(freezing *f, size_t begin, size_t end) {
  const tenon_kernel **list =
      tenon_arena_array(f->arena, const tenon_kernel *, end - begin);
  tenon_op *op = (tenon_op *)f->links.data[begin].op;
  if (!list) {
    no_memory(f);
    return;
  }
  for (size_t i = begin; i < end; ++i)
    list[i - begin] = f->links.data[i].record->as.kernel;
  op->kernels = list;
  op->n_kernels = (uint32_t)(end - begin);
}

static void set_lowerings(freezing *f, size_t begin, size_t end) {
  const tenon_lowering **list =
      tenon_arena_array(f->arena, const tenon_lowering *, end - begin);
  tenon_op *op = (tenon_op *)f->links.data[begin].op;
  uint32_t n = 0;
  if (!list) {
    no_memory(f);
    return;
  }
  for (size_t i = begin; i < end; ++i) {
    check_overrides(f, &f->links.data[i]);
    if (is_overridden(f, begin, end, i)) continue;
    check_hidden(f, begin, end, i);
    list[n++] = f->links.data[i].record->as.lowering;
  }
  op->lowerings = list;
  op->n_lowerings = n;
}

static void index_kernels(freezing *f) {
  const tenon_records *list = &f->cx->registry->live[TENON_REGISTRY_KERNELS];
  f->links.count = 0;
  for (size_t i = 0; i < list->count; ++i)
    link_record(f, list->data[i], list->data[i]->as.kernel->desc->op);
  if (f->links.count != 0)
    qsort(f->links.data, f->links.count, sizeof(link), compare_kernels);
  for (size_t i = 0, end; i < f->links.count; i = end) {
    end = end_of(f, i);
    set_kernels(f, i, end);
  }
}

// What leads to the operators beside this one.
static void add_ordered(freezing *f, const tenon_op *op) {
  for (const struct tenon_ordered *o = op->ordered; o; o = o->next)
    for (int i = 0; i < TENON_ORDERED_LOWERINGS; ++i) {
      tenon_record record = {.kind = TENON_REGISTRY_LOWERINGS,
                             .name = o->op->name,
                             .owner = o->lowerings[i]->owner};
      record.as.lowering = (tenon_lowering *)(uintptr_t)o->lowerings[i];
      tenon_record *copy = tenon_arena_copy(f->arena, &record, sizeof record,
                                            _Alignof(tenon_record));
      if (copy)
        add_link(f, op, copy, 0);
      else
        no_memory(f);
    }
}

static void index_lowerings(freezing *f) {
  const tenon_records *list = &f->cx->registry->live[TENON_REGISTRY_LOWERINGS];
  f->links.count = 0;
  for (size_t i = 0; i < list->count; ++i) {
    link_record(f, list->data[i], list->data[i]->as.lowering->desc->op);
    if (list->data[i]->as.lowering->desc->to) check_targets(f, list->data[i]);
  }
  for (size_t i = 0; i < f->ops->count; ++i)
    add_ordered(f, f->ops->data[i]->as.op);
  if (f->links.count != 0)
    qsort(f->links.data, f->links.count, sizeof(link), compare_lowerings);
  for (size_t i = 0, end; i < f->links.count; i = end) {
    end = end_of(f, i);
    set_lowerings(f, i, end);
  }
}

// Before operators are listed: those beside others come to them.
static void make_ordered(freezing *f, tenon_context *cx) {
  const tenon_records *list = &cx->registry->live[TENON_REGISTRY_KERNELS];
  for (size_t i = 0; i < list->count; ++i) {
    tenon_kernel *k = list->data[i]->as.kernel;
    const tenon_op *op = list->data[i]->home;
    if (!k->is_ordered) continue;
    if (!op) (void)tenon_registry_get_op(cx, k->desc->op, &op);
    // One that is unknown is told where it is linked.
    if (op) fault(f, tenon_ordered_make(cx, k, (tenon_op *)(uintptr_t)op));
  }
}

static void index_ops(freezing *f) {
  tenon_registry *r = f->cx->registry;
  r->ops = tenon_arena_array(f->arena, const tenon_op *, f->ops->count);
  r->n_ops = 0;
  if (!r->ops) {
    no_memory(f);
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
  freezing f = {.cx = cx,
                .arena = &cx->arena,
                .ops = &cx->registry->live[TENON_REGISTRY_OPS]};
  tenon_vec_init(&f.links, cx->allocator);
  make_ordered(&f, cx);
  index_ops(&f);
  index_kernels(&f);
  index_lowerings(&f);
  tenon_vec_deinit(&f.links);
  fault(&f, tenon_catalogs_index(cx));
  fault(&f, tenon_features_check(cx));
  // A build with few kernels has none of what is replaced when compiling.
  if (f.status == TENON_OK && !cx->runs_only)
    fault(&f, tenon_overrides_check(cx));
  return f.status;
}

// What covers the operator's name, of the kernels or of the lowerings. A kernel
// of exactly this name that does not fit was refused by the freeze.
static void link_all_to(freezing *f, const tenon_op *op, uint32_t kind) {
  const tenon_records *list = &f->cx->registry->live[kind];
  char error[TENON_ADMIT_ERROR];
  f->links.count = 0;
  for (size_t i = 0; i < list->count; ++i) {
    const tenon_record *r = list->data[i];
    const char *pattern = kind == TENON_REGISTRY_KERNELS
                              ? r->as.kernel->desc->op
                              : r->as.lowering->desc->op;
    bool is_beside = kind == TENON_REGISTRY_KERNELS && r->as.kernel->is_ordered;
    int exactness = r->home || !pattern || is_beside
                        ? -1
                        : tenon_name_covers(pattern, op->name);
    if (exactness >= 0 && serves(r, op, error)) add_link(f, op, r, exactness);
  }
}

tenon_status tenon_registry_link_op(const tenon_context *cx, tenon_arena *arena,
                                    tenon_op *op) {
  freezing f = {.cx = cx, .arena = arena};
  tenon_record own = {.kind = TENON_REGISTRY_LOWERINGS,
                      .name = op->name,
                      .owner = op->owner,
                      .home = op};
  tenon_vec_init(&f.links, cx->allocator);
  link_all_to(&f, op, TENON_REGISTRY_KERNELS);
  if (f.links.count != 0) {
    qsort(f.links.data, f.links.count, sizeof(link), compare_kernels);
    set_kernels(&f, 0, f.links.count);
  }
  link_all_to(&f, op, TENON_REGISTRY_LOWERINGS);
  if (op->own) {
    own.as.lowering = (tenon_lowering *)(uintptr_t)op->own;
    add_link(&f, op, &own, 0);
  }
  add_ordered(&f, op);
  if (f.links.count != 0) {
    qsort(f.links.data, f.links.count, sizeof(link), compare_lowerings);
    set_lowerings(&f, 0, f.links.count);
  }
  tenon_vec_deinit(&f.links);
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
