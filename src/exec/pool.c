// How: a job is a number of indices, cut into one share per thread. A share is
// a word that holds the number of the job, the next index and the end, so that
// an index is taken by one compare-and-swap that fails if anything of it is no
// longer so. Whoever has emptied its own share helps with those of the others;
// the caller is thread 0, and waits only for indices that others have taken:
// a worker that is late, or was put aside by the system, holds up nothing that
// it has not begun.
//
// Workers that find nothing look again for SPIN nanoseconds, then sleep: so
// they are there for the next step, and for a run that follows soon. Where
// there are more threads than processors nobody looks twice, since that would
// take the processor from who works.
//
// One job at a time: whoever finds the pool taken does its job alone.
#include "exec/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/heap.h"
#include "base/os.h"
#include "core/report.h"

#define SPIN 40000u  // about what it takes to put a thread to sleep and wake it
#define MOST_THREADS 256
#define LINE 64  // of a cache

// A share: job << 32 | next << 16 | end.
#define MOST_INDICES 0xffff

typedef struct worker {
  _Alignas(LINE) atomic_ullong share;
  struct tenon_pool *pool;
  int thread;
  pthread_t id;
} worker;

struct tenon_pool {
  tenon_allocator allocator;
  tenon_parallel parallel;
  size_t size;  // of this allocation
  int width;    // threads that can be at work at once
  uint64_t spin;
  int n_workers;
  atomic_bool is_ending;
  atomic_bool is_taken;  // by whoever has a job
  // What a job is; read before a share is taken, which proves that it was so.
  _Atomic(void *) arg;
  _Atomic(void (*)(void *arg, int64_t i, int thread)) task;
  atomic_llong count, unit;        // an index stands for `unit` of the caller's
  _Alignas(LINE) atomic_uint job;  // its number, written last
  _Alignas(LINE) atomic_int left;  // indices that are not finished
  atomic_bool is_waiting;          // the caller sleeps until there are none
  _Alignas(LINE) atomic_int sleepers;  // workers that wait and were not woken
  pthread_mutex_t lock;                // for sleeping and waking alone
  pthread_cond_t start, done;
  uint64_t wakes;    // guarded by the lock
  worker threads[];  // thread 0 is whoever calls
};

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// --- shares -----------------------------------------------------------------

static bool pool_take(worker *w, uint32_t job, uint32_t *index) {
  unsigned long long share = atomic_load(&w->share);
  for (;;) {
    uint32_t next = (uint32_t)(share >> 16) & 0xffff;
    if ((uint32_t)(share >> 32) != job || next >= (share & 0xffff))
      return false;
    *index = next;
    if (atomic_compare_exchange_weak(&w->share, &share, share + (1u << 16)))
      return true;
  }
}

static void pool_finish(tenon_pool *p) {
  if (atomic_fetch_sub(&p->left, 1) != 1 || !atomic_load(&p->is_waiting))
    return;
  pthread_mutex_lock(&p->lock);
  pthread_cond_signal(&p->done);
  pthread_mutex_unlock(&p->lock);
}

static void do_index(tenon_pool *p, uint32_t index, int thread) {
  int64_t unit = atomic_load_explicit(&p->unit, memory_order_relaxed);
  int64_t count = atomic_load_explicit(&p->count, memory_order_relaxed);
  int64_t begin = (int64_t)index * unit;
  int64_t end = count - begin < unit ? count : begin + unit;
  void *arg = atomic_load_explicit(&p->arg, memory_order_relaxed);
  for (int64_t i = begin; i < end; ++i)
    atomic_load_explicit(&p->task, memory_order_relaxed)(arg, i, thread);
  pool_finish(p);
}

static void work(tenon_pool *p, uint32_t job, int thread) {
  const int n = p->n_workers + 1;
  for (int k = 0; k < n; ++k) {
    worker *w = &p->threads[thread + k < n ? thread + k : thread + k - n];
    uint32_t index = 0;
    while (pool_take(w, job, &index))
      do_index(p, index, thread);
  }
}

// --- workers ----------------------------------------------------------------

static bool has_news(const tenon_pool *p, uint32_t seen) {
  return atomic_load_explicit(&p->job, memory_order_acquire) != seen ||
         atomic_load_explicit(&p->is_ending, memory_order_relaxed);
}

static bool spin(const tenon_pool *p, uint32_t seen) {
  if (!p->spin) return has_news(p, seen);
  const uint64_t until = tenon_os_clock() + p->spin;
  do {
    for (int i = 0; i < 16; ++i) {
      if (has_news(p, seen)) return true;
      pause_briefly();
    }
  } while (tenon_os_clock() < until);
  return false;
}

static void sleep_until_woken(tenon_pool *p, uint32_t seen) {
  pthread_mutex_lock(&p->lock);
  const uint64_t wakes = p->wakes;
  atomic_fetch_add(&p->sleepers, 1);
  while (p->wakes == wakes && atomic_load(&p->job) == seen &&
         !atomic_load(&p->is_ending))
    pthread_cond_wait(&p->start, &p->lock);
  // Who wakes takes all of them off the count.
  if (p->wakes == wakes) atomic_fetch_sub(&p->sleepers, 1);
  pthread_mutex_unlock(&p->lock);
}

static void *work_loop(void *arg) {
  worker *w = (worker *)arg;
  tenon_pool *p = w->pool;
  uint32_t seen = 0;
  while (!atomic_load(&p->is_ending)) {
    if (!spin(p, seen)) sleep_until_woken(p, seen);
    uint32_t job = atomic_load(&p->job);
    if (job == seen) continue;
    seen = job;
    work(p, job, w->thread);
  }
  return NULL;
}

void tenon_pool_wake(tenon_pool *p) {
  if (atomic_load(&p->sleepers) == 0) return;
  pthread_mutex_lock(&p->lock);
  ++p->wakes;
  atomic_store(&p->sleepers, 0);
  pthread_cond_broadcast(&p->start);
  pthread_mutex_unlock(&p->lock);
}

// --- jobs -------------------------------------------------------------------

static void wait_for_others(tenon_pool *p) {
  const uint64_t until = tenon_os_clock() + p->spin;
  do {
    for (int i = 0; i < 16; ++i) {
      if (atomic_load(&p->left) == 0) return;
      pause_briefly();
    }
  } while (tenon_os_clock() < until);
  pthread_mutex_lock(&p->lock);
  atomic_store(&p->is_waiting, true);
  while (atomic_load(&p->left) > 0)
    pthread_cond_wait(&p->done, &p->lock);
  atomic_store(&p->is_waiting, false);
  pthread_mutex_unlock(&p->lock);
}

static void run_together(tenon_pool *p, int64_t count,
                         void (*task)(void *arg, int64_t i, int thread),
                         void *arg) {
  const int n = p->n_workers + 1;
  const int64_t unit = (count + MOST_INDICES - 1) / MOST_INDICES;
  const int64_t indices = (count + unit - 1) / unit;
  const uint32_t job = atomic_load(&p->job) + 1;
  atomic_store_explicit(&p->arg, arg, memory_order_relaxed);
  atomic_store_explicit(&p->task, task, memory_order_relaxed);
  atomic_store_explicit(&p->count, count, memory_order_relaxed);
  atomic_store_explicit(&p->unit, unit, memory_order_relaxed);
  atomic_store(&p->left, (int)indices);
  for (int t = 0; t < n; ++t)
    atomic_store(&p->threads[t].share,
                 (unsigned long long)job << 32 |
                     (unsigned long long)(indices * t / n) << 16 |
                     (unsigned long long)(indices * (t + 1) / n));
  atomic_store(&p->job, job);
  tenon_pool_wake(p);
  work(p, job, 0);
  wait_for_others(p);
}

static void pool_run(void *self, int64_t count,
                     void (*task)(void *arg, int64_t i, int thread),
                     void *arg) {
  tenon_pool *p = (tenon_pool *)self;
  if (count > 1 && p->n_workers > 0 && !atomic_exchange(&p->is_taken, true)) {
    run_together(p, count, task, arg);
    atomic_store(&p->is_taken, false);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    task(arg, i, 0);
}

// --- around runs ------------------------------------------------------------

tenon_pool *tenon_pool_of(const tenon_parallel *parallel) {
  return parallel && parallel->run == pool_run ? (tenon_pool *)parallel->self
                                               : NULL;
}

bool tenon_pool_is_awake(const tenon_pool *p) {
  return atomic_load_explicit(&p->sleepers, memory_order_relaxed) == 0;
}

int tenon_pool_width(const tenon_pool *p) {
  return p->width;
}

// --- making one -------------------------------------------------------------

static void pool_init(tenon_pool *p, int threads) {
  const int processors = tenon_os_processors();
  p->width = threads < processors ? threads : processors;
  p->spin = threads <= processors ? SPIN : 0;
  p->parallel.self = p;
  p->parallel.threads = threads;
  p->parallel.run = pool_run;
  atomic_init(&p->is_ending, false);
  atomic_init(&p->is_taken, false);
  atomic_init(&p->arg, NULL);
  atomic_init(&p->task, NULL);
  atomic_init(&p->count, 0);
  atomic_init(&p->unit, 1);
  atomic_init(&p->job, 0);
  atomic_init(&p->left, 0);
  atomic_init(&p->is_waiting, false);
  atomic_init(&p->sleepers, 0);
  for (int t = 0; t < threads; ++t) {
    atomic_init(&p->threads[t].share, 0);
    p->threads[t].pool = p;
    p->threads[t].thread = t;
  }
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->start, NULL);
  pthread_cond_init(&p->done, NULL);
}

tenon_status tenon_pool_create(const tenon_allocator *allocator, int threads,
                               tenon_pool **out) {
  static const tenon_report nowhere;  // a pool has no sink of its own
  tenon_allocator a = allocator ? *allocator : tenon_heap();
  int n = threads > 1 ? threads : 1;
  size_t size = sizeof(tenon_pool) + (size_t)n * sizeof(worker);
  *out = NULL;
  if (threads > MOST_THREADS)
    return tenon_fail(&nowhere, TENON_BAD_ARGUMENT, "pool-threads", NULL,
                      "%d threads: at most %d", threads, MOST_THREADS);
  tenon_pool *p = (tenon_pool *)tenon_alloc(&a, size, _Alignof(tenon_pool));
  if (!p) return tenon_fail_memory(&nowhere, "making a pool");
  memset(p, 0, size);
  p->allocator = a;
  p->size = size;
  pool_init(p, n);
  for (int t = 1; t < n; ++t) {
    if (pthread_create(&p->threads[t].id, NULL, work_loop, &p->threads[t])) {
      tenon_pool_destroy(p);
      return tenon_fail(&nowhere, TENON_NO_MEMORY, "pool-thread", NULL,
                        "the system refuses thread %d of %d", t, threads);
    }
    ++p->n_workers;
  }
  *out = p;
  return TENON_OK;
}

const tenon_parallel *tenon_pool_parallel(const tenon_pool *pool) {
  return &pool->parallel;
}

void tenon_pool_destroy(tenon_pool *p) {
  if (!p) return;
  atomic_store(&p->is_ending, true);
  pthread_mutex_lock(&p->lock);
  pthread_cond_broadcast(&p->start);
  pthread_mutex_unlock(&p->lock);
  for (int t = 1; t <= p->n_workers; ++t)
    pthread_join(p->threads[t].id, NULL);
  pthread_cond_destroy(&p->done);
  pthread_cond_destroy(&p->start);
  pthread_mutex_destroy(&p->lock);
  tenon_allocator a = p->allocator;
  tenon_free(&a, p, p->size, _Alignof(tenon_pool));
}
