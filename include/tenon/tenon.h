// tenon/tenon.h - reading, compiling, running and emitting models.
//
//   context -> module -> program -> session
//   (what is known)  (a graph)  (a plan)  (memory)
//
// Objects come from *_create, *_read or *_compile, belong to the caller, and
// end with *_destroy, which accepts null. Each keeps what it was made from
// alive; only a session does not: its program must outlive it. A context is
// configured by one thread and then immutable; a program is immutable; a module
// and a session belong to one thread at a time. Diagnostics are reported in the
// thread that made the call: one sink may be called by several at once.
//
// Defaults for every function here: a call that returns a status may fail with
// TENON_NO_MEMORY; pointers are not null; nothing passed in is retained; a
// failure has reported at least one error to the sink. Option structs start
// with `struct_size`; a null pointer to one means all defaults, and so does
// zero in a member.
#ifndef TENON_TENON_H
#define TENON_TENON_H

#include "tenon/alloc.h"
#include "tenon/base.h"
#include "tenon/diag.h"
#include "tenon/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_context tenon_context;
typedef struct tenon_module tenon_module;
typedef struct tenon_program tenon_program;
typedef struct tenon_session tenon_session;
typedef struct tenon_pool tenon_pool;
struct tenon_plugin;
struct tenon_step_counter;
struct tenon_timeline;

// Receives text in pieces; any status but TENON_OK stops the writer and is
// returned to its caller. `file` is relative to the output's folder; null where
// there is one text only. Pieces of one file come one after the other.
typedef tenon_status tenon_write_fn(void *self, const char *file,
                                    const char *text, size_t size);

// How a report is written. A function says which of these it knows; another is
// TENON_BAD_ARGUMENT.
typedef enum tenon_format {
  TENON_FORMAT_TEXT = 0,
  TENON_FORMAT_JSON,
  TENON_FORMAT_DOT,
  TENON_FORMAT_MERMAID,
  TENON_FORMAT_SVG,
  TENON_FORMAT_HTML,
  TENON_FORMAT_CSV,
  TENON_FORMAT_OUTLINE  // JSON of a module without data of constants and states
} tenon_format;

// The version of this library, "0.1.0".
TENON_API const char *tenon_version(void);

// ---------------------------------------------------------------------------
// What is known
// ---------------------------------------------------------------------------

typedef struct tenon_context_options {
  uint32_t struct_size;
  uint32_t flags;                // TENON_CONTEXT_*
  tenon_allocator allocator;     // zero: the C library's
  tenon_diag_sink diag;          // zero: diagnostics are dropped
  const char *const *overrides;  // names a plugin may replace; ends with null
  const char *compiler;          // builds plugins given as C source; null: "cc"
  const char *cache_dir;  // where these are kept, keyed by content, compiler
                          // and ABI; null: a fresh folder under the system's
                          // temporary one, removed with the context
  // Called with the new context, one after the other, to add and remove
  // descriptors; a status but TENON_OK ends the creation with it. The list ends
  // with a null function; null: none.
  const struct tenon_customiser *customisers;
  // Of the processor's features, words of kernels' `needs`, those that kernels
  // for the target "host" may use: "sse2 avx2 fma". Null: all that it has.
  const char *features;
} tenon_context_options;
typedef struct tenon_customiser {
  tenon_status (*customise)(void *self, tenon_context *cx);
  void *self;
} tenon_customiser;

enum { TENON_CONTEXT_LOAD_PLUGINS = 1u << 0 };  // off: only linked-in plugins

// Makes a context that knows the operator sets linked into this build.
TENON_API TENON_NODISCARD tenon_status
tenon_context_create(const tenon_context_options *options, tenon_context **out);
// Makes a context that knows these plugins in place of the operator sets of
// this build: `plugins` gives one for each i from 0 on, and null behind the
// last. For running saved programs with few kernels (`tenon select` writes such
// a function): linked statically with --gc-sections, a program that makes its
// contexts so has nothing in it of what they do not name. Of these plugins,
// which may use reserved names, and of those added later, operators, kernels
// and targets are taken; the rest is for compiling.
typedef const struct tenon_plugin *tenon_plugins_fn(size_t i);
TENON_API TENON_NODISCARD tenon_status
tenon_context_create_with(const tenon_context_options *options,
                          tenon_plugins_fn *plugins, tenon_context **out);
// Adds every descriptor of `plugin` or none. The plugin and all that it points
// to must outlive the context. Fails with TENON_CONFLICT once a module has been
// read (what a name means never changes under a graph) or when a name is taken,
// with TENON_BAD_PLUGIN when a descriptor does not hold together.
TENON_API TENON_NODISCARD tenon_status
tenon_context_add(tenon_context *cx, const struct tenon_plugin *plugin);
// Loads a shared library, C source or bindings in YAML, which are compiled
// first, or every one of these in a folder, in order of name. A file that is
// loaded already is left alone, with a note. Needs TENON_CONTEXT_LOAD_PLUGINS.
TENON_API TENON_NODISCARD tenon_status tenon_context_load(tenon_context *cx,
                                                          const char *path);
// The same for a plugin in YAML that is in memory; `name` is what reports call
// it. Nothing of the text is kept.
TENON_API TENON_NODISCARD tenon_status tenon_context_load_text(
    tenon_context *cx, const char *name, const void *text, size_t size);
// Writes the C source of a plugin for the kernels that a YAML file binds
// (docs/bindings.md), as one file. The context stays as it is.
TENON_API TENON_NODISCARD tenon_status tenon_context_bindings(
    tenon_context *cx, const char *path, tenon_write_fn *write, void *self);
// The same for YAML that is in memory; `name` is what reports call it.
TENON_API TENON_NODISCARD tenon_status tenon_context_bindings_text(
    tenon_context *cx, const char *name, const void *text, size_t size,
    tenon_write_fn *write, void *self);
// Takes one descriptor out again: "acme::gain", "kernel acme_gain_f32".
TENON_API TENON_NODISCARD tenon_status tenon_context_remove(tenon_context *cx,
                                                            const char *name);
// Ends configuration and checks what can only be checked when all is there: a
// kernel or lowering for an operator that nobody defines, a lowering that
// builds one. Reading a module does it too; calling it first gives the errors
// earlier.
TENON_API TENON_NODISCARD tenon_status tenon_context_freeze(tenon_context *cx);

typedef enum tenon_registry_kind {
  TENON_REGISTRY_OPS = 1,  // desc: tenon_op_desc
  TENON_REGISTRY_KERNELS,  // tenon_kernel_desc
  TENON_REGISTRY_LOWERINGS,
  TENON_REGISTRY_PASSES,
  TENON_REGISTRY_READERS,
  TENON_REGISTRY_TARGETS,
  TENON_REGISTRY_PACKAGES,
  TENON_REGISTRY_CATALOGS
} tenon_registry_kind;

// One registered descriptor. Everything points into the context.
typedef struct tenon_registered {
  uint32_t kind;        // tenon_registry_kind
  uint32_t is_builtin;  // 1: part of this build
  const char *name;     // "acme::gain"; a kernel's symbol; a lowering's name
  const char *op;       // of a kernel or lowering: which operator; else null
  const char *owner;    // plugin: "acme"
  const char *version;  // of the plugin
  const char *origin;   // file it was loaded from; null when linked in
  const void *desc;     // tenon_op_desc, tenon_kernel_desc, ...
} tenon_registered;

// Fills `list` with at most `capacity` descriptors of a kind, sorted by name,
// and returns how many there are.
TENON_API size_t tenon_context_list(const tenon_context *cx, uint32_t kind,
                                    tenon_registered *list, size_t capacity);
// The operator, kernel, ... of exactly this name, by the grammar of names
// ("ns::name" is the overload `default`). False when there is none; then
// `nearest`, if not null, receives the closest registered name, or null.
TENON_API bool tenon_context_find(const tenon_context *cx, uint32_t kind,
                                  const char *name, tenon_registered *out,
                                  const char **nearest);
// The i-th set whose names only this library defines, for new names too: taking
// one is an override. Null behind the last.
TENON_API const char *tenon_reserved_set(size_t i);
// Writes the key of a custom code of a .tflite into `key`, at most `size` bytes
// with the final zero, and returns its length: blanks trimmed at both ends,
// ASCII letters upper case, '-' to '_'.
TENON_API size_t tenon_custom_key(const char *code, char *key, size_t size);
// Of the options of a custom operator of a .tflite, which mostly are a map of
// FlexBuffers: the i-th key, null behind the last, and the type of a schema
// that has its value, null where there is none. False: they are no map.
TENON_API bool tenon_options_key(const void *data, size_t size, size_t i,
                                 const char **key, const char **type);
TENON_API void tenon_context_destroy(tenon_context *cx);

// One argument or result of a schema.
typedef struct tenon_argument_info {
  const char *name;      // "" for a result without one
  const char *type;      // "Tensor(a!)", "int[2]", "float?"
  const char *standard;  // the default as a schema writes it; null: none
  uint32_t kind;    // tenon_kind of an attribute struct's member; 0: a tensor,
                    // or what no member can hold
  uint32_t flags;   // TENON_ARGUMENT_*
  int32_t length;   // of T[n]; 0: any
  int32_t written;  // of a written argument: the result, counted as in
                    // tenon_call, that is its value afterwards; else -1
} tenon_argument_info;

enum {
  TENON_ARGUMENT_TENSOR = 1u << 0,
  TENON_ARGUMENT_LIST = 1u << 1,
  TENON_ARGUMENT_OPTIONAL = 1u << 2,  // may be None
  TENON_ARGUMENT_KEYWORD_ONLY = 1u << 3
};

// A schema taken apart: what `torch.library` would say of the string.
typedef struct tenon_signature {
  const char *name;  // "acme::gain.out"
  const char *set, *base, *overload;
  const char *text;  // in canonical form
  const tenon_argument_info *args, *results;
  size_t n_args, n_results;  // results as declared
} tenon_signature;

// Parses a schema. The context, which gives memory and receives the error, must
// outlive the signature.
TENON_API TENON_NODISCARD tenon_status tenon_signature_read(
    tenon_context *cx, const char *schema, const tenon_signature **out);
TENON_API void tenon_signature_destroy(const tenon_signature *signature);

// ---------------------------------------------------------------------------
// A graph
// ---------------------------------------------------------------------------

// Weights that lie apart from the program that needs them: tensors by the names
// that the program has for them. From a .safetensors, another .pt2, a file of
// torch.save with a dictionary of tensors (recognised from the bytes, which
// must outlive the weights and all modules read with them), or one by one.
typedef struct tenon_weights tenon_weights;
// `name` is what reports call them. Null data: none yet.
TENON_API TENON_NODISCARD tenon_status tenon_weights_read(tenon_context *cx,
                                                          const void *data,
                                                          size_t size,
                                                          const char *name,
                                                          tenon_weights **out);
// Adds one, whose dense data is copied. Types that NumPy lacks may be given as
// bits: u16 is taken for bf16, u8 for float8 where the program says so.
TENON_API TENON_NODISCARD tenon_status tenon_weights_add(
    tenon_weights *w, const char *name, const tenon_tensor *tensor);
TENON_API size_t tenon_weights_count(const tenon_weights *w);
TENON_API void tenon_weights_destroy(tenon_weights *w);

// Gives the bytes of a file that lies beside the one that is read: `name` is
// that of a file, never a path. They must outlive the module and every program
// compiled from it. Called during the reading, once per file; a failure's
// status is that of the reading.
typedef tenon_status tenon_beside_fn(void *self, const char *name,
                                     const void **data, size_t *size);

typedef struct tenon_read_options {
  uint32_t struct_size;
  uint32_t flags;             // TENON_READ_*
  const char *name;           // in places: "kws.tflite"
  const char *const *shapes;  // "x=1x3x224x224", "s77=7", and as a bound of
                              // what stays open "s77=<=64"; ends with null
  int64_t batch;              // every open first dimension of an input; 0: open
  const tenon_weights *weights;  // null: as the file has them, if it has. They
                                 // come before the file's, which are taken
                                 // where none is given; none may be missing
                                 // from both, or left over
  tenon_beside_fn *beside;  // for a .tflite with external buffers; null: it
                            // is refused
  void *beside_self;
} tenon_read_options;

enum {
  // Sizes of inputs that the file leaves open, and that neither `shapes` nor
  // `batch` fixes, take the size that the file holds for now (a .tflite states
  // both), where it holds one.
  TENON_READ_STORED_SIZES = 1u << 0,
  // Compares every checksum that the file has, also those of large members:
  // reads the file whole.
  TENON_READ_CHECK_CRC = 1u << 1
};

// Recognises the format from the bytes. The module may point into `data`,
// which must outlive it and every program compiled from it.
TENON_API TENON_NODISCARD tenon_status
tenon_module_read(tenon_context *cx, const void *data, size_t size,
                  const tenon_read_options *options, tenon_module **out);
// `target` is "host" (this machine, what its processor has), "c" (portable C:
// no kernel that needs a feature), or a name that a plugin adds. Lowering asks
// what its kernels cover; so it is set before the first pass, and once. "host"
// where nobody says.
TENON_API TENON_NODISCARD tenon_status
tenon_module_set_target(tenon_module *m, const char *target);
// Which modules of the source become one operator, and which.
typedef struct tenon_outline_options {
  uint32_t struct_size;
  uint32_t flags;  // 0
  const char
      *class_name;     // "RMSNorm", with or without its package; `*` and `?`
  const char *module;  // "layers.*.norm"; null: any. One of both is needed
  // The operator, and what it takes: "acme::rms_norm(..., eps=1e-6)". `...` is
  // all that the module takes from outside, then its parameters, each in the
  // order in which they are first used; `weight` is one parameter, another word
  // the next of what comes from outside; "eps=aten::add.Tensor(other)" is an
  // attribute, or a number, of the only such node.
  const char *as;
} tenon_outline_options;
// Makes a core::composite of all nodes of each such module: that operator where
// a kernel or a lowering covers it, and the nodes elsewhere. Which module a
// node is of, the file tells (a .pt2 does). None found:
// TENON_BAD_ARGUMENT. Called before the first pass.
TENON_API TENON_NODISCARD tenon_status
tenon_module_outline(tenon_module *m, const tenon_outline_options *options);
// Other names for inputs, outputs or states (`kind`, a tenon_io_kind), in their
// order; of the entry of that name, null: the default one; states are the
// module's. What the file has, converters often made up. Another count, a name
// that is empty or stands twice, or one with a blank, ',' or ';' is
// TENON_BAD_ARGUMENT.
TENON_API TENON_NODISCARD tenon_status
tenon_module_rename(tenon_module *m, const char *entry, uint32_t kind,
                    const char *const *names, size_t n);
// The value in which a state begins, instead of the file's or zeros: dense, of
// the state's type, and copied. It may be a state that only a lowering makes,
// such as `default_generator`, from which random operators draw (u32[628]: a
// seed and zeros are torch.manual_seed(seed)); one that the program never has
// is TENON_BAD_ARGUMENT when it is compiled. Called before the first pass.
TENON_API TENON_NODISCARD tenon_status tenon_module_set_state(
    tenon_module *m, const char *name, const tenon_tensor *value);
// Drops the other entry points, with functions and weights that only they use:
// for looking at one. No such entry: TENON_BAD_ARGUMENT.
TENON_API TENON_NODISCARD tenon_status tenon_module_keep(tenon_module *m,
                                                         const char *entry);
// Applies passes: "lower,fold,cse,dce". A module whose transformation failed
// can be printed and destroyed, nothing else. `trace`, if not null, is called
// before
// (`after` false) and after each pass.
typedef tenon_status tenon_trace_fn(void *self, const tenon_module *m,
                                    const char *pass, bool after);
TENON_API TENON_NODISCARD tenon_status tenon_module_transform(
    tenon_module *m, const char *pipeline, tenon_trace_fn *trace, void *self);
// The built-in passes in the order in which tenon_program_compile applies them,
// as a string.
TENON_API const char *tenon_default_pipeline(void);
// A built-in pass: what it does, which options it takes ("key=default" among
// blanks, or null), whether it may be left out, and whether it runs unless it
// is. False behind the last.
typedef struct tenon_pass_info {
  const char *name, *doc, *options;
  uint32_t is_optional, is_default;
} tenon_pass_info;
TENON_API bool tenon_builtin_pass(size_t i, tenon_pass_info *out);
// What is to be done with the passes of a name, or of a pattern: "*", "acme_*".
typedef struct tenon_pass_rule {
  const char *name;
  const char *options;  // "key=value key2=value"; null: as they are
  int32_t enabled;      // 1, 0; -1: as it is. A pattern switches off only what
                        // is optional
  uint32_t reserved;    // 0
} tenon_pass_rule;      // frozen
typedef struct tenon_pipeline_options {
  uint32_t struct_size;
  uint32_t n_rules;
  const char *pipeline;  // "lower,dce"; null: the built-in passes, and behind
                         // each those of plugins that ask for it
  const tenon_pass_rule *rules;  // the later one wins
} tenon_pipeline_options;
// Writes the pipeline for modules of a context. Null options: what
// tenon_program_compile applies by default.
TENON_API TENON_NODISCARD tenon_status tenon_context_pipeline(
    const tenon_context *cx, const tenon_pipeline_options *options,
    tenon_write_fn *write, void *self);
// The program as text IR (can be read again), JSON, DOT or Mermaid.
TENON_API TENON_NODISCARD tenon_status tenon_module_print(const tenon_module *m,
                                                          uint32_t format,
                                                          tenon_write_fn *write,
                                                          void *self);
// What the file holds: call, inputs, outputs, states, operators with counts,
// weights, metadata. TEXT or JSON.
TENON_API TENON_NODISCARD tenon_status tenon_module_info(const tenon_module *m,
                                                         uint32_t format,
                                                         tenon_write_fn *write,
                                                         void *self);
// For every operator, what will happen and why: kernel, lowering, or nothing;
// unknown operators with count and places; which steps a session computes piece
// by piece; what was registered and not used. TEXT or JSON. Lowers and plans
// the module to find out. TENON_UNSUPPORTED when something is not covered; the
// report has been written all the same. `flags`: TENON_COMPILE_*, which decide
// what happens.
TENON_API TENON_NODISCARD tenon_status
tenon_module_explain(tenon_module *m, uint32_t format, uint32_t flags,
                     tenon_write_fn *write, void *self);
TENON_API void tenon_module_destroy(tenon_module *m);

// ---------------------------------------------------------------------------
// A plan
// ---------------------------------------------------------------------------

// One function of a module under a name. Entries of one program share constants
// of equal content and one arena: a session runs one at a time. Those of one
// module share its states. States of several modules are apart, and called
// "decode.cache" after the first entry of their module, unless
// tenon_compile_options.shared_states says otherwise.
typedef struct tenon_entry {
  const char *name;  // "decode"; null: the function's
  tenon_module *module;
  const char *function;  // signature or function in the module; null: all that
                         // the module offers, each under its own name, behind
                         // "decode." where there are several
} tenon_entry;

typedef struct tenon_compile_options {
  uint32_t struct_size;
  uint32_t flags;        // TENON_COMPILE_*
  const char *pipeline;  // what is still to be applied; null: the default one
  const char *const *kernels;  // "core::conv=my_symbol": choose this kernel
                               // where it matches; ends with null; null: none
  tenon_trace_fn *trace;       // as in tenon_module_transform; may be null
  void *trace_self;
  uint64_t plan_effort;  // steps that each search of the planner may take, the
                         // same on every machine; 0: about a tenth of a
                         // second, less behind the pass `stripe`
  // "dtcm=64K", "sram=512K", "flash=2M:rom", in order of preference; ends with
  // null; null: those of the target. What does not fit the first goes on to the
  // next. Constants go to those that are `rom`, and by rules to those that are
  // "ext=8M:cold": what lies there is copied before each step that reads it; or
  // to those that are written. "ext=8M:cold:prefetch": begun a step ahead
  // (tenon_prefetch_fn). ":align=N", up to 64: what lies in a memory begins at
  // a multiple of that.
  const char *const *memories;
  // "input:*=sram", "conv1/w*=flash", "x=dtcm@256" (256 bytes behind its
  // start): the first pattern that a name matches decides; ends with null.
  const char *const *places;
  const char *const *shared_states;  // names, or "*" for all, of states that
                                     // are one where modules have them alike;
                                     // ends with null; null: none
  // Which inputs and outputs a run reads and writes where the caller has them:
  // "caller" (all), "input:*=caller", "y=plan"; the last that matches decides;
  // ends with null; null: none, they have places in the plan. Such tensors are
  // dense, aligned as tenon_session_run asks for, and inputs have 64 readable
  // bytes behind them.
  const char *const *io;
} tenon_compile_options;

enum {
  // Chooses the reference kernel of every operator: the way the other ways are
  // compared with.
  TENON_COMPILE_REFERENCE = 1u << 0,
  // Applies lowerings that change numbers (TENON_LOWERING_INEXACT), too.
  TENON_COMPILE_INEXACT = 1u << 1,
  // Plans by heuristics only, without any search.
  TENON_COMPILE_QUICK_PLAN = 1u << 2,
  // Steps run in the order of the model, where another would need less memory.
  TENON_COMPILE_KEEP_ORDER = 1u << 3,
  // Constants stay that kernels have packed, so that the program can be saved.
  TENON_COMPILE_SAVABLE = 1u << 4,
  // No result lies over an operand that is still being read. Else it does where
  // that makes the arena smaller and its kernel declares it
  // (tenon_kernel_desc.overlap); such steps run undivided, results are the
  // same.
  TENON_COMPILE_NO_OVERLAP = 1u << 5
};

// Applies the rest of the pipeline to the modules, then plans. All modules have
// one target and one context.
TENON_API TENON_NODISCARD tenon_status tenon_program_compile(
    const tenon_entry *entries, size_t n, const tenon_compile_options *options,
    tenon_program **out);

typedef enum tenon_memory_kind {
  TENON_MEMORY_STATE =
      1,                 // keeps variables between runs: one block per session
  TENON_MEMORY_SCRATCH,  // free between runs: sessions that never run at the
                         // same time may share a block
  TENON_MEMORY_SESSION   // the session itself
} tenon_memory_kind;

typedef struct tenon_memory {
  const char *name;  // "session", "arena", "state": a target's memories are
                     // parts of the last two
  size_t size;       // largest that declared bounds allow; without bounds, or
                     // where they allow more than 1 GiB, for the sizes that
                     // the file holds for now, or small ones
  size_t align;
  uint32_t kind;   // tenon_memory_kind
  uint32_t index;  // in the list
} tenon_memory;    // frozen

// Describes the blocks a session of so many threads needs, at most `capacity`
// of them, and returns how many there are.
TENON_API size_t tenon_program_memory(const tenon_program *p, int threads,
                                      tenon_memory *list, size_t capacity);
// The index of an entry, or -1. A null name is the default one: the only entry,
// or the first.
TENON_API int tenon_program_find(const tenon_program *p, const char *entry);
TENON_API size_t tenon_program_entries(const tenon_program *p);
TENON_API const char *tenon_program_entry_name(const tenon_program *p,
                                               int entry);

// Inputs, outputs and states of an entry. Everything points into the program.
typedef struct tenon_io {
  const char *name;
  const int64_t *dims;       // `rank` entries; -1: open
  const tenon_quant *quant;  // or null
  tenon_dtype dtype;
  uint8_t rank;
  uint16_t flags;  // TENON_IO_*
  // "[?n*2,3]", as `tenon info` shows it; "" where it is no tensor. The
  // program's, as `name` is.
  const char *shape;
} tenon_io;
enum {
  TENON_IO_WRITTEN = 1u << 0,  // an input that a run also writes: its tensor's
                               // data gets the value that it has afterwards
  TENON_IO_CALLER = 1u << 1    // is read or written where the caller has it
                               // (tenon_compile_options.io)
};
typedef enum tenon_io_kind {
  TENON_IO_INPUTS = 1,
  TENON_IO_OUTPUTS,
  TENON_IO_STATES
} tenon_io_kind;
TENON_API size_t tenon_program_io(const tenon_program *p, int entry,
                                  uint32_t kind, tenon_io *list,
                                  size_t capacity);
// The shape of an input where some open sizes are numbers: `shapes` as in
// tenon_read_options, "x=4x3" and "s77=7", without bounds; ends with null, or
// is null. `batch` is every open first dimension; 0: they stay open. dims gets
// as many entries as the input has dimensions, -1 for what is still open.
// TENON_BAD_ARGUMENT: no such entry, input or name; TENON_BAD_INPUT: a size
// that it cannot be. Both but for null are told to the context's sink.
TENON_API TENON_NODISCARD tenon_status
tenon_program_shape(const tenon_program *p, int entry, int input,
                    const char *const *shapes, int64_t batch, int64_t *dims);

// One step of the quantised numbers that an output holds, where lowerings that
// change numbers computed them (TENON_COMPILE_INEXACT): as far it may be from
// what the program gives without. Of integers 1. 0: it was not changed, or what
// stands behind is no step of one scale, or the program was loaded.
TENON_API double tenon_program_step(const tenon_program *p, int entry,
                                    uint32_t output);

// What a program costs, in bytes unless said otherwise.
typedef struct tenon_program_stats {
  uint32_t struct_size;
  uint32_t steps;        // of all blocks
  uint64_t arena;        // offsets assigned to values and scratch
  uint64_t arena_bound;  // no packing of the chosen order can be smaller: most
                         // bytes live at any step, or more where the search
                         // has ruled that out
  uint64_t state;
  uint64_t constants;         // plain and packed
  uint64_t packed;            // part of them made by kernels' pack functions,
                              // what several share once
  uint64_t kernels;           // count of different kernels
  uint64_t macs;              // multiply-accumulates of one run of entry 0
  uint64_t arena_is_optimal;  // 1: proved that no packing is smaller
} tenon_program_stats;
TENON_API void tenon_program_measure(const tenon_program *p,
                                     tenon_program_stats *out);
// The plan: steps, kernels, offsets, memory. TEXT, JSON, SVG or HTML (pictures
// of the arena, offset against time), or CSV (lifetimes and sizes, as `tenon
// pack` and MiniMalloc read them).
enum { TENON_PLAN_WHY = 1u << 0 };  // also the kernels that lost, and why
TENON_API TENON_NODISCARD tenon_status
tenon_program_print(const tenon_program *p, uint32_t format, uint32_t flags,
                    tenon_write_fn *write, void *self);

// A recorded run, for a self-test: all inputs and expected outputs of an entry.
typedef struct tenon_vectors {
  int entry;
  const tenon_tensor *in;
  size_t n_in;
  const tenon_tensor *out;
  size_t n_out;
  double abs, rel;  // tolerance for floats; integers are exact
} tenon_vectors;

typedef struct tenon_emit_options {
  uint32_t struct_size;
  uint32_t flags;      // TENON_EMIT_*
  const char *prefix;  // of every external symbol; null: from the module's name
  const char *package;  // a packager (tenon/ext/package.h), such as "cmake" or
                        // "single" (one .c that holds the header); null: one
                        // .c, one .h, README
  const tenon_vectors
      *vectors;      // adds <prefix>_test.c with a main that runs them
  size_t n_vectors;  // one after the other, on one instance
  // Whose memory an instance has: "caller" (given to <prefix>_init), "own", or
  // of one memory "sram=caller"; the later wins; ends with null; null: its own.
  const char *const *arenas;
  // Constants of so many bytes or more go to <prefix>_constants.bin, which the
  // assembler includes (ELF, gcc or clang), or which is linked or loaded by the
  // application (<PREFIX>_CONSTANTS_EXTERN), or given by the caller of
  // <prefix>_init (TENON_EMIT_BLOB); others stay numbers in the source.
  // 0: all of them. Not with several memories, nor where there is one file.
  uint64_t constants_file_from;
  // What a package says of itself: "license=MIT" (of SPDX), "url=https://...",
  // "author=A. Name <a@b.c>", "version=1.0.2"; the later wins; ends with null.
  // What a layout asks for and nobody says is made up, with a warning.
  const char *const *about;
} tenon_emit_options;

enum {
  TENON_EMIT_STRIP = 1u << 0,   // no file names and source lines
  TENON_EMIT_EXTERN = 1u << 1,  // kernels without a text are declared extern
                                // and linked by the user, instead of an error
  // Adds <prefix>_driver.c: a main that reads the raw bytes of every input of
  // every run from standard input, and writes the raw outputs to standard
  // output, and behind them the written inputs as they are after the run. Two
  // bytes precede each run: the entry's index, and flags (1: reset the states
  // first; 2: write all states behind that, too). And <prefix>_driver.flags:
  // what a compiler must be told, "-std=c99 -mavx2".
  TENON_EMIT_DRIVER = 1u << 2,
  // The bytes of <prefix>_constants.bin (constants_file_from) are in no
  // program: <prefix>_init gets their address and size, and checks size,
  // alignment and hash.
  TENON_EMIT_BLOB = 1u << 3
};

// Writes standalone C. Reports what cannot be emitted before it writes
// anything.
TENON_API TENON_NODISCARD tenon_status
tenon_program_emit(const tenon_program *p, const tenon_emit_options *options,
                   tenon_write_fn *write, void *self);
// The program as bytes, in order, in one call of `write` or several: plan,
// kernels by name, constants, and what kernels have packed of these, to be used
// where it lies. It was compiled with TENON_COMPILE_SAVABLE. What loads it
// needs the kernels and the operators' descriptors, and no reader, pass or
// planner.
enum {
  TENON_SAVE_STRIP = 1u << 0,  // without places in the model
  // Without what kernels have packed: about half as large where that is most of
  // it; whoever loads it packs again.
  TENON_SAVE_UNPACKED = 1u << 1
};
TENON_API TENON_NODISCARD tenon_status tenon_program_save(
    const tenon_program *p, uint32_t flags, tenon_write_fn *write, void *self);
// A program from such bytes, which may come from anywhere: all kernels that the
// context lacks are named at once, then everything is checked as if it were
// being compiled. Kernels pack their constants again where the bytes do not
// have them packed, or for other kernels than this machine's. What steps read
// is compared with its hashes, on all processors where it is large. `name` is
// of the file.
enum {
  // The bytes outlive the program, at an address divisible by 64: constants are
  // used where they lie.
  TENON_LOAD_BORROW = 1u << 0
};
TENON_API TENON_NODISCARD tenon_status
tenon_program_load(tenon_context *cx, const void *data, size_t size,
                   const char *name, uint32_t flags, tenon_program **out);
// Whether bytes are a saved program, and what they say of themselves, kernels
// that are not here included. TEXT or JSON.
TENON_API bool tenon_program_is_saved(const void *data, size_t size);
TENON_API TENON_NODISCARD tenon_status tenon_program_describe(
    tenon_context *cx, const void *data, size_t size, const char *name,
    uint32_t format, tenon_write_fn *write, void *self);
TENON_API void tenon_program_destroy(tenon_program *p);

// ---------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------

// How work is spread. `run` calls task(arg, i, thread) once for every i below
// `count`, thread below `threads`, and returns when all are done. No two calls
// at the same time have the same thread. A session asks for it only where a
// step takes long enough. Frozen.
typedef struct tenon_parallel {
  void *self;
  int threads;
  void (*run)(void *self, int64_t count,
              void (*task)(void *arg, int64_t i, int thread), void *arg);
} tenon_parallel;

// Threads of Tenon's own. Those that have nothing to do look for work for up to
// 40 microseconds, then they sleep, until a session has some.
// Sessions may share a pool, at the same time too: a step that finds it taken
// runs on the thread of its session alone. `threads` counts that thread: 1 or
// less makes none. At most 256.
TENON_API TENON_NODISCARD tenon_status tenon_pool_create(
    const tenon_allocator *allocator, int threads, tenon_pool **out);
TENON_API const tenon_parallel *tenon_pool_parallel(const tenon_pool *pool);
TENON_API void tenon_pool_destroy(tenon_pool *pool);

// What an observer is told after each step. Nothing outlives the call.
typedef struct tenon_step_info {
  uint32_t struct_size;
  int32_t entry;
  uint32_t step;  // index in the program
  uint32_t n_out;
  const char *op;      // "core::conv"
  const char *kernel;  // symbol
  const tenon_place *place;
  const tenon_tensor *out;   // n_out results
  const char *const *names;  // of the results, as the file has them
  uint64_t macs;    // multiply-accumulates, of the sizes of this run; 0: not
                    // known
  uint64_t arena;   // bytes of the arena that hold values at these sizes
  uint32_t joined;  // steps that were computed together, this one with them; 1:
                    // it was alone
  uint32_t joined_at;  // which of these it is: 0 and up
} tenon_step_info;
// A status but TENON_OK ends the run with it.
typedef tenon_status tenon_observe_fn(void *self, const tenon_step_info *step);

// A constant that lies in a cold memory (tenon_compile_options.memories) and is
// about to be read.
typedef struct tenon_cold_block {
  const char *memory;  // "ext"
  const char *name;    // of the constant
  const void *data;    // its bytes as the program has them
  uint64_t offset;     // in the image of the memory, as emitted C has it
  uint64_t size;
} tenon_cold_block;  // frozen
// Copies it to `to`, which is aligned for whoever reads it and as its memory
// asks. A status but TENON_OK ends the run with it. Called by the thread that
// runs, never by two at once for one session.
typedef tenon_status tenon_hydrate_fn(void *self, const tenon_cold_block *block,
                                      void *to);
// Begins to copy it, and returns; `hydrate` of the same session is called with
// the same block and address before any step reads it, and waits for the end.
// Until then nobody else touches these bytes. Of a memory that is "prefetch"
// (NAME=SIZE:cold:prefetch) every block comes here first, then to `hydrate`,
// and in that order; between the two runs the step in front of the one that
// reads it, where there is one in its block of steps that is no branch or loop.
typedef tenon_status tenon_prefetch_fn(void *self,
                                       const tenon_cold_block *block, void *to);

enum {
  // Every step that can be divided is, among all threads, where that is slower,
  // too: to test kernels.
  TENON_SESSION_DIVIDE_ALL = 1u << 0,
  // With `observe`: steps that are computed together still are, and it is told
  // of them behind the last, when results between them may be gone. Without
  // it, such steps run one by one while somebody observes.
  TENON_SESSION_OBSERVE_GROUPS = 1u << 1
};

typedef struct tenon_session_options {
  uint32_t struct_size;
  uint32_t flags;       // TENON_SESSION_*
  void *const *memory;  // the blocks that tenon_program_memory listed
  const tenon_parallel *parallel;  // null: the calling thread alone
  const tenon_allocator *grow;     // for sizes beyond the blocks, and for what
                                // states of strings point to; null: such a run
                                // fails with TENON_NO_SPACE, and a program that
                                // has such states is refused
  const tenon_diag_sink *diag;  // null: the context's
  tenon_observe_fn *observe;    // null: nobody watches
  void *observe_self;
  tenon_hydrate_fn *hydrate;  // null: cold constants are copied from where the
                              // program has them
  void *hydrate_self;
  tenon_prefetch_fn *prefetch;  // with hydrate_self, and only beside `hydrate`;
                                // null: nothing is begun ahead
  // tenon/trace.h. One zeroed counter for each step of the program, as many as
  // tenon_program_stats.steps; null: nobody counts.
  struct tenon_step_counter *counters;
  size_t n_counters;
  struct tenon_timeline *timeline;  // null: nothing is written down
} tenon_session_options;

// Never allocates without `grow`, and then only when a size exceeds the largest
// seen, sizes change in a loop, or a state of strings is written. The session
// lives in its block and needs no destroying; with `grow`, tenon_session_deinit
// gives back what it took.
TENON_API TENON_NODISCARD tenon_status
tenon_session_init(const tenon_program *p, const tenon_session_options *options,
                   tenon_session **out);
// Inputs and outputs stand in the order of the entry's signature. An input that
// is a number is a tensor of rank 0; None has dtype 0. An output with null data
// stays in the session's memory until the next run; its view is filled in. One
// with data has room for the largest size that data may decide, and gets the
// dims of the run. An
// input that the program writes (TENON_IO_WRITTEN) is written in the caller's
// memory once all outputs are. A failed run writes neither, and leaves the
// state as the failing step found it; the session can run again.
//
// What has TENON_IO_CALLER is not copied: it has data, dense and aligned (the
// refusal says to what; 64 always is); an input's has 64 readable bytes behind
// it, and an output's lies over nothing else that is given. An output's bytes
// are any while the run goes on, and after one that failed.
TENON_API TENON_NODISCARD tenon_status
tenon_session_run(tenon_session *s, int entry, const tenon_tensor *in,
                  size_t n_in, tenon_tensor *out, size_t n_out);
// A view of a state by name, to read or to set between runs. Strings that are
// set point to bytes that stay until the next run is over.
TENON_API TENON_NODISCARD tenon_status tenon_session_state(tenon_session *s,
                                                           const char *name,
                                                           tenon_tensor *out);
// Puts all state back to its initial values.
TENON_API TENON_NODISCARD tenon_status tenon_session_reset(tenon_session *s);
TENON_API void tenon_session_deinit(tenon_session *s);

#ifdef __cplusplus
}
#endif

#endif  // TENON_TENON_H
