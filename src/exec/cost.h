// exec/cost.h - roughly what a step takes, and whether to divide it.
//
// The only place that knows times. They decide on how many threads a step runs,
// never what it computes, so that they are as wrong as they may be: what counts
// is on which side of a few microseconds a step lies.
#ifndef TENON_EXEC_COST_H
#define TENON_EXEC_COST_H

#include "exec/session_state.h"

// Nanoseconds of a step on one thread, at the sizes of this run.
uint64_t tenon_cost_of_step(const tenon_session *s, const tenon_step *step,
                            const tenon_call *call);
// Of one of its turns, each of which goes through its operands anew: weights,
// above all, out of a cache.
uint64_t tenon_cost_of_turn(const tenon_session *s, const tenon_step *step,
                            const tenon_call *call, int64_t turns);
// Whether anything of this run is divided.
bool tenon_cost_divides(const tenon_session *s);
// Into how many pieces to cut what takes so long; 1: into none.
int64_t tenon_cost_pieces(const tenon_session *s, uint64_t cost);
// Whether threads have about as many as each other of so many tiles.
bool tenon_cost_shares(const tenon_session *s, int64_t tiles);
// The pieces of a thread, which takes them in their order, are half of what it
// has left each: so that whoever is done first finds small ones to help with,
// and none is called often. `limit`: how many pieces so many items make, none
// of them empty; `first`: the first item of piece i, of `pieces` all.
int64_t tenon_cost_limit(const tenon_session *s, int64_t items, int64_t pieces);
int64_t tenon_cost_first(const tenon_session *s, int64_t items, int64_t pieces,
                         int64_t i);
// Around the run of an entry: wakes those who help, if it will pay. Where a run
// of fixed sizes is short, that is measured: some runs go the present way, as
// many the other, and those that follow go the way that took less, until both
// are tried anew, or dividing has lost a few runs' time against the least of
// one thread.
void tenon_cost_begin(tenon_session *s);
void tenon_cost_end(tenon_session *s);

// Whether the next run goes alone; what it took that way.
bool tenon_trial_is_alone(const tenon_trial *t);
void tenon_trial_note(tenon_trial *t, uint64_t took);

#endif  // TENON_EXEC_COST_H
