// ir/out_variant.h - serving `ns::name.out` by the operator `ns::name`.
//
// PyTorch's convention: an overload may take one more tensor for each result
// (or a list, where the result is one), which it overwrites without reading;
// one that is called like its result may be absent, one whose result may be
// None, and all of them where the overload has torch's name. What the
// functional operator writes itself, a state, the overload writes too. An
// author describes the functional operator alone; what a file calls such an
// overload of becomes an operator of the module, whose schema has those tensors
// as written arguments and whose lowering is a call of the functional one.
//
// Which overload is the functional one the arguments say: it takes all others,
// by name, and gives as many results as tensors are written. What is written a
// schema says, or a call that was made functional; a plain call says it where
// it gives no results, or by the names that torch has for out variants.
#ifndef TENON_IR_OUT_VARIANT_H
#define TENON_IR_OUT_VARIANT_H

#include "ir/graph.h"

#define TENON_MOST_OUTS 16
#define TENON_NO_OUT UINT16_MAX  // nothing receives the result

// An argument as a call has it.
typedef struct tenon_out_arg {
  const char *name;
  bool is_tensor;   // one
  bool is_list;     // of tensors
  bool is_written;  // where `says_written` holds; neither of those: absent
} tenon_out_arg;

typedef struct tenon_out_call {
  const char *name;  // "ns::name.overload"
  const tenon_out_arg *args;
  uint32_t n_args, n_returns;
  bool says_written;  // otherwise it is not known
} tenon_out_call;

typedef struct tenon_out_match {
  const tenon_op *functional;      // null: there is none
  const tenon_op *other;           // serves it as well as that one
  uint16_t outs[TENON_MOST_OUTS];  // argument of result i, or TENON_NO_OUT
  bool is_crossed;  // those have the names of results, in another order
} tenon_out_match;

// The operator that serves the call. A match with `other`, or one that is
// crossed, is none: whoever calls says so.
void tenon_out_variant_find(const tenon_context *cx, const tenon_out_call *call,
                            tenon_out_match *out);
// The same of a schema, which says what is written; false: memory ran out.
bool tenon_out_variant_declared(const tenon_context *cx, tenon_arena *arena,
                                const tenon_schema *s, tenon_out_match *out);
// Where nothing but the name is known: the overload that torch's names mean, or
// the only one that gives tensors and writes nothing.
void tenon_out_variant_named(const tenon_context *cx, const char *name,
                             tenon_out_match *out);
bool tenon_out_variant_is_made(const tenon_op *op);
// Whether it was made of calls that do not have all of these arguments: then it
// is to be made again.
bool tenon_out_variant_lacks(const tenon_op *op, const tenon_out_call *call);
// The operator of the call, as a match has it, and of earlier ones. Null when
// memory ran out, which has been reported.
const tenon_op *tenon_out_variant_make(tenon_module *m,
                                       const tenon_out_call *call,
                                       const tenon_out_match *match);
// The same of a schema: `name` is not described, or by its schema alone.
// *out null: nobody serves it.
tenon_status tenon_out_variant_of_schema(tenon_module *m,
                                         const tenon_schema *schema,
                                         const char *text,
                                         const tenon_op **out);

#endif  // TENON_IR_OUT_VARIANT_H
