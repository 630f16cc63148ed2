// bind/findings.h - what a compilation is to tell in the end.
//
// A lowering that refuses a node leaves it as it is. Who compiles wants to hear
// of all such nodes at once, together with those that nothing covers; so the
// words are kept until then, by place and operator. So are the lowerings that
// changed numbers because the user allowed it, and which were used at all; and
// what kernels said against nodes that were lowered instead.
#ifndef TENON_BIND_FINDINGS_H
#define TENON_BIND_FINDINGS_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/graph.h"

typedef struct tenon_finding {
  tenon_loc loc;
  const char *op;
  const char *text;
  const char *owner;  // the lowering's plugin
} tenon_finding;

typedef struct tenon_findings {
  tenon_arena arena;
  TENON_VEC(tenon_finding) refused;   // text: the lowering's words
  TENON_VEC(tenon_finding) inexact;   // text: the lowering's name
  TENON_VEC(tenon_finding) passed;    // text: what kernels said
  TENON_VEC(tenon_finding) channels;  // text: how many went, and why
  tenon_map rewrites;  // address of a lowering's descriptor: tenon_rewrite_fate
} tenon_findings;

typedef enum tenon_rewrite_fate {
  TENON_REWRITE_UNTRIED,
  TENON_REWRITE_TRIED,   // declined wherever it was asked
  TENON_REWRITE_APPLIED  // somewhere
} tenon_rewrite_fate;

void tenon_findings_init(tenon_findings *f, tenon_allocator allocator);
void tenon_findings_deinit(tenon_findings *f);
// Both copy what they are told. False: out of memory.
bool tenon_findings_refuse(tenon_findings *f, const tenon_node *n,
                           const char *words);
bool tenon_findings_inexact(tenon_findings *f, const tenon_node *n,
                            const char *lowering, const char *owner);
// Of a node that was lowered since, as kernels for any operator did not take
// it. False: out of memory.
bool tenon_findings_pass(tenon_findings *f, const tenon_node *n,
                         const char *words);
// Of a node that computes fewer channels than the model has. False: out of
// memory.
bool tenon_findings_channels(tenon_findings *f, const tenon_node *n,
                             const char *words);
// What was said against what the node was made of; null: nothing.
const char *tenon_findings_passed(const tenon_findings *f, const tenon_node *n);
// False: out of memory.
bool tenon_findings_tried(tenon_findings *f, const tenon_lowering *lowering,
                          bool is_applied);
tenon_rewrite_fate tenon_findings_fate(const tenon_findings *f,
                                       const tenon_lowering_desc *lowering);
// How far one step of the numbers goes that lowerings which changed numbers
// left in an output: its scale, where it was made by such a lowering as
// integers of one scale, and only moved since; 1 of the integers themselves. 0:
// it was not.
double tenon_findings_step(const tenon_findings *f, const tenon_module *m,
                           const tenon_value *output);
// The words against a node; null: nobody refused it. `f` may be null.
const char *tenon_findings_against(const tenon_findings *f,
                                   const tenon_node *n);

#endif  // TENON_BIND_FINDINGS_H
