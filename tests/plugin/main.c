#include "harness/harness.h"

#define GROUPS(X) X(admission) X(builds)
TEST_MAIN(GROUPS)
