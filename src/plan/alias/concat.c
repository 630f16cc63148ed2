// How: behind the last of its operands core::concat finds each of them
// complete: made, perhaps in place of something else, and perhaps viewed. If
// all of that is alone in its memory, the memory can as well be a part of the
// result. The result must be untouched so far: what a branch, a loop or a state
// has to find at one place is overwritten when that place's old value is still
// wanted.
#include "bind/call.h"
#include "plan/alias/aliasing.h"

// The operands lie one behind the other in the result.
static bool is_in_line(const tenon_node *n) {
  const tenon_type *y = &n->out[0]->type;
  const tenon_dtype_info *info = tenon_dtype_look(y->dtype);
  int64_t axis = tenon_node_size(n, "axis", 0).value;
  if (axis < 0) axis += y->rank;
  if (!info || info->bits % 8 != 0 || axis < 0 || axis >= y->rank) return false;
  for (int64_t d = 0; d < axis; ++d)
    if (y->dims[d].value != 1) return false;
  return true;
}

// Everything in the class of `v` may lie `at` bytes into the result.
static bool concat_is_aligned(const tenon_aliasing *w, uint32_t root,
                              uint64_t at) {
  const tenon_aliases *a = w->a;
  for (uint32_t i = root; i != TENON_NO_VALUE; i = a->next[i])
    if ((a->offsets[i] + at) % w->aligns[i] != 0) return false;
  return true;
}

static bool can_lie(tenon_aliasing *w, const tenon_node *n,
                    const tenon_value *v, uint64_t at, uint64_t *size) {
  const tenon_value *y = n->out[0];
  if (!v || v->kind == TENON_VALUE_CONSTANT || v->type.dtype != y->type.dtype ||
      !tenon_quant_equals(v->type.quant, y->type.quant))
    return false;
  uint32_t root = tenon_alias_find(w->a, v->id);
  const tenon_class *c = &w->a->classes[root];
  tenon_dim bytes = tenon_type_bytes(w->m, &v->type);
  if (c->is_given || c->state != UINT32_MAX || w->a->offsets[v->id] != 0 ||
      w->seen[root] == n->id + 1 || bytes.value <= 0 ||
      !tenon_dim_equals(c->bytes, bytes))
    return false;
  // A loop may write what it carries.
  if (w->has_loops && c->last > w->live->begin[n->id]) return false;
  w->seen[root] = n->id + 1;
  *size = (uint64_t)bytes.value;
  return concat_is_aligned(w, root, at);
}

bool tenon_alias_concat(tenon_aliasing *w, const tenon_node *n) {
  if (!tenon_op_is(n->op, "core::concat") || w->has_writes ||
      n->graph->parent || tenon_node_is_open(n) || !is_in_line(n))
    return false;
  const tenon_value *y = n->out[0];
  uint32_t root = tenon_alias_find(w->a, y->id);
  if (root != y->id || w->a->next[root] != TENON_NO_VALUE) return false;
  w->seen[root] = n->id + 1;
  uint64_t at = 0, size = 0;
  for (uint32_t i = 0; i < n->n_in; ++i, at += size)
    if (!can_lie(w, n, n->in[i].value, at, &size)) return false;
  at = 0;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    tenon_dim bytes = tenon_type_bytes(w->m, &v->type);
    tenon_alias_join(w, v, y, at);
    at += (uint64_t)bytes.value;
  }
  w->a->is_view[n->id] = true;
  return true;
}
