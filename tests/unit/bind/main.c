#include "harness/harness.h"

#define GROUPS(X) X(choose) X(target)
TEST_MAIN(GROUPS)
