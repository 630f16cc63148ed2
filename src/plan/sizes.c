// How: ranges of leaves are the file's; those of expressions are worked out
// anew, since leaves may have narrowed. Trials give every leaf another size,
// none of them 1 where that can be helped, so that what holds for all of them
// is not a coincidence of small numbers.
#include "plan/sizes.h"

#include <string.h>

#include "bind/call.h"
#include "plan/work.h"

// --- numbers for symbols ----------------------------------------------------

int64_t tenon_sizing_value(const int64_t *values, tenon_dim d) {
  return d.symbol == 0 ? d.value : values[d.symbol];
}

// Expressions from leaves; false when one overflows or divides by zero.
static bool compute(const tenon_symbols *all, int64_t *values) {
  for (uint32_t i = 1; i < all->count; ++i) {
    const tenon_symbol *s = &all->data[i];
    if (s->op == 0) continue;
    int64_t a = tenon_sizing_value(values, s->a);
    int64_t b = tenon_sizing_value(values, s->b);
    values[i] = TENON_UNKNOWN;
    if (a == TENON_UNKNOWN || b == TENON_UNKNOWN) continue;
    if (!tenon_dim_compute((tenon_dim_op)s->op, a, b, &values[i])) return false;
  }
  return true;
}

static int64_t within(const tenon_symbol *s, int64_t value) {
  if (value < s->min) value = s->min;
  return value > s->max ? s->max : value;
}

// What a leaf that a step decides may be at most, given the others.
static int64_t most_of(const tenon_symbol *s, const int64_t *values) {
  if (s->most.symbol == 0) return s->max;
  int64_t most = values[s->most.symbol];
  return most == TENON_UNKNOWN || most > s->max ? s->max : most;
}

static bool is_kept(const tenon_module *m, const int64_t *values) {
  for (size_t i = 0; i < m->guards.count; ++i) {
    const tenon_guard *g = &m->guards.data[i];
    int64_t a = tenon_sizing_value(values, g->a);
    int64_t b = tenon_sizing_value(values, g->b);
    if (a != TENON_UNKNOWN && b != TENON_UNKNOWN &&
        !tenon_relation_holds(g->relation, a, b))
      return false;
  }
  return true;
}

static void find_most(const tenon_symbols *all, tenon_range *ranges,
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

// The trial's size of a leaf, at least its least: a multiple of `scale`.
static int64_t trial_of(const tenon_symbol *s, int t, int64_t scale,
                        int64_t order) {
  static const int64_t first[] = {5, 3, 11}, step[] = {2, 4, 6};
  int64_t value = scale * (first[t] + (scale > 1 ? 0 : step[t] * order));
  if (s->min > 1 && s->min < INT32_MAX)
    value += (s->min + scale - 1) / scale * scale - scale;
  return within(s, value);
}

// Leaves by `t`: the trial's number; the typical ones are -1.
static bool fill(const tenon_module *m, int t, int64_t scale, int64_t *values) {
  const tenon_symbols *all = &m->symbols;
  int64_t order = 0;
  // Twice: what a step decides is bounded by what others make.
  for (int pass = 0; pass < 2; ++pass) {
    order = 0;
    for (uint32_t i = 1; i < all->count; ++i) {
      const tenon_symbol *s = &all->data[i];
      if (s->op != 0) continue;
      if (s->kind != 0) {
        values[i] = 0;
      } else if (t < 0) {
        int64_t some = s->stored != 0 ? s->stored : 1;
        values[i] =
            within(s, s->most.symbol && pass ? most_of(s, values) : some);
      } else {
        values[i] = trial_of(s, t, scale, order++);
        if (pass && s->most.symbol && values[i] > most_of(s, values))
          values[i] = most_of(s, values);
      }
    }
    if (!compute(all, values)) return false;
  }
  return t < 0 || is_kept(m, values);
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
  find_most(&m->symbols, ranges, out->most);
  for (uint32_t i = 1; i < m->symbols.count; ++i)
    out->typical[i] = TENON_UNKNOWN;
  if (!fill(m, -1, 1, out->typical))
    for (uint32_t i = 1; i < m->symbols.count; ++i)
      if (m->symbols.data[i].op != 0) out->typical[i] = TENON_UNKNOWN;
  for (int t = 0; t < TENON_TRIALS; ++t)
    // Conditions of the file want even sizes, multiples, equal ones.
    for (int64_t scale = 1; scale <= 64 && !out->can_try[t]; scale *= 2)
      out->can_try[t] = fill(m, t, scale, out->trial[t]);
  return true;
}

// --- types and nodes --------------------------------------------------------

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
  for (const tenon_arg *a = n->args; a && a->name; ++a)
    if (a->kind == TENON_KIND_DIMS) return true;
  return false;
}

static bool is_dense(const tenon_tensor *t, const int32_t *strides) {
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
             is_dense(&call->out[0], one.strides) && one.offset == 0;
      ++tried;
      *view = one;
    }
    tenon_arena_restore(arena, mark);
  }
  return same && tried > 0;
}

// --- the program's numbers --------------------------------------------------

static tenon_status add_number(tenon_planner *w, tenon_sizing *s,
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
    if (e->most.symbol != 0) {
      n.most.symbol = s->number_of[e->most.symbol];
    }
  }
  if (w->numbers.count == 0) {
    tenon_program_number none = {0};
    none.name = "";
    none.step = TENON_NO_INDEX;
    if (!tenon_vec_push(&w->numbers, none))
      return tenon_fail_memory(w->report, "planning");
  }
  s->number_of[symbol] = (uint32_t)w->numbers.count;
  return n.name && tenon_vec_push(&w->numbers, n)
             ? TENON_OK
             : tenon_fail_memory(w->report, "planning");
}

// Symbols made while planning are beyond the arrays.
static bool grow(tenon_planner *w, tenon_sizing *s) {
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

static tenon_status need(tenon_planner *w, tenon_sizing *s, uint32_t symbol,
                         int depth) {
  const tenon_symbols *all = &s->m->symbols;
  if (s->number_of[symbol]) return TENON_OK;
  if (depth > 256)
    return tenon_fail(w->report, TENON_UNSUPPORTED, "plan-open-size", NULL,
                      "sizes that data decide bound each other more than 256 "
                      "deep");
  tenon_arena_mark mark = tenon_arena_save(w->arena);
  bool *is_needed = tenon_arena_array(w->arena, bool, symbol + 1u);
  if (!is_needed) return tenon_fail_memory(w->report, "planning");
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
    if (most) status = need(w, s, most, depth + 1);
    if (status == TENON_OK && !s->number_of[i]) status = add_number(w, s, i);
  }
  tenon_arena_restore(w->arena, mark);
  return status;
}

tenon_status tenon_plan_dim(tenon_planner *w, tenon_sizing *s, tenon_dim d,
                            tenon_dim *out) {
  *out = d;
  if (d.symbol == 0) return TENON_OK;
  if (!grow(w, s)) return tenon_fail_memory(w->report, "planning");
  TENON_TRY(need(w, s, d.symbol, 0));
  out->symbol = s->number_of[d.symbol];
  return TENON_OK;
}
