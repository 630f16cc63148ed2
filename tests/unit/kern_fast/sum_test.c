// Fast sums, means and extremes against the reference, bit for bit: rows too
// short for lanes and long enough for levels, and dimensions that are not the
// last. Running sums and products of every type, of lines beside each other.
#include "kern/loop/order.h"
#include "kern/loop/reduce.h"

#include "op_check.h"

static int check(const tenon_op_desc *op, const char *name, const char *type,
                 tenon_dtype operand, tenon_dtype result, const int size[3],
                 unsigned dims, int kind) {
  int64_t list[3];
  tenon_reduce_attrs attrs = {{list, 0}, true};
  int left[3];
  op_case c;
  char what[99];
  for (int d = 0; d < 3; ++d) {
    left[d] = dims >> d & 1 ? 1 : size[d];
    if (dims >> d & 1) list[attrs.dims.count++] = d - 3;
  }
  op_case_begin(&c,
                strncmp(op->kernels[0]->types, "T -> ", 5) == 0
                    ? op->kernels[0]
                    : op_case_reference(op, type),
                &attrs);
  op_case_in(&c, operand, kind, 3, size[0], size[1], size[2]);
  op_case_out(&c, result, 3, left[0], left[1], left[2]);
  snprintf(what, sizeof what, "%s %s, %d %d %d over %u, kind %d", name, type,
           size[0], size[1], size[2], dims, kind);
  const int checked = test_op_check(&c, name, type, what);
  op_case_end(&c);
  return checked;
}

static void sums_equal_the_reference(void **state) {
  static const int sizes[][3] = {
      {1, 1, 1},   {2, 3, 7},    {3, 2, 31},   {2, 2, 32},   {3, 1, 33},
      {2, 5, 100}, {4, 8, 64},   {1, 2, 1000}, {1, 1, 5003}, {2, 1, 70000},
      {2, 3, 0},   {0, 2, 40},   {1, 40, 40},  {7, 1, 17},   {9, 31, 19},
      {3, 70, 33}, {70, 90, 21}, {9, 5, 3},    {6, 11, 4},   {5, 3, 5},
      {70, 3, 2},  {33, 5, 1},   {41, 17, 3},  {67, 2, 11},  {65, 4, 9},
      {3, 64, 65}, {2, 7, 49},   {3, 4, 80},   {2, 14, 96}};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, sizes) {
    for (unsigned dims = 1; dims < 8; ++dims) {
      const int kind = (int)(i + dims) % CASE_DATA_KINDS;
      static const struct {
        const tenon_op_desc *op;
        const char *name, *type;
        tenon_dtype operand, result;
      } ops[] = {
          {&tenon_op_core_sum, "core::sum", "f32", TENON_F32, TENON_F32},
          {&tenon_op_core_mean, "core::mean", "f32", TENON_F32, TENON_F32},
          {&tenon_op_core_mean, "core::mean", "f16", TENON_F16, TENON_F16},
          {&tenon_op_core_mean, "core::mean", "bf16", TENON_BF16, TENON_BF16},
          {&tenon_op_core_amax, "core::amax", "f32", TENON_F32, TENON_F32},
          {&tenon_op_core_amin, "core::amin", "f32", TENON_F32, TENON_F32},
          {&tenon_op_core_argmax, "core::argmax", "f32", TENON_F32, TENON_S64},
          {&tenon_op_core_argmin, "core::argmin", "f32", TENON_F32, TENON_S64}};
      const int none = sizes[i][0] * sizes[i][1] * sizes[i][2] == 0;
      for (int k = 0; k < (none ? 4 : 8); ++k)
        checked += check(ops[k].op, ops[k].name, ops[k].type, ops[k].operand,
                         ops[k].result, sizes[i], dims, kind);
    }
  }
  if (!checked) skip();
}

static int check_running(bool is_product, tenon_dtype dtype, int axis,
                         const int size[3], int kind) {
  const tenon_cumulate_attrs attrs = {axis};
  const tenon_op_desc *op =
      is_product ? &tenon_op_core_cumprod : &tenon_op_core_cumsum;
  op_case c;
  char what[99];
  op_case_begin(&c, op->kernels[0], &attrs);
  tenon_tensor *x = op_case_in(&c, dtype, kind, 3, size[0], size[1], size[2]);
  if (dtype == TENON_F32 && tenon_count(x)) ((float *)x->data)[0] = -0.0f;
  op_case_out(&c, dtype, 3, size[0], size[1], size[2]);
  snprintf(what, sizeof what, "type %d, %d %d %d along %d, kind %d", dtype,
           size[0], size[1], size[2], axis, kind);
  const int checked = test_op_check(
      &c, is_product ? "core::cumprod" : "core::cumsum", "T", what);
  op_case_end(&c);
  return checked;
}

static void running_sums_equal_the_reference(void **state) {
  static const tenon_dtype types[] = {
      TENON_F32, TENON_F64, TENON_F16, TENON_BF16, TENON_S8,
      TENON_S16, TENON_S32, TENON_S64, TENON_U8,   TENON_U16,
      TENON_U32, TENON_U64, TENON_BOOL};
  static const int sizes[][3] = {{1, 1, 8},   {2, 5, 9},    {3, 4, 70},
                                 {5, 1, 130}, {2, 3, 1030}, {1, 2, 2500},
                                 {3, 7, 5},   {4, 17, 3},   {2, 0, 40}};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, sizes)
  EACH_ROW(k, types)
  for (int axis = 0; axis < 2; ++axis)
    for (int is_product = 0; is_product < 2; ++is_product)
      checked += check_running(is_product, types[k], axis ? axis : -3, sizes[i],
                               (int)(i + k) % CASE_DATA_KINDS);
  if (!checked) skip();
}

TEST_GROUP(sum, cmocka_unit_test(sums_equal_the_reference),
           cmocka_unit_test(running_sums_equal_the_reference))
