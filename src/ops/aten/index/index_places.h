// ops/aten/index/index_places.h - the places that a list of index tensors and
// masks names, as reading and writing operators take it.
#ifndef TENON_OPS_ATEN_INDEX_PLACES_H
#define TENON_OPS_ATEN_INDEX_PLACES_H

#include "ops/aten/aten_op.h"

typedef struct tenon_places {
  tenon_value *x;  // operand 0, indexed dimensions beside each other
  tenon_value *indices[TENON_MAX_RANK];  // of one shape
  int dims[TENON_MAX_RANK];              // of operand 0 that they index
  int count, n;                          // indices; dimensions spoken for
  int axis;                              // of x where they begin
  tenon_dim shape[TENON_MAX_RANK];       // of each index
  int rank;
  bool is_moved;                  // x is operand 0 in another order
  int64_t order[TENON_MAX_RANK];  // this one
} tenon_places;

// Of operand 0 and the list that is argument `list`. Masks become the places
// where they are set, everything is broadcast; where the indexed dimensions do
// not stand side by side, they move to the front.
tenon_status tenon_aten_places(tenon_rewriter *rw, const tenon_node *n,
                               int list, tenon_places *p);
// Brings indices that are outside to what is nearest; negative ones count from
// the end.
void tenon_aten_places_clamp(tenon_rewriter *rw, const tenon_node *n,
                             tenon_places *p);

#endif  // TENON_OPS_ATEN_INDEX_PLACES_H
