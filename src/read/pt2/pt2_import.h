// read/pt2/pt2_import.h - what the files of the .pt2 import share.
//
// pt2.c finds the programs of an archive and goes through one; pt2_types.c
// makes types and sizes, pt2_symbols.c symbols and numbers that depend on them,
// pt2_weights.c constants of weights, pt2_signature.c parameters, states
// and the entry, pt2_outputs.c results, pt2_graph.c scopes and regions,
// pt2_node.c nodes, pt2_operands.c and pt2_args.c their arguments, pt2_names.c
// names and places.
//
// A failure has been reported when a function here returns one. State of one
// import is here; nothing of it outlives the import, but what is in the
// module's arena.
#ifndef TENON_READ_PT2_IMPORT_H
#define TENON_READ_PT2_IMPORT_H

#include "base/label.h"
#include "core/attr.h"
#include "ir/build.h"
#include "ir/graph.h"
#include "read/json.h"
#include "read/unique.h"
#include "read/weights/state_dict.h"
#include "read/weights/weights.h"
#include "read/zip.h"

// Where a symbol stands that nothing has defined yet.
typedef enum tenon_pt2_mode {
  TENON_PT2_USES,     // it may not
  TENON_PT2_DEFINES,  // in the type of an input, which is where sizes come from
  TENON_PT2_DECIDES   // in a result: the node finds it out
} tenon_pt2_mode;

// In place of the index of a symbol that a node of another graph has decided.
#define TENON_PT2_GONE UINT64_MAX

typedef struct tenon_pt2 tenon_pt2;
struct tenon_pt2_node;
struct tenon_pt2_scope;
// What is done with each program of an archive.
typedef tenon_status tenon_pt2_visit_fn(tenon_pt2 *im);

struct tenon_pt2 {
  tenon_context *cx;
  tenon_module *m;
  tenon_arena scratch;
  tenon_zip zip;
  char *root;  // with its slash; "" without one
  size_t root_size;
  tenon_buf text;    // of names that are put together
  tenon_map unique;  // names of functions and entries
  tenon_map leaves;  // names of symbols, of all programs
  size_t n_programs;
  // Of the program being imported.
  const char *name;  // "model"
  tenon_json_doc program, weights, constants;
  tenon_state_dict pickled[2];       // weights and constants of older files
  struct tenon_pt2_pickle *pickles;  // weights that were pickled each alone
  bool is_flat;                      // torch before 2.8: no folders
  bool has_writes;                   // operators write tensors
  tenon_json ranges;
  tenon_json program_root;
  tenon_map known;  // symbols that are defined, to indices of `sizes`
  TENON_VEC(tenon_dim) sizes;
  tenon_map values;  // of weights that have a value, by name
  tenon_pt2_mode mode;
  bool was_unbacked;              // the last symbol that was refused
  TENON_VEC(uint32_t) decided;    // symbols of the node being imported
  TENON_VEC(const char *) local;  // names that nodes have decided so far
  // Of the node being imported.
  TENON_VEC(tenon_value *) in;
  TENON_VEC(uint16_t) groups;
  TENON_VEC(tenon_arg) args;
  // Weights that lie apart: what is given, and what was found about it.
  const tenon_weights *apart;  // null: nothing
  tenon_map met;               // names that the program has
  TENON_VEC(const char *) wanted;
  TENON_VEC(const char *) problems;
  // What a node that holds graphs asks for (pt2_graph.c): its region, and the
  // nodes from `begin` up to `end`.
  tenon_status (*region)(const struct tenon_pt2_node *n, tenon_graph *region,
                         const tenon_json *json);
  tenon_status (*nodes)(struct tenon_pt2_scope *s, size_t begin, size_t end);
};

// ---------------------------------------------------------------------------
// pt2.c
// ---------------------------------------------------------------------------

void tenon_pt2_init(tenon_pt2 *im, tenon_module *m);
void tenon_pt2_deinit(tenon_pt2 *im);
// Opens the archive and visits its programs, each with its texts open.
tenon_status tenon_pt2_archive(tenon_pt2 *im, tenon_bytes bytes,
                               bool checks_all, tenon_pt2_visit_fn *visit);

// What a name of a graph stands for.
typedef enum tenon_pt2_kind {
  TENON_PT2_VALUE = 1,  // a tensor
  TENON_PT2_WEIGHT,     // a tensor that has a value when it is first used
  TENON_PT2_NUMBER,     // `number` is an attribute that says it
  TENON_PT2_OPEN,       // a float or a truth value; `what` is its expression
  TENON_PT2_NOTHING     // a token or an object; `what` says
} tenon_pt2_kind;

typedef struct tenon_pt2_weight tenon_pt2_weight;

typedef struct tenon_pt2_name {
  tenon_pt2_kind kind;
  tenon_value *value;
  tenon_pt2_weight *weight;
  tenon_arg number;
  const char *what;
  bool is_truth;
} tenon_pt2_name;

// One graph of the file while it is imported. It stays where it is: values of
// the JSON text point to its members.
typedef struct tenon_pt2_scope {
  tenon_pt2 *im;
  tenon_graph *graph;
  const char
      *label;       // of a region: what the file calls it; "" for the function
  bool is_lane;     // a region that is the body of a torch.vmap
  bool is_called;   // within a graph of a branch, a loop or a scan
  bool is_retyped;  // types that the file states are not those of a run
  tenon_dtype autocast;  // to what operands are rounded here; 0: they are not
  tenon_json json, nodes, tensors, ints, floats, bools;
  tenon_map names;
  TENON_VEC(tenon_pt2_name) entries;
} tenon_pt2_scope;

// ---------------------------------------------------------------------------
// pt2_scope.c, pt2_graph.c
// ---------------------------------------------------------------------------

tenon_status tenon_pt2_scope_open(tenon_pt2_scope *s, tenon_pt2 *im,
                                  tenon_graph *graph, const tenon_json *json,
                                  const char *label);
void tenon_pt2_scope_close(tenon_pt2_scope *s);
// `at` is where the name stands.
tenon_status tenon_pt2_define(tenon_pt2_scope *s, const tenon_json *at,
                              const char *name, const tenon_pt2_name *entry);
tenon_status tenon_pt2_look(tenon_pt2_scope *s, const tenon_json *at,
                            const char *name, tenon_pt2_name **out);
// The value of a TensorArgument, {"name": ...}.
tenon_status tenon_pt2_tensor(tenon_pt2_scope *s, const tenon_json *at,
                              tenon_value **out);
// Imports the nodes from `begin` up to `end`.
tenon_status tenon_pt2_nodes(tenon_pt2_scope *s, size_t begin, size_t end);

// ---------------------------------------------------------------------------
// pt2_node.c, pt2_arguments.c, pt2_operands.c, pt2_values.c, pt2_higher.c,
// pt2_carried.c, pt2_args.c
// ---------------------------------------------------------------------------

typedef struct tenon_pt2_node {
  tenon_pt2_scope *scope;
  tenon_json json, inputs, outputs;
  const tenon_op *op;
  tenon_loc loc;
  uint32_t n_graphs;   // among its arguments
  size_t n_carried;    // of a loop: what goes from turn to turn
  const json_t *made;  // a GraphArgument that is not in the file; or null
} tenon_pt2_node;

tenon_status tenon_pt2_node_import(tenon_pt2_scope *s, const tenon_json *at);
// Parameters, nodes and results of a region of the node; `json` is a
// GraphArgument.
tenon_status tenon_pt2_region(const tenon_pt2_node *n, tenon_graph *region,
                              const tenon_json *json);
// What autocast does in a region of the node; to operands of a node, which have
// been read; to types that the file states of results; to those of a region's
// parameters; and of what a region that is full gives. In pt2_autocast.c.
tenon_status tenon_pt2_autocast_scope(tenon_pt2_scope *s,
                                      const tenon_pt2_scope *outer,
                                      const tenon_pt2_node *n);
tenon_status tenon_pt2_autocast(tenon_pt2_node *n,
                                const tenon_type *const *types, size_t count);
tenon_status tenon_pt2_autocast_types(tenon_pt2_node *n,
                                      const tenon_type **types, size_t count);
tenon_status tenon_pt2_autocast_params(const tenon_pt2_scope *s,
                                       const tenon_pt2_node *n);
tenon_status tenon_pt2_autocast_ends(const tenon_pt2_scope *s,
                                     const tenon_pt2_node *n);
// Node *i where it is a call of torch.vmap's own, with all nodes up to the end
// of that vmap, which *i is then; *done false: it is none. In pt2_vmap.c.
tenon_status tenon_pt2_vmap(tenon_pt2_scope *s, size_t *i, bool *done);
// Calls that only check numbers: a run does, or the user is told why not. In
// pt2_assert.c.
bool tenon_pt2_is_assertion(const tenon_op *op);
tenon_status tenon_pt2_assertion(tenon_pt2_node *n);
// Serves a call of an out variant by the functional operator. In pt2_out.c.
tenon_status tenon_pt2_out_variant(tenon_pt2_node *n);
// The same of the operator that a functionalised call makes.
tenon_status tenon_pt2_functionalized_out(tenon_pt2_node *n, bool is_first,
                                          size_t n_bases, const tenon_op **op);
// Keeps what a call of an operator that Tenon does not know says of its schema.
// In pt2_unknown.c.
tenon_status tenon_pt2_describe(tenon_pt2_node *n);
// Fills in, groups and args of the import from the arguments.
tenon_status tenon_pt2_arguments(tenon_pt2_node *n);
// The argument `self`, which is the first where it stands without its name.
tenon_json tenon_pt2_self(const tenon_pt2_node *n);
// A call that looks at the memory of its first operand, which is brought into
// that order; arguments have been read. In pt2_strided.c.
bool tenon_pt2_is_strided(const tenon_op *op);
tenon_status tenon_pt2_strided(tenon_pt2_node *n);
// Copies the first operand where torch has, in a program that writes tensors;
// arguments have been read. In pt2_copies.c.
tenon_status tenon_pt2_copied(tenon_pt2_node *n);
// Appends to the operands, ends those of an argument.
tenon_status tenon_pt2_push(tenon_pt2_node *n, tenon_value *value);
tenon_status tenon_pt2_end_group(tenon_pt2_node *n);
// Whether an Argument of that tag is one or more tensors; and their values.
bool tenon_pt2_is_tensors(const char *tag);
bool tenon_pt2_is_number(const char *tag);
tenon_status tenon_pt2_push_tensors(tenon_pt2_node *n, const char *tag,
                                    const tenon_json *value);
// Appends an attribute.
tenon_status tenon_pt2_push_attribute(tenon_pt2_node *n, const char *name,
                                      const char *tag, const tenon_json *value);
// The same of an argument that is a number, as an operand.
tenon_status tenon_pt2_number_operand(tenon_pt2_node *n, const tenon_json *arg,
                                      uint16_t flags);
// Of an operator that takes graphs and has a row in pt2_higher.c.
bool tenon_pt2_is_higher(const tenon_op *op);
tenon_status tenon_pt2_higher(tenon_pt2_node *n);
// The operands that a loop carries, numbers too, and how many they are.
tenon_status tenon_pt2_carried(tenon_pt2_node *n, const tenon_json *arg);
// The type of those numbers. A name of the graph for the number in `value`.
const tenon_type *tenon_pt2_carried_type(void);
tenon_status tenon_pt2_carried_number(tenon_pt2_scope *s, const tenon_json *at,
                                      const char *name, tenon_value *value,
                                      tenon_loc loc);
// Of auto_functionalized and _v2 where somebody describes the operator that is
// called: operands and attributes of the node, and a GraphArgument with the
// call, which the document keeps. *done false: nobody does, and the node is one
// of that operator.
tenon_status tenon_pt2_functionalized(tenon_pt2_node *n, bool *done,
                                      json_t **graph);
// What an operator of one tensor makes of it, of this type.
tenon_status tenon_pt2_convert(tenon_pt2_scope *s, const char *op,
                               const tenon_arg *args, const tenon_type *type,
                               tenon_loc loc, tenon_value **value);
// A symbol that a run finds out: the number that `value` holds.
tenon_status tenon_pt2_item(tenon_pt2_scope *s, tenon_value *value,
                            const uint32_t *symbol, tenon_loc loc);
// A number as a tensor of rank 0, with these flags of its type:
// TENON_TYPE_NUMBER where it stands in the place of a tensor.
tenon_status tenon_pt2_number_value(tenon_pt2_scope *s, const tenon_json *at,
                                    const tenon_arg *number, uint16_t flags,
                                    tenon_loc loc, tenon_value **out);
// A size, or another number that only a run knows, as a tensor of that type.
tenon_status tenon_pt2_number_node(tenon_pt2_scope *s, tenon_dim dim,
                                   const tenon_type *type, tenon_loc loc,
                                   tenon_value **out);
// The two parts of a ComplexValue.
tenon_status tenon_pt2_complex(const tenon_json *value, double parts[2]);
// An Argument that is no tensor, as an attribute. `tag` and `value` are its
// only member.
tenon_status tenon_pt2_attribute(tenon_pt2_scope *s, const char *tag,
                                 const tenon_json *value, tenon_arg *out);

// ---------------------------------------------------------------------------
// pt2_compute.c
// ---------------------------------------------------------------------------

// The value of a name that is TENON_PT2_OPEN, from nodes that are made here:
// f64 or bool, with these flags of its type. *out null: nobody can compute it.
tenon_status tenon_pt2_compute(tenon_pt2_scope *s, const tenon_pt2_name *name,
                               uint16_t flags, tenon_loc loc,
                               tenon_value **out);
// A truth value that compares two sizes, as a condition; `relation` 0: it is no
// such thing.
tenon_status tenon_pt2_relation(tenon_pt2_scope *s, const tenon_pt2_name *name,
                                tenon_guard *out);

// ---------------------------------------------------------------------------
// pt2_types.c, pt2_symbols.c
// ---------------------------------------------------------------------------

tenon_status tenon_pt2_dtype(const tenon_json *at, tenon_dtype *out);
// The name of an enumerator: "contiguous_format", "strided".
tenon_status tenon_pt2_enum(const tenon_json *at, const char *const *names,
                            size_t n, const char *what, const char **out);
extern const char *const tenon_pt2_layouts[8];
extern const char *const tenon_pt2_memory_formats[5];
// Of a TensorMeta; dims in the scratch arena.
tenon_status tenon_pt2_type(tenon_pt2 *im, const tenon_json *meta,
                            tenon_type *out);
// The type that the scope declares for a tensor; *out null: it declares none.
tenon_status tenon_pt2_declared(tenon_pt2_scope *s, const char *name,
                                const tenon_type **out);
// A SymInt.
tenon_status tenon_pt2_size(tenon_pt2 *im, const tenon_json *at,
                            tenon_dim *out);
// Forgets what has been decided since `from` of `local`: graphs beside each
// other use the same names for what each finds out.
void tenon_pt2_forget(tenon_pt2 *im, size_t from);
// All of `text` as a fraction of two sizes; up->value TENON_UNKNOWN: it is
// none.
tenon_status tenon_pt2_fraction(tenon_pt2 *im, const char *text, tenon_dim *up,
                                tenon_dim *down);
tenon_status tenon_pt2_ranges(tenon_pt2 *im);
// Ranges of expressions become guards: of sizes of inputs, and at the end of
// those that data decide.
tenon_status tenon_pt2_range_guards(tenon_pt2 *im, bool is_end);
// From here on the symbol's names stand for the size, whose range becomes a
// condition.
tenon_status tenon_pt2_stands_for(tenon_pt2 *im, uint32_t symbol,
                                  tenon_dim size);
// A condition that a run checks, unless it holds for all sizes. pt2_guards.c.
tenon_status tenon_pt2_condition(tenon_pt2 *im, const tenon_guard *guard,
                                 tenon_loc loc);
// The number that a SymInt, SymFloat or SymBool of that name is, as the graph
// says; `tag` is "as_sym_int", "as_sym_float" or "as_sym_bool".
tenon_status tenon_pt2_number(tenon_pt2_scope *s, const tenon_json *at,
                              const char *tag, const char *name,
                              tenon_pt2_name *out);

// ---------------------------------------------------------------------------
// pt2_weights.c, pt2_apart.c, pt2_writes.c, pt2_signature.c
// ---------------------------------------------------------------------------

struct tenon_pt2_weight {
  const char *name;  // as the user knows it: "fc.weight"
  tenon_type type;
  tenon_zip *zip;
  tenon_zip_member *member;
  int64_t *strides;
  int64_t offset;             // in elements
  int64_t extent;             // the element behind the last
  const tenon_weight *given;  // what takes its place; or null
  bool is_apart;              // it has no data
  bool is_state;
  tenon_value *value;
  tenon_loc loc;
};

// Opens the configurations of the program's weights, where it has some.
tenon_status tenon_pt2_weights_open(tenon_pt2 *im);
void tenon_pt2_weights_close(tenon_pt2 *im);
// One more, from a file of torch.save with one tensor, which lives as long as
// the module.
tenon_status tenon_pt2_weight_add(tenon_pt2 *im, const char *name,
                                  tenon_bytes bytes);
// Finds and checks a weight; its data are not touched. `type`: as the graph
// declares it, or null.
tenon_status tenon_pt2_weight_find(tenon_pt2 *im, const tenon_json *at,
                                   const char *name, bool is_constant,
                                   const tenon_type *type,
                                   tenon_pt2_weight **out);
// What is given in place of the file's own weight, if it fits; *out null: none.
// What does not fit, or is missing, is kept for tenon_pt2_apart_report.
tenon_status tenon_pt2_apart_find(tenon_pt2 *im, const char *name,
                                  const tenon_type *type,
                                  const tenon_weight **out);
tenon_status tenon_pt2_apart_missing(tenon_pt2 *im, const char *name);
// One error for all that is missing, left over or of another type.
tenon_status tenon_pt2_apart_report(tenon_pt2 *im);
// Whether elements of one are elements of the other.
bool tenon_pt2_weights_overlap(const tenon_pt2_weight *a,
                               const tenon_pt2_weight *b);
// Its data, dense; none where it is apart.
tenon_status tenon_pt2_weight_data(tenon_pt2 *im, tenon_pt2_weight *w,
                                   tenon_bytes *out);
// Its value, made when it is first asked for.
tenon_status tenon_pt2_weight_value(tenon_pt2 *im, tenon_pt2_weight *w,
                                    tenon_value **out);

// Names of the graph that its nodes write, in `written`: what is viewed, not
// the views.
tenon_status tenon_pt2_find_written(tenon_pt2_scope *s, tenon_map *written);
// How a user of the module calls it, from the specs of its inputs and outputs,
// as metadata of the module.
tenon_status tenon_pt2_call(tenon_pt2 *im, const tenon_json *module,
                            const char *entry);
// The function of the program, and its entry.
tenon_status tenon_pt2_program(tenon_pt2 *im);

// ---------------------------------------------------------------------------
// pt2_older.c
// ---------------------------------------------------------------------------

// Changes the text of a flat file to what torch writes today.
tenon_status tenon_pt2_older(tenon_pt2 *im);

// ---------------------------------------------------------------------------
// pt2_names.c
// ---------------------------------------------------------------------------

// "torch.ops.aten.add.Tensor" to "aten::add.Tensor"; in im->text.
tenon_status tenon_pt2_target(tenon_pt2 *im, const tenon_json *at,
                              const char *target);
tenon_status tenon_pt2_node_loc(tenon_pt2_scope *s, const tenon_json *node,
                                tenon_loc *out);
tenon_loc tenon_pt2_loc(tenon_pt2 *im, const char *what, const char *name);
// Of a list of the program: "guards_code".
tenon_loc tenon_pt2_listed(tenon_pt2 *im, const char *list);
// For a builder that has failed and reported it.
tenon_status tenon_pt2_built(const tenon_pt2 *im);
tenon_status tenon_pt2_memory(const tenon_pt2 *im);

#endif  // TENON_READ_PT2_IMPORT_H
