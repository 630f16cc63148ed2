// Operands and results of shape rules.
//
// Sizes that are fixed are computed and checked here and now; the others go
// through the `dim` method of the caller, and the run checks them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/tfl/tfl_op.h"

tenon_tfl_shape tenon_tfl_shape_of(const tenon_type *t) {
  tenon_tfl_shape s = {.rank = t->rank};
  if (t->rank) memcpy(s.dims, t->dims, t->rank * sizeof *s.dims);
  return s;
}

static tenon_status tfl_type_check_size(tenon_infer *c, const char *name,
                                        const tenon_dim *dims, int rank) {
  int64_t count = 1;
  if (rank > TENON_MAX_RANK)
    return tenon_infer_fail(c, "'%s' has %d dimensions, expected at most %d",
                            name, rank, TENON_MAX_RANK);
  for (int i = 0; i < rank; ++i) {
    int64_t d = dims[i].value;
    if (dims[i].symbol) continue;
    if (d < 0 || d > INT32_MAX)
      return tenon_infer_fail(c, "dimension %d of '%s' is %lld", i, name,
                              (long long)d);
    // Empty along one axis is empty; the others still must fit.
    if (d && count > INT32_MAX / d)
      return tenon_infer_fail(c, "'%s' has more than 2^31 elements", name);
    if (d) count *= d;
  }
  return TENON_OK;
}

tenon_status tenon_tfl_operand(tenon_infer *c, int i, const char *name,
                               int rank, const tenon_type **out) {
  *out = tenon_infer_in(c, i);
  if (!*out) return tenon_infer_fail(c, "operand %d, '%s', is absent", i, name);
  if (rank >= 0 && (*out)->rank != rank)
    return tenon_infer_fail(c, "operand %d, '%s', has rank %d, expected %d", i,
                            name, (*out)->rank, rank);
  return tfl_type_check_size(c, name, (*out)->dims, (*out)->rank);
}

tenon_status tenon_tfl_check_operands(tenon_infer *c, const char *operands) {
  // Layers with a state say themselves which weights they can do without.
  const bool has_state = strstr(operands, "(a!)") != NULL;
  for (int arg = 0; *operands; ++arg) {
    const char *end = operands + strcspn(operands, ",");
    const char *at = operands + strcspn(operands, " ") + 1;
    const bool is_list = operands[6] == '[';
    const tenon_type *t;
    char name[32];
    int first = 0;
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ",="), at);
    (void)c->api->group(c, arg, &first);
    if (!is_list &&
        (tenon_infer_in(c, first) || (!has_state && operands[6] == ' ')))
      TENON_TRY(tenon_tfl_operand(c, first, name, -1, &t));
    operands = end + strspn(end, ", ");
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Scales
// ---------------------------------------------------------------------------

static bool needs_scale(tenon_dtype t) {
  return t == TENON_S8 || t == TENON_U8 || t == TENON_S16;
}

static bool tfl_type_is_within(tenon_dtype t, int32_t zero) {
  switch (t) {
    case TENON_S8:
      return zero >= -128 && zero <= 127;
    case TENON_U8:
      return zero >= 0 && zero <= 255;
    default:  // 16 bits are symmetric, so that sums of products fit
      return zero == 0;
  }
}

tenon_status tenon_tfl_check_scales(tenon_infer *c, const tenon_quant *q,
                                    const char *name) {
  for (int32_t i = 0; i < q->channels; ++i) {
    if (!isnormal(q->scale[i]) || q->scale[i] < 0)
      return tenon_infer_fail(c, "'%s' has the scale %g", name,
                              (double)q->scale[i]);
  }
  return TENON_OK;
}

tenon_status tenon_tfl_check_scale(tenon_infer *c, const tenon_type *t,
                                   const char *name) {
  if (!needs_scale(t->dtype)) return TENON_OK;
  const tenon_quant *q = t->quant;
  if (!q)
    return tenon_infer_fail(c, "'%s' is %s without a scale", name,
                            tenon_dtype_name(t->dtype));
  if (q->channels != 1 || q->block)
    return tenon_infer_fail(c, "'%s' has %d scales, expected 1", name,
                            (int)q->channels);
  int32_t zero = q->zero ? q->zero[0] : 0;
  if (!tfl_type_is_within(t->dtype, zero))
    return tenon_infer_fail(c, "'%s' is %s with the zero point %d", name,
                            tenon_dtype_name(t->dtype), (int)zero);
  return tenon_tfl_check_scales(c, q, name);
}

tenon_status tenon_tfl_check_weights(tenon_infer *c, const tenon_type *t,
                                     int axis) {
  if (t->dtype == TENON_F32) return TENON_OK;
  const tenon_quant *q = t->quant;
  if (!q)
    return tenon_infer_fail(c, "weights are %s without a scale",
                            tenon_dtype_name(t->dtype));
  if (q->channels != 1) {
    if (q->axis != axis)
      return tenon_infer_fail(c, "weights have scales along axis %d, not %d",
                              (int)q->axis, axis);
    // With blocks there are several scales per channel: not checked here, and
    // no lowering takes them.
    if (!q->block &&
        tenon_tfl_differ(t->dims[axis], tenon_tfl_fixed(q->channels)))
      return tenon_infer_fail(c, "weights have %d scales for %lld channels",
                              (int)q->channels, (long long)t->dims[axis].value);
  }
  for (int32_t i = 0; q->zero && i < q->channels && t->dtype != TENON_U8; ++i) {
    if (q->zero[i] != 0)
      return tenon_infer_fail(c, "weights have the zero point %d, expected 0",
                              (int)q->zero[i]);
  }
  if (t->dtype == TENON_U8) {
    int32_t zero = q->zero ? q->zero[0] : 0;
    if (q->channels != 1 || !tfl_type_is_within(TENON_U8, zero))
      return tenon_infer_fail(c, "u8 weights with %d scales and zero point %d",
                              (int)q->channels, (int)zero);
  }
  return tenon_tfl_check_scales(c, q, "w");
}

bool tenon_tfl_same_scale(const tenon_type *a, const tenon_type *b) {
  const tenon_quant *p = a->quant, *q = b->quant;
  if (!p || !q) return p == q;
  if (p->channels != 1 || q->channels != 1 || p->block || q->block)
    return false;
  return p->scale[0] == q->scale[0] &&
         (p->zero ? p->zero[0] : 0) == (q->zero ? q->zero[0] : 0);
}

tenon_status tenon_tfl_check_activation(tenon_infer *c, int64_t function) {
  if (function < TFL_ACT_NONE || function > TFL_ACT_SIGN_BIT)
    return tenon_infer_fail(
        c, "'fused_activation_function' is %lld, expected 0 to %d",
        (long long)function, TFL_ACT_SIGN_BIT);
  return TENON_OK;
}

tenon_status tenon_tfl_check_alike(tenon_infer *c, const tenon_type *a,
                                   const char *name_a, const tenon_type *b,
                                   const char *name_b) {
  if (a->dtype == b->dtype) return TENON_OK;
  return tenon_infer_fail(c, "'%s' is %s but '%s' is %s", name_a,
                          tenon_dtype_name(a->dtype), name_b,
                          tenon_dtype_name(b->dtype));
}

// ---------------------------------------------------------------------------
// Results
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_result(tenon_infer *c, int i,
                              const tenon_tfl_shape *shape, tenon_dtype dtype,
                              const tenon_type *like) {
  const tenon_type *declared = tenon_tfl_declared(c, i);
  const tenon_type *from = declared ? declared : like;
  TENON_TRY(tfl_type_check_size(c, "result", shape->dims, shape->rank));
  if (!from) return tenon_infer_fail(c, "the result has no declared type");
  if (dtype && from->dtype != dtype)
    return tenon_infer_fail(c, "the result is %s, expected %s",
                            tenon_dtype_name(from->dtype),
                            tenon_dtype_name(dtype));
  tenon_type t = {shape->dims, from->quant, from->dtype, (uint8_t)shape->rank,
                  0};
  return tenon_infer_out(c, i, &t);
}

static tenon_status tfl_type_give(tenon_infer *c, int i, const tenon_type *type,
                                  const tenon_type *like) {
  const tenon_tfl_shape shape = tenon_tfl_shape_of(type);
  return tenon_tfl_result(c, i, &shape, type->dtype, like ? like : type);
}

tenon_status tenon_tfl_shapes(tenon_infer *c, tenon_shapes *s,
                              const char *text) {
  tenon_shapes none = {.n_names = 0};
  if (!s) s = &none;
  s->give = tfl_type_give;
  return tenon_shapes_infer(c, s, text);
}

tenon_status tenon_tfl_number(tenon_infer *c, const tenon_tfl_shape *shape,
                              const tenon_type *like) {
  const tenon_type *declared = tenon_tfl_declared(c, 0);
  if (declared) {
    TENON_TRY(tenon_tfl_check_scale(c, declared, "result"));
  } else if (like->quant) {
    // The scale of a sum or product does not follow from its operands.
    return tenon_infer_fail(c, "the result has no declared scale");
  }
  return tenon_tfl_result(c, 0, shape, like->dtype, like);
}

tenon_status tenon_tfl_like(tenon_infer *c, const tenon_type *like) {
  const tenon_tfl_shape shape = tenon_tfl_shape_of(like);
  return tenon_tfl_result(c, 0, &shape, like->dtype, like);
}

tenon_status tenon_tfl_check_whole(tenon_infer *c, const tenon_type *t,
                                   const char *name) {
  if (t->dtype == TENON_S32 || t->dtype == TENON_S64) return TENON_OK;
  return tenon_infer_fail(c, "'%s' is %s, expected s32 or s64", name,
                          tenon_dtype_name(t->dtype));
}

tenon_status tenon_tfl_as_declared(tenon_infer *c) {
  int n = 0;
  bool is_ranked = true;
  for (; n < TFL_MAX_TENSORS && tenon_tfl_declared(c, n); ++n) {
    const tenon_type *t = tenon_tfl_declared(c, n);
    is_ranked &= !(t->flags & TENON_TYPE_UNRANKED);
    TENON_TRY(tenon_infer_out(c, n, t));
  }
  if (n && is_ranked) return TENON_OK;
  return tenon_infer_fail(c, "sizes are known in a run only, and not declared");
}

// ---------------------------------------------------------------------------
// Numbers
// ---------------------------------------------------------------------------

int64_t tenon_tfl_product(tenon_infer *c, const tenon_dim *dims, int rank,
                          tenon_dim *symbol) {
  int64_t fixed = 1;
  *symbol = tenon_tfl_fixed(1);
  for (int i = 0; i < rank; ++i) {
    if (dims[i].symbol) {
      *symbol = tenon_tfl_is(*symbol, 1)
                    ? dims[i]
                    : c->api->dim(c, TENON_DIM_MUL, *symbol, dims[i]);
    } else {
      fixed *= dims[i].value;
    }
  }
  return fixed;
}

tenon_dim tenon_tfl_quotient(tenon_infer *c, int64_t fixed, tenon_dim open,
                             int64_t by) {
  if (tenon_tfl_is(open, 1)) return tenon_tfl_fixed(fixed / by);
  bool is_whole = fixed % by == 0;
  int64_t times = is_whole ? fixed / by : fixed;
  if (times != 1)
    open = c->api->dim(c, TENON_DIM_MUL, open, tenon_tfl_fixed(times));
  return is_whole ? open
                  : c->api->dim(c, TENON_DIM_DIV, open, tenon_tfl_fixed(by));
}

tenon_status tenon_tfl_axis(tenon_infer *c, int64_t axis, int rank, int *out) {
  *out = 0;
  if (axis < -rank || axis >= rank)
    return tenon_infer_fail(c, "axis %lld of %d dimensions", (long long)axis,
                            rank);
  *out = (int)(axis < 0 ? axis + rank : axis);
  return TENON_OK;
}

// Constants may point into a file that aligns nothing.
bool tenon_tfl_int(const tenon_tensor *t, size_t i, int64_t *out) {
  const unsigned char *bytes = (const unsigned char *)t->data;
  int16_t half = 0;
  int32_t word = 0;
  if (!bytes) return false;
  switch (t->dtype) {
    case TENON_S16:
      memcpy(&half, bytes + i * sizeof half, sizeof half);
      *out = half;
      return true;
    case TENON_S32:
      memcpy(&word, bytes + i * sizeof word, sizeof word);
      *out = word;
      return true;
    case TENON_S64:
      memcpy(out, bytes + i * sizeof *out, sizeof *out);
      return true;
    default:
      return false;
  }
}

int tenon_tfl_ints(const tenon_tensor *t, int64_t *out, int most) {
  size_t count = tenon_count(t);
  if (count > (size_t)most || (t->dtype != TENON_S32 && t->dtype != TENON_S64))
    return -1;
  for (size_t i = 0; i < count; ++i) {
    if (!tenon_tfl_int(t, i, &out[i])) return -1;
  }
  return (int)count;
}

tenon_status tenon_tfl_one_int(tenon_infer *c, int i, const char *name,
                               int64_t *out, bool *known) {
  const tenon_type *t;
  TENON_TRY(tenon_tfl_operand(c, i, name, -1, &t));
  const tenon_tensor *constant = c->api->constant(c, i);
  *known = constant != NULL;
  if (constant && tenon_tfl_ints(constant, out, 1) != 1)
    return tenon_infer_fail(c, "'%s' is not one integer", name);
  return TENON_OK;
}

tenon_status tenon_tfl_check_indices(tenon_infer *c, int i, const char *name,
                                     const tenon_dim *dims, int columns) {
  const tenon_type *t = tenon_infer_in(c, i);
  const tenon_tensor *constant = c->api->constant(c, i);
  if (t->dtype != TENON_S16 && t->dtype != TENON_S32 && t->dtype != TENON_S64)
    return tenon_infer_fail(c, "'%s' is %s, expected integers", name,
                            tenon_dtype_name(t->dtype));
  for (size_t k = 0; constant && k < tenon_count(constant); ++k) {
    tenon_dim size = dims[k % (size_t)columns];
    int64_t at = 0;
    if (!tenon_tfl_int(constant, k, &at))
      return tenon_infer_fail(c, "'%s' has no data", name);
    if (at < 0 || (!size.symbol && at >= size.value))
      return tenon_infer_fail(c, "index %lld of %lld elements", (long long)at,
                              (long long)size.value);
  }
  return TENON_OK;
}
