// How: thin layers over the rewriter's build; a node that would change nothing
// is not built.
#include <math.h>

#include <string.h>

#include "ops/aten/aten_op.h"

tenon_arg tenon_arg_dtype(const char *name, tenon_dtype t) {
  tenon_arg a = {name, TENON_KIND_DTYPE, {0}};
  a.as.i = t;
  return a;
}

tenon_arg tenon_arg_scalar(const char *name, tenon_scalar s) {
  tenon_arg a = {name, TENON_KIND_SCALAR, {0}};
  a.as.scalar = s;
  return a;
}

tenon_value *tenon_aten_make(tenon_rewriter *rw, const char *op,
                             tenon_value *const *in, uint32_t n_in,
                             const tenon_arg *args, const tenon_type *type) {
  return tenon_rw_op_as(rw, op, in, n_in, NULL, args, type);
}

// Floats of 8 bits are made of f32.
tenon_value *tenon_aten_real(tenon_rewriter *rw, tenon_dtype t, double value) {
  return tenon_aten_is_quarter(t)
             ? tenon_aten_cast(rw, rw->api->scalar(rw, TENON_F32, value), t)
             : rw->api->scalar(rw, t, value);
}

// 64-bit integers do not pass through a double.
tenon_value *tenon_aten_number(tenon_rewriter *rw, tenon_dtype t,
                               tenon_scalar s) {
  tenon_type type = {.dtype = t};
  if (s.kind == TENON_KIND_FLOAT) return tenon_aten_real(rw, t, s.as.f);
  if (t == TENON_S64 || t == TENON_U64)
    return rw->api->literal(rw, &type, &s.as.i);
  return tenon_aten_real(rw, t, (double)s.as.i);
}

tenon_scalar tenon_aten_fit(tenon_dtype t, tenon_scalar s) {
  bool is_integer = tenon_aten_is_integer(t);
  int64_t bits = t == TENON_S8 || t == TENON_U8     ? 8
                 : t == TENON_S16 || t == TENON_U16 ? 16
                 : t == TENON_S32 || t == TENON_U32 ? 32
                                                    : 64;
  if (s.kind == TENON_KIND_INT && s.as.i == TENON_UNKNOWN) return s;
  if ((is_integer || t == TENON_BOOL) && s.kind == TENON_KIND_FLOAT &&
      fabs(s.as.f) < 9.2e18) {
    s.as.i = t == TENON_BOOL ? s.as.f != 0 : (int64_t)s.as.f;
    s.kind = TENON_KIND_INT;
  }
  if (s.kind == TENON_KIND_FLOAT) return s;
  if (t == TENON_BOOL) s.as.i = s.as.i != 0;
  if (!is_integer || bits == 64) return s;
  bool is_signed = t == TENON_S8 || t == TENON_S16 || t == TENON_S32;
  int64_t size = INT64_C(1) << bits, low = s.as.i & (size - 1);
  s.as.i = is_signed && low >= size / 2 ? low - size : low;
  return s;
}

const tenon_type *tenon_aten_known(tenon_rewriter *rw, tenon_value *x) {
  static const tenon_type number = {NULL, NULL, TENON_F32, 0, 0};
  const tenon_type *t = tenon_rw_type(rw, x);
  return t ? t : &number;
}

tenon_value *tenon_aten_cast(tenon_rewriter *rw, tenon_value *x,
                             tenon_dtype t) {
  const tenon_type *type = tenon_rw_type(rw, x);
  if (!type || type->dtype == t) return x;  // a failed value has no type
  tenon_aten_args args = {0};
  tenon_aten_add(&args, tenon_arg_dtype("dtype", t));
  if (tenon_aten_is_float(type->dtype) && tenon_aten_is_integer(t))
    tenon_aten_add(&args, tenon_arg_bool("wrap", true));
  return tenon_rw_op(rw, "core::cast", &x, 1, args.list);
}

bool tenon_aten_has_dims(const tenon_type *t, const tenon_dim *dims, int rank) {
  bool has = t->rank == rank;
  for (int i = 0; has && i < rank; ++i)
    has = tenon_aten_same(t->dims[i], dims[i]);
  return has;
}

tenon_value *tenon_aten_reshape(tenon_rewriter *rw, tenon_value *x,
                                const tenon_dim *dims, int rank) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t || tenon_aten_has_dims(t, dims, rank)) return x;
  return tenon_rw_op(rw, "core::reshape", &x, 1,
                     TENON_ARGS(tenon_arg_dims("shape", dims, (size_t)rank)));
}

tenon_value *tenon_aten_permute(tenon_rewriter *rw, tenon_value *x,
                                const int64_t *order, int rank) {
  bool is_same = true;
  for (int i = 0; i < rank; ++i)
    is_same = is_same && order[i] == i;
  if (is_same) return x;
  return tenon_rw_op(rw, "core::permute", &x, 1,
                     TENON_ARGS(tenon_arg_ints("dims", order, (size_t)rank)));
}

tenon_dim tenon_aten_product(tenon_rewriter *rw, const tenon_dim *dims, int n) {
  tenon_dim product = tenon_aten_fixed(1);
  for (int i = 0; i < n; ++i)
    product = rw->api->dim(rw, TENON_DIM_MUL, product, dims[i]);
  return product;
}

tenon_status tenon_aten_broadcast(tenon_rewriter *rw, const tenon_type *a,
                                  const tenon_type *b, tenon_dim *out,
                                  int *rank) {
  *rank = a->rank > b->rank ? a->rank : b->rank;
  for (int i = 1; i <= *rank; ++i) {
    tenon_dim da = i <= a->rank ? a->dims[a->rank - i] : tenon_aten_fixed(1);
    tenon_dim db = i <= b->rank ? b->dims[b->rank - i] : tenon_aten_fixed(1);
    bool a_is_one = tenon_aten_is(da, 1), b_is_one = tenon_aten_is(db, 1);
    if (!a_is_one && !b_is_one && !da.symbol && !db.symbol &&
        da.value != db.value)
      return tenon_rw_fail(rw, "%lld and %lld do not broadcast",
                           (long long)da.value, (long long)db.value);
    // Of an open size and a number other than 1, the number is what both are.
    out[*rank - i] =
        a_is_one || (da.symbol && !db.symbol && !b_is_one) ? db : da;
  }
  return TENON_OK;
}

tenon_status tenon_aten_check_matrix(tenon_rewriter *rw, tenon_value *x,
                                     int i) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (t && t->dtype != TENON_F32 && t->dtype != TENON_F64)
    return tenon_rw_fail(rw, "not defined for elements of %s",
                         tenon_dtype_name(t->dtype));
  if (t && t->rank < 2) return tenon_rw_fail(rw, "operand %d is no matrix", i);
  return TENON_OK;
}
