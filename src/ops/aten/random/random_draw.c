// Tensors of random numbers of one distribution.
#include <float.h>
#include <math.h>
#include <string.h>

#include "ops/aten/index/index_op.h"
#include "ops/aten/random/random_op.h"

static tenon_status draw_give(const tenon_draw *d, tenon_value *y) {
  return tenon_rw_replace(d->rw, d->n, tenon_aten_cast(d->rw, y, d->type));
}

// What no kernel draws, and why; where there is nothing to draw, a tensor
// without elements.
TENON_ATEN_LOWER(random) {
  tenon_draw d;
  TENON_TRY(tenon_draw_begin(&d, rw, n, 0));
  for (int i = 0; i < d.rank; ++i) {
    if (!tenon_aten_is(d.dims[i], 0)) continue;
    (void)tenon_aten_in(rw, n, 1);
    return draw_give(&d, tenon_draw_even(&d, TENON_F32, 0, 1));
  }
  return tenon_rw_fail(rw, "%s", tenon_aten_user(rw));
}

// --- Floats ------------------------------------------------------------------

// "0 1", or from the arguments.
TENON_ATEN_LOWER(draw_uniform) {
  tenon_draw d;
  double low = 0, high = 1;
  const bool is_new = tenon_aten_user(rw) != NULL;
  TENON_TRY(tenon_draw_begin(&d, rw, n, is_new ? TENON_F32 : 0));
  if (tenon_aten_arg(rw, n, "from")->name) {
    low = tenon_aten_float(rw, n, "from");
    high = tenon_aten_float(rw, n, "to");
  }
  if (!(low <= high))
    return tenon_rw_fail(rw, "no number from %g to %g", low, high);
  return draw_give(&d, tenon_draw_even(&d, d.type, low, high));
}

// --- Normal ------------------------------------------------------------------

TENON_ATEN_LOWER(draw_normal) {
  tenon_draw d;
  const char *kind = tenon_aten_user(rw);
  double mean = 0, std = 1;
  const bool is_new = kind && strcmp(kind, "new") == 0;
  TENON_TRY(tenon_draw_begin(&d, rw, n, is_new ? TENON_F32 : 0));
  if (tenon_aten_arg(rw, n, "mean")->name) {
    mean = tenon_aten_float(rw, n, "mean");
    std = tenon_aten_float(rw, n, "std");
  }
  if (!(std >= 0)) return tenon_rw_fail(rw, "std is %g", std);
  if (!kind || is_new)
    return draw_give(&d, tenon_draw_normal(&d, d.type, mean, std, false));
  // log: powers of e, each computed in doubles.
  return draw_give(
      &d, tenon_rw_op1(rw, "core::exp",
                       tenon_draw_normal(&d, TENON_F64, mean, std, true)));
}

static void check_std(tenon_rewriter *rw, tenon_value *std) {
  tenon_aten_check(rw, tenon_aten_formula(rw, "std: std >= 0", std),
                   "normal: a standard deviation below zero");
}

// Mean, deviation, or both are tensors: "m", "s", "ms".
TENON_ATEN_LOWER(draw_normals) {
  tenon_draw d;
  const char *which = tenon_aten_user(rw);
  TENON_TRY(tenon_draw_begin(&d, rw, n, 0));
  tenon_value *first = tenon_aten_in(rw, n, 0);
  if (strcmp(which, "m") == 0) {
    double std = tenon_aten_float(rw, n, "std");
    if (!(std >= 0)) return tenon_rw_fail(rw, "std is %g", std);
    return draw_give(
        &d, tenon_rw_op2(rw, "aten::add.Tensor",
                         tenon_draw_normal(&d, d.type, 0, std, false), first));
  }
  if (strcmp(which, "s") == 0) {
    check_std(rw, first);
    double mean = tenon_aten_float(rw, n, "mean");
    tenon_value *y = tenon_draw_normal(&d, d.type, 0, 1, false);
    y = tenon_rw_op2(rw, "aten::mul.Tensor", y, first);
    return draw_give(&d, tenon_draw_by_number(rw, "aten::add.Scalar", y, mean));
  }
  tenon_value *second = tenon_aten_in(rw, n, 1);
  check_std(rw, second);
  TENON_TRY(tenon_aten_broadcast(rw, tenon_aten_known(rw, first),
                                 tenon_aten_known(rw, second), d.dims,
                                 &d.rank));
  tenon_value *y = tenon_draw_normal(&d, d.type, 0, 1, false);
  y = tenon_rw_op2(rw, "aten::mul.Tensor", y, second);
  return draw_give(&d, tenon_rw_op2(rw, "aten::add.Tensor", y, first));
}

// --- By formulas of even numbers ---------------------------------------------

TENON_ATEN_LOWER(draw_exponential) {
  tenon_draw d;
  TENON_TRY(tenon_draw_begin(&d, rw, n, 0));
  double lambda = tenon_aten_float(rw, n, "lambd");
  if (!(lambda > 0)) return tenon_rw_fail(rw, "lambd is %g", lambda);
  return draw_give(&d, tenon_aten_formula(rw, "u #by: log1p(u * -1) * by",
                                          tenon_draw_even(&d, TENON_F64, 0, 1),
                                          -1 / lambda));
}

TENON_ATEN_LOWER(draw_geometric) {
  tenon_draw d;
  TENON_TRY(tenon_draw_begin(&d, rw, n, 0));
  double p = tenon_aten_float(rw, n, "p");
  if (!(p > 0 && p < 1)) return tenon_rw_fail(rw, "p is %g", p);
  return draw_give(
      &d, tenon_aten_formula(rw, "u #by: ceil(log(u) / by)",
                             tenon_draw_even(&d, TENON_F64, 0, 1), log1p(-p)));
}

TENON_ATEN_LOWER(draw_cauchy) {
  tenon_draw d;
  TENON_TRY(tenon_draw_begin(&d, rw, n, 0));
  double median = tenon_aten_float(rw, n, "median"),
         sigma = tenon_aten_float(rw, n, "sigma");
  if (!(sigma > 0)) return tenon_rw_fail(rw, "sigma is %g", sigma);
  return draw_give(
      &d, tenon_aten_formula(
              rw, "u #sigma #median: tan((u - 0.5) * pi) * sigma + median",
              tenon_draw_even(&d, TENON_F64, 0, 1), sigma, median));
}

// --- Integers ----------------------------------------------------------------

// How many bits the numbers of a type have; of a float those that it has
// exactly.
static int draw_bits_of(tenon_dtype t) {
  switch (t) {
    case TENON_F64:
      return DBL_MANT_DIG;
    case TENON_F32:
      return FLT_MANT_DIG;
    case TENON_F16:
      return 11;
    case TENON_BF16:
    case TENON_U8:
      return 8;
    case TENON_S8:
      return 7;
    case TENON_S16:
      return 15;
    case TENON_U16:
      return 16;
    case TENON_S32:
      return 31;
    case TENON_U32:
      return 32;
    case TENON_BOOL:
      return 1;
    default:
      return 63;
  }
}

static bool draw_is_within(const tenon_draw *d, tenon_dim v) {
  const int bits = draw_bits_of(d->type);
  const int64_t most = bits == 63 ? INT64_MAX
                       : tenon_aten_is_float(d->type)
                           ? INT64_C(1) << bits
                           : (INT64_C(1) << bits) - 1;
  const bool is_signed = tenon_aten_is_float(d->type) || bits == 7 ||
                         bits == 15 || bits == 31 || bits == 63;
  // An open one of a wide type is the caller's affair, as in PyTorch.
  if (v.symbol) return bits >= 31;
  return v.value <= most && v.value >= (is_signed ? -most - 1 : 0);
}

static tenon_status give_integers(const tenon_draw *d, tenon_dim low,
                                  tenon_dim high, int64_t wide) {
  if (!tenon_aten_is_float(d->type) && !tenon_aten_is_integer(d->type) &&
      d->type != TENON_BOOL)
    return tenon_rw_fail(d->rw, "it draws integers, as %s",
                         tenon_dtype_name(d->type));
  if (!draw_is_within(d, low) || !draw_is_within(d, high))
    return tenon_rw_fail(d->rw, "numbers that %s has not",
                         tenon_dtype_name(d->type));
  if (!low.symbol && !high.symbol && high.value < low.value)
    return tenon_rw_fail(d->rw, "no integer from %lld to %lld",
                         (long long)low.value, (long long)high.value);
  return draw_give(d, tenon_draw_integers(d, low, high, wide));
}

static tenon_dim draw_before(tenon_rewriter *rw, tenon_dim v) {
  return rw->api->dim(rw, TENON_DIM_SUB, v, tenon_aten_fixed(1));
}

// From `low`, or 0, to below `high`. "new": s64 without a type.
TENON_ATEN_LOWER(draw_integers) {
  tenon_draw d;
  tenon_dim low = tenon_aten_fixed(0);
  TENON_TRY(tenon_draw_begin(&d, rw, n, tenon_aten_user(rw) ? TENON_S64 : 0));
  if (tenon_aten_arg(rw, n, "low")->name) low = tenon_aten_dim(rw, n, "low", 0);
  tenon_dim high = tenon_aten_dim(rw, n, "high", 0);
  return give_integers(&d, low, draw_before(rw, high), TENON_UNKNOWN);
}

// All numbers that the type has from 0 on; from `from` on, below `to`.
TENON_ATEN_LOWER(draw_any) {
  tenon_draw d;
  TENON_TRY(tenon_draw_begin(&d, rw, n, 0));
  const int bits = draw_bits_of(d.type);
  tenon_dim low = tenon_aten_fixed(0), high = low;
  const bool has_from = tenon_aten_arg(rw, n, "from")->name != NULL;
  const bool has_to =
      tenon_aten_arg(rw, n, "to")->name != NULL && tenon_aten_has(rw, n, "to");
  if (has_from) low = tenon_aten_dim(rw, n, "from", 0);
  if (has_to) {
    high = draw_before(rw, tenon_aten_dim(rw, n, "to", 0));
    return give_integers(&d, low, high, TENON_UNKNOWN);
  }
  high.value = bits == 63                    ? INT64_MAX
               : tenon_aten_is_float(d.type) ? INT64_C(1) << bits
                                             : (INT64_C(1) << bits) - 1;
  return give_integers(&d, low, high, has_from ? TENON_UNKNOWN : bits > 32);
}

TENON_ATEN_LOWER(randperm) {
  tenon_draw d = {.rw = rw, .n = n};
  const tenon_type *result = tenon_aten_result(rw, n, 0);
  d.type = tenon_aten_dtype(rw, n, "dtype");
  if (!d.type) d.type = result ? result->dtype : TENON_S64;
  return draw_give(&d,
                   tenon_draw_permutation(&d, tenon_aten_dim(rw, n, "n", 0)));
}
