// where_ref.c - elements of a or b, as a condition says; all three are
// broadcast. Runs along the last dimension are walked by steps.
#include "kern/loop/element.h"
#include "kern/loop/where.h"
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
#define WHERE_REF_FILL(T)                                  \
  {                                                        \
    T p;                                                   \
    memcpy(&p, *condition ? a : b, sizeof p);              \
    for (ptrdiff_t k = 0; k < n; ++k)                      \
      memcpy(to + k * (ptrdiff_t)sizeof(T), &p, sizeof p); \
  }
#define WHERE_REF_RUN(T)                                  \
  if (step[0] == 1 && step[1] == 1 && step[2] == 1)       \
    WHERE_REF_PICK(T, k, k)                               \
  else if (step[0] == 1 && step[1] == 0 && step[2] == 1)  \
    WHERE_REF_PICK(T, 0, k)                               \
  else if (step[0] == 1 && step[1] == 1 && step[2] == 0)  \
    WHERE_REF_PICK(T, k, 0)                               \
  else if (step[0] == 0 && step[*condition ? 1 : 2] == 1) \
    memmove(to, *condition ? a : b, (size_t)(n * size));  \
  else if (step[0] == 0 && step[*condition ? 1 : 2] == 0) \
    WHERE_REF_FILL(T)                                     \
  else                                                    \
    where_ref_steps(to, condition, a, b, step, n, (ptrdiff_t)sizeof(T));
#else
#define WHERE_REF_RUN(T) \
  where_ref_steps(to, condition, a, b, step, n, (ptrdiff_t)sizeof(T));
#endif

TENON_KERNEL_RANGE(tenon_k_where_ref) {
  tenon_where_walk w = tenon_where_walk_of(c, (ptrdiff_t)begin);
  const ptrdiff_t size = tenon_element_size(&c->out[0]);
  const ptrdiff_t *step = w.step[0];
  ptrdiff_t n;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; i += n) {
    char *to = (char *)c->out[0].data + i * size;
    const uint8_t *condition = (const uint8_t *)c->in[0].data + w.at[0];
    const char *a = (const char *)c->in[1].data + w.at[1] * size;
    const char *b = (const char *)c->in[2].data + w.at[2] * size;
    n = w.dims[0] - w.index[0];
    if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;
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
    tenon_where_next(&w);
  }
  return TENON_OK;
}
