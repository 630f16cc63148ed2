// Fast core::resample against the reference, bit for bit: along each axis, with
// any number of taps, absent ones, and infinities beside them. The same of
// core::grid_sample, with points on both sides of the edge.
#include "kern/op/resample.h"
#include "kern/op/grid.h"

#include "kern/op/resize.h"
#include "op_check.h"

static int check(const int size[3], int axis, int to, int taps, int kind) {
  const tenon_resample_attrs attrs = {axis};
  int dims[] = {size[0], size[1], size[2]};
  char name[99];
  op_case c;
  dims[axis] = to;
  op_case_begin(&c, tenon_op_core_resample.kernels[0], &attrs);
  op_case_in(&c, TENON_F32, kind, 3, size[0], size[1], size[2]);
  tenon_tensor *index = op_case_in(&c, TENON_S32, CASE_USUAL, 2, to, taps);
  op_case_in(&c, TENON_F32, CASE_USUAL, 2, to, taps);
  op_case_out(&c, TENON_F32, 3, dims[0], dims[1], dims[2]);
  for (int i = 0; i < to * taps; ++i) {
    const bool is_absent = i % taps && case_random() % 4 == 0;
    ((int32_t *)index->data)[i] =
        is_absent ? -1 : (int32_t)(case_random() % (uint32_t)size[axis]);
  }
  snprintf(name, sizeof name, "%d %d %d along %d to %d, %d taps, kind %d",
           size[0], size[1], size[2], axis, to, taps, kind);
  const int checked = test_op_check(&c, "core::resample", "f32", name);
  op_case_end(&c);
  return checked;
}

static void runs_equal_the_reference(void **state) {
  static const int sizes[][3] = {{1, 1, 1}, {2, 3, 16}, {5, 1, 17},  {3, 8, 65},
                                 {4, 5, 7}, {7, 9, 30}, {1, 33, 300}};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, sizes) {
    for (int axis = 0; axis < 3; ++axis)
      for (int taps = 1; taps < 5; ++taps)
        for (int kind = 0; kind < CASE_DATA_KINDS; ++kind)
          checked +=
              check(sizes[i], axis, taps == 3 ? 70 : 1 + ((int)i + taps) % 9,
                    taps, kind);
  }
  if (!checked) skip();
}

// `axes`: 2, where all points are in the one plane.
static int check_grid(int mode, int padding, bool align_corners, int axes) {
  const tenon_grid_sample_attrs attrs = {mode, padding, align_corners};
  const int channels = case_between(1, 5),
            d = mode == 2 || axes == 2 ? 1 : case_between(1, 3);
  const int h = case_between(1, 9), w = case_between(1, 9);
  // Points that are all inside, too.
  const int far = case_random() & 1 ? 1500 : 700;
  op_case c;
  op_case_begin(&c, tenon_op_core_grid_sample.kernels[0], &attrs);
  op_case_in(&c, TENON_F32, CASE_USUAL, 5, 2, channels, d, h, w);
  tenon_tensor *grid =
      op_case_in(&c, TENON_F32, CASE_USUAL, 5, 2, 1, 3, 7, axes);
  op_case_out(&c, TENON_F32, 5, 2, channels, 1, 3, 7);
  for (size_t i = 0; i < tenon_count(grid); ++i)
    ((float *)grid->data)[i] = (float)case_between(-far, far) * 0.001f;
  // Where PyTorch takes no element, either.
  if (far > 1000 && case_random() % 4 == 0) {
    ((float *)grid->data)[3] = NAN;
    ((float *)grid->data)[4] = INFINITY;
    ((float *)grid->data)[5] = -3e38f;
    ((float *)grid->data)[6] = 1.0f;
    ((float *)grid->data)[7] = -1.0f;
  }
  const int checked =
      test_op_check(&c, "core::grid_sample", "f32", "grid_sample");
  op_case_end(&c);
  return checked;
}

static void grids_equal_the_reference(void **state) {
  int checked = 0;
  (void)state;
  case_random_state = 1;
  for (int how = 0; how < 36 * 8; ++how)
    checked += check_grid(how % 3, how / 3 % 3, how / 9 % 2, 2 + how / 18 % 2);
  if (!checked) skip();
}

// Images of bytes: rows shorter and longer than a register, and sizes of which
// the rounded scale leads beyond the end.
static int check_bytes(int channels) {
  const int from[] = {case_between(1, 9), case_between(1, 40)};
  const int to[] = {case_between(1, 20), case_between(1, 70)};
  const int64_t size[] = {to[0], to[1]};
  const int way = case_between(0, 2);
  const tenon_resize_attrs attrs = {{size, 2}, way == 1, way == 2};
  const float scale = 0.1f;
  const int32_t zero = 3;
  const tenon_quant quant = {&scale, &zero, 1, 0, 0};
  op_case c;
  char what[99];
  op_case_begin(&c, op_case_reference(&tenon_op_core_resize_bilinear, "s8q"),
                &attrs);
  op_case_in(&c, TENON_S8, CASE_USUAL, 4, 2, from[0], from[1], channels)
      ->quant = &quant;
  op_case_out(&c, TENON_S8, 4, 2, to[0], to[1], channels);
  c.out[0].quant = &quant;
  snprintf(what, sizeof what, "%d %d of %d to %d %d, %d", from[0], from[1],
           channels, to[0], to[1], way);
  const int checked = test_op_check(&c, "core::resize_bilinear", "s8q", what);
  op_case_end(&c);
  return checked;
}

static void images_of_bytes_equal_the_reference(void **state) {
  static const int channels[] = {1, 3, 4, 8, 15, 16, 17, 21, 32, 40, 65, 130};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, channels)
  for (int k = 0; k < 40; ++k)
    checked += check_bytes(channels[i]);
  if (!checked) skip();
}

TEST_GROUP(resample, cmocka_unit_test(runs_equal_the_reference),
           cmocka_unit_test(grids_equal_the_reference),
           cmocka_unit_test(images_of_bytes_equal_the_reference))
