// Fast softmax and its logarithm against the reference, bit for bit, along each
// axis, with infinities, subnormals, and rows that begin with or have a NaN.
#include "kern/op/softmax.h"

#include "op_check.h"

static void add_nan(tenon_tensor *x, size_t at) {
  if (at < tenon_count(x)) ((float *)x->data)[at] = NAN;
}

static int check(const tenon_op_desc *op, const char *op_name,
                 const void *attrs, const int size[3], int axis, int kind) {
  char name[99];
  op_case c;
  op_case_begin(&c, op->kernels[0], attrs);
  tenon_tensor *x =
      op_case_in(&c, TENON_F32, kind, 3, size[0], size[1], size[2]);
  op_case_out(&c, TENON_F32, 3, size[0], size[1], size[2]);
  if (kind == CASE_EXTREME) {
    add_nan(x, 0);
    add_nan(x, (size_t)size[2] + 1);
  }
  snprintf(name, sizeof name, "%d %d %d along %d, kind %d", size[0], size[1],
           size[2], axis, kind);
  const int checked = test_op_check(&c, op_name, "f32", name);
  op_case_end(&c);
  return checked;
}

static void rows_equal_the_reference(void **state) {
  static const int sizes[][3] = {
      {1, 1, 1}, {2, 3, 16}, {9, 1, 128},  {3, 8, 65}, {17, 5, 7}, {2, 33, 31},
      {1, 2, 0}, {0, 2, 3},  {3, 16, 200}, {3, 40, 8}, {2, 70, 3}, {1, 9, 15}};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, sizes) {
    for (int axis = 0; axis < 3; ++axis) {
      if (sizes[i][axis] == 0) continue;
      for (int kind = 0; kind < CASE_DATA_KINDS; ++kind) {
        const tenon_softmax_attrs attrs = {axis, kind ? 1.0 : 0.625};
        const tenon_log_softmax_attrs log = {axis - 3};
        checked += check(&tenon_op_core_softmax, "core::softmax", &attrs,
                         sizes[i], axis, kind);
        checked += check(&tenon_op_core_log_softmax, "core::log_softmax", &log,
                         sizes[i], axis, kind);
      }
    }
  }
  if (!checked) skip();
}

TEST_GROUP(softmax, cmocka_unit_test(rows_equal_the_reference))
