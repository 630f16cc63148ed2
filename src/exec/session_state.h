// exec/session_state.h - one program in somebody's memory.
//
//   session block:  tenon_session | tenon_tensor per operand | tenon_call per
//   step | tenon_direct per step, in the order of `order` | an address per port
//   scratch block:  arena of the program | scratch of each further thread
//   state block:    state of the program
//
// With open sizes the session block also has what run_sizes.h describes, and
// the arena may be a grown one.
//
// Everything is resolved to addresses once, in tenon_session_init, so a run is
// a loop over calls. Nothing here allocates. A session belongs to one thread at
// a time; several sessions of one program may run at the same time.
#ifndef TENON_EXEC_SESSION_STATE_H
#define TENON_EXEC_SESSION_STATE_H

#include "program/pack/pack.h"
#include "program/program.h"
#include "tenon/trace.h"

// What a session has for open sizes; all null where every size is fixed.
typedef struct tenon_session_sizes {
  tenon_known *known;   // of the numbers, in the present run
  int64_t *packed_for;  // upper ends that spans were packed for
  int32_t *dims;        // of open tensors
  void **attrs;         // of the program's attributes; null: as they are
  tenon_span *spans;    // sizes and offsets
  void *work;           // for packing
  tenon_tensor *blank;  // operands without data, for asking kernels
  int64_t *found;       // what a kernel writes to `sizes`
  bool is_packed;       // the spans are those of `packed_for`
  bool has_unplaced;    // some wait until data have decided
  uint32_t entry;       // that spans were packed for
  uint64_t arena;       // bytes that they took when last packed; 0: never
} tenon_session_sizes;

// What runs of an entry took on all threads and on one (cost.h).
typedef struct tenon_trial {
  uint64_t begin;     // of the present run; 0: it is not measured
  uint64_t least[2];  // nanoseconds: divided, alone
  uint64_t lost;      // by going divided, since they ended
  uint32_t runs;      // of this period, which begins with trials
  uint32_t period;    // after how many they begin anew
  bool is_alone;      // the way that runs go, where they are not tried
} tenon_trial;

// The bytes that states of strings point to (kept_strings.c); all null where
// there are none.
typedef struct tenon_session_strings {
  void *now;     // a block of `grow`
  void *before;  // where outputs of the last run may point
  size_t size, size_before;
} tenon_session_strings;

// A step whose kernel is called for all of its items, and of which nothing else
// has to be asked, where nobody looks on and nothing is divided: what that
// takes, side by side.
typedef struct tenon_direct {
  tenon_run_range_fn *run;  // null: the step is no such one
  const tenon_call *call;
  int64_t items;
} tenon_direct;

struct tenon_session {
  const struct tenon_program *program;
  tenon_report report;
  const tenon_parallel *parallel;  // null: the calling thread alone
  bool divides_all;                // every step that can be, on all threads
  tenon_pool *helpers;   // of the run that goes on; null: none, or not a pool
  int cost_entry;        // one more than the entry of
  uint64_t cost;         // nanoseconds that can be divided, roughly (cost.h)
  tenon_trial trial;     // of that entry
  bool observes_groups;  // not step by step
  tenon_observe_fn *observe;
  void *observe_self;
  tenon_prefetch_fn *prefetch;
  tenon_hydrate_fn *hydrate;  // null: cold constants are copied from where
                              // the program has them
  void *hydrate_self;
  tenon_step_counter *counters;  // one per step, or null
  tenon_timeline *timeline;      // or null
  unsigned char *arena, *state;
  unsigned char *thread_scratch;  // of threads 1, 2, ...
  size_t thread_size;             // bytes of each
  tenon_tensor *tensors;          // parallel to program->operands
  tenon_call *calls;              // parallel to program->steps
  tenon_direct *direct;           // parallel to program->order
  tenon_fault fault;              // of a step that is called directly
  int entry;                      // of the present run
  unsigned char **ports;          // where the caller has them
  tenon_session_sizes sizes;
  const tenon_allocator *grow;  // or null
  tenon_allocator allocator;    // its copy
  size_t room;                  // bytes of the block that `arena` lies in
  void *grown;  // a block of `grow`; null: the arena is the caller's
  size_t grown_size;
  tenon_session_strings strings;
};

// Runs the steps of a block. In run.c.
tenon_status tenon_session_run_block(tenon_session *s, uint32_t block);
// What a kernel said when it failed, with its numbers.
tenon_status tenon_session_explain(const tenon_session *s,
                                   const tenon_step *step, tenon_status status,
                                   const tenon_fault *fault);
// Bytes of a tensor in this run.
uint64_t tenon_session_size(const tenon_session *s,
                            const tenon_program_tensor *t);
// Multiply-accumulates of a step in this run; 0: not known.
TENON_INLINE uint64_t tenon_session_macs(const tenon_step *step,
                                         const tenon_call *call) {
  return step->is_open && step->count_macs ? (uint64_t)step->count_macs(call)
                                           : step->macs;
}
// Null: the step has none.
void *tenon_session_scratch(const tenon_session *s, const tenon_step *step);
// Looks up all addresses again.
void tenon_session_address(tenon_session *s);
// States of strings, in kept_strings.c: that there is memory for what they
// point to; empty ones; before a run and behind it; giving all of it back.
// Once inputs have sizes: empties what a run writes.
tenon_status tenon_strings_empty(tenon_session *s);
tenon_status tenon_strings_check(const tenon_session *s);
void tenon_strings_clear(void *data, uint64_t size);
void tenon_strings_begin(tenon_session *s);
tenon_status tenon_strings_keep(tenon_session *s);
void tenon_strings_free(tenon_session *s);
// Where a tensor's data lies in this session; null where it has none.
void *tenon_session_data(const tenon_session *s, const tenon_program_tensor *t);

#endif  // TENON_EXEC_SESSION_STATE_H
