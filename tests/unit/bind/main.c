#include "harness/harness.h"

#define GROUPS(X) X(choose) X(target) X(trials)
TEST_MAIN(GROUPS)
