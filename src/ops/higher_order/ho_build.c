// Lists of values, and nodes made of them.
#include "core/type.h"
#include "ops/higher_order/ho_op.h"

tenon_status tenon_ho_add(tenon_rewriter *rw, tenon_ho_list *list,
                          tenon_value *v) {
  if (list->n == HO_MOST)
    return tenon_rw_fail(rw, "more than %d operands", HO_MOST);
  list->data[list->n++] = v;
  return TENON_OK;
}

tenon_status tenon_ho_operands(tenon_rewriter *rw, const tenon_node *node,
                               int arg, tenon_ho_list *out) {
  int first = 0, n = rw->api->group(rw, node, arg, &first);
  for (int i = 0; i < n; ++i)
    TENON_TRY(tenon_ho_add(rw, out, tenon_rw_operand(rw, node, first + i)));
  return TENON_OK;
}

void tenon_ho_types(tenon_rewriter *rw, const tenon_ho_list *list,
                    const tenon_type **types) {
  for (int i = 0; i < list->n; ++i)
    types[i] = tenon_rw_type(rw, list->data[i]);
}

tenon_status tenon_ho_call(tenon_rewriter *rw, const tenon_node *node,
                           int region, tenon_value *const *args, int n_args,
                           tenon_value **results, int n_results) {
  int has = 0, takes = rw->api->region(rw, node, region, &has);
  if (takes < 0) return tenon_rw_fail(rw, "graph %d is missing", region);
  if (takes != n_args || has != n_results)
    return tenon_rw_fail(rw,
                         "graph %d takes %d and returns %d values, expected %d "
                         "and %d",
                         region, takes, has, n_args, n_results);
  return rw->api->copy(rw, node, region, args, n_args, results, n_results);
}

tenon_status tenon_ho_check_given(tenon_rewriter *rw, int graph,
                                  tenon_value *const *values,
                                  const tenon_type *const *stated, int n) {
  for (int i = 0; i < n; ++i) {
    const tenon_type *a = tenon_rw_type(rw, values[i]), *b = stated[i];
    if (!a) return TENON_OK;  // something has failed, and was told
    if (!tenon_type_may_equal(a, b))
      return tenon_rw_fail(rw, "result %d of graph %d is of another type", i,
                           graph);
  }
  return TENON_OK;
}

int tenon_ho_results(tenon_rewriter *rw, const tenon_node *node,
                     const tenon_type **types) {
  int n = 0;
  for (; n < HO_MOST; ++n) {
    types[n] = rw->api->result(rw, node, n);
    if (!types[n]) return n;
  }
  return -1;
}

void tenon_ho_build(tenon_rewriter *rw, const char *op, int skip,
                    const tenon_ho_list *in, tenon_region *const *regions,
                    const tenon_type *const *types, int n_out,
                    tenon_value **out) {
  uint16_t group[3] = {0, 1, (uint16_t)in->n};
  if (skip == 0) group[1] = (uint16_t)in->n;
  tenon_build b = {.struct_size = sizeof(tenon_build)};
  b.n_in = (uint32_t)in->n;
  b.n_out = (uint32_t)n_out;
  b.n_regions = 2;
  b.op = op;
  b.in = in->data;
  b.in_group = group;
  b.out = out;
  b.regions = regions;
  b.types = types;
  rw->api->build(rw, &b);
}

tenon_value *tenon_ho_make(tenon_rewriter *rw, const char *op,
                           tenon_value *const *in, uint32_t n_in,
                           const tenon_arg *args, const tenon_type *type) {
  return tenon_rw_op_as(rw, op, in, n_in, NULL, args, type);
}

tenon_value *tenon_ho_reshape(tenon_rewriter *rw, tenon_value *x,
                              const tenon_dim *dims, int rank) {
  return tenon_ho_make(rw, "core::reshape", &x, 1,
                       TENON_ARGS(tenon_arg_dims("shape", dims, (size_t)rank)),
                       NULL);
}

tenon_value *tenon_ho_int(tenon_rewriter *rw, int64_t value) {
  static const tenon_dim one = {1, 0};
  const tenon_type type = {.dims = &one, .dtype = TENON_S64, .rank = 1};
  return rw->api->literal(rw, &type, &value);
}
