// round_affine_half_ref.c - core::round_affine to 16-bit floats. Scale and
// shift are of one shape, broadcast.
#include "kern/loop/broadcast.h"
#include "kern/op/round_affine.h"

TENON_KERNEL_RANGE(tenon_k_round_affine_half_ref) {
  const tenon_round_affine_attrs *a =
      (const tenon_round_affine_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_round_affine_limits(a);
  const tenon_broadcast g =
      tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);
  const ptrdiff_t step_a = g.a[g.rank - 1], step_b = g.b[g.rank - 1];
  tenon_broadcast_run run = tenon_broadcast_start(&g, (ptrdiff_t)begin);
  uint16_t *to = (uint16_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {
    const float *x = (const float *)c->in[0].data + run.a;
    const float *scale = (const float *)c->in[1].data + run.b;
    const float *shift = (const float *)c->in[2].data + run.b;
    ptrdiff_t n = run.count;
    if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;
    for (ptrdiff_t k = 0; k < n; ++k) {
      const float y = tenon_round_affine(x[k * step_a], scale[k * step_b],
                                         shift[k * step_b], a, m);
      to[i + k] =
          a->through == TENON_F16 ? tenon_f16_of_f32(y) : tenon_bf16_of_f32(y);
    }
    i += n;
    tenon_broadcast_next(&g, &run);
  }
  return TENON_OK;
}
