// Quantised programs on integers: at most one step of the scale away from the
// floats they stand for, only when asked, and only where the form is one that
// the kernels of integers have.
#include "harness/folded.h"

#define CONST_W                                                              \
  "const %w : s8[4,2,3,3] = hex\""                                           \
  "0102fd7f80c3334455a6b7c8d9eafb0c1d2e3f405162738495a6b7c8d9eaf50a1b2c3d4e" \
  "5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f607182" \
  "\"\n"                                                                     \
  "const %s : f32[4] = {0.01, 0.02, 0.005, 0.015}\n"                         \
  "const %z : s64[4] = zeros\n"                                              \
  "const %b : f32[4] = {0.5, -1.5, 0.25, 2}\n"
#define RANGE_S8 "quant_min=-128, quant_max=127, dtype=s8]"
#define RANGE_U8 "quant_min=0, quant_max=255, dtype=u8]"
#define Q "quantized_decomposed::quantize_per_tensor("
#define D "quantized_decomposed::dequantize_per_tensor("
#define INPUT(name, dims)                                             \
  "%" name "q = " Q "%" name ") [scale=0.05, zero_point=3, " RANGE_S8 \
  " : s8[" dims "]\n%" name "f = " D "%" name                         \
  "q) "                                                               \
  "[scale=0.05, zero_point=3, " RANGE_S8 " : f32[" dims "]\n"
#define OUTPUT(dims)                                                  \
  "%q = " Q "%y) [scale=0.1, zero_point=-5, " RANGE_S8 " : s8[" dims  \
  "]\n"                                                               \
  "%r = " D "%q) [scale=0.1, zero_point=-5, " RANGE_S8 " : f32[" dims \
  "]\n"                                                               \
  "return %r }"
#define TABLE "core::table            tenon_k_table_"
#define EXACT 1e-9
#define WEIGHTS                                                              \
  "%wf = quantized_decomposed::dequantize_per_channel(%w, %s, %z) [axis=0, " \
  "quant_min=-127, quant_max=127, dtype=s8] : f32[4,2,3,3]\n"

// The same as torchao writes it: scales are constants, blocks the whole tensor.
#define AFFINE_SCALES             \
  "const %xs : f32[1] = {0.05}\n" \
  "const %xz : s32[1] = {3}\n"    \
  "const %ys : f32[1] = {0.1}\n"  \
  "const %yz : s8[1] = {-5}\n"    \
  "const %us : f32[] = {0.05}\n"  \
  "const %uz : s64[] = {131}\n"
#define AFFINE(to, from, numbers, type, dims)                         \
  "%" to "q = torchao::quantize_affine(%" from ", " numbers           \
  ") [block_size=[" dims "], output_dtype=" type "] : " type "[" dims \
  "]\n"                                                               \
  "%" to " = torchao::dequantize_affine(%" to "q, " numbers           \
  ") [block_size=[" dims "], input_dtype=" type                       \
  ", output_dtype=f32] : f32[" dims "]\n"

static const struct {
  const char *text, *part;  // of the plan, when folded
  double step;
} rows[] = {
    {"module {" CONST_W "%x = input f32[2,2,5,6]\n" INPUT("x", "2,2,5,6")
         WEIGHTS
     "%c = aten::conv2d(%xf, %wf, %b) [padding=[1,1]] : f32[2,4,5,6]\n"
     "%y = aten::relu(%c) : f32[2,4,5,6]\n" OUTPUT("2,4,5,6"),
     "core::conv             tenon_k_conv_s8_", 0.1},
    {"module {" CONST_W "%x = input f32[2,4,5,6]\n" INPUT("x", "2,4,5,6")
         WEIGHTS "%y = aten::conv2d(%xf, %wf, none) [stride=[2,2], groups=2] : "
                 "f32[2,4,2,2]\n" OUTPUT("2,4,2,2"),
     "core::conv             tenon_k_conv_s8_", 0.1},
    {"module { const %w : s8[3,4] = hex\"0102fd7f80c3334455a6b7c8\"\n"
     "const %s : f32[3] = {0.01, 0.02, 0.03}\nconst %b : f32[3] = {1, -1, 0}\n"
     "%x = input f32[5,4]\n" INPUT(
         "x",
         "5,4") "%wf = quantized_decomposed::dequantize_per_channel(%w, %s, "
                "none) "
                "[axis=0, quant_min=-127, quant_max=127, dtype=s8] : f32[3,4]\n"
                "%t = aten::permute(%wf) [dims=[1,0]] : f32[4,3]\n"
                "%y = aten::addmm(%b, %xf, %t) : f32[5,3]\n" OUTPUT("5,3"),
     "core::fully_connected  tenon_k_fully_connected_s8_", 0.1},
    // Rows that were moved since they were quantised.
    {"module { const %w : s8[3,4] = hex\"0102fd7f80c3334455a6b7c8\"\n"
     "const %s : f32[3] = {0.01, 0.02, 0.03}\nconst %b : f32[3] = {1, -1, 0}\n"
     "%x = input f32[4,5]\n" INPUT(
         "x", "4,5") "%wf = quantized_decomposed::dequantize_per_channel(%w, "
                     "%s, none) [axis=0, "
                     "quant_min=-127, quant_max=127, dtype=s8] : f32[3,4]\n"
                     "%xp = aten::permute(%xf) [dims=[1,0]] : f32[5,4]\n"
                     "%l = aten::linear(%xp, %wf, %b) : f32[5,3]\n"
                     "%y = aten::relu(%l) : f32[5,3]\n" OUTPUT("5,3"),
     "core::fully_connected  tenon_k_fully_connected_s8_", 0.1},
    {"module { %x = input f32[2,3,4]\n%v = input f32[2,1,4]\n" INPUT("x",
                                                                     "2,3,4")
         INPUT("v", "2,1,4") "%a = aten::add.Tensor(%xf, %vf) : f32[2,3,4]\n"
                             "%y = aten::hardtanh(%a) [min_val=-2, max_val=3] "
                             ": f32[2,3,4]\n" OUTPUT("2,3,4"),
     "core::add              tenon_k_add_s8_", 0.1},
    {"module { %x = input f32[2,3,4]\n%v = input f32[2,1,4]\n" INPUT(
         "x", "2,3,4") INPUT("v", "2,1,4") "%y = aten::cat([%xf, %vf]) [dim=1] "
                                           ": f32[2,4,4]\n" OUTPUT("2,4,4"),
     "tenon_k_requantize_s8_", 0.1},
    // Parts of other scales.
    {"module { %x = input f32[2,3,4]\n%v = input f32[2,1,4]\n" INPUT(
         "x",
         "2,3,4") "%vq = " Q "%v) [scale=0.07, zero_point=-9, " RANGE_S8
                  " : s8[2,1,4]\n"
                  "%vf = " D "%vq) [scale=0.07, zero_point=-9, " RANGE_S8
                  " : f32[2,1,4]\n"
                  "%y = aten::cat([%xf, %vf]) [dim=1] : f32[2,4,4]\n" OUTPUT(
                      "2,4,4"),
     "tenon_k_requantize_s8_", 0.1},
    {"module { %x = input f32[2,3,4,6]\n" INPUT(
         "x", "2,3,4,6") "%y = aten::mean.dim(%xf) [dim=[-1,-2], keepdim=true] "
                         ": f32[2,3,1,1]\n" OUTPUT("2,3,1,1"),
     "core::mean             tenon_k_mean_s8_", 0.1},
    {"module { %x = input f32[2,3,4,6]\n" INPUT(
         "x", "2,3,4,6") "%y = aten::max_pool2d(%xf) [kernel_size=[2,2]] : "
                         "f32[2,3,2,3]\n" OUTPUT("2,3,2,3"),
     "core::max_pool         tenon_k_max_pool_s8_", 0.1},
    // Depthwise, of one scale; joined and limited; weights as they are stored.
    {"module { const %w : s8[4,1,2,2] = "
     "hex\"0102fd7f80c3334455a6b7c8d9eafb0c\"\n"
     "%x = input f32[2,4,5,6]\n" INPUT(
         "x", "2,4,5,6") "%wf = " D "%w) [scale=0.02, zero_point=0, " RANGE_S8
                         " : f32[4,1,2,2]\n"
                         "%y = aten::conv2d(%xf, %wf, none) [groups=4] : "
                         "f32[2,4,4,5]\n" OUTPUT("2,4,4,5"),
     "core::depthwise_conv   tenon_k_depthwise_conv_s8_", 0.1},
    {"module { %x = input f32[2,3]\n%v = input f32[2,4]\n" INPUT("x", "2,3")
         INPUT("v", "2,4") "%a = aten::cat([%xf, %vf]) [dim=1] : f32[2,7]\n"
                           "%y = aten::hardtanh(%a) [min_val=-2, max_val=3] : "
                           "f32[2,7]\n" OUTPUT("2,7"),
     "core::clamp            tenon_k_clamp_s8_", 0.1},
    {"module { const %w : s8[4,3] = hex\"0102fd7f80c3334455a6b7c8\"\n"
     "%x = input f32[5,4]\n" INPUT(
         "x", "5,4") "%wf = " D "%w) [scale=0.02, zero_point=0, " RANGE_S8
                     " : f32[4,3]\n"
                     "%y = aten::mm(%xf, %wf) : f32[5,3]\n" OUTPUT("5,3"),
     "core::fully_connected  tenon_k_fully_connected_s8_", 0.1},
    {"module { %x = input f32[2,3,4,6]\n" INPUT(
         "x", "2,3,4,6") "%y = aten::avg_pool2d(%xf) [kernel_size=[4,6]] : "
                         "f32[2,3,1,1]\n" OUTPUT("2,3,1,1"),
     "core::mean             tenon_k_mean_s8_", 0.1},
    // Unsigned, as other quantisers write.
    {"module { %x = input f32[6]\n%v = input f32[6]\n"
     "%xq = " Q "%x) [scale=0.05, zero_point=131, " RANGE_U8 " : u8[6]\n"
     "%xf = " D "%xq) [scale=0.05, zero_point=131, " RANGE_U8
     " : f32[6]\n" INPUT(
         "v", "6") "%y = aten::mul.Tensor(%xf, %vf) : f32[6]\n"
                   "%q = " Q "%y) [scale=0.2, zero_point=120, " RANGE_U8
                   " : u8[6]\n"
                   "%r = " D "%q) [scale=0.2, zero_point=120, " RANGE_U8
                   " : f32[6]\n"
                   "return %r }",
     "core::mul              tenon_k_mul_s8_", 0.2},
    {"module {" CONST_W AFFINE_SCALES "%x = input f32[2,2,5,6]\n" AFFINE(
         "xf", "x", "%xs, %xz", "s8",
         "2,2,5,6") "%wf = torchao::dequantize_affine(%w, %s, none) "
                    "[block_size=[1,2,3,3], "
                    "input_dtype=s8, quant_min=-127, quant_max=127, "
                    "output_dtype=f32] : "
                    "f32[4,2,3,3]\n"
                    "%y = aten::conv2d(%xf, %wf, %b) [padding=[1,1]] : "
                    "f32[2,4,5,6]\n" AFFINE("r", "y", "%ys, %yz", "s8",
                                            "2,4,5,6") "return %r }",
     "core::conv             tenon_k_conv_s8_", 0.1},
    {"module { const %w : s8[3,4] = hex\"0102fd7f80c3334455a6b7c8\"\n"
     "const %s : f32[3] = {0.01, 0.02, 0.03}\nconst %b : f32[3] = {1, -1, 0}\n"
     "const %z : s32[3] = zeros\n" AFFINE_SCALES "%x = input f32[5,4]\n" AFFINE(
         "xf", "x", "%us, %uz", "u8",
         "5,4") "%wf = torchao::dequantize_affine(%w, %s, %z) "
                "[block_size=[1,4], "
                "input_dtype=s8, output_dtype=f32] : f32[3,4]\n"
                "%y = aten::linear(%xf, %wf, %b) : f32[5,3]\n" AFFINE(
                    "r", "y", "%us, %uz", "u8", "5,3") "return %r }",
     "core::fully_connected  tenon_k_fully_connected_s8_", 0.05},
    {"module { const %w : u8[2,3,2,2] = hex\""
     "0180ff7f80c3334455a6b7c801807f7f80c3334455a6b7c8\"\n"
     "%x = input f32[1,3,4,5]\n" INPUT(
         "x",
         "1,3,4,5") "%wf = " D "%w) [scale=0.02, zero_point=128, " RANGE_U8
                    " : f32[2,3,2,2]\n"
                    "%y = aten::conv2d(%xf, %wf, none) : f32[1,2,3,4]\n" OUTPUT(
                        "1,2,3,4"),
     "core::conv             tenon_k_conv_s8_", 0.1},
    // Transposed; the relu is where the type ends.
    {"module {" CONST_W
     "const %t : f32[2] = {0.01, 0.02}\nconst %c : f32[2] = {0.5, -1.5}\n"
     "%x = input f32[1,4,3,4]\n" INPUT(
         "x",
         "1,4,3,4") "%wf = quantized_decomposed::dequantize_per_channel(%w, "
                    "%t, none) [axis=1, "
                    "quant_min=-127, quant_max=127, dtype=s8] : f32[4,2,3,3]\n"
                    "%a = aten::conv_transpose2d.input(%xf, %wf, %c) "
                    "[stride=[2,2], padding=[1,1], output_padding=[1,1]] : "
                    "f32[1,2,6,8]\n"
                    "%y = aten::relu(%a) : f32[1,2,6,8]\n"
                    "%q = " Q "%y) [scale=0.1, zero_point=-128, " RANGE_S8
                    " : s8[1,2,6,8]\n"
                    "%r = " D "%q) [scale=0.1, zero_point=-128, " RANGE_S8
                    " : f32[1,2,6,8]\nreturn %r }",
     "core::conv_transpose3d tenon_k_conv_transpose3d_s8_", 0.1},
    {"module {" CONST_W
     "const %t : f32[2] = {0.01, 0.02}\nconst %c : f32[2] = {0.5, -1.5}\n"
     "%x = input f32[1,4,3,4]\n" INPUT(
         "x", "1,4,3,4") "%wf = " D "%w) [scale=0.02, zero_point=0, " RANGE_S8
                         " : f32[4,2,3,3]\n"
                         "%y = aten::conv_transpose2d.input(%xf, %wf, none) "
                         "[dilation=[2,2], groups=2] : f32[1,4,7,8]\n" OUTPUT(
                             "1,4,7,8"),
     "core::conv_transpose3d tenon_k_conv_transpose3d_s8_", 0.1},
    // Limits that the type does not end at; lines and volumes.
    {"module {" CONST_W
     "const %t : f32[2] = {0.01, 0.02}\nconst %c : f32[2] = {0.5, -1.5}\n"
     "%x = input f32[1,4,3,4]\n" INPUT(
         "x",
         "1,4,3,4") "%wf = quantized_decomposed::dequantize_per_channel(%w, "
                    "%t, none) [axis=1, "
                    "quant_min=-127, quant_max=127, dtype=s8] : f32[4,2,3,3]\n"
                    "%a = aten::conv_transpose2d.input(%xf, %wf, %c) : "
                    "f32[1,2,5,6]\n"
                    "%y = aten::relu(%a) : f32[1,2,5,6]\n" OUTPUT("1,2,5,6"),
     "core::clamp            tenon_k_clamp_s8_", 0.1},
    {"module {" CONST_W
     "const %c : f32[2] = {0.5, -1.5}\n%x = input f32[1,4,12]\n" INPUT(
         "x", "1,4,12") "%wd = " D "%w) [scale=0.02, zero_point=0, " RANGE_S8
                        " : f32[4,2,3,3]\n"
                        "%wf = aten::view(%wd) [size=[4,2,9]] : f32[4,2,9]\n"
                        "%a = aten::conv_transpose1d(%xf, %wf, %c) "
                        "[stride=[3], padding=[2]] : f32[1,2,38]\n"
                        "%y = aten::relu6(%a) : f32[1,2,38]\n" OUTPUT("1,2,38"),
     "core::clamp            tenon_k_clamp_s8_", 0.1},
    {"module {" CONST_W
     "const %c : f32[2] = {0.5, -1.5}\n%x = input f32[1,4,2,3,4]\n" INPUT(
         "x",
         "1,4,2,3,4") "%wd = " D "%w) [scale=0.02, zero_point=0, " RANGE_S8
                      " : f32[4,2,3,3]\n"
                      "%wf = aten::view(%wd) [size=[4,2,1,3,3]] : "
                      "f32[4,2,1,3,3]\n"
                      "%a = aten::convolution(%xf, %wf, %c) [stride=[2,1,1], "
                      "padding=[0,1,0], dilation=[1,1,1], transposed=true, "
                      "output_padding=[1,0,0], groups=1] : f32[1,2,4,3,6]\n"
                      "%y = aten::hardtanh(%a) [min_val=-3, max_val=2] : "
                      "f32[1,2,4,3,6]\n" OUTPUT("1,2,4,3,6"),
     "core::conv_transpose3d tenon_k_conv_transpose3d_s8_", 0.1},
    // Scales that groups share.
    {"module {" CONST_W
     "const %t : f32[2] = {0.01, 0.02}\nconst %c : f32[2] = {0.5, -1.5}\n"
     "%x = input f32[1,4,3,4]\n" INPUT(
         "x",
         "1,4,3,4") "%wf = quantized_decomposed::dequantize_per_channel(%w, "
                    "%t, none) [axis=1, "
                    "quant_min=-127, quant_max=127, dtype=s8] : f32[4,2,3,3]\n"
                    "%y = aten::conv_transpose2d.input(%xf, %wf, none) "
                    "[groups=2] : f32[1,4,5,6]\n" OUTPUT("1,4,5,6"),
     "core::conv_transpose3d tenon_k_conv_transpose3d_s8_", 0.1},
    // Scales that are constant operands.
    {"module { const %s : f64[1] = {0.05}\nconst %z : s64[1] = {3}\n"
     "const %t : f32[] = {0.1}\nconst %u : s32[] = {-5}\n"
     "const %lo : s64[] = {-128}\nconst %hi : s64[] = {127}\n"
     "%x = input f32[2,6]\n"
     "%xq = quantized_decomposed::quantize_per_tensor.tensor(%x, %s, %z) "
     "[" RANGE_S8 " : s8[2,6]\n"
     "%xf = quantized_decomposed::dequantize_per_tensor.tensor(%xq, %s, %z) "
     "[" RANGE_S8 " : f32[2,6]\n"
     "%y = aten::add.Tensor(%xf, %xf) : f32[2,6]\n"
     "%q = quantized_decomposed::quantize_per_tensor.tensor2(%y, %t, %u, %lo, "
     "%hi) [dtype=s8] : s8[2,6]\n"
     "%r = quantized_decomposed::dequantize_per_tensor.tensor2(%q, %t, %u, "
     "%lo, %hi) [dtype=s8] : f32[2,6]\nreturn %r }",
     "core::add              tenon_k_add_s8_", 0.1},
    // Weights with a zero point of their own: floats.
    {"module { const %w : u8[2,3,2,2] = hex\""
     "0180ff7f80c3334455a6b7c801807f7f80c3334455a6b7c8\"\n"
     "%x = input f32[1,3,4,5]\n" INPUT(
         "x",
         "1,3,4,5") "%wf = " D "%w) [scale=0.02, zero_point=127, " RANGE_U8
                    " : f32[2,3,2,2]\n"
                    "%y = aten::conv2d(%xf, %wf, none) : f32[1,2,3,4]\n" OUTPUT(
                        "1,2,3,4"),
     "core::conv             tenon_k_conv_f32_", 0},
    // A part of the type's range: floats.
    {"module {" CONST_W AFFINE_SCALES "%x = input f32[2,2,5,6]\n" AFFINE(
         "xf", "x", "%xs, %xz", "s8",
         "2,2,5,6") "%a = aten::add.Tensor(%xf, %xf) : f32[2,2,5,6]\n"
                    "%q = torchao::quantize_affine(%a, %xs, %xz) "
                    "[block_size=[2,2,5,6], "
                    "output_dtype=s8, quant_min=-8, quant_max=7] : "
                    "s8[2,2,5,6]\n"
                    "%r = torchao::dequantize_affine(%q, %xs, %xz) "
                    "[block_size=[2,2,5,6], "
                    "input_dtype=s8, output_dtype=f32] : f32[2,2,5,6]\nreturn "
                    "%r }",
     "core::add              tenon_k_add_f32_", 0},
    // Functions of a byte are tables, with the numbers that floats have:
    // between links, of several operators, of a number that is dequantised
    // twice.
    {"module { %x = input f32[60]\n" INPUT(
         "x", "60") "%y = aten::tanh(%xf) : f32[60]\n" OUTPUT("60"),
     TABLE, EXACT},
    {"module { %x = input f32[2,3,20]\n" INPUT(
         "x", "2,3,20") "%xg = " D "%xq) [scale=0.05, zero_point=3, " RANGE_S8
                        " : f32[2,3,20]\n"
                        "%s = aten::sigmoid(%xf) : f32[2,3,20]\n"
                        "%y = aten::mul.Tensor(%xg, %s) : f32[2,3,20]\n"
                        "%q = " Q "%y) [scale=0.1, zero_point=125, " RANGE_U8
                        " : u8[2,3,20]\n"
                        "%r = " D "%q) [scale=0.1, zero_point=125, " RANGE_U8
                        " : f32[2,3,20]\nreturn %r }",
     TABLE, EXACT},
    {"module { %x = input f32[20,3]\n"
     "%xq = " Q "%x) [scale=0.05, zero_point=131, " RANGE_U8 " : u8[20,3]\n"
     "%xf = " D "%xq) [scale=0.05, zero_point=131, " RANGE_U8 " : f32[20,3]\n"
     "%t = aten::permute(%xf) [dims=[1,0]] : f32[3,20]\n"
     "%h = aten::hardswish(%t) : f32[3,20]\n"
     "%y = aten::view(%h) [size=[60]] : f32[60]\n" OUTPUT("60"),
     TABLE, EXACT},
    {"module { const %k : f32[1,1] = {0.3}\n%x = input f32[3,20]\n" INPUT(
         "x", "3,20") "%m = aten::gt.Tensor(%xf, %k) : bool[3,20]\n"
                      "%n = aten::leaky_relu(%xf) [negative_slope=0.1] : "
                      "f32[3,20]\n"
                      "%d = aten::div.Tensor(%k, %xf) : f32[3,20]\n"
                      "%y = aten::where.self(%m, %d, %n) : f32[3,20]\n" OUTPUT(
                          "3,20"),
     TABLE, EXACT},
    {"module {" AFFINE_SCALES "%x = input f32[60]\n" AFFINE(
         "xf", "x", "%xs, %xz", "s8", "60") "%y = aten::gelu(%xf) : "
                                            "f32[60]\n" AFFINE(
                                                "r", "y", "%us, %uz", "u8",
                                                "60") "return %r }",
     TABLE, EXACT},
    // Of two tensors, and with a number for each column: floats.
    {"module { %x = input f32[6]\n%v = input f32[6]\n" INPUT("x", "6") INPUT(
         "v", "6") "%s = aten::sigmoid(%vf) : f32[6]\n"
                   "%y = aten::mul.Tensor(%xf, %s) : f32[6]\n" OUTPUT("6"),
     "core::logistic         tenon_k_logistic_f32_", 0},
    {"module { const %k : f32[3] = {1,2,3}\n%x = input f32[2,3]\n" INPUT(
         "x", "2,3") "%s = aten::sigmoid(%xf) : f32[2,3]\n"
                     "%y = aten::mul.Tensor(%s, %k) : f32[2,3]\n" OUTPUT("2,3"),
     "core::logistic         tenon_k_logistic_f32_", 0},
    // A range that is not the type's: floats.
    {"module { %x = input f32[6]\n" INPUT(
         "x", "6") "%y = aten::add.Tensor(%xf, %xf) : f32[6]\n"
                   "%q = " Q
                   "%y) [scale=0.1, zero_point=0, quant_min=-8, quant_max=7, "
                   "dtype=s8] : s8[6]\n"
                   "%r = " D
                   "%q) [scale=0.1, zero_point=0, quant_min=-8, quant_max=7, "
                   "dtype=s8] : f32[6]\nreturn %r }",
     "core::add              tenon_k_add_f32_", 0},
};

static void fill(const test_run *r) {
  for (size_t i = 0; i < r->n_in; ++i) {
    float *x = (float *)r->in[i].data;
    for (size_t k = 0; k < tenon_count(&r->in[i]); ++k)
      x[k] = (float)((k * 37 + i * 11) % 101) * 0.12f - 6.0f;
  }
}

static void a_step_at_most(void **state) {
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows) {
    folded_pair p = folded_open(&t, rows[i].text);
    CHECK(rows[i].step == 0 || !strstr(folded_plan(&t, p.exact), rows[i].part),
          "row %zu: folded without being asked", i);
    const char *plan = folded_plan(&t, p.folded);
    CHECK(strstr(plan, rows[i].part) != NULL, "row %zu: %s", i, plan);
    folded_compare(&p, fill, rows[i].step * 1.001, 0, i);
    folded_close(&p);
  }
  model_close(&t);
}

TEST_GROUP(quant_fold, cmocka_unit_test(a_step_at_most))
