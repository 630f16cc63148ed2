// matmul_s8_mve.c - quantised products of matrices, 16 columns at a time. Bit
// for bit what matmul_s8_ref.c computes.
#include "kern/isa/arm/mve/mve.h"
#include "kern/product/matmul.h"
#include "kern/product/requant.h"

// Of up to four columns.
TENON_MVE void matmul_s8_mve_store(const tenon_requant *r, int32x4_t v,
                                   int8_t *y, mve_pred16_t lanes) {
  const int32_t *factor = (const int32_t *)(r + 1);
  const int32_t shift = factor[1];
  if (shift > 0) v = vshlq_r_s32(v, shift);
  v = vqrdmulhq_n_s32(v, factor[0]);
  if (shift < 0) {
    v = vaddq_s32(v, vshrq_n_s32(v, 31));
    v = vrshlq_n_s32(v, shift);
  }
  v = vaddq_n_s32(v, r->y_zero);
  v = vminq_s32(vmaxq_s32(v, vdupq_n_s32(r->lo)), vdupq_n_s32(r->hi));
  vstrbq_p_s32(y, v, lanes);
}

// A row of x, less its zero point, with `n` columns of w; `less` is what the
// zero point of w takes from each sum.
static void matmul_s8_mve_row(const tenon_requant *r, const int8_t *x,
                              const int8_t *w, int8_t *y, int32_t depth,
                              int32_t n, int32_t less) {
  int32_t i = 0;
  for (; i + 16 <= n; i += 16) {
    int32x4_t a = vdupq_n_s32(less), b = a, d = a, e = a;
    const int8_t *p = x, *q = w + i;
    int32_t v;
    if (depth > 0)
      __asm__ volatile(
          "dls lr, %[depth]\n"
          "1:\n"
          "ldrsb %[v], [%[p]], #1\n"
          "vldrb.s32 q0, [%[q]]\n"
          "sub %[v], %[v], %[zero]\n"
          "vmla.s32 %q[a], q0, %[v]\n"
          "vldrb.s32 q0, [%[q], #4]\n"
          "vmla.s32 %q[b], q0, %[v]\n"
          "vldrb.s32 q0, [%[q], #8]\n"
          "vmla.s32 %q[d], q0, %[v]\n"
          "vldrb.s32 q0, [%[q], #12]\n"
          "add %[q], %[q], %[n]\n"
          "vmla.s32 %q[e], q0, %[v]\n"
          "le lr, 1b"
          : [p] "+l"(p), [q] "+l"(q), [v] "=&r"(v), [a] "+w"(a), [b] "+w"(b),
            [d] "+w"(d), [e] "+w"(e)
          : [depth] "r"(depth), [n] "r"(n), [zero] "r"(r->x_zero)
          : "lr", "q0", "memory");
    const mve_pred16_t all = vctp32q(4);
    matmul_s8_mve_store(r, a, y + i, all);
    matmul_s8_mve_store(r, b, y + i + 4, all);
    matmul_s8_mve_store(r, d, y + i + 8, all);
    matmul_s8_mve_store(r, e, y + i + 12, all);
  }
  for (; i < n; i += 4) {
    int32x4_t a = vdupq_n_s32(less);
    const int8_t *p = x, *q = w + i;
    int32_t v;
    if (depth > 0)
      __asm__ volatile(
          "vctp.32 %[left]\n"
          "dls lr, %[depth]\n"
          "1:\n"
          "ldrsb %[v], [%[p]], #1\n"
          "vpst\n"
          "vldrbt.s32 q0, [%[q]]\n"
          "sub %[v], %[v], %[zero]\n"
          "add %[q], %[q], %[n]\n"
          "vmla.s32 %q[a], q0, %[v]\n"
          "le lr, 1b"
          : [p] "+l"(p), [q] "+l"(q), [v] "=&r"(v), [a] "+w"(a)
          : [depth] "r"(depth), [n] "r"(n), [zero] "r"(r->x_zero),
            [left] "r"(n - i)
          : "lr", "q0", "memory");
    matmul_s8_mve_store(r, a, y + i, vctp32q((uint32_t)(n - i)));
  }
}

TENON_KERNEL_RANGE(tenon_k_matmul_s8_mve) {
  const tenon_requant *r = (const tenon_requant *)c->packed;
  const tenon_tensor *p = &c->in[0], *q = &c->in[1], *y = &c->out[0];
  const int32_t m = p->dims[p->rank - 2], depth = p->dims[p->rank - 1];
  const int32_t n = q->dims[q->rank - 1];
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int8_t *x = (const int8_t *)p->data + tenon_matmul_at(p, y, row / m) +
                      row % m * depth;
    const int8_t *w = (const int8_t *)q->data + tenon_matmul_at(q, y, row / m);
    int32_t sum = 0;
    for (int32_t k = 0; k < depth && r->w_zero; ++k)
      sum += x[k] - r->x_zero;
    matmul_s8_mve_row(r, x, w, (int8_t *)y->data + row * n, depth, n,
                      (int32_t)((uint32_t)-sum * (uint32_t)r->w_zero));
  }
  return TENON_OK;
}
