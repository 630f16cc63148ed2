// ops/quant/fold/quant_links.h - what only moves or limits elements between
// nodes that compute: walking up over it, and making it again on integers.
#ifndef TENON_OPS_QUANT_QUANT_LINKS_H
#define TENON_OPS_QUANT_QUANT_LINKS_H

#include "tenon/ext/lower.h"

enum { TENON_QUANT_MAX_LINKS = 8 };

// What a walk goes over: views keep all elements, moves leave some out or
// repeat them, limits change them.
enum { TENON_QUANT_VIEWS = 1, TENON_QUANT_MOVES = 2, TENON_QUANT_LIMITS = 4 };

// Nodes that keep each element what it is, from the last to the first.
typedef struct tenon_quant_links {
  const tenon_node *node[TENON_QUANT_MAX_LINKS];
  tenon_value *made[TENON_QUANT_MAX_LINKS];  // what they make
  int n;
} tenon_quant_links;

// Whether n is one of these kinds.
bool tenon_quant_is_link(tenon_rewriter *rw, const tenon_node *n, int kinds);
// The value above all links of these kinds; `alone`: that nobody else reads.
tenon_value *tenon_quant_climb(tenon_rewriter *rw, tenon_value *v, int kinds,
                               bool alone, tenon_quant_links *out);
// The links again, on integers of one scale or of none, from the first to the
// last.
tenon_value *tenon_quant_follow(tenon_rewriter *rw, const tenon_quant_links *l,
                                tenon_value *v);
// Dimension `axis` behind view n; -1: it is no dimension any more.
int tenon_quant_axis_behind(tenon_rewriter *rw, const tenon_node *n,
                            const tenon_type *before, const tenon_type *after,
                            int axis);
// The dimension that a view joins `axis` and those before it to, if it does,
// which repeats its elements so many times; else -1.
int tenon_quant_axis_joined(const tenon_type *before, const tenon_type *after,
                            int axis, int64_t *times);

// `like` with other elements.
tenon_type tenon_quant_stored_as(const tenon_type *like, tenon_dtype dtype,
                                 const tenon_quant *quant);
// A node of one result of a type that is said. Null where an operand other than
// the third is.
tenon_value *tenon_quant_make(tenon_rewriter *rw, const char *op,
                              tenon_value *const *in, uint32_t n_in,
                              const tenon_arg *args, const tenon_type *type);
// n may be null.
bool tenon_quant_is_op(tenon_rewriter *rw, const tenon_node *n, const char *op);

#endif  // TENON_OPS_QUANT_QUANT_LINKS_H
