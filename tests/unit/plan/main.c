#include "harness/harness.h"

#define GROUPS(X) X(plan) X(states)
TEST_MAIN(GROUPS)
