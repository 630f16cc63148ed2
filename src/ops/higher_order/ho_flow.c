// cond, while_loop and the wrappers: regions become those of core operators, or
// stand where they are called. What is not carried is seen from inside.
#include "ops/higher_order/ho_op.h"

static tenon_status too_many(tenon_rewriter *rw) {
  return tenon_rw_fail(rw, "more than %d results", HO_MOST);
}

// Sizes of a result that depend on which branch is taken have no form yet.
static tenon_status check_sizes(tenon_rewriter *rw, int i,
                                const tenon_type *stated, tenon_value *given) {
  const tenon_type *t = given ? tenon_rw_type(rw, given) : NULL;
  if (!t) return TENON_OK;  // `replace` reports it
  for (int d = 0; d < stated->rank && d < t->rank; ++d)
    if (stated->dims[d].symbol &&
        (t->dims[d].symbol != stated->dims[d].symbol ||
         t->dims[d].value != stated->dims[d].value))
      return tenon_rw_fail(rw,
                           "which branch runs decides dimension %d of result "
                           "%d, which is not supported",
                           d, i);
  return TENON_OK;
}

tenon_status tenon_ho_cond_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_ho_list in = {.n = 0};
  tenon_value *args[HO_MOST], *results[HO_MOST];
  const tenon_type *types[HO_MOST], *params[HO_MOST];
  tenon_region *regions[2];
  int n = tenon_ho_results(rw, node, types);
  if (n < 0) return too_many(rw);
  TENON_TRY(tenon_ho_operands(rw, node, 0, &in));
  TENON_TRY(tenon_ho_operands(rw, node, 1, &in));
  tenon_ho_types(rw, &in, params);
  for (int i = 0; i < 2; ++i) {
    regions[i] = rw->api->begin(rw, params + 1, in.n - 1, args);
    TENON_TRY(tenon_ho_call(rw, node, i, args, in.n - 1, results, n));
    for (int k = 0; k < n; ++k)
      TENON_TRY(check_sizes(rw, k, types[k], results[k]));
    TENON_TRY(rw->api->end(rw, regions[i], results, n));
  }
  tenon_ho_build(rw, "core::cond", 1, &in, regions, types, n, results);
  return rw->api->replace(rw, node, results, n);
}

tenon_status tenon_ho_while_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_ho_list in = {.n = 0}, args = {.n = 0};
  tenon_value *results[HO_MOST];
  const tenon_type *types[HO_MOST];
  tenon_region *regions[2];
  int n = tenon_ho_results(rw, node, types);
  if (n < 0) return too_many(rw);
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
  if (n < 0) return too_many(rw);
  TENON_TRY(tenon_ho_operands(rw, node, 0, &in));
  TENON_TRY(tenon_ho_call(rw, node, 0, in.data, in.n, results, n));
  return rw->api->replace(rw, node, results, n);
}
