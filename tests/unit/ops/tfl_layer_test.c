// Layers over images, volumes and sequences: what a file may say of them, and
// what is not served. That what is served gives LiteRT's numbers is recorded in
// tests/cases/tfl.cases, and in whole models.
#include "harness/harness.h"
#include "tfl_mock.h"

#define TWO "stride_w=2 stride_h=2 "
#define ONE3 "stride_d=1 stride_w=1 stride_h=1 "

static void images_and_volumes(void **state) {
  static const tfl_row rows[] = {
      {"TRANSPOSE_CONV", TWO, "s32[4]=1,14,16,5; f32[5,3,3,4]; f32[1,7,8,4]; -",
       "f32[1,14,16,5]", "f32[1,14,16,5]"},
      {"TRANSPOSE_CONV", TWO "padding=1",
       "s32[4]=1,15,17,5; f32[5,3,3,4]; f32[1,7,8,4]; f32[5]", "f32[1,15,17,5]",
       "f32[1,15,17,5]"},
      {"TRANSPOSE_CONV", TWO, "s32[4]=1,15,16,5; f32[5,3,3,4]; f32[1,7,8,4]; -",
       "f32[1,15,16,5]",
       "! the height of 'x' is 7, expected 8; for this 'x' operand 0, 'shape', "
       "must hold [1, 14, 16, 5]"},
      {"TRANSPOSE_CONV", TWO, "s32[4]=2,14,16,5; f32[5,3,3,4]; f32[1,7,8,4]; -",
       "f32[2,14,16,5]",
       "! 'shape' asks for 2 images of 5 channels; for this 'x' operand 0, "
       "'shape', must hold [1, 14, 16, 5]"},
      {"TRANSPOSE_CONV", TWO, "s32[3]=1,14,16; f32[5,3,3,4]; f32[1,7,8,4]; -",
       "f32[1,14,16,5]", "! operand 0, 'shape', is no list of 4 integers"},
      {"TRANSPOSE_CONV", TWO, "s32[4]=1,14,16,5; f32[5,3,3,3]; f32[1,7,8,4]; -",
       "f32[1,14,16,5]",
       "! operand 2, 'x', has 4 in dimension 3, not 3 like 'w'"},
      {"TRANSPOSE_CONV", "", "s32[4]=1,14,16,5; f32[5,3,3,4]; f32[1,7,8,4]; -",
       "f32[1,14,16,5]",
       "! the stride along the height, 'stride_h', is 0, expected 1 or more"},
      {"TRANSPOSE_CONV", "", "s32[4]; f32[5,3,3,4]; f32[1,7,8,4]; -",
       "f32[1,14,16,5]",
       "! the stride along the height, 'stride_h', is 0, expected 1 or more"},
      {"CONV_3D", ONE3, "f32[1,3,4,5,2]; f32[2,3,3,2,4]; -", "f32[1,3,4,5,4]",
       "f32[1,3,4,5,4]"},
      {"CONV_3D", ONE3, "f32[1,3,4,5,2]; f32[2,3,3,1,4]; -", "f32[1,3,4,5,4]",
       "! operand 0, 'x', has 2 in dimension 4, not 1 like 'w'"},
      {"CONV_3D", ONE3, "f32[1,3,4,5,2]; f32[2,3,3,2,4]; f32[3]",
       "f32[1,3,4,5,4]", "! 'bias' is no list of 4 numbers"},
      {"RESIZE_BILINEAR", "", "f32[1,4,6,8]; s32[2]=7,9", "f32[1,7,9,8]",
       "f32[1,7,9,8]"},
      {"RESIZE_BILINEAR", "align_corners=1 half_pixel_centers=1",
       "f32[1,4,6,8]; s32[2]=7,9", "f32[1,7,9,8]",
       "! both align_corners and half_pixel_centers are set"},
      {"RESIZE_NEAREST_NEIGHBOR", "", "s8[1,4,6,8]{1:0}; s32[2]=0,9",
       "s8[1,1,9,8]{1:0}", "! 4 elements become 0"},
      {"RESIZE_NEAREST_NEIGHBOR", "", "f32[1,4,6,8]; s32[3]=1,2,3",
       "f32[1,1,9,8]", "! 'size' is not two integers"},
      {"LOCAL_RESPONSE_NORMALIZATION", "radius=2", "f32[1,2,3,4]",
       "f32[1,2,3,4]", "f32[1,2,3,4]"},
      {"LOCAL_RESPONSE_NORMALIZATION", "radius=-1", "f32[1,2,3,4]",
       "f32[1,2,3,4]", "! radius is -1"},
  };
  (void)state;
  TFL_INFER_ALL(rows);
}

#define GATES "f32[3,2]; f32[3,2]; f32[3,2]; f32[3,2]; "
#define STATE "f32[3,3]; f32[3,3]; f32[3,3]; f32[3,3]; -; -; -; "
#define BIASES "f32[3]; f32[3]; f32[3]; f32[3]; -; -; "
#define NORMS "; -; -; -; -"
#define TANH "fused_activation_function=4 "

static void sequences(void **state) {
  static const tfl_row rows[] = {
      {"UNIDIRECTIONAL_SEQUENCE_LSTM", TANH,
       "f32[1,6,2]; " GATES STATE BIASES "f32[1,3]; f32[1,3]" NORMS,
       "f32[1,6,3]", "f32[1,6,3]; f32[1,3]; f32[1,3]"},
      {"UNIDIRECTIONAL_SEQUENCE_LSTM", TANH "time_major=1",
       "f32[6,1,2]; " GATES STATE BIASES "f32[1,3]; f32[1,3]" NORMS,
       "f32[6,1,3]", "f32[6,1,3]; f32[1,3]; f32[1,3]"},
      {"UNIDIRECTIONAL_SEQUENCE_LSTM", TANH,
       "f32[1,6,5]; " GATES STATE BIASES "f32[1,3]; f32[1,3]" NORMS,
       "f32[1,6,3]", "! operand 1, 'w_i', must be [3, 5]"},
      {"UNIDIRECTIONAL_SEQUENCE_LSTM", TANH,
       "f32[1,6,2]; " GATES STATE BIASES "f32[2,3]; f32[1,3]" NORMS,
       "f32[1,6,3]", "! operand 18, 'h', must be [1, 3]"},
      {"SVDF", "rank=2", "f32[1,3]; f32[8,3]; f32[8,5]; f32[4]; f32[1,40]",
       "f32[1,4]", "f32[1,4]; f32[1,40]"},
      {"SVDF", "rank=3", "f32[1,3]; f32[8,3]; f32[8,5]; f32[4]; f32[1,40]",
       "f32[1,4]", "! 8 filters of rank 3 over 5 steps"},
      {"SVDF", "rank=2", "f32[1,3]; f32[8,3]; f32[8,5]; f32[4]; f32[1,39]",
       "f32[1,4]", "! operand 4, 'state', must be [1, 40]"},
  };
  (void)state;
  TFL_INFER_ALL(rows);
}

static void what_is_not_served(void **state) {
  static const tfl_row rows[] = {
      {"UNIDIRECTIONAL_SEQUENCE_LSTM", "fused_activation_function=5",
       "f32[1,6,2]; " GATES STATE BIASES "f32[1,3]; f32[1,3]" NORMS,
       "f32[1,6,3]", "! fused activation SIGN_BIT is not supported"},
      {"UNIDIRECTIONAL_SEQUENCE_LSTM", TANH,
       "f32[1,6,2]; " GATES "f32[3,3]; f32[3,3]; -; f32[3,3]; -; -; -; " BIASES
       "f32[1,3]; f32[1,3]" NORMS,
       "f32[1,6,3]", "! weights of gate 2 are missing"},
      {"UNIDIRECTIONAL_SEQUENCE_LSTM", TANH,
       "f32[1,6,2]; " GATES "-; f32[3,3]; f32[3,3]; f32[3,3]; -; -; -; " BIASES
       "f32[1,3]; f32[1,3]" NORMS,
       "f32[1,6,3]", "! weights of gate 0 are missing"},
      {"UNIDIRECTIONAL_SEQUENCE_LSTM", TANH,
       "s8[1,6,2]{1:0}; " GATES STATE BIASES "f32[1,3]; f32[1,3]" NORMS,
       "s8[1,6,3]{1:0}",
       "! integers with 0 intermediate scales, expected 5, are not supported"},
      {"SVDF", "rank=1 fused_activation_function=4",
       "s8[1,3]{1:0}; s8[8,3]{1:0}; s16[8,5]{1:0}; s32[8]; s16[1,40]{1:0}",
       "s8[1,8]{1:0}",
       "! a fused activation of integers other than RELU is not supported"},
      {"REDUCE_MAX", "", "s8[2,3]{1:0}; s32[1]=0", "s8[3]{2:0}",
       "! a result of another scale is not supported"},
      {"LOCAL_RESPONSE_NORMALIZATION", "radius=65", "f32[1,2,3,4]",
       "f32[1,2,3,4]", "! a radius of 65 is not supported"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

static void integers_go_to_core(void **state) {
  static const tfl_row rows[] = {
      {"FULLY_CONNECTED", "", "s8[2,8]{1:3}; s4[6,8]{1:0}; s32[6]",
       "s8[2,6]{2:1}",
       "core::quantize(b) -> s8[6,8]{1:0}\n"
       "core::fully_connected(a, 0, c) -> s8[2,6]{2:1}\n"
       "= 1"},
      {"FULLY_CONNECTED", "", "f32[2,8]; s4[6,8]{1:0}; -", "f32[2,6]",
       "core::quantize(b) -> s8[6,8]{1:0}\n"
       "core::fully_connected(a, 0, -; asymmetric=0) -> f32[2,6]\n"
       "= 1"},
      {"CONV_2D", "stride_w=1 stride_h=1",
       "u8[1,4,4,2]{1:130}; u8[3,1,1,2]{1:127}; s32[3]", "u8[1,4,4,3]{2:0}",
       "core::quantize(a) -> s8[1,4,4,2]{1:2}\n"
       "core::quantize(b) -> s8[3,1,1,2]{1:-1}\n"
       "core::conv(0, 1, c; stride=1,1 pad=0,0,0,0 dilation=1,1 groups=1 "
       "single_scale=1) -> "
       "s8[1,4,4,3]{2:-128}\n"
       "core::quantize(2) -> u8[1,4,4,3]{2:0}\n"
       "= 3"},
      {"DEPTHWISE_CONV_2D", "stride_w=1 stride_h=1 depth_multiplier=1",
       "u8[1,4,4,2]{1:130}; u8[1,1,1,2]{1:127}; -", "u8[1,4,4,2]{2:0}",
       "core::quantize(a) -> s8[1,4,4,2]{1:2}\n"
       "core::quantize(b) -> s8[1,1,1,2]{1:-1}\n"
       "core::depthwise_conv(0, 1, -; stride=1,1 pad=0,0,0,0 dilation=1,1 "
       "single_scale=1) -> "
       "s8[1,4,4,2]{2:-128}\n"
       "core::quantize(2) -> u8[1,4,4,2]{2:0}\n"
       "= 3"},
      {"FULLY_CONNECTED", "", "u8[2,8]{1:130}; u8[6,8]{1:127}; -",
       "u8[2,6]{2:0}",
       "core::quantize(a) -> s8[2,8]{1:2}\n"
       "core::quantize(b) -> s8[6,8]{1:-1}\n"
       "core::fully_connected(0, 1, -) -> s8[2,6]{2:-128}\n"
       "core::quantize(2) -> u8[2,6]{2:0}\n"
       "= 3"},
      {"MAXIMUM", "", "u8[2]{1:130}; u8[2]{1:130}", "u8[2]{1:130}",
       "core::quantize(a) -> s8[2]{1:2}\n"
       "core::quantize(b) -> s8[2]{1:2}\n"
       "tfl::MAXIMUM(0, 1) -> s8[2]{1:2}\n"
       "core::quantize(2) -> u8[2]{1:130}\n"
       "= 3"},
      {"NEG", "", "s8[2]{1:0}", "s8[2]{1:0}",
       "core::reinterpret(a) -> s8[2]\n"
       "tfl::NEG(0) -> s8[2]\n"
       "core::reinterpret(1) -> s8[2]{1:0}\n"
       "= 2"},
      {"NEG", "", "s8[2]{1:3}", "s8[2]{1:3}",
       "core::reinterpret(a) -> s8[2]\n"
       "tfl::NEG(0) -> s8[2]\n"
       "core::reinterpret(1) -> s8[2]{1:3}\n"
       "= 2"},
      {"TRANSPOSE_CONV", TWO "fused_activation_function=1",
       "s32[4]=1,14,16,5; s8[5,3,3,4]{1:0}; s8[1,7,8,4]{1:0}; -",
       "s8[1,14,16,5]{1:0}", "! a fused activation of s8 is not supported"},
      {"RESIZE_BILINEAR", "half_pixel_centers=1",
       "s8[1,4,6,8]{1:0}; s32[2]=7,9", "s8[1,7,9,8]{1:0}",
       "core::resize_bilinear(a; size=7,9 align_corners=0 "
       "half_pixel_centers=1) -> s8[1,7,9,8]{1:0}\n"
       "= 0"},
  };
  (void)state;
  TFL_LOWER_ALL(rows);
}

TEST_GROUP(tfl_layer, cmocka_unit_test(integers_go_to_core),
           cmocka_unit_test(images_and_volumes), cmocka_unit_test(sequences),
           cmocka_unit_test(what_is_not_served))
