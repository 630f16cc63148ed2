// kern/opt/image/resize_s8.h - what kernels of images of bytes of another size
// have in scratch besides a row.
//
// Also compiled for the machine that compiles the model: `scratch` asks.
#ifndef TENON_KERN_OPT_RESIZE_S8_H
#define TENON_KERN_OPT_RESIZE_S8_H

#include "tenon/base.h"

// Of a pixel of a row of the result: the numbers that it lies between, by the
// first of each.
typedef struct tenon_resize_s8_column {
  int32_t left, right, part;
} tenon_resize_s8_column;

#endif  // TENON_KERN_OPT_RESIZE_S8_H
