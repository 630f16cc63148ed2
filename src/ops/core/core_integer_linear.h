// ops/core/core_integer_linear.h - element types of products of integers.
#ifndef TENON_OPS_CORE_CORE_INTEGER_LINEAR_H
#define TENON_OPS_CORE_CORE_INTEGER_LINEAR_H

#define TENON_INTEGER_LINEAR_TYPES "s8, s8 -> s32"
// Of core::dynamic_conv3d and dynamic_conv_transpose3d, too.
#define TENON_DYNAMIC_LINEAR_TYPES "s8, s8, f32, s32?, f32?, f32? -> f32"

#endif  // TENON_OPS_CORE_CORE_INTEGER_LINEAR_H
