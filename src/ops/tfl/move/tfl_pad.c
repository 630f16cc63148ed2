// PAD, PADV2 and MIRROR_PAD.
#include <string.h>

#include "ops/tfl/tfl_op.h"

// ---------------------------------------------------------------------------
// PAD, PADV2
// ---------------------------------------------------------------------------

// Before and after each axis; false when the table is none for this rank.
static bool paddings_of(const tenon_tensor *t, int rank, int64_t *before,
                        int64_t *after) {
  int64_t table[2 * TENON_MAX_RANK];
  if (t->rank != 2 || t->dims[1] != 2 ||
      tenon_tfl_ints(t, table, 2 * TENON_MAX_RANK) != 2 * rank)
    return false;
  for (int i = 0; i < rank; ++i) {
    before[i] = table[2 * i];
    after[i] = table[2 * i + 1];
    if (before[i] < 0 || after[i] < 0 || before[i] > INT32_MAX ||
        after[i] > INT32_MAX)
      return false;
  }
  return true;
}

static tenon_dim plus(tenon_infer *c, tenon_dim a, int64_t b) {
  if (!a.symbol) return tenon_tfl_fixed(a.value + b);
  return b ? c->api->dim(c, TENON_DIM_ADD, a, tenon_tfl_fixed(b)) : a;
}

// Sizes that data decide, where the table is none of the file.
static tenon_status decided(tenon_infer *c, const tenon_type *x,
                            const tenon_type *table) {
  if (tenon_tfl_differ(table->dims[0], tenon_tfl_fixed(x->rank)) ||
      tenon_tfl_differ(table->dims[1], tenon_tfl_fixed(2)))
    return tenon_infer_fail(c, "'paddings' is no table of %d times two sizes",
                            x->rank);
  return tenon_tfl_decided(c, x->rank, x);
}

// Serves both: PADV2 has a third operand, which PAD's schema has not.
tenon_status tenon_tfl_pad_infer(tenon_infer *c) {
  const tenon_type *x, *t, *v = tenon_infer_in(c, 2);
  int64_t before[TENON_MAX_RANK], after[TENON_MAX_RANK];
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "paddings", 2, &t));
  const tenon_type *y = tenon_tfl_declared(c, 0);
  // What is stored is moved, so the scale may not change on the way.
  if (y && x->dtype != TENON_S16 && !tenon_tfl_same_scale(x, y))
    return tenon_infer_fail(c, "the result has another scale than 'x'");
  if (v) {
    tenon_dim open;
    TENON_TRY(tenon_tfl_check_alike(c, x, "x", v, "value"));
    if (tenon_tfl_product(c, v->dims, v->rank, &open) != 1 || open.symbol)
      return tenon_infer_fail(c, "'value' is not one number");
    if (v->quant && !tenon_tfl_same_scale(x, v))
      return tenon_infer_fail(c, "'value' has another scale than 'x'");
  }
  const tenon_tensor *constant = c->api->constant(c, 1);
  if (!constant) return decided(c, x, t);
  if (!paddings_of(constant, x->rank, before, after))
    return tenon_infer_fail(
        c, "'paddings' is no table of %d times two sizes of at least 0",
        x->rank);
  tenon_tfl_shape s = tenon_tfl_shape_of(x);
  for (int i = 0; i < s.rank; ++i)
    s.dims[i] = plus(c, s.dims[i], before[i] + after[i]);
  return tenon_tfl_result(c, 0, &s, x->dtype, x);
}

// A number of any type that a kernel pads, as a real one. False: it cannot be
// said in 64-bit floats, or the type has no such kernel.
static bool tfl_pad_real_of(const tenon_tensor *t, double *out) {
  union {
    float f;
    int8_t s8;
    uint8_t u8;
    int16_t s16;
    int32_t s32;
    int64_t s64;
  } v = {0};
  static const uint8_t sizes[] = {
      [TENON_F32] = 4, [TENON_S8] = 1,  [TENON_U8] = 1, [TENON_BOOL] = 1,
      [TENON_S16] = 2, [TENON_S32] = 4, [TENON_S64] = 8};
  if (t->dtype >= sizeof sizes || !sizes[t->dtype] || !t->data) return false;
  memcpy(&v, t->data, sizes[t->dtype]);
  switch (t->dtype) {
    case TENON_F32:
      *out = (double)v.f;
      return true;
    case TENON_S8:
      *out = v.s8;
      break;
    case TENON_S16:
      *out = v.s16;
      break;
    case TENON_S32:
      *out = v.s32;
      break;
    case TENON_S64:
      *out = (double)v.s64;
      if (v.s64 > (int64_t)1 << 53 || v.s64 < -((int64_t)1 << 53)) return false;
      break;
    default:
      *out = v.u8;
      break;
  }
  if (t->quant)
    *out = (double)t->quant->scale[0] *
           (*out - (t->quant->zero ? t->quant->zero[0] : 0));
  return true;
}

// Paddings, and the value, as they are known.
typedef struct padding {
  int64_t before[TENON_MAX_RANK], after[TENON_MAX_RANK];
  bool is_known;
} padding;

static padding padding_in(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tensor *table = rw->api->constant(rw, tenon_tfl_in(rw, node, 1));
  padding p;
  p.is_known = table && paddings_of(table, tenon_tfl_type(rw, node, 0)->rank,
                                    p.before, p.after);
  return p;
}

// x with a value, which is real, around.
static tenon_status pad_known(tenon_rewriter *rw, const tenon_node *node,
                              const padding *p, double value) {
  tenon_value *x = tenon_tfl_signed(rw, tenon_tfl_in(rw, node, 0));
  const tenon_type *t = tenon_rw_type(rw, x), *y = rw->api->result(rw, node, 0);
  tenon_dim dims[TENON_MAX_RANK];
  tenon_quant q;
  int32_t zero;
  tenon_type padded = tenon_tfl_signed_type(y, &q, &zero);
  for (int i = 0; i < t->rank; ++i)
    dims[i] = rw->api->dim(rw, TENON_DIM_ADD, t->dims[i],
                           tenon_tfl_fixed(p->before[i] + p->after[i]));
  padded.dims = dims;
  x = tenon_tfl_make(rw, "core::pad", &x, 1,
                     TENON_ARGS(tenon_arg_ints("before", p->before, t->rank),
                                tenon_arg_ints("after", p->after, t->rank),
                                tenon_arg_float("value", value)),
                     &padded);
  tenon_type whole = *y;
  whole.dims = dims;
  return tenon_rw_replace(rw, node, tenon_tfl_unsigned(rw, x, &whole));
}

// x put into a tensor of the value, which is stored so: any paddings, any type.
static tenon_status pad_computed(tenon_rewriter *rw, const tenon_node *node,
                                 tenon_value *value) {
  static const tenon_tfl_shape none = {.rank = 0};
  tenon_value *x = tenon_tfl_in(rw, node, 0),
              *table = tenon_tfl_in(rw, node, 1);
  tenon_value *from[TENON_MAX_RANK];
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_tfl_shape to = tenon_tfl_shape_of(tenon_rw_type(rw, x));
  for (int i = 0; i < to.rank; ++i) {
    from[i] = tenon_tfl_element(rw, table, 2 * i);
    tenon_value *after = tenon_tfl_element(rw, table, 2 * i + 1);
    to.dims[i] = rw->api->number(
        rw, tenon_aten_formula(rw, "before after $d: before + d + after",
                               from[i], after, to.dims[i]));
  }
  value = tenon_tfl_reshape(rw, value, &none, NULL);
  value = tenon_tfl_expand(rw, value, &to);
  x = tenon_tfl_update_at(rw, value, tenon_tfl_stored(rw, x, NULL),
                          tenon_tfl_listed(rw, from, to.rank), to.rank);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, x, y->quant));
}

tenon_status tenon_tfl_pad_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_type *t = tenon_tfl_type(rw, node, 0);
  tenon_value *v = tenon_tfl_in(rw, node, 2);
  const tenon_tensor *known = v ? rw->api->constant(rw, v) : NULL;
  padding p = padding_in(rw, node);
  double value = 0;
  if (p.is_known && (!v || (known && tfl_pad_real_of(known, &value))))
    return pad_known(rw, node, &p, value);
  int32_t zero = t->quant && t->quant->zero ? t->quant->zero[0] : 0;
  return pad_computed(
      rw, node,
      v ? tenon_tfl_stored(rw, v, NULL) : tenon_rw_scalar(rw, t->dtype, zero));
}

// ---------------------------------------------------------------------------
// MIRROR_PAD
// ---------------------------------------------------------------------------

enum { MIRROR_REFLECT = 0, MIRROR_SYMMETRIC = 1 };

tenon_status tenon_tfl_mirror_pad_infer(tenon_infer *c) {
  const tenon_tfl_mirror_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  int64_t before[TENON_MAX_RANK], after[TENON_MAX_RANK];
  if (a->mode != MIRROR_REFLECT && a->mode != MIRROR_SYMMETRIC)
    return tenon_infer_fail(c, "unknown mode %lld", (long long)a->mode);
  TENON_TRY(tenon_tfl_pad_infer(c));
  const tenon_tensor *table = c->api->constant(c, 1);
  if (!table || !paddings_of(table, x->rank, before, after)) return TENON_OK;
  for (int i = 0; i < x->rank; ++i) {
    int64_t most = x->dims[i].value - (a->mode == MIRROR_REFLECT);
    if (!x->dims[i].symbol && (before[i] > most || after[i] > most) &&
        before[i] + after[i])
      return tenon_infer_fail(c, "dimension %d mirrors %lld and %lld of %lld",
                              i, (long long)before[i], (long long)after[i],
                              (long long)x->dims[i].value);
  }
  return TENON_OK;
}

// `count` entries along an axis, backwards from `from`.
static tenon_value *mirrored(tenon_rewriter *rw, tenon_value *x, int axis,
                             int64_t from, int64_t count) {
  return tenon_tfl_part(rw, x, axis, tenon_tfl_fixed(from),
                        tenon_tfl_fixed(count), -1);
}

// The same where a run computes the paddings, or x has an open size: each place
// along the axis, brought back from behind both ends.
static tenon_value *mirrored_at(tenon_rewriter *rw, tenon_value *x,
                                tenon_value *table, int i, int64_t skip,
                                tenon_dim *to) {
  tenon_value *size = tenon_tfl_size(rw, *to, TENON_S64);
  tenon_value *before = tenon_tfl_element(rw, table, 2 * i);
  tenon_value *n =
      tenon_aten_formula(rw, "size before after: size + before + after", size,
                         before, tenon_tfl_element(rw, table, 2 * i + 1));
  *to = rw->api->number(rw, n);
  // Without an element at the end: -1 becomes 1, and with one 0.
  tenon_value *at = tenon_aten_formula(
      rw,
      "line before size @skip: at = line - before; at = maximum(at, skip - 1 - "
      "at); minimum(at, size + size - (skip + 1) - at)",
      tenon_tfl_line(rw, *to, 1, 0, TENON_S64), before, size, (int)skip);
  return tenon_tfl_index(rw, x, &at, 1, i, NULL);
}

static tenon_status mirror_computed(tenon_rewriter *rw, const tenon_node *node,
                                    int64_t skip) {
  tenon_value *x = tenon_tfl_in(rw, node, 0),
              *table = tenon_tfl_in(rw, node, 1);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_quant *quant = y->quant;
  x = tenon_tfl_stored(rw, x, NULL);
  tenon_tfl_shape to = tenon_tfl_shape_of(tenon_rw_type(rw, x));
  for (int i = 0; i < to.rank; ++i)
    x = mirrored_at(rw, x, table, i, skip, &to.dims[i]);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, x, quant));
}

// Axis by axis, so that corners are mirrored twice.
tenon_status tenon_tfl_mirror_pad_lower(tenon_rewriter *rw,
                                        const tenon_node *node) {
  const tenon_tfl_mirror_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const padding p = padding_in(rw, node);
  const int64_t *before = p.before, *after = p.after;
  bool is_computed = !p.is_known;
  for (int i = 0; !is_computed && i < y->rank; ++i)
    is_computed =
        (before[i] || after[i]) && tenon_rw_type(rw, x)->dims[i].symbol;
  if (is_computed) return mirror_computed(rw, node, a->mode == MIRROR_REFLECT);
  for (int i = 0; i < y->rank; ++i) {
    tenon_value *in[3];
    uint32_t n = 0;
    const tenon_type *t = tenon_rw_type(rw, x);
    int64_t skip = a->mode == MIRROR_REFLECT, d = t->dims[i].value;
    if (!before[i] && !after[i]) continue;
    if (before[i])
      in[n++] = mirrored(rw, x, i, before[i] - 1 + skip, before[i]);
    in[n++] = x;
    if (after[i]) in[n++] = mirrored(rw, x, i, d - 1 - skip, after[i]);
    tenon_dim dims[TENON_MAX_RANK];
    tenon_type joined = *t;
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[i] = tenon_tfl_fixed(before[i] + d + after[i]);
    joined.dims = dims;
    joined.quant = y->quant;
    x = tenon_tfl_join(rw, in, n, i, &joined);
  }
  return tenon_rw_replace(rw, node, x);
}
