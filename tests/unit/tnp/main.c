#include "harness/harness.h"

#define GROUPS(X) X(memories) X(overlaps)
TEST_MAIN(GROUPS)
