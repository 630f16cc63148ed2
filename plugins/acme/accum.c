// accum.c - operators of torch programs that write an argument: one returns
// nothing, one something else.
//
// `Tensor(a!)` says all there is to say. The result that stands for what is
// written has the memory of the argument: out[0] of accum_, out[1] of push.
#include "tenon/tensor.h"

#include <string.h>

typedef struct accum_attrs {
  double scale;
} accum_attrs;

// x += scale * y.
TENON_KERNEL(acme_accum_f32) {
  float scale = (float)((const accum_attrs *)c->attrs)->scale;
  const float *x = (const float *)c->in[0].data;
  const float *y = (const float *)c->in[1].data;
  float *to = (float *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i)
    to[i] = x[i] + y[i] * scale;
  return TENON_OK;
}

// Rows of buf move up by one, x becomes the last; the first is returned.
TENON_KERNEL(acme_push_f32) {
  const float *x = (const float *)c->in[1].data;
  float *first = (float *)c->out[0].data, *buf = (float *)c->out[1].data;
  size_t row = tenon_count(&c->in[1]), n = tenon_count(&c->in[0]);
  if (n == 0) return TENON_OK;
  (void)memcpy(first, buf, row * sizeof *buf);
  (void)memmove(buf, buf + row, (n - row) * sizeof *buf);
  (void)memcpy(buf + (n - row), x, row * sizeof *buf);
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static const tenon_field accum_fields[] = {TENON_FIELD(accum_attrs, scale),
                                           TENON_END_FIELDS};

static bool same_sizes(const tenon_type *a, int skip, const tenon_type *b) {
  bool same = a->rank - skip == b->rank;
  for (int i = 0; same && i < b->rank; ++i)
    same = a->dims[i + skip].value == b->dims[i].value &&
           a->dims[i + skip].symbol == b->dims[i].symbol;
  return same;
}

static tenon_status accum_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *y = tenon_infer_in(c, 1);
  if (x->dtype != y->dtype || !same_sizes(x, 0, y))
    return tenon_infer_fail(c, "x and y differ in type or shape");
  return TENON_OK;
}

static tenon_status push_infer(tenon_infer *c) {
  const tenon_type *buf = tenon_infer_in(c, 0), *x = tenon_infer_in(c, 1);
  if (buf->dtype != x->dtype || buf->rank < 1 || !same_sizes(buf, 1, x))
    return tenon_infer_fail(c, "x is no row of buf");
  return tenon_infer_out(c, 0, x);
}

static const tenon_kernel_desc accum_f32 = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_NOFAIL,
    .symbol = "acme_accum_f32",
    .types = "f32, f32 -> f32",
    .run = acme_accum_f32,
};

static const tenon_kernel_desc push_f32 = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_NOFAIL,
    .symbol = "acme_push_f32",
    .types = "f32, f32 -> f32, f32",
    .run = acme_push_f32,
};

static const tenon_op_desc accum = {
    .struct_size = sizeof(tenon_op_desc),
    .schema = "acme::accum_(Tensor(a!) x, Tensor y, float scale=1.0) -> ()",
    .doc = "Adds scale * y to x.",
    .attrs_size = sizeof(accum_attrs),
    .fields = accum_fields,
    .infer = accum_infer,
    .kernels = (const tenon_kernel_desc *const[]){&accum_f32, NULL},
};

static const tenon_op_desc push = {
    .struct_size = sizeof(tenon_op_desc),
    .schema = "acme::push(Tensor(a!) buf, Tensor x) -> Tensor",
    .doc = "Moves the rows of buf up, puts x below, returns what falls out.",
    .infer = push_infer,
    .kernels = (const tenon_kernel_desc *const[]){&push_f32, NULL},
};

static const tenon_plugin acme_accum = {
    TENON_PLUGIN_HEADER,
    .name = "acme_accum",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&accum, &push, NULL},
};
TENON_PLUGIN_EXPORT(acme_accum, acme_accum);
#endif  // TENON_EMITTED
