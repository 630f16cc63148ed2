// exec/timing.h - counters and the timeline of a session, when it has them.
//
// A session without either pays a comparison per step, and looks at no clock.
#ifndef TENON_EXEC_TIMING_H
#define TENON_EXEC_TIMING_H

#include "base/os.h"
#include "exec/session_state.h"

TENON_INLINE bool tenon_timing_is_on(const tenon_session *s) {
  return s->counters || s->timeline;
}

// When a step begins; 0 where nobody asks.
TENON_INLINE uint64_t tenon_timing_begin(const tenon_session *s) {
  return tenon_timing_is_on(s) ? tenon_os_clock() : 0;
}
void tenon_timing_note(tenon_session *s, uint32_t index, uint64_t begin);
TENON_INLINE void tenon_timing_end(tenon_session *s, uint32_t index,
                                   uint64_t begin) {
  if (tenon_timing_is_on(s)) tenon_timing_note(s, index, begin);
}

// Events for the pieces of a step, each written by the thread that computes it;
// null: nobody asks, or there is no room for all.
tenon_timeline_event *tenon_timing_pieces(const tenon_session *s,
                                          const tenon_step *step, int64_t n);
TENON_INLINE void tenon_timing_piece(tenon_timeline_event *e, int thread) {
  e->thread = (uint32_t)thread;
  e->begin = tenon_os_clock();
}

// A run begins; it has been done.
uint64_t tenon_timing_run(tenon_session *s);
void tenon_timing_ran(tenon_session *s, uint64_t begin);

#endif  // TENON_EXEC_TIMING_H
