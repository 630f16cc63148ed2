// kern/loop/broadcast.h - two operands under numpy's rule, one element at a
// time.
//
// Neighbouring dimensions that both operands walk alike are merged, so equal
// shapes are one run, a scalar is a step of zero, and a bias is a run per row.
#ifndef TENON_KERN_BROADCAST_H
#define TENON_KERN_BROADCAST_H

#include "kern/loop/wide.h"

typedef struct tenon_broadcast {
  int32_t rank;                                    // at least 1
  ptrdiff_t dims[TENON_MAX_RANK];                  // innermost last
  ptrdiff_t a[TENON_MAX_RANK], b[TENON_MAX_RANK];  // steps, 0 where repeated
} tenon_broadcast;

// The step of a dense operand along dimension d of the result; `below` is the
// number of its elements per step so far.
TENON_INLINE ptrdiff_t tenon_broadcast_step(const tenon_tensor *t, int32_t d,
                                            int32_t rank, ptrdiff_t *below) {
  int32_t own = d - (rank - t->rank);
  ptrdiff_t step = *below;
  if (own < 0 || t->dims[own] == 1) return 0;
  *below *= t->dims[own];
  return step;
}

TENON_INLINE tenon_broadcast tenon_broadcast_of(const tenon_tensor *a,
                                                const tenon_tensor *b,
                                                const tenon_tensor *y) {
  tenon_broadcast g;
  ptrdiff_t dims[TENON_MAX_RANK], sa[TENON_MAX_RANK], sb[TENON_MAX_RANK];
  ptrdiff_t below_a = 1, below_b = 1;
  int32_t n = 0;
  // Innermost first; reversed at the end.
  for (int32_t d = y->rank - 1; d >= 0; --d) {
    ptrdiff_t step_a = tenon_broadcast_step(a, d, y->rank, &below_a);
    ptrdiff_t step_b = tenon_broadcast_step(b, d, y->rank, &below_b);
    if (y->dims[d] == 1) continue;
    if (n && step_a == sa[n - 1] * dims[n - 1] &&
        step_b == sb[n - 1] * dims[n - 1]) {
      dims[n - 1] *= y->dims[d];
      continue;
    }
    dims[n] = y->dims[d];
    sa[n] = step_a;
    sb[n] = step_b;
    ++n;
  }
  g.rank = n ? n : 1;
  g.dims[0] = 1;
  g.a[0] = g.b[0] = 0;
  for (int32_t i = 0; i < n; ++i) {
    g.dims[i] = dims[n - 1 - i];
    g.a[i] = sa[n - 1 - i];
    g.b[i] = sb[n - 1 - i];
  }
  return g;
}

// Neighbours in the innermost dimension: where the first has its operands, and
// how many there are.
typedef struct tenon_broadcast_run {
  ptrdiff_t index[TENON_MAX_RANK];
  ptrdiff_t a, b, count;
} tenon_broadcast_run;

// From element i of the result on; of a result without elements from 0.
TENON_INLINE tenon_broadcast_run tenon_broadcast_start(const tenon_broadcast *g,
                                                       ptrdiff_t i) {
  const int32_t last = g->rank - 1;
  tenon_broadcast_run r;
  r.a = r.b = 0;
  for (int32_t d = last; d >= 0; --d) {
    r.index[d] = i ? i % g->dims[d] : 0;
    i = i ? i / g->dims[d] : 0;
    r.a += r.index[d] * g->a[d];
    r.b += r.index[d] * g->b[d];
  }
  r.count = g->dims[last] - r.index[last];
  return r;
}

// Goes to the run behind it, without a division.
TENON_INLINE void tenon_broadcast_next(const tenon_broadcast *g,
                                       tenon_broadcast_run *r) {
  int32_t d = g->rank - 1;
  r->a -= r->index[d] * g->a[d];
  r->b -= r->index[d] * g->b[d];
  r->index[d] = 0;
  r->count = g->dims[d];
  while (--d >= 0) {
    r->a += g->a[d];
    r->b += g->b[d];
    if (++r->index[d] < g->dims[d]) return;
    r->a -= g->dims[d] * g->a[d];
    r->b -= g->dims[d] * g->b[d];
    r->index[d] = 0;
  }
}

// Defines the kernel `name`, whose items are elements: `expr` is computed from
// `x` and `y`, elements of the two operands. BEFORE declares what the loop
// needs, from the call `c`. It may work in place of an operand of as many
// elements.
#define TENON_BROADCAST_KERNEL(name, T, BEFORE, expr) \
  TENON_BROADCAST_AS(name, T, , T, T, , BEFORE, expr)

// The same with `x` and `y` of another type, Number, made by LOAD, and a result
// of type Out, made by STORE.
#define TENON_BROADCAST_AS(name, In, LOAD, Number, Out, STORE, BEFORE, expr) \
  TENON_KERNEL_RANGE(name) {                                                 \
    const tenon_broadcast g =                                                \
        tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);                \
    const ptrdiff_t step_a = g.a[g.rank - 1], step_b = g.b[g.rank - 1];      \
    BEFORE                                                                   \
    tenon_broadcast_run run = tenon_broadcast_start(&g, (ptrdiff_t)begin);   \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {              \
      ptrdiff_t n = run.count;                                               \
      const In *a = (const In *)c->in[0].data + run.a;                       \
      const In *b = (const In *)c->in[1].data + run.b;                       \
      Out *to = (Out *)c->out[0].data + i;                                   \
      if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;                    \
      TENON_BROADCAST_RUN(LOAD, Number, STORE, expr)                         \
      i += n;                                                                \
      tenon_broadcast_next(&g, &run);                                        \
    }                                                                        \
    return TENON_OK;                                                         \
  }

// `n` elements from `a` and `b` on, by their steps, to `to`.
#define TENON_BROADCAST_STEPS(LOAD, Number, STORE, expr)           \
  for (ptrdiff_t k = 0; k < n; ++k) {                              \
    const Number x = LOAD(a[k * step_a]), y = LOAD(b[k * step_b]); \
    to[k] = STORE(expr);                                           \
  }

// With loops of their own for neighbouring elements, and for one operand that
// stays the same.
#ifdef TENON_WIDE_LOOPS
#define TENON_BROADCAST_RUN(LOAD, Number, STORE, expr)    \
  if (step_a == 1 && step_b == 1) {                       \
    TENON_INDEPENDENT for (ptrdiff_t k = 0; k < n; ++k) { \
      const Number x = LOAD(a[k]), y = LOAD(b[k]);        \
      to[k] = STORE(expr);                                \
    }                                                     \
  } else if (step_a == 1 && step_b == 0) {                \
    const Number y = LOAD(b[0]);                          \
    TENON_INDEPENDENT for (ptrdiff_t k = 0; k < n; ++k) { \
      const Number x = LOAD(a[k]);                        \
      to[k] = STORE(expr);                                \
    }                                                     \
  } else if (step_a == 0 && step_b == 1) {                \
    const Number x = LOAD(a[0]);                          \
    TENON_INDEPENDENT for (ptrdiff_t k = 0; k < n; ++k) { \
      const Number y = LOAD(b[k]);                        \
      to[k] = STORE(expr);                                \
    }                                                     \
  } else {                                                \
    TENON_BROADCAST_STEPS(LOAD, Number, STORE, expr)      \
  }
#else
#define TENON_BROADCAST_RUN TENON_BROADCAST_STEPS
#endif

#endif  // TENON_KERN_BROADCAST_H
