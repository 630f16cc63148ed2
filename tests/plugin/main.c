#include "harness/harness.h"

#define GROUPS(X) X(admission) X(builds) X(contexts)
TEST_MAIN(GROUPS)
