// How: a search on copies of the function. Around the step at which most bytes
// live, each region and each height of stripes is tried, and the bytes alive
// are counted, which no packing is below. The few that promise most are packed,
// the best of them is cut into the function itself, and the next peak is looked
// at, until nothing gets smaller or what was asked for is reached.
#include "pass/trade/stripe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ir/edit.h"
#include "pass/rewrites.h"
#include "pass/trade/trade.h"

#define ROUNDS_MOST 16  // regions cut
#define REACH 24        // nodes that a region may have on each side of the peak
#define STRIPES_MOST 64
#define EFFORT 1000000
// Of a round, trials that are kept; at least so many of them are packed, and
// more until the squares of their steps are together so much, as which the time
// of a packing grows.
enum { FEW = 48, FEWEST = 4, WORK_PACKED = 180000 };

typedef struct options {
  int64_t target;   // bytes; 0: as small as possible
  int64_t rows;     // 0: any
  int64_t parts;    // stripes; 0: any
  int64_t percent;  // more multiply-accumulates than this are not taken
  int64_t effort;   // nodes that may be measured
  bool recomputes;
} options;

typedef struct trial {
  tenon_stripe stripe;
  tenon_measure measure;
  bool is_set;
} trial;

// A cut of the copy, to be made in the function too.
typedef struct chosen {
  tenon_stripe stripe;
  uint64_t before, after;  // bytes of the arena
  uint64_t macs_before, macs_after;
  uint32_t steps_before, steps_after;
} chosen;

typedef struct searcher {
  tenon_module *m;
  const tenon_choice *choice;
  options o;
  tenon_arena arena;
  tenon_graph *graph;  // a copy, to be cut
  tenon_measure now;   // of the graph as it is
  uint64_t macs;       // before the first cut
  trial few[FEW];      // best first, by what is alive
  int n_few;
  trial best;
} searcher;

static tenon_status read_options(tenon_module *m, const tenon_pass_run *run,
                                 options *o) {
  char halo[16] = "keep";
  TENON_TRY(tenon_trade_number(m, "stripe", run, "target", 0, &o->target));
  TENON_TRY(tenon_trade_number(m, "stripe", run, "rows", 0, &o->rows));
  TENON_TRY(tenon_trade_number(m, "stripe", run, "parts", 0, &o->parts));
  TENON_TRY(tenon_trade_number(m, "stripe", run, "macs", 25, &o->percent));
  TENON_TRY(tenon_trade_number(m, "stripe", run, "effort", EFFORT, &o->effort));
  (void)tenon_pass_option(run, "halo", halo, sizeof halo);
  o->recomputes = strcmp(halo, "recompute") == 0;
  if (!o->recomputes && strcmp(halo, "keep") != 0)
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "pass-option", NULL,
                      "pass 'stripe': halo=%s; expected 'keep' or 'recompute'",
                      halo);
  if (o->rows && o->parts)
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "pass-option", NULL,
                      "pass 'stripe': rows and parts say the same; give one");
  return TENON_OK;
}

// --- trials -----------------------------------------------------------------

// Smaller first; what reaches the target is small enough. Then less work, then
// fewer steps.
static bool stripe_is_better(const searcher *s, const tenon_measure *a,
                             const tenon_measure *b) {
  uint64_t enough = (uint64_t)s->o.target;
  uint64_t x = a->arena > enough ? a->arena : enough;
  uint64_t y = b->arena > enough ? b->arena : enough;
  if (x != y) return x < y;
  if (x > enough && a->within != b->within) return a->within < b->within;
  if (a->macs != b->macs) return a->macs < b->macs;
  return a->steps < b->steps;
}

static bool is_affordable(const searcher *s, const tenon_measure *a) {
  uint64_t more = a->macs > s->macs ? a->macs - s->macs : 0;
  return (double)more * 100.0 <= (double)s->macs * (double)s->o.percent;
}

// Less is alive than what is packed now needs, or as much only for the sake of
// another step.
static bool is_promising(const searcher *s, const tenon_measure *a) {
  return a->bound < s->now.arena ||
         (a->bound == s->now.arena && a->within < s->now.bound);
}

// What needs more alive is not among the few.
static uint64_t most(const searcher *s) {
  const uint64_t enough = (uint64_t)s->o.target;
  const uint64_t bound =
      s->n_few == FEW ? s->few[FEW - 1].measure.bound : s->now.arena;
  return bound > enough ? bound : enough;
}

// Which to pack first: where less is alive, and of those that do not differ in
// it the higher stripes, which are fewer and packed better.
static bool is_ahead(const searcher *s, const tenon_measure *a,
                     const tenon_measure *b) {
  if (a->bound != b->bound && a->bound > (uint64_t)s->o.target)
    return a->bound < b->bound;
  if (a->bound > (uint64_t)s->o.target && a->within != b->within)
    return a->within > b->within;
  return stripe_is_better(s, a, b);
}

static void stripe_remember(searcher *s, const trial *t) {
  int at = s->n_few < FEW ? s->n_few++ : FEW;
  for (; at > 0 && is_ahead(s, &t->measure, &s->few[at - 1].measure); --at)
    if (at < FEW) s->few[at] = s->few[at - 1];
  if (at < FEW) s->few[at] = *t;
}

// What is alive, or with a limit for what is packed.
static tenon_status measure_trial(searcher *s, trial *t, uint64_t limit,
                                  bool *fits) {
  tenon_node *from = NULL, *to = NULL;
  uint32_t n = 0;
  const tenon_numbering numbers = tenon_module_numbering(s->m);
  tenon_graph *copy = tenon_graph_copy(s->graph);
  if (!copy) return tenon_fail_memory(&s->m->report, "cutting into stripes");
  tenon_arena_mark mark = tenon_arena_save(&s->arena);
  tenon_node **nodes = tenon_trade_nodes(&s->arena, copy, &n);
  tenon_status status =
      nodes ? tenon_stripe_cut(nodes, &t->stripe, fits, &from, &to)
            : tenon_fail_memory(&s->m->report, "cutting into stripes");
  if (status == TENON_OK && *fits)
    status =
        tenon_plan_measure(copy, s->choice, from, to, true, limit, &t->measure);
  for (const tenon_node *k = copy->first; k; k = k->next)
    --s->o.effort;
  tenon_arena_restore(&s->arena, mark);
  tenon_graph_drop(copy);
  tenon_module_renumber(s->m, numbers);
  return status;
}

static tenon_status try_stripe(searcher *s, const tenon_stripe *stripe,
                               uint64_t *within) {
  trial t = {.stripe = *stripe, .is_set = true};
  bool fits = false;
  TENON_TRY(measure_trial(s, &t, 1, &fits));
  if (fits && is_affordable(s, &t.measure) && is_promising(s, &t.measure))
    stripe_remember(s, &t);
  *within = fits ? t.measure.within : UINT64_MAX;
  return TENON_OK;
}

// Packs the few. The best is taken even where now needs less, if less is alive:
// for the sake of what comes behind it.
static tenon_status choose_of_few(searcher *s) {
  s->best.is_set = false;
  int64_t left = WORK_PACKED;
  for (int i = 0; i < s->n_few && (i < FEWEST || left > 0); ++i) {
    trial t = s->few[i];
    uint64_t limit = s->best.is_set ? s->best.measure.arena : UINT64_MAX;
    bool fits = false;
    if (limit < (uint64_t)s->o.target) limit = (uint64_t)s->o.target;
    if (t.measure.bound > limit) continue;
    TENON_TRY(measure_trial(s, &t, limit, &fits));
    left -= (int64_t)t.measure.steps * t.measure.steps;
    if (!s->best.is_set || stripe_is_better(s, &t.measure, &s->best.measure))
      s->best = t;
  }
  const tenon_measure *best = &s->best.measure;
  s->best.is_set &=
      best->arena < s->now.arena || best->bound < s->now.bound ||
      (best->bound == s->now.bound && best->within < s->now.bound);
  return TENON_OK;
}

static uint64_t stripe_bytes_of(const tenon_value *v) {
  size_t size = 0;
  return v->kind != TENON_VALUE_CONSTANT && tenon_type_size(&v->type, &size)
             ? size
             : 0;
}

// What goes into a region is there as a whole, and so is what comes out.
static bool can_pay(const searcher *s, tenon_node *const *nodes, uint32_t first,
                    uint32_t last) {
  uint64_t in = 0;
  for (uint32_t i = 0; i < nodes[first]->n_in; ++i)
    if (nodes[first]->in[i].value)
      in += stripe_bytes_of(nodes[first]->in[i].value);
  uint64_t out = stripe_bytes_of(nodes[last]->out[0]);
  return in <= most(s) && out <= most(s);
}

// Heights from low to high: higher ones need more. Once the stripes alone need
// more than the few best so far, none is left to try.
static tenon_status try_region(searcher *s, tenon_node *const *nodes,
                               uint32_t first, uint32_t last) {
  int64_t height = 0, only = s->o.rows;
  if (!can_pay(s, nodes, first, last) ||
      !tenon_stripe_is_region(nodes, first, last, &height))
    return TENON_OK;
  if (s->o.parts) only = (height + s->o.parts - 1) / s->o.parts;
  int64_t rows = only ? only : 1 + (height - 1) / STRIPES_MOST;
  for (; rows < height && s->o.effort > 0; rows += rows < 4 ? 1 : rows / 2) {
    uint64_t within = 0;
    tenon_stripe stripe = {first, last, rows, s->o.recomputes};
    TENON_TRY(try_stripe(s, &stripe, &within));
    if (only || within > most(s)) break;
  }
  return TENON_OK;
}

static tenon_status try_around(searcher *s, tenon_node *const *nodes,
                               uint32_t n, uint32_t peak) {
  uint32_t low = peak > REACH ? peak - REACH : 0;
  uint32_t high = peak + REACH < n ? peak + REACH : n - 1;
  s->n_few = 0;
  for (uint32_t first = peak + 1; first-- > low;) {
    if (!tenon_rows_apply(nodes[first])) break;
    for (uint32_t last = peak; last <= high; ++last) {
      if (!tenon_rows_apply(nodes[last])) break;
      TENON_TRY(try_region(s, nodes, first, last));
    }
  }
  return TENON_OK;
}

// --- the whole --------------------------------------------------------------

static tenon_status stripe_no_memory(const searcher *s) {
  return tenon_fail_memory(&s->m->report, "cutting into stripes");
}

// The peak as a node of the function, not of the copy that was measured.
static tenon_status stripe_measure(searcher *s, tenon_measure *out) {
  const tenon_numbering numbers = tenon_module_numbering(s->m);
  tenon_graph *copy = tenon_graph_copy(s->graph);
  if (!copy) return stripe_no_memory(s);
  tenon_status status =
      tenon_plan_measure(copy, s->choice, NULL, NULL, false, 0, out);
  const tenon_node *n = s->graph->first;
  for (const tenon_node *k = copy->first; k && n && k != out->peak; k = k->next)
    n = n->next;
  out->peak = n;
  tenon_graph_drop(copy);
  tenon_module_renumber(s->m, numbers);
  return status;
}

// Cuts a stripe that fits, as a trial has shown.
static tenon_status stripe_cut(searcher *s, tenon_graph *g,
                               const tenon_stripe *c) {
  tenon_node *from = NULL, *to = NULL;
  uint32_t n = 0;
  bool fits = false;
  tenon_node **nodes = tenon_trade_nodes(&s->arena, g, &n);
  if (!nodes) return stripe_no_memory(s);
  return tenon_stripe_cut(nodes, c, &fits, &from, &to);
}

// One more stripe of the copy; *found is false where none helps.
static tenon_status stripe_search_round(searcher *s, chosen *out, bool *found) {
  uint32_t n = 0, peak = 0;
  *found = false;
  if (s->o.target && s->now.arena <= (uint64_t)s->o.target) return TENON_OK;
  tenon_node **nodes = tenon_trade_nodes(&s->arena, s->graph, &n);
  if (!nodes) return stripe_no_memory(s);
  while (peak < n && nodes[peak] != s->now.peak)
    ++peak;
  if (peak == n) return TENON_OK;
  TENON_TRY(try_around(s, nodes, n, peak));
  TENON_TRY(choose_of_few(s));
  *found = s->best.is_set;
  if (!*found) return TENON_OK;
  out->stripe = s->best.stripe;
  out->before = s->now.arena;
  out->macs_before = s->now.macs;
  out->macs_after = s->best.measure.macs;
  out->steps_before = s->now.steps;
  out->steps_after = s->best.measure.steps;
  TENON_TRY(stripe_cut(s, s->graph, &s->best.stripe));
  TENON_TRY(stripe_measure(s, &s->now));
  out->after = s->now.arena;
  return TENON_OK;
}

// What the steps from `first` to `last` are worth.
static tenon_status stripe_tell(searcher *s, const char *what,
                                const chosen *first, const chosen *last) {
  tenon_percent less, more;
  return tenon_trade_remark(
      s->m,
      "stripes    %s: arena %" PRIu64 " -> %" PRIu64
      " bytes (%s), MACs %s, steps %u -> %u",
      what, first->before, last->after,
      tenon_trade_percent(first->before, last->after, &less),
      tenon_trade_percent(first->macs_before, last->macs_after, &more),
      first->steps_before, last->steps_after);
}

// Cuts the function itself, and says what that is worth.
static tenon_status stripe_take(searcher *s, tenon_graph *g, const chosen *c) {
  uint32_t n = 0;
  char what[TENON_TRADE_WHERE + 64], where[TENON_TRADE_WHERE];
  tenon_node **nodes = tenon_trade_nodes(&s->arena, g, &n);
  if (!nodes) return stripe_no_memory(s);
  const tenon_stripe *t = &c->stripe;
  int64_t height = tenon_rows_height(nodes[t->last]->out[0]);
  tenon_trade_where(nodes[t->first], nodes[t->last], where);
  (void)snprintf(what, sizeof what, "%" PRId64 " of %" PRId64 " rows, %s",
                 (height + t->rows - 1) / t->rows, t->rows, where);
  TENON_TRY(stripe_tell(s, what, c, c));
  return stripe_cut(s, g, t);
}

static tenon_status stripe_search(searcher *s, tenon_graph *g) {
  chosen list[ROUNDS_MOST];
  int n = 0, worth = 0;
  bool found = true;
  s->graph = tenon_graph_copy(g);
  if (!s->graph) return stripe_no_memory(s);
  tenon_status status = stripe_measure(s, &s->now);
  s->macs = s->now.macs;
  uint64_t low = s->now.arena;
  while (status == TENON_OK && found && n < ROUNDS_MOST) {
    status = stripe_search_round(s, &list[n], &found);
    n += found;
    // What was taken for the sake of another step that never came is not.
    if (!found || list[n - 1].after >= low) continue;
    low = list[n - 1].after;
    worth = n;
  }
  for (int i = 0; status == TENON_OK && i < worth; ++i)
    status = stripe_take(s, g, &list[i]);
  if (worth > 0) s->m->is_striped = true;
  if (status == TENON_OK && worth > 1)
    status = stripe_tell(s, "in all", &list[0], &list[worth - 1]);
  tenon_graph_drop(s->graph);
  if (status == TENON_OK && s->o.target && s->now.arena > (uint64_t)s->o.target)
    tenon_warn(&s->m->report, "stripe-target", NULL,
               "stripes bring the arena of '%s' to %" PRIu64
               " bytes, not to %" PRId64,
               g->name, s->now.arena, s->o.target);
  return status;
}

tenon_status tenon_pass_stripe(tenon_module *m, const tenon_pass_run *run) {
  searcher s = {.m = m, .choice = run->choice};
  TENON_TRY(read_options(m, run, &s.o));
  TENON_TRY(tenon_rewrites_apply(m, "stripe", run->choice, NULL, NULL, NULL));
  tenon_arena_init(&s.arena, m->cx->allocator);
  tenon_status status = TENON_OK;
  for (size_t i = 0; status == TENON_OK && i < m->entries.count; ++i)
    status = stripe_search(&s, m->entries.data[i].graph);
  tenon_arena_deinit(&s.arena);
  return status;
}
