// How: operators stand in execution order, so one pass suffices: what an
// operator reads has a value already, or it is a constant or a variable, which
// get theirs when they are first read. Division of operands among the arguments
// of a schema, and whether they suit it, is the builder's (ir/groups.c).
#include <stdio.h>
#include <string.h>

#include "ir/infer/infer.h"
#include "read/tflite/tflite_import.h"

// Variables are found by name, one after the other.
#define MAX_STATES 8192

static const tenon_place *tfl_node_place_at(const tenon_import *im,
                                            tenon_loc loc) {
  return tenon_locs_place(&im->m->locs, loc);
}

// ---------------------------------------------------------------------------
// Variables
// ---------------------------------------------------------------------------

// In LiteRT a variable begins as zeros, one of s8 as its zero point. False: as
// zeros.
static bool begins_at_zero_point(tenon_import *im, const tenon_type *t,
                                 int32_t *dims, tenon_tensor *out) {
  size_t size = 0;
  const tenon_quant *q = t->quant;
  if (t->dtype != TENON_S8 || !q || !q->zero || q->zero[0] == 0 ||
      !tenon_type_size(t, &size))
    return false;
  for (int i = 0; i < t->rank; ++i)
    dims[i] = (int32_t)t->dims[i].value;
  *out = (tenon_tensor){.dims = dims, .quant = q, .dtype = t->dtype};
  out->rank = t->rank;
  out->data = tenon_arena_alloc(&im->scratch, size + 1, 1);
  if (out->data) memset(out->data, q->zero[0], size);
  return true;
}

static tenon_status tfl_node_add_state(tenon_import_graph *g, uint32_t tensor,
                                       const char **name) {
  tenon_import *im = g->im;
  tenon_import_tensor *t = &g->tensors[tensor];
  const tenon_place *place = tenon_import_tensor_place(g, tensor);
  tenon_text given = tenon_fb_text(&t->table, TENSOR_NAME);
  if (im->m->states.count == MAX_STATES) {
    return tenon_fail(&im->m->report, TENON_UNSUPPORTED, "tflite-variable",
                      place, "more than %d variables", MAX_STATES);
  }
  tenon_state state = {.type = t->type, .loc = tenon_import_loc(im, place)};
  int32_t dims[TENON_MAX_RANK];
  tenon_tensor initial;
  if (begins_at_zero_point(im, &t->type, dims, &initial)) {
    if (!initial.data)
      return tenon_fail_memory(&im->m->report, "reading a variable");
    state.initial = &initial;
  }
  state.name = *name =
      tenon_import_unique(im, &im->names[TENON_IMPORT_STATES],
                          given.size > 0 ? given.data : "state");
  if (!state.name || !tenon_build_state(im->m, &state))
    return tenon_import_built(im);
  return TENON_OK;
}

// A variable is a state of the module; its value is read where it is first
// used. Operators that write it have it as a written argument, from which
// pass/functional/functional.c makes the write.
static tenon_status read_variable(tenon_import_graph *g, uint32_t tensor) {
  tenon_import *im = g->im;
  tenon_import_tensor *t = &g->tensors[tensor];
  const char *name = NULL, *shown = tenon_fb_text(&t->table, TENSOR_NAME).data;
  TENON_TRY(tfl_node_add_state(g, tensor, &name));
  t->value =
      tenon_build_state_read(g->graph, NULL, name, &t->type, shown,
                             im->m->states.data[im->m->states.count - 1].loc);
  return t->value ? TENON_OK : tenon_import_built(im);
}

// ---------------------------------------------------------------------------
// Operands
// ---------------------------------------------------------------------------

static tenon_status refuse_use(tenon_import_graph *g, uint32_t tensor,
                               tenon_loc reader) {
  tenon_import *im = g->im;
  const tenon_import_tensor *t = &g->tensors[tensor];
  const char *label =
      tenon_import_label(im, 0, tenon_fb_text(&t->table, TENSOR_NAME));
  if (t->producer == 0) {
    return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-graph",
                      tfl_node_place_at(im, reader),
                      "tensor %u (%s) has no data, and no operator writes it",
                      (unsigned)tensor, label);
  }
  return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-graph",
                    tfl_node_place_at(im, reader),
                    "tensor %u (%s) is read before operator %u writes it",
                    (unsigned)tensor, label, (unsigned)(t->producer - 1));
}

tenon_status tenon_import_use(tenon_import_graph *g, int64_t tensor,
                              tenon_loc reader, tenon_value **out) {
  if (tensor < 0 || tensor >= g->n_tensors) {
    return tenon_fail(&g->im->m->report, TENON_BAD_MODEL, "tflite-graph",
                      tfl_node_place_at(g->im, reader),
                      "reads tensor %lld of %u", (long long)tensor,
                      (unsigned)g->n_tensors);
  }
  tenon_import_tensor *t = &g->tensors[tensor];
  if (!t->value && t->is_variable)
    TENON_TRY(read_variable(g, (uint32_t)tensor));
  if (!t->value && (t->is_constant || tenon_import_is_empty(t)))
    TENON_TRY(tenon_import_constant(g, (uint32_t)tensor));
  *out = t->value;
  return t->value ? TENON_OK : refuse_use(g, (uint32_t)tensor, reader);
}

// A custom operator may be given memory to work in, like any tensor; whoever
// describes it says which. Nothing is asked of one that nobody describes: it
// is refused by its name, later.
static bool may_be_workspace(const tenon_import_graph *g, int64_t tensor,
                             const tenon_import_code *code) {
  return code->is_custom && tensor >= 0 && tensor < g->n_tensors &&
         (!code->op->desc || code->op->desc->read_tflite) &&
         tenon_import_is_blank(&g->tensors[tensor]);
}

static tenon_status tfl_node_read_operands(tenon_import_graph *g,
                                           const tenon_fb_vector *inputs,
                                           const tenon_import_code *code,
                                           tenon_node_spec *spec) {
  tenon_import *im = g->im;
  tenon_value **in =
      tenon_arena_array(&im->scratch, tenon_value *, inputs->count);
  g->is_workspace = tenon_arena_array(&im->scratch, bool, inputs->count);
  if (!in || !g->is_workspace)
    return tenon_fail_memory(&im->m->report, "reading an operator");
  for (uint32_t i = 0; i < inputs->count; ++i) {
    int64_t tensor = tenon_fb_item_int(inputs, i);
    in[i] = NULL;
    g->is_workspace[i] = false;
    if (tensor != -1 && !may_be_workspace(g, tensor, code))
      TENON_TRY(tenon_import_use(g, tensor, spec->loc, &in[i]));
  }
  spec->in = in;
  spec->n_in = inputs->count;
  return TENON_OK;
}

// Behind the reader of options: what it left without a word is missing.
static tenon_status tfl_node_check_operands(tenon_import_graph *g,
                                            const tenon_fb_vector *inputs,
                                            const tenon_node_spec *spec) {
  for (uint32_t i = 0; spec->op->desc && i < inputs->count; ++i) {
    int64_t tensor = tenon_fb_item_int(inputs, i);
    if (tensor != -1 && !spec->in[i] && !g->is_workspace[i])
      return refuse_use(g, (uint32_t)tensor, spec->loc);
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Results
// ---------------------------------------------------------------------------

// An empty shape without has_rank is that of a number, or is not known: a rule
// says which. A custom operator with a rule may make what it likes.
static bool is_silent(const tenon_import_tensor *t,
                      const tenon_import_code *code) {
  return t->has_unknown_rank && !t->type.quant && code->is_custom &&
         code->op->desc && code->op->desc->infer;
}

static tenon_status read_results(tenon_import_graph *g,
                                 const tenon_fb_vector *outputs,
                                 const tenon_import_code *code,
                                 tenon_node_spec *spec) {
  tenon_import *im = g->im;
  const tenon_type **types =
      tenon_arena_array(&im->scratch, const tenon_type *, outputs->count);
  const char **names =
      tenon_arena_array(&im->scratch, const char *, outputs->count);
  if (!types || !names)
    return tenon_fail_memory(&im->m->report, "reading an operator");
  for (uint32_t i = 0; i < outputs->count; ++i) {
    const tenon_import_tensor *t = &g->tensors[tenon_fb_item_int(outputs, i)];
    // LiteRT works out what its own operators give, whatever the file says;
    // converters write 1 where they do not know.
    uint16_t flags = t->has_unknown_rank ? TENON_TYPE_UNRANKED : 0;
    if (!code->is_custom && code->op->desc && code->op->desc->infer)
      flags |= g->is_resized ? TENON_TYPE_UNRANKED : TENON_TYPE_UNSURE;
    types[i] = is_silent(t, code) ? NULL : &t->type;
    if (types[i] && flags) {
      tenon_type *type = tenon_arena_copy(&im->scratch, &t->type,
                                          sizeof t->type, _Alignof(tenon_type));
      if (!type)
        return tenon_fail_memory(&im->m->report, "reading an operator");
      type->flags |= flags;
      types[i] = type;
    }
    names[i] = tenon_fb_text(&t->table, TENSOR_NAME).data;
  }
  spec->types = types;
  spec->names = names;
  spec->n_out = outputs->count;
  return TENON_OK;
}

// Positions cannot say where one list ends and the next begins.
static tenon_status tfl_node_check_lists(const tenon_import *im,
                                         const tenon_op *op, tenon_loc loc) {
  int n = 0;
  for (int i = 0; op->schema && tenon_schema_tensor(op->schema, i); ++i)
    n += tenon_schema_tensor(op->schema, i)->is_list;
  if (n < 2) return TENON_OK;
  return tenon_fail(&im->m->report, TENON_UNSUPPORTED, "tflite-operands",
                    tfl_node_place_at(im, loc),
                    "'%s' has %d lists of tensors, whose operands a .tflite "
                    "cannot tell apart",
                    op->name, n);
}

// Codes of the format that are two operators, of other operands, states or
// results, which a member of the options tells apart.
static const struct {
  const char *options, *code, *other;
  int64_t is;  // the member, for the other one
  uint8_t slot;
} twofold[] = {
    {"LSTMOptions", "LSTM", "::LSTM_BASIC", 1, 3},
    {"FullyConnectedOptions", "FULLY_CONNECTED", "::FULLY_CONNECTED_SHUFFLED",
     1, 1},
};

// Null: the one of its code.
static const char *other_name(const tenon_fb_table *op,
                              const tenon_import_code *code) {
  tenon_fb_table options = tenon_fb_child(op, OPERATOR_OPTIONS);
  if (code->is_custom || !code->op->desc || !options.type || !code->row.name)
    return NULL;
  for (size_t i = 0; i < sizeof twofold / sizeof *twofold; ++i)
    if (strcmp(options.type->name, twofold[i].options) == 0 &&
        strcmp(code->row.name, twofold[i].code) == 0 &&
        tenon_fb_int(&options, twofold[i].slot, 0) == twofold[i].is)
      return twofold[i].other;
  return NULL;
}

// What functions are passed has the types that rules give, not those that the
// file has for it.
static tenon_status infer_now(const tenon_import_graph *g, tenon_node *n,
                              const tenon_import_code *code,
                              const tenon_node_spec *spec) {
  if (g->im->file.subgraphs.count < 2 || code->is_custom || !code->op->desc ||
      !code->op->desc->infer)
    return TENON_OK;
  return tenon_infer_node(n, spec->types, false);
}

tenon_status tenon_import_node(tenon_import_graph *g, uint32_t op) {
  tenon_import *im = g->im;
  const tenon_import_code *code = NULL;
  tenon_node_spec spec = {0};
  tenon_fb_table table = tenon_fb_item(&g->operators, op);
  tenon_fb_vector inputs = tenon_fb_list(&table, OPERATOR_INPUTS);
  tenon_fb_vector outputs = tenon_fb_list(&table, OPERATOR_OUTPUTS);
  TENON_TRY(tenon_import_resolve(g, op, &code, &spec.loc));
  tenon_import_code other = *code;
  const char *name = other_name(&table, code);
  if (name) {
    char whole[64];
    (void)snprintf(whole, sizeof whole, "%s%s", TENON_TFLITE_SET, name);
    other.op = tenon_module_op(im->m, whole);
    if (!other.op) return tenon_import_built(im);
    code = &other;
  }
  spec.op = code->op;
  TENON_TRY(tfl_node_check_lists(im, spec.op, spec.loc));
  tenon_arena_mark mark = tenon_arena_save(&im->scratch);
  TENON_TRY(tfl_node_read_operands(g, &inputs, code, &spec));
  TENON_TRY(read_results(g, &outputs, code, &spec));
  TENON_TRY(tenon_import_options(g, op, code, &spec));
  TENON_TRY(tfl_node_check_operands(g, &inputs, &spec));
  tenon_node *node = NULL;
  TENON_TRY(tenon_import_composite(g, op, code, &spec, &node));
  if (!node) node = tenon_build_node(g->graph, NULL, &spec);
  if (!node) return tenon_import_built(im);
  if (node->op == code->op) TENON_TRY(infer_now(g, node, code, &spec));
  for (uint32_t i = 0; i < outputs.count; ++i)
    g->tensors[tenon_fb_item_int(&outputs, i)].value = node->out[i];
  tenon_arena_restore(&im->scratch, mark);
  return TENON_OK;
}
