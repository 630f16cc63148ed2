#include "harness/harness.h"

#define GROUPS(X) \
  X(attr_bind)    \
  X(attr)         \
  X(attr_value)   \
  X(dtype)        \
  X(loc)          \
  X(report)       \
  X(schema)       \
  X(strided)      \
  X(symbol)       \
  X(template)     \
  X(type)

TEST_MAIN(GROUPS)
