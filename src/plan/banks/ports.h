// plan/banks/ports.h - inputs and outputs that stay where the caller has them.
//
// What is asked for (tenon_compile_options.io) is kept with the module, so that
// passes which measure plans see it as the planner does. What is given that way
// has no place in the arena: its class is a port. No step writes over an input,
// so work in place leaves it alone; what else lies in its class are views. An
// output's class becomes a port as a whole, with what is made in place of it.
// Where that cannot be, it is planned and copied, and the report says why.
#ifndef TENON_PLAN_PORTS_H
#define TENON_PLAN_PORTS_H

#include "plan/work.h"

// Keeps the texts, or none, with the module.
tenon_status tenon_ports_wish(tenon_module *m, const char *const *texts);
// Refuses texts that make no sense or match nothing.
tenon_status tenon_ports_check(const tenon_planner *w);
// Which inputs, then outputs, of the entry are asked for: e->asks.
tenon_status tenon_ports_ask(const tenon_planner *w, tenon_planned *e);
// Makes classes ports as far as can be, and notes why others are not: e->kept.
void tenon_ports_choose(tenon_planned *e, tenon_aliases *a);
// A warning for each that is asked for and planned nevertheless.
void tenon_ports_report(const tenon_planner *w, const tenon_planned *e);

#endif  // TENON_PLAN_PORTS_H
