// How: for each piece, the range of each step in turn; a kernel without ranges
// is called with a part of its operands. Threads take neighbouring pieces.
// Pieces of different members touch nothing of each other (program/joined.c),
// so nobody waits for anybody.
#include "exec/pieces.h"

#include <string.h>

#include "exec/cost.h"
#include "exec/timing.h"

#define MOST_PIECES 256

static const tenon_step *pieces_step_of(const tenon_group *g, uint32_t i) {
  return &g->session->program->steps[g->order[i]];
}

tenon_group tenon_group_of(tenon_session *s, const uint32_t *order, uint32_t n,
                           int64_t rows, int64_t tile) {
  tenon_group g = {s, order, n, rows, tile, 1, {0}};
  for (uint32_t i = 0; i < n; ++i)
    g.width[i] = (int64_t)tenon_count(&s->calls[order[i]].out[0]) / rows;
  if (!tenon_cost_divides(s)) return g;
  uint64_t cost = 0;
  for (uint32_t i = 0; i < n; ++i)
    cost += tenon_cost_of_step(s, pieces_step_of(&g, i), &s->calls[order[i]]);
  g.pieces = tenon_cost_pieces(s, cost);
  if (g.pieces > MOST_PIECES) g.pieces = MOST_PIECES;
  if (g.pieces > s->parallel->threads &&
      tenon_joined_is_light(s->program, pieces_step_of(&g, 0)))
    g.pieces = s->parallel->threads;
  return g;
}

int64_t tenon_group_tiles(const tenon_group *g) {
  return (g->rows + g->tile - 1) / g->tile;
}

bool tenon_group_is_divisible(const tenon_group *g) {
  const tenon_step *first = pieces_step_of(g, 0);
  return first->extent == 1 || first->reads > 0 ||
         (first->unit == 1 &&
          tenon_joined_is_light(g->session->program, first));
}

void tenon_group_share(tenon_group *g) {
  const int64_t unit =
      tenon_joined_unit(g->session->program, g->order, g->n, g->rows);
  for (; g->tile > unit; g->tile = (g->tile / 2 + unit - 1) / unit * unit) {
    const int64_t tiles = tenon_group_tiles(g);
    if (tenon_cost_shares(g->session, tiles) &&
        (tiles * g->tile - g->rows) * 8 <= g->rows)
      break;
  }
}

void tenon_group_divide(tenon_group *g) {
  const int64_t unit =
      tenon_joined_unit(g->session->program, g->order, g->n, g->rows);
  int64_t tile = (g->rows + g->pieces - 1) / g->pieces;
  tile = (tile + unit - 1) / unit * unit;
  if (tile < g->tile) g->tile = tile;
}

// --- a piece ----------------------------------------------------------------

// What is not as large as the result is one number for all of it.
static void take_part(tenon_tensor *t, int32_t *dims, int64_t count,
                      int64_t begin, int64_t end) {
  if (!t->dtype || (int64_t)tenon_count(t) != count || t->rank == 0) return;
  for (int i = 0; i < t->rank; ++i)
    dims[i] = 1;
  dims[t->rank - 1] = (int32_t)(end - begin);
  t->dims = dims;
  t->data = (char *)t->data + begin * (int64_t)tenon_element_bytes(t->dtype);
}

static tenon_status run_part(const tenon_kernel_desc *desc, tenon_call *call,
                             int64_t count, int64_t begin, int64_t end) {
  tenon_tensor in[TENON_JOINED_PARTS], out = call->out[0];
  int32_t dims[TENON_JOINED_PARTS + 1][TENON_MAX_RANK];
  for (uint32_t i = 0; i < call->n_in; ++i) {
    in[i] = call->in[i];
    take_part(&in[i], dims[i], count, begin, end);
  }
  take_part(&out, dims[TENON_JOINED_PARTS], count, begin, end);
  call->in = in;
  call->out = &out;
  return desc->run(call);
}

// Rows begin .. end of step i.
static tenon_status run_step(const tenon_group *g, uint32_t i, int thread,
                             int64_t begin, int64_t end, tenon_fault *fault) {
  const tenon_session *s = g->session;
  const tenon_step *step = pieces_step_of(g, i);
  const tenon_kernel_desc *desc = s->program->kernels[step->kernel].desc;
  tenon_call call = s->calls[g->order[i]];
  call.fault = fault;
  if (thread > 0 && call.scratch)
    call.scratch = s->thread_scratch + (size_t)(thread - 1) * s->thread_size;
  const int64_t count = g->rows * g->width[i];
  begin *= g->width[i];
  end *= g->width[i];
  if (!desc->run_range) return run_part(desc, &call, count, begin, end);
  if (step->extent == 1 && step->unit == 1)
    return desc->run_range(&call, begin, end);
  return desc->run_range(
      &call, begin / step->extent * step->unit,
      end == count ? step->items : end / step->extent * step->unit);
}

// Threads read it from its beginning to its end, and write nothing that others
// read or write unless a step fails.
typedef struct tiles {
  tenon_group g;
  int64_t tiles, n;
  tenon_status *status;  // one per piece
  tenon_fault *fault;
  uint32_t *failed;              // which step
  tenon_timeline_event *events;  // one per piece, or null
} tiles;

static void run_piece(void *arg, int64_t i, int thread) {
  const tiles *w = (const tiles *)arg;
  const tenon_group *g = &w->g;
  const int64_t from = tenon_cost_first(g->session, w->tiles, w->n, i);
  const int64_t to = tenon_cost_first(g->session, w->tiles, w->n, i + 1);
  tenon_timeline_event *event = w->events ? &w->events[i] : NULL;
  tenon_status status = TENON_OK;
  if (event) tenon_timing_piece(event, thread);
  for (int64_t t = from; t < to; ++t) {
    const int64_t begin = t * g->tile;
    const int64_t end = g->rows - begin < g->tile ? g->rows : begin + g->tile;
    for (uint32_t k = 0; k < g->n; ++k) {
      status = run_step(g, k, thread, begin, end, &w->fault[i]);
      if (status == TENON_OK) continue;
      w->status[i] = status;
      w->failed[i] = k;
      break;
    }
    if (status != TENON_OK) break;
  }
  if (event) event->end = tenon_os_clock();
}

tenon_status tenon_group_run(const tenon_group *g) {
  tenon_session *s = g->session;
  tenon_status status[MOST_PIECES];
  tenon_fault faults[MOST_PIECES];
  uint32_t failed[MOST_PIECES];
  tiles w = {*g, tenon_group_tiles(g), 0, status, faults, failed, NULL};
  const int64_t n = g->pieces > 1 ? tenon_cost_limit(s, w.tiles, g->pieces) : 1;
  w.n = n;
  memset(status, 0, (size_t)n * sizeof *status);  // TENON_OK
  memset(faults, 0, (size_t)n * sizeof *faults);
  if (n > 1) {
    w.events = tenon_timing_pieces(s, pieces_step_of(g, 0), n);
    s->parallel->run(s->parallel->self, n, run_piece, &w);
  } else {
    run_piece(&w, 0, 0);
  }
  for (int64_t i = 0; i < n; ++i)
    if (status[i] != TENON_OK)
      return tenon_session_explain(s, pieces_step_of(g, failed[i]), status[i],
                                   &faults[i]);
  return TENON_OK;
}
