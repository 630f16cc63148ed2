// How: a piece is live from the first node that makes a value over it to the
// last that reads one, elided readers aside; so plan/alias/parts.c has it. What
// lives within a node's regions alone is packed, for its peak is what the node
// needs.
#include "bind/call.h"
#include "plan/reorder/reordering.h"

// More values of one class than this are taken as a whole.
enum { MOST_VALUES = 256 };

static const tenon_class *class_of(const tenon_reorder *r,
                                   const tenon_value *v) {
  return tenon_alias_root(&r->classes, v);
}

static tenon_pieces *pieces_of(const tenon_reorder *r, const tenon_value *v) {
  return &r->pieces[class_of(r, v) - r->classes.classes];
}

static bool is_memory(const tenon_reorder *r, const tenon_value *v) {
  return v && v->kind != TENON_VALUE_CONSTANT &&
         class_of(r, v)->state == UINT32_MAX;
}

// --- pieces -----------------------------------------------------------------

static void reorder_touch_insert(uint64_t *cuts, uint32_t *n, uint64_t at) {
  uint32_t k = *n;
  while (k > 0 && cuts[k - 1] > at)
    --k;
  if (k > 0 && cuts[k - 1] == at) return;
  for (uint32_t i = (*n)++; i > k; --i)
    cuts[i] = cuts[i - 1];
  cuts[k] = at;
}

static uint64_t reorder_touch_bytes_of(const tenon_reorder *r,
                                       const tenon_value *v) {
  tenon_dim d = tenon_type_bytes(r->g->module, &v->type);
  return d.symbol == 0 && d.value > 0 ? (uint64_t)d.value : 0;
}

static void reorder_touch_cut(tenon_reorder *r, uint32_t root) {
  const tenon_class *c = &r->classes.classes[root];
  tenon_pieces *p = &r->pieces[root];
  uint32_t count = 0, n = 0;
  if (c->bytes.symbol != 0 || c->bytes.value == TENON_UNKNOWN) {
    r->kept = "sizes are open";
    return;
  }
  for (uint32_t i = root; i != TENON_NO_VALUE; i = r->classes.next[i])
    ++count;
  uint64_t *cuts = tenon_arena_array(r->arena, uint64_t, 2 * (size_t)count + 2);
  if (!cuts) {
    r->failed = true;
    return;
  }
  reorder_touch_insert(cuts, &n, 0);
  reorder_touch_insert(cuts, &n, (uint64_t)c->bytes.value);
  if (count > MOST_VALUES) r->is_rough = true;
  for (uint32_t i = root; i != TENON_NO_VALUE && count <= MOST_VALUES;
       i = r->classes.next[i]) {
    const tenon_value *v = r->e->values[i];
    if (!v) continue;
    reorder_touch_insert(cuts, &n, r->classes.offsets[i]);
    reorder_touch_insert(cuts, &n,
                         r->classes.offsets[i] + reorder_touch_bytes_of(r, v));
  }
  p->first = (uint32_t)r->sizes.count;
  p->n = n - 1;
  p->cuts = cuts;
  for (uint32_t k = 0; k < p->n; ++k)
    if (!tenon_vec_push(&r->sizes,
                        r->is_free[root] ? 0 : cuts[k + 1] - cuts[k]))
      r->failed = true;
}

void tenon_reorder_cut(tenon_reorder *r) {
  for (uint32_t i = 0; i < r->classes.n && !r->kept && !r->failed; ++i) {
    const tenon_class *c = &r->classes.classes[i];
    const tenon_value *v = r->e->values[i];
    if (c->parent == i && c->state == UINT32_MAX && v &&
        v->kind != TENON_VALUE_CONSTANT && c->last > 0)
      reorder_touch_cut(r, i);
  }
}

// --- touching ---------------------------------------------------------------

typedef void piece_fn(tenon_reorder *r, uint32_t at, uint32_t buffer);

static void each_piece(tenon_reorder *r, uint32_t at, const tenon_value *v,
                       piece_fn *visit) {
  const tenon_pieces *p = pieces_of(r, v);
  uint64_t begin = r->classes.offsets[v->id],
           end = begin + reorder_touch_bytes_of(r, v);
  for (uint32_t k = 0; k < p->n; ++k)
    if (p->cuts[k] < end && p->cuts[k + 1] > begin) visit(r, at, p->first + k);
}

static void on_read(tenon_reorder *r, uint32_t at, uint32_t buffer) {
  tenon_reorder_add(r, &r->touches, at, buffer);
}
static void on_made(tenon_reorder *r, uint32_t at, uint32_t buffer) {
  tenon_reorder_add(r, &r->touches, at, buffer);
  tenon_reorder_add(r, &r->makes, at, buffer);
}
static void on_input(tenon_reorder *r, uint32_t at, uint32_t buffer) {
  (void)at;
  r->is_input[buffer] = true;
}
static void on_output(tenon_reorder *r, uint32_t at, uint32_t buffer) {
  (void)at;
  r->is_output[buffer] = true;
}

// Of a node's regions alone: a span of what the node needs.
static bool keep_inside(tenon_reorder *r, uint32_t at, const tenon_value *v) {
  const tenon_node *owner = r->nodes[at];
  const tenon_class *c = class_of(r, v);
  if (owner->n_regions == 0 || c->first < r->live.begin[owner->id] ||
      c->last >= r->live.end[owner->id])
    return false;
  tenon_pieces *p = pieces_of(r, v);
  if (p->is_inside) return true;
  p->is_inside = true;
  tenon_span span = {.size = (uint64_t)c->bytes.value,
                     .align = c->align,
                     .first = c->first,
                     .last = c->last};
  if (!tenon_vec_push(&r->inside, span)) r->failed = true;
  return true;
}

uint64_t tenon_reorder_scratch(tenon_reorder *r, const tenon_node *n) {
  const tenon_kernel *k = r->e->kernels[n->id];
  if (!k || r->classes.is_view[n->id] || !k->desc->scratch) return 0;
  tenon_arena_mark mark = tenon_arena_save(r->arena);
  tenon_call *call = tenon_bind_call_packed(r->arena, n, k);
  if (!call) {
    r->failed = true;
    return 0;
  }
  call->user = k->desc->user;
  uint64_t size =
      k->desc->scratch(call, k->desc->items ? k->desc->items(call) : 1);
  tenon_arena_restore(r->arena, mark);
  return size;
}

static void add_scratch(tenon_reorder *r, uint32_t at, const tenon_node *n) {
  if (tenon_node_is_open(n)) r->kept = "sizes are open";
  if (r->kept) return;
  uint64_t size = tenon_reorder_scratch(r, n);
  if (size == 0) return;
  uint32_t time = r->live.begin[n->id];
  tenon_span span = {.size = size, .align = 1, .first = time, .last = time};
  if (n->graph == r->g)
    r->extra[at] = size;
  else if (!tenon_vec_push(&r->inside, span))
    r->failed = true;
}

static void touch(tenon_reorder *r, uint32_t at, const tenon_node *n) {
  for (uint32_t i = 0; i < n->n_in && !r->classes.is_view[n->id]; ++i) {
    const tenon_value *v = n->in[i].value;
    if (is_memory(r, v) && !keep_inside(r, at, v))
      each_piece(r, at, v, on_read);
  }
  for (uint32_t i = 0; i < n->n_out; ++i)
    if (is_memory(r, n->out[i]) && !keep_inside(r, at, n->out[i]))
      each_piece(r, at, n->out[i], on_made);
  add_scratch(r, at, n);
  for (uint32_t k = 0; k < n->n_regions; ++k) {
    for (const tenon_node *m = n->regions[k]->first; m; m = m->next)
      touch(r, at, m);
    touch(r, at, n->regions[k]->end);
  }
}

// --- work in place ----------------------------------------------------------

// As plan/alias/alias.c decides, as far as no order has a say in it.
static bool may_take(const tenon_reorder *r, const tenon_node *n, uint32_t in,
                     uint32_t out) {
  const tenon_value *x = n->in[in].value, *y = n->out[out];
  if (!is_memory(r, x) || !is_memory(r, y)) return false;
  const tenon_class *c = class_of(r, x), *d = class_of(r, y);
  if (c == d || !tenon_alias_may_meet(c, d) || r->classes.offsets[x->id] != 0 ||
      !tenon_dim_equals(c->bytes, d->bytes) ||
      reorder_touch_bytes_of(r, x) != reorder_touch_bytes_of(r, y))
    return false;
  for (uint32_t i = 0; i < n->n_in; ++i)
    if (i != in && is_memory(r, n->in[i].value) &&
        class_of(r, n->in[i].value) == c)
      return false;
  for (uint32_t i = 0; i < n->n_out; ++i)
    if (i != out && is_memory(r, n->out[i]) && class_of(r, n->out[i]) == c)
      return false;
  return true;
}

// Whether that is so is seen when aliases are; for a bound it may be.
static void free_taken(tenon_reorder *r, const tenon_node *n) {
  const tenon_kernel *k = r->e->kernels[n->id];
  bool is_step = k && !r->classes.is_view[n->id] && n->n_regions == 0;
  for (uint32_t out = 0; is_step && out < n->n_out && out < 4; ++out)
    for (uint32_t in = 0; in < n->n_in && in < 8; ++in)
      if ((k->desc->in_place & TENON_IN_PLACE(out, in)) &&
          may_take(r, n, in, out) &&
          r->is_free[class_of(r, n->out[out]) - r->classes.classes])
        r->is_free[class_of(r, n->in[in].value) - r->classes.classes] = true;
}

void tenon_reorder_free(tenon_reorder *r) {
  r->is_free = tenon_arena_array(r->arena, bool, r->classes.n);
  if (!r->is_free) {
    r->failed = true;
    return;
  }
  for (uint32_t i = 0; i < r->classes.n; ++i)
    r->is_free[i] = r->classes.classes[i].port != 0;
  for (uint32_t i = r->n; r->e->n_asks && i-- > 0;)
    free_taken(r, r->nodes[i]);
}

static void add_takes(tenon_reorder *r, uint32_t at) {
  const tenon_node *n = r->nodes[at];
  const tenon_kernel *k = r->e->kernels[n->id];
  bool is_step = k && !r->classes.is_view[n->id] && n->n_regions == 0;
  for (uint32_t out = 0; is_step && out < n->n_out && out < 4; ++out)
    for (uint32_t in = 0; in < n->n_in && in < 8; ++in) {
      if (!(k->desc->in_place & TENON_IN_PLACE(out, in)) ||
          !may_take(r, n, in, out))
        continue;
      const tenon_pieces *from = pieces_of(r, n->in[in].value);
      const tenon_pieces *to = pieces_of(r, n->out[out]);
      // The whole would be taken, and only if all of it is free.
      if (from->n != 1 || to->n != 1) {
        r->is_rough = true;
        continue;
      }
      tenon_order_take take = {from->first, to->first};
      if (!tenon_vec_push(&r->takes, take)) r->failed = true;
    }
  r->take_begin[at + 1] = (uint32_t)r->takes.count;
}

void tenon_reorder_touch(tenon_reorder *r, uint32_t at) {
  const tenon_node *n = r->nodes[at];
  tenon_allocator allocator = r->arena->allocator;
  bool ok = true;
  if (at == 0) {
    for (uint32_t i = 0; i < r->g->n_params; ++i)
      if (is_memory(r, r->g->params[i]))
        each_piece(r, 0, r->g->params[i], on_input);
    for (uint32_t i = 0; i < r->g->end->n_in; ++i)
      if (is_memory(r, r->g->end->in[i].value))
        each_piece(r, 0, r->g->end->in[i].value, on_output);
  }
  r->inside.count = 0;
  touch(r, at, n);
  if (n->n_regions > 0) {
    r->is_rough = true;
    r->extra[at] =
        tenon_pack_bound(r->inside.data, r->inside.count, &allocator, &ok);
    r->failed |= !ok;
  }
  // Operands could have lain there without it.
  if (tenon_op_is(n->op, "core::concat") && r->classes.is_view[n->id])
    r->is_rough = true;
  add_takes(r, at);
}
