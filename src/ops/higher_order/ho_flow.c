// cond, while_loop and the wrappers: regions become those of core operators, or
// stand where they are called. What is not carried is seen from inside.
#include <string.h>

#include "ops/higher_order/ho_op.h"

static tenon_status ho_flow_too_many(tenon_rewriter *rw) {
  return tenon_rw_fail(rw, "more than %d results", HO_MOST);
}

static tenon_status check_flag(tenon_rewriter *rw, const tenon_value *value) {
  const tenon_type *t = tenon_rw_type(rw, value);
  bool is_one = !t || t->dtype == TENON_BOOL;
  for (int k = 0; t && k < t->rank; ++k)
    is_one = is_one && (t->dims[k].symbol || t->dims[k].value == 1);
  return is_one ? TENON_OK
                : tenon_rw_fail(rw, "the condition is not one boolean");
}

typedef struct branching {
  const tenon_node *node;
  const tenon_type *stated[HO_MOST];
  const tenon_type *types[HO_MOST];   // of the results of core::cond
  const tenon_type *params[HO_MOST];  // of the operands, the condition first
  tenon_value *args[HO_MOST], *results[HO_MOST];
  tenon_ho_list in;
  tenon_ho_opens open;
  tenon_region *regions[2];
  int n;
} branching;

// `is_probe`: only to find sizes that are different.
static tenon_status make_branch(tenon_rewriter *rw, branching *b, int i,
                                bool is_probe) {
  int n_open = is_probe ? 0 : b->open.n;
  b->regions[i] = rw->api->begin(rw, b->params + 1, b->in.n - 1, b->args);
  TENON_TRY(
      tenon_ho_call(rw, b->node, i, b->args, b->in.n - 1, b->results, b->n));
  TENON_TRY(tenon_ho_check_given(rw, i, b->results, b->stated, b->n));
  if (is_probe)
    TENON_TRY(tenon_ho_find_open(rw, i, b->stated, b->results, b->n, &b->open));
  else
    tenon_ho_close_open(rw, i, &b->open, b->results, b->n);
  return rw->api->end(rw, b->regions[i], b->results, b->n + n_open);
}

static tenon_status lower_cond(tenon_rewriter *rw, branching *b) {
  b->n = tenon_ho_results(rw, b->node, b->stated);
  if (b->n < 0 || b->n + HO_MOST_OPEN > HO_MOST) return ho_flow_too_many(rw);
  TENON_TRY(tenon_ho_operands(rw, b->node, 0, &b->in));
  TENON_TRY(tenon_ho_operands(rw, b->node, 1, &b->in));
  if (b->in.n < 1) return tenon_rw_fail(rw, "the condition is missing");
  TENON_TRY(check_flag(rw, b->in.data[0]));
  tenon_ho_types(rw, &b->in, b->params);
  memcpy(b->types, b->stated, sizeof b->types);
  for (int i = 0; i < 2; ++i)
    TENON_TRY(make_branch(rw, b, i, true));
  for (int i = 0; i < 2 && b->open.n > 0; ++i)
    TENON_TRY(make_branch(rw, b, i, false));
  tenon_ho_type_open(rw, &b->open, b->types, b->n);
  tenon_ho_build(rw, "core::cond", 1, &b->in, b->regions, b->types,
                 b->n + b->open.n, b->results);
  tenon_ho_take_open(rw, &b->open, b->stated, b->results, b->n);
  return rw->api->replace(rw, b->node, b->results, b->n);
}

tenon_status tenon_ho_cond_lower(tenon_rewriter *rw, const tenon_node *node) {
  branching b = {.node = node};
  return lower_cond(rw, &b);
}

tenon_status tenon_ho_while_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_ho_list in = {.n = 0}, args = {.n = 0};
  tenon_value *results[HO_MOST];
  const tenon_type *types[HO_MOST];
  tenon_region *regions[2];
  int n = tenon_ho_results(rw, node, types);
  if (n < 0) return ho_flow_too_many(rw);
  TENON_TRY(tenon_ho_operands(rw, node, 0, &in));
  if (in.n != n)
    return tenon_rw_fail(rw, "%d values are carried, %d come out", in.n, n);
  args.n = n;
  TENON_TRY(tenon_ho_operands(rw, node, 1, &args));
  for (int i = 0; i < 2; ++i) {
    int n_results = i == 0 ? 1 : n;
    regions[i] = rw->api->begin(rw, types, n, args.data);
    TENON_TRY(
        tenon_ho_call(rw, node, i, args.data, args.n, results, n_results));
    TENON_TRY(i == 0 ? check_flag(rw, results[0])
                     : tenon_ho_check_given(rw, i, results, types, n));
    TENON_TRY(rw->api->end(rw, regions[i], results, n_results));
  }
  tenon_ho_build(rw, "core::while", 0, &in, regions, types, n, results);
  return rw->api->replace(rw, node, results, n);
}

tenon_status tenon_ho_wrap_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_ho_list in = {.n = 0};
  tenon_value *results[HO_MOST];
  const tenon_type *types[HO_MOST];
  int n = tenon_ho_results(rw, node, types);
  if (n < 0) return ho_flow_too_many(rw);
  TENON_TRY(tenon_ho_operands(rw, node, 0, &in));
  TENON_TRY(tenon_ho_call(rw, node, 0, in.data, in.n, results, n));
  return rw->api->replace(rw, node, results, n);
}
