// base_test.c - the tests of base/ that need no POSIX; windows/os has the door.
#include "harness/harness.h"

#define GROUPS(X) \
  X(arena)        \
  X(buf) X(bytes) X(hash) X(heap) X(intern) X(map) X(size) X(text) X(vec)
TEST_MAIN(GROUPS)
