// How: what is alive is a sum that each step changes by what it makes and by
// what it is the last to read.
#include "program/order/ordering.h"

#include <string.h>

#include "program/order/order_work.h"

// --- rows -------------------------------------------------------------------

// By row and, within one, by item: two passes of counting.
static bool ordering_sort_items(tenon_arena *arena, uint32_t n_keys,
                                bool by_row, const tenon_row_item *from,
                                size_t n, tenon_row_item *to) {
  tenon_arena_mark mark = tenon_arena_save(arena);
  size_t *at = tenon_arena_array(arena, size_t, (size_t)n_keys + 1);
  if (!at) return false;
  for (size_t i = 0; i < n; ++i)
    ++at[(by_row ? from[i].row : from[i].item) + 1];
  for (uint32_t k = 0; k < n_keys; ++k)
    at[k + 1] += at[k];
  for (size_t i = 0; i < n; ++i)
    to[at[by_row ? from[i].row : from[i].item]++] = from[i];
  tenon_arena_restore(arena, mark);
  return true;
}

bool tenon_rows_make(tenon_arena *arena, uint32_t n_rows,
                     const tenon_row_item *list, size_t n, tenon_rows *out) {
  uint32_t most = 0, count = 0;
  if (n >= UINT32_MAX) return false;
  for (size_t i = 0; i < n; ++i)
    if (list[i].item >= most) most = list[i].item + 1;
  out->begin = tenon_arena_array(arena, uint32_t, (size_t)n_rows + 1);
  out->items = tenon_arena_array(arena, uint32_t, n + 1);
  tenon_row_item *a = tenon_arena_array(arena, tenon_row_item, n + 1);
  tenon_row_item *b = tenon_arena_array(arena, tenon_row_item, n + 1);
  if (arena->failed || !ordering_sort_items(arena, most, false, list, n, a) ||
      !ordering_sort_items(arena, n_rows, true, a, n, b))
    return false;
  for (size_t i = 0; i < n; ++i) {
    if (i > 0 && b[i].row == b[i - 1].row && b[i].item == b[i - 1].item)
      continue;
    out->items[count++] = b[i].item;
    out->begin[b[i].row + 1] = count;
  }
  for (uint32_t r = 0; r < n_rows; ++r)
    if (out->begin[r + 1] < out->begin[r]) out->begin[r + 1] = out->begin[r];
  return true;
}

static bool transpose(tenon_arena *arena, const tenon_rows *rows,
                      uint32_t n_rows, uint32_t n_items, tenon_rows *out) {
  size_t n = rows->begin[n_rows];
  tenon_row_item *list = tenon_arena_array(arena, tenon_row_item, n + 1);
  if (!list) return false;
  for (uint32_t r = 0; r < n_rows; ++r)
    for (uint32_t k = rows->begin[r]; k < rows->begin[r + 1]; ++k)
      list[k] = (tenon_row_item){rows->items[k], r};
  return tenon_rows_make(arena, n_items, list, n, out);
}

// --- sets -------------------------------------------------------------------

bool tenon_order_open(tenon_orderer *o, const tenon_order_problem *q,
                      tenon_arena *arena) {
  memset(o, 0, sizeof *o);
  o->q = q;
  o->arena = arena;
  o->words = q->n / 64 + 1;
  o->best = UINT64_MAX;
  o->best_order = tenon_arena_array(arena, uint32_t, (size_t)q->n + 1);
  return o->best_order &&
         transpose(arena, &q->touches, q->n, q->n_buffers, &o->users) &&
         transpose(arena, &q->makes, q->n, q->n_buffers, &o->makers) &&
         transpose(arena, &q->after, q->n, q->n, &o->before);
}

bool tenon_order_set_new(tenon_orderer *o, tenon_order_set *out) {
  out->done = tenon_arena_array(o->arena, uint64_t, o->words);
  out->ready = tenon_arena_array(o->arena, uint64_t, o->words);
  out->live = out->n_done = 0;
  return !o->arena->failed;
}

bool tenon_order_start(tenon_orderer *o, tenon_order_set *out) {
  const tenon_order_problem *q = o->q;
  if (!tenon_order_set_new(o, out)) return false;
  for (uint32_t i = 0; i < q->n; ++i)
    if (q->after.begin[i] == q->after.begin[i + 1])
      tenon_bit_set(out->ready, i);
  // An input that nobody reads is there at the start only.
  for (uint32_t b = 0; b < q->n_buffers; ++b)
    if (q->is_input[b] &&
        (q->is_output[b] || o->users.begin[b] < o->users.begin[b + 1]))
      out->live += q->size[b];
  return true;
}

void tenon_order_set_copy(const tenon_orderer *o, const tenon_order_set *from,
                          tenon_order_set *to) {
  memcpy(to->done, from->done, o->words * sizeof *to->done);
  memcpy(to->ready, from->ready, o->words * sizeof *to->ready);
  to->live = from->live;
  to->n_done = from->n_done;
}

static bool is_made(const tenon_orderer *o, const uint64_t *done, uint32_t b) {
  if (o->q->is_input[b]) return true;
  for (uint32_t k = o->makers.begin[b]; k < o->makers.begin[b + 1]; ++k)
    if (tenon_bit(done, o->makers.items[k])) return true;
  return false;
}

// Nobody wants the buffer once `node` has run as well.
static bool ends_with(tenon_orderer *o, const uint64_t *done, uint32_t b,
                      uint32_t node) {
  if (o->q->is_output[b]) return false;
  for (uint32_t k = o->users.begin[b]; k < o->users.begin[b + 1]; ++k) {
    uint32_t user = o->users.items[k];
    ++o->steps;
    if (user != node && !tenon_bit(done, user)) return false;
  }
  return true;
}

// Bytes of results that lie where an operand was.
static uint64_t taken(tenon_orderer *o, const tenon_order_set *s,
                      uint32_t node) {
  const tenon_order_problem *q = o->q;
  const tenon_order_take *begin = &q->takes[q->take_begin[node]];
  const tenon_order_take *end = &q->takes[q->take_begin[node + 1]];
  uint64_t bytes = 0, used = 0;
  for (const tenon_order_take *t = begin; t < end && t < begin + 64; ++t) {
    bool is_free = !is_made(o, s->done, t->to);
    for (const tenon_order_take *u = begin; u < t; ++u)
      if (used >> (u - begin) & 1 && (u->from == t->from || u->to == t->to))
        is_free = false;
    if (!is_free || !ends_with(o, s->done, t->from, node)) continue;
    used |= (uint64_t)1 << (t - begin);
    bytes += q->size[t->to];
  }
  return bytes;
}

void tenon_order_step(tenon_orderer *o, const tenon_order_set *s, uint32_t node,
                      uint64_t *during, uint64_t *after) {
  const tenon_order_problem *q = o->q;
  uint64_t fresh = 0, ended = 0;
  for (uint32_t k = q->makes.begin[node]; k < q->makes.begin[node + 1]; ++k)
    if (!is_made(o, s->done, q->makes.items[k]))
      fresh += q->size[q->makes.items[k]];
  for (uint32_t k = q->touches.begin[node]; k < q->touches.begin[node + 1]; ++k)
    if (ends_with(o, s->done, q->touches.items[k], node))
      ended += q->size[q->touches.items[k]];
  *during = s->live + fresh - taken(o, s, node) + q->extra[node];
  *after = s->live + fresh - ended;
  ++o->steps;
}

void tenon_order_run(tenon_orderer *o, tenon_order_set *s, uint32_t node,
                     uint64_t after) {
  const tenon_rows *waits = &o->q->after, *next = &o->before;
  tenon_bit_set(s->done, node);
  s->ready[node / 64] &= ~((uint64_t)1 << (node % 64));
  s->live = after;
  ++s->n_done;
  for (uint32_t k = next->begin[node]; k < next->begin[node + 1]; ++k) {
    uint32_t i = next->items[k];
    bool is_ready = true;
    for (uint32_t w = waits->begin[i]; w < waits->begin[i + 1] && is_ready; ++w)
      is_ready = tenon_bit(s->done, waits->items[w]);
    o->steps += waits->begin[i + 1] - waits->begin[i];
    if (is_ready) tenon_bit_set(s->ready, i);
  }
}

bool tenon_order_find_free(tenon_orderer *o, const tenon_order_set *s,
                           uint64_t peak, uint32_t *node, uint64_t *after) {
  uint32_t n = o->q->n;
  for (*node = tenon_bit_next(s->ready, n, 0); *node < n;
       *node = tenon_bit_next(s->ready, n, *node + 1)) {
    uint64_t during = 0;
    tenon_order_step(o, s, *node, &during, after);
    if (during <= peak && *after <= s->live) return true;
  }
  return false;
}

// --- the whole --------------------------------------------------------------

bool tenon_order_peak(tenon_orderer *o, const uint32_t *order, uint64_t *peak) {
  const tenon_order_problem *q = o->q;
  tenon_order_set s;
  *peak = o->floor;
  if (!tenon_order_start(o, &s)) return false;
  for (uint32_t k = 0; k < q->n; ++k) {
    uint64_t during = 0, after = 0;
    if (!tenon_bit(s.ready, order[k])) {
      *peak = UINT64_MAX;
      return true;
    }
    tenon_order_step(o, &s, order[k], &during, &after);
    if (during > *peak) *peak = during;
    tenon_order_run(o, &s, order[k], after);
  }
  return true;
}

uint64_t tenon_order_ends(const tenon_order_problem *q) {
  uint64_t in = 0, out = 0;
  for (uint32_t b = 0; b < q->n_buffers; ++b) {
    if (q->is_input[b]) in += q->size[b];
    if (q->is_output[b]) out += q->size[b];
  }
  return in > out ? in : out;
}

bool tenon_order_measure(tenon_arena *arena, const tenon_order_problem *problem,
                         const uint32_t *order, uint64_t *peak) {
  tenon_orderer o;
  if (!tenon_order_open(&o, problem, arena)) return false;
  o.floor = tenon_order_ends(problem);
  return tenon_order_peak(&o, order, peak);
}
