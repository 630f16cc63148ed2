// plug/glue/glue.h - parts of the text between a tenon_call and bound
// functions.
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
// The slot of operand or result i of a call; -1: none.
int tenon_glue_in_slot(const tenon_bind_op *op, uint16_t i);
int tenon_glue_out_slot(const tenon_bind_op *op, uint16_t i);
// For keys of another dimension order (glue_order.c): the descriptor's `order`;
// what all of them call; a function that makes a call by index of one as
// tensors lie; the body of a function that has it and goes on in
// `function`_<symbol>.
void tenon_glue_order(tenon_buf *out, const tenon_bind_op *op,
                      const tenon_bind_key *key);
void tenon_glue_order_helper(tenon_buf *out, const tenon_bindings *b);
void tenon_glue_order_call(tenon_buf *out, const tenon_bindings *b,
                           const tenon_bind_op *op, const tenon_bind_key *key);
void tenon_glue_order_use(tenon_buf *out, const tenon_bind_op *op,
                          const tenon_bind_key *key, const char *function);
// The kernel of a key: a call of the function.
void tenon_glue_wrapper(tenon_buf *out, const tenon_bindings *b,
                        const tenon_bind_op *op, unsigned id,
                        const tenon_bind_kernel *k, const tenon_bind_key *key);

#endif  // TENON_PLUG_GLUE_H
