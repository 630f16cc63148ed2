// How: as_strided and its like look at memory, where a value of a module has
// none: its elements are in order of their indices. The file states how the
// tensor lies, so in front of such a call another one brings it into the order
// of memory, which leaves the numbers of the call what they are. For a tensor
// that shares its memory with what is not in it, what it is a view of takes its
// place. Where nothing in the file has all of that memory, a node stands for it
// that nobody computes.
#include "core/symbol/symbol.h"
#include "read/pt2/pt2_import.h"

#define unsupported(at, ...) \
  tenon_json_fail((at), TENON_UNSUPPORTED, "pt2-argument", __VA_ARGS__)

// How a tensor lies in memory, as its declaration says.
typedef struct lie {
  const char *name;
  tenon_json strides, offset_at;
  const tenon_type *type;
  tenon_dim offset;
  int64_t order[TENON_MAX_RANK];  // its dimensions, the outermost first
  bool is_dense, is_in_order;
} lie;

static tenon_status read_strides(tenon_pt2 *im, const lie *l, tenon_dim *out) {
  for (int d = 0; d < l->type->rank; ++d) {
    tenon_json at = tenon_json_item(&l->strides, (size_t)d);
    TENON_TRY(tenon_pt2_size(im, &at, &out[d]));
  }
  return TENON_OK;
}

// The last dimension, not yet taken, whose neighbours are so far apart.
static int find_step(const lie *l, const tenon_dim *strides, tenon_dim run,
                     uint32_t taken) {
  for (int d = l->type->rank; d-- > 0;)
    if (!(taken >> d & 1) && tenon_dim_equals(strides[d], run)) return d;
  return -1;
}

// From the innermost dimension outwards, each as far apart as those inside are
// long. Those of size 1 lie anywhere.
static void find_order(tenon_pt2 *im, const tenon_dim *strides, lie *l) {
  const tenon_dim *dims = l->type->dims;
  int rank = l->type->rank, at = rank, before = rank;
  tenon_dim run = tenon_dim_fixed(1);
  uint32_t taken = 0;
  l->is_dense = l->is_in_order = true;
  for (int d = 0, k = 0; d < rank; ++d) {
    bool is_empty = tenon_dim_equals(dims[d], tenon_dim_fixed(0));
    if (is_empty) return;
    if (!tenon_dim_equals(dims[d], run)) continue;
    l->order[k++] = d;
    taken |= 1u << d;
  }
  while (taken + 1 != 1u << rank) {
    int d = find_step(l, strides, run, taken);
    l->is_dense = d >= 0;
    if (d < 0) return;
    l->is_in_order &= d < before;
    before = d;
    l->order[--at] = d;
    taken |= 1u << d;
    run = tenon_symbols_apply(&im->m->symbols, TENON_DIM_MUL, run, dims[d]);
  }
}

// How the tensor of that name lies; `at` is where it is used.
static tenon_status strided_look(tenon_pt2_node *n, const tenon_json *at,
                                 const char *name, lie *l) {
  tenon_pt2_scope *s = n->scope;
  tenon_dim strides[TENON_MAX_RANK];
  tenon_json meta = tenon_json_get(&s->tensors, name);
  *l = (lie){.name = name};
  TENON_TRY(tenon_pt2_declared(s, name, &l->type));
  l->strides = tenon_json_get(&meta, "strides");
  l->offset_at = tenon_json_get(&meta, "storage_offset");
  if (!l->type || !tenon_json_is(&l->strides))
    return unsupported(at, "'%s' needs the strides of what it looks at",
                       n->op->name);
  TENON_TRY(read_strides(s->im, l, strides));
  if (tenon_json_is(&l->offset_at))
    TENON_TRY(tenon_pt2_size(s->im, &l->offset_at, &l->offset));
  find_order(s->im, strides, l);
  return TENON_OK;
}

static bool strided_is_whole(const lie *l) {
  return l->is_dense && tenon_dim_equals(l->offset, tenon_dim_fixed(0));
}

static const char *strided_name_of(const tenon_json *arg) {
  tenon_json at = tenon_json_get(tenon_json_at(arg, "as_tensor"), "name");
  return json_string_value(at.value);
}

static bool makes(const tenon_json *outputs, const char *name) {
  for (size_t i = 0; i < tenon_json_count(outputs); ++i) {
    tenon_json output = tenon_json_item(outputs, i);
    tenon_json list = tenon_json_get(&output, "as_tensors");
    const char *made = strided_name_of(&output);
    if (made && strcmp(made, name) == 0) return true;
    for (size_t k = 0; k < tenon_json_count(&list); ++k) {
      tenon_json item = tenon_json_item(&list, k);
      tenon_json at = tenon_json_get(&item, "name");
      made = json_string_value(at.value);
      if (made && strcmp(made, name) == 0) return true;
    }
  }
  return false;
}

// What that is a view of, by the schema of the operator that makes it; null: it
// is a view of nothing that is known.
static tenon_status find_viewed(tenon_pt2_scope *s, const char *name,
                                const char **out) {
  *out = NULL;
  for (size_t i = 0; i < tenon_json_count(&s->nodes); ++i) {
    const char *target = NULL;
    tenon_json node = tenon_json_item(&s->nodes, i);
    tenon_json outputs = tenon_json_get(&node, "outputs");
    tenon_json inputs = tenon_json_get(&node, "inputs");
    tenon_json at = tenon_json_get(&node, "target");
    if (!makes(&outputs, name)) continue;
    TENON_TRY(tenon_json_text(&at, &target));
    TENON_TRY(tenon_pt2_target(s->im, &at, target));
    const tenon_op *op = tenon_module_op(s->im->m, s->im->text.data);
    if (!op) return tenon_pt2_memory(s->im);
    const tenon_schema *schema = op->schema;
    bool is_view = schema && schema->n_args > 0 && schema->args[0].alias &&
                   schema->n_returns == 1 && schema->returns[0].alias;
    tenon_json input = tenon_json_item(&inputs, 0);
    tenon_json arg = tenon_json_get(&input, "arg");
    if (is_view) *out = strided_name_of(&arg);
    return TENON_OK;
  }
  return TENON_OK;
}

// Where the window begins, unless the call says so: with the part.
static tenon_status keep_offset(tenon_pt2_node *n, const lie *part) {
  tenon_pt2 *im = n->scope->im;
  static const char name[] = "storage_offset";
  const size_t end = im->args.count - 1;  // what ends them
  for (size_t i = 0; i < end; ++i)
    if (strcmp(im->args.data[i].name, name) == 0) return TENON_OK;
  tenon_dim *own = tenon_arena_copy(&im->scratch, &part->offset,
                                    sizeof part->offset, _Alignof(tenon_dim));
  if (!own) return tenon_pt2_memory(im);
  tenon_arg arg = tenon_arg_dims(name, own, 1);
  if (own->symbol == 0) {
    arg.kind = TENON_KIND_INT;
    arg.as.i = part->offset.value;
  }
  if (!tenon_vec_push(&im->args, im->args.data[end]))
    return tenon_pt2_memory(im);
  im->args.data[end] = arg;
  return TENON_OK;
}

// A node in place of memory that nothing in the file has all of.
static tenon_status strided_stand_in(tenon_pt2_node *n, lie *l) {
  tenon_pt2 *im = n->scope->im;
  tenon_warn(&im->m->report, "pt2-argument",
             tenon_locs_place(&im->m->locs, n->loc),
             "'%s' looks at the memory of a part of a tensor, which may hold "
             "more than that; it cannot be computed",
             n->op->name);
  im->in.data[0] = tenon_build_value(
      n->scope->graph, NULL, NULL, l->type,
      (tenon_node_spec){.op = tenon_module_unknown_op(im->m, "prim::storage"),
                        .in = im->in.data,
                        .n_in = 1,
                        .loc = n->loc});
  if (!im->in.data[0]) return tenon_pt2_built(im);
  l->is_in_order = true;
  return TENON_OK;
}

// Puts what a part is a view of in its place.
static tenon_status find_whole(tenon_pt2_node *n, const tenon_json *tensor,
                               lie *l) {
  lie part = *l;
  const char *name = l->name;
  bool can = n->op->schema->n_tensors == 1;
  // No chain of views is longer, unless the file has one in a circle.
  size_t most = can ? tenon_json_count(&n->scope->nodes) : 0;
  for (size_t i = 0; i < most && name && !strided_is_whole(l); ++i) {
    TENON_TRY(find_viewed(n->scope, name, &name));
    if (name) TENON_TRY(strided_look(n, tensor, name, l));
  }
  if (!name || !strided_is_whole(l)) {
    *l = part;
    return strided_stand_in(n, l);
  }
  tenon_pt2_name *entry = NULL;
  tenon_value **in = n->scope->im->in.data;
  TENON_TRY(tenon_pt2_look(n->scope, tensor, name, &entry));
  *in = entry->value;
  if (entry->kind == TENON_PT2_WEIGHT)
    TENON_TRY(tenon_pt2_weight_value(n->scope->im, entry->weight, in));
  return keep_offset(n, &part);
}

// The same operator makes it, as a view where it makes views: what is written
// through those arrives.
static tenon_status reorder(tenon_pt2_node *n, const lie *l) {
  tenon_pt2 *im = n->scope->im;
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK], all[TENON_MAX_RANK];
  tenon_type type = *l->type;
  const size_t rank = type.rank;
  tenon_dim run = tenon_dim_fixed(1);
  for (size_t d = rank; d-- > 0;) {
    all[d] = run;
    run = tenon_symbols_apply(&im->m->symbols, TENON_DIM_MUL, run,
                              l->type->dims[d]);
  }
  for (size_t d = 0; d < rank; ++d) {
    dims[d] = l->type->dims[l->order[d]];
    steps[d] = all[l->order[d]];
  }
  const tenon_arg args[] = {tenon_arg_dims("size", dims, rank),
                            tenon_arg_dims("stride", steps, rank),
                            TENON_END_ARGS};
  type.dims = dims;
  im->in.data[0] = tenon_build_value(n->scope->graph, NULL, NULL, &type,
                                     (tenon_node_spec){.op = n->op,
                                                       .args = args,
                                                       .in = im->in.data,
                                                       .n_in = 1,
                                                       .loc = n->loc});
  return im->in.data[0] ? TENON_OK : tenon_pt2_built(im);
}

bool tenon_pt2_is_strided(const tenon_op *op) {
  return op->desc && op->schema && (op->desc->flags & TENON_OP_STRIDED) != 0;
}

tenon_json tenon_pt2_self(const tenon_pt2_node *n) {
  tenon_json found = tenon_json_item(&n->inputs, 0);
  for (size_t i = 0; i < tenon_json_count(&n->inputs); ++i) {
    tenon_json input = tenon_json_item(&n->inputs, i);
    tenon_json at = tenon_json_get(&input, "name");
    const char *name = json_string_value(at.value);
    if (name && strcmp(name, "self") == 0) found = input;
  }
  return found;
}

tenon_status tenon_pt2_strided(tenon_pt2_node *n) {
  lie l = {.type = NULL};
  tenon_json input = tenon_pt2_self(n);
  tenon_json tensor = tenon_json_get(tenon_json_at(&input, "arg"), "as_tensor");
  if (!tenon_json_is(&tensor))
    return unsupported(&input, "'%s' needs a tensor", n->op->name);
  const char *name = NULL;
  TENON_TRY(tenon_json_text(tenon_json_at(&tensor, "name"), &name));
  TENON_TRY(strided_look(n, &tensor, name, &l));
  if (!strided_is_whole(&l)) TENON_TRY(find_whole(n, &tensor, &l));
  if (!l.is_in_order && n->op->schema->n_tensors > 1)
    return unsupported(&tensor,
                       "'%s' writes to a tensor whose dimensions lie in "
                       "another order in memory",
                       n->op->name);
  return l.is_in_order ? TENON_OK : reorder(n, &l);
}
