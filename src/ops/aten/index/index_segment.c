// Runs of elements put together, and parts of tensors side by side.
#include <math.h>
#include <string.h>

#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"

// --- segment_reduce ----------------------------------------------------------

typedef struct segments {
  tenon_value *ends;     // of each run, [..., segments]
  tenon_value *lengths;  // the same
} segments;

// All of what a formula says of x and n has to hold.
static void check_all(tenon_rewriter *rw, const char *formula, tenon_value *x,
                      tenon_dim n, const char *message) {
  tenon_aten_check(rw, tenon_aten_formula(rw, formula, x, n), message);
}

// From lengths, or from where runs begin and the last one ends. They must be
// all of the dimension.
static tenon_status read_segments(tenon_rewriter *rw, const tenon_node *n,
                                  tenon_value *data, int axis, segments *s) {
  tenon_value *lengths = tenon_aten_in(rw, n, 1);
  tenon_value *offsets = tenon_aten_in(rw, n, 3);
  const tenon_dim zero = tenon_aten_fixed(0), one = tenon_aten_fixed(1);
  // Whether PyTorch looks at the lengths: a run here always does.
  tenon_aten_without_effect(rw, n, "unsafe");
  if (tenon_aten_in(rw, n, 2)) return tenon_rw_fail(rw, "with indices");
  if (!lengths == !offsets) return tenon_rw_fail(rw, "lengths or offsets");
  tenon_value *given =
      tenon_aten_cast(rw, lengths ? lengths : offsets, TENON_S64);
  if (tenon_nn_rank(rw, given) != axis + 1)
    return tenon_rw_fail(rw, "segments of %d dimensions along dimension %d",
                         tenon_nn_rank(rw, given), axis);
  tenon_dim count = tenon_aten_size(rw, given, axis);
  if (lengths) {
    s->lengths = given;
    s->ends = tenon_rw_op(rw, "core::cumsum", &given, 1,
                          TENON_ARGS(tenon_arg_int("axis", axis)));
  } else {
    count = tenon_aten_minus(rw, count, one);
    if (!count.symbol && count.value < 0)
      return tenon_rw_fail(rw, "no offsets");
    tenon_value *starts = tenon_aten_cut(rw, given, axis, zero, count, 1);
    s->ends = tenon_aten_cut(rw, given, axis, one, count, 1);
    s->lengths = tenon_nn_sub(rw, s->ends, starts);
    check_all(rw, "x $n: all(x == n)",
              tenon_aten_cut(rw, given, axis, zero, one, 1), zero,
              "segment_reduce: the first offset is not 0");
  }
  check_all(rw, "x $n: all(x >= n)", s->lengths, zero,
            "segment_reduce: a segment of less than no elements");
  if (tenon_aten_is(count, 0)) return tenon_rw_fail(rw, "no segments");
  const tenon_dim size = tenon_aten_size(rw, data, axis);
  tenon_value *last = tenon_aten_cut(rw, s->ends, axis,
                                     tenon_aten_minus(rw, count, one), one, 1);
  check_all(rw, "x $n: all(x == n)", last, size,
            "segment_reduce: segments that are not all of the dimension");
  return TENON_OK;
}

// Which segment each element is in, in the shape of the data.
static tenon_value *segment_of(tenon_rewriter *rw, const segments *s,
                               tenon_value *data, int axis) {
  tenon_dim dims[TENON_MAX_RANK];
  const int rank = tenon_aten_dims_of(rw, data, dims);
  tenon_value *places = tenon_aten_expand(
      rw, tenon_aten_ramp(rw, TENON_S64, dims[axis]), dims, axis + 1);
  tenon_value *y = tenon_aten_formula(
      rw, "ends at: searchsorted(ends, at, right=true)", s->ends, places);
  for (int d = axis + 1; d < rank; ++d)
    y = tenon_aten_unsqueeze(rw, y, d);
  return tenon_aten_expand(rw, y, dims, rank);
}

// The sum over the length; of no elements what it began with, if that was said.
static tenon_value *segment_mean_of(tenon_rewriter *rw, const segments *s,
                                    tenon_value *sum, double begin) {
  const tenon_dtype t = tenon_nn_type(rw, sum);
  const int rank = tenon_nn_rank(rw, sum);
  tenon_value *n = tenon_aten_cast(rw, s->lengths, t);
  for (int d = tenon_nn_rank(rw, n); d < rank; ++d)
    n = tenon_aten_unsqueeze(rw, n, d);
  return tenon_aten_formula(rw, "n sum #begin: n > 0 ? sum / n : begin", n, sum,
                            begin);
}

TENON_ATEN_LOWER(segment_reduce) {
  static const struct {
    const char *name;
    int mode;
    double begin;
  } ways[] = {{"sum", TENON_SCATTER_ADD, 0},
              {"mean", TENON_SCATTER_ADD, 0},
              {"prod", TENON_SCATTER_MUL, 1},
              {"max", TENON_SCATTER_MAX, -(double)INFINITY},
              {"min", TENON_SCATTER_MIN, (double)INFINITY}};
  const char *reduce = tenon_aten_str(rw, n, "reduce");
  const tenon_scalar initial = tenon_aten_scalar(rw, n, "initial");
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_dtype t = tenon_aten_known(rw, x)->dtype;
  tenon_dim dims[TENON_MAX_RANK];
  segments s = {NULL, NULL};
  size_t way = 0;
  int axis = 0;
  TENON_TRY(tenon_aten_axis_of(rw, n, "axis", x, &axis));
  while (way < 5 && (!reduce || strcmp(ways[way].name, reduce) != 0))
    ++way;
  if (way == 5) return tenon_rw_fail(rw, "an unknown way to reduce");
  if (t != TENON_F32 && t != TENON_F64)
    return tenon_rw_fail(rw, "segments of %s", tenon_dtype_name(t));
  TENON_TRY(read_segments(rw, n, x, axis, &s));
  double begin = ways[way].begin;
  if (initial.kind) begin = tenon_aten_real_of(initial);
  const int rank = tenon_aten_dims_of(rw, x, dims);
  dims[axis] = tenon_aten_size(rw, s.ends, axis);
  tenon_value *in[] = {tenon_nn_filled(rw, t, dims, rank, begin),
                       segment_of(rw, &s, x, axis), x};
  tenon_value *y =
      tenon_rw_op(rw, "core::scatter", in, 3,
                  TENON_ARGS(tenon_arg_int("axis", axis),
                             tenon_arg_int("mode", ways[way].mode)));
  if (way == 1)
    y = segment_mean_of(rw, &s, y, initial.kind ? begin : (double)NAN);
  return tenon_rw_replace(rw, n, y);
}

// --- _chunk_cat --------------------------------------------------------------

enum { MOST_TENSORS = 256 };

// One tensor as chunks of its dimension, what is missing from the last ones
// zeros: [..., chunks, what a chunk has].
static tenon_value *chunked(tenon_rewriter *rw, tenon_value *x, int axis,
                            int64_t chunks) {
  tenon_dim dims[TENON_MAX_RANK];
  int64_t before[TENON_MAX_RANK] = {0}, after[TENON_MAX_RANK] = {0};
  const int rank = tenon_aten_dims_of(rw, x, dims);
  const int64_t size = dims[axis].value, of = (size + chunks - 1) / chunks;
  after[axis] = of * chunks - size;
  tenon_aten_args args = {0};
  tenon_aten_add(&args, tenon_arg_ints("before", before, (size_t)rank));
  tenon_aten_add(&args, tenon_arg_ints("after", after, (size_t)rank));
  if (after[axis]) x = tenon_rw_op(rw, "core::pad", &x, 1, args.list);
  dims[axis] = tenon_aten_fixed(of);
  const tenon_dim last = tenon_aten_product(rw, dims + axis, rank - axis);
  dims[axis] = tenon_aten_fixed(chunks);
  dims[axis + 1] = last;
  return tenon_aten_reshape(rw, x, dims, axis + 2);
}

TENON_ATEN_LOWER(chunk_cat) {
  const int64_t chunks = tenon_aten_int(rw, n, "num_chunks");
  tenon_value *parts[MOST_TENSORS];
  int first = 0, count = rw->api->group(rw, n, 0, &first), axis = 0;
  if (count < 1 || count > MOST_TENSORS || chunks < 1 || chunks > INT32_MAX)
    return tenon_rw_fail(rw, "%d tensors in %lld chunks", count,
                         (long long)chunks);
  TENON_TRY(
      tenon_aten_axis_of(rw, n, "dim", tenon_aten_in(rw, n, first), &axis));
  const int rank = tenon_nn_rank(rw, tenon_aten_in(rw, n, first));
  for (int i = 0; i < count; ++i) {
    parts[i] = tenon_aten_in(rw, n, first + i);
    if (tenon_nn_rank(rw, parts[i]) != rank || rank < 1 ||
        axis + 2 > TENON_MAX_RANK || tenon_aten_size(rw, parts[i], axis).symbol)
      return tenon_rw_fail(rw, "tensor %d has another rank, or an open size",
                           i);
    parts[i] = chunked(rw, parts[i], axis, chunks);
  }
  return tenon_rw_replace(rw, n, tenon_rw_concat(rw, parts, count, axis + 1));
}
