// reg/ordered.h - kernels for tensors whose dimensions lie in another order.
//
// A kernel with `order` "0231 -> 0231" is given operands that lie channels
// last. It does not serve its operator itself, whose tensors lie outermost
// dimension first, but one beside it that the freeze makes: `acme::scale` has
// `acme::scale.order_0231_to_0231`, with the same arguments, whose tensors are
// those of `acme::scale` permuted. Two lowerings lead from one to the other and
// let core::permute stand around it:
//
//   TENON_ORDERED_THERE, canonicalise
//                             where the operands are permuted from that order
//                             already: nothing moves then. `lower` tries it
//                             at every operator
//   TENON_ORDERED_PASS        anyhow; `lower` asks for it where nothing else
//                             covers the operator, or the user named the kernel
//
// Such an operator is found by its name, and stands in no list.
#ifndef TENON_REG_ORDERED_H
#define TENON_REG_ORDERED_H

#include "reg/context.h"

// No pass can have these names.
#define TENON_ORDERED_THERE "(in order)"
#define TENON_ORDERED_PASS "(order)"

// Whether the kernel's order is one that a program's tensors do not have, and
// why it cannot be served all the same; null: it can, or need not.
bool tenon_order_is_other(const char *order);
const char *tenon_order_refusal(const tenon_kernel *kernel);

// Makes the operator beside `op` that the kernel serves, if it is not there:
// kernel->beside.
tenon_status tenon_ordered_make(tenon_context *cx, tenon_kernel *kernel,
                                tenon_op *op);

// Whether the context has any.
bool tenon_ordered_any(const tenon_context *cx);
// The operator beside `op` whose kernel has that symbol; null: none.
const tenon_op *tenon_ordered_by_symbol(const tenon_op *op, const char *symbol);

enum { TENON_ORDERED_LOWERINGS = 3 };

// What is beside an operator whose tensors lie otherwise.
struct tenon_ordered {
  const tenon_op *op;      // with `plain`
  const char *const *in;   // per tensor argument, "0231"; null: as in `plain`
  const char *const *out;  // per result
  uint16_t n_in, n_out;
  const tenon_lowering *lowerings[TENON_ORDERED_LOWERINGS];
  const struct tenon_ordered *next;
};

// Three of them, for tenon_ordered.lowerings.
bool tenon_ordered_lowerings(tenon_arena *arena, struct tenon_ordered *o,
                             const tenon_owner *owner);

#endif  // TENON_REG_ORDERED_H
