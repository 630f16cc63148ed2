#include "harness/harness.h"

#define GROUPS(X) \
  X(fixed)        \
  X(half)         \
  X(real)         \
  X(real64)       \
  X(litert)       \
  X(conv)         \
  X(decide)       \
  X(element)      \
  X(move)         \
  X(window)       \
  X(sources) X(infer) X(factor) X(generator) X(line) X(sum) X(runs) X(types)
TEST_MAIN(GROUPS)
