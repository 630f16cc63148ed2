// How: parts are looked up behind core::complex, so that operators that follow
// one another build real ones alone.
#include "ops/aten/complex/complex_op.h"

#include <string.h>

bool tenon_parts_is_complex(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, x);
  return t && (t->dtype == TENON_C64 || t->dtype == TENON_C128);
}

tenon_parts tenon_parts_take(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t) return tenon_parts_of(x, NULL);
  const tenon_tensor *number =
      t->dtype == TENON_C128 && t->rank == 0 ? rw->api->constant(rw, x) : NULL;
  if (number && (t->flags & TENON_TYPE_NUMBER)) {
    const double *v = (const double *)number->data;
    return tenon_parts_of(tenon_rw_scalar(rw, TENON_F32, v[0]),
                          tenon_rw_scalar(rw, TENON_F32, v[1]));
  }
  if (t->dtype == TENON_C128) {
    (void)tenon_rw_fail(rw, "complex numbers of doubles are not supported");
    return tenon_parts_of(x, NULL);
  }
  if (t->dtype != TENON_C64)
    return tenon_parts_of(tenon_aten_cast(rw, x, TENON_F32), NULL);
  const tenon_node *p = rw->api->producer(rw, x);
  if (p && strcmp(rw->api->op(rw, p), "core::complex") == 0)
    return tenon_parts_of(rw->api->operand(rw, p, 0),
                          rw->api->operand(rw, p, 1));
  return tenon_parts_of(tenon_rw_op1(rw, "core::real", x),
                        tenon_rw_op1(rw, "core::imag", x));
}

tenon_value *tenon_parts_imag(tenon_rewriter *rw, tenon_parts z) {
  const tenon_type *t = tenon_rw_type(rw, z.re);
  if (z.im || !t) return z.im ? z.im : z.re;
  return tenon_aten_expand(rw, tenon_rw_scalar(rw, TENON_F32, 0), t->dims,
                           t->rank);
}

tenon_value *tenon_parts_join(tenon_rewriter *rw, tenon_parts z) {
  return tenon_rw_op2(rw, "core::complex", z.re, tenon_parts_imag(rw, z));
}

tenon_status tenon_parts_give(tenon_rewriter *rw, const tenon_node *n,
                              tenon_parts z) {
  return tenon_rw_replace(rw, n, tenon_parts_join(rw, z));
}

tenon_parts tenon_parts_conj(tenon_rewriter *rw, tenon_parts z) {
  if (z.im) z.im = tenon_rw_op1(rw, "core::neg", z.im);
  return z;
}

tenon_parts tenon_parts_product(tenon_rewriter *rw, tenon_parts a,
                                tenon_parts b) {
  if (!a.im || !b.im) {
    const tenon_parts *z = a.im ? &a : &b;
    tenon_value *by = a.im ? b.re : a.re;
    return tenon_parts_of(
        tenon_rw_op2(rw, "core::mul", z->re, by),
        z->im ? tenon_rw_op2(rw, "core::mul", z->im, by) : NULL);
  }
  return tenon_parts_of(
      tenon_aten_formula(rw, "a b c d: a * c - b * d", a.re, a.im, b.re, b.im),
      tenon_aten_formula(rw, "a b c d: a * d + b * c", a.re, a.im, b.re, b.im));
}

// --- The same operator -------------------------------------------------------

tenon_status tenon_parts_call_of(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_parts_call *call) {
  int first = 0, count = 0;
  memset(call, 0, sizeof *call);
  for (int g = 0; (count = rw->api->group(rw, n, g, &first)) > 0; ++g) {
    if ((int)call->n_in + count > TENON_PARTS_TENSORS)
      return tenon_rw_fail(rw, "more than %d operands", TENON_PARTS_TENSORS);
    for (int i = 0; i < count; ++i)
      call->in[call->n_in++] = rw->api->operand(rw, n, first + i);
    call->group[++call->n_groups] = (uint16_t)call->n_in;
  }
  while (call->n_out < TENON_PARTS_TENSORS &&
         tenon_aten_result(rw, n, call->n_out))
    ++call->n_out;
  if (tenon_aten_result(rw, n, call->n_out))
    return tenon_rw_fail(rw, "more than %d results", TENON_PARTS_TENSORS);
  return TENON_OK;
}

void tenon_parts_functional(const char *name, char *out, size_t size) {
  const char *dot = strchr(name, '.'), *end = dot ? dot : name + strlen(name);
  const size_t n = (size_t)(end - name) - (end[-1] == '_');
  out[0] = 0;
  if (n + strlen(end) + 1 > size) return;
  memcpy(out, name, n);
  memcpy(out + n, end, strlen(end) + 1);
}

tenon_status tenon_parts_call_build(tenon_rewriter *rw, const tenon_node *n,
                                    tenon_parts_call *call) {
  enum { MOST_ARGS = 12 };
  tenon_arg args[MOST_ARGS + 1];
  tenon_type of[TENON_PARTS_TENSORS];
  const tenon_type *types[TENON_PARTS_TENSORS];
  char op[64];
  int count = 0;
  for (const tenon_arg *a = rw->api->args(rw, n); a && a->name; ++a) {
    if (count == MOST_ARGS) return tenon_rw_fail(rw, "too many arguments");
    args[count] = *a;
    if (a->kind == TENON_KIND_DTYPE && a->as.i == TENON_C64)
      args[count].as.i = TENON_F32;
    ++count;
  }
  args[count] = (tenon_arg)TENON_END_ARGS;
  for (int i = 0; i < call->n_out; ++i) {
    of[i] = *tenon_aten_result(rw, n, i);
    if (of[i].dtype == TENON_C64) of[i].dtype = TENON_F32;
    types[i] = &of[i];
  }
  tenon_parts_functional(rw->api->op(rw, n), op, sizeof op);
  const tenon_build b = {.struct_size = sizeof b,
                         .types = types,
                         .n_in = call->n_in,
                         .n_out = (uint32_t)call->n_out,
                         .op = op,
                         .args = args,
                         .in = call->in,
                         .in_group = call->group,
                         .out = call->out};
  (void)rw->api->build(rw, &b);
  return TENON_OK;
}
