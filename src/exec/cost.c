// How: products at the rate of their kernel's kind, everything else by the
// bytes that it reads and writes. The numbers are those of `tenon bench` on one
// core of an AMD EPYC 9005 (2.6 GHz and more, AVX-512); docs/benchmarks.md,
// "threads", says what they were measured with.
#include "exec/cost.h"

#include "base/os.h"
#include "exec/pool.h"

// Multiply-accumulates in a nanosecond: of a kernel for an instruction set, and
// of a plain one.
#define FAST_MACS 40u
#define PLAIN_MACS 1u
// Bytes in a nanosecond of what only looks at elements.
#define BYTES 16u
// Times as many of what is in a cache.
#define CACHE_BYTES 4u

// To hand a job to workers that look for it and to wait for the last of them;
// to wake them besides. Where less than this is won, nothing is divided.
#define LEAST_AWAKE 5000u
#define LEAST_ASLEEP 60000u
// Of a run as a whole, for waking workers in its beginning.
#define LEAST_RUN 100000u
// Runs that may take longer win by being divided; others are tried, so many
// runs each way, and again after a period of so many runs.
#define MOST_TRIED 5000000u
#define TRIALS 4u
#define LEAST_PERIOD 32u
#define MOST_PERIOD 1024u
// What the system does with threads changes: behind the trials, dividing may
// lose so many runs' time.
#define MOST_LOST 4u
// Pieces are not smaller on the average, and each thread has at most so many:
// each begins with what the one before has not fetched.
#define LEAST_PIECE 3000u
#define MOST_PER_THREAD 2
// Tiles for a thread, of which one more or less is no matter.
#define ENOUGH_TILES 4

static uint64_t cost_bytes_of(const tenon_session *s, uint32_t first,
                              uint32_t n) {
  const tenon_program *p = s->program;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t t = p->operands[first + i];
    if (t != TENON_NO_INDEX) bytes += tenon_session_size(s, &p->tensors[t]);
  }
  return bytes;
}

uint64_t tenon_cost_of_step(const tenon_session *s, const tenon_step *step,
                            const tenon_call *call) {
  const tenon_kernel_desc *desc = s->program->kernels[step->kernel].desc;
  uint64_t macs = step->is_open && step->count_macs
                      ? (uint64_t)step->count_macs(call)
                      : step->macs;
  uint64_t bytes = cost_bytes_of(s, step->in, step->n_in) +
                   cost_bytes_of(s, step->out, step->n_out);
  return macs / (desc->needs ? FAST_MACS : PLAIN_MACS) + bytes / BYTES;
}

uint64_t tenon_cost_of_turn(const tenon_session *s, const tenon_step *step,
                            const tenon_call *call, int64_t turns) {
  const uint64_t all = tenon_cost_of_step(s, step, call);
  if (turns <= 1) return all;
  return all / (uint64_t)turns +
         cost_bytes_of(s, step->in, step->n_in) / (BYTES * CACHE_BYTES);
}

bool tenon_cost_divides(const tenon_session *s) {
  return s->parallel && (s->helpers || !tenon_pool_of(s->parallel));
}

int64_t tenon_cost_pieces(const tenon_session *s, uint64_t cost) {
  int64_t threads = s->parallel ? s->parallel->threads : 1;
  if (threads < 2 || s->divides_all) return threads;
  if (cost < LEAST_AWAKE) return 1;
  tenon_pool *pool = tenon_pool_of(s->parallel);
  if (pool) threads = tenon_pool_width(pool);
  bool is_awake = pool && tenon_pool_is_awake(pool);
  if (threads < 2 || cost < (is_awake ? LEAST_AWAKE : LEAST_ASLEEP)) return 1;
  int64_t pieces = (int64_t)(cost / LEAST_PIECE);
  if (pieces > threads * MOST_PER_THREAD) pieces = threads * MOST_PER_THREAD;
  // As many for each thread: of five on two, one thread would have three.
  return pieces < threads ? threads : pieces - pieces % threads;
}

bool tenon_cost_shares(const tenon_session *s, int64_t tiles) {
  const int64_t threads = s->parallel->threads;
  return tiles % threads == 0 || tiles >= threads * ENOUGH_TILES;
}

int64_t tenon_cost_limit(const tenon_session *s, int64_t items,
                         int64_t pieces) {
  if (pieces >= items) return items;
  const int64_t threads = s->parallel->threads;
  int64_t share = pieces / threads;
  if (share == 0 || pieces % threads) return pieces;
  while (share > 1 && items / threads >> (share - 1) == 0)
    --share;
  return share * threads;
}

int64_t tenon_cost_first(const tenon_session *s, int64_t items, int64_t pieces,
                         int64_t i) {
  if (i == 0 || i == pieces) return i ? items : 0;
  const int64_t threads = s->parallel->threads, share = pieces / threads;
  if (share == 0 || pieces % threads || pieces == items)
    return items * i / pieces;
  const int64_t t = i / share, end = items * (t + 1) / threads;
  return end - ((end - items * t / threads) >> i % share);
}

// What of a block can be divided, the steps of inner blocks once.
static uint64_t divisible(const tenon_session *s, uint32_t block) {
  const tenon_program *p = s->program;
  const tenon_block *b = &p->blocks[block];
  uint64_t sum = 0;
  for (uint32_t i = 0; i < b->count; ++i) {
    uint32_t index = p->order[b->first + i];
    const tenon_step *step = &p->steps[index];
    if (step->kind != TENON_STEP_KERNEL) {
      for (int k = 0; k < 2; ++k)
        if (step->blocks[k] != TENON_NO_INDEX)
          sum += divisible(s, step->blocks[k]);
    } else if (p->kernels[step->kernel].desc->run_range) {
      uint64_t cost = tenon_cost_of_step(s, step, &s->calls[index]);
      if (cost >= LEAST_AWAKE) sum += cost;
    }
  }
  return sum;
}

bool tenon_trial_is_alone(const tenon_trial *t) {
  return t->is_alone != (t->runs / TRIALS == 1);
}

static void trial_set_period(tenon_trial *t, uint32_t runs) {
  t->period = runs < LEAST_PERIOD  ? LEAST_PERIOD
              : runs > MOST_PERIOD ? MOST_PERIOD
                                   : runs;
}

// A machine that stays as it is is asked ever more rarely.
static void trial_decide(tenon_trial *t) {
  const bool was_alone = t->is_alone;
  t->is_alone = t->least[1] < t->least[0];
  trial_set_period(t, t->is_alone == was_alone ? 2 * t->period : t->period / 2);
}

// Of dividing, behind the trials. One run counts at most as one alone, however
// long the system kept it.
static void trial_weigh(tenon_trial *t, uint64_t took) {
  const uint64_t alone = t->least[1];
  if (took > alone) {
    t->lost += took - alone < alone ? took - alone : alone;
    if (t->lost <= MOST_LOST * alone) return;
    // Trials that err are made more rarely, too.
    t->is_alone = true;
    trial_set_period(t, 4 * t->period);
  } else {
    t->lost -= alone - took < t->lost ? alone - took : t->lost;
  }
}

void tenon_trial_note(tenon_trial *t, uint64_t took) {
  if (t->runs < 2 * TRIALS) {
    uint64_t *least = &t->least[tenon_trial_is_alone(t)];
    // The first of each way finds caches and threads as the other left them.
    if (t->runs % TRIALS && (*least == 0 || took < *least)) *least = took;
    if (t->runs == 2 * TRIALS - 1) trial_decide(t);
  } else if (!t->is_alone) {
    trial_weigh(t, took);
  }
  if (++t->runs < 2 * TRIALS || t->runs < t->period) return;
  *t = (tenon_trial){.is_alone = t->is_alone, .period = t->period};
}

// What the machine is like is not known beforehand: two processors may share
// what one of them needs.
static bool cost_is_tried(const tenon_session *s) {
  return !s->divides_all && s->program->n_numbers == 0 && s->cost > 0 &&
         s->cost < MOST_TRIED;
}

void tenon_cost_begin(tenon_session *s) {
  tenon_pool *pool = tenon_pool_of(s->parallel);
  if (!pool) return;
  if (s->cost_entry != s->entry + 1) {
    s->cost_entry = s->entry + 1;
    s->cost = divisible(s, s->program->entries[s->entry].block);
    s->trial = (tenon_trial){.runs = 0};
  }
  if (cost_is_tried(s)) {
    const bool is_alone = tenon_trial_is_alone(&s->trial);
    // Workers that sleep are not there in time for runs of some microseconds,
    // and nobody wakes them for these: they would never be tried.
    if (is_alone && s->trial.runs < 2 * TRIALS && tenon_pool_width(pool) > 1)
      tenon_pool_wake(pool);
    s->trial.begin = tenon_os_clock();
    if (is_alone) return;
  }
  // Nobody is woken for a run that has little work; who looks for some may do
  // it.
  const bool is_long = s->cost >= LEAST_RUN || s->divides_all;
  s->helpers =
      is_long || (s->cost > 0 && tenon_pool_is_awake(pool)) ? pool : NULL;
  if (is_long && tenon_pool_width(pool) > 1) tenon_pool_wake(pool);
}

void tenon_cost_end(tenon_session *s) {
  s->helpers = NULL;
  if (s->trial.begin)
    tenon_trial_note(&s->trial, tenon_os_clock() - s->trial.begin);
  s->trial.begin = 0;
}
