// lstm_tflm_s16_ref.c - a layer of LSTM as TFLite Micro's: 16 bits outside.
#include "kern/lstm_tflm.h"

TENON_LSTM_TFLM_PLAIN(lstm_tflm_s16_ref_sums, int16_t, int64_t,
                      tenon_lstm_tflm_add)

TENON_LSTM_TFLM(tenon_k_lstm_tflm_s16_ref, int16_t, int64_t,
                lstm_tflm_s16_ref_sums, tenon_lstm_tflm_words, INT16_MIN,
                INT16_MAX)
