#include "harness/harness.h"

#define GROUPS(X) \
  X(arena)        \
  X(buf)          \
  X(bytes)        \
  X(hash)         \
  X(heap)         \
  X(intern)       \
  X(map)          \
  X(os)           \
  X(os_process)   \
  X(put)          \
  X(size)         \
  X(text)         \
  X(vec)

TEST_MAIN(GROUPS)
