// Rows of tables.
#include <string.h>

#include "ops/aten/aten_nn.h"

// `padding_idx`, `scale_grad_by_freq` and `sparse` are about gradients.
tenon_status tenon_aten_embedding_lower(tenon_rewriter *rw,
                                        const tenon_node *n) {
  // Of gradients alone.
  tenon_aten_without_effect(rw, n, "padding_idx");
  tenon_value *in[] = {tenon_aten_in(rw, n, 0), tenon_aten_in(rw, n, 1)};
  const tenon_arg args[] = {tenon_arg_int("axis", 0),
                            tenon_arg_bool("wrap", false), TENON_END_ARGS};
  static const uint16_t groups[] = {0, 1, 2};
  return tenon_rw_replace(
      rw, n, tenon_rw_op_of_lists(rw, "core::index", in, 2, groups, args));
}

// A node that is refused, with the results from the second on: they are for
// gradients, and nobody minds unless a program reads one.
static void leave_rest(tenon_rewriter *rw, const tenon_node *n,
                       tenon_value **out) {
  const tenon_type *types[4];
  const tenon_arg args[] = {tenon_arg_int("mode", -1), TENON_END_ARGS};
  tenon_value *in[3];
  tenon_build b = {.struct_size = sizeof(tenon_build)};
  for (int i = 0; i < 3; ++i)
    in[i] = tenon_aten_in(rw, n, i);
  for (int i = 0; i < 4; ++i)
    types[i] = tenon_aten_result(rw, n, i);
  b.n_in = 3;
  b.n_out = 4;
  b.op = "aten::_embedding_bag";
  b.args = args;
  b.in = in;
  b.out = out;
  b.types = types;
  rw->api->build(rw, &b);
}

tenon_status tenon_aten_embedding_bag_lower(tenon_rewriter *rw,
                                            const tenon_node *n) {
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
  tenon_aten_args args = {0};
  tenon_aten_add(&args, tenon_arg_int("mode", mode));
  tenon_aten_add(&args, tenon_arg_int("padding", is_none ? -1 : padding));
  in[0] = tenon_nn_wide(rw, w);
  in[1] = tenon_aten_cast(rw, index, TENON_S64);
  in[2] = tenon_aten_cast(rw, offset, TENON_S64);
  in[3] = factor ? tenon_nn_wide(rw, factor) : NULL;
  leave_rest(rw, n, out);
  out[0] = tenon_nn_as_result(rw, n, 0,
                              tenon_aten_make(rw, "core::embedding_bag", in,
                                              factor ? 4 : 3, &args, NULL));
  return rw->api->replace(rw, n, out, 4);
}
