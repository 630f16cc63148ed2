// quant_links.c - see quant_links.h.
#include "ops/quant/quant_links.h"

#include <string.h>

#include "kern/move.h"
#include "ops/aten/aten_op.h"

tenon_type tenon_quant_stored_as(const tenon_type *like, tenon_dtype dtype,
                                 const tenon_quant *quant) {
  tenon_type t = *like;
  t.dtype = dtype;
  t.quant = quant;
  t.flags = 0;
  return t;
}

tenon_value *tenon_quant_make(tenon_rewriter *rw, const char *op,
                              tenon_value *const *in, uint32_t n_in,
                              const tenon_arg *args, const tenon_type *type) {
  tenon_value *y = NULL;
  const tenon_build b = {.struct_size = sizeof b,
                         .n_in = n_in,
                         .n_out = 1,
                         .op = op,
                         .args = args,
                         .in = in,
                         .out = &y,
                         .types = &type};
  for (uint32_t i = 0; i < n_in; ++i)
    if (!in[i] && i != 2) return NULL;  // a bias may be absent
  return rw->api->build(rw, &b);
}

bool tenon_quant_is_op(tenon_rewriter *rw, const tenon_node *n,
                       const char *op) {
  return n && strcmp(rw->api->op(rw, n), op) == 0;
}

bool tenon_quant_is_link(tenon_rewriter *rw, const tenon_node *n,
                         bool may_limit) {
  static const char *const moves[] = {"core::permute", "core::reshape"};
  static const char *const limits[] = {"core::clamp", "core::relu",
                                       "core::relu6"};
  for (int i = 0; i < 2; ++i)
    if (tenon_quant_is_op(rw, n, moves[i])) return true;
  for (int i = 0; i < 3 && may_limit; ++i)
    if (tenon_quant_is_op(rw, n, limits[i])) return true;
  return false;
}

// The value above all links. A float that others read is computed anyway.
tenon_value *tenon_quant_climb(tenon_rewriter *rw, tenon_value *v,
                               bool may_limit, bool alone,
                               tenon_quant_links *out) {
  out->n = 0;
  for (;;) {
    const tenon_node *p = rw->api->producer(rw, v);
    if (!p || !tenon_quant_is_link(rw, p, may_limit) ||
        out->n == TENON_QUANT_MAX_LINKS || (alone && rw->api->uses(rw, v) != 1))
      return v;
    out->node[out->n] = p;
    out->made[out->n++] = v;
    v = rw->api->operand(rw, p, 0);
  }
}

// The links again, on integers of one scale, from the first to the last.
tenon_value *tenon_quant_follow(tenon_rewriter *rw, const tenon_quant_links *l,
                                tenon_value *v) {
  for (int i = l->n; i-- > 0 && v;) {
    const tenon_type *t = rw->api->type(rw, v);
    const tenon_type *like = rw->api->type(rw, l->made[i]);
    if (!t || !like) return NULL;
    const tenon_type y = tenon_quant_stored_as(like, t->dtype, t->quant);
    const char *op = rw->api->op(rw, l->node[i]);
    v = tenon_quant_make(rw, op, &v, 1, rw->api->args(rw, l->node[i]), &y);
  }
  return v;
}

// Dimension `axis` behind a link; -1: it is no dimension any more.
int tenon_quant_axis_behind(tenon_rewriter *rw, const tenon_node *n,
                            const tenon_type *before, const tenon_type *after,
                            int axis) {
  if (tenon_quant_is_op(rw, n, "core::permute")) {
    const tenon_ints dims =
        ((const tenon_permute_attrs *)rw->api->attrs(rw, n))->dims;
    for (size_t i = 0; i < dims.count; ++i)
      if (dims.data[i] == axis || dims.data[i] + after->rank == axis)
        return (int)i;
    return -1;
  }
  int64_t above = 1, here = 1;
  for (int i = 0; i < axis; ++i)
    above *= before->dims[i].value;
  for (int i = 0; i < after->rank; ++i) {
    if (here == above && after->dims[i].value == before->dims[axis].value)
      return i;
    here *= after->dims[i].value;
  }
  return -1;
}
