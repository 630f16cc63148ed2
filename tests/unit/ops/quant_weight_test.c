// Products with constant integers that are scaled: the integers stay, in as
// many bits as they need, and results have the same bits with every kernel.
// They are those of the floats' product where no integer is scaled, or scaled
// with a zero point added, and else differ by roundings. So each program is
// compiled twice, with the integers as a constant and as an input, where
// nothing can be kept and all is computed operation by operation.
#include <math.h>

#include "harness/model.h"

typedef struct row {
  const char *make, *use;  // %w to %m, and %x and %m to %y
  int m, k, n, blocks;
  int range;  // of the integers: 8 or 128; of u8: below 16, 128 or 256
} row;

#define AFFINE                                                           \
  "%%m = torchao::dequantize_affine(%%w, %%s, %%z) [block_size=[1,$b], " \
  "input_dtype=s8, output_dtype=f32] : f32[$n,$k]\n"
#define BYTES                                                            \
  "%%m = torchao::dequantize_affine(%%u, %%s, %%z) [block_size=[1,$b], " \
  "input_dtype=u8, output_dtype=f32] : f32[$n,$k]\n"
#define WHOLE_BYTES                                                        \
  "%%m = quantized_decomposed::dequantize_per_tensor(%%u) [scale=0.0137, " \
  "zero_point=131, quant_min=0, quant_max=255, dtype=u8] : f32[$n,$k]\n"
#define CAST_BYTES "%%m = aten::to.dtype(%%u) [dtype=f32] : f32[$n,$k]\n"
#define GROUP                                                                 \
  "%%m = quantized_decomposed::dequantize_per_channel_group(%%w, %%s, %%z) "  \
  "[quant_min=-8, quant_max=7, dtype=s8, group_size=$b, output_dtype=f32] : " \
  "f32[$n,$k]\n"
#define WHOLE                                                              \
  "%%m = quantized_decomposed::dequantize_per_tensor(%%w) [scale=0.0137, " \
  "zero_point=0, quant_min=-128, quant_max=127, dtype=s8] : f32[$n,$k]\n"
// Packed by PyTorch's operator, a scale and a zero by groups, which is added.
#define PACKED                                                              \
  "%%i = aten::to.dtype(%%w) [dtype=s32] : s32[$n,$k]\n"                    \
  "%%m = aten::_convert_weight_to_int4pack_for_cpu(%%i) [innerKTiles=2] : " \
  "u8[$n,$h]\n"                                                             \
  "%%g = aten::neg(%%s)\n%%a = aten::stack([%%s, %%g]) [dim=2]\n"           \
  "%%p = aten::permute(%%a) [dims=[1,0,2]]\n"
#define BY_PACKED                                            \
  "%%y = aten::_weight_int4pack_mm_for_cpu(%%x, %%m, %%p) [" \
  "qGroupSize=$b] : f32[$m,$n]\n"
#define LINEAR "%%y = aten::linear(%%x, %%m, %%b) : f32[$m,$n]\n"
#define TURNED "%%t = aten::t(%%m) : f32[$k,$n]\n"
#define CASTS                        \
  "%%i = aten::t(%%w) : s8[$k,$n]\n" \
  "%%t = aten::to.dtype(%%i) [dtype=f32] : f32[$k,$n]\n"

static const row rows[] = {
    {AFFINE, LINEAR, 1, 32, 16, 1, 128},
    {AFFINE, LINEAR, 2, 32, 17, 4, 8},
    {AFFINE, LINEAR, 3, 15, 40, 3, 8},  // blocks of an odd size
    {AFFINE, LINEAR, 4, 15, 5, 1, 128},
    {AFFINE, LINEAR, 5, 14, 33, 2, 8},
    {AFFINE, LINEAR, 9, 64, 48, 2, 128},
    {AFFINE, TURNED "%%y = aten::mm(%%x, %%t) : f32[$m,$n]\n", 7, 24, 20, 3, 8},
    {GROUP, TURNED "%%y = aten::addmm(%%b, %%x, %%t) : f32[$m,$n]\n", 13, 24,
     20, 3, 8},
    {GROUP, LINEAR, 6, 6, 2, 1, 128},
    {AFFINE, LINEAR, 21, 10, 35, 1, 8},
    {CASTS, "%%y = aten::mm(%%x, %%t) : f32[$m,$n]\n", 2, 9, 18, 1, 128},
    {AFFINE, LINEAR, 1, 21, 131, 1, 8},  // two groups of panels, and a rest
    {AFFINE, LINEAR, 3, 22, 70, 2, 128},
    {AFFINE, LINEAR, 4, 26, 112, 2, 8},
    {AFFINE, LINEAR, 11, 26, 210, 2, 8},
    {AFFINE, LINEAR, 26, 24, 300, 3, 128},
    {CASTS, "%%y = aten::mm(%%x, %%t) : f32[$m,$n]\n", 1, 18, 81, 1, 8},
    {PACKED, BY_PACKED, 1, 64, 80, 2, 8},
    {PACKED, BY_PACKED, 4, 64, 112, 2, 8},
    {WHOLE, LINEAR, 3, 15, 40, 1, 128},
    {WHOLE, LINEAR, 9, 14, 33, 1, 8},
    {CASTS, "%%y = aten::matmul(%%x, %%t) : f32[$m,$n]\n", 8, 9, 18, 1, 8},
    {BYTES, LINEAR, 3, 32, 17, 4, 8},
    {BYTES, LINEAR, 2, 32, 17, 4, 64},
    {BYTES, LINEAR, 20, 32, 40, 2, 128},
    {WHOLE_BYTES, LINEAR, 5, 15, 40, 1, 128},
    {CAST_BYTES, LINEAR, 2, 15, 20, 1, 8},
    {PACKED, BY_PACKED, 1, 64, 16, 2, 8},
    {PACKED, BY_PACKED, 7, 64, 48, 1, 8},
    {PACKED, BY_PACKED, 20, 96, 32, 3, 8},
};

// The matrix is %u in the texts of rows of u8, and %w otherwise.
static bool is_bytes(const row *r) {
  return strstr(r->make, "%%u") != NULL;
}

// Integers over all of the range, and its ends.
static int weight(const row *r, int i) {
  return (int)(((unsigned)i * 37u + 11u) % (2u * (unsigned)r->range)) -
         (is_bytes(r) ? 0 : r->range);
}

static void add_text(tenon_buf *text, const row *r, const char *part) {
  for (; *part; ++part) {
    if (*part != '$') {
      tenon_buf_format(text, "%c", *part);
      part += part[0] == '%' && part[1] == '%';
      continue;
    }
    ++part;
    tenon_buf_format(text, "%d",
                     *part == 'm'   ? r->m
                     : *part == 'k' ? r->k
                     : *part == 'n' ? r->n
                     : *part == 'h' ? r->k / 2
                                    : r->k / r->blocks);
  }
}

static const char *text_of(tenon_buf *text, const row *r, bool is_constant) {
  tenon_buf_clear(text);
  tenon_buf_format(text, "module {\n");
  if (is_constant) {
    tenon_buf_format(text, "const %%%s : %s[%d,%d] = {",
                     is_bytes(r) ? "u" : "w", is_bytes(r) ? "u8" : "s8", r->n,
                     r->k);
    for (int i = 0; i < r->n * r->k; ++i)
      tenon_buf_format(text, "%s%d", i ? "," : "", weight(r, i));
    tenon_buf_format(text, "}\n");
  }
  tenon_buf_format(text, "const %%s : f32[%d,%d] = {", r->n, r->blocks);
  for (int i = 0; i < r->n * r->blocks; ++i)
    tenon_buf_format(text, "%s%g", i ? "," : "", 0.013 * (i % 7 + 1));
  tenon_buf_format(text, "}\nconst %%z : s32[%d,%d] = {", r->n, r->blocks);
  for (int i = 0; i < r->n * r->blocks; ++i)
    tenon_buf_format(text, "%s%d", i ? "," : "", i % 5 - 2);
  tenon_buf_format(text, "}\nconst %%b : f32[%d] = {", r->n);
  for (int i = 0; i < r->n; ++i)
    tenon_buf_format(text, "%s%g", i ? "," : "", i * 0.37 - 1);
  tenon_buf_format(text, "}\n%%x = input f32[%d,%d]\n", r->m, r->k);
  if (!is_constant)
    tenon_buf_format(text, "%%%s = input %s[%d,%d]\n", is_bytes(r) ? "u" : "w",
                     is_bytes(r) ? "u8" : "s8", r->n, r->k);
  add_text(text, r, r->make);
  add_text(text, r, r->use);
  tenon_buf_format(text, "return %%y }");
  return text->data;
}

static void fill_input(const test_run *r, const row *w) {
  float *x = (float *)r->in[0].data;
  for (int i = 0; i < w->m * w->k; ++i)
    x[i] = (float)((i * 29) % 61) * 0.071f - 2.0f;
  for (int i = 0; r->n_in > 1 && i < w->n * w->k; ++i)
    ((uint8_t *)r->in[1].data)[i] = (uint8_t)weight(w, i);
}

// With this kernel, or the one that is chosen; null: this machine lacks it.
static tenon_program *compile_for(test_model *t, const char *text,
                                  const char *kernel) {
  char wish[128];
  const char *kernels[] = {wish, NULL};
  tenon_module *m = NULL;
  tenon_program *p = NULL;
  tenon_compile_options o = {.struct_size = sizeof o};
  snprintf(wish, sizeof wish, "core::weight_only_linear=%s",
           kernel ? kernel : "");
  if (kernel) o.kernels = kernels;
  tenon_status status = tenon_module_read(t->cx, text, strlen(text), NULL, &m);
  CHECK(status == TENON_OK, "%s\n%s", text, t->log.text);
  const tenon_entry entry = {NULL, m, NULL};
  status = tenon_program_compile(&entry, 1, &o, &p);
  tenon_module_destroy(m);
  return status == TENON_OK ? p : NULL;
}

static void run_row(const tenon_program *p, const row *r, test_run *out) {
  run_open(out, p, 0, NULL);
  fill_input(out, r);
  assert_int_equal(run_once(out), TENON_OK);
}

static const char *plan_of(test_model *t, const tenon_program *p) {
  tenon_buf_clear(&t->text);
  assert_int_equal(
      tenon_program_print(p, TENON_FORMAT_TEXT, 0, model_take, &t->text),
      TENON_OK);
  return t->text.data;
}

// No worse than roundings of weights: each result is a sum of numbers of up to
// some tens.
static void compare_products(const row *r, const tenon_tensor *plain,
                             const tenon_tensor *kept) {
  const float *a = (const float *)plain->data, *b = (const float *)kept->data;
  if (!strstr(r->make, "dequantize")) {
    assert_memory_equal(a, b, run_bytes(plain));
    return;
  }
  for (int i = 0; i < r->m * r->n; ++i)
    CHECK(fabsf(a[i] - b[i]) <= 2e-6f * (float)(r->range * r->k) * 0.1f,
          "%g, as floats %g", (double)b[i], (double)a[i]);
}

static void same_bits(void **state) {
  static const char *const kernels[] = {
      NULL, "tenon_k_weight_only_linear_f32_ref",
      "tenon_k_weight_only_linear_f32s4_ref",
      "tenon_k_weight_only_linear_f32_avx2",
      "tenon_k_weight_only_linear_f32_avx512"};
  test_model t;
  tenon_buf text;
  int taken = 0;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&text, tenon_heap());
  EACH_ROW(i, rows) {
    const row *r = &rows[i];
    test_run plain, first;
    tenon_program *p = compile_for(&t, text_of(&text, r, false), NULL);
    tenon_program *o = compile_for(&t, text_of(&text, r, true), NULL);
    CHECK(p && !strstr(plan_of(&t, p), "weight_only"), "row %zu: kept", i);
    run_row(p, r, &plain);
    run_row(o, r, &first);
    compare_products(r, &plain.out[0], &first.out[0]);
    EACH_ROW(k, kernels) {
      test_run kept;
      tenon_program *q = compile_for(&t, text_of(&text, r, true), kernels[k]);
      // Another machine, or numbers that are no half bytes.
      if (!q && k >= 2) continue;
      CHECK(q != NULL, "row %zu, kernel %zu: %s", i, k, t.log.text);
      const char *plan = plan_of(&t, q);
      CHECK(strstr(plan, kernels[k] ? kernels[k] : "core::weight_only_linear"),
            "row %zu, kernel %zu: %s", i, k, plan);
      run_row(q, r, &kept);
      assert_memory_equal(first.out[0].data, kept.out[0].data,
                          run_bytes(&first.out[0]));
      taken += kernels[k] != NULL;
      run_close(&kept);
      tenon_program_destroy(q);
    }
    run_close(&plain);
    run_close(&first);
    tenon_program_destroy(p);
    tenon_program_destroy(o);
  }
  CHECK(taken >= 16, "%d kernels taken", taken);
  tenon_buf_deinit(&text);
  model_close(&t);
}

// Constants of the program: a byte for each integer, or half of one.
static void no_floats(void **state) {
  static const struct {
    row row;
    uint64_t most;
  } sizes[] = {{{AFFINE, LINEAR, 1, 512, 64, 4, 128}, 512 * 64 + 4096},
               {{AFFINE, LINEAR, 8, 512, 64, 4, 8}, 512 * 32 + 4096},
               {{BYTES, LINEAR, 8, 512, 64, 4, 8}, 512 * 32 + 4096},
               {{PACKED, BY_PACKED, 8, 512, 64, 4, 8}, 512 * 32 + 4096},
               {{BYTES, LINEAR, 8, 512, 64, 4, 128}, 512 * 64 + 4096}};
  test_model t;
  tenon_buf text;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&text, tenon_heap());
  EACH_ROW(i, sizes) {
    const char *given = text_of(&text, &sizes[i].row, true);
    tenon_program *p[] = {compile_for(&t, given, NULL),
                          model_compile(&t, given, NULL)};
    for (int k = 0; k < 2; ++k) {
      tenon_program_stats stats = {.struct_size = sizeof stats};
      assert_non_null(p[k]);
      tenon_program_measure(p[k], &stats);
      // What is packed is what is read; the file has it in other order.
      const uint64_t size = stats.packed ? stats.packed : stats.constants;
      CHECK(size <= sizes[i].most, "row %zu: %llu bytes", i,
            (unsigned long long)size);
      tenon_program_destroy(p[k]);
    }
  }
  tenon_buf_deinit(&text);
  model_close(&t);
}

// Rows of a table, by numbers that a run makes: a byte for each integer of it,
// or half of one.
#define ROWS                                             \
  "%%p = aten::abs(%%x) : f32[$m,$k]\n"                  \
  "%%i = aten::to.dtype(%%p) [dtype=s64] : s64[$m,$k]\n" \
  "%%y = aten::embedding(%%m, %%i) : f32[$m,$k,$k]\n"
static void tables_keep_integers(void **state) {
  static const struct {
    row row;
    int bits;
  } tables[] = {{{AFFINE, ROWS, 2, 64, 100, 4, 128}, 8},
                {{AFFINE, ROWS, 2, 64, 100, 4, 8}, 4},
                {{GROUP, ROWS, 3, 62, 99, 2, 8}, 4},
                {{GROUP, ROWS, 1, 63, 99, 3, 8}, 8},  // an odd row
                {{WHOLE, ROWS, 2, 64, 80, 1, 128}, 8},
                {{WHOLE_BYTES, ROWS, 2, 64, 80, 1, 128}, 8},
                {{AFFINE, ROWS, 1, 8, 20, 1, 8}, 8}};  // not worth halves
  test_model t;
  tenon_buf text;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&text, tenon_heap());
  EACH_ROW(i, tables) {
    const row *r = &tables[i].row;
    test_run plain, kept;
    tenon_program_stats stats = {.struct_size = sizeof stats};
    tenon_program *p = compile_for(&t, text_of(&text, r, false), NULL);
    tenon_program *q = compile_for(&t, text_of(&text, r, true), NULL);
    tenon_program_measure(q, &stats);
    const int most = r->n * r->k * tables[i].bits / 8 + r->n * r->blocks * 8;
    CHECK(stats.constants <= (uint64_t)most + 128, "row %zu: %llu bytes", i,
          (unsigned long long)stats.constants);
    run_row(p, r, &plain);
    run_row(q, r, &kept);
    assert_memory_equal(plain.out[0].data, kept.out[0].data,
                        run_bytes(&plain.out[0]));
    run_close(&plain);
    run_close(&kept);
    tenon_program_destroy(p);
    tenon_program_destroy(q);
  }
  tenon_buf_deinit(&text);
  model_close(&t);
}

TEST_GROUP(quant_weight, cmocka_unit_test(same_bits),
           cmocka_unit_test(no_floats), cmocka_unit_test(tables_keep_integers))
