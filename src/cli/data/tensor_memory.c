// How: one block of zeros for the elements, one for the bytes of strings; lists
// of what an entry takes and gives are as long as they say.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

bool cli_tensor_make(cli_tensor *t, tenon_dtype dtype, const int64_t *dims,
                     int rank) {
  size_t size = tenon_element_bytes(dtype);
  memset(t, 0, sizeof *t);
  if (rank > TENON_MAX_RANK || size == 0) return false;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] < 0 || dims[i] > INT32_MAX) return false;
    t->dims[i] = (int32_t)dims[i];
    if (dims[i] && size > SIZE_MAX / 2 / (size_t)dims[i]) return false;
    size *= (size_t)dims[i];
  }
  t->memory = calloc(1, size + 64);  // kernels may read a little behind
  if (!t->memory) return false;
  t->size = size;
  t->view.data = t->memory;
  t->view.dtype = dtype;
  t->view.rank = (uint8_t)rank;
  t->view.dims = t->dims;
  return true;
}

void cli_tensor_free(cli_tensor *t) {
  free(t->memory);
  free(t->texts);
  memset(t, 0, sizeof *t);
}

tenon_io *cli_io_list(const tenon_program *p, int entry, tenon_io_kind kind,
                      size_t *n) {
  *n = tenon_program_io(p, entry, kind, NULL, 0);
  tenon_io *list = (tenon_io *)calloc(*n + 1, sizeof *list);
  if (list) (void)tenon_program_io(p, entry, kind, list, *n);
  return list;
}
