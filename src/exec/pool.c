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
#define DRIVE_PERIOD 1000000u  // nanoseconds between looks at where threads are
#define LATE 8u  // jobs that a worker did not see: it waits for a processor
#define MOST_THREADS 256
#define LINE 64       // of a cache
#define TASK_LINES 4  // that a task's argument has, roughly

// A share: job << 32 | next << 16 | end.
#define MOST_INDICES 0xffff

// A line of the cache takes longest to go from one processor to another: what a
// thread has to know of a job is in the line that it looks at for news, and
// nobody writes to another one that it reads while it looks.
typedef struct worker {
  _Alignas(LINE) atomic_ullong share;
  // Of the job of the share; read behind taking an index, which proves that it
  // still is.
  _Atomic(void *) arg;
  _Atomic(void (*)(void *arg, int64_t i, int thread)) task;
  atomic_llong count, unit;  // an index stands for `unit` of the caller's
  _Alignas(LINE) atomic_uint seen;  // the last job that it looked for
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
  _Alignas(LINE) atomic_bool is_taken;  // by whoever has a job
  uint32_t job;                         // the last; of whoever took the pool
  uint64_t driven;                      // when workers were last driven away
  atomic_bool is_waiting;               // the caller sleeps until `left` is 0
  _Alignas(LINE) atomic_int left;       // indices that are not finished
  _Alignas(LINE) atomic_int sleepers;   // workers that wait and were not woken
  pthread_mutex_t lock;                 // for sleeping and waking alone
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

// Whether nothing is left.
static bool pool_finish(tenon_pool *p, int indices) {
  if (atomic_fetch_sub(&p->left, indices) != indices) return false;
  if (!atomic_load(&p->is_waiting)) return true;
  pthread_mutex_lock(&p->lock);
  pthread_cond_signal(&p->done);
  pthread_mutex_unlock(&p->lock);
  return true;
}

static void do_index(worker *own, uint32_t index) {
  int64_t unit = atomic_load_explicit(&own->unit, memory_order_relaxed);
  int64_t count = atomic_load_explicit(&own->count, memory_order_relaxed);
  int64_t begin = (int64_t)index * unit;
  int64_t end = count - begin < unit ? count : begin + unit;
  void *arg = atomic_load_explicit(&own->arg, memory_order_relaxed);
  for (int64_t i = begin; i < end; ++i)
    atomic_load_explicit(&own->task, memory_order_relaxed)(arg, i, own->thread);
}

// `done`: indices that this thread has finished already. What a share had is
// told before another one is looked at, which may be far away.
static void work(tenon_pool *p, uint32_t job, int thread, int done) {
  const int n = p->n_workers + 1;
  for (int k = 0; k < n; ++k) {
    worker *w = &p->threads[thread + k < n ? thread + k : thread + k - n];
    uint32_t index = 0;
    for (; pool_take(w, job, &index); ++done)
      do_index(&p->threads[thread], index);
    if (done > 0 && pool_finish(p, done)) return;
    done = 0;
  }
}

// What a task begins with comes while the first index is taken; it may be that
// of another job.
static void fetch_task(const worker *w) {
#if defined(__GNUC__)
  const char *arg =
      (const char *)atomic_load_explicit(&w->arg, memory_order_relaxed);
  for (int i = 0; i < TASK_LINES; ++i)
    __builtin_prefetch((const void *)((uintptr_t)arg + (uintptr_t)(i * LINE)));
#else
  (void)w;
#endif
}

// --- workers ----------------------------------------------------------------

static uint32_t job_of(const worker *w) {
  return (uint32_t)(atomic_load(&w->share) >> 32);
}

static bool has_news(const worker *w, uint32_t seen) {
  return job_of(w) != seen ||
         atomic_load_explicit(&w->pool->is_ending, memory_order_relaxed);
}

static bool spin(const worker *w, uint32_t seen) {
  const uint64_t most = w->pool->spin;
  if (!most) return has_news(w, seen);
  const uint64_t until = tenon_os_clock() + most;
  do {
    for (int i = 0; i < 16; ++i) {
      if (has_news(w, seen)) return true;
      pause_briefly();
    }
  } while (tenon_os_clock() < until);
  return false;
}

static void sleep_until_woken(const worker *w, uint32_t seen) {
  tenon_pool *p = w->pool;
  pthread_mutex_lock(&p->lock);
  const uint64_t wakes = p->wakes;
  atomic_fetch_add(&p->sleepers, 1);
  while (p->wakes == wakes && !has_news(w, seen))
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
    if (!spin(w, seen)) sleep_until_woken(w, seen);
    uint32_t job = job_of(w);
    if (job == seen) continue;
    seen = job;
    atomic_store_explicit(&w->seen, job, memory_order_relaxed);
    fetch_task(w);
    work(p, job, w->thread, 0);
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

// The system may keep a worker waiting for the very processor that the caller
// is on while another one idles: a thread that is woken often begins where it
// was woken.
static void drive_apart(tenon_pool *p) {
  const uint64_t now = tenon_os_clock();
  if (!p->spin || now - p->driven < DRIVE_PERIOD) return;
  p->driven = now;
  for (int t = 1; t <= p->n_workers; ++t)
    tenon_os_drive_away(p->threads[t].id);
}

static bool has_late(const tenon_pool *p, uint32_t job) {
  for (int t = 1; t <= p->n_workers; ++t)
    if (job - atomic_load_explicit(&p->threads[t].seen, memory_order_relaxed) >=
        LATE)
      return true;
  return false;
}

static void wait_for_others(tenon_pool *p) {
  const uint64_t until = tenon_os_clock() + p->spin;
  do {
    for (int i = 0; i < 16; ++i) {
      if (atomic_load(&p->left) == 0) return;
      pause_briefly();
    }
  } while (tenon_os_clock() < until);
  drive_apart(p);
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
  const uint32_t job = ++p->job;
  // The first index of this thread is taken by nobody else: it begins before
  // the others' lines have come, which an exchange would wait for.
  const bool has_first = indices / n > 0;
  atomic_store_explicit(&p->left, (int)indices, memory_order_relaxed);
  for (int t = 0; t < n; ++t) {
    worker *w = &p->threads[t];
    atomic_store_explicit(&w->arg, arg, memory_order_relaxed);
    atomic_store_explicit(&w->task, task, memory_order_relaxed);
    atomic_store_explicit(&w->count, count, memory_order_relaxed);
    atomic_store_explicit(&w->unit, unit, memory_order_relaxed);
    const int64_t first = t == 0 ? has_first : indices * t / n;
    atomic_store_explicit(&w->share,
                          (unsigned long long)job << 32 |
                              (unsigned long long)first << 16 |
                              (unsigned long long)(indices * (t + 1) / n),
                          memory_order_release);
  }
  tenon_pool_wake(p);
  if (has_first) do_index(&p->threads[0], 0);
  work(p, job, 0, has_first);
  if (job % LATE == 0 && has_late(p, job)) drive_apart(p);
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
  atomic_init(&p->left, 0);
  atomic_init(&p->is_waiting, false);
  atomic_init(&p->sleepers, 0);
  for (int t = 0; t < threads; ++t) {
    worker *w = &p->threads[t];
    atomic_init(&w->share, 0);
    atomic_init(&w->arg, NULL);
    atomic_init(&w->task, NULL);
    atomic_init(&w->count, 0);
    atomic_init(&w->unit, 1);
    atomic_init(&w->seen, 0);
    w->pool = p;
    w->thread = t;
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
