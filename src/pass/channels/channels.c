// How: ranges from the first node to the last, needs from the last to the
// first, then the cut; a node that cannot do with fewer channels (no kernel
// takes them, or a bias would overflow) is left out, and needs are found again.
#include "pass/channels/live_channels.h"

#include <inttypes.h>

#include "bind/call.h"
#include "ir/turned.h"
#include "pass/rewrites.h"
#include "pass/trade/trade.h"

#define MULTIPLE_MOST 1024

static tenon_status channels_no_memory(const tenon_channels_run *r) {
  return tenon_fail_memory(&r->m->report, "looking at channels");
}

// --- values ------------------------------------------------------------------

static void range_constant(const tenon_tensor *t, tenon_channels *c) {
  const size_t count = tenon_count(t), n = (size_t)c->n;
  for (size_t i = 0, at = 0; i < count; ++i, ++at) {
    if (at == n) at = 0;
    const int32_t number = tenon_channels_stored(t, i);
    if (i < n || number < c->lo[at]) c->lo[at] = number;
    if (i < n || number > c->hi[at]) c->hi[at] = number;
  }
}

static bool look_at_value(tenon_channels_run *r, const tenon_value *v) {
  tenon_channels *c = tenon_channels_of(r, v);
  if (c->n > 0 || !tenon_channels_is_stored(&v->type) ||
      (v->constant && (!v->constant->data || tenon_count(v->constant) == 0)))
    return true;
  const size_t n = (size_t)v->type.dims[v->type.rank - 1].value;
  c->lo = tenon_arena_array(&r->arena, int32_t, n);
  c->hi = tenon_arena_array(&r->arena, int32_t, n);
  c->is_needed = tenon_arena_array(&r->arena, bool, n);
  if (!c->lo || !c->hi || !c->is_needed) return false;
  c->n = (int32_t)n;
  tenon_channels_widest(v, c);
  if (v->constant) range_constant(tenon_value_constant(v), c);
  return true;
}

static tenon_status look_at_node(tenon_channels_run *r, const tenon_node *n) {
  for (uint32_t i = 0; i < n->n_in; ++i)
    if (n->in[i].value && !look_at_value(r, n->in[i].value))
      return channels_no_memory(r);
  for (uint32_t i = 0; i < n->n_out; ++i)
    if (!look_at_value(r, n->out[i])) return channels_no_memory(r);
  r->how[n->id] = (uint8_t)tenon_channels_find_how(n);
  const tenon_channels_how how = tenon_channels_how_of(r, n);
  if (how == TENON_CHANNELS_PRODUCT || how == TENON_CHANNELS_DEPTH)
    r->n_all += (uint64_t)tenon_channels_of(r, n->out[0])->n;
  return tenon_channels_range(r, n);
}

// --- telling -----------------------------------------------------------------

static uint64_t count_macs(tenon_channels_run *r) {
  uint64_t sum = 0;
  for (size_t i = 0; i < r->m->functions.count; ++i)
    for (const tenon_node *n = r->m->functions.data[i]->first; n; n = n->next) {
      if (!n->op->desc || !n->op->desc->macs) continue;
      tenon_arena_mark mark = tenon_arena_save(&r->evaluator.scratch);
      const tenon_call *c =
          tenon_bind_call_of(&r->evaluator.scratch, n, UINT32_MAX);
      int64_t macs = c ? n->op->desc->macs(c) : 0;
      if (macs > 0) sum += (uint64_t)macs;
      tenon_arena_restore(&r->evaluator.scratch, mark);
    }
  return sum;
}

static tenon_status channels_tell(const tenon_channels_run *r, uint64_t before,
                                  uint64_t after) {
  tenon_percent less;
  return tenon_trade_line(
      r->m,
      "channels   %" PRIu64 " of %" PRIu64 " taken out: %" PRIu64
      " constant, %" PRIu64 " unread; MACs %" PRIu64 " -> %" PRIu64 " (%s)",
      r->n_constant + r->n_unread, r->n_all, r->n_constant, r->n_unread, before,
      after, tenon_trade_percent(before, after, &less));
}

// --- the whole ---------------------------------------------------------------

tenon_status tenon_channels_begin(tenon_channels_run *r, tenon_module *m,
                                  const tenon_choice *choice) {
  *r = (tenon_channels_run){.m = m, .choice = choice, .multiple = 1};
  r->n_values = m->n_values;
  r->n_nodes = m->n_nodes;
  TENON_TRY(tenon_evaluator_init(&r->evaluator, m));
  tenon_arena_init(&r->arena, m->cx->allocator);
  r->values = tenon_arena_array(&r->arena, tenon_channels, r->n_values + 1u);
  r->how = tenon_arena_array(&r->arena, uint8_t, r->n_nodes + 1u);
  if (r->values && r->how) return TENON_OK;
  tenon_channels_end(r);
  return channels_no_memory(r);
}

void tenon_channels_end(tenon_channels_run *r) {
  tenon_arena_deinit(&r->arena);
  tenon_evaluator_deinit(&r->evaluator);
}

tenon_status tenon_channels_look(tenon_channels_run *r, const tenon_graph *g) {
  for (uint32_t i = 0; i < g->n_params; ++i)
    if (!look_at_value(r, g->params[i])) return channels_no_memory(r);
  for (const tenon_node *n = g->first; n; n = n->next)
    TENON_TRY(look_at_node(r, n));
  return TENON_OK;
}

static tenon_status channels_take_out(tenon_channels_run *r, tenon_graph *g) {
  bool is_done = false;
  TENON_TRY(tenon_channels_look(r, g));
  while (!is_done) {
    if (!tenon_channels_need(r, g)) return channels_no_memory(r);
    TENON_TRY(tenon_channels_cut(r, g, &is_done));
  }
  return TENON_OK;
}

static tenon_status channels_run_all(tenon_channels_run *r) {
  const uint64_t before = count_macs(r);
  for (size_t i = 0; i < r->m->functions.count; ++i)
    TENON_TRY(channels_take_out(r, r->m->functions.data[i]));
  return r->n_constant + r->n_unread ? channels_tell(r, before, count_macs(r))
                                     : TENON_OK;
}

tenon_status tenon_pass_channels(tenon_module *m, const tenon_pass_run *run) {
  tenon_channels_run r;
  int64_t multiple = 1;
  TENON_TRY(tenon_trade_number(m, "channels", run, "multiple", 1, &multiple));
  if (multiple < 1 || multiple > MULTIPLE_MOST)
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "pass-option", NULL,
                      "pass 'channels': multiple=%" PRId64
                      "; expected a number from 1 to %d",
                      multiple, MULTIPLE_MOST);
  TENON_TRY(tenon_channels_begin(&r, m, run->choice));
  r.multiple = (int32_t)multiple;
  tenon_status status = channels_run_all(&r);
  tenon_channels_end(&r);
  return status;
}
