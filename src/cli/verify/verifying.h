// cli/verify/verifying.h - what the files of `tenon verify` hand to each other.
//
// The contract, key by key, is docs/cli.md, "What verify reads".
//
// A suite is all cases of a command. Cases whose files have the same sizes
// share a group, which is one program; a session's consecutive runs are one
// group. A case has checks: the values that it compares. A way is one manner of
// running all cases; it fills a tensor per check.
#ifndef TENON_CLI_VERIFYING_H
#define TENON_CLI_VERIFYING_H

#include "cli/cli.h"

typedef enum verify_kind {
  VERIFY_OUTPUT = 1,
  VERIFY_STATE,  // after the run
  VERIFY_INPUT   // after the run, which has written to it
} verify_kind;

// One value that a case compares.
typedef struct verify_check {
  verify_kind kind;
  size_t index;  // of the output, state or input
  char *label;
  tenon_io io;
  bool has_want;  // else only ways are compared with each other
  cli_tensor want;
} verify_check;

// One recorded run.
typedef struct verify_case {
  char *path;
  const char *label;  // last parts of the path, for tables
  long k;             // of case<k>; -1: no number
  const char *entry_name;
  int entry;  // in the program
  size_t group;
  size_t n_in, n_out, n_checks;
  tenon_io *in_io, *out_io;
  cli_tensor *in;  // n_in
  // Position of each input and output in the author's call, which counts what
  // is no tensor as well: n_in, then n_out.
  size_t *in_files, *out_files;
  verify_check *checks;
} verify_case;

typedef struct verify_group {
  cli_list requests;  // shapes of this group, texts of their own
  bool is_open;       // sizes change within a session: compiled without them
  tenon_program *program;
} verify_group;

typedef struct verify_suite {
  cli *c;
  struct verify_meta *meta;
  struct verify_frame *frame;
  verify_case *cases;
  size_t count;
  verify_group *groups;
  size_t n_groups;
  bool is_stateful;
} verify_suite;

// --- verify_meta.c ----------------------------------------------------------

// meta.json beside the model; absent: an empty one. Exit code; malformed: 2.
int verify_meta_read(cli *c, const char *folder, struct verify_meta **out);
void verify_meta_free(struct verify_meta *meta);
bool verify_meta_stateful(const struct verify_meta *meta);
// Entry of case k, or null.
const char *verify_meta_entry(const struct verify_meta *meta, long k);
// Position of an entry's name in `signatures`; a large number when absent.
size_t verify_meta_order(const struct verify_meta *meta, const char *entry);
// The value of an input or output that is no tensor, as `--input` has it;
// false: none is stated.
bool verify_meta_value(const struct verify_meta *meta, long k, const char *list,
                       size_t i, char *text, size_t size);
// Where the n values that the program has stand in the list "inputs" or
// "outputs" of case k: the file may also list what is None, a string, or a
// constant, which a program need not have. False: they do not go together.
bool verify_meta_positions(const struct verify_meta *meta, long k,
                           const char *list, size_t n, size_t *out);
// Tolerance of output i, or, with SIZE_MAX, of what is no output; false: not
// stated.
bool verify_meta_tolerance(const struct verify_meta *meta, size_t i,
                           double *abs, double *rel);

// --- verify_frame.c: entry points and inputs before any size is fixed --------

int verify_frame_read(cli *c, cli_model *model, struct verify_frame **out);
void verify_frame_free(struct verify_frame *frame);
size_t verify_frame_count(const struct verify_frame *frame);
const char *verify_frame_name(const struct verify_frame *frame, size_t entry);
// Position of an entry; -1: there is none.
int verify_frame_find(const struct verify_frame *frame, const char *name,
                      size_t size);
// "x=1x3x8" for every input with an open size, from the case's files; texts of
// their own. Exit code.
int verify_frame_requests(verify_suite *s, const verify_case *v, cli_list *out);

// --- verify_cases.c, verify_read.c ------------------------------------------

// Finds the cases, named or beside the model, and puts them in groups.
int verify_suite_find(cli *c, cli_model *model, const char *folder,
                      verify_suite *out);
// Reads the tensors of a case against its program.
int verify_case_read(verify_suite *s, const tenon_program *p, verify_case *v);
// "DIR/in0.npy".
char *verify_file(const verify_case *v, const char *kind, size_t size,
                  size_t i);
// What `--input` says of an input, or null.
const char *verify_given(const cli *c, const char *name, size_t i);
void verify_suite_free(verify_suite *s);

// --- verify_ways.c ----------------------------------------------------------

// One way to run all cases: results[case][check].
typedef struct verify_way {
  const char *name;
  cli_tensor **results;
} verify_way;
int verify_way_run(verify_suite *s, cli_model *model, const char *name,
                   verify_way *out);
void verify_way_free(const verify_suite *s, verify_way *way);
bool verify_way_is(const char *way, const char *name);
// The program of a group as a way compiles it; *owned: to be destroyed.
int verify_way_compile(verify_suite *s, cli_model *model, size_t group,
                       const char *way, tenon_program **out, bool *owned);
// Sizes as the group has them, for whoever compiles next.
void verify_use_group(const verify_suite *s, cli_model *model, size_t group);
int verify_way_threads(const cli *c, const char *way);
// Runs one case in a session. `results` null: nobody wants them.
int verify_run_case(verify_suite *s, const tenon_program *p,
                    const verify_case *v, cli_session *session,
                    cli_tensor *results);
// Appends what the driver of emitted C reads for a case.
void verify_driver_input(const verify_case *v, bool is_reset, tenon_buf *out);

// --- verify_compare.c -------------------------------------------------------

// How far two tensors are apart.
typedef struct verify_difference {
  double abs, rel, cosine;
  double lsb;        // of integers
  size_t differing;  // elements that are not equal in bits
  size_t outside;    // elements beyond the tolerance
  size_t stepped;    // elements within it by the step alone
  double step;       // which it allowed
  size_t count;
  double want, got;  // at the worst element
  size_t worst;
  bool differs_in_shape;
  bool agrees;
} verify_difference;
typedef struct verify_tolerance {
  double abs, rel, outliers;
  double lsb;
  double step;    // of quantised numbers, on top; 0: none
  bool is_exact;  // bits
} verify_tolerance;
void verify_compare(const tenon_tensor *want, const tenon_tensor *got,
                    const verify_tolerance *tolerance, verify_difference *out);
// By element type, --abs, --rel, --lsb, --outliers, and meta.json. `output`
// SIZE_MAX: of what is no output.
verify_tolerance verify_tolerance_for(const verify_suite *s, size_t output,
                                      tenon_dtype dtype);
// Takes one step of an output that the program folded to integers, where the
// command line says nothing else: between two ways, or a way (`b` null) and a
// recording.
void verify_tolerance_step(const verify_suite *s, const verify_case *v,
                           const verify_check *check, const char *a,
                           const char *b, verify_tolerance *t);
// What an element type has by default; what the command line says instead.
verify_tolerance verify_tolerance_of(tenon_dtype dtype);
void verify_tolerance_flags(const cli *c, verify_tolerance *t);
// Whether two ways have to give the same bits.
bool verify_ways_are_exact(const char *a, const char *b);

// --- verify_report.c --------------------------------------------------------

typedef struct verify_report {
  cli *c;
  size_t rows, disagreeing;
  size_t first_bad;  // case of the first row that disagrees; SIZE_MAX: none
  size_t stepped;    // rows that agree by one step of their scale
} verify_report;
// Compares every check of a way with its recording and with the first way.
void verify_report_way(verify_report *r, const verify_suite *s,
                       const verify_way *way, const verify_way *first);

// --- verify_nodes.c, verify_steps.c -----------------------------------------

// What every step of one way made.
typedef struct verify_value {
  char *base;  // place, operator, number of the result
  char *key;   // and the how manieth of these it is
  char *kernel;
  uint32_t step, result, turn;
  cli_tensor value;
} verify_value;
typedef struct verify_values {
  const char *way;
  verify_value **data;  // apart: a tensor's view points into it
  size_t count;
  bool failed;
} verify_values;
// Runs a case, and those before it that it builds on, and keeps what its steps
// make. Exit code.
int verify_values_read(verify_suite *s, cli_model *model, size_t index,
                       const char *way, verify_values *out);
void verify_values_free(verify_values *values);

// The first node at which each of the ways parts from the first one, in this
// case; with --save-values, also writes what each node of the first made. With
// one way, the reference is the second. Exit code.
int verify_nodes(verify_suite *s, cli_model *model, const char *const *ways,
                 size_t n, size_t index);

#endif  // TENON_CLI_VERIFYING_H
