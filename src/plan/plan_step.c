// plan/plan_step.c - which nodes take a step, and what kernels pack for them.
#include "plan/work.h"

static bool all_packed_are_constant(const tenon_node *n, uint32_t packs) {
  for (uint32_t i = 0; i < n->n_in && i < 32; ++i)
    if ((packs >> i & 1) && n->in[i].value &&
        (n->in[i].value->kind != TENON_VALUE_CONSTANT ||
         tenon_value_is_apart(n->in[i].value)))
      return false;
  return true;
}

size_t tenon_plan_pack_size(const tenon_kernel *k, const tenon_node *n,
                            const tenon_call *call) {
  return k->desc->pack_size && all_packed_are_constant(n, k->desc->packs)
             ? k->desc->pack_size(call)
             : 0;
}

bool tenon_plan_takes_step(const tenon_planned *e, const tenon_node *n) {
  return !e->aliases.is_view[n->id] &&
         !tenon_op_is(n->op, "core::state_read") &&
         !tenon_op_is(n->op, "core::state_write");
}
