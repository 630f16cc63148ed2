// pass/pass.h - pipelines of passes over a module.
//
// A pipeline is a string:
// "functional,lower,fold,canonicalise,fuse,cse,channels,branches,winograd,
// strassen,gates,dce,bands".
// Each pass is verified after it ran. A rewrite of single operators is a
// lowering whose descriptor names the pass; what is here drives them and does
// what needs to see more than one node.
#ifndef TENON_PASS_PASS_H
#define TENON_PASS_PASS_H

#include "bind/choose.h"
#include "ir/graph.h"
#include "tenon/ext/pass.h"

typedef struct tenon_pass_run {
  const tenon_choice *choice;  // what the target's kernels cover
  const char *options;         // of this pass: "key=v key2=v2", or null
} tenon_pass_run;

// A built-in pass. Rows of passes.def.
typedef struct tenon_pass {
  const char *name;
  const char *doc;
  const char *options;  // as in a tenon_pass_desc
  bool is_optional;
  bool is_default;  // part of the default pipeline
  tenon_status (*run)(tenon_module *m, const tenon_pass_run *run);
} tenon_pass;
#define PASS(name, is_optional, options, doc) \
  tenon_status tenon_pass_##name(tenon_module *m, const tenon_pass_run *run);
#define TRADE(name, options, doc) PASS(name, true, options, doc)
#include "pass/passes.def"
#undef PASS
#undef TRADE
// Whether folding has left nothing of constants alone.
bool tenon_pass_is_folded(const tenon_module *m);
const tenon_pass *tenon_pass_find(const char *name);  // null: none
const tenon_pass *tenon_pass_at(size_t i);            // null beyond the last
// Whether the built-in pass of this name is what runs in a context: a plugin
// may have one in its place, and a customiser may have removed it.
bool tenon_pass_is_native(const tenon_context *cx, const char *name);

// "functional,inline,lower,..." : what compile applies.
extern const char tenon_pass_default[];

// The pipeline of a context: the built-in passes, or `o->pipeline`, with those
// of plugins where they want to be, and with what the rules switch off or set.
tenon_status tenon_pass_order(const tenon_context *cx,
                              const tenon_pipeline_options *o, tenon_buf *out);
// That `given` has no keys but those of `known`.
tenon_status tenon_pass_check_options(const tenon_context *cx, const char *pass,
                                      const char *given, const char *known);
// TENON_BAD_ARGUMENT, with the nearest.
tenon_status tenon_pass_unknown(const tenon_context *cx, const char *name);

// Applies a pipeline: names separated by commas, each with options in brackets,
// "lower[keep=acme::gain],dce". Unknown names: TENON_BAD_ARGUMENT with the
// nearest.
tenon_status tenon_pass_pipeline(tenon_module *m, const char *pipeline,
                                 const tenon_choice *choice,
                                 tenon_trace_fn *trace, void *self);
// Every node that nothing covers or that its lowering refused, in one error:
// counts per operator, reasons, the first places. TENON_OK when there is none.
// What a program needs before planning.
tenon_status tenon_pass_check_covered(tenon_module *m,
                                      const tenon_choice *choice);
// Why one of them is not covered: the words of its lowering, or which kernels
// there are.
void tenon_pass_explain_uncovered(const tenon_choice *choice,
                                  const tenon_node *n, tenon_arena *scratch,
                                  tenon_buf *out);
// "; did you mean 'acme::gain'?" of an operator that Tenon does not know, where
// another has nearly its name. Goes through all names: once per kind, not per
// node.
void tenon_pass_suggest(const tenon_context *cx, const char *op,
                        tenon_buf *out);

#endif  // TENON_PASS_PASS_H
