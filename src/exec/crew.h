// exec/crew.h - work that is shared out once, among all processors.
//
// For what a compilation or a load does to hundreds of megabytes: threads are
// made for it and end with it, so it pays above MOST_ALONE bytes only. A
// session has a pool instead (pool.h).
#ifndef TENON_EXEC_CREW_H
#define TENON_EXEC_CREW_H

#include "tenon/tenon.h"

// Calls task(arg, i) once for every i below `count`, in any order, and returns
// when all are done. `bytes` is what they go through together. Where there is
// no memory for threads, or the system has none, this thread does it all.
void tenon_crew_run(const tenon_allocator *allocator, uint64_t bytes,
                    int64_t count, void (*task)(void *arg, int64_t i),
                    void *arg);

#endif  // TENON_EXEC_CREW_H
