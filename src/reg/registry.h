// reg/registry.h - what a context knows: names to descriptors, and per operator
// its kernels and lowerings.
//
// Filled while the context is configured, by whole plugins; immutable from the
// moment the context freezes. Descriptors here are admitted copies
// (reg/admit/admit.h): of full size, in the context's arena, with every
// callback as the plugin gave it. Whether a descriptor came inside an
// operator's or on its own makes no difference after registration.
#ifndef TENON_REG_REGISTRY_H
#define TENON_REG_REGISTRY_H

#include "core/schema/schema.h"
#include "tenon/ext/plugin.h"

// Who brought a descriptor.
typedef struct tenon_owner {
  const char *name, *version;
  const char *origin;  // the file that was loaded; null when linked in
  const char *source;  // whole text of a plugin given as C source; else null
  bool is_builtin;
  uint32_t index;  // in order of registration
} tenon_owner;

typedef struct tenon_op tenon_op;

// One operand's or result's types in a kernel's `types`, parsed.
typedef struct tenon_kernel_type {
  // Alternatives: bit d of dtypes[k] is set when element type d with
  // quantisation suffix k (0 "", 1 "q", 2 "qc", 3 "qb") is taken.
  uint64_t dtypes[4];
  uint8_t bytes;     // b1 b2 b4 b8: elements of so many bytes, any quantisation
  uint8_t variable;  // 'T' or 'U': equal dtype and suffix wherever it stands
  bool is_optional;  // `?`
  bool is_list;      // `...`
} tenon_kernel_type;

typedef struct tenon_kernel {
  const tenon_kernel_desc *desc;
  const tenon_owner *owner;
  const tenon_op *op;           // null for a wildcard such as "aten::*"
  const tenon_kernel_type *in;  // n_in of them
  const tenon_kernel_type *out;
  uint8_t n_in, n_out;         // both 0 without desc->types: any, which only
                               // kernels of wildcards may say
  uint16_t n_features;         // words in desc->needs
  const tenon_source *source;  // desc->source, or made from owner->source; null
  bool is_reference;  // plain C without priority, in its operator's descriptor
  bool is_ordered;    // for tensors in another order of dimensions: then it
  const tenon_op *beside;  // serves this one and not `op` (reg/ordered.h)
} tenon_kernel;

typedef struct tenon_lowering {
  const tenon_lowering_desc *desc;
  const tenon_owner *owner;
} tenon_lowering;

// A copy in the arena, of a copy of the descriptor; null: memory ran out.
tenon_lowering *tenon_lowering_new(tenon_arena *arena,
                                   const tenon_lowering_desc *desc,
                                   const tenon_owner *owner);
// The function in an operator's descriptor is a lowering like any other.
tenon_lowering *tenon_lowering_own(tenon_arena *arena, const char *op,
                                   const tenon_op_desc *desc,
                                   const tenon_owner *owner);

struct tenon_op {
  const char *name;            // "acme::gain", "aten::add.Tensor"; interned
  const tenon_op_desc *desc;   // null: an operator that Tenon does not know,
                               // made by a reader for one module
  const tenon_schema *schema;  // null with desc
  const tenon_owner *owner;    // null with desc
  // After the freeze in the order in which they are tried. Includes those that
  // wildcards contribute.
  const tenon_kernel *const *kernels;
  const tenon_lowering *const *lowerings;
  uint32_t n_kernels, n_lowerings;
  const tenon_lowering *own;  // of an operator from a catalog: its descriptor's
  // Operators beside this one, for kernels of other dimension orders; and of
  // such a one, the one that it stands beside (reg/ordered.h).
  const struct tenon_ordered *ordered;
  const tenon_op *plain;
};

typedef struct tenon_context tenon_context;

// Lookup in a context that is being configured or frozen. `find` may return
// null. Names follow the grammar ("ns::name" is the default overload).
const tenon_op *tenon_registry_find_op(const tenon_context *cx,
                                       const char *name);
// The same, and tells apart what is not there (*out is null) from what could
// not be made: no memory, or a catalog's descriptor that does not hold
// together.
tenon_status tenon_registry_get_op(const tenon_context *cx, const char *name,
                                   const tenon_op **out);
const tenon_kernel *tenon_registry_find_kernel(const tenon_context *cx,
                                               const char *symbol);
// All operators but those of catalogs, sorted by name. Valid once frozen.
size_t tenon_registry_ops(const tenon_context *cx, const tenon_op *const **out);
// The operator whose name is nearest, or for "custom::CODE" the nearest code
// that an operator serves; null: none is near.
const char *tenon_registry_nearest_op(const tenon_context *cx,
                                      const char *name);

// The operator that serves a custom operator of a .tflite:
//  1. one whose tflite_name (or, without it, schema name) is exactly `code` and
//     that serves `version`;
//  2. else one whose key (tenon_custom_key) equals the key of `code`, if all
//     operators of that key have one and the same tflite_name.
// Descriptors of one tflite_name may share it with disjoint version ranges.
typedef enum tenon_custom_match {
  TENON_CUSTOM_FOUND,
  TENON_CUSTOM_UNKNOWN,   // nobody has that code
  TENON_CUSTOM_VERSION,   // *out serves other versions
  TENON_CUSTOM_AMBIGUOUS  // *out and *other both fit
} tenon_custom_match;
tenon_custom_match tenon_registry_find_custom(const tenon_context *cx,
                                              const char *code,
                                              uint32_t version,
                                              const tenon_op **out,
                                              const tenon_op **other);

// Passes, readers, targets, packages: a list per kind, admitted likewise.
// `desc` points to the kind's struct.
typedef struct tenon_extension {
  const char *name;
  const void *desc;
  const tenon_owner *owner;
} tenon_extension;
const tenon_extension *tenon_registry_find(const tenon_context *cx,
                                           uint32_t kind, const char *name);
// Whether what the library itself has under this name counts: no plugin
// replaced it and nobody removed it. True also in a context that was made
// without the descriptors of these (plug/native.c).
bool tenon_registry_is_native(const tenon_context *cx, uint32_t kind,
                              const char *name);
size_t tenon_registry_count(const tenon_context *cx, uint32_t kind);
const tenon_extension *tenon_registry_at(const tenon_context *cx, uint32_t kind,
                                         size_t i);

#endif  // TENON_REG_REGISTRY_H
