// rope.c - interleaved rotary embedding over the last two dimensions, which are
// position and head. sin and cos come from core operators, so that all machines
// agree on them.
#ifndef TENON_EMITTED
#include <math.h>
#include <string.h>

#include "tenon/ext/plugin.h"

typedef struct rope_attrs {
  double theta;
  int64_t offset;
} rope_attrs;

enum { MOST_HEAD = 1024 };

static tenon_value *part(tenon_rewriter *rw, tenon_value *x, int64_t begin) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim from[TENON_MAX_RANK], size[TENON_MAX_RANK];
  int64_t step[TENON_MAX_RANK];
  size_t rank = t->rank;
  for (size_t i = 0; i < rank; ++i) {
    from[i].value = 0;
    from[i].symbol = 0;
    size[i] = t->dims[i];
    step[i] = 1;
  }
  from[rank - 1].value = begin;
  size[rank - 1].value = t->dims[rank - 1].value / 2;
  step[rank - 1] = 2;
  const tenon_arg args[] = {tenon_arg_dims("begin", from, rank),
                            tenon_arg_dims("size", size, rank),
                            tenon_arg_ints("step", step, rank), TENON_END_ARGS};
  return tenon_rw_op(rw, "core::slice", &x, 1, args);
}

static tenon_value *reshape(tenon_rewriter *rw, tenon_value *x,
                            const tenon_dim *dims, size_t rank) {
  const tenon_arg args[] = {tenon_arg_dims("shape", dims, rank),
                            TENON_END_ARGS};
  return tenon_rw_op(rw, "core::reshape", &x, 1, args);
}

// Positions as a column, frequencies as a row: their product are the angles.
static tenon_value *angles(tenon_rewriter *rw, const rope_attrs *a,
                           tenon_dim length, int64_t half) {
  float frequencies[MOST_HEAD / 2];
  tenon_dim row = {half, 0}, column[] = {length, {1, 0}};
  tenon_type t = {&row, NULL, TENON_F32, 1, 0};
  for (int64_t i = 0; i < half; ++i)
    frequencies[i] = (float)pow(a->theta, -(double)i / (double)half);
  const tenon_arg shape[] = {tenon_arg_dims("shape", &length, 1),
                             TENON_END_ARGS};
  const tenon_arg axis[] = {tenon_arg_int("axis", 0), TENON_END_ARGS};
  // 1, 2, 3, ... moved to offset, offset + 1, ...: exact below 2^24.
  tenon_value *position = tenon_rw_scalar(rw, TENON_F32, 1);
  position = tenon_rw_op(rw, "core::expand", &position, 1, shape);
  position = tenon_rw_op(rw, "core::cumsum", &position, 1, axis);
  position =
      tenon_rw_op2(rw, "core::add", position,
                   tenon_rw_scalar(rw, TENON_F32, (double)a->offset - 1));
  return tenon_rw_op2(rw, "core::mul", reshape(rw, position, column, 2),
                      rw->api->literal(rw, &t, frequencies));
}

static tenon_status lower(tenon_rewriter *rw, const tenon_node *n) {
  const rope_attrs *a = tenon_rw_attrs(rw, n);
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim pair[TENON_MAX_RANK];
  size_t rank = t->rank;
  if (rank < 2 || rank == TENON_MAX_RANK || t->dims[rank - 1].symbol ||
      t->dims[rank - 1].value % 2 || t->dims[rank - 1].value > MOST_HEAD)
    return tenon_rw_fail(rw, "the head is no even number up to %d", MOST_HEAD);
  int64_t half = t->dims[rank - 1].value / 2;
  tenon_value *by = angles(rw, a, t->dims[rank - 2], half);
  tenon_value *sin = tenon_rw_op1(rw, "core::sin", by);
  tenon_value *cos = tenon_rw_op1(rw, "core::cos", by);
  tenon_value *even = part(rw, x, 0), *odd = part(rw, x, 1);
  tenon_value *both[] = {
      tenon_rw_op2(rw, "core::sub", tenon_rw_op2(rw, "core::mul", even, cos),
                   tenon_rw_op2(rw, "core::mul", odd, sin)),
      tenon_rw_op2(rw, "core::add", tenon_rw_op2(rw, "core::mul", even, sin),
                   tenon_rw_op2(rw, "core::mul", odd, cos))};
  memcpy(pair, t->dims, rank * sizeof *pair);
  pair[rank - 1].value = half;
  pair[rank].value = 1;
  pair[rank].symbol = 0;
  for (int i = 0; i < 2; ++i)
    both[i] = reshape(rw, both[i], pair, rank + 1);
  tenon_value *y = tenon_rw_concat(rw, both, 2, (int64_t)rank);
  return tenon_rw_replace(rw, n, reshape(rw, y, t->dims, rank));
}

static const tenon_op_desc rope = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "acme::rope(Tensor x, float theta=10000.0, int offset=0) -> Tensor",
    .doc = "Interleaved rotary embedding over position and head.",
    TENON_OP_MEMBERS(rope_attrs, theta, offset),
    .lower = lower,
};

TENON_PLUGIN_OPS(torch_rope, "1.0.0", &rope);

#endif  // TENON_EMITTED
