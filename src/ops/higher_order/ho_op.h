// ops/higher_order/ho_op.h - what the files of this set share: lists of values,
// and building what takes regions.
#ifndef TENON_OPS_HIGHER_ORDER_HO_OP_H
#define TENON_OPS_HIGHER_ORDER_HO_OP_H

#include "core/symbol/symbol.h"
#include "ops/higher_order/higher_order.h"

// Most operands, parameters or results of a call; a model may pass all its
// weights into a branch.
#define HO_MOST 2048

typedef struct tenon_ho_list {
  tenon_value *data[HO_MOST];
  int n;
} tenon_ho_list;

// Adds operands of tensor argument `arg`. Fails where there are too many.
tenon_status tenon_ho_operands(tenon_rewriter *rw, const tenon_node *node,
                               int arg, tenon_ho_list *out);
tenon_status tenon_ho_add(tenon_rewriter *rw, tenon_ho_list *list,
                          tenon_value *v);
// Their types; null for a failed value.
void tenon_ho_types(tenon_rewriter *rw, const tenon_ho_list *list,
                    const tenon_type **types);
// The body of a graph argument, here, with these arguments. Fails where it
// takes or returns another number of values.
tenon_status tenon_ho_call(tenon_rewriter *rw, const tenon_node *node,
                           int region, tenon_value *const *args, int n_args,
                           tenon_value **results, int n_results);
// Fails where a damaged program's graph gives something else than its node is
// said to give. Sizes that are open on one side may be numbers on the other.
tenon_status tenon_ho_check_given(tenon_rewriter *rw, int graph,
                                  tenon_value *const *values,
                                  const tenon_type *const *stated, int n);
// How many results the node has, and their types, at most HO_MOST; -1: more.
int tenon_ho_results(tenon_rewriter *rw, const tenon_node *node,
                     const tenon_type **types);
// core::cond or while: all of `in` but the first `skip` are its list.
void tenon_ho_build(tenon_rewriter *rw, const char *op, int skip,
                    const tenon_ho_list *in, tenon_region *const *regions,
                    const tenon_type *const *types, int n_out,
                    tenon_value **out);
// An operator with one result of this type; null: as it infers.
tenon_value *tenon_ho_make(tenon_rewriter *rw, const char *op,
                           tenon_value *const *in, uint32_t n_in,
                           const tenon_arg *args, const tenon_type *type);
// x with these sizes.
tenon_value *tenon_ho_reshape(tenon_rewriter *rw, tenon_value *x,
                              const tenon_dim *dims, int rank);
tenon_value *tenon_ho_int(tenon_rewriter *rw, int64_t value);  // s64[1]

// A size of a result that depends on which branch runs.
#define HO_MOST_OPEN 32
typedef struct tenon_ho_open {
  int result, dim;
  tenon_dim sizes[2];   // in each branch
  tenon_dim bounds[2];  // the same, without what only the branch knows
  tenon_dim most;
  tenon_dim dims[TENON_MAX_RANK];  // of `type`
  tenon_type type;                 // of the result that is lengthened
  tenon_type mask;
  tenon_value *places;  // of the elements that the branch has made
} tenon_ho_open;
typedef struct tenon_ho_opens {
  tenon_ho_open data[HO_MOST_OPEN];
  int n;
} tenon_ho_opens;

// Adds the sizes of a branch's results that are not what the node states.
tenon_status tenon_ho_find_open(tenon_rewriter *rw, int branch,
                                const tenon_type *const *stated,
                                tenon_value *const *given, int n,
                                tenon_ho_opens *all);
// In a branch: makes those as long as they may be in either; behind the n
// results stands for each which of its places are the branch's own.
void tenon_ho_close_open(tenon_rewriter *rw, int branch,
                         const tenon_ho_opens *all, tenon_value **results,
                         int n);
// The types of all that.
void tenon_ho_type_open(tenon_rewriter *rw, tenon_ho_opens *all,
                        const tenon_type **types, int n);
// Behind the branch: takes the branch's own places.
void tenon_ho_take_open(tenon_rewriter *rw, tenon_ho_opens *all,
                        const tenon_type *const *stated, tenon_value **results,
                        int n);

TENON_INLINE tenon_dim tenon_ho_dim(int64_t value) {
  tenon_dim d = {value, 0};
  return d;
}

#define HO_LOWERING(name) \
  tenon_status tenon_ho_##name##_lower(tenon_rewriter *, const tenon_node *);
HO_LOWERING(cond)
HO_LOWERING(while)
HO_LOWERING(wrap)
HO_LOWERING(scan)
HO_LOWERING(map)
HO_LOWERING(associative)
HO_LOWERING(functionalized)
#undef HO_LOWERING

#endif  // TENON_OPS_HIGHER_ORDER_HO_OP_H
