// How: ranges of leaves are the file's; those of expressions are worked out
// anew, since leaves may have narrowed.
#include "plan/sizes.h"

#include <string.h>

#include "bind/call.h"
#include "plan/work.h"

// --- numbers for symbols ----------------------------------------------------

static void plan_size_find_most(const tenon_symbols *all, tenon_range *ranges,
                                int64_t *most) {
  for (uint32_t i = 1; i < all->count; ++i) {
    const tenon_symbol *s = &all->data[i];
    tenon_range a = {s->a.value, s->a.value}, b = {s->b.value, s->b.value};
    if (s->a.symbol) a = ranges[s->a.symbol];
    if (s->b.symbol) b = ranges[s->b.symbol];
    ranges[i] = (tenon_range){s->min, s->max};
    if (s->op != 0) ranges[i] = tenon_range_apply((tenon_dim_op)s->op, a, b);
    // A bound that comes later in the table is known only by its number.
    if (s->op == 0 && s->most.symbol != 0 && s->most.symbol < i &&
        ranges[s->most.symbol].max < ranges[i].max)
      ranges[i].max = ranges[s->most.symbol].max;
    most[i] = ranges[i].max == INT64_MAX ? TENON_UNKNOWN : ranges[i].max;
    // A float or a boolean that a step finds out is no size.
    if (s->kind != 0) most[i] = 0;
  }
}

bool tenon_sizing_init(tenon_arena *arena, tenon_module *m, tenon_sizing *out) {
  // Sizes in bytes are made while planning: room for what there will be.
  uint32_t n = m->symbols.count + 1;
  *out = (tenon_sizing){0};
  out->m = m;
  out->n_symbols = m->symbols.count;
  tenon_range *ranges = tenon_arena_array(arena, tenon_range, n);
  out->most = tenon_arena_array(arena, int64_t, n);
  out->typical = tenon_arena_array(arena, int64_t, n);
  for (int t = 0; t < TENON_TRIALS; ++t)
    out->trial[t] = tenon_arena_array(arena, int64_t, n);
  if (arena->failed) return false;
  plan_size_find_most(&m->symbols, ranges, out->most);
  for (uint32_t i = 1; i < m->symbols.count; ++i)
    out->typical[i] = TENON_UNKNOWN;
  if (!tenon_trial_typical(m, out->typical))
    for (uint32_t i = 1; i < m->symbols.count; ++i)
      if (m->symbols.data[i].op != 0) out->typical[i] = TENON_UNKNOWN;
  for (int t = 0; t < TENON_TRIALS; ++t)
    out->can_try[t] = tenon_trial_fill(arena, m, t, out->trial[t]);
  return !arena->failed;
}

// --- types and nodes --------------------------------------------------------

static bool plan_size_is_dense(const tenon_tensor *t, const int32_t *strides) {
  int64_t run = 1;
  for (int i = t->rank; i-- > 0;) {
    if (t->dims[i] != 1 && strides[i] != run) return false;
    run *= t->dims[i];
  }
  return true;
}

bool tenon_sizing_view(tenon_arena *arena, const tenon_sizing *s,
                       const tenon_node *n, tenon_view *view) {
  int tried = 0;
  bool same = true;
  for (int t = 0; t < TENON_TRIALS && same; ++t) {
    if (!s->can_try[t]) continue;
    tenon_arena_mark mark = tenon_arena_save(arena);
    tenon_call *call = tenon_bind_call_at(arena, n, s->trial[t]);
    tenon_view one = {0};
    if (call) {
      same = n->op->desc->view(call, &one) &&
             plan_size_is_dense(&call->out[0], one.strides) && one.offset == 0;
      ++tried;
      *view = one;
    }
    tenon_arena_restore(arena, mark);
  }
  return same && tried > 0;
}

// --- the program's numbers --------------------------------------------------

// Null when memory ran out.
static const char *stated_by(tenon_planner *w, const tenon_module *m,
                             const tenon_symbol *leaf) {
  tenon_buf text;
  tenon_buf_init(&text, w->report_allocator);
  tenon_buf_text(&text, m->name && *m->name ? m->name : "the model");
  if (leaf->asked) tenon_buf_format(&text, " and '%s'", leaf->asked);
  const char *out =
      text.failed ? NULL : tenon_arena_string(&w->program->arena, text.data);
  tenon_buf_deinit(&text);
  return out;
}

static tenon_status plan_size_add_number(tenon_planner *w, tenon_sizing *s,
                                         uint32_t symbol) {
  const tenon_symbols *all = &s->m->symbols;
  const tenon_symbol *e = &all->data[symbol];
  tenon_program_number n = {0};
  tenon_dim self = {0, symbol};
  tenon_arena *arena = &w->program->arena;
  n.op = e->op;
  n.min = e->min;
  n.max = e->max;
  n.kind = e->kind;
  n.step = TENON_NO_INDEX;
  if (e->op != 0) {
    n.a = e->a;
    n.b = e->b;
    if (n.a.symbol) n.a.symbol = s->number_of[n.a.symbol];
    if (n.b.symbol) n.b.symbol = s->number_of[n.b.symbol];
    tenon_buf text;
    tenon_buf_init(&text, w->report_allocator);
    tenon_symbols_print(all, self, &text);
    n.name = text.failed ? NULL : tenon_arena_string(arena, text.data);
    tenon_buf_deinit(&text);
  } else {
    n.name = tenon_arena_string(arena, e->name);
    n.typical = s->typical[symbol];
    n.said_by = stated_by(w, s->m, e);
    if (!n.said_by) return tenon_plan_no_memory(w->report);
    if (e->most.symbol != 0) {
      n.most.symbol = s->number_of[e->most.symbol];
    }
  }
  if (w->numbers.count == 0) {
    tenon_program_number none = {0};
    none.name = "";
    none.step = TENON_NO_INDEX;
    if (!tenon_vec_push(&w->numbers, none))
      return tenon_plan_no_memory(w->report);
  }
  s->number_of[symbol] = (uint32_t)w->numbers.count;
  return n.name && tenon_vec_push(&w->numbers, n)
             ? TENON_OK
             : tenon_plan_no_memory(w->report);
}

// Symbols made while planning are beyond the arrays.
static bool plan_size_grow(tenon_planner *w, tenon_sizing *s) {
  uint32_t n = s->m->symbols.count + 1;
  if (n <= s->n_numbers) return true;
  uint32_t more = n + n / 2;
  uint32_t *copy = tenon_arena_array(w->arena, uint32_t, more);
  if (!copy) return false;
  if (s->n_numbers) memcpy(copy, s->number_of, s->n_numbers * sizeof *copy);
  s->number_of = copy;
  s->n_numbers = more;
  return true;
}

static tenon_status plan_size_need(tenon_planner *w, tenon_sizing *s,
                                   uint32_t symbol, int depth) {
  const tenon_symbols *all = &s->m->symbols;
  if (s->number_of[symbol]) return TENON_OK;
  if (depth > 256)
    return tenon_fail(w->report, TENON_UNSUPPORTED, "plan-open-size", NULL,
                      "sizes that data decide bound each other more than 256 "
                      "deep");
  tenon_arena_mark mark = tenon_arena_save(w->arena);
  bool *is_needed = tenon_arena_array(w->arena, bool, symbol + 1u);
  if (!is_needed) return tenon_plan_no_memory(w->report);
  is_needed[symbol] = true;
  for (uint32_t i = symbol; i > 0; --i) {
    if (!is_needed[i] || all->data[i].op == 0) continue;
    is_needed[all->data[i].a.symbol] = true;
    is_needed[all->data[i].b.symbol] = true;
  }
  tenon_status status = TENON_OK;
  for (uint32_t i = 1; i <= symbol && status == TENON_OK; ++i) {
    if (!is_needed[i] || s->number_of[i]) continue;
    uint32_t most = all->data[i].op == 0 ? all->data[i].most.symbol : 0;
    if (most) status = plan_size_need(w, s, most, depth + 1);
    if (status == TENON_OK && !s->number_of[i])
      status = plan_size_add_number(w, s, i);
  }
  tenon_arena_restore(w->arena, mark);
  return status;
}

tenon_status tenon_plan_dim(tenon_planner *w, tenon_sizing *s, tenon_dim d,
                            tenon_dim *out) {
  *out = d;
  if (d.symbol == 0) return TENON_OK;
  if (!plan_size_grow(w, s)) return tenon_plan_no_memory(w->report);
  TENON_TRY(plan_size_need(w, s, d.symbol, 0));
  out->symbol = s->number_of[d.symbol];
  return TENON_OK;
}
