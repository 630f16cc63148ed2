// How: rounds over all operators, until none passes a size that is new. As in
// LiteRT the functions of IF and WHILE get the sizes of what is passed, and the
// operator those of what they give. A function has one type here: where several
// operators pass it different sizes, it is refused.
#include "read/tflite/tflite_spread.h"

#include "core/attr.h"
#include "ir/infer/infer.h"
#include "read/read.h"
#include "read/tflite/tflite_import.h"

bool tenon_tflite_is_flow(const tenon_node *n) {
  return n->op->desc && (tenon_op_is(n->op, TENON_TFLITE_SET "::IF") ||
                         tenon_op_is(n->op, TENON_TFLITE_SET "::WHILE"));
}

const tenon_graph *tenon_tflite_function(const tenon_module *m,
                                         const tenon_node *n,
                                         const char *name) {
  tenon_dim f = tenon_node_arg(n, name) ? tenon_node_size(n, name, 0)
                                        : tenon_dim_fixed(0);
  bool is_one =
      f.symbol == 0 && f.value >= 0 && (uint64_t)f.value < m->functions.count;
  return is_one ? m->functions.data[f.value] : NULL;
}

// Calls within calls, through which sizes go.
#define MAX_ROUNDS 16

typedef struct spread {
  tenon_module *m;
  const tenon_node **from;  // per function who has said its sizes; or null
  uint8_t **opened;  // per function and parameter: bits of dimensions that the
                     // file leaves open
  bool is_changed;
  bool is_grown;  // sizes that the file says are those of a first round
} spread;

// Dimensions of `to` that are open become those of `from`; whether any did.
static bool take_dims(spread *s, tenon_type *to, const tenon_type *from) {
  bool is_more = false;
  if (to->dtype != from->dtype || !tenon_type_may_equal(to, from)) return false;
  for (int k = 0; k < to->rank; ++k)
    is_more |= to->dims[k].symbol != 0 &&
               !tenon_dim_equals(to->dims[k], from->dims[k]);
  if (!is_more) return false;
  tenon_dim *dims = tenon_arena_copy(
      &s->m->arena, from->dims, from->rank * sizeof *dims, _Alignof(tenon_dim));
  for (int k = 0; dims && k < to->rank; ++k)
    if (!to->dims[k].symbol) dims[k] = to->dims[k];
  if (dims) to->dims = dims;
  s->is_changed |= dims != NULL;
  return true;
}

// What a loop finds out anew in each round is its result's.
static const tenon_value *passed_value(const tenon_node *n, uint32_t i,
                                       uint32_t first) {
  const tenon_arg *a = first == 0 ? tenon_node_arg(n, "grows") : NULL;
  for (size_t k = 0; a && k < a->as.ints.count; ++k)
    if (a->as.ints.data[k] / TENON_MAX_RANK == i) return n->out[i];
  return tenon_node_in(n, i + first);
}

static tenon_status pass_in(spread *s, const tenon_node *n,
                            const tenon_graph *f, uint32_t first) {
  const tenon_node **from = &s->from[f->index];
  for (uint32_t i = 0; i < f->n_params && i + first < n->n_in; ++i) {
    const tenon_value *v = passed_value(n, i, first);
    tenon_type *t = &f->params[i]->type;
    if (*from && *from != n && v && !tenon_type_same_shape(t, &v->type))
      return tenon_fail(&s->m->report, TENON_UNSUPPORTED, "tflite-call",
                        tenon_node_place(n),
                        "passes parameter %u of function %u other sizes than "
                        "another operator does, which is not supported",
                        (unsigned)i, (unsigned)f->index);
  }
  for (uint32_t i = 0; i < f->n_params && i + first < n->n_in; ++i) {
    const tenon_value *v = passed_value(n, i, first);
    if (v && take_dims(s, &f->params[i]->type, &v->type)) *from = n;
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Loops that change sizes
// ---------------------------------------------------------------------------

// Whether two sizes are different ones, whatever the open ones are.
static bool dims_differ(tenon_module *m, tenon_dim a, tenon_dim b) {
  const tenon_dim diff = tenon_symbols_apply(&m->symbols, TENON_DIM_SUB, a, b);
  const tenon_symbol *s = tenon_symbols_look(&m->symbols, diff.symbol);
  if (tenon_dim_is_none(diff)) return false;
  return s ? s->min > 0 || s->max < 0 : diff.value != 0;
}

// Whether a loop is to find the size out. What a file writes as a number stays
// one unless that cannot be: then a run requires what nothing shows.
static bool dim_grows(const spread *s, const tenon_graph *body, uint32_t i,
                      int d) {
  const tenon_dim t = tenon_node_in(body->end, i)->type.dims[d];
  const tenon_dim p = body->params[i]->type.dims[d];
  return s->opened[body->index][i] >> d & 1 ? !tenon_dim_equals(t, p)
                                            : dims_differ(s->m, t, p);
}

// The dimension becomes a number that the loop decides: in its result and in
// the parameters of both functions.
static bool open_dim(tenon_module *m, tenon_type *t, int d, tenon_dim size) {
  tenon_dim *dims = tenon_arena_copy(&m->arena, t->dims, t->rank * sizeof *dims,
                                     _Alignof(tenon_dim));
  if (!dims) return false;
  dims[d] = size;
  t->dims = dims;
  return true;
}

// Puts it where it belongs in the ascending list `grows`, and in that of what
// the node decides.
static bool note_grown(tenon_module *m, tenon_node *n, int64_t at,
                       uint32_t symbol) {
  const tenon_arg *old = tenon_node_arg(n, "grows");
  const size_t count = old->as.ints.count;
  size_t n_args = 0, k = 0;
  while (n->args[n_args].name)
    ++n_args;
  tenon_arg *args = tenon_arena_copy(
      &m->arena, n->args, (n_args + 1) * sizeof *args, _Alignof(tenon_arg));
  int64_t *list = tenon_arena_array(&m->arena, int64_t, count + 1);
  uint32_t *decided = tenon_arena_array(&m->arena, uint32_t, count + 1);
  if (!args || !list || !decided) return false;
  for (; k < count && old->as.ints.data[k] < at; ++k) {
    list[k] = old->as.ints.data[k];
    decided[k] = n->decided[k];
  }
  list[k] = at;
  decided[k] = symbol;
  for (; k < count; ++k) {
    list[k + 1] = old->as.ints.data[k];
    decided[k + 1] = n->decided[k];
  }
  args[old - n->args].as.ints = (tenon_ints){list, count + 1};
  n->args = args;
  n->attrs = tenon_attr_bind(&m->arena, n->op->desc->fields,
                             n->op->desc->attrs_size, args);
  n->decided = decided;
  n->n_decided = (uint32_t)count + 1;
  return n->attrs != NULL;
}

static bool is_grown(const tenon_node *n, int64_t at) {
  const tenon_arg *a = tenon_node_arg(n, "grows");
  for (size_t k = 0; k < a->as.ints.count; ++k)
    if (a->as.ints.data[k] == at) return true;
  return false;
}

// What the body gives in other sizes than it took.
static tenon_status find_grown(spread *s, tenon_node *n,
                               const tenon_graph *body,
                               const tenon_graph *test) {
  tenon_module *m = s->m;
  uint32_t count = n->n_out;
  if (body->n_params < count) count = body->n_params;
  if (body->end->n_in < count) count = body->end->n_in;
  if (test->n_params < count) count = test->n_params;
  for (uint32_t i = 0; i < count; ++i) {
    const tenon_type *t = &tenon_node_in(body->end, i)->type;
    tenon_type *p = &body->params[i]->type, *y = &n->out[i]->type;
    tenon_type *q = &test->params[i]->type;
    if (t->dtype != p->dtype || t->rank != p->rank || y->rank != p->rank ||
        q->rank != p->rank)
      continue;
    for (int d = 0; d < p->rank; ++d) {
      const int64_t at = (int64_t)i * TENON_MAX_RANK + d;
      if (is_grown(n, at) || !dim_grows(s, body, i, d)) continue;
      if (s->from[body->index] && s->from[body->index] != n)
        return tenon_fail(&m->report, TENON_UNSUPPORTED, "tflite-call",
                          tenon_node_place(n),
                          "value %u has other sizes behind function %u than "
                          "before it, and another operator has that function, "
                          "too, which is not supported",
                          (unsigned)i, (unsigned)body->index);
      const tenon_dim size = tenon_symbols_fresh(&m->symbols, 0, INT64_MAX);
      if (m->arena.failed || !open_dim(m, p, d, size) ||
          !open_dim(m, q, d, size) || !open_dim(m, y, d, size) ||
          !note_grown(m, n, at, size.symbol))
        return tenon_fail_memory(&m->report, "reading subgraphs");
      s->from[body->index] = s->from[test->index] = n;
      s->is_changed = s->is_grown = true;
    }
  }
  return TENON_OK;
}

// What both give, if it is the same.
static void pass_out(spread *s, tenon_node *n, const tenon_graph *f,
                     const tenon_graph *other) {
  for (uint32_t i = 0; i < n->n_out; ++i) {
    if (i >= f->end->n_in) return;
    const tenon_type *a = &tenon_node_in(f->end, i)->type, *b = a;
    if (other && i < other->end->n_in) b = &tenon_node_in(other->end, i)->type;
    if (!other && i < f->n_params) b = &f->params[i]->type;
    if (a->rank == b->rank && tenon_type_same_shape(a, b))
      (void)take_dims(s, &n->out[i]->type, a);
  }
}

static tenon_status spread_node(void *self, tenon_node *n) {
  spread *s = (spread *)self;
  if (!tenon_tflite_is_flow(n)) return TENON_OK;
  const bool is_loop = tenon_op_is(n->op, TENON_TFLITE_SET "::WHILE");
  const tenon_graph *a = tenon_tflite_function(
      s->m, n, is_loop ? "body_subgraph_index" : "then_subgraph_index");
  const tenon_graph *b = tenon_tflite_function(
      s->m, n, is_loop ? "cond_subgraph_index" : "else_subgraph_index");
  if (!a || !b) return TENON_OK;  // what the check says
  TENON_TRY(pass_in(s, n, a, !is_loop));
  TENON_TRY(pass_in(s, n, b, !is_loop));
  pass_out(s, n, a, is_loop ? NULL : b);
  return is_loop ? find_grown(s, n, a, b) : TENON_OK;
}

static bool note_opened(spread *s) {
  for (size_t f = 0; f < s->m->functions.count; ++f) {
    const tenon_graph *g = s->m->functions.data[f];
    uint8_t *opened = tenon_arena_array(&s->m->arena, uint8_t, g->n_params);
    for (uint32_t i = 0; opened && i < g->n_params; ++i)
      for (int d = 0; d < g->params[i]->type.rank; ++d)
        if (g->params[i]->type.dims[d].symbol) opened[i] |= (uint8_t)(1u << d);
    s->opened[f] = opened;
  }
  return !s->m->arena.failed;
}

tenon_status tenon_tflite_spread(tenon_module *m, bool is_reshaped) {
  const size_t n = m->functions.count;
  spread s = {.m = m,
              .from = tenon_arena_array(&m->arena, const tenon_node *, n),
              .opened = tenon_arena_array(&m->arena, uint8_t *, n)};
  if (!s.from || !s.opened || !note_opened(&s))
    return tenon_fail_memory(&m->report, "reading subgraphs");
  for (int i = 0; i < MAX_ROUNDS; ++i) {
    s.is_changed = false;
    for (size_t k = 0; k < m->functions.count; ++k)
      TENON_TRY(tenon_graph_visit(m->functions.data[k], spread_node, &s));
    if (!s.is_changed) break;
    TENON_TRY(tenon_infer_module(m, is_reshaped || s.is_grown));
  }
  return m->arena.failed ? tenon_fail_memory(&m->report, "reading subgraphs")
                         : TENON_OK;
}
