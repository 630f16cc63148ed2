// pass/rewrites.h - driving rewrites of single nodes to a fixed point.
#ifndef TENON_PASS_REWRITES_H
#define TENON_PASS_REWRITES_H

#include "ir/rewrite/rewrite.h"
#include "pass/pass.h"

// Tries, at every node of every function and region, the lowerings whose
// descriptor names `pass` (null in the descriptor: "lower"), in order, until
// none applies. What a rewrite builds is tried again. `skip`, if not null,
// leaves a node alone; `admits`, if not null, sees what is built first. What
// lowerings refuse goes into the findings of `choice`, if it has any.
tenon_status tenon_rewrites_apply(tenon_module *m, const char *pass,
                                  const tenon_choice *choice,
                                  bool (*skip)(void *self, const tenon_node *n),
                                  tenon_admits_fn *admits, void *self);
// The same for one graph and the regions in it.
tenon_status tenon_rewrites_apply_to(
    tenon_graph *g, const char *pass, const tenon_choice *choice,
    bool (*skip)(void *self, const tenon_node *n), void *self);
// Decides every core::composite: the operator stays where it, or what its
// lowerings make of it, is covered; elsewhere its second region does. `skip` is
// that of tenon_rewrites_apply. In composite.c.
tenon_status tenon_composites_resolve(
    tenon_module *m, const tenon_choice *choice,
    bool (*skip)(void *self, const tenon_node *n), void *self);
// Of dce.c, for passes that want the dead out of their way.
// A pass that a plugin brought.
tenon_status tenon_pass_run_plugin(tenon_module *m, const tenon_pass_desc *desc,
                                   const tenon_owner *owner,
                                   const tenon_pass_run *run);
// The value of an option, "key=value" among blanks, into `out`; false: absent.
bool tenon_pass_option(const tenon_pass_run *run, const char *key, char *out,
                       size_t size);

#endif  // TENON_PASS_REWRITES_H
