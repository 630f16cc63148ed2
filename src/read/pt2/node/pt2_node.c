// How: a node that only computes on sizes leaves nothing but what its names
// stand for. Any other becomes a node of its own name, with the types that the
// graph declares; sizes that they mention for the first time are found out by
// it.
#include "ir/infer/infer.h"
#include "ir/written.h"
#include "read/pt2/pt2_import.h"

#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "pt2-operator", __VA_ARGS__)

static bool fx_node_is_number(const char *tag) {
  return strcmp(tag, "as_sym_int") == 0 || strcmp(tag, "as_sym_float") == 0 ||
         strcmp(tag, "as_sym_bool") == 0;
}

// ---------------------------------------------------------------------------
// Results
// ---------------------------------------------------------------------------

typedef struct results {
  TENON_VEC(const tenon_type *) types;
  TENON_VEC(const char *) names;
  TENON_VEC(uint16_t) groups;
  size_t n_single;  // groups that are one tensor
} results;

static tenon_status add_result(tenon_pt2_scope *s, results *r,
                               const tenon_json *tensor) {
  const char *name = NULL;
  const tenon_type *type = NULL;
  TENON_TRY(tenon_json_text(tenon_json_at(tensor, "name"), &name));
  TENON_TRY(tenon_pt2_declared(s, name, &type));
  if (r->names.count == UINT16_MAX)
    return fail(tensor, "more than %d results", UINT16_MAX);
  bool done =
      tenon_vec_push(&r->types, type) && tenon_vec_push(&r->names, name);
  return done ? TENON_OK : tenon_pt2_memory(s->im);
}

static tenon_status fx_node_add_number(tenon_pt2_scope *s, const char *tag,
                                       const tenon_json *value) {
  const char *kind = NULL, *name = NULL;
  tenon_json inner;
  tenon_pt2_name entry;
  TENON_TRY(tenon_json_tag(value, &kind, &inner));
  if (strcmp(kind, "as_name") != 0) return TENON_OK;  // a literal
  TENON_TRY(tenon_json_text(&inner, &name));
  TENON_TRY(tenon_pt2_number(s, &inner, tag, name, &entry));
  return tenon_pt2_define(s, &inner, name, &entry);
}

// A number that a loop has carried is a tensor until it is out.
static tenon_status add_carried(tenon_pt2_scope *s, results *r,
                                const tenon_json *value) {
  const char *name = NULL;
  TENON_TRY(tenon_json_text(tenon_json_at(value, "as_name"), &name));
  ++r->n_single;
  bool done = tenon_vec_push(&r->types, tenon_pt2_carried_type()) &&
              tenon_vec_push(&r->names, name);
  return done ? TENON_OK : tenon_pt2_memory(s->im);
}

// What the schema says of the i-th result, if it is of tensors; or null.
static const tenon_argument *schema_result(const tenon_pt2_node *n, size_t i) {
  const tenon_schema *s = n->op->schema;
  bool is_tensor = s && n->n_graphs == 0 && i < s->n_returns &&
                   s->returns[i].base == TENON_BASE_TENSOR;
  return is_tensor ? &s->returns[i] : NULL;
}

// None is a result without elements where the schema has a tensor; without a
// schema it is none at all.
static tenon_status add_none(tenon_pt2_node *n, results *r, size_t i) {
  const tenon_argument *a = schema_result(n, i);
  if (!a) return TENON_OK;
  ++r->n_single;
  bool done = tenon_vec_push(&r->types, tenon_written_nothing()) &&
              tenon_vec_push(&r->names, "") &&
              tenon_vec_push(&r->groups, (uint16_t)r->names.count);
  return done ? TENON_OK : tenon_pt2_memory(n->scope->im);
}

static tenon_status read_output(tenon_pt2_node *n, results *r, size_t at,
                                const tenon_json *output) {
  tenon_pt2_scope *s = n->scope;
  const char *tag = NULL;
  tenon_json value;
  TENON_TRY(tenon_json_tag(output, &tag, &value));
  if (strcmp(tag, "as_tensor") == 0) {
    TENON_TRY(add_result(s, r, &value));
    ++r->n_single;
  } else if (strcmp(tag, "as_sym_int") == 0 && n->n_carried > 0) {
    TENON_TRY(add_carried(s, r, &value));
  } else if (strcmp(tag, "as_tensors") == 0) {
    TENON_TRY(tenon_json_array(&value));
    for (size_t i = 0; i < tenon_json_count(&value); ++i) {
      tenon_json item = tenon_json_item(&value, i);
      TENON_TRY(add_result(s, r, &item));
    }
  } else {
    static const char *const literals[] = {"as_int", "as_float", "as_bool"};
    bool is_literal = false;
    for (size_t i = 0; i < sizeof literals / sizeof *literals; ++i)
      is_literal |= strcmp(tag, literals[i]) == 0;
    if (fx_node_is_number(tag)) return fx_node_add_number(s, tag, &value);
    if (strcmp(tag, "as_none") == 0) return add_none(n, r, at);
    if (is_literal) return TENON_OK;
    char label[TENON_LABEL];
    tenon_label_make(label, tenon_text_of(tag));
    return tenon_json_fail(output, TENON_UNSUPPORTED, "pt2-operator",
                           "a result of the kind '%s' is not supported", label);
  }
  bool done = tenon_vec_push(&r->groups, (uint16_t)r->names.count);
  return done ? TENON_OK : tenon_pt2_memory(s->im);
}

// Torch's own operators may leave a result of the type `Tensor` undefined (what
// an `output_mask` leaves out), which their schema does not say. Whoever gives
// one without a mask a meaning says what it is.
static bool may_leave_out(const tenon_op *op) {
  return (op->desc && (op->desc->flags & TENON_OP_DECLARED) != 0) ||
         tenon_schema_find(op->schema, "output_mask");
}

// One tensor is no list of one, and None neither: whoever wrote the file knew
// another schema.
static tenon_status check_kind(const tenon_pt2_node *n, size_t i,
                               const tenon_json *output) {
  const tenon_argument *a = schema_result(n, i);
  tenon_json one = tenon_json_get(output, "as_tensor");
  tenon_json list = tenon_json_get(output, "as_tensors");
  tenon_json none = tenon_json_get(output, "as_none");
  bool is_none = tenon_json_is(&none);
  if (!a) return TENON_OK;
  if (is_none ? !a->is_list && (a->is_optional || may_leave_out(n->op))
              : !tenon_json_is(a->is_list ? &one : &list))
    return TENON_OK;
  return fail(output,
              "'%s': result %zu is %s in the model, %s by the schema of '%s'",
              n->op->name, i,
              is_none      ? "none"
              : a->is_list ? "one tensor"
                           : "a list",
              a->is_list ? "a list" : "one tensor",
              n->op->owner ? n->op->owner->name : "the model");
}

static tenon_status read_outputs(tenon_pt2_node *n, results *r,
                                 tenon_pt2_mode mode) {
  tenon_pt2 *im = n->scope->im;
  im->mode = mode;
  im->decided.count = 0;
  if (!tenon_vec_push(&r->groups, 0)) return tenon_pt2_memory(im);
  for (size_t i = 0; i < tenon_json_count(&n->outputs); ++i) {
    tenon_json output = tenon_json_item(&n->outputs, i);
    TENON_TRY(check_kind(n, i, &output));
    TENON_TRY(read_output(n, r, i, &output));
  }
  im->mode = TENON_PT2_USES;
  return TENON_OK;
}

static tenon_status define_results(tenon_pt2_node *n, const results *r,
                                   const tenon_node *node) {
  for (size_t i = 0; i < r->names.count; ++i) {
    const char *name = r->names.data[i];
    if (r->types.data[i] == tenon_written_nothing()) continue;
    tenon_pt2_name entry = {.kind = TENON_PT2_VALUE, .value = node->out[i]};
    if (r->types.data[i] == tenon_pt2_carried_type())
      TENON_TRY(tenon_pt2_carried_number(n->scope, &n->outputs, name,
                                         entry.value, n->loc));
    else
      TENON_TRY(tenon_pt2_define(n->scope, &n->outputs, name, &entry));
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// The node
// ---------------------------------------------------------------------------

// Bounds are only said where a result is a list; a list may also be given one
// by one, as higher-order operators have it.
static void group_results(const results *r, tenon_node_spec *spec) {
  spec->n_out = (uint32_t)r->names.count;
  spec->types = r->types.data;
  spec->names = r->names.data;
  if (r->n_single == r->names.count) return;
  spec->out_group = r->groups.data;
  spec->n_out_groups = (uint16_t)(r->groups.count - 1);
}

static tenon_status fx_node_fill_regions(tenon_pt2_node *n,
                                         const tenon_node *node) {
  uint32_t k = 0;
  if (n->made) {
    tenon_json made = n->json;
    made.value = n->made;
    return n->scope->im->region(n, node->regions[0], &made);
  }
  for (size_t i = 0; i < tenon_json_count(&n->inputs); ++i) {
    tenon_json input = tenon_json_item(&n->inputs, i);
    tenon_json graph = tenon_json_get(tenon_json_at(&input, "arg"), "as_graph");
    if (!tenon_json_is(&graph)) continue;
    TENON_TRY(n->scope->im->region(n, node->regions[k++], &graph));
  }
  return TENON_OK;
}

// Where the file has a new symbol and the operator's rule knows the size: that
// is what the symbol stands for from here on.
static tenon_status know_results(tenon_pt2 *im, const results *r,
                                 tenon_node *node) {
  if (im->decided.count == 0 || !node->op->desc || node->n_regions > 0)
    return TENON_OK;
  TENON_TRY(tenon_infer_node(node, r->types.data, false));
  for (size_t i = 0; i < r->types.count && i < node->n_out; ++i) {
    const tenon_type *stated = r->types.data[i];
    const tenon_type *found = &node->out[i]->type;
    for (int k = 0; stated && k < stated->rank && k < found->rank; ++k) {
      uint32_t symbol = stated->dims[k].symbol;
      bool is_new = false;
      for (size_t j = 0; symbol && j < im->decided.count; ++j)
        is_new |= im->decided.data[j] == symbol;
      if (!is_new || tenon_node_decides(node, symbol) ||
          found->dims[k].symbol == symbol)
        continue;
      TENON_TRY(tenon_pt2_stands_for(im, symbol, found->dims[k]));
    }
  }
  return TENON_OK;
}

static tenon_status fx_node_build(tenon_pt2_node *n, results *r) {
  tenon_pt2 *im = n->scope->im;
  TENON_TRY(tenon_pt2_autocast(n, r->types.data, r->types.count));
  TENON_TRY(tenon_pt2_autocast_types(n, r->types.data, r->types.count));
  tenon_node_spec spec = {.op = n->op,
                          .args = im->args.data,
                          .in = im->in.data,
                          .n_in = (uint32_t)im->in.count,
                          .in_group = im->groups.data,
                          .n_in_groups = (uint16_t)(im->groups.count - 1),
                          .n_regions = n->n_graphs,
                          .loc = n->loc,
                          .decided = im->decided.data,
                          .n_decided = (uint32_t)im->decided.count};
  group_results(r, &spec);
  if (n->made) spec.out_group = NULL;
  tenon_node *node = tenon_build_node(n->scope->graph, NULL, &spec);
  if (!node) return tenon_pt2_built(im);
  TENON_TRY(know_results(im, r, node));
  TENON_TRY(define_results(n, r, node));
  if (!n->op->desc) TENON_TRY(tenon_pt2_describe(n));
  return n->n_graphs > 0 ? fx_node_fill_regions(n, node) : TENON_OK;
}

// What the tags of its arguments and results say already.
typedef struct outline {
  bool reads_tensors;
  bool makes_numbers;  // and nothing else
} outline;

static tenon_status fx_node_look(const tenon_pt2_node *n, outline *out) {
  size_t n_out = tenon_json_count(&n->outputs);
  out->reads_tensors = false;
  out->makes_numbers = n_out > 0;
  TENON_TRY(tenon_json_array(&n->inputs));
  TENON_TRY(tenon_json_array(&n->outputs));
  for (size_t i = 0; i < tenon_json_count(&n->inputs); ++i) {
    const char *tag = NULL;
    tenon_json input = tenon_json_item(&n->inputs, i), value;
    TENON_TRY(tenon_json_tag(tenon_json_at(&input, "arg"), &tag, &value));
    out->reads_tensors |= strstr(tag, "tensor") || strstr(tag, "graph");
  }
  for (size_t i = 0; i < n_out; ++i) {
    const char *tag = NULL;
    tenon_json output = tenon_json_item(&n->outputs, i), value;
    TENON_TRY(tenon_json_tag(&output, &tag, &value));
    out->makes_numbers &= fx_node_is_number(tag);
  }
  return TENON_OK;
}

static tenon_status read_arguments(tenon_pt2_node *n) {
  bool done = false;
  json_t *graph = NULL;
  if (tenon_op_is(n->op, "higher_order::auto_functionalized_v2") ||
      tenon_op_is(n->op, "higher_order::auto_functionalized"))
    TENON_TRY(tenon_pt2_functionalized(n, &done, &graph));
  n->made = graph;
  if (!done && tenon_op_is(n->op, "higher_order::auto_functionalized_v2")) {
    // Nobody knows what is called: this is all that can be said of it.
    n->op = tenon_module_unknown_op(n->scope->im->m, n->op->name);
    if (!n->op) return tenon_pt2_memory(n->scope->im);
  }
  if (!done) {
    TENON_TRY(tenon_pt2_arguments(n));
    return tenon_pt2_is_strided(n->op) ? tenon_pt2_strided(n)
                                       : tenon_pt2_copied(n);
  }
  n->n_graphs = 1;
  return TENON_OK;
}

static tenon_status fx_node_import(tenon_pt2_node *n, results *r) {
  tenon_pt2 *im = n->scope->im;
  outline o = {false, false};
  TENON_TRY(fx_node_look(n, &o));
  if (!o.reads_tensors && tenon_pt2_is_assertion(n->op))
    return tenon_pt2_assertion(n);
  bool is_arithmetic = o.makes_numbers && !o.reads_tensors;
  if (!is_arithmetic) TENON_TRY(read_arguments(n));
  TENON_TRY(
      read_outputs(n, r, is_arithmetic ? TENON_PT2_USES : TENON_PT2_DECIDES));
  // What is known of sizes need not be computed: it is an expression now.
  if (o.makes_numbers && im->decided.count == 0 && n->n_carried == 0)
    return TENON_OK;
  return fx_node_build(n, r);
}

// with_effects(token, operator, arguments...): the operator itself. Its order
// among others is that of the file, so the token says nothing more.
static tenon_status import_effect(tenon_pt2_node *n) {
  tenon_json operator_at = tenon_json_item(&n->inputs, 1);
  tenon_json target =
      tenon_json_get(tenon_json_at(&operator_at, "arg"), "as_operator");
  tenon_json token = tenon_json_item(&n->outputs, 0);
  tenon_json name_at =
      tenon_json_get(tenon_json_at(&token, "as_tensor"), "name");
  const char *text = NULL, *name = NULL;
  TENON_TRY(tenon_json_text(&target, &text));
  TENON_TRY(tenon_json_text(&name_at, &name));
  json_t *node = json_copy((json_t *)(uintptr_t)n->json.value);
  json_t *inputs = json_copy((json_t *)(uintptr_t)n->inputs.value);
  json_t *outputs = json_copy((json_t *)(uintptr_t)n->outputs.value);
  bool done =
      node && json_array_remove(inputs, 0) == 0 &&
      json_array_remove(inputs, 0) == 0 && json_array_remove(outputs, 0) == 0 &&
      json_object_set(node, "inputs", inputs) == 0 &&
      json_object_set(node, "outputs", outputs) == 0 &&
      json_object_set(node, "target", (json_t *)(uintptr_t)target.value) == 0;
  json_decref(inputs);
  json_decref(outputs);
  if (!done) json_decref(node);
  if (!done || !tenon_json_keep(n->json.doc, node))
    return tenon_pt2_memory(n->scope->im);
  tenon_json made = n->json;
  made.value = node;
  TENON_TRY(tenon_pt2_node_import(n->scope, &made));
  tenon_pt2_name entry = {.kind = TENON_PT2_NOTHING,
                          .what = "a token of effects"};
  return tenon_pt2_define(n->scope, &name_at, name, &entry);
}

tenon_status tenon_pt2_node_import(tenon_pt2_scope *s, const tenon_json *at) {
  tenon_pt2 *im = s->im;
  const char *target = NULL;
  tenon_pt2_node n = {.scope = s, .json = *at};
  TENON_TRY(tenon_json_object(at));
  tenon_json target_at = tenon_json_get(at, "target");
  TENON_TRY(tenon_json_text(&target_at, &target));
  TENON_TRY(tenon_pt2_node_loc(s, at, &n.loc));
  TENON_TRY(tenon_pt2_target(im, &target_at, target));
  n.op = tenon_module_op(im->m, im->text.data);
  if (!n.op) return tenon_pt2_memory(im);
  n.inputs = tenon_json_get(&n.json, "inputs");
  n.outputs = tenon_json_get(&n.json, "outputs");
  TENON_TRY(tenon_pt2_out_variant(&n));
  if (tenon_op_is(n.op, "higher_order::with_effects")) return import_effect(&n);
  results r;
  memset(&r, 0, sizeof r);
  tenon_vec_init(&r.types, im->cx->allocator);
  tenon_vec_init(&r.names, im->cx->allocator);
  tenon_vec_init(&r.groups, im->cx->allocator);
  tenon_status status = fx_node_import(&n, &r);
  tenon_vec_deinit(&r.groups);
  tenon_vec_deinit(&r.names);
  tenon_vec_deinit(&r.types);
  return status;
}
