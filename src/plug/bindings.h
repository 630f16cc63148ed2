// plug/bindings.h - kernels bound to operators in YAML, before they are C.
//
// ExecuTorch's functions.yaml and custom_ops.yaml are taken as they are: a list
// of entries with `op` (an operator that there is) or `func` (one that is
// described here), and under `kernels` C functions by name, each for the types
// that its `arg_meta` names through aliases. docs/bindings.md has the rules.
// What comes out serves the functional operator: the `out` arguments of what
// stands in the file become results.
//
//   read     bindings_read.c   entries of all files, every fault with its place
//   operator bindings_op.c     which operator, and the parameters of a function
//   keys     bindings_key.c    aliases multiplied out; two equal keys refused
//   when     glue_when.c       conditions, as C
//   text     glue.c            C between a tenon_call and the functions
//   others   bindings_seen.c   files of the same context add up
//   load     bindings_load.c   compiled with the user's sources, and blamed
//
// All of it lives in the arena of one tenon_bindings.
#ifndef TENON_PLUG_BINDINGS_H
#define TENON_PLUG_BINDINGS_H

#include "base/buf.h"
#include "conf/yaml.h"
#include "reg/context.h"

// What a parameter of the C function is taken from.
typedef enum tenon_bind_role {
  TENON_BIND_IN,    // tensor argument `index`
  TENON_BIND_ATTR,  // attribute `index`
  TENON_BIND_OUT    // result `index` of a call; may hold the value before
} tenon_bind_role;

typedef struct tenon_bind_param {
  const tenon_argument *argument;
  const char *name;
  uint8_t role;    // tenon_bind_role
  uint16_t index;  // among the operands, attributes or results of a call
  uint16_t slot;   // IN and OUT: number among the tensors of the function
} tenon_bind_param;

// One row of types: element type, rank and dimension order of each slot.
typedef struct tenon_bind_key {
  const tenon_yaml *at;
  const tenon_dtype *dtypes;  // 0: any plain one
  const int8_t *ranks;        // -1: any
  // "0231" of one that lies otherwise than outermost dimension first; null
  const char *const *orders;
  bool is_ordered;     // one of them does
  uint16_t n_fixed;    // slots with a type: the more specialised wins
  bool is_general;     // arg_meta: null
  const char *symbol;  // of the kernel
} tenon_bind_key;

typedef struct tenon_bind_kernel {
  const tenon_yaml *at;   // of kernel_name
  const char *name;       // as written, "custom::mul3_out_impl"
  const char *function;   // the C function that it means
  const char *needs;      // features of the target; null: none
  const char *condition;  // `when` as an expression of C; null: none
  bool may_fail;          // returns a tenon_status
  bool has_dims;          // sizes of tensors are dims and rank, not a count
  tenon_bind_key *keys;
  size_t n_keys;
  struct tenon_bind_kernel *next;
} tenon_bind_kernel;

typedef struct tenon_bind_op {
  const tenon_yaml *at;  // of `op` or `func`
  const char *written;   // as there: "add.out"
  const tenon_schema *given;
  const tenon_schema *schema;  // of the operator that is served
  const char *text;            // its schema
  const tenon_op *existing;    // null: described by this file
  tenon_bind_param *params;
  uint16_t n_params, n_slots, n_results;
  bool is_atens;        // `func` without a set: ATen's, by ExecuTorch's rule
  bool is_random;       // by its tags: equal calls may differ
  const int16_t *like;  // per result: the operand that it is like; null: none
  // Of all keys the least score, and whether another file has some.
  int least;
  bool is_seen;
  tenon_bind_kernel *first, **tail;
  struct tenon_bind_op *next;
} tenon_bind_op;

// A file that the bindings name: C source, header, object or library.
typedef struct tenon_bind_file {
  const char *path;      // as the compiler is to open it
  const tenon_yaml *at;  // null: the default one
  tenon_text text;       // of a source
  struct tenon_bind_file *next;
} tenon_bind_file;

typedef struct tenon_bindings {
  tenon_context *cx;
  tenon_arena *arena;
  const char *path;    // of the file that was given
  const char *plugin;  // "custom_ops", an identifier
  tenon_bind_op *first, **tail;
  tenon_bind_file *sources, *headers, *libraries;
  size_t n_left;  // operators that are named without kernels
  bool has_dims;
} tenon_bindings;

// Keys of a map that tenon_bindings_read takes; other parts of a plugin in YAML
// have others.
#define TENON_BINDINGS_KEYS \
  "bindings", "sources", "headers", "libraries", "sizes"

// `root` is a list of entries, or a map that has them under `bindings`.
// All faults are reported.
tenon_status tenon_bindings_read(tenon_bindings *b, tenon_context *cx,
                                 tenon_arena *arena, const char *path,
                                 const tenon_yaml *root);
// Compiles them with their sources and adds the plugin. `id` is the identity of
// the file.
tenon_status tenon_bindings_load(tenon_bindings *b, const uint64_t id[2]);

// --- steps -------------------------------------------------------------------

// The operator that `op` or `func` names, with schema and parameters.
tenon_status tenon_bindings_op(const tenon_bindings *b, const tenon_yaml *at,
                               bool is_func, tenon_bind_op *op);
// `like: {output: input}`, the shape rule of an operator that is described
// here.
tenon_status tenon_bindings_like(const tenon_bindings *b, const tenon_yaml *at,
                                 tenon_bind_op *op);
// The keys of a kernel from its arg_meta.
tenon_status tenon_bindings_keys(const tenon_bindings *b,
                                 const tenon_yaml *entry, const tenon_yaml *at,
                                 const tenon_bind_op *op,
                                 tenon_bind_kernel *kernel);
// `when` of a kernel as an expression of C that is 1 where it holds.
tenon_status tenon_bindings_when(const tenon_bindings *b,
                                 const tenon_bind_op *op, const tenon_yaml *at,
                                 const char **out);
// How specialised a key is: the larger is called. Of equal ones those that ask
// for other features or have other conditions go together; that they do not fit
// one call at once is seen when the call is there (TENON_KERNEL_ALONE).
int tenon_bind_score(const tenon_bind_kernel *k, const tenon_bind_key *key);
bool tenon_bind_are_apart(const tenon_bind_kernel *k, const char *needs,
                          const char *condition);
// Whether two orders of a slot are the same; null is outermost first.
bool tenon_bind_same_order(const char *a, const char *b);
TENON_INLINE tenon_status tenon_bindings_memory(const tenon_bindings *b) {
  return tenon_fail_memory(&b->cx->report, "reading bindings");
}
// Names the kernels' symbols and refuses equal keys. When all is read.
tenon_status tenon_bindings_settle(const tenon_bindings *b);

// That each function is defined in a source, or may be declared in a header;
// for `tenon bind` also that nothing is said of where they are.
tenon_status tenon_bindings_check_functions(const tenon_bindings *b,
                                            bool may_be_elsewhere);
// What files that are loaded already have: equal keys are refused.
tenon_status tenon_bindings_check_seen(tenon_bindings *b);
tenon_status tenon_bindings_remember(const tenon_bindings *b);

// --- text --------------------------------------------------------------------

// Whether parameter `p` of the function is a pointer to elements of this one
// type, and not a tenon_tensor; else 0.
tenon_dtype tenon_glue_plain(const tenon_bind_kernel *k,
                             const tenon_bind_param *p);
// "void custom_mul3(const float *input, size_t input_count, ...)"; the type
// alone without a name.
void tenon_glue_prototype(const tenon_bind_op *op, const tenon_bind_kernel *k,
                          const char *name, tenon_buf *out);
// A function that C text defines, from *at on; false: no more.
bool tenon_glue_function(tenon_text text, size_t *at, tenon_text *name);
bool tenon_glue_defines(const tenon_bindings *b, const char *function);
// The plugin. To be compiled here, errors of the compiler are told of the
// user's own files, and only headers declare what no source defines.
typedef enum tenon_glue_use {
  TENON_GLUE_KEPT,
  TENON_GLUE_COMPILED
} tenon_glue_use;
tenon_status tenon_glue_write(const tenon_bindings *b, tenon_glue_use use,
                              tenon_buf *out);
// Stands in the compiler's message when function number i does not fit.
#define TENON_GLUE_MARK "tenon-bind"

#endif  // TENON_PLUG_BINDINGS_H
