// ir/graph_link.h - the raw pieces of a graph, for this folder alone.
//
// Allocates nodes, values and graphs and changes the lists they stand in. No
// checks, no types, no reports: ir/build.c and ir/edit.c put these together.
// What cannot be allocated is null and latched in the module's arena.
#ifndef TENON_IR_GRAPH_LINK_H
#define TENON_IR_GRAPH_LINK_H

#include "ir/graph.h"

tenon_graph *tenon_graph_alloc(tenon_module *m, const char *name,
                               tenon_node *parent, uint32_t index,
                               tenon_loc loc);
// With `n_in` absent operands and `n_out` results that have no type yet.
tenon_node *tenon_node_alloc(tenon_graph *g, uint32_t n_in, uint32_t n_out,
                             uint32_t n_regions, tenon_loc loc);
tenon_value *tenon_value_alloc(tenon_module *m, tenon_value_kind kind,
                               const char *name, tenon_loc loc);

void tenon_use_link(tenon_use *use, tenon_value *value);
void tenon_use_unlink(tenon_use *use);
// Before `before`, at the end of `g` when that is null or the end of `g`.
void tenon_node_link(tenon_graph *g, tenon_node *n, tenon_node *before);
void tenon_node_unlink(tenon_node *n);
// Takes all nodes out of a graph, and its results.
void tenon_graph_clear(tenon_graph *g);

// Whether a value may be used by a node of `g`: a constant, or defined in `g`
// or a graph around it. Says nothing about order.
bool tenon_value_is_visible(const tenon_value *v, const tenon_graph *g);
tenon_graph *tenon_value_graph(const tenon_value *v);  // null: a constant

// A deep copy of attributes ended by a null name.
const tenon_arg *tenon_args_copy(tenon_arena *arena, const tenon_arg *args);

// Lines of parsed text are places too, but not part of the text: parsing marks
// them by an offset that no file has.
TENON_INLINE bool tenon_place_is_implied(const tenon_place *place) {
  return place->size == 0 && place->offset == UINT64_MAX;
}

// How operands or results are divided among the arguments of a schema.
typedef struct tenon_groups {
  const uint16_t *bounds;  // null: all single
  uint32_t n_groups;
  uint32_t count;  // flattened; operands missing at the end are counted
  bool is_functional;
} tenon_groups;
struct tenon_node_spec;
tenon_status tenon_groups_in(tenon_module *m,
                             const struct tenon_node_spec *spec,
                             tenon_groups *out);
tenon_status tenon_groups_out(tenon_module *m,
                              const struct tenon_node_spec *spec,
                              tenon_groups *out);
// The i-th result of the schema that is a tensor, behind them the written
// arguments that are results of a functional node; null beyond.
const tenon_argument *tenon_schema_result(const tenon_schema *s, uint32_t i);
uint32_t tenon_schema_declared(const tenon_schema *s);  // tensors returned

// "'acme::gain' of plugin 'acme'", for messages; cut to fit.
typedef struct tenon_title {
  char text[160];
} tenon_title;
const char *tenon_op_title(const tenon_op *op, tenon_title *out);

// Result types of core::cond, while and call, from their regions or functions.
// False when `n` is none of them. `types` has n_out entries.
bool tenon_control_types(const tenon_node *n, const tenon_type **types);

// The size that a core::while finds out behind each round: a leaf that its
// parameter i has as dimension d where the operand has another size, and that
// no input says. 0: it keeps the operand's.
uint32_t tenon_loop_found(const tenon_node *n, uint32_t i, int d);

// What is asked of tenon_rules_api.probe, and its answer.
typedef struct tenon_probe {
  const tenon_type *const *declared;  // as in tenon_infer_node
  tenon_type *types;                  // n_out, to be filled
  uint32_t *decided;                  // their sizes that data decide
  uint32_t n_decided, capacity;
  bool found;  // false: the lowering declined, or refused with `held`
  char *held;  // as in tenon_rewrite_node_if
} tenon_probe;

#endif  // TENON_IR_GRAPH_LINK_H
