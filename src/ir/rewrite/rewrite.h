// ir/rewrite/rewrite.h - the tenon_rewriter that lowerings are given.
//
// Runs one lowering on one node. New nodes go before the node and get its
// place, fused with what they replace. If the lowering declines or fails,
// everything it built is unlinked again.
#ifndef TENON_IR_REWRITE_H
#define TENON_IR_REWRITE_H

#include "ir/graph.h"

typedef enum tenon_rewrite_outcome {
  TENON_REWRITE_DECLINED,
  TENON_REWRITE_REPLACED,
  TENON_REWRITE_REFUSED  // only where refusals are held
} tenon_rewrite_outcome;
// `owner` and `name` are said in messages: "lowering 'acme gain to mul' of
// plugin 'acme'". A failure has been reported, in the lowering's own words.
tenon_status tenon_rewrite_node(tenon_node *n, tenon_lower_fn *lower,
                                const void *user, const tenon_owner *owner,
                                const char *name,
                                tenon_rewrite_outcome *outcome);
// The same, but every node that was built (outside of regions) must be admitted
// in the place of `old`; else the lowering counts as having declined. Null
// admits all. With `held`, of TENON_REFUSAL_SIZE bytes, the words of a lowering
// that refuses the node go there instead of into a report, and that is no
// failure.
#define TENON_REFUSAL_SIZE (TENON_MESSAGE_SIZE + 256)
typedef bool tenon_admits_fn(void *self, const tenon_node *old,
                             const tenon_node *fresh);
tenon_status tenon_rewrite_node_if(tenon_node *n, tenon_lower_fn *lower,
                                   const void *user, const tenon_owner *owner,
                                   const char *name, tenon_admits_fn *admits,
                                   void *self, char *held,
                                   tenon_rewrite_outcome *outcome);

// tenon_rules_api.probe.
struct tenon_probe;
tenon_status tenon_rewrite_probe(tenon_node *n, tenon_lower_fn *lower,
                                 const void *user, const tenon_owner *owner,
                                 struct tenon_probe *probe);

#endif  // TENON_IR_REWRITE_H
