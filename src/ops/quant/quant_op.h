// ops/quant/quant_op.h - what lowerings of quantising operators share.
#ifndef TENON_OPS_QUANT_QUANT_OP_H
#define TENON_OPS_QUANT_QUANT_OP_H

#include "ops/aten/aten_op.h"

#define QUANT_OP(names, function, user, doc) \
  tenon_lower_fn tenon_quant_##function##_lower;
#include "ops/quant/quant.def"
#undef QUANT_OP

// The type in which two tensors are computed with, as PyTorch promotes them.
tenon_dtype tenon_quant_type(tenon_rewriter *rw, tenon_value *a,
                             tenon_value *b);
// a and b in that type, by an operator of core.
tenon_value *tenon_quant_pair(tenon_rewriter *rw, const char *op,
                              tenon_value *a, tenon_value *b);
// a and a number of its type.
tenon_value *tenon_quant_number(tenon_rewriter *rw, const char *op,
                                tenon_value *a, double value);
// The same the other way round.
tenon_value *tenon_quant_of_number(tenon_rewriter *rw, const char *op,
                                   double value, tenon_value *a);
// Smallest or largest elements over some dimensions.
tenon_value *tenon_quant_extreme(tenon_rewriter *rw, const char *op,
                                 tenon_value *x, const int64_t *dims, int n,
                                 bool keepdim);

// x * inverse, rounded before or after the zero point is added, limited, and
// stored as integers. A null zero point is none.
tenon_value *tenon_quant_store(tenon_rewriter *rw, tenon_value *x,
                               tenon_value *inverse, tenon_value *zero,
                               bool rounds_last, double least, double most,
                               tenon_dtype dtype);

// The range of the type, or what quant_min and quant_max of torchao's operators
// say; fails where the type has none, or does not hold that.
tenon_status tenon_quant_limits(tenon_rewriter *rw, const tenon_node *n,
                                tenon_dtype t, double *least, double *most);

#endif  // TENON_OPS_QUANT_QUANT_OP_H
