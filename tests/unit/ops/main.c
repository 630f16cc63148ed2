#include "harness/harness.h"

#define GROUPS(X)  \
  X(aten_set)      \
  X(aten_types)    \
  X(core_sizes)    \
  X(fourier)       \
  X(unique)        \
  X(higher_order)  \
  X(quant_dynamic) \
  X(quant_fold)    \
  X(quant_weight)  \
  X(tfl_options) X(tfl_infer) X(tfl_lower) X(tfl_index) X(tfl_layer)
TEST_MAIN(GROUPS)
