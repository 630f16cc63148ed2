// How: workers sleep on a condition until a job's number changes, then take
// indices from a shared counter until none is left; the caller works too, as
// thread 0, and waits for those that are still busy. One job at a time:
// sessions that share a pool take turns.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/heap.h"
#include "core/report.h"
#include "tenon/tenon.h"

typedef struct worker {
  struct tenon_pool *pool;
  int thread;
  pthread_t id;
} worker;

struct tenon_pool {
  tenon_allocator allocator;
  tenon_parallel parallel;
  size_t size;           // of this allocation
  pthread_mutex_t turn;  // held by the session whose job runs
  pthread_mutex_t lock;  // guards what follows
  pthread_cond_t start, done;
  uint64_t job;  // number of the present job
  int busy;      // workers that have not finished it
  bool is_ending;
  int64_t count;
  void (*task)(void *arg, int64_t i, int thread);
  void *arg;
  atomic_llong next;
  int n_workers;
  worker workers[];
};

static void work(tenon_pool *p, int thread) {
  for (;;) {
    int64_t i = atomic_fetch_add(&p->next, 1);
    if (i >= p->count) return;
    p->task(p->arg, i, thread);
  }
}

static void *work_loop(void *arg) {
  worker *w = (worker *)arg;
  tenon_pool *p = w->pool;
  uint64_t seen = 0;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (p->job == seen && !p->is_ending)
      pthread_cond_wait(&p->start, &p->lock);
    if (p->is_ending) break;
    seen = p->job;
    pthread_mutex_unlock(&p->lock);
    work(p, w->thread);
    pthread_mutex_lock(&p->lock);
    if (--p->busy == 0) pthread_cond_signal(&p->done);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

static void run(void *self, int64_t count,
                void (*task)(void *arg, int64_t i, int thread), void *arg) {
  tenon_pool *p = (tenon_pool *)self;
  pthread_mutex_lock(&p->turn);
  pthread_mutex_lock(&p->lock);
  p->count = count;
  p->task = task;
  p->arg = arg;
  atomic_store(&p->next, 0);
  p->busy = p->n_workers;
  ++p->job;
  pthread_cond_broadcast(&p->start);
  pthread_mutex_unlock(&p->lock);
  work(p, 0);
  pthread_mutex_lock(&p->lock);
  while (p->busy > 0)
    pthread_cond_wait(&p->done, &p->lock);
  pthread_mutex_unlock(&p->lock);
  pthread_mutex_unlock(&p->turn);
}

tenon_status tenon_pool_create(const tenon_allocator *allocator, int threads,
                               tenon_pool **out) {
  static const tenon_report nowhere;  // a pool has no sink of its own
  tenon_allocator a = allocator ? *allocator : tenon_heap();
  int n = threads > 1 ? threads - 1 : 0;
  size_t size = sizeof(tenon_pool) + (size_t)n * sizeof(worker);
  *out = NULL;
  if (threads > 256)
    return tenon_fail(&nowhere, TENON_BAD_ARGUMENT, "pool-threads", NULL,
                      "%d threads: at most 256", threads);
  tenon_pool *p = (tenon_pool *)tenon_alloc(&a, size, _Alignof(tenon_pool));
  if (!p) return tenon_fail_memory(&nowhere, "making a pool");
  memset(p, 0, size);
  p->allocator = a;
  p->size = size;
  p->parallel.self = p;
  p->parallel.threads = n + 1;
  p->parallel.run = run;
  atomic_init(&p->next, 0);
  pthread_mutex_init(&p->turn, NULL);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->start, NULL);
  pthread_cond_init(&p->done, NULL);
  for (int i = 0; i < n; ++i) {
    p->workers[i].pool = p;
    p->workers[i].thread = i + 1;
    if (pthread_create(&p->workers[i].id, NULL, work_loop, &p->workers[i])) {
      tenon_pool_destroy(p);
      return tenon_fail(&nowhere, TENON_NO_MEMORY, "pool-thread", NULL,
                        "the system refuses thread %d of %d", i + 1, threads);
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
  pthread_mutex_lock(&p->lock);
  p->is_ending = true;
  pthread_cond_broadcast(&p->start);
  pthread_mutex_unlock(&p->lock);
  for (int i = 0; i < p->n_workers; ++i)
    pthread_join(p->workers[i].id, NULL);
  pthread_cond_destroy(&p->done);
  pthread_cond_destroy(&p->start);
  pthread_mutex_destroy(&p->lock);
  pthread_mutex_destroy(&p->turn);
  tenon_allocator a = p->allocator;
  tenon_free(&a, p, p->size, _Alignof(tenon_pool));
}
