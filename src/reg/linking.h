// reg/linking.h - lists of kernels and lowerings, as operators have them in a
// frozen context.
#ifndef TENON_REG_LINKING_H
#define TENON_REG_LINKING_H

#include "base/vec.h"
#include "reg/admit/admit.h"
#include "reg/store.h"

// One that serves an operator, or rewrites it.
typedef struct tenon_link {
  const tenon_op *op;
  const tenon_record *record;
  int exactness;  // tenon_name_covers
} tenon_link;

typedef struct tenon_linking {
  const tenon_context *cx;
  tenon_arena *arena;  // of the lists
  const tenon_records *ops;
  TENON_VEC(tenon_link) links;
  tenon_status status;            // of the first fault
  const tenon_lowering *told[2];  // the last two that hide each other
} tenon_linking;

void tenon_link_fault(tenon_linking *f, tenon_status status);
void tenon_link_no_memory(tenon_linking *f);
tenon_subject tenon_link_subject(const tenon_linking *f, const tenon_record *r);
void tenon_link_add(tenon_linking *f, const tenon_op *op, const tenon_record *r,
                    int exactness);
// Whether a kernel can serve the operator, or else why not; a lowering can that
// is not for element-wise operators, or if it is one.
bool tenon_link_serves(const tenon_record *r, const tenon_op *op,
                       char error[TENON_ADMIT_ERROR]);
// Adds what leads to the operators beside this one.
void tenon_link_ordered(tenon_linking *f, const tenon_op *op);
// Sorts what was added, all of it kernels or lowerings, and gives each operator
// its list.
void tenon_link_set_kernels(tenon_linking *f);
void tenon_link_set_lowerings(tenon_linking *f);
// All of this for one operator, which a catalog made: lists what serves it; the
// lists come from `arena`.
tenon_status tenon_link_op(const tenon_context *cx, tenon_arena *arena,
                           tenon_op *op);

#endif  // TENON_REG_LINKING_H
