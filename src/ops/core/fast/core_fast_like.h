// ops/core/fast/core_fast_like.h - descriptors of kernels that take the calls
// of a reference kernel, and read what it packs.
#ifndef TENON_OPS_CORE_CORE_FAST_LIKE_H
#define TENON_OPS_CORE_CORE_FAST_LIKE_H

#include "ops/core/core_rule.h"

// The functions of <name>_ref, which packs, as <name>_items and others. Members
// of its descriptor are no constants for the compiler.
#define LIKE_REFERENCE(name)                                           \
  extern CORE_KERNEL(name##_ref);                                      \
  static bool name##_match(const tenon_call *c) {                      \
    return !tenon_k_##name##_ref_desc.match ||                         \
           tenon_k_##name##_ref_desc.match(c);                         \
  }                                                                    \
  static int64_t name##_items(const tenon_call *c) {                   \
    return tenon_k_##name##_ref_desc.items(c);                         \
  }                                                                    \
  static size_t name##_size(const tenon_call *c) {                     \
    return tenon_k_##name##_ref_desc.pack_size(c);                     \
  }                                                                    \
  static tenon_status name##_pack(const tenon_call *c, void *packed) { \
    return tenon_k_##name##_ref_desc.pack(c, packed);                  \
  }
// One more function of <name>_ref, of which the latter takes items.
#define LIKE_FUNCTION(name, type, member)            \
  static type name##_##member(const tenon_call *c) { \
    return tenon_k_##name##_ref_desc.member(c);      \
  }
#define LIKE_SCRATCH(name)                                           \
  static size_t name##_scratch(const tenon_call *c, int64_t items) { \
    return tenon_k_##name##_ref_desc.scratch(c, items);              \
  }
#define LIKE_REFERENCE_MEMBERS(name) \
  .match = name##_match, .pack_size = name##_size, .pack = name##_pack

#endif  // TENON_OPS_CORE_CORE_FAST_LIKE_H
