// conv1_s8_mve.c - quantised convolution with a window of one pixel, in steps
// of 1: conv_s8_mve.c, but pixels are read where they are. Behind a pixel that
// is no multiple of 16 bytes the next one is read, for which weights are zero;
// the last ones are copied.
#include "kern/isa/arm/mve/conv_s8_mve.h"

TENON_KERNEL_RANGE(tenon_k_conv1_s8_mve) {
  const tenon_arm_window *const g = (const tenon_arm_window *)c->packed;
  const int32_t depth = g->c, from = (int32_t)begin * g->out_w;
  const bool is_whole = depth == g->k;
  const int8_t *x = (const int8_t *)c->in[0].data + from * depth;
  int8_t *y = (int8_t *)c->out[0].data + from * g->out_c;
  int32_t left = (int32_t)(end - begin) * g->out_w;
  tenon_conv_mve_job job;
  tenon_conv_mve_begin(g, &job);
  for (; left > (is_whole ? 2 : 3); left -= 3) {
    for (int32_t i = 0; i < 3; ++i, x += depth)
      job.x[i] = x;
    tenon_conv_mve_three(g, &job, y, 48, tenon_conv_s8_mve_pixels);
    y += 3 * g->out_c;
  }
  for (int32_t i = 0; i < left; ++i, x += depth) {
    int8_t *const to = (int8_t *)c->scratch + i * g->k;
    if (!is_whole) tenon_conv_mve_copy(to, x, depth, 1, 0);
    job.x[i] = is_whole ? x : to;
  }
  if (left) tenon_conv_mve_some(g, &job, y, left, 48, tenon_conv_s8_mve_pixels);
  return TENON_OK;
}
