// expand_tile.c - dimensions of size one repeated, and new ones in front, by
// lines.
//
// Items are elements of the result. Neighbouring dimensions that are repeated,
// or that are not, are one; the last one is a line, a row of the operand or one
// element again and again, and lines of the one before go without a division.
#include "kern/loop/broadcast.h"
#include "kern/loop/element.h"

// Elements of four bytes, each of them `n` times.
TENON_INLINE void expand_tile_repeat4(unsigned char *to,
                                      const unsigned char *from, ptrdiff_t step,
                                      ptrdiff_t lines, ptrdiff_t n) {
  for (; lines > 0; --lines, from += step * 4) {
    uint32_t x;
    memcpy(&x, from, sizeof x);
    for (ptrdiff_t k = 0; k < n; ++k, to += sizeof x)
      memcpy(to, &x, sizeof x);
  }
}

// Innermost first; steps in elements of x.
typedef struct expand_tile_walk {
  int32_t rank;
  ptrdiff_t dims[TENON_MAX_RANK + 1], step[TENON_MAX_RANK + 1];
  ptrdiff_t index[TENON_MAX_RANK + 1], at;
} expand_tile_walk;

static expand_tile_walk expand_tile_walk_of(const tenon_call *c, ptrdiff_t i) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  expand_tile_walk w;
  ptrdiff_t below = 1;
  w.rank = 0;
  for (int32_t d = y->rank - 1; d >= 0; --d) {
    const ptrdiff_t step = tenon_broadcast_step(x, d, y->rank, &below);
    const int32_t last = w.rank - 1;
    if (y->dims[d] == 1) continue;
    if (last >= 0 && step == w.step[last] * w.dims[last]) {
      w.dims[last] *= y->dims[d];
      continue;
    }
    w.dims[w.rank] = y->dims[d];
    w.step[w.rank++] = step;
  }
  // Two at least.
  for (; w.rank < 2; ++w.rank) {
    w.dims[w.rank] = 1;
    w.step[w.rank] = 0;
  }
  w.at = 0;
  for (int32_t d = 0; d < w.rank; ++d) {
    w.index[d] = i ? i % w.dims[d] : 0;
    i = i ? i / w.dims[d] : 0;
    w.at += w.index[d] * w.step[d];
  }
  return w;
}

// So many elements of the line, or lines, on.
static void expand_tile_next(expand_tile_walk *w, int32_t d, ptrdiff_t n) {
  w->at += n * w->step[d];
  w->index[d] += n;
  for (; d + 1 < w->rank && w->index[d] == w->dims[d]; ++d) {
    w->at += w->step[d + 1] - w->dims[d] * w->step[d];
    w->index[d] = 0;
    ++w->index[d + 1];
  }
}

TENON_KERNEL_RANGE(tenon_k_expand_tile) {
  const ptrdiff_t size = tenon_element_size(&c->in[0]);
  expand_tile_walk w = expand_tile_walk_of(c, (ptrdiff_t)begin);
  const ptrdiff_t line = w.dims[0];
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {
    const unsigned char *from =
        (const unsigned char *)c->in[0].data + w.at * size;
    unsigned char *to = (unsigned char *)c->out[0].data + i * size;
    ptrdiff_t lines = ((ptrdiff_t)end - i) / line;
    if (w.index[0] || lines == 0) {
      ptrdiff_t n = line - w.index[0];
      if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;
      tenon_copy_elements(to, 1, from, w.step[0], n, size);
      expand_tile_next(&w, 0, n);
      i += n;
      continue;
    }
    if (lines > w.dims[1] - w.index[1]) lines = w.dims[1] - w.index[1];
    if (w.step[0] == 0 && size == 4)
      expand_tile_repeat4(to, from, w.step[1], lines, line);
    else
      for (ptrdiff_t k = 0; k < lines; ++k)
        tenon_copy_elements(to + k * line * size, 1,
                            from + k * w.step[1] * size, w.step[0], line, size);
    expand_tile_next(&w, 1, lines);
    i += lines * line;
  }
  return TENON_OK;
}
