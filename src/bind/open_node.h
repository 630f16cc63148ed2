// bind/open_node.h - nodes whose sizes a run finds out.
#ifndef TENON_BIND_OPEN_NODE_H
#define TENON_BIND_OPEN_NODE_H

#include "bind/trials.h"
#include "reg/registry.h"

// Bytes of a dense tensor as a size; a number where all of it is. The symbols
// of the module grow. TENON_UNKNOWN: too large.
tenon_dim tenon_type_bytes(tenon_module *m, const tenon_type *t);
bool tenon_node_is_open(const tenon_node *n);

typedef enum tenon_packs {
  TENON_PACKS_ALIKE = 0,
  TENON_PACKS_BY_SIZE,  // or no trial says that it does not
  TENON_PACKS_NO_MEMORY
} tenon_packs;
// Whether a kernel packs these bytes in every trial; null: so many, since what
// they are is known.
tenon_packs tenon_bind_packs(tenon_arena *arena, const tenon_kernel_desc *desc,
                             const tenon_node *n, int64_t *const *trial,
                             const bool *can_try, const void *packed,
                             size_t size);

#endif  // TENON_BIND_OPEN_NODE_H
