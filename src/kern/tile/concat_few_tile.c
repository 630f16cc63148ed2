// concat_few_tile.c - tensors side by side, of one element each that has four
// bytes, such as the parts of complex numbers: they are woven, some items of
// each, so that the result stays in the first-level cache.
#include "kern/loop/element.h"

enum { CONCAT_FEW_ITEMS = 256 };

TENON_KERNEL_RANGE(tenon_k_concat_few_tile) {
  const ptrdiff_t size = sizeof(float);
  unsigned char *y = (unsigned char *)c->out[0].data;
  ptrdiff_t n;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; item += n) {
    n = (ptrdiff_t)end - item;
    if (n > CONCAT_FEW_ITEMS) n = CONCAT_FEW_ITEMS;
    for (int i = 0; i < c->n_in; ++i)
      tenon_copy_elements(y + (item * c->n_in + i) * size, c->n_in,
                          (const unsigned char *)c->in[i].data + item * size, 1,
                          n, size);
  }
  return TENON_OK;
}
