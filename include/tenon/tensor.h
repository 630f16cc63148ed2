// tenon/tensor.h - the view of a tensor that kernels see. Views own nothing.
//
// Everything here is frozen within an ABI major version: kernels touch it
// directly, and its text is part of emitted C (C99, freestanding).
#ifndef TENON_TENSOR_H
#define TENON_TENSOR_H

#include "tenon/attr.h"
#include "tenon/base.h"

typedef uint8_t tenon_dtype;  // 0: no tensor. Numbers are never reused.
enum {
  TENON_F32 = 1,
  TENON_F16,
  TENON_S8,
  TENON_S16,
  TENON_S32,
  TENON_S64,
  TENON_U8,
  TENON_BOOL,
  TENON_F64,
  TENON_BF16,
  TENON_U16,
  TENON_U32,
  TENON_U64,
  TENON_S4,
  TENON_U4,
  TENON_S2,
  TENON_C64,
  TENON_C128,
  TENON_F8E4M3FN,
  TENON_F8E5M2,
  TENON_F8E4M3FNUZ,
  TENON_F8E5M2FNUZ,
  TENON_F8E8M0FNU,
  TENON_STR
};

// Above this the file is refused. Kernels may size their index arrays by it.
#define TENON_MAX_RANK 8

// real = scale[i] * (stored - zero[i]). One channel means per tensor. With
// `block`, runs of that many elements of the last axis have a scale each, and
// scale i belongs to channel i / runs and run i % runs.
typedef struct tenon_quant {
  const float *scale;
  const int32_t *zero;  // null: all zero
  int32_t channels;
  int32_t axis;   // 0 where channels is 1
  int32_t block;  // 0: none
} tenon_quant;

// Types below one byte are packed in element order, low bits first, without
// gaps between rows; they are dense and start at a byte.
typedef struct tenon_tensor {
  void *data;                // null: absent, empty, or not known yet
  const int32_t *dims;       // `rank` entries, outermost first; null: rank 0
  const int32_t *strides;    // in elements, may be 0 or negative; null: dense,
                             // row-major. Only kernels that ask get them
  const tenon_quant *quant;  // null when not quantised
  tenon_dtype dtype;
  uint8_t rank;
  uint16_t flags;  // TENON_TENSOR_*
} tenon_tensor;
enum {
  TENON_TENSOR_NUMBER = 1u << 0  // of rank 0: a Python number in the place of a
                                 // tensor, which ranks below tensors when
                                 // PyTorch promotes types
};

// What a kernel says when it fails: no formatting, no allocation. The session
// adds operator, kernel and place; emitted C leaves it in the instance.
typedef struct tenon_fault {
  const char *text;  // a constant; "{0}" and "{1}" stand for the numbers
  int64_t value[2];
} tenon_fault;

// One planned invocation. Kernels cannot tell whether an executor or emitted C
// calls them. Threads that share a call get a copy each, with scratch and fault
// of their own.
//
// Operands stand in schema order. A `Tensor[]` argument is flattened in place:
// the i-th tensor argument owns in[in_group[i]] .. in[in_group[i + 1] - 1], and
// results likewise. A group array is null when every one is a single tensor. An
// absent `Tensor?` has dtype 0. Operands that `pack` has consumed have null
// data.
//
// A written argument `Tensor(a!)` is in[i] before and out[j] after, at the same
// address: j is the result that carries the alias mark, or follows the declared
// results in argument order. The planner has copied what others still read.
typedef struct tenon_call {
  const tenon_tensor *in;
  const tenon_tensor *out;
  const uint16_t *in_group;
  const uint16_t *out_group;
  const void *attrs;   // the op's attribute struct, already validated
  const void *packed;  // what the kernel's `pack` made; null: nothing
  void *scratch;       // as many bytes as the kernel's `scratch` asked for
  int64_t *sizes;  // to be written: the sizes that `infer` said data decide.
                   // The outputs' dims are their upper bounds, or, measured,
                   // the sizes; elements lie densely by the sizes
  tenon_fault *fault;  // null: nobody listens
  const void *user;    // the descriptor's `user`
  const char *schema;  // the operator's, for a kernel of a wildcard; else null
  uint16_t n_in, n_out;
} tenon_call;

// An element of TENON_STR: `size` bytes at `at.data`, which may hold zeros and
// do not end in one; data may be null where size is 0. Whoever made the tensor
// keeps the bytes: a program those of its constants, the caller of a run those
// of its inputs until the outputs have been read, since a result's elements
// point where an operand's did. 16 bytes on every machine, so that a plan made
// on one fits another; what moves elements moves strings.
typedef struct tenon_string {
  union {
    const char *data;
    uint64_t word;
  } at;
  uint64_t size;
} tenon_string;

// Bits of an element as it is stored, of a string its tenon_string; 0: no
// tensor.
TENON_INLINE int32_t tenon_element_bits(tenon_dtype dtype) {
  switch (dtype) {
    case TENON_S2:
      return 2;
    case TENON_S4:
    case TENON_U4:
      return 4;
    case TENON_S8:
    case TENON_U8:
    case TENON_BOOL:
    case TENON_F8E4M3FN:
    case TENON_F8E5M2:
    case TENON_F8E4M3FNUZ:
    case TENON_F8E5M2FNUZ:
    case TENON_F8E8M0FNU:
      return 8;
    case TENON_F16:
    case TENON_BF16:
    case TENON_S16:
    case TENON_U16:
      return 16;
    case TENON_F32:
    case TENON_S32:
    case TENON_U32:
      return 32;
    case TENON_F64:
    case TENON_S64:
    case TENON_U64:
    case TENON_C64:
      return 64;
    case TENON_C128:
    case TENON_STR:
      return 128;
    default:
      return 0;
  }
}

// Bytes of an element; 0: none, or of no whole number of bytes.
TENON_INLINE size_t tenon_element_bytes(tenon_dtype dtype) {
  return (size_t)tenon_element_bits(dtype) / 8;
}

TENON_INLINE size_t tenon_count(const tenon_tensor *t) {
  size_t n = 1;
  for (int i = 0; i < t->rank; ++i)
    n *= (size_t)t->dims[i];
  return n;
}

TENON_INLINE tenon_status tenon_call_fail(const tenon_call *c, const char *text,
                                          int64_t value0, int64_t value1) {
  if (c->fault) {
    c->fault->text = text;
    c->fault->value[0] = value0;
    c->fault->value[1] = value1;
  }
  return TENON_BAD_INPUT;
}

// Kernels are defined through this: visible to the linker in a library or a
// plugin, static in emitted C, so that modules of one image do not collide.
#ifndef TENON_KERNEL_LINKAGE
#define TENON_KERNEL_LINKAGE TENON_EXTERN_C
#endif
#define TENON_KERNEL(name)                                     \
  TENON_KERNEL_LINKAGE tenon_status name(const tenon_call *c); \
  TENON_KERNEL_LINKAGE tenon_status name(const tenon_call *c)
#define TENON_KERNEL_RANGE(name)                                             \
  TENON_KERNEL_LINKAGE tenon_status name(const tenon_call *c, int64_t begin, \
                                         int64_t end);                       \
  TENON_KERNEL_LINKAGE tenon_status name(const tenon_call *c, int64_t begin, \
                                         int64_t end)

#endif  // TENON_TENSOR_H
