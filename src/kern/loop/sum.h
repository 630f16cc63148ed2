// kern/loop/sum.h - sums of floats over dimensions, in one fixed order for any
// layout, any number of threads and any width of registers.
//
// It is PyTorch's for elements side by side: four rows of lanes that fill 32
// bytes, which a long sum adds up in levels, so that its error grows by the
// level and not by the element. What is too short for lanes goes in four
// chains.
#ifndef TENON_KERN_SUM_H
#define TENON_KERN_SUM_H

#include "kern/loop/reduce.h"

enum { TENON_SUM_LEVELS = 4, TENON_SUM_WIDTH = 32 };

// How many elements a level takes, as a power of two: n over four levels.
TENON_INLINE int32_t tenon_sum_power(ptrdiff_t n) {
  int32_t bits = 0;
  while (((ptrdiff_t)1 << bits) < n)
    ++bits;
  return bits / TENON_SUM_LEVELS < 4 ? 4 : bits / TENON_SUM_LEVELS;
}

// Joins dimensions that lie one after the other.
TENON_INLINE void tenon_sum_join(tenon_reduce *r) {
  int32_t n = 0;
  for (int32_t d = 0; d < r->n_summed; ++d) {
    if (n && r->summed_step[n - 1] == r->summed[d] * r->summed_step[d]) {
      r->summed[n - 1] *= r->summed[d];
      r->summed_step[n - 1] = r->summed_step[d];
      continue;
    }
    r->summed[n] = r->summed[d];
    r->summed_step[n++] = r->summed_step[d];
  }
  r->n_summed = n;
}

// Where element q of those that are summed lies.
TENON_INLINE ptrdiff_t tenon_sum_at(const tenon_reduce *r, ptrdiff_t q) {
  return r->n_summed == 1
             ? q * r->summed_step[0]
             : tenon_reduce_at(r->summed, r->summed_step, r->n_summed, q);
}

// Defines name_of(r, x, i), the sum for output i of elements x of type T, which
// LOAD makes a Number. Within, `r` is null where elements lie side by side.
#define TENON_SUM_FUNCTIONS(name, T, Number, LOAD)                             \
  static Number name##_at(const tenon_reduce *r, const T *x, ptrdiff_t q) {    \
    return LOAD(x[r ? tenon_sum_at(r, q) : q]);                                \
  }                                                                            \
  /* acc[k] = the sum of element i * width + k over i below n. */              \
  static void name##_rows(Number *acc, const tenon_reduce *r, const T *x,      \
                          int32_t width, ptrdiff_t n) {                        \
    Number part[TENON_SUM_LEVELS][TENON_SUM_WIDTH];                            \
    const int32_t power = tenon_sum_power(n);                                  \
    const ptrdiff_t step = (ptrdiff_t)1 << power;                              \
    ptrdiff_t i = 0;                                                           \
    for (int32_t j = 0; j < TENON_SUM_LEVELS; ++j)                             \
      for (int32_t k = 0; k < width; ++k)                                      \
        part[j][k] = 0;                                                        \
    while (i < n) {                                                            \
      const bool is_whole = n - i >= step;                                     \
      const ptrdiff_t end = is_whole ? i + step : n;                           \
      for (; i < end; ++i)                                                     \
        for (int32_t k = 0; k < width; ++k)                                    \
          part[0][k] += name##_at(r, x, i * width + k);                        \
      for (int32_t j = 1; is_whole && j < TENON_SUM_LEVELS; ++j) {             \
        for (int32_t k = 0; k < width; ++k) {                                  \
          part[j][k] += part[j - 1][k];                                        \
          part[j - 1][k] = 0;                                                  \
        }                                                                      \
        if (i & ((step - 1) << (j * power))) break;                            \
      }                                                                        \
    }                                                                          \
    for (int32_t k = 0; k < width; ++k)                                        \
      acc[k] = part[0][k] + part[1][k] + part[2][k] + part[3][k];              \
  }                                                                            \
  static Number name##_chains(const tenon_reduce *r, const T *x,               \
                              ptrdiff_t n) {                                   \
    Number acc[4];                                                             \
    name##_rows(acc, r, x, 4, n / 4);                                          \
    for (ptrdiff_t i = n / 4 * 4; i < n; ++i)                                  \
      acc[0] += name##_at(r, x, i);                                            \
    return acc[0] + acc[1] + acc[2] + acc[3];                                  \
  }                                                                            \
  static Number name##_lanes(const tenon_reduce *r, const T *x, int32_t lanes, \
                             ptrdiff_t n) {                                    \
    Number acc[TENON_SUM_WIDTH], sum = 0;                                      \
    const ptrdiff_t vectors = n / lanes;                                       \
    name##_rows(acc, r, x, 4 * lanes, vectors / 4);                            \
    for (ptrdiff_t i = vectors / 4 * 4; i < vectors; ++i)                      \
      for (int32_t k = 0; k < lanes; ++k)                                      \
        acc[k] += name##_at(r, x, i * lanes + k);                              \
    for (int32_t k = lanes; k < 4 * lanes; ++k)                                \
      acc[k % lanes] += acc[k];                                                \
    for (ptrdiff_t i = vectors * lanes; i < n; ++i)                            \
      sum += name##_at(r, x, i);                                               \
    for (int32_t k = 0; k < lanes; ++k)                                        \
      sum += acc[k];                                                           \
    return sum;                                                                \
  }                                                                            \
  static Number name##_run(const tenon_reduce *r, const T *x, ptrdiff_t n) {   \
    const int32_t lanes = 32 / (int32_t)sizeof(Number);                        \
    return n < lanes ? name##_chains(r, x, n) : name##_lanes(r, x, lanes, n);  \
  }                                                                            \
  static Number name##_of(const tenon_reduce *r, const T *x, ptrdiff_t i) {    \
    x += tenon_reduce_at(r->kept, r->kept_step, r->n_kept, i);                 \
    if (r->n_summed == 0) return LOAD(*x);                                     \
    return r->n_summed == 1 && r->summed_step[0] == 1                          \
               ? name##_run(NULL, x, r->count)                                 \
               : name##_run(r, x, r->count);                                   \
  }

#endif  // TENON_KERN_SUM_H
