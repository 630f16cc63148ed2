#include "harness/harness.h"

#define GROUPS(X) \
  X(fast)         \
  X(cut)          \
  X(deep)         \
  X(matmul)       \
  X(attention)    \
  X(layer_norm)   \
  X(lookup)       \
  X(strassen)     \
  X(winograd)     \
  X(open)         \
  X(each)         \
  X(recurrent)    \
  X(sort)         \
  X(resample)     \
  X(softmax)      \
  X(half) X(hybrid) X(integer) X(move) X(sum) X(arith) X(bytes) X(weight_only)
TEST_MAIN(GROUPS)
