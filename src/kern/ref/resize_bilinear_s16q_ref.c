// resize_bilinear_s16q_ref.c - images of another size in integers, as LiteRT's
// reference RESIZE_BILINEAR.
#include "kern/resize.h"

TENON_RESIZE_BILINEAR_STORED(tenon_k_resize_bilinear_s16q_ref, int16_t, int64_t)
