// How: lists; there are few.
#include "bind/findings.h"

#include <string.h>

void tenon_findings_init(tenon_findings *f, tenon_allocator allocator) {
  tenon_arena_init(&f->arena, allocator);
  tenon_vec_init(&f->refused, allocator);
  tenon_vec_init(&f->inexact, allocator);
  tenon_vec_init(&f->passed, allocator);
  tenon_vec_init(&f->channels, allocator);
  tenon_map_init(&f->rewrites, allocator);
}

void tenon_findings_deinit(tenon_findings *f) {
  tenon_vec_deinit(&f->refused);
  tenon_vec_deinit(&f->inexact);
  tenon_vec_deinit(&f->passed);
  tenon_vec_deinit(&f->channels);
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

static bool findings_make(tenon_findings *f, const tenon_node *n,
                          const char *text, const char *owner,
                          tenon_finding *out) {
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
  return findings_make(f, n, words, "", &row) &&
         tenon_vec_push(&f->refused, row);
}

bool tenon_findings_inexact(tenon_findings *f, const tenon_node *n,
                            const char *lowering, const char *owner) {
  tenon_finding row;
  return findings_make(f, n, lowering, owner, &row) &&
         tenon_vec_push(&f->inexact, row);
}

const char *tenon_findings_passed(const tenon_findings *f,
                                  const tenon_node *n) {
  for (size_t i = 0; f && i < f->passed.count; ++i)
    if (tenon_locs_meet(&n->graph->module->locs, n->loc, f->passed.data[i].loc))
      return f->passed.data[i].text;
  return NULL;
}

bool tenon_findings_pass(tenon_findings *f, const tenon_node *n,
                         const char *words) {
  tenon_finding row;
  if (tenon_findings_passed(f, n)) return true;
  return findings_make(f, n, words, "", &row) &&
         tenon_vec_push(&f->passed, row);
}

bool tenon_findings_channels(tenon_findings *f, const tenon_node *n,
                             const char *words) {
  tenon_finding row;
  return findings_make(f, n, words, "", &row) &&
         tenon_vec_push(&f->channels, row);
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

static bool is_changed(const tenon_findings *f, const tenon_module *m,
                       const tenon_node *n) {
  for (size_t i = 0; i < f->inexact.count; ++i)
    if (tenon_locs_meet(&m->locs, n->loc, f->inexact.data[i].loc)) return true;
  return false;
}

// Whether v is what the one operand of its node was, moved, or says what it
// stands for.
static const tenon_value *same_above(const tenon_value *v) {
  const tenon_node *n = v->node;
  const tenon_value *above = n->n_in == 1 ? n->in[0].value : NULL;
  if (!above) return NULL;
  if (n->op->desc && n->op->desc->view) return above;
  const bool is_alike = tenon_type_same_shape(&above->type, &v->type);
  return is_alike && above->type.quant ? above : NULL;
}

double tenon_findings_step(const tenon_findings *f, const tenon_module *m,
                           const tenon_value *output) {
  const tenon_value *v = output;
  for (; v && v->kind == TENON_VALUE_RESULT; v = same_above(v)) {
    const tenon_quant *q = v->type.quant;
    if (!q || !is_changed(f, m, v->node)) continue;
    if (q->channels != 1 || q->block) return 0;
    return output->type.dtype == TENON_F32 ? (double)q->scale[0] : 1;
  }
  return 0;
}
