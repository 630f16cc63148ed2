// How: operands are permuted into the order in which the kernel wants them, and
// results back. Where an operand is a core::permute from that order, what it
// permutes is taken instead. What cannot be said with these types is declined.
#include <string.h>

#include "core/attr.h"
#include "reg/ordered.h"
#include "tenon/ext/lower.h"

enum { TENSORS_MOST = 64 };

typedef struct ordering {
  tenon_rewriter *rw;
  const tenon_node *node;
  const struct tenon_ordered *o;
  bool needs_order;  // every operand must lie like that already
  bool declines;
  uint32_t n_found;  // of those that do
} ordering;

// Whether a core::permute with these `dims` brings tensors out of the order.
static bool is_inverse(const tenon_arg *dims, const char *order, int rank) {
  if (!dims || dims->kind != TENON_KIND_INTS ||
      dims->as.ints.count != (size_t)rank)
    return false;
  for (int i = 0; i < rank; ++i) {
    int64_t d = dims->as.ints.data[order[i] - '0'];
    if ((d < 0 ? d + rank : d) != i) return false;
  }
  return true;
}

// What a core::permute brought out of the order; null: something else made it.
static tenon_value *find_ordered(const ordering *w, const tenon_value *v,
                                 const char *order, int rank) {
  const tenon_node *from = w->rw->api->producer(w->rw, v);
  if (!from || strcmp(w->rw->api->op(w->rw, from), "core::permute") != 0)
    return NULL;
  const tenon_arg *args = w->rw->api->args(w->rw, from);
  return is_inverse(tenon_args_find(args, "dims"), order, rank)
             ? tenon_rw_operand(w->rw, from, 0)
             : NULL;
}

static tenon_value *ordered_lower_permute(const ordering *w, tenon_value *v,
                                          const int64_t *dims, size_t rank) {
  return tenon_rw_op(w->rw, "core::permute", &v, 1,
                     TENON_ARGS(tenon_arg_ints("dims", dims, rank)));
}

static tenon_value *make_operand(ordering *w, tenon_value *v,
                                 const char *order) {
  const tenon_type *t = v && order ? tenon_rw_type(w->rw, v) : NULL;
  int64_t dims[TENON_MAX_RANK];
  if (!t) return v;
  if (t->rank != strlen(order)) {
    w->declines = true;
    return NULL;
  }
  tenon_value *there = find_ordered(w, v, order, t->rank);
  w->n_found += there != NULL;
  if (there) return there;
  if (w->needs_order && !w->rw->api->constant(w->rw, v)) {
    w->declines = true;
    return NULL;
  }
  for (int i = 0; i < t->rank; ++i)
    dims[i] = order[i] - '0';
  return ordered_lower_permute(w, v, dims, t->rank);
}

// The type of result i as it lies in memory.
static bool make_type(ordering *w, uint16_t i, tenon_type *type,
                      tenon_dim dims[TENON_MAX_RANK]) {
  const tenon_type *t = w->rw->api->result(w->rw, w->node, i);
  const char *order = w->o->out[i];
  if (!t) return false;
  *type = *t;
  if (!order) return true;
  if (t->rank != strlen(order) || (t->quant && t->quant->channels > 1))
    return false;
  for (int k = 0; k < t->rank; ++k)
    dims[k] = t->dims[order[k] - '0'];
  type->dims = dims;
  return true;
}

static tenon_value *restore(const ordering *w, tenon_value *v,
                            const char *order) {
  int64_t dims[TENON_MAX_RANK];
  size_t rank = order ? strlen(order) : 0;
  for (size_t i = 0; i < rank; ++i)
    dims[order[i] - '0'] = (int64_t)i;
  return order ? ordered_lower_permute(w, v, dims, rank) : v;
}

static tenon_status ordered_lower_build(ordering *w, tenon_value **in,
                                        const uint16_t *groups) {
  tenon_type types[TENSORS_MOST];
  const tenon_type *listed[TENSORS_MOST];
  tenon_dim dims[TENSORS_MOST][TENON_MAX_RANK];
  tenon_value *out[TENSORS_MOST];
  const struct tenon_ordered *o = w->o;
  for (uint16_t i = 0; i < o->n_out; ++i) {
    if (!make_type(w, i, &types[i], dims[i])) return TENON_OK;
    listed[i] = &types[i];
  }
  tenon_build b = {.struct_size = sizeof b,
                   .n_in = groups[o->n_in],
                   .n_out = o->n_out,
                   .op = o->op->name,
                   .args = w->rw->api->args(w->rw, w->node),
                   .in = in,
                   .in_group = groups,
                   .out = out,
                   .types = listed};
  (void)w->rw->api->build(w->rw, &b);
  for (uint16_t i = 0; i < o->n_out; ++i)
    out[i] = restore(w, out[i], o->out[i]);
  return w->rw->api->replace(w->rw, w->node, out, o->n_out);
}

static tenon_status ordered_lower_lower(tenon_rewriter *rw,
                                        const tenon_node *node,
                                        bool needs_order) {
  ordering w = {rw, node, rw->api->user(rw), needs_order, false, 0};
  tenon_value *in[TENSORS_MOST];
  uint16_t groups[TENSORS_MOST + 1] = {0}, n = 0;
  for (uint16_t i = 0; i < w.o->n_in; ++i) {
    int first = 0, count = rw->api->group(rw, node, i, &first);
    for (int k = 0; k < count; ++k, ++n) {
      if (n == TENSORS_MOST) return TENON_OK;
      in[n] =
          make_operand(&w, tenon_rw_operand(rw, node, first + k), w.o->in[i]);
      if (w.declines) return TENON_OK;
    }
    groups[i + 1] = n;
  }
  if (needs_order && w.n_found == 0) return TENON_OK;
  return ordered_lower_build(&w, in, groups);
}

static tenon_status lower_there(tenon_rewriter *rw, const tenon_node *node) {
  return ordered_lower_lower(rw, node, true);
}

static tenon_status lower_anyhow(tenon_rewriter *rw, const tenon_node *node) {
  return ordered_lower_lower(rw, node, false);
}

bool tenon_ordered_lowerings(tenon_arena *arena, struct tenon_ordered *o,
                             const tenon_owner *owner) {
  static const struct {
    const char *pass;
    tenon_lower_fn *lower;
    int32_t priority;
  } rows[TENON_ORDERED_LOWERINGS] = {
      {TENON_ORDERED_THERE, lower_there, INT32_MAX},
      {"canonicalise", lower_there, INT32_MAX},
      {TENON_ORDERED_PASS, lower_anyhow, 0}};
  for (int i = 0; i < TENON_ORDERED_LOWERINGS; ++i) {
    tenon_lowering_desc desc = {.struct_size = sizeof desc,
                                .priority = rows[i].priority,
                                .name = o->op->name,
                                .op = o->op->plain->name,
                                .pass = rows[i].pass,
                                .lower = rows[i].lower,
                                .user = o};
    o->lowerings[i] = tenon_lowering_new(arena, &desc, owner);
    if (!o->lowerings[i]) return false;
  }
  return true;
}
