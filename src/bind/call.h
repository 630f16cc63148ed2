// bind/call.h - a call record from a node: shapes, quantisation, attributes and
// constant operands, all other data null.
//
// The one place that makes them, for choosing kernels, folding, packing and
// planning. Sizes that are symbols read as -1. `user` is the operator's;
// whoever calls a kernel's functions puts the kernel's there.
#ifndef TENON_BIND_CALL_H
#define TENON_BIND_CALL_H

#include "ir/graph.h"

// Everything lives in `arena`. Null when memory ran out.
tenon_call *tenon_bind_call(tenon_arena *arena, const tenon_node *n);
// The same, where operands in another order stay as they lie (ir/turned.h) if
// they have a bit in `strided`: their tensors have strides.
tenon_call *tenon_bind_call_of(tenon_arena *arena, const tenon_node *n,
                               uint32_t strided);
// For the functions of a kernel that runs nothing: strided where it packs so.
tenon_call *tenon_bind_call_packed(tenon_arena *arena, const tenon_node *n,
                                   const tenon_kernel *k);
// The same with numbers for symbols: values[id] of each; TENON_UNKNOWN reads as
// above. Null also when a size is none (negative, beyond int32), or attributes
// do not take the numbers.
tenon_call *tenon_bind_call_at(tenon_arena *arena, const tenon_node *n,
                               const int64_t *values);
// Attributes with numbers for symbols, in canonical form; null as above.
const tenon_arg *tenon_bind_args_at(tenon_arena *arena, const tenon_node *n,
                                    const int64_t *values);
// A tensor view of a type; dims with symbols read as -1.
tenon_tensor tenon_bind_tensor(tenon_arena *arena, const tenon_type *t,
                               const void *data);

#endif  // TENON_BIND_CALL_H
