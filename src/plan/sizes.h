// plan/sizes.h - open sizes while planning: what they may be, and what they are
// called in the program.
//
// A module's symbols get three kinds of numbers. The *largest* are the upper
// ends of their ranges; the *typical* ones are what the file holds for now, or
// small; *trials* are sets of different sizes with which the planner asks an
// operator or a kernel what it would do, to see whether the answer depends on
// them. The program's numbers are made from the symbols that are used.
#ifndef TENON_PLAN_SIZES_H
#define TENON_PLAN_SIZES_H

#include "bind/open_node.h"
#include "bind/trials.h"
#include "program/program.h"

// Of one module. Arrays by id of symbols; TENON_UNKNOWN: no such number.
typedef struct tenon_sizing {
  const tenon_module *m;
  uint32_t n_symbols;  // when planning began: of the arrays
  int64_t *most, *typical;
  int64_t *trial[TENON_TRIALS];
  bool can_try[TENON_TRIALS];
  uint32_t *number_of;  // of the program; 0: not used so far
  uint32_t n_numbers;   // room in it
} tenon_sizing;

bool tenon_sizing_init(tenon_arena *arena, tenon_module *m, tenon_sizing *out);

// Of the program; 0: the symbol is not used in it.
TENON_INLINE uint32_t tenon_sizing_number(const tenon_sizing *s,
                                          uint32_t symbol) {
  return symbol < s->n_numbers ? s->number_of[symbol] : 0;
}

struct tenon_planner;
// The size in terms of the program's numbers, made where they are not there.
tenon_status tenon_plan_dim(struct tenon_planner *w, tenon_sizing *s,
                            tenon_dim d, tenon_dim *out);
// The window on operand 0 that result 0 is, whatever the sizes; false where
// that is not so, or cannot be told.
bool tenon_sizing_view(tenon_arena *arena, const tenon_sizing *s,
                       const tenon_node *n, tenon_view *view);

#endif  // TENON_PLAN_SIZES_H
