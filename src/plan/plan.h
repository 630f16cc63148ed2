// plan/plan.h - a lowered module to a program.
//
// choose kernels -> copies where addresses would clash -> lifetimes and aliases
// -> pack -> resolve. All inputs of an entry, and its outputs, have places in
// the arena; the session copies the caller's data in and out.
#ifndef TENON_PLAN_PLAN_H
#define TENON_PLAN_PLAN_H

#include "bind/choose.h"
#include "ir/graph.h"
#include "program/program.h"

typedef struct tenon_plan_entry {
  const char *name;
  const tenon_entry_point *point;
  tenon_module *module;
} tenon_plan_entry;

// The modules have been through the pipeline; the planner still changes them
// (it adds copies). They have one context and one target.
tenon_status tenon_plan_program(const tenon_plan_entry *entries, size_t n,
                                const tenon_choice *choice,
                                struct tenon_program **out);
// Text, JSON or SVG.
tenon_status tenon_plan_print(const struct tenon_program *p, uint32_t format,
                              uint32_t flags, tenon_write_fn *write,
                              void *self);

#endif  // TENON_PLAN_PLAN_H
