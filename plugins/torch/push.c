// push.c - a buffer that moves on: writes its operand, and returns the row that
// fell out. out[0] is that row, out[1] the buffer afterwards.
#include <string.h>

#include "tenon/tensor.h"

TENON_KERNEL(torch_push_f32) {
  const tenon_tensor *b = &c->out[1];
  float *rows = (float *)b->data;
  size_t n = (size_t)b->dims[0], row = tenon_count(&c->in[1]);
  memcpy(c->out[0].data, rows, row * sizeof *rows);
  memmove(rows, rows + row, (n - 1) * row * sizeof *rows);
  memcpy(rows + (n - 1) * row, c->in[1].data, row * sizeof *rows);
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status infer(tenon_infer *c) {
  const tenon_type *buf = tenon_infer_in(c, 0), *x = tenon_infer_in(c, 1);
  if (buf->rank != x->rank + 1 || buf->dims[0].symbol || buf->dims[0].value < 1)
    return tenon_infer_fail(c, "buf is no list of rows like x");
  for (int i = 0; i < x->rank; ++i) {
    if (buf->dims[i + 1].value != x->dims[i].value ||
        buf->dims[i + 1].symbol != x->dims[i].symbol)
      return tenon_infer_fail(c, "x and the rows of buf differ in dimension %d",
                              i);
  }
  TENON_TRY(tenon_infer_out(c, 0, x));
  return tenon_infer_out(c, 1, buf);
}

static const tenon_op_desc push = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::push(Tensor(a!) buf, Tensor x) -> Tensor",
    .doc = "Moves the rows of buf up by one, appends x, returns what fell out.",
    .infer = infer,
    TENON_OP_KERNEL(torch_push_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32, f32 -> f32, f32"),
};

TENON_PLUGIN_OPS(torch_push, "1.0.0", &push);

#endif  // TENON_EMITTED
