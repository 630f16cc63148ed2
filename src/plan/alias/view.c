// How: a view whose elements lie densely in its operand needs no step: every
// kernel reads it as it is. Nor does one with strides that all its readers
// take, be they kernels that say so (`*` of tenon_kernel_desc.order) or views
// again; these are joined at once, so that what they were asked for holds.
#include "bind/call.h"
#include "bind/choose.h"
#include "core/strided.h"
#include "ir/written.h"
#include "plan/alias/aliasing.h"

// A result as a window: on memory where its operand lies, or that its operand
// is a window on.
typedef struct window {
  tenon_view view;
  uint64_t at;  // bytes behind the operand
  bool is_dense;
} window;

static bool view_is_dense(const tenon_type *t, const int32_t *strides) {
  int64_t run = 1;
  for (int i = t->rank; i-- > 0;) {
    if (t->dims[i].value != 1 && strides[i] != run) return false;
    run *= t->dims[i].value;
  }
  return true;
}

void tenon_alias_range(const tenon_aliases *a, const tenon_value *v,
                       uint64_t bytes, uint64_t *begin, uint64_t *end) {
  const int32_t *strides = a->strides[v->id];
  *begin = a->offsets[v->id];
  *end = *begin + bytes;
  if (!strides) return;
  const int64_t unit = (int64_t)tenon_element_bytes(v->type.dtype);
  int64_t low = 0, high = 0;
  for (int d = 0; d < v->type.rank; ++d)
    tenon_strided_widen(v->type.dims[d].value, strides[d], &low, &high);
  *end = *begin + (uint64_t)((high + 1) * unit);
  *begin -= (uint64_t)(-low * unit);
}

// --- who takes strides -------------------------------------------------------

static bool is_window_op(const tenon_node *n) {
  return n->op && n->op->desc && n->op->desc->view && n->n_out == 1 &&
         n->n_in > 0 && n->n_regions == 0;
}

static bool view_is_written(const tenon_node *n, uint32_t operand) {
  uint32_t written = 0, result = 0;
  for (uint32_t k = 0; tenon_written_pair(n, k, &written, &result); ++k)
    if (written == operand) return true;
  return false;
}

// Whether another operand than `y` has strides, or may yet get some: a kernel
// is asked for one such value.
static bool has_other_strides(const tenon_aliasing *w, const tenon_node *n,
                              const tenon_value *y) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    if (!v || v == y) continue;
    if (w->a->strides[v->id] ||
        (v->kind == TENON_VALUE_RESULT && is_window_op(v->node) &&
         !w->a->is_view[v->node->id]))
      return true;
  }
  return false;
}

static bool kernel_takes(tenon_aliasing *w, const tenon_node *n,
                         const tenon_value *y, const int32_t *strides) {
  const tenon_kernel *k = w->kernels[n->id];
  if (!k || k->desc->flags & TENON_KERNEL_DENSE_FIRST || n->n_regions ||
      tenon_node_is_open(n) || has_other_strides(w, n, y))
    return false;
  for (uint32_t i = 0; i < n->n_in; ++i)
    if (n->in[i].value == y &&
        (view_is_written(n, i) || !tenon_choose_takes_strides(k, n, i)))
      return false;
  if (!k->desc->match) return true;
  tenon_fault fault = {NULL, {0, 0}};
  tenon_arena_mark mark = tenon_arena_save(w->arena);
  tenon_call *call = tenon_bind_call_packed(w->arena, n, k);
  for (uint32_t i = 0; call && i < n->n_in; ++i)
    if (n->in[i].value == y)
      ((tenon_tensor *)(uintptr_t)call->in)[i].strides = strides;
  if (call) call->user = k->desc->user;
  if (call) call->fault = &fault;
  const bool takes = call && k->desc->match(call);
  tenon_arena_restore(w->arena, mark);
  return takes;
}

static bool find_window(tenon_aliasing *w, const tenon_node *n,
                        const int32_t *strides, uint64_t at, window *out);

// `at`: bytes of its class that lie before the value.
static bool readers_take(tenon_aliasing *w, const tenon_value *y,
                         const int32_t *strides, uint64_t at) {
  for (const tenon_use *u = y->uses; u; u = u->next) {
    window next;
    if (u->node->graph != y->node->graph || !u->node->op) return false;
    if (u->index == 0 && find_window(w, u->node, strides, at, &next)) continue;
    if (!kernel_takes(w, u->node, y, strides)) return false;
  }
  return true;
}

// --- which views -------------------------------------------------------------

// The view as it lies in an operand with these strides, null for dense ones.
static bool ask_view(tenon_aliasing *w, const tenon_node *n,
                     const int32_t *strides, tenon_view *view) {
  const tenon_value *x = n->in[0].value, *y = n->out[0];
  // All of the operand, whatever the sizes: what lies where within it else
  // would depend on them.
  if (tenon_node_is_open(n))
    return !strides &&
           tenon_dim_equals(tenon_type_bytes(w->m, &x->type),
                            tenon_type_bytes(w->m, &y->type)) &&
           tenon_sizing_view(w->arena, w->sizing, n, view);
  tenon_arena_mark mark = tenon_arena_save(w->arena);
  tenon_call *call = tenon_bind_call(w->arena, n);
  if (call) ((tenon_tensor *)(uintptr_t)call->in)[0].strides = strides;
  const bool ok = call && n->op->desc->view(call, view) && view->offset >= 0;
  tenon_arena_restore(w->arena, mark);
  return ok;
}

static bool find_window(tenon_aliasing *w, const tenon_node *n,
                        const int32_t *strides, uint64_t at, window *out) {
  if (!is_window_op(n)) return false;
  const tenon_value *x = n->in[0].value, *y = n->out[0];
  out->view = (tenon_view){0};
  if (!x || x->kind == TENON_VALUE_CONSTANT ||
      tenon_dtype_look(y->type.dtype)->bits % 8 != 0 ||
      !ask_view(w, n, strides, &out->view))
    return false;
  // Of a state the bytes may be overwritten under the view: copies.c moved late
  // readers of the state itself, not those of its views.
  const bool is_state = tenon_alias_root(w->a, x)->state != UINT32_MAX;
  if (is_state && !n->is_state_view) return false;
  out->at = (uint64_t)out->view.offset * tenon_element_bytes(y->type.dtype);
  out->is_dense =
      tenon_node_is_open(n) || view_is_dense(&y->type, out->view.strides);
  if ((at + out->at) % w->aligns[y->id] != 0) return false;
  if (out->is_dense) return true;
  return !is_state && !n->graph->parent && !w->has_loops &&
         tenon_type_bytes(w->m, &y->type).value > 0 &&
         readers_take(w, y, out->view.strides, at + out->at);
}

static void view_join(tenon_aliasing *w, const tenon_node *n,
                      const window *at) {
  const tenon_value *x = n->in[0].value, *y = n->out[0];
  tenon_alias_join(w, y, x, at->at);
  w->a->is_view[n->id] = true;
  if (at->is_dense) return;
  const int32_t *strides = (const int32_t *)tenon_arena_copy(
      w->arena, at->view.strides, sizeof at->view.strides, _Alignof(int32_t));
  w->a->strides[y->id] = strides;
  if (!strides) return;
  for (const tenon_use *u = y->uses; u; u = u->next) {
    window next;
    if (u->index == 0 &&
        find_window(w, u->node, strides, w->a->offsets[y->id], &next))
      view_join(w, u->node, &next);
  }
}

bool tenon_alias_view(tenon_aliasing *w, const tenon_node *n) {
  window at;
  if (w->a->is_view[n->id]) return true;
  if (!is_window_op(n) || !n->in[0].value ||
      n->in[0].value->kind == TENON_VALUE_CONSTANT)
    return false;
  const tenon_value *x = n->in[0].value;
  if (!find_window(w, n, w->a->strides[x->id], w->a->offsets[x->id], &at))
    return false;
  view_join(w, n, &at);
  return true;
}
