// cli/verifying.h - what the files of `tenon verify` hand to each other.
//
// The contract, key by key, is docs/cli.md, "What verify reads".
#ifndef TENON_CLI_VERIFYING_H
#define TENON_CLI_VERIFYING_H

#include "cli/cli.h"

// One recorded run.
typedef struct verify_case {
  char *path;
  const char *label;  // last parts of the path, for tables
  long k;             // of case<k>; -1: no number
  int entry;
  size_t n_in, n_out;
  size_t n_all;  // outputs, and behind them the inputs that are written
  const tenon_io *in_io, *out_io;  // n_in, n_all
  size_t *written;                 // the input that result n_out + i is
  cli_tensor *in;                  // n_in
  cli_tensor *out;      // n_all: the recordings; a written input need not have
                        // one, then its memory is null
  tenon_tensor *views;  // of the inputs
} verify_case;
// The inputs of a run that writes into `results` (n_all, behind the outputs)
// instead of the recorded ones; null when memory ran out.
tenon_tensor *verify_case_inputs(const verify_case *v, cli_tensor *results);

typedef struct verify_suite {
  cli *c;
  struct verify_meta *meta;
  verify_case *cases;
  size_t count;
  bool is_stateful;
} verify_suite;

// meta.json beside the model; absent: an empty one. Exit code; malformed: 2.
int verify_meta_read(cli *c, const char *folder, struct verify_meta **out);
void verify_meta_free(struct verify_meta *meta);
bool verify_meta_stateful(const struct verify_meta *meta);
// Entry of case k, or null.
const char *verify_meta_entry(const struct verify_meta *meta, long k);
// Position of an entry's name in `signatures`; a large number when absent.
size_t verify_meta_order(const struct verify_meta *meta, const char *entry);
// The value of an input or output that is no tensor, as text; false: none.
bool verify_meta_value(const struct verify_meta *meta, long k, const char *list,
                       size_t i, char *text, size_t size);
// Tolerance of output i, of what is none for SIZE_MAX; false: not stated.
bool verify_meta_tolerance(const struct verify_meta *meta, size_t i,
                           double *abs, double *rel);

// Finds the cases (named or beside the model) and reads their tensors.
int verify_suite_read(cli *c, const char *folder, const tenon_program *p,
                      verify_suite *out);
void verify_suite_free(verify_suite *s);

// One way to run all cases: results[case][output or written input].
typedef struct verify_way {
  const char *name;
  cli_tensor **results;
} verify_way;
int verify_way_run(verify_suite *s, cli_model *model, const char *name,
                   verify_way *out);
void verify_way_free(const verify_suite *s, verify_way *way);

// How far two tensors are apart.
typedef struct verify_difference {
  double abs, rel, cosine;
  double lsb;        // of integers
  size_t differing;  // elements that are not equal in bits
  size_t outside;    // elements beyond the tolerance
  size_t count;
  double want, got;  // at the worst element
  size_t worst;
  bool agrees;
} verify_difference;
typedef struct verify_tolerance {
  double abs, rel, outliers;
  double lsb;
  bool is_exact;  // bits
} verify_tolerance;
void verify_compare(const tenon_tensor *want, const tenon_tensor *got,
                    const verify_tolerance *tolerance, verify_difference *out);
// By element type, --abs, --rel, --lsb, --outliers, and meta.json.
verify_tolerance verify_tolerance_for(const verify_suite *s, size_t output,
                                      tenon_dtype dtype);

// The first node at which the ways `run` and `reference` part; prints it. With
// --save-values, also writes what each node made. Exit code.
int verify_nodes(verify_suite *s, cli_model *model);

#endif  // TENON_CLI_VERIFYING_H
