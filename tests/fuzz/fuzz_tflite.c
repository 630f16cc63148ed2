// Any bytes as a model: reading ends in a module that verifies and prints, or
// in one report with a place, and gives back what it took. The operators are
// those of this build and of tests/unit/read/test_ops.c.
#include "fuzz/reading.h"
#include "read/read.h"

extern const struct tenon_plugin test_plugin;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static tenon_context *cx;
  if (!cx) cx = fuzz_context(&test_plugin);
  // Text IR has a target of its own.
  if (tenon_tflite_recognise(data, size)) fuzz_read(cx, data, size);
  return 0;
}
