// How: lists; there are few.
#include "bind/findings.h"

#include <string.h>

void tenon_findings_init(tenon_findings *f, tenon_allocator allocator) {
  tenon_arena_init(&f->arena, allocator);
  tenon_vec_init(&f->refused, allocator);
  tenon_vec_init(&f->inexact, allocator);
  tenon_map_init(&f->rewrites, allocator);
}

void tenon_findings_deinit(tenon_findings *f) {
  tenon_vec_deinit(&f->refused);
  tenon_vec_deinit(&f->inexact);
  tenon_map_deinit(&f->rewrites);
  tenon_arena_deinit(&f->arena);
}

const char *tenon_findings_against(const tenon_findings *f,
                                   const tenon_node *n) {
  for (size_t i = 0; f && i < f->refused.count; ++i) {
    const tenon_finding *row = &f->refused.data[i];
    if (row->loc == n->loc && strcmp(row->op, tenon_node_name(n)) == 0)
      return row->text;
  }
  return NULL;
}

static bool make(tenon_findings *f, const tenon_node *n, const char *text,
                 const char *owner, tenon_finding *out) {
  out->loc = n->loc;
  out->op = tenon_arena_string(&f->arena, tenon_node_name(n));
  out->text = tenon_arena_string(&f->arena, text);
  out->owner = tenon_arena_string(&f->arena, owner);
  return out->op && out->text && out->owner;
}

bool tenon_findings_refuse(tenon_findings *f, const tenon_node *n,
                           const char *words) {
  tenon_finding row;
  if (tenon_findings_against(f, n)) return true;
  return make(f, n, words, "", &row) && tenon_vec_push(&f->refused, row);
}

bool tenon_findings_inexact(tenon_findings *f, const tenon_node *n,
                            const char *lowering, const char *owner) {
  tenon_finding row;
  return make(f, n, lowering, owner, &row) && tenon_vec_push(&f->inexact, row);
}

bool tenon_findings_tried(tenon_findings *f, const tenon_lowering *lowering,
                          bool is_applied) {
  uint64_t key = (uint64_t)(uintptr_t)lowering->desc;
  uint64_t *slot = tenon_map_put(&f->rewrites, key, TENON_REWRITE_TRIED, NULL);
  if (slot && is_applied) *slot = TENON_REWRITE_APPLIED;
  return slot != NULL;
}

tenon_rewrite_fate tenon_findings_fate(const tenon_findings *f,
                                       const tenon_lowering_desc *lowering) {
  const uint64_t *slot =
      tenon_map_find(&f->rewrites, (uint64_t)(uintptr_t)lowering);
  return slot ? (tenon_rewrite_fate)*slot : TENON_REWRITE_UNTRIED;
}
