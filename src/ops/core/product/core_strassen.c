// core_strassen.c - core::fully_connected_strassen, and where pass `strassen`
// puts it in the place of core::fully_connected and core::conv.
#include "kern/product/strassen.h"

#include <inttypes.h>
#include <math.h>

#include "kern/opt/product/strassen_blocks.h"
#include "kern/product/conv.h"
#include "ops/core/core_extent.h"
#include "ops/core/core_rule.h"
#include "ops/core/fast/core_fast_host.h"
#include "ops/core/fast/core_fast_pack.h"
#include "ops/core/rewrite/core_rewrite.h"

// --- Shape rule --------------------------------------------------------------

static tenon_status strassen_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  tenon_dim dims[TENON_MAX_RANK];
  if (x->rank < 1 || w->rank < 2)
    return tenon_infer_fail(
        c, "x and w have ranks %d and %d, expected at least 1 and 2", x->rank,
        w->rank);
  for (int d = 0; d < w->rank; ++d) {
    if (w->dims[d].symbol)
      return tenon_infer_fail(c, "dimension %d of w must be known", d);
    if (d > 0 && d < w->rank - 1 && w->dims[d].value != 1)
      return tenon_infer_fail(c, "dimension %d of w is %" PRId64 ", expected 1",
                              d, w->dims[d].value);
  }
  const tenon_dim n = w->dims[0], k = w->dims[w->rank - 1];
  if (!tenon_core_equal(c, x->dims[x->rank - 1], k))
    return tenon_infer_fail(c, "x has rows of %" PRId64 ", w of %" PRId64,
                            x->dims[x->rank - 1].value, k.value);
  if (k.value % 2 != 0)
    return tenon_infer_fail(
        c, "rows of %" PRId64 ", expected an even number of values", k.value);
  for (int d = 0; d < x->rank - 1; ++d)
    dims[d] = x->dims[d];
  dims[x->rank - 1] = n;
  TENON_TRY(tenon_core_check_tail(c, n));
  return tenon_core_result(c, dims, x->rank, x, false);
}

// --- Kernels -----------------------------------------------------------------

static int64_t row_pairs(const tenon_call *c) {
  return (int64_t)tenon_strassen_of(c).pairs;
}
static int64_t row_pairs_extent(const tenon_call *c, int64_t *items) {
  *items = 1;
  return 2 * (int64_t)c->in[1].dims[0];
}
// What two rows are multiplied by.
static size_t row_pairs_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)(tenon_strassen_of(c).half * TENON_STRASSEN_SUMS) *
         sizeof(float);
}
static int64_t strassen_macs(const tenon_call *c) {
  const tenon_strassen g = tenon_strassen_of(c);
  const ptrdiff_t left = g.n % TENON_STRASSEN_STEP;
  return (int64_t)(g.m / 2) * TENON_STRASSEN_SUMS * g.half *
             ((g.n - left) / 2) +
         (int64_t)g.m * g.k * left + (int64_t)(g.m % 2) * g.k * (g.n - left);
}
CORE_KERNEL_RANGE(fully_connected_strassen_f32_ref, row_pairs,
                  CORE_FAST_F32_TYPES, .scratch = row_pairs_scratch,
                  .extent = row_pairs_extent);

static bool strassen_fast_match(const tenon_call *c) {
  return tenon_core_can_pack_known(c) &&
         c->in[0].dims[c->in[0].rank - 1] % (2 * TENON_LANES) == 0;
}
static int64_t fully_connected_strassen_f32_items(const tenon_call *c) {
  const tenon_strassen g = tenon_strassen_of(c);
  const tenon_blocks b = tenon_strassen_blocks(&g);
  return tenon_blocks_items(&b);
}
static int64_t fully_connected_strassen_f32_extent(const tenon_call *c,
                                                   int64_t *items) {
  const tenon_strassen g = tenon_strassen_of(c);
  const tenon_blocks b = tenon_strassen_blocks(&g);
  return tenon_core_blocks_extent(&b, g.n, items);
}
static size_t strassen_fast_scratch(const tenon_call *c, int64_t items) {
  const tenon_strassen g = tenon_strassen_of(c);
  (void)items;
  return tenon_strassen_scratch(&g);
}

#define STRASSEN_FAST(isa)                                                 \
  CORE_FAST_F32(fully_connected_strassen_f32_##isa,                        \
                "core::fully_connected_strassen",                          \
                fully_connected_strassen_f32, 1, strassen_fast_match, isa, \
                TENON_KERNEL_PACKS_STRIDED, strassen_fast_scratch)
FAST_WIDTHS(STRASSEN_FAST);

// --- Descriptor --------------------------------------------------------------

CORE_OPERATOR(
    fully_connected_strassen, strassen_infer,
    (CORE_K(fully_connected_strassen_f32_ref)),
    "(Tensor x, Tensor w, Tensor? bias=None, Tensor? scale=None, Tensor? "
    "shift=None, *, float? lo=None, float? hi=None) -> Tensor",
    "Multiplies rows by a transposed matrix with fewer multiplications.\n"
    "x is [..., k], k even; w is [n, k] or [n, 1, 1, k]. "
    "The result is that of core::fully_connected, or core::conv, but for "
    "rounding: two rows, two channels and two halves of k take 7 products "
    "instead of 8. Two rows of which one is more than 16 times as large as the "
    "other, by their largest magnitudes, both rows where one has a value that "
    "is not finite or is above 2^126, and the last of an odd number of rows "
    "are direct sums, those of core::fully_connected.",
    CORE_MEMBERS(tenon_strassen_attrs, lo, hi), .macs = strassen_macs);

// --- Pass `strassen` ---------------------------------------------------------

// Where it is faster, by measurement: of so many rows, values and channels. And
// not where the result is so many times as large as x that it is most of what
// the program has in memory, to which scratch would add.
enum {
  STRASSEN_LEAST_ROWS = 56,
  STRASSEN_LEAST_DEPTH = 128,
  STRASSEN_LEAST_CHANNELS = 128,
  STRASSEN_MOST_WIDER = 16
};

static bool is_worth_pairing(tenon_rewriter *rw, const tenon_type *x,
                             const tenon_type *w) {
  const int64_t n = w->dims[0].value, k = w->dims[w->rank - 1].value;
  const int64_t count = tenon_core_type_count(x);
  return count >= STRASSEN_LEAST_ROWS * k && k >= STRASSEN_LEAST_DEPTH &&
         k % (2 * TENON_LANES) == 0 && n >= STRASSEN_LEAST_CHANNELS &&
         n <= STRASSEN_MOST_WIDER * k && tenon_core_is_large(rw, count + n * k);
}

// Channels of weights that are paired are as near to each other as paired rows.
static bool are_near(const float *most, int64_t n) {
  const ptrdiff_t channels = (ptrdiff_t)n;
  for (ptrdiff_t i = 0; most && i < channels; ++i) {
    const ptrdiff_t at = i % TENON_STRASSEN_GROUP;
    const ptrdiff_t apart = tenon_strassen_apart(channels, i - at);
    if (at < apart && !tenon_strassen_is_near(most[i], most[i + apart]))
      return false;
    if (at >= 2 * apart && !isfinite(most[i])) return false;
  }
  return most != NULL;
}

CORE_LOWER(strassen_connected) {
  tenon_value *in[5];
  tenon_core_args args;
  tenon_core_range range;
  for (int i = 0; i < 5; ++i)
    in[i] = tenon_rw_operand(rw, n, i);
  const tenon_type *x = tenon_rw_type(rw, in[0]);
  const tenon_type *w = tenon_rw_type(rw, in[1]);
  if (!tenon_core_is_plain_f32(x) || !tenon_core_is_plain_f32(w) ||
      !is_worth_pairing(rw, x, w) ||
      !are_near(rw->api->largest(rw, in[1]), w->dims[0].value) ||
      !tenon_core_take_args(rw, n, &args) ||
      !tenon_core_get_limits(&args, &range))
    return TENON_OK;
  const tenon_core_args own = {{*tenon_core_find_arg(&args, "lo"),
                                *tenon_core_find_arg(&args, "hi"),
                                TENON_END_ARGS}};
  return tenon_core_rewrite_as(rw, n, "core::fully_connected_strassen", in, 5,
                               own.list);
}

CORE_LOWER(strassen_conv) {
  const tenon_conv_attrs *a = tenon_rw_attrs(rw, n);
  const tenon_type *w = tenon_rw_type(rw, tenon_rw_operand(rw, n, 1));
  if (a->groups != 1 || w->dims[1].value != 1 || w->dims[2].value != 1 ||
      !tenon_core_all_are(a->stride, 1) || !tenon_core_all_are(a->pad, 0))
    return TENON_OK;
  return tenon_core_strassen_connected(rw, n);
}
