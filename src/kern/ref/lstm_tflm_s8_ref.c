// lstm_tflm_s8_ref.c - a layer of LSTM as TFLite Micro's: 8 bits outside.
#include "kern/lstm_tflm.h"

TENON_LSTM_TFLM(tenon_k_lstm_tflm_s8_ref, int8_t, int32_t, tenon_add_s32,
                tenon_lstm_tflm_bytes, -128, 127)
