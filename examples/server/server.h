// server.h - what the files of the example hand to each other.
//
//   HTTP (server.c)  ->  queue, bounded  ->  workers, a session each (jobs.c)
//
// A request is a job from the moment its body is whole until its answer is
// given; metrics.c counts. libmicrohttpd owns the connections, jobs.c the jobs
// between `jobs_put` and the call of `done`.
#ifndef SERVER_H
#define SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tenon/tenon.h"

// --- metrics.c --------------------------------------------------------------

#define BUCKETS 12
typedef struct metrics {
  atomic_ullong answers[600];  // by status of HTTP
  atomic_ullong cut_off;       // connections that ended before their answer
  atomic_ullong bucket[BUCKETS + 1], microseconds, count;
} metrics;
void metrics_answer(metrics *m, unsigned status);
// From a whole body to its answer.
void metrics_latency(metrics *m, uint64_t nanoseconds);
uint64_t metrics_clock(void);  // nanoseconds
// The exposition format of Prometheus, in memory of the caller's; its size.
size_t metrics_print(const metrics *m, size_t queued, size_t running, char *to,
                     size_t size);

// --- jobs.c -----------------------------------------------------------------

typedef struct job {
  struct job *next;
  char *in, *out;  // raw bytes of all inputs, and of all outputs
  size_t in_size, in_capacity;
  unsigned status;  // of HTTP
  const char *why;  // a sentence, where it is not 200
  bool is_done;     // has been answered by a worker
  void *owner;      // the connection
  uint64_t begin;
} job;

typedef struct jobs jobs;
typedef struct jobs_options {
  const tenon_program *program;
  int workers;
  size_t most;                  // jobs that may wait
  void (*done)(job *finished);  // called by a worker
} jobs_options;
// Null: out of memory, or a session cannot be made.
jobs *jobs_start(const jobs_options *o);
size_t jobs_in_size(const jobs *j);   // bytes of a request
size_t jobs_out_size(const jobs *j);  // of an answer
// False: as many wait as may, or the end has been called for.
bool jobs_put(jobs *j, job *one);
void jobs_count(jobs *j, size_t *queued, size_t *running);
// Waits until every job that was put is done, then ends the workers.
void jobs_stop(jobs *j);

#endif  // SERVER_H
