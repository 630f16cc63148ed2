// ops/aten/aten_op.h - what lowerings of ATen operators share.
//
// Arguments by name, operands by position, PyTorch's type promotion, and the
// few core operators that most lowerings build. Builders accept failed values
// and give failed values back, so a lowering checks only what it decides on
// itself.
#ifndef TENON_OPS_ATEN_ATEN_OP_H
#define TENON_OPS_ATEN_ATEN_OP_H

#include "core/dtype.h"
#include "tenon/ext/lower.h"

// ---------------------------------------------------------------------------
// Arguments (aten_args.c)
// ---------------------------------------------------------------------------
// A name that the schema lacks is a bug of the lowering and reads as None.

// The argument as the file has it, or its default; kind 0 is None. Never null.
const tenon_arg *tenon_aten_arg(tenon_rewriter *rw, const tenon_node *n,
                                const char *name);
// Names with a space between them: what changes no value here, so that the
// lowering does not read it. What it neither reads nor names is refused where
// it differs from its default.
void tenon_aten_without_effect(tenon_rewriter *rw, const tenon_node *n,
                               const char *names);
// What the row gives to its lowering; may be null.
const char *tenon_aten_user(tenon_rewriter *rw);
bool tenon_aten_has(tenon_rewriter *rw, const tenon_node *n, const char *name);
bool tenon_aten_bool(tenon_rewriter *rw, const tenon_node *n, const char *name);
// TENON_UNKNOWN: a symbol, to be asked for with tenon_aten_dim.
int64_t tenon_aten_int(tenon_rewriter *rw, const tenon_node *n,
                       const char *name);
// Of an integer, too.
double tenon_aten_float(tenon_rewriter *rw, const tenon_node *n,
                        const char *name);
const char *tenon_aten_str(tenon_rewriter *rw, const tenon_node *n,
                           const char *name);  // null: None
tenon_dtype tenon_aten_dtype(tenon_rewriter *rw, const tenon_node *n,
                             const char *name);  // 0: None
// An integer that is open is TENON_UNKNOWN; a float or a truth value that is,
// is refused.
tenon_scalar tenon_aten_scalar(tenon_rewriter *rw, const tenon_node *n,
                               const char *name);  // kind 0: None
TENON_INLINE double tenon_aten_real_of(tenon_scalar s) {
  return s.kind == TENON_KIND_FLOAT ? s.as.f : (double)s.as.i;
}
// The same for its kind alone: an open float is no number here.
tenon_scalar tenon_aten_kind_of(tenon_rewriter *rw, const tenon_node *n,
                                const char *name);
tenon_ints tenon_aten_ints(tenon_rewriter *rw, const tenon_node *n,
                           const char *name);  // null data: None
tenon_floats tenon_aten_floats(tenon_rewriter *rw, const tenon_node *n,
                               const char *name);
// A size, which may be a symbol; element i of a list.
tenon_dim tenon_aten_dim(tenon_rewriter *rw, const tenon_node *n,
                         const char *name, int i);
// All of a list of sizes, at most TENON_MAX_RANK; returns how many, -1 when
// there are more.
int tenon_aten_dims(tenon_rewriter *rw, const tenon_node *n, const char *name,
                    tenon_dim *out);

// Brings a dimension into [0, rank); tensors without dimensions have one here.
tenon_status tenon_aten_axis(tenon_rewriter *rw, int64_t axis, int rank,
                             int *out);
// The same of a list: bit d of *out is set for dimension d; None and empty: all
// (`all_if_empty`), or none. A dimension that stands twice is refused.
tenon_status tenon_aten_axes(tenon_rewriter *rw, tenon_ints axes, int rank,
                             bool all_if_empty, uint32_t *out);

// ---------------------------------------------------------------------------
// Types (aten_promote.c)
// ---------------------------------------------------------------------------

TENON_INLINE tenon_value *tenon_aten_in(tenon_rewriter *rw, const tenon_node *n,
                                        int i) {
  return rw->api->operand(rw, n, i);
}
// The same, but a number's where there is none: of what is absent or failed,
// which the node that uses it reports.
const tenon_type *tenon_aten_known(tenon_rewriter *rw, tenon_value *x);
TENON_INLINE const tenon_type *tenon_aten_result(tenon_rewriter *rw,
                                                 const tenon_node *n, int i) {
  return rw->api->result(rw, n, i);
}
TENON_INLINE tenon_dim tenon_aten_fixed(int64_t value) {
  tenon_dim d = {value, 0};
  return d;
}
TENON_INLINE bool tenon_aten_is(tenon_dim d, int64_t value) {
  return d.symbol == 0 && d.value == value;
}
TENON_INLINE bool tenon_aten_same(tenon_dim a, tenon_dim b) {
  return a.symbol == b.symbol && a.value == b.value;
}

bool tenon_aten_has_dims(const tenon_type *t, const tenon_dim *dims, int rank);

bool tenon_aten_is_float(tenon_dtype t);    // f16 bf16 f32 f64
bool tenon_aten_is_quarter(tenon_dtype t);  // of 8 bits
bool tenon_aten_is_integer(tenon_dtype t);  // without bool

// PyTorch's result_type, fed operand by operand.
typedef struct tenon_aten_promotion {
  tenon_dtype dims, zero, wrapped;  // of tensors with and without dimensions,
                                    // and of Python numbers; 0: none
} tenon_aten_promotion;
void tenon_aten_promote_value(tenon_rewriter *rw, tenon_aten_promotion *p,
                              tenon_value *v);
void tenon_aten_promote_scalar(tenon_aten_promotion *p, tenon_scalar s);
// 0 where PyTorch refuses (u16, u32, u64 with other integers).
tenon_dtype tenon_aten_promoted(const tenon_aten_promotion *p);
// What an operator on floats makes of it: integers and bool become f32.
tenon_dtype tenon_aten_promoted_float(const tenon_aten_promotion *p);

// ---------------------------------------------------------------------------
// Building (aten_build.c)
// ---------------------------------------------------------------------------

// Attributes of a node to be made; a zero one is empty and ended.
typedef struct tenon_aten_args {
  tenon_arg list[16];
  int n;
} tenon_aten_args;
TENON_INLINE void tenon_aten_add(tenon_aten_args *a, tenon_arg arg) {
  a->list[a->n++] = arg;
}
tenon_arg tenon_arg_dtype(const char *name, tenon_dtype t);
tenon_arg tenon_arg_scalar(const char *name, tenon_scalar s);

// A node with one result of this type; null: as the operator infers.
tenon_value *tenon_aten_make(tenon_rewriter *rw, const char *op,
                             tenon_value *const *in, uint32_t n_in,
                             const tenon_arg *args, const tenon_type *type);
// One with any number of results.
TENON_INLINE void tenon_aten_make_all(tenon_rewriter *rw, const char *op,
                                      tenon_value *const *in, uint32_t n_in,
                                      const tenon_arg *args, tenon_value **out,
                                      uint32_t n_out) {
  tenon_rw_build(rw, op, in, n_in, args, out, n_out, NULL);
}
// A tensor without dimensions.
tenon_value *tenon_aten_number(tenon_rewriter *rw, tenon_dtype t,
                               tenon_scalar s);
// A scalar as a type of integers or truth values stores it: without its
// fraction, and wrapped.
tenon_scalar tenon_aten_fit(tenon_dtype t, tenon_scalar s);
tenon_value *tenon_aten_real(tenon_rewriter *rw, tenon_dtype t, double value);
// 0, 1, 2 ... of a size that may be a symbol.
tenon_value *tenon_aten_ramp(tenon_rewriter *rw, tenon_dtype t, tenon_dim n);
// Refuses operand i, x, where it is neither f32 nor f64 or has no matrices (its
// last two dimensions).
tenon_status tenon_aten_check_matrix(tenon_rewriter *rw, tenon_value *x, int i);
// A size as a tensor without dimensions.
tenon_value *tenon_aten_size_as(tenon_rewriter *rw, tenon_dim size,
                                tenon_dtype t);
// x with elements of this type; itself when it has it.
tenon_value *tenon_aten_cast(tenon_rewriter *rw, tenon_value *x, tenon_dtype t);
// x with these sizes; itself when it has them.
tenon_value *tenon_aten_reshape(tenon_rewriter *rw, tenon_value *x,
                                const tenon_dim *dims, int rank);
tenon_value *tenon_aten_permute(tenon_rewriter *rw, tenon_value *x,
                                const int64_t *order, int rank);
// The product of some sizes.
tenon_dim tenon_aten_product(tenon_rewriter *rw, const tenon_dim *dims, int n);
// PyTorch's broadcasting of two shapes; fails where they do not fit. `out` has
// room for TENON_MAX_RANK.
tenon_status tenon_aten_broadcast(tenon_rewriter *rw, const tenon_type *a,
                                  const tenon_type *b, tenon_dim *out,
                                  int *rank);

// ---------------------------------------------------------------------------
// Formulas (aten_formula.c)
// ---------------------------------------------------------------------------

// What a formula makes of values:
//
//   tenon_aten_formula(rw, "x m #eps: d = x - m; d / sqrt(d * d + eps)", x,
//                      m, eps)
//
// Before the colon stand names for what follows the text: of a value, or behind
// `#` a double, `@` an int, `$` a tenon_dim; `&y` is a tenon_value ** that
// receives what the formula has called `y`. Operators are those of C; `&`, `|`
// and `!` of bits and truth values. f(x) is core::f, g(x, axis=1) has an
// attribute, aten::g(x) is another set's. Numbers have the type of what they
// meet, and are computed here where they meet numbers alone. Apart from core's:
//
//   sum(x, bits, keep)  and mean, prod, amax, amin, any, all, argmax, argmin,
//                       over the dimensions of which bits are set; sum(x): all
//   gather(x, i, axis)  and cumsum, cumprod: the last is the axis
//   f32(x), like(x, y)  with elements of this type, of y's type
//   if(c, a, b)         one of the two, by numbers that are known here
//   has(x)              whether x is there
//   inf nan pi true false
tenon_value *tenon_aten_formula(tenon_rewriter *rw, const char *text, ...);

// ---------------------------------------------------------------------------
// The lowerings that rows name
// ---------------------------------------------------------------------------

// The lowering that a row calls `function`.
#define TENON_ATEN_LOWER(function)                               \
  tenon_status tenon_aten_##function##_lower(tenon_rewriter *rw, \
                                             const tenon_node *n)

#define ATEN_OP(names, function, user, doc) \
  tenon_lower_fn tenon_aten_##function##_lower;
#include "ops/aten/complex/complex.def"
#include "ops/aten/each/each.def"
#include "ops/aten/each/foreach.def"
#include "ops/aten/index/index.def"
#include "ops/aten/linalg/linalg.def"
#include "ops/aten/nn/nn.def"
#include "ops/aten/random/random.def"
#undef ATEN_OP

#endif  // TENON_OPS_ATEN_ATEN_OP_H
