#define TENON_DOT_GROUP 2
#include "wide_lanes.h"
//
#include "kern/opt/conv/conv_f32_opt.h"
#include "kern/opt/conv/conv_made_f32_opt.h"
#include "kern/opt/conv/conv_s8_opt.h"
#include "kern/opt/conv/conv_s8_zero_opt.h"
#include "kern/opt/conv/depthwise_conv_f32_opt.h"
#include "kern/opt/conv/depthwise_conv_made_f32_opt.h"
#include "kern/opt/conv/depthwise_conv_s8_opt.h"
#include "kern/opt/product/fully_connected_f32_opt.h"
#include "kern/opt/product/fully_connected_s8_opt.h"
#include "kern/opt/product/fully_connected_strassen_f32_opt.h"
#include "kern/opt/product/integer_linear_s8_opt.h"
#include "kern/opt/product/matmul_f32_opt.h"
#include "wide.h"

#define RUN(name)                                                            \
  tenon_status test_wide_##name##_avx512(const tenon_call *c, int64_t begin, \
                                         int64_t end) {                      \
    return tenon_##name##_run(c, begin, end);                                \
  }
RUN(conv_f32)
RUN(depthwise_conv_f32)
RUN(conv_made_f32)
RUN(depthwise_conv_made_f32)
RUN(fully_connected_f32)
RUN(fully_connected_strassen_f32)
RUN(matmul_f32)
RUN(conv_s8)
RUN(conv_s8_zero)
RUN(depthwise_conv_s8)
RUN(fully_connected_s8)
RUN(integer_linear_s8)
RUN(dynamic_linear_s8)
