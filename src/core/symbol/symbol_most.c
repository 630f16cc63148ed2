// core/symbol/symbol_most.c - what bounds a size where something in it is not
// known.
//
// A hidden leaf is replaced by the size that it never exceeds, as long as what
// is around it grows with it; elsewhere the range of the expression answers.
#include "core/symbol/symbol_sum.h"

#define MOST_DEPTH 64  // of bounds within bounds

typedef struct asked {
  tenon_symbols *s;
  tenon_hidden_fn *is_hidden;
  const void *self;
} asked;

static bool has_hidden(const asked *q, tenon_dim d) {
  const tenon_symbol *e = tenon_symbols_look(q->s, d.symbol);
  if (!e) return false;
  if (e->op == 0) return q->is_hidden(q->self, d.symbol);
  return has_hidden(q, e->a) || has_hidden(q, e->b);
}

static tenon_dim by_range(const asked *q, tenon_dim d) {
  const tenon_symbol *e = tenon_symbols_look(q->s, d.symbol);
  bool is_bound = e->kind == 0 && e->max != INT64_MAX;
  return is_bound ? tenon_dim_fixed(e->max) : TENON_DIM_NONE;
}

static bool is_at_least(const asked *q, tenon_dim d, int64_t least) {
  const tenon_symbol *e = tenon_symbols_look(q->s, d.symbol);
  return (e ? e->min : d.value) >= least;
}

static bool grows_with(const asked *q, const tenon_symbol *e) {
  switch (e->op) {
    case TENON_DIM_ADD:
    case TENON_DIM_MIN:
    case TENON_DIM_MAX:
      return true;
    case TENON_DIM_MUL:
      return is_at_least(q, e->a, 0) && is_at_least(q, e->b, 0);
    case TENON_DIM_DIV:
      return tenon_dim_is_fixed(e->b) && e->b.value > 0;
    default:
      return false;
  }
}

static tenon_dim most_of(const asked *q, tenon_dim d, int depth) {
  if (!has_hidden(q, d)) return d;
  if (depth == MOST_DEPTH) return TENON_DIM_NONE;
  const tenon_symbol e = q->s->data[d.symbol];  // the table may move
  tenon_dim range = by_range(q, d), most = TENON_DIM_NONE;
  if (e.op == 0) {
    bool is_said = e.most.symbol != 0 || e.most.value > 0;
    if (is_said) most = most_of(q, e.most, depth + 1);
  } else if (grows_with(q, &e)) {
    tenon_dim a = most_of(q, e.a, depth + 1), b = most_of(q, e.b, depth + 1);
    if (!tenon_dim_is_none(a) && !tenon_dim_is_none(b))
      most = tenon_symbols_apply(q->s, (tenon_dim_op)e.op, a, b);
  }
  if (tenon_dim_is_none(most) || tenon_dim_is_none(range))
    return tenon_dim_is_none(most) ? range : most;
  return tenon_symbols_apply(q->s, TENON_DIM_MIN, most, range);
}

tenon_dim tenon_symbols_most(tenon_symbols *s, tenon_dim d,
                             tenon_hidden_fn *is_hidden, const void *self) {
  asked q = {s, is_hidden, self};
  return most_of(&q, d, 0);
}
