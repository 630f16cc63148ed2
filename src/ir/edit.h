// ir/edit.h - changing what is there, with use lists kept.
#ifndef TENON_IR_EDIT_H
#define TENON_IR_EDIT_H

#include "ir/graph.h"

// Every use of `from` becomes a use of `to`. Types are the caller's business.
void tenon_value_replace(tenon_value *from, tenon_value *to);
// The same for the uses that `choose` accepts.
void tenon_value_replace_if(tenon_value *from, tenon_value *to,
                            bool (*choose)(void *self, const tenon_use *use),
                            void *self);
void tenon_node_set_operand(tenon_node *n, uint32_t i, tenon_value *value);
// Unlinks a node whose results have no uses, and with it its regions.
void tenon_node_erase(tenon_node *n);
void tenon_node_move(tenon_node *n, tenon_node *before);
// Regions under a body, to know how deep a copy would reach.
uint32_t tenon_graph_height(const tenon_graph *g);
// Puts a copy of the body of `from` before `before`, with `args` for its
// parameters; results[] receives what stands for its results.
bool tenon_graph_inline(const tenon_graph *from, tenon_graph *into,
                        tenon_node *before, tenon_value *const *args,
                        tenon_value **results);
// A function with the same parameters, body and results that the module does
// not list: for trials, of which tenon_graph_drop takes everything out again.
// Null, reported, when memory ran out.
tenon_graph *tenon_graph_copy(const tenon_graph *from);
void tenon_graph_drop(tenon_graph *copy);
// Numbers of nodes and values that are given from now on are free again once
// all that has them is dropped: else each of many trials makes the next one's
// tables larger.
typedef struct tenon_numbering {
  uint32_t nodes, values;
  size_t constants;
} tenon_numbering;
tenon_numbering tenon_module_numbering(const tenon_module *m);
void tenon_module_renumber(tenon_module *m, tenon_numbering from);
// Takes the constants that nobody uses out of a module; the others are numbered
// anew.
void tenon_module_drop_constants(tenon_module *m);
// Ascending `order` in a graph; called by whoever compares orders.
void tenon_graph_number(tenon_graph *g);
// The node of `g` in whose regions `n` stands, or `n` itself; null: `n` is
// outside of `g`.
const tenon_node *tenon_node_within(const tenon_graph *g, const tenon_node *n);
// Whether `a` stands before `b` (in the same graph, or a graph around it).
bool tenon_node_precedes(const tenon_node *a, const tenon_node *b);

#endif  // TENON_IR_EDIT_H
