// reg/kernel_types.h - the `types` and `order` of a kernel.
//
// Parsing needs no operator; whether a kernel fits an operator's schema is a
// second question, asked when the operator is known. Both fill `error` when the
// answer is no.
#ifndef TENON_REG_KERNEL_TYPES_H
#define TENON_REG_KERNEL_TYPES_H

#include "base/arena.h"
#include "reg/registry.h"

// Fills in, n_in, out, n_out from desc->types, and checks desc->order against
// them. False with an empty error: memory ran out.
bool tenon_kernel_types_parse(tenon_arena *arena, tenon_kernel *kernel,
                              char *error, size_t size);
// One entry per tensor argument and per result: `...` where the schema has a
// list, `?` only where it may be absent.
bool tenon_kernel_types_fit(const tenon_kernel *kernel,
                            const tenon_schema *schema, char *error,
                            size_t size);

#endif  // TENON_REG_KERNEL_TYPES_H
