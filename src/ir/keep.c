// How: functions are marked from the entry on, through the attributes that
// refer to them by number ("function", and "..._subgraph_index" of a .tflite);
// the others are dropped with the constants that only they used, and what is
// left is numbered without gaps.
#include "ir/keep.h"

#include <string.h>

#include "core/attr.h"
#include "ir/edit.h"
#include "ir/graph_link.h"

enum { UNSEEN = UINT32_MAX };

typedef struct keeping {
  tenon_module *m;
  uint32_t *number;  // of each function now: UNSEEN, or its new one
} keeping;

static bool keep_ends_with(const char *text, const char *end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && strcmp(text + n - k, end) == 0;
}

static bool is_reference(const keeping *k, const tenon_arg *a) {
  bool named = strcmp(a->name, "function") == 0 ||
               keep_ends_with(a->name, "subgraph_index") ||
               strcmp(a->name, "subgraph") == 0;
  return named && a->kind == TENON_KIND_INT && a->as.i >= 0 &&
         (uint64_t)a->as.i < k->m->functions.count;
}

static void keep_mark(keeping *k, const tenon_graph *g);

// Regions nest no deeper than TENON_MAX_NESTING; a function is entered once.
static void mark_body(keeping *k, const tenon_graph *g) {
  for (const tenon_node *n = g->first; n; n = n->next) {
    for (const tenon_arg *a = n->args; a && a->name; ++a)
      if (is_reference(k, a)) keep_mark(k, k->m->functions.data[a->as.i]);
    for (uint32_t r = 0; r < n->n_regions; ++r)
      mark_body(k, n->regions[r]);
  }
}

static void keep_mark(keeping *k, const tenon_graph *g) {
  if (k->number[g->index] != UNSEEN) return;
  k->number[g->index] = 0;
  mark_body(k, g);
}

static bool renumber_node(keeping *k, tenon_node *n) {
  size_t count = 0;
  bool any = false;
  for (const tenon_arg *a = n->args; a && a->name; ++a, ++count)
    any = any || (is_reference(k, a) && k->number[a->as.i] != a->as.i);
  if (!any) return true;
  tenon_arg *args = tenon_arena_copy(
      &k->m->arena, n->args, (count + 1) * sizeof *args, _Alignof(tenon_arg));
  if (!args) return false;
  for (tenon_arg *a = args; a->name; ++a)
    if (is_reference(k, a)) a->as.i = k->number[a->as.i];
  const tenon_op_desc *d = n->op->desc;
  n->args = args;
  n->attrs = tenon_attr_bind(&k->m->arena, d ? d->fields : NULL,
                             d ? d->attrs_size : 0, args);
  return n->attrs != NULL;
}

static bool renumber(keeping *k, tenon_graph *g) {
  for (tenon_node *n = g->first; n; n = n->next) {
    if (!renumber_node(k, n)) return false;
    for (uint32_t r = 0; r < n->n_regions; ++r)
      if (!renumber(k, n->regions[r])) return false;
  }
  return true;
}

// Constants lose the uses of the functions that go.
static bool drop_unseen(keeping *k) {
  tenon_module *m = k->m;
  size_t kept = 0;
  for (size_t i = 0; i < m->functions.count; ++i)
    if (k->number[i] != UNSEEN) k->number[i] = (uint32_t)kept++;
  bool ok = true;
  for (size_t i = 0; ok && i < m->functions.count; ++i)
    if (k->number[i] != UNSEEN) ok = renumber(k, m->functions.data[i]);
  kept = 0;
  for (size_t i = 0; i < m->functions.count; ++i) {
    tenon_graph *g = m->functions.data[i];
    if (k->number[i] == UNSEEN) {
      tenon_graph_clear(g);
      continue;
    }
    g->index = (uint32_t)kept;
    m->functions.data[kept++] = g;
  }
  m->functions.count = kept;
  return ok;
}

bool tenon_module_keep_entry(tenon_module *m, const char *entry) {
  keeping k = {m, NULL};
  tenon_arena scratch;
  size_t at = 0;
  while (at < m->entries.count && strcmp(m->entries.data[at].name, entry) != 0)
    ++at;
  tenon_arena_init(&scratch, m->cx->allocator);
  k.number = tenon_arena_array(&scratch, uint32_t, m->functions.count + 1);
  bool ok = k.number && at < m->entries.count;
  if (ok) {
    memset(k.number, 0xff, m->functions.count * sizeof *k.number);
    m->entries.data[0] = m->entries.data[at];
    m->entries.count = 1;
    keep_mark(&k, m->entries.data[0].graph);
    ok = drop_unseen(&k);
    tenon_module_drop_constants(m);
  }
  if (!ok) m->is_broken = true;
  tenon_arena_deinit(&scratch);
  return ok;
}
