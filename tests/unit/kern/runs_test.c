// Operators that move runs of elements, on random sizes: where, whose operands
// are broadcast in any way, concat, whose runs may be a few bytes, and pad,
// whose rows may be a few elements; and what goes along lines beside each
// other.
#include "kern/loop/element.h"
#include "kern/num/half.h"
#include "kern_fixture.h"

enum { MOST = 4 * 5 * 40, WIDEST = 16 };

static const tenon_dtype types[] = {TENON_S8, TENON_F16, TENON_F32, TENON_S64,
                                    TENON_C128};

static void fill_bytes(unsigned char *x, size_t n) {
  for (size_t i = 0; i < n; ++i)
    x[i] = (unsigned char)next_random();
}

// Where element `i` of a result of `dims` is in an operand that is broadcast.
static size_t place_in(const int32_t *dims, const int32_t *of, size_t i) {
  size_t at[3];
  for (int d = 3; d-- > 0; i /= (size_t)dims[d])
    at[d] = of[d] == 1 ? 0 : i % (size_t)dims[d];
  return (at[0] * (size_t)of[1] + at[1]) * (size_t)of[2] + at[2];
}

static void where_picks_elements(void **state) {
  static unsigned char condition[MOST], x[2][MOST * WIDEST], y[MOST * WIDEST];
  (void)state;
  for (int turn = 0; turn < 400; ++turn) {
    const tenon_dtype dtype = types[(size_t)turn % COUNT(types)];
    const int32_t dims[3] = {random_between(1, 4), random_between(1, 5),
                             random_between(1, 40)};
    int32_t of[3][3];
    for (int k = 0; k < 3; ++k)
      for (int d = 0; d < 3; ++d)
        of[k][d] = random_between(0, 1) ? dims[d] : 1;
    // One has each size, or the result would be smaller.
    for (int d = 0; d < 3; ++d)
      of[random_between(0, 2)][d] = dims[d];
    for (size_t i = 0; i < MOST; ++i)
      condition[i] = (unsigned char)random_between(0, 1);
    fill_bytes(x[0], sizeof x[0]);
    fill_bytes(x[1], sizeof x[1]);
    const tenon_tensor in[] = {tensor_of(TENON_BOOL, condition, NULL, of[0], 3),
                               tensor_of(dtype, x[0], NULL, of[1], 3),
                               tensor_of(dtype, x[1], NULL, of[2], 3)};
    tenon_tensor out = tensor_of(dtype, y, NULL, dims, 3);
    const size_t size = (size_t)tenon_element_size(&out);
    assert_int_equal(run_kernel("tenon_k_where_ref", "", in, 3, &out),
                     TENON_OK);
    for (size_t i = 0; i < (size_t)(dims[0] * dims[1] * dims[2]); ++i) {
      const int k = condition[place_in(dims, of[0], i)] ? 0 : 1;
      CHECK(memcmp(y + i * size, x[k] + place_in(dims, of[k + 1], i) * size,
                   size) == 0,
            "turn %d, element %zu of %d x %d x %d, %zu bytes each", turn, i,
            dims[0], dims[1], dims[2], size);
    }
  }
}

static void concat_joins_runs(void **state) {
  static unsigned char x[3][8 * 20], y[8 * 60];
  (void)state;
  for (int turn = 0; turn < 400; ++turn) {
    const int rows = random_between(1, 8);
    int32_t of[3][2], all[2] = {rows, 0};
    tenon_tensor in[3];
    for (int k = 0; k < 3; ++k) {
      of[k][0] = rows;
      of[k][1] = random_between(0, 20);
      all[1] += of[k][1];
      fill_bytes(x[k], sizeof x[k]);
      in[k] = tensor_of(TENON_S8, x[k], NULL, of[k], 2);
    }
    tenon_tensor out = tensor_of(TENON_S8, y, NULL, all, 2);
    assert_int_equal(run_kernel("tenon_k_concat_ref", "axis=1", in, 3, &out),
                     TENON_OK);
    const unsigned char *at = y;
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < 3; at += of[k++][1])
        CHECK(memcmp(at, x[k] + r * of[k][1], (size_t)of[k][1]) == 0,
              "turn %d, row %d, operand %d of %d", turn, r, k, of[k][1]);
  }
}

static void pad_keeps_elements_within(void **state) {
  static unsigned char x[3 * 4 * 12 * WIDEST], y[7 * 8 * 16 * WIDEST];
  (void)state;
  for (int turn = 0; turn < 600; ++turn) {
    const tenon_dtype dtype = types[(size_t)turn % COUNT(types)];
    const int32_t dims[3] = {random_between(1, 3), random_between(1, 4),
                             random_between(1, turn % 2 ? 4 : 12)};
    int32_t before[3], after[3], all[3];
    char attrs[64];
    for (int d = 0; d < 3; ++d) {
      before[d] = random_between(0, 2);
      after[d] = random_between(0, 2);
      all[d] = before[d] + dims[d] + after[d];
    }
    snprintf(attrs, sizeof attrs, "before=%d,%d,%d after=%d,%d,%d", before[0],
             before[1], before[2], after[0], after[1], after[2]);
    fill_bytes(x, sizeof x);
    const tenon_tensor in = tensor_of(dtype, x, NULL, dims, 3);
    tenon_tensor out = tensor_of(dtype, y, NULL, all, 3);
    const size_t size = (size_t)tenon_element_size(&out);
    assert_int_equal(run_kernel("tenon_k_pad_ref", attrs, &in, 1, &out),
                     TENON_OK);
    const unsigned char *at = y;
    for (int i = -before[0]; i < dims[0] + after[0]; ++i)
      for (int j = -before[1]; j < dims[1] + after[1]; ++j)
        for (int k = -before[2]; k < dims[2] + after[2]; ++k, at += size) {
          static const unsigned char border[WIDEST];
          const bool is_in = i >= 0 && i < dims[0] && j >= 0 && j < dims[1] &&
                             k >= 0 && k < dims[2];
          CHECK(memcmp(at,
                       is_in ? x + ((i * dims[1] + j) * dims[2] + k) * (int)size
                             : border,
                       size) == 0,
                "turn %d, %d, %d, %d of %d x %d x %d, %s", turn, i, j, k,
                dims[0], dims[1], dims[2], attrs);
        }
  }
}

// Windows of any strides, and what they say of one that leaves x.
static void as_strided_reads_windows(void **state) {
  static unsigned char x[60 * WIDEST], y[4 * 5 * 6 * WIDEST];
  static const int32_t one[1] = {60};
  (void)state;
  for (int turn = 0; turn < 600; ++turn) {
    const tenon_dtype dtype = types[(size_t)turn % COUNT(types)];
    const int32_t dims[3] = {random_between(1, 4), random_between(1, 5),
                             random_between(1, 6)};
    const int32_t step[3] = {random_between(-1, 4), random_between(-2, 5),
                             random_between(-3, 6)};
    const int32_t offset = random_between(0, 20);
    int32_t out_of = -1;
    char attrs[80];
    snprintf(attrs, sizeof attrs, "size=%d,%d,%d stride=%d,%d,%d offset=%d",
             dims[0], dims[1], dims[2], step[0], step[1], step[2], offset);
    fill_bytes(x, sizeof x);
    const tenon_tensor in = tensor_of(dtype, x, NULL, one, 1);
    tenon_tensor out = tensor_of(dtype, y, NULL, dims, 3);
    const size_t size = (size_t)tenon_element_size(&out);
    bool fits = true;
    for (int k = 0; k < dims[0] * dims[1] * dims[2] && fits; ++k) {
      out_of = offset + k / dims[2] / dims[1] * step[0] +
               k / dims[2] % dims[1] * step[1] + k % dims[2] * step[2];
      fits = out_of >= 0 && out_of < 60;
    }
    if (!fits) {
      tenon_call c = {.in = &in, .out = &out, .n_in = 1, .n_out = 1};
      const tenon_op_desc *op;
      const tenon_kernel_desc *k = find_kernel("tenon_k_as_strided_ref", &op);
      c.attrs = attrs_of(op, attrs);
      tenon_fault fault = {0};
      c.fault = &fault;
      assert_int_not_equal(k->run_range(&c, 0, dims[0] * dims[1] * dims[2]),
                           TENON_OK);
      CHECK(fault.value[0] == out_of, "turn %d, %s: %d, not %d", turn, attrs,
            (int)fault.value[0], out_of);
      continue;
    }
    assert_int_equal(run_kernel("tenon_k_as_strided_ref", attrs, &in, 1, &out),
                     TENON_OK);
    for (int k = 0; k < dims[0] * dims[1] * dims[2]; ++k)
      CHECK(memcmp(y + (size_t)k * size,
                   x + (size_t)(offset + k / dims[2] / dims[1] * step[0] +
                                k / dims[2] % dims[1] * step[1] +
                                k % dims[2] * step[2]) *
                           size,
                   size) == 0,
            "turn %d, %s, element %d", turn, attrs, k);
  }
}

// Sums and products of lines beside each other are those of each alone.
static void running_goes_along_lines(void **state) {
  enum { WIDE = 150, LONG = 6 };
  static const char *const symbols[] = {"tenon_k_cumsum_ref",
                                        "tenon_k_cumprod_ref"};
  static const tenon_dtype some[] = {TENON_F32, TENON_F16, TENON_BF16,
                                     TENON_S8};
  static unsigned char x[2 * LONG * WIDE * 4], y[2 * LONG * WIDE * 4];
  (void)state;
  for (int turn = 0; turn < 200; ++turn) {
    const tenon_dtype dtype = some[(size_t)turn % COUNT(some)];
    const char *symbol = symbols[turn / 4 % 2];
    const int32_t dims[3] = {random_between(1, 2), random_between(1, LONG),
                             random_between(1, WIDE)};
    const int32_t n = dims[1];
    for (size_t i = 0; i < sizeof x / 4; ++i) {
      const float v = random_float();
      const uint16_t half =
          dtype == TENON_F16 ? tenon_f16_of_f32(v) : tenon_bf16_of_f32(v);
      if (dtype == TENON_F32)
        memcpy(x + i * 4, &v, 4);
      else if (dtype == TENON_S8)
        x[i] = (unsigned char)next_random();
      else
        memcpy(x + i * 2, &half, 2);
    }
    const tenon_tensor in = tensor_of(dtype, x, NULL, dims, 3);
    tenon_tensor out = tensor_of(dtype, y, NULL, dims, 3);
    const size_t size = (size_t)tenon_element_size(&out);
    assert_int_equal(run_kernel(symbol, "axis=1", &in, 1, &out), TENON_OK);
    for (int line = 0; line < dims[0] * dims[2]; ++line) {
      unsigned char from[LONG * 4], to[LONG * 4];
      const size_t at = (size_t)(line / dims[2] * n * dims[2] + line % dims[2]);
      for (int k = 0; k < n; ++k)
        memcpy(from + (size_t)k * size, x + (at + (size_t)(k * dims[2])) * size,
               size);
      const tenon_tensor one = TENSOR(dtype, from, n);
      tenon_tensor alone = TENSOR(dtype, to, n);
      assert_int_equal(run_kernel(symbol, "axis=0", &one, 1, &alone), TENON_OK);
      for (int k = 0; k < n; ++k)
        CHECK(memcmp(to + (size_t)k * size,
                     y + (at + (size_t)(k * dims[2])) * size, size) == 0,
              "turn %d, %s of %d x %d x %d, line %d, %d", turn, symbol, dims[0],
              n, dims[2], line, k);
    }
  }
}

TEST_GROUP(runs, cmocka_unit_test(where_picks_elements),
           cmocka_unit_test(concat_joins_runs),
           cmocka_unit_test(pad_keeps_elements_within),
           cmocka_unit_test(as_strided_reads_windows),
           cmocka_unit_test(running_goes_along_lines))
