#include "harness/harness.h"

#define GROUPS(X) X(session) X(threads)
TEST_MAIN(GROUPS)
