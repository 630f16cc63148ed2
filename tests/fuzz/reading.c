#include "fuzz/reading.h"

#include <stdlib.h>
#include <string.h>

#include "ir/text/print.h"
#include "read/read.h"

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

tenon_context *fuzz_context(const tenon_plugin *plugin) {
  tenon_context *cx = NULL;
  tenon_context_options options = {.struct_size = sizeof options,
                                   .diag = {NULL, count}};
  if (tenon_context_create(&options, &cx) != TENON_OK) abort();
  if (plugin && tenon_context_add(cx, plugin) != TENON_OK) abort();
  return cx;
}

void fuzz_read(tenon_context *cx, const void *data, size_t size) {
  tenon_module *m = NULL;
  errors = 0;
  tenon_status status = tenon_read_module(cx, data, size, NULL, &m);
  if (errors != (status != TENON_OK)) abort();
  if ((m != NULL) != (status == TENON_OK)) abort();
  if (m && tenon_print_module(m, 0, drop, NULL) != TENON_OK) abort();
  tenon_module_release(m);
}
