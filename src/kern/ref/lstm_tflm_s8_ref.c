// lstm_tflm_s8_ref.c - a layer of LSTM as TFLite Micro's: 8 bits outside.
#include "kern/lstm_tflm.h"

TENON_LSTM_TFLM_PLAIN(lstm_tflm_s8_ref_sums, int8_t, int32_t, tenon_add_s32)

TENON_LSTM_TFLM(tenon_k_lstm_tflm_s8_ref, int8_t, int32_t,
                lstm_tflm_s8_ref_sums, tenon_lstm_tflm_bytes, -128, 127)
