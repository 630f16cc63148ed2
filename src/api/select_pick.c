// How: a name becomes an operator or a target, an operator the kernels of it
// that fit; whoever asked, a failure is kept and reported here.
#include "api/selecting.h"
#include "ir/out_variant.h"
#include "reg/ordered.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tenon_select_keep(tenon_selection *s, tenon_status status) {
  if (s->status == TENON_OK) s->status = status;
  return status == TENON_OK;
}

static void pick_no_memory(tenon_selection *s) {
  (void)tenon_select_keep(
      s, tenon_fail_memory(&s->cx->report, "selecting kernels"));
}

void tenon_select_fail(tenon_selection *s, const tenon_yaml *at, const char *id,
                       const char *note, const char *fmt, ...) {
  char message[TENON_MESSAGE_SIZE];
  tenon_diag n = tenon_note_of(id, note, NULL);
  va_list args;
  va_start(args, fmt);
  (void)vsnprintf(message, sizeof message, fmt, args);
  va_end(args);
  tenon_status status = TENON_OK;
  if (at && note)
    status = tenon_yaml_fail_note(at, id, note, "%s", message);
  else if (at)
    status = tenon_yaml_fail(at, id, "%s", message);
  else
    status = tenon_fail_notes(&s->cx->report, TENON_BAD_PLUGIN, id, NULL,
                              note ? &n : NULL, "%s", message);
  (void)tenon_select_keep(s, status);
}

// --- names -------------------------------------------------------------------

// Of an overload that writes the functional operator, which is the one that has
// kernels, as a reader finds it; null: there is none, or it was reported.
static const tenon_op *pick_find_functional(tenon_selection *s,
                                            const char *name,
                                            const tenon_op *op,
                                            const tenon_yaml *at) {
  tenon_out_match match;
  if (!op)
    tenon_out_variant_named(s->cx, name, &match);
  else if (!tenon_out_variant_declared(s->cx, &s->arena, op->schema, &match))
    pick_no_memory(s);
  if (match.functional && match.other)
    tenon_select_fail(s, at, "select-op", "name the one that is meant",
                      "'%s' may write what '%s' or what '%s' computes", name,
                      match.functional->name, match.other->name);
  return match.other || match.is_crossed ? NULL : match.functional;
}

// The nearest name; of an overload that is far from all, that of its operator.
static const char *pick_nearest(const tenon_selection *s, const char *name) {
  char base[256];
  const char *near = tenon_registry_nearest_op(s->cx, name);
  const char *dot = strrchr(name, '.');
  if (near || !dot || (size_t)(dot - name) >= sizeof base) return near;
  memcpy(base, name, (size_t)(dot - name));
  base[dot - name] = 0;
  return tenon_registry_nearest_op(s->cx, base);
}

const tenon_op *tenon_select_op(tenon_selection *s, const char *name,
                                const tenon_yaml *at) {
  const tenon_op *op = tenon_registry_find_op(s->cx, name);
  tenon_status before = s->status;
  if (!op || (op->desc->flags & TENON_OP_DECLARED)) {
    const tenon_op *functional = pick_find_functional(s, name, op, at);
    if (functional) op = functional;
    if (s->status != before) return NULL;
  }
  if (op) return op;
  const char *near = pick_nearest(s, name);
  tenon_select_fail(s, at, "select-op",
                    "a plugin that brings it is named with --plugin",
                    "no operator '%s'%s%s%s", name, TENON_DID_YOU_MEAN(near));
  return NULL;
}

void tenon_select_target(tenon_selection *s, const char *name,
                         const tenon_yaml *at) {
  tenon_target found;
  const tenon_extension *e =
      tenon_registry_find(s->cx, TENON_REGISTRY_TARGETS, name);
  if (e && !e->owner->is_builtin && !tenon_vec_push(&s->targets, e))
    pick_no_memory(s);
  if (e) return;
  if (at)
    tenon_select_fail(s, at, "select-target", NULL, "no target '%s'", name);
  else
    (void)tenon_select_keep(s, tenon_target_find(s->cx, name, &found));
}

// --- kernels -----------------------------------------------------------------

void tenon_select_add(tenon_selection *s, const tenon_op *op,
                      const tenon_kernel *kernel) {
  if (!tenon_vec_push(&s->list, (tenon_chosen){op, kernel})) pick_no_memory(s);
}

static bool pick_takes(const tenon_selection *s, const tenon_kernel_type *types,
                       uint8_t n) {
  for (uint8_t i = 0; i < n; ++i) {
    const tenon_kernel_type *t = &types[i];
    uint64_t all = t->dtypes[0] | t->dtypes[1] | t->dtypes[2] | t->dtypes[3];
    if (t->is_optional || t->variable || t->bytes) continue;
    if (all && !(all & s->dtypes)) return false;
  }
  return true;
}

static bool pick_fits(const tenon_selection *s, const tenon_kernel *k) {
  if (!k->desc->run && !k->desc->run_range) return false;
  if (!tenon_target_has(&s->target, k->desc->needs)) return false;
  return !s->dtypes ||
         (pick_takes(s, k->in, k->n_in) && pick_takes(s, k->out, k->n_out));
}

static const char *pick_types_of(const tenon_kernel_desc *k) {
  return k->types ? k->types : "any";
}

// Of several kernels for the same types one is told of.
static bool is_told(const tenon_selection *s, const tenon_op *op, uint32_t at) {
  const tenon_kernel_desc *k = op->kernels[at]->desc;
  for (uint32_t i = 0; i < at; ++i) {
    const tenon_kernel_desc *other = op->kernels[i]->desc;
    if (tenon_target_has(&s->target, other->needs) &&
        strcmp(pick_types_of(other), pick_types_of(k)) == 0)
      return true;
  }
  return !tenon_target_has(&s->target, k->needs);
}

static void fail_types(tenon_selection *s, const tenon_op *op,
                       const tenon_yaml *at) {
  tenon_buf note;
  tenon_buf_init(&note, s->cx->allocator);
  tenon_buf_text(&note, "there are kernels for");
  bool is_first = true;
  for (uint32_t i = 0; i < op->n_kernels; ++i) {
    const tenon_kernel_desc *k = op->kernels[i]->desc;
    if (is_told(s, op, i)) continue;
    tenon_buf_format(&note, "%s '%s'", is_first ? "" : ",", pick_types_of(k));
    is_first = false;
  }
  if (is_first) tenon_buf_text(&note, " other targets");
  if (note.failed)
    pick_no_memory(s);
  else
    tenon_select_fail(s, at, "select-kernel", note.data,
                      "'%s' has no kernel that target '%s' can run%s", op->name,
                      s->target.name,
                      s->dtypes ? " and whose types were asked for" : "");
  tenon_buf_deinit(&note);
}

void tenon_select_all(tenon_selection *s, const tenon_op *op,
                      const tenon_yaml *at) {
  bool any = false;
  for (uint32_t i = 0; i < op->n_kernels; ++i) {
    if (!pick_fits(s, op->kernels[i])) continue;
    tenon_select_add(s, op, op->kernels[i]);
    any = true;
  }
  for (const struct tenon_ordered *o = op->ordered; o; o = o->next)
    for (uint32_t i = 0; i < o->op->n_kernels; ++i) {
      if (!pick_fits(s, o->op->kernels[i])) continue;
      tenon_select_add(s, op, o->op->kernels[i]);
      any = true;
    }
  if (any) return;
  if (op->n_kernels > 0)
    fail_types(s, op, at);
  else
    tenon_select_fail(
        s, at, "select-kernel",
        op->n_lowerings > 0
            ? "other operators replace it when a model is compiled: select by "
              "the model"
            : "a plugin that has one is named with --plugin",
        "'%s' has no kernel", op->name);
}
