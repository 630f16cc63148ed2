// resize_bilinear_s8_ref.c - images of another size in integers, as LiteRT's
// reference RESIZE_BILINEAR.
#include "kern/resize.h"

TENON_RESIZE_BILINEAR_STORED(tenon_k_resize_bilinear_s8_ref, int8_t, int32_t)
