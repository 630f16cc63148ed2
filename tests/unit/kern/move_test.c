// Operators that move elements, and their views: a view read by `copy` must be
// what the kernel writes.
#include "kern/loop/element.h"
#include "kern_fixture.h"

typedef struct row {
  const char *symbol, *attrs;
  int32_t x[4], y[4];     // dimensions, ended by 0
  const char *in, *want;  // one character per element
} row;

static const row rows[] = {
    {"reshape", "shape=3,2", {2, 3}, {3, 2}, "abcdef", "abcdef"},
    {"permute", "dims=1,0", {2, 3}, {3, 2}, "abcdef", "adbecf"},
    {"permute", "dims=-1,-2", {2, 3}, {3, 2}, "abcdef", "adbecf"},
    {"permute", "dims=0,1", {2, 3}, {2, 3}, "abcdef", "abcdef"},
    {"permute",
     "dims=2,0,1",
     {2, 3, 2},
     {2, 2, 3},
     "abcdefghijkl",
     "acegikbdfhjl"},
    {"slice", "begin=1,0 size=1,3 step=1,1", {2, 3}, {1, 3}, "abcdef", "def"},
    {"slice", "begin=0,1 size=2,2 step=1,1", {2, 3}, {2, 2}, "abcdef", "bcef"},
    {"slice", "begin=0,0 size=2,2 step=1,2", {2, 3}, {2, 2}, "abcdef", "acdf"},
    {"slice",
     "begin=1,2 size=2,3 step=-1,-1",
     {2, 3},
     {2, 3},
     "abcdef",
     "fedcba"},
};

static int rank_of(const int32_t *dims) {
  int n = 0;
  while (n < 4 && dims[n])
    ++n;
  return n;
}

// Windows of four dimensions, many of one element, forwards and backwards:
// against one element after the other.
static void slices(void **state) {
  static uint32_t in[2401], got[2401], want[2401];
  (void)state;
  for (uint32_t i = 0; i < COUNT(in); ++i)
    in[i] = i;
  for (int round = 0; round < 2000; ++round) {
    char attrs[128];
    int32_t x[4], y[4], from[4], step[4];
    for (int d = 0; d < 4; ++d) {
      y[d] = random_between(0, 2) ? random_between(1, 4) : 1;
      step[d] = random_between(0, 1) ? 1 : random_between(1, 2);
      const int32_t reach = (y[d] - 1) * step[d] + 1;
      x[d] = random_between(0, 1) ? reach : random_between(reach, 7);
      from[d] = random_between(0, x[d] - reach);
      if (random_between(0, 7) == 0) {
        from[d] += reach - 1;
        step[d] = -step[d];
      }
    }
    snprintf(attrs, sizeof attrs,
             "begin=%d,%d,%d,%d size=%d,%d,%d,%d step=%d,%d,%d,%d", from[0],
             from[1], from[2], from[3], y[0], y[1], y[2], y[3], step[0],
             step[1], step[2], step[3]);
    const int32_t count = y[0] * y[1] * y[2] * y[3];
    for (int32_t i = 0; i < count; ++i) {
      int32_t rest = i, at = 0, below = 1;
      for (int d = 3; d >= 0; below *= x[d], rest /= y[d], --d)
        at += (from[d] + rest % y[d] * step[d]) * below;
      want[i] = in[at];
    }
    const tenon_tensor operand = tensor_of(TENON_F32, in, NULL, x, 4);
    tenon_tensor result = tensor_of(TENON_F32, got, NULL, y, 4);
    assert_int_equal(
        run_kernel("tenon_k_slice_ref", attrs, &operand, 1, &result), TENON_OK);
    CHECK(memcmp(got, want, (size_t)count * sizeof *got) == 0, "%s", attrs);
  }
}

// Operands of one element, of two and three tensors.
static void weaves(void **state) {
  static uint32_t in[3][700], got[2100];
  (void)state;
  for (uint32_t i = 0; i < 2100; ++i)
    in[i % 3][i / 3] = i;
  tenon_tensor x[3], y = TENSOR(TENON_F32, got, 700, 3);
  for (int i = 0; i < 3; ++i)
    x[i] = TENSOR(TENON_F32, in[i], 700, 1);
  assert_int_equal(run_kernel("tenon_k_concat_ref", "axis=1", x, 3, &y),
                   TENON_OK);
  for (uint32_t i = 0; i < 2100; ++i)
    assert_int_equal(got[i], i);
  y = TENSOR(TENON_F32, got, 700, 2);
  assert_int_equal(run_kernel("tenon_k_concat_ref", "axis=-1", x, 2, &y),
                   TENON_OK);
  for (uint32_t i = 0; i < 1400; ++i)
    assert_int_equal(got[i], i / 2 * 3 + i % 2);
}

// Every element widened to `size` bytes that depend on its character.
static void widen(unsigned char *out, const char *text, size_t size) {
  for (size_t i = 0; text[i]; ++i)
    for (size_t b = 0; b < size; ++b)
      out[i * size + b] = (unsigned char)(text[i] + (int)(b * 31));
}

static const tenon_dtype types[] = {TENON_S8, TENON_F16, TENON_F32, TENON_S64,
                                    TENON_C128};

static const char *symbol_of(const row *r) {
  static char symbol[64];
  snprintf(symbol, sizeof symbol, "tenon_k_%s_ref", r->symbol);
  return symbol;
}

static void kernels_move(void **state) {
  (void)state;
  EACH_ROW(i, rows) EACH_ROW(t, types) {
    unsigned char in[256], got[256], want[256];
    tenon_tensor x =
        tensor_of(types[t], in, NULL, rows[i].x, (size_t)rank_of(rows[i].x));
    tenon_tensor y =
        tensor_of(types[t], got, NULL, rows[i].y, (size_t)rank_of(rows[i].y));
    size_t size = (size_t)tenon_element_size(&x);
    widen(in, rows[i].in, size);
    widen(want, rows[i].want, size);
    assert_int_equal(run_kernel(symbol_of(&rows[i]), rows[i].attrs, &x, 1, &y),
                     TENON_OK);
    CHECK(memcmp(got, want, size * strlen(rows[i].want)) == 0, "row %zu, %zu",
          i, size);
  }
}

static void views_are_the_same(void **state) {
  (void)state;
  EACH_ROW(i, rows) {
    const tenon_op_desc *op;
    unsigned char got[64];
    tenon_view view;
    tenon_tensor x = tensor_of(TENON_S8, rows[i].in, NULL, rows[i].x,
                               (size_t)rank_of(rows[i].x));
    tenon_tensor y =
        tensor_of(TENON_S8, got, NULL, rows[i].y, (size_t)rank_of(rows[i].y));
    (void)find_kernel(symbol_of(&rows[i]), &op);
    tenon_call c = {.in = &x,
                    .out = &y,
                    .attrs = attrs_of(op, rows[i].attrs),
                    .n_in = 1,
                    .n_out = 1};
    CHECK(op->view(&c, &view), "row %zu", i);
    tenon_tensor window = y;
    window.data = (unsigned char *)x.data + view.offset;
    window.strides = view.strides;
    assert_int_equal(run_kernel("tenon_k_copy_ref", "", &window, 1, &y),
                     TENON_OK);
    CHECK(memcmp(got, rows[i].want, strlen(rows[i].want)) == 0, "row %zu", i);
  }
}

// A view of a view: the transposed matrix, without its first row.
static void views_add_up(void **state) {
  static const int32_t strides[] = {1, 3}, dims[] = {3, 2}, sliced[] = {2, 2};
  const tenon_op_desc *op;
  tenon_view view;
  char data[] = "abcdef", got[5] = "";
  tenon_tensor x = tensor_of(TENON_S8, data, NULL, dims, 2);
  tenon_tensor y = tensor_of(TENON_S8, got, NULL, sliced, 2);
  (void)state;
  x.strides = strides;
  (void)find_kernel("tenon_k_slice_ref", &op);
  tenon_call c = {.in = &x,
                  .out = &y,
                  .attrs = attrs_of(op, "begin=1,0 size=2,2 step=1,1"),
                  .n_in = 1,
                  .n_out = 1};
  assert_true(op->view(&c, &view));
  assert_int_equal(view.offset, 1);
  x = tensor_of(TENON_S8, data + view.offset, NULL, sliced, 2);
  x.strides = view.strides;
  assert_int_equal(run_kernel("tenon_k_copy_ref", "", &x, 1, &y), TENON_OK);
  assert_string_equal(got, "becf");
}

// Windows of x, which is 3 by 4, where `begin` says; the same window of x is
// then replaced by what dots stand for.
static void moves_windows(void **state) {
  static const struct {
    const char *axes, *size;
    int64_t begin[2];
    int32_t dims[2];
    const char *want, *after;
  } cases[] = {
      {"axes=0", "size=1", {1, 0}, {1, 4}, "efgh", "abcd....ijkl"},
      {"axes=-1", "size=2", {1, 0}, {3, 2}, "bcfgjk", "a..de..hi..l"},
      {"axes=0,1", "size=2,2", {1, 2}, {2, 2}, "ghkl", "abcdef..ij.."},
      {"axes=1,0", "size=2,2", {2, 1}, {2, 2}, "ghkl", "abcdef..ij.."},
      // Brought within.
      {"axes=0", "size=2", {9, 0}, {2, 4}, "efghijkl", "abcd........"},
      {"axes=0", "size=2", {-9, 0}, {2, 4}, "abcdefgh", "........ijkl"},
      {"axes=0,1", "size=3,4", {7, 7}, {3, 4}, "abcdefghijkl", "............"},
      {"axes=0", "size=0", {1, 0}, {0, 4}, "", "abcdefghijkl"},
  };
  (void)state;
  EACH_ROW(i, cases) EACH_ROW(t, types) for (int wide = 0; wide < 2; ++wide) {
    unsigned char in[256], got[256], want[256], dots[256];
    int32_t narrow[] = {(int32_t)cases[i].begin[0], (int32_t)cases[i].begin[1]};
    size_t n = strchr(cases[i].axes, ',') ? 2 : 1;
    char attrs[64];
    tenon_tensor x = TENSOR(types[t], in, 3, 4);
    tenon_tensor y = tensor_of(types[t], got, NULL, cases[i].dims, 2);
    tenon_tensor u = tensor_of(types[t], dots, NULL, cases[i].dims, 2);
    tenon_tensor z = TENSOR(types[t], got, 3, 4);
    int32_t count[] = {(int32_t)n};
    tenon_tensor b =
        tensor_of(wide ? TENON_S64 : TENON_S32,
                  wide ? (const void *)cases[i].begin : narrow, NULL, count, 1);
    size_t size = (size_t)tenon_element_size(&x);
    widen(in, "abcdefghijkl", size);
    widen(dots, "............", size);
    widen(want, cases[i].want, size);
    snprintf(attrs, sizeof attrs, "%s %s", cases[i].axes, cases[i].size);
    tenon_tensor slice[] = {x, b}, update[] = {x, u, b};
    assert_int_equal(
        run_kernel("tenon_k_dynamic_slice_ref", attrs, slice, 2, &y), TENON_OK);
    CHECK(memcmp(got, want, size * strlen(cases[i].want)) == 0, "row %zu, %zu",
          i, size);
    widen(want, cases[i].after, size);
    assert_int_equal(
        run_kernel("tenon_k_dynamic_update_ref", cases[i].axes, update, 3, &z),
        TENON_OK);
    CHECK(memcmp(got, want, size * 12) == 0, "row %zu, %zu, after", i, size);
  }
}

static void copies_into_strides(void **state) {
  static const int32_t strides[] = {4, 2};
  char data[] = "abcd", got[] = "--------";
  tenon_tensor x = TENSOR(TENON_S8, data, 2, 2);
  tenon_tensor y = TENSOR(TENON_S8, got, 2, 2);
  (void)state;
  y.strides = strides;
  assert_int_equal(run_kernel("tenon_k_copy_ref", "", &x, 1, &y), TENON_OK);
  assert_string_equal(got, "a-b-c-d-");
}

static void copies_half_bytes(void **state) {
  unsigned char in[] = {0x21, 0x43, 0x05}, got[3];
  tenon_tensor x = TENSOR(TENON_S4, in, 5), y = TENSOR(TENON_S4, got, 5);
  (void)state;
  assert_int_equal(run_kernel("tenon_k_copy_ref", "", &x, 1, &y), TENON_OK);
  assert_memory_equal(got, in, 3);
  tenon_tensor z = TENSOR(TENON_S4, got, 5, 1);
  assert_int_equal(run_kernel("tenon_k_reshape_ref", "shape=5,1", &x, 1, &z),
                   TENON_OK);
  assert_int_equal(run_kernel("tenon_k_permute_ref", "dims=0", &x, 1, &y), -1);
}

static void joins(void **state) {
  static const struct {
    const char *axis;
    int32_t a[2], b[2], y[2];
    const char *want;
  } cases[] = {{"axis=0", {1, 2}, {2, 2}, {3, 2}, "abABCD"},
               {"axis=1", {2, 1}, {2, 2}, {2, 3}, "aABbCD"},
               {"axis=-1", {2, 1}, {2, 2}, {2, 3}, "aABbCD"},
               {"axis=1", {2, 0}, {2, 2}, {2, 2}, "ABCD"}};
  (void)state;
  EACH_ROW(i, cases) {
    char got[16] = "";
    tenon_tensor in[] = {tensor_of(TENON_S8, "ab", NULL, cases[i].a, 2),
                         tensor_of(TENON_S8, "ABCD", NULL, cases[i].b, 2)};
    tenon_tensor y = tensor_of(TENON_S8, got, NULL, cases[i].y, 2);
    assert_int_equal(run_kernel("tenon_k_concat_ref", cases[i].axis, in, 2, &y),
                     TENON_OK);
    CHECK_TEXT(got, cases[i].want, i);
  }
}

static void pads(void **state) {
  static const struct {
    const char *attrs;
    int32_t y[2];
    const char *want;
  } cases[] = {{"before=0,1 after=0,2 value=46", {2, 5}, ".ab...cd.."},
               {"before=1,0 after=2,0 value=46", {5, 2}, "..abcd...."},
               {"before=1,1 after=0,0 value=46", {3, 3}, "....ab.cd"},
               {"before=0,0 after=0,0 value=46", {2, 2}, "abcd"}};
  (void)state;
  EACH_ROW(i, cases) {
    char got[16] = "";
    tenon_tensor x = TENSOR(TENON_S8, "abcd", 2, 2);
    tenon_tensor y = tensor_of(TENON_S8, got, NULL, cases[i].y, 2);
    assert_int_equal(run_kernel("tenon_k_pad_ref", cases[i].attrs, &x, 1, &y),
                     TENON_OK);
    CHECK_TEXT(got, cases[i].want, i);
  }
}

static void pads_with_real_numbers(void **state) {
  static const float scale = 0.5f, x = 7;
  static const int32_t zero = -3;
  static const tenon_quant q = {&scale, &zero, 1, 0, 0};
  static const int8_t s = 9;
  float y[3];
  int8_t z[3];
  tenon_tensor in = TENSOR(TENON_F32, &x, 1), out = TENSOR(TENON_F32, y, 3);
  (void)state;
  assert_int_equal(run_kernel("tenon_k_pad_ref", "before=1 after=1 value=-inf",
                              &in, 1, &out),
                   TENON_OK);
  assert_true(y[0] == -INFINITY && y[1] == 7 && y[2] == -INFINITY);
  in = QUANT_TENSOR(TENON_S8, &s, &q, 1);
  out = QUANT_TENSOR(TENON_S8, z, &q, 3);
  assert_int_equal(
      run_kernel("tenon_k_pad_ref", "before=1 after=1 value=2", &in, 1, &out),
      TENON_OK);
  assert_true(z[0] == 1 && z[1] == 9 && z[2] == 1);
  assert_int_equal(
      run_kernel("tenon_k_pad_ref", "before=1 after=1 value=0", &in, 1, &out),
      TENON_OK);
  assert_true(z[0] == -3 && z[2] == -3);
}

static void moves_scalars(void **state) {
  static const struct {
    const char *symbol, *attrs;
  } cases[] = {{"tenon_k_reshape_ref", ""},
               {"tenon_k_permute_ref", ""},
               {"tenon_k_slice_ref", ""},
               {"tenon_k_pad_ref", ""},
               {"tenon_k_copy_ref", ""}};
  (void)state;
  EACH_ROW(i, cases) {
    float x = 5, y = 0;
    tenon_tensor in = tensor_of(TENON_F32, &x, NULL, NULL, 0);
    tenon_tensor out = tensor_of(TENON_F32, &y, NULL, NULL, 0);
    assert_int_equal(run_kernel(cases[i].symbol, cases[i].attrs, &in, 1, &out),
                     TENON_OK);
    CHECK(y == 5, "row %zu", i);
  }
}

TEST_GROUP(move, cmocka_unit_test(kernels_move), cmocka_unit_test(slices),
           cmocka_unit_test(weaves), cmocka_unit_test(views_are_the_same),
           cmocka_unit_test(views_add_up), cmocka_unit_test(moves_windows),
           cmocka_unit_test(copies_into_strides),
           cmocka_unit_test(copies_half_bytes), cmocka_unit_test(joins),
           cmocka_unit_test(pads), cmocka_unit_test(pads_with_real_numbers),
           cmocka_unit_test(moves_scalars))
