// lstm_gates_ref.c - what gates and a cell of 16 bits make of sums of products,
// as LiteRT's LSTM of unsigned bytes: the gates are i, g, f, o at a scale of
// 2^-12, the cell is at 2^-11. Items are batches.
#include "kern/num/fixed16.h"
#include "tenon/tensor.h"

TENON_KERNEL_RANGE(tenon_k_lstm_gates_ref) {
  const ptrdiff_t n = c->in[1].dims[1];
  for (ptrdiff_t b = (ptrdiff_t)begin; b < (ptrdiff_t)end; ++b) {
    const int16_t *gate = (const int16_t *)c->in[0].data + 4 * b * n;
    const int16_t *cell = (const int16_t *)c->in[1].data + b * n;
    int8_t *h = (int8_t *)c->out[0].data + b * n;
    int16_t *next = (int16_t *)c->out[1].data + b * n;
    for (ptrdiff_t i = 0; i < n; ++i) {
      const int16_t in = tenon_logistic_s16(gate[i], 3);
      const int16_t fresh = tenon_tanh_s16(gate[n + i], 3);
      const int16_t forget = tenon_logistic_s16(gate[2 * n + i], 3);
      const int16_t open = tenon_logistic_s16(gate[3 * n + i], 3);
      const int32_t more = tenon_div_pow2_s32(tenon_mul_high_s16(in, fresh), 4);
      const int16_t kept = tenon_mul_high_s16(forget, cell[i]);
      next[i] = tenon_saturate_s16(more + kept);
      const int16_t seen = tenon_tanh_s16(tenon_mul_pow2_s16(next[i], 1), 3);
      const int32_t y = tenon_div_pow2_s32(tenon_mul_high_s16(open, seen), 8);
      h[i] = (int8_t)tenon_clamp_s32(y, INT8_MIN, INT8_MAX);
    }
  }
  return TENON_OK;
}
