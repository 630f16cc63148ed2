// How: counters that any thread adds to, printed without stopping anybody.
#include <stdio.h>
#include <time.h>

#include "server.h"

static const double seconds[BUCKETS] = {0.0001, 0.00025, 0.0005, 0.001,
                                        0.0025, 0.005,   0.01,   0.025,
                                        0.05,   0.1,     0.5,    2.5};

uint64_t metrics_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void metrics_answer(metrics *m, unsigned status) {
  atomic_fetch_add(&m->answers[status < 600 ? status : 599], 1);
}

void metrics_latency(metrics *m, uint64_t nanoseconds) {
  int i = 0;
  while (i < BUCKETS && (double)nanoseconds > seconds[i] * 1e9)
    ++i;
  atomic_fetch_add(&m->bucket[i], 1);
  atomic_fetch_add(&m->microseconds, nanoseconds / 1000);
  atomic_fetch_add(&m->count, 1);
}

typedef struct text {
  char *to;
  size_t size, at;
} text;
#define PUT(t, ...)                                                         \
  do {                                                                      \
    int n_ = snprintf((t)->to + (t)->at, (t)->size - (t)->at, __VA_ARGS__); \
    if (n_ > 0 && (size_t)n_ < (t)->size - (t)->at) (t)->at += (size_t)n_;  \
  } while (0)

size_t metrics_print(const metrics *m, size_t queued, size_t running, char *to,
                     size_t size) {
  text t = {to, size, 0};
  unsigned long long sum = 0;
  PUT(&t,
      "# HELP tenon_requests_total Answers, by status.\n"
      "# TYPE tenon_requests_total counter\n");
  for (unsigned i = 100; i < 600; ++i) {
    unsigned long long n = atomic_load(&m->answers[i]);
    if (n || i == 200)
      PUT(&t, "tenon_requests_total{code=\"%u\"} %llu\n", i, n);
  }
  PUT(&t,
      "# HELP tenon_cut_off_total Connections that ended before their "
      "answer.\n# TYPE tenon_cut_off_total counter\n"
      "tenon_cut_off_total %llu\n",
      (unsigned long long)atomic_load(&m->cut_off));
  PUT(&t,
      "# HELP tenon_queued Requests that wait.\n# TYPE tenon_queued gauge\n"
      "tenon_queued %zu\n# HELP tenon_running Requests that are computed.\n"
      "# TYPE tenon_running gauge\ntenon_running %zu\n",
      queued, running);
  PUT(&t,
      "# HELP tenon_latency_seconds From a whole request to its answer.\n"
      "# TYPE tenon_latency_seconds histogram\n");
  for (int i = 0; i < BUCKETS; ++i) {
    sum += atomic_load(&m->bucket[i]);
    PUT(&t, "tenon_latency_seconds_bucket{le=\"%g\"} %llu\n", seconds[i], sum);
  }
  sum += atomic_load(&m->bucket[BUCKETS]);
  PUT(&t,
      "tenon_latency_seconds_bucket{le=\"+Inf\"} %llu\n"
      "tenon_latency_seconds_sum %.6f\ntenon_latency_seconds_count %llu\n",
      sum, (double)atomic_load(&m->microseconds) / 1e6, sum);
  return t.at;
}
