// tests/harness/op_case.h - a call of any operator made by hand: operands and
// results are added one by one, and filled with random numbers.
//
//   op_case_begin(&c, tenon_op_core_softmax.kernels[0], &attrs);
//   op_case_in(&c, TENON_F32, CASE_EXTREME, 2, rows, 100);
//   op_case_out(&c, TENON_F32, 2, rows, 100);
//   ... c.call ...
//   op_case_end(&c);
#ifndef TENON_TESTS_OP_CASE_H
#define TENON_TESTS_OP_CASE_H

#include <stdarg.h>

#include "harness/case.h"
#include "kern/num/half.h"
#include "ops/core/core_rule.h"

enum { OP_CASE_IN = 6, OP_CASE_OUT = 3, OP_CASE_RANK = 6 };

typedef struct op_case {
  const tenon_kernel_desc *reference;
  tenon_call call;
  tenon_tensor in[OP_CASE_IN], out[OP_CASE_OUT];
  int32_t in_dims[OP_CASE_IN][OP_CASE_RANK];
  int32_t out_dims[OP_CASE_OUT][OP_CASE_RANK];
  case_memory pages[OP_CASE_IN];
  unsigned char *room[OP_CASE_OUT];  // results, with guards
  size_t size[OP_CASE_OUT];          // bytes of a result
} op_case;

static inline size_t op_case_bytes(const tenon_tensor *t) {
  const size_t element = tenon_element_bytes(t->dtype);
  return tenon_count(t) * (element ? element : 4);
}

static inline void op_case_begin(op_case *c, const tenon_kernel_desc *reference,
                                 const void *attrs) {
  memset(c, 0, sizeof *c);
  c->reference = reference;
  c->call.in = c->in;
  c->call.out = c->out;
  c->call.attrs = attrs;
}

static inline void op_case_fill(const tenon_tensor *t, int kind) {
  for (size_t i = 0; i < tenon_count(t); ++i) {
    if (t->dtype == TENON_F32)
      ((float *)t->data)[i] = case_float(kind);
    else if (t->dtype == TENON_F16)
      ((uint16_t *)t->data)[i] = tenon_f16_of_f32(case_float(kind));
    else if (t->dtype == TENON_BF16)
      ((uint16_t *)t->data)[i] = tenon_bf16_of_f32(case_float(kind));
    else if (t->dtype == TENON_S8)
      ((int8_t *)t->data)[i] = case_s8(kind);
    else if (t->dtype == TENON_BOOL)
      ((uint8_t *)t->data)[i] = case_random() & 1;
    else if (t->dtype == TENON_S16)
      ((int16_t *)t->data)[i] = (int16_t)case_random();
    else if (t->dtype == TENON_F64)
      ((double *)t->data)[i] = (double)case_float(kind);
    else if (tenon_element_bytes(t->dtype) == 8)
      ((int64_t *)t->data)[i] = case_between(-5000, 5000);
    else if (t->dtype == TENON_U8)
      ((uint8_t *)t->data)[i] = (uint8_t)case_random();
    else if (t->dtype == TENON_U16)
      ((uint16_t *)t->data)[i] = (uint16_t)case_random();
    else
      ((int32_t *)t->data)[i] = case_between(-5000, 5000);
  }
}

static inline void op_case_dims(int32_t *to, int rank, va_list dims) {
  for (int i = 0; i < rank; ++i)
    to[i] = va_arg(dims, int);
}

static inline tenon_tensor *op_case_in(op_case *c, tenon_dtype dtype, int kind,
                                       int rank, ...) {
  const size_t i = c->call.n_in++;
  va_list dims;
  va_start(dims, rank);
  op_case_dims(c->in_dims[i], rank, dims);
  va_end(dims);
  case_tensor(&c->in[i], dtype, c->in_dims[i], rank, NULL, NULL);
  c->in[i].data = case_pages(&c->pages[i], op_case_bytes(&c->in[i]));
  op_case_fill(&c->in[i], kind);
  return &c->in[i];
}

// The reference kernel of an operator whose types begin like this.
static inline const tenon_kernel_desc *op_case_reference(
    const tenon_op_desc *op, const char *types) {
  for (const tenon_kernel_desc *const *k = op->kernels; *k; ++k)
    if (strncmp((*k)->types, types, strlen(types)) == 0) return *k;
  return NULL;
}

// An operand that is absent.
static inline void op_case_none(op_case *c) {
  ++c->call.n_in;
}

static inline tenon_tensor *op_case_out(op_case *c, tenon_dtype dtype, int rank,
                                        ...) {
  const size_t i = c->call.n_out++;
  va_list dims;
  va_start(dims, rank);
  op_case_dims(c->out_dims[i], rank, dims);
  va_end(dims);
  case_tensor(&c->out[i], dtype, c->out_dims[i], rank, NULL, NULL);
  c->size[i] = op_case_bytes(&c->out[i]);
  c->room[i] = case_aligned(c->size[i] + 2 * CASE_GUARD);
  c->out[i].data = c->room[i] + CASE_GUARD;
  return &c->out[i];
}

static inline void op_case_end(op_case *c) {
  for (int i = 0; i < OP_CASE_IN; ++i)
    case_pages_free(&c->pages[i]);
  for (int i = 0; i < OP_CASE_OUT; ++i)
    case_give(c->room[i]);
}

#endif  // TENON_TESTS_OP_CASE_H
