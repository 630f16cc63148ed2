// kern/loop/element.h - elements whose type does not matter: their size, and
// moving them.
#ifndef TENON_KERN_ELEMENT_H
#define TENON_KERN_ELEMENT_H

#include <string.h>

#include "tenon/tensor.h"

// Bytes of an element of a type that has whole bytes.
TENON_INLINE ptrdiff_t tenon_element_size(const tenon_tensor *t) {
  return (ptrdiff_t)tenon_element_bytes(t->dtype);
}

// Bytes of a dense tensor.
TENON_INLINE size_t tenon_tensor_size(const tenon_tensor *t) {
  return (tenon_count(t) * (size_t)tenon_element_bits(t->dtype) + 7) / 8;
}

// All bytes of one dense tensor to another of as many; maybe in place.
TENON_INLINE tenon_status tenon_copy_tensor(const tenon_tensor *from,
                                            const tenon_tensor *to) {
  size_t size = tenon_tensor_size(from);
  if (size && to->data != from->data) memcpy(to->data, from->data, size);
  return TENON_OK;
}

// Copies n elements of `size` bytes; steps are in elements.
TENON_INLINE void tenon_copy_elements(unsigned char *to, ptrdiff_t to_step,
                                      const unsigned char *from,
                                      ptrdiff_t from_step, ptrdiff_t n,
                                      ptrdiff_t size) {
  if (to_step == 1 && from_step == 1) {
    memcpy(to, from, (size_t)(n * size));
    return;
  }
  to_step *= size;
  from_step *= size;
  // A copy of known size is one move; of any other, a call.
#ifdef TENON_WIDE_LOOPS
#define TENON_COPY_OF(bytes)                             \
  if (size == bytes) {                                   \
    for (; n > 0; --n, to += to_step, from += from_step) \
      memcpy(to, from, bytes);                           \
    return;                                              \
  }
  TENON_COPY_OF(4)
  TENON_COPY_OF(2)
  TENON_COPY_OF(8)
#undef TENON_COPY_OF
#endif
  for (; n > 0; --n, to += to_step, from += from_step) {
    if (size == 4)
      memcpy(to, from, 4);
    else if (size == 1)
      *to = *from;
    else
      memcpy(to, from, (size_t)size);
  }
}

#endif  // TENON_KERN_ELEMENT_H
