// ir/verify/verifier.h - what the files of the verifier share.
//
// verify.c walks the module once and asks the others about each thing it meets:
// verify_value.c about types and constants, verify_node.c about operators,
// verify_control.c about bodies, calls, entries and states.
#ifndef TENON_IR_VERIFIER_H
#define TENON_IR_VERIFIER_H

#include "ir/graph.h"

typedef struct tenon_call_edge {
  uint32_t caller, callee;  // indices of functions
} tenon_call_edge;

typedef struct tenon_verifier {
  const tenon_module *m;
  const char *stage;
  uint8_t *values;  // by id: what is known of a value, see verify.c
  uint8_t *nodes;   // by id: 1 when met
  uint32_t *uses;   // by id of a value: operands met
  TENON_VEC(tenon_call_edge) calls;
} tenon_verifier;

// Reports that invariant V<number> does not hold.
tenon_status tenon_verify_fail(const tenon_verifier *v, int number,
                               tenon_loc loc, const char *fmt, ...)
    TENON_PRINTF(4, 5);

// V5, V6. `what` is said in messages: "result 0 of 'core::mul'".
tenon_status tenon_verify_type(const tenon_verifier *v, const tenon_type *t,
                               tenon_loc loc, const char *what);
tenon_status tenon_verify_constant(const tenon_verifier *v,
                                   const tenon_value *c);  // V7
tenon_status tenon_verify_tensor(const tenon_verifier *v, const tenon_tensor *t,
                                 const tenon_type *type, tenon_loc loc,
                                 const char *what);          // V7
tenon_status tenon_verify_symbols(const tenon_verifier *v);  // V15
tenon_status tenon_verify_operator(const tenon_verifier *v,
                                   const tenon_node *n);  // V8, V9
// V10, V11, V13; notes calls.
tenon_status tenon_verify_control(tenon_verifier *v, const tenon_node *n);
tenon_status tenon_verify_calls(const tenon_verifier *v);    // V11
tenon_status tenon_verify_entries(const tenon_verifier *v);  // V12
tenon_status tenon_verify_states(const tenon_verifier *v);   // V13

#endif  // TENON_IR_VERIFIER_H
