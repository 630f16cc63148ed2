// The order of steps: what the search proves is what trying all orders finds,
// and large problems keep to their dependences.
#include "program/order/ordering.h"
#include "harness/harness.h"

static uint32_t draw(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % below;
}

enum { NODES = 7, BUFFERS = 20, ITEMS = 200 };

// A problem as lists, and room for its rows.
typedef struct made {
  tenon_order_problem q;
  tenon_arena arena;
  uint32_t n, n_buffers;
  uint64_t size[BUFFERS], extra[NODES];
  bool is_input[BUFFERS], is_output[BUFFERS];
  uint32_t maker[BUFFERS];
  tenon_row_item touches[ITEMS], makes[ITEMS], after[ITEMS];
  size_t n_touches, n_makes, n_after;
  tenon_order_take takes[ITEMS];
  uint32_t take_begin[NODES + 1], n_takes;
} made;

static void reads(made *m, uint32_t node, uint32_t b) {
  m->touches[m->n_touches++] = (tenon_row_item){node, b};
  if (!m->is_input[b] && m->maker[b] != node)
    m->after[m->n_after++] = (tenon_row_item){node, m->maker[b]};
}

static uint32_t makes(made *m, uint32_t node, uint64_t size) {
  uint32_t b = m->n_buffers++;
  m->size[b] = size;
  m->maker[b] = node;
  m->touches[m->n_touches++] = (tenon_row_item){node, b};
  m->makes[m->n_makes++] = (tenon_row_item){node, b};
  return b;
}

// Writes into a buffer that is there: behind all who have touched it.
static void writes(made *m, uint32_t node, uint32_t b) {
  for (size_t k = 0; k < m->n_touches; ++k)
    if (m->touches[k].item == b && m->touches[k].row != node)
      m->after[m->n_after++] = (tenon_row_item){node, m->touches[k].row};
  m->touches[m->n_touches++] = (tenon_row_item){node, b};
  m->makes[m->n_makes++] = (tenon_row_item){node, b};
}

static void make(made *m, uint32_t number) {
  uint32_t seed = number * 7919 + 1;
  memset(m, 0, sizeof *m);
  tenon_arena_init(&m->arena, tenon_heap());
  m->n = 2 + draw(&seed, NODES - 1);
  for (uint32_t i = 1 + draw(&seed, 2); i > 0; --i) {
    m->is_input[m->n_buffers] = true;
    m->size[m->n_buffers++] = 1 + draw(&seed, 6);
  }
  for (uint32_t i = 0; i < m->n; ++i) {
    uint32_t known = m->n_buffers, from = draw(&seed, known);
    reads(m, i, from);
    if (draw(&seed, 2)) reads(m, i, draw(&seed, known));
    m->extra[i] = draw(&seed, 4) ? 0 : draw(&seed, 5);
    for (uint32_t k = 1 + draw(&seed, 5) / 4; k > 0; --k) {
      uint32_t b =
          makes(m, i, draw(&seed, 2) ? m->size[from] : 1 + draw(&seed, 6));
      if (m->size[b] == m->size[from] && draw(&seed, 3))
        m->takes[m->n_takes++] = (tenon_order_take){from, b};
    }
    if (draw(&seed, 8) == 0 && !m->is_input[from]) writes(m, i, from);
    m->take_begin[i + 1] = m->n_takes;
  }
  for (uint32_t b = 0; b < m->n_buffers; ++b)
    m->is_output[b] = draw(&seed, 6) == 0;
  m->q = (tenon_order_problem){.n = m->n, .n_buffers = m->n_buffers};
  m->q.size = m->size;
  m->q.extra = m->extra;
  m->q.is_input = m->is_input;
  m->q.is_output = m->is_output;
  m->q.takes = m->takes;
  m->q.take_begin = m->take_begin;
  bool ok =
      tenon_rows_make(&m->arena, m->n, m->touches, m->n_touches,
                      &m->q.touches) &&
      tenon_rows_make(&m->arena, m->n, m->makes, m->n_makes, &m->q.makes) &&
      tenon_rows_make(&m->arena, m->n, m->after, m->n_after, &m->q.after);
  CHECK(ok, "number %u", number);
}

// --- by the definition
// --------------------------------------------------------

static int first_of(const made *m, const uint32_t *at, uint32_t b) {
  int first = m->is_input[b] ? -1 : NODES;
  for (size_t k = 0; k < m->n_makes; ++k)
    if (m->makes[k].item == b && (int)at[m->makes[k].row] < first)
      first = (int)at[m->makes[k].row];
  return first;
}

static int last_of(const made *m, const uint32_t *at, uint32_t b) {
  int last = m->is_output[b] ? NODES : -1;
  for (size_t k = 0; k < m->n_touches; ++k)
    if (m->touches[k].item == b && (int)at[m->touches[k].row] > last)
      last = (int)at[m->touches[k].row];
  return last;
}

static uint64_t measure(const made *m, const uint32_t *order) {
  uint32_t at[NODES];
  uint64_t peak = 0;
  for (uint32_t i = 0; i < m->n; ++i)
    at[order[i]] = i;
  for (int t = -1; t <= (int)m->n; ++t) {
    uint64_t live = 0;
    for (uint32_t b = 0; b < m->n_buffers; ++b)
      if (first_of(m, at, b) <= t && t <= last_of(m, at, b)) live += m->size[b];
    if (t >= 0 && t < (int)m->n) {
      uint32_t node = order[t], taken[ITEMS], n = 0;
      live += m->extra[node];
      for (uint32_t k = m->take_begin[node]; k < m->take_begin[node + 1]; ++k) {
        bool is_free = first_of(m, at, m->takes[k].to) == t &&
                       last_of(m, at, m->takes[k].from) == t;
        for (uint32_t i = 0; i < n; ++i)
          is_free &= m->takes[taken[i]].from != m->takes[k].from &&
                     m->takes[taken[i]].to != m->takes[k].to;
        if (!is_free) continue;
        taken[n++] = k;
        live -= m->size[m->takes[k].to];
      }
    }
    if (live > peak) peak = live;
  }
  return peak;
}

static bool is_allowed(const made *m, const uint32_t *order, uint32_t n,
                       uint32_t next) {
  for (size_t k = 0; k < m->n_after; ++k) {
    if (m->after[k].row != next) continue;
    bool is_there = false;
    for (uint32_t i = 0; i < n; ++i)
      is_there |= order[i] == m->after[k].item;
    if (!is_there) return false;
  }
  for (uint32_t i = 0; i < n; ++i)
    if (order[i] == next) return false;
  return true;
}

static uint64_t try_all(const made *m, uint32_t *order, uint32_t n) {
  uint64_t least = UINT64_MAX;
  if (n == m->n) return measure(m, order);
  for (uint32_t i = 0; i < m->n; ++i) {
    if (!is_allowed(m, order, n, i)) continue;
    order[n] = i;
    uint64_t peak = try_all(m, order, n + 1);
    if (peak < least) least = peak;
  }
  return least;
}

static void finds_what_trying_all_finds(void **state) {
  static made m;
  uint32_t better = 0;
  (void)state;
  for (uint32_t number = 0; number < 1500; ++number) {
    uint32_t order[NODES], given[NODES] = {0, 1, 2, 3, 4, 5, 6};
    tenon_ordering found;
    uint64_t peak = 0;
    make(&m, number);
    CHECK(tenon_order_search(&m.arena, &m.q, 1000000, &found), "memory");
    uint64_t least = try_all(&m, order, 0);
    CHECK(found.given == measure(&m, given), "number %u: %llu, %llu", number,
          (unsigned long long)found.given,
          (unsigned long long)measure(&m, given));
    CHECK(found.peak == least && found.bound == least && found.is_optimal,
          "number %u: %llu, bound %llu, least %llu", number,
          (unsigned long long)found.peak, (unsigned long long)found.bound,
          (unsigned long long)least);
    CHECK(measure(&m, found.order) == least, "number %u", number);
    for (uint32_t i = 0; i < m.n; ++i)
      CHECK(is_allowed(&m, found.order, i, found.order[i]), "number %u",
            number);
    CHECK(tenon_order_measure(&m.arena, &m.q, found.order, &peak) &&
              peak == least,
          "number %u", number);
    if (least < found.given) ++better;
    // Without a search: the given order, and a bound that holds.
    CHECK(tenon_order_search(&m.arena, &m.q, 0, &found), "memory");
    CHECK(found.peak == found.given && found.bound <= least, "number %u",
          number);
    tenon_arena_deinit(&m.arena);
  }
  CHECK(better > 100, "only %u are worth a search", better);
}

// --- large ------------------------------------------------------------------

// A graph with `width` strands: each node reads the last of one strand and, now
// and then, of another.
static void keeps_to_dependences_where_there_are_many(void **state) {
  enum { MANY = 2000, WIDTH = 12 };
  static tenon_row_item touches[4 * MANY], makes_[MANY], after[4 * MANY];
  static uint64_t size[MANY], extra[MANY];
  static bool none[MANY], out[MANY];
  static uint32_t take_begin[MANY + 1];
  uint32_t last[WIDTH] = {0}, seed = 3;
  size_t n_touches = 0, n_after = 0;
  (void)state;
  for (uint32_t i = 0; i < MANY; ++i) {
    uint32_t strand = draw(&seed, WIDTH), other = draw(&seed, WIDTH);
    size[i] = 16 + draw(&seed, 1000);
    touches[n_touches++] = makes_[i] = (tenon_row_item){i, i};
    for (uint32_t k = 0; k < 2; ++k) {
      uint32_t from = k ? last[other] : last[strand];
      if (i == 0 || (k && draw(&seed, 3))) continue;
      touches[n_touches++] = (tenon_row_item){i, from};
      after[n_after++] = (tenon_row_item){i, from};
    }
    last[strand] = i;
  }
  tenon_arena arena;
  tenon_arena_init(&arena, tenon_heap());
  tenon_order_problem q = {.n = MANY,
                           .n_buffers = MANY,
                           .size = size,
                           .is_input = none,
                           .is_output = out,
                           .take_begin = take_begin,
                           .extra = extra};
  CHECK(tenon_rows_make(&arena, MANY, touches, n_touches, &q.touches) &&
            tenon_rows_make(&arena, MANY, makes_, MANY, &q.makes) &&
            tenon_rows_make(&arena, MANY, after, n_after, &q.after),
        "memory");
  tenon_ordering a, b;
  CHECK(tenon_order_search(&arena, &q, 20000000, &a), "memory");
  CHECK(tenon_order_search(&arena, &q, 20000000, &b), "memory");
  static bool is_done[MANY];
  for (uint32_t i = 0; i < MANY; ++i) {
    CHECK(a.order[i] == b.order[i], "another order the second time");
    for (uint32_t k = q.after.begin[a.order[i]];
         k < q.after.begin[a.order[i] + 1]; ++k)
      CHECK(is_done[q.after.items[k]], "node %u", a.order[i]);
    is_done[a.order[i]] = true;
  }
  uint64_t peak = 0;
  CHECK(tenon_order_measure(&arena, &q, a.order, &peak) && peak == a.peak,
        "measured");
  CHECK(a.bound <= a.peak && a.peak < a.given, "%llu, %llu, %llu",
        (unsigned long long)a.bound, (unsigned long long)a.peak,
        (unsigned long long)a.given);
  tenon_arena_deinit(&arena);
}

static void measures_what_is_allowed_only(void **state) {
  static made m;
  (void)state;
  for (uint32_t number = 0; number < 50; ++number) {
    uint32_t order[NODES] = {6, 5, 4, 3, 2, 1, 0};
    uint64_t peak = 0;
    make(&m, number);
    for (uint32_t i = 0; i < m.n; ++i)
      order[i] = m.n - 1 - i;
    bool ok = true;
    for (uint32_t i = 0; i < m.n; ++i)
      ok &= is_allowed(&m, order, i, order[i]);
    CHECK(tenon_order_measure(&m.arena, &m.q, order, &peak), "memory");
    CHECK((peak != UINT64_MAX) == ok, "number %u", number);
    tenon_arena_deinit(&m.arena);
  }
}

TEST_GROUP(ordering, cmocka_unit_test(finds_what_trying_all_finds),
           cmocka_unit_test(keeps_to_dependences_where_there_are_many),
           cmocka_unit_test(measures_what_is_allowed_only))
