// plan/banks/banks.h - several memories: what lies in which.
//
// Buffers want the first memory that can be written; where that has no room,
// those go on to the next that are read least for the longest time, and come
// back if it turns out that they fit. Rules and fixed places come before all
// of that. A state lies in the first memory that has room for it, before any
// buffer; constants in those that are `rom`, what is computed with most in the
// first.
#ifndef TENON_PLAN_BANKS_H
#define TENON_PLAN_BANKS_H

#include "plan/work.h"

// Reads what the options or the target say; n is 0 where nobody says anything.
tenon_status tenon_banks_read(tenon_planner *w, tenon_banks *out);
// Which rule and which memory each span has, and how often it is read. Spans
// are listed, sizes known.
tenon_status tenon_banks_match(tenon_planner *w, tenon_banks *b);
// The rule that puts a constant of that name into a cold memory, plus 1; 0:
// none does.
uint32_t tenon_banks_cold_of(const tenon_banks *b, const char *name);
// Of a copy that may begin ahead: when, and that it does; else `first`.
uint32_t tenon_banks_begin(const tenon_planner *w, tenon_planned *e,
                           const tenon_value *v, uint32_t first);
// Makes copies of such constants in front of whoever reads them.
tenon_status tenon_banks_stage(tenon_planner *w, tenon_graph *g);
// The rule for constants that decides about one of that name, plus 1; 0: none.
uint32_t tenon_banks_rule_of(const tenon_banks *b, const char *name);
// Counts the constants that rules put into memories that are written. Kernels
// are chosen.
tenon_status tenon_banks_resident(tenon_planner *w, tenon_banks *b);
// Bytes that one of them takes there.
#define TENON_RESIDENT_ALIGN 64
uint64_t tenon_bank_resident_room(const tenon_program_bank *m, uint64_t size);
// Gives states memories and places.
tenon_status tenon_banks_states(tenon_planner *w, tenon_banks *b);
// Where one lies in the state memory.
uint64_t tenon_banks_state_offset(const tenon_planner *w, const tenon_state *s);
// Places all spans; offsets are those of the arena. TENON_NO_SPACE when they do
// not fit, with what is missing where.
tenon_status tenon_banks_place(tenon_planner *w, tenon_banks *b);
// Gives constants memories; the tables of the program are filled.
tenon_status tenon_banks_constants(tenon_planner *w, tenon_banks *b);

#endif  // TENON_PLAN_BANKS_H
