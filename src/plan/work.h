// plan/work.h - what the planner's files hand to each other.
#ifndef TENON_PLAN_WORK_H
#define TENON_PLAN_WORK_H

#include "base/vec.h"
#include "bind/call.h"
#include "plan/alias/alias.h"
#include "plan/banks/bank_list.h"
#include "plan/live.h"
#include "plan/plan.h"
#include "plan/sizes.h"
#include "program/pack/pack.h"

// One entry on its way. Arrays by id of nodes or values of its module; indices
// into spans and tensors are one more than the index, 0 for none.
typedef struct tenon_planned {
  const tenon_plan_entry *entry;
  tenon_live live;
  tenon_aliases aliases;
  tenon_sizing *sizing;  // of its module; shared by its entries
  const tenon_kernel **kernels;
  bool *over;                  // as of tenon_alias_compute; null: none
  bool *ahead;                 // nodes whose copying begins a step before
  uint32_t *scratch_of;        // span of a node's scratch
  uint32_t *span_of;           // span of a class
  uint32_t *tensor_of;         // tensor of a value
  tenon_value *const *values;  // by id
  // Inputs, then outputs (plan/banks/ports.h); none: 0.
  uint32_t n_asks;
  bool *asks;               // that shall stay where the caller has them
  const char **kept;        // why they are planned nevertheless; or null
  const uint16_t *written;  // inputs that the run writes
  uint16_t n_written;
  uint32_t *port_at;  // index of the program's port
} tenon_planned;

typedef struct tenon_planner {
  tenon_arena *arena;  // goes when the plan is made
  const tenon_choice *choice;
  const tenon_plan_options *options;
  const tenon_report *report;  // of the module at hand
  tenon_allocator report_allocator;
  tenon_planned *entries;
  size_t n_entries;
  tenon_planned *current;
  TENON_VEC(tenon_span) spans;
  TENON_VEC(tenon_span_record) records;
  TENON_VEC(const tenon_node *) scratch_nodes;  // parallel: whose scratch
  TENON_VEC(tenon_program_number) numbers;
  bool is_open;         // something has a size that a run finds out
  uint32_t n_groups;    // classes in parts
  bool is_trial;        // measures: steps stay where they are
  bool is_one_of_many;  // and does not choose what writes over what it reads
  uint64_t limit;       // bytes beyond which it does not matter; 0: none
  tenon_banks banks;
  bool is_bounded;  // sizes are the largest, not the typical ones
  tenon_buf why, why_node;
  struct tenon_program *program;
} tenon_planner;

// A planner with room for its entries, null when memory ran out; and its end,
// at which the program stays.
tenon_status tenon_plan_open(tenon_planner *w, tenon_arena *scratch,
                             const tenon_plan_entry *entries, size_t n);
void tenon_plan_close(tenon_planner *w);
// Kernels, order, lifetimes, aliases and spans of an entry; *time counts on.
tenon_status tenon_plan_spans(tenon_planner *w, tenon_planned *e,
                              tenon_program_ordering *ordering, uint32_t *time);
// Adds the spans of an entry whose kernels are chosen: lifetimes, aliases.
tenon_status tenon_plan_list(tenon_planner *w, tenon_planned *e,
                             uint32_t first_time);
// Numbers for all symbols of the module, as the plan is made for.
TENON_INLINE const int64_t *tenon_plan_values(const tenon_planner *w,
                                              const tenon_planned *e) {
  return w->is_bounded ? e->sizing->most : e->sizing->typical;
}
// The most bytes that live at once in an entry whose sizes are fixed, in the
// present order. Leaves no trace. *packed: the same, but where buffers have
// parts, what heuristics need. live[t]: bytes at time t, of which the entry has
// one before its nodes and one behind each, and one more is written. Both may
// be null.
tenon_status tenon_plan_peak(tenon_planner *w, tenon_planned *e, uint64_t *live,
                             uint64_t *peak, uint64_t *packed);
// Spans of a function of `m`, packed by heuristics, or as they were when they
// came last; false: memory ran out.
bool tenon_plan_pack_quick(tenon_module *m, tenon_span *spans, size_t n,
                           const tenon_allocator *allocator,
                           tenon_packing *out);
// Bytes of the spans from `from` on that live at each time up to n_times.
void tenon_plan_profile(const tenon_planner *w, size_t from, uint32_t n_times,
                        uint64_t *live);
// Views and what reads and writes states take none.
bool tenon_plan_takes_step(const tenon_planned *e, const tenon_node *n);
// Bytes that a kernel packs of a node's constants when this is compiled; 0:
// nothing.
size_t tenon_plan_pack_size(const tenon_kernel *k, const tenon_node *n,
                            const tenon_call *call);
// Gives spans sizes and places.
tenon_status tenon_plan_pack(tenon_planner *w);
// Fills the tables of the program; spans are packed.
tenon_status tenon_plan_resolve(tenon_planner *w);

#endif  // TENON_PLAN_WORK_H
