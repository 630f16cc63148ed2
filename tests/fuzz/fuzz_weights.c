// Any bytes as a file of weights (a .safetensors, a .pt2, a state dict), or
// behind a length as the index of a .safetensors with 64 bytes of data: every
// weight is found again and its bytes are there, or there is one report.
#include <stdlib.h>
#include <string.h>

#include "read/weights/weights.h"
#include "reg/context.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int errors;
static volatile unsigned sum;

static void count(void *self, const tenon_diag *diag) {
  (void)self;
  if (diag->severity != TENON_ERROR) return;
  if (strcmp(diag->id, "bug") == 0) abort();
  if (!diag->place || !diag->place->file) abort();
  ++errors;
}

static void touch(const tenon_weight *weight) {
  size_t size = 0;
  if (!tenon_type_size(&weight->type, &size)) abort();
  if (weight->bytes.size != size) abort();
  for (size_t i = 0; i < size; ++i)
    sum += weight->bytes.data[i];
}

static void read_weights(tenon_context *cx, const void *data, size_t size) {
  tenon_weights *w = NULL;
  errors = 0;
  tenon_status status = tenon_weights_read(cx, data, size, "w", &w);
  if (errors != (status != TENON_OK)) abort();
  if ((w != NULL) != (status == TENON_OK)) abort();
  for (size_t i = 0; w && i < w->list.count; ++i) {
    touch(&w->list.data[i]);
    if (tenon_weights_find(w, w->list.data[i].name) != &w->list.data[i])
      abort();
  }
  tenon_weights_destroy(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static tenon_context *cx;
  tenon_context_options options = {.struct_size = sizeof options,
                                   .diag = {NULL, count}};
  if (!cx && tenon_context_create(&options, &cx) != TENON_OK) abort();
  if (size == 0) return 0;
  if (data[0] != '{') {
    read_weights(cx, data, size);
    return 0;
  }
  uint8_t *file = (uint8_t *)calloc(1, size + 8 + 64);
  if (!file) return 0;
  for (int i = 0; i < 8; ++i)
    file[i] = (uint8_t)((uint64_t)size >> 8 * i);
  memcpy(file + 8, data, size);
  read_weights(cx, file, size + 8 + 64);
  free(file);
  return 0;
}
