// Operators that move elements by an order, an axis or sizes that a run
// computes: TRANSPOSE, EXPAND_DIMS, SPLIT, SPLIT_V, REVERSE_V2, reductions.
//
// How: the rule leaves each size that hangs on them to the data; the lowering
// computes the sizes as integers and has a core::item find each out, in the
// same order.
#include <string.h>

#include "ops/tfl/tfl_op.h"

#define TWO tenon_rw_op2

enum { MOST_PRODUCT_AXES = 6 };  // of which each set is a product of its own

static tenon_value *computed_integer(tenon_rewriter *rw, int64_t v) {
  return tenon_rw_scalar(rw, TENON_S64, (double)v);
}

static tenon_value *computed_is(tenon_rewriter *rw, tenon_value *a, int64_t v) {
  return tenon_tfl_by(rw, "core::eq", a, (double)v);
}

// A negative axis counts from the end.
static tenon_value *axis_in(tenon_rewriter *rw, tenon_value *list, int k,
                            int rank) {
  return tenon_aten_formula(rw, "a @rank: a < 0 ? a + rank : a",
                            tenon_tfl_element(rw, list, k), rank);
}

static tenon_value *size(tenon_rewriter *rw, tenon_dim d) {
  return tenon_tfl_size(rw, d, TENON_S64);
}

// Results like x whose sizes data decide, along `axis` or (-1) all.
tenon_status tenon_tfl_decided_parts(tenon_infer *c, const tenon_type *x,
                                     int axis, int n, bool are_equal) {
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  TENON_TRY(c->api->results(c, 0, n));
  for (int k = 0; k < n; ++k) {
    for (int i = 0; (k == 0 || !are_equal) && i < y.rank; ++i)
      if (axis < 0 || i == axis) y.dims[i] = c->api->decided(c, x->dims[i]);
    TENON_TRY(tenon_tfl_result(c, k, &y, x->dtype, x));
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// TRANSPOSE
// ---------------------------------------------------------------------------

// Every element by its place in x as one row: the sum of what its place in the
// result contributes along each axis.
// An element of a list that the run chooses; a negative place counts from the
// end.
static tenon_value *chosen(tenon_rewriter *rw, tenon_value *list,
                           tenon_value *at) {
  tenon_value *in[] = {list, at};
  return tenon_rw_op(rw, "core::index", in, 2,
                     TENON_ARGS(tenon_arg_bool("wrap", true)));
}

tenon_status tenon_tfl_transpose_computed(tenon_rewriter *rw,
                                          const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0), *perm = tenon_tfl_in(rw, node, 1);
  tenon_value *sizes[TENON_MAX_RANK], *strides[TENON_MAX_RANK], *at = NULL;
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_tfl_shape from = tenon_tfl_shape_of(tenon_rw_type(rw, x)), to = from;
  tenon_dim stride = tenon_tfl_fixed(1);
  if (from.rank == 0) return tenon_tfl_become(rw, node, "core::copy", &x, 1, 0);
  for (int i = from.rank; i-- > 0;) {
    sizes[i] = size(rw, from.dims[i]);
    strides[i] = size(rw, stride);
    stride = rw->api->dim(rw, TENON_DIM_MUL, stride, from.dims[i]);
  }
  tenon_value *all_sizes = tenon_tfl_listed(rw, sizes, from.rank);
  tenon_value *all_strides = tenon_tfl_listed(rw, strides, from.rank);
  for (int i = 0; i < to.rank; ++i) {
    tenon_value *axis = tenon_tfl_element(rw, perm, i);
    to.dims[i] = rw->api->number(rw, chosen(rw, all_sizes, axis));
    strides[i] = chosen(rw, all_strides, axis);
  }
  for (int i = 0; i < to.rank; ++i) {
    tenon_value *part = tenon_tfl_line(rw, to.dims[i], to.rank, i, TENON_S64);
    part = TWO(rw, "core::mul", part, strides[i]);
    at = at ? TWO(rw, "core::add", at, part) : part;
  }
  tenon_type moved = *y;
  moved.dims = to.dims;
  x = tenon_tfl_row(rw, x);
  return tenon_rw_replace(rw, node, tenon_tfl_index(rw, x, &at, 1, 0, &moved));
}

// ---------------------------------------------------------------------------
// EXPAND_DIMS
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_expand_dims_computed(tenon_rewriter *rw,
                                            const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_tfl_shape from = tenon_tfl_shape_of(tenon_rw_type(rw, x));
  tenon_tfl_shape to = {.rank = from.rank + 1};
  tenon_value *axis = axis_in(rw, tenon_tfl_in(rw, node, 1), 0, to.rank);
  for (int i = 0; i < to.rank; ++i) {
    tenon_value *d = i < from.rank ? size(rw, from.dims[i]) : NULL;
    tenon_value *before = i ? size(rw, from.dims[i - 1]) : d;
    if (!d) d = before ? before : computed_integer(rw, 1);
    if (!before) before = d;
    d = tenon_aten_formula(
        rw, "axis @i before d: axis == i ? 1 : axis < i ? before : d", axis, i,
        before, d);
    to.dims[i] = rw->api->number(rw, d);
  }
  tenon_type moved = *y;
  moved.dims = to.dims;
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, x, &to, &moved));
}

// ---------------------------------------------------------------------------
// SPLIT, SPLIT_V
// ---------------------------------------------------------------------------

// `known`: the axis; -1: the run computes it.
tenon_status tenon_tfl_split_computed(tenon_rewriter *rw,
                                      const tenon_node *node, int known,
                                      int64_t n) {
  tenon_value *x = tenon_tfl_in(rw, node, 1), *out[TFL_MAX_TENSORS];
  tenon_value *part[TENON_MAX_RANK], *begin[TENON_MAX_RANK];
  const tenon_tfl_shape from = tenon_tfl_shape_of(tenon_rw_type(rw, x));
  tenon_tfl_shape to = from;
  tenon_value *axis = known < 0
                          ? axis_in(rw, tenon_tfl_in(rw, node, 0), 0, from.rank)
                          : computed_integer(rw, known);
  for (int i = 0; i < from.rank; ++i) {
    tenon_value *d = size(rw, from.dims[i]);
    if (known >= 0 && i != known) {
      part[i] = d;
      continue;
    }
    tenon_value *is_whole = tenon_aten_formula(
        rw, "d axis @n @i &part: part = d / n; part * n == d | axis != i", d,
        axis, (int)n, i, &part[i]);
    TENON_TRY(tenon_tfl_require(rw, is_whole, "unequal parts"));
    to.dims[i] = rw->api->number(
        rw, tenon_rw_where(rw, computed_is(rw, axis, i), part[i], d));
  }
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < from.rank; ++i)
      begin[i] = tenon_aten_formula(
          rw, "axis @i part @k: axis == i ? part * k : 0", axis, i, part[i], k);
    out[k] = tenon_tfl_window_at(rw, x, tenon_tfl_listed(rw, begin, to.rank),
                                 &to, rw->api->result(rw, node, k));
  }
  return rw->api->replace(rw, node, out, (int)n);
}

tenon_status tenon_tfl_split_v_computed(tenon_rewriter *rw,
                                        const tenon_node *node, int known) {
  tenon_value *x = tenon_tfl_in(rw, node, 0),
              *sizes = tenon_tfl_in(rw, node, 1);
  tenon_value *out[TFL_MAX_TENSORS], *part[TFL_MAX_TENSORS];
  tenon_value *begin[TENON_MAX_RANK], *d[TENON_MAX_RANK];
  const tenon_tfl_shape from = tenon_tfl_shape_of(tenon_rw_type(rw, x));
  int n = 0;
  while (n < TFL_MAX_TENSORS && rw->api->result(rw, node, n))
    ++n;
  tenon_value *axis = known < 0
                          ? axis_in(rw, tenon_tfl_in(rw, node, 2), 0, from.rank)
                          : computed_integer(rw, known);
  for (int i = 0; i < from.rank; ++i)
    d[i] = size(rw, from.dims[i]);
  tenon_value *all = tenon_tfl_listed(rw, d, from.rank),
              *sum = computed_integer(rw, 0);
  all = tenon_tfl_index(rw, all, &axis, 1, 0, NULL);
  for (int k = 0; k < n; ++k) {
    part[k] = tenon_tfl_element(rw, sizes, k);
    sum = TWO(rw, "core::add", sum, part[k]);
  }
  // A size of -1 is what the others leave.
  tenon_value *rest =
      tenon_aten_formula(rw, "all sum: all - sum - 1", all, sum);
  tenon_value *at = computed_integer(rw, 0);
  sum = at;
  for (int k = 0; k < n; ++k) {
    part[k] = tenon_rw_where(rw, computed_is(rw, part[k], -1), rest, part[k]);
    sum = TWO(rw, "core::add", sum, part[k]);
  }
  TENON_TRY(tenon_tfl_require(rw, TWO(rw, "core::eq", sum, all),
                              "sizes that do not add up"));
  for (int k = 0; k < n; ++k) {
    tenon_tfl_shape to = from;
    for (int i = 0; i < from.rank; ++i) {
      begin[i] =
          tenon_aten_formula(rw, "axis @i at: axis == i ? at : 0", axis, i, at);
      if (known < 0 || i == known)
        to.dims[i] = rw->api->number(
            rw, tenon_rw_where(rw, computed_is(rw, axis, i), part[k], d[i]));
    }
    out[k] = tenon_tfl_window_at(rw, x, tenon_tfl_listed(rw, begin, to.rank),
                                 &to, rw->api->result(rw, node, k));
    at = TWO(rw, "core::add", at, part[k]);
  }
  return rw->api->replace(rw, node, out, n);
}

// ---------------------------------------------------------------------------
// MEAN, SUM, REDUCE_*
// ---------------------------------------------------------------------------

// As many sizes as the axes leave, or as the file says: axes may be named
// twice.
tenon_status tenon_tfl_decided_reduction(tenon_infer *c, const tenon_type *x,
                                         const tenon_type *axes, bool keep) {
  tenon_dim open;
  const int64_t n = tenon_tfl_product(c, axes->dims, axes->rank, &open);
  tenon_tfl_shape y = {.rank = x->rank};
  tenon_dim most = tenon_tfl_fixed(0);
  const tenon_type *declared = tenon_tfl_declared(c, 0);
  const bool is_ranked = declared && declared->rank <= x->rank &&
                         !(declared->flags & TENON_TYPE_UNRANKED);
  if (open.symbol || x->rank == TENON_MAX_RANK) return tenon_tfl_as_declared(c);
  // One axis cannot be named twice.
  if (!keep && n > 1 && is_ranked)
    y.rank = declared->rank;
  else if (!keep && n <= x->rank)
    y.rank -= (int)n;
  else if (!keep)
    return tenon_infer_fail(c, "%lld axes of %d dimensions", (long long)n,
                            x->rank);
  for (int i = 0; i < x->rank; ++i)
    most = c->api->dim(c, TENON_DIM_MAX, most, x->dims[i]);
  most = c->api->dim(c, TENON_DIM_MAX, most, tenon_tfl_fixed(1));
  for (int i = 0; i < y.rank; ++i)
    y.dims[i] = c->api->decided(c, most);
  return tenon_tfl_number(c, &y, x);
}

// What is known of each axis, in order.
typedef struct axes {
  int rank;
  tenon_value *is_reduced[TENON_MAX_RANK];
  tenon_value *size[TENON_MAX_RANK], *stride[TENON_MAX_RANK];
} axes;

static tenon_status read_axes(tenon_rewriter *rw, const tenon_node *node,
                              axes *a) {
  tenon_value *list = tenon_tfl_in(rw, node, 1);
  const tenon_type *x = tenon_tfl_type(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, list);
  tenon_dim stride = tenon_tfl_fixed(1);
  int64_t n = 1;
  for (int i = 0; i < t->rank && n >= 0; ++i)
    n = t->dims[i].symbol ? -1 : n * t->dims[i].value;
  a->rank = x->rank;
  if (n < 0 || x->rank == TENON_MAX_RANK)
    return tenon_rw_fail(rw,
                         "so many axes that a run computes are not "
                         "supported");
  for (int i = a->rank; i-- > 0;) {
    a->size[i] = size(rw, x->dims[i]);
    a->stride[i] = size(rw, stride);
    stride = rw->api->dim(rw, TENON_DIM_MUL, stride, x->dims[i]);
    a->is_reduced[i] = tenon_rw_scalar(rw, TENON_BOOL, 0);
  }
  for (int k = 0; k < n; ++k) {
    tenon_value *axis = axis_in(rw, list, k, a->rank);
    tenon_value *is_axis = tenon_rw_scalar(rw, TENON_BOOL, 0);
    for (int i = 0; i < a->rank; ++i) {
      tenon_value *hit = computed_is(rw, axis, i);
      is_axis = TWO(rw, "core::bitwise_or", is_axis, hit);
      a->is_reduced[i] = TWO(rw, "core::bitwise_or", a->is_reduced[i], hit);
    }
    // Of a number nothing is reduced, whatever the axes say.
    if (a->rank > 0)
      TENON_TRY(tenon_tfl_require(rw, is_axis, "an axis that is none"));
  }
  return TENON_OK;
}

// The size of axis i where it is reduced, else 1.
static tenon_value *reduced_size(tenon_rewriter *rw, const axes *a, int i) {
  return tenon_aten_formula(rw, "is_reduced size: is_reduced ? size : 1",
                            a->is_reduced[i], a->size[i]);
}

// The sizes of the result, with a size of 1 for each axis that is reduced.
static void kept_sizes(tenon_rewriter *rw, const axes *a, tenon_tfl_shape *to) {
  to->rank = a->rank;
  for (int i = 0; i < a->rank; ++i)
    to->dims[i] = rw->api->number(
        rw, tenon_aten_formula(rw, "is_reduced size: is_reduced ? 1 : size",
                               a->is_reduced[i], a->size[i]));
}

// The same without those.
static tenon_status left_sizes(tenon_rewriter *rw, const axes *a, int rank,
                               tenon_tfl_shape *to) {
  tenon_value *at[TENON_MAX_RANK], *before = computed_integer(rw, 0);
  for (int i = 0; i < a->rank; ++i)
    before = tenon_aten_formula(
        rw,
        "is_reduced before &at: at = is_reduced ? -1 : before; "
        "before + (is_reduced ? s64(0) : s64(1))",
        a->is_reduced[i], before, &at[i]);
  TENON_TRY(tenon_tfl_require(rw, computed_is(rw, before, rank),
                              "more or fewer axes than the result lacks"));
  to->rank = rank;
  for (int k = 0; k < rank; ++k) {
    tenon_value *d = computed_integer(rw, 0);
    for (int i = 0; i < a->rank; ++i)
      d = tenon_rw_where(rw, computed_is(rw, at[i], k), a->size[i], d);
    to->dims[k] = rw->api->number(rw, d);
  }
  return TENON_OK;
}

// Where, in x as one row, the elements begin that each of the result is made
// of, and behind that how far each of them is away.
static tenon_value *computed_places(tenon_rewriter *rw, const axes *a,
                                    const tenon_tfl_shape *kept,
                                    tenon_dim count) {
  tenon_value *at = computed_integer(rw, 0), *below = computed_integer(rw, 1);
  tenon_value *each = tenon_tfl_line(rw, count, 1, 0, TENON_S64);
  for (int i = 0; i < a->rank; ++i) {
    tenon_value *part =
        tenon_tfl_line(rw, kept->dims[i], a->rank + 1, i, TENON_S64);
    part = TWO(rw, "core::mul", part, a->stride[i]);
    at = TWO(rw, "core::add", at, part);
  }
  for (int i = a->rank; i-- > 0;) {
    at = tenon_aten_formula(
        rw,
        "at each below d stride &above: above = below * d; "
        "at + remainder(floor_div(each, below), d) * stride",
        at, each, below, reduced_size(rw, a, i), a->stride[i], &below);
  }
  return at;
}

static const char *reduction(const char *core) {
  static const char *const names[][2] = {
      {"core::mean", "tfl::MEAN"},        {"core::sum", "tfl::SUM"},
      {"core::prod", "tfl::REDUCE_PROD"}, {"core::amax", "tfl::REDUCE_MAX"},
      {"core::amin", "tfl::REDUCE_MIN"},  {"core::any", "tfl::REDUCE_ANY"},
      {"core::all", "tfl::REDUCE_ALL"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(names[i][0], core) == 0) return names[i][1];
  return core;
}

static tenon_status sizes_of_result(tenon_rewriter *rw, const tenon_node *node,
                                    const axes *a, bool keep,
                                    tenon_tfl_shape *to,
                                    tenon_tfl_shape *kept) {
  if (keep)
    kept_sizes(rw, a, to);
  else
    TENON_TRY(left_sizes(rw, a, rw->api->result(rw, node, 0)->rank, to));
  *kept = *to;
  if (!keep) kept_sizes(rw, a, kept);
  return TENON_OK;
}

// x as one row, and of how many of its elements one of the result is made.
static tenon_value *as_row(tenon_rewriter *rw, const tenon_node *node,
                           const axes *a, tenon_value **count) {
  *count = computed_integer(rw, 1);
  for (int i = 0; i < a->rank; ++i)
    *count = TWO(rw, "core::mul", *count, reduced_size(rw, a, i));
  return tenon_tfl_row(rw, tenon_tfl_in(rw, node, 0));
}

tenon_status tenon_tfl_reduced_last(tenon_rewriter *rw, const tenon_node *node,
                                    bool keep, tenon_value **out,
                                    tenon_tfl_shape *to,
                                    tenon_tfl_shape *kept) {
  tenon_value *count;
  axes a;
  TENON_TRY(read_axes(rw, node, &a));
  TENON_TRY(sizes_of_result(rw, node, &a, keep, to, kept));
  tenon_value *row = as_row(rw, node, &a, &count);
  tenon_value *at = computed_places(rw, &a, kept, rw->api->number(rw, count));
  *out = tenon_tfl_index(rw, row, &at, 1, 0, NULL);
  return TENON_OK;
}

static bool computed_is_empty(tenon_rewriter *rw, const tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, x);
  for (int i = 0; i < t->rank; ++i)
    if (tenon_tfl_is(t->dims[i], 0)) return true;
  return false;
}

// The numbers of factors that there are, by which axes the run takes; each
// once.
static int counts_of(const tenon_type *x, int64_t *counts) {
  int n = 0;
  for (unsigned set = 0; set < 1u << x->rank; ++set) {
    int64_t count = 1;
    int k = 0;
    for (int i = 0; i < x->rank; ++i)
      if (set >> i & 1) count *= x->dims[i].value;
    while (k < n && counts[k] != count)
      ++k;
    counts[k] = count;
    if (k == n) ++n;
  }
  return n;
}

// A product with a scale: what each factor is multiplied by hangs on how many
// there are. So the product of each number that there may be is computed, and
// that of the run's is taken.
static tenon_status product_computed(tenon_rewriter *rw, const tenon_node *node,
                                     bool keep) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_type *t = tenon_tfl_type(rw, node, 0);
  const tenon_type one = {.dtype = TENON_S32};
  int64_t counts[1 << MOST_PRODUCT_AXES], total = 1;
  tenon_tfl_shape to, kept;
  tenon_value *count, *z = NULL;
  axes a;
  for (int i = 0; i < t->rank; ++i) {
    if (t->dims[i].symbol || t->rank > MOST_PRODUCT_AXES)
      return tenon_rw_fail(rw,
                           "as many factors with a scale as a run says are not "
                           "supported, but of %d known sizes",
                           MOST_PRODUCT_AXES);
    total *= t->dims[i].value;
  }
  if (total == 0)
    return tenon_rw_fail(rw,
                         "a result of no elements is not supported, which "
                         "LiteRT does not compute");
  TENON_TRY(read_axes(rw, node, &a));
  TENON_TRY(sizes_of_result(rw, node, &a, keep, &to, &kept));
  tenon_value *row = as_row(rw, node, &a, &count);
  const int32_t last = kept.rank;
  tenon_type found = *y, moved = *y;
  found.dims = kept.dims;
  found.rank = (uint8_t)kept.rank;
  moved.dims = to.dims;
  for (int k = counts_of(t, counts); k-- > 0;) {
    tenon_value *at =
        computed_places(rw, &a, &kept, tenon_tfl_fixed(counts[k]));
    // Of another number of factors than the run's these are any elements.
    at = tenon_tfl_by(rw, "core::remainder", at, (double)total);
    tenon_value *in[] = {tenon_tfl_index(rw, row, &at, 1, 0, NULL),
                         rw->api->literal(rw, &one, &last)};
    tenon_value *product =
        tenon_tfl_make(rw, "tfl::REDUCE_PROD", in, 2,
                       TENON_ARGS(tenon_arg_bool("keep_dims", false)), &found);
    product = tenon_tfl_stored(rw, product, NULL);
    z = z ? tenon_rw_where(rw, computed_is(rw, count, counts[k]), product, z)
          : product;
  }
  z = tenon_tfl_stored(rw, z, y->quant);
  return tenon_rw_replace(rw, node,
                          keep ? z : tenon_tfl_reshape(rw, z, &to, &moved));
}

// The same operator, along one axis behind the sizes of the result.
tenon_status tenon_tfl_reduce_computed(tenon_rewriter *rw,
                                       const tenon_node *node,
                                       const char *core) {
  const tenon_tfl_reduce_attrs *attrs = tenon_rw_attrs(rw, node);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_type one = {.dtype = TENON_S32};
  tenon_tfl_shape to, kept;
  tenon_value *in[2];
  if (strcmp(core, "core::prod") == 0 && y->quant)
    return product_computed(rw, node, attrs->keep_dims);
  TENON_TRY(
      tenon_tfl_reduced_last(rw, node, attrs->keep_dims, &in[0], &to, &kept));
  const int32_t last = kept.rank;
  in[1] = rw->api->literal(rw, &one, &last);
  tenon_type found = *y, moved = *y;
  found.dims = kept.dims;
  found.rank = (uint8_t)kept.rank;
  moved.dims = to.dims;
  // A mean of nothing: see tenon_tfl_mean_lower.
  if (strcmp(core, "core::mean") == 0 && !tenon_tfl_is_float(y) &&
      computed_is_empty(rw, tenon_tfl_in(rw, node, 0)))
    return tenon_rw_replace(
        rw, node,
        tenon_tfl_stored(
            rw, tenon_tfl_expand(rw, tenon_rw_scalar(rw, y->dtype, 0), &to),
            y->quant));
  tenon_value *z =
      tenon_tfl_make(rw, reduction(core), in, 2,
                     TENON_ARGS(tenon_arg_bool("keep_dims", false)), &found);
  if (!attrs->keep_dims) z = tenon_tfl_reshape(rw, z, &to, &moved);
  return tenon_rw_replace(rw, node, z);
}

// ---------------------------------------------------------------------------
// REVERSE_V2
// ---------------------------------------------------------------------------

// Every element by its place in x as one row, from the end along some axes.
tenon_status tenon_tfl_reverse_computed(tenon_rewriter *rw,
                                        const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0), *at = computed_integer(rw, 0);
  const tenon_tfl_shape from = tenon_tfl_shape_of(tenon_rw_type(rw, x));
  axes a;
  TENON_TRY(read_axes(rw, node, &a));
  for (int i = 0; i < from.rank; ++i) {
    tenon_value *p = tenon_tfl_line(rw, from.dims[i], from.rank, i, TENON_S64);
    at = tenon_aten_formula(rw,
                            "at p is_reduced size stride: "
                            "at + (is_reduced ? size - 1 - p : p) * stride",
                            at, p, a.is_reduced[i], a.size[i], a.stride[i]);
  }
  x = tenon_tfl_row(rw, x);
  return tenon_rw_replace(
      rw, node,
      tenon_tfl_index(rw, x, &at, 1, 0, rw->api->result(rw, node, 0)));
}
