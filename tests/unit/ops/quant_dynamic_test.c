// Products of rows that a run quantises, on integers: only when asked, only
// where the form is theirs, and with the numbers that floats have but for their
// rounding. Products of integers without scales, always.
#include <math.h>

#include "harness/model.h"

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

static tenon_program *compile(test_model *t, const char *text, uint32_t flags) {
  const tenon_compile_options o = {.struct_size = sizeof o, .flags = flags};
  return model_compile(t, text, &o);
}

static bool has(test_model *t, const tenon_program *p, const char *part) {
  tenon_buf_clear(&t->text);
  assert_int_equal(
      tenon_program_print(p, TENON_FORMAT_TEXT, 0, model_take, &t->text),
      TENON_OK);
  return strstr(t->text.data, part) != NULL;
}

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

static void same_but_for_rounding(void **state) {
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows) {
    test_run exact, folded;
    tenon_program *p = compile(&t, rows[i].text, 0);
    tenon_program *q = compile(&t, rows[i].text, TENON_COMPILE_INEXACT);
    CHECK(!has(&t, p, "core::dynamic_linear"), "row %zu: without being asked",
          i);
    CHECK(has(&t, q, "core::dynamic_linear") == rows[i].folds, "row %zu: %s", i,
          t.text.data);
    run_open(&exact, p, 0, NULL);
    run_open(&folded, q, 0, NULL);
    fill(&exact);
    fill(&folded);
    assert_int_equal(run_once(&exact), TENON_OK);
    assert_int_equal(run_once(&folded), TENON_OK);
    const float *a = (const float *)exact.out[0].data;
    const float *b = (const float *)folded.out[0].data;
    for (size_t k = 0; k < tenon_count(&exact.out[0]); ++k)
      CHECK(fabsf(a[k] - b[k]) <= 1e-5f * (1 + fabsf(a[k])),
            "row %zu, element %zu: %g, exactly %g", i, k, (double)b[k],
            (double)a[k]);
    run_close(&exact);
    run_close(&folded);
    tenon_program_destroy(p);
    tenon_program_destroy(q);
  }
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
  tenon_program *p = compile(&t, text, 0);
  CHECK(has(&t, p, "core::integer_linear"), "%s", t.text.data);
  tenon_program_measure(p, &stats);
  const uint64_t size = stats.packed ? stats.packed : stats.constants;
  CHECK(size <= 64 * 32 + 1024, "%llu bytes", (unsigned long long)size);
  tenon_program_destroy(p);
  model_close(&t);
}

TEST_GROUP(quant_dynamic, cmocka_unit_test(same_but_for_rounding),
           cmocka_unit_test(products_stay_in_bytes))
