// How: from each node on the shortest run of layers is looked for with a large
// image between, a small one in front and none larger behind, by what is known
// of sizes alone: no plan is measured, so that it takes no time. Runs are cut
// from the last to the first, since those before stay where they are.
#include <inttypes.h>
#include <stdio.h>

#include "ir/edit.h"
#include "pass/trade/stripe.h"
#include "pass/trade/trade.h"

// Bytes: of an image that a second-level cache does not hold beside what goes
// with it, of that image in a band, and of all weights of a run, which pass by
// once for each band.
enum { LARGE = 5 << 18, BAND = 1 << 20, WEIGHTS = 1 << 18 };
enum { REACH = 16 };  // nodes of a run

typedef struct band_run {
  tenon_stripe stripe;
  uint64_t most;     // bytes of the largest image between
  const char *line;  // of the plan; null: not cut
} band_run;

static uint64_t bands_bytes_of(const tenon_value *v) {
  size_t size = 0;
  return v && tenon_type_size(&v->type, &size) ? size : 0;
}

static uint64_t bands_weights_of(const tenon_node *n) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < n->n_in; ++i)
    if (n->in[i].value && n->in[i].value->kind == TENON_VALUE_CONSTANT)
      bytes += bands_bytes_of(n->in[i].value);
  return bytes;
}

// The run from `first` on; false: none is worth it.
static bool bands_find(tenon_node *const *nodes, uint32_t n, uint32_t first,
                       band_run *out) {
  uint64_t most = 0, weights = 0, least = 0;
  uint64_t in = bands_bytes_of(nodes[first]->in[0].value);
  bool has_depthwise = false, found = false;
  int64_t height = 0;
  out->line = NULL;
  for (uint32_t i = first; i < n && i - first < REACH; ++i) {
    const tenon_node *node = nodes[i];
    const bool is_cheap = tenon_rows_apply(node) && tenon_rows_is_cheap(node);
    if (!tenon_rows_apply(node) || (found && least < LARGE / 2 && !is_cheap) ||
        node->out[0]->type.dtype != TENON_F32)
      break;
    const uint64_t bytes = bands_bytes_of(node->out[0]);
    weights += bands_weights_of(node);
    has_depthwise |= tenon_node_is(node, "core::depthwise_conv");
    if (weights > WEIGHTS || bytes == 0) break;
    if (has_depthwise && most >= LARGE && bytes <= most && 2 * in <= most &&
        (!found || bytes <= least) &&
        tenon_stripe_is_region(nodes, first, i, &height)) {
      const uint64_t parts = (most + BAND - 1) / BAND;
      out->stripe.first = first;
      out->stripe.last = i;
      out->stripe.rows = (height + (int64_t)parts - 1) / (int64_t)parts;
      out->stripe.recomputes = false;
      out->most = most;
      least = bytes;
      found = true;
    }
    if (bytes > most) most = bytes;
  }
  return found;
}

static bool bands_is_kept(const tenon_node *n) {
  return tenon_node_is(n, "core::copy") || tenon_node_is(n, "core::slice");
}

static bool bands_reads(const tenon_node *n, const tenon_node *other) {
  for (uint32_t i = 0; i < n->n_in; ++i)
    if (n->in[i].value && n->in[i].value->kind == TENON_VALUE_RESULT &&
        n->in[i].value->node == other)
      return true;
  return false;
}

// Rows that are kept for the next band are copied ahead of a layer whose
// element-wise steps follow it, so that they still go piece by piece.
static void bands_join(tenon_node *from, const tenon_node *to) {
  for (tenon_node *n = from, *next; n && n != to; n = next) {
    next = n->next;
    const tenon_node *behind = next;
    while (behind && bands_is_kept(behind))
      behind = behind->next;
    tenon_node *ahead = n->previous;
    if (n != from && bands_is_kept(n) && behind && tenon_rows_apply(behind) &&
        tenon_rows_is_cheap(behind) && tenon_rows_apply(ahead) &&
        !tenon_rows_is_cheap(ahead) && !bands_reads(n, ahead))
      tenon_node_move(n, ahead);
  }
}

static tenon_status bands_cut(tenon_module *m, tenon_arena *arena,
                              tenon_node *const *nodes, band_run *r) {
  tenon_node *from = NULL, *to = NULL;
  bool fits = false;
  char where[TENON_TRADE_WHERE], line[TENON_TRADE_WHERE + 128];
  const int64_t height = tenon_rows_height(nodes[r->stripe.last]->out[0]);
  tenon_trade_where(nodes[r->stripe.first], nodes[r->stripe.last], where);
  (void)snprintf(line, sizeof line,
                 "bands      %" PRId64 " of %" PRId64 " rows, %s: of %" PRIu64
                 " bytes between them some at a time",
                 (height + r->stripe.rows - 1) / r->stripe.rows, r->stripe.rows,
                 where, r->most);
  TENON_TRY(tenon_stripe_cut(nodes, &r->stripe, &fits, &from, &to));
  if (!fits) return TENON_OK;
  bands_join(from, to);
  r->line = tenon_arena_string(arena, line);
  return r->line ? TENON_OK
                 : tenon_fail_memory(&m->report, "cutting into bands");
}

static tenon_status bands_of(tenon_module *m, tenon_arena *arena,
                             const tenon_graph *g) {
  uint32_t n = 0, count = 0;
  tenon_node **nodes = tenon_trade_nodes(arena, g, &n);
  band_run *runs = nodes ? tenon_arena_array(arena, band_run, n + 1u) : NULL;
  if (!runs) return tenon_fail_memory(&m->report, "cutting into bands");
  for (uint32_t i = 0; i < n; ++i)
    if (tenon_rows_apply(nodes[i]) && bands_find(nodes, n, i, &runs[count]))
      i = runs[count++].stripe.last;
  for (uint32_t i = count; i-- > 0;)
    TENON_TRY(bands_cut(m, arena, nodes, &runs[i]));
  for (uint32_t i = 0; i < count; ++i)
    if (runs[i].line) TENON_TRY(tenon_trade_line(m, "%s", runs[i].line));
  return TENON_OK;
}

// For processors with a second-level cache: those that have vectors of floats.
tenon_status tenon_pass_bands(tenon_module *m, const tenon_pass_run *run) {
  const tenon_choice *choice = run->choice;
  if (choice->reference_only || (!tenon_target_has(choice->target, "sse2") &&
                                 !tenon_target_has(choice->target, "neon")))
    return TENON_OK;
  tenon_arena arena;
  tenon_arena_init(&arena, m->cx->allocator);
  tenon_status status = TENON_OK;
  for (size_t i = 0; status == TENON_OK && i < m->entries.count; ++i)
    status = bands_of(m, &arena, m->entries.data[i].graph);
  tenon_arena_deinit(&arena);
  return status;
}
