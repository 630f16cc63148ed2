// ops.c - operators that are not convolutions, one size each.
//
// A row makes a call; which kernels serve it is asked of the list of fast ones.
#include "bench/ops.h"

#include "bench/turns.h"
#include "harness/op_case.h"
#include "kern/loop/order.h"
#include "kern/loop/reduce.h"
#include "kern/num/fingerprint.h"
#include "kern/op/arith.h"
#include "kern/op/grid.h"
#include "kern/op/layer_norm.h"
#include "kern/op/move.h"
#include "kern/op/pooling.h"
#include "kern/op/resample.h"
#include "kern/op/softmax.h"
#include "kern/product/conv.h"
#include "kern/product/recurrent.h"
#include "kern/product/strassen.h"
#include "kern/product/volume.h"
#include "kern/product/weight_only.h"
#include "kern/product/winograd.h"
#include "ops/core/fast/core_fast.h"
#include "ops/core/fast/core_fast_tile.h"

// --- Calls -------------------------------------------------------------------

static void make_each(op_case *c, const tenon_op_desc *op) {
  op_case_begin(c, op->kernels[0], NULL);
  tenon_tensor *x = op_case_in(c, TENON_F32, CASE_USUAL, 1, 8192);
  for (int i = 0; i < 8192; ++i)
    ((float *)x->data)[i] *= 3;
  op_case_out(c, TENON_F32, 1, 8192);
}
static void make_exp(op_case *c) {
  make_each(c, &tenon_op_core_exp);
}
static void make_tanh(op_case *c) {
  make_each(c, &tenon_op_core_tanh);
}
static void make_logistic(op_case *c) {
  make_each(c, &tenon_op_core_logistic);
}
static void make_erf(op_case *c) {
  make_each(c, &tenon_op_core_erf);
}

static void make_softplus(op_case *c) {
  make_each(c, &tenon_op_core_softplus);
}

static void make_sqrt(op_case *c) {
  make_each(c, &tenon_op_core_sqrt);
}
static void make_rsqrt(op_case *c) {
  make_each(c, &tenon_op_core_rsqrt);
}
static void make_floor(op_case *c) {
  make_each(c, &tenon_op_core_floor);
}
static void make_ceil(op_case *c) {
  make_each(c, &tenon_op_core_ceil);
}
static void make_trunc(op_case *c) {
  make_each(c, &tenon_op_core_trunc);
}
static void make_round(op_case *c) {
  make_each(c, &tenon_op_core_round);
}

static void make_log(op_case *c) {
  make_each(c, &tenon_op_core_log);
}

static void make_rows(op_case *c, const tenon_op_desc *op, const void *attrs) {
  op_case_begin(c, op->kernels[0], attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 64, 128);
  op_case_out(c, TENON_F32, 2, 64, 128);
}
static void make_softmax(op_case *c) {
  static const tenon_softmax_attrs attrs = {-1, 1.0};
  make_rows(c, &tenon_op_core_softmax, &attrs);
}
static void make_log_softmax(op_case *c) {
  static const tenon_log_softmax_attrs attrs = {-1};
  make_rows(c, &tenon_op_core_log_softmax, &attrs);
}

// Twice the rows or the columns of an image, between each two.
static void make_resample_of(op_case *c, const tenon_resample_attrs *attrs,
                             int before, int behind) {
  op_case_begin(c, tenon_op_core_resample.kernels[0], attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 3, before, 32, behind);
  const tenon_tensor *index = op_case_in(c, TENON_S32, CASE_USUAL, 2, 64, 2);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 64, 2);
  op_case_out(c, TENON_F32, 3, before, 64, behind);
  for (int i = 0; i < 128; ++i)
    ((int32_t *)index->data)[i] = i / 4;
}
static void make_resample(op_case *c) {
  static const tenon_resample_attrs attrs = {1};
  make_resample_of(c, &attrs, 1, 2048);
}
static void make_resample_columns(op_case *c) {
  static const tenon_resample_attrs attrs = {1};
  make_resample_of(c, &attrs, 2048, 1);
}

// Points of another image in an image of three channels.
static void make_grid(op_case *c) {
  static const tenon_grid_sample_attrs attrs = {0, 0, false};
  op_case_begin(c, tenon_op_core_grid_sample.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 5, 1, 3, 1, 64, 64);
  const tenon_tensor *grid =
      op_case_in(c, TENON_F32, CASE_USUAL, 5, 1, 1, 64, 64, 3);
  op_case_out(c, TENON_F32, 5, 1, 3, 1, 64, 64);
  for (int i = 0; i < 64 * 64 * 3; ++i)
    ((float *)grid->data)[i] =
        i % 3 == 2 ? 0.0f : (float)(i * 37 % 4001 - 2000) * 0.0006f;
}

// What a mask leaves of a triangle of pairs, by lines, and elements one by one.
static void make_where_of(op_case *c, int of_condition) {
  op_case_begin(c, tenon_op_core_where.kernels[0], NULL);
  const tenon_tensor *condition =
      op_case_in(c, TENON_BOOL, CASE_USUAL, 2, 128, of_condition);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 128, 64);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 1, 1);
  op_case_out(c, TENON_F32, 2, 128, 64);
  for (int i = 0; i < 128 * of_condition; ++i)
    ((uint8_t *)condition->data)[i] = case_random() & 1;
}
static void make_where(op_case *c) {
  make_where_of(c, 64);
}
static void make_where_lines(op_case *c) {
  make_where_of(c, 1);
}

// Many lines beside each other.
static void make_running(op_case *c) {
  static const tenon_cumulate_attrs attrs = {0};
  op_case_begin(c, tenon_op_core_cumsum.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 96, 2048);
  op_case_out(c, TENON_F32, 2, 96, 2048);
}

// The channels of an image, last.
static void make_permute_of(op_case *c, tenon_dtype t) {
  static int64_t dims[] = {0, 2, 3, 1};
  static const tenon_permute_attrs attrs = {{dims, 4}};
  op_case_begin(c, tenon_op_core_permute.kernels[0], &attrs);
  op_case_in(c, t, CASE_USUAL, 4, 1, 32, 56, 56);
  op_case_out(c, t, 4, 1, 56, 56, 32);
}
static void make_permute(op_case *c) {
  make_permute_of(c, TENON_F32);
}
// Elements of two bytes: moved, in a border, and side by side.
static void make_permute_b2(op_case *c) {
  make_permute_of(c, TENON_S16);
}
static void make_pad_b2(op_case *c) {
  static int64_t before[] = {0, 1, 1, 0};
  static const tenon_pad_attrs attrs = {.before = {before, 4},
                                        .after = {before, 4}};
  op_case_begin(c, tenon_op_core_pad.kernels[0], &attrs);
  op_case_in(c, TENON_S16, CASE_USUAL, 4, 1, 56, 56, 32);
  op_case_out(c, TENON_S16, 4, 1, 58, 58, 32);
}
// Zeros between the pixels of an image.
static void make_pad_few(op_case *c) {
  static int64_t before[5], after[] = {0, 0, 0, 0, 1};
  static const tenon_pad_attrs attrs = {.before = {before, 5},
                                        .after = {after, 5}};
  op_case_begin(c, tenon_op_core_pad.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 5, 1, 16, 64, 64, 1);
  op_case_out(c, TENON_F32, 5, 1, 16, 64, 64, 2);
}
static void make_pad_planes(op_case *c) {
  static int64_t before[] = {0, 0, 1, 1};
  static const tenon_pad_attrs attrs = {.before = {before, 4},
                                        .after = {before, 4}};
  op_case_begin(c, tenon_op_core_pad.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 4, 1, 64, 32, 32);
  op_case_out(c, TENON_F32, 4, 1, 64, 34, 34);
}
static void make_concat_b2(op_case *c) {
  static const tenon_concat_attrs attrs = {-1};
  op_case_begin(c, tenon_op_core_concat.kernels[0], &attrs);
  op_case_in(c, TENON_S16, CASE_USUAL, 4, 1, 56, 56, 16);
  op_case_in(c, TENON_S16, CASE_USUAL, 4, 1, 56, 56, 16);
  op_case_out(c, TENON_S16, 4, 1, 56, 56, 32);
}
// The pixels of an image.
static void make_permute_3(op_case *c) {
  static int64_t dims[] = {0, 2, 3, 1};
  static const tenon_permute_attrs attrs = {{dims, 4}};
  op_case_begin(c, tenon_op_core_permute.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 4, 1, 3, 160, 160);
  op_case_out(c, TENON_F32, 4, 1, 160, 160, 3);
}
// Pixels of channels in groups of two by two, as of an image of twice the size.
static void make_permute_pixels(op_case *c) {
  static int64_t dims[] = {0, 3, 1, 4, 2};
  static const tenon_permute_attrs attrs = {{dims, 5}};
  op_case_begin(c, tenon_op_core_permute.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 5, 64, 64, 16, 2, 2);
  op_case_out(c, TENON_F32, 5, 64, 2, 64, 2, 16);
}
static void make_sort_lines(op_case *c, const tenon_sort_attrs *attrs,
                            int lines, int of, int kept) {
  op_case_begin(c, tenon_op_core_sort.kernels[0], attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, lines, of);
  op_case_out(c, TENON_F32, 2, lines, kept);
  op_case_out(c, TENON_S64, 2, lines, kept);
}
static void make_sort_of(op_case *c, const tenon_sort_attrs *attrs, int kept) {
  make_sort_lines(c, attrs, 16, 4096, kept);
}
static void make_sort(op_case *c) {
  static const tenon_sort_attrs attrs = {-1, true, {0, false}};
  make_sort_of(c, &attrs, 4096);
}
static void make_sort_first(op_case *c) {
  static const tenon_sort_attrs attrs = {-1, true, {20, true}};
  make_sort_of(c, &attrs, 20);
}
static void make_sort_near(op_case *c) {
  static const tenon_sort_attrs attrs = {-1, false, {16, true}};
  make_sort_lines(c, &attrs, 256, 256, 16);
}
// Over rows of a few elements.
static void make_short_rows(op_case *c, const tenon_op_desc *op,
                            tenon_dtype result) {
  static int64_t last[] = {-1};
  static const tenon_reduce_attrs attrs = {{last, 1}, false};
  op_case_begin(c, op->kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 4096, 20);
  op_case_out(c, result, 1, 4096);
}
static void make_sum_short(op_case *c) {
  make_short_rows(c, &tenon_op_core_sum, TENON_F32);
}
static void make_amax_short(op_case *c) {
  make_short_rows(c, &tenon_op_core_amax, TENON_F32);
}
static void make_argmax_short(op_case *c) {
  make_short_rows(c, &tenon_op_core_argmax, TENON_S64);
}
// A matrix for each of many vectors.
static void make_matmul_narrow(op_case *c) {
  op_case_begin(c, tenon_op_core_matmul.kernels[0], NULL);
  op_case_in(c, TENON_F32, CASE_USUAL, 3, 1024, 16, 8);
  op_case_in(c, TENON_F32, CASE_USUAL, 3, 1024, 8, 1);
  op_case_out(c, TENON_F32, 3, 1024, 16, 1);
}
// Numbers of eight heads side by side.
static void make_softmax_heads(op_case *c) {
  static const tenon_softmax_attrs attrs = {1, 1.0};
  op_case_begin(c, tenon_op_core_softmax.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 3, 16, 256, 8);
  op_case_out(c, TENON_F32, 3, 16, 256, 8);
}
static void make_max_pool(op_case *c) {
  static int64_t two[] = {2, 2}, pad[4];
  static const tenon_max_pool_attrs attrs = {{two, 2},   {two, 2},   {pad, 4},
                                             {0, false}, {0, false}, false};
  op_case_begin(c, tenon_op_core_max_pool.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 4, 1, 32, 32, 64);
  op_case_out(c, TENON_F32, 4, 1, 16, 16, 64);
}

static void make_avg_pool(op_case *c) {
  static int64_t three[] = {3, 3}, one[] = {1, 1}, pad[] = {1, 1, 1, 1};
  static const tenon_pool_attrs attrs = {
      {three, 2}, {one, 2}, {pad, 4}, {0, false}, {0, false}};
  op_case_begin(c, tenon_op_core_avg_pool.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 4, 1, 28, 28, 64);
  op_case_out(c, TENON_F32, 4, 1, 28, 28, 64);
}

// A slope for each channel.
static void make_prelu(op_case *c) {
  op_case_begin(c, tenon_op_core_prelu.kernels[0], NULL);
  op_case_in(c, TENON_F32, CASE_USUAL, 3, 28, 28, 64);
  op_case_in(c, TENON_F32, CASE_USUAL, 1, 64);
  op_case_out(c, TENON_F32, 3, 28, 28, 64);
}

static void make_mean(op_case *c) {
  static int64_t last[] = {-1};
  static const tenon_reduce_attrs attrs = {{last, 1}, false};
  op_case_begin(c, tenon_op_core_mean.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 64, 256);
  op_case_out(c, TENON_F32, 1, 64);
}

// 16-bit integers of one scale.
static void make_words(op_case *c, const tenon_op_desc *op, const void *attrs,
                       int size, int left, int channels) {
  static float scale[] = {0.001f};
  static int32_t zero[1];
  static const tenon_quant quant = {scale, zero, 1, 0, 0};
  op_case_begin(c, op_case_reference(op, "s16q"), attrs);
  op_case_in(c, TENON_S16, CASE_USUAL, 4, 1, size, size, channels)->quant =
      &quant;
  op_case_out(c, TENON_S16, 4, 1, left, left, channels);
  c->out[0].quant = &quant;
}
static void make_max_pool_s16(op_case *c) {
  static int64_t two[] = {2, 2}, pad[4];
  static const tenon_max_pool_attrs attrs = {{two, 2},   {two, 2},   {pad, 4},
                                             {0, false}, {0, false}, false};
  make_words(c, &tenon_op_core_max_pool, &attrs, 32, 16, 64);
}
static void make_avg_pool_s16(op_case *c) {
  static int64_t three[] = {3, 3}, one[] = {1, 1}, pad[] = {1, 1, 1, 1};
  static const tenon_pool_attrs attrs = {
      {three, 2}, {one, 2}, {pad, 4}, {0, false}, {0, false}};
  make_words(c, &tenon_op_core_avg_pool, &attrs, 28, 28, 64);
}
static void make_mean_s16(op_case *c) {
  static int64_t image[] = {1, 2};
  static const tenon_reduce_attrs attrs = {{image, 2}, true};
  make_words(c, &tenon_op_core_mean, &attrs, 7, 1, 1024);
}

// 16-bit integers to the scale 2^-15.
static void make_words_unit(op_case *c, const tenon_op_desc *op,
                            const void *attrs, int rows, int columns) {
  static float scale[] = {0.0003f, 1.0f / 32768};
  static int32_t zero[1];
  static const tenon_quant quant[] = {{&scale[0], zero, 1, 0, 0},
                                      {&scale[1], zero, 1, 0, 0}};
  op_case_begin(c, op_case_reference(op, "s16q"), attrs);
  op_case_in(c, TENON_S16, CASE_USUAL, 2, rows, columns)->quant = &quant[0];
  op_case_out(c, TENON_S16, 2, rows, columns);
  c->out[0].quant = &quant[1];
}
static void make_softmax_s16(op_case *c) {
  static const tenon_softmax_attrs attrs = {-1, 1.0};
  make_words_unit(c, &tenon_op_core_softmax, &attrs, 64, 128);
}
static void make_logistic_s16(op_case *c) {
  make_words_unit(c, &tenon_op_core_logistic, NULL, 1, 8192);
}
static void make_tanh_s16(op_case *c) {
  make_words_unit(c, &tenon_op_core_tanh, NULL, 1, 8192);
}
static void make_exp_s16(op_case *c) {
  make_words_unit(c, &tenon_op_core_exp, NULL, 1, 8192);
}

static void make_matmul_s16(op_case *c) {
  static float scale[] = {0.001f, 0.1f};
  static int32_t zero[1];
  static const tenon_quant quant[] = {{&scale[0], zero, 1, 0, 0},
                                      {&scale[1], zero, 1, 0, 0}};
  op_case_begin(c, op_case_reference(&tenon_op_core_matmul, "s16q"), NULL);
  op_case_in(c, TENON_S16, CASE_USUAL, 3, 4, 64, 64)->quant = &quant[0];
  op_case_in(c, TENON_S16, CASE_USUAL, 3, 4, 64, 64)->quant = &quant[0];
  op_case_out(c, TENON_S16, 3, 4, 64, 64);
  c->out[0].quant = &quant[1];
}

static void make_sub_pairs(op_case *c) {
  static const tenon_arith_attrs attrs = {{0, false}, {0, false}};
  op_case_begin(c, tenon_op_core_sub.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 3, 256, 1, 3);
  op_case_in(c, TENON_F32, CASE_USUAL, 3, 1, 256, 3);
  op_case_out(c, TENON_F32, 3, 256, 256, 3);
}
static void make_add_s8(op_case *c) {
  static const tenon_arith_attrs attrs;
  static float scale[] = {0.021f, 0.034f, 0.043f};
  static int32_t zero[] = {3, -5, 7};
  static const tenon_quant quant[] = {{&scale[0], &zero[0], 1, 0, 0},
                                      {&scale[1], &zero[1], 1, 0, 0},
                                      {&scale[2], &zero[2], 1, 0, 0}};
  const tenon_kernel_desc *const *k = tenon_op_core_add.kernels;
  while (strncmp((*k)->types, "s8q", 3) != 0)
    ++k;
  op_case_begin(c, *k, &attrs);
  op_case_in(c, TENON_S8, CASE_USUAL, 1, 16384)->quant = &quant[0];
  op_case_in(c, TENON_S8, CASE_USUAL, 1, 16384)->quant = &quant[1];
  op_case_out(c, TENON_S8, 1, 16384)->quant = &quant[2];
}

// Floats with quantised weights: 1x1, 64 to 64 channels, 25 x 5 pixels.
static void make_hybrid(op_case *c) {
  static int64_t one[] = {1, 1}, pad[4];
  static const tenon_conv_attrs attrs = {.stride = {one, 2},
                                         .pad = {pad, 4},
                                         .dilation = {one, 2},
                                         .groups = 1,
                                         .asymmetric = true};
  static float scale[] = {0.01f};
  static const tenon_quant quant = {scale, NULL, 1, 0, 0};
  const tenon_kernel_desc *const *k = tenon_op_core_conv.kernels;
  while (strncmp((*k)->types, "f32, s8q", 8) != 0)
    ++k;
  op_case_begin(c, *k, &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 4, 1, 25, 5, 64);
  op_case_in(c, TENON_S8, CASE_USUAL, 4, 64, 1, 1, 64)->quant = &quant;
  op_case_in(c, TENON_F32, CASE_USUAL, 1, 64);
  op_case_out(c, TENON_F32, 4, 1, 25, 5, 64);
}

static void make_winograd(op_case *c, const tenon_conv_winograd_attrs *attrs,
                          int channels) {
  op_case_begin(c, tenon_op_core_conv_winograd.kernels[0], attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 4, 1, 28, 28, channels);
  op_case_in(c, TENON_F32, CASE_USUAL, 4, channels, 3, 3, channels);
  for (int i = 0; i < 3; ++i)
    op_case_none(c);
  op_case_out(c, TENON_F32, 4, 1, 28, 28, channels);
}
static int64_t ones[] = {1, 1, 1, 1};
static const tenon_conv_winograd_attrs tiles_2 = {.pad = {ones, 4}, .tile = 2};
static const tenon_conv_winograd_attrs tiles_4 = {.pad = {ones, 4}, .tile = 4};
static void make_winograd_2(op_case *c) {
  make_winograd(c, &tiles_2, 64);
}
static void make_winograd_4(op_case *c) {
  make_winograd(c, &tiles_4, 64);
}
static void make_winograd_few(op_case *c) {
  make_winograd(c, &tiles_4, 18);
}

// Rows of 512 by 512 outputs: floats by floats, by integers of 8 and of 4 bits
// with a scale for 64 of them, and integers by integers.
static void make_connected(op_case *c) {
  static const tenon_fully_connected_attrs attrs;
  const tenon_kernel_desc *const *k = tenon_op_core_fully_connected.kernels;
  while (strncmp((*k)->types, "f32, f32", 8) != 0)
    ++k;
  op_case_begin(c, *k, &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 16, 512);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 512, 512);
  op_case_in(c, TENON_F32, CASE_USUAL, 1, 512);
  op_case_out(c, TENON_F32, 2, 16, 512);
}
static void make_strassen(op_case *c) {
  static const tenon_strassen_attrs attrs;
  op_case_begin(c, tenon_op_core_fully_connected_strassen.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 128, 768);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 768, 768);
  op_case_in(c, TENON_F32, CASE_USUAL, 1, 768);
  op_case_none(c);
  op_case_none(c);
  op_case_out(c, TENON_F32, 2, 128, 768);
}
static void make_connected_bf16(op_case *c) {
  static const tenon_fully_connected_attrs attrs;
  op_case_begin(c, op_case_reference(&tenon_op_core_fully_connected, "bf16"),
                &attrs);
  op_case_in(c, TENON_BF16, CASE_USUAL, 2, 16, 512);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 512, 512);
  op_case_in(c, TENON_F32, CASE_USUAL, 1, 512);
  op_case_out(c, TENON_BF16, 2, 16, 512);
}
static void make_norm_bf16(op_case *c) {
  static const tenon_layer_norm_attrs attrs = {1e-5, false};
  op_case_begin(c, op_case_reference(&tenon_op_core_layer_norm, "bf16"),
                &attrs);
  op_case_in(c, TENON_BF16, CASE_USUAL, 2, 64, 192);
  op_case_in(c, TENON_F32, CASE_USUAL, 1, 192);
  op_case_in(c, TENON_F32, CASE_USUAL, 1, 192);
  op_case_out(c, TENON_BF16, 2, 64, 192);
}
static void make_add_16(op_case *c, tenon_dtype dtype, const char *types) {
  static const tenon_arith_attrs attrs;
  op_case_begin(c, op_case_reference(&tenon_op_core_add, types), &attrs);
  op_case_in(c, dtype, CASE_USUAL, 1, 16384);
  op_case_in(c, dtype, CASE_USUAL, 1, 16384);
  op_case_out(c, dtype, 1, 16384);
}
static void make_add_bf16(op_case *c) {
  make_add_16(c, TENON_BF16, "bf16");
}
static void make_add_f16(op_case *c) {
  make_add_16(c, TENON_F16, "f16");
}
static void make_weight_only(op_case *c, int bits) {
  static const tenon_weight_only_attrs attrs;
  op_case_begin(c, tenon_op_core_weight_only_linear.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 16, 512);
  int8_t *w = (int8_t *)op_case_in(c, TENON_S8, CASE_USUAL, 2, 512, 512)->data;
  for (int i = 0; i < 512 * 512 && bits == 4; ++i)
    w[i] = (int8_t)((w[i] & 15) - 8);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 512, 8);
  op_case_none(c);
  op_case_in(c, TENON_F32, CASE_USUAL, 1, 512);
  op_case_out(c, TENON_F32, 2, 16, 512);
}
static void make_weight_only_8(op_case *c) {
  make_weight_only(c, 8);
}
static void make_weight_only_4(op_case *c) {
  make_weight_only(c, 4);
}
static void make_integer_linear(op_case *c) {
  op_case_begin(c, tenon_op_core_integer_linear.kernels[0], NULL);
  op_case_in(c, TENON_S8, CASE_USUAL, 2, 16, 512);
  op_case_in(c, TENON_S8, CASE_USUAL, 2, 512, 512);
  op_case_out(c, TENON_S32, 2, 16, 512);
}
static void make_dynamic_linear(op_case *c) {
  op_case_begin(c, tenon_op_core_dynamic_linear.kernels[0], NULL);
  op_case_in(c, TENON_S8, CASE_USUAL, 2, 16, 512);
  op_case_in(c, TENON_S8, CASE_USUAL, 2, 512, 512);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 16, 1);
  op_case_in(c, TENON_S32, CASE_USUAL, 2, 16, 1);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 512, 8);
  op_case_in(c, TENON_F32, CASE_USUAL, 1, 512);
  op_case_out(c, TENON_F32, 2, 16, 512);
}

static void make_lstm(op_case *c) {
  static const tenon_lstm_attrs attrs;
  op_case_begin(c, tenon_op_core_lstm.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 3, 10, 1, 1024);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 1024, 256);
  op_case_in(c, TENON_F32, CASE_USUAL, 1, 1024);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 1, 256);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 1, 256);
  op_case_none(c);
  op_case_out(c, TENON_F32, 3, 10, 1, 256);
  op_case_out(c, TENON_F32, 2, 1, 256);
  op_case_out(c, TENON_F32, 2, 1, 256);
}

static void make_layer(op_case *c, const tenon_op_desc *op, int gates,
                       const void *attrs) {
  op_case_begin(c, op->kernels[0], attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 3, 10, 1, gates * 256);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, gates * 256, 256);
  op_case_in(c, TENON_F32, CASE_USUAL, 1, gates * 256);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 1, 256);
  op_case_out(c, TENON_F32, 3, 10, 1, 256);
  op_case_out(c, TENON_F32, 2, 1, 256);
}
static void make_gru(op_case *c) {
  static const tenon_recurrent_attrs attrs;
  make_layer(c, &tenon_op_core_gru, 3, &attrs);
}
static void make_rnn(op_case *c) {
  static const tenon_rnn_attrs attrs;
  make_layer(c, &tenon_op_core_rnn, 1, &attrs);
}

static void make_deep(op_case *c) {
  static const int64_t of_1[] = {1, 1, 1, 1, 1, 1};
  static const tenon_depthwise_conv3d_attrs attrs = {
      {of_1, 3}, {of_1, 6}, {of_1, 3}, {0, false}, {0, false}};
  op_case_begin(c, tenon_op_core_depthwise_conv3d.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 5, 1, 8, 16, 16, 108);
  op_case_in(c, TENON_F32, CASE_USUAL, 5, 1, 3, 3, 3, 108);
  op_case_out(c, TENON_F32, 5, 1, 8, 16, 16, 108);
}

static void make_whole(op_case *c) {
  static const int64_t of_1[] = {1, 1, 1, 1, 1, 1};
  static const tenon_conv3d_attrs attrs = {{of_1, 3}, {of_1, 6}, {of_1, 3}, 1};
  op_case_begin(c, tenon_op_core_conv3d.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 5, 1, 8, 14, 14, 16);
  op_case_in(c, TENON_F32, CASE_USUAL, 5, 16, 3, 3, 3, 16);
  op_case_none(c);
  op_case_out(c, TENON_F32, 5, 1, 8, 14, 14, 16);
}

static void make_transposed(op_case *c) {
  static const int64_t step[] = {1, 2, 2}, pad[] = {0, 0, 0, 0, 1, 1};
  static const int64_t of_1[] = {1, 1, 1};
  static const tenon_conv_transpose3d_attrs attrs = {
      {step, 3}, {pad, 6}, {of_1, 3}, 1, false};
  op_case_begin(c, tenon_op_core_conv_transpose3d.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 5, 1, 1, 14, 14, 64);
  op_case_in(c, TENON_F32, CASE_USUAL, 5, 32, 1, 3, 3, 64);
  op_case_none(c);
  op_case_out(c, TENON_F32, 5, 1, 1, 28, 28, 32);
}

static void make_lsh(op_case *c) {
  static const tenon_lsh_projection_attrs attrs = {true};
  op_case_begin(c, tenon_op_core_lsh_projection.kernels[0], &attrs);
  op_case_in(c, TENON_F32, CASE_USUAL, 2, 16, 16);
  op_case_in(c, TENON_S32, CASE_USUAL, 2, 64, 4);
  op_case_in(c, TENON_F32, CASE_USUAL, 1, 64);
  op_case_out(c, TENON_S32, 1, 16);
}

// --- Measuring ---------------------------------------------------------------

typedef struct row {
  const char *op, *types, *size;
  void (*make)(op_case *c);
} row;

static const row rows[] = {
    {"core::exp", "f32", "8192", make_exp},
    {"core::sqrt", "f32", "8192", make_sqrt},
    {"core::rsqrt", "f32", "8192", make_rsqrt},
    {"core::floor", "f32", "8192", make_floor},
    {"core::ceil", "f32", "8192", make_ceil},
    {"core::trunc", "f32", "8192", make_trunc},
    {"core::round", "f32", "8192", make_round},
    {"core::tanh", "f32", "8192", make_tanh},
    {"core::logistic", "f32", "8192", make_logistic},
    {"core::erf", "f32", "8192", make_erf},
    {"core::log", "f32", "8192", make_log},
    {"core::softplus", "f32", "8192", make_softplus},
    {"core::softmax", "f32", "64x128", make_softmax},
    {"core::log_softmax", "f32", "64x128", make_log_softmax},
    {"core::resample", "f32", "32 to 64 of 2048", make_resample},
    {"core::resample", "f32", "2048 of 32 to 64", make_resample_columns},
    {"core::grid_sample", "f32", "3x64x64", make_grid},
    {"core::where", "bool, T", "128x64", make_where},
    {"core::where", "bool, T", "128 lines of 64", make_where_lines},
    {"core::sub", "f32", "256x256x3", make_sub_pairs},
    {"core::add", "s8q", "16384", make_add_s8},
    {"core::add", "bf16", "16384", make_add_bf16},
    {"core::add", "f16", "16384", make_add_f16},
    {"core::layer_norm", "bf16", "64x192", make_norm_bf16},
    {"core::mean", "f32", "64x256", make_mean},
    {"core::cumsum", "T", "96x2048", make_running},
    {"core::permute", "T", "32x56x56", make_permute},
    {"core::permute", "T", "32x56x56, 2 bytes", make_permute_b2},
    {"core::pad", "T", "56x56x32, 2 bytes", make_pad_b2},
    {"core::pad", "T", "64x32x32", make_pad_planes},
    {"core::pad", "T", "16x64x64x1", make_pad_few},
    {"core::concat", "T", "56x56x32, 2 bytes", make_concat_b2},
    {"core::permute", "T", "3x160x160", make_permute_3},
    {"core::permute", "T", "pixels 64x64x16x2x2", make_permute_pixels},
    {"core::sort", "f32", "16x4096", make_sort},
    {"core::sort", "f32", "20 of 16x4096", make_sort_first},
    {"core::sort", "f32", "16 of 256x256", make_sort_near},
    {"core::sum", "f32", "4096x20", make_sum_short},
    {"core::amax", "f32", "4096x20", make_amax_short},
    {"core::argmax", "f32", "4096x20", make_argmax_short},
    {"core::matmul", "f32", "1024x16x8-1", make_matmul_narrow},
    {"core::softmax", "f32", "16x256, 8 heads", make_softmax_heads},
    {"core::max_pool", "f32", "32x32x64", make_max_pool},
    {"core::avg_pool", "f32", "28x28x64", make_avg_pool},
    {"core::max_pool", "s16q", "32x32x64", make_max_pool_s16},
    {"core::avg_pool", "s16q", "28x28x64", make_avg_pool_s16},
    {"core::mean", "s16q", "7x7x1024", make_mean_s16},
    {"core::softmax", "s16q", "64x128", make_softmax_s16},
    {"core::logistic", "s16q", "8192", make_logistic_s16},
    {"core::tanh", "s16q", "8192", make_tanh_s16},
    {"core::exp", "s16q", "8192", make_exp_s16},
    {"core::matmul", "s16q", "4x64x64-64", make_matmul_s16},
    {"core::prelu", "f32", "28x28x64", make_prelu},
    {"core::conv", "f32, s8q", "25x5x64-64", make_hybrid},
    {"core::depthwise_conv3d", "f32", "8x16x16x108", make_deep},
    {"core::conv3d", "f32", "8x14x14x16-16", make_whole},
    {"core::conv_transpose3d", "f32", "14x14x64-32, 2 apart", make_transposed},
    {"core::conv_winograd", "f32", "28x28x64, tiles of 2", make_winograd_2},
    {"core::conv_winograd", "f32", "28x28x64, tiles of 4", make_winograd_4},
    {"core::conv_winograd", "f32", "28x28x18, tiles of 4", make_winograd_few},
    {"core::fully_connected", "f32", "16x512-512", make_connected},
    {"core::fully_connected_strassen", "f32", "128x768-768", make_strassen},
    {"core::fully_connected", "bf16", "16x512-512", make_connected_bf16},
    {"core::weight_only_linear", "f32, s8", "16x512-512", make_weight_only_8},
    {"core::weight_only_linear", "f32, s8", "in 4 bits", make_weight_only_4},
    {"core::integer_linear", "s8", "16x512-512", make_integer_linear},
    {"core::dynamic_linear", "s8", "16x512-512", make_dynamic_linear},
    {"core::lstm", "f32", "10x1x256", make_lstm},
    {"core::gru", "f32", "10x1x256", make_gru},
    {"core::rnn", "f32", "10x1x256", make_rnn},
    {"core::lsh_projection", "f32, T", "16x16, 64 rows of 4", make_lsh},
};

// Adds those of a list to the first n.
static int collect_of(const tenon_kernel_desc *const *k, const row *r,
                      const op_case *c, const char *filter,
                      const tenon_kernel_desc *kernels[BENCH_MOST], int n) {
  for (; *k; ++k)
    if (strcmp((*k)->op, r->op) == 0 && n < BENCH_MOST &&
        strncmp((*k)->types, r->types, strlen(r->types)) == 0 &&
        bench_can_run(*k) && (!(*k)->match || (*k)->match(&c->call)) &&
        (!filter || strstr((*k)->symbol, filter)))
      kernels[n++] = *k;
  return n;
}

// The reference first.
static int collect(const row *r, const op_case *c, const char *filter,
                   const tenon_kernel_desc *kernels[BENCH_MOST]) {
  int n = 0;
  kernels[n++] = c->reference;
  n = collect_of(tenon_core_tile_kernels, r, c, filter, kernels, n);
#ifdef TENON_CORE_HAS_FAST
  n = collect_of(tenon_core_fast_kernels, r, c, filter, kernels, n);
#endif
  return n;
}

static void measure(const row *r, const char *kernel, bool csv) {
  const tenon_kernel_desc *kernels[BENCH_MOST];
  case_run runs[BENCH_MOST];
  double best[BENCH_MOST];
  op_case c;
  r->make(&c);
  const int n = collect(r, &c, kernel, kernels);
  for (int i = 0; i < n; ++i)
    case_run_of(&runs[i], &c.call, kernels[i], 0);
  bench_turns(runs, n, best);
  for (int i = 0; i < n; ++i) {
    printf(csv ? "%s,%s,%s,%s,%.0f,%.2f\n"
               : "%-24s %-8s %-11s %-11s %11.0f %8.1f\n",
           r->op, r->types, r->size, strrchr(kernels[i]->symbol, '_') + 1,
           best[i], best[0] / best[i]);
    case_run_deinit(&runs[i]);
  }
  fflush(stdout);
  op_case_end(&c);
}

void bench_ops(const char *filter, const char *kernel, bool csv) {
  printf(csv ? "%s,%s,%s,%s,%s,%s\n" : "%-24s %-8s %-11s %-11s %11s %8s\n",
         "operator", "type", "size", "kernel", "ns", "x ref");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (!filter || strstr(rows[i].op, filter)) measure(&rows[i], kernel, csv);
}
