// exec/session.h - one program in somebody's memory.
//
//   session block:  tenon_session | tenon_tensor per operand | tenon_call per
//   step scratch block:  arena of the program | scratch of each further thread
//   state block:    state of the program
//
// Everything is resolved to addresses once, in tenon_session_init, so a run is
// a loop over calls. Nothing here allocates. A session belongs to one thread at
// a time; several sessions of one program may run at the same time.
#ifndef TENON_EXEC_SESSION_H
#define TENON_EXEC_SESSION_H

#include "program/program.h"

struct tenon_session {
  const struct tenon_program *program;
  tenon_report report;
  const tenon_parallel *parallel;  // null: the calling thread alone
  tenon_observe_fn *observe;
  void *observe_self;
  unsigned char *arena, *state;
  unsigned char *thread_scratch;  // of threads 1, 2, ...
  size_t thread_size;             // bytes of each
  tenon_tensor *tensors;          // parallel to program->operands
  tenon_call *calls;              // parallel to program->steps
  int entry;                      // of the present run
};

// Runs the steps of a block. In run.c.
tenon_status tenon_session_run_block(tenon_session *s, uint32_t block);
// Where a tensor's data lies in this session; null where it has none.
void *tenon_session_data(const tenon_session *s, const tenon_program_tensor *t);

#endif  // TENON_EXEC_SESSION_H
