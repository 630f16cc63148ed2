// cli/check/check.h - what the files of `tenon check` hand to each other.
//
// A subject is an operator with one of its kernels (or none, where it is always
// lowered). A row is one node with concrete types, shapes and attributes, from
// which the text of a module is made; what a row computes with the reference
// kernels is compared with every other way of computing it. A way that cannot
// be taken is told with its reason and never counts as agreement.
#ifndef TENON_CLI_CHECK_H
#define TENON_CLI_CHECK_H

#include "cli/ops/ops.h"
#include "cli/verify/verifying.h"

#define CHECK_VALUES 48  // operands, and results, of a row
#define CHECK_ATTRS 24
#define CHECK_RANK 5
#define CHECK_NUMBERS 8
#define CHECK_FILLS 3
#define CHECK_COUNTING CHECK_FILLS
#define CHECK_EDGE_TRIES 5  // of a turn, with a shape that is no accident
#define CHECK_GUARD 4096    // bytes behind a session's memory
#define CHECK_DETAIL 300
#define CHECK_SEEN 64

typedef struct check_random {
  uint64_t state;
} check_random;
uint64_t check_next(check_random *r);
int check_below(check_random *r, int n);  // 0 .. n - 1

// An element type as kernels write it: "s8" with 'q' for one scale, 'c' for one
// per channel.
typedef struct check_operand_type {
  char name[16];
  char quant;  // 0, 'q', 'c'
} check_operand_type;

typedef struct check_value {
  check_operand_type type;
  bool is_absent, is_constant;
  int rank;
  int dims[CHECK_RANK];
  int axis;
  double scale;
  int zero;
  int fill;       // of integers: 0 whole range, 1 from 0 to 3, 2 around 0;
                  // CHECK_COUNTING: 1, 2, 3, ... in every type
  int n_numbers;  // of a list whose numbers are told; 0: they are drawn
  int numbers[CHECK_NUMBERS];
} check_value;
size_t check_value_count(const check_value *v);  // elements

typedef struct check_row {
  const ops_view *op;
  check_value in[CHECK_VALUES];  // flattened
  int in_group[CHECK_VALUES];    // tensors per tensor argument
  int out_group[CHECK_VALUES];   // tensors per result
  size_t n_in, n_groups, n_out, n_out_groups;
  char attrs[CHECK_ATTRS][96];  // "gain=0.5"; "": the default
  size_t n_attrs;
  check_operand_type out_types[CHECK_VALUES];  // per result
  bool is_declared;  // the results' types, whatever the operands are
  char types[1024];  // of the results, where they have to be said; else ""
  uint64_t seed;
  char *given;  // a whole module instead of all this; or null
} check_row;

typedef enum check_way {
  CHECK_REFERENCE,
  CHECK_KERNEL,
  CHECK_LOWERED,
  CHECK_DEFAULT,
  CHECK_IN_PLACE,
  CHECK_THREADS,
  CHECK_TEXT,
  CHECK_ELEMENTWISE,
  CHECK_EMITTED,    // from here on in batches
  CHECK_SANITIZED,  // addresses, undefined behaviour, what lies beside results
  CHECK_RACES,
  CHECK_WAYS
} check_way;

typedef struct check_tally {
  size_t passed, failed, skipped;
  char reason[512];  // of the last that was skipped
  char *failure;     // text of the smallest failing row, with what differed
  char *again;       // the command that shows it; null: none can be written
} check_tally;

// Element types of the operands of rows, and how many rows have them.
typedef struct check_seen {
  char types[64];
  size_t rows;
} check_seen;

typedef struct check_subject {
  const ops_view *op;
  const tenon_registered *kernel;  // null: always lowered
  check_seen seen[CHECK_SEEN];
  size_t n_seen;
  check_tally tallies[CHECK_WAYS];
  size_t rows, discarded;
  size_t crashed;  // of the rows: they end the process, or never end
  char why[512];   // why there is no row
} check_subject;

typedef struct check_waiting {
  check_subject *s;
  check_row *rows;
  size_t n;
  bool is_done;
} check_waiting;

typedef struct checker {
  cli *c;
  tenon_context *cx;
  check_random random;
  size_t runs;         // 0: as many as the types ask for
  char words[16][32];  // texts that refusals have named
  size_t n_words;
  int sizes[16];  // that shapes draw from; none: small ones
  size_t n_sizes;
  size_t turn;             // of the combinations of element types
  size_t tries;            // of this turn
  size_t n_reads;          // of rows of the present subject
  bool wants_constants;    // as operands of every other row
  uint64_t n_runs;         // so far, of sessions
  size_t done, all;        // rows, for progress
  check_waiting *waiting;  // subjects whose rows are emitted together
  size_t n_waiting, n_waiting_rows;
  const char *plugin;  // as the user wrote it
  bool is_left_out[CHECK_WAYS];
  // Of --target: its features, where it has an emulated core; else null. Rows
  // then run there as emitted C, and only what they are compared with here.
  const char *features;
  size_t n_left_out;  // kernels that are not for --needs or the target
  bool has_hung;      // a row of the present subject
  int probed[CLI_BUILD_RACES + 1];  // 0: not yet, 1: works, 2: does not
  char refused[CLI_BUILD_RACES + 1][300];
} checker;

// --- rows (check_row.c, check_types.c, check_accept.c)
// --------------------------------------

// The types of a kernel: one entry per tensor argument and result, chosen among
// the alternatives: those of the same turn are the same, and as many turns as
// there are combinations have all of them, if these are not too many. False
// when it is not understood or has types that rows cannot have.
typedef struct check_row_types {
  check_operand_type in[CHECK_VALUES], out[CHECK_VALUES];
  size_t n_in, n_out;
  size_t combinations;
} check_row_types;
bool check_types_choose(check_random *r, size_t turn, const char *types,
                        check_row_types *out);
void check_types_guess(check_random *r, size_t turn, size_t n_in, size_t n_out,
                       check_row_types *out);
// How many rows show every combination with every kind of data, where they are
// few.
size_t check_types_rows(const check_subject *s);
// Counts a row of such types, or that one was tried.
void check_types_seen(check_subject *s, const check_row *row, size_t rows);
// A row at random; nothing is known of whether the operator takes it.
bool check_row_draw(checker *k, const check_subject *s, check_row *out);
// Whether the shape rule takes it, the reference computes it, and the subject's
// kernel is taken for it. Declares results whose types have to be said.
// and does not end the process, in this way either. CHECK_WAYS: in all of them.
bool check_row_accept(checker *k, const check_subject *s, check_row *row,
                      check_way way);
// Parts of it: the shape rule takes it; reference and kernel compute it.
bool check_row_is_read(checker *k, check_row *row);
// What `why` says of an operand is done to it; false: nothing was.
// (check_mend.c)
bool check_row_mend(checker *k, check_row *row, const char *why);
bool check_row_computed(checker *k, const check_subject *s,
                        const check_row *row);
// False, with the reason, when what this process would compute of the row ends
// it, or never ends. (check_crash.c)
bool check_survives(checker *k, const check_subject *s, const check_row *row,
                    check_way way, char *detail, size_t size);
// How a row stands in a module.
typedef enum check_form {
  CHECK_PLAIN,
  CHECK_DYING,    // operands are copies that nobody else reads
  CHECK_KEPT,     // copies, and they are results as well
  CHECK_TURNED,   // operands with their dimensions in reverse, the result back
  CHECK_FLOATING  // quantised types as f32, to learn shapes
} check_form;
bool check_row_text(const check_row *row, check_form form, tenon_buf *out);
// Whether operand i is an input of the module; absent ones and constants are
// not.
bool check_row_is_input(const check_row *row, size_t i);
tenon_dtype check_row_dtype(const check_row *row, size_t i);
// Bytes of operand i, in memory of their own; the same for the same row.
unsigned char *check_row_bytes(const check_row *row, size_t i, size_t *size);
void check_row_free(check_row *row);

// --- running (check_run.c) --------------------------------------------------

typedef struct check_result {
  cli_tensor out[2 * CHECK_VALUES];
  size_t n_out;
  size_t seen;       // steps of the operator
  bool took_kernel;  // the kernel asked for ran
  size_t n_behind;   // bytes written behind the end of the session's memory
} check_result;
void check_result_free(check_result *r);

typedef struct check_mode {
  const char *text;
  size_t size;
  uint32_t flags;
  const char *pipeline, *target;
  const char *forced;  // "op=symbol"
  const char *op, *kernel;
  int threads;
} check_mode;
// Reads, compiles and runs a text with the row's inputs. An exit code.
int check_compile(checker *k, const check_mode *mode, tenon_program **out);
int check_run_text(checker *k, const check_row *row, const check_mode *mode,
                   check_result *out);
int check_run_program(checker *k, const check_row *row, const tenon_program *p,
                      int entry, const check_mode *mode, check_result *out);
// Inputs of an entry, as its rows have them.
int check_inputs(checker *k, const check_row *row, const tenon_program *p,
                 int entry, cli_tensor *in, size_t *n);
bool check_read(checker *k, const char *text, size_t size, tenon_module **out);
// Whether a step of the program has this kernel.
bool check_has_kernel(const tenon_program *p, const char *kernel);

// --- ways (check_ways.c, check_emitted.c) -----------------------------------

// The passes that leave the operator under test where it is.
#define CHECK_PIPELINE "functional,lower,inline"

typedef enum check_outcome { CHECK_PASS, CHECK_FAIL, CHECK_SKIP } check_outcome;
// `detail` receives what differed, or why it was not taken.
check_outcome check_way_run(checker *k, const check_subject *s,
                            const check_row *row, check_way way, char *detail,
                            size_t size);
bool check_equal(const checker *k, const check_result *want,
                 const check_result *got, size_t n, bool is_exact, char *detail,
                 size_t size);
const char *check_way_name(check_way way);
typedef struct check_found {
  check_outcome outcome;
  char detail[CHECK_DETAIL];
} check_found;
// Rows of one subject, and what becomes of each.
typedef struct check_part {
  const check_subject *s;
  const check_row *rows;
  size_t n;
  check_found *found;
} check_part;
// Rows as one program of emitted C, built in one of three manners and run.
// Parts are of different operators, all with a kernel or none. False with the
// reason when that cannot be had, where `found` says of rows that are why that
// they are skipped; of several parts, also when a row ends the program: who it
// was is to be asked of each alone.
bool check_batch_run(checker *k, check_way way, const check_part *parts,
                     size_t n, char *reason, size_t size);
// False, with the reason, where rows of the subject cannot be emitted so.
bool check_way_is_taken(checker *k, const check_subject *s, check_way way,
                        char *reason, size_t size);
// A failure of a program that was stopped for taking too long.
bool check_has_hung(const char *detail);
// Rows of a subject alone, in one way or in all that are asked for; outcomes
// into the tallies.
void check_emitted_way(checker *k, check_subject *s, check_way way,
                       const check_row *rows, size_t n);
void check_emitted(checker *k, check_subject *s, check_row *rows, size_t n);

// --- many subjects in one program (check_together.c) ------------------------

// Keeps rows of a subject, with their memory, until there are enough for a
// program or check_together_end is called. False without memory.
bool check_together(checker *k, check_subject *s, check_row *rows, size_t n);
void check_together_end(checker *k);

// --- shrinking (check_shrink.c) ---------------------------------------------

// The smallest row that still fails this way, with what differs then.
// CHECK_WAYS: that still ends the process.
void check_shrink(checker *k, const check_subject *s, check_row *row,
                  check_way way, char *detail, size_t size);
// What is told of a row that fails: its text, what differs, and the command
// that shows it.
void check_failure_keep(checker *k, const check_subject *s,
                        const check_row *row, check_way way, const char *detail,
                        check_tally *t);

// --- subjects (check_subject.c) ---------------------------------------------

// How many rows it is tried with.
size_t check_subject_rows(const checker *k, check_subject *s);
// Draws rows until `runs` are accepted, runs all ways, shrinks what fails.
int check_subject_run(checker *k, check_subject *s);
int check_given(checker *k, check_subject *s, const char *path);
void check_subject_free(check_subject *s);
void check_report(checker *k, const check_subject *list, size_t n);

#endif  // TENON_CLI_CHECK_H
