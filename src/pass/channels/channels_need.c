// How: who reads a value otherwise than by channels needs all of it, and who
// makes one otherwise makes all of it. From there needs spread until nothing
// changes: from results to operands, and back where both have the same
// channels. A sum needs a channel for the results that are needed themselves.
#include "pass/channels/live_channels.h"

typedef struct needs {
  tenon_channels_run *r;
  bool has_changed;
} needs;

static void need_need(needs *w, tenon_channels *c, int32_t i) {
  if (c->is_needed[i]) return;
  c->is_needed[i] = true;
  w->has_changed = true;
}

static void need_all(tenon_channels *c) {
  for (int32_t i = 0; i < c->n; ++i)
    c->is_needed[i] = true;
}

static void tie(needs *w, tenon_channels *a, int32_t i, tenon_channels *b,
                int32_t j) {
  if (a->is_needed[i]) need_need(w, b, j);
  if (b->is_needed[j]) need_need(w, a, i);
}

// --- sums --------------------------------------------------------------------

static bool is_in_all(const tenon_channels_taps *windows, uint32_t n, int32_t y,
                      int32_t x) {
  for (uint32_t i = 0; i < n; ++i)
    if (y < windows[i].y.begin || y >= windows[i].y.end ||
        x < windows[i].x.begin || x >= windows[i].x.end)
      return false;
  return true;
}

// Whether result `out` depends on channel `in`, otherwise than by a number that
// is the same in every window.
static bool depends(const tenon_channels_weights *w, const tenon_channels *x,
                    const bool *is_inner, int32_t out, int32_t in) {
  const int32_t taps = w->kh * w->kw;
  const bool is_constant = tenon_channels_is_constant(x, in);
  if (is_constant && x->lo[in] == w->x_zero) return false;
  for (int32_t tap = 0; tap < taps; ++tap)
    if (!(is_constant && is_inner[tap]) &&
        tenon_channels_weight(w, out, tap, in) != 0)
      return true;
  return false;
}

static bool need_of_product(needs *w, const tenon_node *n, tenon_channels *x,
                            const tenon_channels *y) {
  tenon_channels_weights weights;
  uint32_t n_windows = 0;
  tenon_channels_weights_of(n, TENON_CHANNELS_PRODUCT, &weights);
  tenon_channels_taps *windows =
      tenon_channels_windows(w->r, n, &weights, &n_windows);
  bool *is_inner = tenon_arena_array(&w->r->evaluator.scratch, bool,
                                     (size_t)weights.kh *(size_t)weights.kw);
  if (!windows || !is_inner) return false;
  for (int32_t i = 0; i < weights.kh * weights.kw; ++i)
    is_inner[i] = is_in_all(windows, n_windows, i / weights.kw, i % weights.kw);
  for (int32_t in = 0; in < x->n; ++in)
    for (int32_t out = 0; !x->is_needed[in] && out < y->n; ++out)
      if (y->is_needed[out] && depends(&weights, x, is_inner, out, in))
        need_need(w, x, in);
  return true;
}

// A channel of the operand makes as many of the result, one behind the other:
// all of them, unless there is but one channel.
static void need_of_depth(needs *w, tenon_channels *x, tenon_channels *y) {
  const int32_t times = y->n / x->n;
  for (int32_t i = 0; i < y->n; ++i) {
    if (x->n > 1) tie(w, x, i / times, y, i);
    if (x->n == 1 && y->is_needed[i]) need_need(w, x, 0);
  }
}

// --- what goes by channels ---------------------------------------------------

static void need_of_same(needs *w, const tenon_node *n, uint32_t count,
                         tenon_channels *y) {
  const tenon_channels_how how = tenon_channels_how_of(w->r, n);
  for (uint32_t k = 0; k < count; ++k) {
    tenon_channels *x = tenon_channels_of(w->r, n->in[k].value);
    int32_t offset =
        how == TENON_CHANNELS_JOIN ? tenon_channels_offset(n, k) : -1;
    if (n->in[k].value->constant) {
      // One at least stays of what is joined.
      if (offset >= 0) need_need(w, y, offset);
      continue;
    }
    if (offset >= 0) {
      for (int32_t i = 0; i < x->n; ++i)
        tie(w, x, i, y, offset + i);
      continue;
    }
    // One number is broadcast.
    const bool is_one = how == TENON_CHANNELS_EACH && x->n < y->n;
    for (int32_t i = 0; i < y->n; ++i) {
      if (!is_one)
        tie(w, x, i % x->n, y, i);
      else if (y->is_needed[i])
        need_need(w, x, 0);
    }
  }
}

static bool need_of(needs *w, const tenon_node *n) {
  const tenon_channels_how how = tenon_channels_how_of(w->r, n);
  uint32_t first, count;
  if (how == TENON_CHANNELS_NONE) return true;
  tenon_channels *y = tenon_channels_of(w->r, n->out[0]);
  tenon_channels *x = tenon_channels_of(w->r, n->in[0].value);
  if (how == TENON_CHANNELS_PRODUCT) return need_of_product(w, n, x, y);
  if (how == TENON_CHANNELS_DEPTH) {
    need_of_depth(w, x, y);
    return true;
  }
  tenon_channels_operands(how, n, &first, &count);
  need_of_same(w, n, count, y);
  return true;
}

// --- the whole ---------------------------------------------------------------

static bool need_spread(needs *w, const tenon_graph *g) {
  do {
    w->has_changed = false;
    for (const tenon_node *n = g->last; n; n = n->previous) {
      tenon_arena_mark mark = tenon_arena_save(&w->r->evaluator.scratch);
      bool ok = need_of(w, n);
      tenon_arena_restore(&w->r->evaluator.scratch, mark);
      if (!ok) return false;
    }
  } while (w->has_changed);
  return true;
}

// Operand `use` is read by channels.
static bool is_by_channel(const tenon_channels_run *r, const tenon_graph *g,
                          const tenon_use *use) {
  uint32_t first, count;
  if (use->node->graph != g || use->node == g->end) return false;
  tenon_channels_operands(tenon_channels_how_of(r, use->node), use->node,
                          &first, &count);
  return use->index >= first && use->index < first + count;
}

static void begin_value(tenon_channels_run *r, const tenon_graph *g,
                        const tenon_value *v, bool is_made) {
  tenon_channels *c = tenon_channels_of(r, v);
  for (int32_t i = 0; i < c->n; ++i)
    c->is_needed[i] = false;
  if (!is_made) need_all(c);
  for (const tenon_use *u = v->uses; u; u = u->next)
    if (!is_by_channel(r, g, u)) need_all(c);
}

// Kernels want a channel at least, and some like a number of them. Whoever
// reads the value does not depend on those that are added.
static void need_round_up(needs *w, const tenon_value *v) {
  tenon_channels *c = tenon_channels_of(w->r, v);
  int32_t count = 0;
  for (int32_t i = 0; i < c->n; ++i)
    count += c->is_needed[i];
  for (int32_t i = 0; i < c->n; ++i)
    if (!c->is_needed[i] && (count == 0 || count % w->r->multiple != 0)) {
      need_need(w, c, i);
      ++count;
    }
}

bool tenon_channels_need(tenon_channels_run *r, tenon_graph *g) {
  needs w = {r, false};
  for (uint32_t i = 0; i < g->n_params; ++i)
    begin_value(r, g, g->params[i], false);
  for (const tenon_node *n = g->first; n; n = n->next)
    for (uint32_t k = 0; k < n->n_out; ++k)
      begin_value(r, g, n->out[k],
                  tenon_channels_how_of(r, n) != TENON_CHANNELS_NONE);
  do {
    if (!need_spread(&w, g)) return false;
    w.has_changed = false;
    for (const tenon_node *n = g->first; n; n = n->next)
      for (uint32_t k = 0; k < n->n_out; ++k)
        need_round_up(&w, n->out[k]);
  } while (w.has_changed);
  return true;
}
