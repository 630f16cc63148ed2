// ops/aten/random/random_op.h - what lowerings of random operators share.
//
// PyTorch's operators draw from a generator that they do not name. Here it is a
// state of the program, TENON_ATEN_GENERATOR, which each draw reads and writes;
// core::random_* say what of it comes out (kern/num/generator.h). So the
// numbers are those that PyTorch draws on a CPU behind torch.manual_seed(seed),
// of the seed that the state is given: 0 where nobody gives one.
#ifndef TENON_OPS_ATEN_RANDOM_OP_H
#define TENON_OPS_ATEN_RANDOM_OP_H

#include "ops/aten/aten_op.h"

#define TENON_ATEN_GENERATOR "default_generator"

// What a node draws: its attribute `size`, or as many as operand 0 has, of the
// type that the file states.
typedef struct tenon_draw {
  tenon_rewriter *rw;
  const tenon_node *n;
  tenon_dtype type;
  tenon_dim dims[TENON_MAX_RANK];
  int rank;
} tenon_draw;

// `standard` is the type where neither the file nor an argument has one; 0:
// that of operand 0.
tenon_status tenon_draw_begin(tenon_draw *d, tenon_rewriter *rw,
                              const tenon_node *n, tenon_dtype standard);

// Of d's sizes; the first two of a float type. Values may be failed ones.
tenon_value *tenon_draw_even(const tenon_draw *d, tenon_dtype t, double low,
                             double high);
tenon_value *tenon_draw_normal(const tenon_draw *d, tenon_dtype t, double mean,
                               double std, bool single);
// From low to high, both included, as s64. `wide` as in core::random_integers;
// TENON_UNKNOWN: not said.
tenon_value *tenon_draw_integers(const tenon_draw *d, tenon_dim low,
                                 tenon_dim high, int64_t wide);
tenon_value *tenon_draw_permutation(const tenon_draw *d, tenon_dim n);
// True with probability p, as bool.
tenon_value *tenon_draw_truth(const tenon_draw *d, double p);

// x as dropout leaves it in training.
tenon_value *tenon_draw_dropped(tenon_rewriter *rw, tenon_value *x, double p);

// A double p that is no probability, or NaN, is refused.
tenon_status tenon_draw_check_share(tenon_rewriter *rw, double p);
// x * a, x / a, x + a, as PyTorch computes them with a Python number.
tenon_value *tenon_draw_by_number(tenon_rewriter *rw, const char *op,
                                  tenon_value *x, double a);

#endif  // TENON_OPS_ATEN_RANDOM_OP_H
