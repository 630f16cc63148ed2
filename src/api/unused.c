// How: operators, kernels and lowerings in turn, each list as it is registered.
#include "api/unused.h"

#include <string.h>

#include "base/put.h"
#include "base/text.h"
#include "tenon/tenon.h"

typedef struct printer {
  const tenon_unused *u;
  tenon_buf *out;
  bool any;
} printer;

// ---------------------------------------------------------------------------
// Why a lowering was not used
// ---------------------------------------------------------------------------

// Whether the operator is one that the lowering serves.
static bool unused_serves(const char *pattern, const char *op) {
  size_t n = strlen(pattern);
  if (!tenon_text_ends(pattern, "*")) return strcmp(pattern, op) == 0;
  if (strncmp(pattern, op, n - 1) == 0) return true;
  return tenon_text_ends(pattern, ".*") && strlen(op) == n - 2 &&
         strncmp(pattern, op, n - 2) == 0;
}

// The nearest name that the file has; else some of the same set.
static void put_instead(const printer *p, const char *op, tenon_buf *out) {
  const tenon_unused *u = p->u;
  size_t set = strcspn(op, ":"), shown = 0;
  tenon_nearest near;
  tenon_nearest_init(&near, op);
  for (size_t i = 0; i < u->n_ops; ++i)
    tenon_nearest_feed(&near, u->ops[i]);
  tenon_buf_format(out, "the model has no '%s'", op);
  if (near.best) {
    tenon_buf_format(out, "; the nearest that it has is '%s'", near.best);
    return;
  }
  for (size_t i = 0; i < u->n_ops && shown < 6; ++i) {
    if (strncmp(u->ops[i], op, set + 2) != 0) continue;
    tenon_buf_format(out, "%s'%s'", shown ? ", " : "; it has ", u->ops[i]);
    ++shown;
  }
}

static void put_reason(const printer *p, const tenon_registered *r,
                       tenon_buf *out) {
  const tenon_lowering_desc *desc = r->desc;
  bool is_there = false;
  for (size_t i = 0; i < p->u->n_ops; ++i)
    is_there |= unused_serves(desc->op, p->u->ops[i]);
  if (tenon_findings_fate(p->u->findings, desc) == TENON_REWRITE_TRIED)
    tenon_buf_format(out, "it declined every '%s'", desc->op);
  else if (is_there)
    tenon_put(out, "a kernel or another lowering came first for '$'", desc->op);
  else
    put_instead(p, desc->op, out);
}

// ---------------------------------------------------------------------------
// Printing
// ---------------------------------------------------------------------------

static const char *unused_kind_of(const tenon_registered *r) {
  return r->kind == TENON_REGISTRY_OPS       ? "operator"
         : r->kind == TENON_REGISTRY_KERNELS ? "kernel"
                                             : "lowering";
}

static void unused_put_json(printer *p, const tenon_registered *r,
                            const char *reason) {
  tenon_put_json(p->out, "$$, 'name': $, 'plugin': $",
                 tenon_as_plain(p->any ? ", {\"kind\": " : "{\"kind\": "),
                 unused_kind_of(r), r->name, r->owner);
  if (reason) {
    tenon_put_json(p->out, ", 'reason': $", reason);
  }
  tenon_buf_char(p->out, '}');
  p->any = true;
}

static void unused_put_text(printer *p, const tenon_registered *r,
                            const char *reason) {
  bool is_lowering = r->kind == TENON_REGISTRY_LOWERINGS;
  const char *quote = is_lowering ? "'" : "";
  tenon_put(p->out, "$  $ $$$ of plugin $$",
            p->any ? "" : "\nregistered and not used\n", unused_kind_of(r),
            quote, r->name, quote, r->owner, reason ? ": " : "");
  if (reason) tenon_buf_shown(p->out, reason);
  tenon_buf_char(p->out, '\n');
  p->any = true;
}

static void unused_put(printer *p, const tenon_registered *r,
                       const char *reason) {
  if (p->u->is_json)
    unused_put_json(p, r, reason);
  else
    unused_put_text(p, r, reason);
}

// Whether a lowering of the operator replaced one, which may be of another
// lowering's making and not in the model.
static bool is_replaced(const printer *p, const tenon_op *op) {
  for (uint32_t i = 0; op && i < op->n_lowerings; ++i) {
    const tenon_lowering_desc *d = op->lowerings[i]->desc;
    if (strcmp(d->op, op->name) == 0 &&
        tenon_findings_fate(p->u->findings, d) == TENON_REWRITE_APPLIED)
      return true;
  }
  return false;
}

// A kernel inside an operator that is in use is there for other types, and its
// own lowering for targets without one: no news.
static void unused_look(printer *p, const tenon_registered *r) {
  tenon_buf reason;
  if (r->is_builtin || tenon_map_find_text(p->u->used, r->name)) return;
  if (r->kind != TENON_REGISTRY_LOWERINGS) {
    bool is_idle =
        r->kind == TENON_REGISTRY_OPS
            ? !is_replaced(p, tenon_registry_find_op(p->u->cx, r->name))
            : r->op != NULL;
    if (is_idle) unused_put(p, r, NULL);
    return;
  }
  // That nobody has its operator is said of the operator.
  const tenon_op *op = tenon_registry_find_op(p->u->cx, r->op);
  bool is_own = op && op->owner && strcmp(op->owner->name, r->owner) == 0 &&
                (strcmp(r->name, r->op) == 0 ||
                 !tenon_map_find_text(p->u->used, op->name));
  if (is_own ||
      tenon_findings_fate(p->u->findings, r->desc) == TENON_REWRITE_APPLIED)
    return;
  tenon_buf_init(&reason, p->u->cx->allocator);
  put_reason(p, r, &reason);
  if (reason.failed)
    p->out->failed = true;
  else
    unused_put(p, r, reason.data);
  tenon_buf_deinit(&reason);
}

static void look_at_list(printer *p, uint32_t kind) {
  const tenon_context *cx = p->u->cx;
  size_t n = tenon_context_list(cx, kind, NULL, 0);
  tenon_arena scratch;
  tenon_arena_init(&scratch, cx->allocator);
  tenon_registered *list = tenon_arena_array(&scratch, tenon_registered, n);
  if (!list) p->out->failed = true;
  if (list) (void)tenon_context_list(cx, kind, list, n);
  for (size_t i = 0; list && i < n; ++i)
    unused_look(p, &list[i]);
  tenon_arena_deinit(&scratch);
}

// Of operators not those of catalogs: nobody registers one of them in order to
// use it.
void tenon_unused_print(const tenon_unused *u, tenon_buf *out) {
  const tenon_op *const *ops = NULL;
  printer p = {u, out, false};
  size_t n_ops = tenon_registry_ops(u->cx, &ops);
  for (size_t i = 0; i < n_ops; ++i) {
    // One beside another is that other's.
    if (ops[i]->plain) continue;
    tenon_registered r = {.kind = TENON_REGISTRY_OPS,
                          .name = ops[i]->name,
                          .owner = ops[i]->owner->name,
                          .is_builtin = ops[i]->owner->is_builtin};
    unused_look(&p, &r);
  }
  look_at_list(&p, TENON_REGISTRY_KERNELS);
  look_at_list(&p, TENON_REGISTRY_LOWERINGS);
}
