// How: a loop over the steps of a block. A kernel with ranges is split into
// pieces where that pays (exec/cost.h), each with a copy of the call that has
// scratch and fault of its own; pieces begin at multiples of the kernel's
// grain. What is stored for an item does not depend on the piece it came in, so
// results do not depend on the number of threads. Where items fall into turns,
// each turn is split.
#include <string.h>

#include "exec/direct.h"
#include "exec/pieces.h"
#include "exec/run_sizes.h"
#include "exec/timing.h"

typedef struct piece {
  const tenon_session *session;
  const tenon_step *step;
  const tenon_call *call;
  int64_t first, items, grain, grains, n;  // items from `first` on
  tenon_status *status;                    // one per piece
  tenon_fault *fault;
  tenon_timeline_event *events;  // one per piece, or null
} piece;

#define MAX_PIECES 256

static void step_run_piece(void *arg, int64_t i, int thread) {
  const piece *w = (const piece *)arg;
  tenon_call call = *w->call;
  const tenon_session *s = w->session;
  int64_t begin = tenon_cost_first(s, w->grains, w->n, i) * w->grain;
  int64_t end = tenon_cost_first(s, w->grains, w->n, i + 1) * w->grain;
  if (end > w->items) end = w->items;
  if (thread > 0 && call.scratch)
    call.scratch = s->thread_scratch + (size_t)(thread - 1) * s->thread_size;
  call.fault = &w->fault[i];
  const tenon_kernel_desc *desc = s->program->kernels[w->step->kernel].desc;
  tenon_timeline_event *event = w->events ? &w->events[i] : NULL;
  if (event) tenon_timing_piece(event, thread);
  const tenon_status status =
      desc->run_range(&call, w->first + begin, w->first + end);
  if (status != TENON_OK) w->status[i] = status;
  if (event) event->end = tenon_os_clock();
}

// A result that reaches over its operand is written from front to back.
static bool is_over(const tenon_session *s, const tenon_step *step,
                    const tenon_call *call) {
  const struct tenon_program *p = s->program;
  if (!p->kernels[step->kernel].desc->overlap || !step->n_in || !step->n_out)
    return false;
  uint32_t x = p->operands[step->in], y = p->operands[step->out];
  if (x == TENON_NO_INDEX || y == TENON_NO_INDEX) return false;
  uintptr_t from = (uintptr_t)call->in[0].data;
  uintptr_t to = (uintptr_t)call->out[0].data;
  return from < to + tenon_session_size(s, &p->tensors[y]) &&
         to < from + tenon_session_size(s, &p->tensors[x]);
}

// How many turns there are to divide one after the other; 0: none can be.
static int64_t turns_of(const tenon_kernel_desc *desc, const tenon_call *call,
                        int64_t items, int64_t grain) {
  const int64_t turns = desc->turns ? desc->turns(call) : 1;
  if (turns <= 1) return 1;
  return items % turns == 0 && items / turns % grain == 0 ? turns : 0;
}

static tenon_status run_pieces(tenon_session *s, const tenon_step *step,
                               const tenon_call *call, int64_t items,
                               tenon_fault *fault) {
  const tenon_kernel_desc *desc = s->program->kernels[step->kernel].desc;
  int64_t grain = desc->grain > 1 ? (int64_t)desc->grain : 1;
  const bool may_divide = items > grain && tenon_cost_divides(s);
  const int64_t turns = may_divide ? turns_of(desc, call, items, grain) : 0;
  int64_t pieces =
      turns ? tenon_cost_pieces(s, tenon_cost_of_turn(s, step, call, turns))
            : 1;
  // Each range of a block prepares anew what its items share, and one of a
  // depthwise convolution reads rows that its neighbours read, too.
  if (pieces > 1 && pieces > s->parallel->threads &&
      (step->unit > 1 || tenon_joined_is_light(s->program, step)))
    pieces = s->parallel->threads;
  if (pieces > MAX_PIECES) pieces = MAX_PIECES;
  if (pieces > 1 && is_over(s, step, call)) pieces = 1;
  const int64_t each = turns ? items / turns : items;
  const int64_t grains = (each + grain - 1) / grain;
  if (pieces > 1) pieces = tenon_cost_limit(s, grains, pieces);
  if (pieces == 1) {
    tenon_call alone = *call;
    alone.fault = fault;
    return desc->run_range(&alone, 0, items);
  }
  tenon_status status[MAX_PIECES];
  tenon_fault faults[MAX_PIECES];
  const int64_t n = pieces;
  memset(status, 0, (size_t)n * sizeof *status);  // TENON_OK
  memset(faults, 0, (size_t)n * sizeof *faults);
  piece w = {s, step, call, 0, each, grain, grains, n, status, faults, NULL};
  for (; w.first < items; w.first += each) {
    w.events = tenon_timing_pieces(s, step, n);
    s->parallel->run(s->parallel->self, n, step_run_piece, &w);
    for (int64_t i = 0; i < n; ++i)
      if (status[i] != TENON_OK) {
        *fault = faults[i];
        return status[i];
      }
  }
  return TENON_OK;
}

// A constant out of a cold memory, by whoever has it.
static tenon_status hydrate(const tenon_session *s, const tenon_step *step,
                            const tenon_program_constant *c,
                            const tenon_call *call, tenon_hydrate_fn *how) {
  const tenon_cold_block block = {.memory = s->program->banks[c->bank - 1].name,
                                  .name = c->name ? c->name : "",
                                  .data = c->data,
                                  .offset = c->image_offset,
                                  .size = c->size};
  tenon_status status = how(s->hydrate_self, &block, call->out[0].data);
  if (status == TENON_OK) return TENON_OK;
  return tenon_fail(&s->report, status, "run-hydrate", step->place,
                    "constant '%s' could not be copied out of memory '%s': "
                    "status %d%s",
                    block.name, block.memory, (int)status,
                    how == s->hydrate ? "" : " of 'prefetch'");
}

static bool is_prefetched(const tenon_session *s, const tenon_step *step) {
  return s->prefetch && tenon_program_prefetches(s->program, step);
}

static tenon_status prefetch(const tenon_session *s, uint32_t index) {
  const tenon_step *step = &s->program->steps[index];
  return hydrate(s, step, tenon_program_cold(s->program, step),
                 &s->calls[index], s->prefetch);
}

// Begins what is copied right behind a step, while that runs.
static tenon_status prefetch_behind(const tenon_session *s,
                                    const tenon_block *b, uint32_t at) {
  const tenon_program *p = s->program;
  if (!s->prefetch) return TENON_OK;
  if (is_prefetched(s, &p->steps[p->order[b->first + at]])) return TENON_OK;
  for (uint32_t i = at + 1; i < b->count; ++i) {
    uint32_t index = p->order[b->first + i];
    if (!is_prefetched(s, &p->steps[index])) break;
    if (p->steps[index].is_ahead) TENON_TRY(prefetch(s, index));
  }
  return TENON_OK;
}

static tenon_status step_run_kernel(tenon_session *s, const tenon_step *step,
                                    const tenon_call *call, int64_t items) {
  const tenon_kernel_desc *desc = s->program->kernels[step->kernel].desc;
  tenon_fault fault = {NULL, {0, 0}};
  tenon_status status = TENON_OK;
  const tenon_program_constant *cold =
      s->hydrate ? tenon_program_cold(s->program, step) : NULL;
  if (cold && !step->is_ahead && is_prefetched(s, step))
    TENON_TRY(prefetch(s, (uint32_t)(step - s->program->steps)));
  if (cold) return hydrate(s, step, cold, call, s->hydrate);
  if (desc->flags & TENON_KERNEL_ZERO_OUT)
    for (uint32_t i = 0; i < step->n_out; ++i) {
      uint64_t size = tenon_session_size(
          s, &s->program->tensors[s->program->operands[step->out + i]]);
      if (size) memset(call->out[i].data, 0, (size_t)size);
    }
  if (desc->run_range) {
    status = run_pieces(s, step, call, items, &fault);
  } else {
    tenon_call alone = *call;
    alone.fault = &fault;
    status = desc->run(&alone);
  }
  return status == TENON_OK ? TENON_OK
                            : tenon_session_explain(s, step, status, &fault);
}

#define MAX_OBSERVED 64
static tenon_status step_observe(tenon_session *s, uint32_t index,
                                 uint32_t n_joined, uint32_t joined_at) {
  const tenon_program *p = s->program;
  const tenon_step *step = &p->steps[index];
  const tenon_call *call = &s->calls[index];
  const char *names[MAX_OBSERVED];
  uint32_t n = step->n_out < MAX_OBSERVED ? step->n_out : MAX_OBSERVED;
  for (uint32_t i = 0; i < n; ++i)
    names[i] = p->tensors[p->operands[step->out + i]].name;
  tenon_step_info info = {0};
  info.struct_size = sizeof info;
  info.entry = s->entry;
  info.step = index;
  info.n_out = n;
  info.op = step->op;
  info.kernel =
      step->kernel == TENON_NO_INDEX ? "" : p->kernels[step->kernel].symbol;
  info.place = step->place;
  info.out = call->out;
  info.names = names;
  info.macs = tenon_session_macs(step, call);
  info.arena = s->sizes.arena ? s->sizes.arena : p->arena_size;
  info.joined = n_joined;
  info.joined_at = joined_at;
  return s->observe(s->observe_self, &info);
}

// The condition's block leaves the flag in the loop's operand.
static tenon_status run_loop(tenon_session *s, const tenon_step *step,
                             const tenon_call *call) {
  const bool grows = step->n_in > 1;
  if (grows) TENON_TRY(tenon_carried_take(s, step, true));
  for (;;) {
    TENON_TRY(tenon_session_run_block(s, step->blocks[0]));
    if (*(const uint8_t *)call->in[0].data == 0) return TENON_OK;
    TENON_TRY(tenon_session_run_block(s, step->blocks[1]));
    if (grows) TENON_TRY(tenon_carried_take(s, step, false));
  }
}

// Where threads would have unequal numbers of tiles, its first step is divided
// as it would be alone, and what is behind it anew.
static tenon_status run_group(tenon_session *s, const uint32_t *order,
                              uint32_t n) {
  const tenon_step *first = &s->program->steps[order[0]];
  tenon_group g = tenon_group_of(s, order, n, first->rows, first->tile);
  const bool is_divisible = tenon_group_is_divisible(&g);
  if (g.pieces > 1 && !is_divisible) tenon_group_share(&g);
  if (g.pieces > 1 && !tenon_cost_shares(s, tenon_group_tiles(&g))) {
    if (!is_divisible) {
      TENON_TRY(step_run_kernel(s, first, &s->calls[order[0]], first->items));
      g = tenon_group_of(s, order + 1, n - 1, first->rows, first->tile);
    }
    tenon_group_divide(&g);
  }
  return tenon_group_run(&g);
}

// Steps from `at` on that are computed together in this session; 1: none.
static uint32_t step_joined(const tenon_session *s, const tenon_block *b,
                            uint32_t at) {
  const tenon_program *p = s->program;
  if ((s->observe && !s->observes_groups) || s->prefetch) return 1;
  uint32_t n = p->steps[p->order[b->first + at]].joined;
  return n > 1 ? n : 1;
}

// Nesting of blocks is bounded by the nesting of the model's regions.
tenon_status tenon_session_run_block(tenon_session *s, uint32_t block) {
  const tenon_program *p = s->program;
  const tenon_block *b = &p->blocks[block];
  const bool is_direct = tenon_direct_is_on(s);
  for (uint32_t i = 0; i < b->count; ++i) {
    const tenon_direct *d = &s->direct[b->first + i];
    if (is_direct && d->run) {
      const tenon_status status = d->run(d->call, 0, d->items);
      if (status == TENON_OK) continue;
      return tenon_direct_failed(s, &p->steps[p->order[b->first + i]], status);
    }
    uint32_t index = p->order[b->first + i], n = step_joined(s, b, i);
    if (n > 1) {
      const uint32_t *order = p->order + b->first + i;
      uint64_t begin = tenon_timing_begin(s);
      TENON_TRY(run_group(s, order, n));
      // The first has the time of all.
      for (uint32_t k = 0; k < n; ++k) {
        tenon_timing_end(s, order[k], k ? tenon_timing_begin(s) : begin);
        if (s->observe) TENON_TRY(step_observe(s, order[k], n, k));
      }
      i += n - 1;
      continue;
    }
    const tenon_step *step = &p->steps[index];
    const tenon_call *call = &s->calls[index];
    int64_t items = step->items;
    uint64_t begin = tenon_timing_begin(s);
    TENON_TRY(prefetch_behind(s, b, i));
    if (step->is_open) TENON_TRY(tenon_sizes_step(s, index, &items));
    if (step->kind == TENON_STEP_COND) {
      bool is_true = *(const uint8_t *)call->in[0].data != 0;
      TENON_TRY(tenon_session_run_block(s, step->blocks[is_true ? 0 : 1]));
    } else if (step->kind == TENON_STEP_WHILE) {
      TENON_TRY(run_loop(s, step, call));
    } else {
      TENON_TRY(step_run_kernel(s, step, call, items));
      if (step->n_decided) TENON_TRY(tenon_sizes_found(s, index));
    }
    tenon_timing_end(s, index, begin);
    if (s->observe) TENON_TRY(step_observe(s, index, 1, 0));
  }
  return TENON_OK;
}
