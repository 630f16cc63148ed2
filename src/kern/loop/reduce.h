// kern/loop/reduce.h - attributes of the operators that reduce dimensions, and
// the walk over what an output is made from.
#ifndef TENON_KERN_REDUCE_H
#define TENON_KERN_REDUCE_H

#include "kern/loop/plain.h"
#include "tenon/tensor.h"

typedef struct tenon_reduce_attrs {
  tenon_ints dims;  // negative: from the end; each once
  bool keepdim;
} tenon_reduce_attrs;

typedef struct tenon_var_attrs {
  tenon_ints dims;
  double correction;
  bool keepdim;
  bool mean;  // the mean that goes with it
} tenon_var_attrs;

// Dimensions of the operand, those that stay and those that are summed over,
// outermost first.
typedef struct tenon_reduce {
  int32_t n_kept, n_summed;
  ptrdiff_t kept[TENON_MAX_RANK], kept_step[TENON_MAX_RANK];
  ptrdiff_t summed[TENON_MAX_RANK], summed_step[TENON_MAX_RANK];
  ptrdiff_t count;  // elements per output
} tenon_reduce;

TENON_INLINE bool tenon_reduce_has(tenon_ints dims, int32_t d, int32_t rank) {
  for (size_t i = 0; i < dims.count; ++i) {
    if (dims.data[i] == d || dims.data[i] == d - rank) return true;
  }
  return false;
}

TENON_INLINE tenon_reduce tenon_reduce_over(const tenon_tensor *x,
                                            tenon_ints dims) {
  tenon_reduce r;
  ptrdiff_t step = 1;
  r.n_kept = r.n_summed = 0;
  r.count = 1;
  for (int32_t d = 0; d < x->rank; ++d)
    step *= x->dims[d];
  for (int32_t d = 0; d < x->rank; ++d) {
    if (x->dims[d]) step /= x->dims[d];
    if (tenon_reduce_has(dims, d, x->rank)) {
      r.summed[r.n_summed] = x->dims[d];
      r.summed_step[r.n_summed++] = step;
      r.count *= x->dims[d];
    } else {
      r.kept[r.n_kept] = x->dims[d];
      r.kept_step[r.n_kept++] = step;
    }
  }
  return r;
}

TENON_INLINE tenon_reduce tenon_reduce_of(const tenon_tensor *x,
                                          const tenon_reduce_attrs *a) {
  return tenon_reduce_over(x, a->dims);
}

// Where element i lies, which is less than the product of the dimensions.
TENON_INLINE ptrdiff_t tenon_reduce_at(const ptrdiff_t *dims,
                                       const ptrdiff_t *steps, int32_t n,
                                       ptrdiff_t i) {
  ptrdiff_t at = 0;
  for (int32_t d = n - 1; d > 0; i /= dims[d], --d)
    at += i % dims[d] * steps[d];
  return n > 0 ? at + i * steps[0] : at;
}

// Joins dimensions that stay and lie one after the other.
TENON_INLINE void tenon_reduce_join(tenon_reduce *r) {
  int32_t n = 0;
  for (int32_t d = 0; d < r->n_kept; ++d) {
    if (n && r->kept_step[n - 1] == r->kept[d] * r->kept_step[d])
      r->kept[--n] *= r->kept[d];
    else
      r->kept[n] = r->kept[d];
    r->kept_step[n++] = r->kept_step[d];
  }
  r->n_kept = n;
}

// Elements that lie one after the other in the walk, and their distance.
TENON_INLINE ptrdiff_t tenon_reduce_run(const tenon_reduce *r) {
  return r->n_summed ? r->summed[r->n_summed - 1] : 1;
}
TENON_INLINE ptrdiff_t tenon_reduce_step(const tenon_reduce *r) {
  return r->n_summed ? r->summed_step[r->n_summed - 1] : 0;
}

// For every element of output i: `at` is where it lies, `k + j` how many were
// before it.
#define TENON_REDUCE_EACH(r, i)                                             \
  for (ptrdiff_t                                                            \
           k = 0,                                                           \
           run = tenon_reduce_run(&(r)), step = tenon_reduce_step(&(r)),    \
           from = tenon_reduce_at((r).kept, (r).kept_step, (r).n_kept, i);  \
       k < (r).count; k += run)                                             \
    for (ptrdiff_t j = 0,                                                   \
                   at = from + tenon_reduce_at((r).summed, (r).summed_step, \
                                               (r).n_summed, k);            \
         j < run; ++j, at += step)

// Defines name_t over elements of type t: for each output `acc`, of type Acc,
// begins as `init`, takes in every element x by `STEP`, and is stored as an
// element of type u by way of `result`.
#define TENON_REDUCE_TYPE(name, t, u, Acc, init, STEP, result)            \
  static void name##_##t(const tenon_call *c, ptrdiff_t begin,            \
                         ptrdiff_t end) {                                 \
    tenon_reduce r =                                                      \
        tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs); \
    tenon_reduce_join(&r);                                                \
    for (ptrdiff_t i = begin; i < end; ++i) {                             \
      Acc acc = init;                                                     \
      TENON_REDUCE_EACH(r, i) {                                           \
        const tenon_carry_##t x = tenon_load_##t(c->in[0].data, at);      \
        STEP                                                              \
      }                                                                   \
      tenon_store_##u(c->out[0].data, i, result);                         \
    }                                                                     \
  }

#endif  // TENON_KERN_REDUCE_H
