// core_random.c - random numbers as functions of a generator's state, which
// they take and give back (kern/num/generator.h). So they are pure, and whoever
// draws says by the state which numbers come first.
#include "kern/num/counter.h"
#include "kern/num/generator.h"
#include "ops/core/core_rule.h"

// Result 1 is the state behind the draw.
static tenon_status generator_infer(tenon_infer *c) {
  const tenon_type *g = tenon_infer_in(c, 0);
  const tenon_dim words = tenon_core_dim(TENON_GENERATOR_WORDS);
  if (g->dtype != TENON_U32 || g->rank != 1 || g->quant ||
      !tenon_core_equal(c, g->dims[0], words))
    return tenon_infer_fail(c, "a generator is 'u32[%d]'",
                            TENON_GENERATOR_WORDS);
  return tenon_core_out(c, 1, TENON_U32, &words, 1);
}

static tenon_status drawn(tenon_infer *c, tenon_ints size, tenon_dtype dtype) {
  tenon_dim dims[TENON_MAX_RANK];
  TENON_TRY(tenon_core_sizes(c, "size", size, dims));
  TENON_TRY(tenon_core_out(c, 0, dtype, dims, (int)size.count));
  return generator_infer(c);
}

static tenon_status random_uniform_infer(tenon_infer *c) {
  const tenon_random_uniform_attrs *a = tenon_infer_attrs(c);
  return drawn(c, a->size, a->dtype);
}

static tenon_status random_normal_infer(tenon_infer *c) {
  const tenon_random_normal_attrs *a = tenon_infer_attrs(c);
  return drawn(c, a->size, a->dtype);
}

static tenon_status random_integers_infer(tenon_infer *c) {
  const tenon_random_integers_attrs *a = tenon_infer_attrs(c);
  return drawn(c, a->size, TENON_S64);
}

// PyTorch draws more of them by other numbers.
enum { MOST_PERMUTED = 214748363 };

static tenon_status random_permutation_infer(tenon_infer *c) {
  const tenon_dim n = c->api->size(c, "n", 0);
  if (!tenon_core_at_most(c, tenon_core_dim(0), n) ||
      !tenon_core_at_most(c, n, tenon_core_dim(MOST_PERMUTED)))
    return tenon_infer_fail(c, "a permutation of %lld, at most %d are possible",
                            (long long)n.value, MOST_PERMUTED);
  TENON_TRY(tenon_core_out(c, 0, TENON_S64, &n, 1));
  return generator_infer(c);
}

// Each number follows from those before: a call is one item.
static int64_t core_random_whole(const tenon_call *c) {
  (void)c;
  return 1;
}

#define DRAW_ROW(name, its_types, places) \
  CORE_KERNEL_RANGE(name, core_random_whole, its_types, .in_place = places);
#define DRAW_OP(name, its_kernels, arguments, members, text)           \
  CORE_OPERATOR(name, name##_infer, its_kernels,                       \
                "(Tensor generator, *, " arguments                     \
                ") -> (Tensor y, Tensor after)",                       \
                text                                                   \
                "\ngenerator: u32[628], the state of PyTorch's on a "  \
                "CPU; zeros behind a seed are that seed. after: what " \
                "the draw leaves of it.",                              \
                members)

TENON_KERNELS_random_uniform(DRAW_ROW)
    DRAW_OP(random_uniform, (CORE_EACH(random_uniform) NULL),
            "SymInt[] size, ScalarType dtype, float low=0.0, float high=1.0",
            CORE_MEMBERS(tenon_random_uniform_attrs, size, dtype, low, high),
            "Floats from low to high, without high, all as likely.");

TENON_KERNELS_random_normal(DRAW_ROW) DRAW_OP(
    random_normal, (CORE_EACH(random_normal) NULL),
    "SymInt[] size, ScalarType dtype, float mean=0.0, float std=1.0, "
    "bool single=False",
    CORE_MEMBERS(tenon_random_normal_attrs, size, dtype, mean, std, single),
    "Floats of a normal distribution.\n"
    "single: drawn one at a time, where PyTorch draws 16 or more in blocks "
    "otherwise.");

CORE_KERNEL_FAILING_RUN(random_integers_ref, "u32 -> s64, u32",
                        .in_place = TENON_IN_PLACE(1, 0));
DRAW_OP(random_integers, (CORE_K(random_integers_ref)),
        "SymInt[] size, SymInt low, SymInt high, bool? wide=None",
        CORE_MEMBERS(tenon_random_integers_attrs, size, low, high, wide),
        "Integers from low to high, both included, all as likely.\n"
        "wide: each takes 64 bits of the generator and not 32; None: where "
        "there are 2^28 or more.");

CORE_KERNEL_RUN(random_permutation_ref, "u32 -> s64, u32",
                .in_place = TENON_IN_PLACE(1, 0));
DRAW_OP(random_permutation, (CORE_K(random_permutation_ref)), "SymInt n",
        CORE_MEMBERS(tenon_random_permutation_attrs, n),
        "0 to n - 1 in any order, all as likely.");

// ---------------------------------------------------------------------------
// Bits of a counter
// ---------------------------------------------------------------------------

static tenon_status random_bits_infer(tenon_infer *c) {
  const tenon_random_bits_attrs *a = tenon_infer_attrs(c);
  const tenon_type *state = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  const bool has_two = state->rank == 1 &&
                       tenon_core_equal(c, state->dims[0], tenon_core_dim(2));
  const bool has_three = !has_two && !a->threefry && state->rank == 1 &&
                         tenon_core_equal(c, state->dims[0], tenon_core_dim(3));
  if (state->dtype != TENON_U64 || (!has_two && !has_three))
    return tenon_infer_fail(c, "a state is 'u64[2]', or 'u64[3]' of Philox");
  if (a->dtype != TENON_S32 && a->dtype != TENON_U32 && a->dtype != TENON_S64 &&
      a->dtype != TENON_U64)
    return tenon_infer_fail(c, "bits are integers of 32 or 64");
  TENON_TRY(tenon_core_sizes(c, "size", a->size, dims));
  TENON_TRY(tenon_core_out(c, 0, a->dtype, dims, (int)a->size.count));
  return tenon_core_out(c, 1, TENON_U64, state->dims, 1);
}

CORE_KERNEL_RUN(random_bits_ref, "u64 -> s32|u32|s64|u64, u64");
CORE_OPERATOR(random_bits, random_bits_infer, (CORE_K(random_bits_ref)),
              "(Tensor state, *, SymInt[] size, ScalarType dtype, bool "
              "threefry=False) -> (Tensor y, Tensor after)",
              "Random bits as XLA draws them, by Philox4x32 or Threefry2x32.\n"
              "state: a key, a counter and, of Philox, more of the counter, "
              "u64[2] or u64[3]; after: what the draw leaves of it.",
              CORE_MEMBERS(tenon_random_bits_attrs, size, dtype, threefry));
