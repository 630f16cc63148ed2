// Kernels whose results are as large as data say: sizes and values, and that
// measuring says what running finds.
#include <math.h>

#include "kern_fixture.h"

typedef struct decision {
  const char *symbol, *attrs;
  tenon_dtype dtype;  // of operand 0
  int32_t rank, x[2];
  double in[8];
  int64_t size;      // TENON_UNKNOWN: the kernel fails
  int64_t want[16];  // of the results one after the other, whole numbers
  int n_want;
} decision;

static const decision decisions[] = {
    {"nonzero", "", TENON_F32, 2, {2, 2}, {0, NAN, -1, 0}, 2, {0, 1, 1, 0}, 4},
    {"nonzero", "", TENON_BOOL, 1, {3}, {0, 0, 0}, 0, {0}, 0},
    {"nonzero", "", TENON_S64, 0, {0}, {5}, 1, {0}, 0},
    // values, inverse, counts
    {"unique",
     "",
     TENON_S64,
     2,
     {4, 1},
     {3, -1, 3, 2},
     3,
     {-1, 2, 3, 2, 0, 2, 1, 1, 1, 2},
     10},
    {"unique",
     "consecutive=1",
     TENON_S64,
     2,
     {4, 1},
     {3, 3, 2, 3},
     3,
     {3, 2, 3, 0, 0, 1, 2, 2, 1, 1},
     10},
    {"unique",
     "",
     TENON_S64,
     2,
     {3, 2},
     {1, 2, 0, 9, 1, 2},
     2,
     {0, 9, 1, 2, 1, 0, 1, 1, 2},
     9},
    {"repeat_interleave", "", TENON_S32, 1, {3}, {2, 0, 1}, 3, {0, 0, 2}, 3},
    {"repeat_interleave",
     "",
     TENON_S64,
     1,
     {2},
     {1, -1},
     TENON_UNKNOWN,
     {0},
     0},
    {"bincount",
     "minlength=2",
     TENON_S64,
     1,
     {3},
     {3, 0, 3},
     4,
     {1, 0, 0, 2},
     4},
    {"bincount", "minlength=2", TENON_U8, 1, {1}, {0}, 2, {1, 0}, 2},
    {"bincount", "", TENON_S32, 1, {1}, {-1}, TENON_UNKNOWN, {0}, 0},
};

static void put(void *data, tenon_dtype t, size_t i, double v) {
  switch (t) {
    case TENON_F32:
      ((float *)data)[i] = (float)v;
      break;
    case TENON_S64:
      ((int64_t *)data)[i] = (int64_t)v;
      break;
    case TENON_S32:
      ((int32_t *)data)[i] = (int32_t)v;
      break;
    default:
      ((uint8_t *)data)[i] = (uint8_t)v;
      break;
  }
}

// Dimensions of result k where `size` elements were found.
static int32_t result_dims(const decision *d, int k, int32_t size,
                           int32_t *dims) {
  dims[0] = size;
  dims[1] = strcmp(d->symbol, "unique") == 0 ? d->x[1] : d->rank;
  if (strcmp(d->symbol, "unique") == 0 && k > 0) {
    if (k == 1) dims[0] = d->x[0];
    return 1;
  }
  return strcmp(d->symbol, "unique") == 0 || strcmp(d->symbol, "nonzero") == 0
             ? 2
             : 1;
}

static void check(const decision *d, size_t i) {
  static int64_t out[3][64];
  int64_t sizes[1] = {-1}, x[8] = {0}, scratch[32];
  int32_t dims[3][2];
  char symbol[64];
  const tenon_op_desc *op = NULL;
  tenon_tensor in[2] =
      {{.data = x, .dims = d->x, .dtype = d->dtype, .rank = (uint8_t)d->rank}},
               results[3];
  tenon_fault fault = {0};
  snprintf(symbol, sizeof symbol, "tenon_k_%s_ref", d->symbol);
  const tenon_kernel_desc *k = find_kernel(symbol, &op);
  for (size_t e = 0; e < tenon_count(&in[0]); ++e)
    put(x, d->dtype, e, d->in[e]);
  tenon_call c = {.in = in,
                  .out = results,
                  .attrs = attrs_of(op, d->attrs),
                  .scratch = scratch,
                  .sizes = sizes,
                  .fault = &fault,
                  .n_in = 1,
                  .n_out = 3};
  int status = k->measure ? k->measure(&c) : TENON_OK;
  if (d->size == TENON_UNKNOWN) {
    CHECK(status == TENON_BAD_INPUT && fault.text, "row %zu", i);
    return;
  }
  CHECK(!k->measure || sizes[0] == d->size, "row %zu: %lld", i,
        (long long)sizes[0]);
  int64_t most = k->measure ? d->size : (int64_t)tenon_count(&in[0]);
  for (int r = 0; r < 3; ++r) {
    memset(out[r], 0x55, sizeof out[r]);
    results[r] =
        (tenon_tensor){.data = out[r], .dims = dims[r], .dtype = TENON_S64};
    results[r].rank = (uint8_t)result_dims(d, r, (int32_t)most, dims[r]);
  }
  assert_int_equal(k->run(&c), TENON_OK);
  CHECK(sizes[0] == d->size, "row %zu: %lld", i, (long long)sizes[0]);
  int n_results = strcmp(d->symbol, "unique") == 0 ? 3 : 1, at = 0;
  for (int r = 0; r < n_results; ++r) {
    int32_t is[2], rank = result_dims(d, r, (int32_t)d->size, is);
    int32_t n = rank == 2 ? is[0] * is[1] : is[0];
    for (int32_t e = 0; e < n; ++e, ++at)
      CHECK(out[r][e] == d->want[at], "row %zu, result %d, element %d: %lld", i,
            r, (int)e, (long long)out[r][e]);
  }
  CHECK(at == d->n_want, "row %zu: %d elements", i, at);
}

static void data_decide_sizes(void **state) {
  (void)state;
  EACH_ROW(i, decisions)
  check(&decisions[i], i);
}

// No NaN equals another, so each stays.
static void keeps_every_nan(void **state) {
  (void)state;
  float x[] = {NAN, 1, NAN, 1}, values[4];
  int64_t inverse[4], counts[4], sizes[1];
  int32_t scratch[8], rows[] = {4, 1};
  const tenon_op_desc *op = NULL;
  const tenon_kernel_desc *k = find_kernel("tenon_k_unique_ref", &op);
  tenon_tensor in = {.data = x, .dims = rows, .dtype = TENON_F32, .rank = 2};
  tenon_tensor out[] = {{.data = values, .dims = rows, .dtype = TENON_F32},
                        {.data = inverse, .dims = rows, .dtype = TENON_S64},
                        {.data = counts, .dims = rows, .dtype = TENON_S64}};
  tenon_call c = {.in = &in,
                  .out = out,
                  .attrs = attrs_of(op, ""),
                  .scratch = scratch,
                  .sizes = sizes,
                  .n_in = 1,
                  .n_out = 3};
  assert_int_equal(k->run(&c), TENON_OK);
  assert_int_equal(sizes[0], 3);
  assert_true(values[0] == 1 && isnan(values[1]) && isnan(values[2]));
  assert_true(inverse[0] == 1 && inverse[1] == 0 && inverse[2] == 2);
  assert_int_equal(counts[0], 2);
}

TEST_GROUP(decide, cmocka_unit_test(data_decide_sizes),
           cmocka_unit_test(keeps_every_nan))
