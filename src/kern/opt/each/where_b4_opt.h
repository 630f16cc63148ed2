// kern/opt/each/where_b4_opt.h - core::where of elements of four bytes, a
// register at a time: elements are moved, so their type does not matter.
//
// The result may lie where an operand does: each element is read before it is
// written, and picking from what was picked gives the same again.
#ifndef TENON_KERN_OPT_WHERE_B4_OPT_H
#define TENON_KERN_OPT_WHERE_B4_OPT_H

#include "kern/loop/where.h"
#include "kern/opt/vectors.h"

TENON_FLAT tenon_vi tenon_where_b4_splat(const char *p) {
  int32_t x;
  memcpy(&x, p, sizeof x);
  return tenon_vi_splat(x);
}

// TENON_VL elements; `is_a` and `is_b` say which operand goes on.
TENON_FLAT void tenon_where_b4_pick(const uint8_t *condition, const char *a,
                                    const char *b, const bool is_a,
                                    const bool is_b, tenon_vi of_a,
                                    tenon_vi of_b, char *y) {
  const tenon_vi is_set =
      tenon_vi_widen((const int8_t *)condition) != (tenon_vi){0};
  tenon_vi_store(y, tenon_vi_pick(is_set, is_a ? tenon_vi_load(a) : of_a,
                                  is_b ? tenon_vi_load(b) : of_b));
}

// n elements by as many conditions; constants after inlining as above.
TENON_FLAT void tenon_where_b4_each(const uint8_t *condition, const char *a,
                                    const bool is_a, const char *b,
                                    const bool is_b, char *y, ptrdiff_t n) {
  const tenon_vi of_a = tenon_where_b4_splat(a), of_b = tenon_where_b4_splat(b);
  ptrdiff_t i = 0;
  if (n < TENON_VL) {
    for (; i < n; ++i)
      memmove(y + 4 * i,
              condition[i] ? a + (is_a ? 4 * i : 0) : b + (is_b ? 4 * i : 0),
              4);
    return;
  }
  for (; i + TENON_VL <= n; i += TENON_VL)
    tenon_where_b4_pick(condition + i, a + 4 * i, b + 4 * i, is_a, is_b, of_a,
                        of_b, y + 4 * i);
  if (i == n) return;
  i = n - TENON_VL;  // some of them once more
  tenon_where_b4_pick(condition + i, a + 4 * i, b + 4 * i, is_a, is_b, of_a,
                      of_b, y + 4 * i);
}

// n elements of one operand, or one of them n times.
TENON_FLAT void tenon_where_b4_copy(const char *from, ptrdiff_t step, char *y,
                                    ptrdiff_t n) {
  if (from == y && step) return;
  const tenon_vi one = tenon_where_b4_splat(from);
  ptrdiff_t i = 0;
  if (step)
    for (; i + TENON_VL <= n; i += TENON_VL)
      tenon_vi_store(y + 4 * i, tenon_vi_load(from + 4 * i));
  else
    for (; i + TENON_VL <= n; i += TENON_VL)
      tenon_vi_store(y + 4 * i, one);
  for (; i < n; ++i)
    memmove(y + 4 * i, from + 4 * i * step, 4);
}

TENON_FLAT tenon_status tenon_where_b4_run(const tenon_call *c, int64_t begin,
                                           int64_t end) {
  tenon_where_walk w = tenon_where_walk_of(c, (ptrdiff_t)begin);
  const ptrdiff_t *step = w.step[0];
  ptrdiff_t n;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; i += n) {
    char *y = (char *)c->out[0].data + 4 * i;
    const uint8_t *condition = (const uint8_t *)c->in[0].data + w.at[0];
    const char *a = (const char *)c->in[1].data + 4 * w.at[1];
    const char *b = (const char *)c->in[2].data + 4 * w.at[2];
    n = w.dims[0] - w.index[0];
    if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;
    if (step[0] == 0 && *condition)
      tenon_where_b4_copy(a, step[1], y, n);
    else if (step[0] == 0)
      tenon_where_b4_copy(b, step[2], y, n);
    else if (step[1] == 0 && step[2] == 0)
      tenon_where_b4_each(condition, a, false, b, false, y, n);
    else if (step[1] == 0)
      tenon_where_b4_each(condition, a, false, b, true, y, n);
    else if (step[2] == 0)
      tenon_where_b4_each(condition, a, true, b, false, y, n);
    else
      tenon_where_b4_each(condition, a, true, b, true, y, n);
    tenon_where_next(&w);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_WHERE_B4_OPT_H
