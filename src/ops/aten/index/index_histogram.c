// Histograms: cells between edges, which are given or equal ones over a range.
//
// A number lies in the cell whose first edge is the last that it reaches; the
// last cell has its upper edge. So cells are found among the edges, also among
// equal ones, as PyTorch does.
#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"

typedef struct cells {
  tenon_value *x, *weight;  // [count, n]; [count], or null
  tenon_value *edges[TENON_MAX_RANK];
  int n;
  tenon_dtype type;
} cells;

static tenon_value *one_of(tenon_rewriter *rw, tenon_value *x, int axis,
                           int64_t at) {
  return tenon_aten_select(rw, x, axis, tenon_aten_fixed(at));
}

// Operand 0 as rows of n numbers, and the weights.
static tenon_status read_cells(tenon_rewriter *rw, const tenon_node *n,
                               int weight, bool is_flat, cells *c) {
  tenon_dim dims[TENON_MAX_RANK], two[2];
  tenon_value *x = tenon_aten_in(rw, n, 0), *w = tenon_aten_in(rw, n, weight);
  const int rank = tenon_aten_dims_of(rw, x, dims);
  c->type = tenon_aten_known(rw, x)->dtype;
  if (c->type != TENON_F32 && c->type != TENON_F64)
    return tenon_rw_fail(rw, "a histogram of %s", tenon_dtype_name(c->type));
  if (!is_flat && rank < 2) return tenon_rw_fail(rw, "rank %d", rank);
  two[0] = tenon_aten_product(rw, dims, is_flat ? rank : rank - 1);
  two[1] = is_flat ? tenon_aten_fixed(1) : dims[rank - 1];
  if (two[1].symbol || two[1].value < 1 || two[1].value > TENON_MAX_RANK)
    return tenon_rw_fail(rw, "an open number of dimensions, or more than %d",
                         TENON_MAX_RANK);
  c->n = (int)two[1].value;
  c->x = tenon_aten_reshape(rw, x, two, 2);
  c->weight = w ? tenon_aten_flat(rw, w) : NULL;
  if (w && tenon_aten_known(rw, w)->dtype != c->type)
    return tenon_rw_fail(rw, "weights of another element type");
  return TENON_OK;
}

// The smallest and the largest number, half a unit further where they are one.
static void histogram_range_of(tenon_rewriter *rw, tenon_value *x,
                               tenon_value *out[2]) {
  static const char *const ops[2] = {"core::amin", "core::amax"};
  const tenon_dtype t = tenon_nn_type(rw, x);
  for (int i = 0; i < 2; ++i) {
    out[i] = tenon_aten_is(tenon_aten_size(rw, x, 0), 0)
                 ? tenon_aten_real(rw, t, i)
                 : tenon_aten_reduce(rw, ops[i], x, 1u, false);
    tenon_aten_check(rw, tenon_aten_formula(rw, "x: x - x == 0", out[i]),
                     "a histogram over a range that is not finite");
  }
  out[0] =
      tenon_aten_formula(rw,
                         "a b &high: one = a == b; high = one ? b + 0.5 : b;"
                         "one ? a - 0.5 : a",
                         out[0], out[1], &out[1]);
}

// Edges of equal cells along dimension d; `range` has two numbers for each.
static tenon_status make_edges(tenon_rewriter *rw, const tenon_node *n,
                               cells *c, int d, int64_t bins) {
  const tenon_floats range = tenon_aten_floats(rw, n, "range");
  tenon_value *ends[2] = {NULL, NULL};
  if (bins < 1) return tenon_rw_fail(rw, "%lld cells", (long long)bins);
  if (range.data) {
    if (range.count != 2 * (size_t)c->n)
      return tenon_rw_fail(rw, "%zu ends of %d ranges", range.count, c->n);
    double lo = range.data[2 * d], hi = range.data[2 * d + 1];
    if (!(lo <= hi) || lo - lo != 0.0 || hi - hi != 0.0)
      return tenon_rw_fail(rw, "the range from %g to %g", lo, hi);
    const double half = lo == hi ? 0.5 : 0.0;
    ends[0] = tenon_aten_real(rw, c->type, lo - half);
    ends[1] = tenon_aten_real(rw, c->type, hi + half);
  } else {
    histogram_range_of(rw, one_of(rw, c->x, 1, d), ends);
  }
  tenon_aten_args args = {0};
  tenon_aten_add(&args, tenon_arg_int("steps", bins + 1));
  tenon_aten_add(&args, tenon_arg_dtype("dtype", c->type));
  const tenon_dim size = tenon_aten_fixed(bins + 1);
  const tenon_type type = {.dims = &size, .dtype = c->type, .rank = 1};
  c->edges[d] = tenon_aten_make(rw, "aten::linspace.Tensor_Tensor", ends, 2,
                                args.list, &type);
  return TENON_OK;
}

// Edges as tensors, operands from `first` on.
static tenon_status take_edges(tenon_rewriter *rw, const tenon_node *n,
                               int first, int count, cells *c) {
  if (count != c->n)
    return tenon_rw_fail(rw, "edges of %d dimensions, not %d", count, c->n);
  for (int d = 0; d < count; ++d) {
    c->edges[d] = tenon_aten_in(rw, n, first + d);
    const tenon_type *t = tenon_aten_known(rw, c->edges[d]);
    if (t->dtype != c->type || t->rank != 1 || t->dims[0].symbol ||
        t->dims[0].value < 2)
      return tenon_rw_fail(rw, "edges that are not two or more of %s",
                           tenon_dtype_name(c->type));
  }
  return TENON_OK;
}

// The cell of each number along dimension d, 0 of those that lie outside, which
// `inside` leaves out.
static tenon_value *find_cells(tenon_rewriter *rw, const cells *c, int d,
                               tenon_dim bins, tenon_value **inside) {
  tenon_value *x = one_of(rw, c->x, 1, d);
  tenon_value *is_in = tenon_aten_formula(
      rw, "x first last: x >= first & x <= last", x,
      one_of(rw, c->edges[d], 0, 0), one_of(rw, c->edges[d], 0, bins.value));
  *inside =
      *inside ? tenon_rw_op2(rw, "core::bitwise_and", *inside, is_in) : is_in;
  return tenon_aten_formula(
      rw,
      "edges x in #last:"
      "in ? minimum(searchsorted(edges, x, right=true) - 1, last) : 0",
      c->edges[d], x, is_in, (double)(bins.value - 1));
}

static tenon_value *count_cells(tenon_rewriter *rw, const tenon_node *n,
                                const cells *c) {
  tenon_dim bins[TENON_MAX_RANK];
  tenon_value *at[TENON_MAX_RANK], *inside = NULL;
  for (int d = 0; d < c->n; ++d) {
    bins[d] = tenon_aten_size(rw, c->edges[d], 0);
    bins[d].value -= 1;
    at[d] = find_cells(rw, c, d, bins[d], &inside);
  }
  const tenon_dim count = tenon_aten_size(rw, c->x, 0);
  tenon_value *y = tenon_aten_put(
      rw, tenon_nn_filled(rw, c->type, bins, c->n, 0),
      tenon_rw_where(
          rw, inside,
          c->weight ? c->weight : tenon_nn_filled(rw, c->type, &count, 1, 1),
          tenon_aten_real(rw, c->type, 0)),
      at, c->n, 0, TENON_SCATTER_ADD, true, TENON_ATEN_FROM_START);
  if (!tenon_aten_bool(rw, n, "density")) return y;
  y = tenon_nn_div(
      rw, y, tenon_aten_reduce(rw, "core::sum", y, (1u << c->n) - 1, false));
  for (int d = 0; d < c->n; ++d) {
    const tenon_dim one = tenon_aten_fixed(1), none = tenon_aten_fixed(0);
    tenon_value *width =
        tenon_nn_sub(rw, tenon_aten_cut(rw, c->edges[d], 0, one, bins[d], 1),
                     tenon_aten_cut(rw, c->edges[d], 0, none, bins[d], 1));
    y = tenon_nn_div(rw, y, tenon_nn_beside(rw, width, c->n, d));
  }
  return y;
}

// The row: "f" one dimension, whatever x has; "t" edges as tensors; then what
// it gives: "h" the histogram, "e" the edges, "b" both.
TENON_ATEN_LOWER(histogram) {
  const char *form = tenon_aten_user(rw);
  const bool is_flat = form[0] == 'f', has_edges = form[1] == 't';
  tenon_value *out[1 + TENON_MAX_RANK];
  int first = 1, count = 0, at = 0;
  cells c = {0};
  if (has_edges) count = is_flat ? 1 : rw->api->group(rw, n, 1, &first);
  TENON_TRY(read_cells(rw, n, first + count, is_flat, &c));
  if (has_edges) TENON_TRY(take_edges(rw, n, first, count, &c));
  const tenon_arg *bins = tenon_aten_arg(rw, n, "bins");
  const bool is_list = bins->kind == TENON_KIND_INTS;
  if (!has_edges && is_list && bins->as.ints.count != (size_t)c.n)
    return tenon_rw_fail(rw, "cells of %zu dimensions, not %d",
                         bins->as.ints.count, c.n);
  for (int d = 0; !has_edges && d < c.n; ++d)
    TENON_TRY(
        make_edges(rw, n, &c, d, is_list ? bins->as.ints.data[d] : bins->as.i));
  if (form[2] == 'e')
    // They are the same with weights, and whatever is made of the counts.
    tenon_aten_without_effect(rw, n, "density");
  else
    out[at++] = count_cells(rw, n, &c);
  for (int d = 0; form[2] != 'h' && d < c.n; ++d)
    out[at++] = c.edges[d];
  return rw->api->replace(rw, n, out, at);
}
