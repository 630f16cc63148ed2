// core/type.c - comparing, copying and printing tensor types.
//
// A quantisation knows how many scales it has (`channels`, which counts blocks
// too) but not the shape it belongs to, so everything about it stands alone.
// Scales are compared as numbers, and no zero points are zero points of 0.
#include "core/type.h"

#include "base/size.h"

bool tenon_type_is_static(const tenon_type *t) {
  for (int i = 0; i < t->rank; ++i) {
    if (!tenon_dim_is_fixed(t->dims[i])) return false;
  }
  return true;
}

bool tenon_type_count(const tenon_type *t, uint64_t *out) {
  bool is_empty = false;
  int64_t count = 1;
  for (int i = 0; i < t->rank; ++i) {
    if (!tenon_dim_is_fixed(t->dims[i]) || t->dims[i].value < 0) return false;
    if (t->dims[i].value == 0) is_empty = true;
  }
  // Sizes beside a 0 may be as large as they like.
  for (int i = 0; i < t->rank && !is_empty; ++i) {
    if (!tenon_int_mul(count, t->dims[i].value, &count)) return false;
  }
  *out = is_empty ? 0 : (uint64_t)count;
  return true;
}

bool tenon_type_size(const tenon_type *t, size_t *out) {
  uint64_t count = 0;
  return tenon_type_count(t, &count) && tenon_dtype_size(t->dtype, count, out);
}

bool tenon_type_same_shape(const tenon_type *a, const tenon_type *b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; ++i) {
    if (!tenon_dim_equals(a->dims[i], b->dims[i])) return false;
  }
  return true;
}

bool tenon_type_equals(const tenon_type *a, const tenon_type *b) {
  return a->dtype == b->dtype && a->flags == b->flags &&
         tenon_type_same_shape(a, b) && tenon_quant_equals(a->quant, b->quant);
}

bool tenon_type_may_equal(const tenon_type *a, const tenon_type *b) {
  if (a->dtype != b->dtype || a->rank != b->rank) return false;
  for (int k = 0; k < a->rank; ++k) {
    bool is_known =
        tenon_dim_is_fixed(a->dims[k]) && tenon_dim_is_fixed(b->dims[k]);
    if (is_known && a->dims[k].value != b->dims[k].value) return false;
  }
  return true;
}

tenon_type tenon_type_copy(tenon_arena *arena, const tenon_type *t) {
  tenon_type copy = *t;
  copy.dims = NULL;
  if (t->rank > 0)
    copy.dims = tenon_arena_copy(arena, t->dims, t->rank * sizeof *t->dims,
                                 _Alignof(tenon_dim));
  if (!copy.dims) copy.rank = 0;  // nothing to read when memory ran out
  copy.quant = tenon_quant_copy(arena, t->quant);
  return copy;
}

void tenon_type_print(const tenon_type *t, const tenon_symbols *symbols,
                      tenon_buf *out) {
  tenon_buf_text(out, tenon_dtype_name(t->dtype));
  tenon_buf_char(out, '[');
  for (int i = 0; i < t->rank; ++i) {
    if (i > 0) tenon_buf_char(out, ',');
    tenon_symbols_print(symbols, t->dims[i], out);
  }
  tenon_buf_char(out, ']');
  if (t->flags & TENON_TYPE_NUMBER) tenon_buf_char(out, '!');
  tenon_quant_print(t->quant, out);
}

// The size that two sizes broadcast to. A symbol fits itself and 1 only: what
// else it may be equal to is not known.
static bool type_join(tenon_dim a, tenon_dim b, tenon_dim *out) {
  bool a_is_one = tenon_dim_is_fixed(a) && a.value == 1;
  bool b_is_one = tenon_dim_is_fixed(b) && b.value == 1;
  if (!a_is_one && !b_is_one && !tenon_dim_equals(a, b)) return false;
  *out = a_is_one ? b : a;
  return true;
}

bool tenon_type_broadcast(const tenon_dim *a, int rank_a, const tenon_dim *b,
                          int rank_b, tenon_dim *out, int *rank) {
  tenon_dim dims[TENON_MAX_RANK];
  int most = rank_a > rank_b ? rank_a : rank_b;
  if (most > TENON_MAX_RANK) return false;
  for (int i = 1; i <= most; ++i) {
    tenon_dim x = i <= rank_a ? a[rank_a - i] : tenon_dim_fixed(1);
    tenon_dim y = i <= rank_b ? b[rank_b - i] : tenon_dim_fixed(1);
    if (!type_join(x, y, &dims[most - i])) return false;
  }
  for (int i = 0; i < most; ++i)  // now, since `out` may be `a` or `b`
    out[i] = dims[i];
  *rank = most;
  return true;
}

// ---------------------------------------------------------------------------
// Quantisation
// ---------------------------------------------------------------------------

static int32_t type_zero_of(const tenon_quant *q, int32_t i) {
  return q->zero ? q->zero[i] : 0;
}

bool tenon_quant_equals(const tenon_quant *a, const tenon_quant *b) {
  if (a == b) return true;
  if (!a || !b) return false;
  if (a->channels != b->channels || a->axis != b->axis || a->block != b->block)
    return false;
  for (int32_t i = 0; i < a->channels; ++i) {
    if (a->scale[i] != b->scale[i] || type_zero_of(a, i) != type_zero_of(b, i))
      return false;
  }
  return true;
}

const tenon_quant *tenon_quant_copy(tenon_arena *arena, const tenon_quant *q) {
  if (!q) return NULL;
  size_t count = q->channels > 0 ? (size_t)q->channels : 0;
  tenon_quant *copy = tenon_arena_new(arena, tenon_quant);
  float *scale =
      tenon_arena_copy(arena, q->scale, count * sizeof(float), _Alignof(float));
  int32_t *zero = NULL;
  if (q->zero)
    zero = tenon_arena_copy(arena, q->zero, count * sizeof(int32_t),
                            _Alignof(int32_t));
  if (!copy || !scale || (q->zero && !zero)) return NULL;
  *copy = *q;
  copy->scale = scale;
  copy->zero = zero;
  return copy;
}

void tenon_quant_print(const tenon_quant *q, tenon_buf *out) {
  if (!q) return;
  bool is_list = q->channels != 1 || q->block != 0;
  tenon_buf_text(out, is_list ? "{[" : "{");
  for (int32_t i = 0; i < q->channels; ++i) {
    if (i > 0) tenon_buf_char(out, ',');
    tenon_buf_float(out, q->scale[i]);
  }
  tenon_buf_text(out, is_list ? "]:[" : ":");
  for (int32_t i = 0; i < q->channels; ++i) {
    if (i > 0) tenon_buf_char(out, ',');
    tenon_buf_format(out, "%ld", (long)type_zero_of(q, i));
  }
  if (is_list) tenon_buf_format(out, "]@%ld", (long)q->axis);
  if (q->block != 0) tenon_buf_format(out, "/%ld", (long)q->block);
  tenon_buf_char(out, '}');
}

const char *tenon_quant_suffix(const tenon_quant *q) {
  if (!q) return "";
  if (q->block != 0) return "qb";
  return q->channels == 1 ? "q" : "qc";
}
