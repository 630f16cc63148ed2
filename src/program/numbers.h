// program/numbers.h - sizes, and other numbers, that a run finds out.
//
// A program with open sizes has a flat list of numbers: leaves, which an
// input's dimension or a step gives a value, and expressions of earlier
// numbers. A tenon_dim of a program has in `symbol` the index of a number.
// Before a run every number is a range; binding makes leaves exact, and one
// pass in order makes the rest as exact as it can be. What data decide stays a
// range until the step has run: its upper end is what the plan holds room for.
#ifndef TENON_PROGRAM_NUMBERS_H
#define TENON_PROGRAM_NUMBERS_H

#include "core/symbol/symbol.h"

struct tenon_program;
struct tenon_program_guard;

typedef struct tenon_program_number {
  const char *name;  // of a leaf; an expression's text, "n*2+1"
  uint32_t op;       // tenon_dim_op; 0: a leaf
  tenon_dim a, b;    // of an expression
  int64_t min, max;  // of a leaf: values it may have, inclusive
  uint32_t kind;     // of a leaf: TENON_KIND_FLOAT, _BOOL; 0: integer
  tenon_dim most;    // of what a step decides: never more than this; fixed 0:
                     // only `max` is known
  uint32_t step;     // the step that decides it; TENON_NO_INDEX: an input
  int64_t typical;   // what is planned for where there is no bound
  const char *said_by;  // of a leaf: who states its range; null: not known
} tenon_program_number;

// What is known of a number. A float is its bits.
typedef struct tenon_known {
  int64_t min, max;
  bool is_exact;  // then min == max
} tenon_known;

// [0] stands for no number. Leaves to their ranges, nothing bound.
void tenon_numbers_clear(const struct tenon_program *p, tenon_known *known);
// Works out what follows from the leaves; 0, or the number that overflows or
// divides by zero.
uint32_t tenon_numbers_evaluate(const struct tenon_program *p,
                                tenon_known *known);
// Of a size of the program.
tenon_known tenon_known_of(const tenon_known *known, tenon_dim d);
typedef enum tenon_solution {
  TENON_SOLVED = 0,
  TENON_SOLVED_ALREADY,  // all of it is known, or too little to solve it
  TENON_SOLVED_BY_NONE   // no value that the leaf may have
} tenon_solution;
// Makes the one leaf in `d` exact such that `d` is `value`. *leaf: the number
// concerned, 0 where there is none.
tenon_solution tenon_numbers_solve(const struct tenon_program *p,
                                   tenon_known *known, tenon_dim d,
                                   int64_t value, uint32_t *leaf);
// Before there are values: marks the one leaf in `d` that an exact `d` gives a
// value, if there is one; and the expressions of what is marked.
void tenon_numbers_solvable(const tenon_program_number *numbers, bool *is_known,
                            tenon_dim d);
void tenon_numbers_follow(const tenon_program_number *numbers, size_t n,
                          bool *is_known);
// The first guard that is known not to hold; null: none.
const struct tenon_program_guard *tenon_numbers_check(
    const struct tenon_program *p, const tenon_known *known);

#endif  // TENON_PROGRAM_NUMBERS_H
