// Fast kernels against the reference kernels, bit for bit, on random shapes.
#include "harness/conv_case.h"
#include "harness/harness.h"
#include "kern/opt/tiles/blocks.h"
#include "ops/core/fast/core_fast.h"
#include "ops/core/fast/core_fast_tile.h"
#include "wide.h"

// All there are, one list after the other.
enum { LISTS = 3 };
static const tenon_kernel_desc *const *list_of(int i) {
#ifdef TENON_CORE_HAS_FAST
  if (i == 0) return tenon_core_fast_kernels;
#endif
  if (i == 1) return tenon_core_tile_kernels;
  return test_wide_kernels();
}

static bool serves(const tenon_kernel_desc *k, const conv_case *c) {
  const char *schema = case_op(c)->schema;
  const size_t size = strlen(k->op);
  return strncmp(k->op, schema, size) == 0 && schema[size] == '(' &&
         strncmp(k->types,
                 c->shape.is_float   ? "f32"
                 : c->shape.is_words ? "s16"
                                     : "s8q",
                 3) == 0;
}

static void print_case(const conv_case *c, int kind, uint32_t options) {
  const conv_shape *s = &c->shape;
  print_error(
      "op %d %s: %dx%dx%dx%d to %d, %dx%d, stride %d %d, pad %d %d %d %d, "
      "dilation %d %d, groups %d, kind %d, options %u\n",
      s->op,
      s->is_float   ? "f32"
      : s->is_words ? "s16"
                    : "s8",
      s->n, s->h, s->w, s->ic, s->oc, s->kh, s->kw, s->down, s->right,
      s->pad[0], s->pad[1], s->pad[2], s->pad[3], s->dil_y, s->dil_x, s->groups,
      kind, (unsigned)options);
}

// NaNs are equal whatever their bits: which operand's they keep is not ours.
static size_t first_difference(const conv_case *c, const unsigned char *a,
                               const unsigned char *b) {
  const size_t size = case_element(c);
  for (size_t i = 0; i < c->y_size; i += size) {
    if (memcmp(a + i, b + i, size) == 0) continue;
    if (c->shape.is_float) {
      float x, y;
      memcpy(&x, a + i, 4);
      memcpy(&y, b + i, 4);
      if (isnan(x) && isnan(y)) continue;
    }
    return i / size;
  }
  return SIZE_MAX;
}

static bool is_guard(const unsigned char *p, int value) {
  for (int i = 0; i < CASE_GUARD; ++i)
    if (p[i] != value) return false;
  return true;
}

static void run_ranges(case_run *r) {
  for (int64_t begin = 0, end; begin < r->items; begin = end) {
    end = case_random() & 1 ? r->items
                            : begin + 1 + case_random() % (uint32_t)(r->items);
    if (end > r->items) end = r->items;
    assert_int_equal(r->kernel->run_range(&r->call, begin, end), TENON_OK);
  }
}

// Runs a kernel on the case and compares with what the reference gave.
static bool agrees(const conv_case *c, const tenon_kernel_desc *k,
                   const unsigned char *want) {
  const int rubbish = (int)(case_random() & 0xff);
  case_run r, again;
  assert_true(case_run_init(&r, c, k, rubbish));
  assert_true(case_run_init(&again, c, k, rubbish ^ 0xff));
  if (r.packed && memcmp(r.packed, again.packed, r.packed_size) != 0) {
    print_error("%s: packing leaves bytes unset\n", k->symbol);
    return false;
  }
  case_run_deinit(&again);
  memset(c->y_room, rubbish ^ 1, c->y_size + 2 * CASE_GUARD);
  run_ranges(&r);
  const size_t at = first_difference(c, c->out[0].data, want);
  bool is_same = at == SIZE_MAX;
  if (!is_same)
    print_error("%s: output %zu of %zu differs\n", k->symbol, at,
                c->y_size / case_element(c));
  if (!is_guard(c->y_room, rubbish ^ 1) ||
      !is_guard(c->y_room + CASE_GUARD + c->y_size, rubbish ^ 1)) {
    print_error("%s: wrote beside the output\n", k->symbol);
    is_same = false;
  }
  if (!is_guard(r.scratch + r.scratch_size, rubbish)) {
    print_error("%s: wrote past its scratch\n", k->symbol);
    is_same = false;
  }
  case_run_deinit(&r);
  return is_same;
}

// The same of an image in planes, by all that take such strides.
static int check_planes(conv_case *c, const unsigned char *want) {
  const conv_shape *s = &c->shape;
  const int32_t plane = s->h * s->w;
  const int32_t strides[4] = {s->ic * plane, s->w, 1, plane};
  const float *x = c->in[0].data;
  int checked = 0;
  if (!s->is_float || s->op != CASE_CONV) return 0;
  float *y = malloc((size_t)(s->n * s->ic * plane) * sizeof *y);
  for (int n = 0; n < s->n; ++n)
    for (int i = 0; i < plane; ++i)
      for (int k = 0; k < s->ic; ++k)
        y[(n * s->ic + k) * plane + i] = x[(n * plane + i) * s->ic + k];
  c->in[0].data = y;
  c->in[0].strides = strides;
  for (int i = 0; i < LISTS; ++i)
    for (const tenon_kernel_desc *const *k = list_of(i); *k; ++k) {
      if (!serves(*k, c) || !test_can_run(*k) || !(*k)->order ||
          !(*k)->match(&c->call))
        continue;
      if (!agrees(c, *k, want)) fail();
      ++checked;
    }
  c->in[0].data = (void *)(uintptr_t)x;
  c->in[0].strides = NULL;
  free(y);
  return checked;
}

static int check_case(const conv_shape *s, int kind, uint32_t options) {
  conv_case c;
  case_run r;
  int checked = 0;
  case_init(&c, s, kind, options);
  assert_true(case_run_init(&r, &c, case_reference(&c), 0));
  r.kernel->run_range(&r.call, 0, r.items);
  case_run_deinit(&r);
  unsigned char *want = malloc(c.y_size);
  memcpy(want, c.out[0].data, c.y_size);
  for (int i = 0; i < LISTS; ++i) {
    for (const tenon_kernel_desc *const *k = list_of(i); *k; ++k) {
      if (!serves(*k, &c) || !test_can_run(*k) || !(*k)->match(&c.call))
        continue;
      if (!agrees(&c, *k, want)) {
        print_case(&c, kind, options);
        fail();
      }
      ++checked;
    }
  }
  checked += check_planes(&c, want);
  free(want);
  case_deinit(&c);
  return checked;
}

static int at_least(int x, int least) {
  return x < least ? least : x;
}

// Any shape whose windows are not larger than image and padding together.
static conv_shape random_shape(int op, bool is_float) {
  static const int channels[] = {1,  2,  3,  4,  7,  8,  9,  15, 16, 17,
                                 24, 31, 32, 33, 40, 64, 65, 80, 130};
  conv_shape s = {.op = op, .is_float = is_float};
  const bool is_small = case_random() & 1;
  s.n = case_between(1, 2);
  s.kh = case_between(1, 5);
  s.kw = case_random() & 1 ? s.kh : case_between(1, 7);
  if (case_between(0, 3) == 0) s.kh = s.kw = 1;
  if (case_between(0, 3) == 0) s.kh = s.kw = 3;
  s.down = case_between(1, 3);
  s.right = case_random() & 1 ? s.down : case_between(1, 4);
  s.dil_y = case_between(0, 3) ? 1 : case_between(1, 3);
  s.dil_x = case_between(0, 3) ? 1 : case_between(1, 4);
  for (int i = 0; i < 4; ++i)
    s.pad[i] = case_random() & 1 ? 0 : case_between(0, i & 1 ? s.kw : s.kh);
  s.h = at_least(case_between(1, 17),
                 (s.kh - 1) * s.dil_y + 1 - s.pad[0] - s.pad[2]);
  s.w = at_least(case_between(1, is_small ? 20 : 50),
                 (s.kw - 1) * s.dil_x + 1 - s.pad[1] - s.pad[3]);
  s.ic = channels[case_between(0, is_small ? 18 : 7)];
  s.oc = channels[case_between(0, is_small ? 18 : 12)];
  if (op == CASE_CONV && is_float && case_between(0, 2) == 0) {
    s.groups = case_between(2, 5);
    s.ic = s.groups * (s.ic % 9 + 1);
    s.oc = s.groups * (s.oc % 70 + 1);
    // As many of each, some of which go several groups at a time.
    if (case_random() & 1) s.ic = s.oc = s.groups * (1 << case_between(0, 4));
  }
  // Of bytes: also so many that items have groups of their own.
  if (op == CASE_CONV && !is_float && case_between(0, 2) == 0) {
    s.groups = 1 << case_between(1, 5);
    s.ic = s.groups * case_between(1, 9);
    s.oc = s.groups * (s.oc % 9 + 1);
    if (case_random() & 1) s.oc = 64 * case_between(1, 3);
    if (case_between(0, 7) == 0) {
      s.ic = 2 * (s.ic / s.groups);
      s.groups = 2;
      s.oc = case_random() & 1 ? 128 : 256;
    }
  }
  // One column of outputs, whose tiles are as wide as there are, of taps that
  // are apart.
  if (op == CASE_CONV && !is_float && case_between(0, 15) == 0) {
    s.kw = s.dil_x = 2;
    s.w = 3;
    s.pad[1] = s.pad[3] = 0;
    s.groups = 0;
    s.ic = 16;
    s.oc = 128;
  }
  // One row, which stands upright or is cut.
  if (case_between(0, 4) == 0) {
    s.n = case_between(0, 2) ? 1 : 2;
    s.h = s.kh = 1;
    s.pad[0] = s.pad[2] = 0;
    // Long windows, whose borders go several outputs at a time.
    const bool is_long = op == CASE_CONV && is_float && case_random() & 1;
    if (is_long) {
      s.kw = case_between(6, 41);
      s.pad[1] = case_between(0, s.kw);
      s.pad[3] = case_between(0, s.kw);
    }
    s.w = at_least(case_between(1, is_long ? 60 : 400),
                   (s.kw - 1) * s.dil_x + 1 - s.pad[1] - s.pad[3]);
  }
  if (op == CASE_DEPTHWISE)
    s.oc = case_between(0, 3) ? s.ic : s.ic * case_between(1, 5);
  // Long rows of windows of 3 by 3, several of which are done at once.
  if (op == CASE_DEPTHWISE && is_float && case_between(0, 3) == 0) {
    s.kh = s.kw = 3;
    s.down = s.right = case_between(1, 2);
    s.dil_y = s.dil_x = 1;
    for (int i = 0; i < 4; ++i)
      s.pad[i] = case_between(0, 1);
    s.h = case_between(3, 24);
    s.w = case_between(case_random() & 1 ? 4 : 27, 84);
    s.ic = s.oc = case_between(0, 3) ? case_between(16, 40) : 128;
  }
  // Few channels and many taps: several pixels at a time.
  if (op == CASE_DEPTHWISE && is_float && case_between(0, 7) == 0) {
    s.kh = case_between(3, 9);
    s.kw = case_between(3, 9);
    s.right = s.dil_y = s.dil_x = 1;
    for (int i = 0; i < 4; ++i)
      s.pad[i] = case_between(0, 3);
    s.h = case_between(s.kh, 17);
    s.w = case_between(s.kw, 84);
    s.ic = s.oc = 1 << case_between(0, 3);
  }
  if (op == CASE_FULLY_CONNECTED) {
    s.n = case_random() & 1 ? 1 : case_between(1, 60);
    s.ic = case_between(1, 300);
    s.oc = case_between(1, 200);
    s.h = s.w = s.kh = s.kw = s.down = s.right = s.dil_y = s.dil_x = 1;
    memset(s.pad, 0, sizeof s.pad);
  }
  return s;
}

static void check_random(int op, bool is_float, bool is_words, int rounds) {
  int checked = 0;
  case_random_state = (uint64_t)(op * 2 + is_float + 8 * is_words + 1);
  for (int i = 0; i < rounds; ++i) {
    conv_shape s = random_shape(op, is_float);
    s.is_words = is_words;
    checked += check_case(&s, i % CASE_DATA_KINDS, case_random() & 127);
  }
  if (!checked) skip();
}

#define ROUNDS 400
#define RANDOM_OF(name, op, is_float, is_words)   \
  static void name(void **state) {                \
    (void)state;                                  \
    check_random(op, is_float, is_words, ROUNDS); \
  }
#define RANDOM(name, op, is_float) RANDOM_OF(name, op, is_float, false)
RANDOM(conv_s8_equals_the_reference, CASE_CONV, false)
RANDOM(conv_f32_equals_the_reference, CASE_CONV, true)
RANDOM(depthwise_s8_equals_the_reference, CASE_DEPTHWISE, false)
RANDOM(depthwise_f32_equals_the_reference, CASE_DEPTHWISE, true)
RANDOM(fully_connected_s8_equals_the_reference, CASE_FULLY_CONNECTED, false)
RANDOM(fully_connected_f32_equals_the_reference, CASE_FULLY_CONNECTED, true)
RANDOM_OF(conv_s16_equals_the_reference, CASE_CONV, false, true)
RANDOM_OF(depthwise_s16_equals_the_reference, CASE_DEPTHWISE, false, true)
RANDOM_OF(fully_connected_s16_equals_the_reference, CASE_FULLY_CONNECTED, false,
          true)

// Weights with a zero point, as unsigned bytes of TensorFlow 1 have.
static void weights_with_zeros_equal_the_reference(void **state) {
  int checked = 0;
  (void)state;
  case_random_state = 11;
  for (int i = 0; i < 2 * ROUNDS; ++i) {
    const conv_shape s =
        random_shape(i & 1 ? CASE_CONV : CASE_DEPTHWISE, false);
    checked += check_case(&s, i / 2 % CASE_DATA_KINDS,
                          (case_random() & 126) | CASE_HAS_ZERO);
  }
  if (!checked) skip();
}

// Sums that 32 bits do not hold: runs that go in parts, and rows of taps that
// go together.
static void deep_words_equal_the_reference(void **state) {
  static const conv_shape shapes[] = {
      {.op = CASE_FULLY_CONNECTED, .n = 5, .ic = 2101, .oc = 37},
      {.op = CASE_FULLY_CONNECTED, .n = 1, .ic = 5000, .oc = 70},
      {.op = CASE_CONV, .n = 1, .ic = 90, .oc = 20, .h = 6, .kh = 3},
      {.op = CASE_CONV, .n = 1, .ic = 700, .oc = 18, .h = 4, .kh = 3},
      {.op = CASE_CONV,
       .n = 1,
       .ic = 301,
       .oc = 18,
       .h = 6,
       .kh = 3,
       .dil_x = 2},
  };
  int checked = 0;
  (void)state;
  case_random_state = 7;
  EACH_ROW(i, shapes) {
    conv_shape s = shapes[i];
    s.is_words = true;
    if (!s.h) s.h = s.kh = 1;
    if (!s.dil_x) s.dil_x = 1;
    s.w = s.h, s.kw = s.kh, s.down = s.right = s.dil_y = 1;
    for (int kind = 0; kind < CASE_DATA_KINDS; ++kind)
      checked += check_case(&s, kind, 3);
  }
  if (!checked) skip();
}

// One row of bytes, whose weights have an order of their own.
static void rows_of_bytes_equal_the_reference(void **state) {
  static const int values[] = {4, 8, 12, 128, 640};
  static const int outputs[] = {1, 8, 16, 17, 40, 48, 64, 70, 128, 200};
  int checked = 0;
  (void)state;
  case_random_state = 9;
  EACH_ROW(i, values) {
    EACH_ROW(j, outputs) {
      conv_shape s = {.op = CASE_FULLY_CONNECTED, .n = 1};
      s.ic = values[i], s.oc = outputs[j];
      s.h = s.w = s.kh = s.kw = 1;
      s.down = s.right = s.dil_y = s.dil_x = 1;
      for (int kind = 0; kind < CASE_DATA_KINDS; ++kind)
        checked += check_case(&s, kind, 3);
    }
  }
  if (!checked) skip();
}

// Blocks below one another in a range: rows that both read move in scratch, of
// which there are some where windows are higher than their stride.
static void rows_of_blocks_equal_the_reference(void **state) {
  static const conv_shape shapes[] = {
      {0, false, 1, 40, 32, 16, 16, 3, 3, 1, 1, {1, 1, 1, 1}, 1, 1, 0, false},
      {0, false, 2, 23, 40, 5, 33, 3, 3, 1, 1, {1, 0, 2, 1}, 1, 1, 0, false},
      {0, false, 2, 61, 90, 3, 16, 7, 7, 2, 2, {3, 3, 3, 3}, 1, 1, 0, false},
      {0, false, 1, 70, 60, 4, 70, 3, 3, 2, 1, {0, 1, 2, 1}, 3, 2, 0, false},
      {0, false, 3, 30, 50, 8, 130, 2, 5, 1, 1, {1, 2, 0, 2}, 4, 1, 0, false},
      {0, false, 2, 60, 70, 4, 20, 3, 3, 3, 1, {0, 1, 0, 1}, 1, 1, 0, false},
      {0, false, 2, 70, 66, 4, 20, 2, 2, 3, 1, {1, 1, 1, 1}, 1, 1, 0, false},
      {0, false, 2, 300, 5, 4, 16, 3, 3, 1, 1, {1, 1, 1, 1}, 1, 1, 0, false},
      {0, false, 1, 32, 37, 3, 16, 3, 3, 1, 1, {1, 1, 1, 1}, 1, 1, 0, false},
      {0, false, 2, 41, 50, 3, 40, 3, 3, 2, 2, {0, 0, 1, 1}, 1, 1, 0, false},
      {0, false, 1, 20, 67, 3, 8, 3, 3, 1, 2, {0, 1, 0, 1}, 2, 1, 0, false},
      {0, false, 1, 20, 40, 3, 16, 3, 4, 1, 1, {0, 1, 0, 1}, 1, 1, 0, false},
      {0, false, 1, 20, 90, 3, 16, 3, 3, 1, 3, {0, 1, 0, 1}, 1, 1, 0, false},
      {0, false, 1, 30, 41, 8, 16, 1, 1, 1, 1, {0, 0, 0, 0}, 1, 1, 0, false},
      {0, false, 1, 30, 41, 7, 90, 1, 1, 1, 1, {0, 0, 0, 0}, 1, 1, 0, false},
      {0, false, 1, 50, 50, 16, 16, 1, 1, 2, 2, {0, 0, 0, 0}, 1, 1, 0, false},
      {0, false, 1, 50, 60, 14, 40, 1, 1, 2, 2, {0, 0, 0, 0}, 1, 1, 0, false},
  };
  int checked = 0;
  (void)state;
  case_random_state = 20;
  EACH_ROW(i, shapes) {
    for (int round = 0; round < 6; ++round)
      checked += check_case(&shapes[i], round % CASE_DATA_KINDS, 3);
    conv_case c;
    case_init(&c, &shapes[i], CASE_USUAL, 3);
    const tenon_window g =
        tenon_window_of(&c.in[0], &c.out[0], shapes[i].kh, shapes[i].kw,
                        c.stride, c.pad, c.dilation);
    const tenon_blocks b = tenon_blocks_of_conv(&g, shapes[i].n, 1);
    CHECK(b.most < b.lines, "shape %d has one block", (int)i);
    case_deinit(&c);
  }
  if (!checked) skip();
}

// First layers: blocks of outputs that have all columns, lack the first, the
// last, or both, and some that are computed once more.
static void stems_equal_the_reference(void **state) {
  static const conv_shape shapes[] = {
      {0, true, 2, 9, 28, 3, 16, 3, 3, 2, 2, {1, 1, 1, 1}, 1, 1, 0, false},
      {0, true, 1, 8, 84, 3, 32, 3, 3, 2, 2, {0, 0, 1, 1}, 1, 1, 0, false},
      {0, true, 1, 8, 27, 3, 40, 3, 3, 2, 2, {1, 1, 1, 1}, 1, 1, 0, false},
      {0, true, 1, 8, 58, 3, 7, 3, 3, 2, 2, {1, 1, 1, 1}, 1, 1, 0, false},
      {0, true, 1, 12, 24, 3, 8, 5, 3, 1, 2, {2, 0, 3, 1}, 1, 1, 0, false},
      {0, true, 1, 12, 26, 3, 21, 3, 3, 3, 2, {2, 0, 2, 0}, 2, 1, 0, false},
      {0, true, 1, 11, 25, 3, 130, 2, 3, 2, 2, {0, 1, 0, 0}, 1, 1, 0, false},
  };
  int checked = 0;
  (void)state;
  case_random_state = 37;
  EACH_ROW(i, shapes)
  for (int round = 0; round < 8; ++round)
    checked +=
        check_case(&shapes[i], round % CASE_DATA_KINDS, case_random() & 127);
  if (!checked) skip();
}

// More weights than stay in a cache, or several blocks of rows.
static void deep_products_equal_the_reference(void **state) {
  static const conv_shape shapes[] = {
      {CASE_FULLY_CONNECTED,
       true,
       40,
       1,
       1,
       2100,
       130,
       1,
       1,
       1,
       1,
       {0},
       1,
       1,
       0,
       false},
      {CASE_CONV, true, 1, 5, 9, 1700, 70, 1, 1, 1, 1, {0}, 1, 1, 0, false},
      {CASE_CONV, true, 1, 14, 14, 48, 40, 1, 1, 1, 1, {0}, 1, 1, 0, false},
      {CASE_CONV, true, 1, 14, 14, 300, 80, 1, 1, 1, 1, {0}, 1, 1, 0, false},
      {CASE_CONV, true, 2, 14, 14, 20, 150, 1, 1, 1, 1, {0}, 1, 1, 0, false},
  };
  int checked = 0;
  (void)state;
  case_random_state = 99;
  EACH_ROW(i, shapes) {
    checked += check_case(&shapes[i], CASE_USUAL, 3);
    checked += check_case(&shapes[i], CASE_USUAL, 0);
  }
  if (!checked) skip();
}

static void says_what_it_cannot_run(void **state) {
  (void)state;
  for (int i = 0; i < LISTS; ++i)
    for (const tenon_kernel_desc *const *k = list_of(i); *k; ++k)
      if (!test_can_run(*k))
        print_message("skipped %s: this processor lacks one of '%s'\n",
                      (*k)->symbol, (*k)->needs);
}

#ifdef TENON_CORE_HAS_FAST
static bool has_kernel(const char *symbol, size_t size, const char *isa) {
  char name[128];
  snprintf(name, sizeof name, "%.*s%s", (int)size, symbol, isa);
  for (const tenon_kernel_desc *const *k = tenon_core_fast_kernels; *k; ++k)
    if (strcmp((*k)->symbol, name) == 0) return true;
  return false;
}
#endif

// What is emitted for a machine has one width of registers, so whatever there
// is for narrow ones has to be there for wide ones.
static void every_width_has_what_narrower_ones_have(void **state) {
  (void)state;
#ifdef TENON_CORE_HAS_FAST
  static const char *const isas[] = {"_sse2", "_avx2",    "_avx512",
                                     NULL,    "_dotprod", "_i8mm"};
  for (const tenon_kernel_desc *const *k = tenon_core_fast_kernels; *k; ++k) {
    const char *last = strrchr((*k)->symbol, '_');
    const size_t size = (size_t)(last - (*k)->symbol);
    for (size_t i = 0; i + 1 < COUNT(isas); ++i)
      if (isas[i] && isas[i + 1] && strcmp(last, isas[i]) == 0)
        CHECK(has_kernel((*k)->symbol, size, isas[i + 1]), "%s has no %s",
              (*k)->symbol, isas[i + 1]);
  }
#else
  skip();
#endif
}

static void refuses_what_it_was_not_made_for(void **state) {
  (void)state;
#ifdef TENON_CORE_HAS_FAST
  const conv_shape s = {CASE_CONV, false,        1, 5, 5, 4,    4, 1, 1, 1,
                        1,         {0, 0, 0, 0}, 1, 1, 1, false};
  conv_case c;
  case_init(&c, &s, CASE_USUAL, 3);
  for (const tenon_kernel_desc *const *k = tenon_core_fast_kernels; *k; ++k) {
    const int32_t zero[] = {1, 1, 1, 1};
    void *data = c.in[1].data;
    if (!serves(*k, &c)) continue;
    if (strstr((*k)->symbol, "_zero_")) {  // of one scale and no other weights
      assert_false((*k)->match(&c.call));
      continue;
    }
    assert_true((*k)->match(&c.call));
    c.attrs.conv.groups = 2;
    assert_false((*k)->match(&c.call));
    c.attrs.conv.groups = 1;
    c.w_quant.zero = zero;
    assert_false((*k)->match(&c.call));
    c.w_quant.zero = NULL;
    c.in[1].data = NULL;  // not constant
    assert_false((*k)->match(&c.call));
    c.in[1].data = data;
    c.x_dims[1] = -1;  // not known
    assert_false((*k)->match(&c.call));
    c.x_dims[1] = 5;
  }
  case_deinit(&c);
#endif
}

TEST_GROUP(fast, cmocka_unit_test(says_what_it_cannot_run),
           cmocka_unit_test(every_width_has_what_narrower_ones_have),
           cmocka_unit_test(refuses_what_it_was_not_made_for),
           cmocka_unit_test(conv_s8_equals_the_reference),
           cmocka_unit_test(conv_f32_equals_the_reference),
           cmocka_unit_test(stems_equal_the_reference),
           cmocka_unit_test(depthwise_s8_equals_the_reference),
           cmocka_unit_test(depthwise_f32_equals_the_reference),
           cmocka_unit_test(fully_connected_s8_equals_the_reference),
           cmocka_unit_test(weights_with_zeros_equal_the_reference),
           cmocka_unit_test(rows_of_bytes_equal_the_reference),
           cmocka_unit_test(fully_connected_f32_equals_the_reference),
           cmocka_unit_test(conv_s16_equals_the_reference),
           cmocka_unit_test(depthwise_s16_equals_the_reference),
           cmocka_unit_test(fully_connected_s16_equals_the_reference),
           cmocka_unit_test(deep_words_equal_the_reference),
           cmocka_unit_test(rows_of_blocks_equal_the_reference),
           cmocka_unit_test(deep_products_equal_the_reference))
