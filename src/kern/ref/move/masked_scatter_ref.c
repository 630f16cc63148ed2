// masked_scatter_ref.c - x with the elements of a source, one after the other,
// where a mask of x's shape is set; for elements of whole bytes.
#include "kern/loop/select.h"

TENON_KERNEL(tenon_k_masked_scatter_ref) {
  const ptrdiff_t n = (ptrdiff_t)tenon_count(&c->in[0]);
  const ptrdiff_t most = (ptrdiff_t)tenon_count(&c->in[2]);
  const ptrdiff_t size = tenon_element_size(&c->in[0]);
  const unsigned char *mask = (const unsigned char *)c->in[1].data;
  const unsigned char *from = (const unsigned char *)c->in[2].data;
  unsigned char *to = (unsigned char *)c->out[0].data;
  ptrdiff_t used = 0;
  if (c->out[0].data != c->in[0].data && n)
    memcpy(c->out[0].data, c->in[0].data, (size_t)(n * size));
  for (ptrdiff_t i = 0; i < n; ++i) {
    if (!mask[i]) continue;
    if (used == most)
      return tenon_call_fail(
          c, "the mask selects more than the {0} elements of the source",
          (int64_t)most, 0);
    memcpy(to + i * size, from + used++ * size, (size_t)size);
  }
  return TENON_OK;
}
