// program/joined.h - which steps are computed together, piece by piece.
//
// A group is steps that follow one another in a block: one that says in which
// pieces it stores its result (tenon_kernel_desc.extent), or an element-wise
// one, and element-wise ones behind it that read what the group has made. An
// executor computes a piece of each before the next piece of any, on one thread
// or several, so that a piece is still in the cache when it is read. A plan
// does not change for it: memory, order and steps are those of one step after
// the other, and whoever follows the plan that way gets the same bits.
#ifndef TENON_PROGRAM_JOINED_H
#define TENON_PROGRAM_JOINED_H

#include "program/program.h"

// Elements that ranges of element-wise kernels begin at multiples of.
#define TENON_JOINED_UNIT 64
// Operands, at most, of a kernel without ranges that is called on parts of
// them.
#define TENON_JOINED_PARTS 8

// Fills `joined` and `tile` of all steps, once everything else is there.
void tenon_program_join(struct tenon_program *p);

#endif  // TENON_PROGRAM_JOINED_H
