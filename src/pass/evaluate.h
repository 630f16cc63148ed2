// pass/evaluate.h - running the reference kernel of a node while compiling.
//
// For passes that want to know what an operator makes of given numbers, to the
// bit: they ask the kernel instead of knowing its arithmetic. What is computed
// does not depend on the machine: kernels are the plain ones of target `c`, but
// for large weights of whole bytes that are moved, where those of the machine
// store the same ones sooner.
#ifndef TENON_PASS_EVALUATE_H
#define TENON_PASS_EVALUATE_H

#include "base/arena.h"
#include "bind/choose.h"
#include "bind/target.h"

typedef struct tenon_evaluator {
  tenon_choice choice;
  tenon_target target;
  tenon_choice quick;  // of this machine
  tenon_target machine;
  tenon_arena scratch;  // the user's too, who marks and restores it
} tenon_evaluator;

typedef enum tenon_evaluation {
  TENON_EVALUATED,
  TENON_NOT_EVALUATED,  // no kernel that can be run, or it failed: it will
                        // again, in words, when it runs
  TENON_EVALUATION_NO_MEMORY
} tenon_evaluation;

// The evaluator must not be moved afterwards.
tenon_status tenon_evaluator_init(tenon_evaluator *e, const tenon_module *m);
void tenon_evaluator_deinit(tenon_evaluator *e);
// Computes a call of the node's operator into the data of its results, by the
// descriptor's `fold`, else by the kernel that serves the node. The call is
// that of the node, or the same operator on tensors of other sizes, and all of
// its operands have data; `user` is set here.
tenon_evaluation tenon_evaluate(tenon_evaluator *e, const tenon_node *n,
                                tenon_call *call);

#endif  // TENON_PASS_EVALUATE_H
