// core/dtype.h - names and sizes of element types, from dtype.def.
#ifndef TENON_CORE_DTYPE_H
#define TENON_CORE_DTYPE_H

#include "base/text.h"
#include "tenon/tensor.h"

typedef struct tenon_dtype_info {
  const char *name;  // "f32"
  const char *torch, *numpy;
  uint16_t bits;
  char kind;  // 'f' 'i' 'u' 'b' 'c' 's'
} tenon_dtype_info;

// Null for 0 and for numbers that no row has.
const tenon_dtype_info *tenon_dtype_look(tenon_dtype t);
const char *tenon_dtype_name(tenon_dtype t);  // "none" for 0, "?" if unknown
// By our name or torch's; 0 when there is none.
tenon_dtype tenon_dtype_find(tenon_text name);
// Bytes of `count` elements, rounded up to whole bytes; false on overflow.
bool tenon_dtype_size(tenon_dtype t, uint64_t count, size_t *out);

#endif  // TENON_CORE_DTYPE_H
