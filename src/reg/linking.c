// reg/linking.c - the kernels and lowerings of an operator, in the order in
// which they are tried.
//
// Every kernel and lowering becomes a link to each operator its name covers;
// one sort brings the links of an operator together and in order, and one copy
// into the arena makes the lists. A link knows how exact the name was, since
// the most exact goes first whatever the priorities.
#include "reg/linking.h"

#include <stdlib.h>
#include <string.h>

#include "reg/ordered.h"

void tenon_link_fault(tenon_linking *f, tenon_status status) {
  if (f->status == TENON_OK) f->status = status;
}

tenon_subject tenon_link_subject(const tenon_linking *f,
                                 const tenon_record *r) {
  tenon_subject s = {f->cx, r->owner, tenon_registry_kind_name(r->kind),
                     r->name};
  return s;
}

void tenon_link_add(tenon_linking *f, const tenon_op *op, const tenon_record *r,
                    int exactness) {
  tenon_link l = {op, r, exactness};
  if (!tenon_vec_push(&f->links, l))
    tenon_link_fault(f,
                     tenon_fail_memory(&f->cx->report, "freezing a context"));
}

// A kernel with a name of its own must serve that operator; one with a wildcard
// serves those it can. A schema alone promises nothing of its elements.
bool tenon_link_serves(const tenon_record *r, const tenon_op *op,
                       char error[TENON_ADMIT_ERROR]) {
  error[0] = 0;
  if (r->kind != TENON_REGISTRY_KERNELS)
    return !(r->as.lowering->desc->flags & TENON_LOWERING_ELEMENTWISE) ||
           (op->desc && (op->desc->flags & TENON_OP_ELEMENTWISE) &&
            !(op->desc->flags & TENON_OP_DECLARED));
  return tenon_kernel_serves(r->as.kernel, op->schema, error);
}

static int linking_order_of(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

static int compare_kernels(const void *left, const void *right) {
  const tenon_link *a = left, *b = right;
  const tenon_kernel *x = a->record->as.kernel, *y = b->record->as.kernel;
  int order = strcmp(a->op->name, b->op->name);
  if (order == 0) order = linking_order_of(a->exactness, b->exactness);
  if (order == 0)
    order = linking_order_of(y->desc->priority, x->desc->priority);
  if (order == 0) order = linking_order_of(y->n_features, x->n_features);
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
  const tenon_link *a = left, *b = right;
  const tenon_lowering *x = a->record->as.lowering, *y = b->record->as.lowering;
  int order = strcmp(a->op->name, b->op->name);
  if (order == 0) order = linking_order_of(a->exactness, b->exactness);
  if (order == 0)
    order = linking_order_of(y->desc->priority, x->desc->priority);
  if (order == 0)
    order = linking_order_of(takes_all(x->desc), takes_all(y->desc));
  if (order == 0) order = strcmp(x->owner->name, y->owner->name);
  if (order == 0) order = linking_order_of(a->record->index, b->record->index);
  return order != 0 ? order : strcmp(x->desc->name, y->desc->name);
}

// The links of one operator, [begin, end).
static size_t end_of(const tenon_linking *f, size_t begin) {
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
static bool is_overridden(tenon_linking *f, size_t begin, size_t end,
                          size_t at) {
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
static void check_overrides(tenon_linking *f, const tenon_link *l) {
  const tenon_lowering *lowering = l->record->as.lowering;
  const char *pattern = lowering->desc->op;
  if (lowering->owner == l->op->owner || lowering->owner->is_builtin) return;
  if (!(lowering->desc->flags & TENON_LOWERING_OVERRIDES)) return;
  if (tenon_context_allows(f->cx, pattern) ||
      tenon_context_allows(f->cx, l->op->name)) {
    return;
  }
  tenon_subject s = tenon_link_subject(f, l->record);
  tenon_link_fault(
      f, tenon_refuse(&s, TENON_CONFLICT, "plugin-override",
                      "say `--allow-override NAME` (or list it in `overrides`)",
                      "replaces the lowering of '%s' of plugin " TENON_OWNER
                      ", which the user did not allow",
                      l->op->name, TENON_OWNER_ARGS(l->op->owner)));
}

// Of two that take every node and neither of which goes first, one would never
// be tried.
static void check_hidden(tenon_linking *f, size_t begin, size_t end,
                         size_t at) {
  const tenon_link *l = &f->links.data[at];
  const tenon_lowering *own = l->record->as.lowering;
  if (!takes_all(own->desc)) return;
  for (size_t i = begin; i < at; ++i) {
    const tenon_link *before = &f->links.data[i];
    const tenon_lowering *other = before->record->as.lowering;
    if (before->exactness != l->exactness || !takes_all(other->desc) ||
        other->desc->priority != own->desc->priority ||
        !same_pass(other->desc, own->desc) || is_overridden(f, begin, end, i))
      continue;
    // Those with a wildcard meet at every operator.
    if (f->told[0] == other && f->told[1] == own) return;
    f->told[0] = other, f->told[1] = own;
    tenon_subject s = tenon_link_subject(f, l->record);
    tenon_link_fault(
        f, tenon_refuse(&s, TENON_CONFLICT, "plugin-lowerings",
                        "give one a larger `priority`, or a condition",
                        "takes every '%s', as '%s' of plugin " TENON_OWNER
                        " of equal priority does",
                        l->op->name, other->desc->name,
                        TENON_OWNER_ARGS(other->owner)));
    return;
  }
}

void tenon_link_no_memory(tenon_linking *f) {
  tenon_link_fault(f, tenon_fail_memory(&f->cx->report, "freezing a context"));
}

static void set_kernels(tenon_linking *f, size_t begin, size_t end) {
  const tenon_kernel **list =
      tenon_arena_array(f->arena, const tenon_kernel *, end - begin);
  tenon_op *op = (tenon_op *)f->links.data[begin].op;
  if (!list) {
    tenon_link_no_memory(f);
    return;
  }
  for (size_t i = begin; i < end; ++i)
    list[i - begin] = f->links.data[i].record->as.kernel;
  op->kernels = list;
  op->n_kernels = (uint32_t)(end - begin);
}

static void set_lowerings(tenon_linking *f, size_t begin, size_t end) {
  const tenon_lowering **list =
      tenon_arena_array(f->arena, const tenon_lowering *, end - begin);
  tenon_op *op = (tenon_op *)f->links.data[begin].op;
  uint32_t n = 0;
  if (!list) {
    tenon_link_no_memory(f);
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

// Each operator's links as its list.
void tenon_link_set_kernels(tenon_linking *f) {
  if (f->links.count != 0)
    qsort(f->links.data, f->links.count, sizeof(tenon_link), compare_kernels);
  for (size_t i = 0, end; i < f->links.count; i = end) {
    end = end_of(f, i);
    set_kernels(f, i, end);
  }
}

void tenon_link_set_lowerings(tenon_linking *f) {
  if (f->links.count != 0)
    qsort(f->links.data, f->links.count, sizeof(tenon_link), compare_lowerings);
  for (size_t i = 0, end; i < f->links.count; i = end) {
    end = end_of(f, i);
    set_lowerings(f, i, end);
  }
}

// What leads to the operators beside this one.
void tenon_link_ordered(tenon_linking *f, const tenon_op *op) {
  for (const struct tenon_ordered *o = op->ordered; o; o = o->next)
    for (int i = 0; i < TENON_ORDERED_LOWERINGS; ++i) {
      tenon_record record = {.kind = TENON_REGISTRY_LOWERINGS,
                             .name = o->op->name,
                             .owner = o->lowerings[i]->owner};
      record.as.lowering = (tenon_lowering *)(uintptr_t)o->lowerings[i];
      tenon_record *copy = tenon_arena_copy(f->arena, &record, sizeof record,
                                            _Alignof(tenon_record));
      if (copy)
        tenon_link_add(f, op, copy, 0);
      else
        tenon_link_no_memory(f);
    }
}

// What covers the operator's name, of the kernels or of the lowerings. A kernel
// of exactly this name that does not fit was refused by the freeze.
static void link_all_to(tenon_linking *f, const tenon_op *op, uint32_t kind) {
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
    if (exactness >= 0 && tenon_link_serves(r, op, error))
      tenon_link_add(f, op, r, exactness);
  }
}

tenon_status tenon_link_op(const tenon_context *cx, tenon_arena *arena,
                           tenon_op *op) {
  tenon_linking f = {.cx = cx, .arena = arena};
  tenon_record own = {.kind = TENON_REGISTRY_LOWERINGS,
                      .name = op->name,
                      .owner = op->owner,
                      .home = op};
  tenon_vec_init(&f.links, cx->allocator);
  link_all_to(&f, op, TENON_REGISTRY_KERNELS);
  tenon_link_set_kernels(&f);
  link_all_to(&f, op, TENON_REGISTRY_LOWERINGS);
  if (op->own) {
    own.as.lowering = (tenon_lowering *)(uintptr_t)op->own;
    tenon_link_add(&f, op, &own, 0);
  }
  tenon_link_ordered(&f, op);
  tenon_link_set_lowerings(&f);
  tenon_vec_deinit(&f.links);
  return f.status;
}
