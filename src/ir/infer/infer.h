// ir/infer/infer.h - running shape rules.
//
// The only place that calls a descriptor's `infer`. What a rule says is
// compared with what the file declares: number, element type, shape,
// quantisation; a disagreement is one error that says operator, result, both
// values and who said them. A rule that gives a result no quantisation leaves
// it to the declaration. An operator without a rule takes the declared types
// (or, where it has a lowering alone, is lowered on the side to find them).
#ifndef TENON_IR_INFER_H
#define TENON_IR_INFER_H

#include "ir/graph.h"

// Types the results of a node whose operands are typed. `declared`: n_out
// entries, null where the file is silent; null: nothing is declared. A declared
// size that is open (a symbol), or that `is_reshaped` says may be stale, gives
// way to the rule.
tenon_status tenon_infer_node(tenon_node *n, const tenon_type *const *declared,
                              bool is_reshaped);
// All nodes in order, regions included, with their present types as declared.
tenon_status tenon_infer_module(tenon_module *m, bool is_reshaped);

#endif  // TENON_IR_INFER_H
