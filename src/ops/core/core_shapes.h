// ops/core/core_shapes.h - shape rules as text: what an operator's operands
// must be, and what its results are.
//
//   "x[t,b,4*n], w[4*n,p], bias?[4*n], h[b,p] -> x[t,b,p], h"
//   "x f32[...,m,n] -> c64[...,m,n/2+1], s32[...]"
//
// Operands stand in their order, by the names of messages. "?" behind a name:
// it may be absent; then the element type that it must have, or an operand of
// the same; no brackets: any dimensions. The first operand of which a name is a
// dimension gives it its size; all others, and what is computed of names, must
// agree. "_" is any size, "..." any dimensions in front, the same everywhere;
// "!" behind brackets: sizes that are known.
// A result is an element type, or an operand whose element type it has, with
// sizes that are computed of names, or without brackets an operand's type.
// Results that the text does not have are the caller's.
//
// Sizes are computed with + - * /, from left to right as in C, and min(a,b),
// which is refused where nobody knows which one it is.
#ifndef TENON_OPS_CORE_CORE_SHAPES_H
#define TENON_OPS_CORE_CORE_SHAPES_H

#include "tenon/ext/op.h"

enum { CORE_SHAPE_NAMES = 16 };

typedef struct tenon_shapes {
  struct {
    char name[12];
    tenon_dim size;
  } names[CORE_SHAPE_NAMES];
  int n_names;
  tenon_dim front[TENON_MAX_RANK];  // what "..." stands for
  int n_front;
  bool has_front;
  // Types result i; `like`: the operand whose element type it has, or null.
  tenon_status (*give)(tenon_infer *c, int i, const tenon_type *type,
                       const tenon_type *like);
} tenon_shapes;

// What a rule knows before: the size of a name.
void tenon_shapes_set(tenon_shapes *s, const char *name, tenon_dim size);
// The size of a name that the text has.
tenon_dim tenon_shapes_get(const tenon_shapes *s, const char *name);
// Holds a node against a text. `s` begins as zeros, with what a rule has set.
tenon_status tenon_shapes_infer(tenon_infer *c, tenon_shapes *s,
                                const char *text);
// The same with results as tenon_core_result has them.
tenon_status tenon_core_shapes_with(tenon_infer *c, tenon_shapes *s,
                                    const char *text);
// Where all is in the text.
tenon_status tenon_core_shapes(tenon_infer *c, const char *text);

// A rule that is a text.
#define CORE_SHAPES(name, ...)                \
  static tenon_status name(tenon_infer *c) {  \
    return tenon_core_shapes(c, __VA_ARGS__); \
  }

#endif  // TENON_OPS_CORE_CORE_SHAPES_H
