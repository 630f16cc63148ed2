#include "harness/harness.h"

#define GROUPS(X) X(blocks) X(layouts) X(memories) X(open) X(overlaps)
TEST_MAIN(GROUPS)
