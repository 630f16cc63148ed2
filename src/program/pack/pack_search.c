// How: whether a capacity suffices is asked of the tree search (pack_tree.h),
// many times with small budgets and another order each time: it either runs
// straight into a packing or gets stuck for good. Orders are by lifetime, area,
// contention and time in several priorities, with lifetimes in steps and in
// times that are left; from the second round on they are disturbed by a few
// percent. Budgets follow Luby's sequence in powers of two. The bound is tried
// first and with most of the steps, then what halves the distance to the best
// packing known; what failed counts as too small until the next round, which
// has four times the budget.
#include "base/size.h"
#include "program/pack/pack_tree.h"

enum {
  MOST_ITEMS = 2000,    // the lists of the search are quadratic in these
  FIRST_VISITS = 2000,  // of the shortest dive
  FAVOUR = 16,          // times that for the favoured orders
  FIRST_STEPS = 4000000
};

typedef struct searcher {
  tenon_packer *p;
  tenon_pack_orders *orders;
  tenon_pack_tree tree;
  uint64_t unit;  // places and sizes are multiples of this
  uint32_t seed;
  bool is_cut;  // in this round steps were used up before the answer
} searcher;

// Undisturbed when budgets are larger than ever, else by 10, 40 and 3 percent.
static void pack_search_arrange(searcher *s, uint32_t order, uint64_t round) {
  static const double noises[] = {0.1, 0.4, 0.03};
  double noise = (round & (round - 1)) == 0 ? 0 : noises[round % 3];
  for (uint32_t i = 0; i < s->p->n; ++i) {
    s->seed = s->seed * 1664525u + 1013904223u;
    s->orders->keys[i].factor =
        1 + noise * ((double)(s->seed >> 8) / 16777216.0 - 0.5);
  }
  tenon_pack_arrange(s->orders, order);
}

static bool open_search(searcher *s, tenon_pack_orders *orders,
                        tenon_arena *arena) {
  tenon_packer *p = s->p = orders->p;
  s->orders = orders;
  s->seed = 1;
  if (!tenon_pack_tree_init(&s->tree, orders, arena)) return false;
  for (size_t k = 0; k < p->n_rects; ++k) {
    s->unit = tenon_size_gcd(s->unit, p->rects[k].size);
    s->unit = tenon_size_gcd(s->unit, p->rects[k].inner);
  }
  for (size_t i = 0; i < p->n; ++i) {
    if (p->items[i].align > 1) {
      s->unit = tenon_size_gcd(s->unit, p->items[i].align);
      s->unit = tenon_size_gcd(s->unit, p->items[i].phase);
    }
    if (p->items[i].is_fixed)
      s->unit = tenon_size_gcd(s->unit, p->items[i].base);
  }
  return true;
}

// Dives until `steps` are used up.
static tenon_pack_answer pack_search_ask(searcher *s, uint64_t capacity,
                                         uint64_t steps) {
  tenon_pack_tree *t = &s->tree;
  t->capacity = capacity;
  t->step_limit = t->steps + steps;
  for (uint64_t k = 0; t->steps < t->step_limit; ++k) {
    uint32_t order = (uint32_t)(k % TENON_PACK_ORDERS);
    uint64_t round = k / TENON_PACK_ORDERS + 1;
    t->visit_limit = FIRST_VISITS * (round & (~round + 1));
    if (order < TENON_PACK_FAVOURED) t->visit_limit *= FAVOUR;
    pack_search_arrange(s, order, round);
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
    tenon_pack_answer answer = pack_search_ask(s, capacity, share);
    is_lowest = false;
    if (answer == TENON_PACK_FOUND) continue;
    low = capacity - capacity % s->unit + s->unit;
    if (answer == TENON_PACK_STOPPED) s->is_cut = true;
    if (answer == TENON_PACK_NONE && s->tree.is_complete) p->bound = low;
  }
}

bool tenon_pack_search(tenon_pack_orders *orders, tenon_arena *arena,
                       uint64_t enough, uint64_t effort, uint64_t *steps,
                       bool *proved) {
  tenon_packer *p = orders->p;
  searcher s = {0};
  bool ok = true;
  *proved = p->best_size <= p->bound;
  if (*proved || p->best_size <= enough || p->n > MOST_ITEMS || effort == 0)
    return true;
  ok = open_search(&s, orders, arena);
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
