// ir/graph.h - the program being compiled: module, graph, node, value.
//
// A module holds functions; a function is a graph; a graph is a list of nodes
// in execution order that ends in its results. `core::cond` and `core::while`
// own regions, which are graphs inside a node and may use values of the graphs
// around them. Everything is in SSA form: a value is defined once, by a node,
// as a parameter of a graph, or as a constant of the module.
//
// Everything lives in the module's arena and is given back with the module;
// erased nodes are unlinked, not freed. Types, attributes and constants are
// never changed in place: a value gets another type, a node other attributes.
// Only ir/build.c and ir/edit.c change links. One thread at a time.
#ifndef TENON_IR_GRAPH_H
#define TENON_IR_GRAPH_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/vec.h"
#include "core/loc.h"
#include "core/symbol/symbol.h"
#include "core/type.h"
#include "reg/context.h"
#include "reg/registry.h"

typedef struct tenon_graph tenon_graph;
typedef struct tenon_use tenon_use;

// Regions within regions, and bodies within parentheses in text.
#define TENON_MAX_NESTING 64

typedef enum tenon_value_kind {
  TENON_VALUE_RESULT = 1,
  TENON_VALUE_PARAM,
  TENON_VALUE_CONSTANT
} tenon_value_kind;

struct tenon_value {
  uint8_t kind;     // tenon_value_kind
  bool has_failed;  // stands for a value that could not be made
                    // (ir/rewrite/rewrite.h)
  uint16_t flags;   // 0
  uint32_t id;      // dense in the module: index of side tables
  uint32_t index;   // result of its node, parameter of its graph, or constant
  tenon_loc loc;
  tenon_type type;
  const char *name;    // as the file has it: may be empty, repeated, or hostile
  tenon_node *node;    // RESULT
  tenon_graph *graph;  // PARAM
  const tenon_tensor *constant;  // CONSTANT: dense data, dims and quantisation
                                 // of its own; data may point into the file.
                                 // Strings lie in the arena. Null
                                 // data: tenon_tensor_is_apart, or `turned`
  struct tenon_turned *turned;   // CONSTANT without data yet; null: none.
                                 // ir/turned.h
  const int32_t *strides;        // PARAM that stands for a program's tensor
                                 // (tnp/check.c); null: dense
  tenon_use *uses;               // in no particular order
  uint32_t n_uses;
  uint32_t n_elements;
  // What its elements are, as far as shape rules know (tenon_infer_api.holds);
  // null: nothing is known.
  const tenon_dim *elements;
  const tenon_tensor *known;  // the same where all are numbers; null: not
};

// An operand of a node, and a link in its value's list of uses.
struct tenon_use {
  tenon_value *value;  // null: absent operand
  tenon_node *node;
  uint32_t index;  // operand
  tenon_use *next, *previous;
};

struct tenon_node {
  const tenon_op *op;        // null only for the end of a graph
  const tenon_arg *args;     // canonical attributes (core/attr.h)
  const void *attrs;         // what callbacks and kernels see
  tenon_use *in;             // flattened operands
  const uint16_t *in_group;  // as in tenon_call; null: all single
  tenon_value **out;         // flattened results; declared ones first, then the
                             // written arguments once functional
  const uint16_t *out_group;
  tenon_graph **regions;
  uint16_t n_in, n_out, n_regions;
  uint16_t n_in_groups, n_out_groups;  // entries of the group arrays less one;
                                       // without arrays: n_in, n_out
  bool is_functional;                  // written arguments have become results
                                       // (pass/functional/functional.c)
  bool is_erased;
  bool is_in_state;  // result `state_out` is written where operand `state_in`
  uint8_t state_in, state_out;  // lies, a state's (plan/alias/in_state.c)
  bool is_state_view;           // of such a value, and may lie there too
  tenon_loc loc;
  uint32_t id;     // dense in the module
  uint32_t order;  // ascending within its graph; renumbered on demand
  tenon_graph *graph;
  tenon_node *next, *previous;
  // Symbols whose values a run of this node finds out, in the order in which
  // its kernel writes them to `sizes` (tenon_infer_api.decided).
  const uint32_t *decided;
  uint32_t n_decided;
  // Options of an operator nobody describes, as the file has them; for
  // printing.
  const void *opaque;
  size_t opaque_size;
};

struct tenon_graph {
  const char *name;  // of a function; "" for a region
  tenon_module *module;
  tenon_node *parent;  // of a region; null for a function
  uint32_t index;      // among the functions, or the regions of the parent
  tenon_value **params;
  uint16_t n_params;
  tenon_node *first, *last;  // without the end
  tenon_node *end;           // its operands are the results; never null
  tenon_loc loc;
  uint16_t depth;    // regions around it
  bool is_numbered;  // `order` ascends (ir/edit.h)
};

// Names of results as the file's user sees them, e.g. of a signature. An input
// that the program writes is an ordinary parameter; its value after the run is
// one more result of the graph, behind the outputs. So it is a use like others,
// and no pass has to know.
typedef struct tenon_entry_point {
  const char *name;  // "serving_default"
  tenon_graph *graph;
  const char *const *inputs;   // n_params names
  const char *const *outputs;  // end->n_in - n_writes names
  const uint16_t *writes;      // parameter that takes result
                               // end->n_in - n_writes + i; each at most once
  uint16_t n_writes;
} tenon_entry_point;

typedef struct tenon_state {
  const char *name;
  tenon_type type;
  const tenon_tensor *initial;  // null: zeros
  tenon_loc loc;
  bool is_borrowed;  // when it is built: initial's data outlives the module
} tenon_state;

// A relation that sizes must have: what the file was exported under. Checked
// when a run has bound its sizes; the text is what the user reads.
typedef struct tenon_guard {
  uint32_t relation;  // tenon_relation
  tenon_dim a, b;
  const char *text;  // why, in the file's words; may be empty
  bool is_derived;   // a shape rule's, not the file's: found again by rules
  tenon_loc loc;     // who says so: of the node, or of the file
} tenon_guard;

// The key before the name of an entry point: how a user of the source would
// call it, as text.
#define TENON_CALL_KEY "call "
// The key before the name of an operator that Tenon does not know: what a call
// of it says of its schema, as text.
#define TENON_SCHEMA_KEY "schema "

typedef struct tenon_metadata {
  const char *key;
  const void *data;
  size_t size;
} tenon_metadata;

// A call of a module of the source; ir/scope.h.
typedef struct tenon_scope {
  const char *name;  // "layers.0.norm@1"
  const char *type;  // "pkg.RMSNorm"
  uint32_t outer;    // index of the call around it, plus 1; 0: none
} tenon_scope;

// Where something should lie, as a project's rule has it.
typedef struct tenon_wish {
  struct tenon_wish *next;
  const char *text;   // "value:x=dtcm", as tenon_compile_options.places
  tenon_place place;  // of the rule
} tenon_wish;

struct tenon_module {
  tenon_context *cx;    // retained
  tenon_report report;  // the context's sink
  tenon_arena arena;
  const char *name;    // in places
  bool is_anonymous;   // the name is only that of the text it was parsed from
  const char *format;  // "tflite", "text"
  const char *description;
  const void *file;   // what it was read from, which outlives its programs; or
  size_t file_size;   // null
  const void *apart;  // a file of weights that it was read with; likewise
  size_t apart_size;
  const char *target;  // null: not set yet
  tenon_locs locs;
  tenon_symbols symbols;
  TENON_VEC(tenon_graph *) functions;
  TENON_VEC(tenon_entry_point) entries;
  TENON_VEC(tenon_value *)
  constants;  // in order of creation; unused ones stay
              // until dce drops them
  TENON_VEC(tenon_state) states;
  TENON_VEC(tenon_state) given;  // what states begin with (ir/initial.h)
  tenon_map state_names;         // to indices
  TENON_VEC(tenon_scope) scopes;
  tenon_map scope_names;  // to indices, plus 1
  TENON_VEC(tenon_metadata) metadata;
  TENON_VEC(tenon_guard) guards;
  tenon_map unknown;  // name to a tenon_op of this module without descriptor
  uint32_t n_values, n_nodes;
  uint32_t applied;       // passes applied so far, as bits that api.c defines
  bool is_broken;         // a transformation failed
  const char *remarks;    // lines: what passes traded for what; or null
  tenon_wish *wishes;     // in order; or null
  const char *const *io;  // as tenon_compile_options.io; or null
  struct tenon_packed *packed;  // by the planner (plan/pack_once.c); or null
  bool is_striped;              // pass stripe has cut it, and packed on the way
  bool keeps_apart;  // TENON_COMPILE_NO_OVERLAP; passes that measure see it
  uint32_t nesting;  // lowerings running inside shape rules (ir/infer/infer.c)
  atomic_uint references;
};

// The weights of this constant or state lie apart from the program, and nobody
// has brought them: it has elements and no data. It can be planned and emitted,
// not folded or run.
TENON_INLINE bool tenon_tensor_is_apart(const tenon_tensor *t) {
  return t && !t->data && tenon_count(t) > 0;
}

// The weights of a constant lie apart: it has neither data nor what they are
// made of.
TENON_INLINE bool tenon_value_is_apart(const tenon_value *v) {
  return !v->turned && tenon_tensor_is_apart(v->constant);
}

TENON_INLINE const char *tenon_node_name(const tenon_node *n) {
  return n->op ? n->op->name : "return";
}
TENON_INLINE tenon_value *tenon_node_in(const tenon_node *n, uint32_t i) {
  return n->in[i].value;
}
// Results of an entry that are outputs; the others are written into inputs.
TENON_INLINE uint32_t tenon_entry_outputs(const tenon_entry_point *e) {
  return (uint32_t)e->graph->end->n_in - e->n_writes;
}
TENON_INLINE const tenon_place *tenon_node_place(const tenon_node *n) {
  return tenon_locs_place(&n->graph->module->locs, n->loc);
}
// Operands of tensor argument `arg`: their count, *first the first's index.
int tenon_node_group(const tenon_node *n, int arg, int *first);
// Attribute by name; null when the node has none of that name.
const tenon_arg *tenon_node_arg(const tenon_node *n, const char *name);
// Entry i of an attribute of integers (0 of a single one), also a symbol;
// TENON_UNKNOWN where there is none.
tenon_dim tenon_node_size(const tenon_node *n, const char *name, int i);
// Whether the node itself finds out the number.
bool tenon_node_decides(const tenon_node *n, uint32_t symbol);
// The constant that a value is, or is known to be equal to; null: it is none,
// or its data are apart. `v` may be null.
const tenon_tensor *tenon_value_known(const tenon_value *v);
// Element i of a list of integers, where it is known before the run. `v` may be
// null.
bool tenon_value_element(const tenon_value *v, int64_t i, tenon_dim *out);
// Whether a loop carries its value i in sizes that it finds out anew behind
// each round: those of its parameter are numbers that it decides.
bool tenon_loop_grows(const tenon_node *n, uint32_t i);
// Whether the number alone is a size of a result.
bool tenon_node_is_sized_by(const tenon_node *n, uint32_t symbol);
bool tenon_op_is(const tenon_op *op, const char *name);
bool tenon_node_is(const tenon_node *n, const char *op);
bool tenon_op_is_pure(const tenon_op *op);
// Any operand, result or attribute is of complex numbers; or an attribute is.
bool tenon_node_is_complex(const tenon_node *n);
bool tenon_node_has_complex(const tenon_node *n);
// Nobody misses it where its results are not used.
bool tenon_op_is_droppable(const tenon_op *op);

tenon_status tenon_module_create(tenon_context *cx, const char *name,
                                 tenon_module **out);
void tenon_module_retain(tenon_module *m);
void tenon_module_release(tenon_module *m);
// The record of an operator that no descriptor describes, one per name.
const tenon_op *tenon_module_unknown_op(tenon_module *m, const char *name);
// The registered operator of that name or such a record.
const tenon_op *tenon_module_op(tenon_module *m, const char *name);
int tenon_module_find_state(const tenon_module *m, const char *name);
// What stands under the key of `kind` ("schema ") and `name`; null: nothing.
const tenon_metadata *tenon_module_find_metadata(const tenon_module *m,
                                                 const char *kind,
                                                 const char *name);

// The function that a graph is, or is a region within.
tenon_graph *tenon_graph_function(tenon_graph *g);
bool tenon_module_is_entry(const tenon_module *m, const tenon_graph *g);

// Calls `visit` for every node of the graph and of its regions, each node
// before its regions' nodes; the visited node may be erased or replaced. Stops
// at the first status that is not TENON_OK.
typedef tenon_status tenon_visit_fn(void *self, tenon_node *node);
tenon_status tenon_graph_visit(tenon_graph *g, tenon_visit_fn *visit,
                               void *self);
tenon_status tenon_module_visit(tenon_module *m, tenon_visit_fn *visit,
                                void *self);

#endif  // TENON_IR_GRAPH_H
