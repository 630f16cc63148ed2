// kern/opt/product/integer_linear_s8_opt.h - products of rows of int8 with
// packed weights, kept in 32 bits or scaled to floats. See
// kern/opt/tiles/tile_s8.h, whose tiles make the sums; here they are only put
// away.
//
// Packed: per output its bias as a float, then for each block of a row the
// scale, the sum of its weights and the sum to begin with, then the weights,
// filled up by block.
#ifndef TENON_KERN_OPT_INTEGER_LINEAR_S8_OPT_H
#define TENON_KERN_OPT_INTEGER_LINEAR_S8_OPT_H

#include "kern/opt/tiles/items.h"
#include "kern/opt/tiles/tile_s8.h"
#include "kern/product/integer_linear.h"

typedef struct tenon_integer_linear {
  const float *bias, *scale;  // scale: of the block
  const int32_t *sum;         // the same
  tenon_gemm_s8 gemm;         // the same
  tenon_walk walk;
  ptrdiff_t k, blocks, block;
  ptrdiff_t first;  // row of the call that is row 0 here
} tenon_integer_linear;

TENON_INLINE tenon_integer_linear tenon_integer_linear_of(const void *packed,
                                                          ptrdiff_t n,
                                                          ptrdiff_t k,
                                                          ptrdiff_t blocks) {
  const ptrdiff_t np = tenon_round_up(n, TENON_LANES);
  tenon_integer_linear p;
  memset(&p, 0, sizeof p);
  p.k = k;
  p.blocks = blocks;
  p.block = k / blocks;
  p.walk.ny = p.walk.nx = 1;
  p.walk.len = (p.block + TENON_TILE_GROUP - 1) / TENON_TILE_GROUP;
  p.bias = (const float *)packed;
  p.scale = p.bias + np;
  p.sum = (const int32_t *)p.scale + np;
  p.gemm.bias = p.sum + np;
  p.gemm.weights = (const int8_t *)(p.bias + np + 3 * np * blocks);
  p.gemm.panel = blocks * p.walk.len * TENON_TILE_GROUP * TENON_LANES;
  p.gemm.n = n;
  return p;
}

TENON_INLINE void tenon_integer_linear_next(tenon_integer_linear *p) {
  const ptrdiff_t np = tenon_round_up(p->gemm.n, TENON_LANES);
  p->scale += 3 * np;
  p->sum += 3 * np;
  p->gemm.bias += 3 * np;
  p->gemm.weights += p->walk.len * TENON_TILE_GROUP * TENON_LANES;
}

// A vector of sums for `left` outputs, which may be fewer than lanes.
TENON_FLAT void tenon_integer_linear_keep(const int32_t *sums, ptrdiff_t left,
                                          int32_t *y) {
  if (left >= TENON_VL) {
    tenon_vi_store(y, tenon_vi_load(sums));
    return;
  }
  for (ptrdiff_t j = 0; j < left; ++j)
    y[j] = sums[j];
}

// The same as floats, from output j on, of block b.
TENON_FLAT void tenon_integer_linear_scale(const tenon_integer_linear *p,
                                           const tenon_integer_row *row,
                                           ptrdiff_t b, ptrdiff_t j,
                                           const int32_t *sums, float *y) {
  const tenon_vu zero = (tenon_vu)tenon_vi_splat(row->zero);
  const tenon_vi sum = (tenon_vi)((tenon_vu)tenon_vi_load(sums) -
                                  zero * (tenon_vu)tenon_vi_load(p->sum + j));
  const ptrdiff_t left = p->gemm.n - j;
  tenon_vf acc = {0};
  if (b > 0) acc = tenon_vf_load_part(y, left);
  acc = tenon_vf_fma(__builtin_convertvector(sum, tenon_vf),
                     tenon_vf_load(p->scale + j), acc);
  if (b == p->blocks - 1)
    acc = acc * tenon_vf_splat(row->scale) + tenon_vf_load(p->bias + j);
  tenon_vf_store_part(y, acc, left);
}

static void tenon_integer_linear_put(const tenon_integer_linear *p,
                                     const tenon_call *c, ptrdiff_t b,
                                     ptrdiff_t row, ptrdiff_t j,
                                     const int32_t *sums) {
  const ptrdiff_t at = row * p->gemm.n + j;
  if (c->out[0].dtype == TENON_S32) {
    tenon_integer_linear_keep(sums, p->gemm.n - j,
                              (int32_t *)c->out[0].data + at);
  } else {
    const tenon_integer_row of = tenon_integer_row_of(c, row);
    tenon_integer_linear_scale(p, &of, b, j, sums,
                               (float *)c->out[0].data + at);
  }
}

// m rows of block b, with the outputs of vectors v to v_end.
static void tenon_integer_linear_block(const tenon_integer_linear *p,
                                       const tenon_call *c, ptrdiff_t b,
                                       ptrdiff_t v, ptrdiff_t v_end,
                                       ptrdiff_t m, const tenon_act *x) {
  const ptrdiff_t lda = p->k * (ptrdiff_t)sizeof *x;
  const char *a = (const char *)(x + b * p->block);
  int32_t sums[TENON_MR1 * 8 * TENON_VL];
  for (ptrdiff_t nv; v < v_end; v += nv) {
    nv = tenon_tile_columns(m, v_end - v);
    for (ptrdiff_t i = 0, mr; i < m; i += mr) {
      mr = tenon_tile_rows(m - i, nv);
      tenon_tile_s8_find(mr, nv)(&p->gemm, &p->walk, v, a + i * lda, lda, sums);
      for (ptrdiff_t r = 0; r < mr; ++r)
        for (ptrdiff_t j = 0; j < nv; ++j)
          tenon_integer_linear_put(p, c, b, p->first + i + r,
                                   (v + j) * TENON_VL,
                                   sums + (r * nv + j) * TENON_VL);
    }
  }
}

// `blocks`: of a row, each with scales of its own.
TENON_INLINE tenon_status tenon_integer_linear_run(const tenon_call *c,
                                                   ptrdiff_t blocks,
                                                   int64_t begin, int64_t end) {
  const tenon_matrix p = tenon_matrix_of(c);
  const tenon_blocks cut =
      tenon_blocks_of_product(p.m, p.k, p.n, sizeof(tenon_act));
  tenon_act *x = (tenon_act *)c->scratch;
  while (begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&cut, begin, end, &work);
    const ptrdiff_t m = work.end - work.begin;
    tenon_integer_linear of =
        tenon_integer_linear_of(c->packed, p.n, p.k, blocks);
    of.first = work.begin;
    // The last group of a row reads on, into weights of zero.
    tenon_act_fill(
        tenon_act_copy(x, (const int8_t *)c->in[0].data + work.begin * p.k,
                       m * p.k),
        TENON_TILE_GROUP, 0);
    for (ptrdiff_t b = 0; b < blocks; ++b) {
      tenon_integer_linear_block(&of, c, b, tenon_group_begin(work.group),
                                 tenon_group_end(work.group_end - 1, p.n), m,
                                 x);
      tenon_integer_linear_next(&of);
    }
  }
  return TENON_OK;
}

TENON_INLINE tenon_status tenon_integer_linear_s8_run(const tenon_call *c,
                                                      int64_t begin,
                                                      int64_t end) {
  return tenon_integer_linear_run(c, 1, begin, end);
}

TENON_INLINE tenon_status tenon_dynamic_linear_s8_run(const tenon_call *c,
                                                      int64_t begin,
                                                      int64_t end) {
  const ptrdiff_t blocks = c->in[4].dtype ? c->in[4].dims[1] : 1;
  return tenon_integer_linear_run(c, blocks, begin, end);
}

#endif  // TENON_KERN_OPT_INTEGER_LINEAR_S8_OPT_H
