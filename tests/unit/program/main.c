#include "harness/harness.h"

#define GROUPS(X) X(pack) X(pack_exact) X(pack_group) X(ordering) X(joined)
TEST_MAIN(GROUPS)
