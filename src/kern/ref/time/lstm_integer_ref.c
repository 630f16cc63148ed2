// lstm_integer_ref.c - a layer of LSTM in integers, as LiteRT's.
#include "kern/product/lstm_integer_layer.h"

static int32_t lstm_integer_ref_sum(const int8_t *w, const int8_t *x, int32_t n,
                                    int32_t from) {
  for (int32_t k = 0; k < n; ++k)
    from = tenon_add_s32(from, x[k] * w[k]);
  return from;
}

TENON_KERNEL_RANGE(tenon_k_lstm_integer_ref) {
  return tenon_lstm_integer_layer(c, begin, end, lstm_integer_ref_sum);
}
