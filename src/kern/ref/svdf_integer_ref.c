// svdf_integer_ref.c - filters over features and time in integers, as LiteRT's:
// 8 bits outside, a state and weights of the time of 16.
#include "kern/svdf_integer.h"

TENON_SVDF_INTEGER(tenon_k_svdf_integer_ref, int16_t, INT16_MIN, INT16_MAX)
