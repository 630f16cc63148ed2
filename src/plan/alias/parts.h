// plan/alias/parts.h - a class whose bytes live at different times.
//
// Of a value that is read by views, rows die as the last view of them is read;
// of one that core::concat would make, parts are born as its operands are made.
// Such a class is a group of spans (tenon/pack.h): what is dead of it, or not
// there yet, is room for others.
#ifndef TENON_PLAN_PARTS_H
#define TENON_PLAN_PARTS_H

#include "plan/alias/alias.h"

typedef struct tenon_part {
  uint64_t begin, end;   // bytes within the class
  uint32_t first, last;  // live, inclusive
} tenon_part;

// The parts of the class of `v`, from 0 to its size, in `arena`; *n is 1 where
// all of it lives at one time, or cannot be told apart. Null when memory ran
// out.
const tenon_part *tenon_parts_of(tenon_arena *arena, const tenon_aliases *a,
                                 const tenon_live *live, tenon_module *m,
                                 tenon_value *const *values,
                                 const tenon_value *v, size_t *n);
// Values by id, of the function and its regions; null when memory ran out.
tenon_value *const *tenon_parts_values(tenon_arena *arena, tenon_graph *g);

#endif  // TENON_PLAN_PARTS_H
