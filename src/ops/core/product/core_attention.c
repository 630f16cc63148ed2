// core_attention.c - core::attention. core_fuse_attention.c finds it.
#include "kern/product/attention.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "kern/opt/tiles/packed.h"
#include "ops/core/core_rule.h"
#include "ops/core/fast/core_fast_host.h"

// The mask's dimensions, from the last, are 1 or those of the scores.
static tenon_status check_mask(tenon_infer *c, const tenon_dim *scores,
                               int rank) {
  const tenon_type *mask = tenon_infer_in(c, 3);
  if (!mask) return TENON_OK;
  if (mask->rank < 2 || mask->rank > rank)
    return tenon_infer_fail(c, "the mask has %d dimensions, scores have %d",
                            mask->rank, rank);
  for (int d = 0; d < mask->rank; ++d) {
    const tenon_dim own = mask->dims[d], want = scores[rank - mask->rank + d];
    if (!own.symbol && own.value == 1) continue;
    if (!tenon_core_equal(c, own, want))
      return tenon_infer_fail(c, "the mask has %" PRId64 " for %" PRId64,
                              own.value, want.value);
  }
  return TENON_OK;
}

// An operand with its matrices behind its heads.
static tenon_type heads_first(tenon_infer *c, int i, bool rows_first,
                              tenon_dim *dims) {
  tenon_type t = *tenon_infer_in(c, i);
  if (!rows_first) return t;
  memcpy(dims, t.dims, t.rank * sizeof *dims);
  dims[t.rank - 3] = t.dims[t.rank - 2];
  dims[t.rank - 2] = t.dims[t.rank - 3];
  t.dims = dims;
  return t;
}

static tenon_status attention_infer(tenon_infer *c) {
  const bool rows_first =
      ((const tenon_attention_attrs *)tenon_infer_attrs(c))->rows_first;
  const int least = rows_first ? 3 : 2;
  tenon_dim turned[3][TENON_MAX_RANK];
  tenon_type operands[3];
  for (int i = 0; i < 3; ++i) {
    if (tenon_infer_in(c, i)->rank < least)
      return tenon_infer_fail(c, "%s have at least %d dimensions",
                              rows_first ? "rows of heads" : "matrices", least);
    operands[i] = heads_first(c, i, rows_first, turned[i]);
  }
  const tenon_type *q = &operands[0], *k = &operands[1], *v = &operands[2];
  tenon_dim dims[TENON_MAX_RANK];
  int rank, values;
  if (k->dtype != q->dtype || v->dtype != q->dtype)
    return tenon_infer_fail(c, "operands have different element types");
  if (!tenon_core_equal(c, q->dims[q->rank - 1], k->dims[k->rank - 1]))
    return tenon_infer_fail(c, "rows of %" PRId64 " and keys of %" PRId64,
                            q->dims[q->rank - 1].value,
                            k->dims[k->rank - 1].value);
  if (!tenon_core_equal(c, k->dims[k->rank - 2], v->dims[v->rank - 2]))
    return tenon_infer_fail(c, "%" PRId64 " keys and %" PRId64 " values",
                            k->dims[k->rank - 2].value,
                            v->dims[v->rank - 2].value);
  tenon_type a = *q, b = *k, both = *q;
  a.rank = (uint8_t)(q->rank - 2);
  b.rank = (uint8_t)(k->rank - 2);
  TENON_TRY(tenon_core_broadcast(c, &a, &b, dims, &rank));
  tenon_dim leading[TENON_MAX_RANK];
  memcpy(leading, dims, sizeof leading);
  both.dims = leading;
  both.rank = (uint8_t)rank;
  b = *v;
  b.rank = (uint8_t)(v->rank - 2);
  TENON_TRY(tenon_core_broadcast(c, &both, &b, dims, &values));
  if (values != rank)
    return tenon_infer_fail(c, "v has more dimensions than q and k");
  dims[rank] = q->dims[q->rank - 2];
  dims[rank + 1] = k->dims[k->rank - 2];
  TENON_TRY(check_mask(c, dims, rank + 2));
  dims[rank + 1] = v->dims[v->rank - 1];
  if (rows_first) {
    const tenon_dim heads = dims[rank - 1];
    dims[rank - 1] = dims[rank];
    dims[rank] = heads;
  }
  return tenon_core_result(c, dims, rank + 2, tenon_infer_in(c, 0), false);
}

static size_t row_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)tenon_attention_of(c).keys * sizeof(float);
}

static int64_t attention_macs(const tenon_call *c) {
  const tenon_attention g = tenon_attention_of(c);
  return tenon_core_last_rows(c) * g.keys * (g.width + g.depth);
}

#define TYPES "f32, f32, f32, f32|bool? -> f32"

CORE_KERNEL_RANGE(attention_f32_ref, tenon_core_last_rows, TYPES,
                  .scratch = row_scratch);

CORE_OPERATOR(attention, attention_infer, (CORE_K(attention_f32_ref)),
              "(Tensor q, Tensor k, Tensor v, Tensor? mask=None, *, float "
              "scale=1.0, float after=1.0, float? fill=None, bool safe=False, "
              "bool rows_first=False) -> Tensor",
              "softmax(scale q k^T after + mask) v: q [..., l, d], k [..., n, "
              "d], v [..., n, e].\n"
              "What stands before the matrices is broadcast. A mask of truths "
              "[..., l, n] leaves scores, and those that it does not are fill, "
              "or negative infinity; rows of such alone are NaN, or zero with "
              "safe. With rows_first q, k, v and the result are [..., l, h, "
              "d], [..., n, h, d] and so on, heads within rows; the mask is "
              "not. The bits are those of mul, matmul_transposed, softmax and "
              "matmul; no score is stored longer than for some rows.",
              CORE_MEMBERS(tenon_attention_attrs, scale, after, fill, safe,
                           rows_first),
              .macs = attention_macs);

// Rows of q at once: two registers of `bytes`.
static size_t lanes_scratch(const tenon_call *c, size_t bytes) {
  const tenon_attention g = tenon_attention_of(c);
  return (size_t)(g.keys + g.width + g.depth) * 2 * bytes;
}

// Ranges are many rows where there are many; of few, heads can be divided.
#define FAST_ATTENTION(isa, bytes)                                  \
  static size_t isa##_scratch(const tenon_call *c, int64_t items) { \
    (void)items;                                                    \
    return lanes_scratch(c, bytes);                                 \
  }                                                                 \
  CORE_KERNEL(attention_f32_##isa) = {                              \
      CORE_FAST(attention_f32_##isa, tenon_core_last_rows),         \
      .op = "core::attention",                                      \
      .types = TYPES,                                               \
      CORE_FAST_ON(isa),                                            \
      .grain = 4,                                                   \
      .scratch = isa##_scratch}
FAST_ATTENTION(avx2, 32);
FAST_ATTENTION(avx512, 64);
FAST_ATTENTION(neon, 16);
