// IF, STABLEHLO_CASE, WHILE and STABLEHLO_COMPOSITE: nodes that name other
// functions of the file. The bodies are imported as functions of the module and
// called from regions; nothing is inlined here.
#include <string.h>

#include "ops/tfl/tfl_op.h"

// As many results as the file declares, of the declared types: what a function
// returns is checked where it is called.
static tenon_status declared_results(tenon_infer *c, int n) {
  TENON_TRY(c->api->results(c, 0, n));
  for (int i = 0; i < n; ++i)
    TENON_TRY(tenon_infer_out(c, i, tenon_tfl_declared(c, i)));
  return TENON_OK;
}

static int count_declared(tenon_infer *c) {
  int n = 0;
  while (n < TFL_MAX_TENSORS && tenon_tfl_declared(c, n))
    ++n;
  return n;
}

static tenon_status check_index(tenon_infer *c, const char *what, int64_t i) {
  if (i < 0 || i > INT32_MAX)
    return tenon_infer_fail(c, "%s is %lld", what, (long long)i);
  return TENON_OK;
}

static tenon_status flow_check_operands(tenon_infer *c, int arg, int *n) {
  int first = 0;
  const tenon_type *x;
  *n = c->api->group(c, arg, &first);
  if (*n > TFL_MAX_TENSORS)
    return tenon_infer_fail(c, "%d operands, at most %d", *n, TFL_MAX_TENSORS);
  for (int i = 0; i < *n; ++i)
    TENON_TRY(tenon_tfl_operand(c, first + i, "inputs", -1, &x));
  return TENON_OK;
}

// core::call of a function over `args`, with results of these types.
static void flow_call(tenon_rewriter *rw, int64_t function,
                      tenon_value *const *args, int n,
                      const tenon_type *const *types, tenon_value **out,
                      int n_out) {
  const uint16_t group[] = {0, (uint16_t)n};
  tenon_tfl_args list = {0};
  tenon_build b = {.struct_size = sizeof(tenon_build)};
  tenon_tfl_arg(&list, tenon_arg_int("function", function));
  b.n_in = (uint32_t)n;
  b.n_out = (uint32_t)n_out;
  b.op = "core::call";
  b.args = list.list;
  b.in = args;
  b.in_group = group;
  b.out = out;
  b.types = types;
  rw->api->build(rw, &b);
}

// A region that takes values of these types and calls the function with them.
static tenon_status calling(tenon_rewriter *rw, int64_t function,
                            const tenon_type *const *params, int n,
                            const tenon_type *const *results, int n_out,
                            tenon_region **out) {
  tenon_value *args[TFL_MAX_TENSORS], *values[TFL_MAX_TENSORS];
  *out = rw->api->begin(rw, params, n, args);
  flow_call(rw, function, args, n, results, values, n_out);
  return rw->api->end(rw, *out, values, n_out);
}

// The same of a function that gives one boolean, of any rank.
static tenon_status testing(tenon_rewriter *rw, int64_t function,
                            const tenon_type *const *params, int n,
                            tenon_region **out) {
  const tenon_tfl_shape number = {.rank = 0};
  tenon_value *args[TFL_MAX_TENSORS], *flag = NULL;
  *out = rw->api->begin(rw, params, n, args);
  flow_call(rw, function, args, n, NULL, &flag, 1);
  flag = tenon_tfl_reshape(rw, flag, &number, NULL);
  return rw->api->end(rw, *out, &flag, 1);
}

// Types of operands first .. first + n - 1 and of the results.
static void types_of(tenon_rewriter *rw, const tenon_node *node, int first,
                     int n, tenon_value **in, const tenon_type **params,
                     int n_out, const tenon_type **results) {
  for (int i = 0; i < n; ++i) {
    in[i] = tenon_tfl_in(rw, node, first + i);
    params[i] = tenon_rw_type(rw, in[i]);
  }
  for (int i = 0; i < n_out; ++i)
    results[i] = rw->api->result(rw, node, i);
}

// Results of the node that is replaced: the first index without a type ends
// them.
static int flow_count_results(tenon_rewriter *rw, const tenon_node *node) {
  int n = 0;
  while (n < TFL_MAX_TENSORS && rw->api->result(rw, node, n))
    ++n;
  return n;
}

// Puts `op` with its two regions in the node's place; `group` as tenon_build
// has it.
static tenon_status replace_by(tenon_rewriter *rw, const tenon_node *node,
                               const char *op, tenon_value **in, int n_in,
                               const uint16_t *group, tenon_region **regions,
                               const tenon_type *const *results, int n_out) {
  tenon_value *out[TFL_MAX_TENSORS];
  tenon_build b = {.struct_size = sizeof(tenon_build)};
  b.n_in = (uint32_t)n_in;
  b.n_out = (uint32_t)n_out;
  b.n_regions = 2;
  b.op = op;
  b.in = in;
  b.in_group = group;
  b.out = out;
  b.regions = regions;
  b.types = results;
  rw->api->build(rw, &b);
  return rw->api->replace(rw, node, out, n_out);
}

// ---------------------------------------------------------------------------
// IF
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_if_infer(tenon_infer *c) {
  const tenon_tfl_if_attrs *a = tenon_infer_attrs(c);
  const tenon_type *pred = tenon_infer_in(c, 0);
  tenon_dim open;
  int n;
  if (pred->dtype != TENON_BOOL)
    return tenon_infer_fail(c, "'pred' is %s, expected bool",
                            tenon_dtype_name(pred->dtype));
  if (tenon_tfl_product(c, pred->dims, pred->rank, &open) != 1 || open.symbol)
    return tenon_infer_fail(c, "'pred' is not one boolean");
  TENON_TRY(check_index(c, "then_subgraph_index", a->then_subgraph_index));
  TENON_TRY(check_index(c, "else_subgraph_index", a->else_subgraph_index));
  TENON_TRY(flow_check_operands(c, 1, &n));
  return declared_results(c, count_declared(c));
}

tenon_status tenon_tfl_if_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_if_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *in[TFL_MAX_TENSORS + 1];
  const tenon_type *params[TFL_MAX_TENSORS], *results[TFL_MAX_TENSORS];
  tenon_region *regions[2];
  int first = 0, n = rw->api->group(rw, node, 1, &first);
  int n_out = flow_count_results(rw, node);
  types_of(rw, node, first, n, in + 1, params, n_out, results);
  tenon_tfl_shape number = {.rank = 0};
  in[0] = tenon_tfl_reshape(rw, tenon_tfl_in(rw, node, 0), &number, NULL);
  TENON_TRY(calling(rw, a->then_subgraph_index, params, n, results, n_out,
                    &regions[0]));
  TENON_TRY(calling(rw, a->else_subgraph_index, params, n, results, n_out,
                    &regions[1]));
  const uint16_t group[] = {0, 1, (uint16_t)(n + 1)};
  return replace_by(rw, node, "core::cond", in, n + 1, group, regions, results,
                    n_out);
}

// ---------------------------------------------------------------------------
// STABLEHLO_CASE
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_case_infer(tenon_infer *c) {
  const tenon_tfl_case_attrs *a = tenon_infer_attrs(c);
  const tenon_type *index = tenon_infer_in(c, 0);
  tenon_dim open;
  int n;
  if (index->dtype != TENON_S32 ||
      tenon_tfl_product(c, index->dims, index->rank, &open) != 1 || open.symbol)
    return tenon_infer_fail(c, "'index' is not one s32");
  if (a->branch_subgraph_indices.count == 0)
    return tenon_infer_fail(c, "there is no branch");
  for (size_t i = 0; i < a->branch_subgraph_indices.count; ++i)
    TENON_TRY(check_index(c, "a branch", a->branch_subgraph_indices.data[i]));
  TENON_TRY(flow_check_operands(c, 1, &n));
  return declared_results(c, count_declared(c));
}

// What branches `first` and up give of an index and operands, in the region
// that is being built: an index without a branch means the last one.
static tenon_status branch(tenon_rewriter *rw, tenon_ints branches,
                           size_t first, tenon_value **in,
                           const tenon_type **params, int n,
                           const tenon_type *const *results, int n_out,
                           tenon_value **out) {
  if (first + 1 == branches.count) {
    flow_call(rw, branches.data[first], in + 1, n, results, out, n_out);
    return TENON_OK;
  }
  tenon_value *args[TFL_MAX_TENSORS + 1], *given[TFL_MAX_TENSORS + 2];
  const uint16_t group[] = {0, 1, (uint16_t)(n + 2)};
  tenon_region *regions[2];
  tenon_build b = {.struct_size = sizeof(tenon_build), .n_regions = 2};
  given[0] = tenon_tfl_by(rw, "core::eq", in[0], (double)first);
  memcpy(given + 1, in, (size_t)(n + 1) * sizeof *in);
  for (int i = 0; i < 2; ++i) {
    const tenon_ints one = {branches.data + first, 1};
    regions[i] = rw->api->begin(rw, params, n + 1, args);
    TENON_TRY(branch(rw, i ? branches : one, i ? first + 1 : 0, args, params, n,
                     results, n_out, out));
    TENON_TRY(rw->api->end(rw, regions[i], out, n_out));
  }
  b.n_in = (uint32_t)(n + 2);
  b.n_out = (uint32_t)n_out;
  b.op = "core::cond";
  b.in = given;
  b.in_group = group;
  b.out = out;
  b.regions = regions;
  b.types = results;
  rw->api->build(rw, &b);
  return TENON_OK;
}

tenon_status tenon_tfl_case_lower(tenon_rewriter *rw, const tenon_node *node) {
  static const tenon_type index = {.dtype = TENON_S32};
  const tenon_tfl_case_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *in[TFL_MAX_TENSORS + 1], *out[TFL_MAX_TENSORS];
  const tenon_type *params[TFL_MAX_TENSORS + 1], *results[TFL_MAX_TENSORS];
  const tenon_tfl_shape number = {.rank = 0};
  int first = 0, n = rw->api->group(rw, node, 1, &first);
  int n_out = flow_count_results(rw, node);
  // Each branch is a level of calls.
  if (a->branch_subgraph_indices.count > 64)
    return tenon_rw_fail(rw, "%zu branches, at most 64 are supported",
                         a->branch_subgraph_indices.count);
  types_of(rw, node, first, n, in + 1, params + 1, n_out, results);
  params[0] = &index;
  in[0] = tenon_tfl_reshape(rw, tenon_tfl_in(rw, node, 0), &number, NULL);
  TENON_TRY(branch(rw, a->branch_subgraph_indices, 0, in, params, n, results,
                   n_out, out));
  return rw->api->replace(rw, node, out, n_out);
}

// ---------------------------------------------------------------------------
// WHILE
// ---------------------------------------------------------------------------

// The dimension of value i that entry k of `grows` is; -1: it is another's.
static int grown_dim(const tenon_tfl_while_attrs *a, size_t k, int i) {
  const int64_t at = a->grows.data[k];
  return at >= 0 && at / TENON_MAX_RANK == i ? (int)(at % TENON_MAX_RANK) : -1;
}

// `t` with the sizes that the loop finds out; dims in `room`.
static tenon_status infer_grown(tenon_infer *c, const tenon_tfl_while_attrs *a,
                                int i, tenon_type *t, tenon_dim *room) {
  for (size_t k = 0; k < a->grows.count; ++k) {
    const int d = grown_dim(a, k, i);
    if (d < 0) continue;
    if (d >= t->rank)
      return tenon_infer_fail(c, "'grows' is no dimension of value %d", i);
    if (t->dims != room) memcpy(room, t->dims, t->rank * sizeof *room);
    t->dims = room;
    room[d] = c->api->decided(c, tenon_tfl_fixed(TENON_UNKNOWN));
  }
  return TENON_OK;
}

// A file that leaves sizes of results open does not say that they change: but
// for those that the reader has seen to, what goes round keeps those that it
// came with, which a run requires.
tenon_status tenon_tfl_while_infer(tenon_infer *c) {
  const tenon_tfl_while_attrs *a = tenon_infer_attrs(c);
  int n;
  TENON_TRY(check_index(c, "cond_subgraph_index", a->cond_subgraph_index));
  TENON_TRY(check_index(c, "body_subgraph_index", a->body_subgraph_index));
  TENON_TRY(flow_check_operands(c, 0, &n));
  int n_out = count_declared(c);
  if (n != n_out)
    return tenon_infer_fail(c, "%d operands and %d results", n, n_out);
  TENON_TRY(c->api->results(c, 0, n));
  for (int i = 0; i < n; ++i) {
    const tenon_type *y = tenon_tfl_declared(c, i), *x = tenon_infer_in(c, i);
    tenon_type kept = *x;
    kept.quant = y->quant;
    const bool is_open = (y->flags & TENON_TYPE_UNRANKED) ||
                         (x->rank == y->rank && !tenon_tfl_is_fixed(y));
    tenon_type t = is_open && x->dtype == y->dtype ? kept : *y;
    tenon_dim room[TENON_MAX_RANK];
    TENON_TRY(infer_grown(c, a, i, &t, room));
    TENON_TRY(tenon_infer_out(c, i, &t));
  }
  return TENON_OK;
}

// A region of the body: what the function gives has the sizes of the results,
// but for those that are found out.
static tenon_status going_round(tenon_rewriter *rw,
                                const tenon_tfl_while_attrs *a,
                                const tenon_type *const *params, int n,
                                const tenon_type *const *results,
                                tenon_region **out) {
  tenon_value *args[TFL_MAX_TENSORS], *values[TFL_MAX_TENSORS];
  *out = rw->api->begin(rw, params, n, args);
  flow_call(rw, a->body_subgraph_index, args, n, NULL, values, n);
  for (int i = 0; i < n; ++i) {
    tenon_tfl_shape shape = tenon_tfl_shape_of(results[i]);
    const tenon_type *t = tenon_rw_type(rw, values[i]);
    for (size_t k = 0; t && t->rank == shape.rank && k < a->grows.count; ++k)
      if (grown_dim(a, k, i) >= 0)
        shape.dims[grown_dim(a, k, i)] = t->dims[grown_dim(a, k, i)];
    values[i] = tenon_tfl_reshape(rw, values[i], &shape, NULL);
  }
  return rw->api->end(rw, *out, values, n);
}

tenon_status tenon_tfl_while_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_while_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *in[TFL_MAX_TENSORS];
  const tenon_type *params[TFL_MAX_TENSORS], *results[TFL_MAX_TENSORS];
  tenon_region *regions[2];
  int first = 0, n = rw->api->group(rw, node, 0, &first);
  types_of(rw, node, first, n, in, params, n, results);
  for (size_t k = 0; k < a->grows.count; ++k)
    for (int i = 0; i < n; ++i)
      if (grown_dim(a, k, i) >= 0) params[i] = results[i];
  TENON_TRY(testing(rw, a->cond_subgraph_index, params, n, &regions[0]));
  TENON_TRY(going_round(rw, a, params, n, results, &regions[1]));
  const uint16_t group[] = {0, (uint16_t)n};
  return replace_by(rw, node, "core::while", in, n, group, regions, results, n);
}

// ---------------------------------------------------------------------------
// STABLEHLO_COMPOSITE
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_composite_infer(tenon_infer *c) {
  const tenon_tfl_composite_attrs *a = tenon_infer_attrs(c);
  int n;
  TENON_TRY(check_index(c, "decomposition_subgraph_index",
                        a->decomposition_subgraph_index));
  TENON_TRY(flow_check_operands(c, 0, &n));
  return declared_results(c, count_declared(c));
}

// The decomposition always means the same as the operator, so this is right
// whether or not somebody knows the name; who does registers a lowering of a
// higher priority.
tenon_status tenon_tfl_composite_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  const tenon_tfl_composite_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *in[TFL_MAX_TENSORS], *out[TFL_MAX_TENSORS];
  const tenon_type *params[TFL_MAX_TENSORS], *results[TFL_MAX_TENSORS];
  int first = 0, n = rw->api->group(rw, node, 0, &first);
  int n_out = flow_count_results(rw, node);
  types_of(rw, node, first, n, in, params, n_out, results);
  flow_call(rw, a->decomposition_subgraph_index, in, n, results, out, n_out);
  return rw->api->replace(rw, node, out, n_out);
}

// ---------------------------------------------------------------------------
// Variables
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_declared_infer(tenon_infer *c) {
  return tenon_tfl_as_declared(c);
}

// A number, whatever rank a file leaves out.
tenon_status tenon_tfl_handle_infer(tenon_infer *c) {
  const tenon_type *declared = tenon_tfl_declared(c, 0);
  if (!declared || !(declared->flags & TENON_TYPE_UNRANKED))
    return tenon_tfl_as_declared(c);
  const tenon_type handle = {.dtype = declared->dtype};
  return tenon_infer_out(c, 0, &handle);
}

tenon_status tenon_tfl_nothing_infer(tenon_infer *c) {
  (void)c;
  return TENON_OK;
}

// What pass `functional` has left.
tenon_status tenon_tfl_variable_lower(tenon_rewriter *rw,
                                      const tenon_node *node) {
  (void)node;
  return tenon_rw_fail(
      rw,
      "the pass 'functional', which makes states of variables, has not run");
}
