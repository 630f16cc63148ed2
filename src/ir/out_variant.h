// ir/out_variant.h - serving `ns::name.out` by the operator `ns::name`.
//
// PyTorch's convention: the overload `out` (or `<overload>_out`) takes one more
// tensor for each result, writes it there, and returns it. An author describes
// the functional operator alone; what a file calls an out variant of becomes an
// operator of the module, whose schema has those tensors as written arguments
// and whose lowering is a call of the functional one.
#ifndef TENON_IR_OUT_VARIANT_H
#define TENON_IR_OUT_VARIANT_H

#include "ir/graph.h"

// The operator of which `name` is the out variant, if it is described and each
// of its results is one tensor; else null.
const tenon_op *tenon_out_variant_of(const tenon_context *cx, const char *name);
// The out variant `name` of `op`. outs[i] names the argument that receives
// result i; there are op->schema->n_returns. Null when memory ran out, which
// has been reported.
const tenon_op *tenon_out_variant_make(tenon_module *m, const char *name,
                                       const tenon_op *op,
                                       const char *const *outs);

#endif  // TENON_IR_OUT_VARIANT_H
