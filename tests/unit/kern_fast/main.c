#include "harness/harness.h"

#define GROUPS(X) X(fast) X(matmul)
TEST_MAIN(GROUPS)
