// How: operators are keys; each has a list of its kernels, or nothing for all
// of them. Every fault is reported with its line and column.
#include <string.h>

#include "api/selecting.h"
#include "reg/ordered.h"

static void selection_read_kernel(tenon_selection *s, const tenon_op *op,
                                  const tenon_yaml *at) {
  const char *symbol = NULL;
  tenon_nearest near;
  if (!tenon_select_keep(s, tenon_yaml_text(at, &symbol))) return;
  tenon_nearest_init(&near, symbol);
  for (uint32_t i = 0; i < op->n_kernels; ++i) {
    const char *here = op->kernels[i]->desc->symbol;
    if (strcmp(here, symbol) == 0) {
      tenon_select_add(s, op, op->kernels[i]);
      return;
    }
    tenon_nearest_feed(&near, here);
  }
  const tenon_op *beside = tenon_ordered_by_symbol(op, symbol);
  for (uint32_t i = 0; beside && i < beside->n_kernels; ++i) {
    if (strcmp(beside->kernels[i]->desc->symbol, symbol) != 0) continue;
    tenon_select_add(s, op, beside->kernels[i]);
    return;
  }
  tenon_select_fail(s, at, "select-kernel", NULL,
                    "'%s' has no kernel '%s'%s%s%s", op->name, symbol,
                    TENON_DID_YOU_MEAN(near.best));
}

static void read_op(tenon_selection *s, const tenon_yaml *at) {
  const tenon_op *op = tenon_select_op(s, at->key->text.data, at->key);
  if (!op) return;
  if (tenon_yaml_is_null(at)) {
    tenon_select_all(s, op, at->key);
    return;
  }
  if (!tenon_select_keep(s, tenon_yaml_list(at))) return;
  for (const tenon_yaml *e = at->first; e; e = e->next)
    selection_read_kernel(s, op, e);
}

static void read_targets(tenon_selection *s, const tenon_yaml *at) {
  const char *name = NULL;
  if (!tenon_select_keep(s, tenon_yaml_list(at))) return;
  for (const tenon_yaml *e = at->first; e; e = e->next)
    if (tenon_select_keep(s, tenon_yaml_text(e, &name)))
      tenon_select_target(s, name, e);
}

void tenon_select_read(tenon_selection *s, const tenon_manifest *m) {
  static const char *const keys[] = {"operators", "targets", NULL};
  const tenon_yaml *root = NULL, *ops = NULL;
  const tenon_text text = {(const char *)m->data, m->size};
  if (!tenon_select_keep(
          s, tenon_yaml_read(&s->arena, &s->cx->report, TENON_BAD_PLUGIN,
                             m->file, text, &root)) ||
      !tenon_select_keep(s, tenon_yaml_keys(root, keys)) ||
      !tenon_select_keep(s, tenon_yaml_need(root, "operators", &ops)) ||
      !tenon_select_keep(s, tenon_yaml_map(ops)))
    return;
  for (const tenon_yaml *v = ops->first; v; v = v->next)
    read_op(s, v);
  const tenon_yaml *targets = tenon_yaml_get(root, "targets");
  if (targets) read_targets(s, targets);
}
