#include "harness/harness.h"

#define GROUPS(X)  \
  X(build)         \
  X(edit)          \
  X(infer)         \
  X(out_variant)   \
  X(parse)         \
  X(print)         \
  X(rewrite)       \
  X(rewrite_asked) \
  X(rewrite_room)  \
  X(turned)        \
  X(verify)

TEST_MAIN(GROUPS)
