// Products of matrices and vectors.
//
// A product with a constant matrix on its right is core::fully_connected, whose
// kernels pack the matrix before any run. It comes transposed there; two
// transpositions in a row are none, and one of a constant is folded.
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

// Constant, or a constant seen otherwise.
static bool nn_matmul_is_constant(tenon_rewriter *rw, tenon_value *x) {
  static const char *const views[] = {
      "core::permute", "aten::permute", "aten::t",        "aten::transpose.int",
      "core::cast",    "aten::mT",      "aten::numpy_T",  "core::reshape",
      "aten::view",    "aten::reshape", "aten::unsqueeze"};
  for (int depth = 0; x && depth < 4; ++depth) {
    if (rw->api->constant(rw, x)) return true;
    const tenon_node *p = rw->api->producer(rw, x);
    bool is_view = false;
    for (size_t i = 0; p && i < sizeof views / sizeof *views; ++i)
      is_view = is_view || strcmp(rw->api->op(rw, p), views[i]) == 0;
    if (!is_view) return false;
    x = tenon_aten_in(rw, p, 0);
  }
  return false;
}

// A matrix of open sizes is one that the program computes.
static bool nn_matmul_is_open(tenon_rewriter *rw, tenon_value *w) {
  return tenon_nn_dim(rw, w, 0).symbol || tenon_nn_dim(rw, w, 1).symbol;
}

tenon_value *tenon_nn_linear(tenon_rewriter *rw, tenon_value *x, tenon_value *w,
                             tenon_value *bias) {
  if (tenon_nn_type(rw, x) == TENON_F32 && !nn_matmul_is_open(rw, w)) {
    tenon_value *in[] = {x, w, bias};
    bool fits = !bias || tenon_nn_rank(rw, bias) == 1;
    tenon_value *y = tenon_rw_op(rw, "core::fully_connected", in,
                                 bias && fits ? 3 : 2, NULL);
    return fits ? y : tenon_nn_add(rw, y, bias);
  }
  int rank = tenon_nn_rank(rw, x);
  tenon_dim dims[TENON_MAX_RANK];
  for (int d = 0; d < rank; ++d)
    dims[d] = tenon_nn_dim(rw, x, d);
  if (rank == 1) {
    tenon_dim row[] = {tenon_aten_fixed(1), dims[0]};
    x = tenon_aten_reshape(rw, x, row, 2);
  }
  tenon_value *y =
      tenon_rw_op2(rw, "core::matmul", x, tenon_nn_swap(rw, w, 0, 1));
  if (rank == 1) {
    dims[0] = tenon_nn_dim(rw, w, 0);
    y = tenon_aten_reshape(rw, y, dims, 1);
  }
  return bias ? tenon_nn_add(rw, y, bias) : y;
}

// Whether b is one matrix for all of a, and the result has the rank of a.
static bool nn_matmul_is_one_matrix(tenon_rewriter *rw, tenon_value *a,
                                    tenon_value *b) {
  const int rank = tenon_nn_rank(rw, b);
  for (int d = 0; d < rank - 2; ++d)
    if (!tenon_aten_is(tenon_nn_dim(rw, b, d), 1)) return false;
  return rank == 2 || (rank > 2 && rank <= tenon_nn_rank(rw, a));
}

tenon_value *tenon_nn_product(tenon_rewriter *rw, tenon_value *a,
                              tenon_value *b) {
  if (tenon_nn_type(rw, a) == TENON_F32 && nn_matmul_is_one_matrix(rw, a, b) &&
      nn_matmul_is_constant(rw, b)) {
    const int rank = tenon_nn_rank(rw, b);
    const tenon_dim dims[] = {tenon_nn_dim(rw, b, rank - 2),
                              tenon_nn_dim(rw, b, rank - 1)};
    if (rank > 2) b = tenon_aten_reshape(rw, b, dims, 2);
    return tenon_nn_linear(rw, a, tenon_nn_swap(rw, b, 0, 1), NULL);
  }
  return tenon_rw_op2(rw, "core::matmul", a, b);
}

static tenon_status nn_matmul_check_types(tenon_rewriter *rw, tenon_value *a,
                                          tenon_value *b) {
  tenon_dtype s = tenon_nn_type(rw, a), t = tenon_nn_type(rw, b);
  if (s && t && s != t)
    return tenon_rw_fail(rw, "operands of %s and %s", tenon_dtype_name(s),
                         tenon_dtype_name(t));
  if (s == TENON_BOOL)
    return tenon_rw_fail(rw, "not defined for elements of bool");
  return TENON_OK;
}

// A vector as a row or as a column.
static tenon_value *as_matrix(tenon_rewriter *rw, tenon_value *x, bool is_row) {
  if (tenon_nn_rank(rw, x) != 1) return x;
  tenon_dim one = tenon_aten_fixed(1), n = tenon_nn_dim(rw, x, 0);
  tenon_dim dims[] = {is_row ? one : n, is_row ? n : one};
  return tenon_aten_reshape(rw, x, dims, 2);
}

// mm, bmm, matmul, mv, dot: the file says the sizes of the result.
TENON_ATEN_LOWER(matmul) {
  tenon_value *a = tenon_nn_rounded(rw, n, 0), *b = tenon_nn_rounded(rw, n, 1);
  TENON_TRY(nn_matmul_check_types(rw, a, b));
  if (tenon_nn_rank(rw, a) == 0 || tenon_nn_rank(rw, b) == 0)
    return tenon_rw_fail(rw, "both operands need at least one dimension");
  a = as_matrix(rw, tenon_nn_wide(rw, a), true);
  b = as_matrix(rw, tenon_nn_wide(rw, b), false);
  return tenon_nn_give(rw, n, tenon_nn_product(rw, a, b));
}

// Integers of 8 bits to 32, which wrap; the first may have no sign.
TENON_ATEN_LOWER(int_mm) {
  tenon_value *a = tenon_aten_in(rw, n, 0), *b = tenon_aten_in(rw, n, 1);
  for (int i = 0; i < 2; ++i) {
    const tenon_dtype t = tenon_nn_type(rw, i ? b : a);
    if (t && t != TENON_S8 && (i || t != TENON_U8))
      return tenon_rw_fail(rw,
                           "an operand of %s, where s8 or u8 by s8 is known",
                           tenon_dtype_name(t));
  }
  const bool is_signed = tenon_nn_type(rw, a) != TENON_U8;
  // The first operand has 128 less, so the result 128 times the sums of rows.
  if (!is_signed) a = tenon_aten_formula(rw, "a: s8(s16(a) - 128)", a);
  b = tenon_nn_swap(rw, b, 0, 1);
  return tenon_rw_replace(
      rw, n,
      tenon_aten_formula(rw,
                         is_signed ? "a b: integer_linear(a, b)"
                                   : "a b: integer_linear(a, b) + sum(s32(b), "
                                     "2) * 128",
                         a, b));
}

// Floats by a transposed matrix of such integers, with a scale for each output:
// sums of f32, which are scaled and then rounded once.
TENON_ATEN_LOWER(int8pack_mm) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *w = tenon_aten_in(rw, n, 1);
  tenon_value *scale = tenon_aten_in(rw, n, 2);
  const tenon_dtype t = tenon_nn_type(rw, x);
  TENON_TRY(nn_matmul_check_types(rw, x, scale));
  if ((t != TENON_F32 && t != TENON_F16 && t != TENON_BF16) ||
      tenon_nn_type(rw, w) != TENON_S8)
    return tenon_rw_fail(rw, "%s by %s, where f32, f16 or bf16 by s8 is known",
                         tenon_dtype_name(t),
                         tenon_dtype_name(tenon_nn_type(rw, w)));
  if (tenon_nn_rank(rw, x) != 2 || tenon_nn_rank(rw, w) != 2 ||
      tenon_nn_rank(rw, scale) != 1)
    return tenon_rw_fail(rw, "operands that are no matrices and scales");
  return tenon_rw_replace(
      rw, n,
      tenon_aten_formula(
          rw, "x w scale: like(weight_only_linear(f32(x), w) * f32(scale), x)",
          x, w, scale));
}

TENON_ATEN_LOWER(linear) {
  tenon_value *x = tenon_nn_rounded(rw, n, 0), *w = tenon_nn_rounded(rw, n, 1);
  tenon_value *bias = tenon_nn_rounded(rw, n, 2);
  TENON_TRY(nn_matmul_check_types(rw, x, w));
  x = tenon_nn_wide(rw, x);
  w = tenon_nn_wide(rw, w);
  bias = bias ? tenon_nn_wide(rw, bias) : NULL;
  if (tenon_nn_rank(rw, w) == 1) {
    tenon_dim row[] = {tenon_aten_fixed(1), tenon_nn_dim(rw, w, 0)};
    w = tenon_aten_reshape(rw, w, row, 2);
  }
  return tenon_nn_give(rw, n, tenon_nn_linear(rw, x, w, bias));
}

// PyTorch cuts fractions off such factors, or refuses them.
static tenon_status check_factors(tenon_rewriter *rw, const tenon_node *n,
                                  tenon_value *x) {
  bool is_real = tenon_aten_scalar(rw, n, "alpha").kind == TENON_KIND_FLOAT ||
                 tenon_aten_scalar(rw, n, "beta").kind == TENON_KIND_FLOAT;
  if (is_real && !tenon_aten_is_float(tenon_nn_type(rw, x)))
    return tenon_rw_fail(rw, "integers times a real number");
  return TENON_OK;
}

static bool nn_matmul_is_zero(tenon_scalar s) {
  return s.kind == TENON_KIND_FLOAT ? s.as.f == 0 : s.as.i == 0;
}

// beta * x + alpha * y; without x where beta is 0, since it may be no number.
static tenon_value *blend(tenon_rewriter *rw, const tenon_node *n,
                          tenon_value *x, tenon_value *y) {
  tenon_scalar alpha = tenon_aten_scalar(rw, n, "alpha");
  tenon_scalar beta = tenon_aten_scalar(rw, n, "beta");
  y = tenon_nn_scale(rw, y, alpha);
  return beta.kind && nn_matmul_is_zero(beta)
             ? y
             : tenon_nn_add(rw, tenon_nn_scale(rw, x, beta), y);
}

static bool nn_matmul_is_one(tenon_scalar s) {
  return s.kind == TENON_KIND_FLOAT ? s.as.f == 1 : s.as.i == 1;
}

// addmm, baddbmm, addmv, addbmm.
TENON_ATEN_LOWER(addmm) {
  const char *form = tenon_aten_user(rw);
  tenon_value *x = tenon_nn_rounded(rw, n, 0), *a = tenon_nn_rounded(rw, n, 1);
  tenon_value *b = tenon_nn_rounded(rw, n, 2), *y;
  TENON_TRY(nn_matmul_check_types(rw, a, b));
  TENON_TRY(nn_matmul_check_types(rw, x, a));
  TENON_TRY(check_factors(rw, n, x));
  x = tenon_nn_wide(rw, x);
  a = tenon_nn_wide(rw, a);
  b = as_matrix(rw, tenon_nn_wide(rw, b), false);
  if (tenon_nn_rank(rw, x) == 1 && tenon_nn_rank(rw, b) == 2 &&
      tenon_nn_type(rw, a) == TENON_F32 && strcmp(form, "addmm") == 0 &&
      nn_matmul_is_one(tenon_aten_scalar(rw, n, "alpha")) &&
      nn_matmul_is_one(tenon_aten_scalar(rw, n, "beta")) &&
      nn_matmul_is_constant(rw, b) &&
      tenon_aten_same(tenon_nn_dim(rw, x, 0), tenon_nn_dim(rw, b, 1)))
    return tenon_nn_give(rw, n,
                         tenon_nn_linear(rw, a, tenon_nn_swap(rw, b, 0, 1), x));
  y = tenon_nn_product(rw, a, b);
  if (strcmp(form, "addbmm") == 0)
    y = tenon_aten_reduce(rw, "core::sum", y, 1, false);
  if (strcmp(form, "addmv") == 0) {
    tenon_dim rows = tenon_nn_dim(rw, y, 0);
    y = tenon_aten_reshape(rw, y, &rows, 1);
  }
  return tenon_nn_give(rw, n, blend(rw, n, x, y));
}

// Of truth values: and for the product, or for the sum.
static tenon_value *addr_of_truth(tenon_rewriter *rw, const tenon_node *n,
                                  tenon_value *x, tenon_value *a,
                                  tenon_value *b) {
  const bool has_x = !nn_matmul_is_zero(tenon_aten_scalar(rw, n, "beta"));
  const bool has_y = !nn_matmul_is_zero(tenon_aten_scalar(rw, n, "alpha"));
  return tenon_aten_formula(
      rw,
      "x a b @has_x @has_y: y = if(has_y, a & b, a & b & false);"
      "if(has_x, x | y, y)",
      x, as_matrix(rw, a, false), as_matrix(rw, b, true), (int)has_x,
      (int)has_y);
}

// The outer product of two vectors.
TENON_ATEN_LOWER(addr) {
  tenon_value *x = tenon_nn_rounded(rw, n, 0), *a = tenon_nn_rounded(rw, n, 1);
  tenon_value *b = tenon_nn_rounded(rw, n, 2);
  if (tenon_nn_type(rw, x) == TENON_BOOL &&
      tenon_nn_type(rw, a) == TENON_BOOL && tenon_nn_type(rw, b) == TENON_BOOL)
    return tenon_nn_give(rw, n, addr_of_truth(rw, n, x, a, b));
  TENON_TRY(nn_matmul_check_types(rw, a, b));
  TENON_TRY(nn_matmul_check_types(rw, x, a));
  TENON_TRY(check_factors(rw, n, x));
  a = as_matrix(rw, tenon_nn_wide(rw, a), false);
  b = as_matrix(rw, tenon_nn_wide(rw, b), true);
  tenon_value *y = tenon_nn_mul(rw, a, b);
  return tenon_nn_give(rw, n, blend(rw, n, tenon_nn_wide(rw, x), y));
}

TENON_ATEN_LOWER(outer) {
  tenon_value *a = as_matrix(rw, tenon_nn_rounded(rw, n, 0), false);
  tenon_value *b = as_matrix(rw, tenon_nn_rounded(rw, n, 1), true);
  return tenon_nn_give(rw, n, tenon_nn_multiply(rw, a, b));
}

// From left to right; the first and the last may be vectors.
TENON_ATEN_LOWER(multi_dot) {
  int first = 0, count = rw->api->group(rw, n, 0, &first);
  tenon_value *y = NULL;
  if (count < 2) return tenon_rw_fail(rw, "%d operands", count);
  for (int i = 0; i < count; ++i) {
    tenon_value *x = tenon_nn_wide(rw, tenon_nn_rounded(rw, n, first + i));
    if (y) TENON_TRY(nn_matmul_check_types(rw, y, x));
    x = as_matrix(rw, x, i == 0);
    y = y ? tenon_nn_product(rw, y, x) : x;
  }
  return tenon_nn_give(rw, n, y);
}
