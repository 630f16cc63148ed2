// cli/cli.h - the command line, parsed, and what all verbs share.
//
// Of the library the command line uses only the public headers: what it needs
// and they lack would be missing for every application. Files, programs and the
// terminal are the system's (base/os.h). It never changes what the library
// decides; it reads files, makes tensors, prints reports.
#ifndef TENON_CLI_CLI_H
#define TENON_CLI_CLI_H

#include <stdio.h>

#include "base/label.h"
#include "base/os.h"
#include "base/put.h"
#include "tenon/project.h"
#include "tenon/selection.h"
#include "tenon/tenon.h"

// A tenon_write_fn that collects one text; `self` is the tenon_buf. A tenon_buf
// of zeros is empty and takes its memory from the heap, so that `data` may be
// kept and given to free().
tenon_status cli_collect(void *self, const char *file, const char *text,
                         size_t size);

// --- the command line -------------------------------------------------------

// One more element of a list in memory of its own, behind the *n that it has:
// zeros. The list may move. Null: out of memory, and it is as it was.
#define cli_add(list, n) \
  cli_add_bytes((void **)(void *)(list), (n), sizeof **(list))
void *cli_add_bytes(void **list, size_t *n, size_t size);

typedef struct cli_list {
  const char **data;
  size_t count;
} cli_list;

typedef struct cli {
  const struct cli_verb *verb;
  cli_list args;  // what is no flag
#define BOOL bool
#define TEXT const char *
#define WORDS const char *
#define LIST cli_list
#define TWO cli_list
#define MANY cli_list
#define NAMES cli_list
#define INT int64_t
#define NATURAL int64_t
#define COUNT int64_t
#define REAL double
#define FLAG(member, name, KIND, value, verbs, GROUP, help) \
  KIND member;                                              \
  bool has_##member;
#include "cli/flag/flags.def"
#undef FLAG
#undef BOOL
#undef TEXT
#undef WORDS
#undef LIST
#undef TWO
#undef MANY
#undef NAMES
#undef INT
#undef NATURAL
#undef COUNT
#undef REAL
  struct cli_sink *sink;
  const char *const *words;  // behind the verb, as they were given
  size_t n_words;
  bool sizes_runs;  // --shape, --dim and --batch are of a run: a program file
  tenon_project *read_project;  // of --project; or null
  int unread;  // exit code of a file of the command line that cannot be read; 0
  cli_list pass_rules;     // "on NAME", "off NAME", "NAME.KEY=V" of it
  tenon_context *context;  // the last that cli_context made
  size_t grow_most;        // bytes that a session may ask for at once; 0: any
  bool observes_groups;    // by sessions that are observed
  bool divides_all;  // sessions divide whatever they can: threads are a test
  size_t guard;      // more bytes behind each block of a session, nobody's
  tenon_buf piped;   // what `--plugin -` has read; without data: nothing yet
  cli_list shown;    // names that had to be escaped, owned
  const struct cli_machine *machine;  // that emitted C runs on; null: here
  const char *emulated;               // the target of that machine
  struct tenon_timeline *timeline;    // what sessions write down; or null
} cli;

// Exit codes beyond the library's statuses (docs/cli.md).
enum { CLI_NO = 1, CLI_USAGE = 2, CLI_NO_MEMORY = 20 };

typedef struct cli_verb {
  const char *name;
  const char *usage;    // behind the name: "MODEL"
  const char *summary;  // one line
  const char *example;
  bool reads_model;
  const char *group;  // where help lists it
} cli_verb;
extern const cli_verb cli_verbs[];  // rows of verbs.def; ends with a null name

// Other names for inputs, outputs and states. `check` when all models are
// known, `apply` to each that has been read.
struct cli_model;
int cli_names_check(cli *c, const struct cli_model *first);
int cli_names_apply(cli *c, const struct cli_model *one, tenon_module *m);
// What a text of --shape or --dim says to this model, "x=4x3" of "asr.x=4x3";
// null: it is for another one.
const char *cli_names_behind(const struct cli_model *one, const char *text);
// Loads what standard input holds, in each context that a command makes.
tenon_status cli_load_piped(cli *c, tenon_context *cx);
// Writes the glue of bindings there, for `tenon bind -`.
tenon_status cli_bind_piped(cli *c, tenon_context *cx, tenon_write_fn *write,
                            void *self);
bool cli_is_piped(const char *path);  // "-"

// Fills `c` from the arguments behind the verb; false after reporting.
bool cli_parse(cli *c, size_t n, const char *const *args);
// What flags, and a project file, say together; false after reporting.
bool cli_settle(cli *c);
void cli_free(cli *c);
// Of a cli that has the sink of another: its words alone.
void cli_free_words(cli *c);
// Reads --project, if there is one, and sets what the flags do not; false after
// reporting.
bool cli_project_read(cli *c);
int cli_project_schema(cli *c);  // prints it; the exit code
// With --json an object, else for people.
void cli_print_help(cli *c);   // of its verb
void cli_print_verbs(cli *c);  // of the command
bool cli_list_push(cli_list *list, const char *text);
// With a null behind its last; *out is null where it is empty.
bool cli_list_end(cli_list *list, const char *const **out);
// The exit code of a status.
int cli_exit(tenon_status status);
// A failure of the command line itself, through the same sink as the library's,
// with exit code `status`. Returns it.
int cli_fail(cli *c, int status, const char *id, const char *fmt, ...)
    TENON_PRINTF(4, 5);
// `status`, or that of a file which could not be read (c->unread).
int cli_refused(const cli *c, int status);
// As tenon_nearest_feed, for words that somebody types: more slips, and their
// beginning alone. Begins with `name`, the rest zeros.
void cli_nearest_feed(tenon_nearest *n, const char *candidate);
// What does not end the command.
void cli_warn(cli *c, const char *id, const char *fmt, ...) TENON_PRINTF(3, 4);

// --- diagnostics and the report ---------------------------------------------

typedef struct cli_sink {
  bool is_json, is_quiet, is_verbose;
  bool had_warning, had_error;
  bool is_muted;      // kept in `muted` instead of being told: tries may fail
  char muted[512];    // the last error
  tenon_buf json;     // diagnostics so far, as elements of a list
  tenon_buf report;   // with --json: what goes to standard output
  bool is_text;       // it is no JSON, and a string in the document
  bool lacks_memory;  // for a part of the report: the command fails
  const tenon_project *project;  // what errors without a place may be about;
                                 // null: none
  const char *project_file;
  tenon_write_fn *out, *err;  // standard output and error
  void *out_self, *err_self;
  bool has_progress;
} cli_sink;
// A tenon_write_fn to a stream of C; `self` is the FILE.
tenon_status cli_stream_write(void *self, const char *file, const char *text,
                              size_t size);

tenon_diag_sink cli_sink_of(cli_sink *sink);
// A tenon_write_fn that prints to standard output, or collects with --json;
// `self` is the cli.
tenon_status cli_write(void *self, const char *file, const char *text,
                       size_t size);
void cli_printf(cli *c, const char *fmt, ...) TENON_PRINTF(2, 3);
void cli_print(cli *c, tenon_buf *text);  // and empties it
// A name out of a file, fit to be printed; it lives until the command ends.
const char *cli_shown(cli *c, const char *name);
// A text with values (base/put.h). Nanoseconds as microseconds, and a part
// of 1.
#define cli_put(c, fmt, ...) \
  cli_put_values(c, fmt, TENON_PUT_VALUES(__VA_ARGS__))
#define cli_put_json(c, fmt, ...) \
  cli_put_json_values(c, fmt, TENON_PUT_VALUES(__VA_ARGS__))
void cli_put_values(cli *c, const char *fmt, const tenon_put_value *values);
void cli_put_json_values(cli *c, const char *fmt,
                         const tenon_put_value *values);
void cli_put_us(tenon_buf *out, const tenon_put_value *v);
void cli_put_share(tenon_buf *out, const tenon_put_value *v);
#define cli_as_us(ns) ((tenon_put_value){.put = cli_put_us, .as.u = (ns)})
#define cli_as_share(part) \
  ((tenon_put_value){.put = cli_put_share, .as.f = (part)})
// Ends the command: with --json prints the one document. Returns the exit code.
int cli_finish(cli *c, int code);

// --- progress ---------------------------------------------------------------

// Says on a terminal what the command is doing once that has taken a second; in
// a pipe, with --quiet and with --json nothing. `doing` is a constant text.
void cli_progress(const cli *c, const char *doing);
// The same of `what`, so many of `all` parts of it done; all 0: not known. Says
// how much time is left.
void cli_progress_of(const cli *c, const char *doing, const char *what,
                     size_t done, size_t all);
void cli_progress_end(const cli *c);

// --- files ------------------------------------------------------------------

// The whole file; false after reporting (TENON_IO).
bool cli_read_file(cli *c, const char *path, tenon_buf *out);
// The rest of a stream that is open; `path` is its name in errors. With a zero
// behind the last byte.
bool cli_read_stream(cli *c, FILE *f, const char *path, tenon_buf *out);
// The same without reading what nobody looks at.
typedef struct cli_mapped {
  const void *data;
  size_t size;
  tenon_os_map map;
  tenon_buf read;
} cli_mapped;
bool cli_map_file(cli *c, const char *path, cli_mapped *out);
void cli_unmap_file(cli_mapped *m);
// Whole or not at all; into a folder that is there.
bool cli_write_file(cli *c, const char *path, const void *data, size_t size);
// A text into the file `path`, or onto standard output where that is null. The
// exit code.
int cli_deliver(cli *c, const char *path, const tenon_buf *text);
bool cli_make_folder(cli *c, const char *path);
bool cli_is_folder(const char *path);
// Says what a folder that was given as a model is; the exit code.
int cli_refuse_folder(cli *c, const char *path);
bool cli_is_file(const char *path);
// The names in a folder, sorted; to be dropped also after a failure.
bool cli_list_folder(cli *c, const char *path, cli_list *names);
void cli_list_drop(cli_list *names);
bool cli_ends_with(const char *path, const char *suffix);
// The first `n` bytes in memory of their own; null when there is none.
char *cli_copy(const char *text, size_t n);
// `folder`/`name` in memory of its own; null when there is none.
char *cli_join(const char *folder, const char *name);
bool cli_temp_folder(cli *c, char *path, size_t size);
// Runs a program without a shell, feeding `input`; collects its standard output
// and error. False when it could not be started; *status is its exit code.
bool cli_run(cli *c, const char *const *argv, const tenon_buf *input,
             tenon_buf *output, tenon_buf *errors, int *status);
// The same for at most so many seconds, 0: for ever. What runs longer is killed
// and *status is CLI_TIMED_OUT.
enum { CLI_TIMED_OUT = TENON_OS_TIMED_OUT };
bool cli_run_for(cli *c, int seconds, const char *const *argv,
                 const tenon_buf *input, tenon_buf *output, tenon_buf *errors,
                 int *status);
// A command line of words of its own.
typedef struct cli_command {
  char **words;  // a null behind the last
  size_t count;
  bool failed;  // there was no memory
} cli_command;
void cli_command_add(cli_command *k, const char *word);
// The words of a text, between spaces and line ends.
void cli_command_split(cli_command *k, const char *text);
void cli_command_path(cli_command *k, const char *folder, const char *name);
void cli_command_free(cli_command *k);

// Emitted C with its driver, built by the system's compiler.
typedef struct cli_emitted {
  char folder[512];
  char *program;
} cli_emitted;
typedef enum cli_build {
  CLI_BUILD_PLAIN,
  CLI_BUILD_STEPS,      // a run leaves CLI_EMITTED_STEPS in the folder
  CLI_BUILD_SANITIZED,  // for addresses and undefined behaviour; a step that
                        // writes beside its results ends the program
  CLI_BUILD_RACES,      // ranges on threads, sanitized for races
  CLI_BUILD_COUNTED,    // on an emulated core: instructions of each run, and
                        // its stack
  CLI_BUILD_LAYERS      // the same of each step
} cli_build;
// The results of all steps of a run: step, number of the result and bytes as
// 32-bit integers, then these bytes, over and over.
#define CLI_EMITTED_STEPS "steps.bin"
int cli_emitted_build(cli *c, const tenon_program *p, cli_build how,
                      cli_emitted *out);
// Whether the compiler builds, and this machine runs, such programs: 0, or the
// code of a failure that has been reported.
int cli_emitted_probe(cli *c, cli_build how);
// `input` is what TENON_EMIT_DRIVER reads; `output` the raw outputs of all
// runs.
int cli_emitted_run(cli *c, const cli_emitted *e, const tenon_buf *input,
                    tenon_buf *output);
void cli_emitted_close(cli_emitted *e);

// Collects what emission writes and puts it into a folder when all is there.
typedef struct cli_files {
  struct cli_file {
    char *name;
    tenon_buf content;
  } * data;
  size_t count;
} cli_files;
tenon_status cli_files_write(void *self, const char *file, const char *text,
                             size_t size);  // a tenon_write_fn
bool cli_files_save(cli *c, const cli_files *files, const char *folder);
void cli_files_free(cli_files *files);

// What watches emitted C (emitted_watch.c): files beside its driver, the
// compiler's options for these, and those of them that are not about the files.
bool cli_watch_add(cli_build how, const char *folder, cli_files *files);
const char *const *cli_watch_options(const cli *c, cli_build how);
const char *const *cli_watch_flags(const cli *c, cli_build how);
// The line of a sanitizer's report that says what happened, cut out of it; of
// other texts all.
char *cli_watch_summary(char *text);

// --- tensors ----------------------------------------------------------------

// A dense tensor with memory of its own.
typedef struct cli_tensor {
  tenon_tensor view;
  int32_t dims[TENON_MAX_RANK];
  void *memory;
  size_t size;
  char *texts;  // the bytes of strings; null: none
} cli_tensor;
const char *cli_dtype_name(tenon_dtype t);
// The C type of a member of an attribute struct; empty: no member has it.
const char *cli_kind_type(uint32_t kind);
bool cli_is_real(tenon_dtype t);  // of 16 bits or more
// Equal types and sizes.
bool cli_same_shape(const tenon_tensor *a, const tenon_tensor *b);
bool cli_tensor_make(cli_tensor *t, tenon_dtype dtype, const int64_t *dims,
                     int rank);
void cli_tensor_free(cli_tensor *t);
// The same elements, with bytes of its own where they are strings. False: no
// memory, or no elements of whole bytes.
bool cli_tensor_copy(cli_tensor *to, const tenon_tensor *from);
// Strings of a tensor that cli_tensor_make has made, in order; fewer leave the
// rest empty. False at the end: no memory.
typedef struct cli_strings {
  cli_tensor *to;
  tenon_buf bytes;
  size_t n;
  bool failed;
} cli_strings;
void cli_strings_add(cli_strings *s, const char *data, size_t size);
bool cli_strings_end(cli_strings *s);
// Element i between quotes: \x1b for bytes of what may not be printed, in JSON
// \u001b, and \udcff for a byte that is no UTF-8.
void cli_string_format(const tenon_tensor *t, size_t i, bool is_json,
                       tenon_buf *out);
// Either form; what stands behind it, null: no such text.
const char *cli_string_parse(const char *text, tenon_buf *out);
bool cli_string_same(const tenon_tensor *a, const tenon_tensor *b, size_t i);
// As drivers of emitted C take and give them: a size of 64 bits and the bytes,
// for each. How many bytes were read; SIZE_MAX: there are too few, or no
// memory.
void cli_strings_write(const tenon_tensor *t, tenon_buf *out);
size_t cli_strings_read(cli_tensor *out, const char *data, size_t size);
// NumPy's |S and <U of a width, which pad with zeros. Packing gives |S; false:
// no memory, or one ends in a zero.
bool cli_strings_unpack(cli_tensor *out, char kind, size_t width,
                        const char *data);
bool cli_strings_pack(const tenon_tensor *t, size_t *width, tenon_buf *out);
// .npy in memory; NumPy's types map to ours. `where` names it in messages.
bool cli_npy_parse(cli *c, const char *where, const void *data, size_t size,
                   cli_tensor *out);
bool cli_npy_format(const tenon_tensor *t, tenon_buf *out);
bool cli_npy_read(cli *c, const char *path, cli_tensor *out);
bool cli_npy_write(cli *c, const char *path, const tenon_tensor *t);
// Bits as the program's type: bfloat16 from uint16, and the like. False and
// reported when type or shape do not fit `io`.
bool cli_tensor_fit(cli *c, cli_tensor *t, const tenon_io *io);
// Uniform in [-1, 1), integers over their whole range, from a counter-based
// stream: the same on every machine.
void cli_tensor_random(cli_tensor *t, uint64_t seed);
bool cli_random_is_integer(tenon_dtype t);
// What --random makes of an input: by its `range` of --random-range, "0..49";
// null: none was said. The exit code.
int cli_random_input(cli *c, const tenon_io *io, const char *range,
                     uint64_t seed, cli_tensor *t);
bool cli_io_is_open(const tenon_io *io);  // a size is not in the program
// A value as text: "3", "[[1, 2], [3, 4]]", "true"; "none" where the io is no
// tensor. False and reported when it does not fit.
bool cli_literal_parse(cli *c, const char *text, const tenon_io *io,
                       cli_tensor *out);
// The same back, for types of whole bytes that no complex number or 8-bit float
// is.
void cli_literal_format(const tenon_tensor *t, tenon_buf *out);
double cli_element(const tenon_tensor *t, size_t i);
void cli_element_text(const tenon_tensor *t, size_t i, char *out, size_t size);
bool cli_is_path(const char *text);  // a file is meant, whether it is there
// One `--input` value for this io: a file or a literal. False after reporting,
// of a file that cannot be read with c->unread.
bool cli_tensor_parse(cli *c, const char *text, const tenon_io *io,
                      cli_tensor *out);

// --- models -----------------------------------------------------------------

// A context with the plugins of the command line, and a model file in memory. A
// module is read anew for each way of compiling it, since compiling changes it.
// The folder of a model, and what was opened in it.
typedef struct cli_beside cli_beside;
typedef struct cli_folder {
  cli *c;
  char *path;
  cli_beside *files;
} cli_folder;
// A tenon_beside_fn; `self` is the cli_folder.
tenon_status cli_beside_open(void *self, const char *name, const void **data,
                             size_t *size);
void cli_folder_close(cli_folder *folder);

typedef struct cli_model {
  tenon_context *context;
  char *path;        // of the file
  const char *name;  // last part of the path
  cli_mapped file;
  cli_folder folder;  // that it lies in
  cli_mapped weights_file;
  tenon_weights *weights;  // of --weights; or null
  const cli_list
      *requests;    // shapes besides those of the command line; or null
  bool keeps_open;  // compiled with open sizes, whatever the file holds for now
  char *entry;      // NAME of "NAME=MODEL"; or null
  const struct cli_model *first;  // of those on one command line; or null
  struct cli_model *more;  // further models of the program, of this context
  size_t n_more;
} cli_model;
int cli_context(cli *c, tenon_context **out);  // exit code, 0 when made
int cli_model_open(cli *c, const char *path, cli_model *out);
// What stands on the command line: a model, or several as NAME=MODEL, which
// make one program.
int cli_models_open(cli *c, cli_model *out);
// Reads what --weights names. Part of cli_model_open.
int cli_weights_open(cli *c, cli_model *m);
void cli_model_close(cli_model *m);
int cli_model_read(cli *c, cli_model *m, tenon_module **out);
// With the sizes that it is compiled with.
int cli_model_read_planned(cli *c, cli_model *m, tenon_module **out);
// Read, target, compile. `target` null: --target, else `fallback`.
int cli_model_compile(cli *c, cli_model *m, const char *fallback,
                      uint32_t flags, tenon_program **out);
// The pipeline that --pass, --no-pass and --pass-option ask for, of c->context.
// In memory of its own.
int cli_pipeline(cli *c, char **out);

// A session with its memory.
typedef struct cli_session {
  tenon_session *session;
  void **memory;  // `n_memory` blocks, as many as the program asks for
  size_t n_memory;
  tenon_pool *pool;
  void **held;  // of the last run: what is read and written where it lies
  size_t n_held;
} cli_session;
int cli_session_open(cli *c, const tenon_program *p, int threads,
                     tenon_observe_fn *observe, void *self, cli_session *out);
// What a run of an entry point takes and gives.
typedef struct cli_call {
  cli *c;
  const tenon_program *p;
  int entry;
  size_t n_in, n_out;
  tenon_io *in_io, *out_io;
  cli_tensor *in;
  tenon_tensor *views, *out;  // of `in`; results
} cli_call;
// Room for a run of the entry that --entry names. The exit code; to be closed
// also after a failure.
int cli_call_open(cli *c, const tenon_program *p, cli_call *out);
// Its inputs, from --input and --random.
int cli_call_fill(cli_call *call);
void cli_call_close(cli_call *call);
int cli_threads(const cli *c);  // --threads, or 1
// Whether --runs, if it is there, is 1 to `most`: 0, or a failure's code.
int cli_check_runs(cli *c, int most);
// Inputs, outputs or states of an entry, as many as *n says. In memory of its
// own; null: there is none.
tenon_io *cli_io_list(const tenon_program *p, int entry, tenon_io_kind kind,
                      size_t *n);
// Gives inputs and outputs that are the caller's (--io) memory until the next
// call; inputs are copied there. The others stay as they are.
int cli_session_place(cli_session *s, const cli_call *call);
// tenon_session_run, with memory for what is the caller's (--io) until the next
// run.
int cli_session_run(cli_session *s, const cli_call *call);
void cli_session_close(cli_session *s);

// Which of several processes this is, as mpirun, Slurm and their like say it.
typedef struct cli_rank {
  size_t rank, size;  // 0 of 1 where nobody says
  bool is_launched;
  char run[64];  // of all processes that were started together
} cli_rank;
void cli_rank_find(cli_rank *out);
// A word of the command line with "{rank}" replaced, in a launched process;
// else as it is. Null: out of memory, reported.
const char *cli_ranked(cli *c, const char *word);

// What sessions that are opened next write down (cli->timeline), for --trace
// and --flame. False: out of memory.
bool cli_timeline_open(cli *c);
// To a file in Trace Event Format, or as a flame graph: an .svg, else stacks in
// text. The exit code.
int cli_timeline_save(cli *c, const tenon_program *p, const char *trace,
                      const char *flame);
void cli_timeline_close(cli *c);

// Inputs of an entry from --input and --random; `list` has one tensor per
// input.
int cli_inputs(cli *c, const tenon_program *p, int entry, cli_tensor *list);
// The entry that --entry names, or the default one; -1 after reporting.
int cli_entry(cli *c, const tenon_program *p);

// A verb each: the exit code.
#define VERB(name, usage, summary, example, reads_model, group) \
  int cmd_##name(cli *c);
#include "cli/verbs.def"
#undef VERB

#endif  // TENON_CLI_CLI_H
