// How: as_strided and its like look at memory, where a value of a module has
// none: its elements are in order of their indices. The file states how the
// tensor lies, so in front of such a call another one brings it into the order
// of memory, which leaves the numbers of the call what they are. A tensor that
// shares its memory with what is not in it is refused.
#include "core/symbol.h"
#include "read/pt2_import.h"

#define unsupported(at, ...) \
  tenon_json_fail((at), TENON_UNSUPPORTED, "pt2-argument", __VA_ARGS__)

// How a tensor lies in memory, as its declaration says.
typedef struct lie {
  tenon_json strides, offset;
  const tenon_type *type;
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

// What the operand of that name lies like.
static tenon_status look(tenon_pt2_node *n, const tenon_json *tensor, lie *l) {
  tenon_pt2_scope *s = n->scope;
  const char *name = NULL;
  tenon_dim strides[TENON_MAX_RANK];
  tenon_json at = tenon_json_get(tensor, "name");
  TENON_TRY(tenon_json_text(&at, &name));
  tenon_json meta = tenon_json_get(&s->tensors, name);
  TENON_TRY(tenon_pt2_declared(s, name, &l->type));
  l->strides = tenon_json_get(&meta, "strides");
  l->offset = tenon_json_get(&meta, "storage_offset");
  if (!l->type || !tenon_json_is(&l->strides))
    return unsupported(tensor, "'%s' needs the strides of what it looks at",
                       n->op->name);
  TENON_TRY(read_strides(s->im, l, strides));
  find_order(s->im, strides, l);
  return TENON_OK;
}

static tenon_status check(tenon_pt2_node *n, const tenon_json *tensor,
                          const lie *l) {
  tenon_dim offset = tenon_dim_fixed(0);
  if (tenon_json_is(&l->offset))
    TENON_TRY(tenon_pt2_size(n->scope->im, &l->offset, &offset));
  if (!l->is_dense || !tenon_dim_equals(offset, tenon_dim_fixed(0)))
    return unsupported(tensor,
                       "'%s' looks at the memory of a part of a tensor, which "
                       "may hold more than that",
                       n->op->name);
  if (!l->is_in_order && n->op->schema->n_tensors > 1)
    return unsupported(tensor,
                       "'%s' writes to a tensor whose dimensions lie in "
                       "another order in memory",
                       n->op->name);
  return TENON_OK;
}

// The same operator makes it, as a view where it makes views: what is written
// through those arrives.
static tenon_status reorder(tenon_pt2_node *n, const lie *l) {
  tenon_pt2 *im = n->scope->im;
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK], all[TENON_MAX_RANK];
  tenon_type type = *l->type;
  const tenon_type *types = &type;
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
  tenon_node_spec spec = {.op = n->op,
                          .args = args,
                          .in = im->in.data,
                          .n_in = 1,
                          .n_out = 1,
                          .types = &types,
                          .loc = n->loc};
  tenon_node *node = tenon_build_node(n->scope->graph, NULL, &spec);
  if (!node) return tenon_pt2_built(im);
  im->in.data[0] = node->out[0];
  return TENON_OK;
}

bool tenon_pt2_is_strided(const tenon_op *op) {
  return op->desc && op->schema && (op->desc->flags & TENON_OP_STRIDED) != 0;
}

// The argument `self`, which is the first where it stands without its name.
static tenon_json find_self(const tenon_pt2_node *n) {
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
  tenon_json input = find_self(n);
  tenon_json arg = tenon_json_get(&input, "arg");
  tenon_json tensor = tenon_json_get(&arg, "as_tensor");
  if (!tenon_json_is(&tensor))
    return unsupported(&input, "'%s' needs a tensor", n->op->name);
  TENON_TRY(look(n, &tensor, &l));
  TENON_TRY(check(n, &tensor, &l));
  return l.is_in_order ? TENON_OK : reorder(n, &l);
}
