#include "harness/harness.h"

#define GROUPS(X) X(pack)
TEST_MAIN(GROUPS)
