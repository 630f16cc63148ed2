// kern/opt/each/table_s8_opt.h - functions of a byte by a table of 256 (see
// kern/loop/table.h), a register at a time.
//
// A shuffle looks up 16 entries by four bits, and gives 0 where a byte is
// negative. With differences of neighbouring parts of the table in place of
// these, all that a byte passes on its way add up, by exclusive or, to the part
// that it ends in: eight steps of 16 each for bytes that are negative and for
// the others.
#ifndef TENON_KERN_OPT_TABLE_S8_OPT_H
#define TENON_KERN_OPT_TABLE_S8_OPT_H

#include "kern/loop/each.h"
#include "kern/op/activation.h"
#include "kern/opt/vectors.h"

typedef char tenon_bytes_of __attribute__((vector_size(TENON_VB)));
#if TENON_VB == 64 && TENON_HAS_BUILTIN(__builtin_ia32_pshufb512_mask) && \
    TENON_HAS_BUILTIN(__builtin_ia32_psubsb512_mask)
#define TENON_HAS_SHUFFLE 1
TENON_FLAT tenon_vs tenon_vs_shuffle(tenon_vs table, tenon_vs i) {
  return (tenon_vs)__builtin_ia32_pshufb512_mask(
      (tenon_bytes_of)table, (tenon_bytes_of)i, (tenon_bytes_of)i,
      0xffffffffffffffff);
}
TENON_FLAT tenon_vs tenon_vs_less(tenon_vs a, tenon_vs b) {
  return (tenon_vs)__builtin_ia32_psubsb512_mask(
      (tenon_bytes_of)a, (tenon_bytes_of)b, (tenon_bytes_of)a,
      0xffffffffffffffff);
}
#elif TENON_VB == 64 && TENON_HAS_BUILTIN(__builtin_ia32_pshufb512) && \
    TENON_HAS_BUILTIN(__builtin_elementwise_sub_sat)
#define TENON_HAS_SHUFFLE 1
TENON_FLAT tenon_vs tenon_vs_shuffle(tenon_vs table, tenon_vs i) {
  return (tenon_vs)__builtin_ia32_pshufb512((tenon_bytes_of)table,
                                            (tenon_bytes_of)i);
}
TENON_FLAT tenon_vs tenon_vs_less(tenon_vs a, tenon_vs b) {
  return __builtin_elementwise_sub_sat(a, b);
}
#elif TENON_VB == 32 && TENON_HAS_BUILTIN(__builtin_ia32_pshufb256) && \
    TENON_HAS_BUILTIN(__builtin_ia32_psubsb256)
#define TENON_HAS_SHUFFLE 1
TENON_FLAT tenon_vs tenon_vs_shuffle(tenon_vs table, tenon_vs i) {
  return (tenon_vs)__builtin_ia32_pshufb256((tenon_bytes_of)table,
                                            (tenon_bytes_of)i);
}
TENON_FLAT tenon_vs tenon_vs_less(tenon_vs a, tenon_vs b) {
  return (tenon_vs)__builtin_ia32_psubsb256((tenon_bytes_of)a,
                                            (tenon_bytes_of)b);
}
#elif TENON_VB == 32 && TENON_HAS_BUILTIN(__builtin_ia32_pshufb256) && \
    TENON_HAS_BUILTIN(__builtin_elementwise_sub_sat)
#define TENON_HAS_SHUFFLE 1
TENON_FLAT tenon_vs tenon_vs_shuffle(tenon_vs table, tenon_vs i) {
  return (tenon_vs)__builtin_ia32_pshufb256((tenon_bytes_of)table,
                                            (tenon_bytes_of)i);
}
TENON_FLAT tenon_vs tenon_vs_less(tenon_vs a, tenon_vs b) {
  return __builtin_elementwise_sub_sat(a, b);
}
#endif

#ifdef TENON_HAS_SHUFFLE
enum { TENON_TABLE_PARTS = 16 };

// Parts of the table, each less the one before it in its half.
TENON_FLAT void tenon_table_s8_parts(const int8_t *table, tenon_vs *parts) {
  TENON_UNROLL
  for (int k = 0; k < TENON_TABLE_PARTS; ++k) {
    int8_t own[TENON_VB];
    uint64_t part[2], last[2] = {0, 0};
    memcpy(part, table + 16 * k, sizeof part);
    if (k % 8) memcpy(last, table + 16 * k - 16, sizeof last);
    part[0] ^= last[0];
    part[1] ^= last[1];
    TENON_UNROLL
    for (int i = 0; i < TENON_VB; i += 16)
      memcpy(own + i, part, sizeof part);
    parts[k] = (tenon_vs)tenon_vi_load(own);
  }
}

TENON_FLAT tenon_vs tenon_table_s8_of(const tenon_vs *parts, tenon_vs x) {
  const tenon_vs step = (tenon_vs){0} + (int8_t)16;
  tenon_vs low = x ^ (int8_t)-128, high = x;
  tenon_vs y = tenon_vs_shuffle(parts[0], low) ^
               tenon_vs_shuffle(parts[TENON_TABLE_PARTS / 2], high);
  TENON_UNROLL
  for (int k = 1; k < TENON_TABLE_PARTS / 2; ++k) {
    low = tenon_vs_less(low, step);
    high = tenon_vs_less(high, step);
    y ^= tenon_vs_shuffle(parts[k], low) ^
         tenon_vs_shuffle(parts[TENON_TABLE_PARTS / 2 + k], high);
  }
  return y;
}
#endif

TENON_FLAT tenon_status tenon_table_s8_run(const tenon_call *c, int64_t begin,
                                           int64_t end) {
  const int8_t *table = (const int8_t *)c->packed;
  const int8_t *x = (const int8_t *)c->in[0].data;
  int8_t *y = (int8_t *)c->out[0].data;
  ptrdiff_t i = (ptrdiff_t)begin;
#ifdef TENON_HAS_SHUFFLE
  // Of fewer, the table is not worth taking apart.
  if (end - begin >= 4 * TENON_VB) {
    tenon_vs parts[TENON_TABLE_PARTS];
    tenon_table_s8_parts(table, parts);
    for (; i + TENON_VB <= (ptrdiff_t)end; i += TENON_VB)
      tenon_vi_store(y + i, (tenon_vi)tenon_table_s8_of(
                                parts, (tenon_vs)tenon_vi_load(x + i)));
  }
#endif
  for (; i < (ptrdiff_t)end; ++i)
    y[i] = table[x[i] + 128];
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_TABLE_S8_OPT_H
