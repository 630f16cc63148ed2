// kern/opt/rows/sort_f32_opt.h - core::sort on floats.
//
// An element is a key, whose order as a number without a sign is that of the
// elements, and behind it its place: so equal ones keep their order, and
// nothing has to be looked up. All of a line are sorted by their digits, a few
// of a long one kept in order while it is walked, past whole registers that
// have nothing for them; of lines that are not long, as many as a register has
// lanes at once.
#ifndef TENON_KERN_OPT_SORT_F32_OPT_H
#define TENON_KERN_OPT_SORT_F32_OPT_H

#include "kern/loop/order.h"
#include "kern/opt/rows/turned_f32_opt.h"
#include "kern/opt/vectors.h"

enum {
  TENON_SORT_FEW = 48,    // so few are put in their places one by one
  TENON_SORT_KEPT = 128,  // and so many at most are kept of a line of
  TENON_SORT_TIMES = 8,   // so many times as many
  TENON_SORT_BESIDE = 32  // so many are kept in registers of lines beside each
                          // other, which have so many registers each at most
};

// Zeros are one number, and all NaN are the largest.
TENON_FLAT uint64_t tenon_sort_f32_key(float x, bool descending, ptrdiff_t at) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (x == 0) bits = 0;
  bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  if (x != x) bits = 0xffffffffu;
  if (descending) bits = ~bits;
  return (uint64_t)bits << 32 | (uint32_t)at;
}

// One more behind the first n, which are in order; what is behind the last of
// `room` is gone.
TENON_FLAT void tenon_sort_f32_put(uint64_t *line, ptrdiff_t n, uint64_t key) {
  for (; n > 0 && line[n - 1] > key; --n)
    line[n] = line[n - 1];
  line[n] = key;
}

// By digits of 8 bits, the lowest first; one that all share changes nothing.
// The result is in the one or the other.
static uint64_t *tenon_sort_f32_digits(uint64_t *line, uint64_t *other,
                                       ptrdiff_t n) {
  uint32_t count[4][256] = {{0}};
  for (ptrdiff_t i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k)
      ++count[k][line[i] >> (32 + 8 * k) & 255];
  for (int k = 0; k < 4; ++k) {
    uint32_t *at = count[k], sum = 0;
    if (at[line[0] >> (32 + 8 * k) & 255] == (uint32_t)n) continue;
    for (int digit = 0; digit < 256; ++digit) {
      const uint32_t own = at[digit];
      at[digit] = sum;
      sum += own;
    }
    for (ptrdiff_t i = 0; i < n; ++i)
      other[at[line[i] >> (32 + 8 * k) & 255]++] = line[i];
    uint64_t *swap = line;
    line = other;
    other = swap;
  }
  return line;
}

static const uint64_t *tenon_sort_f32_all(const float *x, ptrdiff_t step,
                                          ptrdiff_t n, bool descending,
                                          uint64_t *line) {
  if (n <= TENON_SORT_FEW) {
    for (ptrdiff_t i = 0; i < n; ++i)
      tenon_sort_f32_put(line, i,
                         tenon_sort_f32_key(x[i * step], descending, i));
    return line;
  }
  for (ptrdiff_t i = 0; i < n; ++i)
    line[i] = tenon_sort_f32_key(x[i * step], descending, i);
  return tenon_sort_f32_digits(line, line + n, n);
}

// Whether x may go in front of `last`; a NaN may go anywhere.
#define TENON_SORT_MAY_GO(x, last, descending) \
  (descending ? !((x) <= (last)) : !((x) >= (last)))

// Whether one of `count` registers has such an element.
TENON_FLAT bool tenon_sort_f32_has(const float *x, const int count, float last,
                                   bool descending) {
  const tenon_vf most = tenon_vf_splat(last);
  tenon_vi not_any = tenon_vi_splat(-1);
  int32_t lanes[TENON_VL], all = -1;
  TENON_UNROLL
  for (int k = 0; k < count; ++k) {
    const tenon_vf v = tenon_vf_load(x + k * TENON_VL);
    not_any &= descending ? v <= most : v >= most;
  }
  tenon_vi_store(lanes, not_any);
  TENON_UNROLL
  for (int k = 0; k < TENON_VL; ++k)
    all &= lanes[k];
  return all != -1;
}

// The first `kept` of a line, which has more.
static const uint64_t *tenon_sort_f32_first(const float *x, ptrdiff_t step,
                                            ptrdiff_t n, ptrdiff_t kept,
                                            bool descending, uint64_t *line) {
  ptrdiff_t i = 0, past = 0;  // up to where four registers have something
  for (; i < kept; ++i)
    tenon_sort_f32_put(line, i, tenon_sort_f32_key(x[i * step], descending, i));
  while (i < n) {
    float last = x[(uint32_t)line[kept - 1] * step];
    ptrdiff_t end = i + TENON_VL;
    if (step == 1 && i >= past && i + 4 * TENON_VL <= n) {
      if (!tenon_sort_f32_has(x + i, 4, last, descending)) {
        i += 4 * TENON_VL;
        continue;
      }
      past = i + 4 * TENON_VL;
    }
    if (end > n) {
      end = n;
    } else if (step == 1 && !tenon_sort_f32_has(x + i, 1, last, descending)) {
      i = end;
      continue;
    }
    for (; i < end; ++i) {
      const float own = x[i * step];
      if (!TENON_SORT_MAY_GO(own, last, descending)) continue;
      const uint64_t key = tenon_sort_f32_key(own, descending, i);
      if (key >= line[kept - 1]) continue;
      tenon_sort_f32_put(line, kept - 1, key);
      last = x[(uint32_t)line[kept - 1] * step];
    }
  }
  return line;
}

// The keys of a register of elements: as numbers with a sign they have the
// order of tenon_sort_f32_key.
TENON_FLAT tenon_vi tenon_sort_f32_keys(tenon_vf x, bool descending) {
  const tenon_vi bits = (tenon_vi)x & ~(x == (tenon_vf){0});
  const tenon_vi key = bits ^ ((bits >> 31) & INT32_MAX);
  const tenon_vi all = tenon_vi_pick(x != x, tenon_vi_splat(INT32_MAX), key);
  return descending ? ~all : all;
}

// Of lines beside each other the first `had` so far: register k of `keys` and
// `places` has the k-th of every line.
typedef struct tenon_sort_beside {
  tenon_vi keys[TENON_SORT_BESIDE], places[TENON_SORT_BESIDE];
  ptrdiff_t had, kept;
} tenon_sort_beside;

// `count` elements more of each, one or two, a constant after inlining; the
// first of them is element `first`. What comes later goes behind what is equal,
// and all behind that one back.
TENON_FLAT void tenon_sort_f32_take(const int count, tenon_sort_beside *s,
                                    const float *x, ptrdiff_t first,
                                    bool descending) {
  tenon_vi key[2], place[2], is_in[2];
  TENON_UNROLL
  for (int j = 0; j < count; ++j) {
    key[j] = tenon_sort_f32_keys(tenon_vf_load(x + j * TENON_VL), descending);
    place[j] = tenon_vi_splat((int32_t)(first + j));
    is_in[j] = (tenon_vi){0};
  }
  for (ptrdiff_t k = 0; k < s->had; ++k) {
    tenon_vi own = s->keys[k], own_place = s->places[k];
    TENON_UNROLL
    for (int j = 0; j < count; ++j) {
      const tenon_vi last = own, last_place = own_place;
      is_in[j] |= key[j] < own;
      own = tenon_vi_pick(is_in[j], key[j], last);
      own_place = tenon_vi_pick(is_in[j], place[j], last_place);
      key[j] = tenon_vi_pick(is_in[j], last, key[j]);
      place[j] = tenon_vi_pick(is_in[j], last_place, place[j]);
    }
    s->keys[k] = own;
    s->places[k] = own_place;
  }
  if (s->had == s->kept) return;
  if (count == 2) {
    const tenon_vi is_less = is_in[1] | (key[1] < key[0]);
    const tenon_vi last = key[0], last_place = place[0];
    key[0] = tenon_vi_pick(is_less, key[1], last);
    place[0] = tenon_vi_pick(is_less, place[1], last_place);
    key[1] = tenon_vi_pick(is_less, last, key[1]);
    place[1] = tenon_vi_pick(is_less, last_place, place[1]);
  }
  for (int j = 0; j < count && s->had < s->kept; ++j) {
    s->keys[s->had] = key[j];
    s->places[s->had++] = place[j];
  }
}

// The first of `lines` lines of n, one behind the other, as many as a register
// has lanes at most.
static void tenon_sort_f32_beside(tenon_sort_beside *s, const float *x,
                                  ptrdiff_t n, ptrdiff_t lines,
                                  bool descending) {
  int32_t turned[TENON_TURNED * TENON_VL];
  const float *each = (const float *)(const void *)turned;
  s->had = 0;
  if (lines < TENON_VL) memset(turned, 0, sizeof turned);
  for (ptrdiff_t first = 0; first < n; first += TENON_TURNED) {
    const ptrdiff_t left = n - first < TENON_TURNED ? n - first : TENON_TURNED;
    ptrdiff_t i = 0;
    tenon_turn_rows(x + first, left, n, lines, TENON_VL, turned);
    for (; i + 2 <= left; i += 2)
      tenon_sort_f32_take(2, s, each + i * TENON_VL, first + i, descending);
    if (i < left)
      tenon_sort_f32_take(1, s, each + i * TENON_VL, first + i, descending);
  }
}

// Lines [i, end), as many as a register has lanes at a time.
static void tenon_sort_f32_lines(const tenon_call *c, ptrdiff_t n,
                                 ptrdiff_t kept, bool descending, ptrdiff_t i,
                                 ptrdiff_t end) {
  tenon_sort_beside s;
  int32_t lanes[TENON_VL];
  s.kept = kept;
  for (; i < end; i += TENON_VL) {
    const ptrdiff_t lines = end - i < TENON_VL ? end - i : TENON_VL;
    const float *x = (const float *)c->in[0].data + i * n;
    float *y = (float *)c->out[0].data + i * kept;
    int64_t *at = (int64_t *)c->out[1].data + i * kept;
    tenon_sort_f32_beside(&s, x, n, lines, descending);
    for (ptrdiff_t k = 0; k < kept; ++k) {
      tenon_vi_store(lanes, s.places[k]);
      for (ptrdiff_t j = 0; j < lines; ++j) {
        y[j * kept + k] = x[j * n + lanes[j]];
        at[j * kept + k] = lanes[j];
      }
    }
  }
}

TENON_INLINE int64_t tenon_sort_f32_items(const tenon_call *c) {
  return tenon_lines_count(&c->in[0],
                           ((const tenon_sort_attrs *)c->attrs)->axis);
}

TENON_INLINE tenon_status tenon_sort_f32_run(const tenon_call *c, int64_t begin,
                                             int64_t end) {
  const tenon_sort_attrs *a = (const tenon_sort_attrs *)c->attrs;
  const tenon_lines l = tenon_lines_of(&c->in[0], a->axis);
  const ptrdiff_t kept = tenon_sort_kept(a, l.n);
  const bool is_few = kept <= TENON_SORT_KEPT && kept * TENON_SORT_TIMES <= l.n;
  if (kept == 0) return TENON_OK;
  if (l.step == 1 && kept <= TENON_SORT_BESIDE &&
      l.n <= TENON_SORT_BESIDE * TENON_VL && 2 * (end - begin) >= TENON_VL) {
    tenon_sort_f32_lines(c, l.n, kept, a->descending, (ptrdiff_t)begin,
                         (ptrdiff_t)end);
    return TENON_OK;
  }
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const float *x = (const float *)c->in[0].data + tenon_lines_first(&l, i);
    const ptrdiff_t to = tenon_sort_to(&l, kept, i);
    float *y = (float *)c->out[0].data + to;
    int64_t *at = (int64_t *)c->out[1].data + to;
    uint64_t *line = (uint64_t *)c->scratch;
    const uint64_t *sorted =
        is_few ? tenon_sort_f32_first(x, l.step, l.n, kept, a->descending, line)
               : tenon_sort_f32_all(x, l.step, l.n, a->descending, line);
    for (ptrdiff_t k = 0; k < kept; ++k) {
      const uint32_t place = (uint32_t)sorted[k];
      y[k * l.step] = x[(ptrdiff_t)place * l.step];
      at[k * l.step] = place;
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_SORT_F32_OPT_H
