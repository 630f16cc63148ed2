// emit/emission.h - one program being printed: what the files here share.
//
// Text is first collected in buffers, constants are noted as they are referred
// to, and only when all of it is there does anything reach the writer: whatever
// can fail has failed by then. Order of collecting: names, ways, bundle, steps,
// blocks, calls; order of the file: bundle, types, constants, tables, steps.
//
// Memory runs out in one place: buffers, arena and maps latch it, each stage
// asks once, and nothing null is printed until then.
#ifndef TENON_EMIT_EMISSION_H
#define TENON_EMIT_EMISSION_H

#include "base/map.h"
#include "base/text.h"
#include "emit/cprint.h"
#include "emit/sink.h"
#include "program/program.h"

// How a kernel gets into the file.
typedef enum tenon_way {
  TENON_WAY_NONE = 0,  // no step uses it
  TENON_WAY_TEMPLATE,  // its template stands for the call
  TENON_WAY_CALLBACK,  // its emit function writes what does
  TENON_WAY_SOURCE,    // its text is printed and called
  TENON_WAY_EXTERN     // it is declared and called
} tenon_way;

// An input, output or state.
typedef struct tenon_io_names {
  const char *parameter;  // "x"
  const char *accessor;   // "kws_in_x"
  const char *macro;      // "KWS_IN_X": with _COUNT and _SIZE
  const char *dim;        // "kws_out_y_dim": of an output with open sizes
} tenon_io_names;

// A size that the function of an entry is given.
typedef struct tenon_size_argument {
  uint32_t number;
  const char *parameter;
} tenon_size_argument;

typedef struct tenon_entry_names {
  const char *run;  // "kws_run"
  tenon_io_names *in, *out;
  tenon_size_argument *sizes;
  uint32_t n_sizes;
  tenon_io_names *after;  // of written inputs: "kws_after_x"
} tenon_entry_names;

// A block that is written: the arena or the states of a memory.
typedef struct tenon_emit_memory {
  const char *member;  // "arena", "state", "memory_sram", "memory_sram_state"
  const char *macro;   // "KWS_ARENA": with _SIZE
  uint64_t size;
  uint32_t bank;
  bool is_state;
  bool is_first;   // of the memory that the instance holds
  bool is_caller;  // the instance has its address only
} tenon_emit_memory;

// Members of tenon_tensor and tenon_call that a kernel may do without.
#define TENON_EMIT_MEMBERS(M) \
  M(dims)                     \
  M(strides)                  \
  M(quant)                    \
  M(dtype)                    \
  M(rank)                     \
  M(flags)                    \
  M(in_group)                 \
  M(out_group)                \
  M(attrs)                    \
  M(packed)                   \
  M(scratch)                  \
  M(sizes)                    \
  M(fault)                    \
  M(user)                     \
  M(schema)                   \
  M(n_in)                     \
  M(n_out)
enum {
#define MEMBER(name) TENON_MEMBER_##name,
  TENON_EMIT_MEMBERS(MEMBER)
#undef MEMBER
#define MEMBER(name) TENON_WORD_##name = 1 << TENON_MEMBER_##name,
      TENON_EMIT_MEMBERS(MEMBER)
#undef MEMBER
          TENON_WORD_REAL = 1 << 24,  // it has numbers that are no integers,
  TENON_WORD_MATH = 1 << 25,          // something of <math.h>,
  TENON_WORD_FUNCTION = 1 << 26,      // a function of it,
  TENON_WORD_LIMITS = 1 << 27,        // something of <float.h>
  TENON_WORD_ANY = 0x00ffffff         // any member
};
#define TENON_EMIT_ALL_OPERANDS UINT32_MAX

// What a kernel looks at in a run.
typedef struct tenon_emit_reads {
  uint32_t words;    // TENON_WORD_*
  uint32_t in, out;  // so many operands and results at most
} tenon_emit_reads;

typedef struct tenon_emission {
  const struct tenon_program *p;
  const tenon_report *report;
  tenon_allocator allocator;
  tenon_arena arena;
  tenon_emit_options options;  // complete
  const struct tenon_package_desc *package;
  const char *building;  // the packager's part of README.md; or null
  bool is_single;
  bool is_stripped;

  const char *prefix, *macro;  // "kws", "KWS"
  tenon_map symbols;           // all names at file level
  tenon_entry_names *entries;
  tenon_io_names *states;
  const char **images;  // of memories that are cold, or written, and have
                        // constants: the array of these; else null
  const char **banks;   // macros of memories, "KWS_MEMORY_SRAM"
  tenon_emit_memory *memories;
  uint32_t n_memories;
  bool has_caller;     // some are the caller's
  bool has_owner;      // there are states that one instance at a time has
  const char **apart;  // of the constants without data; else null

  uint8_t *ways;              // of the kernels: tenon_way
  tenon_emit_reads *reads;    // of the kernels
  struct tenon_parts *parts;  // what the texts consist of
  uint32_t members;           // TENON_WORD_* of those that some kernel reads
  struct tenon_shared_call **shared;     // of the steps; or null
  uint32_t n_shared;                     // that have been printed
  const struct tenon_emit_loop **loops;  // of the steps; or null
  uint32_t n_loops;
  const struct tenon_emit_group **groups;  // of the steps; or null
  bool has_groups;
  uint8_t *is_used;  // of the constants: referred to
  // Of the constants that go to a file of their own (constants_file.c): those
  // that are referred to, in the order in which they lie there.
  uint32_t *filed;
  uint64_t *filed_at;  // by constant, plus 1; 0: a place is not taken
  uint32_t n_filed;
  uint64_t filed_size;
  uint32_t *alignments;  // of the constants; 0: what their type has
  tenon_map tables;      // texts of `tables_text`, to their numbers
  tenon_map types;       // texts of `types_text`, to their names
  bool has_ranges;       // some step can be split
  bool can_fail;         // a run can fail behind its beginning
  bool can_stop;         // some step of a kernel can fail
  bool has_doubles;      // or computes with them

  tenon_buf texts;        // kernels
  tenon_buf types_text;   // attribute structs
  tenon_buf tables_text;  // sizes, scales
  tenon_buf sizes_text;   // evaluating sizes
  tenon_buf steps_text;
  tenon_buf calls_text;    // blocks, and the functions of the header
  tenon_buf origins_text;  // where steps come from, for those who ask

  uint32_t n_references;  // to constants, in what is being printed
  bool is_first;          // the model's functions stand in front of kernels
} tenon_emission;

// True when memory ran out anywhere.
bool tenon_emission_failed(const tenon_emission *e);
tenon_status tenon_emission_memory(const tenon_emission *e);

// open.c: sizes that a run finds out.
tenon_status tenon_emit_check_open(const tenon_emission *e);

// apart.c: weights that the user defines.
tenon_status tenon_emit_name_apart(tenon_emission *e);
tenon_status tenon_emit_check_apart(const tenon_emission *e);
void tenon_emit_apart(const tenon_emission *e, tenon_buf *out);

// cold.c: constants that are copied in front of whoever reads them: what the
// header says, the images, the body of such a step, the function that a test
// program has.
tenon_status tenon_emit_name_cold(tenon_emission *e);
bool tenon_emit_has_cold(const tenon_emission *e);
void tenon_emit_cold_header(const tenon_emission *e, tenon_buf *out);
void tenon_emit_cold_settings(const tenon_emission *e, tenon_buf *out);
void tenon_emit_images(const tenon_emission *e, tenon_sink *s);
void tenon_emit_hydration(tenon_emission *e, tenon_buf *out,
                          const tenon_step *step);
// The function that begins such a copy ahead, if it is one.
void tenon_emit_prefetch(tenon_emission *e, tenon_buf *out, uint32_t index);
void tenon_emit_cold_hook(const tenon_emission *e, tenon_buf *out);
void tenon_emit_cold_rows(const tenon_emission *e, tenon_buf *out);

// resident.c: constants that are copied once to a memory that is written: the
// array there, the function that does it. The address of one, false where it
// lies elsewhere.
tenon_status tenon_emit_name_resident(tenon_emission *e);
bool tenon_emit_has_resident(const tenon_emission *e);
bool tenon_emit_is_resident_in(const tenon_emission *e, uint32_t bank);
bool tenon_emit_resident_at(const tenon_emission *e, tenon_buf *out,
                            uint32_t index, uint64_t offset);
void tenon_emit_resident_array(const tenon_emission *e, tenon_buf *out,
                               uint32_t bank);
void tenon_emit_resident_header(const tenon_emission *e, tenon_buf *out);
void tenon_emit_load(tenon_emission *e, tenon_buf *out);
void tenon_emit_resident_rows(const tenon_emission *e, tenon_buf *out);

// doubles.c: whether there are any, and whether the target has them.
tenon_status tenon_emit_check_doubles(tenon_emission *e);

// names.c: prefix, functions, parameters.
tenon_status tenon_emit_names(tenon_emission *e);
// Whether what is emitted defines this name itself, or may.
// The type of an element for callers, "float" or "kws_string", and the struct
// that is the latter.
tenon_put_value tenon_emit_io_type(tenon_dtype dtype);
bool tenon_emit_has_strings(const tenon_emission *e);  // in or out
void tenon_emit_string_type(const tenon_emission *e, tenon_buf *out);
// Of a constant of strings: the array of their bytes, and what stands between
// the braces of its own.
void tenon_emit_string_bytes(const tenon_emission *e, tenon_sink *s,
                             uint32_t index);
void tenon_emit_string_elements(const tenon_emission *e, tenon_sink *s,
                                uint32_t index);
// In the driver: what moves strings, and how a run begins.
void tenon_emit_string_driver(const tenon_emission *e, tenon_buf *out);
void tenon_emit_string_begin(const tenon_emission *e, tenon_buf *out,
                             const tenon_program_entry *p);
bool tenon_emit_owns(tenon_emission *e, tenon_text name);
// A parameter's name that is nobody else's in `scope`.
const char *tenon_emit_parameter(tenon_emission *e, tenon_map *scope,
                                 const char *name, const char *suffix);

// needs.c: what a compiler must be told, from the kernels' `needs` and the
// target: "-mavx2 -mfma", and the #error checks.
void tenon_emit_flags(const tenon_emission *e, tenon_buf *out);
void tenon_emit_checks(const tenon_emission *e, tenon_buf *out);
// Ends, at the end of the file, what these have begun.
void tenon_emit_close_checks(const tenon_emission *e, tenon_buf *out);

// dialect.c: what the target says of its compiler. Where what lies in a memory
// goes, false where it does not say; ^_CONST and ^_ALIGNED; widths of its
// types, and what it cannot have.
bool tenon_emit_section(const tenon_emission *e, tenon_buf *out,
                        const char *memory);
void tenon_emit_constant_default(const tenon_emission *e, tenon_buf *out);
void tenon_emit_aligned(const tenon_emission *e, tenon_buf *out);
void tenon_emit_widths(const tenon_emission *e, tenon_buf *out);
tenon_status tenon_emit_check_target(const tenon_emission *e);

// ways.c: how each kernel is printed; reports all that cannot be.
tenon_status tenon_emit_choose_ways(tenon_emission *e);

// bundle.c: the texts, into `texts`.
tenon_status tenon_emit_bundle(tenon_emission *e);
// Whether the texts define this name, or at least use it.
bool tenon_emit_has_word(const tenon_emission *e, const char *word);
// strip.c: adds a text without what must stay out of emitted C; false, with the
// line and name of an #include that cannot be had.
bool tenon_emit_strip(tenon_buf *out, const char *text, bool is_header,
                      char *include, size_t size);

// shake.c: takes the texts apart; what a kernel reads; marks what these texts
// lead to. False: memory ran out. text_parts_print.c: what is marked.
tenon_status tenon_emit_open_parts(tenon_emission *e);
void tenon_emit_close_parts(tenon_emission *e);
bool tenon_emit_take_apart(tenon_emission *e);
bool tenon_emit_reads_of(tenon_emission *e, const char *symbol,
                         tenon_emit_reads *reads);
bool tenon_emit_mark(tenon_emission *e, const tenon_buf *const *texts,
                     size_t n);
void tenon_emit_parts(const tenon_emission *e, tenon_buf *out, bool is_public);
// Whether what is printed has any of these words.
bool tenon_emit_has(const tenon_emission *e, uint32_t words);

// tables.c: small constants, each content once; all print an expression. One
// that is new is declared in `where`, at file level, under a name by its stem:
// d sizes, f floats, q quantisation, l lists, a attributes (g: generic ones).
void tenon_emit_table(tenon_emission *e, tenon_buf *where, tenon_buf *out,
                      const char *type, char stem,
                      const tenon_buf *initialiser);
void tenon_emit_ints(tenon_emission *e, tenon_buf *out, const int32_t *list,
                     size_t count);
void tenon_emit_quant(tenon_emission *e, tenon_buf *out, const tenon_quant *q);

// constants_file.c: large ones, as bytes of a file.
tenon_status tenon_emit_check_filed(tenon_emission *e);
bool tenon_emit_is_filed(const tenon_emission *e, uint32_t index);
// Refers to one; false: it stays in the source.
bool tenon_emit_filed_at(tenon_emission *e, tenon_buf *out, uint32_t index,
                         uint64_t offset);
void tenon_emit_filed_text(const tenon_emission *e, tenon_buf *out);
void tenon_emit_filed(const tenon_emission *e, tenon_sink *s);  // the bytes
// blob.c: the same, from the caller: whether, and what is refused; sizes, the
// text in front of the initialisation and its parameters, and the member; what
// a run and the initialisation look at; in a test program, where they come from
// and the arguments.
bool tenon_emit_is_blob(const tenon_emission *e);
tenon_status tenon_emit_check_blob(const tenon_emission *e);
tenon_status tenon_emit_check_blob_used(const tenon_emission *e);
void tenon_emit_blob_sizes(const tenon_emission *e, tenon_buf *out);
void tenon_emit_blob_header(const tenon_emission *e, tenon_buf *out);
const char *tenon_emit_blob_parameters(const tenon_emission *e);
void tenon_emit_blob_member(const tenon_emission *e, tenon_buf *out);
void tenon_emit_blob_check(const tenon_emission *e, tenon_buf *out);
void tenon_emit_blob_look(const tenon_emission *e, tenon_buf *out);
void tenon_emit_blob_reader(const tenon_emission *e, tenon_buf *out);
void tenon_emit_blob_arguments(const tenon_emission *e, tenon_buf *out);

// constants.c: the big arrays.
void tenon_emit_constant(tenon_emission *e, tenon_buf *out, uint32_t index,
                         uint64_t offset);
void tenon_emit_constants(const tenon_emission *e, tenon_sink *s);
uint64_t tenon_emit_constant_bytes(const tenon_emission *e);

// attrs.c: prints what a call's `attrs` is, "&kws_a3", and declares it; false
// where there are none.
bool tenon_emit_attrs(tenon_emission *e, tenon_buf *out,
                      const tenon_step *step);
bool tenon_emit_has_attrs(const tenon_emission *e, const tenon_step *step);
// An attribute by name, as a kernel sees it; false when there is none.
typedef struct tenon_attr_view {
  uint32_t kind;   // tenon_kind; 0: None
  bool is_arg;     // in a tenon_arg, where booleans and dtypes are int64
  const void *at;  // a member of that kind
} tenon_attr_view;
bool tenon_emit_find_attr(const tenon_emission *e, const tenon_step *step,
                          tenon_text name, tenon_attr_view *out);
// Whether the value is, or points to, an array; if it is a list, how long.
bool tenon_emit_is_list(const tenon_attr_view *v, size_t *count);
// values.c: the value as an initialiser; the array of a list, declared, or
// NULL.
void tenon_emit_value(tenon_emission *e, tenon_buf *out,
                      const tenon_attr_view *v);
void tenon_emit_array(tenon_emission *e, tenon_buf *out,
                      const tenon_attr_view *v);
// The i-th element of a list, or the number itself; kind 0 where it is none.
tenon_scalar tenon_emit_element(const tenon_attr_view *v, size_t i);
// The i-th text of a list of texts, which has one.
tenon_attr_view tenon_emit_text_of(const tenon_attr_view *v, size_t i);

// expand.c: texts with $-references in the place of a call. What they refer to
// by address is declared in `lines`.
typedef struct tenon_expansion {
  tenon_emission *e;
  const tenon_step *step;
  tenon_buf lines, body;
  uint8_t *is_declared;  // of the step's operands, then its results
} tenon_expansion;
// The whole of a step whose kernel is emitted in one of these two ways.
tenon_status tenon_emit_expansion(tenon_emission *e, tenon_buf *out,
                                  const tenon_step *step);
// Whether a template speaks of elements and their number alone, so that it
// holds of parts.
bool tenon_emit_takes_parts(const tenon_emission *e, const tenon_step *step);

// step.c, blocks.c, calls.c
// Whether an instance has room for the numbers of a fault; for a step that
// failed there is if `can_fail`.
bool tenon_emit_has_values(const tenon_emission *e);
tenon_status tenon_emit_steps(tenon_emission *e);
// invoke.c: what calls a kernel, into the body of a step's function. Which
// steps do it by one function is asked before the first of them.
tenon_status tenon_emit_share_calls(tenon_emission *e);
tenon_status tenon_emit_call(tenon_emission *e, tenon_buf *out,
                             const tenon_step *step);
// repeats.c: steps that are done over and over, as a loop. Which there are is
// asked behind tenon_emit_share_calls; the function of those from `step` on,
// if it is the first of a loop, then its name.
tenon_status tenon_emit_find_loops(tenon_emission *e);
bool tenon_emit_is_looped(const tenon_emission *e, uint32_t step);
tenon_status tenon_emit_put_loop(tenon_emission *e, uint32_t step);
const char *tenon_emit_loop_name(const tenon_emission *e, uint32_t step);
// piecewise.c: steps that are computed piece by piece. Which there are is asked
// before tenon_emit_share_calls; the function that does it, and its call, which
// an #else ends, behind which are the steps one by one.
typedef struct tenon_emit_group {
  const uint32_t *order;  // its steps
  uint32_t n;
  int64_t rows, tile;  // in all and of a piece
} tenon_emit_group;
// Elements of a step's result.
int64_t tenon_emit_count(const tenon_emission *e, const tenon_step *step);
tenon_status tenon_emit_find_groups(tenon_emission *e);
void tenon_emit_group_macro(const tenon_emission *e, tenon_buf *out);
void tenon_emit_group_function(const tenon_emission *e, tenon_buf *out,
                               const tenon_emit_group *g);
void tenon_emit_group_call(const tenon_emission *e, tenon_buf *out,
                           const tenon_emit_group *g);
// Outputs that the step's kernel wants to find zero.
void tenon_emit_zeros(tenon_emission *e, tenon_buf *out,
                      const tenon_step *step);
bool tenon_emit_step_fails(const tenon_emission *e, const tenon_step *step);
void tenon_emit_blocks(tenon_emission *e);
// The function that divides a step among threads, if some step can be.
void tenon_emit_split(const tenon_emission *e, tenon_buf *out);
void tenon_emit_calls(tenon_emission *e);
// The steps' functions, declared.
void tenon_emit_step_prototypes(const tenon_emission *e, tenon_buf *out);
// hooks.c: functions that are called around steps: what the header says, the
// members of an instance, the macros in blocks, the functions, what the
// initialisation does, what a test program counts with.
void tenon_emit_hooks_header(const tenon_emission *e, tenon_buf *out);
void tenon_emit_hook_members(const tenon_emission *e, tenon_buf *out);
void tenon_emit_hook_macros(const tenon_emission *e, tenon_buf *out);
void tenon_emit_hook_functions(const tenon_emission *e, tenon_buf *out);
void tenon_emit_hooks_init(const tenon_emission *e, tenon_buf *out);
void tenon_emit_counter(const tenon_emission *e, tenon_buf *out);
// observe.c: what steps are, and where their results lie, for whoever asks.
void tenon_emit_origins(tenon_emission *e, tenon_buf *out);
// "int kws_run(kws *m, const float *x, float *y)", without a semicolon.
// Written inputs are not const.
void tenon_emit_run_signature(const tenon_emission *e, tenon_buf *out,
                              uint32_t entry);
// The same of an accessor; `suffix` goes behind the name of a second one.
void tenon_emit_access_signature(const tenon_emission *e, tenon_buf *out,
                                 const tenon_io *io,
                                 const tenon_io_names *names, bool is_out);
// "int32_t kws_out_y_dim(const kws *m, int i)".
void tenon_emit_dim_signature(const tenon_emission *e, tenon_buf *out,
                              const tenon_io_names *names);
// Address of a tensor: "m->arena + 64", "NULL".
typedef struct tenon_emit_located {
  tenon_emission *e;
  const tenon_program_tensor *t;
} tenon_emit_located;
void tenon_emit_put_address(tenon_buf *out, const tenon_put_value *v);
#define tenon_as_address(e, t)                      \
  ((tenon_put_value){.put = tenon_emit_put_address, \
                     .as.p = &(tenon_emit_located){(e), (t)}})
// "x: s8[1,49,10,1]", for comments.
void tenon_emit_tensor_text(tenon_buf *out, const tenon_program_tensor *t);
void tenon_emit_dims(tenon_buf *out, tenon_dtype dtype, const int32_t *dims,
                     int rank);
// "kws.tflite: subgraph 0, op 17 (CONV_2D)", and "net.py:42" if there is one;
// nothing but what may be said in a stripped file.
void tenon_emit_place(const tenon_emission *e, tenon_buf *out,
                      const tenon_place *place, const char *between);

// header.c, manual.c, selftest.c, driver.c: whole files.
// They write to a sink, since they may be large; none of them can fail.
void tenon_emit_header(const tenon_emission *e, tenon_buf *out);
// "s8[1,12], real = 0.5 * (stored + 128)".
void tenon_emit_io_text(tenon_buf *out, const tenon_io *io);
// How a file beside the module begins: its comment, what it includes, the
// instance and the arrays of ports.
void tenon_emit_opening(const tenon_emission *e, const char *head,
                        const char *includes, tenon_buf *out);
void tenon_emit_manual(const tenon_emission *e, tenon_sink *s);
tenon_status tenon_emit_check_vectors(const tenon_emission *e);
void tenon_emit_selftest(const tenon_emission *e, tenon_sink *s);
void tenon_emit_driver(const tenon_emission *e, tenon_sink *s);
// The flags that a compiler needs, in one line.
void tenon_emit_driver_flags(const tenon_emission *e, tenon_sink *s);

// Adds a text of the emitter's own in which @ stands for the prefix and ^ for
// the prefix in upper case.
void tenon_emit_text(const tenon_emission *e, tenon_buf *out, const char *text);
// The same with values (base/put.h); integers as C has them, and texts of
// tenon_as_marked with such marks too.
void tenon_emit_put_marked(tenon_buf *out, const tenon_put_value *v);
TENON_PUT_AS(marked, const char *, p, tenon_emit_put_marked)
#define tenon_emit_put(e, out, fmt, ...) \
  tenon_emit_put_values(e, out, fmt, TENON_PUT_VALUES(__VA_ARGS__))
void tenon_emit_put_values(const tenon_emission *e, tenon_buf *out,
                           const char *fmt, const tenon_put_value *values);
// The same to a sink.
#define tenon_sink_put(e, s, fmt, ...) \
  tenon_sink_put_values(e, s, fmt, TENON_PUT_VALUES(__VA_ARGS__))
void tenon_sink_put_values(const tenon_emission *e, tenon_sink *s,
                           const char *fmt, const tenon_put_value *values);

// memories.c: what is written. Which blocks there are; an expression for an
// offset of the arena or of the state memory; what the header says and the
// module declares; what stands in front of a constant.
tenon_status tenon_emit_list_memories(tenon_emission *e);
void tenon_emit_memory_at(const tenon_emission *e, tenon_buf *out,
                          uint64_t offset, bool is_state);
// With what may be read behind it.
uint64_t tenon_emit_room(const tenon_emission *e, uint64_t size);
void tenon_emit_memory_sizes(const tenon_emission *e, tenon_buf *out);
void tenon_emit_memory_settings(const tenon_emission *e, tenon_buf *out);
void tenon_emit_memory_struct(const tenon_emission *e, tenon_buf *out);
void tenon_emit_memory_members(const tenon_emission *e, tenon_buf *out);
void tenon_emit_memories(const tenon_emission *e, tenon_buf *out);
tenon_put_value tenon_emit_constant_place(const tenon_emission *e,
                                          uint32_t index);
void tenon_emit_memory_rows(const tenon_emission *e, tenon_buf *out);
// Bytes of a further thread's scratch, with what may be read behind it.
uint64_t tenon_emit_scratch_size(const tenon_emission *e);
// binding.c: what a run looks at first, and the initialisation; an instance
// with memory in a test program, and its initialisation, behind which stands
// what happens if it fails.
void tenon_emit_memory_check(const tenon_emission *e, tenon_buf *out);
void tenon_emit_init_signature(const tenon_emission *e, tenon_buf *out);
void tenon_emit_memory_init(const tenon_emission *e, tenon_buf *out);
void tenon_emit_instance(const tenon_emission *e, tenon_buf *out);
void tenon_emit_instance_init(const tenon_emission *e, tenon_buf *out,
                              const char *failed);

// caller.c: inputs and outputs that stay where the caller has them: "input, not
// copied"; members of the instance; where one lies; what the header says; what
// a run looks at first. Then, for a test program: its arrays, where the data of
// an input or output goes, what it gives to a run.
const char *tenon_emit_io_kind(const tenon_io *io, bool is_output);
void tenon_emit_port_members(const tenon_emission *e, tenon_buf *out);
void tenon_emit_port_at(tenon_buf *out, uint32_t port, uint64_t offset);
void tenon_emit_port_header(const tenon_emission *e, tenon_buf *out);
void tenon_emit_port_functions(const tenon_emission *e, tenon_buf *out);
void tenon_emit_bind_ports(const tenon_emission *e, tenon_buf *out,
                           uint32_t entry);
void tenon_emit_port_arrays(const tenon_emission *e, tenon_buf *out);
void tenon_emit_io_data(const tenon_emission *e, tenon_buf *out, uint32_t entry,
                        uint32_t index, bool is_output);
void tenon_emit_io_argument(const tenon_emission *e, tenon_buf *out,
                            uint32_t entry, uint32_t index, bool is_output);

#endif  // TENON_EMIT_EMISSION_H
