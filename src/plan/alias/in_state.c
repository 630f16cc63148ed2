// How: from each write of a state back to what it read, along operands that
// kernels may write over. All of the way is taken or nothing. Whatever else
// lies in the state's memory has been read before the first node writes, or is
// made behind the write.
#include "plan/alias/in_state.h"

#include <string.h>

#include "ir/written.h"
#include "plan/alias/wanted.h"
#include "plan/plan.h"

enum { MOST_STEPS = 16 };

typedef struct step {
  tenon_node *node;
  uint8_t in, out;
} step;

typedef struct way {
  const tenon_copying *w;
  const tenon_choice *choice;
  const char *state;
  const tenon_node *read, *write;
  step steps[MOST_STEPS];  // the last node first
  int n;
  uint32_t first;  // when the first node writes
  bool is_disturbed;
} way;

static uint32_t in_state_count_of(const tenon_node *n, const tenon_value *v) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < n->n_in; ++i)
    count += n->in[i].value == v;
  return count;
}

// The operand over which the kernel may write this result; -1: none.
static int operand_for(const way *a, const tenon_node *n, uint32_t out) {
  if (n->n_regions > 0 || out >= 4 || !n->op ||
      (n->op->desc && n->op->desc->view))
    return -1;
  const tenon_kernel *k = tenon_choose(a->choice, n, a->w->arena, NULL);
  for (uint32_t in = 0; k && in < n->n_in && in < 8; ++in) {
    const tenon_value *x = n->in[in].value;
    if ((k->desc->in_place & TENON_IN_PLACE(out, in)) && x &&
        x->kind == TENON_VALUE_RESULT && x->node->graph == n->graph &&
        tenon_type_equals(&x->type, &n->out[out]->type) &&
        in_state_count_of(n, x) == 1 && !tenon_wanted_after(a->w, x, n, in))
      return (int)in;
  }
  return -1;
}

// Operators that say what they write have pairs of their own.
static bool pair_for(const tenon_node *n, uint32_t out, uint32_t *in) {
  uint32_t result = 0;
  for (uint32_t k = 0; tenon_written_pair(n, k, in, &result); ++k)
    if (result == out) return true;
  return false;
}

static bool is_returned(const tenon_value *v) {
  for (const tenon_use *u = v->uses; u; u = u->next)
    if (u->node == u->node->graph->end) return true;
  return false;
}

static bool find_way(way *a) {
  const tenon_value *v = a->write->in[0].value;
  while (v->kind == TENON_VALUE_RESULT && v->node->graph == a->write->graph) {
    tenon_node *n = v->node;
    uint32_t in = 0;
    if (tenon_op_is(n->op, "core::state_read")) {
      a->read = n;
      return a->n > 0 && strcmp(tenon_state_name(n), a->state) == 0;
    }
    if (is_returned(v) || a->n == MOST_STEPS) return false;
    a->first = a->w->live.begin[n->id];
    if (!pair_for(n, v->index, &in)) {
      int found = n->is_functional ? -1 : operand_for(a, n, v->index);
      if (found < 0) return false;
      in = (uint32_t)found;
      a->steps[a->n++] = (step){n, (uint8_t)in, (uint8_t)v->index};
    }
    v = n->in[in].value;
  }
  return false;
}

static bool is_of_way(const way *a, const tenon_value *v) {
  if (v->node == a->read) return true;
  for (int i = 0; i < a->n; ++i)
    if (v == a->steps[i].node->out[a->steps[i].out]) return true;
  return false;
}

// What else lies in the state, or writes it.
static tenon_status visit_others(void *self, tenon_node *n) {
  way *a = (way *)self;
  const uint32_t time = a->w->live.begin[n->id];
  const uint32_t end = a->w->live.begin[a->write->id];
  if (n != a->write && tenon_op_is(n->op, "core::state_write") &&
      strcmp(tenon_state_name(n), a->state) == 0) {
    // It, and what makes its value in the state, writes at no time before this.
    const tenon_node *read = tenon_written_state(n->in[0].value);
    const uint32_t from = read ? a->w->live.begin[read->id] : time;
    a->is_disturbed |= time > a->w->live.begin[a->read->id] && time < end;
    for (int i = 0; time > end && i < a->n; ++i)
      a->is_disturbed |= tenon_wanted_at(
          a->w, a->steps[i].node->out[a->steps[i].out], NULL, from);
    return TENON_OK;
  }
  for (uint32_t i = 0; i < n->n_out && !a->is_disturbed; ++i) {
    const tenon_value *v = n->out[i];
    const tenon_node *read = tenon_written_state(v);
    if (!read || is_of_way(a, v) || time > end ||
        strcmp(tenon_state_name(read), a->state) != 0)
      continue;
    a->is_disturbed |=
        time >= a->first || tenon_wanted_at(a->w, v, NULL, a->first);
  }
  return TENON_OK;
}

typedef struct walk {
  const tenon_copying *w;
  const tenon_choice *choice;
} walk;

static tenon_status visit_write(void *self, tenon_node *n) {
  const walk *w = (const walk *)self;
  if (!tenon_op_is(n->op, "core::state_write")) return TENON_OK;
  way a = {.w = w->w, .choice = w->choice, .write = n};
  a.state = tenon_state_name(n);
  if (!find_way(&a)) return TENON_OK;
  TENON_TRY(
      tenon_graph_visit(tenon_graph_function(n->graph), visit_others, &a));
  for (int i = 0; i < a.n && !a.is_disturbed; ++i) {
    a.steps[i].node->is_in_state = true;
    a.steps[i].node->state_in = a.steps[i].in;
    a.steps[i].node->state_out = a.steps[i].out;
  }
  return TENON_OK;
}

// A module may be planned again.
static tenon_status in_state_forget(void *self, tenon_node *n) {
  (void)self;
  n->is_in_state = n->is_state_view = false;
  return TENON_OK;
}

static tenon_status in_state_apply(tenon_graph *function,
                                   const tenon_choice *choice,
                                   tenon_visit_fn *visit) {
  tenon_arena arena;
  tenon_arena_init(&arena, function->module->cx->allocator);
  tenon_copying w = {{0}, &arena, function->module->n_nodes};
  walk self = {&w, choice};
  tenon_status status = tenon_live_compute(&arena, function, 0, &w.live)
                            ? tenon_graph_visit(function, visit, &self)
                            : tenon_plan_no_memory(&function->module->report);
  tenon_arena_deinit(&arena);
  return status;
}

tenon_status tenon_plan_in_state(tenon_graph *function,
                                 const tenon_choice *choice) {
  TENON_TRY(tenon_graph_visit(function, in_state_forget, NULL));
  return in_state_apply(function, choice, visit_write);
}

// --- views ------------------------------------------------------------------

// The read of the state in whose memory the value lies; null: in none.
static const tenon_node *state_around(const tenon_value *v) {
  while (v && v->kind == TENON_VALUE_RESULT && v->node->is_state_view)
    v = v->node->in[0].value;
  return v ? tenon_written_state(v) : NULL;
}

typedef struct viewing {
  const tenon_copying *w;
  const tenon_node *view;
  const char *state;
  bool is_overwritten;
} viewing;

// A write of the state while the view is still read. What is not made in the
// state is copied there by the node before core::state_write.
static tenon_status visit_overwriting(void *self, tenon_node *n) {
  viewing *a = (viewing *)self;
  uint32_t in = 0, out = 0;
  bool writes = false;
  for (uint32_t k = 0; tenon_written_pair(n, k, &in, &out); ++k) {
    const tenon_node *read = tenon_written_state(n->in[in].value);
    writes |= read && strcmp(tenon_state_name(read), a->state) == 0;
  }
  for (uint32_t i = 0; i < n->n_out && !writes; ++i)
    for (const tenon_use *u = n->out[i]->uses; u; u = u->next)
      writes |= tenon_op_is(u->node->op, "core::state_write") &&
                strcmp(tenon_state_name(u->node), a->state) == 0;
  const uint32_t time = a->w->live.begin[n->id];
  if (writes && time >= a->w->live.begin[a->view->id])
    a->is_overwritten |= tenon_wanted_at(a->w, a->view->out[0], NULL, time);
  return TENON_OK;
}

static tenon_status visit_view(void *self, tenon_node *n) {
  const walk *w = (const walk *)self;
  if (!n->op || !n->op->desc || !n->op->desc->view || n->n_out != 1 ||
      n->n_in == 0 || is_returned(n->out[0]))
    return TENON_OK;
  const tenon_node *read = state_around(n->in[0].value);
  if (!read || read->graph != n->graph) return TENON_OK;
  viewing a = {w->w, n, tenon_state_name(read), false};
  TENON_TRY(
      tenon_graph_visit(tenon_graph_function(n->graph), visit_overwriting, &a));
  n->is_state_view = !a.is_overwritten;
  return TENON_OK;
}

tenon_status tenon_plan_state_views(tenon_graph *function) {
  return in_state_apply(function, NULL, visit_view);
}
