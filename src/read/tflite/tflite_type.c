// tflite_type.c - what a tensor of the file is: the type of its elements, and
// whether there can be any.
#include "read/tflite/tflite_import.h"

// By TensorType. A handle of a resource is a number: LiteRT's is one of 32
// bits.
static const tenon_dtype dtypes[] = {
    TENON_F32,  TENON_F16, TENON_S32, TENON_U8,       TENON_S64,   TENON_STR,
    TENON_BOOL, TENON_S16, TENON_C64, TENON_S8,       TENON_F64,   TENON_C128,
    TENON_U64,  TENON_S32, 0,         TENON_U32,      TENON_U16,   TENON_S4,
    TENON_BF16, TENON_S2,  TENON_U4,  TENON_F8E4M3FN, TENON_F8E5M2};

tenon_dtype tenon_import_dtype(int64_t type) {
  bool is_known = type >= 0 && type < (int64_t)(sizeof dtypes / sizeof *dtypes);
  return is_known ? dtypes[type] : 0;
}

// Nobody writes what has no elements.
bool tenon_import_is_empty(const tenon_import_tensor *t) {
  uint64_t count = 1;
  return t->producer == 0 && tenon_type_is_static(&t->type) &&
         tenon_type_count(&t->type, &count) && count == 0;
}

bool tenon_import_is_blank(const tenon_import_tensor *t) {
  return !t->value && t->producer == 0 && !t->is_constant && !t->is_variable &&
         !t->is_input && !tenon_import_is_empty(t);
}
