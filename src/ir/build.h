// ir/build.h - making values, nodes and graphs.
//
// Readers, the parser and rewrites build through here, so every node has
// complete attributes and typed results. A function that returns a pointer
// returns null when it failed, after reporting.
#ifndef TENON_IR_BUILD_H
#define TENON_IR_BUILD_H

#include "base/text.h"
#include "ir/graph.h"

tenon_graph *tenon_build_function(tenon_module *m, const char *name,
                                  tenon_loc loc);
tenon_value *tenon_build_param(tenon_graph *g, const char *name,
                               const tenon_type *type, tenon_loc loc);
// `data` is not copied when `is_borrowed`: it outlives the module. Null data
// with a static type: zeros.
tenon_value *tenon_build_constant(tenon_module *m, const char *name,
                                  const tenon_type *type, const void *data,
                                  bool is_borrowed, tenon_loc loc);

// A constant whose data lie apart from the program and have not been given: see
// tenon_tensor_is_apart. `name` is what it is found by.
tenon_value *tenon_build_apart(tenon_module *m, const char *name,
                               const tenon_type *type, tenon_loc loc);

// A constant of strings: as many texts as the type has elements, null: all
// empty. tenon_build_constant makes no such constant but an empty one.
tenon_value *tenon_build_strings(tenon_module *m, const char *name,
                                 const tenon_type *type,
                                 const tenon_text *texts, tenon_loc loc);
// What such a constant holds, in the module's arena; null: memory ran out.
const tenon_string *tenon_build_texts(tenon_module *m, const tenon_text *texts,
                                      size_t count);

// Everything a new node needs. Zero members have the meanings said.
typedef struct tenon_node_spec {
  const tenon_op *op;
  const tenon_arg *args;   // any order, by name; null: none given
  const void *attrs;       // instead of args: a filled attribute struct
  tenon_value *const *in;  // flattened, null entries absent
  uint32_t n_in;
  const uint16_t *in_group;  // null: one tensor per argument; the only Tensor[]
                             // takes what the others leave, absent operands at
                             // the end may be left out
  uint32_t n_out;            // flattened results
  const uint16_t *out_group;
  const tenon_type *const *types;  // of the results, null entries and null
                                   // array: as the operator infers
  const char *const *names;        // of the results; null: none
  uint32_t n_regions;              // made empty, to be filled
  tenon_graph *const
      *regions;  // or these, filled already (ir/rewrite/rewrite.c)
  tenon_loc loc;
  const void *opaque;  // for operators without a schema
  size_t opaque_size;
  // Entries of the group arrays less one; 0: as the schema has them, or up to
  // the end of the list where there is none.
  uint16_t n_in_groups, n_out_groups;
  // Written arguments have become results. Need not be said where these are
  // more results than are declared.
  bool is_functional;
  const uint32_t *decided;  // symbols, as in tenon_node
  uint32_t n_decided;
} tenon_node_spec;
// Appends to `g`, or puts it before `before` if that is not null. Completes and
// checks attributes and arity against the schema; runs the shape rule when a
// type is missing (with the given ones as `declared`). A node with regions that
// are yet to be filled is left without the missing types: tenon_infer_node is
// called when they are.
tenon_node *tenon_build_node(tenon_graph *g, tenon_node *before,
                             const tenon_node_spec *spec);
// The one result, of `type`, of a node of the operator of this name; null `op`
// or `type`: as the spec says and as the operator infers. The rest is of the
// spec.
tenon_value *tenon_build_value(tenon_graph *g, tenon_node *before,
                               const char *op, const tenon_type *type,
                               tenon_node_spec spec);
// What a state holds at this place, under `name` (may be null), and the node
// that has it hold another value from here on.
tenon_value *tenon_build_state_read(tenon_graph *g, tenon_node *before,
                                    const char *state, const tenon_type *type,
                                    const char *name, tenon_loc loc);
tenon_node *tenon_build_state_write(tenon_graph *g, tenon_node *before,
                                    const char *state, tenon_value *value,
                                    tenon_loc loc);
// A node like another with operands `in`: without types and names of results.
tenon_node_spec tenon_spec_like(const tenon_node *n, tenon_value *const *in);
bool tenon_build_results(tenon_graph *g, tenon_value *const *values, uint32_t n,
                         tenon_loc loc);
bool tenon_build_entry(tenon_module *m, const char *name, tenon_graph *g,
                       const char *const *inputs, const char *const *outputs);
// The last `n_writes` results of `g` are the values that these of its
// parameters have after a run; the others are the outputs.
bool tenon_build_entry_writing(tenon_module *m, const char *name,
                               tenon_graph *g, const char *const *inputs,
                               const char *const *outputs,
                               const uint16_t *writes, uint32_t n_writes);
bool tenon_build_state(tenon_module *m, const tenon_state *state);
// Of two numbers: whether they have the relation; a guard that can never hold
// is the file's fault, said at `loc`; one that always does is dropped.
bool tenon_build_guard(tenon_module *m, const tenon_guard *guard,
                       tenon_loc loc);
// The same, unless the module has it already.
bool tenon_build_guard_once(tenon_module *m, const tenon_guard *guard,
                            tenon_loc loc);

#endif  // TENON_IR_BUILD_H
