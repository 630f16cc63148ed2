// How: per graph, a map from a hash of operator, operands and attributes to the
// nodes that have it. Constants of equal type and bytes are merged first, so
// nodes that read equal constants meet. What a region computes is not shared
// with the graph around it: that would move it to where it might not run.
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "core/attr.h"
#include "ir/edit.h"
#include "ir/turned.h"
#include "pass/pass.h"

typedef struct seen {
  tenon_map map;  // hash to index + 1 of the newest
  TENON_VEC(tenon_node *) nodes;
  TENON_VEC(uint32_t) next;  // the older one of the same hash, + 1
} seen;

static uint64_t hash_node(const tenon_node *n) {
  uint64_t h = tenon_hash(&n->op, sizeof n->op, TENON_HASH_SEED);
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    uint32_t id = v ? v->id + 1 : 0;
    h = tenon_hash(&id, sizeof id, h);
  }
  return tenon_args_hash(n->args, h);
}

static bool same_groups(const tenon_node *a, const tenon_node *b) {
  if (!a->in_group || !b->in_group) return a->in_group == b->in_group;
  return memcmp(a->in_group, b->in_group,
                (a->op->schema->n_tensors + 1u) * sizeof *a->in_group) == 0;
}

static bool cse_is_same(const tenon_node *a, const tenon_node *b) {
  if (a->op != b->op || a->n_in != b->n_in || a->n_out != b->n_out)
    return false;
  for (uint32_t i = 0; i < a->n_in; ++i)
    if (a->in[i].value != b->in[i].value) return false;
  for (uint32_t i = 0; i < a->n_out; ++i)
    if (!tenon_type_equals(&a->out[i]->type, &b->out[i]->type)) return false;
  return same_groups(a, b) && tenon_args_equal(a->args, b->args);
}

static bool cse_is_candidate(const tenon_node *n) {
  return tenon_op_is_pure(n->op) && n->op->schema && n->n_regions == 0 &&
         n->n_out > 0 && !n->is_functional && n->n_decided == 0 &&
         !tenon_op_is(n->op, "core::state_read");
}

// False when memory ran out.
static bool meet(seen *s, tenon_node *n) {
  bool added = false;
  uint64_t *slot = tenon_map_put(&s->map, hash_node(n), 0, &added);
  if (!slot) return false;
  for (uint64_t i = *slot; i; i = s->next.data[i - 1]) {
    tenon_node *other = s->nodes.data[i - 1];
    if (!cse_is_same(other, n)) continue;
    for (uint32_t k = 0; k < n->n_out; ++k)
      tenon_value_replace(n->out[k], other->out[k]);
    tenon_node_erase(n);
    return true;
  }
  if (!tenon_vec_push(&s->nodes, n) ||
      !tenon_vec_push(&s->next, (uint32_t)*slot))
    return false;
  *slot = s->nodes.count;
  return true;
}

static bool cse_walk(tenon_graph *g) {
  seen s;
  bool ok = true;
  tenon_allocator a = g->module->cx->allocator;
  tenon_map_init(&s.map, a);
  tenon_vec_init(&s.nodes, a);
  tenon_vec_init(&s.next, a);
  for (tenon_node *n = g->first; ok && n;) {
    tenon_node *next = n->next;
    for (uint32_t r = 0; ok && r < n->n_regions; ++r)
      ok = cse_walk(n->regions[r]);
    if (ok && cse_is_candidate(n)) ok = meet(&s, n);
    n = next;
  }
  tenon_map_deinit(&s.map);
  tenon_vec_deinit(&s.nodes);
  tenon_vec_deinit(&s.next);
  return ok;
}

// Two that are made of the same bytes in the same way.
static bool cse_same_turned(const tenon_value *a, const tenon_value *b) {
  const tenon_turned *s = a->turned, *t = b->turned;
  return s && t && s->data == t->data &&
         tenon_type_equals(&a->type, &b->type) &&
         memcmp(s->strides, t->strides, sizeof s->strides) == 0;
}

static bool cse_same_constant(const tenon_value *a, const tenon_value *b) {
  size_t size = 0;
  if (a->turned || b->turned) return cse_same_turned(a, b);
  return tenon_type_equals(&a->type, &b->type) &&
         a->type.flags == b->type.flags && tenon_type_size(&a->type, &size) &&
         (size == 0 || memcmp(a->constant->data, b->constant->data, size) == 0);
}

static bool merge_constants(tenon_module *m) {
  tenon_map map;
  bool ok = true;
  tenon_map_init(&map, m->cx->allocator);
  for (size_t i = 0; ok && i < m->constants.count; ++i) {
    tenon_value *v = m->constants.data[i];
    size_t size = 0;
    if (!v->uses || tenon_value_is_apart(v) ||
        !tenon_type_size(&v->type, &size))
      continue;
    const uint64_t seed = TENON_HASH_SEED + v->type.dtype + v->type.rank;
    uint64_t h = v->turned ? tenon_hash_sample(
                                 v->turned->strides, sizeof v->turned->strides,
                                 seed + (uintptr_t)v->turned->data)
                           : tenon_hash_sample(v->constant->data, size, seed);
    bool added = false;
    uint64_t *slot = tenon_map_put(&map, h, i, &added);
    ok = slot != NULL;
    if (!ok || added) continue;
    tenon_value *first = m->constants.data[*slot];
    if (cse_same_constant(first, v)) tenon_value_replace(v, first);
  }
  tenon_map_deinit(&map);
  return ok;
}

tenon_status tenon_pass_cse(tenon_module *m, const tenon_pass_run *run) {
  (void)run;
  bool ok = merge_constants(m);
  for (size_t i = 0; ok && i < m->functions.count; ++i)
    ok = cse_walk(m->functions.data[i]);
  return ok ? TENON_OK : tenon_fail_memory(&m->report, "merging equal nodes");
}
