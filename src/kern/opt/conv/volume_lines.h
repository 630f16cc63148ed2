// kern/opt/conv/volume_lines.h - which taps outputs of a convolution of volumes
// have along a dimension, transposed or not, and where these lie.
//
// Also compiled for the machine that compiles the model, which packs by it.
#ifndef TENON_KERN_OPT_VOLUME_LINES_H
#define TENON_KERN_OPT_VOLUME_LINES_H

#include "kern/opt/tiles/blocks.h"
#include "kern/product/volume.h"

// Taps of outputs along a dimension: of output `out` + j * `apart` tap i is
// number first + i * next of the weights, and reads element at + j * ahead + i
// * step. There are `count`, of which some may read outside.
typedef struct tenon_volume_line {
  ptrdiff_t first, next, count;
  ptrdiff_t at, step;
  ptrdiff_t apart, ahead;
} tenon_volume_line;

// What the first output has in dimension i, 0 for d.
TENON_INLINE tenon_volume_line tenon_volume_line_of(const tenon_call *c,
                                                    const bool is_transposed,
                                                    int32_t i, ptrdiff_t out) {
  const tenon_conv3d_attrs *a = (const tenon_conv3d_attrs *)c->attrs;
  const ptrdiff_t stride = (ptrdiff_t)a->stride.data[i];
  const ptrdiff_t pad = (ptrdiff_t)a->pad.data[i];
  const ptrdiff_t dilation = (ptrdiff_t)a->dilation.data[i];
  const ptrdiff_t taps = c->in[1].dims[1 + i];
  tenon_volume_line l = {0, 1, taps, out * stride - pad, dilation, 1, stride};
  if (!is_transposed) return l;
  l.apart = stride;
  l.ahead = 1;
  // The first tap whose distance is a multiple of the stride; they repeat.
  l.next = 0;
  for (ptrdiff_t k = 0; k < stride && k < taps; ++k) {
    if ((out + pad - k * dilation) % stride != 0) continue;
    l.first = k;
    break;
  }
  do
    ++l.next;
  while (l.next * dilation % stride != 0);
  const ptrdiff_t from = out + pad - l.first * dilation;
  l.count = from % stride ? 0 : (taps - l.first + l.next - 1) / l.next;
  l.at = from % stride ? 0 : from / stride;
  l.step = -(l.next * dilation / stride);
  return l;
}

// Those of output j that read one of n elements.
TENON_INLINE tenon_volume_line tenon_volume_line_within(tenon_volume_line l,
                                                        ptrdiff_t j,
                                                        ptrdiff_t n) {
  l.at += j * l.ahead;
  while (l.count > 0 && (l.at < 0 || l.at >= n)) {
    l.at += l.step;
    l.first += l.next;
    --l.count;
  }
  while (l.count > 0) {
    const ptrdiff_t last = l.at + (l.count - 1) * l.step;
    if (last >= 0 && last < n) break;
    --l.count;
  }
  return l;
}

// --- Transposed, of bytes ----------------------------------------------------
//
// One plane of taps, which reads the plane that it writes. Outputs that are a
// stride apart in both directions are one convolution, with weights of its own
// behind a table of where they begin: phase (y, x) is number y * stride + x.
// Every one has a tap, and taps are in the order of what they read.

// What a row of outputs reads, in scratch: rows of `columns` pixels, of which
// `left` are in front of the image.
typedef struct tenon_transposed {
  ptrdiff_t down, right;  // strides
  ptrdiff_t rows, left, columns;
  bool is_dense;  // taps of a row are one run
} tenon_transposed;

// `group`: of values that are multiplied at once.
TENON_INLINE tenon_transposed tenon_transposed_of(const tenon_call *c,
                                                  ptrdiff_t group) {
  const tenon_conv3d_attrs *a = (const tenon_conv3d_attrs *)c->attrs;
  const ptrdiff_t w = c->in[0].dims[3], out_w = c->out[0].dims[3];
  tenon_transposed t = {
      (ptrdiff_t)a->stride.data[1],
      (ptrdiff_t)a->stride.data[2],
      0,
      0,
      w,
      a->dilation.data[2] == 1 && c->in[0].dims[4] % group == 0};
  t.rows = (c->in[1].dims[2] + t.down - 1) / t.down;
  for (ptrdiff_t x = 0; x < t.right && x < out_w; ++x) {
    const tenon_volume_line l = tenon_volume_line_of(c, true, 2, x);
    const ptrdiff_t least = l.at + (l.count - 1) * l.step;
    const ptrdiff_t behind = l.at + (out_w - x + t.right - 1) / t.right;
    if (-least > t.left) t.left = -least;
    if (behind > t.columns) t.columns = behind;
  }
  t.columns += t.left;
  return t;
}

// Bytes of a row, `value` bytes for each.
TENON_INLINE ptrdiff_t tenon_transposed_row(const tenon_call *c,
                                            const tenon_transposed *t,
                                            ptrdiff_t value, ptrdiff_t group) {
  return tenon_round_up(
      (t->columns * c->in[0].dims[4] + tenon_past_s8(group)) * value, 64);
}

TENON_INLINE ptrdiff_t tenon_transposed_table(const tenon_transposed *t) {
  return tenon_round_up(t->down * t->right * (ptrdiff_t)sizeof(int32_t), 64);
}

#endif  // TENON_KERN_OPT_VOLUME_LINES_H
