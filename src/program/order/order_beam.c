// How: `width` sets at a time. Each is followed by all that may run next; of
// what comes out the sets with the lowest peak go on, then those with the least
// live, each set once. What is sure to be no better than the best order known
// is left out.

#include "base/vec.h"
#include "program/order/order_work.h"

typedef struct state {
  tenon_order_set set;
  uint64_t peak, hash;
  uint32_t trail;  // index into the trail, plus 1
} state;

typedef struct child {
  uint64_t peak, after, hash;
  uint32_t from, node;
} child;

typedef struct trail {
  uint32_t previous, node;
} trail;

typedef struct beam {
  tenon_orderer *o;
  state *now, *next;
  uint32_t n_now, n_next, width;
  TENON_VEC(child) children;
  TENON_VEC(trail) trail;
} beam;

// A set's hash is the sum of its nodes'.
static uint64_t beam_hash_of(uint32_t node) {
  uint64_t x = ((uint64_t)node + 1) * UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

static bool beam_run(beam *b, state *s, uint32_t node, uint64_t after) {
  trail t = {s->trail, node};
  tenon_order_run(b->o, &s->set, node, after);
  s->hash += beam_hash_of(node);
  if (!tenon_vec_push(&b->trail, t)) return false;
  s->trail = (uint32_t)b->trail.count;
  return true;
}

static bool run_free(beam *b, state *s) {
  uint32_t node = 0;
  uint64_t after = 0;
  while (tenon_order_find_free(b->o, &s->set, s->peak, &node, &after))
    if (!beam_run(b, s, node, after)) return false;
  return true;
}

static void beam_finish(beam *b, const state *s) {
  tenon_orderer *o = b->o;
  if (s->peak >= o->best) return;
  o->best = s->peak;
  uint32_t at = o->q->n;
  for (uint32_t k = s->trail; k > 0; k = b->trail.data[k - 1].previous)
    o->best_order[--at] = b->trail.data[k - 1].node;
}

static bool list_children(beam *b, uint32_t from) {
  tenon_orderer *o = b->o;
  const state *s = &b->now[from];
  uint32_t n = o->q->n;
  for (uint32_t i = tenon_bit_next(s->set.ready, n, 0); i < n;
       i = tenon_bit_next(s->set.ready, n, i + 1)) {
    uint64_t during = 0, after = 0;
    tenon_order_step(o, &s->set, i, &during, &after);
    child c = {during > s->peak ? during : s->peak, after,
               s->hash + beam_hash_of(i), from, i};
    if (c.peak < o->best && !tenon_vec_push(&b->children, c)) return false;
  }
  return true;
}

static bool beam_is_before(const child *x, const child *y) {
  if (x->peak != y->peak) return x->peak < y->peak;
  if (x->after != y->after) return x->after < y->after;
  if (x->from != y->from) return x->from < y->from;
  return x->node < y->node;
}

// The best `width` come first, by a heap of those that are left.
static void beam_sift(child *c, size_t n, size_t k) {
  child moved = c[k];
  for (size_t at = 2 * k + 1; at < n; at = 2 * k + 1) {
    if (at + 1 < n && beam_is_before(&c[at + 1], &c[at])) ++at;
    if (!beam_is_before(&c[at], &moved)) break;
    c[k] = c[at];
    k = at;
  }
  c[k] = moved;
}

static bool beam_is_there(const beam *b, uint64_t hash) {
  for (uint32_t i = 0; i < b->n_next; ++i)
    if (b->next[i].hash == hash) return true;
  return false;
}

static bool beam_choose(beam *b) {
  child *c = b->children.data;
  size_t n = b->children.count;
  b->n_next = 0;
  for (size_t k = n / 2; k-- > 0;)
    beam_sift(c, n, k);
  while (n > 0 && b->n_next < b->width) {
    child best = c[0];
    c[0] = c[--n];
    if (n > 0) beam_sift(c, n, 0);
    if (beam_is_there(b, best.hash)) continue;
    const state *from = &b->now[best.from];
    state *to = &b->next[b->n_next];
    tenon_order_set_copy(b->o, &from->set, &to->set);
    b->o->steps += 2 * b->o->words;
    to->peak = best.peak;
    to->hash = from->hash;
    to->trail = from->trail;
    if (!beam_run(b, to, best.node, best.after) || !run_free(b, to))
      return false;
    if (to->set.n_done == b->o->q->n)
      beam_finish(b, to);
    else if (!beam_is_there(b, to->hash))
      ++b->n_next;
  }
  return true;
}

static bool beam_begin(beam *b) {
  b->now = tenon_arena_array(b->o->arena, state, b->width);
  b->next = tenon_arena_array(b->o->arena, state, b->width);
  if (b->o->arena->failed) return false;
  for (uint32_t i = 0; i < b->width; ++i)
    if (!tenon_order_set_new(b->o, &b->now[i].set) ||
        !tenon_order_set_new(b->o, &b->next[i].set))
      return false;
  tenon_order_set first;
  if (!tenon_order_start(b->o, &first)) return false;
  tenon_order_set_copy(b->o, &first, &b->now[0].set);
  b->now[0].peak = b->o->floor;
  b->n_now = 1;
  if (!run_free(b, &b->now[0])) return false;
  if (b->now[0].set.n_done < b->o->q->n) return true;
  beam_finish(b, &b->now[0]);
  b->n_now = 0;
  return true;
}

bool tenon_order_beam(tenon_orderer *o, uint32_t width) {
  beam b = {.o = o, .width = width};
  tenon_arena_mark mark = tenon_arena_save(o->arena);
  tenon_vec_init(&b.children, o->arena->allocator);
  tenon_vec_init(&b.trail, o->arena->allocator);
  bool ok = beam_begin(&b);
  while (ok && b.n_now > 0 && o->steps < o->limit) {
    b.children.count = 0;
    for (uint32_t i = 0; ok && i < b.n_now; ++i)
      ok = list_children(&b, i);
    ok = ok && beam_choose(&b);
    state *held = b.now;
    b.now = b.next;
    b.next = held;
    b.n_now = b.n_next;
  }
  tenon_vec_deinit(&b.children);
  tenon_vec_deinit(&b.trail);
  tenon_arena_restore(o->arena, mark);
  return ok;
}
