// read/tflite/tflite_import.h - what the files of the .tflite import share.
//
// tflite.c goes through the file; tflite_tensor.c and tflite_quant.c make types
// and constants of tensors, tflite_sparse.c checks sparse ones, tflite_node.c
// makes nodes of operators, tflite_options.c reads options, tflite_entry.c
// signatures, tflite_calls.c references to subgraphs, tflite_called.c functions
// of what is passed to them, tflite_names.c names,
// tflite_planned.c what a file plans of memory.
// State of one import is here; nothing of it outlives the import, but what is
// in the module's arena.
//
// A failure has been reported when a function here returns one. `place` in a
// report comes from the tenon_import_*_place functions and is overwritten by
// the next call of one.
#ifndef TENON_READ_TFLITE_IMPORT_H
#define TENON_READ_TFLITE_IMPORT_H

#include "base/label.h"
#include "ir/build.h"
#include "ir/graph.h"
#include "read/tflite/tflite_model.h"

// The set of the operators of tflite_ops.def, and of custom ones that nobody
// describes.
#define TENON_TFLITE_SET "tfl"
#define TENON_TFLITE_CUSTOM_SET "custom"

// An operator code, resolved when an operator first uses it.
typedef struct tenon_import_code {
  const tenon_op *op;   // null: not resolved yet
  tenon_tflite_op row;  // of a builtin
  uint32_t version;
  uint32_t refusal;  // its descriptor serves other versions: index plus 1
  bool is_custom;
  char label[TENON_LABEL];
} tenon_import_code;

// What is made of a buffer when it is first needed in another form.
typedef struct tenon_import_buffer {
  const void *aligned;  // copy at 64 bytes
  const void *bools;    // copy with every byte 0 or 1
} tenon_import_buffer;

// An operator of one subgraph refers to another.
typedef struct tenon_import_call {
  uint32_t from, to;
  tenon_loc loc;
} tenon_import_call;

// A function of a subgraph that has another one, which takes other sizes.
typedef struct tenon_import_copy {
  uint32_t subgraph;
  tenon_graph *graph;
} tenon_import_copy;

// An operator's function is such a one: item `item` of slot `slot`.
typedef struct tenon_import_callee_row {
  const struct tenon_import_callee_row *next;
  int slot;
  uint32_t item, function;
} tenon_import_callee_row;

// Who calls a function, with what.
typedef struct tenon_called {
  tenon_value *const *in;  // null entries: absent
  uint32_t n_in;
  tenon_loc loc;
  bool is_loop;  // what the file leaves open may change from round to round
} tenon_called;

typedef enum tenon_import_progress {
  TENON_IMPORT_NOT_BEGUN,
  TENON_IMPORT_BEGUN,
  TENON_IMPORT_DONE
} tenon_import_progress;

// A refused version, for the report of all of them.
typedef struct tenon_import_refusal {
  const tenon_import_code *code;
  const tenon_op *served;  // what serves other versions
  tenon_loc loc;           // of the first operator
  uint32_t count;
} tenon_import_refusal;

typedef struct tenon_import {
  tenon_context *cx;
  tenon_module *m;
  tenon_tflite file;
  tenon_arena scratch;
  tenon_import_code *codes;      // as many as the file has
  tenon_import_buffer *buffers;  // the same
  const tenon_read_options *options;
  // Fills a function that is empty; `by` may be null: nobody calls it. Of
  // tflite.c, which makes its nodes, which call functions.
  tenon_status (*read_subgraph)(struct tenon_import *im, uint32_t subgraph,
                                tenon_graph *f, const struct tenon_called *by);
  tenon_bytes *groups;  // files of external buffers; null: none was asked for
  TENON_VEC(tenon_import_refusal) refusals;
  TENON_VEC(tenon_import_call) calls;
  TENON_VEC(tenon_import_copy) copies;
  tenon_map names[4];    // tenon_import_names: names taken, and how often
  uint32_t *signatures;  // per subgraph its first signature, plus 1
  bool *is_body;         // per subgraph: of a loop
  uint8_t *progress;     // per subgraph: tenon_import_progress
  int n_nested;          // subgraphs that are under way
  uint64_t budget;  // bytes and strings that may still be read, though shared
  uint64_t dense_bytes;  // that sparse constants have become
  tenon_buf text;
  char labels[2][TENON_LABEL];
  char where[2 * TENON_LABEL];
  tenon_place place;
} tenon_import;

typedef struct tenon_import_tensor {
  tenon_fb_table table;
  tenon_type type;     // as the file declares it; in the scratch arena
  tenon_value *value;  // null: not made yet
  tenon_bytes data;    // of a constant
  const char *input;   // what its signature calls it; or null
  uint32_t producer;   // index of the operator that writes it, plus 1
  bool is_constant, is_variable, is_input, is_sparse, is_external;
  bool has_unknown_rank;
} tenon_import_tensor;

typedef struct tenon_import_graph {
  tenon_import *im;
  tenon_fb_table table;
  uint32_t index;
  tenon_graph *graph;
  tenon_import_tensor *tensors;
  uint32_t n_tensors;
  tenon_fb_vector inputs, outputs, operators;
  bool is_resized;  // a caller passes other sizes than the file says
  const tenon_import_callee_row *callees;  // of the node being made
  bool *is_workspace;  // per operand of the node being made: its reader of
                       // options says so
} tenon_import_graph;

// ---------------------------------------------------------------------------
// Names and places (tflite_names.c)
// ---------------------------------------------------------------------------

typedef enum tenon_import_names {
  TENON_IMPORT_FUNCTIONS,
  TENON_IMPORT_ENTRIES,
  TENON_IMPORT_STATES,
  TENON_IMPORT_SYMBOLS
} tenon_import_names;
// `name`, or with a number behind it if it is taken; in the module's arena.
// Null when memory ran out, which has been reported.
const char *tenon_import_unique(tenon_import *im, tenon_map *taken,
                                const char *name);
// The same, kept until the slot (0 or 1) is used again.
const char *tenon_import_label(tenon_import *im, int slot, tenon_text name);

const tenon_place *tenon_import_graph_place(const tenon_import_graph *g);
const tenon_place *tenon_import_tensor_place(const tenon_import_graph *g,
                                             uint32_t tensor);
const tenon_place *tenon_import_operator_place(const tenon_import_graph *g,
                                               uint32_t op, const char *label);
// Any other table; `what` says which.
const tenon_place *tenon_import_table_place(tenon_import *im, const char *what,
                                            uint32_t index,
                                            const tenon_fb_table *table);
tenon_loc tenon_import_loc(tenon_import *im, const tenon_place *place);
// Counts what several operators or tensors may refer to, so that none is read
// again and again.
tenon_status tenon_import_spend(tenon_import *im, uint64_t amount,
                                const tenon_place *place);
// For a builder that has failed and reported it.
tenon_status tenon_import_built(const tenon_import *im);

// ---------------------------------------------------------------------------
// Tensors (tflite_tensor.c, tflite_quant.c, tflite_sparse.c,
// tflite_external.c)
// ---------------------------------------------------------------------------

// Reads and checks every tensor of the graph.
tenon_status tenon_import_tensors(tenon_import_graph *g);
// The value of a tensor that is a constant or has no elements.
tenon_status tenon_import_constant(tenon_import_graph *g, uint32_t tensor);
// By the number of the schema; 0: none of ours.
tenon_dtype tenon_import_dtype(int64_t type);
// Of a tensor whose dimensions are known; null: none.
tenon_status tenon_import_quant(tenon_import_graph *g, uint32_t tensor,
                                const tenon_quant **out);
// The data of an external buffer, in the file that whoever reads opens. In
// tflite_external.c.
tenon_status tenon_import_external(tenon_import_graph *g, uint64_t id,
                                   const tenon_place *place, tenon_bytes *out);
// Checks that the pattern of a sparse tensor is one, and its data complete.
tenon_status tenon_import_sparsity(tenon_import_graph *g, uint32_t tensor);
// The elements of one whose pattern has been checked, zeros included; they
// live as long as the module.
tenon_status tenon_import_dense(tenon_import_graph *g, uint32_t tensor,
                                const void **out);

// ---------------------------------------------------------------------------
// Operators (tflite_node.c, tflite_code.c, tflite_options.c, tflite_calls.c)
// ---------------------------------------------------------------------------

tenon_status tenon_import_node(tenon_import_graph *g, uint32_t op);
// The value of a tensor that an operator or the graph reads.
tenon_status tenon_import_use(tenon_import_graph *g, int64_t tensor,
                              tenon_loc reader, tenon_value **out);
// The operator's code, resolved, and the place of the operator.
tenon_status tenon_import_resolve(tenon_import_graph *g, uint32_t op,
                                  const tenon_import_code **out,
                                  tenon_loc *loc);
// What a reader of options may know of a tensor; false: there is none, or -1
// stands in its place. In tflite_planned.c.
bool tenon_import_look(const tenon_import_graph *g, int64_t tensor,
                       tenon_file_tensor *out);
bool tenon_import_is_empty(const tenon_import_tensor *t);
// Nothing has data for it, and no operator writes it.
bool tenon_import_is_blank(const tenon_import_tensor *t);
// One error for all operators whose version is not served.
tenon_status tenon_import_refuse(tenon_import *im);

// Checks the subgraphs that an options table of this type names; one that is
// absent names the first. `spec` has the operands. Of an operator that is
// described imports them, and gives results their types.
tenon_status tenon_import_calls(tenon_import_graph *g,
                                const tenon_fb_type *type,
                                const tenon_fb_table *options,
                                tenon_node_spec *spec);
// That none of all those named leads back to itself.
tenon_status tenon_import_check_calls(tenon_import *im);

// Of STABLEHLO_COMPOSITE with the name of an operator that a plugin describes:
// the node, with both ways to compute it. *out null: it is none. In
// tflite_composite.c.
tenon_status tenon_import_composite(tenon_import_graph *g, uint32_t op,
                                    const tenon_import_code *code,
                                    const tenon_node_spec *spec,
                                    tenon_node **out);
// Fills attributes of `spec->op` from bytes, as of a custom operator.
tenon_status tenon_import_attributes(tenon_import_graph *g, tenon_bytes bytes,
                                     uint32_t version, tenon_node_spec *spec);
// Fills attributes or opaque bytes of the node to be made.
tenon_status tenon_import_options(tenon_import_graph *g, uint32_t op,
                                  const tenon_import_code *code,
                                  tenon_node_spec *spec);

// Members of options tables that are indices of subgraphs (tflite_calls.def).
enum { RESULTS_SAME, RESULTS_ONE, RESULTS_ANY };
typedef struct tenon_call_row {
  const char *options;  // name of the table
  uint8_t slot, first, results;
} tenon_call_row;
enum {
  TENON_CALL_ROWS = 0
#define CALL(options, slot, first, results) +1
#include "read/tflite/tflite_calls.def"
#undef CALL
};
extern const tenon_call_row tenon_call_rows[TENON_CALL_ROWS];

// ---------------------------------------------------------------------------
// Functions (tflite_called.c)
// ---------------------------------------------------------------------------

// Appends an empty function of a subgraph to the module.
tenon_status tenon_import_make_function(tenon_import *im, uint32_t subgraph);
// Makes the parameters of one.
tenon_status tenon_import_params(tenon_import_graph *g, const tenon_called *by);
// The function of a subgraph for what is passed, imported if it is not yet.
// *out null: it is under way, so that it calls itself, or too deep.
tenon_status tenon_import_function(tenon_import *im, uint32_t subgraph,
                                   const tenon_called *by,
                                   const tenon_graph **out);
// The index of the function that an operator names as `subgraph` in its
// options.
int64_t tenon_import_callee(const tenon_import_graph *g, int slot,
                            uint32_t item, int64_t subgraph);

// ---------------------------------------------------------------------------
// Around the graphs (tflite_entry.c)
// ---------------------------------------------------------------------------

tenon_status tenon_import_entries(tenon_import *im);
tenon_status tenon_import_metadata(tenon_import *im);

#endif  // TENON_READ_TFLITE_IMPORT_H
