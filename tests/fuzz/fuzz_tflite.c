// Any bytes as a model: reading ends in a module that verifies and prints, or
// in one report with a place, and gives back what it took. The operators are
// those of this build and of tests/unit/read/test_ops.c.
#include <stdlib.h>
#include <string.h>

#include "ir/text/print.h"
#include "read/read.h"
#include "reg/context.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct tenon_plugin test_plugin;

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

// One context for all inputs: it is immutable once a module was read.
static tenon_context *make_context(void) {
  tenon_context *cx = NULL;
  tenon_context_options options = {.struct_size = sizeof options,
                                   .diag = {NULL, count}};
  if (tenon_context_create(&options, &cx) != TENON_OK) abort();
  if (tenon_context_add(cx, &test_plugin) != TENON_OK) abort();
  return cx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static tenon_context *cx;
  tenon_module *m = NULL;
  if (!cx) cx = make_context();
  // Text IR has a target of its own.
  if (!tenon_tflite_recognise(data, size)) return 0;
  errors = 0;
  tenon_status status = tenon_read_module(cx, data, size, NULL, &m);
  if (errors != (status != TENON_OK)) abort();
  if ((m != NULL) != (status == TENON_OK)) abort();
  if (m && tenon_print_module(m, 0, drop, NULL) != TENON_OK) abort();
  tenon_module_release(m);
  return 0;
}
