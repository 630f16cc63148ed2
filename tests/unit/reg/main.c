#include "harness/harness.h"

#define GROUPS(X) \
  X(add) X(admit) X(catalog) X(custom) X(freeze) X(kernel_types) X(op_name)
TEST_MAIN(GROUPS)
