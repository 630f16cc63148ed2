// How: of each node it is known which run before it in every order, and which
// behind it. A buffer that is made before and wanted by it or behind is live
// while it runs, whatever the order. Quadratic; beyond MOST_NODES only what the
// node itself touches is counted.
#include "program/order/order_work.h"

enum { MOST_NODES = 2048 };

static const uint64_t *row(const tenon_orderer *o, const uint64_t *earlier,
                           uint32_t i) {
  return earlier ? &earlier[(size_t)i * o->words] : NULL;
}

// Row i: the nodes that run before node i.
static uint64_t *find_earlier(tenon_orderer *o) {
  const tenon_rows *after = &o->q->after;
  uint32_t n = o->q->n;
  uint64_t *bits =
      tenon_arena_array(o->arena, uint64_t, (size_t)n * o->words + 1);
  for (uint32_t i = 0; i < n && bits; ++i)
    for (uint32_t k = after->begin[i]; k < after->begin[i + 1]; ++k) {
      uint32_t j = after->items[k];
      for (uint32_t w = 0; w < o->words; ++w)
        bits[(size_t)i * o->words + w] |= bits[(size_t)j * o->words + w];
      tenon_bit_set(&bits[(size_t)i * o->words], j);
    }
  return bits;
}

static bool is_early(const tenon_orderer *o, const uint64_t *earlier,
                     uint32_t b, uint32_t i) {
  if (o->q->is_input[b]) return true;
  for (uint32_t k = o->makers.begin[b]; k < o->makers.begin[b + 1]; ++k)
    if (tenon_bit(row(o, earlier, i), o->makers.items[k])) return true;
  return false;
}

// Whether somebody behind node i wants the buffer, in every order.
static bool order_bound_is_late(const tenon_orderer *o, const uint64_t *earlier,
                                uint32_t b, uint32_t i) {
  if (o->q->is_output[b]) return true;
  for (uint32_t k = o->users.begin[b]; k < o->users.begin[b + 1]; ++k) {
    uint32_t user = o->users.items[k];
    if (user != i && earlier && tenon_bit(row(o, earlier, user), i))
      return true;
  }
  return false;
}

// At least so many bytes are live while node i runs.
static uint64_t order_bound_need(tenon_orderer *o, const uint64_t *earlier,
                                 uint32_t i, uint32_t *touched) {
  const tenon_order_problem *q = o->q;
  uint64_t bytes = q->extra[i], saved = 0;
  for (uint32_t k = q->touches.begin[i]; k < q->touches.begin[i + 1]; ++k) {
    touched[q->touches.items[k]] = i + 1;
    bytes += q->size[q->touches.items[k]];
  }
  for (uint32_t b = 0; earlier && b < q->n_buffers; ++b)
    if (touched[b] != i + 1 && order_bound_is_late(o, earlier, b, i) &&
        is_early(o, earlier, b, i))
      bytes += q->size[b];
  for (uint32_t k = q->take_begin[i]; k < q->take_begin[i + 1]; ++k)
    if (!order_bound_is_late(o, earlier, q->takes[k].from, i) &&
        (k == q->take_begin[i] || q->takes[k].to != q->takes[k - 1].to ||
         order_bound_is_late(o, earlier, q->takes[k - 1].from, i)))
      saved += q->size[q->takes[k].to];
  return saved < bytes ? bytes - saved : 0;
}

bool tenon_order_bound(tenon_orderer *o) {
  const tenon_order_problem *q = o->q;
  uint64_t *earlier = q->n <= MOST_NODES ? find_earlier(o) : NULL;
  uint32_t *touched =
      tenon_arena_array(o->arena, uint32_t, (size_t)q->n_buffers + 1);
  if (o->arena->failed) return false;
  for (uint32_t i = 0; i < q->n; ++i) {
    uint64_t bytes = order_bound_need(o, earlier, i, touched);
    if (bytes > o->floor) o->floor = bytes;
  }
  return true;
}
