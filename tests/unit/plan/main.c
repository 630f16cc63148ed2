#include "harness/harness.h"

#define GROUPS(X) \
  X(plan)         \
  X(loops) X(states) X(reorder) X(overlap) X(banks) X(cold) X(ports)
TEST_MAIN(GROUPS)
