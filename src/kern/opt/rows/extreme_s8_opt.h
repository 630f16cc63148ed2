// kern/opt/rows/extreme_s8_opt.h - the largest or smallest of bytes over any
// dimensions. The smallest is what the largest is with all bits turned.
//
// Outputs beside each other share registers. One that is made from bytes side
// by side has 16 lanes in the end.
#ifndef TENON_KERN_OPT_EXTREME_S8_OPT_H
#define TENON_KERN_OPT_EXTREME_S8_OPT_H

#include "kern/opt/rows/reduce_s8.h"

TENON_FLAT tenon_b16 tenon_b16_max(tenon_b16 a, tenon_b16 b) {
#if TENON_HAS_BUILTIN(__builtin_elementwise_max)
  return __builtin_elementwise_max(a, b);
#elif defined(__SSE4_1__) && TENON_HAS_BUILTIN(__builtin_ia32_pmaxsb128)
  typedef char bytes __attribute__((vector_size(16)));
  return (tenon_b16)__builtin_ia32_pmaxsb128((bytes)a, (bytes)b);
#elif defined(__aarch64__)
  return (tenon_b16)vmaxq_s8((int8x16_t)a, (int8x16_t)b);
#else
  const tenon_b16 more = a > b;
  return (a & more) | (b & ~more);
#endif
}
TENON_FLAT tenon_vs tenon_vs_max(tenon_vs a, tenon_vs b) {
#if TENON_HAS_BUILTIN(__builtin_elementwise_max)
  return __builtin_elementwise_max(a, b);
#elif TENON_VB == 64 && TENON_HAS_BUILTIN(__builtin_ia32_pmaxsb512_mask)
  typedef char bytes __attribute__((vector_size(64)));
  return (tenon_vs)__builtin_ia32_pmaxsb512_mask((bytes)a, (bytes)b, (bytes)a,
                                                 0xffffffffffffffff);
#elif TENON_VB == 32 && TENON_HAS_BUILTIN(__builtin_ia32_pmaxsb256)
  typedef char bytes __attribute__((vector_size(32)));
  return (tenon_vs)__builtin_ia32_pmaxsb256((bytes)a, (bytes)b);
#elif TENON_VB == 16
  return (tenon_vs)tenon_b16_max((tenon_b16)a, (tenon_b16)b);
#else
  const tenon_vs more = a > b;
  return (a & more) | (b & ~more);
#endif
}

#define TENON_LEAST_BYTE (-128)

// Defines `name`: the extremes of a register of outputs beside each other.
#define TENON_EXTREME_S8_BESIDE(name, type, type_at, most_of)           \
  TENON_FLAT void name(const bool is_least, const tenon_reduce_s8 *s,   \
                       const int8_t *x, int8_t *y) {                    \
    const type turn = (type){0} + (int8_t)(is_least ? -1 : 0);          \
    type best = (type){0} + (int8_t)TENON_LEAST_BYTE;                   \
    TENON_REDUCE_S8_RUNS(s, x, p) {                                     \
      const int8_t *q = p;                                              \
      for (ptrdiff_t j = 0; j < s->run; ++j, q += s->step)              \
        best = most_of(best, *(const type_at *)(const void *)q ^ turn); \
    }                                                                   \
    *(type_at *)(void *)y = best ^ turn;                                \
  }
TENON_EXTREME_S8_BESIDE(tenon_extreme_s8_wide, tenon_vs, tenon_bytes_at,
                        tenon_vs_max)
#if TENON_VB > 16
TENON_EXTREME_S8_BESIDE(tenon_extreme_s8_part, tenon_b16, tenon_b16_at,
                        tenon_b16_max)
#else
#define tenon_extreme_s8_part tenon_extreme_s8_wide
#endif

// Of each output the largest of all its bytes, in 16 lanes.
TENON_FLAT tenon_b16 tenon_extreme_s8_row(const bool is_least,
                                          const tenon_reduce_s8 *s,
                                          const int8_t *x) {
  const int8_t turn = is_least ? -1 : 0;
  const tenon_vs turn_all = (tenon_vs){0} + turn;
  const tenon_b16 turn_16 = (tenon_b16){0} + turn;
  const ptrdiff_t n = s->run;
  tenon_b16 best = (tenon_b16){0} + (int8_t)TENON_LEAST_BYTE;
  if (n >= TENON_VB) {
    tenon_vs all[2];
    tenon_b16 part;
    all[0] = all[1] = (tenon_vs){0} + (int8_t)TENON_LEAST_BYTE;
    TENON_REDUCE_S8_RUNS(s, x, p) {
      ptrdiff_t i = 0;
      for (; i + 2 * TENON_VB <= n; i += 2 * TENON_VB) {
        all[0] = tenon_vs_max(
            all[0], *(const tenon_bytes_at *)(const void *)(p + i) ^ turn_all);
        all[1] = tenon_vs_max(
            all[1], *(const tenon_bytes_at *)(const void *)(p + i + TENON_VB) ^
                        turn_all);
      }
      if (i + TENON_VB <= n)
        all[0] = tenon_vs_max(
            all[0], *(const tenon_bytes_at *)(const void *)(p + i) ^ turn_all);
      all[1] = tenon_vs_max(
          all[1],
          *(const tenon_bytes_at *)(const void *)(p + n - TENON_VB) ^ turn_all);
    }
    all[0] = tenon_vs_max(all[0], all[1]);
    for (size_t k = 0; k < TENON_VB; k += 16) {
      memcpy(&part, (const char *)&all[0] + k, sizeof part);
      best = tenon_b16_max(best, part);
    }
    return best;
  }
  TENON_REDUCE_S8_RUNS(s, x, p) {
    if (n >= 16) {
      for (ptrdiff_t i = 0; i < n - 16; i += 16)
        best = tenon_b16_max(
            best, *(const tenon_b16_at *)(const void *)(p + i) ^ turn_16);
      best = tenon_b16_max(
          best, *(const tenon_b16_at *)(const void *)(p + n - 16) ^ turn_16);
      continue;
    }
    int8_t most = TENON_LEAST_BYTE;
    for (ptrdiff_t i = 0; i < n; ++i) {
      const int8_t v = (int8_t)(p[i] ^ turn);
      most = v > most ? v : most;
    }
    best = tenon_b16_max(best, (tenon_b16){0} + most);
  }
  return best;
}

// The largest lane.
TENON_FLAT int8_t tenon_extreme_s8_lane(tenon_b16 x) {
  int8_t lanes[16], most = TENON_LEAST_BYTE;
  memcpy(lanes, &x, sizeof lanes);
  for (int k = 0; k < 16; ++k)
    most = lanes[k] > most ? lanes[k] : most;
  return most;
}

#ifdef TENON_HAS_FOLD
// Lane i is the largest of x[i].
TENON_FLAT tenon_b16 tenon_extreme_s8_fold(tenon_b16 *x) {
  TENON_UNROLL
  for (int n = 8; n > 0; n /= 2) {
    TENON_UNROLL
    for (int i = 0; i < n; ++i)
      x[i] = tenon_b16_max(tenon_fold_low(x[i], x[i + n]),
                           tenon_fold_high(x[i], x[i + n]));
  }
  return x[0];
}
#endif

TENON_FLAT tenon_status tenon_extreme_s8_run(const tenon_call *c, int64_t begin,
                                             int64_t end, const bool is_least) {
  const tenon_reduce_s8 s = tenon_reduce_s8_of(c);
  const int8_t *x = (const int8_t *)c->in[0].data;
  int8_t *y = (int8_t *)c->out[0].data;
  const int8_t turn = is_least ? -1 : 0;
  for (ptrdiff_t i = (ptrdiff_t)begin, n; i < (ptrdiff_t)end; i += n) {
    n = tenon_reduce_s8_beside(&s, i, (ptrdiff_t)end);
    if (n >= 16) {
      const int8_t *from = x + tenon_reduce_s8_first(&s, i);
      ptrdiff_t k = 0;
      for (; k + TENON_VB <= n; k += TENON_VB)
        tenon_extreme_s8_wide(is_least, &s, from + k, y + i + k);
      for (; k < n; k += 16) {
        const ptrdiff_t at = k + 16 <= n ? k : n - 16;
        tenon_extreme_s8_part(is_least, &s, from + at, y + i + at);
      }
      continue;
    }
    if (n == 0) {
#ifdef TENON_HAS_FOLD
      if ((ptrdiff_t)end - i >= 16) {
        tenon_b16 rows[16];
        for (int k = 0; k < 16; ++k)
          rows[k] = tenon_extreme_s8_row(is_least, &s,
                                         x + tenon_reduce_s8_first(&s, i + k));
        *(tenon_b16_at *)(void *)(y + i) =
            tenon_extreme_s8_fold(rows) ^ ((tenon_b16){0} + turn);
        n = 16;
        continue;
      }
#endif
      y[i] = (int8_t)(tenon_extreme_s8_lane(tenon_extreme_s8_row(
                          is_least, &s, x + tenon_reduce_s8_first(&s, i))) ^
                      turn);
      n = 1;
      continue;
    }
    n = 1;
    int8_t most = TENON_LEAST_BYTE;
    TENON_REDUCE_S8_RUNS(&s, x + tenon_reduce_s8_first(&s, i), p) {
      for (ptrdiff_t j = 0; j < s.run; ++j) {
        const int8_t v = (int8_t)(p[j * s.step] ^ turn);
        most = v > most ? v : most;
      }
    }
    y[i] = (int8_t)(most ^ turn);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_EXTREME_S8_OPT_H
