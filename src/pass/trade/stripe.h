// pass/trade/stripe.h - a chain of layers, a few rows at a time.
//
// A region is a run of neighbouring nodes that compute rows from rows
// (pass/trade/rows.h) and of which only the last result is read elsewhere.
// Instead of every layer for the whole image, all layers are computed for some
// rows of the result, then for the next, and joined: what lies between is never
// there as a whole. Rows that two stripes need are kept from one to the next,
// or computed again.
#ifndef TENON_PASS_STRIPE_H
#define TENON_PASS_STRIPE_H

#include "pass/trade/rows.h"

#define TENON_STRIPE_NODES_MOST 64

typedef struct tenon_stripe {
  uint32_t first, last;  // of the graph's nodes, counted from 0
  int64_t rows;          // of the result in a stripe; the last may have fewer
  bool recomputes;       // rows that the next stripe needs too; else kept
} tenon_stripe;

// Whether nodes[first .. last] are a region; *height is that of its result.
bool tenon_stripe_is_region(tenon_node *const *nodes, uint32_t first,
                            uint32_t last, int64_t *height);
// Puts stripes in the place of the region; *fits is false, and nothing has
// changed, where they cannot be made. *from and *to: the nodes they begin and
// end with.
tenon_status tenon_stripe_cut(tenon_node *const *nodes, const tenon_stripe *s,
                              bool *fits, tenon_node **from, tenon_node **to);

#endif  // TENON_PASS_STRIPE_H
