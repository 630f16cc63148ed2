// Any text as the JSON of a program, in an archive with one weight: reading
// ends in a module that verifies and prints, or in one report with a place. A
// text that begins with PK is the archive itself.
#include <stdlib.h>
#include <string.h>

#include "fuzz/reading.h"
#include "read/read.h"
#include "unit/read/archives.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static tenon_context *cx;
  if (!cx) cx = fuzz_context(NULL);
  if (tenon_pt2_recognise(data, size)) {
    fuzz_read(cx, data, size);
    return 0;
  }
  archive a;
  char *text = (char *)malloc(size + 1);
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  archive_program(&a, text, weights_text);
  free(text);
  fuzz_read(cx, a.data, a.size);
  archive_free(&a);
  return 0;
}
