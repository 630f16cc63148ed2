#include "harness/harness.h"

#define GROUPS(X) X(fast)
TEST_MAIN(GROUPS)
