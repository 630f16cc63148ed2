// ops/aten/complex/complex_op.h - what lowerings of complex numbers share.
//
// As in aten_op.h, builders take failed values and give failed values back.
#ifndef TENON_OPS_ATEN_COMPLEX_OP_H
#define TENON_OPS_ATEN_COMPLEX_OP_H

#include "ops/aten/index/index_op.h"

// Two tensors of f32; `im` is null of real numbers.
typedef struct tenon_parts {
  tenon_value *re, *im;
} tenon_parts;

TENON_INLINE tenon_parts tenon_parts_of(tenon_value *re, tenon_value *im) {
  const tenon_parts z = {re, im};
  return z;
}
// Of a value and of an operand; real numbers are brought to f32.
tenon_parts tenon_parts_take(tenon_rewriter *rw, tenon_value *x);
TENON_INLINE tenon_parts tenon_parts_in(tenon_rewriter *rw, const tenon_node *n,
                                        int i) {
  return tenon_parts_take(rw, tenon_aten_in(rw, n, i));
}
// The imaginary part, zeros where there is none.
tenon_value *tenon_parts_imag(tenon_rewriter *rw, tenon_parts z);
tenon_value *tenon_parts_join(tenon_rewriter *rw, tenon_parts z);
// Replaces the node by z.
tenon_status tenon_parts_give(tenon_rewriter *rw, const tenon_node *n,
                              tenon_parts z);
bool tenon_parts_is_complex(tenon_rewriter *rw, tenon_value *x);
tenon_parts tenon_parts_product(tenon_rewriter *rw, tenon_parts a,
                                tenon_parts b);
tenon_parts tenon_parts_conj(tenon_rewriter *rw, tenon_parts z);

// The operator of the node on other operands, with results of f32 in place of
// complex ones. Flattened like the node's own; at most TENON_PARTS_TENSORS.
enum { TENON_PARTS_TENSORS = 64 };
typedef struct tenon_parts_call {
  tenon_value *in[TENON_PARTS_TENSORS];
  uint16_t group[TENON_PARTS_TENSORS + 1];
  uint32_t n_in, n_groups;
  tenon_value *out[TENON_PARTS_TENSORS];
  int n_out;
} tenon_parts_call;
tenon_status tenon_parts_call_of(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_parts_call *call);
tenon_status tenon_parts_call_build(tenon_rewriter *rw, const tenon_node *n,
                                    tenon_parts_call *call);

// The functional operator's name: "aten::mul_.Tensor" is functional when it is
// lowered. Empty where `size` is too small.
void tenon_parts_functional(const char *name, char *out, size_t size);

// Whether a result or one of the first operands of the node is complex; what
// the node means then, by its name: a row of parts.def, or null.
bool tenon_parts_concern(tenon_rewriter *rw, const tenon_node *n);
typedef struct tenon_parts_row {
  const char *names;
  tenon_lower_fn *lower;  // null: what it means of real numbers
} tenon_parts_row;
const tenon_parts_row *tenon_parts_find(const char *name);

#define PARTS_OP(names, function) \
  tenon_lower_fn tenon_aten_parts_##function##_lower;
#define PARTS_SAME(names)
#include "ops/aten/complex/parts.def"
#undef PARTS_OP
#undef PARTS_SAME

#endif  // TENON_OPS_ATEN_COMPLEX_OP_H
