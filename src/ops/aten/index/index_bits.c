// Operators that look at the bits of numbers.
#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"

static tenon_value *bits_as(tenon_rewriter *rw, tenon_value *x, tenon_dtype t) {
  return tenon_rw_op(rw, "core::bitcast", &x, 1,
                     TENON_ARGS(tenon_arg_dtype("dtype", t)));
}

TENON_ATEN_LOWER(view_dtype) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_dtype t = tenon_aten_dtype(rw, n, "dtype");
  const tenon_dtype from = tenon_aten_known(rw, x)->dtype;
  if (!t || t == from) return tenon_rw_replace(rw, n, x);
  if (t == TENON_BOOL)  // whose bytes are 0 and 1 alone
    return tenon_rw_fail(rw, "%s as bool", tenon_dtype_name(from));
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

static tenon_value *index_bits_whole(tenon_rewriter *rw, const layout *l,
                                     int64_t value) {
  const tenon_scalar s = {TENON_KIND_INT, {.i = value}};
  return tenon_aten_number(rw, l->bits, s);
}

// The exponent as it is stored.
static tenon_value *stored_exponent(tenon_rewriter *rw, const layout *l,
                                    tenon_value *bits) {
  return tenon_aten_formula(rw, "b mask #shift: shift_right(b & mask, shift)",
                            bits, index_bits_whole(rw, l, ~l->sign),
                            (double)l->mantissa);
}

// A mantissa of 0.5 up to 1, and the exponent of 2 that makes x of it; zeros,
// infinities and NaN are their own, with exponent 0. What is below the normal
// numbers is made larger first. Floats of 16 bits are exact in 32.
TENON_ATEN_LOWER(frexp) {
  static const layout f32 = {TENON_F32, TENON_S32, 23, -INT64_C(0x80000000),
                             126};
  static const layout f64 = {TENON_F64, TENON_S64, 52, INT64_MIN, 1022};
  tenon_value *given = tenon_aten_in(rw, n, 0);
  TENON_TRY(tenon_nn_need_float(rw, given));
  tenon_value *x = tenon_nn_wide(rw, given);
  const layout *l = tenon_nn_type(rw, x) == TENON_F64 ? &f64 : &f32;
  tenon_value *bits = bits_as(rw, x, l->bits),
              *zero = index_bits_whole(rw, l, 0);
  tenon_value *is_small =
      tenon_rw_op2(rw, "core::eq", stored_exponent(rw, l, bits), zero);
  const double factor = (double)(INT64_C(2) << l->mantissa);
  bits = tenon_rw_where(
      rw, is_small, bits_as(rw, tenon_nn_times(rw, x, factor), l->bits), bits);
  const int64_t kept = l->sign | ((INT64_C(1) << l->mantissa) - 1);
  // x - x is 0 of finite numbers alone.
  tenon_value *is_itself = tenon_aten_formula(rw, "x: x == 0 | x - x != 0", x);
  tenon_value *exponent = tenon_aten_formula(
      rw,
      "e zero small itself #bias #more:"
      "itself ? zero : e - (small ? like(bias + more, e) : like(bias, e))",
      stored_exponent(rw, l, bits), zero, is_small, is_itself, (double)l->bias,
      (double)(l->mantissa + 1));
  bits = tenon_aten_formula(rw, "bits kept bias: bits & kept | bias", bits,
                            index_bits_whole(rw, l, kept),
                            index_bits_whole(rw, l, l->bias << l->mantissa));
  tenon_value *mantissa =
      tenon_rw_where(rw, is_itself, x, bits_as(rw, bits, l->real));
  return tenon_aten_replace_two(
      rw, n, tenon_aten_cast(rw, mantissa, tenon_nn_type(rw, given)),
      tenon_aten_cast(rw, exponent, TENON_S32));
}

// --- hash_tensor -------------------------------------------------------------

// Reduced dimensions as the last one, a fixed number of elements.
static tenon_status index_bits_last_of(tenon_rewriter *rw, uint32_t axes,
                                       tenon_value **x) {
  tenon_dim dims[TENON_MAX_RANK], kept[TENON_MAX_RANK + 1];
  int64_t order[TENON_MAX_RANK];
  const int rank = tenon_aten_dims_of(rw, *x, dims);
  int n = 0, at = 0;
  kept[0] = tenon_aten_fixed(1);
  for (int d = 0; d < rank; ++d)
    if (!(axes >> d & 1)) order[n++] = d;
  at = n;
  for (int d = 0; d < rank; ++d)
    if (axes >> d & 1) order[at++] = d;
  *x = tenon_aten_permute(rw, *x, order, rank);
  (void)tenon_aten_dims_of(rw, *x, dims);
  for (int d = 0; d < n; ++d)
    kept[d] = dims[d];
  kept[n] = tenon_aten_product(rw, dims + n, rank - n);
  if (kept[n].symbol || kept[n].value < 1 || n + 1 > TENON_MAX_RANK)
    return tenon_rw_fail(rw, "of no elements, or of an open number");
  *x = tenon_aten_reshape(rw, *x, kept, n + 1);
  return TENON_OK;
}

// What all elements, as 64 bits, have in an odd number: halves on each other.
TENON_ATEN_LOWER(hash_tensor) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x), *y = tenon_aten_result(rw, n, 0);
  const tenon_ints dims = tenon_aten_ints(rw, n, "dim");
  uint32_t axes = 0;
  if (!t || !y) return tenon_rw_replace(rw, n, x);
  if (tenon_aten_int(rw, n, "mode") != 0) return tenon_rw_fail(rw, "its mode");
  tenon_aten_without_effect(rw, n, "keepdim");  // the type says it
  TENON_TRY(tenon_aten_axes(rw, dims, t->rank, true, &axes));
  x = tenon_aten_is_float(t->dtype)
          ? bits_as(rw, tenon_aten_cast(rw, x, TENON_F64), TENON_S64)
          : tenon_aten_cast(rw, x, TENON_S64);
  TENON_TRY(index_bits_last_of(rw, axes, &x));
  const int last = tenon_aten_known(rw, x)->rank - 1;
  for (int64_t size = tenon_aten_size(rw, x, last).value; size > 1;) {
    const tenon_dim half = tenon_aten_fixed(size / 2);
    const tenon_dim rest = tenon_aten_fixed(size % 2);
    tenon_value *both[] = {
        tenon_rw_op2(rw, "core::bitwise_xor",
                     tenon_nn_cut(rw, x, last, 0, half),
                     tenon_aten_cut(rw, x, last, half, half, 1)),
        rest.value
            ? tenon_aten_cut(rw, x, last, tenon_aten_fixed(size - 1), rest, 1)
            : NULL};
    x = tenon_rw_concat(rw, both, rest.value ? 2 : 1, last);
    size = size / 2 + rest.value;
  }
  return tenon_rw_replace(
      rw, n,
      tenon_aten_reshape(rw, bits_as(rw, x, TENON_U64), y->dims, y->rank));
}
