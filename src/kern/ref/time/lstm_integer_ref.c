// lstm_integer_ref.c - a layer of LSTM in integers, as LiteRT's.
#include "kern/product/lstm_integer_layer.h"

static void lstm_integer_ref_sums(const int8_t *w, const int8_t *x, int32_t n,
                                  int32_t next, int32_t *sums) {
  for (int32_t k = 0; k < n; ++k) {
    sums[0] = tenon_add_s32(sums[0], x[k] * w[k]);
    sums[1] = tenon_add_s32(sums[1], x[k] * w[next + k]);
  }
}

TENON_KERNEL_RANGE(tenon_k_lstm_integer_ref) {
  return tenon_lstm_integer_layer(c, begin, end, lstm_integer_ref_sums,
                                  tenon_lstm_plain);
}
