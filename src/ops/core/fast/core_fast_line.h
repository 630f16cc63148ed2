// ops/core/fast/core_fast_line.h - where floats give what integers store.
//
// Runs where the model is compiled.
#ifndef TENON_OPS_CORE_CORE_FAST_LINE_H
#define TENON_OPS_CORE_CORE_FAST_LINE_H

#include "tenon/base.h"

// A product of 8 bits that is rounded twice (kern/num/fixed.h).
typedef struct tenon_core_rescaled {
  int32_t mult, shift;
  int32_t zero, lo, hi;
  int64_t most;  // what no sum exceeds, of either sign
} tenon_core_rescaled;

// Floats with which floor(sum * factor + above), computed without rounding and
// limited, is what integers store for every sum; `below` stands for `above`
// where sums are less than `split`.
typedef struct tenon_core_line {
  float factor, above, below;
  int32_t split;
} tenon_core_line;

// False where none has been found.
bool tenon_core_line_of(const tenon_core_rescaled *r, tenon_core_line *line);

// Floats with which floor(sum * factor + above), limited to 0 and 255, is what
// integers store for every sum, less -128: where negative sums are limited, so
// that one value suffices. As it is not next to -128, floats are finer.
bool tenon_core_line_straight(const tenon_core_rescaled *r,
                              tenon_core_line *line);

#endif  // TENON_OPS_CORE_CORE_FAST_LINE_H
