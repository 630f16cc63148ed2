// ir/graph.c - a module's beginning and end, and walking through it.
//
// Nodes, values and texts come from the arena; only the growable tables of the
// module take memory of their own. Records of operators that nobody describes
// are made when a name is first met and found again by it.
#include "ir/graph.h"

#include <string.h>

#include "base/heap.h"
#include "core/attr.h"
#include "ir/edit.h"
#include "ir/turned.h"

tenon_status tenon_module_create(tenon_context *cx, const char *name,
                                 tenon_module **out) {
  *out = NULL;
  tenon_module *m =
      tenon_alloc(&cx->allocator, sizeof *m, _Alignof(tenon_module));
  if (!m) return tenon_fail_memory(&cx->report, "making a module");
  memset(m, 0, sizeof *m);
  tenon_context_retain(cx);
  m->cx = cx;
  m->report = cx->report;
  tenon_arena_init(&m->arena, cx->allocator);
  tenon_locs_init(&m->locs, &m->arena, cx->allocator);
  tenon_symbols_init(&m->symbols, &m->arena, cx->allocator);
  tenon_vec_init(&m->functions, cx->allocator);
  tenon_vec_init(&m->entries, cx->allocator);
  tenon_vec_init(&m->constants, cx->allocator);
  tenon_vec_init(&m->states, cx->allocator);
  tenon_vec_init(&m->given, cx->allocator);
  tenon_vec_init(&m->metadata, cx->allocator);
  tenon_vec_init(&m->guards, cx->allocator);
  tenon_map_init(&m->unknown, cx->allocator);
  tenon_map_init(&m->state_names, cx->allocator);
  tenon_vec_init(&m->scopes, cx->allocator);
  tenon_map_init(&m->scope_names, cx->allocator);
  atomic_init(&m->references, 1);
  m->name = tenon_arena_string(&m->arena, name ? name : "");
  m->format = "text";
  if (!m->name) {
    tenon_module_release(m);
    return tenon_fail_memory(&cx->report, "making a module");
  }
  *out = m;
  return TENON_OK;
}

void tenon_module_retain(tenon_module *m) {
  atomic_fetch_add_explicit(&m->references, 1, memory_order_relaxed);
}

void tenon_module_release(tenon_module *m) {
  if (!m) return;
  if (atomic_fetch_sub_explicit(&m->references, 1, memory_order_acq_rel) != 1)
    return;
  tenon_context *cx = m->cx;
  tenon_allocator allocator = cx->allocator;
  tenon_map_deinit(&m->scope_names);
  tenon_vec_deinit(&m->scopes);
  tenon_map_deinit(&m->state_names);
  tenon_map_deinit(&m->unknown);
  tenon_vec_deinit(&m->metadata);
  tenon_vec_deinit(&m->guards);
  tenon_vec_deinit(&m->given);
  tenon_vec_deinit(&m->states);
  tenon_vec_deinit(&m->constants);
  tenon_vec_deinit(&m->entries);
  tenon_vec_deinit(&m->functions);
  tenon_symbols_deinit(&m->symbols);
  tenon_locs_deinit(&m->locs);
  tenon_arena_deinit(&m->arena);
  tenon_free(&allocator, m, sizeof *m, _Alignof(tenon_module));
  tenon_context_release(cx);
}

static tenon_op *make_unknown(tenon_module *m, const char *name) {
  tenon_op *op = tenon_arena_new(&m->arena, tenon_op);
  const char *copy = tenon_arena_string(&m->arena, name);
  if (!op || !copy) return NULL;
  op->name = copy;
  return tenon_map_put_text(&m->unknown, copy, (uint64_t)(uintptr_t)op, NULL)
             ? op
             : NULL;
}

const tenon_op *tenon_module_unknown_op(tenon_module *m, const char *name) {
  const uint64_t *known = tenon_map_find_text(&m->unknown, name);
  if (known) return (const tenon_op *)(uintptr_t)*known;
  tenon_op *op = make_unknown(m, name);
  if (!op) (void)tenon_fail_memory(&m->report, "adding an operator");
  return op;
}

const tenon_op *tenon_module_op(tenon_module *m, const char *name) {
  const tenon_op *op = NULL;
  if (tenon_registry_get_op(m->cx, name, &op) != TENON_OK) return NULL;
  // What is declared alone may be an out variant here (ir/out_variant.h).
  bool is_declared = op && (op->desc->flags & TENON_OP_DECLARED);
  const uint64_t *known =
      is_declared ? tenon_map_find_text(&m->unknown, name) : NULL;
  if (known) return (const tenon_op *)(uintptr_t)*known;
  return op ? op : tenon_module_unknown_op(m, name);
}

int tenon_module_find_state(const tenon_module *m, const char *name) {
  const uint64_t *i = name ? tenon_map_find_text(&m->state_names, name) : NULL;
  return i ? (int)*i : -1;
}

const tenon_metadata *tenon_module_find_metadata(const tenon_module *m,
                                                 const char *kind,
                                                 const char *name) {
  for (size_t i = 0; i < m->metadata.count; ++i) {
    const tenon_metadata *row = &m->metadata.data[i];
    if (tenon_text_starts(row->key, kind) &&
        strcmp(row->key + strlen(kind), name) == 0)
      return row;
  }
  return NULL;
}

int tenon_node_group(const tenon_node *n, int arg, int *first) {
  int count = 0, at = 0;
  if (arg >= 0 && arg < n->n_in_groups) {
    at = n->in_group ? n->in_group[arg] : arg;
    count = n->in_group ? n->in_group[arg + 1] - at : 1;
  }
  if (first) *first = at;
  return count;
}

const tenon_arg *tenon_node_arg(const tenon_node *n, const char *name) {
  for (const tenon_arg *a = n->args; a && a->name; ++a) {
    if (strcmp(a->name, name) == 0) return a;
  }
  return NULL;
}

tenon_dim tenon_node_size(const tenon_node *n, const char *name, int i) {
  tenon_dim none = {TENON_UNKNOWN, 0};
  const tenon_arg *a = tenon_node_arg(n, name);
  if (!a || i < 0) return none;
  size_t at = (size_t)i;
  switch (a->kind) {
    case TENON_KIND_BOOL:
    case TENON_KIND_INT:
      return at == 0 ? tenon_dim_fixed(a->as.i) : none;
    case TENON_KIND_INTS:
      return at < a->as.ints.count ? tenon_dim_fixed(a->as.ints.data[at])
                                   : none;
    case TENON_KIND_DIMS:
      return at < a->as.dims.count ? a->as.dims.data[at] : none;
    case TENON_KIND_SCALAR:
      return at == 0 && a->as.scalar.kind == TENON_KIND_INT
                 ? tenon_dim_fixed(a->as.scalar.as.i)
                 : none;
    default:
      return none;
  }
}

bool tenon_op_is(const tenon_op *op, const char *name) {
  return op && strcmp(op->name, name) == 0;
}

bool tenon_node_is(const tenon_node *n, const char *op) {
  return tenon_op_is(n->op, op);
}

bool tenon_op_is_pure(const tenon_op *op) {
  return op && op->desc && (op->desc->flags & TENON_OP_PURE) != 0;
}

static bool is_complex(const tenon_type *t) {
  return t->dtype && tenon_dtype_look(t->dtype)->kind == 'c';
}

bool tenon_node_is_complex(const tenon_node *n) {
  bool is = false;
  for (uint32_t i = 0; i < n->n_in; ++i)
    is |= n->in[i].value && is_complex(&n->in[i].value->type);
  for (uint32_t i = 0; i < n->n_out; ++i)
    is |= is_complex(&n->out[i]->type);
  return is || tenon_node_has_complex(n);
}

bool tenon_node_has_complex(const tenon_node *n) {
  bool has = false;
  if (!n->op || !n->op->schema) return false;
  for (const tenon_arg *a = n->args; a && a->name; ++a) {
    const tenon_argument *argument = tenon_schema_find(n->op->schema, a->name);
    has |= argument && tenon_attr_is_complex(argument, a);
  }
  return has;
}

const tenon_tensor *tenon_value_known(const tenon_value *v) {
  if (!v) return NULL;
  if (!v->constant) return v->known;
  const tenon_tensor *t = tenon_value_constant(v);
  return tenon_tensor_is_apart(t) ? NULL : t;
}

bool tenon_value_element(const tenon_value *v, int64_t i, tenon_dim *out) {
  if (!v || i < 0) return false;
  const tenon_tensor *t = v->constant;
  if (!t) {
    if ((uint64_t)i >= v->n_elements) return false;
    *out = v->elements[i];
    return !tenon_dim_is_none(*out);
  }
  if (tenon_tensor_is_apart(t) || (uint64_t)i >= tenon_count(t)) return false;
  int64_t wide = 0;
  int32_t narrow = 0;
  if (t->dtype == TENON_S64) {
    memcpy(&wide, (const char *)t->data + i * 8, sizeof wide);
  } else if (t->dtype == TENON_S32) {
    memcpy(&narrow, (const char *)t->data + i * 4, sizeof narrow);
    wide = narrow;
  } else {
    return false;
  }
  *out = tenon_dim_fixed(wide);
  return wide != TENON_UNKNOWN;
}

bool tenon_node_decides(const tenon_node *n, uint32_t symbol) {
  for (uint32_t i = 0; symbol != 0 && i < n->n_decided; ++i)
    if (n->decided[i] == symbol) return true;
  return false;
}

bool tenon_loop_grows(const tenon_node *n, uint32_t i) {
  if (n->n_decided == 0 || n->n_regions != 2 || i >= n->regions[0]->n_params)
    return false;
  const tenon_type *t = &n->regions[0]->params[i]->type;
  for (int d = 0; d < t->rank; ++d)
    if (tenon_node_decides(n, t->dims[d].symbol)) return true;
  return false;
}

bool tenon_node_is_sized_by(const tenon_node *n, uint32_t symbol) {
  for (uint32_t i = 0; i < n->n_out; ++i)
    for (int d = 0; d < n->out[i]->type.rank; ++d)
      if (n->out[i]->type.dims[d].symbol == symbol) return true;
  return false;
}

bool tenon_op_is_droppable(const tenon_op *op) {
  const uint32_t any = TENON_OP_PURE | TENON_OP_DROPPABLE;
  return op && op->desc && (op->desc->flags & any) != 0;
}

tenon_status tenon_graph_visit(tenon_graph *g, tenon_visit_fn *visit,
                               void *self) {
  tenon_node *next = NULL;
  for (tenon_node *n = g->first; n; n = next) {
    next = n->next;
    if (n->is_erased) continue;
    TENON_TRY(visit(self, n));
    for (uint32_t i = 0; i < n->n_regions && !n->is_erased; ++i)
      TENON_TRY(tenon_graph_visit(n->regions[i], visit, self));
    if (!n->is_erased) next = n->next;
  }
  return TENON_OK;
}

tenon_status tenon_module_visit(tenon_module *m, tenon_visit_fn *visit,
                                void *self) {
  for (size_t i = 0; i < m->functions.count; ++i)
    TENON_TRY(tenon_graph_visit(m->functions.data[i], visit, self));
  return TENON_OK;
}

tenon_graph *tenon_graph_function(tenon_graph *g) {
  while (g->parent)
    g = g->parent->graph;
  return g;
}

bool tenon_module_is_entry(const tenon_module *m, const tenon_graph *g) {
  for (size_t i = 0; i < m->entries.count; ++i)
    if (m->entries.data[i].graph == g) return true;
  return false;
}
