// Between positions and channels or batches: DEPTH_TO_SPACE, SPACE_TO_DEPTH,
// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND. All are a reshape that takes blocks
// apart, a permutation, and a reshape that puts them together elsewhere.
#include <string.h>

#include "ops/tfl/tfl_op.h"

static tenon_value *tfl_space_permute(tenon_rewriter *rw, tenon_value *x,
                                      const int64_t *order, int rank) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type moved = *t;
  for (int i = 0; i < rank; ++i)
    dims[i] = t->dims[order[i]];
  moved.dims = dims;
  return tenon_tfl_make(rw, "core::permute", &x, 1,
                        TENON_ARGS(tenon_arg_ints("dims", order, (size_t)rank)),
                        &moved);
}

// ---------------------------------------------------------------------------
// DEPTH_TO_SPACE, SPACE_TO_DEPTH
// ---------------------------------------------------------------------------

// A row says "spread" of what takes channels apart.
tenon_status tenon_tfl_blocks_infer(tenon_infer *c) {
  const bool is_spread = c->api->user(c) != NULL;
  const tenon_tfl_block_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x;
  int64_t b = a->block_size;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 4, &x));
  if (b < 1 || b > 1 << 15)
    return tenon_infer_fail(c, "block_size is %lld", (long long)b);
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  for (int i = 1; i < 4; ++i) {
    bool is_divided = (i == 3) == is_spread;
    int64_t by = i == 3 ? b * b : b, d = x->dims[i].value;
    if (x->dims[i].symbol) return tenon_tfl_as_declared(c);
    if (is_divided && d % by != 0)
      return tenon_infer_fail(c,
                              "dimension %d of 'x' is %lld, no multiple of "
                              "%lld",
                              i, (long long)d, (long long)by);
    y.dims[i] = tenon_tfl_fixed(is_divided ? d / by : d * by);
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

// Between [n, h, w, b, b, c] on the deep side and [n, h, b, w, b, c] on the
// wide one, either way, the same two axes change places.
tenon_status tenon_tfl_blocks_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  const bool is_spread = rw->api->user(rw) != NULL;
  const tenon_tfl_block_attrs *a = tenon_rw_attrs(rw, node);
  static const int64_t swapped[] = {0, 1, 3, 2, 4, 5};
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim b = tenon_tfl_fixed(a->block_size);
  if (t->dims[1].symbol || t->dims[2].symbol || t->dims[3].symbol)
    return tenon_rw_fail(rw, "blocks of open sizes are not supported");
  tenon_tfl_shape split = {.rank = 6}, flat = tenon_tfl_shape_of(y);
  const tenon_type *small = is_spread ? t : y, *large = is_spread ? y : t;
  split.dims[0] = t->dims[0];
  split.dims[1] = small->dims[1];
  split.dims[2] = is_spread ? small->dims[2] : b;
  split.dims[3] = is_spread ? b : small->dims[2];
  split.dims[4] = b;
  split.dims[5] = large->dims[3];
  x = tenon_tfl_reshape(rw, x, &split, NULL);
  x = tfl_space_permute(rw, x, swapped, 6);
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, x, &flat, y));
}

// ---------------------------------------------------------------------------
// SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND
// ---------------------------------------------------------------------------

// Blocks of the axes behind the first, and what is padded or cropped there.
typedef struct grid {
  int n;
  int64_t block[TENON_MAX_RANK], before[TENON_MAX_RANK], after[TENON_MAX_RANK];
} grid;

// The format knows one and two such axes. What is wrong, or null.
static const char *tfl_space_grid_of(const tenon_type *x,
                                     const tenon_tensor *blocks,
                                     const tenon_tensor *margins, grid *g) {
  int64_t table[4];
  g->n = tenon_tfl_ints(blocks, g->block, 2);
  if (g->n < 1 || x->rank != g->n + 2)
    return "one or two blocks, and two more dimensions, are expected";
  if (margins->rank != 2 || margins->dims[1] != 2 ||
      tenon_tfl_ints(margins, table, 4) != 2 * g->n)
    return "margins are no table of two numbers per block";
  for (int i = 0; i < g->n; ++i) {
    g->before[i] = table[2 * i];
    g->after[i] = table[2 * i + 1];
    if (g->block[i] < 1 || g->block[i] > 1 << 15) return "a block below 1";
    if (g->before[i] < 0 || g->before[i] > INT32_MAX || g->after[i] < 0 ||
        g->after[i] > INT32_MAX)
      return "a margin below 0";
  }
  return NULL;
}

static bool has_open(const tenon_type *x, int n) {
  for (int i = 0; i <= n && i < x->rank; ++i) {
    if (x->dims[i].symbol) return true;
  }
  return false;
}

// Blocks, margins or sizes of x that only a run knows: data decide each block
// and each size; the number of batches follows.
static tenon_status computed_grid(tenon_infer *c, const tenon_type *x,
                                  const tenon_type *blocks,
                                  const tenon_type *margins, bool is_spread) {
  const tenon_dim unknown = tenon_tfl_fixed(TENON_UNKNOWN);
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  int n = x->rank - 2;
  if (n < 1 || n > 2 || tenon_tfl_differ(blocks->dims[0], tenon_tfl_fixed(n)) ||
      tenon_tfl_differ(margins->dims[0], tenon_tfl_fixed(n)) ||
      tenon_tfl_differ(margins->dims[1], tenon_tfl_fixed(2)))
    return tenon_infer_fail(
        c, "one or two blocks, and two more dimensions, are expected");
  for (int i = 0; i < n; ++i) {
    tenon_dim block = c->api->decided(c, unknown);
    y.dims[0] = c->api->dim(c, is_spread ? TENON_DIM_DIV : TENON_DIM_MUL,
                            y.dims[0], block);
    y.dims[i + 1] = c->api->decided(c, unknown);
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

// Checks operands, and types the result where an operand or a size is open.
static tenon_status grid_operands(tenon_infer *c, bool is_spread,
                                  const tenon_type **x, grid *g,
                                  bool *is_done) {
  const tenon_type *blocks, *margins;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, x));
  TENON_TRY(tenon_tfl_operand(c, 1, "block", 1, &blocks));
  TENON_TRY(
      tenon_tfl_operand(c, 2, is_spread ? "crops" : "paddings", 2, &margins));
  const tenon_tensor *b = c->api->constant(c, 1), *m = c->api->constant(c, 2);
  *is_done = !b || !m;
  const char *fault = *is_done ? NULL : tfl_space_grid_of(*x, b, m, g);
  if (fault) return tenon_infer_fail(c, "%s", fault);
  *is_done |= has_open(*x, (*x)->rank - 2);
  return *is_done ? computed_grid(c, *x, blocks, margins, is_spread) : TENON_OK;
}

tenon_status tenon_tfl_space_to_batch_infer(tenon_infer *c) {
  const tenon_type *x;
  grid g;
  bool is_done;
  TENON_TRY(grid_operands(c, false, &x, &g, &is_done));
  if (is_done) return TENON_OK;
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  for (int i = 0; i < g.n; ++i) {
    int64_t d = x->dims[i + 1].value + g.before[i] + g.after[i];
    if (d % g.block[i] != 0)
      return tenon_infer_fail(c, "%lld positions in blocks of %lld",
                              (long long)d, (long long)g.block[i]);
    y.dims[0].value *= g.block[i];
    y.dims[i + 1] = tenon_tfl_fixed(d / g.block[i]);
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_batch_to_space_infer(tenon_infer *c) {
  const tenon_type *x;
  grid g;
  bool is_done;
  TENON_TRY(grid_operands(c, true, &x, &g, &is_done));
  if (is_done) return TENON_OK;
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  int64_t blocks = 1;
  for (int i = 0; i < g.n; ++i) {
    int64_t d = x->dims[i + 1].value * g.block[i];
    blocks *= g.block[i];
    if (g.before[i] + g.after[i] > d)
      return tenon_infer_fail(c, "%lld and %lld positions cropped from %lld",
                              (long long)g.before[i], (long long)g.after[i],
                              (long long)d);
    y.dims[i + 1] = tenon_tfl_fixed(d - g.before[i] - g.after[i]);
  }
  if (x->dims[0].value % blocks != 0)
    return tenon_infer_fail(c, "a batch of %lld in %lld blocks",
                            (long long)x->dims[0].value, (long long)blocks);
  y.dims[0].value /= blocks;
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

// A grid for a lowering: what of it is known, or what the run computes.
typedef struct moved_grid {
  grid known;
  bool is_known;
  int n;
  tenon_dim block[TENON_MAX_RANK];
  tenon_value *from;   // s64: where margins end before x, or begin in it, along
                       // each of its axes
  tenon_tfl_shape to;  // of the result
  tenon_tfl_shape wide;             // [n, a * p, b * q, c], with margins
  tenon_dim small[TENON_MAX_RANK];  // a, b
} moved_grid;

// The same where a run computes it.
static void tfl_space_computed(tenon_rewriter *rw, const tenon_node *node,
                               bool is_spread, moved_grid *g) {
  tenon_value *blocks = tenon_tfl_in(rw, node, 1);
  tenon_value *margins = tenon_tfl_in(rw, node, 2), *from[TENON_MAX_RANK];
  g->to = tenon_tfl_shape_of(tenon_tfl_type(rw, node, 0));
  for (int i = 0; i < g->to.rank; ++i)
    from[i] = tenon_rw_scalar(rw, TENON_S64, 0);
  for (int i = 0; i < g->n; ++i) {
    tenon_value *b = tenon_tfl_element(rw, blocks, i);
    tenon_value *after = tenon_tfl_element(rw, margins, 2 * i + 1);
    tenon_value *d = tenon_tfl_size(rw, g->to.dims[i + 1], TENON_S64);
    from[i + 1] = tenon_tfl_element(rw, margins, 2 * i);
    d = tenon_aten_formula(
        rw,
        "d b before after @is_spread: if(is_spread, "
        "d * b - (before + after), (d + before + after) / b)",
        d, b, from[i + 1], after, (int)is_spread);
    g->block[i] = rw->api->number(rw, b);
    g->to.dims[i + 1] = rw->api->number(rw, d);
    g->to.dims[0] = rw->api->dim(rw, is_spread ? TENON_DIM_DIV : TENON_DIM_MUL,
                                 g->to.dims[0], g->block[i]);
  }
  g->from = tenon_tfl_listed(rw, from, g->to.rank);
}

static moved_grid tfl_space_grid_in(tenon_rewriter *rw, const tenon_node *node,
                                    bool is_spread) {
  const tenon_type *x = tenon_tfl_type(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_tensor *b = rw->api->constant(rw, tenon_tfl_in(rw, node, 1));
  const tenon_tensor *m = rw->api->constant(rw, tenon_tfl_in(rw, node, 2));
  moved_grid g = {.n = x->rank - 2, .to = tenon_tfl_shape_of(y)};
  g.is_known = b && m && !tfl_space_grid_of(x, b, m, &g.known) &&
               !has_open(x, g.n) && !has_open(y, g.n);
  for (int i = 0; g.is_known && i < g.n; ++i)
    g.block[i] = tenon_tfl_fixed(g.known.block[i]);
  if (!g.is_known) tfl_space_computed(rw, node, is_spread, &g);
  g.wide = is_spread ? g.to : tenon_tfl_shape_of(x);
  for (int i = 0; i < g.n; ++i) {
    g.small[i] = is_spread ? x->dims[i + 1] : g.to.dims[i + 1];
    g.wide.dims[i + 1] =
        rw->api->dim(rw, TENON_DIM_MUL, g.small[i], g.block[i]);
  }
  return g;
}

// x as [p, q, n, a, b, c] in the order [n, a, p, b, q, c] (`is_spread`), or the
// other way round.
static tenon_value *tfl_space_swapped(tenon_rewriter *rw, tenon_value *x,
                                      const moved_grid *g, bool is_spread) {
  const int n = g->n, rank = 2 + 2 * n;
  tenon_tfl_shape parts = {.rank = rank};               // in the first order
  int64_t wide[TENON_MAX_RANK], order[TENON_MAX_RANK];  // where they go
  parts.dims[n] = g->wide.dims[0];
  parts.dims[rank - 1] = g->wide.dims[n + 1];
  wide[n] = 0;
  wide[rank - 1] = rank - 1;
  for (int i = 0; i < n; ++i) {
    parts.dims[i] = g->block[i];
    parts.dims[n + 1 + i] = g->small[i];
    wide[i] = 2 * i + 2;
    wide[n + 1 + i] = 2 * i + 1;
  }
  tenon_tfl_shape split = parts;
  for (int i = 0; i < rank; ++i) {
    order[is_spread ? wide[i] : i] = is_spread ? i : wide[i];
    if (!is_spread) split.dims[wide[i]] = parts.dims[i];
  }
  x = tenon_tfl_reshape(rw, x, &split, NULL);
  return tfl_space_permute(rw, x, order, rank);
}

// x with margins around.
static tenon_value *tfl_space_padded(tenon_rewriter *rw, tenon_value *x,
                                     const moved_grid *g) {
  const tenon_type *t = tenon_rw_type(rw, x);
  int64_t before[TENON_MAX_RANK] = {0}, after[TENON_MAX_RANK] = {0};
  bool is_padded = false;
  for (int i = 0; i < g->n; ++i) {
    before[i + 1] = g->known.before[i];
    after[i + 1] = g->known.after[i];
    is_padded |= before[i + 1] || after[i + 1];
  }
  tenon_type like = *t;
  like.dims = g->wide.dims;
  return is_padded ? tenon_tfl_padded(rw, x, before, after, &like) : x;
}

tenon_status tenon_tfl_space_to_batch_lower(tenon_rewriter *rw,
                                            const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x), *y = rw->api->result(rw, node, 0);
  const tenon_quant *quant = y->quant;
  const int32_t zero = quant && quant->zero ? quant->zero[0] : 0;
  const moved_grid g = tfl_space_grid_in(rw, node, false);
  if (g.is_known)
    x = tfl_space_padded(rw, x, &g);
  else
    x = tenon_tfl_update_at(
        rw, tenon_tfl_expand(rw, tenon_rw_scalar(rw, t->dtype, zero), &g.wide),
        tenon_tfl_stored(rw, x, NULL), g.from, g.to.rank);
  x = tfl_space_swapped(rw, x, &g, false);
  x = tenon_tfl_reshape(rw, x, &g.to, g.is_known ? y : NULL);
  return tenon_rw_replace(rw, node,
                          g.is_known ? x : tenon_tfl_stored(rw, x, quant));
}

tenon_status tenon_tfl_batch_to_space_lower(tenon_rewriter *rw,
                                            const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_quant *quant = y->quant;
  tenon_dim begin[TENON_MAX_RANK] = {{0, 0}};
  const moved_grid g = tfl_space_grid_in(rw, node, true);
  if (!g.is_known) x = tenon_tfl_stored(rw, x, NULL);
  x = tfl_space_swapped(rw, x, &g, true);
  x = tenon_tfl_reshape(rw, x, &g.wide, NULL);
  for (int i = 0; g.is_known && i < g.n; ++i)
    if (y->dims[i + 1].value) begin[i + 1] = tenon_tfl_fixed(g.known.before[i]);
  if (g.is_known)
    return tenon_rw_replace(rw, node,
                            tenon_tfl_slice(rw, x, begin, y->dims, NULL, y));
  x = tenon_tfl_window_at(rw, x, g.from, &g.to, tenon_rw_type(rw, x));
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, x, quant));
}
