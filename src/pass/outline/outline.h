// pass/outline/outline.h - one operator for a module of the source.
//
// Readers that know the module stack of a node write the innermost module into
// its place, and those around it into a list (ir/scope.h): "module
// layers.0.norm (pkg.RMSNorm)". All nodes of one call of a module, and of
// modules in it, become a core::composite: the operator that is asked for, and
// themselves. What the operator takes is said like a call, "acme::rms_norm(...,
// eps=1e-6)", by the names of its schema.
//
//   outline.c       modules, their nodes, the composite
//   outline_call.c  the call, and attributes
//   outline_take.c  operands
#ifndef TENON_PASS_OUTLINE_H
#define TENON_PASS_OUTLINE_H

#include "ir/graph.h"
#include "tenon/tenon.h"

tenon_status tenon_outline(tenon_module *m, const tenon_outline_options *o);

// ---------------------------------------------------------------------------
// What its files share
// ---------------------------------------------------------------------------

// One item between the parentheses.
typedef struct tenon_outline_item {
  tenon_text name;  // of a parameter of the module, or an attribute; empty: ...
  tenon_text value;         // of "name=value", as it is written; or
  tenon_text op, argument;  // "name=op(argument)": what the one node `op` has;
                            // "op[1]": the second of them
  bool is_attribute;
} tenon_outline_item;

typedef struct tenon_outline_call {
  const tenon_op *op;
  tenon_outline_item *items;
  size_t n_items;
} tenon_outline_call;

// "ns::name(item, ...)"; reported when it is none, or of no known operator.
tenon_status tenon_outline_parse(tenon_module *m, tenon_arena *arena,
                                 const char *text, tenon_outline_call *out);

// The nodes of one call of a module in one graph.
typedef struct tenon_outline_group {
  tenon_text name;  // "layers.0.norm@1"
  tenon_text path;  // "layers.0.norm"
  tenon_graph *graph;
  TENON_VEC(tenon_node *) nodes;       // in order
  TENON_VEC(tenon_value *) inputs;     // from elsewhere, no constants
  TENON_VEC(tenon_value *) constants;  // of the module: "layers.0.norm.weight"
  TENON_VEC(tenon_value *) outputs;    // used elsewhere
} tenon_outline_group;

// Operands of the operator for this group, and those of the composite: the
// same, each once.
typedef struct tenon_outline_operands {
  tenon_value **in;
  uint32_t n;
  int32_t *named;  // per operand of the operator the index in `in`; -1: absent
  uint32_t n_named;
} tenon_outline_operands;
tenon_status tenon_outline_take(const tenon_outline_call *call,
                                const tenon_outline_group *group,
                                tenon_arena *arena,
                                tenon_outline_operands *out);
// The number of the tensor argument of this name; -1: there is none.
int tenon_outline_argument(const tenon_op *op, tenon_text name);
// The node that "name=op[1](argument)" means.
tenon_status tenon_outline_node(const tenon_outline_group *group,
                                const tenon_outline_item *item,
                                tenon_arena *arena, const tenon_node **out);
// Attributes of the operator for this group, ended by a null name. One that the
// call does not say, and that has no default, is what the nodes have of its
// name, if they agree.
tenon_status tenon_outline_args(const tenon_outline_call *call,
                                const tenon_outline_group *group,
                                tenon_arena *arena, const tenon_arg **out);

#endif  // TENON_PASS_OUTLINE_H
