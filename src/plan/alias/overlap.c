// How: a kernel that reads an operand from front to back may write its result
// over what it has read (tenon_kernel_desc.overlap). Both are put into one
// class, the operand so far behind the result as the kernel says; the packer
// sees a buffer whose parts live at different times. Since places in a class
// are fixed to each other, not every step gains: steps are tried one after the
// other, the largest first, each is measured, and what is not needed in the end
// is dropped; the same from all of them. A step at which no more is alive than
// where nothing can be done gains nothing, and is not tried. Where all that is
// not enough, large results that could be made in place are kept apart, one
// after the other: what is in place has no place of its own in a class.
#include "plan/alias/overlap.h"

#include <string.h>

#include "plan/alias/aliasing.h"

// --- places -----------------------------------------------------------------

// --- which ------------------------------------------------------------------

// Each is packed by heuristics, a tenth of a second where these miss the bound.
enum { MOST_TRIED = 64, MOST_APART = 8 };

typedef struct over_step {
  const tenon_node *node;
  uint64_t alive;  // at its time, with all of operand and result
} over_step;

typedef struct over_search {
  tenon_planner *w;
  tenon_planned *e;
  tenon_live live;
  uint64_t *alive;  // bytes, per time
  over_step *steps;
  size_t n, n_nodes;
  bool *spare, *trial;  // as e->over
  uint64_t floor, best;
  bool has_joins;  // what lies where in them is decided with the overlaps
} over_search;

static uint64_t overlap_bytes_of(const tenon_value *v) {
  const tenon_graph *g =
      v->kind == TENON_VALUE_RESULT ? v->node->graph : v->graph;
  return (uint64_t)tenon_type_bytes(g->module, &v->type).value;
}

// Bytes that result and operand may have in common; 0: none.
static uint64_t most_saved(over_search *s, const tenon_node *n) {
  uint64_t distance = 0;
  if (!tenon_alias_distance(s->w->arena, s->e->kernels[n->id], n, &distance))
    return 0;
  const tenon_value *x = n->in[0].value, *y = n->out[0];
  if (!x || x->kind == TENON_VALUE_CONSTANT) return 0;
  // Whoever reads it later, other than through a view, keeps it.
  if (s->live.last[x->id] > s->live.begin[n->id]) return 0;
  uint64_t shared = overlap_bytes_of(y) - distance, all = overlap_bytes_of(x);
  return shared < all ? shared : all;
}

// The floor: what is alive where nothing can be done, and elsewhere with all
// that can be.
static void find_floor(over_search *s) {
  const tenon_graph *g = s->e->entry->point->graph;
  for (const tenon_node *n = g->first; n; n = n->next) {
    uint64_t *alive = &s->alive[s->live.begin[n->id]];
    uint64_t saved = most_saved(s, n);
    s->has_joins |= tenon_op_is(n->op, "core::concat");
    if (saved > 0) s->steps[s->n++] = (over_step){n, *alive};
    *alive -= saved < *alive ? saved : *alive;
  }
  for (uint32_t t = 0; t <= s->live.last_time; ++t)
    if (s->alive[t] > s->floor) s->floor = s->alive[t];
}

static uint64_t overlap_both(const tenon_node *n) {
  return overlap_bytes_of(n->in[0].value) + overlap_bytes_of(n->out[0]);
}

// Of the steps those that may gain, the largest first.
static void sort_steps(over_search *s) {
  size_t n = 0;
  for (size_t i = 0; i < s->n; ++i) {
    over_step one = s->steps[i];
    if (one.alive <= s->floor) continue;
    size_t at = n++;
    for (;
         at > 0 && overlap_both(s->steps[at - 1].node) < overlap_both(one.node);
         --at)
      s->steps[at] = s->steps[at - 1];
    s->steps[at] = one;
  }
  s->n = n < MOST_TRIED ? n : MOST_TRIED;
}

// What the arena needs if a step is turned; turned back where that is worse.
static tenon_status overlap_turn(over_search *s, const tenon_node *node) {
  uint64_t peak = 0, packed = 0;
  bool *over = &s->e->over[node->id];
  *over = !*over;
  TENON_TRY(tenon_plan_peak(s->w, s->e, NULL, &peak, NULL));
  if (peak <= s->best)
    TENON_TRY(tenon_plan_peak(s->w, s->e, NULL, &peak, &packed));
  if (peak > s->best || packed > s->best)
    *over = !*over;
  else
    s->best = packed;
  return TENON_OK;
}

// What is not needed goes, the last first.
static tenon_status overlap_drop(over_search *s) {
  for (size_t i = s->n; i-- > 0;)
    if (s->e->over[s->steps[i].node->id])
      TENON_TRY(overlap_turn(s, s->steps[i].node));
  return TENON_OK;
}

static tenon_status choose_one_by_one(over_search *s) {
  for (size_t i = 0; i < s->n && s->best > s->floor; ++i)
    TENON_TRY(overlap_turn(s, s->steps[i].node));
  return overlap_drop(s);
}

// In a row of steps of one size, what one leaves is room for the next only if
// that one takes it.
static tenon_status overlap_take_all(over_search *s) {
  uint64_t peak = 0;
  for (size_t i = 0; i < s->n; ++i)
    s->e->over[s->steps[i].node->id] = true;
  TENON_TRY(tenon_plan_peak(s->w, s->e, NULL, &peak,
                            s->w->is_one_of_many ? NULL : &s->best));
  // Packed by whoever measures.
  if (s->w->is_one_of_many) s->best = peak;
  return TENON_OK;
}

static tenon_status overlap_choose(over_search *s) {
  uint64_t plain = s->best;
  bool *all = s->e->over;
  TENON_TRY(overlap_take_all(s));
  if (s->w->is_one_of_many) return TENON_OK;
  TENON_TRY(overlap_drop(s));
  uint64_t best = s->best;
  if (best <= s->floor) return TENON_OK;
  s->best = plain;
  s->e->over = s->spare;
  TENON_TRY(choose_one_by_one(s));
  if (s->best < best) return TENON_OK;
  s->best = best;
  s->e->over = all;
  return TENON_OK;
}

// Could be made in place, and is large enough to matter.
static bool may_part(const over_search *s, const tenon_node *n) {
  const tenon_kernel *kernel = s->e->kernels[n->id];
  if (!kernel || !kernel->desc->in_place || kernel->desc->overlap ||
      n->n_in == 0 || n->n_out != 1 || tenon_node_is_open(n))
    return false;
  const tenon_value *x = n->in[0].value;
  return x && x->kind != TENON_VALUE_CONSTANT &&
         overlap_bytes_of(n->out[0]) >= s->best / 4;
}

static tenon_status choose_apart(over_search *s) {
  const tenon_graph *g = s->e->entry->point->graph;
  int tried = 0;
  for (const tenon_node *n = g->first; n; n = n->next) {
    if (s->best <= s->floor || tried == MOST_APART) break;
    if (!may_part(s, n)) continue;
    ++tried;
    const uint64_t best = s->best;
    bool *kept = s->e->over;
    memcpy(s->trial, kept, s->n_nodes * sizeof *kept);
    s->trial[n->id] = true;
    s->e->over = s->trial;
    TENON_TRY(overlap_take_all(s));
    TENON_TRY(overlap_drop(s));
    if (s->best < best) {
      s->trial = kept;
    } else {
      s->best = best;
      s->e->over = kept;
    }
  }
  return TENON_OK;
}

static bool overlap_open_search(over_search *s) {
  tenon_arena *arena = s->w->arena;
  const tenon_module *m = s->e->entry->module;
  if (!tenon_live_compute(arena, s->e->entry->point->graph, 1, &s->live))
    return false;
  s->steps = tenon_arena_array(arena, over_step, m->n_nodes);
  s->alive = tenon_arena_array(arena, uint64_t, (size_t)s->live.last_time + 2);
  s->e->over = tenon_arena_array(arena, bool, m->n_nodes);
  s->spare = tenon_arena_array(arena, bool, m->n_nodes);
  s->trial = tenon_arena_array(arena, bool, m->n_nodes);
  s->n_nodes = m->n_nodes;
  return !arena->failed;
}

bool tenon_plan_may_overlap(const tenon_planner *w, const tenon_planned *e) {
  if (e->entry->module->keeps_apart || w->is_open) return false;
  for (const tenon_node *n = e->entry->point->graph->first; n; n = n->next)
    if (e->kernels[n->id] && e->kernels[n->id]->desc->overlap) return true;
  return false;
}

tenon_status tenon_plan_overlap(tenon_planner *w, tenon_planned *e,
                                tenon_overlapping *out) {
  over_search s = {.w = w, .e = e};
  uint64_t peak = 0;
  *out = (tenon_overlapping){0};
  if (!tenon_plan_may_overlap(w, e)) return TENON_OK;
  if (!overlap_open_search(&s)) return tenon_plan_no_memory(w->report);
  bool *over = e->over;
  TENON_TRY(tenon_plan_peak(w, e, s.alive, &peak, NULL));
  find_floor(&s);
  sort_steps(&s);
  e->over = NULL;
  if (s.n == 0) return TENON_OK;
  TENON_TRY(tenon_plan_peak(w, e, NULL, &peak,
                            w->is_one_of_many ? NULL : &out->plain));
  out->arena = s.best = out->plain;
  out->floor = s.has_joins ? 0 : s.floor;
  e->over = over;
  TENON_TRY(overlap_choose(&s));
  if (!w->is_one_of_many) TENON_TRY(choose_apart(&s));
  // Else a search might find less without; in place is then as without, too.
  if (s.best < peak)
    out->arena = s.best;
  else
    e->over = NULL;
  return TENON_OK;
}
