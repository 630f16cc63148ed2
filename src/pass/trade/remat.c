// How: a search on copies of the function. What lives across the step at which
// most bytes live, and is made by something cheap, is made again behind that
// step instead, with as much of what leads to it as is cheap too; the planner
// says whether that is smaller. The best is taken, then the next peak is looked
// at.
#include <inttypes.h>

#include "ir/build.h"
#include "ir/edit.h"
#include "pass/trade/rows.h"
#include "pass/trade/trade.h"

#define ROUNDS_MOST 16  // nodes made again
#define DEPTH_MOST 4    // of them in a row
#define EFFORT 1000000

// Node `node`, and up to `depth` in front of it, once more before `before`;
// counted from 0, the number of nodes is the end.
typedef struct again {
  uint32_t node, before, depth;
} again;

typedef struct chosen {
  again again;
  uint64_t elements;  // computed once more
  tenon_measure measure;
} chosen;

typedef struct searcher {
  tenon_module *m;
  const tenon_choice *choice;
  int64_t effort;
  tenon_arena arena;
  tenon_graph *graph;  // a copy, to be changed
  tenon_measure now;
  chosen best;
  bool is_found;
} searcher;

static tenon_status remat_no_memory(const searcher *s) {
  return tenon_fail_memory(&s->m->report, "computing again");
}

static bool is_cheap(const tenon_node *n) {
  if (!n->op || !n->op->desc || !tenon_op_is_pure(n->op) || n->n_out != 1 ||
      n->n_regions || n->n_decided || n->is_functional)
    return false;
  for (uint32_t i = 0; i < n->n_in; ++i)
    if (n->in[i].value && !tenon_type_is_static(&n->in[i].value->type))
      return false;
  return tenon_type_is_static(&n->out[0]->type) &&
         (n->op->desc->view || tenon_rows_is_cheap(n));
}

// --- once more --------------------------------------------------------------

static bool remat_is_late(void *self, const tenon_use *use) {
  const tenon_node *before = (const tenon_node *)self;
  return use->node == before || !tenon_node_precedes(use->node, before);
}

static bool is_read_late(const tenon_value *v, tenon_node *before) {
  for (const tenon_use *u = v->uses; u; u = u->next)
    if (remat_is_late(before, u)) return true;
  return false;
}

static tenon_node *make_again(searcher *s, const tenon_node *n,
                              tenon_node *before, uint32_t depth,
                              uint64_t *elements) {
  tenon_graph *g = before->graph;
  uint64_t count = 0;
  tenon_value **in =
      tenon_arena_array(&s->m->arena, tenon_value *, n->n_in + 1u);
  if (!in) return NULL;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    tenon_value *v = in[i] = n->in[i].value;
    if (depth <= 1 || !v || v->kind != TENON_VALUE_RESULT ||
        v->node->graph != g || !is_cheap(v->node) || is_read_late(v, before))
      continue;
    tenon_node *k = make_again(s, v->node, before, depth - 1, elements);
    if (!k) return NULL;
    in[i] = k->out[0];
  }
  if (!n->op->desc->view && tenon_type_count(&n->out[0]->type, &count))
    *elements += count;
  const tenon_type *type = &n->out[0]->type;
  tenon_node_spec spec = tenon_spec_like(n, in);
  spec.types = &type;
  spec.names = &n->out[0]->name;
  return tenon_build_node(g, before, &spec);
}

static tenon_status remat_apply(searcher *s, tenon_graph *g, const again *a,
                                uint64_t *elements) {
  uint32_t n = 0;
  tenon_node **nodes = tenon_trade_nodes(&s->arena, g, &n);
  if (!nodes) return remat_no_memory(s);
  tenon_node *before = a->before < n ? nodes[a->before] : g->end;
  tenon_value *old = nodes[a->node]->out[0];
  *elements = 0;
  tenon_node *fresh = make_again(s, nodes[a->node], before, a->depth, elements);
  if (!fresh) return remat_no_memory(s);
  tenon_value_replace_if(old, fresh->out[0], remat_is_late, before);
  return TENON_OK;
}

// --- the search -------------------------------------------------------------

static bool remat_is_better(const searcher *s, const chosen *a) {
  const tenon_measure *x = &a->measure;
  const tenon_measure *y = s->is_found ? &s->best.measure : &s->now;
  if (x->arena != y->arena) return x->arena < y->arena;
  if (x->bound != y->bound) return x->bound < y->bound;
  return s->is_found && a->elements < s->best.elements;
}

static tenon_status try_again(searcher *s, const again *a) {
  chosen c = {.again = *a};
  tenon_arena_mark mark = tenon_arena_save(&s->arena);
  const tenon_numbering numbers = tenon_module_numbering(s->graph->module);
  tenon_graph *copy = tenon_graph_copy(s->graph);
  if (!copy) return remat_no_memory(s);
  tenon_status status = remat_apply(s, copy, a, &c.elements);
  if (status == TENON_OK)
    status =
        tenon_plan_measure(copy, s->choice, NULL, NULL, true, 0, &c.measure);
  for (const tenon_node *n = copy->first; n; n = n->next)
    --s->effort;
  if (status == TENON_OK && remat_is_better(s, &c)) {
    s->best = c;
    s->is_found = true;
  }
  tenon_graph_drop(copy);
  tenon_module_renumber(s->graph->module, numbers);
  tenon_arena_restore(&s->arena, mark);
  return status;
}

// Where a value is read first behind the peak; false: nowhere, or not by nodes
// of the function itself.
static bool find_reader(tenon_node *const *nodes, uint32_t n, uint32_t peak,
                        const tenon_value *v, uint32_t *reader) {
  const tenon_graph *g = nodes[0]->graph;
  for (const tenon_use *u = v->uses; u; u = u->next)
    if (u->node->graph != g) return false;
  for (uint32_t k = peak + 1; k <= n; ++k)
    for (const tenon_use *u = v->uses; u; u = u->next)
      if (u->node == (k < n ? nodes[k] : g->end)) {
        *reader = k;
        return true;
      }
  return false;
}

static tenon_status search_round(searcher *s) {
  uint32_t n = 0, peak = 0;
  again a = {0, 0, 0};
  s->is_found = false;
  tenon_node **nodes = tenon_trade_nodes(&s->arena, s->graph, &n);
  if (!nodes) return remat_no_memory(s);
  while (peak < n && nodes[peak] != s->now.peak)
    ++peak;
  for (uint32_t i = 0; peak < n && i < peak; ++i) {
    a.node = i;
    if (!is_cheap(nodes[i]) ||
        !find_reader(nodes, n, peak, nodes[i]->out[0], &a.before))
      continue;
    for (a.depth = 1; a.depth <= DEPTH_MOST && s->effort > 0; ++a.depth)
      TENON_TRY(try_again(s, &a));
  }
  return TENON_OK;
}

// --- the whole --------------------------------------------------------------

// The peak as a node of the function, not of the copy that was measured.
static tenon_status remat_measure(searcher *s) {
  const tenon_numbering numbers = tenon_module_numbering(s->graph->module);
  tenon_graph *copy = tenon_graph_copy(s->graph);
  if (!copy) return remat_no_memory(s);
  tenon_status status =
      tenon_plan_measure(copy, s->choice, NULL, NULL, false, 0, &s->now);
  const tenon_node *n = s->graph->first;
  for (const tenon_node *k = copy->first; k && n && k != s->now.peak;
       k = k->next)
    n = n->next;
  s->now.peak = n;
  tenon_graph_drop(copy);
  tenon_module_renumber(s->graph->module, numbers);
  return status;
}

static tenon_status remat_tell(searcher *s, const tenon_graph *g,
                               const again *a, const chosen *c,
                               uint64_t before) {
  uint32_t n = 0;
  tenon_percent less;
  tenon_node **nodes = tenon_trade_nodes(&s->arena, g, &n);
  if (!nodes) return remat_no_memory(s);
  const tenon_place *p = tenon_node_place(nodes[a->node]);
  return tenon_trade_remark(
      s->m,
      "again      %s %s, %u in a row at most: arena %" PRIu64 " -> %" PRIu64
      " bytes (%s), %" PRIu64 " elements more",
      nodes[a->node]->op->name, p->where ? p->where : "", a->depth, before,
      c->measure.arena, tenon_trade_percent(before, c->measure.arena, &less),
      c->elements);
}

static tenon_status remat_search(searcher *s, tenon_graph *g) {
  chosen list[ROUNDS_MOST];
  uint64_t before[ROUNDS_MOST], elements = 0;
  int n = 0, worth = 0;
  s->graph = tenon_graph_copy(g);
  if (!s->graph) return remat_no_memory(s);
  tenon_status status = remat_measure(s);
  for (s->is_found = true;
       status == TENON_OK && s->is_found && n < ROUNDS_MOST;) {
    before[n] = s->now.arena;
    status = search_round(s);
    if (status != TENON_OK || !s->is_found) break;
    list[n] = s->best;
    status = remat_apply(s, s->graph, &list[n].again, &elements);
    if (status == TENON_OK) status = remat_measure(s);
    // What did not help on its own, nor what came behind it, is not taken.
    if (list[n].measure.arena < before[n]) worth = n + 1;
    ++n;
  }
  for (int i = 0; status == TENON_OK && i < worth; ++i) {
    status = remat_tell(s, g, &list[i].again, &list[i], before[i]);
    if (status == TENON_OK)
      status = remat_apply(s, g, &list[i].again, &elements);
  }
  tenon_graph_drop(s->graph);
  return status;
}

tenon_status tenon_pass_remat(tenon_module *m, const tenon_pass_run *run) {
  searcher s = {.m = m, .choice = run->choice};
  TENON_TRY(tenon_trade_number(m, "remat", run, "effort", EFFORT, &s.effort));
  tenon_arena_init(&s.arena, m->cx->allocator);
  tenon_status status = TENON_OK;
  for (size_t i = 0; status == TENON_OK && i < m->entries.count; ++i)
    if (m->entries.data[i].graph->first)
      status = remat_search(&s, m->entries.data[i].graph);
  tenon_arena_deinit(&s.arena);
  return status;
}
