#include "harness/harness.h"

#define GROUPS(X) X(memories)
TEST_MAIN(GROUPS)
