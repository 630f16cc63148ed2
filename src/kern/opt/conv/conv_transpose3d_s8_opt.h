// kern/opt/conv/conv_transpose3d_s8_opt.h - quantised transposed convolution
// of images, rounded twice, as convolutions side by side (volume_lines.h).
//
// What a row of outputs reads is copied to scratch as a convolution has it,
// with zero points around it and in rows outside; rows that read the same come
// one behind the other, which leave it there.
#ifndef TENON_KERN_OPT_CONV_TRANSPOSE3D_S8_OPT_H
#define TENON_KERN_OPT_CONV_TRANSPOSE3D_S8_OPT_H

#include "kern/opt/conv/volume_lines.h"
#include "kern/opt/tiles/tile_s8.h"

// The rows of taps along `y` of plane `plane`.
static void tenon_transposed_prepare(const tenon_volume *v,
                                     const tenon_transposed *t,
                                     const tenon_volume_line *y,
                                     const int8_t *plane, tenon_act zero,
                                     ptrdiff_t size, char *to) {
  const ptrdiff_t n = v->w * v->c;
  for (ptrdiff_t i = 0; i < y->count; ++i, to += size) {
    const ptrdiff_t at = y->at + i * y->step;
    tenon_act *d = (tenon_act *)(void *)to;
    tenon_act *const end = d + size / (ptrdiff_t)sizeof(tenon_act);
    if (at >= 0 && at < v->h) {
      d = tenon_act_fill(d, t->left * v->c, zero);
      d = tenon_act_copy(d, plane + at * n, n);
    }
    tenon_act_fill(d, end - d, zero);
  }
}

static void tenon_transposed_row_s8(const tenon_call *c, const tenon_volume *v,
                                    const tenon_transposed *t,
                                    const tenon_volume_line *ty, ptrdiff_t size,
                                    int8_t *y) {
  const ptrdiff_t act = (ptrdiff_t)sizeof(tenon_act);
  const ptrdiff_t vectors = (v->out_c + TENON_VL - 1) / TENON_VL;
  const char *packed = (const char *)c->packed;
  for (ptrdiff_t x = 0; x < t->right && x < v->out_w; ++x) {
    const tenon_volume_line tx = tenon_volume_line_of(c, true, 2, x);
    const int32_t *table = (const int32_t *)(const void *)packed;
    const ptrdiff_t groups = (v->c + TENON_TILE_GROUP - 1) / TENON_TILE_GROUP;
    const ptrdiff_t begin = table[ty->first * t->right + tx.first];
    const ptrdiff_t first = t->left + tx.at + (tx.count - 1) * tx.step;
    tenon_walk w = {.ny = ty->count,
                    .nx = t->is_dense ? 1 : tx.count,
                    .len = t->is_dense ? tx.count * groups : groups,
                    .a_y = size,
                    .a_x = -tx.step * v->c * act};
    w.b_x = w.len * TENON_TILE_GROUP * TENON_LANES;
    w.b_y = w.nx * w.b_x;
    w.shared = t->is_dense && tx.count == 3 ? w.len / 3 : 0;
    const tenon_gemm_s8 gemm =
        tenon_gemm_s8_of(packed + begin, w.ny * w.nx * w.len, v->out_c);
    const tenon_rows_s8 rows = {.m = (v->out_w - x + t->right - 1) / t->right,
                                .lda = v->c * act,
                                .ldc = t->right * v->out_c,
                                .lines = 1};
    tenon_gemm_s8_rows(TENON_TWICE, &gemm, &w, 0, vectors, &rows,
                       (const char *)c->scratch + first * v->c * act,
                       y + x * v->out_c);
  }
}

TENON_INLINE tenon_status tenon_conv_transpose3d_s8_run(const tenon_call *c,
                                                        int64_t begin,
                                                        int64_t end) {
  const tenon_transposed t = tenon_transposed_of(c, TENON_TILE_GROUP);
  const ptrdiff_t size = tenon_transposed_row(
      c, &t, (ptrdiff_t)sizeof(tenon_act), TENON_TILE_GROUP);
  const char *packed = (const char *)c->packed;
  const int8_t *last = NULL;
  ptrdiff_t at = 0, count = -1;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const tenon_volume v = tenon_volume_of(c, row);
    const tenon_volume_line ty = tenon_volume_line_of(c, true, 1, v.y);
    const int8_t *plane =
        (const int8_t *)c->in[0].data + (v.n * v.d + v.z) * v.h * v.w * v.c;
    const tenon_packed_s8 *head =
        (const tenon_packed_s8 *)(const void *)(packed +
                                                tenon_transposed_table(&t));
    if (plane != last || ty.at != at || ty.count != count)
      tenon_transposed_prepare(&v, &t, &ty, plane, tenon_act_of(head->x_zero),
                               size, (char *)c->scratch);
    last = plane;
    at = ty.at;
    count = ty.count;
    tenon_transposed_row_s8(c, &v, &t, &ty, size,
                            (int8_t *)c->out[0].data + row * v.out_w * v.out_c);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_CONV_TRANSPOSE3D_S8_OPT_H
