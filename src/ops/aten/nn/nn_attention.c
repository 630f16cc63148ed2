// Scaled dot-product attention: softmax(q k^T * scale + mask) v.
#include <math.h>
#include <string.h>

#include "ops/aten/nn/aten_nn.h"
#include "ops/aten/random/random_op.h"

typedef struct attention {
  tenon_value *q, *k, *v, *mask;
  bool is_causal, is_boolean;
  double scale, dropout;
  int64_t repeat;  // heads of q for each of k and v
} attention;

// --- Heads -------------------------------------------------------------------

// [..., h, l, e] as [..., groups, h / groups, l, e].
static tenon_value *split_heads(tenon_rewriter *rw, tenon_value *x,
                                int64_t inner) {
  int rank = tenon_nn_rank(rw, x);
  tenon_dim dims[TENON_MAX_RANK + 1];
  for (int d = 0; d < rank; ++d)
    dims[d < rank - 2 ? d : d + 1] = tenon_nn_dim(rw, x, d);
  dims[rank - 3] = rw->api->dim(rw, TENON_DIM_DIV, tenon_nn_dim(rw, x, -3),
                                tenon_aten_fixed(inner));
  dims[rank - 2] = tenon_aten_fixed(inner);
  return tenon_aten_reshape(rw, x, dims, rank + 1);
}

static tenon_status read_heads(tenon_rewriter *rw, const tenon_node *n,
                               attention *a) {
  tenon_dim hq = tenon_nn_dim(rw, a->q, -3), hk = tenon_nn_dim(rw, a->k, -3);
  tenon_dim hv = tenon_nn_dim(rw, a->v, -3);
  a->repeat = 1;
  if (!tenon_aten_has(rw, n, "enable_gqa") ||
      !tenon_aten_bool(rw, n, "enable_gqa"))
    return TENON_OK;
  int rank = tenon_nn_rank(rw, a->q);
  if (rank < 3 || rank >= TENON_MAX_RANK || hq.symbol || hk.symbol ||
      hk.value < 1 || hq.value % hk.value || !tenon_aten_same(hk, hv))
    return tenon_rw_fail(rw, "%lld heads for %lld", (long long)hq.value,
                         (long long)hk.value);
  a->repeat = hq.value / hk.value;
  if (a->repeat == 1) return TENON_OK;
  a->q = split_heads(rw, a->q, a->repeat);
  a->k = split_heads(rw, a->k, 1);
  a->v = split_heads(rw, a->v, 1);
  if (!a->mask || tenon_nn_rank(rw, a->mask) < 3) return TENON_OK;
  bool is_one = tenon_aten_is(tenon_nn_dim(rw, a->mask, -3), 1);
  a->mask = split_heads(rw, a->mask, is_one ? 1 : a->repeat);
  return TENON_OK;
}

// --- Masks -------------------------------------------------------------------

static tenon_value *count_up(tenon_rewriter *rw, tenon_dim n, bool is_column) {
  return tenon_aten_unsqueeze(rw, tenon_aten_ramp(rw, TENON_S64, n), is_column);
}

// Whether key j is not behind query i.
static tenon_value *causal(tenon_rewriter *rw, tenon_dim l, tenon_dim s) {
  return tenon_rw_op2(rw, "core::le", count_up(rw, s, false),
                      count_up(rw, l, true));
}

static tenon_status read_mask(tenon_rewriter *rw, tenon_value *mask,
                              attention *a) {
  if (!mask) return TENON_OK;
  if (a->is_causal)
    return tenon_rw_fail(rw, "a mask together with is_causal=True");
  a->is_boolean = tenon_nn_type(rw, mask) == TENON_BOOL;
  tenon_dtype t = tenon_nn_type(rw, a->q);
  a->mask = a->is_boolean || !t ? mask : tenon_aten_cast(rw, mask, t);
  return TENON_OK;
}

// --- Together ----------------------------------------------------------------

static tenon_value *scores_of(tenon_rewriter *rw, const attention *a) {
  int rank = tenon_nn_rank(rw, a->k);
  tenon_value *k = tenon_nn_swap(rw, a->k, rank - 2, rank - 1);
  tenon_value *s =
      tenon_rw_op2(rw, "core::matmul", tenon_nn_times(rw, a->q, a->scale), k);
  if (a->is_causal)
    return tenon_aten_formula(
        rw, "c s: c ? s : -inf",
        causal(rw, tenon_nn_dim(rw, a->q, -2), tenon_nn_dim(rw, a->k, -2)), s);
  if (!a->mask) return s;
  return tenon_aten_formula(
      rw, a->is_boolean ? "m s: m ? s : -inf" : "m s: s + m", a->mask, s);
}

static tenon_status read_attention(tenon_rewriter *rw, const tenon_node *n,
                                   tenon_value *mask, attention *a) {
  memset(a, 0, sizeof *a);
  a->q = tenon_nn_wide(rw, tenon_nn_rounded(rw, n, 0));
  a->k = tenon_nn_wide(rw, tenon_nn_rounded(rw, n, 1));
  a->v = tenon_nn_wide(rw, tenon_nn_rounded(rw, n, 2));
  TENON_TRY(tenon_nn_need_float(rw, a->q));
  a->is_causal = tenon_aten_bool(rw, n, "is_causal");
  a->dropout = tenon_aten_float(rw, n, "dropout_p");
  if (tenon_nn_rank(rw, a->q) < 2 || tenon_nn_rank(rw, a->k) < 2)
    return tenon_rw_fail(rw, "operands have less than 2 dimensions");
  tenon_dim width = tenon_nn_dim(rw, a->q, -1);
  if (tenon_aten_has(rw, n, "scale"))
    a->scale = tenon_aten_float(rw, n, "scale");
  else if (width.symbol || width.value < 1)
    return tenon_rw_fail(rw, "no scale, and the width of a head is open");
  else
    a->scale = 1 / sqrt((double)width.value);
  TENON_TRY(read_mask(rw, mask, a));
  return read_heads(rw, n, a);
}

static tenon_value *sdpa_weights_of(tenon_rewriter *rw, const attention *a,
                                    tenon_value *scores) {
  int last = tenon_nn_rank(rw, scores) - 1;
  tenon_value *w = a->mask ? tenon_nn_safe_softmax(rw, scores, last)
                           : tenon_nn_softmax(rw, scores, last, false);
  return a->dropout == 0 ? w : tenon_draw_dropped(rw, w, a->dropout);
}

// "math": with the weights as the second result.
TENON_ATEN_LOWER(attention) {
  const bool is_math = tenon_aten_user(rw) != NULL;
  attention a;
  if (is_math && tenon_aten_in(rw, n, 4))
    return tenon_rw_fail(rw, "a mask for dropout");
  TENON_TRY(read_attention(rw, n, tenon_nn_rounded(rw, n, 3), &a));
  tenon_value *w = sdpa_weights_of(rw, &a, scores_of(rw, &a));
  tenon_value *out[] = {tenon_rw_op2(rw, "core::matmul", w, a.v), w};
  return tenon_nn_give_all(rw, n, out, is_math ? 2 : 1);
}

// With the logarithm of the sum of exponentials as the second result.
TENON_ATEN_LOWER(attention_flash) {
  attention a;
  TENON_TRY(read_attention(rw, n, tenon_nn_rounded(rw, n, 3), &a));
  if (a.dropout != 0)
    return tenon_rw_fail(rw, "it drops out at random (dropout_p)");
  tenon_value *scores = scores_of(rw, &a);
  uint32_t last = 1u << (tenon_nn_rank(rw, scores) - 1);
  tenon_value *log = tenon_aten_formula(
      rw, "s @d: m = amax(s, d, 1); m + log(sum(exp(s - m), d, 1))", scores,
      (int)last);
  tenon_value *w = sdpa_weights_of(rw, &a, scores);
  tenon_value *out[] = {tenon_rw_op2(rw, "core::matmul", w, a.v), log};
  return tenon_nn_give_all(rw, n, out, 2);
}
