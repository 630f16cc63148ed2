// ops/core/product/core_integer_linear.h - element types of products of
// integers, and matrices whose integers fit into 4 bits.
#ifndef TENON_OPS_CORE_CORE_INTEGER_LINEAR_H
#define TENON_OPS_CORE_CORE_INTEGER_LINEAR_H

#include "ops/core/core_shapes.h"

#define TENON_INTEGER_LINEAR_TYPES "s8, s8 -> s32"
// Of core::dynamic_conv3d and dynamic_conv_transpose3d, too.
#define TENON_DYNAMIC_LINEAR_TYPES "s8, s8, f32, s32?, f32?, f32? -> f32"

// That rows of w, of "k" columns, fall into as many equal blocks as the name
// says, where it has a size.
tenon_status tenon_core_check_blocks(tenon_infer *c, const tenon_shapes *s,
                                     const char *name);

// Whether operand 1 is constant, and all of it in 4 bits; its packed form has
// two in a byte, the low half first.
bool tenon_core_is_narrow(const tenon_call *c);
size_t tenon_core_narrow_size(const tenon_call *c);
tenon_status tenon_core_narrow_pack(const tenon_call *c, void *packed);

// Of a kernel that reads operand 1 so. The op is named since a build with few
// kernels may have it outside of the operator's own list.
#define TENON_CORE_NARROW(its_op)                                             \
  .op = its_op, .match = tenon_core_is_narrow, .priority = 5,                 \
  .packs = 1u << 1, .pack_version = 1, .pack_name = "tenon_weight_only_half", \
  .pack_size = tenon_core_narrow_size, .pack = tenon_core_narrow_pack

#endif  // TENON_OPS_CORE_CORE_INTEGER_LINEAR_H
