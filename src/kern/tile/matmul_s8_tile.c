// matmul_s8_tile.c - quantised products of matrices, four columns at a time, or
// as many as are left. Bit for bit what matmul_s8_ref.c computes.
#include "kern/product/matmul.h"
#include "kern/product/requant.h"
#include "kern/tile/apart.h"

// Of `depth` numbers, one at least, less `zero`, and rows of `n` numbers.
TENON_APART void matmul_s8_tile_four(const int8_t *x, const int8_t *w,
                                     ptrdiff_t depth, ptrdiff_t n, int32_t zero,
                                     uint32_t *sums) {
  const int8_t *const end = x + depth;
  uint32_t a = sums[0], b = sums[1], d = sums[2], e = sums[3];
  do {
    const int32_t v = *x++ - zero;
    const int32_t v0 = w[0], v1 = w[1], v2 = w[2], v3 = w[3];
    w += n;
    a += (uint32_t)(v * v0);
    b += (uint32_t)(v * v1);
    d += (uint32_t)(v * v2);
    e += (uint32_t)(v * v3);
  } while (x != end);
  sums[0] = a, sums[1] = b, sums[2] = d, sums[3] = e;
}

TENON_KERNEL_RANGE(tenon_k_matmul_s8_tile) {
  const tenon_requant *r = (const tenon_requant *)c->packed;
  const tenon_tensor *p = &c->in[0], *q = &c->in[1], *y = &c->out[0];
  const ptrdiff_t m = p->dims[p->rank - 2], depth = p->dims[p->rank - 1];
  const ptrdiff_t n = q->dims[q->rank - 1];
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const int8_t *x = (const int8_t *)p->data + tenon_matmul_at(p, y, row / m) +
                      row % m * depth;
    const int8_t *w = (const int8_t *)q->data + tenon_matmul_at(q, y, row / m);
    int8_t *to = (int8_t *)y->data + row * n;
    // What the zero point of the other takes from each sum.
    uint32_t less = 0;
    for (ptrdiff_t k = 0; k < depth && r->w_zero; ++k)
      less -= (uint32_t)((x[k] - r->x_zero) * r->w_zero);
    for (ptrdiff_t i = 0; i < n;) {
      const ptrdiff_t some = n - i < 4 || depth == 0 ? 1 : 4;
      uint32_t sums[4] = {less, less, less, less};
      if (some == 4) {
        matmul_s8_tile_four(x, w + i, depth, n, r->x_zero, sums);
      } else {
        for (ptrdiff_t k = 0; k < depth; ++k)
          sums[0] += (uint32_t)((x[k] - r->x_zero) * w[k * n + i]);
      }
      for (ptrdiff_t j = 0; j < some; ++j, ++i)
        to[i] = tenon_requant_s8_twice(r, (int32_t)sums[j], 0);
    }
  }
  return TENON_OK;
}
