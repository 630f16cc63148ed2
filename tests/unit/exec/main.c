#include "harness/harness.h"

#define GROUPS(X) \
  X(carried) X(pieces) X(session) X(sizes) X(strings) X(threads) X(timing)
TEST_MAIN(GROUPS)
