// kern/loop/columns.h - items of core::index_put that are columns: so many
// elements of what lies behind the indexed dimensions.
#ifndef TENON_KERN_COLUMNS_H
#define TENON_KERN_COLUMNS_H

#include "kern/loop/select.h"

enum { TENON_COLUMNS = 16 };

TENON_INLINE int64_t tenon_index_put_items(const tenon_call *c) {
  const tenon_index_put_attrs *a = (const tenon_index_put_attrs *)c->attrs;
  int64_t block = 1;
  for (int32_t d = (int32_t)a->axis + (int32_t)c->n_in - 2; d < c->in[0].rank;
       ++d)
    block *= c->in[0].dims[d];
  return (block + TENON_COLUMNS - 1) / TENON_COLUMNS;
}

#endif  // TENON_KERN_COLUMNS_H
