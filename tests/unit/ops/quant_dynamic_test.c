// Products of rows that a run quantises, on integers: only when asked, only
// where the form is theirs, and with the numbers that floats have but for their
// rounding. Products of integers without scales, always.
#include "harness/folded.h"

#define RANGE "[quant_min=-128, quant_max=127, dtype=s8"
#define QUANT "quantized_decomposed::"
#define WEIGHTS                                                              \
  "const %w : s8[3,8] = {1, -2, 3, 127, -120, 5, 6, 7, -8, 9, 10, -11, 12, " \
  "13, -14, 15, 0, 1, 0, 2, 0, 3, 0, 4}\n"                                   \
  "const %s : f32[3,2] = {0.01, 0.02, 0.03, 0.04, 0.05, 0.06}\n"             \
  "const %z : s8[3,2] = {0, 3, -2, 0, 1, 1}\n"                               \
  "const %n : s8[3,2] = zeros\n"                                             \
  "const %b : f32[3] = {1, -2, 0.5}\n"
#define MATRIX(zero)                               \
  "%m = torchao::dequantize_affine(%w, %s, %" zero \
  ") [block_size=[1,4], "                          \
  "input_dtype=s8, output_dtype=f32] : f32[3,8]\n"
#define WHOLE                                              \
  "%m = " QUANT                                            \
  "dequantize_per_tensor(%w) [scale=0.015, zero_point=0, " \
  "quant_min=-128, quant_max=127, dtype=s8] : f32[3,8]\n"
#define TENSOR(range, type)                                                 \
  "%c, %d = " QUANT "choose_qparams.tensor(%x) " range                      \
  ", eps=1e-6] : f64[1], s64[1]\n"                                          \
  "%q = " QUANT "quantize_per_tensor.tensor(%x, %c, %d) " range "] : " type \
  "[2,5,8]\n%f = " QUANT "dequantize_per_tensor.tensor(%q, %c, %d) " range  \
  "] : f32[2,5,8]\n"
#define TOKENS(choose)                                    \
  "%c, %d = " QUANT choose                                \
  "(%x) [dtype=s8] : f64[2,5,1], s64[2,5,1]\n"            \
  "%q = " QUANT "quantize_per_token(%x, %c, %d) " RANGE   \
  "] : s8[2,5,8]\n"                                       \
  "%f = " QUANT "dequantize_per_token(%q, %c, %d) " RANGE \
  ", output_dtype=f32] : f32[2,5,8]\n"
#define BLOCKS(size, shape, mapping)                                     \
  "%c, %d = torchao::choose_qparams_affine(%x) [mapping_type=\"" mapping \
  "\", block_size=" size                                                 \
  ", target_dtype=s8, zero_point_dtype=s32, keepdim=true] : f32" shape   \
  ", s32" shape                                                          \
  "\n"                                                                   \
  "%q = torchao::quantize_affine(%x, %c, %d) [block_size=" size          \
  ", output_dtype=s8] : s8[2,5,8]\n"                                     \
  "%f = torchao::dequantize_affine(%q, %c, %d) [block_size=" size        \
  ", input_dtype=s8, output_dtype=f32] : f32[2,5,8]\n"
// A scale that is known, and a result that is not quantised again.
#define FIXED(zero, range, type)                                         \
  "%q = " QUANT "quantize_per_tensor(%x) [scale=0.013, zero_point=" zero \
  ", " range "] : " type "[2,5,8]\n%f = " QUANT                          \
  "dequantize_per_tensor(%q) [scale=0.013, zero_point=" zero ", " range  \
  "] : f32[2,5,8]\n"
#define S8 "quant_min=-128, quant_max=127, dtype=s8"
#define U8 "quant_min=0, quant_max=255, dtype=u8"
#define BYTES                                                                 \
  "const %u : u8[3,8] = {1, 2, 3, 127, 120, 5, 6, 7, 8, 9, 10, 11, 12, 13, "  \
  "14, 15, 0, 1, 0, 2, 0, 3, 0, 4}\n%m = torchao::dequantize_affine(%u, %s, " \
  "%z) [block_size=[1,4], input_dtype=u8, output_dtype=f32] : f32[3,8]\n"
#define INPUT "%x = input f32[2,5,8]\n"
#define LINEAR(bias) \
  "%y = aten::linear(%f, %m, " bias ") : f32[2,5,3]\nreturn %y }"
#define FLAT                                        \
  "%v = aten::view(%f) [size=[10,8]] : f32[10,8]\n" \
  "%t = aten::t(%m) : f32[8,3]\n"                   \
  "%y = aten::addmm(%b, %v, %t) : f32[10,3]\nreturn %y }"

static const struct {
  const char *text;
  bool folds;
} rows[] = {
    {"module {" WEIGHTS INPUT MATRIX("n") TENSOR(RANGE, "s8") LINEAR("%b"),
     true},
    {"module {" WEIGHTS INPUT MATRIX("z")
         TENSOR("[quant_min=0, quant_max=255, dtype=u8", "u8") LINEAR("none"),
     true},
    {"module {" WEIGHTS INPUT MATRIX("n")
         TOKENS("choose_qparams_per_token_asymmetric") FLAT,
     true},
    {"module {" WEIGHTS INPUT MATRIX("n")
         BLOCKS("[1,1,8]", "[2,5,1]", "SYMMETRIC") LINEAR("%b"),
     true},
    {"module {" WEIGHTS INPUT MATRIX("z")
         BLOCKS("[2,5,8]", "[1,1,1]", "ASYMMETRIC") FLAT,
     true},
    {"module {" WEIGHTS INPUT WHOLE TENSOR(RANGE, "s8") LINEAR("%b"), true},
    {"module {" WEIGHTS INPUT MATRIX("z") FIXED("5", S8, "s8") LINEAR("%b"),
     true},
    {"module {" WEIGHTS INPUT MATRIX("n") FIXED("140", U8, "u8") FLAT, true},
    {"module {" WEIGHTS INPUT BYTES TENSOR(RANGE, "s8") LINEAR("%b"), true},
    // Scales within a row are no factor of its sum.
    {"module {" WEIGHTS INPUT MATRIX("n")
         BLOCKS("[1,1,4]", "[2,5,2]", "SYMMETRIC") LINEAR("%b"),
     false},
    // A zero point that may be anything: sums could need more than 32 bits.
    {"module {" WEIGHTS INPUT "%d = input s64[1]\n%c = input f64[1]\n" MATRIX(
         "n") "%q = " QUANT "quantize_per_tensor.tensor(%x, %c, %d) " RANGE
              "] : s8[2,5,8]\n%f = " QUANT
              "dequantize_per_tensor.tensor(%q, %c, %d) " RANGE
              "] : f32[2,5,8]\n" LINEAR("%b"),
     false},
    // Rows of floats.
    {"module {" WEIGHTS INPUT MATRIX(
         "n") "%f = aten::relu(%x) : f32[2,5,8]\n" LINEAR("%b"),
     false},
};

// Images: weights by channel or by tensor, [3,2,2,3].
#define FILTER                                                                \
  "const %w : s8[3,2,2,3] = {1, -2, 3, 127, -120, 5, 6, 7, -8, 9, 10, -11, "  \
  "12, 13, -14, 15, 0, 1, 0, 2, 0, 3, 0, 4, 5, -6, 7, -8, 9, -10, 11, -128, " \
  "13, -14, 15, -16}\nconst %s : f32[3] = {0.01, 0.02, 0.03}\n"               \
  "const %z : s64[3] = zeros\nconst %b : f32[3] = {1, -2, 0.5}\n"             \
  "%x = input f32[2,2,5,6]\n"
#define BY_CHANNEL                                             \
  "%m = " QUANT                                                \
  "dequantize_per_channel(%w, %s, %z) [axis=0, quant_min=-127" \
  ", quant_max=127, dtype=s8] : f32[3,2,2,3]\n"
#define BY_TENSOR                                                           \
  "%m = " QUANT "dequantize_per_tensor(%w) [scale=0.015, zero_point=0, " S8 \
  "] : f32[3,2,2,3]\n"
#define IMAGE(range, type)                                                   \
  "%c, %d = " QUANT "choose_qparams.tensor(%x) " range                       \
  ", eps=1e-6] : f64[1], s64[1]\n"                                           \
  "%q = " QUANT "quantize_per_tensor.tensor(%x, %c, %d) " range "] : " type  \
  "[2,2,5,6]\n%f = " QUANT "dequantize_per_tensor.tensor(%q, %c, %d) " range \
  "] : f32[2,2,5,6]\n"
#define BYTE "[quant_min=0, quant_max=255, dtype=u8"
#define CONV(bias, args, shape)                                 \
  "%y = aten::conv2d(%f, %m, " bias ") [" args "] : f32[" shape \
  "]\nreturn "                                                  \
  "%y }"

#define KNOWN(from, dims)                                                     \
  "%q = " QUANT "quantize_per_tensor(%" from                                  \
  ") [scale=0.013, zero_point=5, " S8 "] : s8[" dims "]\n%f = " QUANT         \
  "dequantize_per_tensor(%q) [scale=0.013, zero_point=5, " S8 "] : f32[" dims \
  "]\n"
#define FOUND(from, dims)                                              \
  "%c, %d = " QUANT "choose_qparams.tensor(%" from ") " BYTE           \
  ", eps=1e-6] : f64[1], s64[1]\n%q = " QUANT                          \
  "quantize_per_tensor.tensor(%" from ", %c, %d) " BYTE "] : u8[" dims \
  "]\n%f = " QUANT "dequantize_per_tensor.tensor(%q, %c, %d) " BYTE    \
  "] : f32[" dims "]\n"
// As many weights in other shapes.
#define SHAPED(dims, outputs, scales) ALONG("0", dims, outputs, scales)
#define ALONG(axis, dims, outputs, scales)                                    \
  "const %w : s8[" dims                                                       \
  "] = {1, -2, 3, 127, -120, 5, 6, 7, -8, 9, 10, -11, "                       \
  "12, 13, -14, 15, 0, 1, 0, 2, 0, 3, 0, 4, 5, -6, 7, -8, 9, -10, 11, -128, " \
  "13, -14, 15, -16}\nconst %s : f32[" outputs "] = {" scales                 \
  "}\nconst %z : s64[" outputs                                                \
  "] = zeros\n%x = input f32[2,2,5,6]\n%m = " QUANT                           \
  "dequantize_per_channel(%w, %s, %z) [axis=" axis                            \
  ", quant_min=-127, "                                                        \
  "quant_max=127, dtype=s8] : f32[" dims "]\n"
#define FOUR "0.01, 0.02, 0.03, 0.04"
#define VOLUME "aten::view(%x) [size=[2,2,5,2,3]] : f32[2,2,5,2,3]\n"

static const struct {
  const char *text, *op;  // op: null, it does not fold
} windows[] = {
    {"module {" FILTER BY_CHANNEL IMAGE(RANGE, "s8")
         CONV("%b", "stride=[1, 1]", "2,3,4,4"),
     "core::dynamic_linear"},
    {"module {" FILTER BY_TENSOR IMAGE(RANGE, "s8")
         CONV("none", "stride=[2, 1], padding=[1, 2]", "2,3,3,8"),
     "core::dynamic_linear"},
    {"module {" FILTER BY_CHANNEL IMAGE(BYTE, "u8")
         CONV("%b", "padding=[1, 1], dilation=[2, 2]", "2,3,5,4"),
     "core::dynamic_linear"},
    {"module {" FILTER BY_CHANNEL IMAGE(
         BYTE, "u8") "%y = aten::convolution(%f, %m, %b) [stride=[1, 2], "
                     "padding=[0, 1], "
                     "dilation=[1, 1], transposed=false, output_padding=[0, "
                     "0], groups=1] : "
                     "f32[2,3,4,3]\nreturn %y }",
     "core::dynamic_linear"},
    // A scale that is known, and what reads floats behind.
    {"module {" FILTER BY_TENSOR KNOWN("x", "2,2,5,6")
         CONV("%b", "stride=[1, 1]", "2,3,4,4"),
     "core::dynamic_linear"},
    {"module {" FILTER BY_CHANNEL KNOWN(
         "x", "2,2,5,6") "%a = aten::conv2d(%f, %m, %b) [padding=[1, 1]] : "
                         "f32[2,3,6,6]\n"
                         "%y = aten::relu(%a) : f32[2,3,6,6]\nreturn %y }",
     "core::dynamic_linear"},
    // Pixels alone.
    {"module {" SHAPED("18,2,1,1", "18",
                       "1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9")
         FOUND("x", "2,2,5,6") "%y = aten::conv2d(%f, %m) : f32[2,18,5,6]\n"
                               "return %y }",
     "core::dynamic_linear"},
    // Groups, of one channel and of two.
    {"module {" SHAPED("4,1,3,3", "4", FOUR)
         FOUND("x", "2,2,5,6") "%y = aten::conv2d(%f, %m) [padding=[1, 1], "
                               "groups=2] : f32[2,4,5,6]\n"
                               "return %y }",
     "core::dynamic_conv3d"},
    {"module {" SHAPED("2,1,6,3", "2", "0.01, 0.02")
         KNOWN("x", "2,2,5,6") "%y = aten::conv2d(%f, %m) [padding=[2, 1], "
                               "stride=[1, 2], groups=2] : "
                               "f32[2,2,4,3]\nreturn %y }",
     "core::dynamic_conv3d"},
    {"module {" SHAPED(
         "6,2,3,1", "6",
         FOUR ", 0.05, 0.06") "%e = aten::repeat(%x) [repeats=[1, 2, 1, 1]] : "
                              "f32[2,4,5,6]\n" FOUND(
                                  "e", "2,4,5,6") "%y = "
                                                  "aten::conv2d(%f, "
                                                  "%m) [padding=[1, "
                                                  "0], "
                                                  "groups=2] : "
                                                  "f32[2,6,5,6]"
                                                  "\nreturn %y }",
     "core::dynamic_conv3d"},
    // One dimension and three.
    {"module {" SHAPED("4,3,3", "4",
                       FOUR) "%v = aten::view(%x) [size=[4,3,10]] : "
                             "f32[4,3,10]\n" FOUND(
                                 "v", "4,3,10") "%y = aten::conv1d(%f, "
                                                "%m) [padding=[1], "
                                                "stride=[2]] : "
                                                "f32[4,4,5]\n"
                                                "return %y }",
     "core::dynamic_linear"},
    {"module {" SHAPED(
         "12,1,3", "12",
         FOUR
         ", 1, 2, 3, 4, 5, 6, 7, 8") "%v = aten::view(%x) [size=[4,3,10]] : "
                                     "f32[4,3,10]\n" KNOWN("v",
                                                           "4,3,10") "%y = "
                                                                     "aten::"
                                                                     "conv1d(%"
                                                                     "f, %m) "
                                                                     "[padding="
                                                                     "[1], "
                                                                     "groups=3]"
                                                                     " : "
                                                                     "f32[4,12,"
                                                                     "10]\n"
                                                                     "return "
                                                                     "%y }",
     "core::dynamic_conv3d"},
    {"module {" SHAPED("3,2,3,2,1", "3", "0.01, 0.02, 0.03") "%v = " VOLUME
         FOUND("v",
               "2,2,5,2,3") "%y = aten::conv3d(%f, %m) [padding=[1, 1, 0], "
                            "stride=[2, 1, 1]] : f32[2,3,3,3,3]\nreturn %y }",
     "core::dynamic_conv3d"},
    {"module {" SHAPED("6,1,3,2,1", "6", FOUR ", 0.05, 0.06") "%v = " VOLUME
         KNOWN("v",
               "2,2,5,2,3") "%y = aten::conv3d(%f, %m) [groups=2, "
                            "dilation=[2, 1, 1]] : f32[2,6,1,1,3]\nreturn %y }",
     "core::dynamic_conv3d"},
    // Transposed: of images, with scales that groups share, of volumes.
    {"module {" ALONG("1", "2,2,3,3", "2", "0.01, 0.02")
         FOUND("x", "2,2,5,6") "%y = aten::conv_transpose2d.input(%f, %m) "
                               "[stride=[2, 2], padding=[1, 1], "
                               "output_padding=[1, 1]] : f32[2,2,10,12]\n"
                               "return %y }",
     "core::dynamic_conv_transpose3d"},
    {"module {" ALONG("1", "2,2,3,3", "2", "0.01, 0.02")
         KNOWN("x", "2,2,5,6") "const %k : f32[4] = {1, -2, 0.5, 3}\n"
                               "%y = aten::conv_transpose2d.input(%f, %m, %k) "
                               "[groups=2] : f32[2,4,7,8]\nreturn %y }",
     "core::dynamic_conv_transpose3d"},
    {"module {" ALONG("1", "2,3,3,2,1", "3", "0.01, 0.02, 0.03") "%v = " VOLUME
         FOUND("v",
               "2,2,5,2,3") "%y = aten::conv_transpose3d.input(%f, %m) "
                            "[dilation=[2, 1, 1]] : f32[2,3,9,3,3]\nreturn "
                            "%y }",
     "core::dynamic_conv_transpose3d"},
    // Scales of what is summed up.
    {"module {" SHAPED("2,2,3,3", "2", "0.01, 0.02")
         KNOWN("x", "2,2,5,6") "%y = aten::conv_transpose2d.input(%f, %m) : "
                               "f32[2,2,7,8]\nreturn %y }",
     NULL},
    // Weights that are computed.
    {"module {" FILTER BY_TENSOR KNOWN(
         "x",
         "2,2,5,6") "%n = aten::neg(%m) : f32[3,2,2,3]\n"
                    "%y = aten::conv2d(%f, %n) : f32[2,3,4,4]\nreturn %y }",
     NULL},
    // A scale for each row of pixels.
    {"module {" FILTER BY_TENSOR
     "%c, %d = torchao::choose_qparams_affine(%x) [mapping_type=\"SYMMETRIC\", "
     "block_size=[1,1,1,6], target_dtype=s8, zero_point_dtype=s32, "
     "keepdim=true] : f32[2,2,5,1], s32[2,2,5,1]\n"
     "%q = torchao::quantize_affine(%x, %c, %d) [block_size=[1,1,1,6], "
     "output_dtype=s8] : s8[2,2,5,6]\n"
     "%f = torchao::dequantize_affine(%q, %c, %d) [block_size=[1,1,1,6], "
     "input_dtype=s8, output_dtype=f32] : f32[2,2,5,6]\n" CONV(
         "%b", "stride=[1, 1]", "2,3,4,4"),
     NULL},
};

static void fill(const test_run *r) {
  float *x = (float *)r->in[0].data;
  for (size_t k = 0; k < tenon_count(&r->in[0]); ++k)
    x[k] = (float)((k * 37) % 101) * 0.012f - (float)(k / 16) * 0.1f;
  for (size_t i = 1; i < r->n_in; ++i)
    if (r->in[i].dtype == TENON_F64)
      *(double *)r->in[i].data = 0.01;
    else
      *(int64_t *)r->in[i].data = 100000;
}

// `op`: what it folds to; null, nothing.
static void check_row(test_model *t, const char *text, const char *op,
                      size_t i) {
  folded_pair p = folded_open(t, text);
  CHECK(!strstr(folded_plan(t, p.exact), "core::dynamic_"),
        "row %zu: without being asked", i);
  const char *plan = folded_plan(t, p.folded);
  CHECK(op ? strstr(plan, op) != NULL : !strstr(plan, "core::dynamic_"),
        "row %zu: %s", i, plan);
  folded_compare(&p, fill, 1e-5, 1e-5, i);
  folded_close(&p);
}

static void same_but_for_rounding(void **state) {
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows)
  check_row(&t, rows[i].text, rows[i].folds ? "core::dynamic_linear" : NULL, i);
  model_close(&t);
}

static void windows_are_rows(void **state) {
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, windows) check_row(&t, windows[i].text, windows[i].op, i);
  model_close(&t);
}

// A byte for each integer of a matrix, and no flag.
static void products_stay_in_bytes(void **state) {
  static const char text[] =
      "module { const %w : s8[64,32] = zeros\n%x = input s8[20,64]\n"
      "%y = aten::_int_mm(%x, %w) : s32[20,32]\nreturn %y }";
  test_model t;
  tenon_program_stats stats = {.struct_size = sizeof stats};
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = folded_compile(&t, text, 0);
  CHECK(strstr(folded_plan(&t, p), "core::integer_linear"), "%s", t.text.data);
  tenon_program_measure(p, &stats);
  const uint64_t size = stats.packed ? stats.packed : stats.constants;
  CHECK(size <= 64 * 32 + 1024, "%llu bytes", (unsigned long long)size);
  tenon_program_destroy(p);
  model_close(&t);
}

// 32 bytes from -8 to 7, 64 times.
#define ROW "f8f9fafbfcfdfeff0001020304050607fc0305f8070006fd02fa01ff04fb00f9"
#define EIGHT ROW ROW ROW ROW ROW ROW ROW ROW
#define SCALE "0000003e0000803d0000c03d0000403e"
#define SCALES SCALE SCALE SCALE SCALE SCALE SCALE SCALE SCALE
#define HALVES EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT

// Half a byte for each where they fit, with the bits of whole ones.
static void narrow_products_stay_in_halves(void **state) {
  static const char text[] =
      "module { const %w : s8[64,32] = hex\"" HALVES
      "\"\n"
      "const %s : f32[64,4] = hex\"" SCALES SCALES SCALES SCALES SCALES SCALES
          SCALES SCALES
      "\"\n%x = input f32[2,5,32]\n"
      "%q = " QUANT "quantize_per_tensor(%x) [scale=0.02, zero_point=5, " S8
      "] : s8[2,5,32]\n%f = " QUANT
      "dequantize_per_tensor(%q) [scale=0.02, zero_point=5, " S8
      "] : f32[2,5,32]\n"
      "%m = torchao::dequantize_affine(%w, %s, none) [block_size=[1,8], "
      "input_dtype=s8, output_dtype=f32] : f32[64,32]\n"
      "%y = aten::linear(%f, %m, none) : f32[2,5,64]\nreturn %y }";
  static const char *const kernels[] = {
      "core::dynamic_linear=tenon_k_dynamic_linear_s8_ref",
      "core::dynamic_linear=tenon_k_dynamic_linear_s8s4_ref"};
  test_model t;
  test_run run[2];
  tenon_program *p[2];
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, kernels) {
    const char *wish[] = {kernels[i], NULL};
    const tenon_compile_options o = {.struct_size = sizeof o,
                                     .flags = TENON_COMPILE_INEXACT,
                                     .kernels = wish};
    tenon_program_stats stats = {.struct_size = sizeof stats};
    p[i] = model_compile(&t, text, &o);
    tenon_program_measure(p[i], &stats);
    // With 64 * 4 scales.
    CHECK(stats.constants <= (i ? 64 * 32 / 2 : 64 * 32) + 64 * 4 * 4 + 64,
          "kernel %zu: %llu bytes", i, (unsigned long long)stats.constants);
    run_open(&run[i], p[i], 0, NULL);
    fill(&run[i]);
    assert_int_equal(run_once(&run[i]), TENON_OK);
  }
  assert_memory_equal(run[0].out[0].data, run[1].out[0].data,
                      run_bytes(&run[0].out[0]));
  EACH_ROW(i, kernels) {
    run_close(&run[i]);
    tenon_program_destroy(p[i]);
  }
  model_close(&t);
}

// A program states scales of f64 where PyTorch computes them in f32; in f64 the
// last number would be -14.959...
static void tokens_in_their_own_type(void **state) {
  static const char text[] =
      "module { %x = input f32[2,4]\n"
      "%c, %d = " QUANT
      "choose_qparams_per_token(%x) [dtype=s8] : f64[2,1], s64[2,1]\n"
      "%q = " QUANT "quantize_per_token(%x, %c, %d) " RANGE
      "] : s8[2,4]\n"
      "%y = " QUANT "dequantize_per_token(%q, %c, %d) " RANGE
      ", output_dtype=f32] : f32[2,4]\nreturn %y }";
  static const float given[] = {5.203125f, 10.328125f,  -0.125f,   14.5625f,
                                30.15625f, -17.953125f, 16.53125f, -15.078125f};
  static const float wanted[] = {
      5.159940719604492f, 10.319881439208984f, -0.11466535180807114f,
      14.5625f,           30.15625f,           -18.046260833740234f,
      16.62155532836914f, -15.196850776672363f};
  test_model t;
  test_run r;
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = folded_compile(&t, text, 0);
  run_open(&r, p, 0, NULL);
  memcpy(r.in[0].data, given, sizeof given);
  assert_int_equal(run_once(&r), TENON_OK);
  assert_memory_equal(r.out[0].data, wanted, sizeof wanted);
  run_close(&r);
  tenon_program_destroy(p);
  model_close(&t);
}

// Weights of 16-bit floats stay integers when asked, and are then more exact
// than what they are rounded to: at most half a unit in the last place of each.
static void halves_stay_integers(void **state) {
#define HALF(type, op)                                                       \
  "module { const %w : s8[3,8] = {1, -2, 3, 127, -120, 5, 6, 7, -8, 9, 10, " \
  "-11, 12, 13, -14, 15, 0, 1, 0, 2, 0, 3, 0, 4}\n"                          \
  "const %s : " type                                                         \
  "[3,2] = {0.01, 0.02, 0.03, 0.04, 0.05, 0.06}\n"                           \
  "const %z : s8[3,2] = {0, 3, -2, 0, 1, 1}\nconst %b : " type               \
  "[3] = {1, -2, 0.5}\n%x = input f32[5,8]\n"                                \
  "%h = aten::to.dtype(%x) [dtype=" type "] : " type                         \
  "[5,8]\n"                                                                  \
  "%m = torchao::dequantize_affine(%w, %s, %z) [block_size=[1,4], "          \
  "input_dtype=s8, output_dtype=" type "] : " type "[3,8]\n" op              \
  "%y = aten::to.dtype(%r) [dtype=f32] : f32[5,3]\nreturn %y }"
#define HALF_LINEAR(type) "%r = aten::linear(%h, %m, %b) : " type "[5,3]\n"
#define HALF_MM(type)        \
  "%t = aten::t(%m) : " type \
  "[8,3]\n"                  \
  "%r = aten::mm(%h, %t) : " type "[5,3]\n"
#define HALF_GROUP                                                            \
  "const %o : s32[3,2] = {0, 3, -2, 0, 1, 1}\n"                               \
  "const %f : f32[3,2] = {0.01, 0.02, 0.03, 0.04, 0.05, 0.06}\n"              \
  "%g = " QUANT                                                               \
  "dequantize_per_channel_group(%w, %f, %o) [quant_min=-128, quant_max=127, " \
  "dtype=s8, group_size=4, output_dtype=f16] : f16[3,8]\n%r = "               \
  "aten::linear(%h, %g, %b) : f16[5,3]\n"
  static const struct {
    const char *text;
    double apart;
  } each[] = {{HALF("bf16", HALF_LINEAR("bf16")), 1.0 / 64},
              {HALF("bf16", HALF_MM("bf16")), 1.0 / 64},
              {HALF("f16", HALF_LINEAR("f16")), 1.0 / 512},
              {HALF("f16", HALF_GROUP), 1.0 / 512},
              {HALF("f16", HALF_MM("f16")), 1.0 / 512}};
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, each) {
    folded_pair p = folded_open(&t, each[i].text);
    CHECK(!strstr(folded_plan(&t, p.exact), "core::weight_only_linear"),
          "row %zu: without being asked", i);
    CHECK(strstr(folded_plan(&t, p.folded), "core::weight_only_linear"),
          "row %zu: %s", i, t.text.data);
    folded_compare(&p, fill, each[i].apart, each[i].apart, i);
    folded_close(&p);
  }
  model_close(&t);
}

TEST_GROUP(quant_dynamic, cmocka_unit_test(same_but_for_rounding),
           cmocka_unit_test(windows_are_rows),
           cmocka_unit_test(products_stay_in_bytes),
           cmocka_unit_test(narrow_products_stay_in_halves),
           cmocka_unit_test(tokens_in_their_own_type),
           cmocka_unit_test(halves_stay_integers))
