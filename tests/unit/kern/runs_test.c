// Operators that move runs of elements, on random sizes: where, whose operands
// are broadcast in any way, and concat, whose runs may be a few bytes.
#include "kern/loop/element.h"
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

TEST_GROUP(runs, cmocka_unit_test(where_picks_elements),
           cmocka_unit_test(concat_joins_runs))
