// Fast convolutions of volumes, depthwise, plain and transposed, against the
// reference, bit for bit:
// windows that lack columns, rows and planes, strides, distances, channels that
// fill no register, and rows shorter than what is done at once.
#include "kern/product/volume.h"

#include "op_check.h"

typedef struct deep_case {
  int64_t stride[3], pad[6], dilation[3];
  int size[3], taps[3], out[3];
} deep_case;

// Whether there are outputs.
static bool draw(deep_case *d, int columns) {
  for (int i = 0; i < 3; ++i) {
    d->size[i] = i == 2 ? case_between(1, 20) : case_between(1, 6);
    d->taps[i] = i == 2 ? columns : case_between(1, 4);
    d->stride[i] = case_between(1, 2);
    d->dilation[i] = case_between(0, 3) ? 1 : 2;
    d->pad[i] = case_between(0, d->taps[i] / 2 + 1);
    d->pad[i + 3] = case_between(0, d->taps[i] / 2 + 1);
    const int reach = (d->taps[i] - 1) * (int)d->dilation[i] + 1;
    const int all = d->size[i] + (int)(d->pad[i] + d->pad[i + 3]);
    if (all < reach) return false;
    d->out[i] = (all - reach) / (int)d->stride[i] + 1;
  }
  return true;
}

static int check_deep(int columns, int channels) {
  deep_case d;
  op_case c;
  while (!draw(&d, columns))
    continue;
  const tenon_depthwise_conv3d_attrs attrs = {{d.stride, 3},
                                              {d.pad, 6},
                                              {d.dilation, 3},
                                              {-0.5, case_between(0, 1) != 0},
                                              {0.75, case_between(0, 1) != 0}};
  op_case_begin(&c, tenon_op_core_depthwise_conv3d.kernels[0], &attrs);
  op_case_in(&c, TENON_F32, case_between(0, CASE_DATA_KINDS - 1), 5, 2,
             d.size[0], d.size[1], d.size[2], channels);
  op_case_in(&c, TENON_F32, CASE_USUAL, 5, 1, d.taps[0], d.taps[1], d.taps[2],
             channels);
  const int tail = case_between(0, 3);
  for (int k = 0; k < tail; ++k)
    op_case_in(&c, TENON_F32, CASE_USUAL, 1, channels);
  for (int k = tail; k < 3; ++k)
    op_case_none(&c);
  op_case_out(&c, TENON_F32, 5, 2, d.out[0], d.out[1], d.out[2], channels);
  const int checked =
      test_op_check(&c, "core::depthwise_conv3d", "f32", "volume");
  op_case_end(&c);
  return checked;
}

static void volumes_equal_the_reference(void **state) {
  static const int channels[] = {1, 3, 8, 15, 16, 17, 24, 33, 54, 70, 130};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, channels)
  for (int k = 0; k < 60; ++k)
    checked += check_deep(1 + k % 8, channels[i]);
  if (!checked) skip();
}

// In groups, and transposed: strides and distances that have a divisor in
// common, pads that are negative, results that begin or end outside.
static bool draw_transposed(deep_case *d, int columns) {
  for (int i = 0; i < 3; ++i) {
    d->size[i] = i == 2 ? case_between(1, 30) : case_between(1, 4);
    d->taps[i] = i == 2 ? columns : case_between(1, 4);
    d->stride[i] = case_between(1, i == 2 ? 4 : 3);
    d->dilation[i] = case_between(0, 2) ? 1 : case_between(2, 4);
    d->pad[i] = case_between(-1, 3);
    d->pad[i + 3] = case_between(-2, 3);
    const int reach = (d->taps[i] - 1) * (int)d->dilation[i] + 1;
    d->out[i] = (d->size[i] - 1) * (int)d->stride[i] + reach -
                (int)(d->pad[i] + d->pad[i + 3]);
    if (d->out[i] < 1) return false;
  }
  return true;
}

static int check_whole(bool is_transposed, int columns, int depth, int channels,
                       int groups) {
  deep_case d;
  op_case c;
  while (!(is_transposed ? draw_transposed(&d, columns) : draw(&d, columns)))
    continue;
  const tenon_op_desc *op =
      is_transposed ? &tenon_op_core_conv_transpose3d : &tenon_op_core_conv3d;
  const tenon_conv3d_attrs plain = {
      {d.stride, 3}, {d.pad, 6}, {d.dilation, 3}, groups};
  const tenon_conv_transpose3d_attrs transposed = {
      {d.stride, 3}, {d.pad, 6}, {d.dilation, 3}, groups, false};
  op_case_begin(&c, op->kernels[0],
                is_transposed ? (const void *)&transposed : &plain);
  op_case_in(&c, TENON_F32, case_between(0, CASE_DATA_KINDS - 1), 5, 2,
             d.size[0], d.size[1], d.size[2], depth * groups);
  op_case_in(&c, TENON_F32, CASE_USUAL, 5, channels * groups, d.taps[0],
             d.taps[1], d.taps[2], depth);
  if (case_between(0, 1))
    op_case_in(&c, TENON_F32, CASE_USUAL, 1, channels * groups);
  else
    op_case_none(&c);
  op_case_out(&c, TENON_F32, 5, 2, d.out[0], d.out[1], d.out[2],
              channels * groups);
  const int checked = test_op_check(
      &c, is_transposed ? "core::conv_transpose3d" : "core::conv3d", "f32",
      is_transposed ? "transposed" : "whole");
  op_case_end(&c);
  return checked;
}

// Of bytes: a scale for each channel, and zero points.
enum { MOST = 70 };
static int check_bytes(int columns, int depth, int channels) {
  deep_case d;
  op_case c;
  do {
    while (!draw_transposed(&d, columns))
      continue;
    d.out[0] = d.size[0], d.taps[0] = 1;
  } while (d.taps[1] < d.stride[1] || d.taps[2] < d.stride[2]);
  d.stride[0] = d.dilation[0] = 1, d.pad[0] = d.pad[3] = 0;
  const tenon_conv_transpose3d_attrs attrs = {
      {d.stride, 3}, {d.pad, 6}, {d.dilation, 3}, 1, case_between(0, 1) != 0};
  float scale[MOST] = {0};
  int32_t none[MOST] = {0};
  const float in = 0.02f, out = (float)case_between(1, 40) * 0.01f;
  const int32_t zero[] = {case_between(-128, 127), case_between(-128, 127)};
  const int scales = case_between(0, 1) ? channels : 1;
  for (int i = 0; i < channels; ++i)
    scale[i] = (float)case_between(1, 100) * 0.0005f;
  const tenon_quant quant[] = {{&in, &zero[0], 1, 0, 0},
                               {scale, none, scales, 0, 0},
                               {&out, &zero[1], 1, 0, 0}};
  op_case_begin(&c, op_case_reference(&tenon_op_core_conv_transpose3d, "s8q"),
                &attrs);
  op_case_in(&c, TENON_S8, CASE_USUAL, 5, 2, d.size[0], d.size[1], d.size[2],
             depth)
      ->quant = &quant[0];
  op_case_in(&c, TENON_S8, CASE_USUAL, 5, channels, 1, d.taps[1], d.taps[2],
             depth)
      ->quant = &quant[1];
  if (case_between(0, 1))
    op_case_in(&c, TENON_S32, CASE_USUAL, 1, channels);
  else
    op_case_none(&c);
  op_case_out(&c, TENON_S8, 5, 2, d.out[0], d.out[1], d.out[2], channels);
  c.out[0].quant = &quant[2];
  const int checked =
      test_op_check(&c, "core::conv_transpose3d", "s8q", "transposed bytes");
  op_case_end(&c);
  return checked;
}

static void products_equal_the_reference(void **state) {
  static const int channels[] = {1, 4, 15, 16, 17, 33, 70};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, channels)
  for (int k = 0; k < 24; ++k)
    for (int way = 0; way < 2; ++way) {
      const int columns = 1 + k % 6, depth = case_between(1, 9);
      checked += check_whole(way, columns, depth, channels[i], 1);
      if (k % 4 == 0)
        checked += check_whole(way, columns, depth, channels[i], 3);
    }
  if (!checked) skip();
}

static void bytes_equal_the_reference(void **state) {
  static const int channels[] = {1, 3, 4, 15, 16, 17, 33, 64, MOST};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, channels)
  for (int k = 0; k < 60; ++k)
    checked += check_bytes(1 + k % 6, case_between(1, 20), channels[i]);
  if (!checked) skip();
}

TEST_GROUP(deep, cmocka_unit_test(volumes_equal_the_reference),
           cmocka_unit_test(products_equal_the_reference),
           cmocka_unit_test(bytes_equal_the_reference))
