// exec/direct.h - steps that a run calls one after the other.
//
// Of most steps of small networks nothing has to be asked but their kernel, for
// all items, and what the program knows of a step lies lines apart. So a
// session has what such a call takes side by side.
#ifndef TENON_EXEC_DIRECT_H
#define TENON_EXEC_DIRECT_H

#include "exec/cost.h"
#include "exec/timing.h"

// Once the session has its calls.
void tenon_direct_init(tenon_session *s);

// Whether steps may be called so in this run.
TENON_INLINE bool tenon_direct_is_on(const tenon_session *s) {
  return !s->observe && !s->hydrate && !tenon_timing_is_on(s) &&
         !tenon_cost_divides(s);
}

// Such a step, and what its kernel said if it failed.
tenon_status tenon_direct_failed(tenon_session *s, const tenon_step *step,
                                 tenon_status status);

#endif  // TENON_EXEC_DIRECT_H
