// kern/op/dynamic.h - attributes of core::dynamic_slice and dynamic_update:
// windows whose place is an operand.
#ifndef TENON_KERN_DYNAMIC_H
#define TENON_KERN_DYNAMIC_H

#include "kern/loop/element.h"
#include "tenon/attr.h"

typedef struct tenon_dynamic_slice_attrs {
  tenon_ints axes;  // different ones; an element of `begin` each
  tenon_ints
      size;  // of the window along each of them; it is whole along others
} tenon_dynamic_slice_attrs;

typedef struct tenon_dynamic_update_attrs {
  tenon_ints axes;
} tenon_dynamic_update_attrs;

// Element i of a tensor of s32 or s64.
TENON_INLINE int64_t tenon_index_at(const tenon_tensor *t, size_t i) {
  if (t->dtype == TENON_S32) return ((const int32_t *)t->data)[i];
  return ((const int64_t *)t->data)[i];
}

// Where the window begins in the dense tensor `x`, in elements: `begin` brought
// within x, so that a window of `dims` lies inside.
TENON_INLINE ptrdiff_t tenon_dynamic_begin(const tenon_tensor *x,
                                           const int32_t *dims, tenon_ints axes,
                                           const tenon_tensor *begin) {
  ptrdiff_t at = 0;
  for (size_t i = 0; i < axes.count; ++i) {
    const int32_t axis =
        (int32_t)(axes.data[i] < 0 ? axes.data[i] + x->rank : axes.data[i]);
    const int64_t most = x->dims[axis] - dims[axis];
    int64_t first = tenon_index_at(begin, i);
    ptrdiff_t below = 1;
    first = first > most ? most : first;
    first = first < 0 ? 0 : first;
    for (int32_t d = axis + 1; d < x->rank; ++d)
      below *= x->dims[d];
    at += (ptrdiff_t)first * below;
  }
  return at;
}

// Copies a window of `dims` between dense memory and a place in a dense tensor
// with dimensions `whole`; what is contiguous goes at once.
TENON_INLINE void tenon_copy_window(unsigned char *part, unsigned char *place,
                                    const int32_t *dims, const int32_t *whole,
                                    int32_t rank, ptrdiff_t size,
                                    bool to_part) {
  int32_t outer = rank;
  ptrdiff_t run = size, rows = 1;
  while (outer > 0) {
    run *= dims[--outer];
    if (dims[outer] != whole[outer]) break;
  }
  for (int32_t d = 0; d < outer; ++d)
    rows *= dims[d];
  if (run == 0) return;
  for (ptrdiff_t row = 0; row < rows; ++row) {
    ptrdiff_t i = row, at = 0, below = 1;
    for (int32_t d = rank; d-- > outer;)
      below *= whole[d];
    for (int32_t d = outer; d-- > 0; below *= whole[d], i /= dims[d])
      at += i % dims[d] * below;
    if (to_part)
      memcpy(part + row * run, place + at * size, (size_t)run);
    else
      memcpy(place + at * size, part + row * run, (size_t)run);
  }
}

#endif  // TENON_KERN_DYNAMIC_H
