// core_control.c - states and control flow: the operators that the planner, or
// pass `lower`, knows by name. They have schemas and no kernels; a program has
// steps of its own for them.
#include "ops/core/core_rule.h"

#define CONTROL(name, arguments, its_doc)   \
  CORE_OP(name) = {                         \
      .struct_size = sizeof(tenon_op_desc), \
      .flags = TENON_OP_DECLARED,           \
      .schema = "core::" #name arguments,   \
      .doc = its_doc,                       \
  }

CONTROL(state_read, "(*, str state) -> Tensor",
        "The value of a state, of the declared type.");
CONTROL(state_write, "(Tensor x, *, str state) -> ()",
        "Gives a state another value.");
CONTROL(cond, "(Tensor pred, Tensor[] args) -> Tensor[]",
        "The results of one of two regions, then and else, which both take "
        "args.");
CONTROL(while, "(Tensor[] args) -> Tensor[]",
        "Repeats the second region on args while the first gives true.");
CONTROL(composite, "(Tensor[] args) -> Tensor[]",
        "One computation twice: as one operator, where the target covers it, "
        "and as the others that it is made of.");
CONTROL(call, "(Tensor[] args, *, int function) -> Tensor[]",
        "The results of another function of the module, by its index.");
