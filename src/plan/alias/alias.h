// plan/alias/alias.h - which values share an address.
//
// A class is a piece of memory: an arena buffer, or the memory of a state.
// Views lie within their operand's class; a written argument's result is its
// operand's class; a branch's results are its regions'; a kernel that can work
// in place takes over an operand that nobody reads afterwards; what
// core::concat puts side by side is made there in the first place. What is left
// gets a class of its own.
#ifndef TENON_PLAN_ALIAS_H
#define TENON_PLAN_ALIAS_H

#include "ir/graph.h"
#include "plan/live.h"
#include "plan/sizes.h"

#define TENON_NO_VALUE UINT32_MAX

typedef struct tenon_class {
  uint32_t parent;       // union-find; the root is its own
  uint32_t end;          // last of the list of its values
  uint32_t first, last;  // live, inclusive
  tenon_dim bytes;       // TENON_UNKNOWN: too large
  uint32_t align;
  uint32_t state;  // index of the module's state; UINT32_MAX: arena
  uint32_t port;   // input or output (plan/banks/ports.h), plus 1; 0: none
  bool has_input;  // of the function
  bool is_given;   // an input that no step may write over
  bool is_wanted;  // an output that shall lie apart from inputs
} tenon_class;

typedef struct tenon_aliases {
  tenon_class *classes;  // one per value at first, by value id
  uint64_t *offsets;     // of values within their class, bytes
  uint32_t *next;        // the next value of the class; its root is the first
  bool *is_view;         // of nodes, by id: elided, takes no step
  const int32_t **strides;  // of values by id; null: dense
  uint32_t n;
  uint32_t n_over;  // nodes that write over an operand further down
} tenon_aliases;

// `kernels`: the kernel of each node by id, null where there is none; `over`:
// nodes by id that shall write over an operand that lies further down, where
// their kernels allow it (tenon_kernel_desc.overlap), or of kernels that allow
// being in place alone, shall not be; null for none; `given`:
// parameters that no step may write over, then results that shall lie apart
// from parameters, null for none. After
// tenon_plan_copies. Memory is shared where it fits for all sizes. False when
// memory ran out.
bool tenon_alias_compute(tenon_arena *arena, tenon_graph *function,
                         const tenon_live *live,
                         const tenon_kernel *const *kernels,
                         const tenon_sizing *sizing, const bool *over,
                         const bool *given, tenon_aliases *out);
// Whether a result may be made over an operand, as far as `given` goes.
bool tenon_alias_may_meet(const tenon_class *operand,
                          const tenon_class *result);
tenon_class *tenon_alias_root(const tenon_aliases *a, const tenon_value *v);
// Bytes of its class, from *begin to *end, among which those of a value are;
// of known sizes, of which none is 0.
void tenon_alias_range(const tenon_aliases *a, const tenon_value *v,
                       uint64_t bytes, uint64_t *begin, uint64_t *end);

#endif  // TENON_PLAN_ALIAS_H
