// How: whether a capacity suffices is asked of the tree search (pack_tree.h),
// many times with small budgets and another order each time: it either runs
// straight into a packing or gets stuck for good. Orders are by lifetime, area,
// contention and time in several priorities, with lifetimes in steps and in
// times that are left; from the second round on they are disturbed by a few
// percent. Budgets follow Luby's sequence in powers of two. The bound is tried
// first and with most of the steps, then what halves the distance to the best
// packing known; what failed counts as too small until the next round, which
// has four times the budget.
#include <string.h>

#include "program/pack_tree.h"

enum {
  MOST_ITEMS = 2000,    // the lists of the search are quadratic in these
  FIRST_VISITS = 2000,  // of the shortest dive
  FAVOUR = 16,          // times that for the favoured orders
  FIRST_STEPS = 4000000
};

typedef struct searcher {
  tenon_packer *p;
  tenon_pack_tree tree;
  double *life[2], *area[2];  // in steps; in times that are left
  double *contention;
  bool is_short;
  uint64_t unit;  // places and sizes are multiples of this
  uint32_t seed;
  bool is_cut;  // in this round steps were used up before the answer
} searcher;

// T contention, A area, W lifetime, S size, L begins first, R ends last. The
// first gets further than the others in almost every problem.
static const char *const orders[] = {"TWA", "TAW", "WAT", "AWT",
                                     "WTA", "SWT", "LAW", "RAW"};
enum { N_ORDERS = 2 * (sizeof orders / sizeof *orders), N_FAVOURED = 2 };

static double key_of(const searcher *s, uint32_t i, char which) {
  const tenon_pack_item *item = &s->p->items[i];
  switch (which) {
    case 'T':
      return s->contention[i];
    case 'A':
      return s->area[s->is_short][i];
    case 'W':
      return s->life[s->is_short][i];
    case 'S':
      return (double)item->most;
    case 'L':
      return -(double)item->first;
    default:
      return (double)item->last;
  }
}

// Each order with both kinds of lifetimes; undisturbed when budgets are larger
// than ever, else by 10, 40 and 3 percent.
static void arrange(searcher *s, uint32_t order, uint64_t round) {
  static const double noises[] = {0.1, 0.4, 0.03};
  tenon_pack_tree *t = &s->tree;
  const char *by = orders[order / 2];
  double noise = (round & (round - 1)) == 0 ? 0 : noises[round % 3];
  s->is_short = order % 2;
  t->contention = -1;
  for (int k = 0; k < TENON_PACK_KEYS; ++k)
    if (by[k] == 'T') t->contention = k;
  for (uint32_t i = 0; i < s->p->n; ++i) {
    s->seed = s->seed * 1664525u + 1013904223u;
    tenon_pack_keys *keys = &t->keys[i];
    keys->factor = 1 + noise * ((double)(s->seed >> 8) / 16777216.0 - 0.5);
    for (int k = 0; k < TENON_PACK_KEYS; ++k)
      keys->values[k] = keys->factor * key_of(s, i, by[k]);
    s->p->order[i] = i;
  }
  tenon_pack_sort(s->p->order, s->p->placed, s->p->n, tenon_pack_by_keys,
                  t->keys);
}

static uint64_t common(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static bool open_search(searcher *s, tenon_packer *p, tenon_arena *arena) {
  s->p = p;
  s->seed = 1;
  bool ok = tenon_pack_tree_init(&s->tree, p, arena);
  for (int k = 0; k < 2; ++k) {
    s->life[k] = tenon_arena_array(arena, double, p->n);
    s->area[k] = tenon_arena_array(arena, double, p->n);
  }
  s->contention = tenon_arena_array(arena, double, p->n);
  double *live = tenon_arena_array(arena, double, p->n_times);
  if (!ok || arena->failed) return false;
  for (size_t k = 0; k < p->n_rects; ++k)
    for (uint32_t now = p->rects[k].first; now <= p->rects[k].last; ++now)
      live[now] += (double)p->rects[k].size;
  for (size_t k = 0; k < p->n_rects; ++k) {
    const tenon_pack_rect *r = &p->rects[k];
    double lives[2] = {(double)r->life, (double)(r->last - r->first + 1)};
    for (int i = 0; i < 2; ++i) {
      s->life[i][r->item] += lives[i];
      s->area[i][r->item] += lives[i] * (double)r->size;
    }
    for (uint32_t now = r->first; now <= r->last; ++now)
      if (live[now] > s->contention[r->item])
        s->contention[r->item] = live[now];
    s->unit = common(s->unit, r->size);
    s->unit = common(s->unit, r->inner);
  }
  for (size_t i = 0; i < p->n; ++i) {
    if (p->items[i].align > 1) s->unit = common(s->unit, p->items[i].align);
    if (p->items[i].is_fixed) s->unit = common(s->unit, p->items[i].base);
  }
  return true;
}

// Dives until `steps` are used up.
static tenon_pack_answer ask(searcher *s, uint64_t capacity, uint64_t steps) {
  tenon_pack_tree *t = &s->tree;
  t->capacity = capacity;
  t->step_limit = t->steps + steps;
  for (uint64_t k = 0; t->steps < t->step_limit; ++k) {
    uint32_t order = (uint32_t)(k % N_ORDERS);
    uint64_t round = k / N_ORDERS + 1;
    t->visit_limit = FIRST_VISITS * (round & (~round + 1));
    if (order < N_FAVOURED) t->visit_limit *= FAVOUR;
    arrange(s, order, round);
    tenon_pack_answer answer = tenon_pack_tree_solve(t);
    if (answer == TENON_PACK_FOUND) tenon_pack_keep(s->p);
    if (answer != TENON_PACK_STOPPED || t->out_of_memory) return answer;
  }
  return TENON_PACK_STOPPED;
}

// One round of capacities, each with `steps`; the lowest with four times that.
static void go_round(searcher *s, uint64_t enough, uint64_t steps,
                     uint64_t effort) {
  tenon_packer *p = s->p;
  uint64_t low = p->bound;
  bool is_lowest = true;
  s->is_cut = false;
  while (low < p->best_size && p->best_size > enough &&
         !s->tree.out_of_memory) {
    uint64_t capacity = low;
    if (!is_lowest) capacity += (p->best_size - low) / s->unit / 2 * s->unit;
    if (enough > capacity) capacity = enough;
    if (capacity >= p->best_size) return;
    uint64_t share = is_lowest ? 4 * steps : steps;
    if (s->tree.steps >= effort) return;
    if (share > effort - s->tree.steps) share = effort - s->tree.steps;
    tenon_pack_answer answer = ask(s, capacity, share);
    is_lowest = false;
    if (answer == TENON_PACK_FOUND) continue;
    low = capacity + s->unit;
    if (answer == TENON_PACK_STOPPED) s->is_cut = true;
    if (answer == TENON_PACK_NONE && s->tree.is_complete) p->bound = low;
  }
}

bool tenon_pack_search(tenon_packer *p, tenon_arena *arena, uint64_t enough,
                       uint64_t effort, uint64_t *steps, bool *proved) {
  searcher s = {0};
  bool ok = true;
  *proved = p->best_size <= p->bound;
  if (*proved || p->best_size <= enough || p->n > MOST_ITEMS || effort == 0)
    return true;
  ok = open_search(&s, p, arena);
  if (ok) {
    // A bound between two multiples of the unit cannot be reached itself.
    if (p->bound % s.unit) p->bound += s.unit - p->bound % s.unit;
    uint64_t share = FIRST_STEPS;
    do {
      go_round(&s, enough, share < effort ? share : effort, effort);
      share *= 4;
    } while (s.is_cut && s.tree.steps < effort && p->best_size > p->bound &&
             p->best_size > enough && !s.tree.out_of_memory);
    *proved = p->best_size <= p->bound;
    *steps = s.tree.steps;
    ok = !s.tree.out_of_memory;
  }
  tenon_pack_tree_deinit(&s.tree);
  return ok;
}
