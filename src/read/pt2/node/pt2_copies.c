// How: of reshape, contiguous and their like the file's strides tell whether
// torch has made a copy. Where the program writes tensors, a copy stands in
// front of such a call then: what is written to its result changes nothing
// else.
#include "core/symbol/symbol.h"
#include "read/pt2/pt2_import.h"

// How a tensor lies in memory.
typedef struct lie {
  const tenon_type *type;
  tenon_dim strides[TENON_MAX_RANK];
} lie;

// These give the tensor itself or a copy of its shape.
static bool gives_itself(const tenon_op *op) {
  return tenon_schema_is_among(op->schema, "contiguous to type_as");
}

static bool gives_reshaped(const tenon_op *op) {
  return tenon_schema_is_among(op->schema, "reshape reshape_as flatten ravel");
}

// False: the file does not say.
static tenon_status pt2_copies_look(tenon_pt2_scope *s, const tenon_json *arg,
                                    lie *l, bool *is_said) {
  tenon_json at = tenon_json_get(tenon_json_at(arg, "as_tensor"), "name");
  const char *name = json_string_value(at.value);
  *is_said = false;
  if (!name) return TENON_OK;
  tenon_json strides =
      tenon_json_get(tenon_json_at(&s->tensors, name), "strides");
  TENON_TRY(tenon_pt2_declared(s, name, &l->type));
  if (!l->type || !tenon_json_is(&strides)) return TENON_OK;
  for (int d = 0; d < l->type->rank; ++d) {
    tenon_json stride = tenon_json_item(&strides, (size_t)d);
    TENON_TRY(tenon_pt2_size(s->im, &stride, &l->strides[d]));
  }
  *is_said = true;
  return TENON_OK;
}

// Without gaps, in the order of its indices. Dimensions of size 1 lie anywhere.
static bool is_in_order(tenon_pt2 *im, const lie *l) {
  tenon_dim run = tenon_dim_fixed(1), one = run;
  bool is_ordered = true;
  for (int d = l->type->rank; d-- > 0;) {
    tenon_dim size = l->type->dims[d];
    if (tenon_dim_equals(size, tenon_dim_fixed(0))) return true;
    if (tenon_dim_equals(size, one)) continue;
    is_ordered &= tenon_dim_equals(l->strides[d], run);
    run = tenon_symbols_apply(&im->m->symbols, TENON_DIM_MUL, run, size);
  }
  return is_ordered;
}

static bool lie_alike(const lie *a, const lie *b) {
  for (int d = 0; d < a->type->rank; ++d)
    if (!tenon_dim_equals(a->type->dims[d], tenon_dim_fixed(1)) &&
        !tenon_dim_equals(a->strides[d], b->strides[d]))
      return false;
  return true;
}

static tenon_status put_copy(tenon_pt2_node *n) {
  tenon_value **in = n->scope->im->in.data;
  return tenon_pt2_convert(n->scope, "core::copy", NULL, &in[0]->type, n->loc,
                           in);
}

tenon_status tenon_pt2_copied(tenon_pt2_node *n) {
  tenon_pt2 *im = n->scope->im;
  const tenon_op *op = n->op;
  lie from, to;
  bool is_said = false;
  if (!im->has_writes || !op->schema || strcmp(op->schema->set, "aten") != 0 ||
      im->in.count == 0 || !im->in.data[0])
    return TENON_OK;
  bool is_same = gives_itself(op);
  if (!is_same && !gives_reshaped(op)) return TENON_OK;
  tenon_json input = tenon_pt2_self(n);
  tenon_json arg = tenon_json_get(&input, "arg");
  tenon_json result = tenon_json_item(&n->outputs, 0);
  TENON_TRY(pt2_copies_look(n->scope, &arg, &from, &is_said));
  if (is_said) TENON_TRY(pt2_copies_look(n->scope, &result, &to, &is_said));
  if (!is_said) return TENON_OK;
  // A view of what is not in order is not in order either.
  bool is_view = is_same && from.type->rank == to.type->rank
                     ? lie_alike(&from, &to)
                     : is_in_order(im, &from) || !is_in_order(im, &to);
  return is_view ? TENON_OK : put_copy(n);
}
