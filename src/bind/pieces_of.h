// bind/pieces_of.h - what a step says of the pieces that its kernel stores:
// filled in where a program is planned, and where one is loaded.
#ifndef TENON_BIND_PIECES_OF_H
#define TENON_BIND_PIECES_OF_H

#include "ir/graph.h"
#include "program/program.h"

// `call` has the sizes of every run; step->items is filled.
void tenon_bind_extent(const tenon_node *n, const tenon_kernel_desc *kernel,
                       const tenon_call *call, tenon_step *step);

#endif  // TENON_BIND_PIECES_OF_H
