// plug/glue.h - parts of the text between a tenon_call and bound functions.
#ifndef TENON_PLUG_GLUE_H
#define TENON_PLUG_GLUE_H

#include "plug/bindings.h"

// The expression of a tensor of the call: "c->in[2]".
void tenon_glue_tensor(tenon_buf *out, const tenon_bind_op *op,
                       const tenon_bind_param *p);
// The expression of how many tensors a list has.
void tenon_glue_length(tenon_buf *out, const tenon_bind_param *p);
// The attributes of operator `id` as a struct, where it has one.
void tenon_glue_struct(tenon_buf *out, const tenon_bindings *b,
                       const tenon_bind_op *op, unsigned id);
// An attribute as an argument of C, once tenon_glue_attrs has declared `a`.
void tenon_glue_attr(tenon_buf *out, const tenon_bind_op *op,
                     const tenon_bind_param *p);
// False: the operator has none.
bool tenon_glue_attrs(tenon_buf *out, const tenon_bindings *b,
                      const tenon_bind_op *op, unsigned id);
// The functions that conditions of bindings call.
void tenon_glue_when_helpers(tenon_buf *out);
// The kernel of a key: a call of the function.
void tenon_glue_wrapper(tenon_buf *out, const tenon_bindings *b,
                        const tenon_bind_op *op, unsigned id,
                        const tenon_bind_kernel *k, const tenon_bind_key *key);

#endif  // TENON_PLUG_GLUE_H
