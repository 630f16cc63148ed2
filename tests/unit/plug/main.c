#include "harness/harness.h"

#define GROUPS(X) X(compile) X(load)
TEST_MAIN(GROUPS)
