// How: one pass over operands and results. A tensor's int32 sizes are copied
// out of the type's 64-bit ones; the verifier has already refused sizes beyond
// int32.
#include "bind/call.h"

tenon_tensor tenon_bind_tensor(tenon_arena *arena, const tenon_type *t,
                               const void *data) {
  tenon_tensor out = {0};
  int32_t *dims = NULL;
  if (t->rank > 0) {
    dims = tenon_arena_array(arena, int32_t, t->rank);
    if (!dims) return out;
    for (int i = 0; i < t->rank; ++i)
      dims[i] = t->dims[i].symbol ? -1 : (int32_t)t->dims[i].value;
  }
  // Kernels never write to operands; the member is not const because results
  // share the struct.
  out.data = (void *)(uintptr_t)data;
  out.dims = dims;
  out.quant = t->quant;
  out.dtype = t->dtype;
  out.rank = t->rank;
  return out;
}

tenon_call *tenon_bind_call(tenon_arena *arena, const tenon_node *n) {
  tenon_call *c = tenon_arena_new(arena, tenon_call);
  tenon_tensor *in = tenon_arena_array(arena, tenon_tensor, n->n_in);
  tenon_tensor *out = tenon_arena_array(arena, tenon_tensor, n->n_out);
  if (!c || !in || !out) return NULL;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    if (!v) continue;  // zeroed: dtype 0, absent
    in[i] = tenon_bind_tensor(arena, &v->type,
                              v->constant ? v->constant->data : NULL);
  }
  for (uint32_t i = 0; i < n->n_out; ++i)
    out[i] = tenon_bind_tensor(arena, &n->out[i]->type, NULL);
  c->in = in;
  c->out = out;
  c->in_group = n->in_group;
  c->out_group = n->out_group;
  c->attrs = n->attrs;
  c->user = n->op && n->op->desc ? n->op->desc->user : NULL;
  c->n_in = n->n_in;
  c->n_out = n->n_out;
  return arena->failed ? NULL : c;
}
