// plan/alias/copies.h - core::copy wherever two values could not share an
// address that they must share.
//
// Four things force addresses: a written argument (the result is the operand's
// memory), a state (what is written last stays), a branch (both branches leave
// their results in one place), and a loop (what it carries stays in one).
// Afterwards plan/alias/alias.c may merge these pairs without asking.
// Parameters of branches are replaced by what is passed in.
#ifndef TENON_PLAN_COPIES_H
#define TENON_PLAN_COPIES_H

#include "bind/choose.h"
#include "ir/graph.h"

tenon_status tenon_plan_copies(tenon_graph *function,
                               const tenon_choice *choice);

#endif  // TENON_PLAN_COPIES_H
