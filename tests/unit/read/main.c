#include "harness/harness.h"

#define GROUPS(X) \
  X(flatbuf)      \
  X(flexbuf)      \
  X(pickle)       \
  X(pt2)          \
  X(pt2_expr)     \
  X(pt2_vmap) X(read) X(shapes) X(tflite_model) X(tflite) X(weights) X(zip)
TEST_MAIN(GROUPS)
