// How: whether an answer depends on open sizes is found by asking for several.
#include "bind/open_node.h"

#include <string.h>

#include "bind/call.h"
#include "core/attr.h"
#include "core/dtype.h"

tenon_dim tenon_type_bytes(tenon_module *m, const tenon_type *t) {
  size_t size = 0;
  if (tenon_type_is_static(t))
    return tenon_dim_fixed(tenon_type_size(t, &size) ? (int64_t)size
                                                     : TENON_UNKNOWN);
  tenon_symbols *s = &m->symbols;
  int64_t bits = tenon_dtype_look(t->dtype)->bits;
  tenon_dim d = tenon_dim_fixed(bits % 8 == 0 ? bits / 8 : bits);
  for (int i = 0; i < t->rank; ++i)
    d = tenon_symbols_apply(s, TENON_DIM_MUL, d, t->dims[i]);
  if (bits % 8 == 0) return d;
  d = tenon_symbols_apply(s, TENON_DIM_ADD, d, tenon_dim_fixed(7));
  return tenon_symbols_apply(s, TENON_DIM_DIV, d, tenon_dim_fixed(8));
}

bool tenon_node_is_open(const tenon_node *n) {
  if (n->n_decided > 0) return true;
  for (uint32_t i = 0; i < n->n_in; ++i)
    if (n->in[i].value && !tenon_type_is_static(&n->in[i].value->type))
      return true;
  for (uint32_t i = 0; i < n->n_out; ++i)
    if (!tenon_type_is_static(&n->out[i]->type)) return true;
  return tenon_args_has_dims(n->args);
}

tenon_packs tenon_bind_packs(tenon_arena *arena, const tenon_kernel_desc *desc,
                             const tenon_node *n, int64_t *const *trial,
                             const bool *can_try, const void *packed,
                             size_t size) {
  bool same = true;
  int tried = 0;
  for (int t = 0; t < TENON_TRIALS && same; ++t) {
    if (!can_try[t]) continue;
    tenon_arena_mark mark = tenon_arena_save(arena);
    tenon_call *call = tenon_bind_call_at(arena, n, trial[t]);
    if (call) {
      tenon_fault fault = {NULL, {0, 0}};
      call->fault = &fault;
      call->user = desc->user;
      void *again = packed ? tenon_arena_zalloc(arena, size, 64) : NULL;
      if (packed && !again) return TENON_PACKS_NO_MEMORY;
      same = desc->pack_size(call) == size &&
             (!packed || (desc->pack(call, again) == TENON_OK &&
                          memcmp(again, packed, size) == 0));
      ++tried;
    }
    tenon_arena_restore(arena, mark);
  }
  return same && tried > 0 ? TENON_PACKS_ALIKE : TENON_PACKS_BY_SIZE;
}
