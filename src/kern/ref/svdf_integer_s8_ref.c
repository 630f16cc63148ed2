// svdf_integer_s8_ref.c - the same with a state and weights of the time of 8
// bits, as TFLite Micro's.
#include "kern/svdf_integer.h"

TENON_SVDF_INTEGER(tenon_k_svdf_integer_s8_ref, int8_t, -128, 127)
