// exec/pool.h - what a session says to a pool of its own make.
//
// A pool is used through tenon_parallel, as an application's own threads are.
// Its workers look for work for a moment behind each job before they sleep.
#ifndef TENON_EXEC_POOL_H
#define TENON_EXEC_POOL_H

#include "tenon/tenon.h"

// The pool behind `parallel`; null: it is an application's.
tenon_pool *tenon_pool_of(const tenon_parallel *parallel);
// Wakes workers that sleep, for what will come soon; does not wait for them.
void tenon_pool_wake(tenon_pool *pool);
// Whether a job would find all workers looking for it, or about to.
bool tenon_pool_is_awake(const tenon_pool *pool);
// How many threads can be at work at the same time on this machine.
int tenon_pool_width(const tenon_pool *pool);

#endif  // TENON_EXEC_POOL_H
