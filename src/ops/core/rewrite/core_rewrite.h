// ops/core/rewrite/core_rewrite.h - what the rewrites of this plugin share.
//
// Those of `canonicalise` and `fuse` are exact: a model has the same bits with
// and without them. They decline wherever that is not certain.
#ifndef TENON_OPS_CORE_CORE_REWRITE_H
#define TENON_OPS_CORE_CORE_REWRITE_H

#include "kern/op/move.h"
#include "tenon/ext/op.h"

// In core_rewrites.c, ended by null.
extern const tenon_lowering_desc *const tenon_core_rewrites[];

// Each is a row of core_rewrites.def.
#define CORE_LOWER(function) \
  tenon_status tenon_core_##function(tenon_rewriter *rw, const tenon_node *n)
#define CORE_REWRITE(function, its_pass, its_op, builds, its_name) \
  tenon_lower_fn tenon_core_##function;
#include "ops/core/rewrite/core_rewrites.def"

TENON_INLINE bool tenon_core_all_are(tenon_ints list, int64_t value) {
  for (size_t i = 0; i < list.count; ++i)
    if (list.data[i] != value) return false;
  return true;
}

// Of core_units.c; each declines where no reshape drops dimensions of 1.
tenon_status tenon_core_units_unary(tenon_rewriter *rw, const tenon_node *n);
tenon_status tenon_core_units_binary(tenon_rewriter *rw, const tenon_node *n);
tenon_status tenon_core_units_lists(tenon_rewriter *rw, const tenon_node *n,
                                    const char *const *lists,
                                    const int64_t *fill, int n_lists);
tenon_status tenon_core_units_concat(tenon_rewriter *rw, const tenon_node *n);

// Element type, shape and quantisation.
bool tenon_core_same_type(const tenon_type *a, const tenon_type *b);
bool tenon_core_same_scales(const tenon_quant *a, const tenon_quant *b);
// How many elements a shape without symbols has; -1 if it has symbols.
int64_t tenon_core_type_count(const tenon_type *t);
// Whether so many floats, or all constants of the program, are more than any
// microcontroller has: rewrites that take scratch, and more time where no
// kernel of an instruction set computes what they build, are for these. No
// target is asked, so that all of them compute the same bits.
bool tenon_core_is_large(tenon_rewriter *rw, int64_t floats);

// Attributes on their way from one node to another.
enum { CORE_MAX_ARGS = 12 };
typedef struct tenon_core_args {
  tenon_arg list[CORE_MAX_ARGS + 1];
} tenon_core_args;
// False when there are more than fit.
bool tenon_core_take_args(tenon_rewriter *rw, const tenon_node *n,
                          tenon_core_args *out);
// The argument of that name; null: the operator has none.
tenon_arg *tenon_core_find_arg(tenon_core_args *args, const char *name);

// Replaces `n`, whose only result has this type, by an operator of one result.
tenon_status tenon_core_rewrite_as(tenon_rewriter *rw, const tenon_node *n,
                                   const char *op, tenon_value *const *in,
                                   uint32_t n_in, const tenon_arg *args);

// Whether a permutation exchanges the last two dimensions and nothing else.
bool tenon_core_exchanges_last(const tenon_permute_attrs *a, int rank);

// Limits `lo` and `hi`, as a kernel applies them to what it computed.
typedef struct tenon_core_range {
  tenon_opt_float lo, hi;
} tenon_core_range;
// `first` and then `then` as one pair of limits. False where there is none: the
// two do not overlap, or a limit is no number.
bool tenon_core_limit_both(tenon_core_range first, tenon_core_range then,
                           tenon_core_range *out);
// The types in which limits behave as tenon_core_limit_both assumes.
bool tenon_core_has_exact_limits(const tenon_type *t);
// Reads and sets `lo` and `hi`; false where the operator has no such arguments.
bool tenon_core_get_limits(tenon_core_args *args, tenon_core_range *out);
void tenon_core_set_limits(tenon_core_args *args, tenon_core_range range);
// Takes the arguments of an operator that could limit its results and does not;
// false: it cannot, or does.
bool tenon_core_take_unlimited(tenon_rewriter *rw, const tenon_node *n,
                               tenon_core_args *out);

// Whether a name is in a list that null ends.
bool tenon_core_is_one_of(const char *name, const char *const *list);
// Of core_fuse.c: the constant of finite floats as a vector with an entry per
// channel of y, or null: it goes along the last dimension alone and raises no
// rank.
tenon_value *tenon_core_as_vector(tenon_rewriter *rw, tenon_value *v,
                                  const tenon_type *y);

#endif  // TENON_OPS_CORE_CORE_REWRITE_H
