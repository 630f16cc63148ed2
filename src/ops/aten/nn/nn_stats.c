// Normalisation in training changes its running statistics, of which the
// schemas of batch_norm and its like say nothing. Before writes become values,
// such a node becomes one whose schema does.
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

// Operands input, weight, bias, running_mean, running_var; absent ones are
// null.
enum { X, WEIGHT, BIAS, MEAN, VARIANCE, OPERANDS };

static void operands_of(tenon_rewriter *rw, const tenon_node *n,
                        tenon_value *in[OPERANDS]) {
  for (int i = 0; i < OPERANDS; ++i)
    in[i] = tenon_aten_in(rw, n, i);
}

static void legit(tenon_rewriter *rw, const tenon_node *n,
                  tenon_value *const in[OPERANDS],
                  const tenon_type *const types[3], tenon_value *out[3]) {
  tenon_rw_build(
      rw, "aten::_native_batch_norm_legit", in, OPERANDS,
      TENON_ARGS(
          tenon_arg_bool("training", true),
          tenon_arg_float("momentum", tenon_aten_float(rw, n, "momentum")),
          tenon_arg_float("eps", tenon_aten_float(rw, n, "eps"))),
      out, 3, types);
}

// Also native_batch_norm, which gives what the other has beside y.
static tenon_status batch_norm_writes(tenon_rewriter *rw, const tenon_node *n) {
  const int n_results = *(const int *)rw->api->user(rw);
  tenon_aten_without_effect(rw, n, "cudnn_enabled");
  tenon_value *in[OPERANDS], *out[3] = {NULL, NULL, NULL};
  operands_of(rw, n, in);
  if (!in[MEAN] || !in[VARIANCE] || !tenon_aten_bool(rw, n, "training"))
    return TENON_OK;
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  const tenon_type *mean = tenon_rw_type(rw, in[MEAN]);
  const tenon_type *types[3] = {y, mean, mean};
  for (int i = 1; i < n_results; ++i)
    types[i] = tenon_aten_result(rw, n, i);
  legit(rw, n, in, types, out);
  return rw->api->replace(rw, n, out, n_results);
}

// Each element of the batch is as many channels of its own, with its own copy
// of the statistics; the mean of the copies is what is kept.
static tenon_status instance_norm_writes(tenon_rewriter *rw,
                                         const tenon_node *n) {
  tenon_value *in[OPERANDS], *out[3] = {NULL, NULL, NULL}, *kept[OPERANDS];
  tenon_dim dims[TENON_MAX_RANK];
  operands_of(rw, n, in);
  tenon_aten_without_effect(rw, n, "cudnn_enabled");
  if (!in[MEAN] || !in[VARIANCE] || !tenon_aten_bool(rw, n, "use_input_stats"))
    return TENON_OK;
  const tenon_type *x = tenon_rw_type(rw, in[X]);
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  if (!x || !y || x->rank < 2) return tenon_rw_fail(rw, "no channels");
  tenon_dim batch = x->dims[0], channels = x->dims[1];
  tenon_dim both[2] = {batch, channels}, all = tenon_aten_product(rw, both, 2);
  for (int d = 0; d < x->rank; ++d)
    dims[d] = d == 0 ? tenon_aten_fixed(1) : d == 1 ? all : x->dims[d];
  const int rank = x->rank;
  memcpy(kept, in, sizeof kept);
  in[X] = tenon_aten_reshape(rw, in[X], dims, rank);
  for (int i = WEIGHT; i < OPERANDS; ++i) {
    if (!in[i]) continue;
    in[i] = tenon_rw_op(rw, "aten::repeat", in + i, 1,
                        TENON_ARGS(tenon_arg_dims("repeats", &batch, 1)));
  }
  const tenon_type *mean = tenon_rw_type(rw, in[MEAN]);
  tenon_type flat = *y;
  flat.dims = dims;
  flat.rank = (uint8_t)rank;
  const tenon_type *types[3] = {&flat, mean, mean};
  legit(rw, n, in, types, out);
  for (int i = MEAN; i < OPERANDS; ++i) {
    tenon_value *two[2] = {kept[i], tenon_aten_reshape(rw, in[i], both, 2)};
    two[1] = tenon_aten_reduce(rw, "core::mean", two[1], 1, false);
    (void)tenon_aten_make(rw, "aten::copy_", two, 2, NULL,
                          tenon_rw_type(rw, kept[i]));
  }
  tenon_value *result = tenon_aten_reshape(rw, out[0], y->dims, y->rank);
  return tenon_rw_replace(rw, n, result);
}

static const int one = 1, three = 3;

const tenon_lowering_desc tenon_aten_batch_norm_writes = {
    .struct_size = sizeof(tenon_lowering_desc),
    .name = "batch_norm writes its statistics",
    .op = "aten::batch_norm",
    .pass = "functional",
    .lower = batch_norm_writes,
    .user = &one,
};
const tenon_lowering_desc tenon_aten_native_batch_norm_writes = {
    .struct_size = sizeof(tenon_lowering_desc),
    .name = "native_batch_norm writes its statistics",
    .op = "aten::native_batch_norm",
    .pass = "functional",
    .lower = batch_norm_writes,
    .user = &three,
};
const tenon_lowering_desc tenon_aten_instance_norm_writes = {
    .struct_size = sizeof(tenon_lowering_desc),
    .name = "instance_norm writes its statistics",
    .op = "aten::instance_norm",
    .pass = "functional",
    .lower = instance_norm_writes,
};
