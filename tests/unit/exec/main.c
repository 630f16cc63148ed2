#include "harness/harness.h"

#define GROUPS(X) X(session) X(sizes) X(threads)
TEST_MAIN(GROUPS)
