// Fast depthwise convolutions of volumes against the reference, bit for bit:
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

TEST_GROUP(deep, cmocka_unit_test(volumes_equal_the_reference))
