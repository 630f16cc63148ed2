// Any bytes as an archive: opening, finding and reading every member ends in
// bytes or in one report, and within the limits.
#include <stdlib.h>

#include "base/heap.h"
#include "read/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int errors;

static void count(void *self, const tenon_diag *diag) {
  (void)self;
  errors += diag->severity == TENON_ERROR;
  if (!diag->place || !diag->place->where) abort();
}

static void read_members(tenon_zip *zip) {
  for (size_t i = 0; i < zip->count; ++i) {
    tenon_bytes bytes = {NULL, 0};
    tenon_zip_member *m = &zip->members[i];
    if (tenon_zip_find(zip, m->name) != m) abort();
    if (m->size > 1 << 24) continue;  // time, not memory
    errors = 0;
    tenon_status status = tenon_zip_read(zip, m, &bytes);
    if (errors != (status != TENON_OK)) abort();
    if (status == TENON_OK && bytes.size != m->size) abort();
    // Every byte is there.
    volatile uint8_t sum = 0;
    for (size_t k = 0; k < bytes.size; ++k)
      sum = (uint8_t)(sum + bytes.data[k]);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tenon_report report = {{NULL, count}};
  tenon_arena arena;
  tenon_zip zip;
  tenon_arena_init(&arena, tenon_heap());
  errors = 0;
  tenon_status status =
      tenon_zip_open(&zip, (tenon_bytes){data, size}, 0, &arena, &report, "z");
  if (errors != (status != TENON_OK)) abort();
  if (status == TENON_OK) read_members(&zip);
  tenon_zip_deinit(&zip);
  tenon_arena_deinit(&arena);
  return 0;
}
