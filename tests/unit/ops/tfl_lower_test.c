// What each operator is in terms of the core operators, and what is not served.
#include "harness/harness.h"
#include "tfl_mock.h"

static void windows_get_padding(void **state) {
  static const tfl_row rows[] = {
      {"CONV_2D", "stride_w=2 stride_h=2 fused_activation_function=1",
       "f32[1,28,28,1]; f32[8,3,3,1]; f32[8]", "f32[1,14,14,8]",
       "core::conv(a, b, c; stride=2,2 pad=0,0,1,1 dilation=1,1 groups=1 lo=0) "
       "-> f32[1,14,14,8]\n"
       "= 0"},
      {"CONV_2D", "stride_w=1 stride_h=2 padding=1",
       "f32[1,7,8,4]; f32[6,3,3,2]; -", "f32[1,3,6,6]",
       "core::conv(a, b, -; stride=2,1 pad=0,0,0,0 dilation=1,1 groups=2) -> "
       "f32[1,3,6,6]\n"
       "= 0"},
      {"CONV_2D",
       "stride_w=1 stride_h=1 dilation_w_factor=2 dilation_h_factor=3 "
       "fused_activation_function=3",
       "f32[1,7,8,4]; f32[5,3,2,4]; f32[1,5]", "f32[1,7,8,5]",
       "core::reshape(c; shape=5) -> f32[5]\n"
       "core::conv(a, b, 0; stride=1,1 pad=3,1,3,1 dilation=3,2 groups=1 lo=0 "
       "hi=6) -> f32[1,7,8,5]\n"
       "= 1"},
      {"CONV_2D", "stride_w=2 stride_h=2",
       "f32[1,49,10,1]; f32[64,10,4,1]; f32[64]", "f32[1,25,5,64]",
       "core::conv(a, b, c; stride=2,2 pad=4,1,5,1 dilation=1,1 groups=1) -> "
       "f32[1,25,5,64]\n"
       "= 0"},
      {"CONV_2D", "stride_w=2 stride_h=2", "f32[1,4,4,1]; f32[1,1,1,1]; -",
       "f32[1,2,2,1]",
       "core::conv(a, b, -; stride=2,2 pad=0,0,0,0 dilation=1,1 groups=1) -> "
       "f32[1,2,2,1]\n"
       "= 0"},
      {"CONV_2D", "stride_w=1 stride_h=1", "f32[1,?0,?1,1]; f32[1,3,2,1]; -",
       "f32[1,2,2,1]",
       "core::conv(a, b, -; stride=1,1 pad=1,0,1,1 dilation=1,1 groups=1) -> "
       "f32[1,?0,?1,1]\n"
       "= 0"},
      {"CONV_2D", "stride_w=2 stride_h=2", "f32[1,?0,?1,1]; f32[1,1,1,1]; -",
       "f32[1,2,2,1]",
       "core::conv(a, b, -; stride=2,2 pad=0,0,0,0 dilation=1,1 groups=1) -> "
       "f32[1,((?0+1)/2),((?1+1)/2),1]\n"
       "= 0"},
      {"CONV_2D", "stride_w=2 stride_h=2", "f32[1,?0,4,1]; f32[1,3,2,1]; -",
       "f32[1,2,2,1]",
       "core::pad(a; before=0,3,2,0 after=0,3,2,0) -> \n"
       "core::slice(0; begin=0,(3-((((((((?0+1)/2)-1)*2)+3)-?0)>0)/2)),2,0 "
       "size=1,(((((?0+1)/2)-1)*2)+3),4,1 step=1,1,1,1) -> "
       "f32[1,(((((?0+1)/2)-1)*2)+3),4,1]\n"
       "core::conv(1, b, -; stride=2,2 pad=0,0,0,0 dilation=1,1 groups=1) -> "
       "f32[1,((?0+1)/2),2,1]\n"
       "= 2"},
      {"CONV_2D", "stride_w=1 stride_h=1 fused_activation_function=2",
       "s8[1,4,4,2]{1:3}; s8[2,1,1,2]{1,2@0}; s32[2]", "s8[1,4,4,2]{2:1}",
       "core::conv(a, b, c; stride=1,1 pad=0,0,0,0 dilation=1,1 groups=1 lo=-1 "
       "hi=1) -> s8[1,4,4,2]{2:1}\n"
       "= 0"},
      {"CONV_2D", "stride_w=1 stride_h=1",
       "f32[1,4,4,2]; s8[2,1,1,2]{1,2@0}; f32[2]", "f32[1,4,4,2]",
       "core::conv(a, b, c; stride=1,1 pad=0,0,0,0 dilation=1,1 groups=1 "
       "asymmetric=1) -> f32[1,4,4,2]\n"
       "= 0"},
      {"CONV_2D", "stride_w=1 stride_h=1",
       "f32[1,4,4,2]; s8[2,1,1,2]{1,1@0}; f32[2]", "f32[1,4,4,2]",
       "core::conv(a, b, c; stride=1,1 pad=0,0,0,0 dilation=1,1 groups=1 "
       "asymmetric=0) -> f32[1,4,4,2]\n"
       "= 0"},
      {"DEPTHWISE_CONV_2D", "stride_w=2 stride_h=2 fused_activation_function=3",
       "f32[1,49,40,1]; f32[1,10,8,8]; f32[8]", "f32[1,25,20,8]",
       "core::depthwise_conv(a, b, c; stride=2,2 pad=4,3,5,3 dilation=1,1 lo=0 "
       "hi=6) -> f32[1,25,20,8]\n"
       "= 0"},
      {"DEPTHWISE_CONV_2D", "stride_w=1 stride_h=1",
       "f32[1,4,4,2]; s8[1,1,1,2]{1,1@3}; f32[2]", "f32[1,4,4,2]",
       "core::depthwise_conv(a, b, c; stride=1,1 pad=0,0,0,0 dilation=1,1 "
       "asymmetric=1) -> f32[1,4,4,2]\n"
       "= 0"},
      {"AVERAGE_POOL_2D",
       "stride_w=5 stride_h=25 filter_width=5 filter_height=25 padding=1",
       "f32[1,25,5,64]", "f32[1,1,1,64]",
       "core::avg_pool(a; window=25,5 stride=25,5 pad=0,0,0,0) -> "
       "f32[1,1,1,64]\n"
       "= 0"},
      {"MAX_POOL_2D",
       "stride_w=2 stride_h=2 filter_width=3 filter_height=3 "
       "fused_activation_function=1",
       "f32[1,7,8,4]", "f32[1,4,4,4]",
       "core::max_pool(a; window=3,3 stride=2,2 pad=1,0,1,1 lo=0 "
       "skip_nan=1) -> "
       "f32[1,4,4,4]\n"
       "= 0"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

static void windows_are_not_served(void **state) {
  static const tfl_row rows[] = {
      {"CONV_2D", "stride_w=1 stride_h=1 fused_activation_function=4",
       "f32[1,4,4,2]; f32[2,1,1,2]; f32[2]", "f32[1,4,4,2]",
       "! fused activation TANH is not supported"},
      {"MAX_POOL_2D",
       "stride_w=1 stride_h=1 filter_width=1 filter_height=1 "
       "fused_activation_function=5",
       "f32[1,4,4,2]", "f32[1,4,4,2]",
       "! fused activation SIGN_BIT is not supported"},
      {"CONV_2D", "stride_w=1 stride_h=1",
       "s8[1,4,4,2]{1:0}; s4[2,1,1,2]{1,1@0}; s32[2]", "s8[1,4,4,2]{1:0}",
       "core::quantize(b) -> s8[2,1,1,2]{1,1@0}\n"
       "core::conv(a, 0, c; stride=1,1 pad=0,0,0,0 dilation=1,1 groups=1) -> "
       "s8[1,4,4,2]{1:0}\n"
       "= 1"},
      {"CONV_2D", "stride_w=1 stride_h=1",
       "s16[1,4,4,2]{1:0}; s16[2,1,1,2]{1:0}; s64[2]", "s16[1,4,4,2]{1:0}",
       "! s16 weights with s16 inputs are not supported"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

static void products_see_rows(void **state) {
  static const tfl_row rows[] = {
      {"LSH_PROJECTION", "type=1", "f32[3,4]; s8[5,2]{1:0}; -", "s32[3]",
       "core::reinterpret(b) -> s8[5,2]\n"
       "core::lsh_projection(a, 0, -; sparse=1) -> s32[3]\n"
       "= 1"},
      {"LSH_PROJECTION", "type=1", "f32[3,31]; s8[5,2]; -", "s32[3]",
       "! 3 times 31 bits, more than 32 can tell apart, are not supported"},
      {"FULLY_CONNECTED", "fused_activation_function=1",
       "f32[1,640]; f32[128,640]; f32[128]", "f32[1,128]",
       "core::fully_connected(a, b, c; lo=0) -> f32[1,128]\n"
       "= 0"},
      {"FULLY_CONNECTED", "",
       "s8[1,25,20,8]{1:2}; s8[4,4000]{1:0}; s32[4]{1:0}", "s8[1,4]{3:4}",
       "core::reshape(a; shape=1,4000) -> s8[1,4000]{1:2}\n"
       "core::fully_connected(0, b, c) -> s8[1,4]{3:4}\n"
       "= 1"},
      {"FULLY_CONNECTED", "keep_num_dims=1", "f32[2,4,6]; f32[5,6]; -",
       "f32[2,4,5]",
       "core::fully_connected(a, b, -) -> f32[2,4,5]\n"
       "= 0"},
      {"FULLY_CONNECTED", "asymmetric_quantize_inputs=1",
       "f32[3,64]; s8[96,64]{1:0}; f32[96]", "f32[3,96]",
       "core::fully_connected(a, b, c; asymmetric=1) -> f32[3,96]\n"
       "= 0"},
      {"FULLY_CONNECTED", "", "f32[3,64]; s8[96,64]{1:0}; f32[96]", "f32[3,96]",
       "core::fully_connected(a, b, c; asymmetric=0) -> f32[3,96]\n"
       "= 0"},
      {"FULLY_CONNECTED", "", "f32[?0,2,3]; f32[5,6]; f32[5]", "f32[1,5]",
       "core::reshape(a; shape=?0,6) -> f32[?0,6]\n"
       "core::fully_connected(0, b, c) -> f32[?0,5]\n"
       "= 1"},
      {"FULLY_CONNECTED", "weights_format=1",
       "u8[1,8]{1:0}; u8[5,8]{1:0}; s32[5]", "u8[1,5]{1:0}",
       "! shuffled weights are those of tfl::FULLY_CONNECTED_SHUFFLED"},
      {"FULLY_CONNECTED", "", "f32[1,8]; s4[5,8]{1:0}; f32[5]", "f32[1,5]",
       "core::quantize(b) -> s8[5,8]{1:0}\n"
       "core::fully_connected(a, 0, c; asymmetric=0) -> f32[1,5]\n"
       "= 1"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

static void elements_go_to_core(void **state) {
  static const tfl_row rows[] = {
      {"ADD", "fused_activation_function=3", "f32[2,3]; f32[3]", "f32[2,3]",
       "core::add(a, b; lo=0 hi=6) -> f32[2,3]\n"
       "= 0"},
      {"ADD", "", "s16[2]{0.5:0}; s16[2]{0.25:0}", "s16[2]{1:0}",
       "! pot_scale_int16 is not supported"},
      {"ADD", "pot_scale_int16=0", "s16[2]{0.5:0}; s16[2]{0.25:0}",
       "s16[2]{1:0}",
       "core::add(a, b) -> s16[2]{1:0}\n"
       "= 0"},
      {"SUB", "", "s16[2]{0.5:0}; s16[2]{0.3:0}", "s16[2]{1:0}",
       "core::sub(a, b) -> s16[2]{1:0}\n"
       "= 0"},
      {"DIV", "fused_activation_function=2", "f32[2]; f32[2]", "f32[2]",
       "core::div(a, b; lo=-1 hi=1) -> f32[2]\n"
       "= 0"},
      {"MUL", "fused_activation_function=5", "f32[2]; f32[2]", "f32[2]",
       "! fused activation SIGN_BIT is not supported"},
      {"MAXIMUM", "", "s8[2]{1:0}; s8[2]{1:0}", "s8[2]{1:0}",
       "core::maximum(a, b) -> s8[2]{1:0}\n"
       "= 0"},
      {"LOGISTIC", "", "s8[2]{1:0}", "s8[2]{0.00390625:-128}",
       "core::logistic(a) -> s8[2]{0.00390625:-128}\n"
       "= 0"},
      {"RELU6", "", "f32[2]", "f32[2]",
       "core::relu6(a) -> f32[2]\n"
       "= 0"},
      {"RELU_N1_TO_1", "", "f32[2]", "f32[2]",
       "core::clamp(a; lo=-1 hi=1) -> f32[2]\n"
       "= 0"},
      {"RELU_0_TO_1", "", "s8[2]{1:0}", "s8[2]{1:0}",
       "core::clamp(a; lo=0 hi=1) -> s8[2]{1:0}\n"
       "= 0"},
      {"SQUARED_DIFFERENCE", "", "s32[2,3]; s32[2,3]", "s32[2,3]",
       "core::squared_difference(a, b) -> s32[2,3]\n"
       "= 0"},
      {"SQUARED_DIFFERENCE", "", "s8[2]{1:0}; s8[2]{1:0}", "s8[2]{1:0}",
       "core::squared_difference(a, b) -> s8[2]{1:0}\n"
       "= 0"},
      {"ADD_N", "", "f32[2]; f32[2]; f32[2] |", "f32[2]",
       "core::add(a, b) -> \n"
       "core::add(0, c) -> \n"
       "= 1"},
      {"SIGN", "", "s8[2]{1:0}", "s8[2]{1:0}",
       "! s8 operands with a scale are not supported"},
      {"ADD_N", "", "s8[2]{1:0}; s8[2]{1:0} |", "s8[2]{1:0}",
       "! s8 operands with a scale are not supported"},
      {"HARD_SWISH", "", "f32[2]", "f32[2]",
       "core::hard_swish(a) -> f32[2]\n"
       "= 0"},
      {"HARD_SWISH", "", "s8[2]{1:0}", "s8[2]{1:0}",
       "core::hard_swish(a) -> s8[2]{1:0}\n"
       "= 0"},
      {"LEAKY_RELU", "alpha=0.25", "f32[2]", "f32[2]",
       "core::leaky_relu(a; alpha=0.25) -> f32[2]\n"
       "= 0"},
      {"LEAKY_RELU", "alpha=inf", "f32[2]", "f32[2]", "! alpha is no number"},
      {"PRELU", "", "f32[2,4]; f32[4]", "f32[2,4]",
       "core::minimum(a, #0) -> \n"
       "core::mul(1, b) -> \n"
       "core::maximum(a, #0) -> \n"
       "core::add(3, 2) -> \n"
       "= 4"},
      {"GELU", "approximate=1", "f32[2]", "f32[2]",
       "core::gelu(a; approximate=1) -> f32[2]\n"
       "= 0"},
      {"GELU", "", "f32[2]", "f32[2]",
       "core::gelu(a; approximate=0) -> f32[2]\n"
       "= 0"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

static void axes_go_to_core(void **state) {
  static const tfl_row rows[] = {
      {"SOFTMAX", "beta=0.5", "f32[1,10]", "f32[1,10]",
       "core::softmax(a; axis=-1 beta=0.5) -> f32[1,10]\n"
       "= 0"},
      {"MEAN", "", "f32[2,3,4,5]; s32[3]=1,-2,1", "f32[2,5]",
       "core::mean(a; dims=1,2 keepdim=0) -> f32[2,5]\n"
       "= 0"},
      {"SUM", "keep_dims=1", "s8[2,3]{1:0}; s32[]=-1", "s8[2,1]{2:0}",
       "core::sum(a; dims=1 keepdim=1) -> s8[2,1]{2:0}\n"
       "= 0"},
      {"SUM", "", "f32[2,3]; s32[0]=", "f32[2,3]",
       "core::copy(a) -> f32[2,3]\n"
       "= 0"},
      {"SUM", "", "s8[2]{1:0}; s32[0]=", "s8[2]{2:0}",
       "core::reshape(a; shape=2,1) -> s8[2,1]{1:0}\n"
       "core::sum(0; dims=1) -> s8[2]{2:0}\n"
       "= 1"},
      {"MEAN", "", "f32[2,3]; s32[?0]", "f32[2]",
       "! so many axes that a run computes are not supported"},
      {"L2_NORMALIZATION", "", "f32[2,3]", "f32[2,3]",
       "core::l2_normalize(a) -> f32[2,3]\n"
       "= 0"},
      {"L2_NORMALIZATION", "", "s8[2,3]{1:0}", "s8[2,3]{1:0}",
       "core::l2_normalize(a) -> s8[2,3]{1:0}\n"
       "= 0"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

static void shapes_go_to_core(void **state) {
  static const tfl_row rows[] = {
      {"RESHAPE", "", "f32[?0,7,7,16]; s32[2]=-1,784", "f32[1,784]",
       "core::reshape(a; shape=?0,784) -> f32[?0,784]\n"
       "= 0"},
      {"RESHAPE", "", "f32[6]; s32[1]", "f32[6]",
       "core::prod(b; dims=0) -> \n"
       "core::mul(2, #-1) -> \n"
       "core::maximum(3, #1) -> \n"
       "core::number(; value=6 dtype=5) -> s32[]\n"
       "core::floor_div(5, 4) -> \n"
       "core::eq(b, #-1) -> \n"
       "core::where(7, 6, b) -> \n"
       "core::slice(8; begin=0 size=1 step=1) -> s32[1]\n"
       "core::reshape(9; shape=) -> s32[]\n"
       "core::reshape(a; shape=?9) -> f32[?9]\n"
       "= 11"},
      {"SQUEEZE", "", "s8[1,3]{1:0}", "s8[3]{1:0}",
       "core::reshape(a; shape=3) -> s8[3]{1:0}\n"
       "= 0"},
      {"EXPAND_DIMS", "", "f32[3]; s32[]=0", "f32[1,3]",
       "core::reshape(a; shape=1,3) -> f32[1,3]\n"
       "= 0"},
      {"TRANSPOSE", "", "f32[1,2,3]; s32[3]=2,0,1", "f32[3,1,2]",
       "core::permute(a; dims=2,0,1) -> f32[3,1,2]\n"
       "= 0"},
      {"SHAPE", "", "f32[2,3]", "s64[2]",
       "0 = 2 3\n"
       "= 0"},
      {"SHAPE", "", "f32[2,?0]", "s32[2]",
       "core::number(; value=2 dtype=5) -> s32[]\n"
       "core::reshape(0; shape=1) -> s32[1]\n"
       "core::number(; value=?0 dtype=5) -> s32[]\n"
       "core::reshape(2; shape=1) -> s32[1]\n"
       "core::concat(1, 3; axis=0) -> s32[2]\n"
       "= 4"},
      {"DENSIFY", "", "f32[2,3]", "f32[2,3]", "= a"},
      {"RANK", "", "f32[2,3]", "s32[]",
       "0 = 2\n"
       "= 0"},
      {"SLICE", "", "f32[?0,5]; s32[2]=0,1; s32[2]=-1,-1", "f32[1,4]",
       "core::slice(a; begin=0,1 size=?0,4 step=1,1) -> f32[?0,4]\n"
       "= 0"},
      {"SLICE", "", "f32[5]; s32[1]=5; s32[1]=0", "f32[0]",
       "core::slice(a; begin=0 size=0 step=1) -> f32[0]\n"
       "= 0"},
      {"STRIDED_SLICE", "begin_mask=6 end_mask=6 shrink_axis_mask=1",
       "f32[2,4,6]; s32[3]=-1,0,0; s32[3]=2,0,0; s32[3]=1,1,1", "f32[4,6]",
       "core::slice(a; begin=1,0,0 size=1,4,6 step=1,1,1) -> f32[1,4,6]\n"
       "core::reshape(0; shape=4,6) -> f32[4,6]\n"
       "= 1"},
      {"STRIDED_SLICE", "", "f32[6]; s32[1]=-1; s32[1]=-7; s32[1]=-2", "f32[3]",
       "core::slice(a; begin=5 size=3 step=-2) -> f32[3]\n"
       "= 0"},
      {"SPLIT", "num_splits=2", "s32[]=1; f32[2,4]", "f32[2,2]; f32[2,2]",
       "core::slice(b; begin=0,0 size=2,2 step=1,1) -> f32[2,2]\n"
       "core::slice(b; begin=0,2 size=2,2 step=1,1) -> f32[2,2]\n"
       "= 0, 1"},
      {"SPLIT_V", "", "f32[1,4]; s32[2]=1,-1; s32[]=1", "f32[1,1]; f32[1,3]",
       "core::slice(a; begin=0,0 size=1,1 step=1,1) -> f32[1,1]\n"
       "core::slice(a; begin=0,1 size=1,3 step=1,1) -> f32[1,3]\n"
       "= 0, 1"},
      {"UNPACK", "num=2 axis=-1", "f32[3,2]", "f32[3]; f32[3]",
       "core::slice(a; begin=0,0 size=3,1 step=1,1) -> f32[3,1]\n"
       "core::reshape(0; shape=3) -> f32[3]\n"
       "core::slice(a; begin=0,1 size=3,1 step=1,1) -> f32[3,1]\n"
       "core::reshape(2; shape=3) -> f32[3]\n"
       "= 1, 3"},
      {"WHERE", "", "bool[2,3]", "s64[?9,2]",
       "core::nonzero(a) -> s64[?9,2]\n"
       "= 0"},
      {"RFFT2D", "", "f32[2,4,8]; s32[2]=4,16", "c64[2,4,9]",
       "core::rfft2(a; size=4,16) -> c64[2,4,9]\n"
       "= 0"},
      {"COMPLEX_ABS", "", "c64[2,3]", "f32[2,3]",
       "core::complex_abs(a) -> f32[2,3]\n"
       "= 0"},
      {"REVERSE_V2", "", "f32[3,2]; s32[1]=-1", "f32[3,2]",
       "core::slice(a; begin=0,1 size=3,2 step=1,-1) -> f32[3,2]\n"
       "= 0"},
      {"CONCATENATION", "axis=-1", "s8[2,3]{1:0}; s8[2,4]{1:0} |",
       "s8[2,7]{1:0}",
       "core::concat(a, b; axis=1) -> s8[2,7]{1:0}\n"
       "= 0"},
      {"CONCATENATION", "axis=-1", "u8[2,3]{1:0}; u8[2,4]{1:0} |",
       "u8[2,7]{1:0}",
       "core::quantize(a) -> s8[2,3]{1:-128}\n"
       "core::quantize(b) -> s8[2,4]{1:-128}\n"
       "core::concat(0, 1; axis=1) -> s8[2,7]{1:-128}\n"
       "core::quantize(2) -> u8[2,7]{1:0}\n"
       "= 3"},
      {"PACK", "values_count=2 axis=0", "u8[3]{1:0}; u8[3]{2:0} |",
       "u8[2,3]{1:0}", "! u8 tensors of several scales are not supported"},
      {"PACK", "values_count=2 axis=1", "f32[2,3]; f32[2,3] |", "f32[2,2,3]",
       "core::reshape(a; shape=2,1,3) -> f32[2,1,3]\n"
       "core::reshape(b; shape=2,1,3) -> f32[2,1,3]\n"
       "core::concat(0, 1; axis=1) -> f32[2,2,3]\n"
       "= 2"},
      {"PAD", "", "f32[2,3]; s32[2,2]=1,0,0,2", "f32[3,5]",
       "core::pad(a; before=1,0 after=0,2 value=0) -> f32[3,5]\n"
       "= 0"},
      {"PADV2", "", "s8[3]{0.5:3}; s32[1,2]=1,1; s8[]{0.5:3}=5", "s8[5]{0.5:3}",
       "core::pad(a; before=1 after=1 value=1) -> s8[5]{0.5:3}\n"
       "= 0"},
      {"DEPTH_TO_SPACE", "block_size=2", "f32[1,2,3,8]", "f32[1,4,6,2]",
       "core::reshape(a; shape=1,2,3,2,2,2) -> f32[1,2,3,2,2,2]\n"
       "core::permute(0; dims=0,1,3,2,4,5) -> f32[1,2,2,3,2,2]\n"
       "core::reshape(1; shape=1,4,6,2) -> f32[1,4,6,2]\n"
       "= 2"},
      {"SPACE_TO_DEPTH", "block_size=2", "s8[1,4,6,2]{1:0}", "s8[1,2,3,8]{1:0}",
       "core::reshape(a; shape=1,2,2,3,2,2) -> s8[1,2,2,3,2,2]{1:0}\n"
       "core::permute(0; dims=0,1,3,2,4,5) -> s8[1,2,3,2,2,2]{1:0}\n"
       "core::reshape(1; shape=1,2,3,8) -> s8[1,2,3,8]{1:0}\n"
       "= 2"},
      {"SLICE", "", "f32[?0,5]; s32[2]=1,1; s32[2]=-1,2", "f32[?3,2]",
       "core::slice(b; begin=0 size=1 step=1) -> s32[1]\n"
       "core::reshape(0; shape=) -> s32[]\n"
       "core::cast(1; dtype=6) -> s64[]\n"
       "core::slice(c; begin=0 size=1 step=1) -> s32[1]\n"
       "core::reshape(3; shape=) -> s32[]\n"
       "core::cast(4; dtype=6) -> s64[]\n"
       "core::number(; value=?0 dtype=6) -> s64[]\n"
       "core::sub(6, 2) -> \n"
       "core::lt(5, #0) -> \n"
       "core::where(9, 7, 5) -> \n"
       "core::reshape(2; shape=1) -> s64[1]\n"
       "core::slice(a; begin=0,1 size=?0,2 step=1,1) -> f32[?0,2]\n"
       "core::dynamic_slice(12, 11; axes=0 size=?9) -> f32[?9,2]\n"
       "= 13"},
      {"UNPACK", "num=2", "f32[?0]", "f32[]; f32[]",
       "! parts of an open size are not supported"},
      {"STRIDED_SLICE", "", "f32[?0]; s32[1]=1; s32[1]=3; s32[1]=1", "f32[2]",
       "core::number(; value=?0 dtype=6) -> s64[]\n"
       "core::slice(b; begin=0 size=1 step=1) -> s32[1]\n"
       "core::reshape(2; shape=) -> s32[]\n"
       "core::cast(3; dtype=6) -> s64[]\n"
       "core::add(4, 0) -> \n"
       "core::lt(4, #0) -> \n"
       "core::where(7, 5, 4) -> \n"
       "core::maximum(8, #0) -> \n"
       "core::minimum(10, 0) -> \n"
       "core::slice(c; begin=0 size=1 step=1) -> s32[1]\n"
       "core::reshape(12; shape=) -> s32[]\n"
       "core::cast(13; dtype=6) -> s64[]\n"
       "core::add(14, 0) -> \n"
       "core::lt(14, #0) -> \n"
       "core::where(17, 15, 14) -> \n"
       "core::maximum(18, #0) -> \n"
       "core::minimum(20, 0) -> \n"
       "core::sub(21, 11) -> \n"
       "core::maximum(22, #0) -> \n"
       "core::reshape(11; shape=1) -> s64[1]\n"
       "core::slice(a; begin=0 size=?0 step=1) -> f32[?0]\n"
       "core::dynamic_slice(26, 25; axes=0 size=?9) -> f32[?9]\n"
       "= 27"},
      {"DEPTH_TO_SPACE", "block_size=2", "f32[1,?0,3,8]", "f32[1,4,6,2]",
       "! blocks of open sizes are not supported"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

static void types_go_to_core(void **state) {
  static const tfl_row rows[] = {
      {"QUANTIZE", "", "f32[4]", "s8[4]{0.5:3}",
       "core::quantize(a) -> s8[4]{0.5:3}\n"
       "= 0"},
      {"DEQUANTIZE", "", "s8[4]{0.5:3}", "f32[4]",
       "core::dequantize(a) -> f32[4]\n"
       "= 0"},
      {"DEQUANTIZE", "", "f16[4]", "f32[4]",
       "core::cast(a; dtype=1) -> f32[4]\n"
       "= 0"},
      {"CAST", "", "s32[4]", "f32[4]",
       "core::cast(a; dtype=1) -> f32[4]\n"
       "= 0"},
      {"CAST", "", "s8[4]{1:0}", "f32[4]",
       "core::reinterpret(a) -> s8[4]\n"
       "core::cast(0; dtype=1) -> f32[4]\n"
       "= 1"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

static void functions_are_called(void **state) {
  static const tfl_row rows[] = {
      {"IF", "then_subgraph_index=2 else_subgraph_index=1",
       "bool[] | f32[2,3] |", "f32[2,3]",
       "{0:\n"
       "core::call(0; function=2) -> f32[2,3]\n"
       "yield 1}\n"
       "{1:\n"
       "core::call(2; function=1) -> f32[2,3]\n"
       "yield 3}\n"
       "core::cond(a, b {0} {1}) -> f32[2,3]\n"
       "= 4"},
      {"IF", "then_subgraph_index=2 else_subgraph_index=1",
       "bool[1] | f32[2]; s32[] |", "f32[2]; f32[3]",
       "core::reshape(a; shape=) -> bool[]\n"
       "{0:\n"
       "core::call(1, 2; function=2) -> f32[2], f32[3]\n"
       "yield 3, 4}\n"
       "{1:\n"
       "core::call(5, 6; function=1) -> f32[2], f32[3]\n"
       "yield 7, 8}\n"
       "core::cond(0, b, c {0} {1}) -> f32[2], f32[3]\n"
       "= 9, 10"},
      {"WHILE", "cond_subgraph_index=3 body_subgraph_index=4",
       "s32[]; f32[4] |", "s32[]; f32[4]",
       // The function says what it gives, which is not known here.
       "{0:\n"
       "core::call(0, 1; function=3) -> \n"
       "core::reshape(2; shape=) -> f32[]\n"
       "yield 3}\n"
       "{1:\n"
       "core::call(4, 5; function=4) -> , \n"
       "core::reshape(6; shape=) -> f32[]\n"
       "yield 8, 7}\n"
       "core::while(a, b {0} {1}) -> s32[], f32[4]\n"
       "= 9, 10"},
      {"STABLEHLO_COMPOSITE", "decomposition_subgraph_index=1", "f32[4] |",
       "f32[4]",
       "core::call(a; function=1) -> f32[4]\n"
       "= 0"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

static void repetition_goes_to_core(void **state) {
  static const tfl_row rows[] = {
      {"MIRROR_PAD", "", "f32[3,2]; s32[2,2]=2,1,0,0", "f32[6,2]",
       "core::slice(a; begin=2,0 size=2,2 step=-1,1) -> f32[2,2]\n"
       "core::slice(a; begin=1,0 size=1,2 step=-1,1) -> f32[1,2]\n"
       "core::concat(0, a, 1; axis=0) -> f32[6,2]\n"
       "= 2"},
      {"MIRROR_PAD", "mode=1", "s8[3,2]{1:0}; s32[2,2]=1,1,2,0", "s8[5,4]{1:0}",
       "core::slice(a; begin=0,0 size=1,2 step=-1,1) -> s8[1,2]{1:0}\n"
       "core::slice(a; begin=2,0 size=1,2 step=-1,1) -> s8[1,2]{1:0}\n"
       "core::concat(0, a, 1; axis=0) -> s8[5,2]{1:0}\n"
       "core::slice(2; begin=0,1 size=5,2 step=1,-1) -> s8[5,2]{1:0}\n"
       "core::concat(3, 2; axis=1) -> s8[5,4]{1:0}\n"
       "= 4"},
      {"TILE", "", "f32[2,3]; s32[2]=2,1", "f32[4,3]",
       "core::concat(a, a; axis=0) -> f32[4,3]\n"
       "= 0"},
      {"TILE", "", "f32[2,3]; s32[2]=0,2", "f32[0,6]",
       "core::concat(a, a; axis=1) -> f32[2,6]\n"
       "core::slice(0; begin=0,0 size=0,6 step=1,1) -> f32[0,6]\n"
       "= 1"},
      {"TILE", "", "f32[2]; s32[1]=130", "f32[260]",
       "core::concat(a, a; axis=0) -> f32[4]\n"
       "core::concat(a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, "
       "a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, "
       "a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a; "
       "axis=0) -> f32[128]\n"
       "core::concat(1, 1; axis=0) -> f32[256]\n"
       "core::concat(0, 2; axis=0) -> f32[260]\n"
       "= 3"},
      {"TILE", "", "f32[2]; s32[1]=1000000", "f32[2000000]",
       "core::reshape(a; shape=1,1,2) -> f32[1,1,2]\n"
       "core::expand(0; shape=1,1000000,2) -> \n"
       "core::reshape(1; shape=2000000) -> f32[2000000]\n"
       "= 2"},
      {"TILE", "", "f32[?0]; s32[1]=2", "f32[2]",
       "core::reshape(a; shape=1,1,(1*?0)) -> f32[1,1,(1*?0)]\n"
       "core::expand(0; shape=1,2,(1*?0)) -> \n"
       "core::reshape(1; shape=(?0*2)) -> f32[(?0*2)]\n"
       "= 2"},
      {"TILE", "", "f32[2]; s32[1]", "f32[4]",
       "core::slice(b; begin=0 size=1 step=1) -> s32[1]\n"
       "core::reshape(0; shape=) -> s32[]\n"
       "core::reshape(a; shape=1,1,2) -> f32[1,1,2]\n"
       "core::expand(2; shape=1,?9,2) -> \n"
       "core::reshape(3; shape=(2*?9)) -> f32[(2*?9)]\n"
       "= 4"},
      {"BROADCAST_TO", "", "f32[1,3]; s32[3]=2,2,3", "f32[2,2,3]",
       "core::reshape(a; shape=1,1,3) -> f32[1,1,3]\n"
       "core::concat(0, 0; axis=1) -> f32[1,2,3]\n"
       "core::concat(1, 1; axis=0) -> f32[2,2,3]\n"
       "= 2"},
      {"FILL", "", "s32[2]=2,3; f32[]", "f32[2,3]",
       "core::reshape(b; shape=1,1) -> f32[1,1]\n"
       "core::concat(0, 0, 0; axis=1) -> f32[1,3]\n"
       "core::concat(1, 1; axis=0) -> f32[2,3]\n"
       "= 2"},
      {"FILL", "", "s32[0]=; f32[]", "f32[]", "= b"},
      {"SPACE_TO_BATCH_ND", "", "f32[1,3,4,5]; s32[2]=2,2; s32[2,2]=0,1,0,0",
       "f32[4,2,2,5]",
       "core::pad(a; before=0,0,0,0 after=0,1,0,0) -> f32[1,4,4,5]\n"
       "core::reshape(0; shape=1,2,2,2,2,5) -> f32[1,2,2,2,2,5]\n"
       "core::permute(1; dims=2,4,0,1,3,5) -> f32[2,2,1,2,2,5]\n"
       "core::reshape(2; shape=4,2,2,5) -> f32[4,2,2,5]\n"
       "= 3"},
      {"SPACE_TO_BATCH_ND", "", "f32[1,4,5]; s32[1]=2; s32[1,2]=0,0",
       "f32[2,2,5]",
       "core::reshape(a; shape=1,2,2,5) -> f32[1,2,2,5]\n"
       "core::permute(0; dims=2,0,1,3) -> f32[2,1,2,5]\n"
       "core::reshape(1; shape=2,2,5) -> f32[2,2,5]\n"
       "= 2"},
      {"BATCH_TO_SPACE_ND", "", "f32[4,2,2,5]; s32[2]=2,2; s32[2,2]=0,1,0,0",
       "f32[1,3,4,5]",
       "core::reshape(a; shape=2,2,1,2,2,5) -> f32[2,2,1,2,2,5]\n"
       "core::permute(0; dims=2,3,0,4,1,5) -> f32[1,2,2,2,2,5]\n"
       "core::reshape(1; shape=1,4,4,5) -> f32[1,4,4,5]\n"
       "core::slice(2; begin=0,0,0,0 size=1,3,4,5 step=1,1,1,1) -> "
       "f32[1,3,4,5]\n"
       "= 3"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

static void variables_are_refused(void **state) {
  static const tfl_row rows[] = {
      {"VAR_HANDLE", "", "", "s32[]",
       "! the pass 'functional', which makes states of variables, has not run"},
      {"READ_VARIABLE", "", "s32[]", "f32[2]",
       "! the pass 'functional', which makes states of variables, has not run"},
      {"ASSIGN_VARIABLE", "", "s32[]; f32[2]", "",
       "! the pass 'functional', which makes states of variables, has not run"},
      {"CALL_ONCE", "", "", "",
       "! the pass 'functional', which makes states of variables, has not run"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

static void results_that_became_known(void **state) {
  static const tfl_row rows[] = {
      {"FILL", "", "s32[2]~=2,3; f32[]", "f32[?3,3]",
       "core::reshape(b; shape=1,1) -> f32[1,1]\n"
       "core::concat(0, 0, 0; axis=1) -> f32[1,3]\n"
       "core::concat(1, 1; axis=0) -> f32[2,3]\n"
       "= 2"},
      {"BROADCAST_TO", "", "f32[1,3]; s32[2]~=2,3", "f32[?3,3]",
       "core::concat(a, a; axis=0) -> f32[2,3]\n"
       "= 0"},
      {"RESHAPE", "", "f32[2,3]; s32[2]~=-1,2", "f32[?3,2]",
       "core::reshape(a; shape=3,2) -> f32[3,2]\n"
       "= 0"},
      {"RESHAPE", "", "f32[2,3]; s32[2]~=-1,4", "f32[?3,2]",
       "! sizes that were open when the file was read are not supported"},
      {"RESHAPE", "", "f32[?0,3]; s32[2]~=-1,3", "f32[?3,2]",
       "core::reshape(a; shape=?9,?9) -> f32[?9,?9]\n"
       "= 0"},
      {"TILE", "", "f32[2]; s32[1]~=3", "f32[?3]",
       "core::concat(a, a, a; axis=0) -> f32[6]\n"
       "= 0"},
      {"TILE", "", "f32[2]; s32[1]", "f32[?3]",
       "core::slice(b; begin=0 size=1 step=1) -> s32[1]\n"
       "core::reshape(0; shape=) -> s32[]\n"
       "core::reshape(a; shape=1,1,2) -> f32[1,1,2]\n"
       "core::expand(2; shape=1,?9,2) -> \n"
       "core::reshape(3; shape=(2*?9)) -> f32[(2*?9)]\n"
       "= 4"},
      {"SLICE", "", "f32[2]; s32[1]~=1; s32[1]=1", "f32[?3]",
       "core::slice(a; begin=1 size=1 step=1) -> f32[1]\n"
       "= 0"},
      {"MEAN", "", "f32[2,2]; s32[1]~=1", "f32[?3]",
       "! sizes that were open when the file was read are not supported"},
      {"PAD", "", "f32[2]; s32[1,2]~=1,1", "f32[?3]",
       "core::pad(a; before=1 after=1 value=0) -> f32[4]\n"
       "= 0"},
      {"REVERSE_V2", "", "f32[2]; s32[?0]", "f32[2]",
       "! so many axes that a run computes are not supported"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

TEST_GROUP(tfl_lower, cmocka_unit_test(windows_get_padding),
           cmocka_unit_test(windows_are_not_served),
           cmocka_unit_test(products_see_rows),
           cmocka_unit_test(elements_go_to_core),
           cmocka_unit_test(axes_go_to_core),
           cmocka_unit_test(shapes_go_to_core),
           cmocka_unit_test(types_go_to_core),
           cmocka_unit_test(functions_are_called),
           cmocka_unit_test(repetition_goes_to_core),
           cmocka_unit_test(variables_are_refused),
           cmocka_unit_test(results_that_became_known))
