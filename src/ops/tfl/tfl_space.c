// Between positions and channels or batches: DEPTH_TO_SPACE, SPACE_TO_DEPTH,
// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND. All are a reshape that takes blocks
// apart, a permutation, and a reshape that puts them together elsewhere.
#include <string.h>

#include "ops/tfl/tfl_op.h"

static tenon_value *permute(tenon_rewriter *rw, tenon_value *x,
                            const int64_t *order, int rank) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type moved = *t;
  tenon_tfl_args args = {0};
  for (int i = 0; i < rank; ++i)
    dims[i] = t->dims[order[i]];
  moved.dims = dims;
  tenon_tfl_arg(&args, tenon_arg_ints("dims", order, (size_t)rank));
  return tenon_tfl_make(rw, "core::permute", &x, 1, &args, &moved);
}

// ---------------------------------------------------------------------------
// DEPTH_TO_SPACE, SPACE_TO_DEPTH
// ---------------------------------------------------------------------------

static tenon_status blocks_infer(tenon_infer *c, bool is_spread) {
  const tenon_tfl_block_attrs *a =
      (const tenon_tfl_block_attrs *)tenon_infer_attrs(c);
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
static tenon_status blocks_lower(tenon_rewriter *rw, const tenon_node *node,
                                 bool is_spread) {
  const tenon_tfl_block_attrs *a =
      (const tenon_tfl_block_attrs *)tenon_rw_attrs(rw, node);
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
  x = permute(rw, x, swapped, 6);
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, x, &flat, y));
}

tenon_status tenon_tfl_depth_to_space_infer(tenon_infer *c) {
  return blocks_infer(c, true);
}

tenon_status tenon_tfl_depth_to_space_lower(tenon_rewriter *rw,
                                            const tenon_node *node) {
  return blocks_lower(rw, node, true);
}

tenon_status tenon_tfl_space_to_depth_infer(tenon_infer *c) {
  return blocks_infer(c, false);
}

tenon_status tenon_tfl_space_to_depth_lower(tenon_rewriter *rw,
                                            const tenon_node *node) {
  return blocks_lower(rw, node, false);
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
static const char *grid_of(const tenon_type *x, const tenon_tensor *blocks,
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

// Checks operands, and types the result where an operand or a size is open.
static tenon_status grid_operands(tenon_infer *c, const tenon_type **x, grid *g,
                                  bool *is_done) {
  const tenon_type *t;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, x));
  TENON_TRY(tenon_tfl_operand(c, 1, "block", 1, &t));
  TENON_TRY(tenon_tfl_operand(c, 2, "margins", 2, &t));
  const tenon_tensor *b = c->api->constant(c, 1), *m = c->api->constant(c, 2);
  *is_done = !b || !m;
  if (*is_done) return tenon_tfl_as_declared(c);
  const char *fault = grid_of(*x, b, m, g);
  if (fault) return tenon_infer_fail(c, "%s", fault);
  *is_done = has_open(*x, g->n);
  return *is_done ? tenon_tfl_as_declared(c) : TENON_OK;
}

tenon_status tenon_tfl_space_to_batch_infer(tenon_infer *c) {
  const tenon_type *x;
  grid g;
  bool is_done;
  TENON_TRY(grid_operands(c, &x, &g, &is_done));
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
  TENON_TRY(grid_operands(c, &x, &g, &is_done));
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

// The grid of a node whose operands are known; fails otherwise.
static tenon_status known_grid(tenon_rewriter *rw, const tenon_node *node,
                               grid *g) {
  const tenon_type *x = tenon_rw_type(rw, tenon_tfl_in(rw, node, 0));
  const tenon_tensor *b = rw->api->constant(rw, tenon_tfl_in(rw, node, 1));
  const tenon_tensor *m = rw->api->constant(rw, tenon_tfl_in(rw, node, 2));
  const char *fault =
      b && m ? grid_of(x, b, m, g)
             : "blocks that are computed in a run are not supported";
  if (fault) return tenon_rw_fail(rw, "%s", fault);
  TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  if (has_open(x, g->n))
    return tenon_rw_fail(rw, "blocks of open sizes are not supported");
  return TENON_OK;
}

// [n, a * p, b * q, c] to [n, a, p, b, q, c], then the blocks p, q in front.
tenon_status tenon_tfl_space_to_batch_lower(tenon_rewriter *rw,
                                            const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  int64_t before[TENON_MAX_RANK] = {0}, after[TENON_MAX_RANK] = {0};
  int64_t order[TENON_MAX_RANK];
  bool is_padded = false;
  grid g;
  TENON_TRY(known_grid(rw, node, &g));
  tenon_tfl_shape padded = tenon_tfl_shape_of(t), split = {.rank = 2 + 2 * g.n};
  split.dims[0] = t->dims[0];
  split.dims[2 * g.n + 1] = t->dims[g.n + 1];
  order[g.n] = 0;
  order[2 * g.n + 1] = 2 * g.n + 1;
  for (int i = 0; i < g.n; ++i) {
    before[i + 1] = g.before[i];
    after[i + 1] = g.after[i];
    is_padded |= g.before[i] || g.after[i];
    padded.dims[i + 1].value += g.before[i] + g.after[i];
    split.dims[2 * i + 1] = y->dims[i + 1];
    split.dims[2 * i + 2] = tenon_tfl_fixed(g.block[i]);
    order[i] = 2 * i + 2;
    order[g.n + 1 + i] = 2 * i + 1;
  }
  tenon_type like = *t;
  tenon_tfl_args args = {0};
  like.dims = padded.dims;
  tenon_tfl_arg(&args, tenon_arg_ints("before", before, t->rank));
  tenon_tfl_arg(&args, tenon_arg_ints("after", after, t->rank));
  if (is_padded) x = tenon_tfl_make(rw, "core::pad", &x, 1, &args, &like);
  x = tenon_tfl_reshape(rw, x, &split, NULL);
  x = permute(rw, x, order, split.rank);
  tenon_tfl_shape flat = tenon_tfl_shape_of(y);
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, x, &flat, y));
}

// [p * q * n, a, b, c] to [p, q, n, a, b, c], then each block behind its axis.
tenon_status tenon_tfl_batch_to_space_lower(tenon_rewriter *rw,
                                            const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  int64_t order[TENON_MAX_RANK], step[TENON_MAX_RANK];
  tenon_dim begin[TENON_MAX_RANK];
  grid g;
  TENON_TRY(known_grid(rw, node, &g));
  tenon_tfl_shape split = {.rank = 2 + 2 * g.n}, whole = tenon_tfl_shape_of(y);
  split.dims[g.n] = y->dims[0];
  split.dims[2 * g.n + 1] = t->dims[g.n + 1];
  order[0] = g.n;
  order[2 * g.n + 1] = 2 * g.n + 1;
  for (int i = 0; i < t->rank; ++i) {
    begin[i] = tenon_tfl_fixed(0);
    step[i] = 1;
  }
  for (int i = 0; i < g.n; ++i) {
    split.dims[i] = tenon_tfl_fixed(g.block[i]);
    split.dims[g.n + 1 + i] = t->dims[i + 1];
    order[2 * i + 1] = g.n + 1 + i;
    order[2 * i + 2] = i;
    whole.dims[i + 1].value += g.before[i] + g.after[i];
    if (y->dims[i + 1].value) begin[i + 1] = tenon_tfl_fixed(g.before[i]);
  }
  x = tenon_tfl_reshape(rw, x, &split, NULL);
  x = permute(rw, x, order, split.rank);
  x = tenon_tfl_reshape(rw, x, &whole, NULL);
  return tenon_rw_replace(rw, node,
                          tenon_tfl_slice(rw, x, begin, y->dims, step, y));
}
