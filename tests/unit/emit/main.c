#include "harness/harness.h"

#define GROUPS(X) \
  X(cprint)       \
  X(idents)       \
  X(shake)        \
  X(sink) X(strip) X(emission) X(hostile) X(open) X(program) X(refusal) X(texts)
TEST_MAIN(GROUPS)
