// tenon/selection.h - choosing the few kernels that a runtime is linked with.
//
// What is asked for in several ways adds up: operators by name, what compiled
// programs call, manifests of earlier selections. The result is a C source that
// names these operators and kernels and no others; a program that links it,
// and makes its contexts with the function that it defines
// (tenon_context_create_with), has nothing else in it. docs/select.md shows it.
#ifndef TENON_SELECTION_H
#define TENON_SELECTION_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

// The text of a manifest.
typedef struct tenon_manifest {
  const char *file;  // in places
  const void *data;
  size_t size;
} tenon_manifest;  // frozen

typedef struct tenon_select_options {
  uint32_t struct_size;
  uint32_t flags;  // 0
  // "core::conv": all its kernels, as far as `target` has what they need and
  // `dtypes` has their types. Ends with null; null: none.
  const char *const *ops;
  // "f32", "s8": of a kernel for an operator of `ops`, each operand and result
  // that has to be there takes one of them. Ends with null; null: any.
  const char *const *dtypes;
  const char *target;  // null: "host"
  // The kernels that they call. Their context may be another one.
  const tenon_program *const *programs;
  size_t n_programs;
  const tenon_manifest *manifests;
  size_t n_manifests;
} tenon_select_options;

// Writes "tenon_selected.c" and ".h", which define and declare the function for
// tenon_context_create_with, and "tenon_selected.yaml", the manifest.
// TENON_BAD_PLUGIN, with all that is wrong and the nearest names, for what
// nobody has: an operator, a kernel of it, a type, a key of a manifest. Freezes
// the context.
TENON_API TENON_NODISCARD tenon_status
tenon_selection_write(tenon_context *cx, const tenon_select_options *options,
                      tenon_write_fn *write, void *self);
// The same as a list of operators and kernels, TEXT or JSON.
TENON_API TENON_NODISCARD tenon_status
tenon_selection_print(tenon_context *cx, const tenon_select_options *options,
                      uint32_t format, tenon_write_fn *write, void *self);

#ifdef __cplusplus
}
#endif

#endif  // TENON_SELECTION_H
