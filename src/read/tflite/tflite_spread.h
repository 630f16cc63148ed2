// read/tflite/tflite_spread.h - sizes that functions leave open: those of what
// operators pass to them, of what they give back, and of loops that change
// them.
#ifndef TENON_READ_TFLITE_SPREAD_H
#define TENON_READ_TFLITE_SPREAD_H

#include "ir/graph.h"

// IF or WHILE.
bool tenon_tflite_is_flow(const tenon_node *n);
// The function that an attribute names; null: none.
const tenon_graph *tenon_tflite_function(const tenon_module *m,
                                         const tenon_node *n, const char *name);
tenon_status tenon_tflite_spread(tenon_module *m, bool is_reshaped);

#endif  // TENON_READ_TFLITE_SPREAD_H
