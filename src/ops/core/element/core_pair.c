// core_pair.c - operators on two operands of one plain type, and where:
// division that rounds, powers, bits, comparisons.
#include "kern/num/polynomial.h"

#include "ops/core/core_rule.h"

static tenon_status infer_pair(tenon_infer *c, tenon_dtype dtype) {
  const tenon_type *a = tenon_infer_in(c, 0), *b = tenon_infer_in(c, 1);
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type y = *a;
  int rank;
  if (a->dtype != b->dtype)
    return tenon_infer_fail(c, "operands have different element types");
  if (a->quant || b->quant)
    return tenon_infer_fail(c, "an operand is quantised, expected numbers");
  TENON_TRY(tenon_core_broadcast(c, a, b, dims, &rank));
  y.dims = dims;
  y.rank = (uint8_t)rank;
  y.dtype = dtype ? dtype : a->dtype;
  return tenon_infer_out(c, 0, &y);
}
static tenon_status pair_infer(tenon_infer *c) {
  return infer_pair(c, 0);
}
static tenon_status compare_infer(tenon_infer *c) {
  return infer_pair(c, TENON_BOOL);
}

#define PAIR_OF(name, row, its_flags, its_infer, its_doc)                      \
  TENON_KERNELS_##name(row) CORE_OPERATOR_OF(                                  \
      name, CORE_EACH_HEADER | (its_flags), its_infer, (CORE_EACH(name) NULL), \
      "(Tensor a, Tensor b) -> Tensor", its_doc)
#define PAIR(name, ...) PAIR_OF(name, CORE_ROW, __VA_ARGS__)

PAIR_OF(floor_div, CORE_ROW_MAY_FAIL, 0, pair_infer,
        "Divides towards minus infinity.\n"
        "A zero divisor of integers is an "
        "error.");
PAIR_OF(remainder, CORE_ROW_MAY_FAIL, 0, pair_infer,
        "What floor_div leaves, with the sign of the divisor.\n"
        "A zero divisor of integers is an error.");
PAIR_OF(fmod, CORE_ROW_MAY_FAIL, 0, pair_infer,
        "What division towards zero leaves, with the sign of the dividend.\n"
        "A zero divisor of integers is an error.");
PAIR(pow, TENON_OP_COSTLY, pair_infer,
     "a to the power of b.\n"
     "Integers wrap; what is not whole is 0.");
PAIR(fmin, TENON_OP_COMMUTES, pair_infer,
     "The smaller of two; the other where one is NaN.");
PAIR(fmax, TENON_OP_COMMUTES, pair_infer,
     "The larger of two; the other where one is NaN.");
PAIR(atan2, TENON_OP_COSTLY, pair_infer, "The angle of the point (b, a).");
PAIR(hypot, TENON_OP_COMMUTES | TENON_OP_COSTLY, pair_infer,
     "The root of a squared and b squared.");
PAIR(prelu, 0, pair_infer, "a where it is more than 0, else a times b.");
PAIR(copysign, 0, pair_infer, "a with the sign of b.");
PAIR(nextafter, 0, pair_infer, "The number beside a on the way to b.");
PAIR(bitwise_and, TENON_OP_COMMUTES, pair_infer, "Bits that both have.");
PAIR(bitwise_or, TENON_OP_COMMUTES, pair_infer, "Bits that either has.");
PAIR(bitwise_xor, TENON_OP_COMMUTES, pair_infer, "Bits that one of them has.");
PAIR(shift_left, 0, pair_infer,
     "Bits moved up by b.\n"
     "A distance below 0 or from the width on moves all out.");
PAIR(shift_right, 0, pair_infer,
     "Bits moved down by b, with copies of the sign.\n"
     "A distance below 0 or from the width on moves all out.");
PAIR(zeta, TENON_OP_COSTLY, pair_infer,
     "The sum of (b + k) to the power of -a, k from 0.");
PAIR(igamma, TENON_OP_COSTLY, pair_infer,
     "The lower incomplete gamma function of a at b, over gamma(a).");
PAIR(igammac, TENON_OP_COSTLY, pair_infer,
     "The upper incomplete gamma function of a at b, over gamma(a).");
PAIR(gcd, TENON_OP_COMMUTES | TENON_OP_COSTLY, pair_infer,
     "The largest number that divides both.");
PAIR(lcm, TENON_OP_COMMUTES | TENON_OP_COSTLY, pair_infer,
     "The smallest number that both divide.");
PAIR(eq, TENON_OP_COMMUTES, compare_infer, "Whether a is b.");
PAIR(ne, TENON_OP_COMMUTES, compare_infer, "Whether a is not b.");
PAIR(lt, 0, compare_infer, "Whether a is less than b.");
PAIR(le, 0, compare_infer, "Whether a is at most b.");
PAIR(gt, 0, compare_infer, "Whether a is more than b.");
PAIR(ge, 0, compare_infer, "Whether a is at least b.");

// --- orthogonal ------------------------------------------------------------

static tenon_status orthogonal_infer(tenon_infer *c) {
  const tenon_orthogonal_attrs *a = tenon_infer_attrs(c);
  if (a->family < 0 || a->family >= TENON_POLYNOMIALS)
    return tenon_infer_fail(c, "there is no family %lld", (long long)a->family);
  return pair_infer(c);
}

TENON_KERNELS_orthogonal(CORE_ROW) CORE_OPERATOR_OF(
    orthogonal, CORE_EACH_HEADER | TENON_OP_COSTLY, orthogonal_infer,
    (CORE_EACH(orthogonal) NULL),
    "(Tensor x, Tensor n, *, int family) -> Tensor",
    "Orthogonal polynomials of degree n at x, of a family:\n"
    "Chebyshev's T, U, V, W (0 to 3), those of 2 x - 1 (4 to 7), "
    "Hermite's H and He (8, 9), Laguerre's (10), Legendre's (11).",
    CORE_MEMBERS(tenon_orthogonal_attrs, family));

// --- where ---------------------------------------------------------------

static tenon_status where_infer(tenon_infer *c) {
  const tenon_type *cond = tenon_infer_in(c, 0), *a = tenon_infer_in(c, 1),
                   *b = tenon_infer_in(c, 2);
  tenon_dim dims[TENON_MAX_RANK], all[TENON_MAX_RANK];
  tenon_type both = *a;
  int rank;
  if (a->dtype != b->dtype)
    return tenon_infer_fail(c, "operands have different element types");
  TENON_TRY(tenon_core_broadcast(c, a, b, dims, &rank));
  both.dims = dims;
  both.rank = (uint8_t)rank;
  TENON_TRY(tenon_core_broadcast(c, cond, &both, all, &rank));
  both.dims = all;
  both.rank = (uint8_t)rank;
  return tenon_infer_out(c, 0, &both);
}

CORE_KERNEL_RANGE(where_ref, tenon_core_items, "bool, T, T -> T",
                  .match = tenon_core_whole_bytes,
                  .in_place = TENON_IN_PLACE(0, 1) | TENON_IN_PLACE(0, 2));

CORE_ELEMENTWISE(
    where, where_infer, (CORE_K(where_ref)),
    "(Tensor condition, Tensor a, Tensor b) -> Tensor",
    "Elements of a where the condition holds, else of b; broadcast.");
