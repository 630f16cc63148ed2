#include "harness/harness.h"

#define GROUPS(X) \
  X(flatbuf) X(flexbuf) X(read) X(shapes) X(tflite_model) X(tflite)
TEST_MAIN(GROUPS)
