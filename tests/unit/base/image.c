// tests/unit/base/image.c - a shared library for os_test.c to open.
#include "tenon/base.h"

TENON_EXPORT int image_value(void);
int image_below_value(void);

int image_value(void) {
  return image_below_value() + 1;
}
