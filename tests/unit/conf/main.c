#include "harness/harness.h"

#define GROUPS(X) X(yaml)
TEST_MAIN(GROUPS)
