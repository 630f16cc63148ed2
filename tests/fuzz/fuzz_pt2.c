// Any text as the JSON of a program, in an archive with one weight: reading
// ends in a module that verifies and prints, or in one report with a place. A
// text that begins with PK is the archive itself.
#include <stdlib.h>
#include <string.h>

#include "ir/text/print.h"
#include "read/read.h"
#include "reg/context.h"
#include "unit/read/archives.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int errors;

static void count(void *self, const tenon_diag *diag) {
  (void)self;
  if (diag->severity != TENON_ERROR) return;
  if (strcmp(diag->id, "bug") == 0) abort();
  if (!diag->place || !diag->place->where) abort();
  ++errors;
}

static tenon_status drop(void *self, const char *file, const char *text,
                         size_t size) {
  (void)self, (void)file, (void)text, (void)size;
  return TENON_OK;
}

static tenon_context *make_context(void) {
  tenon_context *cx = NULL;
  tenon_context_options options = {.struct_size = sizeof options,
                                   .diag = {NULL, count}};
  if (tenon_context_create(&options, &cx) != TENON_OK) abort();
  return cx;
}

static void read_bytes(tenon_context *cx, const void *data, size_t size) {
  tenon_module *m = NULL;
  errors = 0;
  tenon_status status = tenon_read_module(cx, data, size, NULL, &m);
  if (errors != (status != TENON_OK)) abort();
  if ((m != NULL) != (status == TENON_OK)) abort();
  if (m && tenon_print_module(m, 0, drop, NULL) != TENON_OK) abort();
  tenon_module_release(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static tenon_context *cx;
  if (!cx) cx = make_context();
  if (tenon_pt2_recognise(data, size)) {
    read_bytes(cx, data, size);
    return 0;
  }
  archive a;
  char *text = (char *)malloc(size + 1);
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  archive_program(&a, text, weights_text);
  free(text);
  read_bytes(cx, a.data, a.size);
  archive_free(&a);
  return 0;
}
