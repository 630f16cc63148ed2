// plan/alias/aliasing.h - the walk that joins classes, for the files that it is
// in.
#ifndef TENON_PLAN_ALIASING_H
#define TENON_PLAN_ALIASING_H

#include "plan/alias/alias.h"

typedef struct tenon_aliasing {
  tenon_arena *arena;
  const tenon_live *live;
  const tenon_kernel *const *kernels;
  tenon_module *m;
  const tenon_sizing *sizing;
  const bool *over;
  tenon_aliases *a;
  uint32_t *aligns;  // of values by id: what those who touch them want
  uint32_t *seen;    // of classes by root: the last concat that asked, + 1
  bool has_writes;   // something writes an argument or a state
  bool has_loops;
} tenon_aliasing;

uint32_t tenon_alias_find(const tenon_aliases *a, uint32_t i);
// Puts the class of `v` into that of `into`, so that `v` lies `offset` bytes
// behind `into`'s own address.
void tenon_alias_join(tenon_aliasing *w, const tenon_value *v,
                      const tenon_value *into, uint64_t offset);
// Nobody but this node reads the operand's memory from now on, and no other
// operand or result of the node lies in it; the result's is new.
bool tenon_alias_can_take_over(const tenon_aliasing *w, const tenon_node *n,
                               uint32_t in, uint32_t out);
// alias_over.c: bytes by which operand 0 has to lie behind result 0; false:
// they may not meet.
bool tenon_alias_distance(tenon_arena *arena, const tenon_kernel *kernel,
                          const tenon_node *n, uint64_t *distance);
// Puts result 0 in front of operand 0, over whose bytes it reaches.
void tenon_alias_overlap(tenon_aliasing *w, const tenon_node *n);
// view.c: puts a result that is a window on operand 0 where that lies, and
// elides the node; false where that cannot be.
bool tenon_alias_view(tenon_aliasing *w, const tenon_node *n);
// concat.c: lets the operands of core::concat be made where the result has
// them, and elides the node; false where that cannot be.
bool tenon_alias_concat(tenon_aliasing *w, const tenon_node *n);

#endif  // TENON_PLAN_ALIASING_H
