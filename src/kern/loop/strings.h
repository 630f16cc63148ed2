// kern/loop/strings.h - order and equality of strings, byte by byte.
#ifndef TENON_KERN_STRINGS_H
#define TENON_KERN_STRINGS_H

#include <string.h>

#include "tenon/tensor.h"

TENON_INLINE bool tenon_string_same(tenon_string a, tenon_string b) {
  return a.size == b.size &&
         (a.size == 0 || memcmp(a.at.data, b.at.data, (size_t)a.size) == 0);
}

// Below 0: a stands before b; 0: they are the same.
TENON_INLINE int tenon_string_order(tenon_string a, tenon_string b) {
  const uint64_t n = a.size < b.size ? a.size : b.size;
  const int first = n ? memcmp(a.at.data, b.at.data, (size_t)n) : 0;
  return first ? first : (a.size > b.size) - (a.size < b.size);
}

#endif  // TENON_KERN_STRINGS_H
