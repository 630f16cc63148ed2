// core_reduce.c - operators that make one element from those along dimensions.
#include "kern/loop/reduce.h"

#include <math.h>

#include "ops/core/core_rule.h"
#include "ops/core/element/core_arith.h"
#include "ops/core/element/core_factor.h"

// Dimensions of the result.
static tenon_status core_reduce_reduced(tenon_infer *c, tenon_ints list,
                                        bool keepdim, tenon_dim *dims,
                                        int *rank) {
  const tenon_type *x = tenon_infer_in(c, 0);
  unsigned summed = 0;
  *rank = 0;
  for (size_t i = 0; i < list.count; ++i) {
    int axis;
    TENON_TRY(tenon_core_check_axis(c, list.data[i], x->rank, &axis));
    if (summed & 1u << axis)
      return tenon_infer_fail(c, "'dims' has %d twice", axis);
    summed |= 1u << axis;
  }
  for (int d = 0; d < x->rank; ++d) {
    bool is_kept = !(summed & 1u << d);
    if (is_kept || keepdim)
      dims[(*rank)++] = is_kept ? x->dims[d] : tenon_core_dim(1);
  }
  return TENON_OK;
}

// `dtype` 0: the operand's.
static tenon_status infer_as(tenon_infer *c, tenon_dtype dtype) {
  const tenon_reduce_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  int rank;
  TENON_TRY(core_reduce_reduced(c, a->dims, a->keepdim, dims, &rank));
  if (dtype) return tenon_core_out(c, 0, dtype, dims, rank);
  return tenon_core_result(c, dims, rank, x, false);
}

static tenon_status reduce_infer(tenon_infer *c) {
  return infer_as(c, 0);
}
static tenon_status reduce_to_bool(tenon_infer *c) {
  return infer_as(c, TENON_BOOL);
}
static tenon_status reduce_to_place(tenon_infer *c) {
  return infer_as(c, TENON_S64);
}

// How many elements one is made from; -1: not known, or none.
static int64_t count_reduced(const tenon_call *c) {
  const tenon_reduce_attrs *a = c->attrs;
  const tenon_tensor *x = &c->in[0];
  int64_t n = 1;
  for (int32_t d = 0; d < x->rank; ++d) {
    if (!tenon_reduce_has(a->dims, d, x->rank)) continue;
    if (x->dims[d] < 1) return -1;
    n *= x->dims[d];
  }
  return n;
}

int64_t tenon_core_reduced_extent(const tenon_call *c, int64_t *items) {
  (void)c;
  *items = 1;
  return 1;
}

int64_t tenon_core_reduced_reads(const tenon_call *c) {
  const tenon_reduce_attrs *a = c->attrs;
  const tenon_tensor *x = &c->in[0];
  int64_t n = 1;
  int32_t d = x->rank;
  for (; d > 0 && tenon_reduce_has(a->dims, d - 1, x->rank); --d)
    n *= x->dims[d - 1];
  while (d > 0 && !tenon_reduce_has(a->dims, d - 1, x->rank))
    --d;
  return d > 0 ? 0 : n;
}

static bool is_counted(const tenon_call *c) {
  return count_reduced(c) > 0;
}

// Each factor of a product has its part of the result's scale.
static tenon_status prod_pack(const tenon_call *c, void *packed) {
  tenon_requant *q = (tenon_requant *)packed;
  int32_t *factor = (int32_t *)(q + 1);
  double x = tenon_core_scale(&c->in[0]), y = tenon_core_scale(&c->out[0]);
  TENON_TRY(tenon_core_factor_pack(c, packed));
  tenon_core_factor(x / pow(y, 1.0 / (double)count_reduced(c)), &factor[0],
                    &factor[1]);
  return TENON_OK;
}

#define STORED_KERNEL(op, t, its_type, its_match, packing)                \
  CORE_KERNEL_RANGE(op##_##t##_ref, tenon_core_items,                     \
                    #its_type " -> " #its_type, .match = its_match,       \
                    .pack_size = tenon_core_factor_size, .pack = packing, \
                    CORE_REDUCED);
STORED_KERNEL(mean, s8, s8q, NULL, tenon_core_factor_pack)
STORED_KERNEL(mean, s16q, s16q, NULL, tenon_core_factor_pack)
STORED_KERNEL(sum, s8, s8q, NULL, tenon_core_factor_pack)
STORED_KERNEL(sum, u8q, u8q, NULL, tenon_core_factor_pack)
STORED_KERNEL(sum, s16q, s16q, NULL, tenon_core_factor_pack)
STORED_KERNEL(prod, s8, s8q, is_counted, prod_pack)
STORED_KERNEL(prod, s16q, s16q, is_counted, prod_pack)

#define SUM_ROW(name, its_types, places)                                   \
  CORE_KERNEL_RANGE(name, tenon_core_items, its_types, .in_place = places, \
                    CORE_REDUCED);
TENON_KERNELS_sum(SUM_ROW) TENON_KERNELS_mean(SUM_ROW)

// A kernel for every plain type; RANGE says whether it may fail.
#define REDUCE_KERNEL(name, RANGE, its_types) \
  CORE_KERNEL(name##_ref) = {                 \
      RANGE(name##_ref, tenon_core_items),    \
      .types = its_types,                     \
      .match = tenon_core_plain,              \
      CORE_REDUCED,                           \
  };
    REDUCE_KERNEL(prod, CORE_RANGE,
                  "T -> T") REDUCE_KERNEL(amax, CORE_FAILING_RANGE, "T -> T")
        REDUCE_KERNEL(amin, CORE_FAILING_RANGE, "T -> T") REDUCE_KERNEL(
            argmax, CORE_FAILING_RANGE,
            "T -> s64") REDUCE_KERNEL(argmin, CORE_FAILING_RANGE, "T -> s64")
            REDUCE_KERNEL(any, CORE_RANGE,
                          "T -> bool") REDUCE_KERNEL(all, CORE_RANGE,
                                                     "T -> bool")

#define REDUCE_OP(name, rule, text, ...)                                      \
  CORE_OPERATOR(name, rule, (__VA_ARGS__),                                    \
                "(Tensor x, int[] dims, bool keepdim=False) -> Tensor", text, \
                CORE_MEMBERS(tenon_reduce_attrs, dims, keepdim))

                REDUCE_OP(
                    mean, reduce_infer,
                    "Means over dimensions; an empty list leaves x as it is.",
                    CORE_EACH(mean) CORE_K(mean_s8_ref), CORE_K(mean_s16q_ref));
REDUCE_OP(sum, reduce_infer,
          "Sums over dimensions; an empty list leaves x as it is.\n"
          "Integers wrap; 16-bit floats round once.",
          CORE_EACH(sum) CORE_K(sum_s8_ref), CORE_K(sum_u8q_ref),
          CORE_K(sum_s16q_ref));
REDUCE_OP(prod, reduce_infer,
          "Products over dimensions; an empty list leaves x as it is.",
          CORE_K(prod_ref), CORE_K(prod_s8_ref), CORE_K(prod_s16q_ref));
REDUCE_OP(amax, reduce_infer,
          "The largest elements over dimensions; NaN where there is one.",
          CORE_K(amax_ref));
REDUCE_OP(amin, reduce_infer,
          "The smallest elements over dimensions; NaN where there is one.",
          CORE_K(amin_ref));
REDUCE_OP(argmax, reduce_to_place,
          "Where the largest element stands, counted over `dims` in their "
          "order in x.\n"
          "The first of several; the first NaN where there is one.",
          CORE_K(argmax_ref));
REDUCE_OP(argmin, reduce_to_place,
          "Where the smallest element stands, counted over `dims` in their "
          "order in x.\n"
          "The first of several; the first NaN where there is one.",
          CORE_K(argmin_ref));
REDUCE_OP(any, reduce_to_bool,
          "Whether an element over dimensions is not zero.", CORE_K(any_ref));
REDUCE_OP(all, reduce_to_bool, "Whether no element over dimensions is zero.",
          CORE_K(all_ref));

// --- var ---------------------------------------------------------------------

static tenon_status var_infer(tenon_infer *c) {
  const tenon_var_attrs *a = tenon_infer_attrs(c);
  tenon_dim dims[TENON_MAX_RANK];
  int rank;
  TENON_TRY(core_reduce_reduced(c, a->dims, a->keepdim, dims, &rank));
  return tenon_core_result(c, dims, rank, tenon_infer_in(c, 0), false);
}

CORE_KERNEL_RANGE(var_ref, tenon_core_items, "T -> T",
                  .match = tenon_core_real);

CORE_OPERATOR(
    var, var_infer, (CORE_K(var_ref)),
    "(Tensor x, int[] dims, *, float correction=1.0, bool keepdim=False, bool "
    "mean=False) -> Tensor",
    "Variances over dimensions: squares of what differs from the mean, over "
    "the count less `correction`. With `mean`, their means as PyTorch's "
    "var_mean has them: NaN where an infinity is not the last element.",
    CORE_MEMBERS(tenon_var_attrs, dims, correction, keepdim, mean));
