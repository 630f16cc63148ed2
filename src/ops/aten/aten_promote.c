// How: PyTorch keeps three running types, of tensors with dimensions, of
// tensors without, and of Python numbers. The first decides; a later one counts
// only when it is of a higher category (bool, integer, float), as
// c10/core/ScalarType.h and TensorIterator's result_type document it:
// https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
#include "ops/aten/aten_op.h"

bool tenon_aten_is_float(tenon_dtype t) {
  return t == TENON_F16 || t == TENON_BF16 || t == TENON_F32 || t == TENON_F64;
}

bool tenon_aten_is_integer(tenon_dtype t) {
  return t == TENON_S8 || t == TENON_S16 || t == TENON_S32 || t == TENON_S64 ||
         t == TENON_U8 || t == TENON_U16 || t == TENON_U32 || t == TENON_U64;
}

bool tenon_aten_is_quarter(tenon_dtype t) {
  return t == TENON_F8E4M3FN || t == TENON_F8E4M3FNUZ || t == TENON_F8E5M2 ||
         t == TENON_F8E5M2FNUZ || t == TENON_F8E8M0FNU;
}

// 1 bool, 2 integer, 3 float; 0 what takes no part.
static int category(tenon_dtype t) {
  if (t == TENON_BOOL) return 1;
  if (tenon_aten_is_integer(t)) return 2;
  return tenon_aten_is_float(t) ? 3 : 0;
}

// Signed integers in order of width, and the width.
static int width(tenon_dtype t) {
  switch (t) {
    case TENON_S8:
    case TENON_U8:
      return 1;
    case TENON_S16:
      return 2;
    case TENON_S32:
      return 4;
    default:
      return 8;
  }
}

static tenon_dtype two_integers(tenon_dtype a, tenon_dtype b) {
  bool a_odd = a == TENON_U16 || a == TENON_U32 || a == TENON_U64;
  bool b_odd = b == TENON_U16 || b == TENON_U32 || b == TENON_U64;
  if (a_odd || b_odd) return 0;  // not defined for the newer unsigned types
  if (a == TENON_U8 || b == TENON_U8) {
    tenon_dtype other = a == TENON_U8 ? b : a;
    return other == TENON_S8 ? TENON_S16 : other;
  }
  return width(a) > width(b) ? a : b;
}

static tenon_dtype two_floats(tenon_dtype a, tenon_dtype b) {
  if (a == TENON_F64 || b == TENON_F64) return TENON_F64;
  return TENON_F32;  // also of f16 and bf16
}

// Of two tensors of one kind.
static tenon_dtype promote_join(tenon_dtype a, tenon_dtype b) {
  if (a == 0 || a == b) return b;
  if (b == 0) return a;
  int ca = category(a), cb = category(b);
  if (ca == 0 || cb == 0) return 0;
  if (ca != cb) return ca > cb ? a : b;
  return ca == 3 ? two_floats(a, b) : two_integers(a, b);
}

void tenon_aten_promote_value(tenon_rewriter *rw, tenon_aten_promotion *p,
                              tenon_value *v) {
  const tenon_type *t = v ? tenon_rw_type(rw, v) : NULL;
  if (!t) return;
  if (t->flags & TENON_TYPE_NUMBER) {
    tenon_dtype number = t->dtype == TENON_F64 ? TENON_F32 : t->dtype;
    p->wrapped = promote_join(p->wrapped, number);
    return;
  }
  tenon_dtype *to = t->rank ? &p->dims : &p->zero;
  *to = promote_join(*to, t->dtype);
}

void tenon_aten_promote_scalar(tenon_aten_promotion *p, tenon_scalar s) {
  if (s.kind == 0) return;
  tenon_dtype t = s.kind == TENON_KIND_FLOAT  ? TENON_F32
                  : s.kind == TENON_KIND_BOOL ? TENON_BOOL
                                              : TENON_S64;
  p->wrapped = promote_join(p->wrapped, t);
}

// What ranks lower counts when its category is higher.
static tenon_dtype promote_over(tenon_dtype higher, tenon_dtype lower) {
  if (higher == 0) return lower;
  return category(lower) > category(higher) ? promote_join(higher, lower)
                                            : higher;
}

tenon_dtype tenon_aten_promoted(const tenon_aten_promotion *p) {
  return promote_over(promote_over(p->dims, p->zero), p->wrapped);
}

tenon_dtype tenon_aten_promoted_float(const tenon_aten_promotion *p) {
  tenon_dtype t = tenon_aten_promoted(p);
  return category(t) == 1 || category(t) == 2 ? TENON_F32 : t;
}
