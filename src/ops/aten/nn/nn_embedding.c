// Rows of tables.
#include <string.h>

#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"

// A node that is refused, with the results from the second on: they are for
// gradients, and nobody minds unless a program reads one.
static void leave_rest(tenon_rewriter *rw, const tenon_node *n,
                       tenon_value **out) {
  const tenon_type *types[4];
  tenon_value *in[3];
  for (int i = 0; i < 3; ++i)
    in[i] = tenon_aten_in(rw, n, i);
  for (int i = 0; i < 4; ++i)
    types[i] = tenon_aten_result(rw, n, i);
  tenon_rw_build(rw, "aten::_embedding_bag", in, 3,
                 TENON_ARGS(tenon_arg_int("mode", -1)), out, 4, types);
}

TENON_ATEN_LOWER(embedding_bag) {
  tenon_value *w = tenon_aten_in(rw, n, 0), *index = tenon_aten_in(rw, n, 1);
  tenon_value *offset = tenon_aten_in(rw, n, 2);
  tenon_value *factor = tenon_aten_in(rw, n, 3), *out[4], *in[4];
  int64_t padding = -1, mode = tenon_aten_int(rw, n, "mode");
  if (mode < 0) return tenon_rw_fail(rw, "its results for gradients");
  if (tenon_aten_has(rw, n, "padding_idx"))
    padding = tenon_aten_int(rw, n, "padding_idx");
  // Negative from the end where it may be None, else absent.
  bool is_none = !tenon_aten_has(rw, n, "padding_idx") ||
                 (padding == -1 && tenon_aten_user(rw));
  tenon_dim rows = tenon_nn_dim(rw, w, 0);
  if (!is_none && padding < 0) {
    if (rows.symbol) return tenon_rw_fail(rw, "'padding_idx' from an open end");
    padding += rows.value;
  }
  if (tenon_nn_rank(rw, index) != 1 || !offset)
    return tenon_rw_fail(rw, "indices with %d dimensions",
                         tenon_nn_rank(rw, index));
  tenon_dim bags = tenon_nn_dim(rw, offset, 0);
  if (tenon_aten_bool(rw, n, "include_last_offset"))
    offset = tenon_nn_cut(
        rw, offset, 0, 0,
        rw->api->dim(rw, TENON_DIM_SUB, bags, tenon_aten_fixed(1)));
  in[0] = tenon_nn_wide(rw, w);
  in[1] = tenon_aten_cast(rw, index, TENON_S64);
  in[2] = tenon_aten_cast(rw, offset, TENON_S64);
  in[3] = factor ? tenon_nn_wide(rw, factor) : NULL;
  leave_rest(rw, n, out);
  out[0] = tenon_nn_as_result(
      rw, n, 0,
      tenon_rw_op(
          rw, "core::embedding_bag", in, factor ? 4 : 3,
          TENON_ARGS(tenon_arg_int("mode", mode),
                     tenon_arg_int("padding", is_none ? -1 : padding))));
  return rw->api->replace(rw, n, out, 4);
}

// Rows that indices name, where their norm is more than max_norm, are scaled
// to it; the factor is computed in f64, with 1e-7 added to the norm.
TENON_ATEN_LOWER(embedding_renorm) {
  tenon_value *w = tenon_aten_in(rw, n, 0), *index = tenon_aten_in(rw, n, 1);
  const int64_t axis[] = {1};
  const double most = tenon_aten_float(rw, n, "max_norm");
  if (tenon_nn_rank(rw, w) != 2)
    return tenon_rw_fail(rw, "a table that is no matrix");
  TENON_TRY(tenon_nn_need_float(rw, w));
  tenon_value *norm = tenon_aten_cast(
      rw,
      tenon_rw_op(
          rw, "aten::linalg_vector_norm", &w, 1,
          TENON_ARGS(
              tenon_arg_float("ord", tenon_aten_float(rw, n, "norm_type")),
              tenon_arg_ints("dim", axis, 1), tenon_arg_bool("keepdim", true))),
      TENON_F64);
  const tenon_dim rows[] = {tenon_nn_dim(rw, w, 0), tenon_aten_fixed(1)};
  index = tenon_aten_flat(rw, index);
  const tenon_dim count = tenon_aten_size(rw, index, 0);
  tenon_value *named =
      tenon_aten_put(rw, tenon_nn_filled(rw, TENON_BOOL, rows, 1, 0),
                     tenon_nn_filled(rw, TENON_BOOL, &count, 1, 1), &index, 1,
                     0, TENON_SCATTER_SET, true, TENON_ATEN_FROM_START);
  return tenon_rw_replace(
      rw, n,
      tenon_aten_formula(
          rw,
          "w wide norm named #most: f = most / (norm + 1e-7);"
          "norm > most & named ? like(wide * like(f, wide), w) : w",
          w, tenon_nn_wide(rw, w), norm, tenon_aten_reshape(rw, named, rows, 2),
          most));
}
