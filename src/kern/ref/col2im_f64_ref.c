// col2im_f64_ref.c - columns added up to images, in doubles. Items are channels
// of images.
#include "kern/patches.h"

TENON_COL2IM_KERNEL(tenon_k_col2im_f64_ref, double)
