// How: a STABLEHLO_COMPOSITE names an operator and a subgraph that computes the
// same. Where somebody other than this library describes an operator of that
// name, the node becomes a core::composite, with the operator in its first
// region and a call of the subgraph in its second; which one is taken depends
// on the target, so passes decide. Elsewhere it stays what the file has.
#include "ir/graph_link.h"
#include "ir/infer/infer.h"
#include "read/tflite/tflite_import.h"
#include "reg/store.h"

enum { COMPOSITE_NAME, COMPOSITE_SUBGRAPH, COMPOSITE_ATTRIBUTES };
enum { COMPOSITE_VERSION = 4 };

static bool composed_is_served(const tenon_op *op, int64_t version) {
  uint32_t min = op->desc->version_min, max = op->desc->version_max;
  if (op->owner->is_builtin || op->schema->n_written > 0) return false;
  return (min == 0 && max == 0) || (version >= min && version <= max);
}

// By the rule of custom codes, or as "ns.name".
static tenon_status composed_find(tenon_import *im, const char *name,
                                  int64_t version, tenon_loc loc,
                                  const tenon_op **out) {
  char normal[512], label[TENON_LABEL];
  const tenon_op *op = NULL, *other = NULL;
  *out = NULL;
  if (version < 0 || version > INT32_MAX) return TENON_OK;
  switch (tenon_registry_find_custom(im->cx, name, (uint32_t)version, &op,
                                     &other)) {
    case TENON_CUSTOM_FOUND:
      break;
    case TENON_CUSTOM_AMBIGUOUS:
      tenon_label_make(label, tenon_text_of(name));
      return tenon_fail(&im->m->report, TENON_CONFLICT, "tflite-custom",
                        tenon_locs_place(&im->m->locs, loc),
                        "composite '%s' is by its key '%s' and '%s'", label,
                        op->name, other->name);
    case TENON_CUSTOM_VERSION:
      return TENON_OK;
    default:
      op = NULL;
      if (tenon_name_normal(name, normal, sizeof normal))
        TENON_TRY(tenon_registry_get_op(im->cx, normal, &op));
  }
  if (op && op->desc && composed_is_served(op, version)) *out = op;
  return TENON_OK;
}

// Parameters like the operands, which `in` receives.
static bool composed_begin(tenon_graph *region, const tenon_node_spec *outer,
                           tenon_value **in) {
  for (uint32_t i = 0; i < outer->n_in; ++i) {
    const tenon_value *v = outer->in[i];
    in[i] = v ? tenon_build_param(region, v->name, &v->type, outer->loc) : NULL;
    if (v && !in[i]) return false;
  }
  return true;
}

static tenon_status composed_fill(tenon_import *im, tenon_graph *region,
                                  const tenon_node_spec *spec) {
  tenon_node *node = tenon_build_node(region, NULL, spec);
  bool done =
      node && tenon_build_results(region, node->out, node->n_out, spec->loc);
  return done ? TENON_OK : tenon_import_built(im);
}

static tenon_status fill_both(tenon_import_graph *g, tenon_node *node,
                              const tenon_node_spec *outer, const tenon_op *op,
                              const tenon_fb_table *options) {
  tenon_import *im = g->im;
  tenon_arg args[] = {
      tenon_arg_int(
          "function",
          tenon_import_callee(g, COMPOSITE_SUBGRAPH, 0,
                              tenon_fb_int(options, COMPOSITE_SUBGRAPH, 0))),
      TENON_END_ARGS};
  tenon_value **in =
      tenon_arena_array(&im->scratch, tenon_value *, outer->n_in);
  if (!in) return tenon_fail_memory(&im->m->report, "reading a composite");
  tenon_node_spec named = {.op = op,
                           .in = in,
                           .n_in = outer->n_in,
                           .n_out = outer->n_out,
                           .types = outer->types,
                           .loc = outer->loc};
  TENON_TRY(tenon_import_attributes(
      g, tenon_fb_data(options, COMPOSITE_ATTRIBUTES),
      (uint32_t)tenon_fb_int(options, COMPOSITE_VERSION, 0), &named));
  if (!composed_begin(node->regions[0], outer, in))
    return tenon_import_built(im);
  TENON_TRY(composed_fill(im, node->regions[0], &named));
  tenon_node_spec call = {.op = tenon_module_op(im->m, "core::call"),
                          .args = args,
                          .in = in,
                          .n_in = outer->n_in,
                          .n_out = outer->n_out,
                          .types = outer->types,
                          .loc = outer->loc};
  if (!call.op || !composed_begin(node->regions[1], outer, in))
    return tenon_import_built(im);
  return composed_fill(im, node->regions[1], &call);
}

tenon_status tenon_import_composite(tenon_import_graph *g, uint32_t at,
                                    const tenon_import_code *code,
                                    const tenon_node_spec *spec,
                                    tenon_node **out) {
  tenon_import *im = g->im;
  const tenon_op *op = NULL;
  tenon_fb_table table = tenon_fb_item(&g->operators, at);
  tenon_fb_table options = tenon_fb_child(&table, OPERATOR_OPTIONS2);
  *out = NULL;
  if (code->is_custom || !code->row.name ||
      strcmp(code->row.name, "STABLEHLO_COMPOSITE") != 0)
    return TENON_OK;
  tenon_text name = tenon_fb_text(&options, COMPOSITE_NAME);
  if (name.size == 0 || !tenon_text_is_utf8(name.data, name.size))
    return TENON_OK;
  TENON_TRY(composed_find(im, name.data,
                          tenon_fb_int(&options, COMPOSITE_VERSION, 0),
                          spec->loc, &op));
  if (!op) return TENON_OK;
  tenon_node_spec outer = *spec;
  outer.op = tenon_module_op(im->m, "core::composite");
  outer.args = NULL;
  outer.attrs = NULL;
  outer.n_regions = 2;
  tenon_node *node = outer.op ? tenon_build_node(g->graph, NULL, &outer) : NULL;
  if (!node) return tenon_import_built(im);
  *out = node;
  return fill_both(g, node, &outer, op, &options);
}
