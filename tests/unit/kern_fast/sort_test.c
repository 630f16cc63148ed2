// Fast sorting against the reference, bit for bit: lines of few and of many
// elements, all of them and the first, with equal ones, zeros of both signs and
// several NaN.
#include "kern/loop/order.h"

#include "op_check.h"

static int check_sort(const int size[3], int axis, int keep, int kind,
                      bool descending) {
  const tenon_sort_attrs attrs = {
      axis, descending, {keep < 0 ? 0 : keep, keep >= 0}};
  int kept[] = {size[0], size[1], size[2]};
  char name[99];
  op_case c;
  if (keep > size[axis]) return 0;
  if (keep >= 0) kept[axis] = keep;
  op_case_begin(&c, tenon_op_core_sort.kernels[0], &attrs);
  tenon_tensor *x =
      op_case_in(&c, TENON_F32, kind, 3, size[0], size[1], size[2]);
  float *data = (float *)x->data;
  for (size_t i = 0; i < tenon_count(x); ++i) {
    const int what = case_between(0, 40);
    if (what < 4) data[i] = what & 1 ? 0.0f : -0.0f;
    if (what == 4) data[i] = NAN;
    if (what == 5) data[i] = -NAN;
    if (what > 35) data[i] = (float)(what - 38);
  }
  op_case_out(&c, TENON_F32, 3, kept[0], kept[1], kept[2]);
  op_case_out(&c, TENON_S64, 3, kept[0], kept[1], kept[2]);
  snprintf(name, sizeof name, "%d %d %d along %d, %d kept, kind %d", size[0],
           size[1], size[2], axis, keep, kind);
  const int checked = test_op_check(&c, "core::sort", "f32", name);
  op_case_end(&c);
  return checked;
}

static void orders_equal_the_reference(void **state) {
  static const int sizes[][3] = {
      {1, 1, 1},    {2, 3, 17},   {3, 48, 2},  {2, 2, 49},  {1, 300, 3},
      {2, 1, 1500}, {1, 1, 5000}, {33, 1, 97}, {5, 7, 130}, {17, 2, 21}};
  static const int keeps[] = {-1, 0, 1, 5, 20, 128};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, sizes)
  EACH_ROW(k, keeps)
  for (int axis = 0; axis < 3; ++axis)
    for (int kind = 0; kind < CASE_DATA_KINDS; ++kind)
      checked += check_sort(sizes[i], axis, keeps[k], kind, (axis + kind) & 1);
  if (!checked) skip();
}

TEST_GROUP(sort, cmocka_unit_test(orders_equal_the_reference))
