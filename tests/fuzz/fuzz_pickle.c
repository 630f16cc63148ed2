// Any bytes as a pickle: a value or one report. Values may contain themselves,
// so only the first level is looked at.
#include <stdlib.h>

#include "base/heap.h"
#include "read/weights/pickle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int errors;

static void count(void *self, const tenon_diag *diag) {
  (void)self;
  errors += diag->severity == TENON_ERROR;
  if (!diag->place || !diag->place->where) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tenon_report report = {{NULL, count}};
  tenon_arena arena;
  tenon_pickle pickle = {NULL, NULL, 0};
  tenon_arena_init(&arena, tenon_heap());
  errors = 0;
  tenon_status status = tenon_pickle_parse((tenon_bytes){data, size}, 0, &arena,
                                           &report, "p", "data.pkl", &pickle);
  const tenon_pickle_value *root = pickle.root;
  if (pickle.size > size) abort();
  if (errors != (status != TENON_OK)) abort();
  if (root && root->kind == TENON_PICKLE_TENSOR &&
      (!root->storage || !root->sizes || !root->strides || root->dtype == 0))
    abort();
  for (size_t i = 0; root && i < root->count; ++i)
    if (root->items[i]->kind == 0) abort();
  tenon_arena_deinit(&arena);
  return 0;
}
