// How: every leaf gets another size, none of them 1 where that can be helped,
// so that what holds for all trials is not a coincidence of small numbers.
// Conditions of the file mostly want even sizes, multiples, equal ones, so
// scales are tried first. What they leave broken is mended leaf by leaf: of the
// sizes that come into question for a leaf of a broken condition, that is taken
// with which the fewest are broken; where no one leaf helps, two of a
// condition.
#include "bind/trials.h"

#include <string.h>

#define MOST_ROUNDS 32
#define MOST_GUARDS 8  // broken ones that a round looks at
#define MOST_FIRST 64  // sizes of the first of two leaves
// Symbols computed for one trial: models have some hundreds.
#define BUDGET INT64_C(30000000)

int64_t tenon_sizing_value(const int64_t *values, tenon_dim d) {
  return d.symbol == 0 ? d.value : values[d.symbol];
}

// Expressions from leaves; false when one overflows or divides by zero.
static bool trials_compute(const tenon_symbols *all, int64_t *values) {
  for (uint32_t i = 1; i < all->count; ++i) {
    const tenon_symbol *s = &all->data[i];
    if (s->op == 0) continue;
    int64_t a = tenon_sizing_value(values, s->a);
    int64_t b = tenon_sizing_value(values, s->b);
    values[i] = TENON_UNKNOWN;
    if (a == TENON_UNKNOWN || b == TENON_UNKNOWN) continue;
    if (!tenon_dim_compute((tenon_dim_op)s->op, a, b, &values[i])) return false;
  }
  return true;
}

static int64_t trials_within(const tenon_symbol *s, int64_t value) {
  if (value < s->min) value = s->min;
  return value > s->max ? s->max : value;
}

// What a leaf that a step decides may be at most, given the others.
static int64_t trials_most_of(const tenon_symbol *s, const int64_t *values) {
  if (s->most.symbol == 0) return s->max;
  int64_t most = values[s->most.symbol];
  return most == TENON_UNKNOWN || most > s->max ? s->max : most;
}

static bool is_broken(const tenon_guard *g, const int64_t *values) {
  int64_t a = tenon_sizing_value(values, g->a);
  int64_t b = tenon_sizing_value(values, g->b);
  return a != TENON_UNKNOWN && b != TENON_UNKNOWN &&
         !tenon_relation_holds(g->relation, a, b);
}

// Conditions that are broken, and sizes beyond what bounds them.
static size_t count_broken(const tenon_module *m, const int64_t *values) {
  size_t n = 0;
  for (size_t i = 0; i < m->guards.count; ++i)
    n += is_broken(&m->guards.data[i], values);
  for (uint32_t i = 1; i < m->symbols.count; ++i) {
    const tenon_symbol *s = &m->symbols.data[i];
    n += s->op == 0 && s->most.symbol != 0 &&
         values[i] > trials_most_of(s, values);
  }
  return n;
}

// ---------------------------------------------------------------------------
// Scales
// ---------------------------------------------------------------------------

// The trial's size of a leaf, at least its least: a multiple of `scale`.
static int64_t trial_of(const tenon_symbol *s, int t, int64_t scale,
                        int64_t order) {
  static const int64_t first[] = {5, 3, 11}, step[] = {2, 4, 6};
  int64_t value = scale * (first[t] + (scale > 1 ? 0 : step[t] * order));
  if (s->min > 1 && s->min < INT32_MAX)
    value += (s->min + scale - 1) / scale * scale - scale;
  return trials_within(s, value);
}

// Leaves by `t`: the trial's number; the typical ones are -1.
static bool trials_fill(const tenon_module *m, int t, int64_t scale,
                        int64_t *values) {
  const tenon_symbols *all = &m->symbols;
  int64_t order = 0;
  // Twice: what a step decides is bounded by what others make.
  for (int pass = 0; pass < 2; ++pass) {
    order = 0;
    for (uint32_t i = 1; i < all->count; ++i) {
      const tenon_symbol *s = &all->data[i];
      if (s->op != 0) continue;
      if (s->kind != 0) {
        values[i] = 0;
      } else if (t < 0) {
        int64_t some = s->stored != 0 ? s->stored : 1;
        values[i] = trials_within(
            s, s->most.symbol && pass ? trials_most_of(s, values) : some);
      } else {
        values[i] = trial_of(s, t, scale, order++);
        if (pass && s->most.symbol && values[i] > trials_most_of(s, values))
          values[i] = trials_most_of(s, values);
      }
    }
    if (!trials_compute(all, values)) return false;
  }
  return true;
}

bool tenon_trial_typical(const tenon_module *m, int64_t *values) {
  return trials_fill(m, -1, 1, values);
}

// ---------------------------------------------------------------------------
// Mending
// ---------------------------------------------------------------------------

typedef struct mending {
  const tenon_module *m;
  int64_t *values;
  bool *is_part;  // by symbol: of the condition that is looked at
  size_t fewest;  // conditions broken so far
  uint32_t leaf;  // the best change; 0: none
  int64_t value;
  uint32_t first;  // with it; 0: none
  int64_t first_value;
  int64_t budget;
} mending;

static void mark_parts(mending *w, const tenon_guard *g) {
  const tenon_symbols *all = &w->m->symbols;
  memset(w->is_part, 0, all->count * sizeof *w->is_part);
  w->is_part[g->a.symbol] = w->is_part[g->b.symbol] = true;
  for (uint32_t i = all->count; i-- > 1;) {
    const tenon_symbol *s = &all->data[i];
    if (!w->is_part[i]) continue;
    if (s->op != 0) w->is_part[s->a.symbol] = w->is_part[s->b.symbol] = true;
    // One that comes later is looked at with the conditions of its own.
    if (s->op == 0 && s->most.symbol < i) w->is_part[s->most.symbol] = true;
  }
}

static void try_value(mending *w, uint32_t leaf, int64_t value) {
  const tenon_symbols *all = &w->m->symbols;
  int64_t old = w->values[leaf];
  value = trials_within(&all->data[leaf], value);
  w->budget -= all->count;
  if (value == old || w->budget < 0) return;
  w->values[leaf] = value;
  size_t n =
      trials_compute(all, w->values) ? count_broken(w->m, w->values) : SIZE_MAX;
  w->values[leaf] = old;
  if (n >= w->fewest) return;
  w->fewest = n;
  w->leaf = leaf;
  w->value = value;
  w->first = 0;
}

// Sizes that may mend the condition: apart by what it is apart, near, multiples
// and small ones, at the ends of the range.
static void try_leaf(mending *w, uint32_t leaf, const tenon_guard *g) {
  const tenon_symbol *s = &w->m->symbols.data[leaf];
  int64_t at = w->values[leaf], a = tenon_sizing_value(w->values, g->a);
  int64_t b = tenon_sizing_value(w->values, g->b), most = INT64_C(1) << 40;
  if (a < most && a > -most && b < most && b > -most && at < most &&
      at > -most) {
    for (int64_t near = -1; near <= 1; ++near) {
      try_value(w, leaf, at + (a - b) + near);
      try_value(w, leaf, at - (a - b) + near);
    }
    try_value(w, leaf, a);
    try_value(w, leaf, b);
    for (int64_t unit = 2; unit <= 16; ++unit)
      try_value(w, leaf, (at / unit + 1) * unit);
  }
  for (int64_t size = 2; size <= 64; size += 1 + size / 16)
    try_value(w, leaf, size);
  try_value(w, leaf, s->max);
  try_value(w, leaf, s->min);
  try_value(w, leaf, 1);
  try_value(w, leaf, 0);
}

static bool trials_is_free(const mending *w, uint32_t symbol) {
  const tenon_symbol *s = &w->m->symbols.data[symbol];
  return w->is_part[symbol] && s->op == 0 && s->kind == 0;
}

static void try_leaves(mending *w, const tenon_guard *g, uint32_t but) {
  const tenon_symbols *all = &w->m->symbols;
  for (uint32_t k = 1; k < all->count; ++k) {
    if (k == but || !trials_is_free(w, k)) continue;
    // What an earlier try has left.
    if (!trials_compute(all, w->values)) return;
    try_leaf(w, k, g);
  }
}

static void try_pairs(mending *w, const tenon_guard *g) {
  const tenon_symbols *all = &w->m->symbols;
  for (uint32_t k = 1; k < all->count && w->leaf == 0; ++k) {
    if (!trials_is_free(w, k)) continue;
    int64_t old = w->values[k];
    for (int64_t i = 2; i <= MOST_FIRST && w->leaf == 0; ++i) {
      w->values[k] = trials_within(&all->data[k], i);
      try_leaves(w, g, k);
      if (w->leaf == 0) continue;
      w->first = k;
      w->first_value = w->values[k];
    }
    w->values[k] = old;
  }
}

// Looks for a change after which fewer conditions are broken.
static void trials_look(mending *w, bool as_pairs) {
  const tenon_module *m = w->m;
  int looked = 0;
  for (size_t i = 0; i < m->guards.count && looked < MOST_GUARDS; ++i) {
    const tenon_guard *g = &m->guards.data[i];
    if (!trials_compute(&m->symbols, w->values)) return;
    if (!is_broken(g, w->values)) continue;
    ++looked;
    mark_parts(w, g);
    if (as_pairs)
      try_pairs(w, g);
    else
      try_leaves(w, g, 0);
  }
}

static bool mend(mending *w) {
  const tenon_symbols *all = &w->m->symbols;
  for (int round = 0; round < MOST_ROUNDS && w->budget > 0; ++round) {
    if (!trials_compute(all, w->values)) return false;
    w->fewest = count_broken(w->m, w->values);
    w->leaf = w->first = 0;
    if (w->fewest == 0) return true;
    trials_look(w, false);
    if (w->leaf == 0) trials_look(w, true);
    if (w->leaf == 0) return false;
    if (w->first) w->values[w->first] = w->first_value;
    w->values[w->leaf] = w->value;
  }
  return false;
}

bool tenon_trial_fill(tenon_arena *arena, const tenon_module *m, int t,
                      int64_t *values) {
  for (int64_t scale = 1; scale <= 64; scale *= 2)
    if (trials_fill(m, t, scale, values) && count_broken(m, values) == 0)
      return true;
  tenon_arena_mark mark = tenon_arena_save(arena);
  mending w = {.m = m, .values = values, .budget = BUDGET};
  w.is_part = tenon_arena_array(arena, bool, m->symbols.count + 1u);
  bool done = false;
  for (int64_t scale = 1; w.is_part && scale <= 64 && !done; scale *= 2)
    done = trials_fill(m, t, scale, values) && mend(&w);
  tenon_arena_restore(arena, mark);
  return done;
}
