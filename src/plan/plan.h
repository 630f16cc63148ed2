// plan/plan.h - a lowered module to a program.
//
// choose kernels -> copies where addresses would clash -> lifetimes and aliases
// -> pack -> resolve. Inputs and outputs of an entry have places in the arena,
// and the session copies the caller's data in and out; or they stay where the
// caller has them (plan/banks/ports.h).
#ifndef TENON_PLAN_PLAN_H
#define TENON_PLAN_PLAN_H

#include "bind/choose.h"
#include "ir/graph.h"
#include "program/program.h"

TENON_INLINE tenon_status tenon_plan_no_memory(const tenon_report *report) {
  return tenon_fail_memory(report, "planning");
}

typedef struct tenon_plan_entry {
  const char *name;
  const tenon_entry_point *point;
  tenon_module *module;
  const char *prefix;   // of its module's states that are not shared; or null
  const double *steps;  // of each output, as tenon_program_step; null: none
} tenon_plan_entry;

// Zero is the default of each member.
typedef struct tenon_plan_options {
  uint64_t effort;  // steps of each search; 0: TENON_PACK_EFFORT
  bool is_quick;    // heuristics only
  bool keeps_order;
  const char *const *memories;  // as in tenon_compile_options; or null
  const char *const *places;
  const char *const *shared_states;  // as in tenon_compile_options
  bool is_savable;                   // constants stay that kernels have packed
} tenon_plan_options;

// The modules have been through the pipeline; the planner still changes them
// (it adds copies). They have one context and one target.
tenon_status tenon_plan_program(const tenon_plan_entry *entries, size_t n,
                                const tenon_choice *choice,
                                const tenon_plan_options *options,
                                struct tenon_program **out);
// What a plan of one function would need, by heuristics; the function itself is
// not changed in what it computes, but may get copies. One of many: steps write
// over what they still read all or none, without a choice. Where more than
// `limit` bytes are alive, unless that is 0, `arena` says how many, and nothing
// is placed.
typedef struct tenon_measure {
  uint64_t arena, bound;
  uint64_t macs;
  uint32_t steps;
  const tenon_node *peak;  // outermost node at the first step with most bytes
  uint64_t within;         // most bytes live from one given node to another
} tenon_measure;
tenon_status tenon_plan_measure(tenon_graph *function,
                                const tenon_choice *choice,
                                const tenon_node *from, const tenon_node *to,
                                bool is_one_of_many, uint64_t limit,
                                tenon_measure *out);
// Text, JSON or SVG.
tenon_status tenon_plan_print(const struct tenon_program *p, uint32_t format,
                              uint32_t flags, tenon_write_fn *write,
                              void *self);

#endif  // TENON_PLAN_PLAN_H
