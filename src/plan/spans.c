// plan/spans.c - what of an entry lies in the arena and when, and how much of
// it lives at once.
#include <string.h>

#include "plan/alias/parts.h"
#include "plan/banks/banks.h"
#include "plan/banks/ports.h"
#include "plan/work.h"
#include "program/pack/pack.h"

// Sizes are given when all spans are there (plan/packing.c).
static tenon_status add_span(tenon_planner *w, tenon_span_record record,
                             const tenon_node *node, size_t *index) {
  tenon_span span = {.align = record.align,
                     .first = record.first,
                     .last = record.last,
                     .inner = record.inner,
                     .group = record.group};
  record.entry = (uint32_t)(w->current - w->entries);
  record.step = TENON_NO_INDEX;
  *index = w->spans.count;
  return tenon_vec_push(&w->spans, span) &&
                 tenon_vec_push(&w->records, record) &&
                 tenon_vec_push(&w->scratch_nodes, node)
             ? TENON_OK
             : tenon_plan_no_memory(w->report);
}

// The first part has the place of the class.
static tenon_status add_parts(tenon_planner *w, tenon_planned *e,
                              const tenon_class *c, tenon_span_record *r,
                              const tenon_part *parts, size_t n) {
  size_t index = 0;
  r->group = ++w->n_groups;
  for (size_t i = 0; i < n; ++i) {
    r->bytes = tenon_dim_fixed((int64_t)(parts[i].end - parts[i].begin));
    r->inner = parts[i].begin;
    r->first = parts[i].first;
    r->last = parts[i].last;
    TENON_TRY(add_span(w, *r, NULL, &index));
    if (i == 0) e->span_of[c - e->aliases.classes] = (uint32_t)index + 1;
    r->align = 1;
  }
  return TENON_OK;
}

static tenon_status note_size(void *self, tenon_node *n) {
  bool *is_decided = (bool *)self;
  for (uint32_t i = 0; i < n->n_decided; ++i)
    is_decided[n->decided[i]] = true;
  return TENON_OK;
}

// Whether a step finds out what hangs on the size. Known sizes, too, where
// memory ran out, which is latched.
static bool is_found_out(tenon_planner *w, const tenon_planned *e,
                         tenon_dim size) {
  const tenon_symbols *all = &e->entry->module->symbols;
  if (size.symbol == 0) return false;
  bool *is_decided = tenon_arena_array(w->arena, bool, all->count);
  if (!is_decided) return true;
  (void)tenon_graph_visit(e->entry->point->graph, note_size, is_decided);
  for (uint32_t i = 1; i < all->count; ++i)
    if (all->data[i].op != 0)
      is_decided[i] |= is_decided[all->data[i].a.symbol] ||
                       is_decided[all->data[i].b.symbol];
  return is_decided[size.symbol];
}

// Who loads a program has to see that nothing else is written where strings lie
// (tnp/tnp_strings.c): of one that is saved they have it for the whole run.
static bool stays_all_along(tenon_planner *w, const tenon_planned *e,
                            const tenon_class *c, const tenon_value *v) {
  return w->options->is_savable && v->type.dtype == TENON_STR &&
         !is_found_out(w, e, c->bytes);
}

static tenon_status add_class(tenon_planner *w, tenon_planned *e,
                              const tenon_value *v) {
  if (v->kind == TENON_VALUE_CONSTANT) return TENON_OK;
  tenon_class *c = tenon_alias_root(&e->aliases, v);
  if (c->state != UINT32_MAX || c->port || e->span_of[c - e->aliases.classes])
    return TENON_OK;
  size_t index = 0;
  tenon_span_record r = {0};
  if (tenon_dim_is_none(c->bytes))
    return tenon_fail(w->report, TENON_UNSUPPORTED, "plan-open-size", NULL,
                      "the size of value '%s' does not fit 64 bits",
                      v->name ? v->name : "");
  TENON_TRY(tenon_plan_dim(w, e->sizing, c->bytes, &r.bytes));
  r.name = v->name ? v->name : "";
  r.align = c->align;
  size_t n = 0;
  const tenon_part *parts = tenon_parts_of(w->arena, &e->aliases, &e->live,
                                           e->entry->module, e->values, v, &n);
  if (!parts) return tenon_plan_no_memory(w->report);
  // A session that places spans anew takes them one by one.
  const bool stays = stays_all_along(w, e, c, v);
  if (n > 1 && !w->is_open && !stays) return add_parts(w, e, c, &r, parts, n);
  r.first = tenon_banks_begin(w, e, v, c->first);
  r.last = c->last;
  if (stays) {
    r.first = e->live.first_time;
    r.last = e->live.last_time;
  }
  TENON_TRY(add_span(w, r, NULL, &index));
  e->span_of[c - e->aliases.classes] = (uint32_t)index + 1;
  return TENON_OK;
}

static tenon_status visit_buffers(void *self, tenon_node *n) {
  tenon_planner *w = (tenon_planner *)self;
  tenon_planned *e = w->current;
  for (uint32_t i = 0; i < n->n_out; ++i)
    TENON_TRY(add_class(w, e, n->out[i]));
  const tenon_kernel *k = e->kernels[n->id];
  if (!k || e->aliases.is_view[n->id] || !k->desc->scratch) return TENON_OK;
  bool is_open = tenon_node_is_open(n);
  int64_t size = 0;
  if (!is_open) {
    tenon_call *call = tenon_bind_call_packed(w->arena, n, k);
    if (!call) return tenon_plan_no_memory(w->report);
    call->user = k->desc->user;
    size = (int64_t)k->desc->scratch(call,
                                     k->desc->items ? k->desc->items(call) : 1);
    if (size == 0) return TENON_OK;
  }
  size_t index = 0;
  tenon_span_record r = {0};
  r.name = k->desc->symbol;
  r.bytes = tenon_dim_fixed(size);
  r.first = r.last = e->live.begin[n->id];
  r.align = k->desc->align > 16 ? k->desc->align : 16;
  r.is_scratch = true;
  TENON_TRY(add_span(w, r, is_open ? n : NULL, &index));
  e->scratch_of[n->id] = (uint32_t)index + 1;
  return TENON_OK;
}

tenon_status tenon_plan_list(tenon_planner *w, tenon_planned *e,
                             uint32_t first_time) {
  tenon_graph *g = e->entry->point->graph;
  if (!tenon_live_compute(w->arena, g, first_time, &e->live) ||
      !tenon_alias_compute(w->arena, g, &e->live, e->kernels, e->sizing,
                           e->over, e->asks, &e->aliases))
    return tenon_plan_no_memory(w->report);
  tenon_ports_choose(e, &e->aliases);
  for (uint32_t i = 0; i < g->n_params; ++i)
    TENON_TRY(add_class(w, e, g->params[i]));
  return tenon_graph_visit(g, visit_buffers, w);
}

// Bytes that begin and end to live at a time, then those that do live.
void tenon_plan_profile(const tenon_planner *w, size_t from, uint32_t n_times,
                        uint64_t *live) {
  memset(live, 0, ((size_t)n_times + 2) * sizeof *live);
  // A group's parts do not overlap: plan/alias/parts.c cuts them that way.
  for (size_t i = from; i < w->spans.count; ++i) {
    const tenon_span *s = &w->spans.data[i];
    live[s->first] += s->size;
    live[s->last + 1] -= s->size;
  }
  for (uint32_t t = 1; t <= n_times; ++t)
    live[t] += live[t - 1];
}

tenon_status tenon_plan_peak(tenon_planner *w, tenon_planned *e, uint64_t *live,
                             uint64_t *peak, uint64_t *packed) {
  const tenon_module *m = e->entry->module;
  tenon_arena_mark mark = tenon_arena_save(w->arena);
  tenon_allocator allocator = w->report_allocator;
  size_t n = w->spans.count;
  uint32_t n_groups = w->n_groups;
  bool ok = true;
  tenon_status status = tenon_plan_list(w, e, 1);
  for (size_t i = n; status == TENON_OK && i < w->spans.count; ++i)
    w->spans.data[i].size = (uint64_t)w->records.data[i].bytes.value;
  if (status == TENON_OK)
    *peak = tenon_pack_bound(w->spans.data + n, w->spans.count - n, &allocator,
                             &ok);
  if (status == TENON_OK && live)
    tenon_plan_profile(w, n, e->live.last_time, live);
  if (packed) *packed = *peak;
  // Parts of one buffer lie where the others do: the bound may be far.
  tenon_packing packing = {0};
  if (status == TENON_OK && ok && packed && w->n_groups > n_groups) {
    ok = tenon_plan_pack_quick(e->entry->module, w->spans.data + n,
                               w->spans.count - n, &allocator, &packing);
    *packed = packing.size;
  }
  w->spans.count = w->records.count = w->scratch_nodes.count = n;
  w->n_groups = n_groups;
  memset(e->span_of, 0, m->n_values * sizeof *e->span_of);
  memset(e->scratch_of, 0, m->n_nodes * sizeof *e->scratch_of);
  tenon_arena_restore(w->arena, mark);
  return status == TENON_OK && !ok ? tenon_plan_no_memory(w->report) : status;
}
