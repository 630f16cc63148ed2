// Channels repeated for depthwise convolutions with more outputs than channels.
#include "ops/aten/nn/nn_conv.h"

tenon_value *tenon_nn_conv_repeat(tenon_rewriter *rw, const tenon_nn_conv *c,
                                  tenon_value *x, int64_t outputs) {
  const int rank = tenon_nn_rank(rw, x);
  tenon_dim one_each[TENON_MAX_RANK], each[TENON_MAX_RANK], all[TENON_MAX_RANK];
  const int64_t times = outputs / c->groups;
  if (times < 2 || rank >= TENON_MAX_RANK || !c->is_known) return x;
  for (int i = 0; i < rank; ++i)
    one_each[i] = each[i] = all[i] = tenon_nn_dim(rw, x, i);
  one_each[rank] = tenon_aten_fixed(1);
  each[rank] = tenon_aten_fixed(times);
  all[rank - 1] = tenon_aten_fixed(outputs);
  x = tenon_aten_reshape(rw, x, one_each, rank + 1);
  x = tenon_aten_expand(rw, x, each, rank + 1);
  return tenon_aten_reshape(rw, x, all, rank);
}
