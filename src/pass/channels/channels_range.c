// How: sums have a file of their own. Of operators of elements, all that the
// operands can be together is computed where that is little; elsewhere any
// number is possible. Pools never make the larger of two images the smaller, so
// one pixel of least and one of largest numbers say all. What else combines
// elements of a channel is asked only where all of them are one number.
#include "bind/call.h"
#include "core/type.h"
#include "pass/channels/live_channels.h"

#define POINTS_MOST 256          // of one channel
#define ELEMENTS_MOST (1 << 20)  // of an operand that is made up
#define DISTINCT_MOST 64         // channels whose points are remembered

void tenon_channels_widest(const tenon_value *v, tenon_channels *c) {
  const tenon_dtype t = v->type.dtype;
  for (int32_t i = 0; i < c->n; ++i) {
    c->lo[i] = t == TENON_S8 ? INT8_MIN : t == TENON_U8 ? 0 : INT16_MIN;
    c->hi[i] = t == TENON_S8 ? INT8_MAX : t == TENON_U8 ? UINT8_MAX : INT16_MAX;
  }
}

static tenon_tensor *tensor_of(const tenon_tensor *list, uint32_t i) {
  // The call's tensors are this file's own.
  return (tenon_tensor *)(uintptr_t)&list[i];
}

static void channel_range_put(const tenon_tensor *t, size_t i, int32_t number) {
  if (t->dtype == TENON_S16)
    ((int16_t *)t->data)[i] = (int16_t)number;
  else
    ((uint8_t *)t->data)[i] = (uint8_t)number;
}

static void channel_range_widen(tenon_channels *c, int32_t i, int32_t number,
                                bool is_first) {
  if (is_first || number < c->lo[i]) c->lo[i] = number;
  if (is_first || number > c->hi[i]) c->hi[i] = number;
}

// --- elements ----------------------------------------------------------------

typedef struct points {
  const tenon_node *n;
  uint32_t first, count;  // operands that go channel by channel
  size_t total;
  size_t *at, *size;  // of each channel; size 0: too many
} points;

static int32_t channel_of(const tenon_channels *c, int32_t i) {
  return c->n == 1 ? 0 : i;
}

// How many there are of channel i; 0: too many.
static size_t count_points(const tenon_channels_run *r, const points *p,
                           int32_t i) {
  size_t n = 1;
  for (uint32_t k = p->first; k < p->first + p->count; ++k) {
    const tenon_channels *c = tenon_channels_of(r, p->n->in[k].value);
    int32_t at = channel_of(c, i);
    n *= (size_t)(c->hi[at] - c->lo[at]) + 1;
    if (n > POINTS_MOST) return 0;
  }
  return n;
}

static bool channel_range_is_alike(const tenon_channels_run *r, const points *p,
                                   int32_t i, int32_t j) {
  for (uint32_t k = p->first; k < p->first + p->count; ++k) {
    const tenon_channels *c = tenon_channels_of(r, p->n->in[k].value);
    int32_t a = channel_of(c, i), b = channel_of(c, j);
    if (c->lo[a] != c->lo[b] || c->hi[a] != c->hi[b]) return false;
  }
  return true;
}

// Channels that can be the same numbers share their points.
static void plan_points(const tenon_channels_run *r, points *p, int32_t n) {
  int32_t distinct[DISTINCT_MOST];
  int n_distinct = 0;
  p->total = 0;
  for (int32_t i = 0; i < n; ++i) {
    int k = 0;
    while (k < n_distinct && !channel_range_is_alike(r, p, i, distinct[k]))
      ++k;
    if (k < n_distinct) {
      p->at[i] = p->at[distinct[k]];
      p->size[i] = p->size[distinct[k]];
      continue;
    }
    if (n_distinct < DISTINCT_MOST) distinct[n_distinct++] = i;
    p->at[i] = p->total;
    p->size[i] = count_points(r, p, i);
    p->total += p->size[i];
  }
}

static void put_points(const tenon_channels_run *r, const points *p,
                       const tenon_call *c, int32_t i) {
  size_t step = 1;
  for (uint32_t k = p->first; k < p->first + p->count; ++k) {
    const tenon_channels *x = tenon_channels_of(r, p->n->in[k].value);
    int32_t at = channel_of(x, i);
    size_t width = (size_t)(x->hi[at] - x->lo[at]) + 1;
    for (size_t j = 0; j < p->size[i]; ++j)
      channel_range_put(&c->in[k], p->at[i] + j,
                        x->lo[at] + (int32_t)(j / step % width));
    step *= width;
  }
}

static bool make_vector(tenon_channels_run *r, tenon_tensor *t, size_t n) {
  int32_t *dims = tenon_arena_array(&r->evaluator.scratch, int32_t, 1);
  if (!dims) return false;
  dims[0] = (int32_t)n;
  t->dims = dims;
  t->rank = 1;
  t->data = tenon_arena_zalloc(&r->evaluator.scratch, 2 * n + 64, 64);
  return t->data != NULL;
}

static tenon_evaluation range_each(tenon_channels_run *r, const tenon_node *n,
                                   tenon_channels *y) {
  tenon_fault fault = {NULL, {0, 0}};
  points p = {.n = n};
  tenon_arena *scratch = &r->evaluator.scratch;
  tenon_channels_operands(tenon_channels_how_of(r, n), n, &p.first, &p.count);
  p.at = tenon_arena_array(scratch, size_t, (size_t)y->n);
  p.size = tenon_arena_array(scratch, size_t, (size_t)y->n);
  tenon_call *c = tenon_bind_call(scratch, n);
  if (!p.at || !p.size || !c) return TENON_EVALUATION_NO_MEMORY;
  plan_points(r, &p, y->n);
  if (p.total == 0 || p.total > ELEMENTS_MOST) return TENON_NOT_EVALUATED;
  bool ok = make_vector(r, tensor_of(c->out, 0), p.total);
  for (uint32_t k = p.first; ok && k < p.first + p.count; ++k)
    ok = make_vector(r, tensor_of(c->in, k), p.total);
  if (!ok) return TENON_EVALUATION_NO_MEMORY;
  for (int32_t i = 0; i < y->n; ++i)
    put_points(r, &p, c, i);
  c->fault = &fault;
  tenon_evaluation e = tenon_evaluate(&r->evaluator, n, c);
  for (int32_t i = 0; e == TENON_EVALUATED && i < y->n; ++i)
    for (size_t j = 0; j < p.size[i]; ++j)
      channel_range_widen(y, i, tenon_channels_stored(&c->out[0], p.at[i] + j),
                          j == 0);
  return e;
}

// --- images of one number per channel ----------------------------------------

static bool make_image(tenon_channels_run *r, tenon_tensor *t, bool is_pixel) {
  int32_t *dims =
      tenon_arena_array(&r->evaluator.scratch, int32_t, t->rank + 1u);
  size_t n = 1;
  for (int i = 0; dims && i < t->rank; ++i) {
    dims[i] = is_pixel && i < t->rank - 1 ? 1 : t->dims[i];
    if (dims[i] < 0 || n > ELEMENTS_MOST) return false;
    n *= (size_t)dims[i];
  }
  if (!dims || n == 0 || n > ELEMENTS_MOST) return false;
  t->dims = dims;
  t->data = tenon_arena_zalloc(&r->evaluator.scratch, 2 * n + 64, 64);
  return t->data != NULL;
}

// The first pixel of what an image of these numbers becomes.
static tenon_evaluation pixel(tenon_channels_run *r, const tenon_node *n,
                              const int32_t *numbers, bool is_pixel,
                              int32_t *out) {
  tenon_fault fault = {NULL, {0, 0}};
  tenon_call *c = tenon_bind_call(&r->evaluator.scratch, n);
  if (!c) return TENON_EVALUATION_NO_MEMORY;
  if (!make_image(r, tensor_of(c->in, 0), is_pixel) ||
      !make_image(r, tensor_of(c->out, 0), is_pixel))
    return r->evaluator.scratch.failed ? TENON_EVALUATION_NO_MEMORY
                                       : TENON_NOT_EVALUATED;
  size_t channels = (size_t)c->in[0].dims[c->in[0].rank - 1];
  size_t count = tenon_count(&c->in[0]);
  for (size_t i = 0; i < count; ++i)
    channel_range_put(&c->in[0], i, numbers[i % channels]);
  c->fault = &fault;
  tenon_evaluation e = tenon_evaluate(&r->evaluator, n, c);
  for (size_t i = 0; e == TENON_EVALUATED && i < channels; ++i)
    out[i] = tenon_channels_stored(&c->out[0], i);
  return e;
}

static tenon_evaluation range_pool(tenon_channels_run *r, const tenon_node *n,
                                   const tenon_channels *x, tenon_channels *y) {
  tenon_evaluation e = pixel(r, n, x->lo, true, y->lo);
  return e == TENON_EVALUATED ? pixel(r, n, x->hi, true, y->hi) : e;
}

static tenon_evaluation range_reduce(tenon_channels_run *r, const tenon_node *n,
                                     const tenon_channels *x,
                                     tenon_channels *y) {
  bool is_any = false;
  for (int32_t i = 0; i < x->n; ++i)
    is_any = is_any || tenon_channels_is_constant(x, i);
  int32_t *out =
      tenon_arena_array(&r->evaluator.scratch, int32_t, (size_t)x->n);
  if (!out) return TENON_EVALUATION_NO_MEMORY;
  tenon_evaluation e =
      is_any ? pixel(r, n, x->lo, false, out) : TENON_NOT_EVALUATED;
  for (int32_t i = 0; e == TENON_EVALUATED && i < x->n; ++i)
    if (tenon_channels_is_constant(x, i)) y->lo[i] = y->hi[i] = out[i];
  return e;
}

// The number of a border: around an image of one element.
static tenon_evaluation range_pad(tenon_channels_run *r, const tenon_node *n,
                                  const tenon_channels *x, tenon_channels *y) {
  tenon_fault fault = {NULL, {0, 0}};
  tenon_call *c = tenon_bind_call(&r->evaluator.scratch, n);
  if (!c) return TENON_EVALUATION_NO_MEMORY;
  int32_t one[TENON_MAX_RANK],
      *dims = tenon_arena_array(&r->evaluator.scratch, int32_t, TENON_MAX_RANK);
  if (!dims) return TENON_EVALUATION_NO_MEMORY;
  size_t count = 1, before = 0;
  for (int i = 0; i < c->in[0].rank; ++i) {
    int64_t more = tenon_node_size(n, "before", i).value;
    one[i] = 1;
    before =
        before * (size_t)(1 + more + tenon_node_size(n, "after", i).value) +
        (size_t)more;
    dims[i] = (int32_t)(1 + more + tenon_node_size(n, "after", i).value);
    count *= (size_t)dims[i];
    if (count > ELEMENTS_MOST) return TENON_NOT_EVALUATED;
  }
  tensor_of(c->in, 0)->dims = one;
  tensor_of(c->out, 0)->dims = dims;
  uint64_t element = 0;
  tensor_of(c->in, 0)->data = &element;
  tensor_of(c->out, 0)->data =
      tenon_arena_zalloc(&r->evaluator.scratch, 2 * count + 64, 64);
  if (!c->out[0].data) return TENON_EVALUATION_NO_MEMORY;
  c->fault = &fault;
  tenon_evaluation e = tenon_evaluate(&r->evaluator, n, c);
  for (int32_t i = 0; e == TENON_EVALUATED && i < y->n; ++i) {
    y->lo[i] = x->lo[i];
    y->hi[i] = x->hi[i];
    if (count > 1)
      channel_range_widen(
          y, i, tenon_channels_stored(&c->out[0], before == 0 ? 1 : 0), false);
  }
  return e;
}

// --- what only moves ---------------------------------------------------------

static void range_moved(tenon_channels_run *r, const tenon_node *n,
                        tenon_channels *y) {
  const bool joins = tenon_channels_how_of(r, n) == TENON_CHANNELS_JOIN;
  uint32_t last = joins ? n->n_in : 1;
  bool is_first = true;
  for (uint32_t k = 0; k < last; ++k) {
    const tenon_channels *x = tenon_channels_of(r, n->in[k].value);
    int32_t offset = joins ? tenon_channels_offset(n, k) : -1;
    // Pixels that become channels repeat them.
    int32_t begin = offset < 0 ? 0 : offset;
    int32_t end = offset < 0 ? y->n : offset + x->n;
    for (int32_t i = begin; i < end; ++i) {
      int32_t from = (i - begin) % x->n;
      channel_range_widen(y, i, x->lo[from], is_first || offset >= 0);
      channel_range_widen(y, i, x->hi[from], false);
    }
    is_first = false;
  }
}

tenon_status tenon_channels_range(tenon_channels_run *r, const tenon_node *n) {
  tenon_evaluation e = TENON_EVALUATED;
  const tenon_channels_how how = tenon_channels_how_of(r, n);
  if (how == TENON_CHANNELS_NONE) return TENON_OK;
  tenon_channels *y = tenon_channels_of(r, n->out[0]);
  const tenon_channels *x = tenon_channels_of(r, n->in[0].value);
  tenon_arena_mark mark = tenon_arena_save(&r->evaluator.scratch);
  switch (how) {
    case TENON_CHANNELS_NONE:
      break;
    case TENON_CHANNELS_PRODUCT:
    case TENON_CHANNELS_DEPTH:
      if (!tenon_channels_range_sum(r, n)) e = TENON_EVALUATION_NO_MEMORY;
      break;
    case TENON_CHANNELS_EACH:
    case TENON_CHANNELS_LOOKUP:
      e = range_each(r, n, y);
      break;
    case TENON_CHANNELS_POOL:
      e = range_pool(r, n, x, y);
      break;
    case TENON_CHANNELS_REDUCE:
      e = range_reduce(r, n, x, y);
      break;
    case TENON_CHANNELS_PAD:
      e = range_pad(r, n, x, y);
      break;
    case TENON_CHANNELS_MOVE:
    case TENON_CHANNELS_RESHAPE:
    case TENON_CHANNELS_JOIN:
      range_moved(r, n, y);
      break;
  }
  tenon_arena_restore(&r->evaluator.scratch, mark);
  return e == TENON_EVALUATION_NO_MEMORY
             ? tenon_fail_memory(&r->m->report, "looking at channels")
             : TENON_OK;
}
