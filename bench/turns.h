// turns.h - measuring kernels of one call in turns: the best turn counts, so
// that other load on the machine disturbs ratios little.
#ifndef TENON_BENCH_TURNS_H
#define TENON_BENCH_TURNS_H

#include <time.h>

#include "bind/features.h"
#include "harness/case.h"

enum { BENCH_TURNS = 15, BENCH_MOST = 8 };

static inline double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline bool bench_can_run(const tenon_kernel_desc *k) {
  char features[TENON_FEATURES_SIZE + 2] = " ", needs[128], *word;
  char lacks[TENON_FEATURES_SIZE];
  if (!k->needs) return true;
  tenon_host_features(features + 1, lacks);
  strcat(features, " ");
  snprintf(needs, sizeof needs, "%s", k->needs);
  for (word = strtok(needs, " "); word; word = strtok(NULL, " ")) {
    char padded[64];
    snprintf(padded, sizeof padded, " %s ", word);
    if (!strstr(features, padded)) return false;
  }
  return true;
}

static inline void bench_run(const case_run *r) {
  r->kernel->run_range(&r->call, 0, r->items);
}

// One turn: nanoseconds of a run, over at least a tenth of a millisecond.
static inline double bench_turn(const case_run *r, int times) {
  const double start = bench_now();
  for (int i = 0; i < times; ++i)
    bench_run(r);
  return (bench_now() - start) / times;
}

// Nanoseconds of each, at best.
static inline void bench_turns(const case_run *runs, int n, double *best) {
  int times[BENCH_MOST];
  for (int i = 0; i < n; ++i) {
    best[i] = bench_turn(&runs[i], 1);
    best[i] = bench_turn(&runs[i], 1);
    times[i] = 1 + (int)(1e5 / best[i]);
  }
  for (int t = 0; t < BENCH_TURNS; ++t) {
    for (int i = 0; i < n; ++i) {
      const double ns = bench_turn(&runs[i], times[i]);
      if (ns < best[i]) best[i] = ns;
    }
  }
}

#endif  // TENON_BENCH_TURNS_H
