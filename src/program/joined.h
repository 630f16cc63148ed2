// program/joined.h - which steps are computed together, piece by piece.
//
// A group is steps that follow one another in a block: one that says in which
// pieces it stores its result (tenon_kernel_desc.extent), or an element-wise
// one, and behind it element-wise ones and such as say in which pieces they
// read (`reads`), like sums of rows, that read what the group has made. All
// results have as many rows, which may be of different widths. An
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
#define TENON_JOINED_MOST 16  // steps

// Fills `joined`, `rows` and `tile` of all steps, once everything else is
// there.
void tenon_program_join(struct tenon_program *p);

// Pieces of these steps of a group, which has so many rows, may begin at every
// multiple of so many.
int64_t tenon_joined_unit(const struct tenon_program *p, const uint32_t *order,
                          uint32_t n, int64_t rows);

// Whether a step multiplies so little for each element, of an operand that is
// no smaller, that it waits for what it reads: a depthwise convolution, which
// for each piece reads rows again that the piece before has read.
bool tenon_joined_is_light(const struct tenon_program *p, const tenon_step *s);

#endif  // TENON_PROGRAM_JOINED_H
