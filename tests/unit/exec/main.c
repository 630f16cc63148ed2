#include "harness/harness.h"

#define GROUPS(X) X(pieces) X(session) X(sizes) X(threads) X(timing)
TEST_MAIN(GROUPS)
