// core_rewrites.c - rewrites of pass `canonicalise`, and the list of all.
//
// Mostly one question: is the result the operand? Then the node goes. Where two
// nodes in a row are one, the second is built anew on the operand of the first,
// which dies if nobody else reads it.
#include "ops/core/rewrite/core_rewrite.h"

#include <string.h>

#include "kern/op/clamp.h"
#include "kern/op/move.h"

// --- Nodes that change nothing -----------------------------------------------

// The operand, if it has the type of the result, so that it may stand for it.
static tenon_value *same_operand(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  const tenon_type *y = rw->api->result(rw, n, 0);
  if (!x || !y) return NULL;
  return tenon_core_same_type(tenon_rw_type(rw, x), y) ? x : NULL;
}

CORE_LOWER(canonical_drop) {
  tenon_value *x = same_operand(rw, n);
  return x ? tenon_rw_replace(rw, n, x) : TENON_OK;
}

// The node that makes operand 0, if it is of this operator; else null.
static const tenon_node *operand_node(tenon_rewriter *rw, const tenon_node *n,
                                      const char *op) {
  const tenon_node *p = rw->api->producer(rw, tenon_rw_operand(rw, n, 0));
  return p && strcmp(rw->api->op(rw, p), op) == 0 ? p : NULL;
}

CORE_LOWER(canonical_slice) {
  const tenon_slice_attrs *a = tenon_rw_attrs(rw, n);
  return tenon_core_all_are(a->begin, 0) && tenon_core_all_are(a->step, 1)
             ? tenon_core_canonical_drop(rw, n)
             : TENON_OK;
}

CORE_LOWER(canonical_pad) {
  const tenon_pad_attrs *a = tenon_rw_attrs(rw, n);
  return tenon_core_all_are(a->before, 0) && tenon_core_all_are(a->after, 0)
             ? tenon_core_canonical_drop(rw, n)
             : TENON_OK;
}

CORE_LOWER(canonical_concat) {
  int first = 0;
  return rw->api->group(rw, n, 0, &first) == 1
             ? tenon_core_canonical_drop(rw, n)
             : TENON_OK;
}

// Between signed and unsigned bytes of one scale whose zero points are 128
// apart: the same numbers.
static bool rewrites_is_flip(const tenon_type *x, const tenon_type *y) {
  const tenon_quant *p = x->quant, *q = y->quant;
  if (!p || !q || p->channels != 1 || q->channels != 1 || p->block || q->block)
    return false;
  int32_t apart = (p->zero ? p->zero[0] : 0) - (q->zero ? q->zero[0] : 0);
  return p->scale[0] == q->scale[0] &&
         ((x->dtype == TENON_U8 && y->dtype == TENON_S8 && apart == 128) ||
          (x->dtype == TENON_S8 && y->dtype == TENON_U8 && apart == -128));
}

// Such a change behind the one back is nothing; behind floats that were
// quantised for it alone, they are quantised to its result at once.
static tenon_status flip(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_node *p = operand_node(rw, n, "core::quantize");
  if (!p) return TENON_OK;
  tenon_value *between = tenon_rw_operand(rw, n, 0);
  tenon_value *x = tenon_rw_operand(rw, p, 0);
  const tenon_type *y = rw->api->result(rw, n, 0);
  if (tenon_core_same_type(tenon_rw_type(rw, x), y) &&
      rewrites_is_flip(y, tenon_rw_type(rw, between)))
    return tenon_rw_replace(rw, n, x);
  if (tenon_rw_type(rw, x)->dtype != TENON_F32 ||
      rw->api->uses(rw, between) > 1)
    return TENON_OK;
  return tenon_core_rewrite_as(rw, n, "core::quantize", &x, 1, NULL);
}

CORE_LOWER(canonical_dequantize) {
  const tenon_node *p = operand_node(rw, n, "core::quantize");
  tenon_value *x = p ? tenon_rw_operand(rw, p, 0) : NULL;
  if (!x || !rewrites_is_flip(tenon_rw_type(rw, x),
                              tenon_rw_type(rw, tenon_rw_operand(rw, n, 0))))
    return TENON_OK;
  return tenon_core_rewrite_as(rw, n, "core::dequantize", &x, 1, NULL);
}

// Between equal types the kernels move numbers through a real one; only where
// nothing happens to be done is the node dropped. `quantize(dequantize(x))` to
// the type of x gives x: the quotient of the product is off by less than half,
// as long as neither leaves the normal floats.
CORE_LOWER(canonical_quantize) {
  const tenon_type *y = rw->api->result(rw, n, 0);
  const tenon_node *p = operand_node(rw, n, "core::dequantize");
  if (rewrites_is_flip(tenon_rw_type(rw, tenon_rw_operand(rw, n, 0)), y))
    return flip(rw, n);
  if (!p || !y->quant || y->quant->channels != 1)
    return tenon_core_canonical_drop(rw, n);
  if (y->dtype != TENON_S8 && y->dtype != TENON_U8 && y->dtype != TENON_S16)
    return TENON_OK;
  tenon_value *x = tenon_rw_operand(rw, p, 0);
  float scale = y->quant->scale[0];
  if (!(scale > 1e-30f && scale < 1e30f) ||
      !tenon_core_same_type(tenon_rw_type(rw, x), y))
    return TENON_OK;
  return tenon_rw_replace(rw, n, x);
}

// --- Two in a row ------------------------------------------------------------

CORE_LOWER(canonical_reshape) {
  const tenon_node *p = operand_node(rw, n, "core::reshape");
  const tenon_type *y = rw->api->result(rw, n, 0);
  if (same_operand(rw, n) || !p) return tenon_core_canonical_drop(rw, n);
  tenon_value *x = tenon_rw_operand(rw, p, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!tenon_core_same_scales(t->quant, y->quant) ||
      (t->quant && t->quant->channels > 1))
    return TENON_OK;
  if (tenon_core_same_type(t, y)) return tenon_rw_replace(rw, n, x);
  return tenon_core_rewrite_as(rw, n, "core::reshape", &x, 1,
                               rw->api->args(rw, n));
}

// The last says what the elements mean.
CORE_LOWER(canonical_reinterpret) {
  const tenon_node *p = operand_node(rw, n, "core::reinterpret");
  if (same_operand(rw, n) || !p) return tenon_core_canonical_drop(rw, n);
  tenon_value *x = tenon_rw_operand(rw, p, 0);
  if (tenon_core_same_type(tenon_rw_type(rw, x), rw->api->result(rw, n, 0)))
    return tenon_rw_replace(rw, n, x);
  return tenon_core_rewrite_as(rw, n, "core::reinterpret", &x, 1, NULL);
}

CORE_LOWER(canonical_permute) {
  const tenon_permute_attrs *a = tenon_rw_attrs(rw, n);
  const tenon_node *p = operand_node(rw, n, "core::permute");
  int64_t dims[TENON_MAX_RANK];
  const int64_t rank = (int64_t)a->dims.count;
  bool is_identity = true;
  for (int64_t i = 0; i < rank; ++i) {
    dims[i] = a->dims.data[i] + (a->dims.data[i] < 0 ? rank : 0);
    if (p) {
      const tenon_permute_attrs *b = tenon_rw_attrs(rw, p);
      int64_t from = b->dims.data[dims[i]];
      dims[i] = from + (from < 0 ? rank : 0);
    }
    if (dims[i] != i) is_identity = false;
  }
  tenon_value *x = tenon_rw_operand(rw, p ? p : n, 0);
  if (is_identity) {
    bool is_same =
        tenon_core_same_type(tenon_rw_type(rw, x), rw->api->result(rw, n, 0));
    return is_same ? tenon_rw_replace(rw, n, x) : TENON_OK;
  }
  if (!p) return TENON_OK;
  return tenon_core_rewrite_as(
      rw, n, "core::permute", &x, 1,
      TENON_ARGS(tenon_arg_ints("dims", dims, (size_t)rank)));
}

CORE_LOWER(canonical_clamp) {
  const tenon_clamp_attrs *a = tenon_rw_attrs(rw, n);
  const tenon_type *y = rw->api->result(rw, n, 0);
  const tenon_node *p = operand_node(rw, n, "core::clamp");
  if (!tenon_core_has_exact_limits(y)) return TENON_OK;
  if (!a->lo.has && !a->hi.has) return tenon_core_canonical_drop(rw, n);
  if (!p || !same_operand(rw, n)) return TENON_OK;
  const tenon_clamp_attrs *b = tenon_rw_attrs(rw, p);
  tenon_core_range first = {b->lo, b->hi}, then = {a->lo, a->hi}, both;
  tenon_core_args args;
  if (!tenon_core_limit_both(first, then, &both) ||
      !tenon_core_take_args(rw, n, &args))
    return TENON_OK;
  tenon_core_set_limits(&args, both);
  tenon_value *x = tenon_rw_operand(rw, p, 0);
  return tenon_core_rewrite_as(rw, n, "core::clamp", &x, 1, args.list);
}

// --- Order of operands -------------------------------------------------------

// Sums and products are the same either way round, but for which of two NaNs
// they give.
static bool has_nan(const tenon_tensor *t) {
  const float *x = (const float *)t->data;
  size_t n = t->dtype == TENON_F32 ? tenon_count(t) : 0;
  for (size_t i = 0; i < n; ++i)
    if (x[i] != x[i]) return true;
  return false;
}

CORE_LOWER(constant_last) {
  tenon_value *a = tenon_rw_operand(rw, n, 0), *b = tenon_rw_operand(rw, n, 1);
  const tenon_tensor *c = rw->api->constant(rw, a);
  if (!c || rw->api->constant(rw, b) || has_nan(c)) return TENON_OK;
  if (c->dtype != TENON_F32 && c->dtype != TENON_S32 && c->dtype != TENON_S64 &&
      c->dtype != TENON_S8)
    return TENON_OK;
  tenon_value *in[] = {b, a};
  return tenon_core_rewrite_as(rw, n, rw->api->op(rw, n), in, 2,
                               rw->api->args(rw, n));
}

// --- The list ----------------------------------------------------------------

const tenon_lowering_desc *const tenon_core_rewrites[] = {
#define CORE_REWRITE(function, its_pass, its_op, builds, its_name)         \
  &(const tenon_lowering_desc){.struct_size = sizeof(tenon_lowering_desc), \
                               .name = its_name,                           \
                               .op = "core::" its_op,                      \
                               .pass = its_pass,                           \
                               .to = builds,                               \
                               .lower = tenon_core_##function},
#define CORE_REWRITE_EACH(function, its_pass, builds, its_name)            \
  &(const tenon_lowering_desc){.struct_size = sizeof(tenon_lowering_desc), \
                               .flags = TENON_LOWERING_ELEMENTWISE,        \
                               .name = its_name,                           \
                               .op = "*",                                  \
                               .pass = its_pass,                           \
                               .to = builds,                               \
                               .lower = tenon_core_##function},
#include "ops/core/rewrite/core_rewrites.def"
    NULL};
