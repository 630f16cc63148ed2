// ir/turned.h - large matrices that are other bytes in another order: weights
// that are turned round, and rows of such.
//
// Kernels that pack their weights read these as they lie
// (TENON_KERNEL_PACKS_STRIDED), so that nothing is written which is read once.
// Everybody else asks tenon_value_constant, which brings the elements into
// order, once. Until then the constant has no data, so that whoever does not
// ask finds none.
#ifndef TENON_IR_TURNED_H
#define TENON_IR_TURNED_H

#include "ir/graph.h"

typedef struct tenon_turned {
  tenon_module *module;
  const void *data;                 // element 0
  int32_t strides[TENON_MAX_RANK];  // of two
} tenon_turned;

// A matrix of whole bytes; null and reported: memory ran out.
tenon_value *tenon_build_turned(tenon_module *m, const char *name,
                                const tenon_type *type,
                                const tenon_turned *turned, tenon_loc loc);
// Rows begin .. begin + count of a constant, as a constant that holds no copy
// where it need not; null as above.
tenon_value *tenon_build_rows(tenon_module *m, const tenon_value *v,
                              int64_t begin, int64_t count, tenon_loc loc);
// The tensor of a constant with its data; null: it is none. Without data: they
// are apart, or memory ran out, of which the module's arena knows.
const tenon_tensor *tenon_value_constant(const tenon_value *v);

// Of a constant of f32 that is not apart, of rank 1 and up: the largest
// magnitude of each entry of its first dimension, or NaN where the entry has
// one, in the module's memory; null: it ran out. Brings nothing into order.
const float *tenon_value_largest(tenon_module *m, const tenon_value *v);

#endif  // TENON_IR_TURNED_H
