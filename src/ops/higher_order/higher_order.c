// higher_order.c - the plugin: one descriptor per name, all with lowerings.
// Types of results are those of the file; where sizes are open, the lowering
// that runs beside finds them.
#include "ops/higher_order/ho_op.h"

#define OP(name, arguments, lowering, what)       \
  static const tenon_op_desc op_##name = {        \
      .struct_size = sizeof(tenon_op_desc),       \
      .schema = "higher_order::" #name arguments, \
      .doc = what,                                \
      .lower = tenon_ho_##lowering##_lower,       \
  };

OP(cond, "(Tensor pred, Tensor[] args) -> Tensor[]", cond,
   "The results of one of two graphs, then and else, which both take args.")
OP(while_loop, "(Tensor[] carried, Tensor[] others) -> Tensor[]", while,
   "Repeats the second graph on what is carried while the first gives true.\n"
   "Both take carried and others.")
OP(scan,
   "(Tensor[] init, Tensor[] xs, Tensor[] others, *, int dim=0, bool "
   "reverse=False) -> Tensor[]",
   scan,
   "Carries init through the slices of xs, and stacks what is left of each.\n"
   "The graph takes what is carried, slices without dimension 0, and others.")
OP(associative_scan, "(Tensor[] xs, Tensor[] others) -> Tensor[]", associative,
   "All beginnings of xs along dimension 0, combined slice by slice from the "
   "first one on.")
OP(map_impl, "(Tensor[] xs, Tensor[] others) -> Tensor[]", map,
   "A graph on every slice of xs along dimension 0, results stacked.")
OP(map, "(Tensor[] xs, Tensor[] others) -> Tensor[]", map,
   "A graph on every slice of xs along dimension 0, results stacked.")
OP(wrap_with_set_grad_enabled, "(Tensor[] args, *, bool enabled) -> Tensor[]",
   wrap, "A graph; gradients do not matter here.")
OP(wrap_with_autocast,
   "(Tensor[] args, *, str device, ScalarType? dtype=None, bool enabled=True, "
   "bool? cache=None) -> Tensor[]",
   wrap, "A graph whose types are those after casting.")
OP(invoke_subgraph, "(Tensor[] args, *, str identifier=\"\") -> Tensor[]", wrap,
   "A graph that the program has in several places.")

#define WRITTEN                                                              \
  "(Tensor[] bases, Tensor[] args, *, int[] base, SymInt[] slice=[], int[] " \
  "rank=[], SymInt[] size=[], SymInt[] stride=[], SymInt[] offset=[]) -> "   \
  "Tensor[]"
#define WRITTEN_DOC                                                          \
  "An operator that writes, called on views of bases: its results, and the " \
  "bases\nas they are afterwards."
OP(auto_functionalized, WRITTEN, functionalized, WRITTEN_DOC)
OP(auto_functionalized_v2, WRITTEN, functionalized, WRITTEN_DOC)

static const tenon_op_desc *const ops[] = {&op_cond,
                                           &op_while_loop,
                                           &op_scan,
                                           &op_associative_scan,
                                           &op_map_impl,
                                           &op_map,
                                           &op_wrap_with_set_grad_enabled,
                                           &op_wrap_with_autocast,
                                           &op_invoke_subgraph,
                                           &op_auto_functionalized,
                                           &op_auto_functionalized_v2,
                                           NULL};

// What is written inside is written outside, so these go before writes become
// values.
#define OPENING(which)                              \
  static const tenon_lowering_desc open_##which = { \
      .struct_size = sizeof(tenon_lowering_desc),   \
      .name = "opens " #which,                      \
      .op = "higher_order::" #which,                \
      .pass = "functional",                         \
      .lower = tenon_ho_wrap_lower,                 \
  };
OPENING(wrap_with_set_grad_enabled)
OPENING(wrap_with_autocast)
OPENING(invoke_subgraph)

static const tenon_lowering_desc *const lowerings[] = {
    &open_wrap_with_set_grad_enabled, &open_wrap_with_autocast,
    &open_invoke_subgraph, NULL};

const tenon_plugin tenon_higher_order_plugin = {
    TENON_PLUGIN_HEADER, .name = "higher_order", .version = TENON_VERSION,
    .ops = ops,          .lowerings = lowerings,
};
