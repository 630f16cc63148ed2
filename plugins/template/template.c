// template.c - a plugin to copy. It loads, runs and emits as it is.
//
//   1. Copy this file. It needs no build of Tenon, and no other file.
//   2. Rename: `mine` is your set, `scale` your operator. A name is
//      `mine::scale`; sets of your own are free, core, tfl and aten are taken.
//   3. Schema: say what the operator takes and gives (STEP 3). Every attribute
//      is a member of the struct and a name among those of the descriptor.
//   4. Kernel: say what it computes, and what its results are like (STEP 4).
//   5. Check: `tenon check FILE.c` derives tests from what stands here, then
//      `tenon run MODEL --plugin FILE.c`. By hand:
//      cc -std=c11 -shared -fPIC -ffp-contract=off -Iinclude FILE.c -o FILE.so
#include "tenon/tensor.h"

// STEP 3: one member per attribute: int64_t, double, bool, const char *, or a
// type of tenon/attr.h.
typedef struct scale_attrs {
  double factor;
} scale_attrs;

// STEP 4: the reference kernel. Plain C, obviously right.
TENON_KERNEL(mine_scale_f32) {
  const scale_attrs *a = (const scale_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i)
    y[i] = (float)a->factor * x[i];
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

// STEP 4: types and shapes of the results; refuses what the kernel cannot do.
static tenon_status scale_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->dtype != TENON_F32) return tenon_infer_fail(c, "x must be f32");
  return tenon_infer_out(c, 0, x);
}

// STEP 4, if it is made of other operators: the same by those, for passes and
// for types without a kernel. Else leave it out, and .lower below.
static tenon_status scale_lower(tenon_rewriter *rw, const tenon_node *n) {
  const scale_attrs *a = tenon_rw_attrs(rw, n);
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  tenon_value *by = tenon_rw_scalar(rw, tenon_rw_type(rw, x)->dtype, a->factor);
  return tenon_rw_replace(rw, n, tenon_rw_op2(rw, "core::mul", x, by));
}

static const tenon_op_desc scale = {
    .struct_size = sizeof(tenon_op_desc),
    // Only its results matter: may be folded, shared. And an element of them
    // depends on those at its place alone: may be put into a table.
    .flags = TENON_OP_PURE | TENON_OP_ELEMENTWISE,
    .schema = "mine::scale(Tensor x, *, float factor=1.0) -> Tensor",  // STEP 3
    .doc = "Multiplies by a constant.",
    TENON_OP_MEMBERS(scale_attrs, factor),  // STEP 3: each attribute
    .infer = scale_infer,
    TENON_OP_KERNEL(mine_scale_f32,
                    .flags = TENON_KERNEL_NOFAIL,  // it never returns a failure
                    .in_place = TENON_IN_PLACE(0, 0),  // y may lie where x lies
                    .types = "f32 -> f32"),
    .lower = scale_lower,
    .tflite_name = "MineScale",  // the custom code in .tflite files
};

TENON_PLUGIN_OPS(mine, "0.1.0", &scale);

#endif  // TENON_EMITTED
