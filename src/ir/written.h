// ir/written.h - which result stands for a written argument.
//
// A functional node (pass/functional/functional.c) has, for every written
// argument `Tensor(a!)`, a result that is the value afterwards: the declared
// one with the same mark, or one more behind the declared ones; for a written
// list as many as it has tensors. Operand and result share memory.
#ifndef TENON_IR_WRITTEN_H
#define TENON_IR_WRITTEN_H

#include "ir/graph.h"

// The k-th pair of a functional node, as flat indices of operand and result; of
// a node that the planner has write into a state, the only one. False beyond
// the last, and for all other nodes.
bool tenon_written_pair(const tenon_node *n, uint32_t k, uint32_t *operand,
                        uint32_t *result);
// Whether it writes operands in place: it is not functional yet.
bool tenon_written_in_place(const tenon_node *n);
// The first such node of a graph, its regions included; or null.
const tenon_node *tenon_written_find(const tenon_graph *g);
// The type of a result that stands for an absent `Tensor(a!)?`, or for a
// `Tensor?` that is None: no elements.
const tenon_type *tenon_written_nothing(void);
bool tenon_written_is_absent(const tenon_node *n, uint32_t result);
// Whether the schema declares the result as `Tensor?`, and whether it is None.
bool tenon_result_may_be_none(const tenon_node *n, uint32_t result);
bool tenon_result_is_none(const tenon_node *n, uint32_t result);
// How many results behind the declared ones the node has once it is functional.
uint32_t tenon_written_count(const tenon_node *n);
// Whether a text has to say that a node is functional, since the number of its
// results does not tell.
bool tenon_written_is_said(const tenon_node *n);
// Follows pairs back to the core::state_read whose memory the value is; null
// when it is no state's.
const tenon_node *tenon_written_state(const tenon_value *v);
// The name that a state_read or state_write names.
const char *tenon_state_name(const tenon_node *n);

#endif  // TENON_IR_WRITTEN_H
