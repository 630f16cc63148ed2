// cli/bench/bench.h - what the files of `tenon bench` hand to each other.
#ifndef TENON_CLI_BENCH_H
#define TENON_CLI_BENCH_H

#include "cli/machine/machine.h"

// Times of runs in nanoseconds, the shortest first.
typedef struct bench_times {
  uint64_t *data;
  size_t count;
  uint64_t least, median, p90, p99, most;
  uint64_t first;  // the one that is not counted
} bench_times;
// Runs the entry again and again: --runs times, else for about a second but at
// least five times. The first run is not counted. Each gets `call->out` anew,
// if it is not null.
int bench_runs(tenon_session *s, const cli_call *call, bench_times *out);
void bench_times_free(bench_times *t);

// What steps took, by an observer; row i is step i of the program.
typedef struct bench_step {
  char *op, *kernel, *where;
  char *node;       // its first result, as the file has it
  uint64_t least;   // of all runs, nanoseconds
  uint64_t macs;    // of the last run, at its sizes
  uint64_t took;    // of the run that goes on
  uint64_t times;   // it ran in this run
  uint32_t order;   // in which it ran first
  uint32_t joined;  // steps whose time this is; 0: the one before has it
  uint64_t place;   // time of the first of those, to sort by
} bench_step;
typedef struct bench_steps {
  bench_step *data;
  size_t count;
  uint64_t last;   // when the step before ended
  uint64_t macs;   // of all steps of the last run
  uint64_t arena;  // bytes at its sizes; 0: nothing ran
  uint32_t ran;
  bool failed;
} bench_steps;
int bench_measure_steps(const cli_call *call, bench_steps *out);
// By operator and by step; the exit code.
int bench_print_steps(cli *c, const bench_steps *s);
void bench_steps_free(bench_steps *s);

// --- on an emulated core (bench_emulated.c, bench_counts.c) -----------------

typedef struct bench_layer {
  char *op, *kernel, *where;
  uint64_t macs, instructions, constants;
  size_t runs;  // how often it ran
} bench_layer;
// A kernel with all its layers; functions of the model that belong to none have
// an empty name.
typedef struct bench_kernel_sum {
  const char *name;  // of a layer
  uint64_t macs, instructions, constants, code;
  size_t layers;
} bench_kernel_sum;
typedef struct bench_function {
  const char *name;
  bool is_model;  // else of the C library, or of the bench
  uint32_t code;
  uint64_t instructions;
} bench_function;
typedef struct bench_counts {
  uint64_t instructions;  // of a run
  uint64_t stack;
  uint64_t ram;        // of the instance, and what lies beside it
  uint64_t code;       // of the model's files
  uint64_t constants;  // the same
  bench_layer *layers;
  size_t n_layers;
  bench_kernel_sum *kernels;
  size_t n_kernels;
  bench_function *functions;  // that ran, or belong to the model
  size_t n_functions;
  cli_image image;  // owns names
} bench_counts;
// From the plan: layers without counts.
int bench_counts_plan(const tenon_program *p, bench_counts *out);
// What the counter and the program said, and the counter's dump, into layers.
int bench_counts_run(cli *c, const char *said, bench_counts *out);
int bench_counts_layers(cli *c, const char *said, bench_counts *out);
// Sizes from the image, instructions per function from the dump.
int bench_counts_image(cli *c, const char *image, const char *dump,
                       bench_counts *out);
bool bench_counts_kernels(bench_counts *out);
void bench_counts_report(cli *c, const bench_counts *counts,
                         const char *compiler);
void bench_counts_free(bench_counts *counts);
// The whole of it, for an entry point with these inputs.
int bench_emulated(cli *c, const tenon_program *p);

// `tenon bench OP`: every kernel of an operator against its reference.
int bench_op(cli *c, tenon_context *cx, const tenon_registered *op);

#endif  // TENON_CLI_BENCH_H
