// Operators that look at the bits of numbers.
#include "ops/aten/aten_nn.h"
#include "ops/aten/index_op.h"

static tenon_value *bits_as(tenon_rewriter *rw, tenon_value *x, tenon_dtype t) {
  tenon_aten_args args = {0};
  tenon_aten_add(&args, tenon_arg_dtype("dtype", t));
  return tenon_aten_make(rw, "core::bitcast", &x, 1, &args, NULL);
}

tenon_status tenon_aten_view_dtype_lower(tenon_rewriter *rw,
                                         const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_dtype t = tenon_aten_dtype(rw, n, "dtype");
  const tenon_dtype from = tenon_aten_known(rw, x)->dtype;
  if (!t || t == from) return tenon_rw_replace(rw, n, x);
  if (t == TENON_BOOL)  // whose bytes are 0 and 1 alone
    return tenon_rw_fail(rw, "%s as bool", tenon_aten_dtype_name(from));
  return tenon_rw_replace(rw, n, bits_as(rw, x, t));
}

// --- frexp -------------------------------------------------------------------

// Where the parts of a number lie in its bits.
typedef struct layout {
  tenon_dtype real, bits;
  int64_t mantissa;  // how many bits
  int64_t sign;      // the bit alone, as a signed number
  int64_t bias;      // of the exponent that a mantissa below 1 belongs to
} layout;

static tenon_value *whole(tenon_rewriter *rw, const layout *l, int64_t value) {
  const tenon_scalar s = {TENON_KIND_INT, {.i = value}};
  return tenon_aten_number(rw, l->bits, s);
}

static tenon_value *pick(tenon_rewriter *rw, tenon_value *condition,
                         tenon_value *a, tenon_value *b) {
  tenon_value *in[] = {condition, a, b};
  return tenon_aten_make(rw, "core::where", in, 3, NULL, NULL);
}

// The exponent as it is stored.
static tenon_value *stored_exponent(tenon_rewriter *rw, const layout *l,
                                    tenon_value *bits) {
  bits = tenon_aten_two(rw, "core::bitwise_and", bits, whole(rw, l, ~l->sign));
  return tenon_aten_two(rw, "core::shift_right", bits,
                        whole(rw, l, l->mantissa));
}

// A mantissa of 0.5 up to 1, and the exponent of 2 that makes x of it; zeros,
// infinities and NaN are their own, with exponent 0. What is below the normal
// numbers is made larger first. Floats of 16 bits are exact in 32.
tenon_status tenon_aten_frexp_lower(tenon_rewriter *rw, const tenon_node *n) {
  static const layout f32 = {TENON_F32, TENON_S32, 23, -INT64_C(0x80000000),
                             126};
  static const layout f64 = {TENON_F64, TENON_S64, 52, INT64_MIN, 1022};
  tenon_value *given = tenon_aten_in(rw, n, 0);
  TENON_TRY(tenon_nn_need_float(rw, given));
  tenon_value *x = tenon_nn_wide(rw, given);
  const layout *l = tenon_nn_type(rw, x) == TENON_F64 ? &f64 : &f32;
  tenon_value *bits = bits_as(rw, x, l->bits), *zero = whole(rw, l, 0);
  tenon_value *is_small =
      tenon_aten_two(rw, "core::eq", stored_exponent(rw, l, bits), zero);
  const double factor = (double)(INT64_C(2) << l->mantissa);
  bits = pick(rw, is_small, bits_as(rw, tenon_nn_times(rw, x, factor), l->bits),
              bits);
  tenon_value *exponent = stored_exponent(rw, l, bits);
  exponent =
      tenon_aten_two(rw, "core::sub", exponent,
                     pick(rw, is_small, whole(rw, l, l->bias + l->mantissa + 1),
                          whole(rw, l, l->bias)));
  const int64_t kept = l->sign | ((INT64_C(1) << l->mantissa) - 1);
  bits = tenon_aten_two(rw, "core::bitwise_and", bits, whole(rw, l, kept));
  bits = tenon_aten_two(rw, "core::bitwise_or", bits,
                        whole(rw, l, l->bias << l->mantissa));
  // x - x is 0 of finite numbers alone.
  tenon_value *is_itself = tenon_aten_two(
      rw, "core::bitwise_or",
      tenon_aten_two(rw, "core::eq", x, tenon_aten_real(rw, l->real, 0)),
      tenon_aten_two(rw, "core::ne", tenon_nn_sub(rw, x, x),
                     tenon_aten_real(rw, l->real, 0)));
  tenon_value *mantissa = pick(rw, is_itself, x, bits_as(rw, bits, l->real));
  exponent = pick(rw, is_itself, zero, exponent);
  return tenon_aten_replace_two(
      rw, n, tenon_aten_cast(rw, mantissa, tenon_nn_type(rw, given)),
      tenon_aten_cast(rw, exponent, TENON_S32));
}
