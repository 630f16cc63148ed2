// ops/aten/each/each_op.h - what lowerings of element-wise operators share: the
// type in which a node computes, and formulas.
//
// PyTorch promotes the operands to one type, computes (16-bit floats in f32),
// and stores in the type of the result.
#ifndef TENON_OPS_ATEN_EACH_OP_H
#define TENON_OPS_ATEN_EACH_OP_H

#include "ops/aten/index/index_op.h"

typedef struct tenon_each {
  tenon_rewriter *rw;
  const tenon_node *n;
  tenon_dtype type;     // that the operands promote to
  tenon_dtype compute;  // the same, but f32 for 16-bit floats
  tenon_dtype result;   // of the node; where nobody has said: `type`
  char mode;            // a tenon_each_mode
  bool is_exact;        // operands of one element are not rounded to `type`
} tenon_each;

// What becomes of the promoted type.
typedef enum tenon_each_mode {
  TENON_EACH_SAME = 'n',
  TENON_EACH_FLOAT = 'f',   // integers and bool become f32
  TENON_EACH_TRUTH = 'b',   // as it is; the result is bool
  TENON_EACH_COUNTS = 'c',  // the same, and bool becomes u8
  TENON_EACH_LOGIC = 'l',   // operands are bool: not zero
  TENON_EACH_DOUBLE = 'd',  // all in f64
  TENON_EACH_PLAIN = '-'    // none: operands are what they are
} tenon_each_mode;

// Promotes all tensor operands, and the Python numbers among the arguments that
// take part (self, other, exponent, min, max). Fails where PyTorch does.
tenon_status tenon_each_begin(tenon_each *e, tenon_rewriter *rw,
                              const tenon_node *n, char mode);
// Operand i, and a Python number, in `compute`. What takes part in the
// promotion is rounded to `type` on the way.
tenon_value *tenon_each_in(tenon_each *e, int i);
tenon_value *tenon_each_scalar(tenon_each *e, const char *name);
tenon_value *tenon_each_number(tenon_each *e, double value);
bool tenon_each_is_float(const tenon_each *e);
// Whether `is_exact` changes what operand i is: it has one element, and `type`
// 16 bits.
bool tenon_each_has_one(const tenon_each *e, int i);
// Replaces the node by y in the type of the result.
tenon_status tenon_each_end(tenon_each *e, tenon_value *y);

// A formula (aten_op.h) of a node: "m = maximum(x, y); x == y ? m : m + 1". x,
// y, z and w are the operands, in order; other names are arguments of the
// schema. Numbers have the type in which the node computes. Beside what any
// formula has there are
//
//   exact(y)            y without being rounded to a 16-bit type where it is
//   one
//                       number: so PyTorch multiplies and divides; has_one(y)
//                       tells
//   wide(x), narrow(x)  x computed in f32 where it is of 16 bits; and back
//   how == 'tanh'       of arguments that are texts, in conditions of `if`
//   is_float, is_f64    whether the operands promote to a float, to f64
//   refuse('why')       the node is refused
//   floats(x, 'why')    x, refused with its type behind these words where it
//   has
//                       no floats; is_real(x) tells
//   matrix(x)           x, refused where it is no matrix of f32 or f64
//   dims, axis, keepdim what these arguments say of operand 0, as bits, and how
//   rank                many dimensions it has
//   typed(x), summed(x) in the type of `dtype`; if None, that of sums
//   a b = sort(x)       two results of an operator
//
// What a branch of `if` reads that is not taken changes nothing. A null value
// stands for what failed.
tenon_value *tenon_each_formula(tenon_each *e, const char *text);
// begin, formula and end of "f: log(x)", whose first letter is the mode. Of
// "- stable: ..." operands are taken as they are, numbers have the type of what
// they meet, arguments before the colon have no effect, and what the formula
// calls y1, y2 and y3 are further results. A
// formula of one operation computes 16-bit floats by the kernels for them; so
// does "f= ...", which rounds after each operation, as PyTorch does there.
tenon_status tenon_each_lower(tenon_rewriter *rw, const tenon_node *n,
                              const char *text);

#endif  // TENON_OPS_ATEN_EACH_OP_H
