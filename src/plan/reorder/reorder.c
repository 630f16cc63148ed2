// How: lifetimes and aliases are computed once without work in place; what they
// join shares memory in every order. The search (program/order/ordering.h) gets
// pieces of memory as buffers (reorder_touch.c) and work in place as a choice.
// What it finds is put in place, lifetimes and aliases are computed as the
// planner will, and only if their peak is lower does the new order stay.
#include "plan/reorder/reorder.h"

#include "ir/edit.h"
#include "ir/written.h"
#include "plan/alias/parts.h"
#include "plan/banks/ports.h"
#include "plan/reorder/reordering.h"

// --- dependences ------------------------------------------------------------

// Memory as a row: a class, and behind those the states; the last row is for
// what has effects.
static uint32_t memory_of(const tenon_reorder *r, const tenon_value *v) {
  const tenon_class *c = tenon_alias_root(&r->classes, v);
  return c->state == UINT32_MAX ? (uint32_t)(c - r->classes.classes)
                                : r->classes.n + c->state;
}

static void touch_memory(tenon_reorder *r, uint32_t at, const tenon_value *v,
                         bool writes) {
  if (!v || v->kind == TENON_VALUE_CONSTANT) return;
  uint32_t memory = memory_of(r, v);
  tenon_reorder_add(r, &r->shared, memory, at);
  if (writes) tenon_reorder_add(r, &r->writers, memory, at);
}

static void depend(tenon_reorder *r, uint32_t at, const tenon_node *n) {
  uint32_t effects = r->classes.n + (uint32_t)r->g->module->states.count;
  uint32_t operand = 0, result = 0;
  bool writes_all = tenon_op_is(n->op, "core::while") ||
                    tenon_op_is(n->op, "core::state_write");
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    touch_memory(r, at, v, writes_all);
    if (v && v->kind == TENON_VALUE_RESULT && r->place[v->node->id] != at)
      tenon_reorder_add(r, &r->after, at, r->place[v->node->id]);
  }
  // What a state holds is written by whoever makes it.
  for (uint32_t i = 0; i < n->n_out; ++i)
    touch_memory(
        r, at, n->out[i],
        memory_of(r, n->out[i]) >= r->classes.n && !r->classes.is_view[n->id]);
  for (uint32_t k = 0; tenon_written_pair(n, k, &operand, &result); ++k)
    touch_memory(r, at, n->in[operand].value, true);
  if (n->op && !tenon_op_is_pure(n->op) && !tenon_choose_is_structural(n->op)) {
    tenon_reorder_add(r, &r->shared, effects, at);
    tenon_reorder_add(r, &r->writers, effects, at);
  }
  for (uint32_t k = 0; k < n->n_regions; ++k) {
    for (const tenon_node *m = n->regions[k]->first; m; m = m->next)
      depend(r, at, m);
    depend(r, at, n->regions[k]->end);
  }
}

// Whoever touches a memory stays before or behind each that writes it.
static void keep_writers(tenon_reorder *r, const uint32_t *shared,
                         const uint32_t *shared_end, const uint32_t *writer,
                         const uint32_t *writer_end) {
  for (uint32_t since = UINT32_MAX; writer <= writer_end; ++writer) {
    uint32_t next = writer < writer_end ? *writer : UINT32_MAX;
    for (; shared < shared_end && *shared < next; ++shared) {
      if (since != UINT32_MAX && *shared != since)
        tenon_reorder_add(r, &r->after, *shared, since);
      if (next != UINT32_MAX) tenon_reorder_add(r, &r->after, next, *shared);
    }
    since = next;
  }
}

void tenon_reorder_depend(tenon_reorder *r) {
  uint32_t n_rows = r->classes.n + (uint32_t)r->g->module->states.count + 1;
  tenon_rows shared, writers;
  for (uint32_t i = 0; i < r->n; ++i)
    depend(r, i, r->nodes[i]);
  if (r->failed ||
      !tenon_rows_make(r->arena, n_rows, r->shared.data, r->shared.count,
                       &shared) ||
      !tenon_rows_make(r->arena, n_rows, r->writers.data, r->writers.count,
                       &writers)) {
    r->failed = true;
    return;
  }
  for (uint32_t row = 0; row < n_rows; ++row)
    if (writers.begin[row] < writers.begin[row + 1])
      keep_writers(r, &shared.items[shared.begin[row]],
                   &shared.items[shared.begin[row + 1]],
                   &writers.items[writers.begin[row]],
                   &writers.items[writers.begin[row + 1]]);
}

// --- the problem ------------------------------------------------------------

static void note_place(tenon_reorder *r, const tenon_node *n, uint32_t at) {
  r->place[n->id] = at;
  for (uint32_t k = 0; k < n->n_regions; ++k)
    for (const tenon_node *m = n->regions[k]->first; m; m = m->next)
      note_place(r, m, at);
}

static bool reorder_number(tenon_reorder *r) {
  for (const tenon_node *n = r->g->first; n; n = n->next)
    ++r->n;
  r->nodes = tenon_arena_array(r->arena, tenon_node *, (size_t)r->n + 1);
  r->place = tenon_arena_array(r->arena, uint32_t, r->g->module->n_nodes);
  r->pieces = tenon_arena_array(r->arena, tenon_pieces, r->g->module->n_values);
  r->extra = tenon_arena_array(r->arena, uint64_t, (size_t)r->n + 1);
  r->take_begin = tenon_arena_array(r->arena, uint32_t, (size_t)r->n + 2);
  if (r->arena->failed) return false;
  uint32_t at = 0;
  for (tenon_node *n = r->g->first; n; n = n->next) {
    note_place(r, n, at);
    r->nodes[at++] = n;
  }
  return true;
}

static bool reorder_build(tenon_reorder *r, tenon_order_problem *q) {
  const tenon_kernel **none =
      tenon_arena_array(r->arena, const tenon_kernel *, r->g->module->n_nodes);
  if (!none || !reorder_number(r) ||
      !tenon_live_compute(r->arena, r->g, 1, &r->live) ||
      !tenon_alias_compute(r->arena, r->g, &r->live, none, r->e->sizing, NULL,
                           r->e->asks, &r->classes))
    return false;
  tenon_ports_choose(r->e, &r->classes);
  tenon_reorder_free(r);
  tenon_reorder_cut(r);
  if (r->failed || r->kept) return !r->failed;
  uint32_t n_buffers = (uint32_t)r->sizes.count;
  r->is_input = tenon_arena_array(r->arena, bool, (size_t)n_buffers + 1);
  r->is_output = tenon_arena_array(r->arena, bool, (size_t)n_buffers + 1);
  if (r->arena->failed) return false;
  for (uint32_t i = 0; i < r->n && !r->failed && !r->kept; ++i)
    tenon_reorder_touch(r, i);
  if (r->failed || r->kept) return !r->failed;
  tenon_reorder_depend(r);
  *q = (tenon_order_problem){.n = r->n,
                             .n_buffers = n_buffers,
                             .size = r->sizes.data,
                             .is_input = r->is_input,
                             .is_output = r->is_output,
                             .take_begin = r->take_begin,
                             .takes = r->takes.data,
                             .extra = r->extra};
  return !r->failed &&
         tenon_rows_make(r->arena, r->n, r->touches.data, r->touches.count,
                         &q->touches) &&
         tenon_rows_make(r->arena, r->n, r->makes.data, r->makes.count,
                         &q->makes) &&
         tenon_rows_make(r->arena, r->n, r->after.data, r->after.count,
                         &q->after);
}

// --- the result -------------------------------------------------------------

// Puts the nodes into the order that was found, if it is better; else *order is
// null.
static tenon_status reorder_take(tenon_reorder *r, const tenon_ordering *found,
                                 tenon_program_ordering *out,
                                 const uint32_t **order) {
  uint64_t peak = 0, before = 0, after = 0;
  *order = NULL;
  TENON_TRY(tenon_plan_peak(r->w, r->e, NULL, &out->given, &before));
  out->peak = out->given;
  if (found->peak >= found->given) return TENON_OK;
  tenon_reorder_put(r, found->order);
  TENON_TRY(tenon_plan_peak(r->w, r->e, NULL, &peak, &after));
  if (peak < out->given && after <= before) {
    out->peak = peak;
    *order = found->order;
  } else {
    tenon_reorder_put(r, NULL);
  }
  return TENON_OK;
}

// What an order needs, without them, that was chosen for its overlaps.
static tenon_status reorder_overlap(tenon_reorder *r, const tenon_rows *after,
                                    const uint32_t *order,
                                    tenon_program_ordering *out) {
  TENON_TRY(
      tenon_overlap_orders(r, after, order, &out->n_orders, &out->over_bound));
  return tenon_plan_peak(r->w, r->e, NULL, &out->peak, NULL);
}

static bool reorder_search(tenon_reorder *r, tenon_program_ordering *out,
                           tenon_status *status) {
  tenon_order_problem q;
  tenon_ordering found;
  const tenon_plan_options *o = r->w->options;
  uint64_t effort = o->effort ? o->effort : TENON_PACK_EFFORT;
  const uint32_t *order = NULL;
  if (!reorder_build(r, &q)) return false;
  out->kept = r->kept ? r->kept : r->n == 0 ? "there is nothing to run" : NULL;
  if (!out->kept && (o->keeps_order || o->is_quick)) out->kept = "asked for";
  if (out->kept && (r->kept || r->n == 0)) return true;
  if (!tenon_order_search(r->arena, &q, out->kept ? 0 : effort, &found))
    return false;
  out->bound = r->is_rough ? tenon_reorder_floor(r) : found.bound;
  if (r->failed) return false;
  *status = reorder_take(r, &found, out, &order);
  if (*status == TENON_OK && !out->kept)
    *status = reorder_overlap(r, &q.after, order, out);
  return true;
}

tenon_status tenon_plan_reorder(tenon_planner *w, tenon_planned *e,
                                tenon_program_ordering *out) {
  tenon_allocator allocator = w->report_allocator;
  tenon_arena arena;
  tenon_status status = TENON_OK;
  tenon_arena_init(&arena, allocator);
  tenon_reorder r = {
      .w = w, .e = e, .g = e->entry->point->graph, .arena = &arena};
  tenon_vec_init(&r.sizes, allocator);
  tenon_vec_init(&r.takes, allocator);
  tenon_vec_init(&r.inside, allocator);
  tenon_row_items *lists[] = {&r.touches, &r.makes, &r.after, &r.shared,
                              &r.writers};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
    tenon_vec_init(lists[i], allocator);
  if (!reorder_search(&r, out, &status))
    status = tenon_plan_no_memory(w->report);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
    tenon_vec_deinit(lists[i]);
  tenon_vec_deinit(&r.inside);
  tenon_vec_deinit(&r.takes);
  tenon_vec_deinit(&r.sizes);
  tenon_arena_deinit(&arena);
  return status;
}
