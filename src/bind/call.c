// How: one pass over operands and results. A tensor's int32 sizes are copied
// out of the type's 64-bit ones; the verifier has already refused sizes beyond
// int32.
#include "bind/call.h"

#include "core/attr.h"
#include "core/report.h"
#include "ir/turned.h"

tenon_tensor tenon_bind_tensor(tenon_arena *arena, const tenon_type *t,
                               const void *data) {
  tenon_tensor out = {0};
  int32_t *dims = NULL;
  if (t->rank > 0) {
    dims = tenon_arena_array(arena, int32_t, t->rank);
    if (!dims) return out;
    for (int i = 0; i < t->rank; ++i)
      dims[i] = t->dims[i].symbol ? -1 : (int32_t)t->dims[i].value;
  }
  // Kernels never write to operands; the member is not const because results
  // share the struct.
  out.data = (void *)(uintptr_t)data;
  out.dims = dims;
  out.quant = t->quant;
  out.dtype = t->dtype;
  out.rank = t->rank;
  if (t->flags & TENON_TYPE_NUMBER) out.flags = TENON_TENSOR_NUMBER;
  return out;
}

static bool bind_call_put_sizes(const tenon_tensor *t, const tenon_type *type,
                                const int64_t *values) {
  int32_t *dims = (int32_t *)(uintptr_t)t->dims;
  for (int i = 0; i < type->rank; ++i) {
    if (type->dims[i].symbol == 0) continue;
    int64_t value = values[type->dims[i].symbol];
    if (value == TENON_UNKNOWN) continue;
    if (value < 0 || value > INT32_MAX) return false;
    dims[i] = (int32_t)value;
  }
  return true;
}

static bool number_arg(tenon_arena *arena, tenon_arg *a,
                       const int64_t *values) {
  size_t count = a->as.dims.count;
  const tenon_dim *dims = a->as.dims.data;
  if (count == 1 && !tenon_dim_is_integer(dims[0])) {
    bool is_float = dims[0].value == TENON_KIND_FLOAT;
    a->kind = is_float ? TENON_KIND_FLOAT : TENON_KIND_BOOL;
    if (is_float)
      a->as.f = 0;
    else
      a->as.i = 0;
    return true;
  }
  tenon_dim *numbers = tenon_arena_array(arena, tenon_dim, count);
  if (!numbers) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!tenon_dim_is_integer(dims[i])) return false;
    numbers[i] = dims[i];
    if (dims[i].symbol == 0 || values[dims[i].symbol] == TENON_UNKNOWN)
      continue;
    numbers[i] = tenon_dim_fixed(values[dims[i].symbol]);
  }
  a->as.dims.data = numbers;
  return true;
}

const tenon_arg *tenon_bind_args_at(tenon_arena *arena, const tenon_node *n,
                                    const int64_t *values) {
  char error[TENON_MESSAGE_SIZE];
  const tenon_arg *out = NULL;
  size_t count = 0;
  while (n->args && n->args[count].name)
    ++count;
  tenon_arg *args = (tenon_arg *)tenon_arena_copy(
      arena, n->args, (count + 1) * sizeof *args, _Alignof(tenon_arg));
  if (!args) return NULL;
  for (size_t i = 0; i < count; ++i)
    if (args[i].kind == TENON_KIND_DIMS && !number_arg(arena, &args[i], values))
      return NULL;
  return tenon_attr_complete(arena, n->op->schema, args, &out, error,
                             sizeof error)
             ? out
             : NULL;
}

tenon_call *tenon_bind_call_at(tenon_arena *arena, const tenon_node *n,
                               const int64_t *values) {
  tenon_call *c = tenon_bind_call(arena, n);
  for (uint32_t i = 0; c && i < n->n_in; ++i)
    if (n->in[i].value &&
        !bind_call_put_sizes(&c->in[i], &n->in[i].value->type, values))
      return NULL;
  for (uint32_t i = 0; c && i < n->n_out; ++i)
    if (!bind_call_put_sizes(&c->out[i], &n->out[i]->type, values)) return NULL;
  if (!c || !tenon_args_has_dims(n->args)) return c;
  const tenon_arg *args = tenon_bind_args_at(arena, n, values);
  const tenon_op_desc *desc = n->op->desc;
  c->attrs = args ? tenon_attr_bind(arena, desc->fields, desc->attrs_size, args)
                  : NULL;
  return c->attrs ? c : NULL;
}

static void bind_call_constant(tenon_arena *arena, const tenon_value *v,
                               bool is_strided, tenon_tensor *out) {
  const tenon_turned *t = is_strided ? v->turned : NULL;
  *out = tenon_bind_tensor(arena, &v->type,
                           t ? t->data : tenon_value_constant(v)->data);
  if (t)
    out->strides = (const int32_t *)tenon_arena_copy(
        arena, t->strides, sizeof t->strides, _Alignof(int32_t));
}

tenon_call *tenon_bind_call(tenon_arena *arena, const tenon_node *n) {
  return tenon_bind_call_of(arena, n, 0);
}

tenon_call *tenon_bind_call_packed(tenon_arena *arena, const tenon_node *n,
                                   const tenon_kernel *k) {
  const bool is_strided = k->desc->flags & TENON_KERNEL_PACKS_STRIDED;
  return tenon_bind_call_of(arena, n, is_strided ? k->desc->packs : 0);
}

tenon_call *tenon_bind_call_of(tenon_arena *arena, const tenon_node *n,
                               uint32_t strided) {
  tenon_call *c = tenon_arena_new(arena, tenon_call);
  tenon_tensor *in = tenon_arena_array(arena, tenon_tensor, n->n_in);
  tenon_tensor *out = tenon_arena_array(arena, tenon_tensor, n->n_out);
  if (!c || !in || !out) return NULL;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    if (!v) continue;  // zeroed: dtype 0, absent
    if (v->constant)
      bind_call_constant(arena, v, i < 32 && (strided >> i & 1), &in[i]);
    else
      in[i] = tenon_bind_tensor(arena, &v->type, NULL);
    if (v->strides) in[i].strides = v->strides;
  }
  for (uint32_t i = 0; i < n->n_out; ++i)
    out[i] = tenon_bind_tensor(arena, &n->out[i]->type, NULL);
  c->in = in;
  c->out = out;
  c->in_group = n->in_group;
  c->out_group = n->out_group;
  c->attrs = n->attrs;
  c->user = n->op && n->op->desc ? n->op->desc->user : NULL;
  c->schema = n->op && n->op->desc ? n->op->desc->schema : NULL;
  c->n_in = n->n_in;
  c->n_out = n->n_out;
  return arena->failed ? NULL : c;
}
