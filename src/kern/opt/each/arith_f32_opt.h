// kern/opt/each/arith_f32_opt.h - core::add, sub, mul, div, minimum, maximum
// and prelu of floats, a register at a time: each element as the reference
// kernel has it.
//
// Operands are walked as kern/loop/broadcast.h does, but the lines of the last
// two dimensions from one to the next by steps alone, since a line may be a
// register or two, or three coordinates.
#ifndef TENON_KERN_OPT_ARITH_F32_OPT_H
#define TENON_KERN_OPT_ARITH_F32_OPT_H

#include "kern/op/arith.h"
#include "kern/opt/vectors.h"

enum {
  TENON_ARITH_ADD,
  TENON_ARITH_SUB,
  TENON_ARITH_MUL,
  TENON_ARITH_DIV,
  TENON_ARITH_MINIMUM,
  TENON_ARITH_MAXIMUM,
  TENON_ARITH_PRELU
};

typedef struct tenon_arith_f32 {
  tenon_vf lo, hi;
  ptrdiff_t step_a, step_b;  // from one element of a line to the next
} tenon_arith_f32;

TENON_FLAT tenon_vf tenon_arith_f32_of(const int op, const tenon_arith_f32 *k,
                                       tenon_vf x, tenon_vf y) {
  switch (op) {
    case TENON_ARITH_ADD:
      return tenon_vf_clamp(x + y, k->lo, k->hi);
    case TENON_ARITH_SUB:
      return tenon_vf_clamp(x - y, k->lo, k->hi);
    case TENON_ARITH_MUL:
      return tenon_vf_clamp(x * y, k->lo, k->hi);
    case TENON_ARITH_DIV:
      return tenon_vf_clamp(x / y, k->lo, k->hi);
    case TENON_ARITH_MINIMUM:
      return tenon_vf_pick((x < y) | (x != x), x, y);
    case TENON_ARITH_PRELU:
      return tenon_vf_pick(x > (tenon_vf){0}, x, x * y);
    default:
      return tenon_vf_pick((x > y) | (x != x), x, y);
  }
}

// `step` apart: any number, 0 among them.
TENON_FLAT tenon_vf tenon_arith_f32_load(const float *p, const ptrdiff_t step,
                                         ptrdiff_t n) {
  float lanes[TENON_VL] = {0};
  for (ptrdiff_t i = 0; i < n && i < TENON_VL; ++i)
    lanes[i] = p[i * step];
  return tenon_vf_load(lanes);
}

// n elements, of operands that are `sa` and `sb` apart; both are constants
// after inlining where they are 0 or 1.
TENON_FLAT void tenon_arith_f32_each(const int op, const tenon_arith_f32 *k,
                                     const float *a, const ptrdiff_t sa,
                                     const float *b, const ptrdiff_t sb,
                                     float *y, ptrdiff_t n) {
  ptrdiff_t i = 0;
  if (sa * sa == sa && sb * sb == sb && sa + sb > 0) {
    const tenon_vf one = tenon_vf_splat(sa ? b[0] : a[0]);
    for (; i + TENON_VL <= n; i += TENON_VL)
      tenon_vf_store(y + i,
                     tenon_arith_f32_of(op, k, sa ? tenon_vf_load(a + i) : one,
                                        sb ? tenon_vf_load(b + i) : one));
    if (i < n)
      tenon_vf_store_part(
          y + i,
          tenon_arith_f32_of(op, k, sa ? tenon_vf_load_part(a + i, n - i) : one,
                             sb ? tenon_vf_load_part(b + i, n - i) : one),
          n - i);
    return;
  }
  for (; i < n; i += TENON_VL)
    tenon_vf_store_part(
        y + i,
        tenon_arith_f32_of(op, k, tenon_arith_f32_load(a + i * sa, sa, n - i),
                           tenon_arith_f32_load(b + i * sb, sb, n - i)),
        n - i);
}

// Whole lines of fewer elements than a register has, out of n elements: how
// many elements they have. Four lines at a time, since a load that overlaps the
// register of a store before it, if only lanes that this left out, waits.
TENON_FLAT ptrdiff_t tenon_arith_f32_short(
    const int op, const tenon_arith_f32 *k, const float *a, const ptrdiff_t sa,
    ptrdiff_t next_a, const float *b, const ptrdiff_t sb, ptrdiff_t next_b,
    float *y, ptrdiff_t line, ptrdiff_t n) {
  ptrdiff_t done = 0;
  for (; done + 4 * line <= n; done += 4 * line, y += 4 * line) {
    tenon_vf r[4];
    TENON_UNROLL
    for (int i = 0; i < 4; ++i, a += next_a, b += next_b)
      r[i] = tenon_arith_f32_of(
          op, k, sa ? tenon_vf_load_part(a, line) : tenon_vf_splat(*a),
          sb ? tenon_vf_load_part(b, line) : tenon_vf_splat(*b));
    TENON_UNROLL
    for (int i = 0; i < 4; ++i)
      tenon_vf_store_part(y + i * line, r[i], line);
  }
  return done;
}

// n elements in lines of `line`, whose operands are side by side, and
// `next_a` and `next_b` further for each line. A function of its own for each
// operator: among all other cases compilers keep addresses in memory.
#define TENON_ARITH_PAIRS(name, op)                                           \
  TENON_APART void tenon_arith_f32_##name(                                    \
      const tenon_arith_f32 *k, const float *a, ptrdiff_t next_a,             \
      const float *b, ptrdiff_t next_b, float *y, ptrdiff_t line,             \
      ptrdiff_t n) {                                                          \
    /* A copy, which a store of a register cannot change. */                  \
    const tenon_arith_f32 own = *k;                                           \
    if (line > 1 && line < TENON_VL) {                                        \
      const ptrdiff_t done = tenon_arith_f32_short(op, &own, a, 1, next_a, b, \
                                                   1, next_b, y, line, n);    \
      a += done / line * next_a;                                              \
      b += done / line * next_b;                                              \
      y += done;                                                              \
      n -= done;                                                              \
    }                                                                         \
    for (; n > 0; n -= line, a += next_a, b += next_b, y += line)             \
      tenon_arith_f32_each(op, &own, a, 1, b, 1, y, n < line ? n : line);     \
  }
#define TENON_EACH_ARITH(X)       \
  X(add, TENON_ARITH_ADD)         \
  X(sub, TENON_ARITH_SUB)         \
  X(mul, TENON_ARITH_MUL)         \
  X(div, TENON_ARITH_DIV)         \
  X(minimum, TENON_ARITH_MINIMUM) \
  X(maximum, TENON_ARITH_MAXIMUM) X(prelu, TENON_ARITH_PRELU)
TENON_EACH_ARITH(TENON_ARITH_PAIRS)
#undef TENON_ARITH_PAIRS

TENON_FLAT void tenon_arith_f32_pairs(const int op, const tenon_arith_f32 *k,
                                      const float *a, ptrdiff_t next_a,
                                      const float *b, ptrdiff_t next_b,
                                      float *y, ptrdiff_t line, ptrdiff_t n) {
  switch (op) {
#define TENON_ARITH_PAIRS(name, op)                              \
  case op:                                                       \
    tenon_arith_f32_##name(k, a, next_a, b, next_b, y, line, n); \
    break;
    TENON_EACH_ARITH(TENON_ARITH_PAIRS)
#undef TENON_ARITH_PAIRS
  }
}

TENON_FLAT void tenon_arith_f32_line(const int op, const tenon_arith_f32 *k,
                                     const float *a, const float *b, float *y,
                                     ptrdiff_t n) {
  if (k->step_a == 1 && k->step_b == 1)
    tenon_arith_f32_pairs(op, k, a, 0, b, 0, y, n, n);
  else if (k->step_a == 1 && k->step_b == 0)
    tenon_arith_f32_each(op, k, a, 1, b, 0, y, n);
  else if (k->step_a == 0 && k->step_b == 1)
    tenon_arith_f32_each(op, k, a, 0, b, 1, y, n);
  else
    tenon_arith_f32_each(op, k, a, k->step_a, b, k->step_b, y, n);
}

// Floats of a line that is repeated until it ends with a register.
enum { TENON_ARITH_ROOM = 1024 };

// A line of one operand, `row`, for each of the other, which is dense, as a
// number per channel is: as many lines at a time as end with a register. From
// element `i` on, where a line begins; returns how far it came. `is_left`: the
// row is the left operand.
TENON_FLAT ptrdiff_t tenon_arith_f32_tiled(const int op,
                                           const tenon_arith_f32 *k,
                                           const bool is_left, const float *row,
                                           const float *x, float *y,
                                           ptrdiff_t line, ptrdiff_t i,
                                           ptrdiff_t end) {
  float tile[TENON_ARITH_ROOM] __attribute__((aligned(TENON_VB)));
  ptrdiff_t unit = line, n = line;
  while (unit % TENON_VL != 0)
    unit *= 2;
  ptrdiff_t all = tenon_round_up(16 * TENON_VL, unit);
  if (end - i < 2 * all) all = unit;
  if (all > TENON_ARITH_ROOM || all == line || end - i < 2 * all) return i;
  memcpy(tile, row, (size_t)line * sizeof *tile);
  for (; n < all; n *= 2)
    memcpy(tile + n, tile, (size_t)(n < all - n ? n : all - n) * sizeof *tile);
  if (is_left)
    tenon_arith_f32_pairs(op, k, tile, 0, x + i, all, y + i, all, end - i);
  else
    tenon_arith_f32_pairs(op, k, x + i, all, tile, 0, y + i, all, end - i);
  return end;
}

// Lines of operands whose elements are `sa` and `sb` apart, from element
// `begin` on; constants after inlining as above.
TENON_FLAT void tenon_arith_f32_walk(const int op, const tenon_arith_f32 *k,
                                     const ptrdiff_t sa, const ptrdiff_t sb,
                                     const tenon_broadcast *g, const float *a,
                                     const float *b, float *y, ptrdiff_t begin,
                                     ptrdiff_t end) {
  // Copies, which a store of a register cannot change.
  const tenon_arith_f32 own = *k;
  const ptrdiff_t size = g->dims[1], next_a = g->a[0], next_b = g->b[0];
  const ptrdiff_t line = begin / size, at = begin % size;
  a += line * next_a + at * sa;
  b += line * next_b + at * sb;
  y += begin;
  ptrdiff_t left = end - begin, n = size - at;
  if (sa == 1 && sb == 1) {
    const ptrdiff_t part = at == 0 ? 0 : n < left ? n : left;
    if (part) {
      tenon_arith_f32_pairs(op, k, a, 0, b, 0, y, part, part);
      a += next_a - at;
      b += next_b - at;
    }
    tenon_arith_f32_pairs(op, k, a, next_a, b, next_b, y + part, size,
                          left - part);
    return;
  }
  for (; left > 0; left -= n, y += n, n = size) {
    if (n > left) n = left;
    tenon_arith_f32_each(op, &own, a, sa, b, sb, y, n);
    a += next_a - (size - n) * sa;  // the first may begin within its line
    b += next_b - (size - n) * sb;
    if (n == size && 1 < n && n < TENON_VL && sa * sa == sa && sb * sb == sb) {
      const ptrdiff_t done = tenon_arith_f32_short(
          op, &own, a, sa, next_a, b, sb, next_b, y + n, size, left - n);
      a += done / size * next_a;
      b += done / size * next_b;
      y += done;
      left -= done;
    }
  }
}

// The lines of two dimensions, whose first elements are at a, b and y.
TENON_FLAT void tenon_arith_f32_lines(const int op, const tenon_arith_f32 *k,
                                      const tenon_broadcast *g, const float *a,
                                      const float *b, float *y, ptrdiff_t begin,
                                      ptrdiff_t end) {
  const ptrdiff_t size = g->dims[1];
  const bool is_pair = k->step_a == 1 && k->step_b == 1;
  if (is_pair && ((g->a[0] == size && g->b[0] == 0) ||
                  (g->b[0] == size && g->a[0] == 0))) {
    ptrdiff_t first = (begin + size - 1) / size * size;
    if (first > end) first = end;
    tenon_arith_f32_walk(op, k, 1, 1, g, a, b, y, begin, first);
    begin = g->a[0]
                ? tenon_arith_f32_tiled(op, k, false, b, a, y, size, first, end)
                : tenon_arith_f32_tiled(op, k, true, a, b, y, size, first, end);
  }
  if (is_pair)
    tenon_arith_f32_walk(op, k, 1, 1, g, a, b, y, begin, end);
  else if (k->step_a == 1 && k->step_b == 0)
    tenon_arith_f32_walk(op, k, 1, 0, g, a, b, y, begin, end);
  else if (k->step_a == 0 && k->step_b == 1)
    tenon_arith_f32_walk(op, k, 0, 1, g, a, b, y, begin, end);
  else
    tenon_arith_f32_walk(op, k, k->step_a, k->step_b, g, a, b, y, begin, end);
}

TENON_FLAT tenon_arith_f32 tenon_arith_f32_start(const int op,
                                                 const tenon_call *c,
                                                 const tenon_broadcast *g) {
  tenon_arith_f32 k = {{0}, {0}, g->a[g->rank - 1], g->b[g->rank - 1]};
  if (op < TENON_ARITH_MINIMUM) {
    const tenon_arith_attrs *attrs = (const tenon_arith_attrs *)c->attrs;
    const tenon_limits_f32 m = tenon_limits_f32_of(attrs->lo, attrs->hi);
    k.lo = tenon_vf_splat(m.lo);
    k.hi = tenon_vf_splat(m.hi);
  }
  return k;
}

TENON_FLAT tenon_status tenon_arith_f32_run(const int op, const tenon_call *c,
                                            int64_t begin, int64_t end) {
  const tenon_broadcast g =
      tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);
  const tenon_arith_f32 k = tenon_arith_f32_start(op, c, &g);
  if (begin >= end) return TENON_OK;  // no lines to find a place in
  const float *a = (const float *)c->in[0].data;
  const float *b = (const float *)c->in[1].data;
  float *y = (float *)c->out[0].data;
  if (g.rank == 1) {
    tenon_arith_f32_line(op, &k, a + begin * k.step_a, b + begin * k.step_b,
                         y + begin, (ptrdiff_t)(end - begin));
    return TENON_OK;
  }
  // All but the innermost dimension: its runs are the lines of the last two.
  tenon_broadcast outer = g, last = g;
  const int32_t d = --outer.rank - 1;
  const ptrdiff_t size = g.dims[d + 1];
  last.rank = 2;
  for (int32_t i = 0; i < 2; ++i) {
    last.dims[i] = g.dims[d + i];
    last.a[i] = g.a[d + i];
    last.b[i] = g.b[d + i];
  }
  tenon_broadcast_run run =
      tenon_broadcast_start(&outer, (ptrdiff_t)begin / size);
  ptrdiff_t from = run.index[d] * size + (ptrdiff_t)begin % size;
  for (ptrdiff_t i = (ptrdiff_t)begin - from; i < (ptrdiff_t)end; from = 0) {
    ptrdiff_t to = g.dims[d] * size;
    if (to > (ptrdiff_t)end - i) to = (ptrdiff_t)end - i;
    tenon_arith_f32_lines(op, &k, &last, a + run.a - run.index[d] * g.a[d],
                          b + run.b - run.index[d] * g.b[d], y + i, from, to);
    i += g.dims[d] * size;
    tenon_broadcast_next(&outer, &run);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_ARITH_F32_OPT_H
