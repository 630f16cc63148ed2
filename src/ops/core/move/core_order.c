// core_order.c - operators that order elements, or go through them in order.
#include "kern/loop/order.h"

#include "ops/core/core_rule.h"

// Checks the axis; tensors without dimensions have one here.
static tenon_status check_axis(tenon_infer *c, int64_t axis) {
  int at;
  int rank = tenon_infer_in(c, 0)->rank;
  return tenon_core_check_axis(c, axis, rank ? rank : 1, &at);
}

static tenon_status two_results(tenon_infer *c, int64_t axis) {
  const tenon_type *x = tenon_infer_in(c, 0);
  TENON_TRY(check_axis(c, axis));
  TENON_TRY(tenon_core_same(c));
  return tenon_core_out(c, 1, TENON_S64, x->dims, x->rank);
}

// --- sort --------------------------------------------------------------------

static tenon_status sort_infer(tenon_infer *c) {
  const tenon_sort_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  if (!a->keep.has) return two_results(c, a->axis);
  TENON_TRY(check_axis(c, a->axis));
  const int64_t axis = a->axis < 0 ? a->axis + x->rank : a->axis;
  if (x->rank == 0 || x->dims[axis].symbol || a->keep.value < 0 ||
      a->keep.value > x->dims[axis].value)
    return tenon_infer_fail(c, "'keep' is %lld of a line of another size",
                            (long long)a->keep.value);
  memcpy(dims, x->dims, x->rank * sizeof *dims);
  dims[axis] = (tenon_dim){a->keep.value, 0};
  TENON_TRY(tenon_core_out(c, 0, x->dtype, dims, x->rank));
  return tenon_core_out(c, 1, TENON_S64, dims, x->rank);
}

static int64_t sort_items(const tenon_call *c) {
  return tenon_lines_count(&c->in[0],
                           ((const tenon_sort_attrs *)c->attrs)->axis);
}

static size_t sort_scratch(const tenon_call *c, int64_t items) {
  const tenon_sort_attrs *a = c->attrs;
  (void)items;
  return (size_t)tenon_lines_of(&c->in[0], a->axis).n * 2 * sizeof(int32_t);
}

CORE_KERNEL_RANGE(sort_ref, sort_items, "T -> T, s64",
                  .match = tenon_core_plain, .scratch = sort_scratch);

CORE_OPERATOR(
    sort, sort_infer, (CORE_K(sort_ref)),
    "(Tensor x, int axis=-1, bool descending=False, *, int? keep=None) -> "
    "(Tensor values, Tensor indices)",
    "Elements in order along an axis, and where each one stood.\n"
    "Equal elements keep their order. NaN is larger than all numbers. With "
    "`keep`: so many of each line, which is of a known size.",
    CORE_MEMBERS(tenon_sort_attrs, axis, descending, keep));

// --- running sums and the like -----------------------------------------------

static int64_t sort_axis_of(tenon_infer *c) {
  return ((const tenon_cumulate_attrs *)tenon_infer_attrs(c))->axis;
}

static tenon_status cumulate_infer(tenon_infer *c) {
  TENON_TRY(check_axis(c, sort_axis_of(c)));
  return tenon_core_same(c);
}

static tenon_status cumulate_two(tenon_infer *c) {
  return two_results(c, sort_axis_of(c));
}

static int64_t cumulate_items(const tenon_call *c) {
  return tenon_lines_count(&c->in[0],
                           ((const tenon_cumulate_attrs *)c->attrs)->axis);
}

#define CUMULATE_OP(name, which, its_types, its_match, results, rule, text)   \
  CORE_KERNEL_RANGE(name##_ref, cumulate_items, its_types, .in_place = which, \
                    .match = its_match);                                      \
  CORE_OPERATOR(name, rule, (CORE_K(name##_ref)),                             \
                "(Tensor x, int axis) -> " results, text,                     \
                CORE_MEMBERS(tenon_cumulate_attrs, axis))

CUMULATE_OP(cumsum, TENON_IN_PLACE(0, 0), "T -> T", tenon_core_plain, "Tensor",
            cumulate_infer, "Sums of all elements up to each, along an axis.");
CUMULATE_OP(cumprod, TENON_IN_PLACE(0, 0), "T -> T", tenon_core_plain, "Tensor",
            cumulate_infer,
            "Products of all elements up to each, along an axis.");
CUMULATE_OP(cummax, 0, "T -> T, s64", tenon_core_plain,
            "(Tensor values, Tensor indices)", cumulate_two,
            "The largest element up to each, along an axis, and where it "
            "stands: the last of several.");
CUMULATE_OP(cummin, 0, "T -> T, s64", tenon_core_plain,
            "(Tensor values, Tensor indices)", cumulate_two,
            "The smallest element up to each, along an axis, and where it "
            "stands: the last of several.");

CUMULATE_OP(logcumsumexp, TENON_IN_PLACE(0, 0), "T -> T", tenon_core_real,
            "Tensor", cumulate_infer,
            "The logarithm of the sum of e to the power of all elements up to "
            "each, along an axis.");

// --- searchsorted ------------------------------------------------------------

static tenon_status searchsorted_infer(tenon_infer *c) {
  const tenon_type *line = tenon_infer_in(c, 0), *v = tenon_infer_in(c, 1);
  bool fits = line->rank == 1 || line->rank == v->rank;
  for (int d = 0; fits && line->rank > 1 && d < line->rank - 1; ++d)
    fits = tenon_core_equal(c, line->dims[d], v->dims[d]);
  if (line->rank < 1 || !fits || line->dtype != v->dtype)
    return tenon_infer_fail(
        c, "sorted lines must be of the values' type, one for all or one each");
  return tenon_core_out(c, 0, TENON_S64, v->dims, v->rank);
}

CORE_KERNEL_RANGE(searchsorted_ref, tenon_core_items, "T, T -> s64",
                  .match = tenon_core_plain);

CORE_OPERATOR(searchsorted, searchsorted_infer, (CORE_K(searchsorted_ref)),
              "(Tensor sorted, Tensor values, *, bool right=False) -> Tensor",
              "How many elements of a sorted line are less than each value.\n"
              "With `right`: less or equal. One line for all values, or one "
              "for each line of values.",
              CORE_MEMBERS(tenon_searchsorted_attrs, right));
