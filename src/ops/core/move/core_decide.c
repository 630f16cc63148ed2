// core_decide.c - operators that look for elements or count them. The sizes of
// most of their results are decided by data.
#include "kern/loop/order.h"
#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"

// Kernels say beside `run` how they measure; the function is in their source.
tenon_run_fn tenon_k_nonzero_within_ref_measure,
    tenon_k_unique_within_ref_measure, tenon_k_repeat_interleave_ref_measure,
    tenon_k_bincount_ref_measure;

static tenon_dim decide_count_of(tenon_infer *c, const tenon_type *x) {
  tenon_dim n = tenon_core_dim(1);
  for (int d = 0; d < x->rank; ++d)
    n = c->api->dim(c, TENON_DIM_MUL, n, x->dims[d]);
  return n;
}

static tenon_dim decide_unknown(void) {
  tenon_dim d = {TENON_UNKNOWN, 0};
  return d;
}

// --- item --------------------------------------------------------------------

static tenon_status item_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  if (!tenon_core_equal(c, decide_count_of(c, x), tenon_core_dim(1)))
    return tenon_infer_fail(c, "x has not one element");
  switch (x->dtype) {
    case TENON_F32:
    case TENON_F64:
    case TENON_F16:
    case TENON_BF16:
      (void)c->api->number(c, TENON_KIND_FLOAT);
      break;
    case TENON_BOOL:
      (void)c->api->number(c, TENON_KIND_BOOL);
      break;
    default:
      (void)c->api->number(c, TENON_KIND_INT);
  }
  return TENON_OK;
}

CORE_KERNEL(item_ref) = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "tenon_k_item_ref",
    .run = tenon_k_item_ref,
    .source = &tenon_source_item_ref_c,
    .types = "T -> ",
    .match = tenon_core_plain,
};

CORE_OPERATOR(item, item_infer, (CORE_K(item_ref)), "(Tensor x) -> ()",
              "The number that a tensor of one element holds, for attributes.");

// --- nonzero -----------------------------------------------------------------

static tenon_status nonzero_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[2];
  dims[0] = c->api->decided(c, decide_count_of(c, x));
  dims[1] = tenon_core_dim(x->rank);
  return tenon_core_out(c, 0, TENON_S64, dims, 2);
}

CORE_KERNEL_RUN(nonzero_ref, "T -> s64", .match = tenon_core_plain);

// Of two that fit, the one whose symbol comes first: this one is for what the
// other is refused for.
CORE_KERNEL_RUN(nonzero_within_ref, "T -> s64", .match = tenon_core_plain,
                .measure = tenon_k_nonzero_within_ref_measure);

CORE_OPERATOR(nonzero, nonzero_infer,
              (CORE_K(nonzero_ref), CORE_K(nonzero_within_ref)),
              "(Tensor x) -> Tensor",
              "The indices of elements that are not zero, a row for each.");

// --- unique ------------------------------------------------------------------

static tenon_status unique_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_shapes s = {.n_names = 0};
  if (x->rank == 2)
    tenon_shapes_set(&s, "rows", c->api->decided(c, x->dims[0]));
  return tenon_core_shapes_with(c, &s,
                                "x[n,k] -> x[rows,k], s64[n], s64[rows]");
}

static size_t unique_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)c->in[0].dims[0] * 2 * sizeof(int32_t);
}

CORE_KERNEL_RUN(unique_ref, "T -> T, s64, s64", .match = tenon_core_plain,
                .scratch = unique_scratch);

// As nonzero_within_ref.
CORE_KERNEL_RUN(unique_within_ref, "T -> T, s64, s64",
                .match = tenon_core_plain, .scratch = unique_scratch,
                .measure = tenon_k_unique_within_ref_measure);

CORE_OPERATOR(
    unique, unique_infer, (CORE_K(unique_ref), CORE_K(unique_within_ref)),
    "(Tensor x, *, bool consecutive=False, bool first=False) -> (Tensor rows, "
    "Tensor inverse, Tensor counts)",
    "The different rows of x in ascending order, which of them each row is, "
    "and how often each occurs.\n"
    "With `consecutive`: rows that differ from the one before, as they stand. "
    "With `first`: as they first occur. NaN equals nothing.",
    CORE_MEMBERS(tenon_unique_attrs, consecutive, first));

// --- repeat_interleave -------------------------------------------------------

static tenon_status repeat_interleave_infer(tenon_infer *c) {
  tenon_shapes s = {.n_names = 0};
  tenon_shapes_set(&s, "all", c->api->decided(c, decide_unknown()));
  return tenon_core_shapes_with(c, &s, "repeats[_] -> s64[all]");
}

CORE_KERNEL_FAILING_RUN(repeat_interleave_ref, "s32|s64 -> s64",
                        .measure = tenon_k_repeat_interleave_ref_measure);

CORE_OPERATOR(repeat_interleave, repeat_interleave_infer,
              (CORE_K(repeat_interleave_ref)), "(Tensor repeats) -> Tensor",
              "Each index as often as the element there says.");

// --- bincount ----------------------------------------------------------------

static tenon_status bincount_infer(tenon_infer *c) {
  tenon_shapes s = {.n_names = 0};
  tenon_shapes_set(&s, "bins", c->api->decided(c, decide_unknown()));
  return tenon_core_shapes_with(c, &s,
                                tenon_infer_in(c, 1)
                                    ? "x[n], weights[n] -> weights[bins]"
                                    : "x[n] -> s64[bins]");
}

static bool bincount_match(const tenon_call *c) {
  return tenon_core_plain(c) && !tenon_core_real(c);
}

CORE_KERNEL_FAILING_RUN(bincount_ref, "T, f32|f64? -> f32|f64|s64",
                        .match = bincount_match,
                        .measure = tenon_k_bincount_ref_measure);

CORE_OPERATOR(bincount, bincount_infer, (CORE_K(bincount_ref)),
              "(Tensor x, Tensor? weights=None, *, int minlength=0) -> Tensor",
              "How often each number from 0 occurs, or the sum of the weights "
              "where it does.",
              CORE_MEMBERS(tenon_bincount_attrs, minlength));

// --- histc -------------------------------------------------------------------

static tenon_status histc_infer(tenon_infer *c) {
  const tenon_histc_attrs *a = tenon_infer_attrs(c);
  tenon_dim n = tenon_core_dim(a->bins);
  if (a->bins < 1 || !(a->lo <= a->hi))
    return tenon_infer_fail(c, "%lld bins from %g to %g", (long long)a->bins,
                            a->lo, a->hi);
  return tenon_core_out(c, 0, tenon_infer_in(c, 0)->dtype, &n, 1);
}

CORE_KERNEL_RUN(histc_ref, "T -> T", .match = tenon_core_real);

CORE_OPERATOR(
    histc, histc_infer, (CORE_K(histc_ref)),
    "(Tensor x, *, int bins, float lo=0.0, float hi=0.0) -> Tensor",
    "How many elements lie in each of `bins` equal cells from lo to hi.\n"
    "Where lo equals hi, from the smallest to the largest element.",
    CORE_MEMBERS(tenon_histc_attrs, bins, lo, hi));
