// shims.h - libtorch's C interface, as far as it is called.
//
// The library is looked for once, when the plugin is loaded: in the file or
// folder that TENON_LIBTORCH names, else where the system's loader looks. Its
// functions are found by name; nothing of torch is needed to build this.
#ifndef LIBTORCH_SHIMS_H
#define LIBTORCH_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/tensor.h"

typedef struct shims {
#define SHIM(result, name, arguments) result(*name) arguments;
#define LATER SHIM
#include "shims.def"
#undef SHIM
#undef LATER
} shims;

// Null: there is none.
const shims *shims_get(void);
// torch's number of an element type and its bytes; false: it has none.
bool shims_dtype(tenon_dtype dtype, int32_t *out, size_t *size);

#endif  // LIBTORCH_SHIMS_H
