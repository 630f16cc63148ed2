// tile_rows.c - a size among the arguments, which may be a symbol: the kernel
// sees numbers, the shape rule asks for the size.
#include <string.h>

#include "tenon/tensor.h"

typedef struct tile_rows_attrs {
  int64_t n;
} tile_rows_attrs;

TENON_KERNEL(torch_tile_rows_f32) {
  const tile_rows_attrs *a = (const tile_rows_attrs *)c->attrs;
  size_t size = tenon_count(&c->in[0]);
  float *y = (float *)c->out[0].data;
  for (int64_t k = 0; size && k < a->n; ++k, y += size)
    memcpy(y, c->in[0].data, size * sizeof *y);
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status infer(tenon_infer *c) {
  tenon_type y = *tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  tenon_dim n = c->api->size(c, "n", 0);
  if (y.rank == 0) return tenon_infer_fail(c, "x has no rows");
  if (!n.symbol && n.value < 0)
    return tenon_infer_fail(c, "n is %d, below 0", (int)n.value);
  memcpy(dims, y.dims, y.rank * sizeof *dims);
  dims[0] = c->api->dim(c, TENON_DIM_MUL, dims[0], n);
  y.dims = dims;
  return tenon_infer_out(c, 0, &y);
}

static const tenon_op_desc tile_rows = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::tile_rows(Tensor x, SymInt n) -> Tensor",
    .doc = "x, n times along dimension 0.",
    TENON_OP_MEMBERS(tile_rows_attrs, n),
    .attrs_type = "tile_rows_attrs",
    .infer = infer,
    TENON_OP_KERNEL(torch_tile_rows_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32 -> f32"),
};

TENON_PLUGIN_OPS(torch_tile_rows, "1.0.0", &tile_rows);

#endif  // TENON_EMITTED
