// tests/unit/base/image_below.c - what image.c rests on.
#include "tenon/base.h"

TENON_EXPORT int image_below_value(void);

int image_below_value(void) {
  return 41;
}
