// How: the least and the largest sum of each result, over every set of taps
// that a window has in the image, in 64 bits. What such sums are stored as is
// asked of the reference kernel: one pixel of zero points, and the sums as
// biases. Storing never makes the larger of two sums the smaller, as long as
// nothing on the way overflows; where it might, any number is possible.
#include "bind/call.h"
#include "pass/channels/live_channels.h"

// Sums times factors below this go through every rounding without overflow.
#define FACTOR_LIMIT 1073741824.0
#define WIDE_LIMIT (INT64_C(1) << 47)  // kern/num/fixed.h

typedef struct sums {
  const tenon_node *n;
  tenon_channels_weights w;
  const tenon_channels *x;
  tenon_channels_taps *windows;
  uint32_t n_windows;
  int64_t *lo, *hi;          // of each result
  int64_t *tap_lo, *tap_hi;  // of one result
  int64_t *x_lo, *x_hi;      // less the zero point
  bool *is_wild;
} sums;

static int64_t *channel_sum_numbers(tenon_channels_run *r, size_t n) {
  return tenon_arena_array(&r->evaluator.scratch, int64_t, n);
}

static bool prepare(tenon_channels_run *r, sums *s) {
  size_t n = (size_t)s->w.n, taps = (size_t)s->w.kh * (size_t)s->w.kw;
  s->windows = tenon_channels_windows(r, s->n, &s->w, &s->n_windows);
  s->lo = channel_sum_numbers(r, n);
  s->hi = channel_sum_numbers(r, n);
  s->tap_lo = channel_sum_numbers(r, taps);
  s->tap_hi = channel_sum_numbers(r, taps);
  s->x_lo = channel_sum_numbers(r, (size_t)s->x->n);
  s->x_hi = channel_sum_numbers(r, (size_t)s->x->n);
  s->is_wild = tenon_arena_array(&r->evaluator.scratch, bool, n);
  if (!s->windows || !s->is_wild || r->evaluator.scratch.failed) return false;
  for (int32_t i = 0; i < s->x->n; ++i) {
    s->x_lo[i] = (int64_t)s->x->lo[i] - s->w.x_zero;
    s->x_hi[i] = (int64_t)s->x->hi[i] - s->w.x_zero;
  }
  return true;
}

static void sum_taps(sums *s, int32_t out) {
  const int32_t taps = s->w.kh * s->w.kw;
  const bool is_plain = s->w.w->dtype == TENON_S8 && !s->w.is_depth;
  const int8_t *data = (const int8_t *)s->w.w->data;
  for (int32_t tap = 0; tap < taps; ++tap) {
    int64_t lo = 0, hi = 0;
    for (int32_t i = 0; i < s->w.depth; ++i) {
      int32_t in = s->w.is_depth ? out / s->w.times : i;
      int64_t weight = is_plain
                           ? data[((size_t)out * (size_t)taps + (size_t)tap) *
                                      (size_t)s->w.depth +
                                  (size_t)i] -
                                 s->w.w_zero
                           : tenon_channels_weight(&s->w, out, tap, i);
      lo += weight * (weight < 0 ? s->x_hi[in] : s->x_lo[in]);
      hi += weight * (weight < 0 ? s->x_lo[in] : s->x_hi[in]);
    }
    s->tap_lo[tap] = lo;
    s->tap_hi[tap] = hi;
  }
}

static void sum_window(sums *s, int32_t out, const tenon_channels_taps *t,
                       bool is_first) {
  int64_t lo = tenon_channels_bias(&s->w, out), hi = lo;
  for (ptrdiff_t y = t->y.begin; y < t->y.end; ++y)
    for (ptrdiff_t x = t->x.begin; x < t->x.end; ++x) {
      lo += s->tap_lo[y * s->w.kw + x];
      hi += s->tap_hi[y * s->w.kw + x];
    }
  if (is_first || lo < s->lo[out]) s->lo[out] = lo;
  if (is_first || hi > s->hi[out]) s->hi[out] = hi;
}

static bool is_wild(const sums *s, int32_t out) {
  const tenon_quant *w = s->w.w->quant;
  const tenon_type *x = &s->n->in[0].value->type, *y = &s->n->out[0]->type;
  const int64_t bias = tenon_channels_bias(&s->w, out);
  const int64_t lo = s->lo[out], hi = s->hi[out];
  const double factor = (double)x->quant->scale[0] *
                        (double)w->scale[w->channels == 1 ? 0 : out] /
                        (double)y->quant->scale[0];
  const double most = (double)(hi > -lo ? hi : -lo);
  if (!(factor >= 0) || !(factor * most < FACTOR_LIMIT)) return true;
  if (s->w.is_wide)
    return bias < -WIDE_LIMIT || bias >= WIDE_LIMIT || lo < -WIDE_LIMIT ||
           hi >= WIDE_LIMIT;
  return lo < INT32_MIN || hi > INT32_MAX;
}

// --- what a sum is stored as -------------------------------------------------

static bool set_tensor(tenon_channels_run *r, const tenon_tensor *list, int i,
                       int rank, int64_t first, int64_t end, void *data) {
  // The call's tensors are this function's own.
  tenon_tensor *t = (tenon_tensor *)(uintptr_t)&list[i];
  int32_t *dims =
      tenon_arena_array(&r->evaluator.scratch, int32_t, (size_t)rank);
  if (!dims) return false;
  for (int k = 0; k < rank; ++k)
    dims[k] = 1;
  dims[0] = (int32_t)first;
  if (rank > 1) dims[rank - 1] = (int32_t)end;
  t->dims = dims;
  t->rank = (uint8_t)rank;
  t->data = data;
  return true;
}

static void *zeros_of(tenon_channels_run *r, const tenon_type *t, int32_t zero,
                      int32_t n) {
  if (t->dtype == TENON_S16)
    return tenon_arena_zalloc(&r->evaluator.scratch, 2 * (size_t)n + 64, 64);
  uint8_t *data =
      (uint8_t *)tenon_arena_zalloc(&r->evaluator.scratch, (size_t)n + 64, 64);
  for (int32_t i = 0; data && i < n; ++i)
    data[i] = (uint8_t)zero;
  return data;
}

static void *biases_of(tenon_channels_run *r, const sums *s,
                       const int64_t *list) {
  int64_t *wide = channel_sum_numbers(r, (size_t)s->w.n + 8);
  int32_t *narrow = (int32_t *)wide;
  for (int32_t i = 0; wide && i < s->w.n; ++i) {
    int64_t sum = s->is_wild[i] ? 0 : list[i];
    if (s->w.is_wide)
      wide[i] = sum;
    else
      narrow[i] = (int32_t)sum;
  }
  return wide;
}

static tenon_call *make_call(tenon_channels_run *r, const sums *s,
                             const int64_t *list) {
  const int32_t n = s->w.n;
  const tenon_type *x = &s->n->in[0].value->type;
  const int rank = s->w.w->rank;
  const int32_t depth = s->w.is_depth ? n / s->w.times : 1;
  tenon_call *c = tenon_bind_call(&r->evaluator.scratch, s->n);
  void *pixel = zeros_of(r, x, s->w.x_zero, depth);
  void *biases = biases_of(r, s, list);
  void *out = tenon_arena_zalloc(&r->evaluator.scratch, 2 * (size_t)n + 64, 64);
  if (!c || !pixel || !biases || !out) return NULL;
  tenon_tensor *bias = (tenon_tensor *)(uintptr_t)&c->in[2];
  if (!s->w.bias) bias->dtype = s->w.is_wide ? TENON_S64 : TENON_S32;
  bool ok = set_tensor(r, c->in, 0, rank, 1, depth, pixel) &&
            set_tensor(r, c->in, 1, rank, s->w.is_depth ? 1 : n,
                       s->w.is_depth ? n : 1, s->w.w->data) &&
            set_tensor(r, c->in, 2, 1, n, 0, biases) &&
            set_tensor(r, c->out, 0, rank, 1, n, out);
  return ok ? c : NULL;
}

// out[i]: what list[i] is stored as. False: out of memory.
static bool channel_sum_store(tenon_channels_run *r, const sums *s,
                              const int64_t *list, int32_t *out,
                              bool *is_known) {
  tenon_fault fault = {NULL, {0, 0}};
  tenon_call *c = make_call(r, s, list);
  if (!c) return false;
  c->fault = &fault;
  tenon_evaluation e = tenon_evaluate(&r->evaluator, s->n, c);
  *is_known = e == TENON_EVALUATED;
  for (int32_t i = 0; *is_known && i < s->w.n; ++i)
    out[i] = tenon_channels_stored(&c->out[0], (size_t)i);
  return e != TENON_EVALUATION_NO_MEMORY;
}

bool tenon_channels_range_sum(tenon_channels_run *r, const tenon_node *n) {
  tenon_channels *y = tenon_channels_of(r, n->out[0]);
  sums s = {.n = n, .x = tenon_channels_of(r, n->in[0].value)};
  tenon_channels_weights_of(n, tenon_channels_how_of(r, n), &s.w);
  if (!prepare(r, &s)) return false;
  for (int32_t i = 0; i < s.w.n; ++i) {
    sum_taps(&s, i);
    for (uint32_t k = 0; k < s.n_windows; ++k)
      sum_window(&s, i, &s.windows[k], k == 0);
    s.is_wild[i] = s.n_windows == 0 || is_wild(&s, i);
  }
  int32_t *lo = tenon_arena_array(&r->evaluator.scratch, int32_t, (size_t)y->n);
  int32_t *hi = tenon_arena_array(&r->evaluator.scratch, int32_t, (size_t)y->n);
  bool is_lo = false, is_hi = false;
  if (!lo || !hi || !channel_sum_store(r, &s, s.lo, lo, &is_lo) ||
      !channel_sum_store(r, &s, s.hi, hi, &is_hi))
    return false;
  for (int32_t i = 0; is_lo && is_hi && i < y->n; ++i) {
    if (s.is_wild[i] || lo[i] > hi[i]) continue;
    y->lo[i] = lo[i];
    y->hi[i] = hi[i];
  }
  return true;
}
