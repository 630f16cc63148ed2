#define TENON_DOT_GROUP 4
#include "wide_lanes.h"
//
#include "kern/opt/conv/conv_f32s8_dot_opt.h"
#include "kern/opt/conv/conv_s8_opt.h"
#include "kern/opt/conv/conv_s8_zero_opt.h"
#include "kern/opt/conv/depthwise_conv_s8_opt.h"
#include "kern/opt/product/fully_connected_row_s8_opt.h"
#include "kern/opt/product/fully_connected_s8_opt.h"
#include "kern/opt/product/integer_linear_s8_opt.h"
#include "wide.h"

#define RUN(name)                                                          \
  tenon_status test_wide_##name##_avx512vnni(const tenon_call *c,          \
                                             int64_t begin, int64_t end) { \
    return tenon_##name##_run(c, begin, end);                              \
  }
RUN(conv_s8)
RUN(conv_s8_zero)
RUN(conv_f32s8_dot)
RUN(depthwise_conv_s8)
RUN(fully_connected_s8)
RUN(fully_connected_row_s8)
RUN(integer_linear_s8)
RUN(dynamic_linear_s8)
