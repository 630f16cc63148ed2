// mine.c - what serves the programs custom_* of tests/models/pt2: operators of
// torch.library, without shape rules, since the files state the shapes. Those
// that write are served by the functional ones.
#include <string.h>

#include "tenon/tensor.h"

#define MINE_IN(i) ((const float *)c->in[i].data)
#define MINE_OUT(i) ((float *)c->out[i].data)
#define MINE_COUNT(t) ((size_t)tenon_count(&(t)))

TENON_KERNEL(mine_twice) {
  for (size_t k = 0; k < MINE_COUNT(c->in[0]); ++k)
    MINE_OUT(0)[k] = 2 * MINE_IN(0)[k];
  return TENON_OK;
}
TENON_KERNEL(mine_shifted) {
  for (size_t k = 0; k < MINE_COUNT(c->in[0]); ++k)
    MINE_OUT(0)[k] = 2 * MINE_IN(0)[k] + MINE_IN(1)[k];
  return TENON_OK;
}
TENON_KERNEL(mine_ends) {
  MINE_OUT(0)[0] = MINE_IN(0)[0];
  MINE_OUT(1)[0] = MINE_IN(0)[MINE_COUNT(c->in[0]) - 1];
  return TENON_OK;
}
TENON_KERNEL(mine_parts) {
  const float *x = MINE_IN(0);
  for (int i = 0; i < c->n_out; ++i) {
    memcpy(c->out[i].data, x, MINE_COUNT(c->out[i]) * sizeof *x);
    x += MINE_COUNT(c->out[i]);
  }
  return TENON_OK;
}

#undef MINE_IN
#undef MINE_OUT
#undef MINE_COUNT
// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

#define MINE_KERNEL(name, its_types)                                        \
  static const tenon_kernel_desc name##_kernel = {                          \
      .struct_size = sizeof(tenon_kernel_desc),                             \
      .symbol = "mine_" #name,                                              \
      .types = its_types,                                                   \
      .run = mine_##name,                                                   \
  };                                                                        \
  static const tenon_kernel_desc *const name##_kernels[] = {&name##_kernel, \
                                                            NULL}
#define MINE_OP(its_schema, its_kernels, ...)                     \
  {                                                               \
    .struct_size = sizeof(tenon_op_desc), .flags = TENON_OP_PURE, \
    .schema = "mine::" its_schema, .doc = "Of a test.",           \
    .kernels = its_kernels, __VA_ARGS__                           \
  }

MINE_KERNEL(twice, "f32 -> f32");
MINE_KERNEL(shifted, "f32, f32 -> f32");
MINE_KERNEL(ends, "f32 -> f32, f32");
MINE_KERNEL(parts, "f32 -> f32...");

typedef struct parts_attrs {
  int64_t n;
} parts_attrs;
static const tenon_field parts_fields[] = {TENON_FIELD(parts_attrs, n),
                                           TENON_END_FIELDS};

static const tenon_op_desc ops[] = {
    MINE_OP("twice(Tensor x) -> Tensor", twice_kernels),
    MINE_OP("twice.shifted(Tensor x, *, Tensor by) -> Tensor", shifted_kernels),
    MINE_OP("ends(Tensor x) -> (Tensor low, Tensor high)", ends_kernels),
    MINE_OP("parts(Tensor x, int n) -> Tensor[]", parts_kernels,
            .attrs_size = sizeof(parts_attrs), .fields = parts_fields),
};
// Nothing in a file says what an overload of another name writes that gives it
// back: its schema does, and needs no more.
static const tenon_op_desc put = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema = "mine::twice.put(Tensor x, Tensor(a!) dst) -> Tensor(a!)",
    .doc = "Of a test.",
};

static const tenon_plugin mine = {
    TENON_PLUGIN_HEADER,
    .name = "mine",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&ops[0], &ops[1], &ops[2], &ops[3],
                                          &put, NULL},
};
TENON_PLUGIN_EXPORT(mine, mine);

#endif  // TENON_EMITTED
