#include "harness/harness.h"

#define GROUPS(X) \
  X(aten_set) X(higher_order) X(tfl_options) X(tfl_infer) X(tfl_lower)
TEST_MAIN(GROUPS)
