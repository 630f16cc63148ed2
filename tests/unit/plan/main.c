#include "harness/harness.h"

#define GROUPS(X) X(plan) X(loops) X(states)
TEST_MAIN(GROUPS)
