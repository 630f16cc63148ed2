// read/pt2/symbol/pt2_power.h - conditions that compare a power of a size with
// a number: "torch.sym_float(n) ** 0.5 > 2.0", "2 ** n > 100".
#ifndef TENON_READ_PT2_PT2_POWER_H
#define TENON_READ_PT2_PT2_POWER_H

#include "ir/graph.h"
#include "read/pt2/symbol/pt2_expr.h"

enum { TENON_PT2_POWER_GUARDS = 3 };

// Whether the text has a power or a root.
bool tenon_pt2_has_power(const char *text);
// The conditions on sizes that say the same, all of which have to hold: how
// many, or -1 where there are none such. `is_turned`: the sides change places.
// What is computed in floats is as Python has it, whose powers may be off by a
// bit: where that could decide, there are none such.
int tenon_pt2_power_guards(const tenon_pt2_expr *with, const char *left,
                           uint32_t relation, bool is_turned, const char *right,
                           tenon_guard out[TENON_PT2_POWER_GUARDS]);

#endif  // TENON_READ_PT2_PT2_POWER_H
