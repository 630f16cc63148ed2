// core_rule.c - shapes by arithmetic on sizes that may be symbols.
#include "ops/core/core_rule.h"

#include <inttypes.h>

#include "kern/loop/element.h"
#include "kern/op/cast.h"

int64_t tenon_core_items(const tenon_call *c) {
  return (int64_t)tenon_count(&c->out[0]);
}

bool tenon_core_whole_bytes(const tenon_call *c) {
  return tenon_element_bits(c->in[0].dtype) >= 8;
}

static bool is_plain_real(tenon_dtype t) {
  return t == TENON_F32 || t == TENON_F64 || t == TENON_F16 || t == TENON_BF16;
}

bool tenon_core_real(const tenon_call *c) {
  return !c->in[0].quant && is_plain_real(c->in[0].dtype);
}

bool tenon_core_is_plain(tenon_dtype t) {
  return is_plain_real(t) || tenon_cast_is_integer(t) || t == TENON_BOOL;
}

bool tenon_core_plain(const tenon_call *c) {
  return !c->in[0].quant && tenon_core_is_plain(c->in[0].dtype);
}

int64_t tenon_core_rows(const tenon_tensor *t, int axis) {
  int64_t n = 1;
  for (int d = 0; d < t->rank; ++d) {
    if (t->dims[d] == 0) return 0;
    if (d != axis) n *= t->dims[d];
  }
  return n;
}

int64_t tenon_core_last_rows(const tenon_call *c) {
  return tenon_core_rows(&c->out[0], c->out[0].rank - 1);
}
int64_t tenon_core_lines(const tenon_call *c) {
  if (tenon_count(&c->out[0]) == 0) return 0;
  return (int64_t)c->out[0].dims[0] * c->out[0].dims[1];
}
int64_t tenon_core_images(const tenon_call *c) {
  return c->out[0].dims[0];
}
int64_t tenon_core_products(const tenon_call *c) {
  return (int64_t)tenon_count(&c->out[0]) / c->in[1].dims[0];
}
int64_t tenon_core_product_macs(const tenon_call *c) {
  return tenon_core_items(c) * c->in[1].dims[1];
}

bool tenon_core_is_plain_f32(const tenon_type *t) {
  return t->dtype == TENON_F32 && !t->quant;
}

bool tenon_core_equal(tenon_infer *c, tenon_dim a, tenon_dim b) {
  return c->api->require(c, TENON_RELATION_EQ, a, b);
}

bool tenon_core_at_most(tenon_infer *c, tenon_dim a, tenon_dim b) {
  return c->api->require(c, TENON_RELATION_LE, a, b);
}

bool tenon_core_some(tenon_infer *c, tenon_dim a) {
  return tenon_core_at_most(c, tenon_core_dim(1), a);
}

tenon_status tenon_core_result(tenon_infer *c, const tenon_dim *dims, int rank,
                               const tenon_type *like, bool keeps_scale) {
  const tenon_type *declared = c->api->declared(c, 0);
  tenon_type y = *like;
  y.dims = dims;
  y.rank = (uint8_t)rank;
  if (declared && declared->quant) {
    y.dtype = declared->dtype;
    y.quant = declared->quant;
  } else if (like->quant && !keeps_scale) {
    return tenon_infer_fail(
        c, "scale and zero point of a quantised result must be declared");
  }
  return tenon_infer_out(c, 0, &y);
}

tenon_status tenon_core_same(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  return tenon_core_result(c, x->dims, x->rank, x, true);
}

tenon_status tenon_core_out(tenon_infer *c, int i, tenon_dtype dtype,
                            const tenon_dim *dims, int rank) {
  tenon_type y = {.dims = dims, .dtype = dtype, .rank = (uint8_t)rank};
  return tenon_infer_out(c, i, &y);
}

tenon_status tenon_core_sizes(tenon_infer *c, const char *name, tenon_ints list,
                              tenon_dim *dims) {
  if (list.count > TENON_MAX_RANK)
    return tenon_infer_fail(c, "%zu dimensions, at most %d are possible",
                            list.count, TENON_MAX_RANK);
  for (size_t d = 0; d < list.count; ++d) {
    dims[d] = c->api->size(c, name, (int)d);
    if (!dims[d].symbol && (dims[d].value < 0 || dims[d].value > INT32_MAX))
      return tenon_infer_fail(c, "size %" PRId64 " in dimension %zu",
                              dims[d].value, d);
  }
  return TENON_OK;
}

static tenon_dim dim_from_end(const tenon_type *t, int i) {
  return i < t->rank ? t->dims[t->rank - 1 - i] : tenon_core_dim(1);
}

tenon_status tenon_core_broadcast(tenon_infer *c, const tenon_type *a,
                                  const tenon_type *b, tenon_dim *dims,
                                  int *rank) {
  *rank = a->rank > b->rank ? a->rank : b->rank;
  for (int i = 0; i < *rank; ++i) {
    tenon_dim p = dim_from_end(a, i), q = dim_from_end(b, i);
    bool p_is_one = !p.symbol && p.value == 1;
    bool q_is_one = !q.symbol && q.value == 1;
    if (!p_is_one && !q_is_one && !tenon_core_equal(c, p, q))
      return p.symbol || q.symbol
                 ? tenon_infer_fail(
                       c,
                       "cannot broadcast dimension %d, whose sizes "
                       "are never the same",
                       *rank - 1 - i)
                 : tenon_infer_fail(c,
                                    "cannot broadcast %" PRId64 " with %" PRId64
                                    " in dimension %d",
                                    p.value, q.value, *rank - 1 - i);
    // Of a symbol and a number other than 1, the number is what both will be.
    dims[*rank - 1 - i] =
        p_is_one || (p.symbol && !q.symbol && !q_is_one) ? q : p;
  }
  return TENON_OK;
}

tenon_status tenon_core_slide(tenon_infer *c, tenon_dim size, int64_t taps,
                              int64_t dilation, int64_t stride, int64_t padding,
                              tenon_dim *out) {
  int64_t reach = (taps - 1) * dilation + 1;
  if (taps < 1 || (!size.symbol && size.value + padding < reach))
    return tenon_infer_fail(
        c, "a window of %" PRId64 " does not fit %" PRId64 " elements", reach,
        size.value + padding);
  tenon_dim n =
      c->api->dim(c, TENON_DIM_ADD, size, tenon_core_dim(padding - reach));
  n = c->api->dim(c, TENON_DIM_DIV, n, tenon_core_dim(stride));
  *out = c->api->dim(c, TENON_DIM_ADD, n, tenon_core_dim(1));
  return TENON_OK;
}

tenon_status tenon_core_check_ints(tenon_infer *c, const char *name,
                                   tenon_ints list, size_t count,
                                   int64_t least) {
  if (list.count != count)
    return tenon_infer_fail(c, "'%s' has %zu entries, expected %zu", name,
                            list.count, count);
  for (size_t i = 0; i < count; ++i) {
    if (list.data[i] < least || list.data[i] > INT32_MAX)
      return tenon_infer_fail(
          c, "'%s' has %" PRId64 ", expected at least %" PRId64, name,
          list.data[i], least);
  }
  return TENON_OK;
}

tenon_status tenon_core_check_axis(tenon_infer *c, int64_t axis, int rank,
                                   int *at) {
  int64_t found = axis < 0 ? axis + rank : axis;
  if (found < 0 || found >= rank)
    return tenon_infer_fail(c, "axis %" PRId64 " of a tensor of rank %d", axis,
                            rank);
  *at = (int)found;
  return TENON_OK;
}
