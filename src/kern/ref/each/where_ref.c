// where_ref.c - elements of a or b, as a condition says; all three are
// broadcast. Runs along the last dimension are walked by steps.
#include "kern/loop/broadcast.h"
#include "kern/loop/element.h"
#include "kern/loop/wide.h"

// A run of n elements of `size` bytes, a constant after inlining where that is
// worth it; the result may lie where a or b does. `step` is in elements, of the
// condition, a and b.
TENON_INLINE void where_ref_steps(char *y, const uint8_t *condition,
                                  const char *a, const char *b,
                                  const ptrdiff_t *step, ptrdiff_t n,
                                  ptrdiff_t size) {
  for (ptrdiff_t i = 0; i < n; ++i)
    memmove(y + i * size,
            condition[i * step[0]] ? a + i * step[1] * size
                                   : b + i * step[2] * size,
            (size_t)size);
}

#ifdef TENON_WIDE_LOOPS
// Both are read, so that a compiler may make vectors of it: T is as many bytes
// as an element.
#define WHERE_REF_PICK(T, of_a, of_b)                        \
  TENON_INDEPENDENT for (ptrdiff_t k = 0; k < n; ++k) {      \
    T p, q;                                                  \
    memcpy(&p, a + (of_a) * (ptrdiff_t)sizeof(T), sizeof p); \
    memcpy(&q, b + (of_b) * (ptrdiff_t)sizeof(T), sizeof q); \
    p = condition[k] ? p : q;                                \
    memcpy(to + k * (ptrdiff_t)sizeof(T), &p, sizeof p);     \
  }
#define WHERE_REF_RUN(T)                                 \
  if (step[0] == 1 && step[1] == 1 && step[2] == 1)      \
    WHERE_REF_PICK(T, k, k)                              \
  else if (step[0] == 1 && step[1] == 0 && step[2] == 1) \
    WHERE_REF_PICK(T, 0, k)                              \
  else if (step[0] == 1 && step[1] == 1 && step[2] == 0) \
    WHERE_REF_PICK(T, k, 0)                              \
  else                                                   \
    where_ref_steps(to, condition, a, b, step, n, (ptrdiff_t)sizeof(T));
#else
#define WHERE_REF_RUN(T) \
  where_ref_steps(to, condition, a, b, step, n, (ptrdiff_t)sizeof(T));
#endif

TENON_KERNEL_RANGE(tenon_k_where_ref) {
  const tenon_tensor *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(y);
  const int32_t last = y->rank - 1;
  ptrdiff_t steps[TENON_MAX_RANK][3] = {{0}};
  for (int32_t k = 0; k < 3; ++k) {
    ptrdiff_t below = 1;
    for (int32_t d = last; d >= 0; --d)
      steps[d][k] = tenon_broadcast_step(&c->in[k], d, y->rank, &below);
  }
  for (ptrdiff_t i = (ptrdiff_t)begin, n; i < (ptrdiff_t)end; i += n) {
    ptrdiff_t at[3] = {0, 0, 0}, rest = i;
    n = 1;
    if (last >= 0) n = y->dims[last] - i % y->dims[last];
    if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;
    for (int32_t d = last; d >= 0; rest /= y->dims[d], --d) {
      for (int32_t k = 0; k < 3; ++k)
        at[k] += rest % y->dims[d] * steps[d][k];
    }
    const ptrdiff_t *step = steps[last < 0 ? 0 : last];
    char *to = (char *)y->data + i * size;
    const uint8_t *condition = (const uint8_t *)c->in[0].data + at[0];
    const char *a = (const char *)c->in[1].data + at[1] * size;
    const char *b = (const char *)c->in[2].data + at[2] * size;
    switch (size) {
      case 1:
        WHERE_REF_RUN(uint8_t)
        break;
      case 2:
        WHERE_REF_RUN(uint16_t)
        break;
      case 4:
        WHERE_REF_RUN(uint32_t)
        break;
      case 8:
        WHERE_REF_RUN(uint64_t)
        break;
      default:
        where_ref_steps(to, condition, a, b, step, n, size);
    }
  }
  return TENON_OK;
}
