#include "harness/harness.h"

#define GROUPS(X)    \
  X(affine)          \
  X(bands)           \
  X(branches)        \
  X(canonicalise)    \
  X(channels)        \
  X(channels_random) \
  X(channels_range)  \
  X(exact)           \
  X(functional)      \
  X(gates)           \
  X(lower)           \
  X(outline)         \
  X(passes)          \
  X(pipeline)        \
  X(remat)           \
  X(strassen)        \
  X(stripe)          \
  X(winograd)
TEST_MAIN(GROUPS)
