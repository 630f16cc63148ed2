// ir/build.c - appending to a module, with everything completed and checked.
//
// A node is put together in steps that can each fail: groups, attributes,
// links, types. It is linked before its types are inferred, since a shape rule
// may need a lowering that builds beside it; when inference fails it is
// unlinked again, so a graph never holds half a node.
#include "ir/build.h"

#include <string.h>

#include "core/attr.h"
#include "ir/edit.h"
#include "ir/graph_link.h"
#include "ir/infer/infer.h"
#include "ir/initial.h"

static void *build_no_memory(tenon_module *m, const char *doing) {
  (void)tenon_fail_memory(&m->report, doing);
  return NULL;
}

static const tenon_place *place_at(const tenon_module *m, tenon_loc loc) {
  return tenon_locs_place(&m->locs, loc);
}

// Only what copying and measuring a type relies on; the rest is verified.
static tenon_status build_check_type(tenon_module *m, const tenon_type *type,
                                     tenon_loc loc, const char *what) {
  if (type && type->rank > TENON_MAX_RANK)
    return tenon_fail(&m->report, TENON_BAD_MODEL, "ir-type", place_at(m, loc),
                      "%s has %u dimensions, more than %d", what,
                      (unsigned)type->rank, TENON_MAX_RANK);
  if (!type || !tenon_dtype_look(type->dtype))
    return tenon_fail(&m->report, TENON_BAD_MODEL, "ir-type", place_at(m, loc),
                      "%s has no element type", what);
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Functions, parameters, results
// ---------------------------------------------------------------------------

tenon_graph *tenon_build_function(tenon_module *m, const char *name,
                                  tenon_loc loc) {
  uint32_t index = (uint32_t)m->functions.count;
  tenon_graph *g = tenon_graph_alloc(m, name, NULL, index, loc);
  if (!g || !tenon_vec_push(&m->functions, g))
    return build_no_memory(m, "building a function");
  return g;
}

// Room for one more parameter; the array doubles at powers of two.
static bool grow_params(tenon_graph *g) {
  uint32_t n = g->n_params;
  if (n != 0 && (n & (n - 1)) != 0) return true;
  tenon_value **params = tenon_arena_array(&g->module->arena, tenon_value *,
                                           n == 0 ? 1 : (size_t)n * 2);
  if (!params) return false;
  if (n > 0) memcpy(params, g->params, n * sizeof *params);
  g->params = params;
  return true;
}

tenon_value *tenon_build_param(tenon_graph *g, const char *name,
                               const tenon_type *type, tenon_loc loc) {
  tenon_module *m = g->module;
  if (build_check_type(m, type, loc, "a parameter") != TENON_OK) return NULL;
  if (g->n_params == UINT16_MAX) {
    (void)tenon_fail(&m->report, TENON_BAD_MODEL, "ir-limit", place_at(m, loc),
                     "function '%s' has more than %d parameters", g->name,
                     UINT16_MAX);
    return NULL;
  }
  tenon_value *v = tenon_value_alloc(m, TENON_VALUE_PARAM, name, loc);
  if (!v || !grow_params(g)) return build_no_memory(m, "building a parameter");
  v->type = tenon_type_copy(&m->arena, type);
  if (m->arena.failed) return build_no_memory(m, "building a parameter");
  v->graph = g;
  v->index = g->n_params;
  g->params[g->n_params++] = v;
  return v;
}

bool tenon_build_results(tenon_graph *g, tenon_value *const *values, uint32_t n,
                         tenon_loc loc) {
  tenon_module *m = g->module;
  if (n > UINT16_MAX) {
    (void)tenon_fail(&m->report, TENON_BAD_MODEL, "ir-limit", place_at(m, loc),
                     "function '%s' has more than %d results", g->name,
                     UINT16_MAX);
    return false;
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (values[i]) continue;
    (void)tenon_fail(&m->report, TENON_BAD_MODEL, "ir-operands",
                     place_at(m, loc), "result %u of function '%s' is missing",
                     (unsigned)i, g->name);
    return false;
  }
  tenon_node *end = tenon_node_alloc(g, n, 0, 0, loc);
  if (!end)
    return build_no_memory(m, "building the results of a function") != NULL;
  for (uint32_t i = 0; i < g->end->n_in; ++i)
    tenon_use_unlink(&g->end->in[i]);
  for (uint32_t i = 0; i < n; ++i)
    tenon_use_link(&end->in[i], values[i]);
  g->end = end;
  return true;
}

// ---------------------------------------------------------------------------
// Constants
// ---------------------------------------------------------------------------

// The view of a constant, without its data.
static tenon_tensor *make_tensor(tenon_module *m, const tenon_type *type) {
  tenon_tensor *t = tenon_arena_new(&m->arena, tenon_tensor);
  int32_t *dims = tenon_arena_array(&m->arena, int32_t, type->rank);
  if (!t || !dims) return NULL;
  for (int i = 0; i < type->rank; ++i)
    dims[i] = (int32_t)type->dims[i].value;
  t->dtype = type->dtype;
  t->rank = type->rank;
  t->dims = dims;
  t->quant = type->quant;
  return t;
}

static bool check_constant(tenon_module *m, const tenon_type *type,
                           tenon_loc loc) {
  if (build_check_type(m, type, loc, "a constant") != TENON_OK) return false;
  for (int i = 0; i < type->rank; ++i) {
    tenon_dim d = type->dims[i];
    if (tenon_dim_is_fixed(d) && d.value >= 0 && d.value <= INT32_MAX) continue;
    (void)tenon_fail(&m->report, TENON_BAD_MODEL, "ir-type", place_at(m, loc),
                     "dimension %d of a constant is not a size", i);
    return false;
  }
  return true;
}

static tenon_value *build_add_constant(tenon_module *m, const char *name,
                                       const tenon_type *type, const void *data,
                                       tenon_loc loc) {
  tenon_value *v = tenon_value_alloc(m, TENON_VALUE_CONSTANT, name, loc);
  if (!v) return build_no_memory(m, "building a constant");
  v->type = tenon_type_copy(&m->arena, type);
  if (m->arena.failed) return build_no_memory(m, "building a constant");
  tenon_tensor *t = make_tensor(m, &v->type);
  v->index = (uint32_t)m->constants.count;
  if (!t || !tenon_vec_push(&m->constants, v))
    return build_no_memory(m, "building a constant");
  t->data = (void *)(uintptr_t)data;
  v->constant = t;
  return v;
}

tenon_value *tenon_build_constant(tenon_module *m, const char *name,
                                  const tenon_type *type, const void *data,
                                  bool is_borrowed, tenon_loc loc) {
  size_t size = 0;
  if (!check_constant(m, type, loc)) return NULL;
  if (type->dtype == TENON_STR && !data)
    return tenon_build_strings(m, name, type, NULL, loc);
  if (!tenon_type_size(type, &size)) {
    (void)tenon_fail(&m->report, TENON_BAD_MODEL, "ir-type", place_at(m, loc),
                     "the bytes of a constant of '%s' cannot be counted",
                     tenon_dtype_name(type->dtype));
    return NULL;
  }
  if (!is_borrowed || !data) {
    // 64 is the alignment that kernels may count on.
    void *copy = data ? tenon_arena_copy(&m->arena, data, size, 64)
                      : tenon_arena_zalloc(&m->arena, size, 64);
    if (!copy) return build_no_memory(m, "building a constant");
    data = copy;
  }
  return build_add_constant(m, name, type, data, loc);
}

tenon_value *tenon_build_apart(tenon_module *m, const char *name,
                               const tenon_type *type, tenon_loc loc) {
  size_t size = 0;
  if (!check_constant(m, type, loc)) return NULL;
  if (type->dtype == TENON_STR || !tenon_type_size(type, &size) || size == 0)
    return tenon_build_constant(m, name, type, NULL, false, loc);
  return build_add_constant(m, name, type, NULL, loc);
}

tenon_value *tenon_build_strings(tenon_module *m, const char *name,
                                 const tenon_type *type,
                                 const tenon_text *texts, tenon_loc loc) {
  uint64_t count = 0;
  if (!check_constant(m, type, loc)) return NULL;
  if (type->dtype != TENON_STR || !tenon_type_count(type, &count) ||
      count > SIZE_MAX / sizeof(tenon_string)) {
    (void)tenon_fail(&m->report, TENON_BAD_MODEL, "ir-type", place_at(m, loc),
                     "a constant of strings of type '%s'",
                     tenon_dtype_name(type->dtype));
    return NULL;
  }
  const tenon_string *copy = tenon_build_texts(m, texts, (size_t)count);
  return copy ? build_add_constant(m, name, type, copy, loc)
              : build_no_memory(m, "building a constant");
}

const tenon_string *tenon_build_texts(tenon_module *m, const tenon_text *texts,
                                      size_t count) {
  tenon_string *copy = tenon_arena_array(&m->arena, tenon_string, count);
  for (size_t i = 0; copy && i < count; ++i) {
    copy[i].size = texts ? texts[i].size : 0;
    copy[i].at.data = tenon_arena_text(&m->arena, texts ? texts[i].data : "",
                                       (size_t)copy[i].size);
  }
  return m->arena.failed ? NULL : copy;
}

// ---------------------------------------------------------------------------
// Nodes
// ---------------------------------------------------------------------------

static bool check_limits(const tenon_graph *g, const tenon_node_spec *spec) {
  tenon_module *m = g->module;
  const char *what = NULL;
  if (spec->n_in > UINT16_MAX) what = "operands";
  if (spec->n_out > UINT16_MAX) what = "results";
  if (spec->n_regions > UINT16_MAX) what = "regions";
  if (spec->n_regions > 0 && g->depth >= TENON_MAX_NESTING)
    what = "regions around it";
  if (m->n_values > UINT32_MAX / 4 || m->n_nodes > UINT32_MAX / 4)
    what = "values before it";
  if (!what) return true;
  (void)tenon_fail(&m->report, TENON_BAD_MODEL, "ir-limit",
                   place_at(m, spec->loc), "'%s' has too many %s",
                   spec->op->name, what);
  return false;
}

static bool complete_attributes(tenon_module *m, const tenon_node_spec *spec,
                                tenon_node *n) {
  const tenon_op *op = spec->op;
  char error[256] = "";
  bool done = false;
  if (!op->schema) {
    n->args = tenon_args_copy(&m->arena, spec->args);
    n->attrs = n->args;
    if (!n->args) (void)tenon_fail_memory(&m->report, "building a node");
    return n->args != NULL;
  }
  const tenon_field *fields = op->desc ? op->desc->fields : NULL;
  size_t size = op->desc ? op->desc->attrs_size : 0;
  if (spec->attrs && !spec->args) {
    done =
        tenon_attr_unbind(&m->arena, op->schema, fields, spec->attrs, &n->args);
    if (!done)
      memcpy(error, "its options do not fit its schema",
             sizeof "its options do not fit its schema");
  } else {
    done = tenon_attr_complete(&m->arena, op->schema, spec->args, &n->args,
                               error, sizeof error);
  }
  if (done && fields && tenon_node_has_complex(n)) {
    memcpy(error, "its attributes have no form for a complex number",
           sizeof "its attributes have no form for a complex number");
    done = false;
  }
  if (done) n->attrs = tenon_attr_bind(&m->arena, fields, size, n->args);
  if (done && n->attrs) return true;
  if (m->arena.failed || done) {
    (void)tenon_fail_memory(&m->report, "building a node");
  } else {
    (void)tenon_fail(&m->report, TENON_BAD_MODEL, "ir-attributes",
                     place_at(m, spec->loc),
                     "'%s': %s; 'tenon ops %s' lists what it takes", op->name,
                     error, op->name);
  }
  return false;
}

static bool build_check_operands(tenon_graph *g, const tenon_node_spec *spec) {
  for (uint32_t i = 0; i < spec->n_in; ++i) {
    const tenon_value *v = spec->in[i];
    if (!v || (!v->has_failed && tenon_value_is_visible(v, g))) continue;
    (void)tenon_fail(&g->module->report, TENON_BAD_MODEL, "ir-operands",
                     place_at(g->module, spec->loc),
                     "'%s': operand %u is not defined here", spec->op->name,
                     (unsigned)i);
    return false;
  }
  return true;
}

static void set_groups(tenon_node *n, const tenon_groups *in,
                       const tenon_groups *out) {
  n->in_group = in->bounds;
  n->n_in_groups = (uint16_t)in->n_groups;
  n->out_group = out->bounds;
  n->n_out_groups = (uint16_t)out->n_groups;
  n->is_functional = out->is_functional;
}

static bool fill_regions(tenon_node *n, const tenon_node_spec *spec) {
  tenon_module *m = n->graph->module;
  for (uint32_t i = 0; i < n->n_regions; ++i) {
    n->regions[i] = spec->regions ? spec->regions[i]
                                  : tenon_graph_alloc(m, "", n, i, spec->loc);
    if (!n->regions[i]) return false;
    n->regions[i]->parent = n;
    n->regions[i]->index = i;
  }
  return true;
}

static tenon_node *assemble(tenon_graph *g, const tenon_node_spec *spec) {
  tenon_module *m = g->module;
  tenon_groups in, out;
  if (tenon_groups_in(m, spec, &in) != TENON_OK ||
      tenon_groups_out(m, spec, &out) != TENON_OK)
    return NULL;
  tenon_node *n =
      tenon_node_alloc(g, in.count, out.count, spec->n_regions, spec->loc);
  if (!n) return build_no_memory(m, "building a node");
  n->op = spec->op;
  set_groups(n, &in, &out);
  n->is_functional |= spec->is_functional;
  if (!complete_attributes(m, spec, n)) return NULL;
  if (spec->opaque)
    n->opaque = tenon_arena_copy(&m->arena, spec->opaque, spec->opaque_size, 1);
  if (spec->n_decided > 0)
    n->decided = tenon_arena_copy(&m->arena, spec->decided,
                                  spec->n_decided * sizeof *spec->decided,
                                  _Alignof(uint32_t));
  n->opaque_size = spec->opaque ? spec->opaque_size : 0;
  n->n_decided = spec->n_decided;
  for (uint32_t i = 0; spec->names && i < n->n_out; ++i) {
    if (spec->names[i] && spec->names[i][0])
      n->out[i]->name = tenon_arena_string(&m->arena, spec->names[i]);
  }
  if (!fill_regions(n, spec) || m->arena.failed)
    return build_no_memory(m, "building a node");
  for (uint32_t i = 0; i < spec->n_in; ++i)
    tenon_use_link(&n->in[i], spec->in[i]);
  return n;
}

// Takes the given types, and runs the shape rule if some are missing, or if it
// is all there is to ask: a node without results may decide numbers.
static tenon_status set_types(tenon_node *n, const tenon_node_spec *spec) {
  tenon_module *m = n->graph->module;
  bool is_missing = n->n_out == 0 && n->n_decided == 0 && n->op &&
                    n->op->desc && n->op->desc->infer;
  for (uint32_t i = 0; i < n->n_out; ++i) {
    const tenon_type *t = spec->types ? spec->types[i] : NULL;
    is_missing |= !t;
    if (!t) continue;
    TENON_TRY(build_check_type(m, t, n->loc, "a result"));
    n->out[i]->type = tenon_type_copy(&m->arena, t);
  }
  if (m->arena.failed) return tenon_fail_memory(&m->report, "building a node");
  if (!is_missing || (n->n_regions > 0 && !spec->regions)) return TENON_OK;
  return tenon_infer_node(n, spec->types, false);
}

tenon_node *tenon_build_node(tenon_graph *g, tenon_node *before,
                             const tenon_node_spec *spec) {
  if (!check_limits(g, spec) || !build_check_operands(g, spec)) return NULL;
  tenon_node *n = assemble(g, spec);
  if (!n) return NULL;
  tenon_node_link(g, n, before);
  if (set_types(n, spec) == TENON_OK) return n;
  tenon_node_erase(n);
  return NULL;
}

tenon_value *tenon_build_value(tenon_graph *g, tenon_node *before,
                               const char *op, const tenon_type *type,
                               tenon_node_spec spec) {
  if (op) spec.op = tenon_module_op(g->module, op);
  spec.n_out = 1;
  spec.types = type ? &type : NULL;
  tenon_node *n = spec.op ? tenon_build_node(g, before, &spec) : NULL;
  return n ? n->out[0] : NULL;
}

tenon_value *tenon_build_state_read(tenon_graph *g, tenon_node *before,
                                    const char *state, const tenon_type *type,
                                    const char *name, tenon_loc loc) {
  const tenon_arg args[] = {tenon_arg_str("state", state), TENON_END_ARGS};
  return tenon_build_value(
      g, before, "core::state_read", type,
      (tenon_node_spec){.args = args, .names = &name, .loc = loc});
}

tenon_node *tenon_build_state_write(tenon_graph *g, tenon_node *before,
                                    const char *state, tenon_value *value,
                                    tenon_loc loc) {
  const tenon_arg args[] = {tenon_arg_str("state", state), TENON_END_ARGS};
  const tenon_node_spec spec = {
      .op = tenon_module_op(g->module, "core::state_write"),
      .args = args,
      .in = &value,
      .n_in = 1,
      .loc = loc};
  return spec.op ? tenon_build_node(g, before, &spec) : NULL;
}

tenon_node_spec tenon_spec_like(const tenon_node *n, tenon_value *const *in) {
  return (tenon_node_spec){.op = n->op,
                           .args = n->args,
                           .in = in,
                           .n_in = n->n_in,
                           .in_group = n->in_group,
                           .n_in_groups = n->in_group ? n->n_in_groups : 0,
                           .n_out = n->n_out,
                           .out_group = n->out_group,
                           .n_out_groups = n->out_group ? n->n_out_groups : 0,
                           .loc = n->loc};
}

// ---------------------------------------------------------------------------
// What stands beside the graphs
// ---------------------------------------------------------------------------

static const char *const *copy_names(tenon_arena *arena,
                                     const char *const *names, size_t n) {
  const char **copy = tenon_arena_array(arena, const char *, n);
  for (size_t i = 0; copy && i < n; ++i)
    copy[i] = tenon_arena_string(arena, names && names[i] ? names[i] : "");
  return copy;
}

bool tenon_build_entry(tenon_module *m, const char *name, tenon_graph *g,
                       const char *const *inputs, const char *const *outputs) {
  return tenon_build_entry_writing(m, name, g, inputs, outputs, NULL, 0);
}

bool tenon_build_entry_writing(tenon_module *m, const char *name,
                               tenon_graph *g, const char *const *inputs,
                               const char *const *outputs,
                               const uint16_t *writes, uint32_t n_writes) {
  tenon_entry_point entry = {0};
  if (n_writes > g->end->n_in || n_writes > g->n_params) {
    (void)tenon_fail_bug(&m->report, "entry '%s' writes %u of %u inputs",
                         name ? name : "", (unsigned)n_writes,
                         (unsigned)g->n_params);
    return false;
  }
  entry.name = tenon_arena_string(&m->arena, name ? name : "");
  entry.graph = g;
  entry.inputs = copy_names(&m->arena, inputs, g->n_params);
  entry.outputs = copy_names(&m->arena, outputs, g->end->n_in - n_writes);
  entry.n_writes = (uint16_t)n_writes;
  if (n_writes > 0)
    entry.writes = tenon_arena_copy(
        &m->arena, writes, n_writes * sizeof *writes, _Alignof(uint16_t));
  if (!m->arena.failed && tenon_vec_push(&m->entries, entry)) return true;
  return build_no_memory(m, "building an entry") != NULL;
}

static const tenon_tensor *copy_initial(tenon_module *m,
                                        const tenon_state *state) {
  size_t size = 0;
  tenon_tensor *t = make_tensor(m, &state->type);
  if (!t || !tenon_type_size(&state->type, &size)) return NULL;
  if (tenon_tensor_is_apart(state->initial)) return t;
  t->data = state->is_borrowed
                ? state->initial->data
                : tenon_arena_copy(&m->arena, state->initial->data, size, 64);
  return t->data || size == 0 ? t : NULL;
}

static bool check_initial(tenon_module *m, const tenon_state *state) {
  const tenon_tensor *t = state->initial;
  bool fits = t->dtype == state->type.dtype && t->rank == state->type.rank &&
              (t->dtype != TENON_STR || state->is_borrowed);
  for (int i = 0; fits && i < t->rank; ++i)
    fits = tenon_dim_equals(state->type.dims[i], tenon_dim_fixed(t->dims[i]));
  if (fits) return check_constant(m, &state->type, state->loc);
  (void)tenon_fail(
      &m->report, TENON_BAD_MODEL, "ir-type", place_at(m, state->loc),
      "the initial value of state '%s' has another type", state->name);
  return false;
}

bool tenon_build_state(tenon_module *m, const tenon_state *state) {
  const tenon_state *given = tenon_module_find_given(m, state->name);
  tenon_state with = *state;
  if (given) {
    with.initial = given->initial;
    with.is_borrowed = true;
    state = &with;
  }
  if (build_check_type(m, &state->type, state->loc, "a state") != TENON_OK)
    return false;
  if (tenon_module_find_state(m, state->name) >= 0) {
    (void)tenon_fail(&m->report, TENON_BAD_MODEL, "ir-name",
                     place_at(m, state->loc), "there are two states '%s'",
                     state->name);
    return false;
  }
  if (state->initial && !check_initial(m, state)) return false;
  tenon_state copy = *state;
  copy.name = tenon_arena_string(&m->arena, state->name);
  copy.type = tenon_type_copy(&m->arena, &state->type);
  if (state->initial) copy.initial = copy_initial(m, &copy);
  if (m->arena.failed || !copy.name || (state->initial && !copy.initial) ||
      !tenon_map_put_text(&m->state_names, copy.name, m->states.count, NULL) ||
      !tenon_vec_push(&m->states, copy))
    return build_no_memory(m, "building a state") != NULL;
  return true;
}
