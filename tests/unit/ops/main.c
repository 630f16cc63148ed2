#include "harness/harness.h"

#define GROUPS(X) X(tfl_options) X(tfl_infer) X(tfl_lower)
TEST_MAIN(GROUPS)
