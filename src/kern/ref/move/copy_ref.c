// copy_ref.c - the same values elsewhere, from any strides to any strides.
//
// Items are elements. Types below a byte are dense and copied by the byte that
// holds them, by the range that holds its first element.
#include "kern/loop/element.h"

static ptrdiff_t copy_ref_step(const tenon_tensor *t, int32_t d) {
  ptrdiff_t step = 1;
  if (t->strides) return t->strides[d];
  for (int32_t i = d + 1; i < t->rank; ++i)
    step *= t->dims[i];
  return step;
}

static ptrdiff_t copy_ref_at(const tenon_tensor *t, ptrdiff_t i) {
  ptrdiff_t at = 0;
  for (int32_t d = t->rank - 1; d >= 0; i /= t->dims[d], --d)
    at += i % t->dims[d] * copy_ref_step(t, d);
  return at;
}

TENON_KERNEL_RANGE(tenon_k_copy_ref) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const unsigned char *from = (const unsigned char *)x->data;
  unsigned char *to = (unsigned char *)y->data;
  const ptrdiff_t bits = tenon_element_bits(x->dtype);
  if (bits < 8 || (!x->strides && !y->strides)) {
    ptrdiff_t first = ((ptrdiff_t)begin * bits + 7) / 8;
    ptrdiff_t last = ((ptrdiff_t)end * bits + 7) / 8;
    if (to != from && last > first)
      memcpy(to + first, from + first, (size_t)(last - first));
    return TENON_OK;
  }
  if (x->rank == 0) {
    memcpy(to, from, (size_t)(bits / 8));
    return TENON_OK;
  }
  const int32_t last = x->rank - 1;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {
    ptrdiff_t n = x->dims[last] - i % x->dims[last];
    if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;
    tenon_copy_elements(to + copy_ref_at(y, i) * bits / 8,
                        copy_ref_step(y, last),
                        from + copy_ref_at(x, i) * bits / 8,
                        copy_ref_step(x, last), n, bits / 8);
    i += n;
  }
  return TENON_OK;
}
