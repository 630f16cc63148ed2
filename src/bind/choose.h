// bind/choose.h - which kernel computes a node.
//
// Deterministic and independent of load order: the candidates of the operator
// in the order that the registry fixed (exactness of name, priority, features,
// plugin, symbol); the first whose features the target has, whose types fit,
// whose `match` agrees.
#ifndef TENON_BIND_CHOOSE_H
#define TENON_BIND_CHOOSE_H

#include "base/buf.h"
#include "bind/findings.h"
#include "bind/target.h"
#include "ir/graph.h"

typedef struct tenon_choice {
  const tenon_target *target;
  bool reference_only;        // kernels[0] of each operator
  const char *const *forced;  // "core::conv=symbol", ends with null; or null
  bool allows_inexact;        // lowerings that change numbers
  tenon_findings *findings;   // null: a refusal ends the pass at once
} tenon_choice;

// That what `forced` names is there: operators, and kernels of them.
tenon_status tenon_choose_check(const tenon_context *cx,
                                const char *const *forced);
// Warns of those that a program does not call.
struct tenon_program;
void tenon_choose_tell_unused(const tenon_context *cx,
                              const char *const *forced,
                              const struct tenon_program *p);
// The operands of n that k is called with: the first, where its types leave out
// the rest, which are absent then.
TENON_INLINE uint16_t tenon_choose_operands(const tenon_kernel *k,
                                            const tenon_node *n) {
  const bool is_short = k->desc->types && !n->in_group && k->n_in < n->n_in;
  return is_short ? (uint16_t)k->n_in : n->n_in;
}

// Whether the kernel says that operand `i` of n may have any strides.
bool tenon_choose_takes_strides(const tenon_kernel *k, const tenon_node *n,
                                uint32_t i);

// Null when no kernel fits. `why`, if not null, receives a line per candidate
// that was passed over and the reason.
const tenon_kernel *tenon_choose(const tenon_choice *choice,
                                 const tenon_node *n, tenon_arena *scratch,
                                 tenon_buf *why);
// Operators that need no kernel: state, control flow (src/ops/core/README.md).
bool tenon_choose_is_structural(const tenon_op *op);
// Whether the node can stand in a program as it is; `early`: without kernels of
// negative priority, which come after lowerings unless they are forced.
bool tenon_choose_covers_early(const tenon_choice *choice, const tenon_node *n,
                               tenon_arena *scratch);
bool tenon_choose_covers(const tenon_choice *choice, const tenon_node *n,
                         tenon_arena *scratch);
// Whether no lowering is a way out where no kernel is chosen: the user asked
// for one, or two fit alike.
bool tenon_choose_must_tell(const tenon_choice *choice, const tenon_node *n,
                            tenon_arena *scratch);
// The user named a kernel of the operator for tensors in another order.
bool tenon_choose_forces_order(const tenon_choice *choice, const tenon_node *n);
// There are complex numbers, and no kernel of the operator takes any.
bool tenon_choose_lacks_complex(const tenon_node *n);
// What kernels of any types have said against the node, each behind "; ".
void tenon_choose_said(const tenon_node *n, tenon_arena *scratch,
                       tenon_buf *out);
// The words for a report: "no kernel for types 's8q, s8q -> s8q' on c", with
// what types there are kernels for.
void tenon_choose_explain(const tenon_choice *choice, const tenon_node *n,
                          tenon_arena *scratch, tenon_buf *out);

#endif  // TENON_BIND_CHOOSE_H
