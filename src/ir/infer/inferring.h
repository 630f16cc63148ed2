// ir/infer/inferring.h - one node while its shape rule runs, shared by
// infer*.c.
#ifndef TENON_IR_INFERRING_H
#define TENON_IR_INFERRING_H

#include "ir/graph_link.h"
#include "ir/infer/infer.h"

// Sizes that one node may leave to its data.
#define TENON_MAX_DECIDED 64
// Elements of a result that a rule may tell.
#define TENON_MAX_HELD 64
// Conditions that one rule leaves to a run.
#define TENON_MAX_REQUIRED 64

typedef struct tenon_inferring {
  tenon_infer base;
  tenon_module *m;
  tenon_node *n;
  const tenon_type *const *declared;
  tenon_type *out;  // n_out; dtype 0: not set yet
  uint32_t decided[TENON_MAX_DECIDED];
  uint32_t n_decided;
  tenon_guard required[TENON_MAX_REQUIRED];
  uint32_t n_required;
  tenon_value *held;  // n_out; what results hold; null: nothing was said
  int n_later;        // results that the node gets when it becomes functional
  bool is_kept;       // something in the arena is in use now
  bool is_lowered;    // types come from a lowering, where there is no rule
  const char *said;   // who declares
  tenon_status failure;  // what was reported first
  tenon_title title;
} tenon_inferring;

// What the rule may call.
extern const tenon_infer_api tenon_inferring_api;
// The rule has broken its contract. The first report counts.
tenon_status tenon_inferring_violate(tenon_inferring *r, const char *what,
                                     int64_t value);
// Types the results of one node; `said` is who declares, "in the model".
tenon_status tenon_inferring_node(tenon_node *n,
                                  const tenon_type *const *declared,
                                  bool is_reshaped, const char *said);

#endif  // TENON_IR_INFERRING_H
