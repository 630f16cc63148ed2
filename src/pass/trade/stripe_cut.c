// How: for each stripe the layers are asked from the last to the first which
// rows they need; then from the first to the last they are built. What a layer
// has built in the last stripe and still needs is copied in front of what it
// builds in this one. Should a layer fail to have rows, what was built goes
// again.
#include "ir/build.h"
#include "ir/edit.h"
#include "pass/trade/stripe.h"

// A layer of the region on its way through the stripes.
typedef struct layer {
  const tenon_node *node;
  tenon_rows need;     // of the present stripe, or of later ones
  tenon_rows fresh;    // to be built in the present stripe
  tenon_value *value;  // what there is of it
  tenon_rows have;     // its rows
  int64_t done;        // rows built so far
} layer;

typedef struct cutter {
  const tenon_stripe *stripe;
  layer layers[TENON_STRIPE_NODES_MOST];
  uint32_t n;
  tenon_node *before;  // where to build
} cutter;

// --- regions ----------------------------------------------------------------

static bool stripes_is_within(tenon_node *const *nodes, uint32_t first,
                              uint32_t last, const tenon_node *n) {
  for (uint32_t i = first; i <= last; ++i)
    if (nodes[i] == n) return true;
  return false;
}

bool tenon_stripe_is_region(tenon_node *const *nodes, uint32_t first,
                            uint32_t last, int64_t *height) {
  if (last - first >= TENON_STRIPE_NODES_MOST) return false;
  for (uint32_t i = first; i <= last; ++i) {
    const tenon_node *n = nodes[i];
    if (!tenon_rows_apply(n)) return false;
    for (uint32_t k = 0; k < n->n_in; ++k) {
      const tenon_value *v = n->in[k].value;
      if (v && v->kind == TENON_VALUE_RESULT && !tenon_rows_takes(n, k) &&
          stripes_is_within(nodes, first, last, v->node))
        return false;
    }
    bool is_read = false;
    for (const tenon_use *u = n->out[0]->uses; u; u = u->next) {
      bool inside = stripes_is_within(nodes, first, last, u->node);
      if (!inside && i < last) return false;
      is_read = true;
    }
    if (!is_read) return false;
  }
  *height = tenon_rows_height(nodes[last]->out[0]);
  return *height > 1;
}

// --- which rows -------------------------------------------------------------

static layer *layer_of(cutter *c, const tenon_value *v) {
  if (v->kind != TENON_VALUE_RESULT) return NULL;
  for (uint32_t i = 0; i < c->n; ++i)
    if (c->layers[i].node == v->node) return &c->layers[i];
  return NULL;
}

// What the layer still needs of those before it, which is later than the
// present stripe.
static void retain(cutter *c, const layer *l) {
  tenon_rows next = {l->done, l->done + 1}, in;
  if (l->done >= tenon_rows_height(l->node->out[0])) return;
  for (uint32_t i = 0; i < l->node->n_in; ++i) {
    if (!tenon_rows_takes(l->node, i)) continue;
    layer *from = layer_of(c, l->node->in[i].value);
    if (from && tenon_rows_needed(l->node, i, next, &in) &&
        in.begin < from->need.begin)
      from->need.begin = in.begin;
  }
}

static bool ask_operands(cutter *c, const layer *l) {
  for (uint32_t i = 0; i < l->node->n_in; ++i) {
    tenon_rows in;
    if (!tenon_rows_takes(l->node, i)) continue;
    if (!tenon_rows_needed(l->node, i, l->fresh, &in)) return false;
    layer *from = layer_of(c, l->node->in[i].value);
    if (!from) continue;
    if (in.begin < from->need.begin) from->need.begin = in.begin;
    if (in.end > from->need.end) from->need.end = in.end;
  }
  return true;
}

static bool stripes_ask(cutter *c, tenon_rows out) {
  for (uint32_t i = 0; i < c->n; ++i)
    c->layers[i].need = (tenon_rows){INT64_MAX, 0};
  c->layers[c->n - 1].need = out;
  for (uint32_t i = c->n; i-- > 0;) {
    layer *l = &c->layers[i];
    l->fresh = l->need;
    if (!c->stripe->recomputes && l->fresh.begin < l->done)
      l->fresh.begin = l->done;
    if (l->fresh.begin >= l->fresh.end) {
      l->fresh = (tenon_rows){0, 0};
      if (!c->stripe->recomputes) retain(c, l);
    } else if (!ask_operands(c, l)) {
      return false;
    }
  }
  return true;
}

// --- building ---------------------------------------------------------------

static tenon_value *stripes_rows_of(cutter *c, const layer *l, tenon_rows rows,
                                    tenon_loc loc) {
  tenon_rows at = {rows.begin - l->have.begin, rows.end - l->have.begin};
  if (rows.begin == l->have.begin && rows.end == l->have.end) return l->value;
  return tenon_rows_slice(c->before, l->value, at, loc);
}

static tenon_value *stripes_operand(cutter *c, const layer *l, uint32_t i) {
  tenon_value *v = l->node->in[i].value;
  tenon_rows in;
  if (!v || !tenon_rows_takes(l->node, i)) return v;
  (void)tenon_rows_needed(l->node, i, l->fresh, &in);
  const layer *from = layer_of(c, v);
  if (from) return stripes_rows_of(c, from, in, l->node->loc);
  if (in.end - in.begin == tenon_rows_height(v)) return v;
  return tenon_rows_slice(c->before, v, in, l->node->loc);
}

// Null where there is nothing to keep; false: failed.
static bool stripes_keep(cutter *c, layer *l, tenon_value **kept) {
  tenon_rows old = {l->need.begin, l->done};
  *kept = NULL;
  if (c->stripe->recomputes || old.begin >= old.end) return true;
  tenon_value *v = stripes_rows_of(c, l, old, l->node->loc);
  if (!v) return false;
  *kept = tenon_build_value(
      c->before->graph, c->before, "core::copy", &v->type,
      (tenon_node_spec){
          .in = &v, .n_in = 1, .names = &v->name, .loc = l->node->loc});
  return *kept != NULL;
}

static bool build_layer(cutter *c, layer *l) {
  tenon_module *m = c->before->graph->module;
  tenon_value *kept = NULL;
  if (l->fresh.begin >= l->fresh.end) return true;
  tenon_value **in = tenon_arena_array(&m->arena, tenon_value *, l->node->n_in);
  if (!in || !stripes_keep(c, l, &kept)) return false;
  for (uint32_t i = 0; i < l->node->n_in; ++i) {
    in[i] = stripes_operand(c, l, i);
    if (!in[i] && l->node->in[i].value) return false;
  }
  tenon_node *fresh = tenon_rows_build(l->node, c->before, l->fresh, in);
  if (!fresh) return false;
  l->value = fresh->out[0];
  l->have = l->fresh;
  l->done = l->fresh.end;
  if (!kept) return true;
  tenon_value *parts[2] = {kept, l->value};
  tenon_type type = l->value->type;
  tenon_dim dims[4] = {type.dims[0], type.dims[1], type.dims[2], type.dims[3]};
  dims[1].value += kept->type.dims[1].value;
  type.dims = dims;
  l->value = tenon_rows_join(c->before, &type, l->node->out[0]->name, parts, 2,
                             l->node->loc);
  l->have.begin = l->need.begin;
  return l->value != NULL;
}

static void stripes_undo(tenon_node *first, const tenon_node *before) {
  tenon_graph *g = first->graph;
  for (tenon_node *n = before == g->end ? g->last : before->previous;
       n && n != first;) {
    tenon_node *previous = n->previous;
    tenon_node_erase(n);
    n = previous;
  }
}

static bool stripes_cut(cutter *c, int64_t height, bool *fits) {
  tenon_module *m = c->before->graph->module;
  layer *end = &c->layers[c->n - 1];
  int64_t rows = c->stripe->rows;
  uint32_t n = (uint32_t)((height + rows - 1) / rows);
  tenon_value **parts = tenon_arena_array(&m->arena, tenon_value *, n);
  if (!parts) return false;
  for (uint32_t s = 0; s < n; ++s) {
    tenon_rows out = {(int64_t)s * rows, ((int64_t)s + 1) * rows};
    if (out.end > height) out.end = height;
    *fits = stripes_ask(c, out);
    for (uint32_t i = 0; *fits && i < c->n; ++i)
      if (!build_layer(c, &c->layers[i])) return false;
    if (!*fits) return true;
    parts[s] = end->value;
  }
  const tenon_value *y = end->node->out[0];
  end->value =
      tenon_rows_join(c->before, &y->type, y->name, parts, n, end->node->loc);
  return end->value != NULL;
}

tenon_status tenon_stripe_cut(tenon_node *const *nodes, const tenon_stripe *s,
                              bool *fits, tenon_node **from, tenon_node **to) {
  cutter c = {.stripe = s, .n = s->last - s->first + 1};
  tenon_module *m = nodes[s->last]->graph->module;
  for (uint32_t i = 0; i < c.n; ++i)
    c.layers[i].node = nodes[s->first + i];
  c.before =
      nodes[s->last]->next ? nodes[s->last]->next : nodes[s->last]->graph->end;
  tenon_node *old = nodes[s->last];
  *fits = true;
  bool ok = stripes_cut(&c, tenon_rows_height(old->out[0]), fits);
  if (!ok || !*fits) stripes_undo(old, c.before);
  if (!ok)
    return m->arena.failed
               ? tenon_fail_memory(&m->report, "cutting into stripes")
               : tenon_fail_bug(&m->report, "'%s' cannot be cut into stripes",
                                tenon_node_name(old));
  if (!*fits) return TENON_OK;
  *from = old->next;
  tenon_value *whole = c.layers[c.n - 1].value;
  *to = whole->node;
  tenon_value_replace(old->out[0], whole);
  for (uint32_t i = s->last + 1; i-- > s->first;)
    tenon_node_erase(nodes[i]);
  return TENON_OK;
}
