#include "harness/harness.h"

#define GROUPS(X) \
  X(canonicalise) X(exact) X(functional) X(lower) X(passes) X(pipeline)
TEST_MAIN(GROUPS)
