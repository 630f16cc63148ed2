// How: an element that two windows share solves one equation, in which each
// dimension adds a multiple of its stride within bounds. Largest strides first,
// what the smaller ones can still reach leaves few multiples to try, and none
// where their greatest common divisor does not divide what is missing.
#include "core/strided.h"

#include "base/size.h"
#include "kern/num/power.h"
#include "tenon/tensor.h"

#define MOST_STEPS 65536
#define MOST_TERMS (2 * TENON_MAX_RANK)

// Adds between `low` and `high` in steps of `stride`; `divisor` divides this
// and all smaller strides, `below` and `above` are what the smaller ones reach.
typedef struct term {
  int64_t stride, low, high, divisor, below, above;
} term;

typedef struct search {
  term terms[MOST_TERMS];
  int n;
  int64_t steps;
  bool is_empty, is_beyond;
} search;

// Keeps the order of falling strides.
static void add_window(search *s, const tenon_strided *w, bool is_minus) {
  for (int d = 0; d < w->rank; ++d) {
    int64_t reach = 0;
    s->is_empty |= w->size[d] == 0;
    s->is_beyond |= w->size[d] < 0 || w->stride[d] < 0;
    if (s->is_empty || s->is_beyond || w->size[d] == 1 || w->stride[d] == 0)
      continue;
    // Half of what fits, so that differences do.
    s->is_beyond |= !tenon_int_mul(w->size[d] - 1, w->stride[d], &reach) ||
                    reach > INT64_MAX / (4 * MOST_TERMS);
    int at = s->n++;
    for (; at > 0 && s->terms[at - 1].stride < w->stride[d]; --at)
      s->terms[at] = s->terms[at - 1];
    s->terms[at] = (term){.stride = w->stride[d],
                          .low = is_minus ? -reach : 0,
                          .high = is_minus ? 0 : reach};
  }
}

static void sum_up(search *s) {
  int64_t below = 0, above = 0, divisor = 0;
  for (int i = s->n; i-- > 0;) {
    term *t = &s->terms[i];
    divisor = tenon_gcd_s64(divisor, t->stride, 64);
    t->divisor = divisor;
    t->below = below;
    t->above = above;
    below += t->low;
    above += t->high;
  }
}

// Whether terms from `i` on can add up to `wanted`.
static bool reaches(search *s, int i, int64_t wanted) {
  if (i == s->n) return wanted == 0;
  const term *t = &s->terms[i];
  if (wanted % t->divisor != 0) return false;
  if (wanted < t->low + t->below || wanted > t->high + t->above) return false;
  int64_t from = wanted - t->above, to = wanted - t->below;
  if (from < t->low) from = t->low;
  if (to > t->high) to = t->high;
  // Multiples of the stride: `low` is one.
  int64_t rest = (from - t->low) % t->stride;
  for (int64_t x = rest ? from + t->stride - rest : from; x <= to;
       x += t->stride) {
    if (++s->steps > MOST_STEPS) return true;
    if (reaches(s, i + 1, wanted - x)) return true;
  }
  return false;
}

bool tenon_strided_shares(const tenon_strided *a, const tenon_strided *b) {
  search s = {.n = 0};
  const int64_t most = INT64_MAX / 4;
  add_window(&s, a, false);
  add_window(&s, b, true);
  if (s.is_empty) return false;
  if (s.is_beyond || a->offset > most || a->offset < -most ||
      b->offset > most || b->offset < -most)
    return true;
  sum_up(&s);
  return reaches(&s, 0, b->offset - a->offset);
}

// Two indices that lead to one element differ in some dimension: from the
// first in which they do, they are one apart or more.
bool tenon_strided_repeats(const tenon_strided *w) {
  int64_t size[TENON_MAX_RANK], shorter[TENON_MAX_RANK];
  for (int d = 0; d < w->rank; ++d)
    if (w->size[d] == 0) return false;
  for (int d = 0; d < w->rank; ++d) {
    if (w->size[d] == 1) continue;
    if (w->stride[d] <= 0) return true;
    for (int k = 0; k < w->rank; ++k) {
      size[k] = k < d ? 1 : w->size[k];
      shorter[k] = k == d ? w->size[k] - 1 : size[k];
    }
    tenon_strided one = {w->stride[d], shorter, w->stride, w->rank};
    tenon_strided other = {0, size, w->stride, w->rank};
    size[d] = 1;
    if (tenon_strided_shares(&one, &other)) return true;
  }
  return false;
}
