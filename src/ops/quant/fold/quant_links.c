// quant_links.c - see quant_links.h.
#include "ops/quant/fold/quant_links.h"

#include <string.h>

#include "kern/op/move.h"
#include "kern/op/resample.h"
#include "ops/aten/index/index_op.h"
#include "ops/quant/quant_constant.h"

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
  for (uint32_t i = 0; i < n_in; ++i)
    if (!in[i] && i != 2) return NULL;  // a bias may be absent
  return tenon_rw_op_as(rw, op, in, n_in, NULL, args, type);
}

bool tenon_quant_is_op(tenon_rewriter *rw, const tenon_node *n,
                       const char *op) {
  return n && strcmp(rw->api->op(rw, n), op) == 0;
}

// One element of a weight of 1 for each of the result: images made larger by
// repetition.
static bool is_repetition(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_tensor *weight =
      tenon_quant_constant(rw, rw->api->operand(rw, n, 2));
  double v = 0;
  if (!weight || weight->rank != 2 || weight->dims[1] != 1) return false;
  for (size_t i = 0; i < tenon_count(weight); ++i)
    if (!tenon_quant_element(weight, i, &v) || v != 1) return false;
  return true;
}

bool tenon_quant_is_link(tenon_rewriter *rw, const tenon_node *n, int kinds) {
  static const struct {
    int kind;
    const char *op;
  } rows[] = {{TENON_QUANT_VIEWS, "core::permute"},
              {TENON_QUANT_VIEWS, "core::reshape"},
              {TENON_QUANT_MOVES, "core::slice"},
              {TENON_QUANT_MOVES, "core::expand"},
              {TENON_QUANT_MOVES, "core::index"},
              {TENON_QUANT_MOVES, "core::gather"},
              {TENON_QUANT_LIMITS, "core::clamp"},
              {TENON_QUANT_LIMITS, "core::relu"},
              {TENON_QUANT_LIMITS, "core::relu6"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (tenon_quant_is_op(rw, n, rows[i].op)) return kinds & rows[i].kind;
  return (kinds & TENON_QUANT_MOVES) &&
         tenon_quant_is_op(rw, n, "core::resample") && is_repetition(rw, n);
}

// The value above all links. A float that others read is computed anyway.
tenon_value *tenon_quant_climb(tenon_rewriter *rw, tenon_value *v, int kinds,
                               bool alone, tenon_quant_links *out) {
  out->n = 0;
  for (;;) {
    const tenon_node *p = rw->api->producer(rw, v);
    if (!p || !tenon_quant_is_link(rw, p, kinds) ||
        out->n == TENON_QUANT_MAX_LINKS || (alone && rw->api->uses(rw, v) != 1))
      return v;
    out->node[out->n] = p;
    out->made[out->n++] = v;
    v = rw->api->operand(rw, p, 0);
  }
}

// An operator of core that repeats elements along one axis.
static tenon_value *repeated(tenon_rewriter *rw, const tenon_node *n,
                             tenon_value *v, const tenon_type *type) {
  tenon_value *index = rw->api->operand(rw, n, 1);
  int64_t axis = ((const tenon_resample_attrs *)rw->api->attrs(rw, n))->axis;
  if (axis < 0) axis += type->rank;
  tenon_value *in[] = {
      v, tenon_aten_reshape(rw, index, tenon_aten_known(rw, index)->dims, 1)};
  return tenon_quant_make(rw, "core::index", in, 2,
                          TENON_ARGS(tenon_arg_int("axis", axis)), type);
}

// A link again, of v, which takes the place of its first operand.
static tenon_value *links_again(tenon_rewriter *rw, const tenon_node *n,
                                tenon_value *v, const tenon_type *type) {
  enum { MOST = 8 };
  tenon_value *in[MOST] = {v};
  uint16_t n_in = 1;
  if (tenon_quant_is_op(rw, n, "core::resample"))
    return repeated(rw, n, v, type);
  for (; rw->api->operand(rw, n, n_in); ++n_in) {
    if (n_in == MOST) return NULL;
    in[n_in] = rw->api->operand(rw, n, n_in);
  }
  const uint16_t lists[] = {0, 1, n_in};  // one element, and indices
  return tenon_rw_op_as(rw, rw->api->op(rw, n), in, n_in,
                        tenon_quant_is_op(rw, n, "core::index") ? lists : NULL,
                        rw->api->args(rw, n), type);
}

// The links again, on integers of one scale, from the first to the last.
tenon_value *tenon_quant_follow(tenon_rewriter *rw, const tenon_quant_links *l,
                                tenon_value *v) {
  for (int i = l->n; i-- > 0 && v;) {
    const tenon_type *t = rw->api->type(rw, v);
    const tenon_type *like = rw->api->type(rw, l->made[i]);
    if (!t || !like) return NULL;
    const tenon_type y = tenon_quant_stored_as(like, t->dtype, t->quant);
    v = links_again(rw, l->node[i], v, &y);
  }
  return v;
}

// Dimension `axis` behind a view; -1: it is no dimension any more.
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

int tenon_quant_axis_joined(const tenon_type *before, const tenon_type *after,
                            int axis, int64_t *times) {
  int64_t above = 1, here = 1;
  for (int i = 0; i < axis; ++i)
    above *= before->dims[i].value;
  for (int i = 0; i < after->rank; ++i) {
    const int64_t next = here * after->dims[i].value;
    if (here > 0 && above % here == 0 &&
        next == above * before->dims[axis].value) {
      *times = above / here;
      return i;
    }
    here = next;
  }
  return -1;
}
