// tenon/trace.h - what the steps of a session took.
//
// Two things that an application asks for when it makes a session, each in
// memory of its own: counters per step, which are numbers to read between runs,
// and a timeline, which is what every thread did and when. Neither calls back,
// allocates or changes a result. Asking for either costs two looks at the clock
// per step; a session without them looks at none.
//
// Times are nanoseconds of a clock that never goes back. Both arrays belong to
// the session's thread while a run goes on, and to one session at a time.
#ifndef TENON_TRACE_H
#define TENON_TRACE_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a step took in all its runs since the array was zeroed. Of steps that
// are computed together, piece by piece, the first has the time of all, and
// those of its pieces are its pieces.
typedef struct tenon_step_counter {
  uint64_t runs;  // that succeeded; several in one of the session, in a loop
  uint64_t time;  // of all; a branch or a loop has that of its steps in it
  uint64_t least, last;  // of the shortest run, and of the newest
  uint64_t macs;         // multiply-accumulates of all, at the sizes they had
} tenon_step_counter;    // frozen

typedef enum tenon_event_kind {
  TENON_EVENT_RUN = 1,  // a whole run, copies of inputs and outputs too
  TENON_EVENT_STEP,     // a step, from before it is divided until all is done
  TENON_EVENT_PIECE     // the part of a step that one thread computed
} tenon_event_kind;

typedef struct tenon_timeline_event {
  uint32_t kind;    // tenon_event_kind
  uint32_t run;     // of the timeline, from 0 on
  uint32_t step;    // index in the program; 0 of a run
  uint32_t thread;  // 0: the one that called tenon_session_run
  uint64_t begin, end;
  uint64_t macs;         // of the step at the sizes of this run; 0: not known
  uint64_t bytes;        // of its operands and results; of pieces and runs 0
} tenon_timeline_event;  // frozen

// Zeroed but for the first two. Events stand in the order in which they end.
// Those for which there is no room are counted and forgotten. A run or step
// that failed has none, but its pieces have.
typedef struct tenon_timeline {
  tenon_timeline_event *events;
  size_t capacity;
  size_t count, dropped;
  uint32_t runs;      // begun
  uint32_t reserved;  // 0
} tenon_timeline;     // frozen

// What a step of a program is. Everything points into the program.
typedef struct tenon_step_about {
  uint32_t struct_size;
  uint32_t step;
  const char *op;      // "core::conv"
  const char *kernel;  // symbol; "" of branches, loops and calls
  const char *node;    // its first result, as the file has it; "" without name
  const tenon_place *place;
  uint64_t macs;  // at the sizes planned for; 0: not known
} tenon_step_about;
// False behind the last of tenon_program_stats.steps.
TENON_API bool tenon_program_about_step(const tenon_program *p, uint32_t step,
                                        tenon_step_about *out);

// Writes a timeline of a session of this program, as one text:
//   JSON  the Trace Event Format, which Perfetto and chrome://tracing open: a
//         row per thread, modules of the source above them
//   TEXT  stacks for flame graphs, one a line: "model;layers;0;core::conv;x
//   42",
//         nanoseconds per run
//   SVG   a flame graph of these
// Another format is TENON_BAD_ARGUMENT, and so is an event of a step that the
// program does not have.
TENON_API TENON_NODISCARD tenon_status
tenon_timeline_print(const tenon_program *p, const tenon_timeline *timeline,
                     uint32_t format, tenon_write_fn *write, void *self);

#ifdef __cplusplus
}
#endif

#endif  // TENON_TRACE_H
