// ir/rewrite/rewriting.h - one lowering at work, for the files that share it.
//
// rewrite.c runs it, answers its questions and builds values; rewrite_report.c
// says what fails, rewrite_region.c keeps its regions, rewrite_states.c its
// states, rewrite_replace.c ends it; rewrite_room.c knows of memory.
#ifndef TENON_IR_REWRITING_H
#define TENON_IR_REWRITING_H

#include "ir/graph_link.h"
#include "ir/rewrite/rewrite.h"

struct tenon_region {
  tenon_graph *graph;
  tenon_region *around;  // the region that was open when this began
  tenon_region *next;    // all of one rewriting
  bool is_ended, is_used, has_failed;
};

// A state that a lowering wants; the program has it once the node is replaced.
typedef struct tenon_wanted_state {
  struct tenon_wanted_state *next;
  const char *name;
  tenon_type type;
} tenon_wanted_state;

// Nodes that a lowering may have looked at and whose places are kept.
#define TENON_REWRITE_SEEN 16

typedef struct tenon_rewriting {
  tenon_rewriter base;
  tenon_module *m;
  tenon_node *node;
  tenon_probe *probe;       // or null
  tenon_admits_fn *admits;  // or null
  void *admits_self;
  const void *user;
  char title[192];  // "lowering 'acme gain to mul' of plugin 'acme'"
  tenon_report outer;
  tenon_region *open;  // innermost that has not ended
  tenon_region *regions;
  uint32_t first_id;     // of nodes made here
  size_t n_constants;    // before
  tenon_status failure;  // what was reported first
  char *held;            // for the words of a refusal; null: reported
  bool is_refused;
  bool is_typing;  // it stands in for the shape rule that its operator lacks
  bool is_rule;    // a shape rule has refused what was built
  bool has_inner;  // a lowering inside of this one has reported
  bool is_replaced;
  tenon_value failed;  // what cannot be made
  tenon_region failed_region;
  tenon_wanted_state *states;
  // What the lowering looked at beside its node, in that order.
  const tenon_node *seen[TENON_REWRITE_SEEN];
  uint32_t n_seen;
  uint32_t n_numbers;  // that data decide, by tenon_rewriter_api.number
  bool is_held;        // to what it has not asked for
  // What it has asked for, by place in the node's lists; those behind the 64th
  // count as asked for.
  uint64_t asked_args, asked_operands;
} tenon_rewriting;

// The sink of a module while a lowering of it runs; `self` is the rewriting.
void tenon_rewriting_report(void *self, const tenon_diag *diag);
// A failure of the lowering itself, in its own name. The first one counts.
tenon_status tenon_rewriting_blame(tenon_rewriting *rw, const char *fmt, ...)
    TENON_PRINTF(2, 3);
// After a builder that returns nothing has reported.
tenon_status tenon_rewriting_built(tenon_rewriting *rw);
// What has been reported already.
tenon_status tenon_rewriting_fail(tenon_rewriting *rw, tenon_status status);
// Where nodes go now: the innermost region, or beside the node.
tenon_graph *tenon_rewriting_graph(const tenon_rewriting *rw);

// The regions of a build become the node's; each may be used once. Null when
// they may not.
tenon_graph **tenon_rewriting_regions(tenon_rewriting *rw,
                                      const tenon_build *b);
void tenon_rewriting_clear(tenon_rewriting *rw);  // regions that nobody took
// The node made here that decides a size, or null.
tenon_node *tenon_rewriting_decider(const tenon_rewriting *rw, uint32_t symbol);
// Whether what was built decides a size, or part of one.
bool tenon_rewriting_finds(const tenon_rewriting *rw, tenon_dim d);
// A value of which sizes that were numbers are found out now, with those
// numbers; it is required that they are. Null: reported.
tenon_value *tenon_rewriting_settled(tenon_rewriting *rw, const tenon_type *was,
                                     tenon_value *v);
// Gives what was built the places of all that it stands for.
void tenon_rewriting_fuse(tenon_rewriting *rw);

// States that the program lacks become its own (rewrite_states.c).
void tenon_rewriting_keep_states(tenon_rewriting *rw);

// A lowering asks for an attribute, for all of them, for an operand.
const tenon_arg *tenon_rewriting_ask(tenon_rewriting *rw, const tenon_node *n,
                                     const char *name);
void tenon_rewriting_ask_all(tenon_rewriting *rw, const tenon_node *n);
void tenon_rewriting_ask_operand(tenon_rewriting *rw, const tenon_node *n,
                                 int i);
// Fails where the operator wants everything asked for and something was not.
tenon_status tenon_rewriting_check_asked(tenon_rewriting *rw);

// Methods of the table.
uint64_t tenon_rewriting_room(tenon_rewriter *base);
tenon_status tenon_rewriting_refuse(tenon_rewriter *base, const char *fmt, ...)
    TENON_PRINTF(2, 3);
tenon_region *tenon_rewriting_begin(tenon_rewriter *base,
                                    const tenon_type *const *params, int n,
                                    tenon_value **args);
tenon_status tenon_rewriting_end(tenon_rewriter *base, tenon_region *r,
                                 tenon_value *const *results, int n);
int tenon_rewriting_region(tenon_rewriter *base, const tenon_node *node,
                           int region, int *n_results);
tenon_status tenon_rewriting_copy(tenon_rewriter *base, const tenon_node *node,
                                  int region, tenon_value *const *args,
                                  int n_args, tenon_value **results,
                                  int n_results);
tenon_status tenon_rewriting_state(tenon_rewriter *base, const char *name,
                                   const tenon_type *type);
tenon_status tenon_rewriting_replace(tenon_rewriter *base,
                                     const tenon_node *node,
                                     tenon_value *const *values, int n);

#endif  // TENON_IR_REWRITING_H
