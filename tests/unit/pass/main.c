#include "harness/harness.h"

#define GROUPS(X) \
  X(canonicalise) \
  X(exact)        \
  X(functional) X(lower) X(outline) X(passes) X(pipeline) X(remat) X(stripe)
TEST_MAIN(GROUPS)
