// How: a pool that lives as long as the work. A worker that is late takes
// nothing, so that a busy machine loses no time but that of making it.
#include "exec/crew.h"

#include "base/os.h"

#define MOST_ALONE (UINT64_C(8) << 20)  // bytes: about a millisecond
#define MOST_THREADS 16

typedef struct crew_work {
  void (*task)(void *arg, int64_t i);
  void *arg;
} crew_work;

static void crew_task(void *arg, int64_t i, int thread) {
  const crew_work *w = arg;
  (void)thread;
  w->task(w->arg, i);
}

static tenon_pool *crew_gather(const tenon_allocator *allocator, uint64_t bytes,
                               int64_t count) {
  tenon_pool *pool = NULL;
  int threads = tenon_os_processors();
  if (bytes <= MOST_ALONE || count < 2) return NULL;
  if (threads > MOST_THREADS) threads = MOST_THREADS;
  if (threads > count) threads = (int)count;
  if (threads < 2) return NULL;
  return tenon_pool_create(allocator, threads, &pool) == TENON_OK ? pool : NULL;
}

void tenon_crew_run(const tenon_allocator *allocator, uint64_t bytes,
                    int64_t count, void (*task)(void *arg, int64_t i),
                    void *arg) {
  tenon_pool *pool = crew_gather(allocator, bytes, count);
  crew_work w = {task, arg};
  if (pool) {
    const tenon_parallel *parallel = tenon_pool_parallel(pool);
    parallel->run(parallel->self, count, crew_task, &w);
  } else {
    for (int64_t i = 0; i < count; ++i)
      task(arg, i);
  }
  tenon_pool_destroy(pool);
}
