// tenon/ext/catalog.h - operators that are described when somebody asks.
//
// A set of thousands of names (every ATen overload, what a library found at run
// time can do) is a catalog: a sorted list of names, and one function that
// fills in a descriptor. The context asks once per name that a model, a kernel
// or a lowering mentions; the others cost nothing. An operator that came out of
// a catalog is like any other from then on.
#ifndef TENON_EXT_CATALOG_H
#define TENON_EXT_CATALOG_H

#include "tenon/ext/op.h"

// Called by any thread that uses the context, by one at a time; so it is pure,
// and what `out` points to lives as long as the plugin.
typedef struct tenon_catalog_desc {
  uint32_t struct_size;
  uint32_t flags;   // 0
  const char *set;  // "aten": all names begin with it and "::"
  const char *doc;
  size_t count;
  // The i-th name as the registry spells it ("aten::add.Tensor", without
  // ".default"), in ascending order of bytes.
  const char *(*name)(const void *user, size_t i);
  // Fills in the descriptor of the i-th name, zero but for struct_size when
  // called. Kernels do not come in it: a plugin lists those apart.
  void (*describe)(const void *user, size_t i, tenon_op_desc *out);
  const void *user;
} tenon_catalog_desc;

TENON_NO_TAIL_PADDING(tenon_catalog_desc, user);

#endif  // TENON_EXT_CATALOG_H
