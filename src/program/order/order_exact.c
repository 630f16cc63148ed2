// How: a node of the search is a set of nodes that have run; how much is live
// afterwards depends on the set alone, so the best way to a set is the one with
// the lowest peak, and sets are looked at in the order of their peaks. The
// first complete one is the best. Of equal peaks the largest set comes first,
// so that the search runs straight through where nothing stands in its way.
// Nodes that are free (order_work.h) are run at once.
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "program/order/order_work.h"

#define MOST_BYTES ((size_t)64 << 20)  // of all sets

typedef struct state {
  uint64_t peak, live;
  uint32_t n_done;
  uint32_t parent;  // plus 1; 0: the start
  uint32_t moves, n_moves;
  bool is_closed;
} state;

typedef struct entry {
  uint64_t peak, live;
  uint32_t n_done, state;
} entry;

typedef struct searcher {
  tenon_orderer *o;
  TENON_VEC(state) states;
  TENON_VEC(uint64_t) bits;  // 2 * words of each state
  TENON_VEC(uint32_t) moves;
  TENON_VEC(entry) heap;
  tenon_map known;  // hash of a set to its state
  tenon_order_set work;
} searcher;

static tenon_order_set set_of(searcher *s, uint32_t i) {
  uint64_t *bits = &s->bits.data[(size_t)i * 2 * s->o->words];
  return (tenon_order_set){bits, bits + s->o->words, s->states.data[i].live,
                           s->states.data[i].n_done};
}

// --- the heap ---------------------------------------------------------------

static bool exact_is_better(const entry *a, const entry *b) {
  if (a->peak != b->peak) return a->peak < b->peak;
  if (a->n_done != b->n_done) return a->n_done > b->n_done;
  if (a->live != b->live) return a->live < b->live;
  return a->state > b->state;
}

static bool exact_push(searcher *s, uint32_t i) {
  const state *at = &s->states.data[i];
  entry e = {at->peak, at->live, at->n_done, i};
  if (!tenon_vec_push(&s->heap, e)) return false;
  size_t k = s->heap.count - 1;
  for (; k > 0 && exact_is_better(&e, &s->heap.data[(k - 1) / 2]);
       k = (k - 1) / 2)
    s->heap.data[k] = s->heap.data[(k - 1) / 2];
  s->heap.data[k] = e;
  return true;
}

static entry exact_pop(searcher *s) {
  entry *heap = s->heap.data, top = heap[0], e = tenon_vec_pop(&s->heap);
  size_t n = s->heap.count, k = 0;
  for (size_t child = 1; child < n; child = 2 * k + 1) {
    if (child + 1 < n && exact_is_better(&heap[child + 1], &heap[child]))
      ++child;
    if (!exact_is_better(&heap[child], &e)) break;
    heap[k] = heap[child];
    k = child;
  }
  if (n > 0) heap[k] = e;
  return top;
}

// --- states -----------------------------------------------------------------

// The nodes that led to a set, in a list that `best_order` has room for.
static void exact_trace(searcher *s, uint32_t i) {
  uint32_t at = s->states.data[i].n_done;
  for (uint32_t k = i + 1; k > 0; k = s->states.data[k - 1].parent) {
    const state *from = &s->states.data[k - 1];
    at -= from->n_moves;
    memcpy(&s->o->best_order[at], &s->moves.data[from->moves],
           from->n_moves * sizeof *s->o->best_order);
  }
}

// A state of the same set that is there already; UINT32_MAX: none. Where two
// sets have one hash, the later is not remembered.
static uint32_t exact_find(searcher *s, uint64_t **slot, uint32_t fresh) {
  size_t bytes = s->o->words * sizeof(uint64_t);
  bool added = false;
  *slot =
      tenon_map_put(&s->known, tenon_hash(s->work.done, bytes, TENON_HASH_SEED),
                    fresh, &added);
  if (!*slot || added) return UINT32_MAX;
  uint32_t other = (uint32_t) * *slot;
  return memcmp(set_of(s, other).done, s->work.done, bytes) == 0 ? other
                                                                 : UINT32_MAX;
}

static bool exact_add_state(searcher *s, state fresh, uint32_t *index) {
  uint32_t words = s->o->words;
  if (!tenon_vec_reserve(&s->bits, 2 * words)) return false;
  memcpy(&s->bits.data[s->bits.count], s->work.done, words * sizeof(uint64_t));
  memcpy(&s->bits.data[s->bits.count + words], s->work.ready,
         words * sizeof(uint64_t));
  s->bits.count += 2 * words;
  *index = (uint32_t)s->states.count;
  return tenon_vec_push(&s->states, fresh);
}

// What `work` has become on the way from `parent`.
static bool exact_admit(searcher *s, state fresh) {
  tenon_orderer *o = s->o;
  uint64_t *slot = NULL;
  fresh.live = s->work.live;
  fresh.n_done = s->work.n_done;
  fresh.n_moves = (uint32_t)(s->moves.count - fresh.moves);
  uint32_t index = exact_find(s, &slot, (uint32_t)s->states.count);
  if (!slot) return false;
  if (index == UINT32_MAX) {
    if (!exact_add_state(s, fresh, &index)) return false;
  } else {
    state *old = &s->states.data[index];
    if (old->is_closed || old->peak <= fresh.peak) {
      s->moves.count = fresh.moves;
      return true;
    }
    *old = fresh;
  }
  if (fresh.n_done == o->q->n) {
    o->best = fresh.peak;
    exact_trace(s, index);
    return true;
  }
  return exact_push(s, index);
}

static bool exact_run_free(searcher *s, uint64_t peak) {
  uint32_t node = 0;
  uint64_t after = 0;
  while (tenon_order_find_free(s->o, &s->work, peak, &node, &after)) {
    tenon_order_run(s->o, &s->work, node, after);
    if (!tenon_vec_push(&s->moves, node)) return false;
  }
  return true;
}

static bool exact_expand(searcher *s, uint32_t index) {
  tenon_orderer *o = s->o;
  uint32_t n = o->q->n;
  s->states.data[index].is_closed = true;
  for (uint32_t i = tenon_bit_next(set_of(s, index).ready, n, 0); i < n;
       i = tenon_bit_next(set_of(s, index).ready, n, i + 1)) {
    tenon_order_set from = set_of(s, index);
    state fresh = {.peak = s->states.data[index].peak,
                   .parent = index + 1,
                   .moves = (uint32_t)s->moves.count};
    uint64_t during = 0, after = 0;
    tenon_order_step(o, &from, i, &during, &after);
    if (during > fresh.peak) fresh.peak = during;
    if (fresh.peak >= o->best) continue;
    tenon_order_set_copy(o, &from, &s->work);
    o->steps += 2 * o->words;
    tenon_order_run(o, &s->work, i, after);
    if (!tenon_vec_push(&s->moves, i) || !exact_run_free(s, fresh.peak) ||
        !exact_admit(s, fresh))
      return false;
  }
  return true;
}

static bool exact_begin(searcher *s) {
  state first = {.peak = s->o->floor};
  tenon_order_set set;
  if (!tenon_order_start(s->o, &set) || !tenon_order_set_new(s->o, &s->work))
    return false;
  tenon_order_set_copy(s->o, &set, &s->work);
  return exact_run_free(s, first.peak) && exact_admit(s, first);
}

bool tenon_order_exact(tenon_orderer *o, uint64_t *bound) {
  searcher s;
  memset(&s, 0, sizeof s);
  s.o = o;
  tenon_vec_init(&s.states, o->arena->allocator);
  tenon_vec_init(&s.bits, o->arena->allocator);
  tenon_vec_init(&s.moves, o->arena->allocator);
  tenon_vec_init(&s.heap, o->arena->allocator);
  tenon_map_init(&s.known, o->arena->allocator);
  size_t most = MOST_BYTES / (sizeof(state) + 16u * o->words + 64);
  bool ok = exact_begin(&s), is_cut = false;
  uint64_t reached = o->floor;
  while (ok && s.heap.count > 0 && !is_cut) {
    entry e = exact_pop(&s);
    const state *at = &s.states.data[e.state];
    if (at->is_closed || at->peak != e.peak) continue;
    reached = e.peak;
    if (e.peak >= o->best) break;
    is_cut = o->steps > o->limit || s.states.count > most;
    if (!is_cut) ok = exact_expand(&s, e.state);
  }
  // All that could need less than `reached` has been looked at.
  *bound = is_cut && reached < o->best ? reached : o->best;
  tenon_map_deinit(&s.known);
  tenon_vec_deinit(&s.heap);
  tenon_vec_deinit(&s.moves);
  tenon_vec_deinit(&s.bits);
  tenon_vec_deinit(&s.states);
  return ok;
}
