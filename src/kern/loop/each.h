// kern/loop/each.h - the one loop of all operators that look at an element at a
// time.
//
// TENON_EACH_KERNEL(name, In, Out, BEFORE, expr) defines the kernel `name`,
// whose items are elements: `expr` is computed from `x`, of type In, and stored
// as Out. BEFORE declares what the loop needs, from the call `c`. It may work
// in place. TENON_EACH_AS is the same with `x` of another type, Number: LOAD
// makes it of an In, and STORE an Out of what `expr` gives.
#ifndef TENON_KERN_EACH_H
#define TENON_KERN_EACH_H

#include "kern/loop/wide.h"

#define TENON_EACH_KERNEL(name, In, Out, BEFORE, expr)              \
  TENON_KERNEL_RANGE(name) {                                        \
    const In *from = (const In *)c->in[0].data;                     \
    Out *to = (Out *)c->out[0].data;                                \
    BEFORE                                                          \
    TENON_INDEPENDENT                                               \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) { \
      const In x = from[i];                                         \
      to[i] = expr;                                                 \
    }                                                               \
    return TENON_OK;                                                \
  }

#define TENON_EACH_AS(name, In, LOAD, Number, Out, STORE, BEFORE, expr) \
  TENON_KERNEL_RANGE(name) {                                            \
    const In *from = (const In *)c->in[0].data;                         \
    Out *to = (Out *)c->out[0].data;                                    \
    BEFORE                                                              \
    TENON_INDEPENDENT                                                   \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {     \
      const Number x = LOAD(from[i]);                                   \
      to[i] = STORE(expr);                                              \
    }                                                                   \
    return TENON_OK;                                                    \
  }

#endif  // TENON_KERN_EACH_H
