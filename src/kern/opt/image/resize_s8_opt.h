// kern/opt/image/resize_s8_opt.h - images of bytes of another size, see
// kern/op/resize.h. A row of the result lies between two rows of the image,
// which are put together first, exactly; then pixels of that are. Sums are the
// same integers in either order.
#ifndef TENON_KERN_OPT_RESIZE_S8_OPT_H
#define TENON_KERN_OPT_RESIZE_S8_OPT_H

#include "kern/op/resize.h"
#include "kern/opt/image/resize_s8.h"
#include "kern/opt/vectors.h"
#include "kern/opt/words.h"

// `n` numbers of two rows, `part` of 1024 of the second.
static void tenon_resize_s8_down(const int8_t *up, const int8_t *down,
                                 int32_t part, ptrdiff_t n, int32_t *to) {
  const tenon_vi by = tenon_vi_splat(part);
  ptrdiff_t i = 0;
  if (n < TENON_VL) {
    for (; i < n; ++i)
      to[i] = up[i] * 1024 + (down[i] - up[i]) * part;
    return;
  }
  for (; i < n; i += TENON_VL) {
    if (i + TENON_VL > n) i = n - TENON_VL;
    const tenon_vi a = tenon_vi_widen(up + i), b = tenon_vi_widen(down + i);
    tenon_vi_store(to + i, tenon_vi_shift(a, 10) + (b - a) * by);
  }
}

// Halves go away from zero.
TENON_FLAT tenon_vi tenon_resize_s8_between(const int32_t *left,
                                            const int32_t *right, tenon_vi by) {
  const tenon_vi a = tenon_vi_load(left);
  const tenon_vi sum = tenon_vi_shift(a, 10) + (tenon_vi_load(right) - a) * by;
  return (sum + (1 << 19) + (sum >> 31)) >> 20;
}

// `n` numbers between two of pixels, and up to a register behind them.
TENON_FLAT void tenon_resize_s8_pixel(const int32_t *left, const int32_t *right,
                                      int32_t part, ptrdiff_t n, int8_t *y) {
  const tenon_vi by = tenon_vi_splat(part);
  ptrdiff_t i = 0;
#ifdef TENON_HAS_NARROW4
  for (; i + 4 * TENON_VL <= n; i += 4 * TENON_VL) {
    tenon_vi r[4];
    TENON_UNROLL
    for (int k = 0; k < 4; ++k)
      r[k] = tenon_resize_s8_between(left + i + k * TENON_VL,
                                     right + i + k * TENON_VL, by);
    tenon_vi_store(y + i, tenon_vi_narrow4(r[0], r[1], r[2], r[3]));
  }
#endif
  for (; i < n; i += TENON_VL)
    tenon_stored_store(1, (char *)(y + i),
                       tenon_resize_s8_between(left + i, right + i, by));
}

// Scratch has a row of integers and what may be read behind it, then columns.
TENON_INLINE tenon_status tenon_resize_s8_run(const tenon_call *c,
                                              int64_t begin, int64_t end) {
  const tenon_resize_attrs *a = (const tenon_resize_attrs *)c->attrs;
  const int32_t *from = c->in[0].dims, *to = c->out[0].dims;
  const ptrdiff_t n = from[3], line = from[2] * n, out = to[2] * n;
  int32_t *row = (int32_t *)c->scratch;
  tenon_resize_s8_column *columns =
      (tenon_resize_s8_column *)(void *)(row + line + TENON_LANES);
  for (ptrdiff_t i = line; i < line + TENON_LANES; ++i)
    row[i] = 0;
  for (int32_t ox = 0; ox < to[2]; ++ox) {
    const tenon_resize_place h = tenon_resize_at(a, from[2], to[2], ox);
    const tenon_resize_s8_column column = {(int32_t)(h.low * n),
                                           (int32_t)(h.high * n), h.part};
    columns[ox] = column;
  }
  for (ptrdiff_t r = (ptrdiff_t)begin; r < (ptrdiff_t)end; ++r) {
    const int8_t *x =
        (const int8_t *)c->in[0].data + r / to[1] * from[1] * line;
    int8_t *y = (int8_t *)c->out[0].data + r * out;
    const tenon_resize_place v =
        tenon_resize_at(a, from[1], to[1], (int32_t)(r % to[1]));
    tenon_resize_s8_down(x + v.low * line, x + v.high * line, v.part, line,
                         row);
    ptrdiff_t at = 0;
    for (const tenon_resize_s8_column *h = columns; at < out; ++h, at += n) {
      const int32_t *left = row + h->left, *right = row + h->right;
      // What is written behind a pixel is in the row, and comes again.
      if (at + n + TENON_VL <= out) {
        tenon_resize_s8_pixel(left, right, h->part, n, y + at);
        continue;
      }
      const ptrdiff_t whole = n / TENON_VL * TENON_VL;
      int8_t rest[TENON_VL];
      tenon_resize_s8_pixel(left, right, h->part, whole, y + at);
      tenon_resize_s8_pixel(left + whole, right + whole, h->part, n - whole,
                            rest);
      memcpy(y + at + whole, rest, (size_t)(n - whole));
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_RESIZE_S8_OPT_H
