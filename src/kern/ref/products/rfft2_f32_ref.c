// Fourier transforms of real images, to half of their columns.
#include "kern/num/fourier.h"

// An item is an image: rows first, then the columns that these leave.
TENON_KERNEL_RANGE(tenon_k_rfft2_f32_ref) {
  const tenon_rfft2_attrs *a = (const tenon_rfft2_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0];
  const ptrdiff_t h = (ptrdiff_t)a->size.data[0];
  const ptrdiff_t w = (ptrdiff_t)a->size.data[1];
  const ptrdiff_t rows = x->dims[x->rank - 2], columns = x->dims[x->rank - 1];
  if (h < 1 || w < 1 || (h & (h - 1)) || (w & (w - 1)))
    return tenon_call_fail(c, "{0} by {1} are no powers of two", h, w);
  const ptrdiff_t kept = w / 2 + 1, longer = h > w ? h : w;
  double *turns = (double *)c->scratch, *line = turns + longer;
  double *grid = line + 2 * longer;
  tenon_fourier_turns(turns, longer, longer / 2);
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const float *from = (const float *)x->data + item * rows * columns;
    float *to = (float *)c->out[0].data + item * h * kept * 2;
    for (ptrdiff_t i = 0; i < h; ++i) {
      for (ptrdiff_t k = 0; k < w; ++k) {
        const bool is_there = i < rows && k < columns;
        line[2 * k] = is_there ? (double)from[i * columns + k] : 0;
        line[2 * k + 1] = 0;
      }
      tenon_fourier(line, w, turns, longer / w);
      for (ptrdiff_t k = 0; k < 2 * kept; ++k)
        grid[i * kept * 2 + k] = line[k];
    }
    for (ptrdiff_t k = 0; k < kept; ++k) {
      for (ptrdiff_t i = 0; i < h; ++i) {
        line[2 * i] = grid[(i * kept + k) * 2];
        line[2 * i + 1] = grid[(i * kept + k) * 2 + 1];
      }
      tenon_fourier(line, h, turns, longer / h);
      for (ptrdiff_t i = 0; i < h; ++i) {
        to[(i * kept + k) * 2] = (float)line[2 * i];
        to[(i * kept + k) * 2 + 1] = (float)line[2 * i + 1];
      }
    }
  }
  return TENON_OK;
}
