// kern/opt/permute.h - permutations block by block, whatever a block is moved
// by.
#ifndef TENON_KERN_OPT_PERMUTE_H
#define TENON_KERN_OPT_PERMUTE_H

#include "kern/opt/transpose.h"
#include "kern/opt/vectors.h"

// Moves `rows` rows of y of `columns` each, from x.
typedef void tenon_permute_fn(const tenon_transpose *t, ptrdiff_t rows,
                              ptrdiff_t columns, const char *x, char *y);

// Items are blocks of a matrix of elements of `size` bytes.
TENON_FLAT tenon_status tenon_permute_run(const ptrdiff_t size,
                                          const tenon_call *c, int64_t begin,
                                          int64_t end, tenon_permute_fn *move) {
  tenon_transpose t;
  tenon_transpose_place p;
  tenon_transpose_of(c, &t);
  const ptrdiff_t blocks = t.row_blocks * t.column_blocks;
  ptrdiff_t block = (ptrdiff_t)begin % blocks;
  tenon_transpose_find(&t, (ptrdiff_t)begin / blocks, &p);
  for (; begin < end; ++begin) {
    const ptrdiff_t column = block % t.column_blocks * t.column_block;
    const ptrdiff_t row = block / t.column_blocks * t.row_block;
    const ptrdiff_t rows = t.rows - row, columns = t.columns - column;
    move(&t, rows < t.row_block ? rows : t.row_block,
         columns < t.column_block ? columns : t.column_block,
         (const char *)c->in[0].data +
             (p.x + column * t.step + row * t.row_step) * size,
         (char *)c->out[0].data + (p.y + row * t.width + column) * size);
    if (++block < blocks) continue;
    block = 0;
    tenon_transpose_next(&t, &p);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_PERMUTE_H
